/* se-diffuse.c - replace the graph by its diffusion */
#include <inttypes.h>

#include "common/cli/tool.h"
#include "common/graph/diffuse.h"

static struct {
    double ppr, heat, eps, degree, tolerance;
    uint64_t top;
    bool ppr_given, heat_given, top_given, eps_given, degree_given;
} o = { .ppr = 0.15, .heat = 5, .top = 64, .eps = 1e-4, .degree = 64, .tolerance = 1e-4 };

static const struct se_option options[] = {
    { 0, "ppr", "A", SE_OPT_NUMBER, &o.ppr, .min = 1e-4, .max = 1, .given = &o.ppr_given,
      .help = "personalised PageRank with teleport probability A (the default)" },
    { 0, "heat", "T", SE_OPT_NUMBER, &o.heat, .min = 0, .max = 500, .given = &o.heat_given,
      .help = "heat kernel at time T" },
    { 0, "top", "K", SE_OPT_COUNT, &o.top, .min = 1, .max = UINT32_MAX, .given = &o.top_given,
      .help = "keep the K largest entries of each column (the default)" },
    { 0, "eps", "E", SE_OPT_NUMBER, &o.eps, .min = 1e-12, .max = 1, .given = &o.eps_given,
      .help = "keep the entries that are at least E" },
    { 0, "degree", "D", SE_OPT_NUMBER, &o.degree, .min = 0, .max = 1e9, .given = &o.degree_given,
      .help = "keep the largest entries, on average D per column besides the diagonal" },
    { 0, "tolerance", "E", SE_OPT_NUMBER, &o.tolerance, .min = 1e-12, .max = 1,
      .help = "error bound: an entry of row u is too small by at most E times the square root "
              "of the degree of u" },
    SE_OPTIONS_END
};

static int diffuse(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct se_progress bar;
    const struct se_diffuse_options how = {
        .kernel = o.heat_given ? SE_KERNEL_HEAT : SE_KERNEL_PPR,
        .rate = o.heat_given ? o.heat : o.ppr, .tolerance = o.tolerance,
        .top = o.eps_given || o.degree_given ? 0 : o.top, .eps = o.eps_given ? o.eps : 0,
        .degree = o.degree, .threads = run->threads, .progress = &bar };
    struct se_diffused done = { 0, 0 };
    struct se_graph g;
    int rc;

    if (se_graph_get(&g, s, SE_GRAPH, err) < 0)
        return -1;
    se_progress_begin(run, &bar, "diffusing", se_diffuse_steps(&g, &how));
    rc = se_diffuse(&g, &how, s, &done, err);
    se_progress_end(&bar);
    if (rc < 0 || se_stats_forget(s, "diffuse.", err) < 0 ||
        se_stats_set(s, "diffuse.edges", (double)done.edges, err) < 0 ||
        (how.top == 0 && se_stats_set(s, "diffuse.eps", done.eps, err) < 0))
        return -1;
    se_note(run, "%" PRIu64 " edges", done.edges);
    return 0;
}

static int run_diffuse(struct se_run *run, struct se_err *err)
{
    if (o.ppr_given && o.heat_given)
        return se_fail(err, SE_EUSAGE, "--ppr and --heat cannot be combined");
    if (o.top_given + o.eps_given + o.degree_given > 1)
        return se_fail(err, SE_EUSAGE, "--top, --eps and --degree cannot be combined");
    return se_run_filter(run, diffuse, err);
}

static const struct se_tool tool = {
    .name = "se-diffuse", .brief = "replace the graph by its diffusion",
    .operands = "[FILE]", .max_operands = 1,
    .has = SE_TOOL_KEEP | SE_TOOL_STREAM | SE_TOOL_PASSES, .options = options,
    .about =
        "Replaces the graph by its diffusion (GDC): each vertex is joined to the\n"
        "vertices that a random walk from it visits, weighted by how often it does. With\n"
        "T = D^-1/2 (A + I) D^-1/2, where D holds the degrees of A + I, the diffusion is\n"
        "\n"
        "  --ppr A    S = A * sum over k of (1-A)^k T^k\n"
        "  --heat T   S = sum over k of exp(-T) T^k / k! * T^k\n"
        "\n"
        "Small entries are dropped (--top, --eps or --degree), columns are divided by\n"
        "their sums, and the new graph is (S + S')/2, with the diagonal as self-loops.\n"
        "S is never stored: columns are computed one by one, to --tolerance.\n"
        "Self-loops of the given graph are ignored.\n",
    .examples =
        "  se-diffuse --ppr .05 --top 128 cora.seg -o ppr.seg\n"
        "  se-diffuse --heat 5 --eps 1e-4 cora.seg | se-info\n"
        "  se-diffuse --degree 20 cora.seg | se-tree -K 3 -o tree.seg\n",
    .run = run_diffuse
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
