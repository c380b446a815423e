/* gather.c - sums of rows chosen by index: sparse products and aggregation */
#include "common/train/peers.h"
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

/* With rows of other processes behind ours, where there are some */
void se_gather(const struct se_net *net, const struct se_gather *g, uint64_t count)
{
    const struct se_nngraph *graph = net->beside && g->off == net->beside->off ? net->beside
                                                                               : net->graph;
    const uint64_t bytes = g->stride * sizeof *g->x;
    struct se_gather all = *g;

    if (net->peers) {
        if (net->n > 0)                 /* a process may have no vertex, and then no rows */
            memcpy(net->near, g->x, net->n * bytes);
        net->peers->rows(net->peers, graph->links, g->x, bytes, net->near + net->n * g->stride);
        all.x = net->near;
        all.rows = net->n + graph->links->halo;
    }
    net->ops->gather(net->worker, &all, count);
}

void se_gather_known(const struct se_net *net, const struct se_gather *g, uint64_t count)
{
    const uint64_t bytes = g->stride * sizeof *g->x;
    struct se_gather all = *g;

    if (net->peers) {
        const struct se_links *l = net->graph->links;

        memcpy(net->near, g->x + net->peers->first * g->stride, net->n * bytes);
        for (uint64_t i = 0; i < l->halo; i++)
            memcpy(net->near + (net->n + i) * g->stride, g->x + l->id[i] * g->stride, bytes);
        all.x = net->near;
        all.rows = net->n + l->halo;
    }
    net->ops->gather(net->worker, &all, count);
}

void se_arcs_known(const struct se_net *net, se_real *value, uint64_t heads)
{
    const struct se_nngraph *g = net->graph;

    if (net->peers)
        net->peers->arcs(net->peers, g->links, value, heads * sizeof *value,
                         value + g->arcs * heads);
}

uint64_t se_rows_room(const struct se_net *net)
{
    return net->n + (net->peers ? net->graph->links->halo : 0);
}

uint64_t se_arcs_room(const struct se_nngraph *g)
{
    return g->arcs + (g->links ? g->links->ghosts : 0);
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
        net->ops->gather(net->worker, g, net->n);
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
    s.block = se_part_rows(w->peers ? w->peers->n : s.x->rows);
    while (s.block > 64 && s.block * s.g.width * sizeof *s.g.x > BLOCK_BYTES)
        s.block /= 2;                   /* processes begin with a block */
    se_ranges(w->threads, s.parts, s.x->nnz / s.parts * (s.g.width + 4),
              se_kernels_for(s.g.width)->sum_columns, &s);
}

/* Of several processes each adds its rows to what those before it have: columns by columns, so
 * that all have work.  A step of all is left, which has no entries of its own any more. */
static void sum_in_turn(const struct se_net *net, struct se_columns *s)
{
    enum { TURNS = 4 };
    struct se_peers *p = net->peers;
    const struct se_sparse *all = s->x;
    const uint64_t turns = TURNS * (uint64_t)p->ranks, width = s->g.width;
    struct se_sparse some = *all;
    struct se_columns part = *s;

    part.halves = false;
    part.x = &some;
    for (uint64_t i = 0; i < turns; i++) {
        const uint64_t from = all->cols * i / turns, to = all->cols * (i + 1) / turns;
        const uint64_t bytes = (to - from) * width * sizeof *s->g.y;

        some.toff = all->toff + from;
        some.next = all->next + from;
        some.cols = part.count = to - from;
        part.g.off = some.toff;
        part.g.y = s->g.y + from * width;
        if (p->rank == 0)
            memset(part.g.y, 0, bytes);
        p->take(p, part.g.y, bytes);
        part.g.base = part.g.y;
        net->ops->transposed(net->worker, &part);
        p->pass(p, part.g.y, bytes);
    }
    p->share(p, s->g.y, all->cols * width * sizeof *s->g.y);
}

void se_sparse_weight(const struct se_net *net, const struct se_mat *x, const se_real *dy,
                      uint64_t cols, se_real *dw)
{
    const struct se_sparse *p = x->sparse;
    struct se_sparse none;
    struct se_columns s = {
        .g = { .off = p->toff, .index = p->trow, .value = x->value, .entry = p->tentry, .x = dy,
               .rows = p->rows, .stride = cols, .y = dw, .width = cols, .heads = 1, .scale = 1,
               .base_scale = 1 },
        .count = p->cols, .x = p, .halves = net->halves
    };
    struct se_adam step;

    if (net->peers)
        sum_in_turn(net, &s);
    if (net->peers && !net->step)
        return;
    if (net->step) {
        step = se_step_of(net, dw);
        s.step = &step;
    }
    if (net->peers) {                           /* nothing to add, only the step */
        none = *p;
        none.toff = net->empty;
        none.rows = 1;
        s.x = &none;
        s.g.off = none.toff;
        s.g.base = dw;
        s.halves = false;
    }
    net->ops->transposed(net->worker, &s);
}
