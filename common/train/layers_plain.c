/* layers_plain.c - dropout, activation, linear: the layers that do not see the graph */
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
        se_mask_from(net, x->number, 0, x->dropout,
                     in->sparse ? in->sparse->first : net->first * in->cols, entries(in), x->keep);
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

static const struct se_layer_ops dropout_ops = { "dropout", false, dropout_forward, dropout_backward,
                                           SE_REACH_ROW };

int se_net_dropout(struct se_net *net, double p, struct se_err *err)
{
    const uint64_t cols = se_net_cols(net);
    struct se_layer *x;

    if (p == 0)
        return 0;
    if (!(x = se_net_append(net, &dropout_ops, cols, err)))
        return -1;
    x->dropout = p;
    x->keep_room = x->out_room = x->sparse ? net->input.sparse->nnz : net->n * cols;
    net->sparse = x->gives_sparse = x->sparse;          /* stays what it was */
    return 0;
}

/* ---- activation, with dropout behind it ---- */

static void activation_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                               bool train)
{
    const bool masked = train && x->dropout > 0;
    const struct se_activating a = { x->act, in->dense, NULL, masked ? x->keep : NULL, x->buffer,
                               (se_real)(1 / (1 - x->dropout)), net->n * x->cols };

    if (masked)
        se_mask_from(net, x->number, 0, x->dropout, net->first * x->cols, net->n * x->cols,
                     x->keep);
    net->ops->activate(net->worker, &a);
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

static void activation_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                                const se_real *dout, se_real *din)
{
    const struct se_activating a = { x->act, in->dense, dout, x->dropout > 0 ? x->keep : NULL, din,
                               (se_real)(1 / (1 - x->dropout)), net->n * x->cols };

    if (din)
        net->ops->activate(net->worker, &a);
}

static const struct se_layer_ops activation_ops = { "activation", false, activation_forward, activation_backward,
                                           SE_REACH_ROW };

int se_net_activate(struct se_net *net, enum se_activation act, double dropout,
                    struct se_err *err)
{
    struct se_layer *x =
        se_net_append(net, &activation_ops, se_net_cols(net), err);

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
    se_mm(net, in, net->value + x->weight, x->cols, x->plain ? NULL : net->value + x->bias, false,
          x->buffer);
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

static void linear_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                            const se_real *dout, se_real *din)
{
    se_mm_weight(net, in, dout, x->cols, net->grad + x->weight);
    if (!x->plain)
        se_sum_columns(net, dout, x->cols, net->grad + x->bias);
    if (din)
        se_mm_input(net, dout, net->value + x->weight, x->cols, x->in, false, din);
}

static const struct se_layer_ops linear_ops = { "linear", false, linear_forward, linear_backward,
                                           SE_REACH_ROW };

int se_net_linear(struct se_net *net, uint64_t cols, struct se_err *err)
{
    struct se_layer *x = se_net_append(net, &linear_ops, cols, err);

    return x ? se_net_weighted(net, x, err) : -1;
}

int se_net_product(struct se_net *net, uint64_t cols, struct se_err *err)
{
    struct se_layer *x = se_net_append(net, &linear_ops, cols, err);

    if (!x)
        return -1;
    x->plain = true;
    return se_net_parameter(net, "weight", x->in, cols,
                            (struct se_glorot){ SE_INIT_UNIFORM, 1, (double)x->in, (double)cols },
                            &x->weight, err);
}
