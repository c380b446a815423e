/* se-kselect.c - fuse the graph with as many neighbours as structural entropy asks for */
#include <inttypes.h>
#include <stdio.h>

#include "common/sim/kselect.h"
#include "common/base/outfile.h"
#include "common/cli/tool.h"

enum { REFUSE, CLIP, MOST_STATS = 1000 };

static struct {
    int rule, negative;
    uint64_t k;
    bool fixed;
    double eps, shift;
    const char *curve;
} o = { .eps = 0.001, .shift = 1 };

static const struct se_option options[] = {
    { 0, "rule", "plateau|schedule|max", SE_OPT_CHOICE, &o.rule,
      .help = "how to choose k: where the entropy stops rising by --eps, by the walk of "
              "the published code, or where it is largest" },
    { 'k', "neighbours", "N", SE_OPT_COUNT, &o.k, .min = 1, .max = UINT32_MAX,
      .help = "take N neighbours instead of choosing", .given = &o.fixed },
    { 0, "eps", "E", SE_OPT_NUMBER, &o.eps, .min = -1e300, .max = 1e300,
      .help = "plateau: the least k with H1(k+1) - H1(k) < E" },
    { 0, "shift", "X", SE_OPT_NUMBER, &o.shift, .min = -1e6, .max = 1e6,
      .help = "what is added to similarities; 1 makes all of them positive" },
    { 0, "allow-negative", "refuse|clip", SE_OPT_CHOICE, &o.negative,
      .help = "what to do where similarity + shift is negative: fail, or take 0" },
    { 0, "curve", "FILE", SE_OPT_FILE, &o.curve,
      .help = "write H1 of each k: k and H1 a line, separated by a tab" },
    SE_OPTIONS_END
};

static int write_curve(const struct se_kselect *x, struct se_err *err)
{
    struct se_out out;
    const int fd = se_output_open(o.curve, err);
    int rc;

    if (fd < 0)
        return -1;
    if (se_out_init(&out, fd, err) < 0) {
        se_output_abort();
        return -1;
    }
    for (uint64_t k = 1; k <= x->most; k++) {
        se_out_u64(&out, k);
        se_out_char(&out, '\t');
        se_out_double(&out, x->h1[k]);
        se_out_char(&out, '\n');
    }
    rc = se_out_flush(&out, err);
    se_out_release(&out);
    if (rc == 0)
        return se_output_commit(err);
    se_output_abort();
    return se_err_in(err, o.curve);
}

static int put_stats(const struct se_kselect *x, struct se_stream *s, struct se_err *err)
{
    char name[64];

    if (se_stats_forget(s, "kselect.", err) < 0 ||
        se_stats_set(s, "kselect.k", (double)x->k, err) < 0 ||
        se_stats_set(s, "kselect.h1", x->h1[x->k], err) < 0 ||
        se_stats_set(s, "kselect.edges", (double)x->m, err) < 0 ||
        se_stats_set(s, "kselect.mean", x->mean, err) < 0)
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
    const struct se_kselect_ask ask = { (enum se_k_rule)o.rule, o.fixed ? o.k : 0, o.eps,
                                        o.shift, o.negative == CLIP, run->threads };
    struct se_kselect x = SE_KSELECT_INIT;
    int rc = se_kselect_make(&x, s, &ask, err);

    if (rc == 0) {
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
    .brief = "fuse the graph with as many nearest neighbours as entropy asks for",
    .operands = "[FILE]",
    .max_operands = 1,
    .has = SE_TOOL_STREAM | SE_TOOL_PASSES,
    .options = options,
    .about =
        "Adds the section fused: the edges of the graph, self-loops apart, and all pairs\n"
        "where one vertex is among the k most similar of the other.  A pair weighs\n"
        "S + X + M: its similarity, the shift, and M, the mean of S + X over all pairs\n"
        "divided by twice the number of vertices.\n"
        "\n"
        "k is chosen by H1(k), the one-dimensional structural entropy of that graph,\n"
        "which is computed for every k that the section knn has.  plateau: the least k\n"
        "at which one more neighbour adds less than E.  schedule: from k = 1 on, 5, 3 or\n"
        "1 more while H1 gains more than 0.1, 0.01 or 0.001, at most 50.  max: the k\n"
        "with the largest H1.  The stats tell: kselect.k, kselect.h1, kselect.edges,\n"
        "kselect.mean (M) and kselect.curve.K for each K.",
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
