/* gather.c - sums of rows chosen by index: sparse products and aggregation */
#include "common/device/device.h"
#include "common/train/train_kernels.h"
#include "common/train/vector.h"
#include "common/base/parallel.h"

enum { BLOCK_BYTES = 1 << 16 }; /* rows that the cache of a core holds */

const struct se_kernels *se_kernels_for(uint64_t width)
{
#ifdef SE_HAS_V4
    if (width >= 16 && __builtin_cpu_supports("x86-64-v4"))
        return &se_kernels_v4;
#else
    (void)width;
#endif
    return &se_kernels_plain;
}

/* About how many operations a row takes */
static uint64_t row_cost(const struct se_gather *g, uint64_t count)
{
    return (g->off[count] / (count + 1) + 4) * g->heads * (g->width + 16);
}

void se_gather(const struct se_net *net, const struct se_gather *g, uint64_t count)
{
    struct se_sums s = { g, false, g->off, g->off + 1 };

    if (net->gpu)
        net->gpu->cuda->gather(net->gpu->device, g, count);
    else
        se_ranges(net, count, row_cost(g, count), se_kernels_for(g->width)->sum_rows, &s);
}

struct halves {
    struct se_sums half[2];
    se_range *sum_rows;
    uint64_t rows;
};

static void sum_half(void *arg, uint64_t i, int thread)
{
    struct halves *h = arg;

    (void)thread;
    h->sum_rows(&h->half[i], 0, h->rows);
}

SE_WIDE static void add_half(const se_real *second, uint64_t count, se_real *restrict y)
{
    for (uint64_t i = 0; i < count; i++)
        y[i] += second[i];
}

static void sum_halves(const struct se_net *net, const struct se_gather *g, bool both)
{
    const struct se_sparse *x = net->input.sparse;
    struct se_gather second[2];
    struct halves h = { { { g, both, x->off, x->split }, { second, both, x->split, x->off + 1 } },
                        se_kernels_for(g->width)->sum_rows, net->n };

    for (int k = 0; k < 1 + both; k++) {
        second[k] = g[k];
        second[k].y = net->second[k];
        second[k].bias = NULL;
    }
    se_parallel(net->threads, 2, sum_half, &h);
    for (int k = 0; k < 1 + both; k++)
        add_half(net->second[k], net->n * g->width, g[k].y);
}

void se_gather_sparse(const struct se_net *net, const struct se_gather *g, bool both)
{
    struct se_sums s = { g, both, g->off, g->off + 1 };

    if (net->halves)
        sum_halves(net, g, both);
    else
        se_ranges(net, net->n, row_cost(g, net->n) * (both ? 2 : 1),
                  se_kernels_for(g->width)->sum_rows, &s);
}

struct se_gather se_arcs(const struct se_nngraph *g, const se_real *value, bool back,
                         const se_real *x, uint64_t cols, se_real *y)
{
    return (struct se_gather){ .off = g->off, .index = g->to, .value = value,
                               .entry = back ? g->back : NULL, .x = x, .rows = g->n,
                               .stride = cols, .y = y, .width = cols, .heads = 1, .scale = 1 };
}

/* ---- the transposed sparse product ---- */

void se_sparse_weight(const struct se_net *net, const struct se_mat *x, const se_real *dy,
                      uint64_t cols, se_real *dw)
{
    const struct se_sparse *p = x->sparse;
    struct se_columns s = {
        .g = { .off = p->toff, .index = p->trow, .value = x->value, .entry = p->tentry, .x = dy,
               .rows = p->rows, .stride = cols, .y = dw, .width = cols, .heads = 1, .scale = 1,
               .base_scale = 1 },
        .x = p, .parts = net->halves ? 2 : (uint64_t)net->threads,
        .block = BLOCK_BYTES / (cols * sizeof *dy) + 1, .halves = net->halves
    };
    struct se_adam step;

    if (net->step) {
        step = se_step_of(net, dw);
        s.step = &step;
    }
    if (net->gpu)
        se_gather(net, &s.g, p->cols);
    else
        se_ranges(net, s.parts, p->nnz / s.parts * (cols + 4),
                  se_kernels_for(cols)->sum_columns, &s);
}
