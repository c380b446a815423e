/* se-tree.c - find the hierarchy of a graph: an encoding tree of low structural entropy */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/outfile.h"
#include "common/base/progress.h"
#include "common/cli/tool.h"
#include "common/graph/entropy.h"
#include "common/graph/order.h"
#include "common/tree/choose.h"
#include "common/tree/intervals.h"
#include "common/tree/update.h"
#include "tools/tree_options.h"

/* What a tree is worth, as it goes into the stats. */
struct worth {
    struct se_measure measure;
    double h1;
    uint32_t stable;            /* levels 1 .. stable were measured */
    struct se_stable_level level[SE_STABLE_LEVELS + 1];
};

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
    return se_measure_make(&w->measure, t, g, err) < 0 ||
                   se_measure_entropy1(&w->measure, t, &w->h1, err) < 0
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
    se_outf(out, "level\tnodes\tleaves\tH%s\n", w->stable ? "\tstability\tchance" : "");
    for (uint32_t i = 0; i <= w->measure.height; i++) {
        se_outf(out, "%" PRIu32 "\t%" PRIu64 "\t%" PRIu64 "\t%.10g", i, level[i].nodes,
                level[i].leaves, level[i].h);
        if (i > 0 && i <= w->stable)
            se_outf(out, "\t%.4f\t%.4f", w->level[i].stability, w->level[i].chance);
        else if (w->stable)
            se_out_str(out, "\t-\t-");
        se_out_char(out, '\n');
    }
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
    struct worth w = { .measure = SE_MEASURE_INIT };
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

/* tree.stability.1 and so on, of the levels as they are in the tree */
static int put_stability(struct se_stream *s, const struct worth *w, struct se_err *err)
{
    char name[64];

    for (uint32_t l = 1; l <= w->stable; l++) {
        snprintf(name, sizeof name, "tree.stability.%" PRIu32, l);
        if (se_stats_set(s, name, w->level[l].stability, err) < 0)
            return -1;
        snprintf(name, sizeof name, "tree.chance.%" PRIu32, l);
        if (se_stats_set(s, name, w->level[l].chance, err) < 0)
            return -1;
    }
    return 0;
}

static int put(struct se_run *run, struct se_stream *s, uint32_t tag, const struct se_tree *t,
               const struct worth *w, struct se_err *err)
{
    if (se_tree_put(t, s, tag, err) < 0 || se_stats_forget(s, "tree.", err) < 0 ||
        se_stats_set(s, "tree.h", w->measure.h, err) < 0 ||
        se_stats_set(s, "tree.h1", w->h1, err) < 0 ||
        se_stats_set(s, "tree.height", w->measure.height, err) < 0 ||
        se_stats_set(s, "tree.nodes", (double)t->nodes, err) < 0 ||
        se_stats_set(s, "tree.k", (double)(tree_is_auto() ? w->measure.height : o.k), err) < 0 ||
        put_stability(s, w, err) < 0)
        return -1;
    se_note(run, "H %.10g, H1 %.10g, height %" PRIu32 ", %" PRIu64 " nodes", w->measure.h,
            w->h1, w->measure.height, t->nodes);
    return 0;
}

/* ---- stability ---- */

/* The rows of one level: vertex, level, module, confidence */
static int write_level(struct se_out *out, const struct se_stability *x, uint32_t from,
                       uint32_t level, const struct se_tree *t, struct se_err *err)
{
    uint32_t *module = se_alloc(t->n, sizeof *module, err);
    double *confidence = se_alloc(t->n, sizeof *confidence, err);
    uint64_t count;
    int rc = -1;

    if (module && confidence && se_tree_partition(t, level, module, &count, err) == 0 &&
        se_stability_confidence(x, from, module, confidence, err) == 0) {
        for (uint64_t v = 0; v < t->n; v++)
            se_outf(out, "%" PRIu64 "\t%" PRIu32 "\t%" PRIu32 "\t%.4f\n", v, level, module[v],
                    confidence[v]);
        rc = 0;
    }
    free(module);
    free(confidence);
    return rc;
}

/* from[i]: the level of the samples that level i + 1 of the tree was */
static int write_confidence(const struct se_stability *x, const uint32_t *from, uint32_t levels,
                            const struct se_tree *t, struct se_err *err)
{
    struct se_out out;
    int rc = 0;

    if (se_output_begin(o.confidence, &out, err) < 0)
        return -1;
    se_out_str(&out, "vertex\tlevel\tmodule\tconfidence\n");
    for (uint32_t l = 1; rc == 0 && l <= levels; l++)
        rc = write_level(&out, x, from[l - 1], l, t, err);
    return se_output_end(o.confidence, &out, rc, err);
}

static struct se_stability_options stability_options(const struct se_run *run)
{
    struct se_stability_options how = SE_STABILITY_OPTIONS_INIT;

    how.seed = run->seed;
    how.threads = run->threads;
    return how;
}

/* Measure the levels of the tree that was built. */
static int measure_stability(struct se_run *run, const struct se_graph *g,
                             const struct se_tree *t, struct worth *w, struct se_err *err)
{
    const struct se_stability_options how = stability_options(run);
    struct se_stability x = SE_STABILITY_INIT;
    uint32_t from[SE_STABLE_LEVELS];
    int rc;

    if (w->measure.height < 2)
        return 0;
    rc = se_stability_make(&x, g, w->measure.height, &how, err);
    for (uint32_t l = 1; rc == 0 && l <= x.levels; l++) {
        w->level[l] = x.level[l];
        from[l - 1] = l;
    }
    w->stable = x.levels;
    if (rc == 0 && o.confidence)
        rc = write_confidence(&x, from, x.levels, t, err);
    se_stability_release(&x);
    return rc;
}

/* ---- building ---- */

static struct se_tree_options search_options(const struct se_run *run, uint64_t k,
                                           struct se_progress *progress)
{
    const int squeeze = o.method == SE_TREE_PAPER && !o.squeeze_given ? SE_SQUEEZE_GREEDY
                                                                      : o.squeeze;

    return (struct se_tree_options){ k, o.method, squeeze, o.effort, o.pad, run->seed,
                                     run->threads, progress, NULL, NULL };
}

/* now_of_old, by the names of both streams where they have names */
static int match(uint32_t *now_of_old, struct se_stream *old, struct se_stream *s, uint64_t old_n,
                 uint64_t n, struct se_err *err)
{
    const bool named = se_stream_has(old, SE_NAMES);
    struct se_names a, b;

    if (named != se_stream_has(s, SE_NAMES))
        return se_fail(err, SE_EINPUT, "vertices have %s here and %s in the stream to be updated; "
                       "import both in the same way", named ? "names" : "numbers",
                       named ? "numbers" : "names");
    if (named && (se_names_get(&a, old, err) < 0 || se_names_get(&b, s, err) < 0))
        return -1;
    return se_update_match(now_of_old, old_n, n, named ? &a : NULL, named ? &b : NULL, err);
}

/* The tree of an older stream, brought over to this graph */
static int carry_over(struct se_run *run, struct se_stream *old, struct se_stream *s,
                      const struct se_graph *g, struct se_update *u, struct se_err *err)
{
    struct se_graph before;
    struct se_tree t;
    uint32_t *now_of_old;
    int rc = -1;

    if (!se_stream_has(old, SE_TREE))
        return se_fail(err, SE_EINPUT, "no tree section; --update needs the output of se-tree");
    if (se_tree_get(&t, old, err) < 0 || se_graph_get(&before, old, graph_tag(old), err) < 0)
        return -1;
    if (t.n != before.n)
        return se_fail(err, SE_EINPUT, "the tree has %" PRIu64 " vertices, the graph has %" PRIu64,
                       t.n, before.n);
    now_of_old = se_alloc(before.n, sizeof *now_of_old, err);
    if (now_of_old && match(now_of_old, old, s, before.n, g->n, err) == 0)
        rc = se_update_make(u, &t, &before, g, now_of_old, err);
    free(now_of_old);
    if (rc == 0)
        se_note(run, "%" PRIu64 " vertices are new, %" PRIu64 " are gone, %" PRIu64 " have other "
                "edges", u->added, u->gone, u->touched - u->added);
    return rc;
}

static int read_update(struct se_run *run, struct se_stream *s, const struct se_graph *g,
                       struct se_update *u, struct se_err *err)
{
    struct se_stream old = SE_STREAM_INIT;
    int rc = se_run_read(run, o.update, &old, err);

    if (rc == 0 && (rc = carry_over(run, &old, s, g, u, err)) < 0 && err->code == SE_EINPUT)
        se_err_in(err, o.update);
    se_stream_release(&old);
    return rc;
}

/* A tree of height k, from the tree in the stream if that was asked for. */
static int build_height(struct se_run *run, struct se_stream *s, const struct se_graph *g,
                        uint64_t k, struct se_hierarchy *h, struct se_err *err)
{
    struct se_progress progress;
    struct se_tree_options how = search_options(run, k, &progress);
    struct se_deadline until = { se_now() + o.seconds, false, se_now(), &progress };
    struct se_update u = SE_UPDATE_INIT;
    struct se_tree start;
    int rc = 0;

    how.until = o.seconds_given ? &until : NULL;
    if (o.start && get_tree(&start, s, g, err) < 0)
        return -1;
    if (o.update) {
        rc = read_update(run, s, g, &u, err);
        start = se_hierarchy_view(&u.start);
        how.changed = u.changed;
    }
    se_progress_begin(run, &progress, "tree", SE_TREE_STEPS);
    if (rc == 0)
        rc = se_tree_build(h, g, o.start || o.update ? &start : NULL, &how, err);
    se_progress_end(&progress);
    se_update_release(&u);
    if (rc == 0 && until.hit)
        se_warn(run, "stopped after %g s before the search was complete; another run may give "
                "another tree", o.seconds);
    return rc;
}

/* Replace h by what `kept` leaves of it. */
static int keep_levels(struct se_hierarchy *h, const uint32_t *kept, uint32_t levels,
                       struct se_err *err)
{
    struct se_hierarchy all = *h;
    const struct se_tree t = se_hierarchy_view(&all);
    int rc;

    *h = (struct se_hierarchy)SE_HIERARCHY_INIT;
    rc = se_tree_keep_levels(h, &t, kept, levels, o.pad, err);
    se_hierarchy_release(&all);
    return rc;
}

static void tell_choice(struct se_run *run, const struct se_choice *c, const uint32_t *kept,
                        uint32_t levels)
{
    if (levels == 0) {
        se_warn(run, "no modules beyond chance: the most stable level has stability %.2f, "
                "rewired graphs have %.2f; the tree is flat", c->most.stability,
                c->most.chance);
        return;
    }
    for (uint32_t i = 0; i < levels; i++)
        se_note(run, "level %" PRIu32 " is level %" PRIu32 " of trees of height %" PRIu64
                ", stability %.4f, by chance %.4f", i + 1, kept[i], c->k,
                c->stability.level[kept[i]].stability, c->stability.level[kept[i]].chance);
}

/* A tree of the whole graph with the levels that a choice keeps */
struct auto_tree {
    struct se_hierarchy h;
    struct se_choice c;         /* what is in it belongs to the choice it is a copy of */
    const uint32_t *kept;
    uint32_t levels;
    double likeness;            /* how much more alike its best level is to those of the samples
                                 * than these are to each other; 0: all the same */
};

static int build_chosen(struct se_run *run, struct se_stream *s, const struct se_graph *g,
                        struct auto_tree *a, struct se_err *err)
{
    const bool one = o.modules && a->c.levels > 1;
    const uint32_t best = one ? 1 : a->c.best + 1;
    uint32_t *module = NULL;
    uint64_t count;
    int rc;

    a->levels = one ? 1 : a->c.levels;
    a->kept = a->c.kept + (one ? a->c.best : 0);
    rc = build_height(run, s, g, a->levels ? a->c.k : 1, &a->h, err);
    if (rc < 0 || a->levels == 0)
        return rc;
    rc = keep_levels(&a->h, a->kept, a->levels, err);
    if (rc == 0 && (module = se_alloc(g->n, sizeof *module, err))) {
        const struct se_tree t = se_hierarchy_view(&a->h);

        rc = se_tree_partition(&t, best, module, &count, err) < 0 ||
             se_stability_likeness(&a->c.stability, a->kept[best - 1], module, &a->likeness,
                                   err) < 0 ? -1 : 0;
        a->likeness -= a->c.stability.level[a->kept[best - 1]].stability;
    } else
        rc = -1;
    free(module);
    return rc;
}

/* The tree of the height chosen, or, if it is less alike to those of the samples than they are to
 * each other, that of the next heights if one is more alike and has as many levels.  Not with
 * --time, which is for one tree. */
static int build_likely(struct se_run *run, struct se_stream *s, const struct se_graph *g,
                        struct se_choice *c, struct auto_tree *best, struct se_err *err)
{
    int rc;

    *best = (struct auto_tree){ .h = SE_HIERARCHY_INIT, .c = *c };
    rc = build_chosen(run, s, g, best, err);
    if (o.seconds_given)
        return rc;
    for (se_choice_next(c); rc == 0 && best->likeness < 0 && c->levels > 0; se_choice_next(c)) {
        struct auto_tree other = { .h = SE_HIERARCHY_INIT, .c = *c };
        struct se_hierarchy worse;

        if (c->levels < best->c.levels)
            continue;
        rc = build_chosen(run, s, g, &other, err);
        worse = other.h;
        if (rc == 0 && other.likeness > best->likeness) {
            worse = best->h;
            *best = other;
        }
        se_hierarchy_release(&worse);
    }
    best->kept = best->c.kept + (o.modules && best->c.levels > 1 ? best->c.best : 0);
    return rc;
}

/* Height and levels chosen by stability */
static int build_auto(struct se_run *run, struct se_stream *s, const struct se_graph *g,
                      struct se_hierarchy *h, struct worth *w, struct se_err *err)
{
    const struct se_stability_options how = stability_options(run);
    struct se_choice c = SE_CHOICE_INIT;
    struct auto_tree a = { .h = SE_HIERARCHY_INIT };
    int rc = se_tree_choose(&c, g, &how, err);

    if (rc == 0)
        rc = build_likely(run, s, g, &c, &a, err);
    *h = a.h;
    if (rc == 0) {
        const struct se_tree t = se_hierarchy_view(h);

        tell_choice(run, &a.c, a.kept, a.levels);
        w->stable = a.levels;
        for (uint32_t i = 0; i < a.levels; i++)
            w->level[i + 1] = a.c.stability.level[a.kept[i]];
        if (o.confidence)
            rc = write_confidence(&a.c.stability, a.kept, a.levels, &t, err);
    }
    se_choice_release(&c);
    return rc;
}

/* A given number of modules, from the levels of a tree of several */
static int build_modules(struct se_run *run, struct se_stream *s, const struct se_graph *g,
                         struct se_hierarchy *h, struct se_err *err)
{
    struct se_hierarchy all = SE_HIERARCHY_INIT;
    int rc = build_height(run, s, g, o.height_given ? o.k : SE_AUTO_HEIGHT, &all, err);

    if (rc == 0) {
        const struct se_tree t = se_hierarchy_view(&all);

        rc = se_tree_with_modules(h, g, &t, o.count, run->threads, err);
    }
    se_hierarchy_release(&all);
    return rc;
}

static int build(struct se_run *run, struct se_stream *s, uint32_t tag,
                 const struct se_graph *g, struct se_err *err)
{
    struct se_hierarchy h = SE_HIERARCHY_INIT;
    struct worth w = { .measure = SE_MEASURE_INIT };
    struct se_tree t;
    int rc = o.order ? se_tree_intervals(&h, g, o.k, o.pad, run->threads, err)
           : tree_is_auto() ? build_auto(run, s, g, &h, &w, err)
           : o.modules ? build_modules(run, s, g, &h, err)
                       : build_height(run, s, g, o.k, &h, err);

    t = se_hierarchy_view(&h);
    if (rc == 0)
        rc = weigh(&w, &t, g, err);
    if (rc == 0 && (o.stability || o.confidence) && !tree_is_auto())
        rc = measure_stability(run, g, &t, &w, err);
    if (rc == 0 && (rc = put(run, s, tag, &t, &w, err)) == 0 && o.levels)
        rc = levels_on_stderr(&w, &t, err);
    se_measure_release(&w.measure);
    se_hierarchy_release(&h);
    return rc;
}

/* Names that are numbers or positions say what the order is meant to be. */
static int check_order(struct se_stream *s, struct se_err *err)
{
    struct se_names names;

    if (!se_stream_has(s, SE_NAMES))
        return 0;
    if (se_names_get(&names, s, err) < 0)
        return -1;
    return se_order_is_kept(&names) ? 0
         : se_fail(err, SE_EINPUT, "the vertices are not in the order of their names, which are "
                   "numbers or positions; sort them with 'se-cat --order names'");
}

static int run_tree(struct se_run *run, struct se_err *err)
{
    struct se_stream s = SE_STREAM_INIT;
    const char *path = se_run_operand(run, 0);
    struct se_graph g;
    int rc;

    if (tree_check_usage(err) < 0 || (!o.score && se_run_check_output(run, err) < 0))
        return -1;
    rc = se_run_read(run, path, &s, err);
    if (rc == 0) {
        const uint32_t tag = graph_tag(&s);

        if (se_stream_has(&s, tag) && !o.start)
            rc = se_stream_check_origin(&s, tag, err);
        if (rc == 0)
            rc = se_graph_get(&g, &s, tag, err);
        if (rc == 0 && tag == SE_GRAPH && se_stream_has(&s, SE_ARCS))
            se_warn(run, "the graph is directed; its edges count in both directions");
        if (rc == 0 && o.order)
            rc = check_order(&s, err);
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
    .has = SE_TOOL_SEED | SE_TOOL_STREAM | SE_TOOL_PASSES, .options = tree_options,
    .about =
        "Detects communities: reads a stream and adds an encoding tree of height K or\n"
        "less with the lowest structural entropy H it can find. The vertices are its\n"
        "leaves; the nodes above them are the modules (communities) of the graph,\n"
        "modules of modules and so on. No number of modules and no resolution is needed.\n"
        "\n"
        "-K auto chooses the levels. Trees of five graphs that keep 88 % of the edges\n"
        "are compared: the stability of a level is the mean adjusted Rand index of their\n"
        "partitions. The same is done with graphs of the same degrees whose edges are\n"
        "rewired at random. Levels that are clearly more stable than that are kept. If\n"
        "there is none, se-tree prints \"no modules beyond chance\" and the tree is flat.\n"
        "--modules auto keeps the most stable level only.\n"
        "\n"
        "With --order every module is a run of consecutive vertices. No such tree of\n"
        "height 2 has a lower H. se-cat --order changes the order of the vertices; names\n"
        "that are numbers or such as chr1:0-5000 must ascend. se-export -t bed writes\n"
        "the runs.\n"
        "\n"
        "The method best moves vertices, modules and parts of modules, splits modules by\n"
        "average linkage, keeps the best K levels, and repeats this until H stops\n"
        "falling. merge joins the pair of modules that lowers H most, again and again,\n"
        "and squeezes the binary tree to height K; paper uses the combine rule of the\n"
        "SE-GSL paper. Both are for comparison and slow on vertices with very many\n"
        "neighbours. The same seed gives the same tree at any number of threads, unless\n"
        "the search was cut short by --time, which is printed.\n"
        "\n"
        "Stats: tree.h, tree.h1 (of the flat tree), tree.height, tree.nodes, tree.k, and\n"
        "tree.stability.LEVEL and tree.chance.LEVEL where they were measured.\n",
    .examples =
        "  se-import edges.tsv | se-tree -K auto | se-export -t clu\n"
        "  se-gen --karate | se-tree -K 2 | se-export -t parents\n"
        "  se-tree -K 3 --levels < graph.seg > tree.seg\n"
        "  se-import -f tree map.tree --onto graph.seg | se-tree --score\n"
        "  se-noise --rewire --keep-stale tree.seg | se-tree -K 3 --start > tree2.seg\n"
        "  se-tree --order -K 3 contacts.seg -o domains.seg\n"
        "  se-import day2.tsv | se-tree --update day1.seg -o day2.seg\n",
    .run = run_tree
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
