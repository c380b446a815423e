/* draw.h - random orders and random subsets */
#ifndef SE_DRAW_H
#define SE_DRAW_H

#include <stdint.h>

#include "common/base/err.h"
#include "common/base/rng.h"

/* Put `count` ids into random order, all orders equally likely. */
void se_shuffle(struct se_rng *r, uint32_t *id, uint64_t count);

/* `k` different numbers of 0 .. n-1 in ascending order, all subsets equally likely; k <= n.
 * Time and memory are O(k) however large n is.  NULL with `err` set; free() it. */
uint64_t *se_choose(struct se_rng *r, uint64_t k, uint64_t n, struct se_err *err);

#endif
