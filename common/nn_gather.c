/* nn_gather.c - sums of rows chosen by index: sparse products and aggregation */
#include "common/device.h"
#include "common/nn_vector.h"

enum { WIDEST = 8 };            /* vectors of a tile: what fits into registers */
enum { BLOCK_BYTES = 1 << 16 }; /* rows that the cache of a core holds */

/* One tile of a row of y: head h, columns from .. of it, the entries first .. last - 1. */
struct tile {
    uint64_t row, head, from, first, last;
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

/* What a sum becomes in y */
SE_INLINE void finish(const struct se_gather *g, const struct tile *t, const se_real *sum,
                      uint64_t count)
{
    const uint64_t col = t->head * g->width + t->from, at = t->row * g->heads * g->width + col;
    const se_real *base = g->base ? g->base + at : NULL, *bias = g->bias ? g->bias + col : NULL;

    for (uint64_t k = 0; k < count; k++) {
        se_real v = sum[k] * g->scale;

        if (base)
            v += g->base_scale * base[k];
        g->y[at + k] = bias ? v + bias[k] : v;
    }
}

/* `vectors` whole vectors, in registers */
SE_INLINE void sum_whole(const struct se_gather *g, const struct tile *t, const int vectors,
                         const bool mapped)
{
    se_vec sum[WIDEST];

    for (int k = 0; k < vectors; k++)
        sum[k] = (se_vec){ 0 };
    for (uint64_t e = t->first; e < t->last; e++) {
        const se_real a = coefficient(g, t, e, mapped);
        const se_vec *x = (const se_vec *)(const void *)(g->x + start_of(g, t, e));

        for (int k = 0; k < vectors; k++)
            sum[k] += a * x[k];
    }
    finish(g, t, (const se_real *)sum, (uint64_t)vectors * SE_LANES);
}

/* Fewer columns than a vector has: it reads on into the next row, but not past the last. */
SE_INLINE void sum_rest(const struct se_gather *g, const struct tile *t, const bool mapped)
{
    const uint64_t rest = g->width - t->from, end = g->rows * g->stride;
    se_vec sum = { 0 };

    for (uint64_t e = t->first; e < t->last; e++) {
        const se_real a = coefficient(g, t, e, mapped);
        const uint64_t at = start_of(g, t, e);
        se_vec x = { 0 };

        if (at + SE_LANES <= end)
            x = *(const se_vec *)(const void *)(g->x + at);
        else
            memcpy(&x, g->x + at, rest * sizeof(se_real));
        sum += a * x;
    }
    finish(g, t, (const se_real *)&sum, rest);
}

SE_INLINE void sum_row(const struct se_gather *g, struct tile *t, const bool mapped)
{
    for (t->head = 0; t->head < g->heads; t->head++) {
        t->from = 0;
        for (; t->from + WIDEST * SE_LANES <= g->width; t->from += WIDEST * SE_LANES)
            sum_whole(g, t, WIDEST, mapped);
        for (; t->from + 2 * SE_LANES <= g->width; t->from += 2 * SE_LANES)
            sum_whole(g, t, 2, mapped);
        for (; t->from + SE_LANES <= g->width; t->from += SE_LANES)
            sum_whole(g, t, 1, mapped);
        if (t->from < g->width)
            sum_rest(g, t, mapped);
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
    finish(&g[0], t, (const se_real *)sum[0], (uint64_t)vectors * SE_LANES);
    finish(&g[1], t, (const se_real *)sum[1], (uint64_t)vectors * SE_LANES);
}

SE_WIDE static void both_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_gather *g = arg;

    for (uint64_t i = from; i < to; i++) {
        struct tile t = { .row = i, .first = g->off[i], .last = g->off[i + 1] };

        for (; t.from + WIDEST / 2 * SE_LANES <= g->width; t.from += WIDEST / 2 * SE_LANES)
            sum_whole_twice(g, &t, WIDEST / 2);
        for (; t.from + SE_LANES <= g->width; t.from += SE_LANES)
            sum_whole_twice(g, &t, 1);
        for (int k = 0; k < 2 && t.from < g->width; k++)
            sum_rest(&g[k], &t, false);
    }
}

SE_WIDE static void plain_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_gather *g = arg;

    for (uint64_t i = from; i < to; i++) {
        struct tile t = { .row = i, .first = g->off[i], .last = g->off[i + 1] };

        sum_row(g, &t, false);
    }
}

SE_WIDE static void mapped_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_gather *g = arg;

    for (uint64_t i = from; i < to; i++) {
        struct tile t = { .row = i, .first = g->off[i], .last = g->off[i + 1] };

        sum_row(g, &t, true);
    }
}

/* About how many operations a row takes */
static uint64_t row_cost(const struct se_gather *g, uint64_t count)
{
    return (g->off[count] / (count + 1) + 1) * g->heads * (g->width + 4);
}

void se_gather(const struct se_net *net, struct se_gather *g, uint64_t count)
{
    if (net->gpu)
        net->gpu->cuda->gather(net->gpu->device, g, count);
    else
        se_ranges(net, count, row_cost(g, count), g->entry ? mapped_range : plain_range, g);
}

void se_gather_both(const struct se_net *net, struct se_gather both[2], uint64_t count)
{
    se_ranges(net, count, 2 * row_cost(both, count), both_range, both);
}

struct se_gather se_arcs(const struct se_nngraph *g, const se_real *value, bool back,
                         const se_real *x, uint64_t cols, se_real *y)
{
    return (struct se_gather){ .off = g->off, .index = g->to, .value = value,
                               .entry = back ? g->back : NULL, .x = x, .rows = g->n,
                               .stride = cols, .y = y, .width = cols, .heads = 1, .scale = 1 };
}

/* ---- the transposed sparse product ---- */

/* dw = X' dy is a sum of rows of dy for each column of X.  They are taken block by block of
 * rows, so that a block stays in the cache while all columns of a part read it; parts of the
 * columns go to threads. */
struct columns_sum {
    struct se_gather g;
    const struct se_sparse *x;
    uint64_t parts, block;      /* block: rows */
};

/* The first column of a part: parts have about as many entries each. */
static uint64_t first_column(const struct columns_sum *s, uint64_t part)
{
    uint64_t low = 0, high = s->x->cols;

    while (low < high) {
        const uint64_t mid = (low + high) / 2;

        if (s->x->toff[mid] * s->parts < s->x->nnz * part)
            low = mid + 1;
        else
            high = mid;
    }
    return part == s->parts ? s->x->cols : low;
}

SE_WIDE static void columns_range(void *arg, uint64_t from, uint64_t to)
{
    const struct columns_sum *s = arg;
    const struct se_sparse *x = s->x;
    struct se_gather g = s->g;
    const uint64_t first = first_column(s, from), last = first_column(s, to);

    memcpy(x->next + first, x->toff + first, (last - first) * sizeof *x->next);
    for (uint64_t row = 0; row < x->rows; row += s->block) {
        for (uint64_t c = first; c < last; c++) {
            struct tile t = { .row = c, .first = x->next[c], .last = x->next[c] };

            if (row + s->block >= x->rows)
                t.last = x->toff[c + 1];
            while (t.last < x->toff[c + 1] && x->trow[t.last] < row + s->block)
                t.last++;
            if (t.last > t.first || !g.base)
                sum_row(&g, &t, true);
            x->next[c] = t.last;
        }
        g.base = g.y;                   /* later blocks are added to the first */
    }
}

void se_sparse_weight(const struct se_net *net, const struct se_mat *x, const se_real *dy,
                      uint64_t cols, se_real *dw)
{
    const struct se_sparse *p = x->sparse;
    struct columns_sum s = {
        .g = { .off = p->toff, .index = p->trow, .value = x->value, .entry = p->tentry, .x = dy,
               .rows = p->rows, .stride = cols, .y = dw, .width = cols, .heads = 1, .scale = 1,
               .base_scale = 1 },
        .x = p, .parts = (uint64_t)net->threads, .block = BLOCK_BYTES / (cols * sizeof *dy) + 1
    };

    if (net->gpu)
        se_gather(net, &s.g, p->cols);
    else
        se_ranges(net, s.parts, p->nnz / s.parts * (cols + 4), columns_range, &s);
}
