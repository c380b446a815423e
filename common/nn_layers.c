/* nn_layers.c - dropout, activation, linear, graph convolution, mean aggregation,
 * personalised PageRank propagation */
#include <math.h>
#include <string.h>

#include "common/nn.h"

/* ---- dropout of the input ---- */

struct scaling {
    const se_real *from;
    se_real *to;
    const uint8_t *keep;
    se_real scale;
};

static void scale_range(void *arg, uint64_t from, uint64_t to)
{
    const struct scaling *s = arg;

    for (uint64_t i = from; i < to; i++)
        s->to[i] = s->from[i] * ((se_real)s->keep[i] * s->scale);
}

static uint64_t entries(const struct se_mat *x)
{
    return x->sparse ? x->sparse->nnz : x->rows * x->cols;
}

/* A sparse matrix loses stored entries; zeros stay zeros either way. */
static void dropout_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                            bool train)
{
    struct scaling s = { in->sparse ? in->value : in->dense, x->buffer, x->keep,
                         (se_real)(1 / (1 - x->dropout)) };

    x->out = *in;
    if (!train || x->dropout == 0)
        return;
    se_mask(net, x, 0, x->dropout, entries(in), x->keep);
    se_ranges(net, entries(in), 2, scale_range, &s);
    if (in->sparse)
        x->out.value = x->buffer;
    else
        x->out.dense = x->buffer;
}

static void dropout_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                             const se_real *dout, se_real *din)
{
    struct scaling s = { dout, din, x->keep, (se_real)(1 / (1 - x->dropout)) };

    if (!din)
        return;
    if (x->dropout == 0)
        memcpy(din, dout, entries(in) * sizeof *din);
    else
        se_ranges(net, entries(in), 2, scale_range, &s);
}

static const struct se_layer_ops dropout_ops = { "dropout", dropout_forward, dropout_backward };

int se_net_dropout(struct se_net *net, double p, struct se_err *err)
{
    struct se_layer *x;
    const uint64_t cols = net->layers ? net->layer[net->layers - 1].cols : net->input.cols;

    if (p == 0)
        return 0;
    if (se_net_append(net, &dropout_ops, cols, &x, err) < 0)
        return -1;
    x->dropout = p;
    x->keep_room = x->out_room = x->sparse ? net->input.sparse->nnz : net->n * cols;
    net->sparse = x->sparse;            /* stays what it was */
    return 0;
}

/* ---- activation, with dropout behind it ---- */

struct activation {
    const struct se_layer *x;
    const se_real *in, *dout;
    se_real *out;
    bool masked;
    se_real scale;
};

static inline se_real activate(enum se_activation act, se_real v)
{
    if (v > 0 || act == SE_IDENTITY)
        return v;
    return act == SE_RELU ? 0 : (se_real)expm1((double)v);
}

static void activate_range(void *arg, uint64_t from, uint64_t to)
{
    const struct activation *a = arg;
    const uint8_t *keep = a->x->keep;

    if (a->x->act == SE_RELU && a->masked) {            /* the usual case, without branches */
        for (uint64_t i = from; i < to; i++)
            a->out[i] = (a->in[i] > 0 ? a->in[i] : 0) * ((se_real)keep[i] * a->scale);
        return;
    }
    for (uint64_t i = from; i < to; i++)
        a->out[i] = a->masked && !keep[i] ? 0 : activate(a->x->act, a->in[i]) * a->scale;
}

static void activate_back_range(void *arg, uint64_t from, uint64_t to)
{
    const struct activation *a = arg;
    const uint8_t *keep = a->x->keep;

    if (a->x->act == SE_RELU && a->masked) {
        for (uint64_t i = from; i < to; i++)
            a->out[i] = (a->in[i] > 0 ? a->dout[i] : 0) * ((se_real)keep[i] * a->scale);
        return;
    }
    for (uint64_t i = from; i < to; i++) {
        const se_real slope = a->in[i] > 0 || a->x->act == SE_IDENTITY ? 1
                            : a->x->act == SE_RELU ? 0 : (se_real)exp((double)a->in[i]);

        a->out[i] = a->masked && !keep[i] ? 0 : a->dout[i] * slope * a->scale;
    }
}

static void activation_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                               bool train)
{
    const bool masked = train && x->dropout > 0;
    struct activation a = { x, in->dense, NULL, x->buffer, masked,
                            masked ? (se_real)(1 / (1 - x->dropout)) : 1 };

    if (masked)
        se_mask(net, x, 0, x->dropout, net->n * x->cols, x->keep);
    se_ranges(net, net->n * x->cols, x->act == SE_ELU ? 20 : 2, activate_range, &a);
    x->out = (struct se_mat){ net->n, x->cols, x->buffer, NULL, NULL };
}

static void activation_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                                const se_real *dout, se_real *din)
{
    struct activation a = { x, in->dense, dout, din, x->dropout > 0,
                            (se_real)(1 / (1 - x->dropout)) };

    if (din)
        se_ranges(net, net->n * x->cols, x->act == SE_ELU ? 20 : 2, activate_back_range, &a);
}

static const struct se_layer_ops activation_ops = { "activation", activation_forward,
                                                    activation_backward };

int se_net_activate(struct se_net *net, enum se_activation act, double dropout,
                    struct se_err *err)
{
    struct se_layer *x;

    if (se_net_append(net, &activation_ops, net->layer[net->layers - 1].cols, &x, err) < 0)
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
    se_mm(net, in, net->value + x->weight, x->cols, x->buffer);
    se_add_bias(net, x->buffer, x->cols, net->value + x->bias);
    x->out = (struct se_mat){ net->n, x->cols, x->buffer, NULL, NULL };
}

static void linear_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                            const se_real *dout, se_real *din)
{
    se_mm_weight(net, in, dout, x->cols, net->grad + x->weight);
    se_sum_columns(net, dout, x->cols, net->grad + x->bias);
    if (din)
        se_mm_input(net, dout, net->value + x->weight, x->cols, x->in, din);
}

static const struct se_layer_ops linear_ops = { "linear", linear_forward, linear_backward };

static const struct se_glorot zero = { SE_INIT_ZERO, 0, 1, 1 };

static struct se_glorot uniform(const struct se_layer *x, double gain)
{
    return (struct se_glorot){ SE_INIT_UNIFORM, gain, (double)x->in, (double)x->cols };
}

/* A layer with one matrix and a bias */
static int append_weighted(struct se_net *net, const struct se_layer_ops *ops, uint64_t cols,
                           struct se_layer **x, struct se_err *err)
{
    if (se_net_append(net, ops, cols, x, err) < 0 ||
        se_net_parameter(net, "weight", (*x)->in, cols, uniform(*x, 1), &(*x)->weight, err) < 0)
        return -1;
    return se_net_parameter(net, "bias", 1, cols, zero, &(*x)->bias, err);
}

int se_net_linear(struct se_net *net, uint64_t cols, struct se_err *err)
{
    struct se_layer *x;

    return append_weighted(net, &linear_ops, cols, &x, err);
}

/* ---- graph convolution: D^-1/2 A D^-1/2 X W + b; the narrower of X and X W is summed ---- */

static void graphconv_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                              bool train)
{
    const struct se_nngraph *g = net->graph;

    (void)train;
    if (x->work[1]) {                                   /* sum first: X is narrower */
        struct se_mat summed = { net->n, x->in, x->work[1], NULL, NULL };

        se_gather(net, in->dense, x->in, g->inv_sqrt, g->inv_sqrt, g->weight, false,
                  x->work[1]);
        se_mm(net, &summed, net->value + x->weight, x->cols, x->buffer);
    } else {
        se_mm(net, in, net->value + x->weight, x->cols, x->work[0]);
        se_gather(net, x->work[0], x->cols, g->inv_sqrt, g->inv_sqrt, g->weight, false,
                  x->buffer);
    }
    se_add_bias(net, x->buffer, x->cols, net->value + x->bias);
    x->out = (struct se_mat){ net->n, x->cols, x->buffer, NULL, NULL };
}

static void graphconv_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                               const se_real *dout, se_real *din)
{
    const struct se_nngraph *g = net->graph;
    const se_real *w = net->value + x->weight;

    se_sum_columns(net, dout, x->cols, net->grad + x->bias);
    if (x->work[1]) {
        struct se_mat summed = { net->n, x->in, x->work[1], NULL, NULL };

        se_mm_weight(net, &summed, dout, x->cols, net->grad + x->weight);
        if (!din)
            return;
        se_mm_input(net, dout, w, x->cols, x->in, x->work[1]);
        se_gather(net, x->work[1], x->in, g->inv_sqrt, g->inv_sqrt, g->weight, true, din);
        return;
    }
    se_gather(net, dout, x->cols, g->inv_sqrt, g->inv_sqrt, g->weight, true, x->work[0]);
    se_mm_weight(net, in, x->work[0], x->cols, net->grad + x->weight);
    if (din)
        se_mm_input(net, x->work[0], w, x->cols, x->in, din);
}

static const struct se_layer_ops graphconv_ops = { "graphconv", graphconv_forward,
                                                   graphconv_backward };

int se_net_graphconv(struct se_net *net, uint64_t cols, struct se_err *err)
{
    struct se_layer *x;

    if (append_weighted(net, &graphconv_ops, cols, &x, err) < 0)
        return -1;
    if (!x->sparse && x->in <= cols)
        x->room[1] = net->n * x->in;
    else
        x->room[0] = net->n * cols;
    return 0;
}

/* ---- mean aggregation: X W_self + (D^-1 A X) W_neigh + b ---- */

struct addition {
    se_real *to;
    const se_real *from;
};

static void add_range(void *arg, uint64_t from, uint64_t to)
{
    const struct addition *a = arg;

    for (uint64_t i = from; i < to; i++)
        a->to[i] += a->from[i];
}

static void add(const struct se_net *net, se_real *to, const se_real *from, uint64_t count)
{
    struct addition a = { to, from };

    se_ranges(net, count, 2, add_range, &a);
}

static void sageconv_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                             bool train)
{
    const struct se_nngraph *g = net->graph;

    (void)train;
    se_mm(net, in, net->value + x->weight, x->cols, x->buffer);
    if (x->work[1]) {
        struct se_mat mean = { net->n, x->in, x->work[1], NULL, NULL };

        se_gather(net, in->dense, x->in, g->inv_degree, NULL, g->weight, false, x->work[1]);
        se_mm(net, &mean, net->value + x->weight2, x->cols, x->work[0]);
    } else {
        se_mm(net, in, net->value + x->weight2, x->cols, x->work[2]);
        se_gather(net, x->work[2], x->cols, g->inv_degree, NULL, g->weight, false, x->work[0]);
    }
    add(net, x->buffer, x->work[0], net->n * x->cols);
    se_add_bias(net, x->buffer, x->cols, net->value + x->bias);
    x->out = (struct se_mat){ net->n, x->cols, x->buffer, NULL, NULL };
}

static void sageconv_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                              const se_real *dout, se_real *din)
{
    const struct se_nngraph *g = net->graph;
    const se_real *self = net->value + x->weight, *neigh = net->value + x->weight2;

    se_sum_columns(net, dout, x->cols, net->grad + x->bias);
    se_mm_weight(net, in, dout, x->cols, net->grad + x->weight);
    if (x->work[1]) {
        struct se_mat mean = { net->n, x->in, x->work[1], NULL, NULL };

        se_mm_weight(net, &mean, dout, x->cols, net->grad + x->weight2);
        if (!din)
            return;
        se_mm_input(net, dout, neigh, x->cols, x->in, x->work[1]);
        se_gather(net, x->work[1], x->in, NULL, g->inv_degree, g->weight, true, din);
        se_mm_input(net, dout, self, x->cols, x->in, x->work[1]);
        add(net, din, x->work[1], net->n * x->in);
        return;
    }
    se_gather(net, dout, x->cols, NULL, g->inv_degree, g->weight, true, x->work[0]);
    se_mm_weight(net, in, x->work[0], x->cols, net->grad + x->weight2);
    if (!din)
        return;
    se_mm_input(net, x->work[0], neigh, x->cols, x->in, din);
    se_mm_input(net, dout, self, x->cols, x->in, x->work[3]);
    add(net, din, x->work[3], net->n * x->in);
}

static const struct se_layer_ops sageconv_ops = { "sageconv", sageconv_forward,
                                                  sageconv_backward };

int se_net_sageconv(struct se_net *net, uint64_t cols, struct se_err *err)
{
    struct se_layer *x;

    if (se_net_append(net, &sageconv_ops, cols, &x, err) < 0 ||
        se_net_parameter(net, "self", x->in, cols, uniform(x, sqrt(2)), &x->weight, err) < 0 ||
        se_net_parameter(net, "neigh", x->in, cols, uniform(x, sqrt(2)), &x->weight2, err) < 0)
        return -1;
    x->room[0] = net->n * cols;
    if (!x->sparse && x->in <= cols) {
        x->room[1] = net->n * x->in;
    } else {
        x->room[2] = net->n * cols;
        x->room[3] = x->sparse ? 0 : net->n * x->in;
    }
    return se_net_parameter(net, "bias", 1, cols, zero, &x->bias, err);
}

/* ---- H_0 = X; H_(k+1) = (1 - alpha) D^-1/2 A D^-1/2 H_k + alpha X ---- */

struct mixing {
    const se_real *a, *b;
    se_real *y, fa, fb;
};

static void mix_range(void *arg, uint64_t from, uint64_t to)
{
    const struct mixing *m = arg;

    for (uint64_t i = from; i < to; i++)
        m->y[i] = m->fa * m->a[i] + m->fb * m->b[i];
}

static void mix(const struct se_net *net, const se_real *a, double fa, const se_real *b,
                double fb, se_real *y, uint64_t count)
{
    struct mixing m = { a, b, y, (se_real)fa, (se_real)fb };

    se_ranges(net, count, 2, mix_range, &m);
}

/* The arcs of one hop: those that stay, scaled; the plain weights in evaluation. */
static const se_real *hop_arcs(struct se_net *net, struct se_layer *x, int hop, bool train)
{
    const struct se_nngraph *g = net->graph;
    const se_real scale = (se_real)(1 / (1 - x->dropout));

    if (!train || x->dropout == 0)
        return g->weight;
    se_mask(net, x, hop, x->dropout, g->arcs, x->keep);
    for (uint64_t e = 0; e < g->arcs; e++)
        x->work[2][e] = x->keep[e] ? (g->weight ? g->weight[e] : 1) * scale : 0;
    return x->work[2];
}

static void propagate_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                              bool train)
{
    const struct se_nngraph *g = net->graph;
    const se_real *h = in->dense;

    for (int hop = 0; hop < x->hops; hop++) {
        const se_real *arc = hop_arcs(net, x, hop, train);

        se_gather(net, h, x->cols, g->inv_sqrt, g->inv_sqrt, arc, false, x->work[0]);
        mix(net, x->work[0], 1 - x->alpha, in->dense, x->alpha, x->buffer, net->n * x->cols);
        h = x->buffer;
    }
    if (x->hops == 0)
        memcpy(x->buffer, in->dense, net->n * x->cols * sizeof *x->buffer);
    x->out = (struct se_mat){ net->n, x->cols, x->buffer, NULL, NULL };
}

/* Back through the hops: what each leaves for X adds up in din. */
static void propagate_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                               const se_real *dout, se_real *din)
{
    const struct se_nngraph *g = net->graph;
    const uint64_t count = net->n * x->cols;

    (void)in;
    if (!din)
        return;
    memset(din, 0, count * sizeof *din);
    memcpy(x->work[1], dout, count * sizeof *dout);
    for (int hop = x->hops; hop-- > 0;) {
        const se_real *arc = hop_arcs(net, x, hop, true);

        mix(net, din, 1, x->work[1], x->alpha, din, count);
        se_gather(net, x->work[1], x->cols, g->inv_sqrt, g->inv_sqrt, arc, true, x->work[0]);
        mix(net, x->work[0], 1 - x->alpha, x->work[0], 0, x->work[1], count);
    }
    mix(net, din, 1, x->work[1], 1, din, count);
}

static const struct se_layer_ops propagate_ops = { "propagate", propagate_forward,
                                                   propagate_backward };

int se_net_propagate(struct se_net *net, double alpha, int hops, double edge_dropout,
                     struct se_err *err)
{
    struct se_layer *x;

    if (se_net_append(net, &propagate_ops, net->layer[net->layers - 1].cols, &x, err) < 0)
        return -1;
    x->alpha = alpha;
    x->hops = hops;
    x->dropout = edge_dropout;
    x->room[0] = x->room[1] = net->n * x->cols;
    x->room[2] = x->keep_room = edge_dropout > 0 ? net->graph->arcs : 0;
    return 0;
}
