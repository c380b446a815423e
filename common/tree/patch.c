/* patch.c - modules brought up to date around the vertices that changed, without adjacency lists
 *
 * One pass over the edges tells how much of each vertex lies inside its module, and a bound which
 * of the changed vertices could gain by leaving it.  Only their edges are gathered, by another
 * pass.  Those that move may make their neighbours want to, which is the next round. */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/tree/workings.h"

enum { ROUNDS = 12, AHEAD = 16 };

struct end {
    double degree, inside;      /* weight of its edges, and of those inside its module */
};

struct part {                   /* a module */
    double volume, inside;
    uint64_t count;
};

struct link {                   /* an edge of an open vertex */
    uint32_t from, to;          /* from: its place among the open ones */
    double w;
};

struct patch {
    const struct se_graph *g;
    uint32_t *module;
    struct end *end;
    double *loops;              /* NULL: there are none */
    struct part *part;
    uint8_t *due, *open;        /* look at this vertex; it may gain */
    uint32_t *list, *place;     /* of the open vertices, and of each its place there */
    uint64_t *row;              /* row[i] .. row[i + 1] - 1: links of list[i] */
    uint64_t opens;
    struct link *found, *link;  /* as they were found, and by row */
    size_t links, cap_found, cap_link, cap_row;
    struct se_tally tally;
    double limit, least;        /* log2 of the volume of the graph; gains below are rounding */
    double smallest;            /* volume of a module */
    uint32_t unused;            /* no module below it is known to be empty */
};

static double weight_of(const struct se_graph *g, uint64_t e)
{
    return g->weight ? (double)g->weight[e] : 1.0;
}

static double volume_of(const struct patch *p, uint32_t v)
{
    return p->end[v].degree + (p->loops ? p->loops[v] : 0);
}

/* What a module of this volume takes off the cost */
static double worth(const struct patch *p, double inside, double volume)
{
    return inside > 0 && volume > 0 ? inside * (p->limit - log2(volume)) : 0;
}

static int measure_loops(struct patch *p, struct se_err *err)
{
    const struct se_graph *g = p->g;

    if (g->loops == 0)
        return 0;
    p->loops = se_zalloc(g->n, sizeof *p->loops, err);
    for (uint64_t i = 0; p->loops && i < g->loops; i++)
        p->loops[g->loop[i]] += 2 * (g->loop_weight ? (double)g->loop_weight[i] : 1.0);
    return p->loops ? 0 : -1;
}

static void measure_ends(struct patch *p)
{
    const struct se_graph *g = p->g;

    for (uint64_t u = 0; u < g->n; u++) {
        const uint32_t mine = p->module[u];
        double degree = 0, inside = 0;

        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++) {
            struct end *other = &p->end[g->to[e]];
            const double w = weight_of(g, e), within = p->module[g->to[e]] == mine ? w : 0;

            if (e + AHEAD < g->m)
                __builtin_prefetch(&p->end[g->to[e + AHEAD]], 1);
            degree += w;
            inside += within;
            other->degree += w;
            other->inside += within;
        }
        p->end[u].degree += degree;
        p->end[u].inside += inside;
    }
}

static void measure_parts(struct patch *p)
{
    double vol = 0;

    for (uint32_t v = 0; v < p->g->n; v++) {
        struct part *a = &p->part[p->module[v]];

        a->volume += volume_of(p, v);
        a->inside += p->end[v].inside / 2;
        a->count++;
        vol += volume_of(p, v);
    }
    p->limit = log2(vol);
    p->least = 1e-12 * vol;
    p->smallest = vol;
    for (uint64_t j = 0; j < p->g->n; j++)
        if (p->part[j].volume > 0 && p->part[j].volume < p->smallest)
            p->smallest = p->part[j].volume;
}

static double gain_leave(const struct patch *p, uint32_t v)
{
    const struct part *a = &p->part[p->module[v]];
    const double inside = p->end[v].inside;

    return (a->count == 1 ? 0 : worth(p, a->inside - inside, a->volume - volume_of(p, v))) -
           worth(p, a->inside, a->volume);
}

static double gain_join(const struct patch *p, uint32_t v, uint32_t target, double w)
{
    const struct part *b = &p->part[target];

    return worth(p, b->inside + w, b->volume + volume_of(p, v)) - worth(p, b->inside, b->volume);
}

/* Could v gain?  Not more than by having all its other edges in the smallest module. */
static bool may_gain(const struct patch *p, uint32_t v)
{
    const double outside = p->end[v].degree - p->end[v].inside;
    const double most = outside * (p->limit - log2(p->smallest + volume_of(p, v)));

    return (most > 0 ? most : 0) + gain_leave(p, v) > p->least;
}

/* ---- open vertices ---- */

static void find_open(struct patch *p)
{
    p->opens = 0;
    for (uint32_t v = 0; v < p->g->n; v++) {
        p->open[v] = p->due[v] && may_gain(p, v);
        p->due[v] = 0;
        if (p->open[v]) {
            p->place[v] = (uint32_t)p->opens;
            p->list[p->opens++] = v;
        }
    }
}

static int add_link(struct patch *p, uint32_t from, uint32_t to, double w, struct se_err *err)
{
    if (p->links == p->cap_found &&
        se_grow(&p->found, &p->cap_found, p->links + 1, sizeof *p->found, err) < 0)
        return -1;
    p->found[p->links++] = (struct link){ p->place[from], to, w };
    return 0;
}

static int find_links(struct patch *p, struct se_err *err)
{
    const struct se_graph *g = p->g;

    p->links = 0;
    for (uint32_t u = 0; u < g->n; u++)
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++) {
            const uint32_t v = g->to[e];

            if (!(p->open[u] | p->open[v]))
                continue;
            if ((p->open[u] && add_link(p, u, v, weight_of(g, e), err) < 0) ||
                (p->open[v] && add_link(p, v, u, weight_of(g, e), err) < 0))
                return -1;
        }
    return 0;
}

/* The edges of the open vertices, vertex by vertex */
static int gather(struct patch *p, struct se_err *err)
{
    if (find_links(p, err) < 0 ||
        se_grow(&p->link, &p->cap_link, p->links, sizeof *p->link, err) < 0 ||
        se_grow(&p->row, &p->cap_row, p->opens + 2, sizeof *p->row, err) < 0)
        return -1;
    memset(p->row, 0, (p->opens + 2) * sizeof *p->row);
    for (uint64_t i = 0; i < p->links; i++)
        p->row[p->found[i].from + 2]++;
    for (uint64_t i = 0; i < p->opens; i++)
        p->row[i + 2] += p->row[i + 1];
    for (uint64_t i = 0; i < p->links; i++)
        p->link[p->row[p->found[i].from + 1]++] = p->found[i];
    return 0;
}

/* ---- moves ---- */

/* A module without vertices, SE_NONE if none is left. */
static uint32_t empty_module(struct patch *p)
{
    while (p->unused < p->g->n && p->part[p->unused].count > 0)
        p->unused++;
    return p->unused < p->g->n ? p->unused : SE_NONE;
}

/* The module that v gains most by moving to, which may be an empty one; its own if there is none. */
static uint32_t best_module(struct patch *p, uint32_t v, const struct link *l, uint64_t count,
                            double *weight)
{
    uint32_t best = p->module[v];
    double most = -gain_leave(p, v) + p->least;

    *weight = 0;
    if (most < 0 && p->part[best].count > 1 && empty_module(p) != SE_NONE) {
        most = 0;
        best = empty_module(p);
    }
    se_tally_begin(&p->tally, count);
    for (uint64_t i = 0; i < count; i++)
        se_tally_add(&p->tally, p->module[l[i].to], l[i].w);
    for (uint32_t i = 0; i < p->tally.count; i++) {
        const struct se_tally_slot *t = se_tally_at(&p->tally, i);
        const double gain = t->key == p->module[v] ? 0 : gain_join(p, v, t->key, t->sum);

        if (t->key != p->module[v] && gain > most) {
            most = gain;
            best = t->key;
            *weight = t->sum;
        }
    }
    return best;
}

static void move_vertex(struct patch *p, uint32_t v, uint32_t target, double w,
                        const struct link *l, uint64_t count)
{
    const uint32_t from = p->module[v];
    struct part *a = &p->part[from], *b = &p->part[target];

    a->volume -= volume_of(p, v);
    a->inside -= p->end[v].inside;
    if (--a->count == 0)
        *a = (struct part){ 0, 0, 0 };
    b->volume += volume_of(p, v);
    b->inside += w;
    b->count++;
    p->module[v] = target;
    p->end[v].inside = w;
    for (uint64_t i = 0; i < count; i++) {
        const uint32_t u = l[i].to, its = p->module[u];

        p->end[u].inside += its == target ? l[i].w : its == from ? -l[i].w : 0;
        if (its != target)
            p->due[u] = 1;
    }
}

static int move_open(struct patch *p, struct se_err *err)
{
    for (uint64_t i = 0; i < p->opens; i++) {
        const struct link *l = p->link + p->row[i];
        const uint64_t count = p->row[i + 1] - p->row[i];
        const uint32_t v = p->list[i];
        uint32_t target;
        double w;

        if (se_tally_room(&p->tally, count, err) < 0)
            return -1;
        target = best_module(p, v, l, count, &w);
        if (target != p->module[v])
            move_vertex(p, v, target, w, l, count);
    }
    return 0;
}

static int prepare(struct patch *p, const uint8_t *changed, struct se_err *err)
{
    const uint64_t n = p->g->n;

    p->end = se_zalloc(n, sizeof *p->end, err);
    p->part = se_zalloc(n, sizeof *p->part, err);
    p->due = se_alloc(n, 1, err);
    p->open = se_alloc(n, 1, err);
    p->list = se_alloc(n, sizeof *p->list, err);
    p->place = se_alloc(n, sizeof *p->place, err);
    if (!p->end || !p->part || !p->due || !p->open || !p->list || !p->place ||
        measure_loops(p, err) < 0)
        return -1;
    memcpy(p->due, changed, n);
    measure_ends(p);
    measure_parts(p);
    return 0;
}

int se_patch_modules(const struct se_graph *g, const uint8_t *changed, uint32_t *module,
                     struct se_err *err)
{
    struct patch p = { .g = g, .module = module, .tally = SE_TALLY_INIT };
    int rc = prepare(&p, changed, err);

    for (int i = 0; rc == 0 && i < ROUNDS; i++) {
        find_open(&p);
        if (p.opens == 0)
            break;
        rc = gather(&p, err) < 0 || move_open(&p, err) < 0 ? -1 : 0;
    }
    se_tally_release(&p.tally);
    free(p.end);
    free(p.part);
    free(p.due);
    free(p.open);
    free(p.list);
    free(p.place);
    free(p.row);
    free(p.loops);
    free(p.found);
    free(p.link);
    return rc;
}
