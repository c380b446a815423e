/* layers_share.c - softmax of rows, and sums of layers with learned shares */
#include "common/train/vector.h"

struct shared {
    const struct se_layer *x;
    const se_real *in, *dout;
    se_real *din;
};

/* ---- softmax of each row ---- */

static void softmax_rows(void *arg, uint64_t from, uint64_t to)
{
    const struct shared *s = arg;
    const uint64_t cols = s->x->cols;

    for (uint64_t v = from; v < to; v++) {
        const se_real *row = s->in + v * cols;
        se_real *out = s->x->buffer + v * cols;
        const double most = (double)row[se_largest(row, cols)];
        double sum = 0;

        for (uint64_t c = 0; c < cols; c++)
            sum += exp((double)row[c] - most);
        for (uint64_t c = 0; c < cols; c++)
            out[c] = (se_real)(exp((double)row[c] - most) / sum);
    }
}

static void softmax_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                            bool train)
{
    struct shared s = { .x = x, .in = in->dense };

    (void)train;
    se_ranges(net->threads, net->n, 40 * x->cols, softmax_rows, &s);
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

static void softmax_rows_back(void *arg, uint64_t from, uint64_t to)
{
    const struct shared *s = arg;
    const uint64_t cols = s->x->cols;

    for (uint64_t v = from; v < to; v++) {
        const se_real *p = s->x->buffer + v * cols, *d = s->dout + v * cols;
        double mean = 0;

        for (uint64_t c = 0; c < cols; c++)
            mean += (double)p[c] * (double)d[c];
        for (uint64_t c = 0; c < cols; c++)
            s->din[v * cols + c] = (se_real)((double)p[c] * ((double)d[c] - mean));
    }
}

static void softmax_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                             const se_real *dout, se_real *din)
{
    struct shared s = { .x = x, .dout = dout, .din = din };

    (void)in;
    if (din)
        se_ranges(net->threads, net->n, 8 * x->cols, softmax_rows_back, &s);
}

static const struct se_layer_ops softmax_ops = { "softmax", true, softmax_forward,
                                                 softmax_backward };

int se_net_softmax(struct se_net *net, struct se_err *err)
{
    return se_net_append(net, &softmax_ops, se_net_cols(net), err) ? 0 : -1;
}

/* ---- sum over k of g_k H_k, g = softmax(s) ---- */

enum { GATE };                  /* work: g */

static const se_real *part_of_sum(const struct se_net *net, const struct se_layer *x,
                                  const struct se_mat *in, int k)
{
    return k == 0 ? in->dense : se_tap(net, x, k - 1)->dense;
}

static void shares_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                           bool train)
{
    se_real *g = x->work[GATE];

    (void)train;
    net->ops->shares(net->worker, net->value + x->weight, (uint64_t)x->taps + 1, g);
    se_net_clear(net, x->buffer, net->n * x->cols * sizeof *x->buffer);
    for (int k = 0; k <= x->taps; k++)
        net->ops->add_share(net->worker, part_of_sum(net, x, in, k), g + k, net->n * x->cols,
                            x->buffer);
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

static void shares_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                            const se_real *dout, se_real *din)
{
    se_real *ds = net->grad + x->weight, *g = x->work[GATE];
    const uint64_t count = net->n * x->cols;

    for (int k = 0; k <= x->taps; k++)
        net->ops->dot(net->worker, part_of_sum(net, x, in, k), dout, net->n, x->cols, ds + k);
    net->ops->shares_back(net->worker, g, (uint64_t)x->taps + 1, ds);
    if (din) {
        se_net_clear(net, din, count * sizeof *din);
        net->ops->add_share(net->worker, dout, g, count, din);
    }
    for (int k = 0; k < x->taps; k++)
        if (se_tap_grad(net, x, k))
            net->ops->add_share(net->worker, dout, g + k + 1, count, se_tap_grad(net, x, k));
}

static const struct se_layer_ops shares_ops = { "shares", false, shares_forward, shares_backward };

int se_net_shares(struct se_net *net, const int *of, int count, struct se_err *err)
{
    struct se_layer *x;

    if (count - 1 > SE_MOST_TAPS)
        return se_fail(err, SE_EUSAGE, "too many layers are joined; lower --hops");
    se_net_from(net, of[0]);
    if (!(x = se_net_append(net, &shares_ops, net->layer[of[0]].cols, err)))
        return -1;
    for (int k = 1; k < count; k++)
        se_net_tap(net, x, of[k]);
    x->room[GATE] = (uint64_t)count;
    return se_net_parameter(net, "share", 1, (uint64_t)count,
                            (struct se_glorot){ SE_INIT_ZERO, 0, 1, 1 }, &x->weight, err);
}
