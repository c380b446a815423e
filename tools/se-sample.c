/* se-sample.c - sample a new graph from the encoding tree */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/cli/tool.h"
#include "common/graph/addbest.h"
#include "common/sim/sim.h"
#include "common/stream/payload.h"
#include "common/tree/sample.h"

enum { NONE, COUNT, SIMILARITY };
enum { PAIRS_DRAW, PAIRS_BEST };
enum { ON_BOTH = SE_ON_FEATURES + 1 };          /* of --compare-by, after those of enum se_sim_choice */
enum { MOST_THETAS = 64 };

static struct {
    const char *theta, *drop;
    bool replace, retain;
    uint64_t agree, add, within;
    int sigma, weights, metric, on, pairs;
    double temperature;
    bool adding;
} o = { .theta = "3", .agree = 1, .temperature = 1 };

static const struct se_option options[] = {
    { 't', "theta", "T[,T...]", SE_OPT_STRING, &o.theta, 0, 0,
      "pairs drawn at a tree node, per child; a list sets one value per level from the root "
      "down, and its last value holds for all deeper levels", NULL },
    { 0, "replace", NULL, SE_OPT_FLAG, &o.replace, 0, 0,
      "draw the two children of a pair independently, so that they may be equal", NULL },
    { 0, "agree", "N", SE_OPT_COUNT, &o.agree, 1, 64,
      "keep an edge only if all of N independent samplings contain it", NULL },
    { 0, "retain", NULL, SE_OPT_FLAG, &o.retain, 0, 0,
      "keep the old edges too, then remove the least similar ones (--drop match)", NULL },
    { 0, "drop", "match|FRACTION", SE_OPT_STRING, &o.drop, 0, 0,
      "remove the least similar edges: match: until as many are left as the old graph had; "
      "FRACTION: this fraction of all", NULL },
    { 0, "sigma", NULL, SE_OPT_CHOICE, &o.sigma, .words = se_sigma_names, .help =
      "how the entropies of siblings become probabilities" },
    { 0, "temperature", "T", SE_OPT_NUMBER, &o.temperature, 1e-9, 1e9,
      "temperature of the softmax; low: prefer the child of highest entropy, high: uniform", NULL },
    { 0, "weights", "none|count|similarity", SE_OPT_CHOICE, &o.weights, 0, 0,
      "edge weights: none, the number of times each edge was drawn, or similarity + 1", NULL },
    { 0, "metric", NULL, SE_OPT_CHOICE, &o.metric, .words = se_metric_names, .help =
      "similarity used by --retain, --drop and --weights" },
    { 0, "compare-by", "auto|embedding|features|both", SE_OPT_CHOICE, &o.on,
      .help = "compare vertices by their embedding, their features or the mean of both; auto: "
              "by the embedding if the stream has one", .old = "on" },
    { 0, "within", "LEVEL", SE_OPT_COUNT, &o.within, 0, 1e18,
      "add edges only within modules at this level of the tree; 0: anywhere; 1: the children of "
      "the root",
      NULL },
    { 0, "pairs", "draw|best", SE_OPT_CHOICE, &o.pairs, 0, 0,
      "draw: sample pairs; best: take the non-adjacent pairs with the smallest common module", NULL },
    { 0, "add", "N", SE_OPT_COUNT, &o.add, 0, 1e18,
      "sample nothing: add the N heaviest pairs of the section fused that are not yet edges",
      &o.adding },
    SE_OPTIONS_END
};

/* The values of --theta and --drop, parsed before the input is read */
static double theta[MOST_THETAS];
static int thetas;
static bool match;              /* as many edges as in the old graph are left */
static double part;             /* else this part of them goes */

static int parse_theta(struct se_err *err)
{
    const double most = 1e9;
    const char *at = o.theta;

    for (thetas = 0; thetas < MOST_THETAS;) {
        if (!se_parse_number(&at, &theta[thetas]) || theta[thetas] < 0 || theta[thetas] > most)
            break;
        thetas++;
        if (*at == '\0')
            return 0;
        if (*at++ != ',')
            break;
    }
    return se_fail(err, SE_EUSAGE, "--theta: '%s' is not a list of up to %d numbers from 0 to "
                   "%.0f", o.theta, MOST_THETAS, most);
}

static int parse_drop(struct se_err *err)
{
    match = o.drop ? strcmp(o.drop, "match") == 0 : o.retain;
    if (o.drop && !match && (!se_whole_number(o.drop, &part) || part < 0 || part > 1))
        return se_fail(err, SE_EUSAGE, "--drop: '%s' is neither 'match' nor a number from 0 "
                       "to 1", o.drop);
    return 0;
}

struct weighing {
    const struct se_sampled *edges;
    struct se_sim_query *query; /* one per thread */
    float share, *sum;          /* of each edge; this share of its similarity is added */
};

enum { BLOCK = 8192 };

static void weigh_block(void *arg, uint64_t task, int thread)
{
    struct weighing *w = arg;
    struct se_sim_query *q = &w->query[thread];
    const uint64_t from = task * BLOCK;
    const uint64_t to = w->edges->edges - from < BLOCK ? w->edges->edges : from + BLOCK;

    for (uint64_t i = from; i < to; i++) {
        const uint64_t u = w->edges->key[i] >> 32;

        if (q->i != u)
            se_sim_query_set(q, u);
        w->sum[i] += w->share * se_sim_query_with(q, (uint32_t)w->edges->key[i]);
    }
}

/* Add a share of the similarity of the ends of each edge, by the rows of section `on`. */
static int add_similarity(struct se_run *run, struct se_stream *s, uint64_t n, uint32_t on,
                          struct weighing *w, struct se_err *err)
{
    struct se_sim_rows rows = SE_SIM_ROWS_INIT;
    int rc = se_sim_rows_make(&rows, s, on, (enum se_metric)o.metric, run->threads, err);

    if (rc == 0)
        rc = se_payload_fits(rows.n, n, on, "the tree", err);
    if (rc == 0) {
        w->query = se_sim_queries(&rows, run->threads, err);
        rc = w->query ? 0 : -1;
    }
    if (rc == 0)
        se_parallel(run->threads, (w->edges->edges + BLOCK - 1) / BLOCK, weigh_block, w);
    se_sim_queries_free(w->query, run->threads);
    w->query = NULL;
    se_sim_rows_release(&rows);
    return rc;
}

/* The similarity of the ends of each edge; free() it. */
static float *weigh(struct se_run *run, struct se_stream *s, const struct se_sampled *edges,
                    uint64_t n, struct se_err *err)
{
    struct weighing w = { .edges = edges, .share = o.on == ON_BOTH ? 0.5f : 1,
                          .sum = se_zalloc(edges->edges, sizeof(float), err) };
    uint32_t on = SE_EMBEDDING;
    bool ok = w.sum;

    if (ok && o.on == ON_BOTH)
        ok = add_similarity(run, s, n, SE_FEATURES, &w, err) == 0;
    else if (ok)
        ok = se_sim_on((enum se_sim_choice)o.on, s, &on, err) == 0;
    if (ok && add_similarity(run, s, n, on, &w, err) == 0)
        return w.sum;
    free(w.sum);
    return NULL;
}

/* Weights of the new edges into `weight`, which holds similarities if these are asked for. */
static void make_weights(const struct se_sampled *edges, float *weight)
{
    for (uint64_t i = 0; i < edges->edges; i++)
        weight[i] = o.weights == SIMILARITY ? fmaxf(weight[i] + 1, 0)
                  : edges->count[i] > 0 ? (float)edges->count[i] : 1;
}

static int set_stats(struct se_stream *s, const struct se_sampled *edges, uint64_t drawn,
                     struct se_err *err)
{
    return se_stats_forget(s, "sample.", err) < 0 ||
           se_stats_set(s, "sample.draws", (double)edges->draws, err) < 0 ||
           se_stats_set(s, "sample.drawn_edges", (double)drawn, err) < 0 ||
           se_stats_set(s, "sample.edges", (double)edges->edges, err) < 0 ? -1 : 0;
}

/* Unite, thin and store what was drawn. */
static int finish(struct se_run *run, struct se_stream *s, struct se_sampled *edges,
                  uint64_t n, struct se_err *err)
{
    const uint64_t drawn = edges->edges;
    struct se_graph old = { 0 };
    float *weight = NULL;
    uint64_t keep;
    int rc = 0;

    if (o.retain || o.drop) {
        rc = se_graph_get(&old, s, SE_GRAPH, err);
        if (rc == 0)
            rc = se_payload_fits(old.n, n, SE_GRAPH, "the tree", err);
    }
    if (rc == 0 && o.retain)
        rc = se_sampled_unite(edges, &old, err);
    keep = match ? old.m : edges->edges - (uint64_t)llround(part * (double)edges->edges);
    if (rc == 0 && (keep < edges->edges || o.weights == SIMILARITY)) {
        weight = weigh(run, s, edges, n, err);
        rc = weight ? se_sampled_thin(edges, weight, keep, err) : -1;
    } else if (rc == 0 && o.weights != NONE) {
        weight = se_alloc(edges->edges, sizeof *weight, err);
        rc = weight ? 0 : -1;
    }
    if (rc == 0 && o.weights != NONE)
        make_weights(edges, weight);
    if (rc == 0)
        rc = se_sampled_put(edges, n, o.weights == NONE ? NULL : weight,
                            o.retain ? &old : NULL, run->threads, s, err);
    if (rc == 0)
        rc = set_stats(s, edges, drawn, err);
    free(weight);
    return rc;
}

/* The graph that the tree was made for. */
static int tree_graph(struct se_graph *g, struct se_stream *s, struct se_err *err)
{
    const struct se_section *tree = se_stream_find(s, SE_TREE);
    const uint32_t from = tree->origin[0].tag ? tree->origin[0].tag : se_graph_current(s);

    if (!se_stream_has(s, from))
        return se_fail(err, SE_EINPUT, "tree: the %s section it was made from is not in this "
                       "stream; add it with se-cat", se_section_name(from));
    return se_stream_check_origin(s, SE_TREE, err) < 0 || se_graph_get(g, s, from, err) < 0
         ? -1 : 0;
}

/* --pairs best: no edge of the given graph is among them */
static int take_best(struct se_sampled *edges, struct se_stream *s, const struct se_tree *t,
                     const struct se_measure *x, uint64_t count, struct se_err *err)
{
    struct se_graph old;

    return se_graph_get(&old, s, SE_GRAPH, err) < 0 ||
           se_payload_fits(old.n, t->n, SE_GRAPH, "the tree", err) < 0
         ? -1 : se_sample_best(edges, t, x, &old, count, o.within, err);
}

static int sample(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct se_progress bar;
    struct se_sample_options plan = { .theta = theta, .thetas = thetas, .replace = o.replace,
                                   .counted = o.weights == COUNT, .agree = o.agree,
                                   .seed = run->seed, .level = o.within, .threads = run->threads,
                                   .progress = &bar };
    struct se_tree t;
    struct se_graph g;
    struct se_measure x = SE_MEASURE_INIT;
    struct se_law law = SE_LAW_INIT;
    struct se_sampled edges = SE_SAMPLED_INIT;
    uint64_t draws = 0;
    int rc = -1;

    if (se_tree_get(&t, s, err) < 0 || tree_graph(&g, s, err) < 0)
        return -1;
    if (se_measure_make(&x, &t, &g, err) == 0 &&
        se_law_make(&law, &t, &x, (enum se_sigma)o.sigma, o.temperature, err) == 0 &&
        se_sample_draws(&law, &x, &plan, &draws, err) == 0) {
        se_progress_begin(run, &bar, "drawing", draws * o.agree);
        rc = o.pairs == PAIRS_DRAW ? se_sample(&edges, &law, &t, &x, &plan, err)
           : take_best(&edges, s, &t, &x, draws, err);
        se_progress_end(&bar);
    }
    if (rc == 0)
        rc = finish(run, s, &edges, t.n, err);
    if (rc == 0)
        se_note(run, "%" PRIu64 " draws in %.3f s gave %" PRIu64 " edges", edges.draws,
                edges.seconds, edges.edges);
    se_sampled_release(&edges);
    se_law_release(&law);
    se_measure_release(&x);
    return rc;
}

/* --add: the best of what se-weigh --candidates or se-kselect scored */
static int add_best(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct se_graph g, scored;
    uint64_t added = 0;

    if (se_graph_get(&g, s, SE_GRAPH, err) < 0)
        return -1;
    if (!se_stream_has(s, SE_FUSED))
        return se_fail(err, SE_EINPUT, "no fused section with scored pairs; make one with se-weigh "
                       "--candidates");
    if (se_stream_check_origin(s, SE_FUSED, err) < 0 ||
        se_graph_get(&scored, s, SE_FUSED, err) < 0 ||
        se_payload_fits(scored.n, g.n, SE_FUSED, "graph", err) < 0 ||
        se_graph_add_best(&g, &scored, o.add, s, &added, err) < 0 ||
        se_stats_forget(s, "sample.", err) < 0 ||
        se_stats_set(s, "sample.added", (double)added, err) < 0)
        return -1;
    if (added < o.add)
        se_warn(run, "only %" PRIu64 " pairs of the fused section are not edges yet; added all",
                added);
    return 0;
}

static int run_sample(struct se_run *run, struct se_err *err)
{
    if (o.pairs == PAIRS_BEST && (o.agree > 1 || o.replace || o.weights == COUNT))
        return se_fail(err, SE_EUSAGE, "--pairs best does not sample; omit --agree, --replace "
                       "and --weights count");
    if (o.adding)
        return se_run_filter(run, add_best, err);
    return parse_theta(err) < 0 || parse_drop(err) < 0 ? -1 : se_run_filter(run, sample, err);
}

static const struct se_tool tool = {
    .name = "se-sample",
    .brief = "sample a new graph from the encoding tree",
    .operands = "[FILE]",
    .max_operands = 1,
    .has = SE_TOOL_SEED | SE_TOOL_KEEP | SE_TOOL_STREAM | SE_TOOL_PASSES,
    .options = options,
    .about =
        "At every tree node with m children, round(theta * m) pairs are drawn. A draw\n"
        "picks two different children with probability P, descends from each with\n"
        "probability P at every node until it reaches a vertex, and joins the two\n"
        "vertices by an edge. P of a child is the softmax of its entropy among its\n"
        "siblings. The graph section is replaced. Sections that describe the old graph\n"
        "(fused, tree, predictions) are dropped unless --keep-stale is given.\n"
        "\n"
        "--within LEVEL samples only at nodes of that level and below, so that each new\n"
        "edge lies in one module. --pairs best does not sample: it takes the pairs that\n"
        "are not edges and whose lowest common ancestor has the smallest volume, in the\n"
        "number that theta gives.\n"
        "\n"
        "--add N needs no tree: it adds the N heaviest pairs of the section fused that\n"
        "are not edges yet, as scored by se-weigh --candidates. Old edges stay.\n",
    .examples =
        "  se-tree -K 2 fused.seg | se-sample --theta 3 > new.seg\n"
        "  se-sample --agree 2 --retain tree.seg -o new.seg\n"
        "  se-sample --retain --drop .25 --compare-by both tree.seg -o new.seg\n"
        "  se-sample --pairs best --theta .5 --retain --drop 0 tree.seg -o new.seg\n"
        "  se-weigh --candidates 10 g.seg | se-sample --add 500 -o more.seg\n"
        "  se-sample --theta 1,5 --temperature 0.1 --seed 7 tree.seg | se-info\n",
    .run = run_sample
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
