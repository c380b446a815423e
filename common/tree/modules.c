/* modules.c - a tree of height 2 with a given number of modules */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/tree/choose.h"
#include "common/tree/workings.h"

enum { SWEEPS = 20 };

/* The coarsest level of t that has as many modules or more. */
static int start_from(const struct se_tree *t, uint64_t modules, uint32_t *module,
                      uint64_t *count, struct se_err *err)
{
    uint64_t before = 0;

    for (uint32_t level = 1;; level++) {
        if (se_tree_partition(t, level, module, count, err) < 0)
            return -1;
        if (*count >= modules && *count < t->n)
            return 0;
        if (*count == t->n || *count == before)
            return se_fail(err, SE_EINPUT, "--modules: the finest level of the tree has only "
                           "%llu modules; ask for fewer", (unsigned long long)before);
        before = *count;
    }
}

/* into[]: the merges of a greedy tree, the first of them made until `modules` are left.  What
 * has no edges between is joined last, the least volumes first. */
static int merge_to(const struct se_quotient *y, uint64_t modules, uint32_t *into,
                    struct se_err *err)
{
    struct se_nest t = SE_NEST_INIT;
    uint64_t left = y->n, last = left;
    int rc = se_greedy_nest(&t, y, SE_TREE_MERGE, NULL, err);
    uint32_t *top = rc == 0 ? se_alloc(t.nodes, sizeof *top, err) : NULL;

    if (top) {
        const uint64_t root = t.nodes - 1;
        bool binary = true;             /* is the root a merge of two? */
        uint64_t children = 0;

        for (uint64_t a = 0; a < root; a++)
            children += t.parent[a] == root;
        binary = children == 2;
        while (left > modules && (last < root || (last == root && binary))) {
            left--;
            last++;
        }
        for (uint64_t a = t.nodes; a-- > 0;)
            top[a] = a == root || t.parent[a] >= last ? (uint32_t)a : top[t.parent[a]];
        while (left > modules) {        /* join the two tops of least volume */
            uint32_t x = SE_NONE, z = SE_NONE;

            for (uint32_t a = 0; a < last; a++)
                if (top[a] == a && (x == SE_NONE || t.volume[a] < t.volume[x])) {
                    z = x;
                    x = a;
                } else if (top[a] == a && (z == SE_NONE || t.volume[a] < t.volume[z])) {
                    z = a;
                }
            for (uint32_t a = 0; a < last; a++)
                if (top[a] == x)
                    top[a] = z;
            t.volume[z] += t.volume[x];
            left--;
        }
        for (uint64_t i = 0; i < y->n; i++)
            into[i] = top[i];
    }
    rc = top ? 0 : -1;
    free(top);
    se_nest_release(&t);
    return rc;
}

struct state {
    const struct se_quotient *x;
    uint32_t *module;
    double *volume, *inside;
    uint64_t *size;
    struct se_tally tally;
};

/* The part of the cost that module j has: I log2(V / vol), 0 or less. */
static double cost_of(const struct state *s, double inside, double volume)
{
    return inside > 0 ? inside * log2(volume / s->x->vol) : 0;
}

/* Move v where the cost falls most; false: it stays. */
static bool move_vertex(struct state *s, uint32_t v)
{
    const struct se_quotient *x = s->x;
    const uint32_t from = s->module[v];
    const double d = x->volume[v];
    double best = -1e-12 * x->vol, w_from, w_best = 0, leave;
    uint32_t to = SE_NONE;

    if (s->size[from] == 1)
        return false;
    se_tally_begin(&s->tally, x->off[v + 1] - x->off[v]);
    for (uint64_t a = x->off[v]; a < x->off[v + 1]; a++)
        se_tally_add(&s->tally, s->module[x->to[a]], se_quotient_weight(x, a));
    w_from = se_tally_get(&s->tally, from);
    leave = cost_of(s, s->inside[from] - w_from, s->volume[from] - d) -
            cost_of(s, s->inside[from], s->volume[from]);
    for (uint32_t i = 0; i < s->tally.count; i++) {
        const struct se_tally_slot *t = se_tally_at(&s->tally, i);
        double change;

        if (t->key == from)
            continue;
        change = leave + cost_of(s, s->inside[t->key] + t->sum, s->volume[t->key] + d) -
                 cost_of(s, s->inside[t->key], s->volume[t->key]);
        if (change < best) {
            best = change;
            to = t->key;
            w_best = t->sum;
        }
    }
    if (to == SE_NONE)
        return false;
    s->inside[from] -= w_from;
    s->volume[from] -= d;
    s->size[from]--;
    s->inside[to] += w_best;
    s->volume[to] += d;
    s->size[to]++;
    s->module[v] = to;
    return true;
}

/* Move vertices between the modules, none of which may become empty. */
static int move_vertices(const struct se_quotient *x, uint32_t *module, uint64_t modules,
                         struct se_err *err)
{
    struct state s = { .x = x, .module = module, .tally = SE_TALLY_INIT };
    uint64_t most = 0, moved = 1;
    int rc = -1;

    s.volume = se_zalloc(modules, sizeof *s.volume, err);
    s.inside = se_zalloc(modules, sizeof *s.inside, err);
    s.size = se_zalloc(modules, sizeof *s.size, err);
    for (uint64_t v = 0; v < x->n; v++)
        if (x->off[v + 1] - x->off[v] > most)
            most = x->off[v + 1] - x->off[v];
    if (s.volume && s.inside && s.size && se_tally_room(&s.tally, most, err) == 0) {
        for (uint64_t v = 0; v < x->n; v++) {
            s.volume[module[v]] += x->volume[v];
            s.size[module[v]]++;
            for (uint64_t a = x->off[v]; a < x->off[v + 1]; a++)
                if (module[x->to[a]] == module[v])
                    s.inside[module[v]] += se_quotient_weight(x, a) / 2;
        }
        for (int i = 0; i < SWEEPS && moved > 0; i++) {
            moved = 0;
            for (uint32_t v = 0; v < x->n; v++)
                moved += move_vertex(&s, v);
        }
        rc = 0;
    }
    se_tally_release(&s.tally);
    free(s.volume);
    free(s.inside);
    free(s.size);
    return rc;
}

/* The tree of height 2; unlike those of searches, its modules may be single vertices. */
static int lay_modules(struct se_hierarchy *out, const uint32_t *module, uint64_t n,
                       uint64_t modules, struct se_err *err)
{
    uint64_t *start = se_alloc(modules + 1, sizeof *start, err), at = 0;
    uint32_t *list = se_alloc(n, sizeof *list, err);

    out->n = n;
    out->nodes = 1 + modules + n;
    out->parent = se_alloc(out->nodes, sizeof *out->parent, err);
    out->vertex = se_alloc(out->nodes, sizeof *out->vertex, err);
    if (start && list && out->parent && out->vertex) {
        se_partition_lists(module, n, modules, start, list);
        out->parent[at] = SE_NONE;
        out->vertex[at++] = SE_NONE;
        for (uint64_t j = 0; j < modules; j++) {
            const uint32_t node = (uint32_t)at;
            out->parent[at] = 0;
            out->vertex[at++] = SE_NONE;
            for (uint64_t i = start[j]; i < start[j + 1]; i++) {
                out->parent[at] = node;
                out->vertex[at++] = list[i];
            }
        }
        at = 0;
    } else {
        at = 1;
    }
    free(start);
    free(list);
    return at == 0 ? 0 : -1;
}

int se_tree_of_modules(struct se_hierarchy *out, uint32_t *module, uint64_t n, struct se_err *err)
{
    uint32_t *seen = se_alloc(n, sizeof *seen, err);
    const uint64_t count = seen ? se_partition_compact(module, n, n, seen) : 0;

    free(seen);
    return seen ? lay_modules(out, module, n, count, err) : -1;
}

int se_tree_with_modules(struct se_hierarchy *out, const struct se_graph *g, const struct se_tree *t,
                    uint64_t modules, int threads, struct se_err *err)
{
    struct se_quotient x = SE_QUOTIENT_INIT, y = SE_QUOTIENT_INIT;
    uint32_t *module = se_alloc(g->n, sizeof *module, err);
    uint32_t *into = se_alloc(g->n, sizeof *into, err);
    uint64_t count;
    int rc = -1;

    if (module && into && start_from(t, modules, module, &count, err) == 0 &&
        se_quotient_of_graph(&x, g, threads, err) == 0 &&
        se_quotient_aggregate(&y, &x, module, count, true, threads, err) == 0)
        rc = merge_to(&y, modules, into, err);
    if (rc == 0) {
        uint32_t *seen = se_alloc(2 * count + 1, sizeof *seen, err);

        for (uint64_t v = 0; seen && v < g->n; v++)
            module[v] = into[module[v]];
        rc = seen ? 0 : -1;
        if (seen)
            count = se_partition_compact(module, g->n, 2 * count + 1, seen);
        free(seen);
    }
    if (rc == 0)
        rc = move_vertices(&x, module, count, err);
    if (rc == 0)
        rc = lay_modules(out, module, g->n, count, err);
    se_quotient_release(&x);
    se_quotient_release(&y);
    free(module);
    free(into);
    return rc;
}
