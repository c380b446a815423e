/* web.c - items and the weights between them */
#include "common/tree/workings.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/draw.h"
#include "common/base/mem.h"
#include "common/base/parallel.h"

void se_quotient_release(struct se_quotient *x)
{
    free(x->off);
    free(x->to);
    free(x->w32);
    free(x->w64);
    free(x->volume);
    free(x->inner);
    *x = (struct se_quotient)SE_QUOTIENT_INIT;
}

static bool counts(const struct se_graph *g, uint64_t e)
{
    return !g->weight || g->weight[e] > 0;
}

/* The vertices are cut into ranges; a task goes through all edges and takes care of the ends
 * in its range.  Each vertex finds its lower neighbours in ascending order, then the higher
 * ones, whoever does it.  A range is small enough for what is written there to stay in the
 * cache. */
enum { RANGES = 8, RANGE = 1 << 17 };

struct fill {
    struct se_quotient *x;
    const struct se_graph *g;
    uint64_t *at;               /* where the next arc of each vertex goes */
    uint64_t ranges;
};

static uint64_t ranges_for(uint64_t n, int threads)
{
    uint64_t ranges = n / RANGE + 1;

    if (threads > 1 && ranges < 2 * (uint64_t)threads)
        ranges = 2 * (uint64_t)threads;
    return ranges < RANGES ? ranges : RANGES;
}

static void count_range(void *arg, uint64_t task, int thread)
{
    const struct fill *f = arg;
    const struct se_graph *g = f->g;
    const uint64_t first = g->n * task / f->ranges, last = g->n * (task + 1) / f->ranges;

    (void)thread;
    for (uint64_t e = 0; e < g->m; e++)
        if (g->to[e] - first < last - first && counts(g, e))
            f->x->off[g->to[e] + 1]++;
    for (uint64_t u = first; u < last; u++)
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++)
            f->x->off[u + 1] += counts(g, e);
}

static inline void put_arc(const struct fill *f, uint64_t u, uint64_t v, uint64_t e)
{
    const uint64_t a = f->at[u]++;

    f->x->to[a] = (uint32_t)v;
    if (f->x->w32)
        f->x->w32[a] = f->g->weight[e];
}

static void fill_range(void *arg, uint64_t task, int thread)
{
    const struct fill *f = arg;
    const struct se_graph *g = f->g;
    struct se_quotient *x = f->x;
    const uint64_t first = g->n * task / f->ranges, last = g->n * (task + 1) / f->ranges;

    (void)thread;
    for (uint64_t u = 0; u < last; u++)         /* higher neighbours only: u < to */
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++)
            if (g->to[e] - first < last - first && counts(g, e))
                put_arc(f, g->to[e], u, e);
    for (uint64_t u = first; u < last; u++) {
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++)
            if (counts(g, e))
                put_arc(f, u, g->to[e], e);
        x->volume[u] = x->w32 ? 0 : (double)(x->off[u + 1] - x->off[u]);
        for (uint64_t a = x->off[u]; x->w32 && a < x->off[u + 1]; a++)
            x->volume[u] += (double)x->w32[a];
    }
}

int se_quotient_of_graph(struct se_quotient *x, const struct se_graph *g, int threads,
                    struct se_err *err)
{
    struct fill f = { x, g, NULL, 0 };

    x->n = g->n;
    x->off = se_zalloc(g->n + 1, sizeof *x->off, err);
    x->volume = se_zalloc(g->n, sizeof *x->volume, err);
    if (!x->off || !x->volume)
        return -1;
    x->arcs = 2 * g->m;                 /* at most */
    threads = se_quotient_threads(x, threads);
    f.ranges = ranges_for(g->n, threads);
    se_parallel(threads, f.ranges, count_range, &f);
    for (uint64_t u = 0; u < g->n; u++)
        x->off[u + 1] += x->off[u];
    x->arcs = x->off[g->n];
    x->to = se_alloc(x->arcs, sizeof *x->to, err);
    f.at = se_alloc(g->n, sizeof *f.at, err);
    if (g->weight)
        x->w32 = se_alloc(x->arcs, sizeof *x->w32, err);
    if (!x->to || !f.at || (g->weight && !x->w32)) {
        free(f.at);
        return -1;
    }
    memcpy(f.at, x->off, g->n * sizeof *f.at);
    se_parallel(threads, f.ranges, fill_range, &f);
    free(f.at);
    for (uint64_t i = 0; i < g->loops; i++)
        x->volume[g->loop[i]] += 2 * (g->loop_weight ? (double)g->loop_weight[i] : 1.0);
    for (uint64_t u = 0; u < g->n; u++)
        x->vol += x->volume[u];
    return 0;
}

struct inside {
    const struct se_quotient *x;
    const uint32_t *module;
    double *inside;
};

enum { INSIDE = 2048 };         /* items a task */

static void inside_slice(void *arg, uint64_t task, int thread)
{
    const struct inside *w = arg;
    const struct se_quotient *x = w->x;
    const uint64_t first = task * INSIDE, n = x->n;

    (void)thread;
    for (uint64_t i = first; i < n && i < first + INSIDE; i++) {
        double twice = 0;
        for (uint64_t a = x->off[i]; a < x->off[i + 1]; a++)
            if (w->module[x->to[a]] == w->module[i])
                twice += se_quotient_weight(x, a);
        w->inside[i] = (x->inner ? x->inner[i] : 0) + twice / 2;
    }
}

void se_quotient_inside(const struct se_quotient *x, const uint32_t *module, double *inside,
                   int threads)
{
    struct inside w = { x, module, inside };

    se_parallel(se_quotient_threads(x, threads), (x->n + INSIDE - 1) / INSIDE, inside_slice, &w);
}

void se_visit_order(uint32_t *order, uint32_t *scratch, uint64_t n, uint64_t block,
                    uint64_t seed, uint64_t index)
{
    const uint64_t blocks = (n + block - 1) / block;
    uint64_t at = 0;
    struct se_rng r;

    se_rng_init(&r, seed, SE_RNG_TREE, index);
    for (uint64_t i = 0; i < blocks; i++)
        scratch[i] = (uint32_t)i;
    se_shuffle(&r, scratch, blocks);
    for (uint64_t i = 0; i < blocks; i++)
        for (uint64_t v = scratch[i] * block; v < (scratch[i] + 1) * block && v < n; v++)
            order[at++] = (uint32_t)v;
}

/* ---- tallies ---- */

int se_tally_room(struct se_tally *t, uint64_t keys, struct se_err *err)
{
    uint64_t slots = 16;

    if (keys > UINT32_MAX / 4)
        return se_fail(err, SE_EMEM, "a vertex has too many neighbours");
    while (slots < 2 * keys)
        slots *= 2;
    if (slots <= t->slots)
        return 0;
    se_tally_release(t);
    t->slot = se_zalloc(slots, sizeof *t->slot, err);
    t->used = se_alloc(slots / 2, sizeof *t->used, err);
    if (!t->slot || !t->used)
        return -1;
    t->slots = (uint32_t)slots;
    return 0;
}

void se_tally_begin(struct se_tally *t, uint64_t keys)
{
    const unsigned bits = keys <= 8 ? 4 : 65 - (unsigned)__builtin_clzll(keys - 1);

    t->shift = 32 - bits;       /* no more slots than needed, to stay in the cache */
    t->mask = (UINT32_C(1) << bits) - 1;
    t->count = 0;
    if (++t->stamp == 0) {
        memset(t->slot, 0, t->slots * sizeof *t->slot);
        t->stamp = 1;
    }
}

void se_tally_release(struct se_tally *t)
{
    free(t->slot);
    free(t->used);
    *t = (struct se_tally)SE_TALLY_INIT;
}

/* ---- partitions ---- */

uint64_t se_partition_compact(uint32_t *module, uint64_t n, uint64_t ids, uint32_t *seen)
{
    uint32_t count = 0;

    memset(seen, 0xff, ids * sizeof *seen);
    for (uint64_t i = 0; i < n; i++) {
        uint32_t *s = &seen[module[i]];
        if (*s == SE_NONE)
            *s = count++;
        module[i] = *s;
    }
    return count;
}

void se_partition_lists(const uint32_t *module, uint64_t n, uint64_t count, uint64_t *start,
                   uint32_t *list)
{
    memset(start, 0, (count + 1) * sizeof *start);
    for (uint64_t i = 0; i < n; i++)
        start[module[i] + 1]++;
    for (uint64_t j = 0; j < count; j++)
        start[j + 1] += start[j];
    for (uint64_t i = 0; i < n; i++)
        list[start[module[i]]++] = (uint32_t)i;
    memmove(start + 1, start, count * sizeof *start);
    start[0] = 0;
}

/* ---- the net of modules ---- */

enum { PIECES = 64 };

struct piece {                  /* modules first .. last-1 and their arcs */
    uint64_t first, last, at;
    uint32_t *to;
    double *w;
    size_t count, cap_to, cap_w;
    bool failed;
};

struct aggregate {
    const struct se_quotient *x;
    struct se_quotient *y;
    const uint32_t *module, *list;
    const uint64_t *start;
    struct piece piece[PIECES];
    struct se_tally *tally;     /* one per thread */
};

static int aggregate_module(struct aggregate *g, struct piece *p, uint64_t j,
                            struct se_tally *t, struct se_err *err)
{
    const struct se_quotient *x = g->x;
    uint64_t arcs = 0;
    double volume = 0, inner = 0, inside = 0;

    for (uint64_t k = g->start[j]; k < g->start[j + 1]; k++)
        arcs += x->off[g->list[k] + 1] - x->off[g->list[k]];
    if (arcs > g->y->n)
        arcs = g->y->n;
    if (se_tally_room(t, arcs, err) < 0)
        return -1;
    se_tally_begin(t, arcs);
    for (uint64_t k = g->start[j]; k < g->start[j + 1]; k++) {
        uint32_t i = g->list[k];
        volume += x->volume[i];
        inner += x->inner ? x->inner[i] : 0;
        for (uint64_t a = x->off[i]; a < x->off[i + 1]; a++) {
            uint32_t m = g->module[x->to[a]];
            if (m == j)
                inside += se_quotient_weight(x, a);
            else
                se_tally_add(t, m, se_quotient_weight(x, a));
        }
    }
    g->y->volume[j] = volume;
    if (g->y->inner)
        g->y->inner[j] = inner + inside / 2;
    g->y->off[j + 1] = t->count;
    if (se_grow(&p->to, &p->cap_to, p->count + t->count, sizeof *p->to, err) < 0 ||
        se_grow(&p->w, &p->cap_w, p->count + t->count, sizeof *p->w, err) < 0)
        return -1;
    for (uint32_t i = 0; i < t->count; i++) {
        p->to[p->count] = se_tally_at(t, i)->key;
        p->w[p->count++] = se_tally_at(t, i)->sum;
    }
    return 0;
}

static void aggregate_piece(void *arg, uint64_t task, int thread)
{
    struct aggregate *g = arg;
    struct piece *p = &g->piece[task];
    struct se_err err = SE_ERR_INIT;

    for (uint64_t j = p->first; j < p->last && !p->failed; j++)
        p->failed = aggregate_module(g, p, j, &g->tally[thread], &err) < 0;
}

static void join_piece(void *arg, uint64_t task, int thread)
{
    struct aggregate *g = arg;
    struct piece *p = &g->piece[task];

    (void)thread;
    if (p->count) {
        memcpy(g->y->to + p->at, p->to, p->count * sizeof *p->to);
        memcpy(g->y->w64 + p->at, p->w, p->count * sizeof *p->w);
    }
    free(p->to);
    free(p->w);
    p->to = NULL;
    p->w = NULL;
}

/* Cut the modules into pieces of about the same number of arcs. */
static void cut_pieces(struct aggregate *g, uint64_t count)
{
    const struct se_quotient *x = g->x;
    uint64_t j = 0, done = 0, total = x->arcs + x->n;

    for (int p = 0; p < PIECES; p++) {
        g->piece[p] = (struct piece){ .first = j };
        while (j < count && (p == PIECES - 1 || done < total / PIECES * (unsigned)(p + 1))) {
            for (uint64_t k = g->start[j]; k < g->start[j + 1]; k++)
                done += 1 + x->off[g->list[k] + 1] - x->off[g->list[k]];
            j++;
        }
        g->piece[p].last = j;
    }
}

static int aggregate_run(struct aggregate *g, uint64_t count, int threads,
                         struct se_err *err)
{
    struct se_quotient *y = g->y;
    bool failed = false;

    cut_pieces(g, count);
    threads = se_quotient_threads(g->x, threads);
    se_parallel(threads, PIECES, aggregate_piece, g);
    for (int p = 0; p < PIECES; p++) {
        g->piece[p].at = y->arcs;
        y->arcs += g->piece[p].count;
        failed |= g->piece[p].failed;
    }
    for (uint64_t j = 0; j < count; j++)
        y->off[j + 1] += y->off[j];
    y->to = se_alloc(y->arcs, sizeof *y->to, err);
    y->w64 = se_alloc(y->arcs, sizeof *y->w64, err);
    if (failed || !y->to || !y->w64) {
        for (int p = 0; p < PIECES; p++) {
            free(g->piece[p].to);
            free(g->piece[p].w);
        }
        return se_fail(err, SE_EMEM, "out of memory");
    }
    se_parallel(threads, PIECES, join_piece, g);
    return 0;
}

int se_quotient_aggregate(struct se_quotient *y, const struct se_quotient *x, const uint32_t *module,
                     uint64_t count, bool carry, int threads, struct se_err *err)
{
    struct aggregate g = { .x = x, .y = y, .module = module };
    uint64_t *start = se_alloc(count + 1, sizeof *start, err);
    uint32_t *list = se_alloc(x->n, sizeof *list, err);
    int rc = -1;

    y->n = count;
    y->vol = x->vol;
    y->off = se_zalloc(count + 1, sizeof *y->off, err);
    y->volume = se_alloc(count, sizeof *y->volume, err);
    if (carry)
        y->inner = se_alloc(count, sizeof *y->inner, err);
    g.tally = se_zalloc((uint64_t)threads, sizeof *g.tally, err);
    if (start && list && y->off && y->volume && (!carry || y->inner) && g.tally) {
        se_partition_lists(module, x->n, count, start, list);
        g.start = start;
        g.list = list;
        rc = aggregate_run(&g, count, threads, err);
    }
    for (int t = 0; g.tally && t < threads; t++)
        se_tally_release(&g.tally[t]);
    free(g.tally);
    free(start);
    free(list);
    return rc;
}
