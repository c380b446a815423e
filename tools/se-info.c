/* se-info.c - summarise a stream */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/tool.h"
#include "common/inspect/advise.h"
#include "common/inspect/compare.h"
#include "common/inspect/dims.h"
#include "common/inspect/describe.h"
#include "common/inspect/explain.h"
#include "common/inspect/infojson.h"
#include "common/tree/odds.h"
#include "tools/info_row.h"

enum { SHOWN_LEVELS = 12, SHOWN_CLASSES = 12, SHOWN_STATS = 30 };

static struct {
    bool json, dims, advise, split_given;
    const char *get, *explain, *row;
    int computed;
    uint64_t describe;          /* 0: do not */
    uint64_t split;
    const char *compare;
    uint64_t depth;
    int sigma;
    double temperature;
} o = { .temperature = 1, .depth = 1 };

static const struct se_option options[] = {
    { 'j', "json", NULL, SE_OPT_FLAG, &o.json, .help = "print one JSON object, for programs" },
    { 0, "dims", NULL, SE_OPT_FLAG, &o.dims,
      .help = "print the embedding dimension that MinGE suggests for the graph" },
    { 0, "advise", NULL, SE_OPT_FLAG, &o.advise,
      .help = "print in five lines what to expect of structure learning on the graph, from its edges, "
              "features and training labels" },
    { 0, "describe", "LEVEL", SE_OPT_COUNT, &o.describe, .min = 0, .max = 1e6,
      .help = "describe what distinguishes each module at this level of the tree" },
    { 0, "get", "NAME[,NAME...]", SE_OPT_STRING, &o.get,
      .help = "print only these values on one line, separated by tabs: names as in --json, "
              "such as vertices or tree_h, names of stats such as train.acc.val, and "
              "accuracy.test; NAME? prints null where there is no such value" },
    { 0, "row", "SPLIT,RUN,ITERATION", SE_OPT_STRING, &o.row,
      .help = "print the line of metrics.tsv of an iteration of se-gsl, whose trained stream this is; "
              "without -q, a line for people on standard error" },
    { 0, "computed", "stats|tree|all|none", SE_OPT_CHOICE, &o.computed,
      .help = "with --row: where the entropies come from: the stats; the tree from tree.seg in the "
              "same folder; all from there, without k; or there are none" },
    { 0, "explain", "U,V", SE_OPT_STRING, &o.explain,
      .help = "explain what vertices U and V (names or numbers) have in common, and how likely "
              "se-sample joins them" },
    { 0, "compare", "labels|FILE", SE_OPT_STRING, &o.compare,
      .help = "compare the modules of the tree (without a tree: the predictions) with the "
              "labels, or with the tree or labels of another stream: ARI, NMI, AMI, V-measure, "
              "purity; and modularity, conductance and Dasgupta cost" },
    { 0, "depth", "N", SE_OPT_COUNT, &o.depth, .min = 1, .max = 1e9,
      .help = "with --compare: the level of the tree" },
    { 0, "sigma", NULL, SE_OPT_CHOICE, &o.sigma, .words = se_sigma_names,
      .help = "with --explain: --sigma of se-sample" },
    { 0, "temperature", "T", SE_OPT_NUMBER, &o.temperature, .min = 1e-9, .max = 1e9,
      .help = "with --explain: --temperature of se-sample" },
    { 0, "split", "N", SE_OPT_COUNT, &o.split,
      .help = "report the accuracy of predictions on the parts of this split; default: the "
              "split used for training",
      .given = &o.split_given },
    SE_OPTIONS_END
};

static void warn_stale(struct se_run *run, struct se_stream *s)
{
    for (size_t i = 0; i < s->count; i++) {
        struct se_err stale = SE_ERR_INIT;

        if (se_stream_check_origin(s, s->section[i].tag, &stale) < 0)
            se_warn(run, "%s", stale.text);
    }
}

/* ---- for people ---- */

/* 1234567 as "1,234,567"; up to eight results at a time */
static const char *big(uint64_t v)
{
    static char room[8][32];
    static unsigned turn;
    char *at = room[turn++ % 8] + 31;
    int digits = 0;

    *at = '\0';
    do {
        if (digits > 0 && digits % 3 == 0)
            *--at = ',';
        *--at = (char)('0' + v % 10);
        digits++;
    } while (v /= 10);
    return at;
}

static const char *plural(uint64_t v)
{
    return v == 1 ? "" : "s";
}

static void key(struct se_out *out, const char *name)
{
    se_outf(out, "%-12s ", name);
}

static void show_graph(struct se_out *out, const char *name, const struct se_graph *g,
                       const struct se_graph_facts *f)
{
    key(out, name);
    se_outf(out, "%s vertices, %s edge%s", big(g->n), big(g->m), plural(g->m));
    if (g->loops > 0)
        se_outf(out, ", %s self-loop%s", big(g->loops), plural(g->loops));
    se_outf(out, ", %s\n", g->weight ? "weighted" : "unweighted");
    key(out, "  components");
    se_outf(out, "%s", big(f->components));
    if (f->components > 1)
        se_outf(out, ", the largest of %s vertices", big(f->largest));
    if (f->isolated > 0)
        se_outf(out, "; %s isolated", big(f->isolated));
    se_out_char(out, '\n');
    key(out, "  degree");
    se_outf(out, "min %s, median %g, mean %.4g, max %s\n", big(f->degree_min),
            f->degree_median, f->degree_mean, big(f->degree_max));
    if (!isnan(f->homophily)) {
        key(out, "  homophily");
        se_outf(out, "%.4f", f->homophily);
        if (f->labelled_edges < g->m)
            se_outf(out, " of the %s edges with two labels", big(f->labelled_edges));
        se_out_char(out, '\n');
    }
    key(out, "  H1");
    se_outf(out, "%.6f bits\n", f->h1);
}

static void show_arcs(struct se_out *out, const struct se_info *x)
{
    const struct se_arc_facts *f = &x->arc_facts;

    key(out, "arcs");
    se_outf(out, "%s, %s", big(x->arcs.m), x->arcs.weight ? "weighted" : "unweighted");
    se_outf(out, "; of %s pair%s", big(f->pairs), plural(f->pairs));
    se_outf(out, " %s with one direction only\n", big(f->one_way));
}

/* Name of a class, or its number */
static void show_classes(struct se_out *out, const struct se_info *x)
{
    const struct se_labels *l = &x->labels;
    const char *name = l->names;
    uint64_t size[SHOWN_CLASSES] = { 0 };

    key(out, "labels");
    se_outf(out, "%s class%s", big(l->classes), l->classes == 1 ? "" : "es");
    for (uint64_t v = 0; v < l->n; v++)
        if (l->label[v] >= 0 && l->label[v] < SHOWN_CLASSES)
            size[l->label[v]]++;
    for (uint64_t c = 0; c < l->classes && c < SHOWN_CLASSES; c++) {
        se_outf(out, "%s", c == 0 ? ": " : ", ");
        if (name) {
            se_out_shown(out, name, strnlen(name, 40));
            se_out_char(out, ' ');
            name += strlen(name) + 1;
        }
        se_outf(out, "%s", big(size[c]));
    }
    if (l->classes > SHOWN_CLASSES)
        se_out_str(out, " ...");
    if (x->unlabelled > 0)
        se_outf(out, "; %s without label", big(x->unlabelled));
    se_out_char(out, '\n');
}

/* Splits of equal sizes share a line. */
static void show_splits(struct se_out *out, const struct se_splits *s)
{
    uint64_t size[4], next[4];

    key(out, "splits");
    se_outf(out, "%s; train/val/test/none", big(s->count));
    for (uint64_t i = 0, lines = 0; i < s->count; lines++) {
        const uint64_t first = i;

        se_splits_sizes(s, i++, size);
        for (; i < s->count; i++) {
            se_splits_sizes(s, i, next);
            if (memcmp(size, next, sizeof size) != 0)
                break;
        }
        if (lines == 8) {
            se_outf(out, "\n%-12s ...", "");
            break;
        }
        if (lines > 0 || i < s->count) {
            se_outf(out, "\n%-12s %" PRIu64, "", first);
            if (i - first > 1)
                se_outf(out, "-%" PRIu64, i - 1);
            se_out_char(out, ':');
        }
        se_outf(out, " %s/%s/%s/%s", big(size[SE_SPLIT_TRAIN]), big(size[SE_SPLIT_VAL]),
                big(size[SE_SPLIT_TEST]), big(size[SE_SPLIT_NONE]));
    }
    se_out_char(out, '\n');
}

static void show_tree(struct se_out *out, const struct se_info *x)
{
    key(out, "tree");
    se_outf(out, "%s nodes over %s vertices, height %" PRIu32, big(x->tree.nodes),
            big(x->tree.n), x->height);
    if (!x->tree_on) {
        se_out_str(out, "; no graph here to measure it on\n");
        return;
    }
    se_outf(out, "\n%-12s %.6f bits on %s, %.4f of its H1\n", "  H", x->tree_h,
            se_section_name(x->tree_on), se_info_normalised(x));
    se_outf(out, "  level      nodes   vertices min/median/max   share of H%s\n",
            x->has_labels ? "   purity" : "");
    for (uint32_t i = 0; i < x->levels; i++) {
        const struct se_level *l = &x->level[i];
        char sizes[80];

        if (i == SHOWN_LEVELS && x->height > SHOWN_LEVELS + 1) {
            se_outf(out, "  ...  (%" PRIu32 " levels)\n", x->height);
            break;
        }
        snprintf(sizes, sizeof sizes, "%s/%g/%s", big(l->size_min), l->size_median,
                 big(l->size_max));
        se_outf(out, "  %-6" PRIu32 " %9s   %23s   %10.4f", i + 1, big(l->nodes), sizes,
                x->tree_h > 0 ? l->h / x->tree_h : 0);
        if (x->has_labels && !isnan(l->purity))
            se_outf(out, "   %6.4f", l->purity);
        se_out_char(out, '\n');
    }
}

static void show_hits(struct se_out *out, const struct se_info *x)
{
    key(out, "predictions");
    if (!x->has_labels) {
        se_outf(out, "%s, no labels to compare with\n", big(x->predictions.n));
        return;
    }
    se_out_str(out, "accuracy");
    for (int i = 0; i < 4; i++) {
        const int p = (i + 1) % 4;

        if (x->hits.of[p] > 0)
            se_outf(out, " %s %.4f (%s of %s)", se_split_part_names[p],
                    (double)x->hits.right[p] / (double)x->hits.of[p], big(x->hits.right[p]),
                    big(x->hits.of[p]));
    }
    if (x->has_splits && x->split < x->splits.count)
        se_outf(out, ", split %" PRIu64, x->split);
    se_out_char(out, '\n');
}

/* Curves and whatever is too much wait for -v. */
static void show_stats(struct se_out *out, const struct se_stats *s, bool all)
{
    const char *name = s->names;
    uint64_t shown = 0;

    for (uint64_t i = 0; i < s->count; i++, name += strlen(name) + 1)
        if (all || (shown < SHOWN_STATS && !strstr(name, ".curve."))) {
            key(out, shown++ == 0 ? "stats" : "");
            se_outf(out, "%-20s %.9g\n", name, s->value[i]);
        }
    if (shown < s->count) {
        key(out, shown == 0 ? "stats" : "");
        se_outf(out, "%s more; -v shows all\n", big(s->count - shown));
    }
}

static void show_history(struct se_out *out, const struct se_history *h)
{
    for (uint64_t at = 0; at < h->len;) {
        const char *line = h->text + at, *end = memchr(line, '\n', h->len - at);
        const size_t len = (size_t)(end - line);

        key(out, at == 0 ? "history" : "");
        se_out_shown(out, line, len);
        se_out_char(out, '\n');
        at += len + 1;
    }
}

static int show_sections(struct se_out *out, struct se_stream *s, struct se_err *err)
{
    se_outf(out, "\n%-12s %15s  %-8s %15s  %s\n", "section", "bytes", "packing", "stored",
            "digest");
    for (size_t i = 0; i < s->count; i++) {
        struct se_section *x = &s->section[i];
        struct se_digest d;
        char text[SE_DIGEST_TEXT];

        if (se_section_digest(x, &d, err) < 0)
            return -1;
        se_outf(out, "%-12s %15s  %-8s %15s  %s\n", se_section_name(x->tag),
                big(x->plain_len), x->codec == SE_PLAIN ? "plain" : "deflated",
                big(x->stored_len), se_digest_text(&d, text));
    }
    return 0;
}

static void show_vectors(struct se_out *out, const struct se_info *x)
{
    if (x->has_features) {
        key(out, "features");
        se_outf(out, "%s column%s, %s non-zeros, %s\n", big(x->features.d),
                plural(x->features.d), big(x->nonzeros),
                x->features.dense ? "dense" : "sparse");
    }
    if (x->has_labels)
        show_classes(out, x);
    if (x->has_splits)
        show_splits(out, &x->splits);
    if (x->has_embedding) {
        key(out, "embedding");
        se_outf(out, "%s column%s\n", big(x->embedding.d), plural(x->embedding.d));
    }
    if (x->has_knn) {
        key(out, "knn");
        se_outf(out, "%s neighbour%s by %s of %s", big(x->knn.k), plural(x->knn.k),
                se_metric_names[x->knn.metric], se_section_name(x->knn.on));
        if (x->knn.first > 0 || x->knn.last < x->knn.n)
            se_outf(out, ", rows %s to %s only", big(x->knn.first), big(x->knn.last));
        se_out_char(out, '\n');
    }
}

/* Sections that nothing above has more to say of */
static void show_others(struct se_out *out, const struct se_stream *s)
{
    static const uint32_t told[] = { SE_GRAPH, SE_ARCS, SE_FUSED, SE_FEATURES, SE_LABELS,
                                     SE_SPLITS, SE_EMBEDDING, SE_KNN, SE_TREE, SE_PREDICTIONS,
                                     SE_STATS, SE_HISTORY, 0 };

    for (size_t i = 0; i < s->count; i++) {
        const uint32_t *t = told;

        while (*t && *t != s->section[i].tag)
            t++;
        if (!*t) {
            key(out, se_section_name(s->section[i].tag));
            se_outf(out, "%s bytes\n", big(s->section[i].plain_len));
        }
    }
}

static int show(struct se_run *run, const struct se_info *x, struct se_stream *s,
                struct se_out *out, struct se_err *err)
{
    if (s->count == 0)
        se_out_str(out, "an empty stream\n");
    if (x->has_graph)
        show_graph(out, "graph", &x->graph, &x->graph_facts);
    else if (s->count > 0)
        se_outf(out, "%-12s none; the other sections are of %s vertices\n", "graph",
                big(x->vertices));
    show_vectors(out, x);
    if (x->has_arcs)
        show_arcs(out, x);
    if (x->has_fused)
        show_graph(out, "fused", &x->fused, &x->fused_facts);
    if (x->has_tree)
        show_tree(out, x);
    if (x->has_predictions)
        show_hits(out, x);
    show_others(out, s);
    if (x->has_stats)
        show_stats(out, &x->stats, run->verbose);
    if (x->has_history)
        show_history(out, &x->history);
    return run->verbose ? show_sections(out, s, err) : 0;
}

/* ---- one pair ---- */

/* Two names, or two numbers where there are no names; a name may hold a comma. */
static int parse_pair(struct se_stream *s, uint32_t pair[2], struct se_err *err)
{
    const char *first = strchr(o.explain, ',');

    if (!first)
        return se_fail(err, SE_EUSAGE, "--explain: '%s' is not two vertices U,V", o.explain);
    for (const char *comma = first; comma; comma = strchr(comma + 1, ',')) {
        if (se_vertex_named(s, o.explain, (size_t)(comma - o.explain), &pair[0], err) < 0 ||
            se_vertex_named(s, comma + 1, strlen(comma + 1), &pair[1], err) < 0)
            return -1;
        if (pair[0] != SE_NONE && pair[0] == pair[1])
            return se_fail(err, SE_EUSAGE, "--explain: '%s' is one vertex twice", o.explain);
        if (pair[0] != SE_NONE && pair[1] != SE_NONE)
            return 0;
    }
    return se_fail(err, SE_EINPUT, "--explain: '%s' is not two vertices U,V of the stream; give "
                   "their names, or numbers from 0 where it has no names", o.explain);
}

static bool is_edge(const struct se_graph *g, uint32_t a, uint32_t b)
{
    const uint32_t u = a < b ? a : b, v = a < b ? b : a;

    for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++)
        if (g->to[i] == v)
            return true;
    return false;
}

static void odds_as_json(struct se_out *out, const struct se_odds *x, const uint32_t v[2],
                         bool edge)
{
    se_outf(out, "{\"u\": %" PRIu32 ", \"v\": %" PRIu32 ", \"edge\": %s, \"ancestor\": %"
            PRIu32 ", \"level\": %" PRIu32 ", \"children\": %" PRIu64 ", \"pair\": %.17g, "
            "\"down\": [%.17g, %.17g], \"probability\": %.17g}\n", v[0], v[1],
            edge ? "true" : "false", x->ancestor, x->level, x->children, x->pair,
            x->down[0], x->down[1], x->probability);
}

static void tell_odds(struct se_out *out, const struct se_odds *x, const struct se_called *called,
                      const uint32_t v[2], bool edge)
{
    key(out, "vertices");
    se_called_vertex(called, out, v[0]);
    se_out_str(out, " and ");
    se_called_vertex(called, out, v[1]);
    se_outf(out, ", %s now\n", edge ? "an edge" : "no edge");
    se_outf(out, "%-12s node %" PRIu32 " at level %" PRIu32 ", with %s children\n", "ancestor",
            x->ancestor, x->level, big(x->children));
    se_outf(out, "%-12s %.6g: nodes %" PRIu32 " (%.6g) and %" PRIu32 " (%.6g) of these\n",
            "draws pick", x->pair, x->child[0], x->pick[0], x->child[1], x->pick[1]);
    se_outf(out, "%-12s %.6g to vertex ", "then down", x->down[0]);
    se_called_vertex(called, out, v[0]);
    se_outf(out, ", %.6g to vertex ", x->down[1]);
    se_called_vertex(called, out, v[1]);
    se_outf(out, "\n%-12s %.6g for each draw at that node\n", "probability", x->probability);
}

static int explain(struct se_stream *s, struct se_out *out, struct se_err *err)
{
    struct se_info x;
    struct se_measure m = SE_MEASURE_INIT;
    struct se_law law = SE_LAW_INIT;
    struct se_called called = SE_CALLED_INIT;
    struct se_odds odds;
    uint32_t pair[2] = { 0, 0 };
    int rc;

    if (!se_stream_has(s, SE_TREE))
        return se_fail(err, SE_EINPUT, "--explain needs a tree; run se-tree first");
    if (se_info_make(&x, s, -1, err) < 0 || parse_pair(s, pair, err) < 0 ||
        se_stream_check_origin(s, SE_TREE, err) < 0)
        return -1;
    if (!x.tree_on)
        return se_fail(err, SE_EINPUT, "--explain needs the graph that the tree was made for");
    rc = se_measure_make(&m, &x.tree, se_info_tree_graph(&x), err);
    if (rc == 0)
        rc = se_law_make(&law, &x.tree, &m, (enum se_sigma)o.sigma, o.temperature, err);
    if (rc == 0)
        rc = se_called_make(&called, s, err);
    if (rc == 0) {
        const bool edge = x.has_graph && is_edge(&x.graph, pair[0], pair[1]);

        se_odds_of(&odds, &x.tree, &m, &law, pair[0], pair[1]);
        if (o.json)
            odds_as_json(out, &odds, pair, edge);
        else {
            tell_odds(out, &odds, &called, pair, edge);
            rc = se_explain_pair(&x, &called, pair, out, err);
        }
    }
    se_called_release(&called);
    se_law_release(&law);
    se_measure_release(&m);
    return rc;
}

static int compare(struct se_run *run, struct se_stream *s, struct se_out *out,
                   struct se_err *err)
{
    const bool labels = strcmp(o.compare, "labels") == 0;
    struct se_stream other = SE_STREAM_INIT;
    int rc = labels ? 0 : se_run_read(run, o.compare, &other, err);

    if (rc == 0)
        rc = se_compare_tell(s, labels ? NULL : &other, o.depth, o.json, out, err);
    se_stream_release(&other);
    return rc;
}

/* ---- the tool ---- */

static int tell(struct se_run *run, struct se_stream *s, struct se_out *out,
                struct se_err *err)
{
    struct se_info x;

    if (o.get && (o.json || o.explain))
        return se_fail(err, SE_EUSAGE, "--get prints only values; omit --json and "
                       "--explain");
    if (o.explain)
        return explain(s, out, err);
    if (o.compare)
        return compare(run, s, out, err);
    if (o.describe > 0)
        return se_describe(s, (uint32_t)o.describe, out, err);
    if (se_info_make(&x, s, o.split_given ? (int64_t)o.split : -1, err) < 0)
        return -1;
    if (o.get)
        return se_info_get(&x, o.get, out, err);
    if (o.advise)
        return se_advise(&x, o.split, out, err);
    warn_stale(run, s);
    return o.json ? se_info_json(&x, s, run->verbose, out, err) : show(run, &x, s, out, err);
}

/* --dims: names and values, as se-export -t stats has them */
static int tell_dims(struct se_stream *s, struct se_out *out, struct se_err *err)
{
    struct se_graph g;
    struct se_dims x;

    if (se_graph_get(&g, s, SE_GRAPH, err) < 0 || se_dims_make(&x, &g, err) < 0)
        return -1;
    se_outf(out, "dims.exact\t%.4f\ndims.linear\t%.4f\ndims.entropy\t%.6f\n", x.exact, x.linear,
            x.hs);
    return 0;
}

static int run_info(struct se_run *run, struct se_err *err)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_out out;
    const char *path = se_run_operand(run, 0);
    int rc = se_run_read(run, path, &s, err);

    if (rc == 0) {
        rc = se_run_begin(run, false, &out, err);
        if (rc == 0) {
            rc = o.row ? info_row(run, &s, path, o.row, (enum info_computed)o.computed, &out, err)
               : o.dims ? tell_dims(&s, &out, err) : tell(run, &s, &out, err);
            if (rc < 0)
                se_err_in(err, se_path_name(path));
            rc = se_run_end(run, &out, rc, err);
        }
    }
    se_stream_release(&s);
    return rc;
}

static const struct se_tool tool = {
    .name = "se-info", .brief = "summarise a stream",
    .operands = "[FILE]", .max_operands = 1, .options = options,
    .about =
        "Prints a summary of a stream: size of the graph, components, degrees,\n"
        "homophily (the fraction of edges within a class), entropy, features, classes,\n"
        "splits, each level of the tree (number and size of nodes, their share of the\n"
        "entropy H, and their purity: the fraction of vertices that have the most common\n"
        "class of their node), accuracy of the predictions, the stats of each stage, and\n"
        "the history. With -v it also lists every section with its size and digest.\n"
        "\n"
        "--describe prints the modules at a level of the tree instead, largest first:\n"
        "size, cohesion (the fraction of the weight at its vertices that stays inside),\n"
        "the vertices with most weight inside, and the features that are more frequent\n"
        "(if dense: higher) there than overall, by three standard errors or more.\n"
        "\n"
        "--explain reports on one pair of vertices instead: the probability that a draw\n"
        "of se-sample at their lowest common ancestor joins them, the modules of both,\n"
        "their common neighbours, the cosine similarity of their features, and the\n"
        "rarest columns that both have.\n"
        "\n"
        "--dims prints the embedding dimension suggested by MinGE instead, exactly and\n"
        "by its linear formula. It is about 12.5 ln(vertices) for any graph.\n",
    .examples =
        "  se-info cora.seg\n"
        "  se-gen --karate | se-info --get vertices,edges,h1\n"
        "  se-gen --tree | se-info --explain 3,17\n"
        "  se-info --dims cora.seg\n"
        "  se-gen -n 300 | se-tree -K auto | se-info --describe 1\n"
        "  se-info -v run/g1.seg                with the size of each section\n",
    .run = run_info
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
