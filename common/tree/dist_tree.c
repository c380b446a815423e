/* dist_tree.c - a tree of height 2 or 3 by several processes
 *
 * Height 2 is one search for modules.  For height 3 modules are split within themselves, and the
 * parts gathered anew, in turns: each is a search in which modules of one level are given. */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/sort.h"
#include "common/tree/dist_workings.h"

enum { TURNS = 3 };             /* of splitting and gathering */

struct build {
    struct se_share x;
    struct se_dist_options how;
    uint32_t *low, *top;        /* n + halo; top: NULL for height 2 */
    double *limit;              /* n: log2 volume of the top module of each vertex */
};

void se_dist_tree_release(struct se_dist_tree *t)
{
    free(t->low);
    free(t->top);
    *t = (struct se_dist_tree)SE_DIST_TREE_INIT;
}

/* ---- worth ---- */

/* What the modules are worth, as se_homes_value; limit[]: log2 volume of the module of each
 * vertex, unless it is NULL */
static int worth(const struct build *b, const uint32_t *module, const struct se_dist_bound *bound,
                 double *value, struct se_err *err)
{
    struct se_home *home;
    int rc = se_homes_make(&home, &b->x, module, err);

    if (rc == 0)
        *value = se_homes_value(&b->x, bound, home);
    free(home);
    return rc;
}

/* limit[] of the vertices from the volumes of their top modules */
static int find_limits(struct build *b, struct se_err *err)
{
    const struct se_share *x = &b->x;
    struct se_home *home;
    uint32_t *half = se_alloc(2 * x->n, sizeof *half, err), *answer = half ? half + x->n : NULL;
    int rc = se_homes_make(&home, x, b->top, err);

    if (!half)
        rc = -1;
    for (int i = 0; rc == 0 && i < 2; i++) {    /* 32 bits at a time */
        for (uint64_t j = 0; j < x->n; j++) {
            uint32_t word[2];

            memcpy(word, &home[j].log, sizeof word);
            half[j] = word[i];
        }
        rc = se_share_ask(x, b->top, x->n, half, answer, err);
        for (uint64_t j = 0; rc == 0 && j < x->n; j++)
            memcpy((char *)&b->limit[j] + 4 * i, &answer[j], sizeof *answer);
    }
    free(half);
    free(home);
    return rc;
}

/* H by the modules of both levels, and H1; every term is rounded, so any order gives the same sum */
static int measure(struct build *b, struct se_dist_tree *t, struct se_err *err)
{
    const struct se_share *x = &b->x;
    const struct se_dist_bound bound = { b->top, b->limit };
    double sum[3] = { 0 }, low = 0, top = 0;

    if (x->vol == 0)
        return 0;
    for (uint64_t v = 0; v < x->n; v++) {
        const double share = x->volume[v] / x->vol, log = se_dist_log(x->volume[v]);
        double g = 0;

        for (uint64_t a = x->off[v]; a < x->off[v + 1]; a++)
            g += se_share_weight(x, a);
        sum[0] += se_dist_term(g / x->vol * log);
        sum[1] += se_dist_term(share > 0 ? -share * log2(share) : 0);
        sum[2] += g;
    }
    x->team->sum(x->team, sum, 3);
    if (worth(b, b->low, b->top ? &bound : NULL, &low, err) < 0 ||
        (b->top && worth(b, b->top, NULL, &top, err) < 0))
        return -1;
    t->h1 = ldexp(sum[1], -46);
    t->h = sum[2] / x->vol * se_dist_log(x->vol) - ldexp(2 * (low + top) + sum[0], -46);
    return 0;
}

/* ---- height 3 ---- */

/* Split the top modules: the best low ones within them */
static int split(struct build *b, struct se_err *err)
{
    const struct se_dist_bound bound = { b->top, b->limit };

    b->how.seed += 1000;
    return find_limits(b, err) < 0 ? -1 : se_dist_search(&b->x, &bound, b->low, &b->how, err);
}

/* Gather the low modules: the best top ones made of them.  They are numbered by their least low
 * module, whose number is its least vertex. */
static int gather(struct build *b, struct se_err *err)
{
    const struct se_share *x = &b->x;
    struct se_share y;
    uint32_t *up = se_alloc(x->n + x->halo, sizeof *up, err), *lower = NULL, *module = NULL;
    uint32_t *old = NULL;
    int rc = -1;

    memset(&y, 0, sizeof y);
    b->how.seed += 1000;
    if (up && se_share_aggregate(&y, x, b->low, false, up, &lower, err) == 0 &&
        (module = se_alloc(y.n + y.halo, sizeof *module, err)) &&
        (old = se_alloc(y.n, sizeof *old, err)) &&
        se_dist_search(&y, NULL, module, &b->how, err) == 0 &&
        se_share_ask(&y, module, y.n, lower, old, err) == 0 &&
        se_share_ask(&y, up, x->n, old, b->top, err) == 0)
        rc = se_share_fetch(x, b->top, err);
    se_share_release(&y);
    free(up);
    free(lower);
    free(module);
    free(old);
    return rc;
}

/* The sum that H is least for, of both levels */
static int value_of(struct build *b, double *value, struct se_err *err)
{
    const struct se_dist_bound bound = { b->top, b->limit };
    double low = 0, top = 0;

    if (find_limits(b, err) < 0 || worth(b, b->low, &bound, &low, err) < 0 ||
        worth(b, b->top, NULL, &top, err) < 0)
        return -1;
    *value = low + top;
    return 0;
}

static int two_levels(struct build *b, struct se_err *err)
{
    const uint64_t room = b->x.n + b->x.halo;
    uint32_t *best = se_alloc(2 * room, sizeof *best, err);
    double most = 0, value;
    int rc = best ? 0 : -1;

    for (int turn = 0; rc == 0 && turn < 2 * TURNS; turn++) {
        if (turn == 1)                          /* the modules of height 2 are the top ones now */
            memcpy(b->top, b->low, room * sizeof *b->top);
        if (turn % 2 == 0 ? gather(b, err) < 0 : split(b, err) < 0) {
            rc = -1;
        } else if ((rc = value_of(b, &value, err)) == 0 && (turn == 0 || value > most)) {
            most = value;
            memcpy(best, b->low, room * sizeof *best);
            memcpy(best + room, b->top, room * sizeof *best);
        }
    }
    if (rc == 0) {
        memcpy(b->low, best, room * sizeof *best);
        memcpy(b->top, best + room, room * sizeof *best);
        rc = find_limits(b, err);
    }
    free(best);
    return rc;
}

/* ---- all ---- */

/* The modules of all vertices in the first process */
static int collect(uint32_t **all, struct se_team *team, const uint32_t *module, uint64_t n,
                   struct se_err *err)
{
    void *got;
    const int rc = se_team_collect(team, module, n, sizeof *module, &got, err);

    *all = got;
    return rc;
}

static int search(struct build *b, struct se_err *err)
{
    const uint64_t room = b->x.n + b->x.halo;

    b->low = se_alloc(room, sizeof *b->low, err);
    if (b->how.k > 2) {
        b->top = se_alloc(room, sizeof *b->top, err);
        b->limit = se_alloc(b->x.n, sizeof *b->limit, err);
    }
    if (!b->low || (b->how.k > 2 && (!b->top || !b->limit)) ||
        se_dist_search(&b->x, NULL, b->low, &b->how, err) < 0)
        return -1;
    return b->how.k > 2 ? two_levels(b, err) : 0;
}

int se_dist_build(struct se_dist_tree *t, struct se_team *team, int fd,
                  const struct se_graph_place *place, const struct se_dist_options *how,
                  struct se_err *err)
{
    struct build b = { .how = *how };
    int rc = se_share_read(&b.x, team, fd, place, err);

    t->n = place->n;
    if (rc == 0)
        rc = search(&b, err) < 0 || measure(&b, t, err) < 0 ? -1 : 0;
    if (rc == 0) {
        const uint64_t n = b.x.n;

        se_share_release(&b.x);                 /* room for the result */
        rc = collect(&t->low, team, b.low, n, err) < 0 ||
             (b.top && collect(&t->top, team, b.top, n, err) < 0) ? -1 : 0;
    }
    se_share_release(&b.x);
    free(b.low);
    free(b.top);
    free(b.limit);
    return rc;
}

/* ---- laying out ---- */

struct layout {
    uint32_t *parent, *vertex, at, height;
};

static uint32_t put_node(struct layout *l, uint32_t parent, uint32_t vertex)
{
    l->parent[l->at] = parent;
    l->vertex[l->at] = vertex;
    return l->at++;
}

/* Vertices by top module, then by low module, then by number; key: both modules */
static int sort_vertices(const struct se_dist_tree *t, uint32_t **order, struct se_err *err)
{
    uint64_t *key = se_alloc(2 * t->n, sizeof *key, err), count = 0;
    uint32_t *start = se_zalloc(t->n, sizeof *start, err), at = 0;
    int rc = -1;

    *order = se_alloc(t->n, sizeof **order, err);
    if (key && start && *order) {
        for (uint32_t v = 0; v < t->n; v++) {
            start[t->low[v]]++;
            if (t->low[v] == v)
                key[count++] = (uint64_t)(t->top ? t->top[v] : v) << 32 | v;
        }
        se_sort_u64(key, key + t->n, count);
        for (uint64_t j = 0; j < count; j++) {
            const uint32_t module = (uint32_t)key[j], size = start[module];

            start[module] = at;
            at += size;
        }
        for (uint32_t v = 0; v < t->n; v++)
            (*order)[start[t->low[v]]++] = v;
        rc = 0;
    }
    free(key);
    free(start);
    return rc;
}

/* Nodes in depth-first order.  A module of one child is none, nor is one of all vertices. */
static void lay_out(struct layout *l, const struct se_dist_tree *t, const uint32_t *order)
{
    uint64_t top_end = 0, low_end = 0;
    uint32_t above = 0, module = 0, depth;

    put_node(l, SE_NONE, SE_NONE);
    l->height = 0;
    for (uint64_t i = 0; i < t->n; i++) {
        if (i == top_end) {
            const uint32_t v = order[i];

            while (top_end < t->n && (t->top ? t->top[order[top_end]] == t->top[v]
                                             : t->low[order[top_end]] == t->low[v]))
                top_end++;
            above = t->low[order[top_end - 1]] != t->low[v] && top_end - i < t->n
                  ? put_node(l, 0, SE_NONE) : 0;
        }
        if (i == low_end) {
            while (low_end < t->n && t->low[order[low_end]] == t->low[order[i]])
                low_end++;
            module = low_end - i > 1 && low_end - i < t->n ? put_node(l, above, SE_NONE) : above;
        }
        depth = 1u + (above > 0) + (module != above);
        l->height = depth > l->height ? depth : l->height;
        put_node(l, module, order[i]);
    }
}

int se_dist_put(const struct se_dist_tree *t, struct se_stream *s, uint32_t from,
                uint32_t *height, uint64_t *nodes, struct se_err *err)
{
    const uint64_t most = t->n + t->n / 2 + t->n / 4 + 2;       /* each module has two or more */
    struct layout l = { .parent = NULL };
    uint32_t *order = NULL;
    struct se_tree tree;
    int rc = sort_vertices(t, &order, err);

    if (rc == 0) {
        l.parent = se_alloc(most, sizeof *l.parent, err);
        l.vertex = se_alloc(most, sizeof *l.vertex, err);
        rc = l.parent && l.vertex ? 0 : -1;
    }
    if (rc == 0) {
        lay_out(&l, t, order);
        free(order);
        order = NULL;
        tree = (struct se_tree){ t->n, l.at, l.parent, l.vertex };
        rc = se_tree_put(&tree, s, from, err);
    }
    *height = l.height;
    *nodes = l.at;
    free(order);
    free(l.parent);
    free(l.vertex);
    return rc;
}
