/* search_pool.c - several searches, and the best of each put together
 *
 * Where two good partitions agree they are most likely right.  So what lies together in both
 * becomes one item, and the search goes on from the better of the two with these items: it
 * can take over any part of the other, and none that makes it worse.
 *
 * A module that both have is settled: the searches that follow take it for one item.  After the
 * first few, they also take a random half of the other modules as they are.  So they cost as much
 * as what they open, and end when nothing is open or when they gain nothing. */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/rng.h"
#include "common/tree/workings.h"

int se_partition_overlay(const uint32_t *a, const uint32_t *b, uint64_t n, uint32_t *both,
                    uint64_t *count, struct se_err *err)
{
    uint64_t *start = se_alloc(n + 1, sizeof *start, err);
    uint32_t *list = se_alloc(n, sizeof *list, err);
    uint32_t *met = se_alloc(n, sizeof *met, err), *id = se_alloc(n, sizeof *id, err);
    int rc = start && list && met && id ? 0 : -1;

    *count = 0;
    if (rc == 0) {
        se_partition_lists(a, n, n, start, list);
        memset(met, 0xff, n * sizeof *met);
        for (uint64_t i = 0; i < n; i++) {      /* module of a by module of a */
            uint32_t v = list[i], m = b[v];
            if (met[m] != a[v]) {
                met[m] = a[v];
                id[m] = (uint32_t)(*count)++;
            }
            both[v] = id[m];
        }
    }
    free(start);
    free(list);
    free(met);
    free(id);
    return rc;
}

/* By how much the partition lowers the cost of single items. */
static double value_of(const struct se_quotient *x, const struct se_bound *bound,
                       const uint32_t *module, double *inside, double *volume)
{
    double value = 0;

    memset(inside, 0, x->n * sizeof *inside);
    memset(volume, 0, x->n * sizeof *volume);
    for (uint64_t i = 0; i < x->n; i++) {
        double twice = 0;
        for (uint64_t a = x->off[i]; a < x->off[i + 1]; a++)
            if (module[x->to[a]] == module[i])
                twice += se_quotient_weight(x, a);
        twice += x->inner ? 2 * x->inner[i] : 0;
        inside[module[i]] += twice / 2;
        volume[module[i]] += x->volume[i];
        value += twice / 2 * bound->limit[bound->group ? bound->group[i] : 0];
    }
    for (uint64_t j = 0; j < x->n; j++)
        value -= se_wlog(inside[j], volume[j]);
    return value;
}

#define GAINS 1e-6              /* share of the value that a search must add to be worth it */
#define OPENED 0.5              /* share of the modules in dispute that a later search opens */
enum {
    VAIN = 3,                   /* searches in a row that may add less */
    WHOLE = 1,                  /* searches after a fresh first one that open all in dispute; */
    CHEAP = 200000              /* with fewer arcs, after any first one */
};

struct pool {
    const struct se_quotient *x;
    const struct se_bound *bound;
    struct se_search_options how;
    uint32_t *best, *other;     /* the partition so far; that of the last search */
    uint32_t *item;             /* per item of x: that of a smaller net */
    uint32_t *coarse, *group;   /* per item of the smaller net: module, group */
    uint32_t *seen;
    bool *settled;              /* per module of `best`: it stays as it is */
    double *inside, *volume;
};

/* A search of the net that item[] makes of x: from `from` on, or fresh if that is NULL. */
static int search_items(struct pool *p, const uint32_t *from, uint64_t count, uint32_t *module,
                        struct se_err *err)
{
    const struct se_quotient *x = p->x;
    struct se_quotient y = SE_QUOTIENT_INIT;
    struct se_bound bound = { p->bound->group ? p->group : NULL, p->bound->limit };
    double gain;
    int rc;

    for (uint64_t i = 0; i < x->n; i++) {
        if (from)
            p->coarse[p->item[i]] = from[i];
        if (p->bound->group)
            p->group[p->item[i]] = p->bound->group[i];
    }
    if (from)
        se_partition_compact(p->coarse, count, x->n, p->seen);
    rc = se_quotient_aggregate(&y, x, p->item, count, true, p->how.threads, err);
    if (rc == 0)
        rc = se_partition_search(&y, &bound, p->coarse, !from, &p->how, &gain, err);
    se_quotient_release(&y);
    for (uint64_t i = 0; rc == 0 && i < x->n; i++)
        module[i] = p->coarse[p->item[i]];
    return rc;
}

/* item[]: a settled module is one, all else stays apart.  Returns how many there are. */
static uint64_t open_items(struct pool *p)
{
    uint64_t count = 0;

    memset(p->seen, 0xff, p->x->n * sizeof *p->seen);
    for (uint64_t i = 0; i < p->x->n; i++) {
        uint32_t *s = &p->seen[p->best[i]];

        if (!p->settled[p->best[i]])
            p->item[i] = (uint32_t)count++;
        else
            p->item[i] = *s = *s == SE_NONE ? (uint32_t)count++ : *s;
    }
    return count;
}

/* Besides those settled, let some modules stay as they are in the next search. */
static void leave_closed(struct pool *p)
{
    struct se_rng r;

    se_rng_init(&r, p->how.seed, SE_RNG_TREE, p->x->n);
    for (uint64_t j = 0; j < p->x->n; j++)
        if (se_rng_unit(&r) >= OPENED)
            p->settled[j] = true;
}

static int search_open(struct pool *p, uint64_t count, struct se_err *err)
{
    double gain;

    return count == p->x->n
        ? se_partition_search(p->x, p->bound, p->other, true, &p->how, &gain, err)
        : search_items(p, NULL, count, p->other, err);
}

/* Put `other` into `best`, and see which modules of it both had.  *value: of `best`. */
static int combine(struct pool *p, double *value, struct se_err *err)
{
    const struct se_quotient *x = p->x;
    uint64_t count;

    if (se_partition_overlay(p->best, p->other, x->n, p->item, &count, err) < 0)
        return -1;
    if (value_of(x, p->bound, p->other, p->inside, p->volume) > *value) {
        uint32_t *swap = p->best;
        p->best = p->other;
        p->other = swap;
    }
    p->how.seed += 100;
    if (search_items(p, p->best, count, p->best, err) < 0)
        return -1;
    *value = value_of(x, p->bound, p->best, p->inside, p->volume);
    return 0;
}

/* A module of `best` is settled if `other` has the same. */
static void settle(struct pool *p)
{
    const uint64_t n = p->x->n;
    uint32_t *mine = p->item, *theirs = p->coarse, *first = p->seen;

    memset(mine, 0, n * sizeof *mine);          /* sizes */
    memset(theirs, 0, n * sizeof *theirs);
    memset(first, 0xff, n * sizeof *first);
    memset(p->settled, 1, n);
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t j = p->best[i];

        mine[j]++;
        theirs[p->other[i]]++;
        if (first[j] == SE_NONE)
            first[j] = p->other[i];
        else if (first[j] != p->other[i])
            p->settled[j] = false;
    }
    for (uint64_t j = 0; j < n; j++)
        p->settled[j] = p->settled[j] && mine[j] > 1 && mine[j] == theirs[first[j]];
}

/* fresh: what there is comes from single items, not from a tree that was improved before. */
static int play(struct pool *p, bool fresh, int tries, double *value, struct se_err *err)
{
    const double start = *value;
    const int whole = fresh || p->x->arcs < CHEAP ? WHOLE : 0;

    memset(p->settled, 0, p->x->n);
    for (int i = 1, vain = 0; i < tries && vain < VAIN && !se_late(p->how.until); i++) {
        const double before = *value;
        uint64_t count;

        p->how.seed += 1 << 20;
        if (i > whole)
            leave_closed(p);
        count = open_items(p);
        if (search_open(p, count, err) < 0 || combine(p, value, err) < 0)
            return -1;
        settle(p);
        vain = *value - before > GAINS * fabs(start) ? 0 : vain + 1;
    }
    return 0;
}

static void pool_release(struct pool *p)
{
    free(p->best);
    free(p->other);
    free(p->item);
    free(p->coarse);
    free(p->group);
    free(p->seen);
    free(p->settled);
    free(p->inside);
    free(p->volume);
}

static int pool_run(struct pool *p, uint32_t *module, bool fresh, int tries, double *gain,
                    struct se_err *err)
{
    const uint64_t n = p->x->n;
    int rc = -1;

    p->best = se_alloc(n, sizeof *p->best, err);
    p->other = se_alloc(n, sizeof *p->other, err);
    p->item = se_alloc(n, sizeof *p->item, err);
    p->coarse = se_alloc(n, sizeof *p->coarse, err);
    p->group = se_alloc(n, sizeof *p->group, err);
    p->seen = se_alloc(n, sizeof *p->seen, err);
    p->settled = se_alloc(n, sizeof *p->settled, err);
    p->inside = se_alloc(n, sizeof *p->inside, err);
    p->volume = se_alloc(n, sizeof *p->volume, err);
    if (p->best && p->other && p->item && p->coarse && p->group && p->seen && p->settled &&
        p->inside && p->volume) {
        double value = value_of(p->x, p->bound, module, p->inside, p->volume);

        *gain -= value;
        memcpy(p->best, module, n * sizeof *module);
        rc = play(p, fresh, tries, &value, err);
        memcpy(module, p->best, n * sizeof *module);
        *gain += value;
    }
    pool_release(p);
    return rc;
}

int se_partition_pool(const struct se_quotient *x, const struct se_bound *bound, uint32_t *module,
                 bool fresh, int tries, const struct se_search_options *how, double *gain,
                 struct se_err *err)
{
    struct pool p = { .x = x, .bound = bound, .how = *how };

    if (se_partition_search(x, bound, module, fresh, how, gain, err) < 0)
        return -1;
    return tries > 1 ? pool_run(&p, module, fresh, tries, gain, err) : 0;
}
