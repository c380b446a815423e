/* layers_join.c - layers that read several earlier ones, and plain steps over the graph
 *
 * All of them are made of the operations of struct se_ops, so they run on a device, too. */
#include "common/train/peers.h"
#include "common/train/vector.h"

static void give_joined(const struct se_net *net, struct se_layer *x)
{
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

/* The new layer reads the first of these as its input and taps the others. */
static struct se_layer *append_join(struct se_net *net, const struct se_layer_ops *ops,
                                    const int *of, int count, uint64_t cols, struct se_err *err)
{
    struct se_layer *x;

    if (count - 1 > SE_MOST_TAPS) {
        se_fail(err, SE_EUSAGE, "too many layers are joined; lower --hops or --layers");
        return NULL;
    }
    se_net_from(net, of[0]);
    x = se_net_append(net, ops, cols, err);
    for (int k = 1; x && k < count; k++)
        se_net_tap(net, x, of[k]);
    return x;
}

/* ---- sum ---- */

static void sum_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                        bool train)
{
    (void)train;
    se_net_copy(net, x->buffer, in->dense, net->n * x->cols * sizeof *x->buffer);
    for (int k = 0; k < x->taps; k++)
        se_add(net, se_tap(net, x, k)->dense, 1, net->n * x->cols, x->buffer);
    give_joined(net, x);
}

static void sum_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                         const se_real *dout, se_real *din)
{
    (void)in;
    for (int k = 0; k < x->taps; k++)
        if (se_tap_grad(net, x, k))
            se_add(net, dout, 1, net->n * x->cols, se_tap_grad(net, x, k));
    if (din)
        se_net_copy(net, din, dout, net->n * x->cols * sizeof *din);
}

static const struct se_layer_ops sum_ops = { "sum", false, sum_forward, sum_backward,
                                           SE_REACH_ROW };

int se_net_sum(struct se_net *net, const int *of, int count, struct se_err *err)
{
    return append_join(net, &sum_ops, of, count, net->layer[of[0]].cols, err) ? 0 : -1;
}

/* ---- [H_0, H_1, ...] W: the sum of H_k times its rows of W ---- */

static void joint_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                          bool train)
{
    const se_real *w = net->value + x->weight;

    (void)train;
    se_mm(net, in, w, x->cols, x->plain ? NULL : net->value + x->bias, false, x->buffer);
    w += in->cols * x->cols;
    for (int k = 0; k < x->taps; k++) {
        const struct se_mat *h = se_tap(net, x, k);

        se_mm(net, h, w, x->cols, NULL, true, x->buffer);
        w += h->cols * x->cols;
    }
    give_joined(net, x);
}

static void joint_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                           const se_real *dout, se_real *din)
{
    uint64_t at = x->weight;

    if (!x->plain)
        se_sum_columns(net, dout, x->cols, net->grad + x->bias);
    se_mm_weight(net, in, dout, x->cols, net->grad + at);
    if (din)
        se_mm_input(net, dout, net->value + at, x->cols, in->cols, false, din);
    at += in->cols * x->cols;
    for (int k = 0; k < x->taps; k++) {
        const struct se_mat *h = se_tap(net, x, k);

        se_mm_weight(net, h, dout, x->cols, net->grad + at);
        if (se_tap_grad(net, x, k))
            se_mm_input(net, dout, net->value + at, x->cols, h->cols, true,
                        se_tap_grad(net, x, k));
        at += h->cols * x->cols;
    }
}

static const struct se_layer_ops joint_ops = { "joint", false, joint_forward, joint_backward,
                                           SE_REACH_ROW };

int se_net_joint(struct se_net *net, const int *of, int count, uint64_t cols, bool plain,
                 struct se_err *err)
{
    struct se_layer *x = append_join(net, &joint_ops, of, count, cols, err);
    const struct se_glorot zero = { SE_INIT_ZERO, 0, 1, 1 };
    uint64_t rows = 0;

    if (!x)
        return -1;
    for (int k = 0; k < count; k++) {
        rows += net->layer[of[k]].cols;
        net->blas |= !se_narrow(net->layer[of[k]].cols, cols);
    }
    x->plain = plain;
    if (se_net_parameter(net, "weight", rows, cols,
                         (struct se_glorot){ SE_INIT_UNIFORM, 1, (double)rows, (double)cols },
                         &x->weight, err) < 0)
        return -1;
    return plain ? 0 : se_net_parameter(net, "bias", 1, cols, zero, &x->bias, err);
}

/* ---- a hop, without weights, with a bias or none; its matrix is its own transpose ---- */

static void hop(const struct se_net *net, const struct se_layer *x, const se_real *bias,
                const se_real *from, se_real *to)
{
    const struct se_nngraph *graph = x->second ? net->beside : net->graph;
    struct se_gather g = se_arcs(graph, graph->norm, false, from, x->cols, to);

    g.bias = bias;
    se_gather(net, &g, net->n);
}

static void hop_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                        bool train)
{
    (void)train;
    hop(net, x, x->plain ? NULL : net->value + x->bias, in->dense, x->buffer);
    give_joined(net, x);
}

static void hop_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                         const se_real *dout, se_real *din)
{
    if (!x->plain)
        se_sum_columns(net, dout, x->cols, net->grad + x->bias);
    if (!x->second)
        se_arc_gradient(net, dout, in->dense, x->cols, 1);
    if (din)
        hop(net, x, NULL, dout, din);
}

static const struct se_layer_ops hop_ops = { "hop", false, hop_forward, hop_backward };

static struct se_layer *append_hop(struct se_net *net, bool beside, struct se_err *err)
{
    struct se_layer *x = se_net_append(net, &hop_ops, se_net_cols(net), err);

    if (x) {
        x->second = beside;
        net->sees_norm |= !beside;
        net->sees_other |= beside;
    }
    return x;
}

int se_net_hop(struct se_net *net, bool beside, struct se_err *err)
{
    struct se_layer *x = append_hop(net, beside, err);

    if (!x)
        return -1;
    x->plain = true;
    return 0;
}

int se_net_hop_bias(struct se_net *net, bool beside, struct se_err *err)
{
    struct se_layer *x = append_hop(net, beside, err);

    return x ? se_net_parameter(net, "bias", 1, x->cols, (struct se_glorot){ SE_INIT_ZERO, 0, 1, 1 },
                                &x->bias, err)
             : -1;
}

/* ---- A W: the neighbours as input ---- */

static void adjacency_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                              bool train)
{
    struct se_gather g = se_arcs(net->graph, net->graph->apart, false, net->value + x->weight,
                                 x->cols, x->buffer);

    (void)in;
    (void)train;
    g.bias = net->value + x->bias;
    se_gather_known(net, &g, net->n);
    give_joined(net, x);
}

static void adjacency_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                               const se_real *dout, se_real *din)
{
    struct se_peers *p = net->peers;
    se_real *dw = net->grad + x->weight;
    const uint64_t first = p ? p->first : 0, bytes = x->cols * sizeof *dw;
    const struct se_gather g = se_arcs(net->graph, net->graph->apart, true, dout, x->cols,
                                       dw + first * x->cols);

    (void)in;
    (void)din;
    se_sum_columns(net, dout, x->cols, net->grad + x->bias);
    se_gather(net, &g, net->n);
    if (p) {                                    /* all rows go to all */
        p->take(p, dw, first * bytes);
        p->pass(p, dw, p->last * bytes);
        p->share(p, dw, p->n * bytes);
    }
}

static const struct se_layer_ops adjacency_ops = { "adjacency", false, adjacency_forward,
                                                   adjacency_backward };

int se_net_adjacency(struct se_net *net, uint64_t cols, struct se_err *err)
{
    const uint64_t n = net->peers ? net->peers->n : net->n;
    const struct se_glorot init = { SE_INIT_UNIFORM, 1, (double)n, (double)cols };
    struct se_layer *x;

    se_net_from(net, -1);
    x = se_net_append(net, &adjacency_ops, cols, err);
    if (!x)
        return -1;
    net->sees_other = true;
    x->sparse = false;                          /* what comes in does not matter */
    if (se_net_parameter(net, "weight", n, cols, init, &x->weight, err) < 0)
        return -1;
    return se_net_parameter(net, "bias", 1, cols, (struct se_glorot){ SE_INIT_ZERO, 0, 1, 1 },
                            &x->bias, err);
}
