/* rank.c - ranks of numbers */
#include "common/base/rank.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/sort.h"

/* Bits of a double such that unsigned order is the order of the numbers. */
static uint64_t ordered(double x)
{
    uint64_t b;

    x += 0.0;                   /* -0 becomes 0 */
    memcpy(&b, &x, sizeof b);
    return b >> 63 ? ~b : b | (uint64_t)1 << 63;
}

/* How many of the sorted keys are less than `x`, or at most `x` when `equal`. */
static uint64_t below(const uint64_t *key, uint64_t n, uint64_t x, bool equal)
{
    uint64_t low = 0, high = n;

    while (low < high) {
        const uint64_t mid = low + (high - low) / 2;

        if (key[mid] < x || (equal && key[mid] == x))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

int se_rank(const double *ref, uint64_t refs, double *x, uint64_t n, struct se_err *err)
{
    uint64_t *key = se_alloc(refs, sizeof *key, err);
    uint64_t *scratch = key ? se_alloc(refs, sizeof *scratch, err) : NULL;

    if (!scratch) {
        free(key);
        return -1;
    }
    for (uint64_t i = 0; i < refs; i++)
        key[i] = ordered(ref[i]);
    se_sort_u64(key, scratch, refs);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t k = ordered(x[i]);

        x[i] = (double)(below(key, refs, k, false) + below(key, refs, k, true) + 1) / 2;
    }
    free(key);
    free(scratch);
    return 0;
}
