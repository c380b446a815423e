/* setree.h - random graphs and slow, obvious answers for the tests of the tree builder */
#ifndef SE_TEST_SETREE_H
#define SE_TEST_SETREE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/rng.h"
#include "common/tree/tree_build.h"

enum { MOST = 256 };            /* vertices of a dense test graph */

struct dense {                  /* a graph as a matrix, and as a section holds it */
    uint32_t n;
    double w[MOST][MOST];       /* w[u][u]: weight of the loop */
    uint64_t off[MOST + 1];
    uint32_t to[MOST * MOST / 2], loop[MOST];
    float weight[MOST * MOST / 2], loop_weight[MOST];
    struct se_graph g;
};

static inline void dense_finish(struct dense *d, bool weighted)
{
    uint64_t m = 0, loops = 0;

    for (uint32_t u = 0; u < d->n; u++) {
        d->off[u] = m;
        for (uint32_t v = u + 1; v < d->n; v++)
            if (!(d->w[u][v] < 0)) {            /* weight 0 is an edge, -1 is none */
                d->to[m] = v;
                d->weight[m++] = (float)d->w[u][v];
            }
        if (d->w[u][u] > 0) {
            d->loop[loops] = u;
            d->loop_weight[loops++] = (float)d->w[u][u];
        }
    }
    d->off[d->n] = m;
    d->g = (struct se_graph){ d->n, m, loops, d->off, d->to, weighted ? d->weight : NULL,
                              d->loop, weighted ? d->loop_weight : NULL };
    for (uint32_t u = 0; u < d->n; u++)
        for (uint32_t v = u; v < d->n; v++) {
            double w = d->w[u][v] < 0 ? 0 : (double)(float)d->w[u][v];
            d->w[u][v] = d->w[v][u] = w;
        }
}

/* Edges with the given chance; weights random without ties, some 0; loops; isolated ones. */
static inline void dense_random(struct dense *d, uint32_t n, double chance, bool weighted,
                                bool odd, struct se_rng *r)
{
    d->n = n;
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t v = u; v < n; v++) {
            double w = weighted ? 0.1 + 2 * se_rng_unit(r) : 1;
            if (odd && weighted && se_rng_below(r, 10) == 0)
                w = 0;
            if (u == v)
                d->w[u][v] = odd && se_rng_below(r, 4) == 0 ? w : 0;
            else
                d->w[u][v] = se_rng_unit(r) < chance ? w : -1;
        }
    for (uint32_t v = 0; odd && n > 3 && v < n; v++)
        if (v != n / 2)
            d->w[v < n / 2 ? v : n / 2][v < n / 2 ? n / 2 : v] = -1;    /* isolated */
    dense_finish(d, weighted);
}

static inline double dense_degree(const struct dense *d, uint32_t v)
{
    double s = d->w[v][v];

    for (uint32_t u = 0; u < d->n; u++)
        s += d->w[v][u];
    return s;
}

/* H by the definition, from nothing but parents and the matrix. */
static inline double slow_entropy(const struct se_tree *t, const struct dense *d)
{
    double vol = 0, h = 0, *volume = calloc(t->nodes, sizeof *volume);
    bool *in = calloc(t->nodes * (size_t)d->n + 1, sizeof *in);

    for (uint64_t a = 0; a < t->nodes; a++)
        for (uint64_t b = a; t->vertex[a] != SE_NONE; b = t->parent[b]) {
            in[b * d->n + t->vertex[a]] = true;
            volume[b] += dense_degree(d, t->vertex[a]);
            if (b == 0)
                break;
        }
    for (uint32_t v = 0; v < d->n; v++)
        vol += dense_degree(d, v);
    for (uint64_t a = 1; a < t->nodes; a++) {
        double g = 0;
        for (uint32_t u = 0; u < d->n; u++)
            for (uint32_t v = 0; v < d->n; v++)
                if (in[a * d->n + u] && !in[a * d->n + v])
                    g += d->w[u][v];
        if (g > 0)
            h -= g / vol * log2(volume[a] / volume[t->parent[a]]);
    }
    free(volume);
    free(in);
    return h;
}

static inline uint32_t slow_height(const struct se_tree *t)
{
    uint32_t most = 0;

    for (uint64_t a = 0; a < t->nodes; a++) {
        uint32_t depth = 0;
        for (uint64_t b = a; b != 0; b = t->parent[b])
            depth++;
        if (depth > most)
            most = depth;
    }
    return most;
}

#endif
