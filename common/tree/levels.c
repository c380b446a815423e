/* levels.c - a tree of height k as k maps, each level to the next
 *
 * A leaf or node that hangs higher than its level is repeated on the levels between as a
 * module of its own, which changes nothing in H. */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/tree/workings.h"

void se_levels_release(struct se_levels *l)
{
    for (uint32_t i = 0; i < l->k; i++) {
        if (l->up)
            free(l->up[i]);
        if (l->net && i > 0)
            se_quotient_release(&l->net[i]);
    }
    free(l->up);
    free(l->net);
    free(l->count);
    *l = (struct se_levels)SE_LEVELS_INIT;
}

int se_levels_alloc(struct se_levels *l, const struct se_quotient *base, uint32_t k,
                    struct se_err *err)
{
    l->k = k;
    l->count = se_zalloc((uint64_t)k + 1, sizeof *l->count, err);
    l->up = se_zalloc(k, sizeof *l->up, err);
    l->net = se_zalloc(k, sizeof *l->net, err);
    if (!l->count || !l->up || !l->net)
        return -1;
    l->net[0] = *base;
    l->count[0] = base->n;
    return 0;
}

int se_levels_nets(struct se_levels *l, uint32_t from, int threads, struct se_err *err)
{
    for (uint32_t i = from; i + 1 < l->k; i++) {
        se_quotient_release(&l->net[i + 1]);
        if (se_quotient_aggregate(&l->net[i + 1], &l->net[i], l->up[i], l->count[i + 1], false,
                             threads, err) < 0)
            return -1;
    }
    return 0;
}

int se_levels_adopt(struct se_levels *l, uint32_t level, const uint32_t *group, int threads,
                    struct se_err *err)
{
    const uint32_t *module = l->up[level];
    uint64_t count = 0;
    uint32_t *up;

    for (uint64_t a = 0; a < l->count[level]; a++)
        if (module[a] >= count)
            count = (uint64_t)module[a] + 1;
    up = se_alloc(count, sizeof *up, err);
    if (!up)
        return -1;
    for (uint64_t a = 0; a < l->count[level]; a++)
        up[module[a]] = group[a];
    free(l->up[level + 1]);
    l->up[level + 1] = up;
    l->count[level + 1] = count;
    return se_levels_nets(l, level, threads, err);
}

/* key[a]: the node of the tree that item a of level i stands for.  Makes those of i + 1. */
static int climb_level(struct se_levels *l, uint32_t i, const struct se_nest *t,
                       const uint32_t *depth, uint32_t *key, uint32_t *seen,
                       struct se_err *err)
{
    uint32_t count = 0;

    l->up[i] = se_alloc(l->count[i], sizeof *l->up[i], err);
    if (!l->up[i])
        return -1;
    memset(seen, 0xff, t->nodes * sizeof *seen);
    for (uint64_t a = 0; a < l->count[i]; a++) {
        uint32_t p = t->parent[key[a]];
        if (l->k - depth[p] != i + 1)
            p = key[a];
        if (seen[p] == SE_NONE)
            seen[p] = count++;
        l->up[i][a] = seen[p];
    }
    for (uint64_t p = 0; p < t->nodes; p++)
        if (seen[p] != SE_NONE)
            key[seen[p]] = (uint32_t)p;
    l->count[i + 1] = count;
    return 0;
}

int se_levels_of_nest(struct se_levels *l, const struct se_nest *t, uint32_t k,
                      const struct se_quotient *base, int threads, struct se_err *err)
{
    uint32_t *depth = se_zalloc(t->nodes, sizeof *depth, err);
    uint32_t *key = se_alloc(t->nodes, sizeof *key, err);
    uint32_t *seen = se_alloc(t->nodes, sizeof *seen, err);
    int rc = -1;

    if (depth && key && seen && se_levels_alloc(l, base, k, err) == 0) {
        for (uint64_t a = t->nodes - 1; a-- > 0;)
            depth[a] = depth[t->parent[a]] + 1;
        for (uint32_t v = 0; v < t->n; v++)
            key[v] = v;
        rc = 0;
        for (uint32_t i = 0; rc == 0 && i < k; i++)
            rc = climb_level(l, i, t, depth, key, seen, err);
    }
    free(depth);
    free(key);
    free(seen);
    return rc < 0 ? -1 : se_levels_nets(l, 0, threads, err);
}

int se_levels_nest(struct se_nest *t, const struct se_levels *l, struct se_err *err)
{
    uint64_t nodes = 0, first = 0;
    bool *keep;
    int rc;

    for (uint32_t i = 0; i <= l->k; i++)
        nodes += l->count[i];
    if (se_nest_alloc(t, l->count[0], nodes, err) < 0)
        return -1;
    for (uint32_t i = 0; i < l->k; i++) {
        const struct se_quotient *x = &l->net[i];
        uint64_t above = first + l->count[i];
        for (uint64_t a = 0; a < l->count[i]; a++) {
            uint64_t p = above + l->up[i][a];
            double twice = 0;
            t->parent[first + a] = (uint32_t)p;
            t->volume[first + a] = x->volume[a];
            for (uint64_t e = x->off[a]; e < x->off[a + 1]; e++)
                if (l->up[i][x->to[e]] == l->up[i][a])
                    twice += se_quotient_weight(x, e);
            t->cut[p] += twice / 2;
        }
        first = above;
    }
    t->parent[nodes - 1] = SE_NONE;
    t->volume[nodes - 1] = l->net[0].vol;
    keep = se_alloc(nodes, sizeof *keep, err);
    if (!keep)
        return -1;
    for (uint64_t a = 0; a < nodes; a++)
        keep[a] = true;
    rc = se_nest_prune(t, keep, err);
    free(keep);
    return rc;
}

/* up[i] of the items of net i by a search; items that gain nothing stay by themselves. */
static int pile_level(struct se_levels *l, uint32_t i, const struct se_search_options *how,
                      struct se_err *err)
{
    const struct se_quotient *x = &l->net[i];
    const double limit = log2(x->vol);
    const struct se_bound bound = { NULL, &limit };
    double gain;
    uint64_t count = 0;

    l->up[i] = se_alloc(x->n, sizeof *l->up[i], err);
    if (!l->up[i] || se_partition_search(x, &bound, l->up[i], true, how, &gain, err) < 0)
        return -1;
    for (uint64_t a = 0; a < x->n; a++)
        if (l->up[i][a] >= count)
            count = (uint64_t)l->up[i][a] + 1;
    l->count[i + 1] = count;
    return 0;
}

int se_levels_pile(struct se_levels *l, const struct se_quotient *base, const uint32_t *module,
                   uint32_t k, const struct se_search_options *how, struct se_err *err)
{
    if (se_levels_alloc(l, base, k, err) < 0 ||
        !(l->up[0] = se_alloc(base->n, sizeof **l->up, err)))
        return -1;
    memcpy(l->up[0], module, base->n * sizeof *module);
    for (uint64_t v = 0; v < base->n; v++)
        if (module[v] >= l->count[1])
            l->count[1] = (uint64_t)module[v] + 1;
    for (uint32_t i = 1; i < k; i++) {
        if (se_quotient_aggregate(&l->net[i], &l->net[i - 1], l->up[i - 1], l->count[i], false,
                             how->threads, err) < 0)
            return -1;
        if (i + 1 < k) {
            if (pile_level(l, i, how, err) < 0)
                return -1;
        } else {
            l->up[i] = se_zalloc(l->count[i], sizeof *l->up[i], err);
            l->count[k] = 1;
            if (!l->up[i])
                return -1;
        }
    }
    return 0;
}
