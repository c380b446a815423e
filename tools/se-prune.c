/* se-prune.c - remove edges between dissimilar vertices or between modules, or by low rank */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/cli/tool.h"
#include "common/graph/lowrank.h"
#include "common/graph/treelevel.h"
#include "common/stream/payload.h"

static struct {
    bool jaccard, cosine, across, svd, threshold_given;
    double threshold;
    uint64_t level, rank;
} o = { .threshold = 0.01 };

static const struct se_option options[] = {
    { 0, "jaccard", NULL, SE_OPT_FLAG, &o.jaccard,
      .help = "Jaccard similarity of the non-zero columns (the default)" },
    { 0, "cosine", NULL, SE_OPT_FLAG, &o.cosine, .help = "cosine similarity of the two rows" },
    { 't', "threshold", "T", SE_OPT_NUMBER, &o.threshold, .min = -1, .max = 2,
      .help = "remove edges with a similarity below T", .given = &o.threshold_given },
    { 0, "across", "LEVEL", SE_OPT_COUNT, &o.level, .min = 1, .max = 1e18,
      .help = "remove the edges between different modules of the tree at this level instead; "
              "1: the children of the root", .given = &o.across },
    { 0, "svd", "RANK", SE_OPT_COUNT, &o.rank, .min = 1, .max = SE_MOST_RANK,
      .help = "replace each weight by that of the best approximation of the graph with this rank, "
              "and remove the edges where it is below the threshold", .given = &o.svd },
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

/* Rows without any non-zero have similarity 0 to all. */
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
    uint32_t *module;           /* of each vertex; NULL: compare features */
    uint64_t left;              /* edges that stayed */
};

static bool stays(const struct pruning *p, uint64_t u, uint64_t v)
{
    return p->module ? p->module[u] == p->module[v] : similarity(&p->f, u, v) >= o.threshold;
}

/* The edges that stay; `arg`: the pruning. */
static uint64_t keep_some(const struct se_graph *g, void *arg, uint64_t *off, uint32_t *to,
                             float *weight)
{
    struct pruning *p = arg;
    uint64_t at = 0;

    for (uint64_t u = 0; u < g->n; u++) {
        off[u] = at;
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++) {
            if (!stays(p, u, g->to[e]))
                continue;
            if (weight)
                weight[at] = g->weight[e];
            to[at++] = g->to[e];
        }
    }
    off[g->n] = at;
    return p->left = at;
}

/* Load the features or the modules that decide which edges stay. */
static int prepare(struct pruning *p, struct se_stream *s, uint64_t n, struct se_err *err)
{
    struct se_tree t;
    uint64_t count;

    if (!o.across)
        return se_features_get(&p->f, s, err) < 0 ||
               se_payload_fits(p->f.n, n, SE_FEATURES, "graph", err) < 0 ? -1 : 0;
    if (se_tree_get(&t, s, err) < 0 || se_payload_fits(t.n, n, SE_TREE, "graph", err) < 0 ||
        se_stream_check_origin(s, SE_TREE, err) < 0)
        return -1;
    p->module = se_alloc(t.n, sizeof *p->module, err);
    return p->module ? se_tree_partition(&t, o.level, p->module, &count, err) : -1;
}

static int prune(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct se_graph g;
    struct pruning p = { .left = 0 };
    int rc = se_graph_get(&g, s, SE_GRAPH, err);

    if (rc == 0)
        rc = prepare(&p, s, g.n, err);
    if (rc == 0)
        rc = se_graph_put_edges(&g, g.m, keep_some, &p, s, err);
    free(p.module);
    if (rc < 0)
        return -1;
    se_note(run, "%" PRIu64 " of %" PRIu64 " edges removed", g.m - p.left, g.m);
    if (se_stats_set(s, "prune.removed", (double)(g.m - p.left), err) < 0 ||
        se_stats_set(s, "prune.edges", (double)p.left, err) < 0)
        return -1;
    return 0;
}

/* ---- low rank ---- */

struct denoising {
    const struct se_lowrank *x;
    const struct se_graph *g;
    float *weight;              /* per edge of g */
};

static void value_range(void *arg, uint64_t from, uint64_t to)
{
    const struct denoising *d = arg;

    for (uint64_t u = from; u < to; u++)
        for (uint64_t e = d->g->off[u]; e < d->g->off[u + 1]; e++)
            d->weight[e] = (float)se_lowrank_at(d->x, u, d->g->to[e]);
}

/* Below the threshold an edge goes; one of no weight goes in any case. */
static bool heavy(float weight)
{
    return weight > 0 && (double)weight >= o.threshold;
}

static int put_heavy(const struct se_graph *g, const float *weight, uint64_t *left,
                     struct se_stream *s, struct se_err *err)
{
    static const uint32_t none[SE_ORIGINS] = { 0 };
    struct se_graph_room room = SE_GRAPH_ROOM_INIT;
    uint64_t at = 0;
    int rc;

    for (uint64_t e = 0; e < g->m; e++)
        at += heavy(weight[e]);
    rc = se_graph_room_make(&room, g->n, at, g->loops, true, err);
    *left = at;
    at = 0;
    for (uint64_t u = 0; rc == 0 && u < g->n; u++) {
        room.off[u] = at;
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++)
            if (heavy(weight[e])) {
                room.to[at] = g->to[e];
                room.weight[at++] = weight[e];
            }
    }
    for (uint64_t i = 0; rc == 0 && i < g->loops; i++) {
        room.loop[i] = g->loop[i];
        room.loop_weight[i] = g->loop_weight ? g->loop_weight[i] : 1;
    }
    if (rc == 0) {
        room.off[g->n] = at;
        rc = se_graph_room_give(&room, s, SE_GRAPH, none, err);
    }
    se_graph_room_release(&room);
    return rc;
}

static int denoise(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct se_graph g;
    struct se_adjacency a = SE_ADJACENCY_INIT;
    struct se_lowrank x = SE_LOWRANK_INIT;
    float *weight = NULL;
    uint64_t left = 0, m = 0;
    double most = 0, least = 0;
    int rc = se_graph_get(&g, s, SE_GRAPH, err);

    if (rc == 0 && (se_adjacency_make(&a, &g, err) < 0 ||
                    se_lowrank_make(&x, g.n, o.rank, err) < 0 ||
                    !(weight = se_alloc(g.m, sizeof *weight, err))))
        rc = -1;
    if (rc == 0) {
        struct denoising d = { &x, &g, weight };

        se_lowrank_find(&x, &a, 1e-8, 300, run->threads);
        se_ranges(run->threads, g.n, x.rank * (g.m / (g.n + 1) + 1), value_range, &d);
        most = x.rank ? fabs(x.value[0]) : 0;
        least = x.rank ? fabs(x.value[x.rank - 1]) : 0;
        m = g.m;
        rc = put_heavy(&g, weight, &left, s, err);
    }
    free(weight);
    se_lowrank_release(&x);
    se_adjacency_release(&a);
    if (rc < 0 || se_stats_set(s, "prune.removed", (double)(m - left), err) < 0 ||
        se_stats_set(s, "prune.edges", (double)left, err) < 0 ||
        se_stats_set(s, "prune.largest", most, err) < 0 ||
        se_stats_set(s, "prune.smallest", least, err) < 0)
        return -1;
    se_note(run, "%" PRIu64 " of %" PRIu64 " edges removed; singular values from %.4g to %.4g",
            m - left, m, most, least);
    return 0;
}

static int run_prune(struct se_run *run, struct se_err *err)
{
    if (o.jaccard && o.cosine)
        return se_fail(err, SE_EUSAGE, "--jaccard and --cosine cannot be combined");
    if (o.across && (o.jaccard || o.cosine || o.threshold_given))
        return se_fail(err, SE_EUSAGE, "--across does not compare features; omit --jaccard, "
                       "--cosine and --threshold");
    if (o.svd && (o.jaccard || o.cosine || o.across))
        return se_fail(err, SE_EUSAGE, "--svd cannot be combined with --jaccard, --cosine or "
                       "--across");
    return se_run_filter(run, o.svd ? denoise : prune, err);
}

static const struct se_tool tool = {
    .name = "se-prune", .brief = "remove edges between dissimilar vertices or between modules",
    .operands = "[FILE]", .max_operands = 1,
    .has = SE_TOOL_KEEP | SE_TOOL_STREAM | SE_TOOL_PASSES, .options = options,
    .about =
        "Removes the edges whose two vertices have features less similar than a\n"
        "threshold. This is a simple defence against random or malicious edges, and a\n"
        "baseline that structure learning has to beat on noisy graphs. The default is\n"
        "Jaccard similarity: the number of columns that are non-zero in both rows,\n"
        "divided by the number that are non-zero in at least one. Empty rows have\n"
        "similarity 0. Self-loops stay. Sections derived from the old graph (fused,\n"
        "tree, predictions) are dropped unless --keep-stale is given.\n"
        "\n"
        "--across LEVEL removes the edges between modules of the tree instead. A vertex\n"
        "whose leaf is above LEVEL is a module of its own.\n"
        "\n"
        "--svd RANK replaces the weights by those of the truncated singular value\n"
        "decomposition of the adjacency matrix, computed at the given edges only, and\n"
        "removes the edges below the threshold. Random and malicious edges are mostly in\n"
        "the high-rank part.\n",
    .examples =
        "  se-noise --rate .5 cora.seg | se-prune --jaccard | se-train | se-export -t stats\n"
        "  se-tree -K 2 cora.seg | se-prune --across 1 -o modules.seg\n"
        "  se-prune --svd 50 noisy.seg | se-train --weights use -o trained.seg\n"
        "  se-prune --cosine -t .1 cora.seg -o fewer.seg\n",
    .run = run_prune
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
