/* layers_share.c - softmax of rows, and sums of layers with learned shares */
#include "common/train/vector.h"

struct shared {
    const struct se_net *net;
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
    struct shared s = { .net = net, .x = x, .in = in->dense };

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
    struct shared s = { .net = net, .x = x, .dout = dout, .din = din };

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
    const se_real *s = net->value + x->weight;
    const int parts = x->taps + 1;
    double most = (double)s[0], sum = 0;

    (void)train;
    for (int k = 1; k < parts; k++)
        most = fmax(most, (double)s[k]);
    for (int k = 0; k < parts; k++)
        sum += exp((double)s[k] - most);
    se_net_clear(net, x->buffer, net->n * x->cols * sizeof *x->buffer);
    for (int k = 0; k < parts; k++) {
        x->work[GATE][k] = (se_real)(exp((double)s[k] - most) / sum);
        se_add(net, part_of_sum(net, x, in, k), (double)x->work[GATE][k], net->n * x->cols,
               x->buffer);
    }
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

static void shares_part(void *arg, uint64_t from, uint64_t to, se_real *sum)
{
    const struct shared *s = arg;
    const struct se_mat first = { .dense = (se_real *)(uintptr_t)s->in };
    const uint64_t cols = s->x->cols;

    for (int k = 0; k <= s->x->taps; k++) {
        const se_real *h = part_of_sum(s->net, s->x, &first, k);
        double all = 0;

        for (uint64_t v = from; v < to; v++)
            all += (double)se_dot(h + v * cols, s->dout + v * cols, cols);
        sum[k] = (se_real)all;
    }
}

static void shares_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                            const se_real *dout, se_real *din)
{
    struct shared s = { .net = net, .x = x, .in = in->dense, .dout = dout };
    se_real *ds = net->grad + x->weight, *g = x->work[GATE], mean = 0;
    const int parts = x->taps + 1;
    const uint64_t count = net->n * x->cols;

    se_sum_parts(net->worker, net->n, (uint64_t)parts, 2 * x->cols * (uint64_t)parts, shares_part,
                 &s, ds);
    for (int k = 0; k < parts; k++)
        mean += g[k] * ds[k];
    for (int k = 0; k < parts; k++)
        ds[k] = g[k] * (ds[k] - mean);
    if (din) {
        se_net_clear(net, din, count * sizeof *din);
        se_add(net, dout, (double)g[0], count, din);
    }
    for (int k = 0; k < x->taps; k++)
        if (se_tap_grad(net, x, k))
            se_add(net, dout, (double)g[k + 1], count, se_tap_grad(net, x, k));
}

static const struct se_layer_ops shares_ops = { "shares", true, shares_forward, shares_backward };

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
