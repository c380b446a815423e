/* batch_pieces.c - which vertices are trained together */
#include "common/train/batch_pieces.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/draw.h"
#include "common/base/mem.h"

enum { PIECES = 32 };           /* of a batch, at least: so that it has vertices of all kinds */

void se_batches_release(struct se_batches *b)
{
    free(b->vertex);
    free(b->start);
    free(b->dealt);
    free(b->first);
    free(b->bit);
    *b = (struct se_batches)SE_BATCHES_INIT;
}

/* Nodes and leaves of the subtree of each node */
static void measure(const struct se_tree *t, uint32_t *nodes, uint32_t *leaves)
{
    for (uint64_t i = 0; i < t->nodes; i++) {
        nodes[i] = 1;
        leaves[i] = t->vertex[i] != SE_NONE;
    }
    for (uint64_t i = t->nodes; i-- > 1;) {     /* a parent comes before its children */
        nodes[t->parent[i]] += nodes[i];
        leaves[t->parent[i]] += leaves[i];
    }
}

/* Pieces in the order of the tree */
static void cut_tree(struct se_batches *b, const struct se_tree *t, const uint32_t *nodes,
                     const uint32_t *leaves)
{
    const uint64_t most = b->most >= b->n ? b->n : b->most / PIECES > 0 ? b->most / PIECES : 1;
    uint64_t at = 0, i = 0;
    uint32_t parent = SE_NONE;

    while (i < t->nodes) {
        if (leaves[i] > most) {                 /* too large: its children instead */
            i++;
            continue;
        }
        if (at == 0 || t->parent[i] != parent || at - b->start[b->pieces - 1] + leaves[i] > most)
            b->start[b->pieces++] = at;
        parent = t->parent[i];
        for (const uint64_t end = i + nodes[i]; i < end; i++)
            if (t->vertex[i] != SE_NONE)
                b->vertex[at++] = t->vertex[i];
    }
    b->start[b->pieces] = at;
}

static void cut_all(struct se_batches *b)
{
    b->pieces = b->n;
    for (uint64_t v = 0; v < b->n; v++) {
        b->vertex[v] = (uint32_t)v;
        b->start[v] = v;
    }
    b->start[b->n] = b->n;
}

int se_batches_make(struct se_batches *b, const struct se_tree *t, uint64_t n, uint64_t most,
                    struct se_err *err)
{
    uint32_t *nodes = NULL, *leaves = NULL;
    int rc = -1;

    *b = (struct se_batches){ .n = n, .most = most < n ? most : n };
    if (!(b->vertex = se_alloc(n, sizeof *b->vertex, err)) ||
        !(b->start = se_alloc(n + 1, sizeof *b->start, err)) ||
        !(b->bit = se_zalloc(n / 64 + 1, sizeof *b->bit, err)))
        return -1;
    if (!t) {
        cut_all(b);
        rc = 0;
    } else if ((nodes = se_alloc(t->nodes, sizeof *nodes, err)) &&
               (leaves = se_alloc(t->nodes, sizeof *leaves, err))) {
        measure(t, nodes, leaves);
        cut_tree(b, t, nodes, leaves);
        rc = 0;
    }
    free(nodes);
    free(leaves);
    return rc == 0 && (b->dealt = se_alloc(b->pieces, sizeof *b->dealt, err)) &&
           (b->first = se_alloc(b->pieces + 1, sizeof *b->first, err)) ? 0 : -1;
}

void se_batches_deal(struct se_batches *b, uint64_t seed, uint64_t epoch)
{
    struct se_rng r;
    uint64_t size = b->most;                    /* of the last batch: full, so that one begins */

    for (uint64_t i = 0; i < b->pieces; i++)
        b->dealt[i] = (uint32_t)i;
    se_rng_init(&r, seed, SE_RNG_BATCHES, epoch);
    se_shuffle(&r, b->dealt, b->pieces);
    b->count = 0;
    for (uint64_t i = 0; i < b->pieces; i++) {
        const uint64_t more = b->start[b->dealt[i] + 1] - b->start[b->dealt[i]];

        if (size + more > b->most) {
            b->first[b->count++] = i;
            size = 0;
        }
        size += more;
    }
    b->first[b->count] = b->pieces;
}

uint64_t se_batches_get(const struct se_batches *b, uint64_t batch, uint32_t *id)
{
    uint64_t count = 0;

    for (uint64_t i = b->first[batch]; i < b->first[batch + 1]; i++)
        for (uint64_t k = b->start[b->dealt[i]]; k < b->start[b->dealt[i] + 1]; k++)
            b->bit[b->vertex[k] / 64] |= (uint64_t)1 << b->vertex[k] % 64;
    for (uint64_t w = 0; w <= b->n / 64; w++) {
        for (uint64_t rest = b->bit[w]; rest; rest &= rest - 1)
            id[count++] = (uint32_t)(64 * w + (uint64_t)__builtin_ctzll(rest));
        b->bit[w] = 0;
    }
    return count;
}
