/* depth.c - how deep in an encoding tree the ends of an edge come together */
#include "common/tree/depth.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"

enum { BLOCK = 8192 };          /* pairs a task */

struct depths {
    const struct se_tree *tree;
    const struct se_measure *measure;
    const uint64_t *key;
    uint64_t pairs;
    uint32_t *leaf;             /* of each vertex */
    double *sum;
};

static uint32_t ancestor(const struct depths *d, uint32_t a, uint32_t b)
{
    const uint32_t *parent = d->tree->parent, *depth = d->measure->depth;

    while (a != b) {
        if (depth[a] >= depth[b])
            a = parent[a];
        else
            b = parent[b];
    }
    return a;
}

static void add_block(void *arg, uint64_t task, int thread)
{
    const struct depths *d = arg;
    const uint64_t from = task * BLOCK;
    const uint64_t to = d->pairs - from < BLOCK ? d->pairs : from + BLOCK;

    (void)thread;
    for (uint64_t i = from; i < to; i++) {
        const uint32_t a = ancestor(d, d->leaf[d->key[i] >> 32], d->leaf[(uint32_t)d->key[i]]);
        const double share = d->measure->volume[a] / d->measure->vol;

        /* a module of volume 0 has no edge to be surprised by */
        d->sum[i] += share > 0 ? -log2(share) : 0;
    }
}

int se_tree_depths(const struct se_tree *t, const struct se_measure *x, const uint64_t *key,
                   uint64_t pairs, int threads, double *sum, struct se_err *err)
{
    struct depths d = { t, x, key, pairs, se_alloc(t->n, sizeof *d.leaf, err), sum };

    if (!d.leaf)
        return -1;
    for (uint64_t a = 0; a < t->nodes; a++)
        if (t->vertex[a] != SE_NONE)
            d.leaf[t->vertex[a]] = (uint32_t)a;
    se_parallel(threads, (pairs + BLOCK - 1) / BLOCK, add_block, &d);
    free(d.leaf);
    return 0;
}
