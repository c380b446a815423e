/* gather.c - sums of rows chosen by index: sparse products and aggregation */
#include "common/train/train_kernels.h"
#include "common/train/vector.h"

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

void se_cpu_gather(struct se_worker *w, const struct se_gather *g, uint64_t count)
{
    struct se_sums s = { g, false, g->off, g->off + 1 };

    se_ranges(w->threads, count, row_cost(g, count), se_kernels_for(g->width)->sum_rows, &s);
}

void se_gather(const struct se_net *net, const struct se_gather *g, uint64_t count)
{
    net->ops->gather(net->worker, g, count);
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
    else if (!both)
        se_gather(net, g, net->n);
    else
        se_ranges(net->threads, net->n, 2 * row_cost(g, net->n),
                  se_kernels_for(g->width)->sum_rows, &s);
}

struct se_gather se_arcs(const struct se_nngraph *g, const se_real *value, bool back,
                         const se_real *x, uint64_t cols, se_real *y)
{
    return (struct se_gather){ .off = g->off, .index = g->to, .value = value,
                               .entry = back ? g->back : NULL, .x = x, .rows = g->n,
                               .stride = cols, .y = y, .width = cols, .heads = 1, .scale = 1 };
}

struct arc_products {
    const struct se_nngraph *g;
    const se_real *dy, *x;
    se_real *sum, scale;
    uint64_t cols;
};

SE_WIDE static void arc_range(void *arg, uint64_t from, uint64_t to)
{
    const struct arc_products *p = arg;
    const struct se_nngraph *g = p->g;

    for (uint64_t v = from; v < to; v++)
        for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++)
            p->sum[e] += p->scale * se_dot(p->dy + v * p->cols, p->x + g->to[e] * p->cols,
                                           p->cols);
}

void se_arc_gradient(struct se_net *net, const se_real *dy, const se_real *x, uint64_t cols,
                     double scale)
{
    struct arc_products p = { net->graph, dy, x, net->dnorm, (se_real)scale, cols };

    if (net->dnorm)
        se_ranges(net->threads, net->n, (p.g->arcs / (net->n + 1) + 1) * (cols + 8), arc_range, &p);
}

/* ---- the transposed sparse product ---- */

void se_cpu_transposed(struct se_worker *w, const struct se_columns *c)
{
    struct se_columns s = *c;

    s.parts = s.halves ? 2 : (uint64_t)w->threads;
    s.block = BLOCK_BYTES / (s.g.width * sizeof *s.g.x) + 1;
    se_ranges(w->threads, s.parts, s.x->nnz / s.parts * (s.g.width + 4),
              se_kernels_for(s.g.width)->sum_columns, &s);
}

void se_sparse_weight(const struct se_net *net, const struct se_mat *x, const se_real *dy,
                      uint64_t cols, se_real *dw)
{
    const struct se_sparse *p = x->sparse;
    struct se_columns s = {
        .g = { .off = p->toff, .index = p->trow, .value = x->value, .entry = p->tentry, .x = dy,
               .rows = p->rows, .stride = cols, .y = dw, .width = cols, .heads = 1, .scale = 1,
               .base_scale = 1 },
        .count = p->cols, .x = p, .halves = net->halves
    };
    struct se_adam step;

    if (net->step) {
        step = se_step_of(net, dw);
        s.step = &step;
    }
    net->ops->transposed(net->worker, &s);
}
