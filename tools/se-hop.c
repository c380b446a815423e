/* se-hop.c - join the pairs of vertices at an exact distance */
#include <inttypes.h>

#include "common/cli/tool.h"
#include "common/graph/hop.h"

static uint64_t hops;

static const struct se_option options[] = { SE_OPTIONS_END };

static int hop(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct se_graph g;
    uint64_t edges = 0;

    if (se_graph_get(&g, s, SE_GRAPH, err) < 0)
        return -1;
    if (se_hop(&g, hops, run->threads, s, &edges, err) < 0 ||
        se_stats_forget(s, "hop.", err) < 0 ||
        se_stats_set(s, "hop.n", (double)hops, err) < 0 ||
        se_stats_set(s, "hop.edges", (double)edges, err) < 0)
        return -1;
    se_note(run, "%" PRIu64 " pairs at distance %" PRIu64, edges, hops);
    return 0;
}

static int run_hop(struct se_run *run, struct se_err *err)
{
    /* the number comes first, so the stream is the second operand */
    if (!se_whole_u64(se_run_operand(run, 0), &hops) || hops < 1)
        return se_fail(err, SE_EUSAGE, "'%s' is not a distance, a whole number of at least 1", se_run_operand(run, 0));
    run->operand++;
    run->operands--;
    return se_run_filter(run, hop, err);
}

static const struct se_tool tool = {
    .name = "se-hop", .brief = "join the pairs of vertices at an exact distance",
    .operands = "N [FILE]", .min_operands = 1, .max_operands = 2,
    .has = SE_TOOL_KEEP | SE_TOOL_STREAM | SE_TOOL_PASSES, .options = options,
    .about =
        "Replaces the graph by the strict N-hop graph: two vertices have an edge if the\n"
        "shortest path between them has exactly N edges. Closer pairs get no edge. The\n"
        "new graph has no weights and no self-loops. Models such as H2GCN use it next to\n"
        "the given graph. The time is that of a breadth-first search of depth N from\n"
        "each vertex.\n",
    .examples =
        "  se-hop 2 cora.seg -o two.seg\n"
        "  se-hop 2 cora.seg | se-info\n",
    .run = run_hop
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
