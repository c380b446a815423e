/* combine.c - two trees put together
 *
 * Where two good trees agree they are most likely right.  So vertices that lie together in
 * the lowest modules of both become one item, and the better tree is improved with these
 * items for vertices: it can take over any part of the other. */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/rng.h"
#include "common/tree/refine.h"

#define SHAKEN 0.2              /* share of the modules that are taken apart */

/* Replace level 0: `items` stands for the vertices, block[] says where each is. */
static int coarsen(struct se_levels *l, struct se_quotient *items, const uint32_t *block,
                   uint64_t count, int threads, struct se_err *err)
{
    uint32_t *up = se_alloc(count, sizeof *up, err);

    if (!up || se_quotient_aggregate(items, &l->net[0], block, count, true, threads, err) < 0) {
        free(up);
        return -1;
    }
    for (uint64_t v = 0; v < l->count[0]; v++)
        up[block[v]] = l->up[0][v];
    free(l->up[0]);
    l->up[0] = up;
    l->net[0] = *items;
    l->count[0] = count;
    return 0;
}

static int expand(struct se_levels *l, const struct se_quotient *x, const uint32_t *block,
                  struct se_err *err)
{
    uint32_t *up = se_alloc(x->n, sizeof *up, err);

    if (!up)
        return -1;
    for (uint64_t v = 0; v < x->n; v++)
        up[v] = l->up[0][block[v]];
    free(l->up[0]);
    l->up[0] = up;
    l->net[0] = *x;
    l->count[0] = x->n;
    return 0;
}

/* Sweep the levels with the items that `other` leaves of the lowest modules, then as is. */
static int sweep_blocks(struct se_levels *l, const struct se_levels *other,
                        const struct se_refine_options *r, struct se_err *err)
{
    const struct se_quotient x = l->net[0];
    struct se_search_options how = { r->seed, r->threads, r->cycles, r->sweep, r->until };
    struct se_quotient items = SE_QUOTIENT_INIT;
    uint32_t *block = se_alloc(x.n, sizeof *block, err);
    uint64_t count;
    int rc = -1;

    if (block && se_partition_overlay(l->up[0], other->up[0], x.n, block, &count, err) == 0 &&
        coarsen(l, &items, block, count, r->threads, err) == 0 &&
        se_levels_sweep(l, r, &how, err) == 0 && expand(l, &x, block, err) == 0)
        rc = r->rounds > 0 ? se_levels_sweep(l, r, &how, err) : 0;
    se_quotient_release(&items);
    free(block);
    return rc;
}

int se_nest_combine(struct se_nest *a, struct se_nest *b, const struct se_quotient *x, uint32_t k,
                    const struct se_refine_options *r, struct se_err *err)
{
    struct se_levels la = SE_LEVELS_INIT, lb = SE_LEVELS_INIT;
    struct se_nest both = SE_NEST_INIT;
    int rc = -1;

    if (se_nest_cost(b) < se_nest_cost(a)) {
        struct se_nest swap = *a;
        *a = *b;
        *b = swap;
    }
    if (se_levels_of_nest(&la, a, k, x, r->threads, err) == 0 &&
        se_levels_of_nest(&lb, b, k, x, r->threads, err) == 0 &&
        sweep_blocks(&la, &lb, r, err) == 0)
        rc = se_levels_nest(&both, &la, err);
    se_levels_release(&la);
    se_levels_release(&lb);
    se_nest_release(b);
    if (rc == 0)
        se_nest_better(a, &both);
    else
        se_nest_release(&both);
    return rc;
}

/* `t` without some of its modules. */
static int take_apart(struct se_nest *out, const struct se_nest *t, uint64_t seed,
                      struct se_err *err)
{
    bool *keep = se_alloc(t->nodes, sizeof *keep, err);
    struct se_rng r;
    int rc = -1;

    if (keep && se_nest_alloc(out, t->n, t->nodes, err) == 0) {
        memcpy(out->parent, t->parent, t->nodes * sizeof *t->parent);
        memcpy(out->volume, t->volume, t->nodes * sizeof *t->volume);
        memcpy(out->cut, t->cut, t->nodes * sizeof *t->cut);
        se_rng_init(&r, seed, SE_RNG_TREE, t->nodes);
        for (uint64_t a = t->n; a < t->nodes; a++)
            keep[a] = se_rng_unit(&r) >= SHAKEN;
        rc = se_nest_prune(out, keep, err);
    }
    free(keep);
    return rc;
}

int se_nest_shaken(struct se_nest *out, const struct se_nest *t, const struct se_quotient *x,
                   uint32_t k, const struct se_refine_options *r, struct se_err *err)
{
    return take_apart(out, t, r->seed, err) < 0 ? -1 : se_refine(out, x, k, r, err);
}
