/* networld.h - a small graph with an input and a net on it, and the loss by central differences
 *
 * With it come the sources of the nets, for the SE_REAL of the test. */
#include "tests/unit/nets.h"

#include "common/graph/builder.h"
#include "tests/unit/leveltree.h"
#include "tests/unit/unit.h"

enum { N = 23, COLS = 9, CLASSES = 4 };

struct world {
    struct se_stream stream;
    struct se_nngraph graph, beside;
    struct se_netlevels levels;
    struct se_sparse sparse;
    double dense[N * COLS];
    struct se_mat input;
    int32_t label[N];
    uint32_t id[N];
    uint64_t count;
    struct se_net net;
    double dlogits[N * CLASSES];
};

/* A hub, a few isolated vertices, loops that the graph brings along, edges at random */
static void make_graph(struct world *w, struct se_nngraph *graph, struct se_rng *r, bool weights)
{
    struct se_err err = SE_ERR_INIT;
    struct se_builder b = SE_BUILDER_INIT;
    struct se_built built;
    struct se_graph g;

    b.weighted = weights;
    b.n = N;
    for (uint32_t v = 1; v < N - 3; v++) {
        CHECK(se_builder_add(&b, 0, v, (float)(0.1 + se_rng_unit(r)), &err) == 0);
        CHECK(se_builder_add(&b, v, 1 + (uint32_t)se_rng_below(r, N - 4),
                             (float)(0.1 + se_rng_unit(r)), &err) == 0);
    }
    CHECK(se_builder_put(&b, &w->stream, SE_GRAPH, SE_MERGE_SUM, true, &built, &err) == 0);
    CHECK(se_graph_get(&g, &w->stream, SE_GRAPH, &err) == 0);
    CHECK(se_nngraph_make(graph, &g, true, SE_LOOPS_ONE, &err) == 0);
    for (uint64_t e = 0; e < graph->arcs; e++)
        CHECK(graph->norm[e] == graph->norm[graph->back[e]]);
}

/* Rows without any entry and rows that are full are among the sparse ones. */
static void make_input(struct world *w, struct se_rng *r, bool sparse)
{
    struct se_err err = SE_ERR_INIT;
    uint64_t off[N + 1], at = 0;
    uint32_t col[N * COLS];
    float value[N * COLS];

    for (uint64_t v = 0; v < N; v++) {
        off[v] = at;
        for (uint32_t c = 0; c < COLS; c++)
            if (v > 0 && (v == 1 || se_rng_below(r, 3) == 0)) {
                col[at] = c;
                value[at++] = (float)se_rng_normal(r);
            }
        for (uint64_t c = 0; c < COLS; c++)
            w->dense[v * COLS + c] = se_rng_normal(r);
    }
    off[N] = at;
    const struct se_features f = { N, COLS, at, NULL, off, col, value };
    CHECK(se_sparse_make(&w->sparse, &f, false, &err) == 0);
    w->input = (struct se_mat){ .rows = N, .cols = COLS };
    if (sparse) {
        w->input.sparse = &w->sparse;
        w->input.value = w->sparse.value;
    } else {
        w->input.dense = w->dense;
    }
}

/* shape: bit 0 sparse input, bit 1 weighted edges; an even seed: a second graph */
static void make_world(struct world *w, uint64_t seed, int shape)
{
    struct se_err err = SE_ERR_INIT;
    struct level_tree tree;
    struct se_rng r;

    memset(w, 0, sizeof *w);
    se_rng_init(&r, seed, SE_RNG_TEST, 1);
    make_graph(w, &w->graph, &r, shape & 2);
    if (seed % 2 == 0)
        make_graph(w, &w->beside, &r, shape & 2);
    make_level_tree(&tree, N, 5 + (uint32_t)(seed % 4), 2 + (uint32_t)(seed % 3));
    CHECK(se_netlevels_make(&w->levels, &tree.t, &w->graph, &err) == 0);
    make_input(w, &r, shape & 1);
    for (uint32_t v = 0; v < N; v++) {
        w->label[v] = (int32_t)se_rng_below(&r, CLASSES + 1) - 1;
        if (w->label[v] >= 0 && se_rng_below(&r, 4) > 0)
            w->id[w->count++] = v;
    }
    w->net = (struct se_net){ .graph = &w->graph, .input = w->input, .n = N, .seed = seed,
                              .beside = seed % 2 == 0 ? &w->beside : NULL, .threads = 2,
                              .levels = &w->levels, .sparse = shape & 1, .epoch = 3, .halves = seed % 3 == 0 };
}

static void free_world(struct world *w)
{
    se_net_release(&w->net);
    se_sparse_release(&w->sparse);
    se_nngraph_release(&w->graph);
    se_nngraph_release(&w->beside);
    se_netlevels_release(&w->levels);
    se_stream_release(&w->stream);
}

static inline double loss(struct world *w)
{
    return se_net_loss(se_net_forward(&w->net, true), N, CLASSES, w->id, w->count, w->label,
                       w->dlogits);
}

/* Biases are zero at first, which hides mistakes: move all parameters a little. */
static void stir(struct se_net *net)
{
    struct se_rng r;

    se_rng_init(&r, net->seed, SE_RNG_TEST, 2);
    for (uint64_t k = 0; k < net->count; k++)
        net->value[k] += 0.3 * se_rng_normal(&r);
}

static inline void report(const char *name, double worst)
{
    char text[96];

    snprintf(text, sizeof text, "%s: relative error %.1e", name, worst);
    unit_ok(text);
}
