/* draw.c - random orders and random subsets */
#include "common/draw.h"

#include <stdlib.h>
#include <string.h>

#include "common/mem.h"

void se_shuffle(struct se_rng *r, uint32_t *id, uint64_t count)
{
    for (uint64_t i = count; i > 1; i--) {
        const uint64_t j = se_rng_below(r, i);
        const uint32_t moved = id[i - 1];

        id[i - 1] = id[j];
        id[j] = moved;
    }
}

/* By 16 bits at a time, from the low end; digits that are the same in all keys cost one
 * look.  Short lists are not worth the table. */
enum { DIGIT = 16, DIGITS = 1 << DIGIT };

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

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

void se_sort_u64(uint64_t *key, uint64_t *scratch, uint64_t count)
{
    uint64_t *start = count > 1 << 12 ? malloc(DIGITS * sizeof *start) : NULL;
    uint64_t *from = key, *to = scratch;

    if (!start) {
        if (count <= 32)
            insertion_sort(key, count);
        else
            qsort(key, count, sizeof *key, by_value);
        return;
    }
    for (int shift = 0; shift < 64; shift += DIGIT) {
        uint64_t at = 0;

        memset(start, 0, DIGITS * sizeof *start);
        for (uint64_t i = 0; i < count; i++)
            start[from[i] >> shift & (DIGITS - 1)]++;
        if (start[from[0] >> shift & (DIGITS - 1)] == count)
            continue;
        for (int d = 0; d < DIGITS; d++) {
            const uint64_t here = start[d];

            start[d] = at;
            at += here;
        }
        for (uint64_t i = 0; i < count; i++)
            to[start[from[i] >> shift & (DIGITS - 1)]++] = from[i];
        uint64_t *const other = from;
        from = to;
        to = other;
    }
    if (from != key)
        memcpy(key, from, count * sizeof *key);
    free(start);
}

int se_set_make(struct se_set *s, uint64_t members, struct se_err *err)
{
    uint64_t slots = 16;

    while (slots / 2 < members)
        slots *= 2;
    s->slot = se_alloc(slots, sizeof *s->slot, err);
    if (!s->slot)
        return -1;
    memset(s->slot, 0xff, slots * sizeof *s->slot);
    s->mask = slots - 1;
    return 0;
}

bool se_set_add(struct se_set *s, uint64_t key)
{
    uint64_t at = key * UINT64_C(0x9E3779B97F4A7C15);

    for (at ^= at >> 29; s->slot[at & s->mask] != UINT64_MAX; at++)
        if (s->slot[at & s->mask] == key)
            return false;
    s->slot[at & s->mask] = key;
    return true;
}

void se_set_release(struct se_set *s)
{
    free(s->slot);
    *s = (struct se_set)SE_SET_INIT;
}

/* Go through all numbers and take each with the chance that keeps all subsets equal. */
static void choose_dense(struct se_rng *r, uint64_t k, uint64_t n, uint64_t *out)
{
    for (uint64_t i = 0, taken = 0; taken < k; i++)
        if (se_rng_below(r, n - i) < k - taken)
            out[taken++] = i;
}

/* Draw until k different ones are there; few draws are in vain, as k is small beside n. */
static int choose_sparse(struct se_rng *r, uint64_t k, uint64_t n, uint64_t *out,
                         struct se_err *err)
{
    struct se_set set = SE_SET_INIT;
    uint64_t *scratch = se_alloc(k, sizeof *scratch, err);

    if (!scratch || se_set_make(&set, k, err) < 0) {
        free(scratch);
        return -1;
    }
    for (uint64_t taken = 0; taken < k;) {
        const uint64_t x = se_rng_below(r, n);

        if (se_set_add(&set, x))
            out[taken++] = x;
    }
    se_set_release(&set);
    se_sort_u64(out, scratch, k);
    free(scratch);
    return 0;
}

uint64_t *se_choose(struct se_rng *r, uint64_t k, uint64_t n, struct se_err *err)
{
    uint64_t *out = se_alloc(k, sizeof *out, err);

    if (!out)
        return NULL;
    if (n / 8 <= k) {
        choose_dense(r, k, n, out);
    } else if (choose_sparse(r, k, n, out, err) < 0) {
        free(out);
        return NULL;
    }
    return out;
}
