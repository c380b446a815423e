/* batch_graph.c - the graph of a batch, and windows of the whole graph */
#include "common/train/batch_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

void se_big_graph_release(struct se_big_graph *x)
{
    se_adjacency_release(&x->a);
    free(x->loop);
    free(x->degree);
    free(x->root);
    free(x->local);
    memset(x, 0, sizeof *x);
}

static double loop_of(const struct se_big_graph *x, uint64_t v)
{
    return (double)(x->loop ? x->loop[v] : x->every);
}

static double weight_of(const struct se_big_graph *x, uint64_t e)
{
    return x->a.weight ? (double)x->a.weight[e] : 1;
}

static void degree_range(void *arg, uint64_t from, uint64_t to)
{
    struct se_big_graph *x = arg;

    for (uint64_t v = from; v < to; v++) {
        double apart = 0;

        for (uint64_t e = x->a.off[v]; e < x->a.off[v + 1]; e++)
            apart += weight_of(x, e);
        x->degree[v] = loop_of(x, v) + apart;
        x->root[v] = x->degree[v] > 0 ? 1 / sqrt(x->degree[v]) : 0;
    }
}

static int make_loops(struct se_big_graph *x, const struct se_graph *g, bool weights,
                      struct se_err *err)
{
    if (!(x->loop = se_zalloc(g->n, sizeof *x->loop, err)))
        return -1;
    for (uint64_t i = 0; i < g->loops; i++)
        x->loop[g->loop[i]] = weights && g->loop_weight ? g->loop_weight[i] : 1;
    return 0;
}

int se_big_graph_make(struct se_big_graph *x, const struct se_graph *g, bool weights,
                      enum se_loops loops, int threads, struct se_err *err)
{
    struct se_graph plain = *g;

    memset(x, 0, sizeof *x);
    x->n = g->n;
    x->every = loops == SE_LOOPS_ONE;
    if (!weights)
        plain.weight = plain.loop_weight = NULL;
    if (se_adjacency_make(&x->a, &plain, err) < 0 ||
        (loops == SE_LOOPS_GIVEN && make_loops(x, g, weights, err) < 0) ||
        !(x->degree = se_alloc(g->n, sizeof *x->degree, err)) ||
        !(x->root = se_alloc(g->n, sizeof *x->root, err)) ||
        !(x->local = se_alloc(g->n, sizeof *x->local, err)))
        return -1;
    memset(x->local, 0xff, g->n * sizeof *x->local);
    se_ranges(threads, x->n, 4 * (x->a.arcs / (x->n + 1) + 1), degree_range, x);
    return 0;
}

static int descending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x < y) - (x > y);
}

int se_big_graph_most(const struct se_big_graph *x, uint64_t count, uint64_t *arcs,
                      struct se_err *err)
{
    uint32_t *many = se_alloc(x->n, sizeof *many, err);

    if (!many)
        return -1;
    for (uint64_t v = 0; v < x->n; v++)
        many[v] = (uint32_t)(x->a.off[v + 1] - x->a.off[v]);
    if (count < x->n)
        qsort(many, x->n, sizeof *many, descending);
    *arcs = count;
    for (uint64_t i = 0; i < count; i++)
        *arcs += many[i];
    free(many);
    return 0;
}

/* ---- a batch ---- */

struct batching {
    const struct se_big_graph *x;
    const uint32_t *id;
    struct se_nngraph *to;
};

static void count_range(void *arg, uint64_t from, uint64_t to)
{
    const struct batching *b = arg;
    const struct se_adjacency *a = &b->x->a;

    for (uint64_t i = from; i < to; i++) {
        uint64_t count = 1;

        for (uint64_t e = a->off[b->id[i]]; e < a->off[b->id[i] + 1]; e++)
            count += b->x->local[a->to[e]] != SE_NONE;
        b->to->off[i + 1] = count;
    }
}

/* Arcs in ascending order of the other end, the loop among them */
static void fill_range(void *arg, uint64_t from, uint64_t to)
{
    const struct batching *b = arg;
    const struct se_adjacency *a = &b->x->a;

    for (uint64_t i = from; i < to; i++) {
        const uint32_t v = b->id[i];
        uint64_t at = b->to->off[i];
        bool loop = false;

        for (uint64_t e = a->off[v]; e <= a->off[v + 1]; e++) {
            const bool end = e == a->off[v + 1];

            if (!loop && (end || a->to[e] > v)) {
                loop = true;
                b->to->weight[at] = (se_real)loop_of(b->x, v);
                b->to->to[at++] = (uint32_t)i;
            }
            if (end || b->x->local[a->to[e]] == SE_NONE)
                continue;
            b->to->weight[at] = (se_real)weight_of(b->x, e);
            b->to->to[at++] = b->x->local[a->to[e]];
        }
    }
}

void se_batch_graph(const struct se_big_graph *x, const uint32_t *id, uint64_t count, int threads,
                    uint64_t *next, struct se_nngraph *to)
{
    struct batching b = { x, id, to };
    const uint64_t cost = 4 * (x->a.arcs / (x->n + 1) + 1);

    for (uint64_t i = 0; i < count; i++)
        x->local[id[i]] = (uint32_t)i;
    to->n = count;
    to->off[0] = 0;
    se_ranges(threads, count, cost, count_range, &b);
    for (uint64_t i = 0; i < count; i++)
        to->off[i + 1] += to->off[i];
    to->arcs = to->off[count];
    se_ranges(threads, count, cost, fill_range, &b);
    se_nngraph_finish(to, next, threads);
    for (uint64_t i = 0; i < count; i++)
        x->local[id[i]] = SE_NONE;
}

/* ---- a window ---- */

struct windowing {
    const struct se_big_graph *x;
    uint64_t first;
    struct se_nngraph *to;
};

static void window_range(void *arg, uint64_t from, uint64_t to)
{
    const struct windowing *w = arg;
    const struct se_big_graph *x = w->x;
    const struct se_adjacency *a = &x->a;

    for (uint64_t i = from; i < to; i++) {
        const uint64_t v = w->first + i;
        const double root = x->root[v], degree = x->degree[v];
        const se_real mean = (se_real)(degree > 0 ? 1 / degree : 0);    /* of an edge of weight 1 */
        uint64_t at = w->to->off[i];
        bool loop = false;

        for (uint64_t e = a->off[v]; e <= a->off[v + 1]; e++) {
            const bool end = e == a->off[v + 1], now = !loop && (end || a->to[e] > v);

            for (int k = now ? 0 : 1; k < (end ? 1 : 2); k++) {         /* the loop, the arc */
                const uint32_t u = k == 0 ? (uint32_t)v : a->to[e];
                const double weight = k == 0 ? loop_of(x, v) : weight_of(x, e);

                w->to->norm[at] = (se_real)(weight * (root * x->root[u]));
                w->to->mean[at] = weight == 1 || degree <= 0 ? mean : (se_real)(weight / degree);
                w->to->to[at++] = u;
            }
            loop |= now;
        }
    }
}

static int window_room(struct se_nngraph *to, uint64_t arcs, uint64_t *room, struct se_err *err)
{
    if (arcs <= *room)
        return 0;
    free(to->to);
    free(to->norm);
    free(to->mean);
    *room = arcs + arcs / 4;
    to->to = se_alloc(*room, sizeof *to->to, err);
    to->norm = to->to ? se_alloc(*room, sizeof *to->norm, err) : NULL;
    to->mean = to->norm ? se_alloc(*room, sizeof *to->mean, err) : NULL;
    return to->mean ? 0 : -1;
}

int se_window_graph(const struct se_big_graph *x, uint64_t first, uint64_t count, int threads,
                    struct se_nngraph *to, uint64_t *room, struct se_err *err)
{
    const uint64_t arcs = x->a.off[first + count] - x->a.off[first] + count;
    struct windowing w = { x, first, to };

    if (window_room(to, arcs, room, err) < 0)
        return -1;
    to->n = count;
    to->arcs = arcs;
    for (uint64_t i = 0; i <= count; i++)
        to->off[i] = x->a.off[first + i] - x->a.off[first] + i;
    se_ranges(threads, count, 8 * (arcs / (count + 1) + 1), window_range, &w);
    return 0;
}
