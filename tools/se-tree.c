/* se-tree.c - find the hierarchy of a graph: an encoding tree of low structural entropy */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/graph/entropy.h"
#include "common/base/mem.h"
#include "common/tree/tree_build.h"
#include "common/cli/tool.h"

enum { ON_AUTO, ON_GRAPH, ON_FUSED };

static struct {
    uint64_t k;
    int method, squeeze, effort, on;
    bool squeeze_given, method_given, effort_given;
    bool score, start, levels, pad;
} o = { .k = 2, .squeeze = SE_SQUEEZE_EXACT, .effort = SE_EFFORT_NORMAL };

static const struct se_option options[] = {
    { 'K', "height", "K", SE_OPT_COUNT, &o.k, .min = 1, .max = 1e9,
      .help = "height of the tree: 1 is flat, 2 has modules, 3 modules of modules" },
    { 'm', "method", "best|merge|paper", SE_OPT_CHOICE, &o.method, .given = &o.method_given,
      .help = "how to search; best is the fastest on large graphs, too" },
    { 0, "squeeze", "greedy|exact", SE_OPT_CHOICE, &o.squeeze, .given = &o.squeeze_given,
      .help = "how merge and paper bring their binary tree down to height K; unless given, "
              "merge does it exactly and paper greedily" },
    { 'e', "effort", "fast|normal|high", SE_OPT_CHOICE, &o.effort, .given = &o.effort_given,
      .help = "how long best searches" },
    { 0, "start", NULL, SE_OPT_FLAG, &o.start,
      .help = "improve the tree in the stream instead of searching from nothing" },
    { 0, "score", NULL, SE_OPT_FLAG, &o.score,
      .help = "print what the tree in the stream is worth; writes no stream" },
    { 0, "levels", NULL, SE_OPT_FLAG, &o.levels,
      .help = "print nodes, leaves and entropy of each level (to standard error unless "
              "--score)" },
    { 0, "on", "auto|graph|fused", SE_OPT_CHOICE, &o.on,
      .help = "whose edges; auto: fused if it is there" },
    { 0, "pad", NULL, SE_OPT_FLAG, &o.pad,
      .help = "bring all leaves to one depth with nodes of a single child" },
    SE_OPTIONS_END
};

/* What a tree is worth, as it goes into the stats. */
struct worth {
    struct se_measure measure;
    double h1;
};

static int check_usage(struct se_err *err)
{
    if (o.score && (o.start || o.pad || o.method_given || o.effort_given))
        return se_fail(err, SE_EUSAGE, "--score builds nothing; leave out --start, --pad, "
                       "--method and --effort");
    if (o.start && o.method != SE_TREE_BEST)
        return se_fail(err, SE_EUSAGE, "--start works with --method best only");
    if (o.squeeze_given && o.method == SE_TREE_BEST)
        return se_fail(err, SE_EUSAGE, "--squeeze is for --method merge or paper; best always "
                       "squeezes exactly");
    return 0;
}

static uint32_t graph_tag(const struct se_stream *s)
{
    return o.on == ON_GRAPH ? SE_GRAPH : o.on == ON_FUSED ? SE_FUSED : se_graph_current(s);
}

/* The tree in the stream must be one of this graph's vertices. */
static int get_tree(struct se_tree *t, struct se_stream *s, const struct se_graph *g,
                    struct se_err *err)
{
    if (!se_stream_has(s, SE_TREE))
        return se_fail(err, SE_EINPUT, "no tree section; --%s needs one, from se-tree or "
                       "se-import -f tree, clu or parents", o.score ? "score" : "start");
    if (se_tree_get(t, s, err) < 0)
        return -1;
    if (t->n > g->n)
        return se_fail(err, SE_EINPUT, "tree: vertex %" PRIu64 " is not in the graph, which "
                       "has %" PRIu64 " vertices", g->n, g->n);
    if (t->n < g->n)
        return se_fail(err, SE_EINPUT, "tree: vertex %" PRIu64 " of the graph is missing; "
                       "the tree has %" PRIu64 " vertices", t->n, t->n);
    return 0;
}

static int weigh(struct worth *w, const struct se_tree *t, const struct se_graph *g,
                 struct se_err *err)
{
    return se_entropy1(g, &w->h1, err) < 0 || se_measure_make(&w->measure, t, g, err) < 0
               ? -1 : 0;
}

struct level {
    uint64_t nodes, leaves;
    double h;
};

/* One line per level: depth, nodes, leaves among them, their share of H. */
static int print_levels(struct se_out *out, const struct worth *w, const struct se_tree *t,
                        struct se_err *err)
{
    struct level *level = se_zalloc((uint64_t)w->measure.height + 1, sizeof *level, err);

    if (!level)
        return -1;
    for (uint64_t a = 0; a < t->nodes; a++) {
        struct level *l = &level[w->measure.depth[a]];

        l->nodes++;
        l->leaves += t->vertex[a] != SE_NONE;
        l->h += w->measure.entropy[a];
    }
    se_out_str(out, "level\tnodes\tleaves\tH\n");
    for (uint32_t i = 0; i <= w->measure.height; i++)
        se_outf(out, "%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t%.10g\n", i, level[i].nodes,
                level[i].leaves, level[i].h);
    free(level);
    return 0;
}

static int levels_on_stderr(const struct worth *w, const struct se_tree *t,
                            struct se_err *err)
{
    struct se_out out;
    int rc;

    if (se_out_init(&out, 2, err) < 0)
        return -1;
    rc = print_levels(&out, w, t, err);
    if (rc == 0)
        rc = se_out_flush(&out, err);
    se_out_release(&out);
    return rc;
}

static int score(struct se_run *run, struct se_stream *s, const struct se_graph *g,
                 struct se_err *err)
{
    struct worth w = { SE_MEASURE_INIT, 0 };
    struct se_tree t = { 0 };
    struct se_out out;
    int rc = -1;

    if (get_tree(&t, s, g, err) < 0 || se_stream_check_origin(s, SE_TREE, err) < 0)
        return -1;
    if (weigh(&w, &t, g, err) == 0 && se_run_begin(run, false, &out, err) == 0) {
        se_outf(&out, "tree.h\t%.12g\ntree.h1\t%.12g\n", w.measure.h, w.h1);
        se_outf(&out, "tree.h.normalised\t%.12g\n", w.h1 > 0 ? w.measure.h / w.h1 : 0);
        se_outf(&out, "tree.height\t%" PRIu32 "\ntree.nodes\t%" PRIu64 "\n",
                w.measure.height, t.nodes);
        rc = o.levels ? print_levels(&out, &w, &t, err) : 0;
        rc = se_run_end(run, &out, rc, err);
    }
    se_measure_release(&w.measure);
    return rc;
}

static int put(struct se_run *run, struct se_stream *s, uint32_t tag, const struct se_tree *t,
               const struct worth *w, struct se_err *err)
{
    if (se_tree_put(t, s, tag, err) < 0 || se_stats_forget(s, "tree.", err) < 0 ||
        se_stats_set(s, "tree.h", w->measure.h, err) < 0 ||
        se_stats_set(s, "tree.h1", w->h1, err) < 0 ||
        se_stats_set(s, "tree.height", w->measure.height, err) < 0 ||
        se_stats_set(s, "tree.nodes", (double)t->nodes, err) < 0 ||
        se_stats_set(s, "tree.k", (double)o.k, err) < 0)
        return -1;
    se_note(run, "H %.10g, H1 %.10g, height %" PRIu32 ", %" PRIu64 " nodes", w->measure.h,
            w->h1, w->measure.height, t->nodes);
    return 0;
}

static int build(struct se_run *run, struct se_stream *s, uint32_t tag,
                 const struct se_graph *g, struct se_err *err)
{
    struct se_progress progress;
    const int squeeze = o.method == SE_TREE_PAPER && !o.squeeze_given ? SE_SQUEEZE_GREEDY
                                                                      : o.squeeze;
    struct se_tree_how how = { o.k, o.method, squeeze, o.effort, o.pad, run->seed,
                               run->threads, &progress };
    struct se_hierarchy h = SE_HIERARCHY_INIT;
    struct worth w = { SE_MEASURE_INIT, 0 };
    struct se_tree start, t;
    int rc;

    if (o.start && get_tree(&start, s, g, err) < 0)
        return -1;
    se_progress_begin(run, &progress, "tree", SE_TREE_STEPS);
    rc = se_tree_build(&h, g, o.start ? &start : NULL, &how, err);
    se_progress_end(&progress);
    t = se_hierarchy_view(&h);
    if (rc == 0 && (rc = weigh(&w, &t, g, err)) == 0 &&
        (rc = put(run, s, tag, &t, &w, err)) == 0 && o.levels)
        rc = levels_on_stderr(&w, &t, err);
    se_measure_release(&w.measure);
    se_hierarchy_release(&h);
    return rc;
}

static int run_tree(struct se_run *run, struct se_err *err)
{
    struct se_stream s = SE_STREAM_INIT;
    const char *path = se_run_operand(run, 0);
    struct se_graph g;
    int rc;

    if (check_usage(err) < 0 || (!o.score && se_run_check_output(run, err) < 0))
        return -1;
    rc = se_run_read(run, path, &s, err);
    if (rc == 0) {
        const uint32_t tag = graph_tag(&s);

        if (se_stream_has(&s, tag) && !o.start)
            rc = se_stream_check_origin(&s, tag, err);
        if (rc == 0)
            rc = se_graph_get(&g, &s, tag, err);
        if (rc == 0)
            rc = o.score ? score(run, &s, &g, err) : build(run, &s, tag, &g, err);
        if (rc < 0 && err->code == SE_EINPUT)
            se_err_in(err, se_path_name(path));
    }
    if (rc == 0 && !o.score)
        rc = se_run_write(run, &s, err);
    se_stream_release(&s);
    return rc;
}

static const struct se_tool tool = {
    .name = "se-tree", .brief = "find the hierarchy of a graph",
    .operands = "[FILE]", .max_operands = 1,
    .has = SE_TOOL_SEED | SE_TOOL_STREAM | SE_TOOL_PASSES, .options = options,
    .about =
        "Reads a stream and adds an encoding tree of height K or less whose structural\n"
        "entropy H is as low as can be found. The vertices are its leaves; the nodes\n"
        "above them are the modules of the graph, the modules of modules and so on.\n"
        "\n"
        "best searches for modules by moving vertices, modules and parts of modules,\n"
        "splits them by average linkage, keeps the best K levels, and moves on until\n"
        "nothing gains. merge joins the pair that lowers H most, again and again, and\n"
        "squeezes the binary tree to height K; paper does so by the combine rule of the\n"
        "SE-GSL paper. Both are for comparison and slow where a vertex has very many\n"
        "neighbours. The same seed gives the same tree at any number of threads.\n"
        "\n"
        "The stats tree.h, tree.h1 (of the flat tree), tree.height, tree.nodes and\n"
        "tree.k go with the tree. H is computed from the edges by its definition.\n",
    .examples =
        "  se-gen --karate | se-tree -K 2 | se-export -t parents\n"
        "  se-tree -K 3 --levels < graph.seg > tree.seg\n"
        "  se-import -f tree map.tree --onto graph.seg | se-tree --score\n"
        "  se-noise --rewire --keep tree.seg | se-tree -K 3 --start > tree2.seg\n",
    .run = run_tree
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
