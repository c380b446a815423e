/* se-weigh.c - weight each edge by how plausible it is */
#include <string.h>

#include "common/cli/tool.h"
#include "common/weigh/trust.h"

enum { TEXT_STREAM, TEXT_EDGES };
enum { ON_FEATURES, ON_EMBEDDING };
static const char *const score_name[SE_TRUST_SCORES] = { "f", "cw", "tree" };

static struct {
    const char *gamma, *score;
    double floor;
    uint64_t trees, candidates;
    int on, text;
} o = { "auto", "f,cw,tree", 0.002, 8, 0, ON_FEATURES, TEXT_STREAM };

static const struct se_option options[] = {
    { 'g', "gamma", "G|auto", SE_OPT_STRING, &o.gamma,
      .help = "exponent of the rank: 0 weights all edges equally, 4 trusts only few; auto: derive "
              "it from the fraction of edges that look like random pairs" },
    { 0, "score", "NAME[,NAME...]", SE_OPT_STRING, &o.score,
      .help = "scores to rank edges by: f (feature similarity), cw (weighted common neighbours), "
              "tree (depth in encoding trees)" },
    { 0, "floor", "W", SE_OPT_NUMBER, &o.floor, .min = 0, .max = 1,
      .help = "minimum weight" },
    { 0, "trees", "N", SE_OPT_COUNT, &o.trees, .min = 1, .max = 1000,
      .help = "number of trees averaged by the score tree" },
    { 0, "compare-by", "features|embedding", SE_OPT_CHOICE, &o.on,
      .help = "rows that f compares: features (columns weighted by idf) or embedding",
      .old = "on" },
    { 'c', "candidates", "K", SE_OPT_COUNT, &o.candidates, .min = 1, .max = 10000,
      .help = "also score up to 2K pairs per vertex that are not edges, and write edges and "
              "candidates to the section fused" },
    { 't', "text", "stream|edges", SE_OPT_CHOICE, &o.text,
      .help = "edges: print a table of the edges and their scores instead of a stream" },
    SE_OPTIONS_END
};

static bool wanted[SE_TRUST_SCORES];
static double fixed_gamma = -1;         /* -1: auto */

static int parse_options(struct se_err *err)
{
    const char *at = o.score;

    memset(wanted, 0, sizeof wanted);
    for (bool more = true; more; at++) {
        const size_t len = strcspn(at, ",");
        int i = 0;

        while (i < SE_TRUST_SCORES && (strlen(score_name[i]) != len || strncmp(at, score_name[i], len)))
            i++;
        if (i == SE_TRUST_SCORES)
            return se_fail(err, SE_EUSAGE, "--score: '%s' is not a list of f, cw and tree",
                           o.score);
        wanted[i] = true;
        at += len;
        more = *at == ',';
    }
    if (strcmp(o.gamma, "auto") != 0 &&
        (!se_whole_number(o.gamma, &fixed_gamma) || fixed_gamma < 0 || fixed_gamma > 100))
        return se_fail(err, SE_EUSAGE, "--gamma: '%s' is neither 'auto' nor a number from 0 to "
                       "100", o.gamma);
    return 0;
}

/* ---- output ---- */

/* The weights of the edges into the graph. */
static int put_graph(const struct se_trust *w, struct se_stream *s, struct se_err *err)
{
    const struct se_graph *g = &w->g;
    struct se_graph_room room = SE_GRAPH_ROOM_INIT;

    if (se_graph_room_make(&room, g->n, g->m, g->loops, true, err) < 0)
        return -1;
    memcpy(room.off, g->off, (g->n + 1) * sizeof *room.off);
    memcpy(room.to, g->to, g->m * sizeof *room.to);
    for (uint64_t i = 0, e = 0; e < g->m; i++)
        if (w->all.key[i] == w->edges.key[e])
            room.weight[e++] = (float)w->rank[i];
    for (uint64_t i = 0; i < g->loops; i++) {
        room.loop[i] = g->loop[i];
        room.loop_weight[i] = g->loop_weight ? g->loop_weight[i] : 1;
    }
    return se_graph_room_give(&room, s, SE_GRAPH, NULL, err);
}

/* Edges and candidates as the section fused. */
static int put_fused(const struct se_trust *w, struct se_stream *s, struct se_err *err)
{
    static const uint32_t from[SE_ORIGINS] = { SE_GRAPH, 0 };
    struct se_pair_graph x = { .pairs = w->all };
    const int laid = se_pair_graph_make(&x, w->g.n, err);
    int rc = laid;

    for (uint64_t i = 0; rc == 0 && i < w->all.count; i++)
        x.weight[i] = (float)w->rank[i];
    if (rc == 0) {
        static const uint32_t none;
        static const float nothing;

        x.g.loop = &none;
        x.g.loop_weight = &nothing;
        rc = se_graph_put(&x.g, s, SE_FUSED, from, err);
    }
    x.pairs = (struct se_pairs){ NULL, 0 };        /* they are w's */
    se_pair_graph_release(&x);
    return rc;
}

static int put(struct se_run *run, struct se_trust *w, struct se_stream *s, struct se_err *err)
{
    if (w->g.weight)
        se_warn(run, "the graph had edge weights; they are replaced");
    if (put_graph(w, s, err) < 0 || (o.candidates > 0 && put_fused(w, s, err) < 0) ||
        se_stats_forget(s, "weigh.", err) < 0 || se_stats_forget(s, "kselect.", err) < 0 ||
        se_stats_set(s, "weigh.gamma", w->gamma, err) < 0 ||
        (fixed_gamma < 0 && se_stats_set(s, "weigh.chance", w->chance, err) < 0) ||
        (o.candidates > 0 && se_stats_set(s, "weigh.candidates", (double)w->candidates, err) < 0))
        return -1;
    return 0;
}

static void print_vertex(struct se_out *out, const struct se_names *names, uint64_t v)
{
    if (names->n > 0)
        se_out_bytes(out, names->text + names->off[v], names->off[v + 1] - names->off[v]);
    else
        se_out_u64(out, v);
    se_out_char(out, '\t');
}

static int print_edges(struct se_run *run, const struct se_trust *w, struct se_stream *s,
                       struct se_err *err)
{
    struct se_names names = { .n = 0 };
    struct se_out out;

    if ((se_stream_has(s, SE_NAMES) && se_names_get(&names, s, err) < 0) ||
        se_run_begin(run, false, &out, err) < 0)
        return -1;
    se_out_str(&out, "u\tv\tweight\tf\tcw\ttree\tgiven\n");
    for (uint64_t i = 0, e = 0; i < w->all.count; i++) {
        const bool edge = e < w->edges.count && w->edges.key[e] == w->all.key[i];

        e += edge;
        print_vertex(&out, &names, w->all.key[i] >> 32);
        print_vertex(&out, &names, (uint32_t)w->all.key[i]);
        se_outf(&out, "%.4g", w->rank[i]);
        for (int j = 0; j < SE_TRUST_SCORES; j++)
            if (w->score[j])
                se_outf(&out, "\t%.6g", w->score[j][i]);
            else
                se_out_str(&out, "\t-");
        se_outf(&out, "\t%d\n", edge);
    }
    return se_run_end(run, &out, 0, err);
}

static int weigh(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    const struct se_trust_options ask = {
        .wanted = { wanted[0], wanted[1], wanted[2] },
        .rows = o.on == ON_FEATURES ? SE_FEATURES : SE_EMBEDDING, .gamma = fixed_gamma,
        .floor = o.floor, .trees = o.trees, .candidates = o.candidates, .seed = run->seed,
        .threads = run->threads
    };
    struct se_trust w;
    int rc = se_trust_make(&w, s, &ask, err);

    if (rc == 0 && fixed_gamma < 0)
        se_note(run, "about %.0f %% of the edges look like random pairs, so gamma is %.3g",
                100 * w.chance, w.gamma);
    if (rc == 0)
        rc = o.text == TEXT_EDGES ? print_edges(run, &w, s, err) : put(run, &w, s, err);
    se_trust_release(&w);
    return rc;
}

static int run_weigh(struct se_run *run, struct se_err *err)
{
    struct se_stream s = SE_STREAM_INIT;
    const char *path = se_run_operand(run, 0);
    int rc;

    if (parse_options(err) < 0)
        return -1;
    if (o.text == TEXT_STREAM)
        return se_run_filter(run, weigh, err);
    rc = se_run_read(run, path, &s, err);
    if (rc == 0) {
        rc = weigh(run, &s, err);
        if (rc < 0 && err->code == SE_EINPUT)
            se_err_in(err, se_path_name(path));
    }
    se_stream_release(&s);
    return rc;
}

static const struct se_tool tool = {
    .name = "se-weigh", .brief = "weight each edge by how plausible it is",
    .operands = "[FILE]", .max_operands = 1,
    .has = SE_TOOL_SEED | SE_TOOL_KEEP | SE_TOOL_STREAM | SE_TOOL_PASSES, .options = options,
    .about =
        "Gives each edge a weight from 0 to 1: high if features and structure support\n"
        "the edge, low if it looks like a random pair. The edges are ranked by each\n"
        "score, the ranks are added, and the sums are ranked again; the weight is\n"
        "(rank / edges)^gamma, at least --floor. Labels are not used.\n"
        "\n"
        "  f     cosine of the features of the two vertices; rare columns count more\n"
        "        (idf)\n"
        "  cw    common neighbours, weighted: W D^-1 W, where W has f + 0.01 on edges\n"
        "        and f on the pairs of 8 nearest neighbours\n"
        "  tree  -log2(V / vol), V the volume of the lowest common ancestor, the mean\n"
        "        over encoding trees (height 8) of W with 3 nearest neighbours and with\n"
        "        weights times U(0.5, 1.5)\n"
        "\n"
        "--gamma auto estimates from f and cw the fraction p of edges that look like\n"
        "random pairs, and sets gamma to 10 (p - 0.1), from 0 to 4; -v prints both.\n"
        "se-train uses the weights with --weights use.\n"
        "\n"
        "--candidates K also scores pairs that are not edges: for each vertex the K most\n"
        "similar ones and the K best ones by cw. The section fused then holds edges and\n"
        "candidates; se-sample --add N adds the best N candidates to the graph.\n",
    .examples =
        "  se-weigh cora.seg | se-train --weights use | se-export -t stats\n"
        "  se-weigh -t edges cora.seg | sort -t \"$(printf '\\t')\" -k 3,3g | head\n"
        "  se-weigh --candidates 10 cora.seg | se-sample --add 500 > more.seg\n",
    .run = run_weigh
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
