/* tree_build.c - encoding trees of low structural entropy: the methods */
#include "common/tree/tree_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/progress.h"
#include "common/graph/treelevel.h"
#include "common/tree/refine.h"

enum { MOST_LEVELS = 12 };      /* what more a tree may have is added at the end */

/* Vertices and arcs from which on time counts: searches are put together as they come, and
 * what is left to gain by rounds of all levels is not waited for. */
#define LARGE 2e6

/* From here on one tree is built from many searches that go on where they disagree; below, many
 * trees from one search each are put together, which finds a little more. */
#define OPEN 2e5

/* The share of its time that has gone, 0 without a deadline */
static double gone(const struct se_deadline *until)
{
    const double all = until ? until->at - until->begin : 0, share = all > 0 ? (se_now() - until->begin) / all : 0;

    return share < 1 ? share : 1;
}

bool se_late(struct se_deadline *until)
{
    if (!until)
        return false;
    se_progress_at(until->progress, (uint64_t)(SE_TREE_STEPS * gone(until)));
    return se_now() < until->at ? false : (until->hit = true);
}

/* All vertices under the root. */
static int flat_nest(struct se_nest *t, const struct se_quotient *x, struct se_err *err)
{
    if (se_nest_alloc(t, x->n, x->n + 1, err) < 0)
        return -1;
    for (uint64_t v = 0; v <= x->n; v++)
        t->parent[v] = v < x->n ? (uint32_t)x->n : SE_NONE;
    return se_nest_measure(t, x, err);
}

/* V and cut of a tree of height two. */
static int measure_modules(struct se_nest *t, const struct se_quotient *x, const uint32_t *module,
                           int threads, struct se_err *err)
{
    const uint64_t root = t->nodes - 1;
    double *inside = se_alloc(x->n, sizeof *inside, err), total = 0;

    if (!inside)
        return -1;
    se_quotient_inside(x, module, inside, threads);
    for (uint64_t a = 0; a < x->arcs; a++)
        total += se_quotient_weight(x, a);
    t->cut[root] = total / 2;
    for (uint64_t v = 0; v < x->n; v++) {
        t->volume[v] = x->volume[v];
        t->volume[x->n + module[v]] += x->volume[v];
        t->cut[x->n + module[v]] += inside[v];
        t->cut[root] -= inside[v];
    }
    t->volume[root] = x->vol;
    if (t->cut[root] < 1e-12 * x->vol)          /* what rounding left of nothing */
        t->cut[root] = 0;
    free(inside);
    return 0;
}

/* Modules under the root, vertices under modules.  measure: with volumes and cuts. */
static int module_nest(struct se_nest *t, const struct se_quotient *x, const uint32_t *module,
                       bool measure, int threads, struct se_err *err)
{
    uint64_t count = 0;
    bool *keep;
    int rc;

    for (uint64_t v = 0; v < x->n; v++)
        if (module[v] >= count)
            count = (uint64_t)module[v] + 1;
    if (se_nest_alloc(t, x->n, x->n + count + 1, err) < 0)
        return -1;
    for (uint64_t v = 0; v < x->n; v++)
        t->parent[v] = (uint32_t)(x->n + module[v]);
    for (uint64_t a = x->n; a <= x->n + count; a++)
        t->parent[a] = a < x->n + count ? (uint32_t)(x->n + count) : SE_NONE;
    if (measure && measure_modules(t, x, module, threads, err) < 0)
        return -1;
    keep = se_alloc(t->nodes, sizeof *keep, err);
    if (!keep)
        return -1;
    memset(keep, 1, t->nodes);
    rc = se_nest_prune(t, keep, err);
    free(keep);
    return rc;
}

/* ---- best ---- */

/* How much to do, by effort and size. */
struct budget {
    int attempts;               /* trees from different starts */
    int tries, cycles;          /* of the search for modules of each */
    bool merge, linkage;        /* of the whole graph are starts, too */
    bool fresh;                 /* two of three attempts start from nothing, if there is a start */
    int combine;                /* searches in what two trees leave open */
    struct se_refine_options first, last;       /* of each attempt; of the best */
};

/* Greedy merging is quadratic in the degree: can we afford it? */
static bool merge_is_cheap(const struct se_quotient *x, double most)
{
    double work = 0;

    for (uint64_t v = 0; v < x->n; v++) {
        double degree = (double)(x->off[v + 1] - x->off[v]);
        work += degree * degree;
    }
    return work <= most;
}

static struct budget budget_of(const struct se_quotient *x, const struct se_tree_options *how)
{
    double size = (double)(x->n + x->arcs);
    bool high = how->effort == SE_EFFORT_HIGH;
    struct budget b = { .attempts = 1, .tries = 1, .cycles = 1, .combine = 1 };

    b.first = (struct se_refine_options){ .threads = how->threads, .tries = 1, .cycles = 1,
                                  .rounds = 1, .most = UINT64_MAX, .until = how->until };
    if (how->effort == SE_EFFORT_FAST) {
        b.first.rounds = how->k > 2;
        b.first.lowest = size > 4e5;            /* there the moves of vertices must do */
        b.first.sweep = 0.003;
        b.first.most = 50000;
        return b;
    }
    b.attempts = size < 2e3 ? 32 : size < 3e4 ? 16 : size < OPEN ? 8 : 1;
    b.tries = size < OPEN ? 1 : 16;
    b.merge = merge_is_cheap(x, high ? 1e8 : 1e5);
    b.linkage = size < LARGE;
    b.first.rebuild = true;
    b.last = b.first;
    b.last.tries = size < LARGE ? 2 : 1;
    b.last.rounds = 10;
    b.last.enough = 1e-6;
    if (size >= LARGE) {
        b.first.rounds = 0;
        b.first.sweep = b.last.sweep = 0.003;
        b.last.rounds = size < 1e7 ? 3 : 1;
        b.last.enough = 1e-5;
        b.last.rebuild = how->k > 2;
    }
    if (high) {
        b.tries *= 2;
        b.attempts *= 4;
        b.cycles = b.last.cycles = 2;
        b.last.tries = 4;
        b.last.rounds = 50;
        b.last.enough = 1e-7;
    }
    return b;
}

/* Split the modules of each level by average linkage and squeeze to k, if that is better
 * than t. */
static int split_and_squeeze(struct se_nest *t, const struct se_levels *l, uint64_t k,
                             uint64_t most, int threads, struct se_err *err)
{
    struct se_nest split = SE_NEST_INIT;
    int rc = se_chain_nest(&split, l, most, threads, err);

    if (rc == 0)
        rc = se_squeeze_exact(&split, k, err);
    if (rc < 0)
        se_nest_release(&split);
    else
        se_nest_better(t, &split);
    return rc;
}

/* The same with the levels of t itself, whose height is h. */
static int split_levels(struct se_nest *t, const struct se_quotient *x, uint32_t h, uint64_t k,
                        int threads, struct se_err *err)
{
    struct se_levels l = SE_LEVELS_INIT;
    int rc = se_levels_of_nest(&l, t, h, x, threads, err);

    if (rc == 0)
        rc = split_and_squeeze(t, &l, k, UINT64_MAX, threads, err);
    se_levels_release(&l);
    return rc;
}

/* A tree of height k from nothing: modules, by searches on `levels` levels, and what average
 * linkage finds within and above them. */
static int search_modules(struct se_nest *t, const struct se_quotient *x, uint64_t k,
                          uint32_t levels, const struct budget *b,
                          const struct se_search_options *how, struct se_err *err)
{
    uint32_t *module = se_alloc(x->n, sizeof *module, err);
    double limit = log2(x->vol), gain;
    struct se_bound bound = { NULL, &limit };
    struct se_levels l = SE_LEVELS_INIT;
    int rc = -1;

    if (module && se_partition_pool(x, &bound, module, true, b->tries, how, &gain, err) == 0)
        rc = module_nest(t, x, module, true, how->threads, err);
    if (rc == 0 && k > 2 &&
        (rc = se_levels_pile(&l, x, module, levels, how, err)) == 0)
        rc = split_and_squeeze(t, &l, k, b->first.most, how->threads, err);
    se_levels_release(&l);
    free(module);
    return rc;
}

enum start { START_MODULES, START_PILE, START_LINKAGE, START_MERGE };

/* One tree from one kind of start. */
static int attempt(struct se_nest *t, const struct se_quotient *x, enum start start,
                   uint64_t seed, const struct budget *b, const struct se_tree_options *how,
                   struct se_err *err)
{
    struct se_search_options search = { seed, how->threads, b->cycles, b->first.sweep, how->until };
    struct se_refine_options first = b->first;
    int rc = 0;

    if (start == START_MERGE)
        rc = se_greedy_nest(t, x, SE_TREE_MERGE, NULL, err) < 0 ||
             se_squeeze_exact(t, how->k, err) < 0 ? -1 : 0;
    else if (start == START_MODULES || start == START_PILE)
        rc = search_modules(t, x, how->k, start == START_PILE ? (uint32_t)how->k : 2, b,
                            &search, err);
    else
        rc = flat_nest(t, x, err) < 0 ||
             split_levels(t, x, 1, how->k, how->threads, err) < 0 ? -1 : 0;
    first.seed = seed;
    return rc < 0 ? rc : se_refine(t, x, how->k, &first, err);
}

enum {
    RANKS = 16,
    AGREED = 3,                 /* attempts that find the same end the tournament, */
    SMALL = 2000                /* but not below so many vertices and arcs */
};
enum { ATTEMPT = 4, MERGE = 2, LAST = 6 };      /* what they take, for the progress */
#define SAME 1e-9               /* costs that differ by a smaller share are equal */

struct tournament {             /* trees waiting for another of their rank */
    struct se_nest tree[RANKS];
    int count;
    double lowest;              /* cost of the best attempt so far, */
    int found;                  /* and how many found it */
    const struct se_nest *start;        /* some trees come from it, unless it is NULL */
    struct se_refine_options merge;             /* how two become one */
    unsigned done, total;       /* work, for the progress */
};

static void tournament_release(struct tournament *w)
{
    for (int i = 0; i < RANKS; i++)
        se_nest_release(&w->tree[i]);
}

static void advance(struct tournament *w, const struct se_tree_options *how, unsigned work)
{
    const double spent = gone(how->until);      /* the bar counts what will end first */

    w->done += work;
    se_progress_at(how->progress, (uint64_t)(SE_TREE_STEPS * fmax(spent, (double)w->done / w->total)));
}

static int merge_last(struct tournament *w, const struct se_quotient *x,
                      const struct se_tree_options *how, struct se_err *err)
{
    w->count--;
    w->merge.seed += 1000;
    if (se_nest_combine(&w->tree[w->count - 1], &w->tree[w->count], x, (uint32_t)how->k,
                        &w->merge, err) < 0)
        return -1;
    advance(w, how, MERGE);
    return 0;
}

/* The start of attempt i: mostly modules, and where we can afford it one linkage and the last
 * one merging.  On some graphs searches on all levels begin better, on some linkage above the
 * lowest. */
static enum start start_of(int i, int attempts, const struct budget *b)
{
    if (b->merge && i == attempts - 1)
        return START_MERGE;
    return i == 1 && b->linkage ? START_LINKAGE : i % 2 == 0 ? START_PILE : START_MODULES;
}

/* Tree i of all that come to play */
static int enter(struct tournament *w, const struct se_quotient *x, int i, int attempts,
                 const struct budget *b, const struct se_tree_options *how, struct se_err *err)
{
    const uint64_t seed = how->seed * 1000003 + (unsigned)i * UINT64_C(15485863);
    struct se_nest *t = &w->tree[w->count++];
    struct se_refine_options r = b->first;

    r.seed = seed;
    return w->start && (i % 3 == 0 || !b->fresh)
         ? se_nest_shaken(t, w->start, x, (uint32_t)how->k, &r, err)
         : attempt(t, x, start_of(i, attempts, b), seed, b, how, err);
}

/* Attempts that end at the same cost, the lowest, leave nothing in dispute.  Small graphs cost
 * so little that all attempts are made. */
static bool agreed(struct tournament *w, const struct se_quotient *x)
{
    const double cost = se_nest_cost(&w->tree[w->count - 1]);

    if (w->found == 0 || cost < w->lowest * (1 - SAME)) {
        w->lowest = cost;
        w->found = 0;
    }
    w->found += cost <= w->lowest * (1 + SAME);
    return w->found >= AGREED && x->n + x->arcs >= SMALL;
}

/* Two trees of the same rank make one of the next, until one is left. */
static int play(struct tournament *w, const struct se_quotient *x, const struct budget *b,
                const struct se_tree_options *how, struct se_err *err)
{
    const unsigned last = b->last.rounds ? LAST : 0;
    int attempts = b->attempts + b->merge;
    bool all = false;

    w->total = (unsigned)attempts * (ATTEMPT + MERGE) - MERGE + last;
    w->merge = b->first;
    w->merge.seed = how->seed * 1000003 + 13;
    w->merge.rounds = w->start == NULL;
    w->merge.tries = b->combine;
    for (int i = 0; !all && i < attempts && (i == 0 || !se_late(how->until)); i++) {
        if (enter(w, x, i, attempts, b, how, err) < 0)
            return -1;
        advance(w, how, ATTEMPT);
        all = agreed(w, x);
        for (int rank = i + 1; rank % 2 == 0; rank /= 2)
            if (merge_last(w, x, how, err) < 0)
                return -1;
    }
    w->total = w->done + MERGE * (unsigned)(w->count - 1) + last;      /* fewer attempts, perhaps */
    while (w->count > 1)
        if (merge_last(w, x, how, err) < 0)
            return -1;
    return 0;
}

static int best(struct se_nest *t, const struct se_quotient *x, const struct se_tree_options *given,
                struct se_err *err)
{
    struct se_tree_options how = *given;
    struct tournament w = { .count = 0 };
    struct budget b;
    int rc;

    if (how.k > MOST_LEVELS)
        how.k = MOST_LEVELS;
    b = budget_of(x, &how);
    rc = play(&w, x, &b, &how, err);
    *t = w.tree[0];
    w.tree[0] = (struct se_nest)SE_NEST_INIT;
    tournament_release(&w);
    b.last.seed = how.seed * 1000003 + 77;
    b.last.progress = how.progress;
    b.last.from = SE_TREE_STEPS * w.done / (w.total ? w.total : 1);
    if (rc == 0)
        rc = se_refine(t, x, how.k, &b.last, err);
    if (rc == 0 && given->k > how.k)
        rc = split_levels(t, x, MOST_LEVELS, given->k, how.threads, err);
    return rc;
}

/* ---- all methods ---- */

/* What to do with a start: few attempts beside it, but what they leave open is searched often
 * when two are put together, which costs little and gives most.  On small graphs fresh trees find
 * more than the start taken apart, on larger ones not. */
static struct budget budget_of_start(const struct se_quotient *x, const struct se_tree_options *how)
{
    struct budget b = budget_of(x, how);
    const double size = (double)(x->n + x->arcs);
    const bool large = size >= LARGE;

    b.attempts = size < 2e3 ? 7 : size < 3e4 ? 3 : size < 2e5 ? 2 : 1;
    if (how->effort == SE_EFFORT_HIGH)
        b.attempts *= 4;
    if (how->effort == SE_EFFORT_FAST || large)
        b.attempts = 0;
    b.fresh = size < 3e4;
    b.combine = 4;
    b.merge = false;
    b.first.rounds = how->effort == SE_EFFORT_FAST || !large;
    if (how->effort == SE_EFFORT_FAST && how->k == 2)
        b.first.lowest = 0;
    if (how->effort == SE_EFFORT_NORMAL) {
        b.last.tries = b.last.rounds = 1;
        b.last.enough = 1e-5;
    }
    b.first.seed = how->seed * 1000003 + 1;
    b.last.seed = b.first.seed + 77;
    return b;
}

static int improve(struct se_nest *t, const struct se_quotient *x, const struct se_tree *start,
                   const struct se_tree_options *how, struct se_err *err)
{
    const uint32_t k = (uint32_t)how->k;
    struct budget b = budget_of_start(x, how);
    struct tournament w = { .count = 0, .start = t };
    int rc;

    if (se_nest_of_tree(t, start, err) < 0 || se_nest_measure(t, x, err) < 0 ||
        se_squeeze_exact(t, how->k, err) < 0)
        return -1;
    if (how->k > MOST_LEVELS)
        return 0;
    rc = se_refine(t, x, k, &b.first, err);
    if (rc == 0 && b.attempts > 0 && (rc = play(&w, x, &b, how, err)) == 0)
        rc = se_nest_combine(t, &w.tree[0], x, k, &w.merge, err);
    tournament_release(&w);
    return rc < 0 ? rc : se_refine(t, x, k, &b.last, err);
}

/* Move the vertices that changed, and what that leads to, to anywhere in a tree. */
static int shift_changed(struct se_nest *t, const struct se_quotient *x, uint32_t levels,
                         const struct se_search_options *how, struct se_err *err)
{
    struct se_levels l = SE_LEVELS_INIT;
    struct se_nest moved = SE_NEST_INIT;
    double gain;
    int rc = -1;

    if (se_levels_of_nest(&l, t, levels, x, how->threads, err) == 0 &&
        se_levels_shift(&l, 0, how, &gain, err) == 0)
        rc = se_levels_nest(&moved, &l, err);
    se_levels_release(&l);
    if (rc == 0)
        se_nest_better(t, &moved);
    else
        se_nest_release(&moved);
    return rc;
}

/* Improve a tree around the vertices that changed only. */
static int update(struct se_nest *t, const struct se_quotient *x, const struct se_tree *start,
                  const struct se_tree_options *how, struct se_err *err)
{
    const struct se_search_options search = { .seed = how->seed, .threads = how->threads,
                                              .cycles = 1, .due = how->changed };
    uint32_t height;

    if (se_nest_of_tree(t, start, err) < 0)
        return -1;
    height = se_nest_height(t, err);
    if (height == SE_NONE)
        return -1;
    if ((how->k > 2 || height > 2) &&
        (se_nest_measure(t, x, err) < 0 || (height > how->k && se_squeeze_exact(t, how->k, err) < 0)))
        return -1;
    if (height > how->k)
        height = (uint32_t)how->k;
    if (height > MOST_LEVELS)
        return 0;
    return shift_changed(t, x, height < 3 ? 3 : height, &search, err);
}

static int build(struct se_nest *t, const struct se_quotient *x, const struct se_tree *start,
                 const struct se_tree_options *how, struct se_err *err)
{
    if (how->k == 1 || x->n < 2 || x->arcs == 0)
        return flat_nest(t, x, err);
    if (start && how->changed && how->effort != SE_EFFORT_HIGH)
        return update(t, x, start, how, err);
    if (start)
        return improve(t, x, start, how, err);
    if (how->method == SE_TREE_BEST)
        return best(t, x, how, err);
    if (se_greedy_nest(t, x, how->method, how->progress, err) < 0)
        return -1;
    return how->squeeze == SE_SQUEEZE_EXACT ? se_squeeze_exact(t, how->k, err)
                                            : se_squeeze_greedy(t, how->k, err);
}

/* Move the vertices that changed, and what that leads to, between the modules of a tree of
 * height 2 or less: no adjacency lists are needed for that. */
static int patch(struct se_nest *t, const struct se_graph *g, const struct se_tree *start,
                 const struct se_tree_options *how, struct se_err *err)
{
    const struct se_quotient vertices = { .n = g->n };
    uint32_t *module = se_alloc(g->n, sizeof *module, err);
    uint32_t *seen = se_alloc(g->n, sizeof *seen, err);
    uint64_t count;
    int rc = module && seen ? 0 : -1;

    if (rc == 0 && (rc = se_tree_partition(start, 1, module, &count, err)) == 0)
        rc = se_patch_modules(g, how->changed, module, err);
    if (rc == 0) {
        se_partition_compact(module, g->n, g->n, seen);
        rc = module_nest(t, &vertices, module, false, how->threads, err);
    }
    free(module);
    free(seen);
    return rc;
}

static bool is_patched(const struct se_graph *g, const struct se_tree *start,
                       const struct se_tree_options *how)
{
    if (!start || !how->changed || how->effort == SE_EFFORT_HIGH || how->k != 2 || g->m == 0 ||
        g->n < 2)
        return false;
    for (uint64_t a = 1; a < start->nodes; a++)     /* of height 2 or less */
        if (start->vertex[a] == SE_NONE && start->parent[a] != 0)
            return false;
    return true;
}

int se_tree_build(struct se_hierarchy *out, const struct se_graph *g,
                  const struct se_tree *start, const struct se_tree_options *how,
                  struct se_err *err)
{
    struct se_quotient x = SE_QUOTIENT_INIT;
    struct se_nest t = SE_NEST_INIT;
    int rc = -1;

    if (start && start->n != g->n)
        return se_fail(err, SE_EINPUT, "the tree has %llu vertices, the graph has %llu",
                       (unsigned long long)start->n, (unsigned long long)g->n);
    if (is_patched(g, start, how))
        rc = patch(&t, g, start, how, err);
    else if (se_quotient_of_graph(&x, g, how->threads, err) == 0)
        rc = build(&t, &x, start, how, err);
    if (rc == 0)
        rc = se_nest_tree(out, &t, how->pad, err);
    se_quotient_release(&x);
    se_nest_release(&t);
    return rc;
}
