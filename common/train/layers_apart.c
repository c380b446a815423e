/* layers_apart.c - convolutions in two layers, for evaluation in pieces
 *
 * What sums over arcs is a layer of its own, so that what it reads can be made for all vertices
 * before it runs.  The narrower of X and X W is summed; X itself never if it is the input of the
 * net, of which only some rows are in memory.  Parameters have the places of the layers that are
 * trained. */
#include "common/train/vector.h"

/* y = scale * sum over the arcs + base_scale * the same row of the tap + bias.  The input has all
 * rows, the output those of the graph, which is a window. */
static void arcs_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                         bool train)
{
    const struct se_nngraph *graph = net->graph;
    struct se_gather g = se_arcs(graph, x->variant ? graph->mean : graph->norm, false, in->dense,
                                 x->cols, x->buffer);

    (void)train;
    g.rows = in->rows;
    g.scale = (se_real)x->alpha;
    g.bias = x->plain ? NULL : net->value + x->bias;
    if (x->taps > 0) {
        g.base = se_tap(net, x, 0)->dense;
        g.base_scale = (se_real)x->beta;
    }
    se_gather(net, &g, net->n);
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

static const struct se_layer_ops arcs_ops = { "arcs", true, arcs_forward, NULL, SE_REACH_ARCS };

/* Shares by the mean or, else, of the convolution */
static struct se_layer *append_arcs(struct se_net *net, bool mean, struct se_err *err)
{
    struct se_layer *x = se_net_append(net, &arcs_ops, se_net_cols(net), err);

    if (x) {
        x->variant = mean;
        x->plain = true;
        x->alpha = 1;
    }
    return x;
}

static int add_bias(struct se_net *net, struct se_layer *x, struct se_err *err)
{
    x->plain = false;
    return se_net_parameter(net, "bias", 1, x->cols, (struct se_glorot){ SE_INIT_ZERO, 0, 1, 1 },
                            &x->bias, err);
}

/* The layer that the next one reads, -1: the input of the net */
static int source_of(const struct se_net *net)
{
    return net->branched ? net->branch : net->layers - 1;
}

static bool sums_before(const struct se_net *net, uint64_t cols)
{
    return source_of(net) >= 0 && se_net_cols(net) <= cols;
}

int se_net_graphconv_apart(struct se_net *net, uint64_t cols, struct se_err *err)
{
    struct se_layer *x;

    if (sums_before(net, cols))
        return append_arcs(net, false, err) ? se_net_linear(net, cols, err) : -1;
    if (se_net_product(net, cols, err) < 0 || !(x = append_arcs(net, false, err)))
        return -1;
    return add_bias(net, x, err);
}

int se_net_sageconv_apart(struct se_net *net, uint64_t cols, struct se_err *err)
{
    const int source = source_of(net);
    struct se_layer *x;

    if (sums_before(net, cols)) {                /* the weights lie behind each other */
        if (!append_arcs(net, true, err))
            return -1;
        return se_net_joint(net, (const int[]){ source, net->layers - 1 }, 2, cols, false, err);
    }
    if (se_net_product(net, cols, err) < 0)
        return -1;
    const int self = net->layers - 1;

    se_net_from(net, source);
    if (se_net_product(net, cols, err) < 0 || !(x = append_arcs(net, true, err)))
        return -1;
    se_net_tap(net, x, self);
    x->beta = 1;
    return add_bias(net, x, err);
}

int se_net_propagate_apart(struct se_net *net, double alpha, int hops, struct se_err *err)
{
    const int start = source_of(net);

    for (int hop = 0; hop < hops; hop++) {
        struct se_layer *x = append_arcs(net, false, err);

        if (!x)
            return -1;
        se_net_tap(net, x, start);
        x->alpha = 1 - alpha;
        x->beta = alpha;
    }
    return 0;
}
