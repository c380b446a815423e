/* batch_pieces.h - which vertices are trained together */
#ifndef SE_BATCH_PIECES_H
#define SE_BATCH_PIECES_H

#include "common/stream/section.h"

/* Vertices are cut once into pieces; each epoch deals the pieces anew into batches. */
struct se_batches {
    uint64_t n, most;           /* most: vertices that a batch may have */
    uint64_t pieces, count;     /* count: batches of this epoch */
    uint32_t *vertex;           /* n, piece by piece */
    uint64_t *start;            /* pieces + 1 */
    uint32_t *dealt;            /* the pieces in the order of this epoch */
    uint64_t *first;            /* per batch, and one more: its first piece among `dealt` */
    uint64_t *bit;              /* room to sort a batch */
};
#define SE_BATCHES_INIT { .n = 0 }

/* Pieces of a tree: runs of subtrees with the same parent, each run of at most 1/32 of `most`
 * vertices, and as few as can be.  Without a tree each vertex is a piece.  Release it in any
 * case. */
int se_batches_make(struct se_batches *b, const struct se_tree *t, uint64_t n, uint64_t most,
                    struct se_err *err);
void se_batches_release(struct se_batches *b);
/* The batches of an epoch, by (seed, epoch): pieces in random order, as many in a batch as fit. */
void se_batches_deal(struct se_batches *b, uint64_t seed, uint64_t epoch);
/* The vertices of a batch, ascending; returns how many.  Room for `most`. */
uint64_t se_batches_get(const struct se_batches *b, uint64_t batch, uint32_t *id);

#endif
