/* layers_conv.c - graph convolution, personalised PageRank propagation */
#include "common/train/vector.h"

int se_net_weighted(struct se_net *net, struct se_layer *x, struct se_err *err)
{
    const struct se_glorot uniform = { SE_INIT_UNIFORM, 1, (double)x->in, (double)x->cols };
    const struct se_glorot zero = { SE_INIT_ZERO, 0, 1, 1 };

    return se_net_parameter(net, "weight", x->in, x->cols, uniform, &x->weight, err) < 0
         ? -1 : se_net_parameter(net, "bias", 1, x->cols, zero, &x->bias, err);
}

/* y = D^-1/2 A D^-1/2 x */
static void aggregate(const struct se_net *net, const se_real *x, uint64_t cols, se_real *y)
{
    struct se_gather g = se_arcs(net->graph, net->graph->norm, false, x, cols, y);

    se_gather(net, &g, net->n);
}

/* ---- graph convolution: D^-1/2 A D^-1/2 X W + b; the narrower of X and X W is summed ---- */

/* What layer->work holds */
enum { PRODUCT, SUMMED };

static void graphconv_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                              bool train)
{
    const se_real *w = net->value + x->weight, *bias = net->value + x->bias;

    (void)train;
    if (x->work[SUMMED]) {                              /* X is narrower */
        const struct se_mat summed = { .rows = net->n, .cols = x->in, .dense = x->work[SUMMED] };

        aggregate(net, in->dense, x->in, summed.dense);
        se_mm(net, &summed, w, x->cols, bias, false, x->buffer);
    } else {
        struct se_gather g = se_arcs(net->graph, net->graph->norm, false, x->work[PRODUCT],
                                     x->cols, x->buffer);

        g.bias = bias;
        se_mm(net, in, w, x->cols, NULL, false, x->work[PRODUCT]);
        se_gather(net, &g, net->n);
    }
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

/* The matrix that sums is its own transpose. */
static void graphconv_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                               const se_real *dout, se_real *din)
{
    const se_real *w = net->value + x->weight;

    se_sum_columns(net, dout, x->cols, net->grad + x->bias);
    if (x->work[PRODUCT])
        se_arc_gradient(net, dout, x->work[PRODUCT], x->cols, 1);
    if (x->work[SUMMED]) {
        const struct se_mat summed = { .rows = net->n, .cols = x->in, .dense = x->work[SUMMED] };

        se_mm_weight(net, &summed, dout, x->cols, net->grad + x->weight);
        if (!din && !net->dnorm)
            return;
        se_mm_input(net, dout, w, x->cols, x->in, false, x->work[SUMMED]);
        se_arc_gradient(net, x->work[SUMMED], in->dense, x->in, 1);
        if (din)
            aggregate(net, x->work[SUMMED], x->in, din);
        return;
    }
    aggregate(net, dout, x->cols, x->work[PRODUCT]);
    se_mm_weight(net, in, x->work[PRODUCT], x->cols, net->grad + x->weight);
    if (din)
        se_mm_input(net, x->work[PRODUCT], w, x->cols, x->in, false, din);
}

static const struct se_layer_ops graphconv_ops = { "graphconv", false, graphconv_forward, graphconv_backward };

int se_net_graphconv(struct se_net *net, uint64_t cols, struct se_err *err)
{
    struct se_layer *x;

    if (net->apart)
        return se_net_graphconv_apart(net, cols, err);
    if (!(x = se_net_append(net, &graphconv_ops, cols, err)))
        return -1;
    net->sees_norm = true;
    if (!x->sparse && x->in <= x->cols)
        x->room[SUMMED] = net->n * x->in;
    else
        x->room[PRODUCT] = net->n * x->cols;
    return se_net_weighted(net, x, err);
}

/* ---- H_0 = X; H_(k+1) = (1 - alpha) D^-1/2 A D^-1/2 H_k + alpha X ---- */

/* What layer->work holds: every other H, or the gradient of H twice; values of arcs; all H if
 * gradients by arcs are wanted */
enum { OTHER, AGAIN, ARCS, EACH };

/* The arcs of one hop: those that stay, scaled; all in evaluation. */
static const se_real *hop_arcs(struct se_net *net, struct se_layer *x, int hop, bool train)
{
    const struct se_nngraph *g = net->graph;

    if (!train || x->dropout == 0)
        return g->norm;
    se_mask_from(net, x->number, hop, x->dropout, g->first, g->arcs, x->keep);
    se_mask_apply(net, g->norm, x->keep, x->dropout, g->arcs, x->work[ARCS]);
    se_arcs_known(net, x->work[ARCS], 1);
    return x->work[ARCS];
}

static void propagate_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                              bool train)
{
    const se_real *h = in->dense;

    for (int hop = 0; hop < x->hops; hop++) {
        se_real *to = (x->hops - hop) % 2 ? x->buffer : x->work[OTHER];
        struct se_gather g = se_arcs(net->graph, hop_arcs(net, x, hop, train), false, h,
                                     x->cols, to);

        if (x->work[EACH])
            se_net_copy(net, x->work[EACH] + (uint64_t)hop * net->n * x->cols, h,
                        net->n * x->cols * sizeof *h);
        g.scale = (se_real)(1 - x->alpha);
        g.base = in->dense;
        g.base_scale = (se_real)x->alpha;
        se_gather(net, &g, net->n);
        h = to;
    }
    if (x->hops == 0)
        se_net_copy(net, x->buffer, in->dense, net->n * x->cols * sizeof *x->buffer);
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

/* Back through the hops: what each leaves for X adds up in din. */
static void propagate_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                               const se_real *dout, se_real *din)
{
    const uint64_t count = net->n * x->cols;

    (void)in;
    if (!din)                                   /* it has no parameters: nothing learns before it */
        return;
    se_net_clear(net, din, count * sizeof *din);
    for (int hop = x->hops; hop-- > 0;) {
        se_real *to = x->work[hop % 2 ? OTHER : AGAIN];
        const se_real *arcs = hop_arcs(net, x, hop, true);
        struct se_gather g = se_arcs(net->graph, arcs, arcs != net->graph->norm, dout,
                                     x->cols, to);

        if (x->work[EACH])
            se_arc_gradient(net, dout, x->work[EACH] + (uint64_t)hop * count, x->cols,
                            1 - x->alpha);
        se_add(net, dout, x->alpha, count, din);
        g.scale = (se_real)(1 - x->alpha);
        se_gather(net, &g, net->n);
        dout = to;
    }
    se_add(net, dout, 1, count, din);
}

static const struct se_layer_ops propagate_ops = { "propagate", false, propagate_forward, propagate_backward };

int se_net_propagate(struct se_net *net, double alpha, int hops, double edge_dropout,
                     struct se_err *err)
{
    struct se_layer *x;

    if (net->apart)
        return se_net_propagate_apart(net, alpha, hops, err);
    if (!(x = se_net_append(net, &propagate_ops, se_net_cols(net), err)))
        return -1;
    net->sees_norm |= edge_dropout == 0;
    net->sees_other |= edge_dropout > 0;        /* other shares in each epoch */
    x->room[EACH] = net->weighs_arcs ? (uint64_t)hops * net->n * x->cols : 0;
    x->alpha = alpha;
    x->hops = hops;
    x->dropout = edge_dropout;
    x->room[OTHER] = x->room[AGAIN] = net->n * x->cols;
    x->keep_room = edge_dropout > 0 ? net->graph->arcs : 0;
    x->room[ARCS] = edge_dropout > 0 ? se_arcs_room(net->graph) : 0;
    return 0;
}
