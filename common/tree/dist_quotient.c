/* dist_quotient.c - the net of the modules of a net that several processes have */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/sort.h"
#include "common/tree/dist_workings.h"

struct arc {
    uint32_t from, to;
    double weight;
};

/* ---- items ---- */

/* Modules become items in the order of their numbers, where they are. */
static int make_items(struct se_share *y, const struct se_share *x, const struct se_home *home,
                      bool carry, uint32_t **lower, uint32_t *number, struct se_err *err)
{
    const int ranks = x->team->ranks;
    double *count = se_zalloc((uint64_t)ranks, sizeof *count, err);

    *y = (struct se_share){ .team = x->team, .vol = x->vol };
    y->border = se_alloc((uint64_t)ranks + 1, sizeof *y->border, err);
    for (uint64_t j = 0; j < x->n; j++)
        y->n += home[j].count > 0;
    *lower = se_alloc(y->n, sizeof **lower, err);
    y->volume = se_alloc(y->n, sizeof *y->volume, err);
    y->inner = carry ? se_alloc(y->n, sizeof *y->inner, err) : NULL;
    y->off = se_zalloc(y->n + 1, sizeof *y->off, err);
    if (!count || !y->border || !*lower || !y->volume || (carry && !y->inner) || !y->off) {
        free(count);
        return -1;
    }
    count[x->team->rank] = (double)y->n;
    x->team->sum(x->team, count, (uint64_t)ranks);
    y->border[0] = 0;
    for (int r = 0; r < ranks; r++)
        y->border[r + 1] = y->border[r] + (uint64_t)count[r];
    free(count);
    y->all = y->border[ranks];
    y->first = y->border[x->team->rank];
    for (uint64_t j = 0, i = 0; j < x->n; j++)
        if (home[j].count > 0) {
            (*lower)[i] = (uint32_t)(x->first + j);
            y->volume[i] = home[j].volume;
            if (carry)
                y->inner[i] = home[j].inside;
            number[j] = (uint32_t)(y->first + i++);
        }
    return 0;
}

/* ---- arcs ---- */

enum { BATCH_ARCS = SE_BLOCK(1 << 15) };        /* about how many are sent at a time */

struct gatherer {               /* goes through our items by module */
    const struct se_share *x;
    const uint32_t *up;
    uint64_t *key, at;          /* module and item; the next one */
    struct se_tally tally;
    uint64_t room;              /* of the tally */
    struct arc *arc;            /* what is sent next */
    size_t arc_room;
    uint64_t arcs;
};

/* Items of one module: key[at] to key[end - 1]; how many arcs they have */
static uint64_t next_module(const struct gatherer *g, uint64_t *end)
{
    const struct se_share *x = g->x;
    uint64_t arcs = 0;

    for (*end = g->at; *end < x->n && g->key[*end] >> 32 == g->key[g->at] >> 32; ++*end) {
        const uint32_t item = (uint32_t)g->key[*end];

        arcs += x->off[item + 1] - x->off[item];
    }
    return arcs;
}

/* Arcs of our items, those between the same two modules added up, until there are enough */
static int gather_arcs(struct gatherer *g, struct se_err *err)
{
    const struct se_share *x = g->x;

    for (g->arcs = 0; g->at < x->n && g->arcs < BATCH_ARCS;) {
        const uint32_t from = (uint32_t)(g->key[g->at] >> 32);
        uint64_t end, arcs = next_module(g, &end);

        if (arcs > g->room || g->room == 0) {
            se_tally_release(&g->tally);
            g->room = 2 * arcs + 1;
            if (se_tally_room(&g->tally, g->room, err) < 0)
                return -1;
        }
        se_tally_begin(&g->tally, arcs);
        for (; g->at < end; g->at++) {
            const uint32_t item = (uint32_t)g->key[g->at];

            for (uint64_t a = x->off[item]; a < x->off[item + 1]; a++)
                if (g->up[x->to[a]] != from)
                    se_tally_add(&g->tally, g->up[x->to[a]], se_share_weight(x, a));
        }
        if (se_grow(&g->arc, &g->arc_room, g->arcs + g->tally.count, sizeof *g->arc, err) < 0)
            return -1;
        for (uint32_t j = 0; j < g->tally.count; j++)
            g->arc[g->arcs++] = (struct arc){ from, se_tally_at(&g->tally, j)->key,
                                              se_tally_at(&g->tally, j)->sum };
    }
    return 0;
}

/* Send them to the processes of their modules, which ascend; *all gets what comes from others. */
static int send_arcs(const struct se_share *y, const struct gatherer *g, struct arc **all,
                     size_t *room, uint64_t *count, struct se_err *err)
{
    const uint64_t ranks = (uint64_t)y->team->ranks;
    uint64_t *of = se_zalloc(2 * (ranks + 1), sizeof *of, err);
    void *in = NULL;
    int rc = -1;

    if (!of)
        return -1;
    for (uint64_t i = 0; i < g->arcs; i++)
        of[se_team_owner(y->border, (int)ranks, g->arc[i].from) + 1]++;
    for (uint64_t r = 0; r < ranks; r++)
        of[r + 1] += of[r];
    if (se_team_send(y->team, g->arc, of, &in, of + ranks + 1, sizeof *g->arc, err) == 0) {
        const uint64_t more = of[2 * ranks + 1];

        rc = se_grow(all, room, *count + more, sizeof **all, err);
        if (rc == 0 && more > 0)
            memcpy(*all + *count, in, more * sizeof **all);
        *count += more;
    }
    free(of);
    free(in);
    return rc;
}

static int exchange_arcs(struct se_share *y, struct gatherer *g, struct arc **all, uint64_t *count,
                         struct se_err *err)
{
    const struct se_share *x = g->x;
    double left = 1;
    size_t room = 0;

    g->key = se_alloc(2 * x->n, sizeof *g->key, err);
    if (!g->key)
        return -1;
    for (uint64_t i = 0; i < x->n; i++)
        g->key[i] = (uint64_t)g->up[i] << 32 | i;
    se_sort_u64(g->key, g->key + x->n, x->n);
    while (left > 0) {
        if (gather_arcs(g, err) < 0 || send_arcs(y, g, all, &room, count, err) < 0)
            return -1;
        left = g->at < x->n;
        x->team->most(x->team, &left, 1);
    }
    return 0;
}

static int by_end(const void *a, const void *b)
{
    const struct arc *x = a, *y = b;

    return (x->to > y->to) - (x->to < y->to);
}

/* Bring each arc to its row, without memory for a copy; off[] has the beginnings of the rows. */
static int sort_rows(const struct se_share *y, struct arc *arc, struct se_err *err)
{
    uint64_t *next = se_alloc(y->n, sizeof *next, err);

    if (!next)
        return -1;
    memcpy(next, y->off, y->n * sizeof *next);
    for (uint64_t i = 0; i < y->n; i++)
        while (next[i] < y->off[i + 1]) {
            const uint64_t row = arc[next[i]].from - y->first;

            if (row == i) {
                next[i]++;
            } else {
                const struct arc swapped = arc[next[row]];

                arc[next[row]++] = arc[next[i]];
                arc[next[i]] = swapped;
            }
        }
    free(next);
    for (uint64_t i = 0; i < y->n; i++)
        if (y->off[i + 1] > y->off[i])          /* without any arc, arc may be NULL */
            qsort(arc + y->off[i], y->off[i + 1] - y->off[i], sizeof *arc, by_end);
    return 0;
}

/* Rows from arcs in any order; those between the same two items come from several processes. */
static int fill_rows(struct se_share *y, struct arc *arc, uint64_t count, struct se_err *err)
{
    uint64_t kept = 0, first = 0;

    for (uint64_t i = 0; i < count; i++)
        y->off[arc[i].from - y->first + 1]++;
    for (uint64_t i = 0; i < y->n; i++)
        y->off[i + 1] += y->off[i];
    if (sort_rows(y, arc, err) < 0)
        return -1;
    for (uint64_t i = 0; i < y->n; i++) {
        const uint64_t end = y->off[i + 1];

        for (uint64_t a = first; a < end; a++)
            if (a > first && arc[a].to == arc[kept - 1].to)
                arc[kept - 1].weight += arc[a].weight;
            else
                arc[kept++] = arc[a];
        first = end;
        y->off[i + 1] = kept;
    }
    y->arcs = kept;
    y->to = se_alloc(kept, sizeof *y->to, err);
    y->w64 = se_alloc(kept, sizeof *y->w64, err);
    if (!y->to || !y->w64)
        return -1;
    for (uint64_t a = 0; a < kept; a++) {
        y->to[a] = arc[a].to;
        y->w64[a] = arc[a].weight;
    }
    return 0;
}

static int make_arcs(struct se_share *y, const struct se_share *x, const uint32_t *up,
                     struct se_err *err)
{
    struct gatherer g = { .x = x, .up = up };
    struct arc *arc = NULL;
    uint64_t count = 0;
    double arcs;
    int rc = exchange_arcs(y, &g, &arc, &count, err);

    free(g.key);
    free(g.arc);
    se_tally_release(&g.tally);
    if (rc == 0)
        rc = fill_rows(y, arc, count, err);
    free(arc);
    if (rc < 0)
        return -1;
    arcs = (double)y->arcs;
    x->team->sum(x->team, &arcs, 1);
    y->all_arcs = (uint64_t)arcs;
    return se_share_link(y, err);
}

int se_share_aggregate(struct se_share *y, const struct se_share *x, const uint32_t *module,
                      bool carry, uint32_t *up, uint32_t **lower, struct se_err *err)
{
    struct se_home *home;
    uint32_t *number = NULL;
    int rc = se_homes_make(&home, x, module, err);

    if (rc == 0 && !(number = se_alloc(x->n, sizeof *number, err)))
        rc = -1;
    if (rc == 0)
        rc = make_items(y, x, home, carry, lower, number, err);
    free(home);
    if (rc == 0)
        rc = se_share_ask(x, module, x->n, number, up, err);
    free(number);
    if (rc == 0)
        rc = se_share_fetch(x, up, err);
    return rc < 0 ? -1 : make_arcs(y, x, up, err);
}

/* ---- in one process ---- */

/* All rows in the first process */
static int collect(struct se_quotient *q, const struct se_share *x, struct se_err *err)
{
    struct se_team *t = x->team;
    uint64_t *degree = se_alloc(x->n, sizeof *degree, err);
    uint32_t *to = se_alloc(x->arcs, sizeof *to, err);
    double *w = se_alloc(x->arcs, sizeof *w, err);
    void *all[5] = { NULL };
    int rc = degree && to && w ? 0 : -1;

    for (uint64_t i = 0; rc == 0 && i < x->n; i++)
        degree[i] = x->off[i + 1] - x->off[i];
    for (uint64_t a = 0; rc == 0 && a < x->arcs; a++) {
        to[a] = se_share_id(x, x->to[a]);
        w[a] = se_share_weight(x, a);
    }
    if (rc < 0 || se_team_collect(t, degree, x->n, sizeof *degree, &all[0], err) < 0 ||
        se_team_collect(t, to, x->arcs, sizeof *to, &all[1], err) < 0 ||
        se_team_collect(t, w, x->arcs, sizeof *w, &all[2], err) < 0 ||
        se_team_collect(t, x->volume, x->n, sizeof *x->volume, &all[3], err) < 0 ||
        (x->inner && se_team_collect(t, x->inner, x->n, sizeof *x->inner, &all[4], err) < 0))
        rc = -1;
    free(degree);
    free(to);
    free(w);
    *q = (struct se_quotient){ .n = x->all, .arcs = x->all_arcs, .to = all[1], .w64 = all[2],
                               .volume = all[3], .inner = all[4], .vol = x->vol };
    if (rc == 0 && t->rank == 0 && !(q->off = se_alloc(x->all + 1, sizeof *q->off, err)))
        rc = -1;
    if (rc == 0 && q->off) {
        q->off[0] = 0;
        for (uint64_t i = 0; i < q->n; i++)
            q->off[i + 1] = q->off[i] + ((const uint64_t *)all[0])[i];
    }
    free(all[0]);
    return rc;
}

/* Groups and their limits in the first process, numbered as se_bound wants them */
static int collect_bound(struct se_bound *bound, const struct se_share *x,
                         const struct se_dist_bound *b, struct se_err *err)
{
    void *group = NULL, *limit = NULL;
    uint32_t *seen = NULL;
    double *of_group = NULL;
    int rc = se_team_collect(x->team, b->group, x->n, sizeof *b->group, &group, err) < 0 ||
             se_team_collect(x->team, b->limit, x->n, sizeof *b->limit, &limit, err) < 0 ? -1 : 0;

    if (rc == 0 && x->team->rank == 0) {
        uint32_t most = 0, *g = group;

        for (uint64_t i = 0; i < x->all; i++)
            if (g[i] > most)
                most = g[i];
        seen = se_alloc((uint64_t)most + 1, sizeof *seen, err);
        of_group = se_alloc(x->all, sizeof *of_group, err);
        rc = seen && of_group ? 0 : -1;
        if (rc == 0)
            se_partition_compact(g, x->all, (uint64_t)most + 1, seen);
        for (uint64_t i = 0; rc == 0 && i < x->all; i++)
            of_group[g[i]] = ((const double *)limit)[i];
    }
    free(limit);
    free(seen);
    *bound = (struct se_bound){ group, of_group };
    return rc;
}

static int search_alone(const struct se_quotient *q, const struct se_bound *b, uint32_t *module,
                        const struct se_dist_options *how, struct se_err *err)
{
    const struct se_search_options search = { .seed = how->seed, .threads = how->threads,
                                              .cycles = 2 };
    const double limit = se_dist_log(q->vol);
    const struct se_bound one = { NULL, &limit };
    double gain;

    return q->n == 0 ? 0
         : se_partition_search(q, b->limit ? b : &one, module, true, &search, &gain, err);
}

/* From the first process to all */
static int deal(const struct se_share *x, const uint32_t *all, uint32_t *module, struct se_err *err)
{
    const uint64_t ranks = (uint64_t)x->team->ranks;
    uint64_t *of = se_zalloc(2 * (ranks + 1), sizeof *of, err), *in_of = of ? of + ranks + 1 : NULL;

    if (!of)
        return -1;
    if (x->team->rank == 0)
        memcpy(of, x->border, (ranks + 1) * sizeof *of);
    for (uint64_t r = 1; r <= ranks; r++)
        in_of[r] = x->n;
    x->team->swap(x->team, all, of, module, in_of, sizeof *module);
    free(of);
    return se_share_name(x, module, err);
}

int se_share_search(const struct se_share *x, const struct se_dist_bound *b, uint32_t *module,
                    const struct se_dist_options *how, struct se_err *err)
{
    struct se_quotient q = SE_QUOTIENT_INIT;
    struct se_bound bound = { NULL, NULL };
    uint32_t *all = NULL;
    int rc = collect(&q, x, err);

    if (rc == 0 && b)
        rc = collect_bound(&bound, x, b, err);
    if (rc == 0 && x->team->rank == 0) {
        all = se_alloc(x->all, sizeof *all, err);
        rc = all ? search_alone(&q, &bound, all, how, err) : -1;
    }
    if (rc == 0)
        rc = deal(x, all, module, err);
    union { const uint32_t *in; uint32_t *out; } group = { bound.group };
    union { const double *in; double *out; } limit = { bound.limit };

    free(group.out);
    free(limit.out);
    free(all);
    se_quotient_release(&q);
    return rc;
}
