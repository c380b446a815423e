/* search_pool.c - several searches, and the best of each put together
 *
 * Where two good partitions agree they are most likely right.  So what lies together in both
 * becomes one item, and the search goes on from the better of the two with these items: it
 * can take over any part of the other, and none that makes it worse. */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

#include "common/tree/workings.h"

/* By how much the partition lowers the cost of single items. */
static double value_of(const struct se_web *x, const struct se_bound *bound,
                       const uint32_t *module, double *inside, double *volume)
{
    double value = 0;

    memset(inside, 0, x->n * sizeof *inside);
    memset(volume, 0, x->n * sizeof *volume);
    for (uint64_t i = 0; i < x->n; i++) {
        double twice = 0;
        for (uint64_t a = x->off[i]; a < x->off[i + 1]; a++)
            if (module[x->to[a]] == module[i])
                twice += se_web_weight(x, a);
        twice += x->inner ? 2 * x->inner[i] : 0;
        inside[module[i]] += twice / 2;
        volume[module[i]] += x->volume[i];
        value += twice / 2 * bound->limit[bound->group ? bound->group[i] : 0];
    }
    for (uint64_t j = 0; j < x->n; j++)
        value -= se_wlog(inside[j], volume[j]);
    return value;
}

struct pool {
    const struct se_web *x;
    const struct se_bound *bound;
    struct se_search how;
    uint32_t *both, *coarse, *group, *seen;
    double *inside, *volume;
};

/* Search with the items that `both` makes, from module[] on. */
static int search_overlay(struct pool *p, uint32_t *module, uint64_t count,
                          struct se_err *err)
{
    const struct se_web *x = p->x;
    struct se_web y = SE_WEB_INIT;
    struct se_bound bound = { p->bound->group ? p->group : NULL, p->bound->limit };
    double gain;
    int rc;

    for (uint64_t i = 0; i < x->n; i++) {
        p->coarse[p->both[i]] = module[i];
        if (p->bound->group)
            p->group[p->both[i]] = p->bound->group[i];
    }
    se_part_compact(p->coarse, count, x->n, p->seen);
    rc = se_web_aggregate(&y, x, p->both, count, true, p->how.threads, err);
    if (rc == 0)
        rc = se_part_search(&y, &bound, p->coarse, false, &p->how, &gain, err);
    se_web_release(&y);
    for (uint64_t i = 0; rc == 0 && i < x->n; i++)
        module[i] = p->coarse[p->both[i]];
    return rc;
}

/* a becomes better than both a and b, or as good. */
static int combine(struct pool *p, uint32_t *a, const uint32_t *b, struct se_err *err)
{
    const struct se_web *x = p->x;
    uint64_t count;

    if (se_part_overlay(a, b, x->n, p->both, &count, err) < 0)
        return -1;
    if (value_of(x, p->bound, b, p->inside, p->volume) >
        value_of(x, p->bound, a, p->inside, p->volume))
        memcpy(a, b, x->n * sizeof *a);
    p->how.seed += 100;
    return search_overlay(p, a, count, err);
}

/* A tournament: partitions of the same rank are combined to one of the next.  stack[] has
 * room for one of each rank and two more. */
static int play(struct pool *p, uint32_t **stack, uint32_t *module, int tries,
                struct se_err *err)
{
    uint64_t n = p->x->n;
    double gain;
    int top = 0;

    for (int i = 0; i < tries; i++) {
        if (i == 0)
            memcpy(stack[top], module, n * sizeof *module);
        else if (se_part_search(p->x, p->bound, stack[top], true, &p->how, &gain, err) < 0)
            return -1;
        top++;
        for (int rank = i + 1; rank % 2 == 0; rank /= 2, top--)
            if (combine(p, stack[top - 2], stack[top - 1], err) < 0)
                return -1;
        p->how.seed += 1 << 20;
    }
    for (; top > 1; top--)
        if (combine(p, stack[top - 2], stack[top - 1], err) < 0)
            return -1;
    memcpy(module, stack[0], n * sizeof *module);
    return 0;
}

enum { RANKS = 16 };

static int pool_run(struct pool *p, uint32_t *module, int tries, double *gain,
                    struct se_err *err)
{
    uint64_t n = p->x->n;
    uint32_t *stack[RANKS] = { NULL };
    int rc = 0, room = 2;

    while (room < RANKS && 1 << (room - 2) < tries)
        room++;
    for (int i = 0; i < room; i++)
        rc |= (stack[i] = se_alloc(n, sizeof *stack[i], err)) ? 0 : -1;
    p->both = se_alloc(n, sizeof *p->both, err);
    p->coarse = se_alloc(n, sizeof *p->coarse, err);
    p->group = se_alloc(n, sizeof *p->group, err);
    p->seen = se_alloc(n, sizeof *p->seen, err);
    p->inside = se_alloc(n, sizeof *p->inside, err);
    p->volume = se_alloc(n, sizeof *p->volume, err);
    if (rc == 0 && p->both && p->coarse && p->group && p->seen && p->inside && p->volume) {
        *gain -= value_of(p->x, p->bound, module, p->inside, p->volume);
        rc = play(p, stack, module, tries, err);
        *gain += value_of(p->x, p->bound, module, p->inside, p->volume);
    } else {
        rc = -1;
    }
    for (int i = 0; i < room; i++)
        free(stack[i]);
    free(p->both);
    free(p->coarse);
    free(p->group);
    free(p->seen);
    free(p->inside);
    free(p->volume);
    return rc;
}

int se_part_pool(const struct se_web *x, const struct se_bound *bound, uint32_t *module,
                 bool fresh, int tries, const struct se_search *how, double *gain,
                 struct se_err *err)
{
    struct pool p = { .x = x, .bound = bound, .how = *how };

    if (se_part_search(x, bound, module, fresh, how, gain, err) < 0)
        return -1;
    return tries > 1 ? pool_run(&p, module, tries, gain, err) : 0;
}
