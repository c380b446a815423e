/* intervals.c - trees whose modules are runs of consecutive vertices
 *
 * The runs of a level are found by dynamic programming.  With L(i,j) = limit - log2 V(i..j) the
 * best cut of items 0 .. j is best(j+1) = max over i of best(i) + I(i..j) L(i,j).  L falls as j
 * grows, and leaving out the items i .. i'-1 of a run loses at most A(i,i'), the weight of their
 * edges to later items.  So once best(j+1) - best(i) >= A(i,j+1) L(i,j), a run that starts at i
 * will never again beat one that starts at j + 1, and i is dropped.  This keeps the result exact
 * and the number of starts small wherever there are modules.
 *
 * For more levels, each level is cut anew between its neighbours until nothing gains. */
#include "common/tree/intervals.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/tree/refine.h"

enum { SWEEPS = 100 };
#define ENOUGH 1e-10            /* a share of the cost */

struct start {                  /* where the last run may begin */
    uint32_t at;
    double inside, limit;       /* I and L of the run from here to the current item */
    double bump;                /* weight of edges from it to items from here to the next start */
};

struct cutter {
    const struct se_quotient *x;
    struct start *start;
    double *best;               /* of the items before i, i = 0 .. items of the range */
    double *before, *ahead;     /* sums over these items: volume, weight of edges to later ones */
    uint32_t *from;             /* where the last run of the best cut of them starts */
};

static void cutter_release(struct cutter *c)
{
    free(c->start);
    free(c->best);
    free(c->before);
    free(c->ahead);
    free(c->from);
}

static int cutter_init(struct cutter *c, const struct se_quotient *x, struct se_err *err)
{
    c->x = x;
    c->start = se_alloc(x->n, sizeof *c->start, err);
    c->best = se_alloc(x->n + 1, sizeof *c->best, err);
    c->before = se_alloc(x->n + 1, sizeof *c->before, err);
    c->ahead = se_alloc(x->n + 1, sizeof *c->ahead, err);
    c->from = se_alloc(x->n + 1, sizeof *c->from, err);
    if (c->start && c->best && c->before && c->ahead && c->from)
        return 0;
    cutter_release(c);
    return -1;
}

/* Sums over the items first .. last - 1 */
static void sum_range(struct cutter *c, uint64_t first, uint64_t last)
{
    const struct se_quotient *x = c->x;

    c->best[0] = c->before[0] = c->ahead[0] = 0;
    for (uint64_t v = first; v < last; v++) {
        double later = 0;

        for (uint64_t a = x->off[v]; a < x->off[v + 1]; a++)
            if (x->to[a] > v && x->to[a] < last)
                later += se_quotient_weight(x, a);
        c->before[v - first + 1] = c->before[v - first] + x->volume[v];
        c->ahead[v - first + 1] = c->ahead[v - first] + later;
    }
}

/* Note the edges of item v to earlier ones at the last start that is not behind them. */
static void note_edges(struct cutter *c, uint64_t v, uint64_t first, uint32_t starts)
{
    const struct se_quotient *x = c->x;

    for (uint64_t a = x->off[v]; a < x->off[v + 1]; a++) {
        uint32_t low = 0, high = starts;

        if (x->to[a] < first || x->to[a] >= v)
            continue;
        while (low < high) {
            const uint32_t mid = low + (high - low) / 2;

            if (c->start[mid].at <= x->to[a] - first)
                low = mid + 1;
            else
                high = mid;
        }
        if (low > 0)
            c->start[low - 1].bump += se_quotient_weight(x, a);
    }
}

/* best and from of the items 0 .. j of the range.  Of several best cuts the one whose last run is
 * shortest: what gains nothing stays by itself. */
static void extend(struct cutter *c, uint32_t j, uint32_t starts, double limit)
{
    double most = c->best[j], more = 0;
    uint32_t from = j;

    for (uint32_t i = starts; i-- > 0;) {
        struct start *s = &c->start[i];
        const double volume = c->before[j + 1] - c->before[s->at];

        more += s->bump;
        s->bump = 0;
        s->inside += more;
        s->limit = volume > 0 ? limit - log2(volume) : INFINITY;
        if (s->inside > 0 && c->best[s->at] + s->inside * s->limit > most) {
            most = c->best[s->at] + s->inside * s->limit;
            from = s->at;
        }
    }
    c->best[j + 1] = most;
    c->from[j + 1] = from;
}

/* Drop the starts that cannot matter behind item j; returns how many are left. */
static uint32_t drop_starts(struct cutter *c, uint32_t j, uint32_t starts)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < starts; i++) {
        const struct start *s = &c->start[i];
        const double most = c->ahead[j + 1] - c->ahead[s->at];

        if (isinf(s->limit) || c->best[j + 1] - c->best[s->at] < most * s->limit)
            c->start[kept++] = *s;
    }
    return kept;
}

/* The best runs of the items first .. last - 1, numbered from *count on. */
static void cut_range(struct cutter *c, uint64_t first, uint64_t last, double limit,
                      uint32_t *module, uint64_t *count)
{
    uint32_t items = (uint32_t)(last - first), starts = 0, runs = 0;

    sum_range(c, first, last);
    for (uint32_t j = 0; j < items; j++) {
        c->start[starts++] = (struct start){ j, 0, 0, 0 };
        note_edges(c, first + j, first, starts);
        extend(c, j, starts, limit);
        starts = drop_starts(c, j, starts);
    }
    for (uint32_t j = items; j > 0; j = c->from[j])     /* from behind, so counted down */
        runs++;
    *count += runs;
    for (uint32_t j = items, run = 1; j > 0; j = c->from[j], run++)
        for (uint32_t i = c->from[j]; i < j; i++)
            module[first + i] = (uint32_t)(*count - run);
}

/* The best runs within each group of consecutive items; group NULL: all are one. */
static int cut_groups(const struct se_quotient *x, const uint32_t *group, uint32_t *module,
                      uint64_t *count, struct se_err *err)
{
    struct cutter c;

    if (cutter_init(&c, x, err) < 0)
        return -1;
    *count = 0;
    for (uint64_t first = 0, last; first < x->n; first = last) {
        double volume = 0;

        for (last = first; last < x->n && (!group || group[last] == group[first]); last++)
            volume += x->volume[last];
        cut_range(&c, first, last, volume > 0 ? log2(volume) : 0, module, count);
    }
    cutter_release(&c);
    return 0;
}

/* ---- levels ---- */

static int recut_level(struct se_levels *l, uint32_t level, int threads, struct se_err *err)
{
    const struct se_quotient *x = &l->net[level];
    uint32_t *group = se_alloc(x->n, sizeof *group, err);
    uint64_t count;
    int rc = -1;

    if (group) {
        for (uint64_t a = 0; a < x->n; a++)
            group[a] = l->up[level + 1][l->up[level][a]];
        rc = cut_groups(x, group, l->up[level], &count, err);
    }
    if (rc == 0)
        rc = se_levels_adopt(l, level, group, threads, err);
    free(group);
    return rc;
}

/* Cut the levels anew, the highest first, until the cost does not fall any more. */
static int recut(struct se_nest *t, const struct se_quotient *x, uint32_t k, int threads,
                 struct se_err *err)
{
    struct se_levels l = SE_LEVELS_INIT;
    int rc = se_levels_of_nest(&l, t, k, x, threads, err);
    bool better = true;

    for (int sweep = 0; rc == 0 && better && sweep < SWEEPS; sweep++) {
        const double cost = se_nest_cost(t);
        struct se_nest next = SE_NEST_INIT;

        for (uint32_t i = k - 1; rc == 0 && i-- > 0;)
            rc = recut_level(&l, i, threads, err);
        if (rc == 0)
            rc = se_levels_nest(&next, &l, err);
        better = rc == 0 && se_nest_cost(&next) < cost * (1 - ENOUGH);
        if (rc == 0)
            se_nest_better(t, &next);
        else
            se_nest_release(&next);
    }
    se_levels_release(&l);
    return rc;
}

/* Levels from the bottom up: the best runs, runs of these and so on. */
static int pile(struct se_nest *t, const struct se_quotient *x, uint32_t k, int threads,
                struct se_err *err)
{
    struct se_levels l = SE_LEVELS_INIT;
    int rc = se_levels_alloc(&l, x, k, err);

    for (uint32_t i = 0; rc == 0 && i < k; i++) {
        l.up[i] = se_zalloc(l.count[i], sizeof *l.up[i], err);
        rc = l.up[i] ? 0 : -1;
        l.count[i + 1] = 1;
        if (rc == 0 && i + 1 < k)
            rc = cut_groups(&l.net[i], NULL, l.up[i], &l.count[i + 1], err) < 0 ||
                 se_quotient_aggregate(&l.net[i + 1], &l.net[i], l.up[i], l.count[i + 1], false,
                                       threads, err) < 0 ? -1 : 0;
    }
    if (rc == 0)
        rc = se_levels_nest(t, &l, err);
    se_levels_release(&l);
    return rc;
}

/* The better of two: levels put on top of the best one of k = 2, and levels put below it. */
static int build(struct se_nest *t, const struct se_quotient *x, uint32_t k, int threads,
                 struct se_err *err)
{
    struct se_nest low = SE_NEST_INIT;
    int rc = pile(t, x, k < 2 ? k : 2, threads, err);

    if (rc == 0 && k > 2 && (rc = recut(t, x, k, threads, err)) == 0 &&
        (rc = pile(&low, x, k, threads, err)) == 0 &&
        (rc = recut(&low, x, k, threads, err)) == 0)
        se_nest_better(t, &low);
    if (rc < 0)
        se_nest_release(&low);
    return rc;
}

int se_tree_intervals(struct se_hierarchy *out, const struct se_graph *g, uint64_t k, bool pad,
                      int threads, struct se_err *err)
{
    struct se_quotient x = SE_QUOTIENT_INIT;
    struct se_nest t = SE_NEST_INIT;
    const uint32_t height = k > SE_INTERVAL_LEVELS ? SE_INTERVAL_LEVELS : (uint32_t)k;
    int rc = se_quotient_of_graph(&x, g, threads, err);

    if (rc == 0)
        rc = build(&t, &x, x.arcs == 0 ? 1 : height, threads, err);
    if (rc == 0)
        rc = se_nest_tree(out, &t, pad, err);
    se_nest_release(&t);
    se_quotient_release(&x);
    return rc;
}
