/* se-cluster.c - cluster the vertices of a graph with features, without labels */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/outfile.h"
#include "common/cli/tool.h"
#include "common/graph/entropy.h"
#include "common/sim/centroids.h"
#include "common/sim/smooth.h"
#include "common/tree/choose.h"
#include "common/weigh/agree.h"
#include "common/weigh/join.h"

#define TRUST 0.25              /* agreement of edges and features from which on they are joined, */
#define LIFT 0.1                /* or the ends of edges alike by so many standard deviations */
#define SURE 5                  /* and standard errors */
#define ALIKE 0.05              /* levels this much less stable are as good; the coarsest wins */
#define NEARLY 0.15             /* levels below the chosen one that are kept */
#define MOST_NUMBERS 3e8        /* features times vertices that are smoothed, */
#define FEW_NUMBERS 1e8         /* and that are compared with centroids */

enum {
    LARGE = 10000,              /* vertices from which on fewer graphs are tried, and */
    HIGH = 8,                   /* trees up to this height */
    SAMPLES = 5,                /* thinned graphs; 3 of large ones */
    MOST_SETTLED = 100,         /* modules that are compared with all vertices, */
    ROUNDS = 20,                /* so often, */
    SETTLE_HOPS = 8             /* by features averaged over so many hops */
};

static struct {
    int effort, edges;
    const char *table;
    uint64_t k;
} o = { .effort = SE_EFFORT_NORMAL };

enum { EDGES_AUTO, EDGES_USE, EDGES_IGNORE };

static const struct se_option options[] = {
    { 'k', "neighbours", "K", SE_OPT_COUNT, &o.k, .min = 0, .max = 1e6,
      .help = "nearest neighbours of each vertex; 0: try 15 and 50, from 10,000 vertices on 30" },
    { 0, "edges", "auto|use|ignore", SE_OPT_CHOICE, &o.edges,
      .help = "join the edges with the nearest neighbours; auto: if both "
              "agree" },
    { 'e', "effort", "fast|normal|high", SE_OPT_CHOICE, &o.effort,
      .help = "effort of the last tree" },
    { 0, "table", "FILE", SE_OPT_FILE, &o.table,
      .help = "write what was tried, with the stability of each level" },
    SE_OPTIONS_END
};

/* One graph to cluster: the edges alone, the neighbours alone, or both. */
struct way {
    const char *name;           /* "graph", "features", "fused" */
    int hops;
    uint64_t k;
    struct se_stream home;      /* holds the graph as SE_FUSED; empty for "graph" */
    struct se_graph g;
};

struct level {                  /* of trees of height `height` of way `way` */
    int way;
    uint64_t height, modules;
    uint32_t level;
    struct se_stable_level s;
    bool measured, real;        /* compared with chance; beyond it */
};

enum { MOST_WAYS = 8, MOST_TRIED = MOST_WAYS * (HIGH - 1) * HIGH / 2 };

struct work {
    struct se_run *run;
    struct se_graph g;
    struct se_own_features words;       /* weighted columns */
    bool has_features;
    double agreement;           /* of edges and clusters of features: 0 by chance, 1 at most */
    struct se_alike alike;
    bool fused;                 /* edges and features are joined */
    struct way way[MOST_WAYS];
    int ways;
    struct level tried[MOST_TRIED];
    int count, chosen;          /* chosen -1: nothing is beyond chance */
    struct se_own_features smooth;      /* what the chosen modules are brought into line with */
    bool settled;               /* and they are: that makes them no less stable */
};

/* ---- graphs to try ---- */

/* The graph of nearest neighbours after `hops`, with the edges if `fused`. */
static int add_way(struct work *w, bool fused, int hops, uint64_t k, struct se_err *err)
{
    struct way *y = &w->way[w->ways++];
    struct se_own_features smooth = SE_OWN_FEATURES_INIT;
    int rc = 0;

    *y = (struct way){ fused ? "fused" : "features", hops, k, SE_STREAM_INIT, { .n = 0 } };
    if (hops > 0)
        rc = se_features_smooth(&smooth, &w->words.x, &w->g, hops, w->run->threads, err);
    if (rc == 0)
        rc = se_join_neighbours(&y->home, hops > 0 ? &smooth.x : &w->words.x, fused ? &w->g : NULL,
                                k, w->run->threads, err);
    if (rc == 0)
        rc = se_graph_get(&y->g, &y->home, SE_FUSED, err);
    se_own_features_release(&smooth);
    return rc;
}

static int samples_of(const struct work *w)
{
    return w->g.n < LARGE ? SAMPLES : 3;
}

/* Where there are more vertices there are more levels above those that were planted or meant. */
static uint64_t highest(const struct work *w)
{
    return w->g.n < LARGE ? SE_AUTO_HEIGHT : HIGH;
}

static struct se_stability_options stability_options(const struct work *w, bool chance)
{
    struct se_stability_options how = SE_STABILITY_OPTIONS_INIT;

    how.seed = w->run->seed;
    how.threads = w->run->threads;
    how.samples = samples_of(w);
    how.chance = chance;
    return how;
}

/* How stable the best level of a graph is beyond chance, 0: no level is. */
static int best_beyond(const struct work *w, const struct se_graph *g, double *best,
                       struct se_err *err)
{
    const struct se_stability_options how = stability_options(w, true);
    struct se_choice c = SE_CHOICE_INIT;
    int rc;

    rc = se_tree_choose(&c, g, &how, err);
    *best = c.levels > 0 ? se_stability_beyond(&c.stability.level[c.kept[c.best]]) : 0;
    se_choice_release(&c);
    return rc;
}

/* Noise in the features hides that edges agree with them; and features too weak to make modules
 * as good as those of the edges may still be alike across edges. */
static int agree(struct work *w, bool *yes, struct se_err *err)
{
    double edges = 0, neighbours = 0, left;

    *yes = w->agreement >= TRUST;
    if (*yes || w->alike.lift < LIFT || w->alike.sure < SURE)
        return 0;
    if (se_agreement_left(&left, &w->way[0].g, w->run->seed, w->run->threads, err) < 0)
        return -1;
    *yes = w->agreement >= TRUST * left && w->agreement >= SURE / sqrt((double)w->g.m);
    if (*yes)
        return 0;
    if (best_beyond(w, &w->g, &edges, err) < 0 ||
        (edges > 0 && best_beyond(w, &w->way[0].g, &neighbours, err) < 0))
        return -1;
    *yes = edges > neighbours;
    return 0;
}

/* Nearest neighbours by the features alone; do the edges agree with them? */
static int first_way(struct work *w, uint64_t k, struct se_err *err)
{
    const uint64_t seed = w->run->seed;
    const int threads = w->run->threads;
    bool yes = false;

    if (add_way(w, false, 0, k, err) < 0 ||
        se_edges_within(&w->agreement, &w->g, &w->way[0].g, seed, threads, err) < 0 ||
        se_edges_alike(&w->alike, &w->g, &w->words.x, seed, threads, err) < 0 ||
        (w->g.m > 0 && o.edges == EDGES_AUTO && agree(w, &yes, err) < 0))
        return -1;
    w->fused = w->g.m > 0 && (o.edges == EDGES_USE || yes);
    if (w->g.m > 0)
        se_note(w->run, "agreement of edges and features %.3f, ends alike by %.3f (%.1f standard "
                "errors): they are %s", w->agreement, w->alike.lift, w->alike.sure,
                w->fused ? "joined" : o.edges == EDGES_IGNORE ? "not joined" : "tried separately");
    if (w->fused) {
        se_stream_release(&w->way[0].home);
        w->ways = 0;
    }
    return 0;
}

/* Where edges and features agree both together, with features averaged over 0, 2 and 4
 * hops.  Else either alone. */
static int add_ways(struct work *w, struct se_err *err)
{
    const uint64_t most = w->g.n / 8 > 1 ? w->g.n / 8 : 1;
    const bool many = (double)w->words.x.n * (double)w->words.x.d > MOST_NUMBERS;
    const bool large = w->g.n >= LARGE;
    uint64_t k[2] = { o.k ? o.k : large ? 30 : 15, o.k ? o.k : large ? 30 : 50 };

    for (int i = 0; i < 2 && o.k == 0; i++)
        k[i] = k[i] > most ? most : k[i];
    if (w->has_features && first_way(w, k[0], err) < 0)
        return -1;
    if (w->g.m > 0 && !w->fused && (!w->has_features || o.edges == EDGES_AUTO))
        w->way[w->ways++] = (struct way){ "graph", 0, 0, SE_STREAM_INIT, w->g };
    if (w->fused && many)
        se_warn(w->run, "too many features to average over neighbours; using the "
                "features themselves");
    for (int i = w->fused ? 0 : 1; w->has_features && i < 2; i++) {
        if (i == 1 && k[1] == k[0])
            break;
        for (int hops = 0; hops <= (!w->fused || many ? 0 : large ? 2 : 4); hops += 2)
            if (add_way(w, w->fused, hops, k[i], err) < 0)
                return -1;
    }
    return 0;
}

/* ---- levels ---- */

static uint64_t modules_in(const uint32_t *module, uint64_t n)
{
    uint64_t count = 0;

    for (uint64_t v = 0; v < n; v++)
        if (module[v] >= count)
            count = (uint64_t)module[v] + 1;
    return count;
}

static int try_height(struct work *w, int way, uint64_t height, struct se_err *err)
{
    const struct se_stability_options how = stability_options(w, false);
    struct se_stability x = SE_STABILITY_INIT;
    int rc;

    rc = se_stability_make(&x, &w->way[way].g, height, &how, err);
    for (uint32_t l = 1; rc == 0 && l <= x.levels; l++)
        w->tried[w->count++] = (struct level){
            way, height, modules_in(x.module + (l - 1) * x.n, x.n), l, x.level[l], false, false
        };
    se_stability_release(&x);
    return rc;
}

/* Compare the levels of trees of this height with chance; `first` is the first of them. */
static int compare(struct work *w, int first, struct se_err *err)
{
    struct se_stability_options how = stability_options(w, true);
    struct se_stability x = SE_STABILITY_INIT;
    struct level *l = &w->tried[first];
    const uint64_t height = l->height;
    int rc;

    how.rewirings = w->g.n < 500 ? 4 : 1;
    rc = se_stability_chance(&x, &w->way[l->way].g, height, &how, err);
    for (uint32_t i = 1; rc == 0 && i <= x.levels; i++, l++) {
        x.level[i].stability = l->s.stability;
        l->s = x.level[i];
        l->measured = true;
        l->real = se_stability_real(&x, i);
    }
    se_stability_release(&x);
    return rc;
}

/* Compare those that can be chosen: beyond chance they are never more stable than they are. */
static int compare_levels(struct work *w, struct se_err *err)
{
    for (double most = 0;;) {
        int next = -1, first;

        for (int i = 0; i < w->count; i++)
            if (!w->tried[i].measured &&
                (next < 0 || w->tried[i].s.stability > w->tried[next].s.stability))
                next = i;
        if (next < 0 || w->tried[next].s.stability < most - ALIKE)
            return 0;
        first = next - (int)w->tried[next].level + 1;
        if (compare(w, first, err) < 0)
            return -1;
        for (int i = first; i < w->count && w->tried[i].measured; i++)
            if (w->tried[i].real && se_stability_beyond(&w->tried[i].s) > most)
                most = se_stability_beyond(&w->tried[i].s);
    }
}

/* The coarsest of the levels that are about as stable as the best. */
static void choose(struct work *w)
{
    double most = 0;

    w->chosen = -1;
    for (int i = 0; i < w->count; i++)
        if (w->tried[i].real && se_stability_beyond(&w->tried[i].s) > most)
            most = se_stability_beyond(&w->tried[i].s);
    for (int i = 0; i < w->count; i++) {
        const struct level *l = &w->tried[i];

        if (l->real && l->modules > 1 && se_stability_beyond(&l->s) >= most - ALIKE &&
            (w->chosen < 0 || l->modules < w->tried[w->chosen].modules))
            w->chosen = i;
    }
}

/* The chosen level and stable ones below it in trees of the same height. */
static uint32_t levels_kept(const struct work *w, uint32_t *kept, struct se_stable_level *s)
{
    const struct level *c = &w->tried[w->chosen];
    uint32_t count = 0;

    for (int i = w->chosen; i < w->count; i++) {
        const struct level *l = &w->tried[i];

        if (l->way == c->way && l->height == c->height &&
            (i == w->chosen || (l->real && se_stability_beyond(&l->s) >=
                                               se_stability_beyond(&c->s) - NEARLY))) {
            s[count] = l->s;
            kept[count++] = l->level;
        }
    }
    return count;
}

/* ---- modules in line with the features ---- */

/* Bring the samples into line; the mean ARI of their pairs then */
static int settled_stability(const struct work *w, struct se_stability *x, uint32_t level,
                             double *mean, struct se_err *err)
{
    for (int i = 0; i < x->samples; i++) {
        uint32_t *module = x->module + ((uint64_t)i * x->levels + level - 1) * x->n;

        if (se_centroids_settle(module, &w->smooth.x, ROUNDS, w->run->threads, err) < 0)
            return -1;
    }
    return se_stability_mean(x, level, mean, err);
}

/* Should the vertices go to the most similar centroid?  Where edges and features are joined, of
 * features averaged over up to 8 hops. */
static int try_settling(struct work *w, struct se_err *err)
{
    const struct level *l = w->chosen < 0 ? NULL : &w->tried[w->chosen];
    const struct se_stability_options how = stability_options(w, false);
    struct se_stability x = SE_STABILITY_INIT;
    double mean = 0, before;
    int rc;

    if (!l || w->way[l->way].k == 0)
        return 0;
    if (l->modules > MOST_SETTLED || (double)w->words.x.n * (double)w->words.x.d > FEW_NUMBERS) {
        se_note(w->run, "too many modules or features to compare with centroids");
        return 0;
    }
    before = l->s.stability;
    rc = se_features_sum_hops(&w->smooth, &w->words.x, &w->g, w->fused ? SETTLE_HOPS : 0,
                              w->run->threads, err);
    if (rc == 0)
        rc = se_stability_make(&x, &w->way[l->way].g, l->height, &how, err);
    if (rc == 0)
        rc = settled_stability(w, &x, l->level, &mean, err);
    w->settled = rc == 0 && mean >= before;
    if (w->settled)
        w->tried[w->chosen].s.stability = mean;
    if (rc == 0)
        se_note(w->run, "stability with vertices at the nearest centroid %.4f, without %.4f", mean,
                before);
    se_stability_release(&x);
    return rc;
}

/* Replace the tree by one of its first level, each vertex at the most similar centroid. */
static int settle(const struct work *w, struct se_hierarchy *h, struct se_err *err)
{
    struct se_hierarchy all = *h;
    const struct se_tree t = se_hierarchy_view(&all);
    uint32_t *module = se_alloc(t.n, sizeof *module, err);
    uint64_t count;
    int rc = -1;

    *h = (struct se_hierarchy)SE_HIERARCHY_INIT;
    if (module && se_tree_partition(&t, 1, module, &count, err) == 0 &&
        se_centroids_settle(module, &w->smooth.x, ROUNDS, w->run->threads, err) == 0)
        rc = se_tree_of_modules(h, module, t.n, err);
    se_hierarchy_release(&all);
    free(module);
    return rc;
}

/* ---- results ---- */

static int write_table(const struct work *w, struct se_err *err)
{
    struct se_out out;

    if (se_output_begin(o.table, &out, err) < 0)
        return -1;
    se_out_str(&out, "on\thops\tk\theight\tlevel\tmodules\tstability\tchance\tchosen\n");
    for (int i = 0; i < w->count; i++) {
        const struct level *l = &w->tried[i];
        const struct way *y = &w->way[l->way];

        se_outf(&out, "%s\t%d\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32 "\t%" PRIu64 "\t%.4f\t",
                y->name, y->hops, y->k, l->height, l->level, l->modules, l->s.stability);
        if (l->measured)
            se_outf(&out, "%.4f", l->s.chance);
        else
            se_out_char(&out, '-');
        se_outf(&out, "\t%s\n", i == w->chosen ? "yes" : "no");
    }
    return se_output_end(o.table, &out, 0, err);
}

static int put_stats(struct se_stream *s, const struct work *w, const struct way *y,
                     const struct se_tree *t, uint32_t levels,
                     const struct se_stable_level *stable, struct se_err *err)
{
    struct se_measure m = SE_MEASURE_INIT;
    double h1 = 0;
    char name[64];
    int rc = se_measure_make(&m, t, &y->g, err) < 0 || se_measure_entropy1(&m, t, &h1, err) < 0 ||
             se_stats_forget(s, "tree.", err) < 0 || se_stats_forget(s, "cluster.", err) < 0 ||
             se_stats_forget(s, "kselect.", err) < 0 ||
             se_stats_set(s, "tree.h", m.h, err) < 0 || se_stats_set(s, "tree.h1", h1, err) < 0 ||
             se_stats_set(s, "tree.height", m.height, err) < 0 ||
             se_stats_set(s, "tree.nodes", (double)t->nodes, err) < 0 ||
             se_stats_set(s, "tree.k", m.height, err) < 0 ||
             se_stats_set(s, "cluster.agreement", w->agreement, err) < 0 ||
             se_stats_set(s, "cluster.alike", w->alike.lift, err) < 0 ||
             se_stats_set(s, "cluster.settled", w->settled, err) < 0 ||
             se_stats_set(s, "cluster.hops", y->hops, err) < 0 ||
             se_stats_set(s, "cluster.k", (double)y->k, err) < 0 ? -1 : 0;
    uint64_t modules = 0;

    for (uint64_t a = 1; rc == 0 && a < t->nodes; a++)
        modules += m.depth[a] == 1;
    if (rc == 0)
        rc = se_stats_set(s, "cluster.modules", levels ? (double)modules : 1, err);
    for (uint32_t i = 0; rc == 0 && i < levels; i++) {
        snprintf(name, sizeof name, "tree.stability.%" PRIu32, i + 1);
        rc = se_stats_set(s, name, stable[i].stability, err);
        snprintf(name, sizeof name, "tree.chance.%" PRIu32, i + 1);
        if (rc == 0)
            rc = se_stats_set(s, name, stable[i].chance, err);
    }
    if (rc == 0)
        se_note(w->run, "%" PRIu64 " modules, H %.6g, H1 %.6g", levels ? modules : 1, m.h, h1);
    se_measure_release(&m);
    return rc;
}

static int put(struct se_stream *s, const struct work *w, const struct way *y,
               const struct se_tree *t, uint32_t levels, const struct se_stable_level *stable,
               struct se_err *err)
{
    static const uint32_t both[SE_ORIGINS] = { SE_GRAPH, SE_FEATURES };
    const bool own = y->k > 0;

    if (own && se_graph_put(&y->g, s, SE_FUSED, both, err) < 0)
        return -1;
    if (!own)
        se_stream_drop(s, SE_FUSED);
    return se_tree_put(t, s, own ? SE_FUSED : SE_GRAPH, err) < 0 ||
           put_stats(s, w, y, t, levels, stable, err) < 0 ? -1 : 0;
}

/* The tree of the chosen way, and of it the chosen levels. */
static int finish(struct work *w, struct se_stream *s, struct se_err *err)
{
    struct se_tree_options how = SE_TREE_OPTIONS_INIT;
    struct se_hierarchy all = SE_HIERARCHY_INIT, h = SE_HIERARCHY_INIT;
    struct se_stable_level stable[SE_STABLE_LEVELS];
    uint32_t kept[SE_STABLE_LEVELS], levels = w->chosen < 0 ? 0 : levels_kept(w, kept, stable);
    const struct way *y = &w->way[w->chosen < 0 ? 0 : w->tried[w->chosen].way];
    int rc;

    how.k = w->chosen < 0 ? 1 : w->tried[w->chosen].height;
    how.effort = o.effort;
    how.seed = w->run->seed;
    how.threads = w->run->threads;
    rc = se_tree_build(&all, &y->g, NULL, &how, err);
    if (rc == 0) {
        const struct se_tree t = se_hierarchy_view(&all);
        levels = w->settled ? 1 : levels;
        rc = se_tree_keep_levels(&h, &t, kept, levels, false, err);
    }
    if (rc == 0 && w->settled)
        rc = settle(w, &h, err);
    if (rc == 0) {
        const struct se_tree t = se_hierarchy_view(&h);
        if (levels == 0)
            se_warn(w->run, "no modules beyond chance: all vertices are one module");
        else
            se_note(w->run, "%s, %d hops, %" PRIu64 " neighbours, level %" PRIu32 " of height %"
                    PRIu64 ": stability %.4f, by chance %.4f", y->name, y->hops, y->k, kept[0],
                    how.k, stable[0].stability, stable[0].chance);
        rc = put(s, w, y, &t, levels, stable, err);
    }
    se_hierarchy_release(&all);
    se_hierarchy_release(&h);
    return rc;
}

/* ---- the tool ---- */

/* Features with weighted columns */
static int prepare(struct work *w, struct se_stream *s, struct se_err *err)
{
    struct se_features x;

    w->has_features = se_stream_has(s, SE_FEATURES);
    if (!w->has_features) {
        se_note(w->run, "no features: using only the edges");
        return 0;
    }
    return se_features_get(&x, s, err) < 0 ? -1 : se_features_weigh(&w->words, &x, err);
}

static int cluster(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct work *w = se_zalloc(1, sizeof *w, err);
    uint64_t n;
    int rc = -1;

    if (!w)
        return -1;
    w->run = run;
    w->chosen = -1;
    if (se_stream_vertices(s, &n, err) == 0 && se_graph_get(&w->g, s, SE_GRAPH, err) == 0 &&
        prepare(w, s, err) == 0)
        rc = add_ways(w, err);
    if (rc == 0 && w->ways == 0)
        rc = se_fail(err, SE_EINPUT, "neither edges nor features: nothing to cluster");
    for (int i = 0; rc == 0 && i < w->ways; i++)
        for (uint64_t height = 2; rc == 0 && height <= highest(w); height++)
            rc = try_height(w, i, height, err);
    if (rc == 0)
        rc = compare_levels(w, err);
    if (rc == 0) {
        choose(w);
        rc = try_settling(w, err) < 0 ? -1 : finish(w, s, err);
    }
    if (rc == 0 && o.table)
        rc = write_table(w, err);
    for (int i = 0; i < w->ways; i++)
        se_stream_release(&w->way[i].home);
    se_own_features_release(&w->words);
    se_own_features_release(&w->smooth);
    free(w);
    return rc;
}

static int run_cluster(struct se_run *run, struct se_err *err)
{
    if (o.table && se_output_check(o.table, err) < 0)
        return -1;
    return se_run_filter(run, cluster, err);
}

static const struct se_tool tool = {
    .name = "se-cluster", .brief = "cluster vertices by edges and features, without labels",
    .operands = "[FILE]", .max_operands = 1,
    .has = SE_TOOL_SEED | SE_TOOL_STREAM | SE_TOOL_PASSES, .options = options,
    .about =
        "Reads a stream with a graph, features or both, and adds the clustered graph\n"
        "(section fused) and a tree whose first level is the clusters. Labels are never\n"
        "read, and no number of clusters is needed.\n"
        "\n"
        "Columns of sparse features are weighted by ln(n / rows that have it); dense\n"
        "ones are scaled to mean 0 and variance 1. Each vertex is joined to its K most\n"
        "similar ones by cosine. If the edges stay within the modules of these\n"
        "neighbours (agreement 0.25 or more; 0 by chance, 1 at most), or if their ends\n"
        "are more alike than by chance and either noise in the features explains a lower\n"
        "agreement or the edges' own modules are more stable, edges and neighbours are\n"
        "joined, and features averaged over 2 and 4 hops are tried as well. If not, edges\n"
        "and neighbours are tried separately.\n"
        "\n"
        "For each of these graphs, trees of height 2 to 5 (8 from 10,000 vertices on) are\n"
        "built and the stability of their levels is measured, as se-tree -K auto does. Of the levels whose\n"
        "stability beyond chance is within 0.05 of the best, the one with the fewest\n"
        "modules is taken, and stable levels below it. If no level is more stable than\n"
        "chance, all vertices are one module, which is printed. Vertices then go to the\n"
        "nearest centroid of the features, if that makes the modules no less stable.\n",
    .examples =
        "  se-gen -n 500 --homophily .9 | se-cluster -v | se-export -t clu\n"
        "  se-cluster cora.seg --table tried.tsv -o clusters.seg\n",
    .run = run_cluster
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
