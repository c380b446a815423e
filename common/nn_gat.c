/* nn_gat.c - graph attention
 *
 * Z = X W, per head; an arc from u to v has the score leaky(Z_u . left + Z_v . right); the
 * softmax of the scores over the arcs into v says how much of each Z_u goes to v. */
#include <math.h>
#include <string.h>

#include "common/nn.h"

#define SLOPE ((se_real)0.2)

/* What layer->work holds */
enum { Z, SCORES, SHARES, DSCORES };
/* SCORES: left and right parts, n * heads each, then the same of their gradients */

struct attention {
    const struct se_net *net;
    struct se_layer *x;
    const se_real *left, *right;        /* parameters, heads * width */
    se_real *el, *er, *del, *der;       /* n * heads */
    uint64_t width, cols;               /* of a head; heads * width */
    const se_real *dout;                /* n * heads * width, or width when mean */
    se_real *dz;
    bool masked;
};

static struct attention view(const struct se_net *net, struct se_layer *x)
{
    const uint64_t nh = net->n * (uint64_t)x->heads;
    se_real *s = x->work[SCORES];
    const uint64_t width = x->mean ? x->cols : x->cols / (uint64_t)x->heads;

    return (struct attention){
        .net = net, .x = x, .left = net->value + x->attend,
        .right = net->value + x->attend + width * (uint64_t)x->heads, .el = s, .er = s + nh,
        .del = s + 2 * nh, .der = s + 3 * nh, .width = width,
        .cols = width * (uint64_t)x->heads
    };
}

static se_real dot(const se_real *a, const se_real *b, uint64_t count)
{
    se_real sum = 0;

    for (uint64_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static void score_range(void *arg, uint64_t from, uint64_t to)
{
    const struct attention *a = arg;
    const uint64_t heads = (uint64_t)a->x->heads;

    for (uint64_t i = from * heads; i < to * heads; i++) {
        const se_real *z = a->x->work[Z] + i * a->width;
        const uint64_t h = i % heads;

        a->el[i] = dot(z, a->left + h * a->width, a->width);
        a->er[i] = dot(z, a->right + h * a->width, a->width);
    }
}

static inline se_real leaky(se_real v)
{
    return v > 0 ? v : SLOPE * v;
}

/* Shares of the arcs into v, head h: arcs of a vertex lie together, heads innermost. */
static void softmax(const struct attention *a, uint64_t v, uint64_t h)
{
    const struct se_nngraph *g = a->net->graph;
    const uint64_t heads = (uint64_t)a->x->heads;
    se_real *share = a->x->work[SHARES];
    se_real most = -INFINITY, sum = 0;

    for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++) {
        const se_real s = leaky(a->el[g->to[e] * heads + h] + a->er[v * heads + h]);

        share[e * heads + h] = s;
        if (s > most)
            most = s;
    }
    for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++) {
        share[e * heads + h] = (se_real)exp((double)(share[e * heads + h] - most));
        sum += share[e * heads + h];
    }
    for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++)
        share[e * heads + h] /= sum;
}

/* The share of an arc after dropout. */
static inline se_real kept_share(const struct attention *a, uint64_t i)
{
    const se_real share = a->x->work[SHARES][i];

    if (!a->masked)
        return share;
    return a->x->keep[i] ? share * (se_real)(1 / (1 - a->x->dropout)) : 0;
}

static void attend_range(void *arg, uint64_t from, uint64_t to)
{
    const struct attention *a = arg;
    const struct se_nngraph *g = a->net->graph;
    const uint64_t heads = (uint64_t)a->x->heads, width = a->width;
    const se_real *bias = a->net->value + a->x->bias;

    for (uint64_t v = from; v < to; v++) {
        se_real *out = a->x->buffer + v * a->x->cols;

        memset(out, 0, a->x->cols * sizeof *out);
        for (uint64_t h = 0; h < heads; h++) {
            se_real *to_head = a->x->mean ? out : out + h * width;

            softmax(a, v, h);
            for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++) {
                const se_real share = kept_share(a, e * heads + h);
                const se_real *z = a->x->work[Z] + (g->to[e] * heads + h) * width;

                for (uint64_t k = 0; k < width; k++)
                    to_head[k] += share * z[k];
            }
        }
        for (uint64_t k = 0; k < a->x->cols; k++)
            out[k] = (a->x->mean ? out[k] / (se_real)heads : out[k]) + bias[k];
    }
}

static uint64_t arc_cost(const struct attention *a)
{
    return (a->net->graph->arcs / (a->net->n + 1) + 1) * (a->cols + 20 * (uint64_t)a->x->heads);
}

static void gat_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                        bool train)
{
    struct attention a = view(net, x);

    a.masked = train && x->dropout > 0;
    se_mm(net, in, net->value + x->weight, a.cols, x->work[Z]);
    se_ranges(net, net->n, 4 * a.cols, score_range, &a);
    if (a.masked)
        se_mask(net, x, 0, x->dropout, net->graph->arcs * (uint64_t)x->heads, x->keep);
    se_ranges(net, net->n, arc_cost(&a), attend_range, &a);
    x->out = (struct se_mat){ net->n, x->cols, x->buffer, NULL, NULL };
}

/* The gradient of head h of the output of v. */
static inline const se_real *head_of(const struct attention *a, uint64_t v, uint64_t h)
{
    return a->dout + v * a->x->cols + (a->x->mean ? 0 : h * a->width);
}

/* Gradients of the scores of the arcs into v. */
static void scores_back_range(void *arg, uint64_t from, uint64_t to)
{
    const struct attention *a = arg;
    const struct se_nngraph *g = a->net->graph;
    const uint64_t heads = (uint64_t)a->x->heads;
    const se_real *share = a->x->work[SHARES];
    const se_real part = a->x->mean ? 1 / (se_real)heads : 1;
    const se_real scale = a->masked ? (se_real)(1 / (1 - a->x->dropout)) : 1;
    se_real *ds = a->x->work[DSCORES];

    for (uint64_t v = from; v < to; v++)
        for (uint64_t h = 0; h < heads; h++) {
            const se_real *dout = head_of(a, v, h);
            se_real mean = 0, sum = 0;

            for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++) {
                const uint64_t i = e * heads + h;
                const se_real *z = a->x->work[Z] + (g->to[e] * heads + h) * a->width;

                ds[i] = a->masked && !a->x->keep[i] ? 0
                      : dot(dout, z, a->width) * part * scale;
                mean += share[i] * ds[i];
            }
            for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++) {
                const uint64_t i = e * heads + h;
                const se_real raw = a->el[g->to[e] * heads + h] + a->er[v * heads + h];

                ds[i] = share[i] * (ds[i] - mean) * (raw > 0 ? 1 : SLOPE);
                sum += ds[i];
            }
            a->der[v * heads + h] = sum;
        }
}

/* The gradient of Z_u: by the arcs out of u, which are the arcs back from its own. */
static void z_back_range(void *arg, uint64_t from, uint64_t to)
{
    const struct attention *a = arg;
    const struct se_nngraph *g = a->net->graph;
    const uint64_t heads = (uint64_t)a->x->heads, width = a->width;
    const se_real part = a->x->mean ? 1 / (se_real)heads : 1;
    const se_real *ds = a->x->work[DSCORES];

    for (uint64_t u = from; u < to; u++)
        for (uint64_t h = 0; h < heads; h++) {
            se_real *dz = a->dz + (u * heads + h) * width, sum = 0;
            const se_real der = a->der[u * heads + h];

            memset(dz, 0, width * sizeof *dz);
            for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++) {
                const uint64_t i = g->back[e] * heads + h;
                const se_real share = kept_share(a, i) * part;
                const se_real *dout = head_of(a, g->to[e], h);

                sum += ds[i];
                for (uint64_t k = 0; k < width; k++)
                    dz[k] += share * dout[k];
            }
            a->del[u * heads + h] = sum;
            for (uint64_t k = 0; k < width; k++)
                dz[k] += sum * a->left[h * width + k] + der * a->right[h * width + k];
        }
}

/* Gradients of left and right: sums over vertices, a few numbers, in one order. */
static void attend_back(const struct attention *a, se_real *dleft, se_real *dright)
{
    const uint64_t heads = (uint64_t)a->x->heads;

    memset(dleft, 0, a->cols * sizeof *dleft);
    memset(dright, 0, a->cols * sizeof *dright);
    for (uint64_t i = 0; i < a->net->n * heads; i++) {
        const se_real *z = a->x->work[Z] + i * a->width;
        const uint64_t h = i % heads;

        for (uint64_t k = 0; k < a->width; k++) {
            dleft[h * a->width + k] += a->del[i] * z[k];
            dright[h * a->width + k] += a->der[i] * z[k];
        }
    }
}

static void gat_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                         const se_real *dout, se_real *din)
{
    struct attention a = view(net, x);
    se_real *dleft = net->grad + x->attend;

    a.masked = x->dropout > 0;
    a.dout = dout;
    a.dz = x->work[DSCORES] + net->graph->arcs * (uint64_t)x->heads;
    se_sum_columns(net, dout, x->cols, net->grad + x->bias);
    se_ranges(net, net->n, arc_cost(&a), scores_back_range, &a);
    se_ranges(net, net->n, arc_cost(&a), z_back_range, &a);
    attend_back(&a, dleft, dleft + a.cols);
    se_mm_weight(net, in, a.dz, a.cols, net->grad + x->weight);
    if (din)
        se_mm_input(net, a.dz, net->value + x->weight, a.cols, x->in, din);
}

static const struct se_layer_ops gat_ops = { "gatconv", gat_forward, gat_backward };

int se_net_gatconv(struct se_net *net, uint64_t cols, uint64_t heads, bool mean,
                   double attention_dropout, struct se_err *err)
{
    const uint64_t width = heads * cols;
    struct se_glorot init = { SE_INIT_NORMAL, sqrt(2), 0, (double)width };
    struct se_layer *x;

    if (se_net_append(net, &gat_ops, mean ? cols : width, &x, err) < 0)
        return -1;
    init.in = (double)x->in;
    if (se_net_parameter(net, "weight", x->in, width, init, &x->weight, err) < 0)
        return -1;
    init.in = (double)width;            /* as PyTorch counts an array of 1 x heads x cols */
    init.out = (double)cols;
    x->heads = (int)heads;
    x->mean = mean;
    x->dropout = attention_dropout;
    x->room[Z] = net->n * width;
    x->room[SCORES] = 4 * net->n * heads;
    x->room[SHARES] = net->graph->arcs * heads;
    x->room[DSCORES] = net->graph->arcs * heads + net->n * width;
    x->keep_room = attention_dropout > 0 ? net->graph->arcs * heads : 0;
    if (se_net_parameter(net, "attend", 2 * heads, cols, init, &x->attend, err) < 0)
        return -1;
    return se_net_parameter(net, "bias", 1, x->cols, (struct se_glorot){ SE_INIT_ZERO, 0, 1, 1 },
                            &x->bias, err);
}
