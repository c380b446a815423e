/* se-noise.c - add, remove or move random edges */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/draw.h"
#include "common/base/mem.h"
#include "common/cli/tool.h"

static struct {
    bool add, remove, rewire;
    double rate;
} o = { .rate = 0.1 };

static const struct se_option options[] = {
    { 0, "add", NULL, SE_OPT_FLAG, &o.add,
      .help = "add edges between pairs that have none (the default)" },
    { 0, "remove", NULL, SE_OPT_FLAG, &o.remove, .help = "remove edges" },
    { 0, "rewire", NULL, SE_OPT_FLAG, &o.rewire,
      .help = "remove edges and add the same number elsewhere" },
    { 'r', "rate", "R", SE_OPT_NUMBER, &o.rate, .min = 0, .max = 1e9,
      .help = "number of changes as a fraction of the edges; exactly round(R*edges) are made" },
    SE_OPTIONS_END
};

struct change {
    uint64_t added, removed;
    uint64_t *gone;             /* indices of the edges removed, ascending */
    uint64_t *new;              /* pairs added, u << 32 | v, ascending */
    float *new_weight;          /* NULL: unweighted */
};

static uint64_t pairs_of(uint64_t n)
{
    return n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - (n > 0));
}

static int count_changes(const struct se_graph *g, struct change *c, struct se_err *err)
{
    const uint64_t free_pairs = pairs_of(g->n) - g->m;
    const double want = round(o.rate * (double)g->m);

    if (!o.remove && want > (double)free_pairs)
        return se_fail(err, SE_EINPUT, "graph: cannot add %.0f edges: only %" PRIu64
                       " pairs have no edge yet; lower --rate", want, free_pairs);
    c->added = o.remove ? 0 : (uint64_t)want;
    c->removed = o.remove || o.rewire ? (uint64_t)want : 0;
    return 0;
}

/* Turn ranks among the pairs without edge, ascending, into these pairs. */
static void find_pairs(const struct se_graph *g, uint64_t *rank, uint64_t count)
{
    uint64_t done = 0, before = 0;

    for (uint64_t u = 0; u < g->n && done < count; u++) {
        const uint32_t *to = g->to + g->off[u];
        const uint64_t degree = g->off[u + 1] - g->off[u], row = g->n - 1 - u - degree;

        for (uint64_t i = 0; done < count && rank[done] < before + row; done++) {
            uint64_t v = u + 1 + (rank[done] - before) + i;

            for (; i < degree && to[i] <= v; i++)
                v++;
            rank[done] = u << 32 | v;
        }
        before += row;
    }
}

/* Added edges get the mean weight; moved ones keep their weights, in random order. */
static int weigh_new(const struct se_graph *g, struct change *c, struct se_rng *r,
                     struct se_err *err)
{
    uint32_t *bits;
    double sum = 0;

    c->new_weight = se_alloc(c->added, sizeof *c->new_weight, err);
    if (!c->new_weight)
        return -1;
    for (uint64_t e = 0; e < g->m; e++)
        sum += g->weight[e];
    for (uint64_t i = 0; i < c->added; i++)
        c->new_weight[i] = (float)(sum / (double)g->m);
    if (c->removed == 0)
        return 0;
    bits = se_alloc(c->removed, sizeof *bits, err);
    if (!bits)
        return -1;
    for (uint64_t i = 0; i < c->removed; i++)
        memcpy(&bits[i], &g->weight[c->gone[i]], sizeof *bits);
    se_shuffle(r, bits, c->removed);
    memcpy(c->new_weight, bits, c->added * sizeof *bits);
    free(bits);
    return 0;
}

static int choose(const struct se_graph *g, uint64_t seed, struct change *c,
                  struct se_err *err)
{
    struct se_rng r;

    se_rng_init(&r, seed, SE_RNG_NOISE_REMOVE, 0);
    c->gone = se_choose(&r, c->removed, g->m, err);
    if (!c->gone)
        return -1;
    se_rng_init(&r, seed, SE_RNG_NOISE_ADD, 0);
    c->new = se_choose(&r, c->added, pairs_of(g->n) - g->m, err);
    if (!c->new)
        return -1;
    find_pairs(g, c->new, c->added);
    return g->weight && c->added > 0 ? weigh_new(g, c, &r, err) : 0;
}

/* Merge old and new edges row by row; `arg`: the change. */
static uint64_t merge(const struct se_graph *g, void *arg, uint64_t *off, uint32_t *to,
                      float *weight)
{
    const struct change *c = arg;
    uint64_t at = 0, gone = 0, new = 0;

    for (uint64_t u = 0; u < g->n; u++) {
        off[u] = at;
        for (uint64_t e = g->off[u];;) {
            const bool old = e < g->off[u + 1];

            if (new < c->added && c->new[new] >> 32 == u &&
                (!old || (uint32_t)c->new[new] < g->to[e])) {
                if (weight)
                    weight[at] = c->new_weight[new];
                to[at++] = (uint32_t)c->new[new++];
            } else if (!old) {
                break;
            } else if (gone < c->removed && c->gone[gone] == e) {
                gone++;
                e++;
            } else {
                if (weight)
                    weight[at] = g->weight[e];
                to[at++] = g->to[e++];
            }
        }
    }
    off[g->n] = at;
    return at;
}

static int add_noise(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct se_graph g;
    struct change c = { 0, 0, NULL, NULL, NULL };
    int rc = -1;

    if (se_graph_get(&g, s, SE_GRAPH, err) < 0)
        return -1;
    if (count_changes(&g, &c, err) == 0 && choose(&g, run->seed, &c, err) == 0)
        rc = se_graph_put_edges(&g, g.m + c.added - c.removed, merge, &c, s, err);
    if (rc == 0)
        se_note(run, "%" PRIu64 " edges added, %" PRIu64 " removed", c.added, c.removed);
    if (rc < 0 || se_stats_forget(s, "noise.", err) < 0 ||
        se_stats_set(s, "noise.added", (double)c.added, err) < 0 ||
        se_stats_set(s, "noise.removed", (double)c.removed, err) < 0)
        rc = -1;
    free(c.gone);
    free(c.new);
    free(c.new_weight);
    return rc;
}

static int run_noise(struct se_run *run, struct se_err *err)
{
    if (o.add + o.remove + o.rewire > 1)
        return se_fail(err, SE_EUSAGE, "--add, --remove and --rewire cannot be combined; run one "
                       "after another in a pipe");
    if ((o.remove || o.rewire) && o.rate > 1)
        return se_fail(err, SE_EUSAGE, "--rate: %g is above 1, more than all edges", o.rate);
    return se_run_filter(run, add_noise, err);
}

static const struct se_tool tool = {
    .name = "se-noise", .brief = "add, remove or move random edges",
    .operands = "[FILE]", .max_operands = 1,
    .has = SE_TOOL_SEED | SE_TOOL_KEEP | SE_TOOL_STREAM | SE_TOOL_PASSES, .options = options,
    .about =
        "Perturbs the edges of a graph, to test how robust a method is against wrong\n"
        "edges. Edges, and pairs without an edge, are chosen uniformly at random.\n"
        "Self-loops stay as they are.\n"
        "\n"
        "In a weighted graph, added edges get the mean weight of all edges, and moved\n"
        "edges keep their weights. Sections derived from the old graph (fused, tree,\n"
        "predictions) are dropped unless --keep-stale is given.\n",
    .examples =
        "  se-noise --rate .25 < cora.seg > more.seg        25 % more edges\n"
        "  se-noise --remove --rate .5 < cora.seg > fewer.seg\n"
        "  for r in 0 .1 .2 .3; do se-noise --rewire --rate $r cora.seg | se-info; done\n",
    .run = run_noise
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
