/* split_modules.c - levels made binary: each module becomes a tree by average linkage */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/tree/linkage.h"
#include "common/tree/workings.h"

enum { PIECES = 128 };
#define UNUSED (SE_NONE - 1)

struct job {                    /* one level: items of net, modules above them */
    const struct se_quotient *net;
    const uint32_t *module;     /* up[i] */
    uint64_t *start;            /* items of module j: list[start[j]] .. */
    uint32_t *list, *place;     /* place: of an item among those of its module */
    uint32_t *node, *top;       /* node of each item; of each module */
    uint64_t *base;             /* first node that module j may make */
    struct se_nest *nest;
    struct se_linkage *linkage; /* one per thread */
    uint64_t most;              /* edges to link */
    uint64_t cut[PIECES + 1];
    bool failed[PIECES];
};

/* One node above all items. */
static void leave_flat(struct se_linkage *l, const struct se_quotient *x, const uint32_t *item,
                       uint32_t items, const uint32_t *node, struct se_link_out *out,
                       uint32_t *top)
{
    const uint32_t z = *top = out->next;

    out->volume[z] = out->cut[z] = 0;
    for (uint32_t i = 0; i < items; i++) {
        out->parent[node[item[i]]] = z;
        out->volume[z] += x->volume[item[i]];
    }
    for (uint32_t e = 0; e < l->edges; e++)
        out->cut[z] += l->edge[e].c;
}

static int link_module(struct job *w, uint64_t j, struct se_linkage *l, struct se_err *err)
{
    const struct se_quotient *x = w->net;
    const uint32_t *item = w->list + w->start[j];
    uint32_t items = (uint32_t)(w->start[j + 1] - w->start[j]);
    struct se_link_out out = { w->nest->parent, w->nest->volume, w->nest->cut,
                               (uint32_t)w->base[j] };

    if (items == 1) {
        w->top[j] = w->node[item[0]];
        return 0;
    }
    if (se_linkage_begin(l, items, err) < 0)
        return -1;
    for (uint32_t i = 0; i < items; i++) {
        se_linkage_item(l, i, x->volume[item[i]], w->node[item[i]]);
        for (uint64_t a = x->off[item[i]]; a < x->off[item[i] + 1]; a++) {
            uint32_t to = x->to[a];
            if (to > item[i] && w->module[to] == j &&
                se_linkage_edge(l, i, w->place[to], se_quotient_weight(x, a), err) < 0)
                return -1;
        }
    }
    if (l->edges > w->most) {
        leave_flat(l, x, item, items, w->node, &out, &w->top[j]);
        return 0;
    }
    return se_linkage_run(l, &out, &w->top[j], err);
}

static void link_piece(void *arg, uint64_t task, int thread)
{
    struct job *w = arg;
    struct se_err err = SE_ERR_INIT;

    for (uint64_t j = w->cut[task]; j < w->cut[task + 1] && !w->failed[task]; j++)
        w->failed[task] = link_module(w, j, &w->linkage[thread], &err) < 0;
}

/* Pieces of about as many items; a large module is alone in one. */
static void cut_pieces(struct job *w, uint64_t modules)
{
    uint64_t j = 0, n = w->net->n;

    w->cut[0] = 0;
    for (int p = 1; p <= PIECES; p++) {
        while (j < modules && (p == PIECES || w->start[j] < n / PIECES * (unsigned)p))
            j++;
        w->cut[p] = j;
    }
}

/* Link all modules of one level.  node[] of its items becomes that of its modules. */
static int link_level(struct job *w, uint64_t modules, uint64_t *next, int threads,
                      struct se_err *err)
{
    uint64_t n = w->net->n;
    bool failed = false;

    se_partition_lists(w->module, n, modules, w->start, w->list);
    for (uint64_t j = 0; j < modules; j++) {
        w->base[j] = *next;
        *next += w->start[j + 1] - w->start[j] - 1;
        for (uint64_t i = w->start[j]; i < w->start[j + 1]; i++)
            w->place[w->list[i]] = (uint32_t)(i - w->start[j]);
    }
    cut_pieces(w, modules);
    se_parallel(se_quotient_threads(w->net, threads), PIECES, link_piece, w);
    for (int p = 0; p < PIECES; p++)
        failed |= w->failed[p];
    if (failed)
        return se_fail(err, SE_EMEM, "out of memory");
    uint32_t *swap = w->node;
    w->node = w->top;
    w->top = swap;
    return 0;
}

/* Number the nodes that were made without gaps, in the same order. */
static void close_gaps(struct se_nest *t, uint32_t *number)
{
    uint32_t count = 0;

    for (uint64_t a = 0; a < t->nodes; a++)
        if (a < t->n || t->parent[a] != UNUSED || t->volume[a] != -1)
            number[a] = count++;
        else
            number[a] = UNUSED;
    for (uint64_t a = 0; a < t->nodes; a++)
        if (number[a] != UNUSED) {
            uint32_t b = number[a];
            t->parent[b] = t->parent[a] == UNUSED ? SE_NONE : number[t->parent[a]];
            t->volume[b] = t->volume[a];
            t->cut[b] = t->cut[a];
        }
    t->nodes = count;
}

/* A root above all nodes without a parent, unless there is one already. */
static void add_root(struct se_nest *t)
{
    uint64_t z = t->nodes;

    if (z > t->n)
        return;
    t->parent[z] = SE_NONE;
    t->volume[z] = t->cut[z] = 0;
    for (uint64_t a = 0; a < z; a++) {
        t->parent[a] = (uint32_t)z;
        t->volume[z] += t->volume[a];
    }
    t->nodes++;
}

static int job_alloc(struct job *w, const struct se_levels *l, int threads,
                     struct se_err *err)
{
    uint64_t n = l->count[0];

    w->start = se_alloc(n + 1, sizeof *w->start, err);
    w->base = se_alloc(n, sizeof *w->base, err);
    w->list = se_alloc(n, sizeof *w->list, err);
    w->place = se_alloc(n, sizeof *w->place, err);
    w->node = se_alloc(n, sizeof *w->node, err);
    w->top = se_alloc(n, sizeof *w->top, err);
    w->linkage = se_zalloc((uint64_t)threads, sizeof *w->linkage, err);
    return w->start && w->base && w->list && w->place && w->node && w->top && w->linkage
               ? 0 : -1;
}

static void job_release(struct job *w, int threads)
{
    for (int t = 0; w->linkage && t < threads; t++)
        se_linkage_release(&w->linkage[t]);
    free(w->linkage);
    free(w->start);
    free(w->base);
    free(w->list);
    free(w->place);
    free(w->node);
    free(w->top);
}

int se_chain_nest(struct se_nest *t, const struct se_levels *l, uint64_t most, int threads,
                  struct se_err *err)
{
    uint64_t n = l->count[0], next = n;
    struct job *w = se_zalloc(1, sizeof *w, err);
    int rc = -1;

    if (w && job_alloc(w, l, threads, err) == 0 &&
        se_nest_alloc(t, n, 2 * n + 1, err) == 0) {
        for (uint64_t a = 0; a < t->nodes; a++) {
            t->parent[a] = UNUSED;
            t->volume[a] = a < n ? l->net[0].volume[a] : -1;
            if (a < n)
                w->node[a] = (uint32_t)a;
        }
        w->nest = t;
        w->most = most;
        rc = 0;
    }
    for (uint32_t i = 0; rc == 0 && n > 0 && i < l->k; i++) {
        w->net = &l->net[i];
        w->module = l->up[i];
        rc = link_level(w, l->count[i + 1], &next, threads, err);
    }
    if (w)
        job_release(w, threads);
    free(w);
    if (rc == 0) {
        uint32_t *number = se_alloc(t->nodes, sizeof *number, err);
        if (number) {
            close_gaps(t, number);
            add_root(t);
        } else {
            rc = -1;
        }
        free(number);
    }
    return rc;
}
