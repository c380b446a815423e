/* layers_gat.c - graph attention
 *
 * Z = X W, per head; an arc from u to v has the score leaky(Z_u . left + Z_v . right); the
 * softmax of the scores over the arcs into v says how much of each Z_u goes to v. */
#include "common/train/vector.h"

/* What layer->work holds */
enum { Z, SCORES, SHARES, GRADIENTS };
/* SCORES: left and right parts, n * heads each, then the same of their gradients
 * SHARES: arcs * heads, heads innermost, then the same after dropout
 * GRADIENTS: of the scores, arcs * heads; then of Z, or the heads before their mean
 * Z, left parts, shares and gradients of the scores have room for those of other processes, too. */

/* All that a step of attention reads and writes; dout: in the backward pass, else NULL */
static struct se_attention view(const struct se_net *net, const struct se_layer *x, bool train,
                                const se_real *dout)
{
    const struct se_nngraph *g = net->graph;
    const uint64_t heads = (uint64_t)x->heads, nh = se_rows_room(net) * heads;
    const uint64_t width = x->mean ? x->cols : x->cols / heads;
    const se_real part = x->mean ? 1 / (se_real)heads : 1;
    const bool masked = train && x->dropout > 0;
    se_real *s = x->work[SCORES];

    return (struct se_attention){
        .n = net->n, .heads = heads, .width = width, .off = g->off, .to = g->to,
        .back = g->back, .z = x->work[Z], .left = net->value + x->attend,
        .right = net->value + x->attend + width * heads, .el = s, .er = s + nh,
        .del = s + 2 * nh, .der = s + 3 * nh, .share = x->work[SHARES],
        .dscore = x->work[GRADIENTS], .dz = x->work[GRADIENTS] + se_arcs_room(g) * heads, .dout = dout,
        .keep = masked ? x->keep : NULL, .slope = (se_real)0.2,
        .scale = part * (masked ? (se_real)(1 / (1 - x->dropout)) : 1), .mean = x->mean
    };
}

/* Shares after dropout */
static se_real *kept_shares(const struct se_net *net, const struct se_attention *a)
{
    return a->share + (a->keep ? se_arcs_room(net->graph) * a->heads : 0);
}

/* A gather over the arcs with a share for each head */
static void attend(const struct se_net *net, const struct se_attention *a, const se_real *bias,
                   se_real *y)
{
    struct se_gather g = se_arcs(net->graph, kept_shares(net, a), false, a->z,
                                 a->heads * a->width, y);

    g.heads = a->heads;
    g.step = g.width = a->width;
    g.bias = bias;
    se_gather(net, &g, net->n);
}

static void gat_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                        bool train)
{
    const struct se_attention a = view(net, x, train, NULL);
    const uint64_t shares = net->graph->arcs * a.heads;
    const se_real *bias = net->value + x->bias;

    se_mm(net, in, net->value + x->weight, a.heads * a.width, NULL, false, x->work[Z]);
    net->ops->attend(net->worker, &a);
    if (a.keep) {
        se_mask_from(net, x->number, 0, x->dropout, net->graph->first * a.heads, shares, x->keep);
        se_mask_apply(net, a.share, x->keep, x->dropout, shares, kept_shares(net, &a));
    }
    if (train)
        se_arcs_known(net, kept_shares(net, &a), a.heads);
    if (x->mean && a.heads > 1) {
        attend(net, &a, NULL, a.dz);
        net->ops->heads_mean(net->worker, &a, a.dz, bias, x->buffer);
    } else {
        attend(net, &a, bias, x->buffer);
    }
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

/* The bias of every head has the same gradient when they are averaged. */
static void bias_back(const struct se_net *net, const struct se_layer *x, const se_real *dout)
{
    se_real *dbias = net->grad + x->bias;
    const struct se_column_sums s = { .x = dout, .rows = net->n, .cols = x->cols, .heads = 1,
                                      .scale = x->mean ? 1 / (se_real)x->heads : 1,
                                      .sum = dbias };

    net->ops->columns(net->worker, &s);
    for (int h = 1; x->mean && h < x->heads; h++)
        se_net_copy(net, dbias + (uint64_t)h * x->cols, dbias, x->cols * sizeof *dbias);
}

/* Gradients of left and right */
static void attend_back(const struct se_net *net, const struct se_attention *a, se_real *grad)
{
    struct se_column_sums s = { .x = a->z, .weight = a->del, .rows = net->n,
                                .cols = a->heads * a->width, .heads = a->heads, .scale = 1,
                                .sum = grad };

    net->ops->columns(net->worker, &s);
    s.weight = a->der;
    s.sum = grad + s.cols;
    net->ops->columns(net->worker, &s);
}

static void gat_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                         const se_real *dout, se_real *din)
{
    const struct se_attention a = view(net, x, true, dout);
    const uint64_t cols = a.heads * a.width;
    struct se_gather g = se_arcs(net->graph, kept_shares(net, &a), true, dout, x->cols, a.dz);

    bias_back(net, x, dout);
    net->ops->attend_back(net->worker, &a);
    g.heads = a.heads;
    g.width = a.width;
    g.step = x->mean ? 0 : a.width;
    g.scale = x->mean ? 1 / (se_real)a.heads : 1;
    se_gather(net, &g, net->n);
    net->ops->attend_back_z(net->worker, &a);
    attend_back(net, &a, net->grad + x->attend);
    se_mm_weight(net, in, a.dz, cols, net->grad + x->weight);
    if (din)
        se_mm_input(net, a.dz, net->value + x->weight, cols, x->in, false, din);
}

enum { MOST_HEADS = 256 };      /* what the tool allows */

static const struct se_layer_ops gat_ops = { "gatconv", false, gat_forward, gat_backward };

int se_net_gatconv(struct se_net *net, uint64_t cols, uint64_t heads, bool mean,
                   double attention_dropout, struct se_err *err)
{
    const uint64_t width = heads * cols, shares = se_arcs_room(net->graph) * heads;
    const uint64_t rows = se_rows_room(net);
    struct se_glorot init = { SE_INIT_NORMAL, sqrt(2), 0, (double)width };
    struct se_layer *x;

    if (heads == 0 || heads > MOST_HEADS)
        return se_fail(err, SE_EUSAGE, "gat has 1 to %d heads", MOST_HEADS);
    if (!(x = se_net_append(net, &gat_ops, mean ? cols : width, err)))
        return -1;
    net->sees_other = true;
    init.in = (double)x->in;
    if (se_net_parameter(net, "weight", x->in, width, init, &x->weight, err) < 0)
        return -1;
    init.in = (double)width;            /* as PyTorch counts an array of 1 x heads x cols */
    init.out = (double)cols;
    x->heads = (int)heads;
    x->mean = mean;
    x->dropout = attention_dropout;
    x->room[Z] = rows * width;
    x->room[SCORES] = 4 * rows * heads;
    x->room[SHARES] = shares * (attention_dropout > 0 ? 2 : 1);
    x->room[GRADIENTS] = shares + net->n * width;
    x->keep_room = attention_dropout > 0 ? shares : 0;
    se_net_room(net, 2 * width);
    if (se_net_parameter(net, "attend", 2 * heads, cols, init, &x->attend, err) < 0)
        return -1;
    return se_net_parameter(net, "bias", 1, width, (struct se_glorot){ SE_INIT_ZERO, 0, 1, 1 },
                            &x->bias, err);
}
