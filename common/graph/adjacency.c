/* adjacency.c - adjacency lists: each edge is listed at both of its vertices */
#include "common/graph/adjacency.h"

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/sort.h"

/* off[v + 1] = where the arcs of v start; filling moves it to where they end. */
static void count_arcs(uint64_t *off, const struct se_graph *g)
{
    uint64_t start = 0;

    for (uint64_t u = 0; u < g->n; u++)
        off[u + 1] = g->off[u + 1] - g->off[u];
    for (uint64_t i = 0; i < g->m; i++)
        off[g->to[i] + UINT64_C(1)]++;
    for (uint64_t u = 0; u < g->n; u++) {
        const uint64_t degree = off[u + 1];

        off[u + 1] = start;
        start += degree;
    }
}

/* Vertices ascend, so when the row of u is met, all neighbours below u are in place. */
static void fill_arcs(struct se_adjacency *a, const struct se_graph *g)
{
    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++) {
            const uint64_t v = g->to[i], up = a->off[u + 1]++, down = a->off[v + 1]++;

            a->to[up] = (uint32_t)v;
            a->to[down] = (uint32_t)u;
            if (a->weight)
                a->weight[up] = a->weight[down] = g->weight[i];
        }
}

int se_adjacency_make(struct se_adjacency *a, const struct se_graph *g, struct se_err *err)
{
    struct se_adjacency x = { g->n, 2 * g->m, NULL, NULL, NULL };

    x.off = se_zalloc(x.n + 1, sizeof *x.off, err);
    x.to = x.off ? se_alloc(x.arcs, sizeof *x.to, err) : NULL;
    if (x.to && g->weight)
        x.weight = se_alloc(x.arcs, sizeof *x.weight, err);
    if (!x.to || (g->weight && !x.weight)) {
        se_adjacency_release(&x);
        return -1;
    }
    count_arcs(x.off, g);
    fill_arcs(&x, g);
    *a = x;
    return 0;
}

void se_adjacency_release(struct se_adjacency *a)
{
    free(a->off);
    free(a->to);
    free(a->weight);
    *a = (struct se_adjacency)SE_ADJACENCY_INIT;
}

void se_degrees(const struct se_graph *g, bool loops, double *degree)
{
    for (uint64_t u = 0; u < g->n; u++)
        degree[u] = 0;
    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++) {
            const double w = g->weight ? (double)g->weight[i] : 1;

            degree[u] += w;
            degree[g->to[i]] += w;
        }
    for (uint64_t i = 0; loops && i < g->loops; i++)
        degree[g->loop[i]] += g->loop_weight ? 2 * (double)g->loop_weight[i] : 2;
}

uint64_t se_row_find(const struct se_graph *g, uint64_t u, uint64_t v)
{
    const uint64_t end = g->off[u + 1];
    const uint64_t at = g->off[u] +
                        se_lower_bound_u32(g->to + g->off[u], end - g->off[u], (uint32_t)v);

    return at < end && g->to[at] == v ? at : UINT64_MAX;
}

/* The root of v, with the path to it halved.  Roots are the least of their set. */
static uint32_t root_of(uint32_t *up, uint32_t v)
{
    while (up[v] != v) {
        up[v] = up[up[v]];
        v = up[v];
    }
    return v;
}

uint64_t se_components(const struct se_graph *g, uint32_t *component)
{
    uint32_t *up = component;
    uint32_t count = 0;

    for (uint64_t v = 0; v < g->n; v++)
        up[v] = (uint32_t)v;
    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++) {
            const uint32_t a = root_of(up, (uint32_t)u), b = root_of(up, g->to[i]);

            if (a < b)
                up[b] = a;
            else
                up[a] = b;
        }
    for (uint64_t v = 0; v < g->n; v++)         /* up[v] < v has its number already */
        component[v] = up[v] == v ? count++ : component[up[v]];
    return count;
}
