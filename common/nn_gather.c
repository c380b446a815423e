/* nn_gather.c - sums of rows chosen by index: sparse products and aggregation */
#include "common/device.h"
#include "common/nn_vector.h"

enum { WIDEST = 8 };            /* vectors of a tile: what fits into registers */
enum { SLICE = 4 };             /* vectors of a slice */
enum { SMALL_BYTES = 1 << 20 }; /* rows that the cache holds however they are read */

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

void se_gather(const struct se_net *net, struct se_gather *g, uint64_t count)
{
    if (net->gpu) {
        net->gpu->cuda->gather(net->gpu->device, g, count);
        return;
    }
    const uint64_t each = g->off[count] / (count + 1) + 1;

    se_ranges(net, count, each * g->heads * (g->width + 4), g->entry ? mapped_range : plain_range,
              g);
}

struct se_gather se_arcs(const struct se_nngraph *g, const se_real *value, bool back,
                         const se_real *x, uint64_t cols, se_real *y)
{
    return (struct se_gather){ .off = g->off, .index = g->to, .value = value,
                               .entry = back ? g->back : NULL, .x = x, .rows = g->n,
                               .stride = cols, .y = y, .width = cols, .heads = 1, .scale = 1 };
}

/* ---- the transposed sparse product ---- */

struct scatter {
    const struct se_mat *x;
    const se_real *dy;
    se_real *dw;
    uint64_t cols;
};

SE_INLINE void add_slice(const struct scatter *s, uint64_t from, const int vectors)
{
    const struct se_sparse *x = s->x->sparse;
    const se_real *value = s->x->value;
    const uint64_t cols = s->cols;

    for (uint64_t v = 0; v < x->rows; v++) {
        const se_vec *dy = (const se_vec *)(const void *)(s->dy + v * cols + from);
        se_vec d[SLICE];

        for (int k = 0; k < vectors; k++)
            d[k] = dy[k];
        for (uint64_t e = x->off[v]; e < x->off[v + 1]; e++) {
            se_vec *dw = (se_vec *)(void *)(s->dw + x->col[e] * cols + from);
            const se_real a = value[e];

            for (int k = 0; k < vectors; k++)
                dw[k] += a * d[k];
        }
    }
}

SE_INLINE void add_rest(const struct scatter *s, uint64_t from)
{
    const struct se_sparse *x = s->x->sparse;
    const uint64_t cols = s->cols, rest = cols - from;

    for (uint64_t v = 0; v < x->rows; v++)
        for (uint64_t e = x->off[v]; e < x->off[v + 1]; e++)
            for (uint64_t k = 0; k < rest; k++)
                s->dw[x->col[e] * cols + from + k] += s->x->value[e] * s->dy[v * cols + from + k];
}

/* A few columns of dw at a time: so much of it stays in the cache, and threads share none. */
SE_WIDE static void slice_range(void *arg, uint64_t first, uint64_t last)
{
    const struct scatter *s = arg;

    for (uint64_t i = first; i < last; i++) {
        uint64_t from = i * SLICE * SE_LANES;
        const uint64_t rest = s->cols - from;

        if (rest >= SLICE * SE_LANES) {
            add_slice(s, from, SLICE);
            continue;
        }
        for (; from + SE_LANES <= s->cols; from += SE_LANES)
            add_slice(s, from, 1);
        if (from < s->cols)
            add_rest(s, from);
    }
}

void se_sparse_weight(const struct se_net *net, const struct se_mat *x, const se_real *dy,
                      uint64_t cols, se_real *dw)
{
    const struct se_sparse *p = x->sparse;
    struct scatter s = { x, dy, dw, cols };
    const uint64_t wide = SLICE * SE_LANES;

    if (net->gpu || p->rows * cols * sizeof *dy <= SMALL_BYTES) {
        struct se_gather g = { .off = p->toff, .index = p->trow, .value = x->value,
                               .entry = p->tentry, .x = dy, .rows = p->rows, .stride = cols,
                               .y = dw, .width = cols, .heads = 1, .scale = 1 };

        se_gather(net, &g, p->cols);
        return;
    }
    memset(dw, 0, x->cols * cols * sizeof *dw);
    se_ranges(net, (cols + wide - 1) / wide, p->nnz * (wide + 4), slice_range, &s);
}
