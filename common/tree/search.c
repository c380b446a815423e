/* search.c - a partition improved on all scales: items, modules, modules of modules
 *
 * A cycle climbs: move items, gather them into larger items, move those, until nothing
 * gathers; then descends: items of each scale are moved once more.  The first cycle gathers
 * modules; later ones gather refined modules (parts of modules that hold together by
 * themselves), so that a module can fall apart again. */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/tree/workings.h"

enum { SCALES = 60 };

struct scale {
    struct se_quotient net;          /* scale 0 borrows the caller's */
    uint32_t *module;           /* per item */
    uint32_t *part;             /* the item of the next scale that holds it */
    uint32_t *group;            /* as in struct se_bound; NULL: one group */
};

struct cycle {
    struct scale scale[SCALES];
    int top;
    const double *limit;
    struct se_search_options how;
    bool refine;
    double gain;
};

static int move(struct cycle *c, int i, struct se_err *err)
{
    struct scale *s = &c->scale[i];
    struct se_bound bound = { s->group, c->limit };
    double gain;

    c->how.seed++;
    if (se_partition_move(&s->net, &bound, s->module, &c->how, &gain, err) < 0)
        return -1;
    c->gain += gain;
    return 0;
}

/* Gather within each module, from single items. */
static int refine(struct cycle *c, struct scale *s, uint64_t modules, struct se_err *err)
{
    double *limit = se_alloc(modules, sizeof *limit, err), gain;
    struct se_bound bound = { s->module, limit };
    int rc = -1;

    if (limit) {
        for (uint64_t i = 0; i < s->net.n; i++) {
            limit[s->module[i]] = c->limit[s->group ? s->group[i] : 0];
            s->part[i] = (uint32_t)i;
        }
        c->how.seed++;
        rc = se_partition_move(&s->net, &bound, s->part, &c->how, &gain, err);
    }
    free(limit);
    return rc;
}

/* What becomes one item of the next scale.  Sets *count; as many as before: the end. */
static int gather(struct cycle *c, struct scale *s, uint64_t *count, struct se_err *err)
{
    uint64_t n = s->net.n, modules;
    uint32_t *seen = se_alloc(n, sizeof *seen, err);

    if (!seen)
        return -1;
    modules = *count = se_partition_compact(s->module, n, n, seen);
    if (c->refine) {
        if (refine(c, s, modules, err) < 0) {
            free(seen);
            return -1;
        }
        *count = se_partition_compact(s->part, n, n, seen);
    }
    free(seen);
    if (!c->refine || *count == n) {            /* nothing holds together: whole modules */
        memcpy(s->part, s->module, n * sizeof *s->part);
        *count = modules;
    }
    return 0;
}

static int next_scale(struct cycle *c, uint64_t count, struct se_err *err)
{
    struct scale *s = &c->scale[c->top], *t = s + 1;

    c->top++;
    t->module = se_alloc(count, sizeof *t->module, err);
    t->part = se_alloc(count, sizeof *t->part, err);
    if (s->group)
        t->group = se_alloc(count, sizeof *t->group, err);
    if (!t->module || !t->part || (s->group && !t->group) ||
        se_quotient_aggregate(&t->net, &s->net, s->part, count, true, c->how.threads, err) < 0)
        return -1;
    for (uint64_t i = 0; i < s->net.n; i++) {
        t->module[s->part[i]] = s->module[i];
        if (s->group)
            t->group[s->part[i]] = s->group[i];
    }
    return 0;
}

/* Is another scale worth it?  In a large net not for a few items that gather. */
static bool hardly_fewer(uint64_t count, uint64_t n)
{
    return count == n || (n > 20000 && n - count < n / 32);
}

/* still: the items of scale 0 have just been moved. */
static int climb(struct cycle *c, bool still, struct se_err *err)
{
    for (;;) {
        struct scale *s = &c->scale[c->top];
        uint64_t count;

        if (!(still && c->top == 0) && move(c, c->top, err) < 0)
            return -1;
        if (gather(c, s, &count, err) < 0)
            return -1;
        if (hardly_fewer(count, s->net.n) || c->top + 1 == SCALES)
            return 0;
        if (next_scale(c, count, err) < 0)
            return -1;
    }
}

static void drop_top(struct cycle *c)
{
    struct scale *s = &c->scale[c->top--];

    se_quotient_release(&s->net);
    free(s->module);
    free(s->part);
    free(s->group);
    *s = (struct scale){ .module = NULL };
}

static int descend(struct cycle *c, struct se_err *err)
{
    while (c->top > 0) {
        struct scale *s = &c->scale[c->top - 1];
        for (uint64_t i = 0; i < s->net.n; i++)
            s->module[i] = c->scale[c->top].module[s->part[i]];
        drop_top(c);
        if (move(c, c->top, err) < 0)
            return -1;
    }
    return 0;
}

int se_partition_search(const struct se_quotient *x, const struct se_bound *bound, uint32_t *module,
                   bool fresh, const struct se_search_options *how, double *gain,
                   struct se_err *err)
{
    struct cycle *c = se_zalloc(1, sizeof *c, err);
    uint32_t *spare = se_alloc(x->n, sizeof *spare, err);
    int rc = c && spare ? 0 : -1;

    *gain = 0;
    if (rc == 0) {
        union { const uint32_t *in; uint32_t *out; } group = { bound->group };
        c->scale[0] = (struct scale){ *x, module, spare, group.out };   /* only read */
        c->limit = bound->limit;
        c->how = *how;
    }
    for (uint32_t i = 0; fresh && i < x->n; i++)
        module[i] = i;
    for (int i = 0; rc == 0 && i < how->cycles; i++) {
        c->refine = i > 0 || !fresh;
        c->gain = 0;
        rc = climb(c, i > 0, err) < 0 || descend(c, err) < 0 ? -1 : 0;
        *gain += c->gain;
        if (i > 0 && c->gain <= 1e-9 * x->vol)
            break;
    }
    while (c && c->top > 0)
        drop_top(c);
    if (rc == 0)
        se_partition_compact(module, x->n, x->n, spare);
    free(spare);
    free(c);
    return rc;
}
