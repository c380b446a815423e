/* topk.h - running lists of the best keys of each row, on the device */
#ifndef SE_TOPK_KERNELS_H
#define SE_TOPK_KERNELS_H

#include "shared.h"

/* For each row: room for `cap` keys, of which the `list` smallest matter. */
struct se_lists {
    uint64_t *key;              /* rows x cap */
    uint64_t *bound;            /* a key at or above it cannot win */
    uint32_t *count;            /* keys there are */
    const uint32_t *self;       /* the place of the row itself, which does not count */
    uint32_t list, cap;         /* cap >= list + 32 */
};

/* Empty the lists of so many rows. */
void se_lists_start(se_worker *d, cudaStream_t stream, const se_lists &l, uint32_t rows);
/* Offer a tile of scores: rows x cols, the columns being places first, first + 1, ... */
void se_lists_offer(se_worker *d, cudaStream_t stream, const se_lists &l, uint32_t rows,
                    const float *tile, uint32_t cols, uint32_t first);
/* Leave the `list` best of each row, in no order. */
void se_lists_finish(se_worker *d, cudaStream_t stream, const se_lists &l, uint32_t rows);

#endif
