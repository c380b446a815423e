/* dist_search.c - modules on all scales, by several processes
 *
 * As in search.c: move items, gather modules into items of a smaller net, move those; and as soon
 * as one process has memory for the net, it goes on alone.  Then the way back: items of each
 * scale are moved once more. */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/tree/dist_workings.h"

enum { SCALES = 40 };

struct scale {
    struct se_share rows;        /* of scale 0: the caller's */
    struct se_dist_bound bound; /* as well; group NULL: none */
    uint32_t *module;           /* n + halo */
    uint32_t *up;               /* n + halo: the item of the next scale */
    uint32_t *lower;            /* n: the module of the scale below that each item was */
};

struct search {
    struct scale scale[SCALES];
    int top;
    struct se_dist_options how;
};

static const struct se_dist_bound *bound_of(const struct scale *s)
{
    return s->bound.group ? &s->bound : NULL;
}

static int move(struct search *s, int i, struct se_err *err)
{
    struct scale *c = &s->scale[i];

    s->how.seed++;
    return se_dist_move(&c->rows, bound_of(c), c->module, s->how.seed, err);
}

static void drop_top(struct search *s)
{
    struct scale *c = &s->scale[s->top--];

    se_share_release(&c->rows);
    free(c->bound.group);
    free(c->bound.limit);
    free(c->module);
    free(c->up);
    free(c->lower);
    memset(c, 0, sizeof *c);
}

/* Groups of the items of the next scale: a module is within one, and has the number of an item that
 * is in it. */
static int carry_bound(struct scale *t, const struct scale *s, struct se_err *err)
{
    const uint64_t n = t->rows.n, first = s->rows.first;

    if (!s->bound.group)
        return 0;
    t->bound.group = se_alloc(n + t->rows.halo, sizeof *t->bound.group, err);
    t->bound.limit = se_alloc(n, sizeof *t->bound.limit, err);
    if (!t->bound.group || !t->bound.limit)
        return -1;
    for (uint64_t i = 0; i < n; i++) {
        t->bound.group[i] = s->bound.group[t->lower[i] - first];
        t->bound.limit[i] = s->bound.limit[t->lower[i] - first];
    }
    return se_share_fetch(&t->rows, t->bound.group, err);
}

static int next_scale(struct search *s, struct se_err *err)
{
    struct scale *c = &s->scale[s->top], *t = c + 1;

    s->top++;
    free(c->up);
    c->up = se_alloc(c->rows.n + c->rows.halo, sizeof *c->up, err);
    if (!c->up || se_share_aggregate(&t->rows, &c->rows, c->module, true, c->up, &t->lower, err) < 0)
        return -1;
    t->module = se_alloc(t->rows.n + t->rows.halo, sizeof *t->module, err);
    if (!t->module)
        return -1;
    for (uint32_t i = 0; i < t->rows.n + t->rows.halo; i++)
        t->module[i] = se_share_id(&t->rows, i);
    return carry_bound(t, c, err);
}

static bool hardly_fewer(const struct se_share *y, const struct se_share *x)
{
    return y->all == x->all || x->all - y->all < x->all / 32;
}

static int climb(struct search *s, struct se_err *err)
{
    for (;;) {
        struct scale *c = &s->scale[s->top];

        if (c->rows.all_arcs <= s->how.gather)
            return se_share_search(&c->rows, bound_of(c), c->module, &s->how, err);
        if (move(s, s->top, err) < 0)
            return -1;
        if (s->top + 1 == SCALES)
            return 0;
        if (next_scale(s, err) < 0)
            return -1;
        if (hardly_fewer(&s->scale[s->top].rows, &c->rows) &&
            s->scale[s->top].rows.all_arcs > s->how.gather) {
            drop_top(s);
            return 0;
        }
    }
}

/* The modules of the top for the items of the scale below */
static int project(struct search *s, struct se_err *err)
{
    struct scale *t = &s->scale[s->top], *c = t - 1;
    uint32_t *old = se_alloc(t->rows.n, sizeof *old, err);
    int rc = -1;

    if (old && se_share_ask(&t->rows, t->module, t->rows.n, t->lower, old, err) == 0 &&
        se_share_ask(&t->rows, c->up, c->rows.n, old, c->module, err) == 0)
        rc = se_share_fetch(&c->rows, c->module, err);
    free(old);
    return rc;
}

static int descend(struct search *s, struct se_err *err)
{
    while (s->top > 0) {
        if (project(s, err) < 0)
            return -1;
        drop_top(s);
        if (move(s, s->top, err) < 0)
            return -1;
    }
    return 0;
}

int se_dist_search(const struct se_share *x, const struct se_dist_bound *b, uint32_t *module,
                   const struct se_dist_options *how, struct se_err *err)
{
    struct search *s = se_zalloc(1, sizeof *s, err);
    int rc = s ? 0 : -1;

    if (rc == 0) {
        s->scale[0] = (struct scale){ .rows = *x, .module = module };
        if (b)
            s->scale[0].bound = *b;
        s->how = *how;
        for (uint32_t i = 0; i < x->n + x->halo; i++)
            module[i] = se_share_id(x, i);
        rc = climb(s, err) < 0 || descend(s, err) < 0 || se_share_name(x, module, err) < 0 ? -1 : 0;
    }
    while (s && s->top > 0)
        drop_top(s);
    if (s)
        free(s->scale[0].up);
    free(s);
    return rc;
}
