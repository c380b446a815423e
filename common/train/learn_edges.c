/* learn_edges.c - learners with one parameter for each candidate: plain weights, LDS, Pro-GNN */
#include <math.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/rng.h"
#include "common/train/learn.h"

static int make_nothing(struct se_learn *l, struct se_err *err)
{
    (void)l;
    (void)err;
    return 0;
}

/* The gradient by the weight of an edge is that by its parameter. */
static double back_edges(struct se_learn *l)
{
    for (uint64_t v = 0; v < l->graph.n; v++)
        for (uint64_t e = l->graph.off[v]; e < l->graph.off[v + 1]; e++)
            if (l->graph.to[e] > v)
                l->grad[l->edge[e]] = (double)l->dweight[e];
    return 0;
}

static void weigh_edges(struct se_learn *l, bool train)
{
    (void)train;
    se_learn_spread(l, l->value);
}

static void clip(struct se_learn *l)
{
    for (uint64_t i = 0; i < l->count; i++)
        l->value[i] = fmin(fmax(l->value[i], 0), 1);
}

/* ---- a weight for each edge, between 0 and 1 ---- */

static void step_weights(struct se_learn *l)
{
    se_learn_adam(l);
    clip(l);
}

extern const struct se_learner se_learner_weights, se_learner_lds, se_learner_prognn;
const struct se_learner se_learner_weights = {
    .name = "weights", .source = "plain gradient descent",
    .use = "control: one free weight for each candidate", .rate = .01, .per_edge = true,
    .make = make_nothing, .weigh = weigh_edges, .back = back_edges, .step = step_weights
};

/* ---- LDS: a probability for each edge; training samples, evaluation takes the mean ---- */

static void weigh_lds(struct se_learn *l, bool train)
{
    if (!train) {
        se_learn_spread(l, l->value);
        return;
    }
    for (uint64_t i = 0; i < l->count; i++) {
        struct se_rng r;

        l->work[0][i] = l->value[i];
        if (l->value[i] > 0 && l->value[i] < 1) {
            se_rng_init(&r, l->o.seed, SE_RNG_LEARN, (uint64_t)l->epoch << 32 | i);
            l->work[0][i] = se_rng_unit(&r) < l->value[i];
        }
    }
    se_learn_spread(l, l->work[0]);
}

static int make_lds(struct se_learn *l, struct se_err *err)
{
    return (l->work[0] = se_zalloc(l->count, sizeof *l->work[0], err)) ? 0 : -1;
}

static void step_lds(struct se_learn *l)
{
    const double rate = l->o.rate / (1 + 1e-3 * (double)l->steps++);

    for (uint64_t i = 0; i < l->count; i++)
        l->value[i] -= rate * l->grad[i];
    clip(l);
}

const struct se_learner se_learner_lds = {
    .name = "lds", .source = "Franceschi et al. 2019",
    .use = "a probability for each edge, by the validation loss behind a training step",
    .rate = 1, .per_edge = true, .validates = true,
    .make = make_lds, .weigh = weigh_lds, .back = back_edges, .step = step_lds
};

/* ---- Pro-GNN ----
 *
 * gamma CE + |S - A|_F + lambda tr(X' L X), L the normalised Laplacian of S with 0.001 added to the
 * degrees: a step of descent with momentum; then the proximal steps of beta |S|_* and alpha |S|_1,
 * and back to [0, 1].  That of the nuclear norm lowers each singular value by beta * rate, as far
 * as 0; here the `rank` largest. */

enum { DOT, SQUARES, DEGREE, SLOPE };   /* work: x_u x_v per arc; |x_u|^2; per vertex */

static double dot(const struct se_learn_rows *x, uint64_t u, uint64_t v)
{
    double sum = 0;

    for (uint64_t i = x->off[u], j = x->off[v]; i < x->off[u + 1] && j < x->off[v + 1];) {
        if (x->col[i] == x->col[j])
            sum += (double)x->value[i++] * (double)x->value[j++];
        else if (x->col[i] < x->col[j])
            i++;
        else
            j++;
    }
    return sum;
}

static void dot_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_learn *l = arg;

    for (uint64_t v = from; v < to; v++) {
        l->work[SQUARES][v] = dot(&l->rows, v, v);
        for (uint64_t e = l->graph.off[v]; e < l->graph.off[v + 1]; e++)
            l->work[DOT][e] = dot(&l->rows, v, l->graph.to[e]);
    }
}

/* The candidates without loops, for the singular values */
static int make_view(struct se_learn *l, struct se_err *err)
{
    const struct se_nngraph *g = &l->graph;
    struct se_adjacency *a = &l->view;
    uint64_t at = 0;

    a->n = g->n;
    a->arcs = g->arcs - g->n;
    if (!(a->off = se_alloc(a->n + 1, sizeof *a->off, err)) ||
        !(a->to = se_alloc(a->arcs, sizeof *a->to, err)) ||
        !(a->weight = se_alloc(a->arcs, sizeof *a->weight, err)))
        return -1;
    for (uint64_t v = 0; v < g->n; v++) {
        a->off[v] = at;
        for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++)
            if (g->to[e] != v)
                a->to[at++] = g->to[e];
    }
    a->off[g->n] = at;
    return 0;
}

static int make_prognn(struct se_learn *l, struct se_err *err)
{
    if (make_view(l, err) < 0 ||
        !(l->work[DOT] = se_alloc(l->graph.arcs, sizeof(double), err)) ||
        !(l->work[SQUARES] = se_alloc(l->graph.n, sizeof(double), err)) ||
        !(l->work[DEGREE] = se_alloc(l->graph.n, sizeof(double), err)) ||
        !(l->work[SLOPE] = se_alloc(l->graph.n, sizeof(double), err)))
        return -1;
    se_ranges(l->o.threads, l->graph.n, 64 * (l->graph.arcs / (l->graph.n + 1) + 1), dot_range, l);
    return l->o.beta > 0 ? se_lowrank_make(&l->low, l->graph.n, l->o.rank, err) : 0;
}

/* tr(X' L X) and its gradient by the degrees */
static double smoothness(struct se_learn *l)
{
    const struct se_nngraph *g = &l->graph;
    double *degree = l->work[DEGREE], *slope = l->work[SLOPE], total = 0;

    for (uint64_t v = 0; v < g->n; v++) {
        degree[v] = 0;
        for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++)
            degree[v] += l->edge[e] == SE_NONE ? 0 : l->value[l->edge[e]];
    }
    for (uint64_t v = 0; v < g->n; v++) {
        const double d = degree[v] + 1e-3;
        double near = 0;

        for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++)
            if (l->edge[e] != SE_NONE)
                near += l->value[l->edge[e]] * l->work[DOT][e] / sqrt(degree[g->to[e]] + 1e-3);
        total += degree[v] / d * l->work[SQUARES][v] - near / sqrt(d);
        slope[v] = l->work[SQUARES][v] * (1 / d - degree[v] / (d * d)) + near / (d * sqrt(d));
    }
    return total;
}

static double back_prognn(struct se_learn *l)
{
    const struct se_nngraph *g = &l->graph;
    const double smooth = smoothness(l), *degree = l->work[DEGREE], *slope = l->work[SLOPE];
    double apart = 0;

    for (uint64_t e = 0; e < g->arcs; e++)
        if (l->edge[e] != SE_NONE)
            apart += pow(l->value[l->edge[e]] - l->given[e], 2);
    apart = sqrt(apart);
    for (uint64_t v = 0; v < g->n; v++)
        for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++) {
            const uint32_t u = g->to[e];

            if (u <= v)
                continue;
            double d = l->o.gamma * (double)l->dweight[e];

            if (apart > 0)
                d += 2 * (l->value[l->edge[e]] - l->given[e]) / apart;
            d += l->o.lambda * (slope[v] + slope[u] - 2 * l->work[DOT][e] /
                                sqrt((degree[v] + 1e-3) * (degree[u] + 1e-3)));
            l->grad[l->edge[e]] = d;
        }
    return apart + l->o.lambda * smooth;
}

/* Lower the largest singular values, at the candidates. */
static void prox_nuclear(struct se_learn *l)
{
    const struct se_nngraph *g = &l->graph;
    const double t = l->o.beta * l->o.rate;
    uint64_t at = 0;

    for (uint64_t e = 0; e < g->arcs; e++)
        if (l->edge[e] != SE_NONE)
            l->view.weight[at++] = (float)l->value[l->edge[e]];
    se_lowrank_improve(&l->low, &l->view, l->o.threads);
    for (uint64_t k = 0; k < l->low.rank; k++) {        /* by how much each shrinks */
        const double s = l->low.value[k];

        l->low.value[k] = fabs(s) < t ? s : s < 0 ? -t : t;
    }
    for (uint64_t v = 0; v < g->n; v++)
        for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++)
            if (g->to[e] > v)
                l->value[l->edge[e]] -= se_lowrank_at(&l->low, v, g->to[e]);
}

static void step_prognn(struct se_learn *l)
{
    for (uint64_t i = 0; i < l->count; i++) {
        l->moment[i] = .9 * l->moment[i] + l->grad[i];
        l->value[i] -= l->o.rate * l->moment[i];
    }
    if (l->o.beta > 0)
        prox_nuclear(l);
    for (uint64_t i = 0; i < l->count; i++)
        l->value[i] -= copysign(fmin(fabs(l->value[i]), l->o.alpha * l->o.rate), l->value[i]);
    clip(l);
}

const struct se_learner se_learner_prognn = {
    .name = "prognn", .source = "Jin et al. 2020",
    .use = "sparse, low-rank and smooth near the given graph; edges that were attacked",
    .rate = .01, .alpha = 5e-4, .beta = 1.5, .gamma = 1, .lambda = 1e-3, .rows = true,
    .per_edge = true,
    .make = make_prognn, .weigh = weigh_edges, .back = back_prognn, .step = step_prognn
};
