/* layers_plain.c - dropout, activation, linear: the layers that do not see the graph */
#include "common/device/device.h"
#include "common/train/vector.h"

/* ---- dropout of the input ---- */

static uint64_t entries(const struct se_mat *x)
{
    return x->sparse ? x->sparse->nnz : x->rows * x->cols;
}

/* A sparse matrix loses stored entries; zeros stay zeros either way.  Its evaluation makes what
 * the next epoch will see, too. */
static void dropout_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                            bool train)
{
    const bool ahead = in->sparse && net->looks_ahead && net->epoch > 0;
    const bool made = ahead && net->current > 0 && x->masked == net->epoch;

    x->out = *in;
    if (!train && !ahead) {
        x->masked = 0;
        return;
    }
    if (!made) {
        se_mask(net, x->number, 0, x->dropout, entries(in), x->keep);
        se_mask_apply(net, in->sparse ? in->value : in->dense, x->keep, x->dropout, entries(in),
                      x->buffer);
        x->masked = net->epoch;
    }
    if (!train) {
        x->out.ahead = x->buffer;
    } else if (in->sparse) {
        x->out.value = x->buffer;
        x->out.made = made;
    } else {
        x->out.dense = x->buffer;
    }
}

static void dropout_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                             const se_real *dout, se_real *din)
{
    if (din)
        se_mask_apply(net, dout, x->keep, x->dropout, entries(in), din);
}

static const struct se_layer_ops dropout_ops = { "dropout", dropout_forward, dropout_backward };

int se_net_dropout(struct se_net *net, double p, struct se_err *err)
{
    const uint64_t cols = net->layers ? net->layer[net->layers - 1].cols : net->input.cols;
    struct se_layer *x;

    if (p == 0)
        return 0;
    if (!(x = se_net_append(net, &dropout_ops, cols, err)))
        return -1;
    x->dropout = p;
    x->keep_room = x->out_room = x->sparse ? net->input.sparse->nnz : net->n * cols;
    net->sparse = x->sparse;            /* stays what it was */
    return 0;
}

/* ---- activation, with dropout behind it ---- */

SE_INLINE void activate(const enum se_activation act, se_vec *v)
{
    se_vec below = act == SE_IDENTITY ? *v : (se_vec){ 0 };

    if (act == SE_ELU) {
        below = *v;
        se_exp(&below);
        below -= 1;
    }
    se_select(v, v, &below, v);
}

SE_INLINE void slope(const enum se_activation act, const se_vec *v, se_vec *d)
{
    const se_vec one = (se_vec){ 0 } + 1;
    se_vec below = act == SE_IDENTITY ? one : (se_vec){ 0 };

    if (act == SE_ELU) {
        below = *v;
        se_exp(&below);
    }
    se_select(v, &one, &below, d);
}

enum { PIECE = 256 };

/* A vector of numbers from i on, or `count` of them; scale: of each, or NULL */
SE_INLINE void activate_some(const struct se_activating *a, uint64_t i, uint64_t count,
                             const se_real *scale, const enum se_activation act)
{
    se_vec v, d;

    se_load(a->in + i, count, &v);
    if (a->dout) {
        se_load(a->dout + i, count, &d);
        slope(act, &v, &v);
        v *= d;
    } else {
        activate(act, &v);
    }
    if (scale) {
        se_load(scale, count, &d);
        v *= d;
    }
    se_store(&v, count, a->out + i);
}

/* One loop for each kind, with nothing left to ask inside.  The scales of a piece, 0 where it is
 * dropped, are made by a loop of their own, which becomes one of vectors. */
SE_INLINE void activate_all(const struct se_activating *arg, uint64_t from, uint64_t to,
                            const enum se_activation act)
{
    const struct se_activating a = *arg;
    se_real scale[PIECE], *each = a.keep ? scale : NULL;

    for (uint64_t start = from; start < to; start += PIECE) {
        const uint64_t count = to - start < PIECE ? to - start : PIECE;
        uint64_t i = 0;

        for (uint64_t k = 0; each && k < count; k++)
            scale[k] = (se_real)a.keep[start + k] * a.scale;
        for (; i + SE_LANES <= count; i += SE_LANES)
            activate_some(&a, start + i, SE_LANES, each ? each + i : NULL, act);
        if (i < count)
            activate_some(&a, start + i, count - i, each ? each + i : NULL, act);
    }
}

SE_WIDE static void activate_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_activating *a = arg;

    if (a->act == SE_RELU)
        activate_all(a, from, to, SE_RELU);
    else if (a->act == SE_ELU)
        activate_all(a, from, to, SE_ELU);
    else
        activate_all(a, from, to, SE_IDENTITY);
}

static void run_activation(const struct se_net *net, struct se_activating *a)
{
    if (net->gpu)
        net->gpu->cuda->activate(net->gpu->device, a);
    else
        se_ranges(net, a->count, a->act == SE_ELU ? 6 : 2, activate_range, a);
}

static void activation_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                               bool train)
{
    const bool masked = train && x->dropout > 0;
    struct se_activating a = { x->act, in->dense, NULL, masked ? x->keep : NULL, x->buffer,
                               (se_real)(1 / (1 - x->dropout)), net->n * x->cols };

    if (masked)
        se_mask(net, x->number, 0, x->dropout, net->n * x->cols, x->keep);
    run_activation(net, &a);
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

static void activation_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                                const se_real *dout, se_real *din)
{
    struct se_activating a = { x->act, in->dense, dout, x->dropout > 0 ? x->keep : NULL, din,
                               (se_real)(1 / (1 - x->dropout)), net->n * x->cols };

    if (din)
        run_activation(net, &a);
}

static const struct se_layer_ops activation_ops = { "activation", activation_forward,
                                                    activation_backward };

int se_net_activate(struct se_net *net, enum se_activation act, double dropout,
                    struct se_err *err)
{
    struct se_layer *x =
        se_net_append(net, &activation_ops, net->layer[net->layers - 1].cols, err);

    if (!x)
        return -1;
    x->act = act;
    x->dropout = dropout;
    x->keep_room = dropout > 0 ? net->n * x->cols : 0;
    return 0;
}

/* ---- linear ---- */

static void linear_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                           bool train)
{
    (void)train;
    se_mm(net, in, net->value + x->weight, x->cols, net->value + x->bias, false, x->buffer);
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

static void linear_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                            const se_real *dout, se_real *din)
{
    se_mm_weight(net, in, dout, x->cols, net->grad + x->weight);
    se_sum_columns(net, dout, x->cols, net->grad + x->bias);
    if (din)
        se_mm_input(net, dout, net->value + x->weight, x->cols, x->in, false, din);
}

static const struct se_layer_ops linear_ops = { "linear", linear_forward, linear_backward };

int se_net_linear(struct se_net *net, uint64_t cols, struct se_err *err)
{
    struct se_layer *x = se_net_append(net, &linear_ops, cols, err);

    return x ? se_net_weighted(net, x, err) : -1;
}
