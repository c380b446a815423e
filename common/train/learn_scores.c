/* learn_scores.c - NeuralSparse: a score for each arc from the rows of its ends
 *
 * z_uv = w2 relu(W_a x_u + W_b x_v + a_uv w3 + b); y_u = softmax of (z + Gumbel noise) / temperature
 * over the neighbours of u, of which the `top` largest stay; the weight of an edge is the mean of
 * its two arcs.  Without noise and at temperature 1 in evaluation. */
#include <math.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/rng.h"
#include "common/train/learn.h"

enum { H = 32, COLD = 50 };     /* columns of the hidden layer; epochs at one temperature */
enum { SHARE, KEPT, A, B, DA, DB };     /* work: y, what stays of it; X W_a, X W_b, gradients */

/* Where the parameters start */
struct layout { uint64_t a, b, w2, w3, bias; };

static struct layout layout_of(const struct se_learn *l)
{
    const uint64_t size = l->rows.cols * H;

    return (struct layout){ 0, size, 2 * size, 2 * size + H, 2 * size + 2 * H };
}

static int make_scores(struct se_learn *l, struct se_err *err)
{
    const struct layout at = layout_of(l);
    const double half = sqrt(6 / ((double)l->rows.cols + H));
    struct se_rng r;

    l->count = at.bias + H;
    if (!(l->value = se_zalloc(l->count, sizeof *l->value, err)) ||
        !(l->work[SHARE] = se_alloc(l->graph.arcs, sizeof(double), err)) ||
        !(l->work[KEPT] = se_alloc(l->graph.arcs, sizeof(double), err)))
        return -1;
    for (int i = A; i <= DB; i++)
        if (!(l->work[i] = se_alloc(l->graph.n * H, sizeof(double), err)))
            return -1;
    se_rng_init(&r, l->o.seed, SE_RNG_LEARN_START, 0);
    for (uint64_t i = 0; i < at.w3; i++)
        l->value[i] = (2 * se_rng_unit(&r) - 1) * (i < at.w2 ? half : sqrt(6. / (H + 1)));
    return 0;
}

/* to = X w */
static void multiply(const struct se_learn_rows *x, const double *w, double *to)
{
    memset(to, 0, x->n * H * sizeof *to);
    for (uint64_t v = 0; v < x->n; v++)
        for (uint64_t i = x->off[v]; i < x->off[v + 1]; i++)
            for (int k = 0; k < H; k++)
                to[v * H + (uint64_t)k] += (double)x->value[i] * w[x->col[i] * (uint64_t)H + (uint64_t)k];
}

/* w = X' from */
static void multiply_back(const struct se_learn_rows *x, const double *from, double *w)
{
    memset(w, 0, x->cols * H * sizeof *w);
    for (uint64_t v = 0; v < x->n; v++)
        for (uint64_t i = x->off[v]; i < x->off[v + 1]; i++)
            for (int k = 0; k < H; k++)
                w[x->col[i] * (uint64_t)H + (uint64_t)k] += (double)x->value[i] * from[v * H + (uint64_t)k];
}

static double temperature_of(const struct se_learn *l, bool train)
{
    const uint64_t late = l->epoch / COLD * COLD;

    return train ? fmax(.05, l->o.temperature * exp(-1e-3 * (double)late)) : 1;
}

/* What goes into relu for arc e of u, column k */
static double before(const struct se_learn *l, uint64_t u, uint64_t e, int k)
{
    const struct layout at = layout_of(l);
    const uint64_t i = (uint64_t)k;

    return l->work[A][u * H + i] + l->work[B][(uint64_t)l->graph.to[e] * H + i] +
           l->given[e] * l->value[at.w3 + i] + l->value[at.bias + i];
}

static double score(const struct se_learn *l, uint64_t u, uint64_t e)
{
    const double *w2 = l->value + layout_of(l).w2;
    double z = 0;

    for (int k = 0; k < H; k++)
        z += fmax(before(l, u, e, k), 0) * w2[k];
    return z;
}

/* The shares of u that stay are those with fewer than `top` larger ones, of equal ones the first. */
static void keep_top(struct se_learn *l, uint64_t u)
{
    const uint64_t *off = l->graph.off;
    const double *y = l->work[SHARE];

    for (uint64_t e = off[u]; e < off[u + 1]; e++) {
        uint64_t larger = 0;

        if (l->graph.to[e] != u)
            for (uint64_t f = off[u]; larger < l->o.top && f < off[u + 1]; f++)
                larger += l->graph.to[f] != u && (y[f] > y[e] || (f < e && y[f] == y[e]));
        l->work[KEPT][e] = l->graph.to[e] != u && larger < l->o.top ? y[e] : 0;
    }
}

struct sharing {
    struct se_learn *l;
    bool train;
    double temperature;
};

static void share_rows(void *arg, uint64_t from, uint64_t to)
{
    const struct sharing *s = arg;
    struct se_learn *l = s->l;
    double *y = l->work[SHARE];

    for (uint64_t u = from; u < to; u++) {
        double most = -INFINITY, sum = 0;
        struct se_rng r;

        se_rng_init(&r, l->o.seed, SE_RNG_LEARN, (uint64_t)l->epoch << 32 | u);
        for (uint64_t e = l->graph.off[u]; e < l->graph.off[u + 1]; e++) {
            if (l->graph.to[e] == u)
                continue;
            y[e] = score(l, u, e);
            if (s->train)
                y[e] -= log(-log(fmin(fmax(se_rng_unit(&r), 1e-12), 1 - 1e-12)));
            y[e] /= s->temperature;
            most = fmax(most, y[e]);
        }
        for (uint64_t e = l->graph.off[u]; e < l->graph.off[u + 1]; e++)
            sum += y[e] = l->graph.to[e] == u ? 0 : exp(y[e] - most);
        for (uint64_t e = l->graph.off[u]; e < l->graph.off[u + 1]; e++)
            y[e] = sum > 0 ? y[e] / sum : 0;
        keep_top(l, u);
    }
}

static void weigh_scores(struct se_learn *l, bool train)
{
    const struct layout at = layout_of(l);
    struct sharing s = { l, train, temperature_of(l, train) };
    struct se_nngraph *g = &l->graph;

    multiply(&l->rows, l->value + at.a, l->work[A]);
    multiply(&l->rows, l->value + at.b, l->work[B]);
    se_ranges(l->o.threads, g->n, 200 * (g->arcs / (g->n + 1) + 1), share_rows, &s);
    for (uint64_t e = 0; e < g->arcs; e++)
        if (l->edge[e] != SE_NONE)
            g->weight[e] = (se_real)((l->work[KEPT][e] + l->work[KEPT][g->back[e]]) / 2);
}

/* The gradient of one score, dz, to that of the parameters and of X W */
static void back_score(struct se_learn *l, uint64_t u, uint64_t e, double dz)
{
    const struct layout at = layout_of(l);
    const uint64_t v = l->graph.to[e];

    for (int k = 0; k < H; k++) {
        const uint64_t i = (uint64_t)k;
        const double in = before(l, u, e, k), d = in > 0 ? dz * l->value[at.w2 + i] : 0;

        l->grad[at.w2 + i] += dz * fmax(in, 0);
        l->grad[at.w3 + i] += d * l->given[e];
        l->grad[at.bias + i] += d;
        l->work[DA][u * H + i] += d;
        l->work[DB][v * H + i] += d;
    }
}

/* Called after a weigh for training: the same temperature and shares */
static double back_scores(struct se_learn *l)
{
    const struct layout at = layout_of(l);
    const struct se_nngraph *g = &l->graph;
    const double temperature = temperature_of(l, true), *y = l->work[SHARE];

    memset(l->grad, 0, l->count * sizeof *l->grad);
    memset(l->work[DA], 0, g->n * H * sizeof(double));
    memset(l->work[DB], 0, g->n * H * sizeof(double));
    for (uint64_t u = 0; u < g->n; u++) {
        double mean = 0;

        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++)
            if (l->work[KEPT][e] > 0)
                mean += y[e] * (double)l->dweight[e] / 2;
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++) {
            const double dy = l->work[KEPT][e] > 0 ? (double)l->dweight[e] / 2 : 0;

            if (g->to[e] != u && y[e] > 0)
                back_score(l, u, e, y[e] * (dy - mean) / temperature);
        }
    }
    multiply_back(&l->rows, l->work[DA], l->grad + at.a);
    multiply_back(&l->rows, l->work[DB], l->grad + at.b);
    return 0;
}

extern const struct se_learner se_learner_neuralsparse;
const struct se_learner se_learner_neuralsparse = {
    .name = "neuralsparse", .source = "Zheng et al. 2020",
    .use = "few neighbours for each vertex, drawn by a network that sees both ends",
    .rate = .001, .rows = true,
    .make = make_scores, .weigh = weigh_scores, .back = back_scores
};
