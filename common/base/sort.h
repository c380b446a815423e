/* sort.h - a fast sort of numbers, and a search among sorted ones */
#ifndef SE_SORT_H
#define SE_SORT_H

#include <stdint.h>

#include "common/base/err.h"

/* Sort ascending, in time linear in `count`.  `scratch` has as much room as `key`. */
void se_sort_u64(uint64_t *key, uint64_t *scratch, uint64_t count);
/* The same on several threads. */
int se_sort_u64_threads(uint64_t *key, uint64_t *scratch, uint64_t count, int threads,
                        struct se_err *err);
/* How many of `count` ascending numbers are below x: where x is, if it is among them. */
uint64_t se_lower_bound_u32(const uint32_t *number, uint64_t count, uint32_t x);

#endif
