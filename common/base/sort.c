/* sort.c - a radix sort of numbers, on one thread or several */
#include "common/base/sort.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"

static void insertion_sort(uint64_t *key, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++) {
        const uint64_t x = key[i];
        uint64_t j = i;

        for (; j > 0 && key[j - 1] > x; j--)
            key[j] = key[j - 1];
        key[j] = x;
    }
}

/* By `digit` bits at a time, from the low end; bits that are the same in all keys are left
 * out.  `start` has room for all values of a digit.  The sorted keys end up in `into`, which is
 * `key` or `scratch`. */
static void radix_sort(uint64_t *key, uint64_t *scratch, uint64_t count, unsigned digit,
                       uint64_t *start, uint64_t *into)
{
    const uint64_t values = UINT64_C(1) << digit, mask = values - 1;
    uint64_t *from = key, *to = scratch, varies = 0;
    unsigned shift = 0;

    for (uint64_t i = 1; i < count; i++)
        varies |= key[i] ^ key[0];
    for (; shift < 64 && varies >> shift; shift += digit) {
        uint64_t at = 0;

        shift += (unsigned)__builtin_ctzll(varies >> shift);
        memset(start, 0, values * sizeof *start);
        for (uint64_t i = 0; i < count; i++)
            start[from[i] >> shift & mask]++;
        for (uint64_t d = 0; d < values; d++) {
            const uint64_t here = start[d];

            start[d] = at;
            at += here;
        }
        for (uint64_t i = 0; i < count; i++)
            to[start[from[i] >> shift & mask]++] = from[i];
        uint64_t *const other = from;
        from = to;
        to = other;
    }
    if (from != into)
        memcpy(into, from, count * sizeof *key);
}

enum { SMALL = 11, LARGE = 16 };        /* bits of a digit: a table for the first cache, or
                                         * fewer passes through memory */

static void sort_into(uint64_t *into, uint64_t *key, uint64_t *scratch, uint64_t count)
{
    uint64_t few[1 << SMALL];
    uint64_t *many = count > 1 << 18 ? malloc(sizeof *many << LARGE) : NULL;

    if (count > 64) {
        radix_sort(key, scratch, count, many ? LARGE : SMALL, many ? many : few, into);
    } else {
        insertion_sort(key, count);
        if (into != key)
            memcpy(into, key, count * sizeof *key);
    }
    free(many);
}

void se_sort_u64(uint64_t *key, uint64_t *scratch, uint64_t count)
{
    sort_into(key, key, scratch, count);
}

/* Slabs of keys, side by side, are dealt out to parts by their high bits; then the parts are
 * sorted, side by side.  The largest key of all may stand for "none" and be far above the
 * others: it goes to the last part. */
enum { SLABS = 64, PARTS = 512 };

struct sorting {
    uint64_t *key, *scratch, count;
    unsigned shift;
    uint64_t (*at)[PARTS];      /* per slab: keys of each part, then where the next goes */
    uint64_t start[PARTS + 1];
};

static uint64_t part_of(const struct sorting *s, uint64_t key)
{
    const uint64_t part = key >> s->shift;

    return part < PARTS ? part : PARTS - 1;
}

static void count_slab(void *arg, uint64_t task, int thread)
{
    const struct sorting *s = arg;

    (void)thread;
    for (uint64_t i = s->count * task / SLABS; i < s->count * (task + 1) / SLABS; i++)
        s->at[task][part_of(s, s->key[i])]++;
}

static void deal_slab(void *arg, uint64_t task, int thread)
{
    const struct sorting *s = arg;

    (void)thread;
    for (uint64_t i = s->count * task / SLABS; i < s->count * (task + 1) / SLABS; i++)
        s->scratch[s->at[task][part_of(s, s->key[i])]++] = s->key[i];
}

static void sort_part(void *arg, uint64_t task, int thread)
{
    const struct sorting *s = arg;
    const uint64_t first = s->start[task], count = s->start[task + 1] - first;

    (void)thread;
    sort_into(s->key + first, s->scratch + first, s->key + first, count);
}

int se_sort_u64_threads(uint64_t *key, uint64_t *scratch, uint64_t count, int threads,
                        struct se_err *err)
{
    struct sorting s = { .key = key, .scratch = scratch, .count = count };
    uint64_t most = 0, at = 0;

    if (count < 1 << 16) {
        se_sort_u64(key, scratch, count);
        return 0;
    }
    s.at = se_zalloc(SLABS, sizeof *s.at, err);
    if (!s.at)
        return -1;
    for (uint64_t i = 0; i < count; i++)
        if (key[i] > most && key[i] != UINT64_MAX)
            most = key[i];
    while (most >> s.shift >= PARTS)
        s.shift++;
    se_parallel(threads, SLABS, count_slab, &s);
    for (int p = 0; p < PARTS; p++) {
        s.start[p] = at;
        for (int slab = 0; slab < SLABS; slab++) {
            const uint64_t here = s.at[slab][p];

            s.at[slab][p] = at;
            at += here;
        }
    }
    s.start[PARTS] = at;
    se_parallel(threads, SLABS, deal_slab, &s);
    se_parallel(threads, PARTS, sort_part, &s);
    free(s.at);
    return 0;
}

uint64_t se_lower_bound_u32(const uint32_t *number, uint64_t count, uint32_t x)
{
    uint64_t low = 0, high = count;

    while (low < high) {
        const uint64_t mid = low + (high - low) / 2;

        if (number[mid] < x)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}
