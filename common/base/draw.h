/* draw.h - random orders and random subsets, and the fast sort that they need */
#ifndef SE_DRAW_H
#define SE_DRAW_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/base/rng.h"

/* Put `count` ids into random order, all orders equally likely. */
void se_shuffle(struct se_rng *r, uint32_t *id, uint64_t count);

/* Sort ascending, in time linear in `count`.  `scratch` has as much room as `key`. */
void se_sort_u64(uint64_t *key, uint64_t *scratch, uint64_t count);
/* The same on several threads. */
int se_sort_u64_threads(uint64_t *key, uint64_t *scratch, uint64_t count, int threads,
                        struct se_err *err);

/* `k` different numbers of 0 .. n-1 in ascending order, all subsets equally likely; k <= n.
 * Time and memory are O(k) however large n is.  NULL with `err` set; free() it. */
uint64_t *se_choose(struct se_rng *r, uint64_t k, uint64_t n, struct se_err *err);

/* A set of numbers below UINT64_MAX, made for a number of members that is known. */
struct se_set {
    uint64_t *slot, mask;
};
#define SE_SET_INIT { NULL, 0 }
int se_set_make(struct se_set *s, uint64_t members, struct se_err *err);
/* True if it was not in the set before.  No more than `members` times. */
bool se_set_add(struct se_set *s, uint64_t key);
void se_set_release(struct se_set *s);

#endif
