/* se-embed.c - place the vertices in a plane, from the graph alone */
#include <inttypes.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/cli/tool.h"
#include "common/graph/embed.h"

static struct {
    struct se_embed_options e;
    int method;
    bool latent;
} o = { .e = { .dims = 2, .landmarks = 200, .epochs = 50, .negatives = 10, .rate = .1, .hops = 3,
               .walks = 10, .length = 40 } };

static const struct se_option options[] = {
    { 'm', "method", "isomap|poincare|struc2vec", SE_OPT_CHOICE, &o.method,
      .help = "isomap: distances approximate those in the graph; poincare: neighbours are close in a "
      "hyperbolic disc; struc2vec: vertices with similar neighbourhoods are close" },
    { 'd', "dims", "N", SE_OPT_COUNT, &o.e.dims, 1, 256, "dimensions", NULL },
    { 0, "latent", NULL, SE_OPT_FLAG, &o.latent,
      .help = "replace the graph by the closest pairs of vertices, as many as it has edges" },
    { 0, "landmarks", "N", SE_OPT_COUNT, &o.e.landmarks, 1, 2000,
      "isomap: number of vertices that are placed exactly", NULL },
    { 0, "epochs", "N", SE_OPT_COUNT, &o.e.epochs, 1, 1e6, "poincare: passes over the edges", NULL },
    { 0, "lr", "RATE", SE_OPT_NUMBER, &o.e.rate, 0, 100, "poincare: learning rate", NULL },
    { 0, "negatives", "N", SE_OPT_COUNT, &o.e.negatives, 1, 1000,
      "poincare: random vertices that each edge is compared with", NULL },
    { 0, "hops", "N", SE_OPT_COUNT, &o.e.hops, 0, 16,
      "struc2vec: how far neighbourhoods are compared", NULL },
    { 0, "walks", "N", SE_OPT_COUNT, &o.e.walks, 1, 10000, "struc2vec: walks from each vertex",
      NULL },
    { 0, "length", "N", SE_OPT_COUNT, &o.e.length, 2, 10000, "struc2vec: vertices in a walk",
      NULL },
    SE_OPTIONS_END
};

static int put(struct se_run *run, struct se_stream *s, uint64_t n, uint64_t m, const float *row,
               const uint8_t *placed, struct se_err *err)
{
    const struct se_embedding e = { n, o.e.dims, row };
    uint64_t edges = 0, count = 0;

    for (uint64_t v = 0; v < n; v++)
        count += placed[v];
    if (o.latent && se_embed_latent(row, n, o.e.dims, placed, o.method == SE_EMBED_POINCARE, m, s,
                                    &edges, err) < 0)
        return -1;
    if (se_embedding_put(&e, s, err) < 0 || se_stats_forget(s, "embed.", err) < 0 ||
        se_stats_set(s, "embed.dims", (double)o.e.dims, err) < 0 ||
        se_stats_set(s, "embed.placed", (double)count, err) < 0 ||
        (o.latent && se_stats_set(s, "embed.edges", (double)edges, err) < 0))
        return -1;
    se_note(run, "%" PRIu64 " of %" PRIu64 " vertices placed", count, n);
    return 0;
}

static int embed(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct se_graph g;
    struct se_adjacency a = SE_ADJACENCY_INIT;
    float *row = NULL;
    uint8_t *placed = NULL;
    int rc = -1;

    if (se_graph_get(&g, s, SE_GRAPH, err) < 0 || se_adjacency_make(&a, &g, err) < 0)
        return -1;
    o.e.method = (enum se_embed_method)o.method;
    o.e.seed = run->seed;
    o.e.threads = run->threads;
    row = se_zalloc(g.n * o.e.dims, sizeof *row, err);
    placed = row ? se_zalloc(g.n, 1, err) : NULL;
    if (placed && se_embed(&a, &o.e, row, placed, err) == 0)
        rc = put(run, s, g.n, g.m, row, placed, err);
    free(placed);
    free(row);
    se_adjacency_release(&a);
    return rc;
}

static int run_embed(struct se_run *run, struct se_err *err)
{
    return se_run_filter(run, embed, err);
}

static const struct se_tool tool = {
    .name = "se-embed", .brief = "place the vertices in a plane, from the graph alone",
    .operands = "[FILE]", .max_operands = 1,
    .has = SE_TOOL_SEED | SE_TOOL_KEEP | SE_TOOL_STREAM | SE_TOOL_PASSES, .options = options,
    .about =
        "Writes a two-dimensional embedding of the vertices, computed from the edges\n"
        "without weights and self-loops. With --latent the graph is replaced by the\n"
        "closest pairs of vertices, as many as it had edges; ties go to lower ids.\n"
        "se-train --model geomgcn uses such a stream next to the given graph. Isomap\n"
        "places vertices outside of the largest component at the origin, and --latent\n"
        "gives them no edges.\n",
    .examples =
        "  se-embed cora.seg | se-export -t embedding\n"
        "  se-embed --method poincare --latent cora.seg -o latent.seg\n"
        "  se-train --model geomgcn --beside latent.seg cora.seg -o trained.seg\n",
    .run = run_embed
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
