/* gen_edges.c - the edges of a generated graph
 *
 * Each edge is drawn from its own numbers, on any thread.  Pairs that came twice are then
 * replaced one by one; which of the equal ones is replaced does not matter, only whether it
 * was within a class. */
#include <math.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/base/rng.h"
#include "common/base/set.h"
#include "common/base/sort.h"
#include "common/graph/gen_parts.h"

enum kind { TIGHT, LOOSE, CROSS };

enum {
    TASK = 1 << 14,             /* edges of a task */
    WIDEN = 4,                  /* after so many tries in vain, look one level up */
    FORGET_BLOCKS = 32,         /* then anywhere in the class */
    FORGET_WEIGHTS = 64         /* then without regard to expected degrees */
};

struct model {
    const struct se_places *places;
    const struct se_gen *gen;
    struct se_gen_counts count;
    double *upto;               /* weights of the places before each, n + 1; NULL: all equal */
    uint32_t *guide;            /* first place to look at for each n-th of all weight */
    uint64_t *key;              /* the edges, lower end first */
};

static struct se_block whole(const struct model *m)
{
    return (struct se_block){ 0, m->gen->n };
}

/* Expected degrees by a power law, cut off where hubs would have to share many edges. */
static int weigh(struct model *m, struct se_err *err)
{
    const struct se_gen *g = m->gen;
    const double power = -1 / (g->exponent - 1), mean = (g->exponent - 1) / (g->exponent - 2);
    const double most = mean * fmax(1, sqrt((double)g->n / fmax(1, g->degree)));

    m->upto = se_alloc(g->n + 1, sizeof *m->upto, err);
    m->guide = m->upto ? se_alloc(g->n + 1, sizeof *m->guide, err) : NULL;
    if (!m->guide)
        return -1;
    m->upto[0] = 0;
    for (uint64_t x = 0; x < g->n; x++) {
        struct se_rng r;

        se_rng_init(&r, g->seed, SE_RNG_GEN_LABELS, x + 1);
        m->upto[x + 1] = m->upto[x] + fmin(most, pow(1 - se_rng_unit(&r), power));
    }
    const double step = m->upto[g->n] / (double)g->n;
    for (uint64_t i = 0, x = 0; i <= g->n; i++) {
        while (x + 1 < g->n && m->upto[x + 1] <= (double)i * step)
            x++;
        m->guide[i] = (uint32_t)x;
    }
    return 0;
}

/* The place that the weight `at` falls on. */
static uint64_t place_of(const struct model *m, double at, struct se_block b)
{
    const double all = m->upto[m->gen->n];
    uint64_t x = m->guide[(uint64_t)fmin(at / all * (double)m->gen->n, (double)m->gen->n)];

    while (x > b.first && m->upto[x] > at)      /* rounding may have put us one too far */
        x--;
    while (x + 1 < b.last && m->upto[x + 1] <= at)
        x++;
    return x < b.first ? b.first : x;
}

static uint64_t pick(const struct model *m, struct se_rng *r, struct se_block b, bool weighted)
{
    if (!weighted)
        return b.first + se_rng_below(r, se_block_size(b));
    const double from = m->upto[b.first], to = m->upto[b.last];

    return place_of(m, from + se_rng_unit(r) * (to - from), b);
}

/* A place outside the block. */
static uint64_t pick_outside(const struct model *m, struct se_rng *r, struct se_block b,
                             bool weighted)
{
    if (!weighted) {
        const uint64_t x = se_rng_below(r, m->gen->n - se_block_size(b));

        return x < b.first ? x : x + se_block_size(b);
    }
    const double from = m->upto[b.first], to = m->upto[b.last], all = m->upto[m->gen->n];
    const double at = se_rng_unit(r) * (all - (to - from));

    if (b.last == m->gen->n || (b.first > 0 && at < from))
        return place_of(m, at, (struct se_block){ 0, b.first });
    return place_of(m, fmax(to, at + (to - from)), (struct se_block){ b.last, m->gen->n });
}

/* One try.  False if it gave no edge. */
static bool draw_within(const struct model *m, struct se_rng *r, unsigned deepest,
                        bool weighted, uint64_t end[2])
{
    const struct se_gen *g = m->gen;
    struct se_block b = whole(m), inside;

    end[0] = pick(m, r, b, weighted);
    while (deepest > 0 && se_rng_unit(r) >= g->tight)
        deepest--;
    for (unsigned level = 0; level <= deepest; level++, b = inside) {
        inside = se_block_part(b, se_block_find(b, end[0], g->branch[level]),
                               g->branch[level]);
        if (se_block_size(inside) < 2) {
            if (level == 0)
                return false;
            break;
        }
    }
    end[1] = pick(m, r, b, weighted);
    return end[0] != end[1];
}

static bool draw_between(const struct model *m, struct se_rng *r, bool weighted,
                         uint64_t end[2])
{
    const uint64_t classes = m->gen->branch[0];

    end[0] = pick(m, r, whole(m), weighted);
    const uint64_t own = se_block_find(whole(m), end[0], classes);
    end[1] = pick_outside(m, r, se_block_part(whole(m), own, classes), weighted);
    return true;
}

static bool draw(const struct model *m, struct se_rng *r, enum kind kind, uint64_t tries,
                 uint64_t *key)
{
    const bool weighted = m->upto && tries < FORGET_WEIGHTS;
    uint64_t end[2];
    uint32_t u, v;

    if (kind == CROSS) {
        if (!draw_between(m, r, weighted, end))
            return false;
    } else {
        const uint64_t up = kind == LOOSE || tries >= FORGET_BLOCKS ? SE_GEN_LEVELS
                                                                    : tries / WIDEN;
        const unsigned last = m->gen->levels - 1;

        if (!draw_within(m, r, up < last ? last - (unsigned)up : 0, weighted, end))
            return false;
    }
    u = m->places->vertex[end[0]];
    v = m->places->vertex[end[1]];
    *key = u < v ? (uint64_t)u << 32 | v : (uint64_t)v << 32 | u;
    return true;
}

static void draw_task(void *arg, uint64_t task, int thread)
{
    const struct model *m = arg;
    const struct se_gen_counts *c = &m->count;
    const uint64_t end = (task + 1) * TASK < c->edges ? (task + 1) * TASK : c->edges;

    (void)thread;
    for (uint64_t e = task * TASK; e < end; e++) {
        const enum kind kind = e < c->loose ? LOOSE : e < c->same ? TIGHT : CROSS;
        struct se_rng r;

        se_rng_init(&r, m->gen->seed, SE_RNG_GEN_EDGES, e);
        for (uint64_t tries = 0; !draw(m, &r, kind, tries, &m->key[e]);)
            tries++;
    }
}

static bool is_same(const struct model *m, uint64_t key)
{
    return m->places->label[key >> 32] == m->places->label[key & UINT32_MAX];
}

static bool has_key(const uint64_t *key, uint64_t count, uint64_t x)
{
    uint64_t low = 0, high = count;

    while (low < high) {
        const uint64_t mid = low + (high - low) / 2;

        if (key[mid] < x)
            low = mid + 1;
        else
            high = mid;
    }
    return low < count && key[low] == x;
}

/* Sort, leave each pair once, and draw new pairs for those that went, behind the sorted
 * ones; sort again if there were any. */
static int make_simple(struct model *m, struct se_err *err)
{
    const struct se_gen_counts *c = &m->count;
    uint64_t *scratch = se_alloc(c->edges, sizeof *scratch, err), kept = 0, same = 0;
    struct se_set new = SE_SET_INIT;

    if (!scratch)
        return -1;
    se_sort_u64(m->key, scratch, c->edges);
    for (uint64_t e = 0; e < c->edges; e++)
        if (e == 0 || m->key[e] != m->key[kept - 1]) {
            m->key[kept++] = m->key[e];
            same += is_same(m, m->key[e]);
        }
    if (kept < c->edges && se_set_make(&new, c->edges - kept, err) < 0) {
        free(scratch);
        return -1;
    }
    for (uint64_t e = kept; e < c->edges; e++) {
        const enum kind kind = same++ >= c->same ? CROSS : c->loose < c->same ? TIGHT : LOOSE;
        struct se_rng r;
        uint64_t tries = 0;

        se_rng_init(&r, m->gen->seed, SE_RNG_GEN_EDGES, c->edges + (e - kept));
        while (!draw(m, &r, kind, tries, &m->key[e]) || has_key(m->key, kept, m->key[e]) ||
               !se_set_add(&new, m->key[e]))
            tries++;
    }
    if (kept < c->edges)
        se_sort_u64(m->key, scratch, c->edges);
    se_set_release(&new);
    free(scratch);
    return 0;
}

static int put_graph(const struct model *m, struct se_stream *s, struct se_err *err)
{
    const uint64_t n = m->gen->n, edges = m->count.edges;
    uint64_t *off = se_zalloc(n + 1, sizeof *off, err);
    uint32_t *to = off ? se_alloc(edges, sizeof *to, err) : NULL;
    int rc = -1;

    if (to) {
        const struct se_graph g = { n, edges, 0, off, to, NULL, NULL, NULL };

        for (uint64_t e = 0; e < edges; e++) {
            off[(m->key[e] >> 32) + 1]++;
            to[e] = (uint32_t)m->key[e];
        }
        for (uint64_t v = 0; v < n; v++)
            off[v + 1] += off[v];
        rc = se_graph_put(&g, s, SE_GRAPH, NULL, err);
    }
    free(off);
    free(to);
    return rc;
}

int se_gen_put_edges(const struct se_places *p, struct se_stream *s, struct se_err *err)
{
    struct model m = { .places = p, .gen = p->gen };
    int rc = -1;

    se_gen_count(p->gen, &m.count);
    m.key = se_alloc(m.count.edges, sizeof *m.key, err);
    if (m.key && (p->gen->exponent == 0 || weigh(&m, err) == 0)) {
        se_parallel(p->gen->threads, (m.count.edges + TASK - 1) / TASK, draw_task, &m);
        rc = make_simple(&m, err) < 0 ? -1 : put_graph(&m, s, err);
    }
    free(m.upto);
    free(m.guide);
    free(m.key);
    return rc;
}
