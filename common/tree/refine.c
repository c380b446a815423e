/* refine.c - a tree of height k improved level by level */
#include "common/tree/refine.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/progress.h"
#include "common/tree/tree_build.h"

int se_levels_regroup(struct se_levels *l, uint32_t level, int tries,
                      const struct se_search_options *how, double *gain, struct se_err *err)
{
    const struct se_quotient *x = &l->net[level];
    const uint64_t groups = l->count[level + 2];
    uint32_t *group = se_alloc(x->n, sizeof *group, err);
    double *limit = se_zalloc(groups, sizeof *limit, err);
    struct se_bound bound = { group, limit };
    int rc = -1;

    *gain = 0;
    if (group && limit) {
        for (uint64_t a = 0; a < x->n; a++) {
            group[a] = l->up[level + 1][l->up[level][a]];
            limit[group[a]] += x->volume[a];
        }
        for (uint64_t y = 0; y < groups; y++)
            limit[y] = limit[y] > 0 ? log2(limit[y]) : 0;
        if (groups == 1)
            bound.group = NULL;
        rc = se_partition_pool(x, &bound, l->up[level], false, tries, how, gain, err);
    }
    if (rc == 0)
        rc = se_levels_adopt(l, level, group, how->threads, err);
    free(group);
    free(limit);
    return rc;
}

int se_levels_sweep(struct se_levels *l, const struct se_refine_options *r, struct se_search_options *how,
                    struct se_err *err)
{
    double gain;

    for (uint32_t i = 0; i + 1 < l->k; i++) {
        how->seed += 1000;
        if (i + 2 < l->k && se_levels_shift(l, i, how, &gain, err) < 0)
            return -1;
        if (i >= r->lowest && se_levels_regroup(l, i, r->tries, how, &gain, err) < 0)
            return -1;
    }
    return 0;
}

bool se_nest_better(struct se_nest *a, struct se_nest *b)
{
    bool better = se_nest_cost(b) < se_nest_cost(a);

    if (better) {
        struct se_nest swap = *a;
        *a = *b;
        *b = swap;
    }
    se_nest_release(b);
    return better;
}

/* Levels to work on: the tree can grow by two at a time. */
static uint32_t levels_for(const struct se_nest *t, uint32_t k, struct se_err *err)
{
    uint32_t height = se_nest_height(t, err);

    return height == SE_NONE ? 0 : height + 2 < k ? height + 2 : k;
}

/* One round: `moved` is the tree with its levels swept, `split` the same rebuilt. */
static int one_round(const struct se_nest *t, const struct se_quotient *x, uint32_t k,
                     const struct se_refine_options *r, struct se_search_options *how,
                     struct se_nest *moved, struct se_nest *split, struct se_err *err)
{
    struct se_levels l = SE_LEVELS_INIT;
    uint32_t levels = levels_for(t, k, err);
    int rc = levels ? se_levels_of_nest(&l, t, levels, x, r->threads, err) : -1;

    if (rc == 0 && (rc = se_levels_sweep(&l, r, how, err)) == 0 &&
        (rc = se_levels_nest(moved, &l, err)) == 0 && r->rebuild &&
        (rc = se_chain_nest(split, &l, r->most, r->threads, err)) == 0)
        rc = se_squeeze_exact(split, k, err);
    se_levels_release(&l);
    return rc;
}

int se_refine(struct se_nest *t, const struct se_quotient *x, uint64_t k,
              const struct se_refine_options *r, struct se_err *err)
{
    struct se_search_options how = { r->seed, r->threads, r->cycles, r->sweep, r->until };
    unsigned left = SE_TREE_STEPS - r->from;

    if (k < 2 || x->n < 2 || x->arcs == 0)
        return 0;
    for (int i = 0; i < r->rounds && !se_late(r->until); i++) {
        struct se_nest moved = SE_NEST_INIT, split = SE_NEST_INIT;
        double before = se_nest_cost(t);

        if (one_round(t, x, (uint32_t)k, r, &how, &moved, &split, err) < 0) {
            se_nest_release(&moved);
            se_nest_release(&split);
            return -1;
        }
        se_nest_better(t, &moved);
        if (r->rebuild)
            se_nest_better(t, &split);
        if (before - se_nest_cost(t) <= r->enough * before)
            break;
        left /= 2;
        se_progress_at(r->progress, SE_TREE_STEPS - left);
    }
    return 0;
}
