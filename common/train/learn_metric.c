/* learn_metric.c - IDGL: edges from a learned weighted cosine similarity
 *
 * s_uv = the mean over perspectives p of cos(w_p * x_u, w_p * x_v), no less than 0, s_uu = 1.  With
 * R_u = sum of s_uv the weight of an edge is lambda P_uv + (1 - lambda) (s_uv / R_u + s_uv / R_v) / 2,
 * P the given graph as a graph convolution normalises it.  Added to the loss:
 * alpha tr(X' (D - S) X) / n^2 - beta sum of log R_u / n + gamma |S|^2 / n^2. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/rng.h"
#include "common/train/learn.h"

/* work: s per arc; P per arc; |x_u - x_v|^2 per arc; R per vertex, then its gradient; lengths of
 * w_p * x_u, perspective by perspective; the sums behind their gradients */
enum { S, P, APART, ROW, SPAN, PULL };

static double square_apart(const struct se_learn_rows *x, uint64_t u, uint64_t v)
{
    double sum = 0;

    for (uint64_t i = x->off[u], j = x->off[v]; i < x->off[u + 1] || j < x->off[v + 1];) {
        const uint64_t a = i < x->off[u + 1] ? x->col[i] : UINT64_MAX;
        const uint64_t b = j < x->off[v + 1] ? x->col[j] : UINT64_MAX;
        const double d = (a <= b ? (double)x->value[i] : 0) - (b <= a ? (double)x->value[j] : 0);

        sum += d * d;
        i += a <= b;
        j += b <= a;
    }
    return sum;
}

static void fixed_range(void *arg, uint64_t from, uint64_t to)
{
    struct se_learn *l = arg;
    const struct se_nngraph *g = &l->graph;

    for (uint64_t v = from; v < to; v++)
        for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++) {
            l->work[P][e] = (double)g->norm[e];
            l->work[APART][e] = square_apart(&l->rows, v, g->to[e]);
        }
}

static int make_metric(struct se_learn *l, struct se_err *err)
{
    const uint64_t m = l->o.perspectives, n = l->graph.n, arcs = l->graph.arcs;
    struct se_rng r;

    l->count = m * l->rows.cols;
    if (!(l->value = se_zalloc(l->count, sizeof *l->value, err)) ||
        !(l->work[S] = se_zalloc(arcs, sizeof(double), err)) ||
        !(l->work[P] = se_zalloc(arcs, sizeof(double), err)) ||
        !(l->work[APART] = se_zalloc(arcs, sizeof(double), err)) ||
        !(l->work[ROW] = se_zalloc(n, sizeof(double), err)) ||
        !(l->work[SPAN] = se_zalloc(m * n, sizeof(double), err)) ||
        !(l->work[PULL] = se_zalloc(m * n, sizeof(double), err)))
        return -1;
    se_rng_init(&r, l->o.seed, SE_RNG_LEARN_START, 0);
    for (uint64_t i = 0; i < l->count; i++)
        l->value[i] = .5 + se_rng_unit(&r);
    se_nngraph_weigh(&l->graph, l->o.threads);          /* the given edges weigh 1 here */
    se_ranges(l->o.threads, n, 64 * (arcs / (n + 1) + 1), fixed_range, l);
    return 0;
}

static void length_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_learn *l = arg;
    const struct se_learn_rows *x = &l->rows;

    for (uint64_t v = from; v < to; v++)
        for (uint64_t p = 0; p < l->o.perspectives; p++) {
            double sum = 0;

            for (uint64_t i = x->off[v]; i < x->off[v + 1]; i++)
                sum += pow(l->value[p * x->cols + x->col[i]] * (double)x->value[i], 2);
            l->work[SPAN][p * x->n + v] = sqrt(sum);
        }
}

/* The cosine of one perspective; where a row is 0, 0 */
static double cosine(const struct se_learn *l, uint64_t p, uint64_t u, uint64_t v)
{
    const struct se_learn_rows *x = &l->rows;
    const double *w = l->value + p * x->cols;
    const double size = l->work[SPAN][p * x->n + u] * l->work[SPAN][p * x->n + v];
    double sum = 0;

    if (!(size > 1e-30))
        return 0;
    for (uint64_t i = x->off[u], j = x->off[v]; i < x->off[u + 1] && j < x->off[v + 1];) {
        if (x->col[i] == x->col[j]) {
            sum += w[x->col[i]] * w[x->col[i]] * (double)x->value[i] * (double)x->value[j];
            i++;
            j++;
        } else if (x->col[i] < x->col[j]) {
            i++;
        } else {
            j++;
        }
    }
    return sum / size;
}

static void similar_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_learn *l = arg;
    const struct se_nngraph *g = &l->graph;

    for (uint64_t v = from; v < to; v++)
        for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++) {
            double sum = 0;

            for (uint64_t p = 0; p < l->o.perspectives && g->to[e] != v; p++)
                sum += cosine(l, p, v, g->to[e]);
            l->work[S][e] = g->to[e] == v ? 1 : fmax(sum / (double)l->o.perspectives, 0);
        }
}

static void weigh_metric(struct se_learn *l, bool train)
{
    struct se_nngraph *g = &l->graph;
    const uint64_t cost = 100 * (g->arcs / (g->n + 1) + 1);
    double *row = l->work[ROW];

    (void)train;
    se_ranges(l->o.threads, g->n, cost, length_range, l);
    se_ranges(l->o.threads, g->n, cost, similar_range, l);
    for (uint64_t v = 0; v < g->n; v++) {
        row[v] = 0;
        for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++)
            row[v] += l->work[S][e];
    }
    for (uint64_t v = 0; v < g->n; v++)
        for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++)
            g->weight[e] = (se_real)(l->o.lambda * l->work[P][e] + (1 - l->o.lambda) *
                           l->work[S][e] * (1 / row[v] + 1 / row[g->to[e]]) / 2);
}

/* d loss / d R of v; the weight of a loop is (1 - lambda) / R, an edge counts half at each end. */
static double row_slope(const struct se_learn *l, uint64_t v)
{
    const struct se_nngraph *g = &l->graph;
    const double r = l->work[ROW][v];
    double sum = 0;

    for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++)
        sum -= (double)l->dweight[e] * l->work[S][e] / (g->to[e] == v ? 1 : 2);
    return (1 - l->o.lambda) * sum / (r * r) - l->o.beta / ((double)g->n * r);
}

/* The gradient of s_uv, g, to the parameters: what the ends have in common; lengths follow. */
static void back_pair(struct se_learn *l, uint64_t u, uint64_t v, double g)
{
    const struct se_learn_rows *x = &l->rows;

    for (uint64_t p = 0; p < l->o.perspectives; p++) {
        const double *w = l->value + p * x->cols;
        const double size = l->work[SPAN][p * x->n + u] * l->work[SPAN][p * x->n + v];
        const double c = cosine(l, p, u, v);

        if (!(size > 1e-30))
            continue;
        l->work[PULL][p * x->n + u] += g * c;
        l->work[PULL][p * x->n + v] += g * c;
        for (uint64_t i = x->off[u], j = x->off[v]; i < x->off[u + 1] && j < x->off[v + 1];) {
            if (x->col[i] == x->col[j]) {
                l->grad[p * x->cols + x->col[i]] +=
                    2 * g * w[x->col[i]] * (double)x->value[i] * (double)x->value[j] / size;
                i++;
                j++;
            } else if (x->col[i] < x->col[j]) {
                i++;
            } else {
                j++;
            }
        }
    }
}

static void back_lengths(struct se_learn *l)
{
    const struct se_learn_rows *x = &l->rows;

    for (uint64_t p = 0; p < l->o.perspectives; p++)
        for (uint64_t v = 0; v < x->n; v++) {
            const double length = l->work[SPAN][p * x->n + v];
            const double pull = length > 1e-15 ? l->work[PULL][p * x->n + v] / (length * length) : 0;

            for (uint64_t i = x->off[v]; i < x->off[v + 1]; i++)
                l->grad[p * x->cols + x->col[i]] -= pull * l->value[p * x->cols + x->col[i]] *
                                                    (double)x->value[i] * (double)x->value[i];
        }
}

static double back_metric(struct se_learn *l)
{
    const struct se_nngraph *g = &l->graph;
    const double n = (double)g->n, share = 1 / (double)l->o.perspectives;
    double loss = 0, *slope = l->sum;

    memset(l->grad, 0, l->count * sizeof *l->grad);
    memset(l->work[PULL], 0, l->o.perspectives * g->n * sizeof(double));
    for (uint64_t v = 0; v < g->n; v++) {
        slope[v] = row_slope(l, v);
        loss -= l->o.beta * log(l->work[ROW][v]) / n;
    }
    for (uint64_t v = 0; v < g->n; v++)
        for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++) {
            const uint32_t u = g->to[e];
            const double s = l->work[S][e];

            if (u <= v || s == 0)
                continue;
            loss += (l->o.alpha * s * l->work[APART][e] + 2 * l->o.gamma * s * s) / (n * n);
            back_pair(l, v, u, share * ((1 - l->o.lambda) * (double)l->dweight[e] *
                                        (1 / l->work[ROW][v] + 1 / l->work[ROW][u]) / 2 +
                                        slope[v] + slope[u] +
                                        (l->o.alpha * l->work[APART][e] + 4 * l->o.gamma * s) /
                                        (n * n)));
        }
    back_lengths(l);
    return loss;
}

extern const struct se_learner se_learner_idgl;
const struct se_learner se_learner_idgl = {
    .name = "idgl", .source = "Chen et al. 2020",
    .use = "edges between rows that are similar under learned weights of the columns",
    .rate = .01, .alpha = .2, .lambda = .8, .rows = true, .loops = true,
    .make = make_metric, .weigh = weigh_metric, .back = back_metric
};
