/* train_kernels.c - the inner loops that take most of the time of training
 *
 * One source for vectors of two widths: train_kernels_v4.c includes it for the wider ones. */
#include "common/train/train_kernels.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "common/train/vector.h"

#ifndef SE_KERNELS
#define SE_KERNELS se_kernels_plain
#endif

/* ---- sums of rows chosen by index ---- */

enum { WIDEST = 256 / SE_VECTOR };      /* vectors of a tile: what fits into registers */

/* Rows of x are asked for so many entries before they are added, where all of them together are
 * more than the cache of a core holds */
enum { AHEAD = 64, NEAR_BYTES = 1 << 20 };

/* One tile of a row of y: head h, columns from .. of it, the entries first .. last - 1.  Entries
 * below `end` may be read ahead; 0: none. */
struct tile {
    uint64_t row, head, from, first, last, end;
};

SE_INLINE se_real coefficient(const struct se_gather *g, const struct tile *t, uint64_t e,
                              const bool mapped)
{
    return g->value[(mapped ? g->entry[e] : e) * g->heads + t->head];
}

SE_INLINE uint64_t start_of(const struct se_gather *g, const struct tile *t, uint64_t e)
{
    return g->index[e] * g->stride + t->head * g->step + t->from;
}

/* Compilers make one rounding of a product and an addition, and where two products are added, of
 * the one or the other.  What went through here is rounded by then: no bit changes, but that
 * cannot be known before it runs. */
SE_INLINE void conceal(const struct se_gather *g, se_vec *x)
{
    *x = (se_vec)((se_mask_vec)*x | (int)(g->heads >> 63));
}

/* What a sum becomes; base and bias count if g has them */
SE_INLINE void combine(const struct se_gather *g, const se_vec *base, const se_vec *bias,
                       se_vec *sum)
{
    if (g->base) {
        se_vec share = g->base_scale * *base;

        conceal(g, &share);
        *sum = *sum * g->scale + share;
    } else {
        conceal(g, sum);                /* else the product is made once for both cases */
        *sum *= g->scale;
        conceal(g, sum);
    }
    if (g->bias)
        *sum += *bias;
}

/* A vector of sums into y, or the first `count` of it; the first is in column `col` of all heads */
SE_INLINE void finish(const struct se_gather *g, uint64_t row, uint64_t col, uint64_t count,
                      se_vec *sum)
{
    const uint64_t at = row * g->heads * g->width + col;
    se_vec base = { 0 }, bias = { 0 };

    if (g->base)
        se_load(g->base + at, count, &base);
    if (g->bias)
        se_load(g->bias + col, count, &bias);
    combine(g, &base, &bias, sum);
    se_store(sum, count, g->y + at);
}

/* Ask for the `width` columns of a tile that entry e reads, from the first line to the last */
SE_INLINE void fetch(const struct se_gather *g, const struct tile *t, uint64_t e,
                     const uint64_t width)
{
    enum { LINE = 64 / sizeof(se_real) };
    const se_real *x;

    if (e >= t->end)
        return;
    x = g->x + start_of(g, t, e);
    for (uint64_t k = 0; k < width; k += LINE)
        __builtin_prefetch(x + k);
    if (g->stride % LINE)
        __builtin_prefetch(x + width - 1);
}

/* `vectors` vectors, in registers.  The last begins `last` columns behind the first: if fewer are
 * left than it has, it shares some with the one before. */
SE_INLINE void sum_entries(const struct se_gather *g, const struct tile *t, const int vectors,
                           const uint64_t last, const bool mapped, se_vec *sum)
{
    for (int k = 0; k < vectors; k++)
        sum[k] = (se_vec){ 0 };
    for (uint64_t e = t->first; e < t->last; e++) {
        const se_real a = coefficient(g, t, e, mapped), *x = g->x + start_of(g, t, e);

        fetch(g, t, e + AHEAD, last + SE_LANES);
        for (int k = 0; k + 1 < vectors; k++)
            sum[k] += a * *(const se_vec *)(const void *)(x + k * SE_LANES);
        sum[vectors - 1] += a * *(const se_vec *)(const void *)(x + last);
    }
}

SE_INLINE void sum_vectors(const struct se_gather *g, const struct tile *t, const int vectors,
                           const uint64_t last, const bool mapped)
{
    const uint64_t col = t->head * g->width + t->from;
    se_vec sum[WIDEST];

    sum_entries(g, t, vectors, last, mapped, sum);
    for (int k = 0; k + 1 < vectors; k++)
        finish(g, t->row, col + k * SE_LANES, SE_LANES, &sum[k]);
    finish(g, t->row, col + last, SE_LANES, &sum[vectors - 1]);
}

SE_INLINE void sum_whole(const struct se_gather *g, const struct tile *t, const int vectors,
                         const bool mapped)
{
    sum_vectors(g, t, vectors, (uint64_t)(vectors - 1) * SE_LANES, mapped);
}

/* Fewer columns than a vector has: it reads on into the next row, but not past the last. */
SE_INLINE void sum_some(const struct se_gather *g, const struct tile *t, const bool mapped,
                        se_vec *sum)
{
    const uint64_t rest = g->width - t->from, end = g->rows * g->stride;

    *sum = (se_vec){ 0 };
    for (uint64_t e = t->first; e < t->last; e++) {
        const se_real a = coefficient(g, t, e, mapped);
        const uint64_t at = start_of(g, t, e);
        se_vec x = { 0 };

        fetch(g, t, e + AHEAD, rest);
        if (at + SE_LANES <= end)
            x = *(const se_vec *)(const void *)(g->x + at);
        else
            memcpy(&x, g->x + at, rest * sizeof(se_real));
        *sum += a * x;
    }
}

SE_INLINE void sum_rest(const struct se_gather *g, const struct tile *t, const bool mapped)
{
    se_vec sum;

    sum_some(g, t, mapped, &sum);
    finish(g, t->row, t->head * g->width + t->from, g->width - t->from, &sum);
}

/* A row of so few columns in all, of one head.  It writes on into the next row, whose turn comes
 * later. */
SE_INLINE void sum_narrow(const struct se_gather *g, const struct tile *t, const se_vec *bias,
                          const bool mapped)
{
    const uint64_t at = t->row * g->width;
    se_vec sum;

    sum_some(g, t, mapped, &sum);
    combine(g, (const se_vec *)(const void *)(g->base ? g->base + at : g->y), bias, &sum);
    *(se_vec *)(void *)(g->y + at) = sum;
}

/* The end of the entries that rows from .. to - 1 may read ahead */
SE_INLINE uint64_t readable(const struct se_sums *s, uint64_t from, uint64_t to)
{
    const struct se_gather *g = s->g;

    return from < to && g->rows * g->stride * sizeof *g->x > NEAR_BYTES ? s->last[to - 1] : 0;
}

/* As many rows as that holds for; returns the first that it does not. */
SE_INLINE uint64_t sum_narrow_rows(const struct se_sums *s, uint64_t from, uint64_t to)
{
    const struct se_gather *g = s->g;
    const uint64_t end = readable(s, from, to);
    se_vec bias = { 0 };

    if (s->both || g->heads > 1 || g->width >= SE_LANES || g->base == g->y)
        return from;
    if (g->bias)
        se_load(g->bias, g->width, &bias);
    for (; (to - from) * g->width >= SE_LANES; from++) {
        const struct tile t = { .row = from, .first = s->first[from], .last = s->last[from],
                                .end = end };

        if (g->entry)
            sum_narrow(g, &t, &bias, true);
        else
            sum_narrow(g, &t, &bias, false);
    }
    return from;
}

/* The last columns of a row, two vectors or less.  Columns may be written twice unless that adds
 * to them. */
SE_INLINE void sum_last(const struct se_gather *g, struct tile *t, const bool mapped)
{
    const bool twice = g->base != g->y;

    if (twice && t->from > 0 && t->from + SE_LANES > g->width)
        t->from = g->width - SE_LANES;
    if (twice && t->from + SE_LANES < g->width) {
        sum_vectors(g, t, 2, g->width - t->from - SE_LANES, mapped);
        return;
    }
    for (; t->from + SE_LANES <= g->width; t->from += SE_LANES)
        sum_whole(g, t, 1, mapped);
    if (t->from < g->width)
        sum_rest(g, t, mapped);
}

SE_INLINE void sum_row(const struct se_gather *g, struct tile *t, const bool mapped)
{
    for (t->head = 0; t->head < g->heads; t->head++) {
        t->from = 0;
        for (; t->from + WIDEST * SE_LANES <= g->width; t->from += WIDEST * SE_LANES)
            sum_whole(g, t, WIDEST, mapped);
        for (; t->from + 2 * SE_LANES < g->width; t->from += 2 * SE_LANES)
            sum_whole(g, t, 2, mapped);
        if (t->from < g->width)
            sum_last(g, t, mapped);
    }
}

/* The same for two sums of the same rows: what is read of them serves both. */
SE_INLINE void sum_whole_twice(const struct se_gather *g, const struct tile *t,
                               const int vectors)
{
    se_vec sum[2][WIDEST / 2];

    for (int k = 0; k < vectors; k++)
        sum[0][k] = sum[1][k] = (se_vec){ 0 };
    for (uint64_t e = t->first; e < t->last; e++) {
        const se_real a = g[0].value[e], b = g[1].value[e];
        const se_vec *x = (const se_vec *)(const void *)(g->x + start_of(g, t, e));

        for (int k = 0; k < vectors; k++) {
            sum[0][k] += a * x[k];
            sum[1][k] += b * x[k];
        }
    }
    for (int k = 0; k < 2 * vectors; k++)
        finish(&g[k / vectors], t->row, t->from + k % vectors * SE_LANES, SE_LANES,
               &sum[k / vectors][k % vectors]);
}

SE_INLINE void sum_row_twice(const struct se_gather *g, struct tile *t)
{
    for (; t->from + WIDEST / 2 * SE_LANES <= g->width; t->from += WIDEST / 2 * SE_LANES)
        sum_whole_twice(g, t, WIDEST / 2);
    for (; t->from + SE_LANES <= g->width; t->from += SE_LANES)
        sum_whole_twice(g, t, 1);
    for (int k = 0; k < 2 && t->from < g->width; k++)
        sum_rest(&g[k], t, false);
}

SE_WIDE static void sum_rows(void *arg, uint64_t from, uint64_t to)
{
    const struct se_sums *s = arg;
    const uint64_t end = readable(s, from, to);

    for (uint64_t i = sum_narrow_rows(s, from, to); i < to; i++) {
        struct tile t = { .row = i, .first = s->first[i], .last = s->last[i], .end = end };

        if (s->both)
            sum_row_twice(s->g, &t);
        else if (s->g->entry)
            sum_row(s->g, &t, true);
        else
            sum_row(s->g, &t, false);
    }
}

/* ---- the transposed sparse product ---- */

/* The first column of a part: parts have about as many entries each. */
static uint64_t first_column(const struct se_columns *s, uint64_t part)
{
    uint64_t low = 0, high = s->x->cols;

    if (s->halves && part == 1)
        return s->x->middle;
    while (low < high) {
        const uint64_t mid = (low + high) / 2;

        if (s->x->toff[mid] * s->parts < s->x->nnz * part)
            low = mid + 1;
        else
            high = mid;
    }
    return part == s->parts ? s->x->cols : low;
}

/* The last of the sums of a row, and the step */
SE_INLINE void step_whole(const struct se_gather *g, const struct tile *t, const int vectors,
                          const struct se_adam *step)
{
    const uint64_t at = t->row * g->width + t->from;
    se_vec sum[WIDEST], base;

    sum_entries(g, t, vectors, (uint64_t)(vectors - 1) * SE_LANES, true, sum);
    for (int k = 0; k < vectors; k++) {
        if (g->base) {
            se_load(g->base + at + k * SE_LANES, SE_LANES, &base);
            sum[k] += base;
        }
        se_adam(step, at + k * SE_LANES, SE_LANES, &sum[k]);
    }
}

SE_INLINE void step_row(const struct se_gather *g, struct tile *t, const struct se_adam *step)
{
    for (; t->from + WIDEST * SE_LANES <= g->width; t->from += WIDEST * SE_LANES)
        step_whole(g, t, WIDEST, step);
    for (; t->from + SE_LANES <= g->width; t->from += SE_LANES)
        step_whole(g, t, 1, step);
    if (t->from < g->width) {
        const uint64_t at = t->row * g->width + t->from, rest = g->width - t->from;
        se_vec sum;

        sum_rest(g, t, true);
        se_load(g->y + at, rest, &sum);
        se_adam(step, at, rest, &sum);
    }
}

/* The entries of a column of X in the rows below `end`, from where the last block ended */
SE_INLINE struct tile column_tile(const struct se_sparse *x, uint64_t c, uint64_t end)
{
    struct tile t = { .row = c, .first = x->next[c], .last = x->next[c] };

    if (end >= x->rows)
        t.last = x->toff[c + 1];
    while (t.last < x->toff[c + 1] && x->trow[t.last] < end)
        t.last++;
    x->next[c] = t.last;
    return t;
}

SE_WIDE static void sum_columns(void *arg, uint64_t from, uint64_t to)
{
    const struct se_columns *s = arg;
    const struct se_sparse *x = s->x;
    struct se_gather g = s->g;
    const uint64_t first = first_column(s, from), last = first_column(s, to);

    memcpy(x->next + first, x->toff + first, (last - first) * sizeof *x->next);
    for (uint64_t row = 0; row < x->rows; row += s->block) {
        const uint64_t end = row + s->block;

        for (uint64_t c = first; c < last; c++) {
            struct tile t = column_tile(x, c, end);

            if (s->step && end >= x->rows)
                step_row(&g, &t, s->step);
            else if (t.last > t.first || !g.base)
                sum_row(&g, &t, true);
        }
        g.base = g.y;                   /* later blocks are added to the first */
    }
}

/* ---- the masks of dropout ---- */

#ifdef __AVX512F__
enum { LANES = 8, VECTORS = 2 };
#else
enum { LANES = 2, VECTORS = 2 };
#endif
enum { ABREAST = LANES * VECTORS };     /* Philox blocks at a time */
enum { GROUPS = SE_MASKED / (8 * ABREAST) };

typedef uint64_t words __attribute__((vector_size(8 * LANES)));

/* The product of the lower halves of the lanes; the upper ones may hold anything. */
SE_INLINE words times(words a, uint32_t b)
{
    const words k = (words){ 0 } + b;

#ifdef __AVX512F__
    return (words)_mm512_mul_epu32((__m512i)a, (__m512i)k);
#elif defined(__SSE2__)
    return (words)_mm_mul_epu32((__m128i)a, (__m128i)k);
#else
    return (a & 0xffffffff) * k;
#endif
}

/* The blocks from `first` on, each as the eight halves of its words; as se_philox() has it, but
 * words are the lower halves of lanes. */
SE_INLINE void philox_abreast(const struct se_masking *m, uint32_t first, uint64_t out[ABREAST][2])
{
    uint32_t k0 = m->key[0], k1 = m->key[1];
    words c[4][VECTORS];

    for (uint32_t i = 0; i < VECTORS; i++) {
        uint64_t number[LANES];

        for (uint32_t k = 0; k < LANES; k++)
            number[k] = first + LANES * i + k;
        memcpy(&c[0][i], number, sizeof number);
        for (int w = 1; w < 4; w++)
            c[w][i] = (words){ 0 } + m->counter[w];
    }
#pragma GCC unroll 10
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < VECTORS; i++) {
            const words p0 = times(c[0][i], 0xD2511F53), p1 = times(c[2][i], 0xCD9E8D57);

            c[0][i] = (p1 >> 32) ^ c[1][i] ^ k0;
            c[1][i] = p1;
            c[2][i] = (p0 >> 32) ^ c[3][i] ^ k1;
            c[3][i] = p0;
        }
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    for (int i = 0; i < VECTORS; i++) {
        const words low = (c[0][i] & 0xffffffff) | c[1][i] << 32;
        const words high = (c[2][i] & 0xffffffff) | c[3][i] << 32;

        for (int k = 0; k < LANES; k++) {
            out[LANES * i + k][0] = low[k];
            out[LANES * i + k][1] = high[k];
        }
    }
}

/* Elements in whole groups of blocks; halves in the order of memory, the lower first */
SE_WIDE static void mask(void *arg, uint64_t from, uint64_t to)
{
    const struct se_masking *m = arg;
    const uint16_t least = (uint16_t)m->least;
    uint64_t out[GROUPS][ABREAST][2];
    uint16_t half[SE_MASKED];
    uint8_t keep[SE_MASKED];

    for (uint64_t part = from; part < to; part++) {
        const uint64_t first = part * SE_MASKED;

        for (uint32_t g = 0; g < GROUPS; g++)
            philox_abreast(m, m->counter[0] + (uint32_t)(first / 8) + g * ABREAST, out[g]);
        memcpy(half, out, sizeof half);
        for (int i = 0; i < SE_MASKED; i++)
            keep[i] = half[i] >= least;
        memcpy(m->keep + first, keep, m->count - first < SE_MASKED ? m->count - first : SE_MASKED);
    }
}

const struct se_kernels SE_KERNELS = { sum_rows, sum_columns, mask };
