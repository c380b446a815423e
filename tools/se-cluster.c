/* se-cluster.c - cluster the vertices of a graph with features, without labels */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/outfile.h"
#include "common/cli/tool.h"
#include "common/graph/builder.h"
#include "common/graph/entropy.h"
#include "common/sim/sim.h"
#include "common/sim/smooth.h"
#include "common/tree/choose.h"

#define TRUST 0.25              /* agreement of edges and features from which on they are joined */
#define ALIKE 0.05              /* levels this much less stable are as good; the coarsest wins */
#define NEARLY 0.15             /* levels below the chosen one that are kept */
#define MOST_NUMBERS 3e8        /* features times vertices that are smoothed */

enum { LARGE = 10000 };         /* vertices from which on fewer graphs are tried */

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

enum { MOST_WAYS = 8, MOST_TRIED = MOST_WAYS * 10 };

struct work {
    struct se_run *run;
    struct se_graph g;
    struct se_own_features words;       /* weighted columns */
    bool has_features;
    double agreement;           /* of edges and clusters of features: 0 by chance, 1 at most */
    bool fused;                 /* edges and features are joined */
    struct way way[MOST_WAYS];
    int ways;
    struct level tried[MOST_TRIED];
    int count, chosen;          /* chosen -1: nothing is beyond chance */
};

/* ---- graphs to try ---- */

static int add_neighbours(struct se_builder *b, const struct se_features *x, uint64_t k,
                          int threads, struct se_err *err)
{
    struct se_sim_rows rows = SE_SIM_ROWS_INIT;
    struct se_sim_answer a = SE_SIM_ANSWER_INIT;
    struct se_sim_options ask = { .k = k, .last = x->n, .device = SE_DEVICE_CPU,
                                  .threads = threads };
    int rc = se_sim_rows_of(&rows, x, SE_COSINE, threads, err);

    if (rc == 0)
        rc = se_sim_search(&rows, &ask, &a, err);
    for (uint64_t u = 0; rc == 0 && u < x->n; u++)
        for (uint64_t i = u * a.k; rc == 0 && i < (u + 1) * a.k && a.id[i] != SE_NONE; i++)
            if (a.similarity[i] > 0)
                rc = se_builder_add(b, (uint32_t)u, a.id[i], a.similarity[i], err);
    se_sim_answer_release(&a);
    se_sim_rows_release(&rows);
    return rc;
}

/* An edge counts as much as a neighbour of similarity 1. */
static int add_edges(struct se_builder *b, const struct se_graph *g, struct se_err *err)
{
    double sum = 0;

    for (uint64_t e = 0; g->weight && e < g->m; e++)
        sum += g->weight[e];
    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++) {
            const float w = g->weight && sum > 0
                                ? (float)(g->weight[e] * (double)g->m / sum) : 1;

            if (se_builder_add(b, (uint32_t)u, g->to[e], w, err) < 0 ||
                se_builder_add(b, g->to[e], (uint32_t)u, w, err) < 0)
                return -1;
        }
    return 0;
}

/* The graph of nearest neighbours after `hops`, with the edges if `fused`. */
static int add_way(struct work *w, bool fused, int hops, uint64_t k, struct se_err *err)
{
    struct way *y = &w->way[w->ways++];
    struct se_own_features smooth = SE_OWN_FEATURES_INIT;
    struct se_builder b = SE_BUILDER_INIT;
    struct se_built built;
    int rc = 0;

    *y = (struct way){ fused ? "fused" : "features", hops, k, SE_STREAM_INIT, { .n = 0 } };
    b.weighted = true;
    b.n = w->g.n;
    if (hops > 0)
        rc = se_features_smooth(&smooth, &w->words.x, &w->g, hops, w->run->threads, err);
    if (rc == 0)
        rc = add_neighbours(&b, hops > 0 ? &smooth.x : &w->words.x, k, w->run->threads, err);
    if (rc == 0 && fused)
        rc = add_edges(&b, &w->g, err);
    if (rc == 0)
        rc = se_builder_put(&b, &y->home, SE_FUSED, SE_MERGE_MATRIX, false, &built, err);
    if (rc == 0)
        rc = se_graph_get(&y->g, &y->home, SE_FUSED, err);
    se_builder_release(&b);
    se_own_features_release(&smooth);
    return rc;
}

/* How far the edges stay within the modules of nearest neighbours: (share of their weight
 * inside - share expected by the degrees) / (1 - expected). */
static int measure_agreement(struct work *w, const struct se_graph *neighbours,
                             struct se_err *err)
{
    struct se_tree_options how = SE_TREE_OPTIONS_INIT;
    struct se_hierarchy h = SE_HIERARCHY_INIT;
    uint32_t *module = se_alloc(w->g.n, sizeof *module, err);
    double *volume = se_zalloc(w->g.n, sizeof *volume, err), inside = 0, total = 0, expected = 0;
    uint64_t count = 0;
    int rc = module && volume ? 0 : -1;

    how.k = 4;
    how.effort = SE_EFFORT_FAST;
    how.seed = w->run->seed;
    how.threads = w->run->threads;
    if (rc == 0)
        rc = se_tree_build(&h, neighbours, NULL, &how, err);
    if (rc == 0) {
        const struct se_tree t = se_hierarchy_view(&h);
        rc = se_tree_partition(&t, 1, module, &count, err);
    }
    for (uint64_t u = 0; rc == 0 && u < w->g.n; u++)
        for (uint64_t e = w->g.off[u]; e < w->g.off[u + 1]; e++) {
            const double x = w->g.weight ? (double)w->g.weight[e] : 1;

            volume[module[u]] += x;
            volume[module[w->g.to[e]]] += x;
            inside += module[u] == module[w->g.to[e]] ? x : 0;
            total += x;
        }
    for (uint64_t i = 0; rc == 0 && total > 0 && i < count; i++)
        expected += pow(volume[i] / (2 * total), 2);
    w->agreement = total > 0 && expected < 1 - 1e-9 ? (inside / total - expected) / (1 - expected) : 0;
    se_hierarchy_release(&h);
    free(module);
    free(volume);
    return rc;
}

/* Nearest neighbours by the features alone; do the edges agree with them? */
static int first_way(struct work *w, uint64_t k, struct se_err *err)
{
    if (add_way(w, false, 0, k, err) < 0 || measure_agreement(w, &w->way[0].g, err) < 0)
        return -1;
    w->fused = w->g.m > 0 &&
               (o.edges == EDGES_USE || (o.edges == EDGES_AUTO && w->agreement >= TRUST));
    if (w->g.m > 0)
        se_note(w->run, "agreement of edges and features %.3f: they are %s", w->agreement,
                w->fused ? "joined" : o.edges == EDGES_IGNORE ? "not joined" : "tried apart");
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
        se_warn(w->run, "the features are too many to be averaged over neighbours; only the "
                "features themselves are used");
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
    struct se_stability_options how = SE_STABILITY_OPTIONS_INIT;
    struct se_stability x = SE_STABILITY_INIT;
    int rc;

    how.seed = w->run->seed;
    how.threads = w->run->threads;
    how.samples = w->g.n < LARGE ? 5 : 3;
    how.chance = false;
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
    struct se_stability_options how = SE_STABILITY_OPTIONS_INIT;
    struct se_stability x = SE_STABILITY_INIT;
    struct level *l = &w->tried[first];
    const uint64_t height = l->height;
    int rc;

    how.seed = w->run->seed;
    how.threads = w->run->threads;
    how.samples = w->g.n < LARGE ? 5 : 3;
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

/* ---- results ---- */

static int write_table(const struct work *w, struct se_err *err)
{
    const int fd = se_output_open(o.table, err);
    struct se_out out;
    int rc;

    if (fd < 0)
        return -1;
    if (se_out_init(&out, fd, err) < 0) {
        se_output_abort();
        return -1;
    }
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
    rc = se_out_flush(&out, err);
    se_out_release(&out);
    if (rc == 0)
        return se_output_commit(err);
    se_output_abort();
    return se_err_in(err, o.table);
}

static int put_stats(struct se_stream *s, const struct work *w, const struct way *y,
                     const struct se_tree *t, uint32_t levels,
                     const struct se_stable_level *stable, struct se_err *err)
{
    struct se_measure m = SE_MEASURE_INIT;
    double h1 = 0;
    char name[64];
    int rc = se_measure_make(&m, t, &y->g, err) < 0 || se_entropy1(&y->g, &h1, err) < 0 ||
             se_stats_forget(s, "tree.", err) < 0 || se_stats_forget(s, "cluster.", err) < 0 ||
             se_stats_forget(s, "kselect.", err) < 0 ||
             se_stats_set(s, "tree.h", m.h, err) < 0 || se_stats_set(s, "tree.h1", h1, err) < 0 ||
             se_stats_set(s, "tree.height", m.height, err) < 0 ||
             se_stats_set(s, "tree.nodes", (double)t->nodes, err) < 0 ||
             se_stats_set(s, "tree.k", m.height, err) < 0 ||
             se_stats_set(s, "cluster.agreement", w->agreement, err) < 0 ||
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
        rc = se_tree_keep_levels(&h, &t, kept, levels, false, err);
    }
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
        se_note(w->run, "no features: the edges alone are used");
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
        for (uint64_t height = 2; rc == 0 && height <= SE_AUTO_HEIGHT; height++)
            rc = try_height(w, i, height, err);
    if (rc == 0)
        rc = compare_levels(w, err);
    if (rc == 0) {
        choose(w);
        rc = finish(w, s, err);
    }
    if (rc == 0 && o.table)
        rc = write_table(w, err);
    for (int i = 0; i < w->ways; i++)
        se_stream_release(&w->way[i].home);
    se_own_features_release(&w->words);
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
        "Reads a stream with a graph, features or both, and writes it with the graph it\n"
        "clustered (section fused) and a tree whose first level are the clusters. Labels\n"
        "are never read, and no number of clusters is needed.\n"
        "\n"
        "Columns of sparse features are weighted by ln(n / rows that have it); dense\n"
        "ones are scaled to mean 0 and variance 1. Each vertex is joined to its K most\n"
        "similar ones by cosine. If the edges stay within the modules of these\n"
        "neighbours (agreement 0.25 or more; 0 by chance, 1 at most), edges and\n"
        "neighbours are joined, and features averaged over 2 and 4 hops are tried as\n"
        "well. If not, edges and neighbours are tried apart.\n"
        "\n"
        "For each of these graphs, trees of height 2 to 5 are built and the stability of\n"
        "their levels is measured, as se-tree -K auto does. Of the levels whose\n"
        "stability beyond chance is within 0.05 of the best, the one with the fewest\n"
        "modules is taken, and stable levels below it. If no level is more stable than\n"
        "chance, all vertices are one module, which is printed.\n",
    .examples =
        "  se-gen -n 500 --homophily .9 | se-cluster -v | se-export -t clu\n"
        "  se-cluster cora.seg --table tried.tsv -o clusters.seg\n",
    .run = run_cluster
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
