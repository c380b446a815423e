/* netlevels.c - the modules of a tree, level by level, and the graphs among them */
#include "common/train/netlevels.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/graph/treelevel.h"
#include "common/stream/payload.h"

void se_netlevels_release(struct se_netlevels *x)
{
    for (int l = 0; l < SE_MOST_DEPTH; l++) {
        se_nngraph_release(&x->level[l].graph);
        free(x->level[l].off);
        free(x->level[l].member);
        free(x->level[l].parent);
    }
    free(x->one);
    free(x->each);
    memset(x, 0, sizeof *x);
}

/* Members by their modules, ascending */
static void sort_members(struct se_level *x, uint64_t below)
{
    for (uint64_t v = 0; v < below; v++)
        x->off[x->parent[v] + 1]++;
    for (uint64_t p = 0; p < x->n; p++)
        x->off[p + 1] += x->off[p];
    for (uint64_t v = below; v-- > 0;)          /* from the end: places count down */
        x->member[--x->off[x->parent[v] + 1]] = (uint32_t)v;
    for (uint64_t p = 0; p < x->n; p++)         /* off[p + 1] is where p starts */
        x->off[p] = x->off[p + 1];
    x->off[x->n] = below;
}

/* The modules that edges lead to from module p, and itself, into `to` unless it is NULL; seen: per
 * module the last one that it was met from, plus 1 */
static uint64_t near_modules(const struct se_level *x, const struct se_nngraph *below, uint32_t p,
                             uint32_t *seen, uint32_t *to)
{
    uint64_t count = 0;

    seen[p] = p + 1;
    if (to)
        to[count] = p;
    count++;
    for (uint64_t i = x->off[p]; i < x->off[p + 1]; i++)
        for (uint64_t e = below->off[x->member[i]]; e < below->off[x->member[i] + 1]; e++) {
            const uint32_t q = x->parent[below->to[e]];

            if (seen[q] == p + 1)
                continue;
            seen[q] = p + 1;
            if (to)
                to[count] = q;
            count++;
        }
    return count;
}

static int make_quotient(struct se_level *x, const struct se_nngraph *below, struct se_err *err)
{
    uint32_t *seen = se_zalloc(x->n, sizeof *seen, err);
    uint64_t *off = seen ? se_zalloc(x->n + 1, sizeof *off, err) : NULL;
    int rc = -1;

    for (uint64_t p = 0; off && p < x->n; p++)
        off[p + 1] = off[p] + near_modules(x, below, (uint32_t)p, seen, NULL);
    if (off && se_nngraph_room(&x->graph, x->n, off[x->n], err) == 0) {
        memcpy(x->graph.off, off, (x->n + 1) * sizeof *off);
        memset(seen, 0, x->n * sizeof *seen);
        for (uint64_t p = 0; p < x->n; p++) {
            uint32_t *to = x->graph.to + off[p];
            const uint64_t count = near_modules(x, below, (uint32_t)p, seen, to);

            qsort(to, count, sizeof *to, se_by_id);
        }
        for (uint64_t e = 0; e < x->graph.arcs; e++)
            x->graph.weight[e] = 1;
        se_nngraph_finish(&x->graph, off, 1);
        rc = 0;
    }
    free(seen);
    free(off);
    return rc;
}

/* Level l of the net, from that below; now, below: per vertex its module in each */
static int make_level(struct se_netlevels *x, int l, const uint32_t *below, const uint32_t *now,
                      const struct se_nngraph *from, struct se_err *err)
{
    struct se_level *m = &x->level[l];
    const uint64_t members = l == 0 ? from->n : x->level[l - 1].n;

    if (!(m->off = se_zalloc(m->n + 1, sizeof *m->off, err)) ||
        !(m->member = se_alloc(members, sizeof *m->member, err)) ||
        !(m->parent = se_alloc(members, sizeof *m->parent, err)))
        return -1;
    for (uint64_t v = 0; v < from->n; v++)
        m->parent[l == 0 ? v : below[v]] = now[v];
    sort_members(m, members);
    return make_quotient(m, l == 0 ? from : &x->level[l - 1].graph, err);
}

static int make_levels(struct se_netlevels *x, const struct se_tree *t, const struct se_nngraph *from,
                       uint32_t *module[2], struct se_err *err)
{
    for (int l = 0; l < x->count; l++)
        if (se_tree_partition(t, (uint64_t)(x->count - l), module[l % 2], &x->level[l].n, err) < 0 ||
            make_level(x, l, module[1 - l % 2], module[l % 2], from, err) < 0)
            return -1;
    if (!(x->one = se_alloc(from->n, sizeof *x->one, err)) ||
        !(x->each = se_alloc(from->n + 1, sizeof *x->each, err)))
        return -1;
    for (uint64_t v = 0; v < from->n; v++)
        x->one[v] = 1;
    for (uint64_t v = 0; v <= from->n; v++)
        x->each[v] = v;
    return 0;
}

int se_netlevels_make(struct se_netlevels *x, const struct se_tree *t, const struct se_nngraph *from,
                   struct se_err *err)
{
    uint32_t height, *depth = se_tree_depth(t, &height, err);
    uint32_t *module[2] = { NULL, NULL };
    int rc = -1;

    memset(x, 0, sizeof *x);
    free(depth);
    if (!depth)
        return -1;
    if (height < 2)
        return se_payload_fail(err, SE_TREE, "has no modules: every leaf hangs from the root");
    if (height > SE_MOST_DEPTH + 1)
        return se_payload_fail(err, SE_TREE, "has more than %d levels of modules; make one with "
                               "se-tree -K", SE_MOST_DEPTH);
    x->count = (int)height - 1;
    if ((module[0] = se_alloc(from->n, sizeof **module, err)) &&
        (module[1] = se_alloc(from->n, sizeof **module, err)))
        rc = make_levels(x, t, from, module, err);
    free(module[0]);
    free(module[1]);
    return rc;
}
