/* se-kselect.c - add nearest neighbours to the graph; structural entropy chooses how many */
#include <inttypes.h>
#include <stdio.h>

#include "common/base/outfile.h"
#include "common/cli/tool.h"
#include "common/sim/kselect.h"

enum { REFUSE, CLIP };
enum { USE, IGNORE };
enum { MOST_STATS = 1000 };

static struct {
    int rule, negative, weights;
    uint64_t k;
    bool fixed;
    double eps, shift;
    const char *curve;
} o = { .eps = 0.001, .shift = 1 };

static const struct se_option options[] = {
    { 0, "rule", "plateau|schedule|max", SE_OPT_CHOICE, &o.rule,
      .help = "how to choose k: plateau: where the entropy stops rising by --eps; schedule: "
              "as the published code does; max: where the entropy is largest" },
    { 'k', "neighbours", "N", SE_OPT_COUNT, &o.k, .min = 1, .max = UINT32_MAX,
      .help = "use N neighbours instead of choosing", .given = &o.fixed },
    { 0, "eps", "E", SE_OPT_NUMBER, &o.eps, .min = -1e300, .max = 1e300,
      .help = "plateau: use the smallest k with H1(k+1) - H1(k) < E" },
    { 0, "shift", "X", SE_OPT_NUMBER, &o.shift, .min = -1e6, .max = 1e6,
      .help = "constant added to all similarities; with 1 no weight is negative" },
    { 0, "negative-weights", "refuse|clip", SE_OPT_CHOICE, &o.negative, .old = "allow-negative",
      .help = "what to do if similarity + shift is negative: fail, or use 0" },
    { 0, "weights", "use|ignore", SE_OPT_CHOICE, &o.weights,
      .help = "use or ignore the edge weights of the graph" },
    { 0, "curve", "FILE", SE_OPT_FILE, &o.curve,
      .help = "write lines of k and H1(k), separated by a tab, to FILE" },
    SE_OPTIONS_END
};

static int write_curve(const struct se_kselect *x, struct se_err *err)
{
    struct se_out out;

    if (se_output_begin(o.curve, &out, err) < 0)
        return -1;
    for (uint64_t k = 1; k <= x->most; k++) {
        se_out_u64(&out, k);
        se_out_char(&out, '\t');
        se_out_double(&out, x->h1[k]);
        se_out_char(&out, '\n');
    }
    return se_output_end(o.curve, &out, 0, err);
}

static int put_stats(const struct se_kselect *x, struct se_stream *s, struct se_err *err)
{
    char name[64];

    if (se_stats_forget(s, "kselect.", err) < 0 ||
        se_stats_set(s, "kselect.k", (double)x->k, err) < 0 ||
        se_stats_set(s, "kselect.h1", x->h1[x->k], err) < 0 ||
        se_stats_set(s, "kselect.edges", (double)x->m, err) < 0 ||
        se_stats_set(s, "kselect.mean", x->mean, err) < 0 ||
        (x->usual > 0 && se_stats_set(s, "kselect.weight", x->usual, err) < 0))
        return -1;
    for (uint64_t k = 1; k <= x->most && k <= MOST_STATS; k++) {
        snprintf(name, sizeof name, "kselect.curve.%" PRIu64, k);
        if (se_stats_set(s, name, x->h1[k], err) < 0)
            return -1;
    }
    return 0;
}

static int fuse(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    static const uint32_t from[SE_ORIGINS] = { SE_GRAPH, SE_KNN };
    const struct se_kselect_options ask = { (enum se_k_rule)o.rule, o.fixed ? o.k : 0, o.eps,
                                        o.shift, o.negative == CLIP, run->threads,
                                        o.weights == USE };
    struct se_kselect x = SE_KSELECT_INIT;
    int rc = se_kselect_make(&x, s, &ask, err);

    if (rc == 0) {
        if (x.alone)
            se_warn(run, "%" PRIu64 " vertices have no neighbours in knn because their rows carry "
                    "no information; they keep their edges and get no new ones", x.alone);
        if (x.weights && x.usual > 0)
            se_note(run, "using the edge weights of the graph, divided by their mean, %.9g",
                    x.usual);
        se_note(run, "k %" PRIu64 ", H1 %.9g, %" PRIu64 " edges", x.k, x.h1[x.k], x.m);
        rc = se_graph_room_give(&x.fused, s, SE_FUSED, from, err);
    }
    if (rc == 0)
        rc = put_stats(&x, s, err);
    if (rc == 0 && o.curve)
        rc = write_curve(&x, err);
    se_kselect_release(&x);
    return rc;
}

static int run_kselect(struct se_run *run, struct se_err *err)
{
    return se_run_filter(run, fuse, err);
}

static const struct se_tool tool = {
    .name = "se-kselect",
    .brief = "add nearest neighbours to the graph; entropy chooses how many",
    .operands = "[FILE]",
    .max_operands = 1,
    .has = SE_TOOL_STREAM | SE_TOOL_PASSES,
    .options = options,
    .about =
        "Adds the section fused: the edges of the graph, without self-loops, and all\n"
        "pairs in which one vertex is among the k most similar vertices of the other.\n"
        "The weight of a pair is S + X + M: its similarity, the shift, and M, the mean\n"
        "of S + X over all pairs divided by twice the number of vertices. If the graph\n"
        "has edge weights, S + X of each of its edges is multiplied by its weight\n"
        "divided by the mean weight, unless --weights ignore is given. A vertex without\n"
        "neighbours in knn gets no new edges.\n"
        "\n"
        "k is chosen by H1(k), the one-dimensional structural entropy of that graph,\n"
        "computed for every k up to that of the section knn. plateau: the smallest k at\n"
        "which one more neighbour adds less than E. schedule: starting at k = 1, add 5,\n"
        "3 or 1 while H1 gains more than 0.1, 0.01 or 0.001, up to 50. max: the k with\n"
        "the largest H1. Writes the stats kselect.k, kselect.h1, kselect.edges,\n"
        "kselect.mean (M), kselect.weight (the mean weight, if weights were used) and\n"
        "kselect.curve.K for each K.\n",
    .examples =
        "  se-gen -n 500 --seed 1 | se-sim | se-kselect -v | se-info\n"
        "  se-gen -n 500 --seed 1 | se-sim -k 20 | se-kselect --curve h1.tsv -o f.seg\n"
        "  se-export -t edges --section fused f.seg | head -n 3",
    .run = run_kselect,
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
