/* se-prune.c - remove the edges whose ends have unlike features */
#include <inttypes.h>
#include <math.h>

#include "common/stream/payload.h"
#include "common/cli/tool.h"

static struct {
    bool jaccard, cosine;
    double threshold;
} o = { .threshold = 0.01 };

static const struct se_option options[] = {
    { 0, "jaccard", NULL, SE_OPT_FLAG, &o.jaccard,
      .help = "columns that both rows have, as a share of those that one has; this is the default" },
    { 0, "cosine", NULL, SE_OPT_FLAG, &o.cosine, .help = "cosine of the two rows" },
    { 't', "threshold", "T", SE_OPT_NUMBER, &o.threshold, .min = -1, .max = 2,
      .help = "edges of less similarity than this are removed" },
    SE_OPTIONS_END
};

/* Two rows in numbers: non-zeros of each and of both, and the sums for the cosine. */
struct pair {
    uint64_t a, b, both;
    double aa, bb, ab;
};

static void count(struct pair *p, double x, double y)
{
    p->a += x != 0;
    p->b += y != 0;
    p->both += x != 0 && y != 0;
    p->aa += x * x;
    p->bb += y * y;
    p->ab += x * y;
}

static double value_at(const struct se_features *f, uint64_t i)
{
    return f->value ? f->value[i] : 1;
}

static struct pair compare(const struct se_features *f, uint64_t u, uint64_t v)
{
    struct pair p = { 0, 0, 0, 0, 0, 0 };

    if (f->dense) {
        for (uint64_t j = 0; j < f->d; j++)
            count(&p, f->dense[u * f->d + j], f->dense[v * f->d + j]);
        return p;
    }
    for (uint64_t i = f->off[u], j = f->off[v]; i < f->off[u + 1] || j < f->off[v + 1];) {
        const uint64_t x = i < f->off[u + 1] ? f->col[i] : UINT64_MAX;
        const uint64_t y = j < f->off[v + 1] ? f->col[j] : UINT64_MAX;

        count(&p, x <= y ? value_at(f, i) : 0, y <= x ? value_at(f, j) : 0);
        i += x <= y;
        j += y <= x;
    }
    return p;
}

/* Rows without any non-zero are like nothing. */
static double similarity(const struct se_features *f, uint64_t u, uint64_t v)
{
    const struct pair p = compare(f, u, v);
    const uint64_t any = p.a + p.b - p.both;

    if (o.cosine)
        return p.aa > 0 && p.bb > 0 ? p.ab / (sqrt(p.aa) * sqrt(p.bb)) : 0;
    return any > 0 ? (double)p.both / (double)any : 0;
}

struct pruning {
    struct se_features f;
    uint64_t left;              /* edges that stayed */
};

/* The edges that stay; `arg`: the pruning. */
static uint64_t keep_similar(const struct se_graph *g, void *arg, uint64_t *off, uint32_t *to,
                             float *weight)
{
    struct pruning *p = arg;
    uint64_t at = 0;

    for (uint64_t u = 0; u < g->n; u++) {
        off[u] = at;
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++) {
            if (similarity(&p->f, u, g->to[e]) < o.threshold)
                continue;
            if (weight)
                weight[at] = g->weight[e];
            to[at++] = g->to[e];
        }
    }
    off[g->n] = at;
    return p->left = at;
}

static int prune(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct se_graph g;
    struct pruning p;

    if (se_graph_get(&g, s, SE_GRAPH, err) < 0 || se_features_get(&p.f, s, err) < 0 ||
        se_payload_fits(p.f.n, g.n, SE_FEATURES, "graph", err) < 0 ||
        se_graph_put_edges(&g, g.m, keep_similar, &p, s, err) < 0)
        return -1;
    se_note(run, "%" PRIu64 " of %" PRIu64 " edges removed", g.m - p.left, g.m);
    if (se_stats_set(s, "prune.removed", (double)(g.m - p.left), err) < 0 ||
        se_stats_set(s, "prune.edges", (double)p.left, err) < 0)
        return -1;
    return 0;
}

static int run_prune(struct se_run *run, struct se_err *err)
{
    if (o.jaccard && o.cosine)
        return se_fail(err, SE_EUSAGE, "--jaccard and --cosine exclude each other");
    return se_run_filter(run, prune, err);
}

static const struct se_tool tool = {
    .name = "se-prune", .brief = "remove the edges whose ends have unlike features",
    .operands = "[FILE]", .max_operands = 1,
    .has = SE_TOOL_KEEP | SE_TOOL_STREAM | SE_TOOL_PASSES, .options = options,
    .about =
        "Reads a stream and writes it without the edges whose two ends have features\n"
        "less similar than a threshold: a simple defence against edges that were added\n"
        "by chance or malice, and what structure learning has to beat on noisy graphs.\n"
        "The similarity is Jaccard's: columns that are non-zero in both rows, divided\n"
        "by those that are in either. Rows without any are like nothing. Self-loops\n"
        "stay. Sections that were derived from the old graph (fused, tree, predictions)\n"
        "are dropped unless --keep is given.\n",
    .examples =
        "  se-noise --rate .5 cora.seg | se-prune --jaccard | se-train | se-export -t stats\n"
        "  se-prune --cosine -t .1 cora.seg -o fewer.seg\n",
    .run = run_prune
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
