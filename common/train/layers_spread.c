/* layers_spread.c - GRAND's random propagation
 *
 * With X_0 = X, whole rows of it left out in training and all of it times 1 - q in evaluation:
 * out = 1 / (K + 1) sum over k = 0 .. K of P^k X_0, plus a bias unless `plain`. */
#include "common/train/vector.h"

/* What layer->work holds: X_0; two sums; all sums if gradients by arcs are wanted */
enum { START, EVEN, ODD, EACH_SUM };

/* sum_(k + 1) = X_0 + P sum_k, K times from sum_0 = X_0 */
static void spread_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                           bool train)
{
    const bool masked = train && x->dropout > 0;
    struct se_row_scaling s = { in->dense, masked ? x->keep : NULL, x->work[START],
                                (se_real)(1 - x->dropout), net->n, x->cols };
    const se_real *h = x->work[START], part = (se_real)(1 / (double)(x->hops + 1));
    const se_real *bias = x->plain ? NULL : net->value + x->bias;

    if (in->sparse) {
        const struct se_unpacking u = { in->sparse->off, in->sparse->col, in->value,
                                        x->work[START], net->n, x->cols };

        net->ops->unpack(net->worker, &u);
        s.x = x->work[START];
    }
    if (masked)
        se_mask_from(net, x->number, 0, x->dropout, net->first, net->n, x->keep);
    net->ops->scale_rows(net->worker, &s);
    for (int k = 0; k < x->hops; k++) {
        const bool last = k == x->hops - 1;
        se_real *to = last ? x->buffer : x->work[k % 2 ? ODD : EVEN];
        struct se_gather g = se_arcs(net->graph, net->graph->norm, false, h, x->cols, to);

        if (x->work[EACH_SUM])
            se_net_copy(net, x->work[EACH_SUM] + (uint64_t)k * net->n * x->cols, h,
                        net->n * x->cols * sizeof *h);
        g.base = x->work[START];
        g.scale = g.base_scale = last ? part : 1;
        g.bias = last ? bias : NULL;
        se_gather(net, &g, net->n);
        h = to;
    }
    if (x->hops == 0) {                         /* the bias alone: a hop that weighs nothing */
        struct se_gather g = se_arcs(net->graph, net->graph->norm, false, h, x->cols, x->buffer);

        g.scale = 0;
        g.base = h;
        g.base_scale = 1;
        g.bias = bias;
        se_gather(net, &g, net->n);
    }
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

/* P is its own transpose: the gradient of X_0 is the sum over k of P^k dout / (K + 1). */
static void spread_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                            const se_real *dout, se_real *din)
{
    const uint64_t count = net->n * x->cols;
    const double part = 1 / (double)(x->hops + 1);
    const struct se_row_scaling s = { din, x->keep, din, 1, net->n, x->cols };

    (void)in;
    if (!x->plain)
        se_sum_columns(net, dout, x->cols, net->grad + x->bias);
    if (!din)
        return;
    se_net_clear(net, din, count * sizeof *din);
    se_add(net, dout, part, count, din);
    for (int k = x->hops - 1; k >= 0; k--) {
        se_real *to = x->work[k % 2 ? ODD : EVEN];
        const struct se_gather g = se_arcs(net->graph, net->graph->norm, false, dout, x->cols, to);

        if (x->work[EACH_SUM])
            se_arc_gradient(net, dout, x->work[EACH_SUM] + (uint64_t)k * count, x->cols, part);
        se_gather(net, &g, net->n);
        se_add(net, to, part, count, din);
        dout = to;
    }
    if (x->dropout > 0)
        net->ops->scale_rows(net->worker, &s);
}

static const struct se_layer_ops spread_ops = { "spread", false, spread_forward, spread_backward };

int se_net_spread(struct se_net *net, uint64_t hops, double q, bool plain, struct se_err *err)
{
    struct se_layer *x;

    if (!(x = se_net_append(net, &spread_ops, se_net_cols(net), err)))
        return -1;
    net->sees_norm |= hops > 0;
    net->sees_other |= plain;                   /* nothing learns before it */
    x->hops = (int)hops;
    x->dropout = q;
    x->plain = plain;
    x->keep_room = q > 0 ? net->n : 0;
    x->room[START] = x->room[EVEN] = x->room[ODD] = net->n * x->cols;
    x->room[EACH_SUM] = net->weighs_arcs ? hops * net->n * x->cols : 0;
    return plain ? 0 : se_net_parameter(net, "bias", 1, x->cols,
                                        (struct se_glorot){ SE_INIT_ZERO, 0, 1, 1 }, &x->bias,
                                        err);
}
