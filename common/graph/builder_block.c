/* builder_block.c - sorting and packing a block of edges */
#include "common/graph/builder_block.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

enum { DIGIT = 11, PAD = 8 };
#define TURNED (UINT32_C(1) << 31)      /* in order[]: the pair was given high end first */

void se_edge_block_free(struct se_edge_block *x)
{
    free(x->work);
    if (!x->on_disk) {
        free(x->weight);
        free(x->step);
        free(x->turned);
    }
    free(x);
}

int se_edge_block_spill(struct se_edge_block *x, struct se_scratch *disk, struct se_err *err)
{
    if (se_scratch_add(disk, x->step, x->step_len, &x->place[0], err) < 0 ||
        (x->weight && se_scratch_add(disk, x->weight, x->count * sizeof *x->weight, &x->place[1],
                                     err) < 0) ||
        (x->turned && se_scratch_add(disk, x->turned, x->count / 8 + 1, &x->place[2], err) < 0))
        return -1;
    free(x->step);
    free(x->weight);
    free(x->turned);
    x->on_disk = true;
    return 0;
}

void se_edge_block_reach(struct se_edge_block *x, unsigned char *disk)
{
    x->step = disk + x->place[0];
    if (x->weight)
        x->weight = (float *)(void *)(disk + x->place[1]);
    if (x->turned)
        x->turned = disk + x->place[2];
}

/* Turn the pairs into keys, low end first unless they are ordered, of as few bits as their ids
 * need.  `turned`: remember which end was first. */
static void make_keys(struct se_edge_block *x, bool ordered, bool turned)
{
    uint64_t *key = x->work->key[0], all = 1;

    for (uint32_t i = 0; i < x->count; i++)
        all |= key[i] | key[i] >> 32;
    x->bits = 64 - (unsigned)__builtin_clzll(all & UINT32_MAX);
    for (uint32_t i = 0; i < x->count; i++) {
        const uint64_t u = key[i] >> 32, v = key[i] & UINT32_MAX;

        key[i] = ordered || u < v ? u << x->bits | v : v << x->bits | u;
        if (turned)
            x->work->order[0][i] = !ordered && u > v ? i | TURNED : i;
    }
}

/* One pass of a radix sort, from half `from` of the work to the other. */
static void sort_pass(struct se_edge_work *w, uint32_t count, int from, unsigned shift,
                      unsigned digit, bool weighted)
{
    const uint64_t *key = w->key[from], mask = (UINT64_C(1) << digit) - 1;
    uint32_t start[1 << DIGIT] = { 0 }, sum = 0;

    for (uint32_t i = 0; i < count; i++)
        start[key[i] >> shift & mask]++;
    for (uint64_t d = 0; d <= mask; d++) {
        const uint32_t here = start[d];

        start[d] = sum;
        sum += here;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t to = start[key[i] >> shift & mask]++;

        w->key[!from][to] = key[i];
        if (weighted)
            w->order[!from][to] = w->order[from][i];
    }
}

/* Sort the keys, stably.  Returns the half of the work that holds them. */
static int sort_keys(struct se_edge_block *x, bool weighted)
{
    const unsigned bits = 2 * x->bits, passes = (bits + DIGIT - 1) / DIGIT;
    const unsigned digit = (bits + passes - 1) / passes;
    const uint64_t *key = x->work->key[0];
    uint32_t sorted = 1;
    int half = 0;

    while (sorted < x->count && key[sorted - 1] <= key[sorted])
        sorted++;
    if (sorted >= x->count)
        return 0;
    for (unsigned shift = 0; shift < bits; shift += digit, half = !half)
        sort_pass(x->work, x->count, half, shift, digit, weighted);
    return half;
}

/* Without weights an entry that repeats the one before it says nothing new. */
static void drop_repeats(struct se_edge_block *x, uint64_t *key)
{
    const uint64_t mask = (UINT64_C(1) << x->bits) - 1;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < x->count; i++)
        if (kept > 0 && key[i] == key[kept - 1]) {
            if (key[i] >> x->bits == (key[i] & mask))
                x->loops++;
            else
                x->repeated++;
        } else {
            key[kept++] = key[i];
        }
    x->count = kept;
}

/* Choose the width of a step that makes the whole shortest.  Returns the bytes needed. */
static size_t choose_width(struct se_edge_block *x, const uint64_t *key)
{
    uint64_t longer = x->count, last = 0, best = UINT64_MAX, of_length[9] = { 0 };

    for (uint32_t i = 0; i < x->count; i++) {
        const uint64_t step = key[i] - last + 1;        /* all ones is not a step */

        of_length[(71 - (unsigned)__builtin_clzll(step)) / 8]++;
        last = key[i];
    }
    for (unsigned width = 1; width <= 8; width++) {
        longer -= of_length[width];
        if ((uint64_t)x->count * width + longer * SE_EDGE_ESCAPED < best) {
            best = (uint64_t)x->count * width + longer * SE_EDGE_ESCAPED;
            x->width = width;
        }
    }
    return (size_t)best + PAD;
}

static void pack_steps(struct se_edge_block *x, const uint64_t *key)
{
    const uint64_t escape = UINT64_MAX >> (64 - 8 * x->width);
    unsigned char *at = x->step;
    uint64_t last = 0;

    for (uint32_t i = 0; i < x->count; i++) {
        const uint64_t step = key[i] - last;

        memcpy(at, step < escape ? &step : &escape, x->width);
        at += x->width;
        if (step >= escape) {
            memcpy(at, &step, SE_EDGE_ESCAPED);
            at += SE_EDGE_ESCAPED;
        }
        last = key[i];
    }
    memset(at, 0, PAD);                 /* steps are read 8 bytes at a time */
}

/* Bring weights and directions into the order of the keys. */
static int pack_order(struct se_edge_block *x, const uint32_t *order, struct se_err *err)
{
    float *sorted = x->weight ? se_alloc(x->count, sizeof *sorted, err) : NULL;

    if ((x->weight && !sorted) || !(x->turned = se_zalloc(x->count / 8 + 1, 1, err))) {
        free(sorted);
        return -1;
    }
    for (uint32_t i = 0; i < x->count; i++) {
        if (sorted)
            sorted[i] = x->weight[order[i] & ~TURNED];
        if (order[i] & TURNED)
            x->turned[i / 8] |= (unsigned char)(1u << i % 8);
    }
    free(x->weight);
    x->weight = sorted;
    return 0;
}

int se_edge_block_pack(struct se_edge_block *x, const struct se_builder *b, struct se_err *err)
{
    const bool weighted = b->weighted || b->directions;
    int half;

    make_keys(x, b->ordered, weighted);
    half = sort_keys(x, weighted);
    if (!weighted)
        drop_repeats(x, x->work->key[half]);
    else if (pack_order(x, x->work->order[half], err) < 0)
        return -1;
    x->step_len = choose_width(x, x->work->key[half]);
    x->step = se_alloc(x->step_len, 1, err);
    if (!x->step)
        return -1;
    pack_steps(x, x->work->key[half]);
    return 0;
}
