/* pairs.c - the pairs of vertices that come together deepest in an encoding tree */
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/sort.h"
#include "common/tree/sample.h"

/* Small volumes first */
static int by_volume(const void *a, const void *b, void *arg)
{
    const double *volume = arg;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (volume[x] != volume[y])
        return volume[x] < volume[y] ? -1 : 1;
    return (x > y) - (x < y);
}

static bool is_edge(const struct se_graph *g, uint64_t u, uint32_t v)
{
    uint64_t low = g->off[u], high = g->off[u + 1];

    while (low < high) {
        const uint64_t mid = low + (high - low) / 2;

        if (g->to[mid] == v)
            return true;
        if (g->to[mid] < v)
            low = mid + 1;
        else
            high = mid;
    }
    return false;
}

struct picking {
    const struct se_graph *except;
    uint32_t *vertex;           /* of the leaves, as the tree lists them */
    uint64_t *first;            /* per node and one more: leaves before it */
    struct se_sampled *out;
    uint64_t count;
};

/* All pairs of leaves of `child` with those behind it up to leaf `end`.  The room grows with what
 * is found. */
static int pick(struct picking *p, uint64_t from, uint64_t to, uint64_t end, size_t *cap,
                struct se_err *err)
{
    for (uint64_t i = from; i < to; i++)
        for (uint64_t j = to; j < end && p->out->edges < p->count; j++) {
            const uint32_t a = p->vertex[i], b = p->vertex[j];
            const uint32_t u = a < b ? a : b, v = a < b ? b : a;

            if (is_edge(p->except, u, v))
                continue;
            if (se_grow(&p->out->key, cap, p->out->edges + 1, sizeof *p->out->key, err) < 0)
                return -1;
            p->out->key[p->out->edges++] = (uint64_t)u << 32 | v;
        }
    return 0;
}

/* Leaves before each node; a subtree ends where the next node that is not below it begins. */
static int list_leaves(struct picking *p, const struct se_tree *t, struct se_err *err)
{
    uint64_t leaves = 0;

    p->vertex = se_alloc(t->n, sizeof *p->vertex, err);
    p->first = p->vertex ? se_alloc(t->nodes + 1, sizeof *p->first, err) : NULL;
    if (!p->first)
        return -1;
    for (uint64_t a = 0; a < t->nodes; a++) {
        p->first[a] = leaves;
        if (t->vertex[a] != SE_NONE)
            p->vertex[leaves++] = t->vertex[a];
    }
    p->first[t->nodes] = leaves;
    return 0;
}

/* The pairs that meet at node a.  Its children are found by walking over their subtrees. */
static int pick_at(struct picking *p, const struct se_tree *t, const struct se_measure *x,
                   uint32_t a, size_t *cap, struct se_err *err)
{
    const uint64_t end = p->first[a] + x->leaves[a];

    for (uint64_t c = a + (uint64_t)1; c < t->nodes && p->out->edges < p->count;) {
        const uint64_t to = p->first[c] + x->leaves[c];

        if (t->parent[c] != a || pick(p, p->first[c], to, end, cap, err) < 0)
            return t->parent[c] != a ? 0 : -1;
        for (c++; c < t->nodes && t->parent[c] > a; c++)
            ;                                   /* below that child */
    }
    return 0;
}

int se_sample_best(struct se_sampled *out, const struct se_tree *t, const struct se_measure *x,
                   const struct se_graph *except, uint64_t count, uint64_t level,
                   struct se_err *err)
{
    struct picking p = { .except = except, .out = out, .count = count };
    uint32_t *node = se_alloc(t->nodes, sizeof *node, err);
    uint64_t nodes = 0, *scratch;
    size_t cap = 0;
    int rc = node && list_leaves(&p, t, err) == 0 ? 0 : -1;

    for (uint64_t a = 0; rc == 0 && a < t->nodes; a++)
        if (t->vertex[a] == SE_NONE && x->depth[a] >= level)
            node[nodes++] = (uint32_t)a;
    if (rc == 0)
        qsort_r(node, nodes, sizeof *node, by_volume, x->volume);
    for (uint64_t i = 0; rc == 0 && i < nodes && out->edges < count; i++)
        rc = pick_at(&p, t, x, node[i], &cap, err);
    if (rc == 0 && (scratch = se_alloc(out->edges, sizeof *scratch, err))) {
        if (out->edges > 0)
            se_sort_u64(out->key, scratch, out->edges);
        free(scratch);
    } else {
        rc = -1;
    }
    if (rc == 0 && !out->key)
        rc = (out->key = se_alloc(1, sizeof *out->key, err)) ? 0 : -1;
    out->draws = out->edges;
    free(node);
    free(p.vertex);
    free(p.first);
    return rc;
}
