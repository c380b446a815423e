/* entropy.c - structural entropy by its definition
 *
 * The weight g that leaves a node is found in one of two ways.  In a shallow tree each edge
 * walks up from both its leaves until they meet and adds its weight on the way.  In a deep
 * tree it adds its weight to both leaves and takes twice of it from their lowest common
 * ancestor, and then every node gives what it has to its parent: one lookup per edge however
 * deep the tree is.  There the numbers cancel, so the sums are kept in two doubles each;
 * floats that span less than about 80 powers of two add up exactly. */
#include "common/graph/entropy.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/graph/adjacency.h"

enum { SHALLOW = 16 };          /* about where the two ways cost the same */

/* A sum in two doubles: the value is high + low, and low is below the last bit of high. */
struct sum {
    double high, low;
};

static inline void sum_add(double *high, double *low, double h, double l)
{
    const double s = *high + h, part = s - *high;
    const double rest = (*high - (s - part)) + (h - part) + (*low + l);

    *high = s + rest;
    *low = rest - (*high - s);
}

static double entropy_of(const double *degree, uint64_t n)
{
    struct sum vol = { 0, 0 }, h = { 0, 0 };

    for (uint64_t v = 0; v < n; v++)
        sum_add(&vol.high, &vol.low, degree[v], 0);
    for (uint64_t v = 0; v < n; v++)
        if (degree[v] > 0) {
            const double share = degree[v] / vol.high;

            sum_add(&h.high, &h.low, -share * log2(share), 0);
        }
    return h.high;
}

int se_entropy1(const struct se_graph *g, double *h1, struct se_err *err)
{
    double *degree = se_alloc(g->n, sizeof *degree, err);

    if (!degree)
        return -1;
    se_degrees(g, true, degree);
    *h1 = entropy_of(degree, g->n);
    free(degree);
    return 0;
}

int se_measure_entropy1(const struct se_measure *x, const struct se_tree *t, double *h1,
                        struct se_err *err)
{
    double *degree = se_alloc(t->n, sizeof *degree, err);

    for (uint64_t i = 0; degree && i < t->nodes; i++)
        if (t->vertex[i] != SE_NONE)
            degree[t->vertex[i]] = x->volume[i];
    if (degree)
        *h1 = entropy_of(degree, t->n);
    free(degree);
    return degree ? 0 : -1;
}

/* The least parent in a range of nodes.  Nodes are in depth-first order, so that the lowest
 * common ancestor of leaves a < b is the least parent of the nodes a + 1 .. b. */
enum { BLOCK_BITS = 5, BLOCK = 1 << BLOCK_BITS };

struct ancestors {
    const uint32_t *parent;
    uint64_t blocks;
    uint32_t *least;            /* row i: the least of 2^i blocks from each block on */
};

static int ancestors_make(struct ancestors *a, const struct se_tree *t, struct se_err *err)
{
    unsigned rows = 1;

    a->parent = t->parent;
    a->blocks = ((t->nodes - 1) >> BLOCK_BITS) + 1;
    while (a->blocks >> rows)
        rows++;
    a->least = se_alloc(a->blocks * rows, sizeof *a->least, err);
    if (!a->least)
        return -1;
    memset(a->least, 0xff, a->blocks * sizeof *a->least);
    for (uint64_t i = 0; i < t->nodes; i++)
        if (t->parent[i] < a->least[i >> BLOCK_BITS])
            a->least[i >> BLOCK_BITS] = t->parent[i];
    for (unsigned row = 1; row < rows; row++) {
        const uint32_t *half = a->least + (row - 1) * a->blocks;
        uint32_t *whole = a->least + row * a->blocks;
        const uint64_t step = (uint64_t)1 << (row - 1);

        for (uint64_t b = 0; b + 2 * step <= a->blocks; b++)
            whole[b] = half[b] < half[b + step] ? half[b] : half[b + step];
    }
    return 0;
}

static inline uint32_t least_of(const uint32_t *p, uint64_t from, uint64_t to)
{
    uint32_t least = p[from];

    for (uint64_t i = from + 1; i < to; i++)
        least = p[i] < least ? p[i] : least;
    return least;
}

static uint32_t common_ancestor(const struct ancestors *a, uint32_t x, uint32_t y)
{
    const uint64_t from = (uint64_t)(x < y ? x : y) + 1, to = (uint64_t)(x < y ? y : x) + 1;
    const uint64_t first = (from + BLOCK - 1) >> BLOCK_BITS, last = to >> BLOCK_BITS;
    uint32_t least = SE_NONE, other;

    if (first >= last && to - from <= BLOCK)
        return least_of(a->parent, from, to);
    if (first < last) {                         /* whole blocks first .. last - 1 */
        const int row = 63 - __builtin_clzll(last - first);
        const uint32_t *p = a->least + (uint64_t)row * a->blocks;

        least = p[first];
        other = p[last - ((uint64_t)1 << row)];
        least = other < least ? other : least;
    }
    if (from < first << BLOCK_BITS) {
        other = least_of(a->parent, from, first << BLOCK_BITS);
        least = other < least ? other : least;
    }
    if (last << BLOCK_BITS < to) {
        other = least_of(a->parent, last << BLOCK_BITS, to);
        least = other < least ? other : least;
    }
    return least;
}

enum { AHEAD = 16 };

/* What is read of the end of an edge */
struct end {
    double degree;
    uint32_t above;
};

/* Height 1 or 2: an edge leaves the node above each end if it is another one.  No branch, as
 * nobody could foretell it.  What is added to the root is too much. */
static void walk_two_levels(struct se_measure *x, const struct se_graph *g, struct end *end)
{
    const uint64_t edges = g->off[g->n];

    for (uint64_t u = 0; u < g->n; u++) {
        const uint32_t above = end[u].above;
        double degree = 0, cut = 0;

        for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++) {
            struct end *other = &end[g->to[i]];
            const double w = g->weight ? g->weight[i] : 1, leaves = other->above != above ? w : 0;

            if (i + AHEAD < edges)
                __builtin_prefetch(&end[g->to[i + AHEAD]], 1);
            degree += w;
            cut += leaves;
            other->degree += w;
            x->cut[other->above] += leaves;
        }
        end[u].degree += degree;
        x->cut[above] += cut;
    }
    x->cut[0] = 0;
}

static void walk_levels(struct se_measure *x, const struct se_tree *t, const struct se_graph *g,
                        struct end *end)
{
    const uint64_t edges = g->off[g->n];

    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++) {
            const double w = g->weight ? g->weight[i] : 1;
            uint32_t a = end[u].above, b = end[g->to[i]].above;

            if (i + AHEAD < edges)
                __builtin_prefetch(&end[g->to[i + AHEAD]], 1);
            end[u].degree += w;
            end[g->to[i]].degree += w;
            while (a != b) {                    /* the later node is not above the other */
                uint32_t *later = a > b ? &a : &b;

                x->cut[*later] += w;
                *later = t->parent[*later];
            }
        }
}

/* An edge leaves both its leaves, and the nodes above them up to where they meet.  The other end
 * may be anywhere, so what is read of it lies together and is asked for ahead. */
static int walk_edges(struct se_measure *x, const struct se_tree *t, const struct se_graph *g,
                      const uint32_t *leaf, struct se_err *err)
{
    struct end *end = se_zalloc(g->n, sizeof *end, err);

    if (!end)
        return -1;
    for (uint64_t v = 0; v < g->n; v++)
        end[v].above = t->parent[leaf[v]];
    if (x->height == 1 || x->height == 2)
        walk_two_levels(x, g, end);
    else
        walk_levels(x, t, g, end);
    for (uint64_t v = 0; v < g->n; v++)
        x->cut[leaf[v]] = end[v].degree;
    free(end);
    return 0;
}

static int spread_edges(struct se_measure *x, const struct se_tree *t,
                        const struct se_graph *g, const uint32_t *leaf, struct se_err *err)
{
    struct ancestors a;
    double *low = x->entropy;                   /* lent until entropies() fills it */

    if (ancestors_make(&a, t, err) < 0)
        return -1;
    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++) {
            const uint32_t from = leaf[u], to = leaf[g->to[i]];
            const uint32_t top = common_ancestor(&a, from, to);
            const double w = g->weight ? g->weight[i] : 1;

            sum_add(&x->cut[from], &low[from], w, 0);
            sum_add(&x->cut[to], &low[to], w, 0);
            sum_add(&x->cut[top], &low[top], -2 * w, 0);
        }
    for (uint64_t i = t->nodes; i-- > 1; ) {    /* children come after their parents */
        const uint32_t up = t->parent[i];

        sum_add(&x->cut[up], &low[up], x->cut[i], low[i]);
        if (x->cut[i] < 0)                      /* what rounding left of nothing */
            x->cut[i] = 0;
    }
    x->cut[0] = 0;
    free(a.least);
    return 0;
}

static void depths(struct se_measure *x, const struct se_tree *t)
{
    x->depth[0] = 0;
    for (uint64_t i = 1; i < t->nodes; i++) {
        x->depth[i] = x->depth[t->parent[i]] + 1;
        if (x->depth[i] > x->height)
            x->height = x->depth[i];
    }
}

/* All that leaves a leaf is all it has, but for its loops, which count twice. */
static void volumes(struct se_measure *x, const struct se_tree *t, const struct se_graph *g,
                    const uint32_t *leaf)
{
    for (uint64_t i = 0; i < t->nodes; i++) {
        const bool is_leaf = t->vertex[i] != SE_NONE;

        x->leaves[i] = is_leaf;
        x->volume[i] = is_leaf ? x->cut[i] : 0;
    }
    for (uint64_t i = 0; i < g->loops; i++)
        x->volume[leaf[g->loop[i]]] += 2.0 * (g->loop_weight ? g->loop_weight[i] : 1);
    for (uint64_t i = t->nodes; i-- > 1; ) {
        x->leaves[t->parent[i]] += x->leaves[i];
        x->volume[t->parent[i]] += x->volume[i];
    }
    x->vol = x->volume[0];
}

static void entropies(struct se_measure *x, const struct se_tree *t)
{
    struct sum h = { 0, 0 };

    x->entropy[0] = 0;
    for (uint64_t i = 1; i < t->nodes; i++) {
        const uint32_t up = t->parent[i];

        x->entropy[i] = 0;
        if (x->cut[i] > 0 && x->volume[i] > 0)
            x->entropy[i] = x->cut[i] / x->vol * log2(x->volume[up] / x->volume[i]);
        sum_add(&h.high, &h.low, x->entropy[i], 0);
    }
    x->h = h.high;
}

static int measure_alloc(struct se_measure *x, uint64_t nodes, struct se_err *err)
{
    x->nodes = nodes;
    x->volume = se_alloc(nodes, sizeof *x->volume, err);
    x->cut = x->volume ? se_zalloc(nodes, sizeof *x->cut, err) : NULL;
    x->entropy = x->cut ? se_zalloc(nodes, sizeof *x->entropy, err) : NULL;
    x->depth = x->entropy ? se_alloc(nodes, sizeof *x->depth, err) : NULL;
    x->leaves = x->depth ? se_alloc(nodes, sizeof *x->leaves, err) : NULL;
    return x->leaves ? 0 : -1;
}

int se_measure_make(struct se_measure *x, const struct se_tree *t, const struct se_graph *g,
                    struct se_err *err)
{
    uint32_t *leaf;
    int rc;

    *x = (struct se_measure)SE_MEASURE_INIT;
    if (t->n != g->n)
        return se_fail(err, SE_EINPUT, "the tree has %" PRIu64 " vertices and the graph %"
                       PRIu64 "; the tree was made for another graph", t->n, g->n);
    leaf = se_alloc(t->n, sizeof *leaf, err);
    rc = leaf ? measure_alloc(x, t->nodes, err) : -1;
    if (rc == 0) {
        for (uint64_t i = 0; i < t->nodes; i++)
            if (t->vertex[i] != SE_NONE)
                leaf[t->vertex[i]] = (uint32_t)i;
        depths(x, t);
        rc = x->height <= SHALLOW ? walk_edges(x, t, g, leaf, err)
                                  : spread_edges(x, t, g, leaf, err);
    }
    if (rc == 0) {
        volumes(x, t, g, leaf);
        entropies(x, t);
    }
    free(leaf);
    return rc;
}

void se_measure_release(struct se_measure *x)
{
    free(x->volume);
    free(x->cut);
    free(x->entropy);
    free(x->depth);
    free(x->leaves);
    *x = (struct se_measure)SE_MEASURE_INIT;
}
