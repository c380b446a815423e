/* test-nn-batch.c - batches cover every vertex, their graphs are induced, and evaluation in pieces
 * is that of the whole net */
#include <stdlib.h>
#include <string.h>

#include "common/train/batch.h"
#include "common/train/batch_eval.h"
#include "common/train/batch_pieces.h"
#include "tests/unit/unit.h"

enum { N = 90, MOST = 400, COLS = 7, EDGES = 400 };

/* ---- a random tree: each inner node has some of the vertices that are left ---- */

struct made {
    uint64_t nodes;
    uint32_t parent[MOST], vertex[MOST];
};

static void grow(struct made *m, struct se_rng *r, uint32_t from, uint32_t depth, uint32_t *next,
                 uint32_t until)
{
    while (*next < until) {
        const uint32_t a = (uint32_t)m->nodes++, rest = until - *next;

        m->parent[a] = from;
        m->vertex[a] = SE_NONE;
        if (depth < 4 && rest > 1 && se_rng_below(r, 3) > 0)
            grow(m, r, a, depth + 1, next, *next + 1 + (uint32_t)se_rng_below(r, rest));
        else
            m->vertex[a] = (*next)++ * 7 % N;           /* 7 and N have no divisor */
    }
}

static struct se_tree make_tree(struct made *m, struct se_rng *r)
{
    uint32_t next = 0;

    m->nodes = 1;
    m->parent[0] = m->vertex[0] = SE_NONE;
    grow(m, r, 0, 1, &next, N);
    return (struct se_tree){ N, m->nodes, m->parent, m->vertex };
}

static void check_deal(struct se_batches *b, uint64_t seed, uint64_t most)
{
    uint32_t id[N], seen[N] = { 0 };

    se_batches_deal(b, seed, 1 + seed % 3);
    CHECK(b->count >= (N + most - 1) / most);
    for (uint64_t i = 0; i < b->count; i++) {
        const uint64_t count = se_batches_get(b, i, id);

        CHECK(count > 0 && count <= most);
        for (uint64_t k = 0; k < count; k++) {
            CHECK(k == 0 || id[k] > id[k - 1]);
            seen[id[k]]++;
        }
    }
    for (int v = 0; v < N; v++)
        CHECK(seen[v] == 1);
}

/* The depth of the lowest inner node above all vertices of a piece: its size bounds the piece from
 * above unless the piece is a run of its children. */
static void check_pieces(const struct se_batches *b, const struct se_tree *t)
{
    uint32_t top[N];

    for (uint32_t a = 0; a < t->nodes; a++)
        if (t->vertex[a] != SE_NONE)
            top[t->vertex[a]] = a;
    for (uint64_t p = 0; p < b->pieces; p++)            /* in the order of the tree */
        for (uint64_t k = b->start[p] + 1; k < b->start[p + 1]; k++)
            CHECK(top[b->vertex[k]] > top[b->vertex[k - 1]]);
}

static void check_batches(void)
{
    static struct made m;
    struct se_err err = SE_ERR_INIT;
    struct se_rng r;

    for (uint64_t seed = 0; seed < UNIT_CASES(60); seed++) {
        struct se_batches b;

        se_rng_init(&r, seed, SE_RNG_TEST, 1);
        const struct se_tree t = make_tree(&m, &r);
        const uint64_t most = 1 + se_rng_below(&r, N + 20);

        CHECK(se_batches_make(&b, &t, N, most, &err) == 0);
        check_pieces(&b, &t);
        check_deal(&b, seed, most < N ? most : N);
        CHECK(most < N || b.count == 1);
        se_batches_release(&b);
        CHECK(se_batches_make(&b, NULL, N, most, &err) == 0);
        check_deal(&b, seed, most < N ? most : N);
        CHECK(b.count == (N + most - 1) / most);
        se_batches_release(&b);
    }
    unit_ok("batches have every vertex once, ascending, and none is too large");
}

/* Two cliques under two nodes of the tree: no piece has vertices of both. */
static void check_modules(void)
{
    static struct made m;
    struct se_err err = SE_ERR_INIT;
    struct se_batches b;

    m.nodes = 1;
    m.parent[0] = m.vertex[0] = SE_NONE;
    for (uint32_t side = 0; side < 3; side++) {
        const uint32_t a = (uint32_t)m.nodes++;

        m.parent[a] = 0;
        m.vertex[a] = SE_NONE;
        for (uint32_t v = side; v < N; v += 3) {
            m.parent[m.nodes] = a;
            m.vertex[m.nodes++] = v;
        }
    }
    const struct se_tree t = { N, m.nodes, m.parent, m.vertex };

    CHECK(se_batches_make(&b, &t, N, 64, &err) == 0);   /* pieces of 2 at most */
    CHECK(b.pieces == N / 2);
    for (uint64_t p = 0; p < b.pieces; p++)
        for (uint64_t k = b.start[p]; k < b.start[p + 1]; k++)
            CHECK(b.vertex[k] % 3 == b.vertex[b.start[p]] % 3);
    se_batches_release(&b);
    unit_ok("a piece lies within a module");
}

/* ---- graphs ---- */

struct world {
    uint64_t off[N + 1];
    uint32_t to[EDGES], loop[N];
    float weight[EDGES], loop_weight[N], edge[N][N];
    struct se_graph g;
};

/* edge[u][v]: the weight, 0 for none; u < v, and u = v for loops */
static void make_world(struct world *w, struct se_rng *r)
{
    uint64_t m = 0, loops = 0;

    memset(w, 0, sizeof *w);
    for (int i = 0; i < 300; i++) {
        const uint64_t u = se_rng_below(r, N), v = se_rng_below(r, N);

        w->edge[u < v ? u : v][u < v ? v : u] = (float)(.5 + se_rng_unit(r));
    }
    for (uint32_t u = 0; u < N; u++) {
        for (uint32_t v = u + 1; v < N; v++)
            if (w->edge[u][v] > 0) {
                w->to[m] = v;
                w->weight[m++] = w->edge[u][v];
            }
        w->off[u + 1] = m;
        if (w->edge[u][u] > 0) {
            w->loop[loops] = u;
            w->loop_weight[loops++] = w->edge[u][u];
        }
    }
    w->g = (struct se_graph){ N, m, loops, w->off, w->to, w->weight, w->loop, w->loop_weight };
}

/* The weight of an arc as training sees it */
static double weight_of(const struct world *w, uint32_t u, uint32_t v, bool weights,
                        enum se_loops loops)
{
    const double x = (double)w->edge[u < v ? u : v][u < v ? v : u];

    if (u == v && loops != SE_LOOPS_GIVEN)
        return loops == SE_LOOPS_ONE;
    return x == 0 ? 0 : weights ? x : 1;
}

static void check_induced(const struct world *w, const struct se_nngraph *g, const uint32_t *id,
                          bool weights, enum se_loops loops)
{
    double degree[N];

    for (uint64_t i = 0; i < g->n; i++) {
        degree[i] = 0;
        for (uint64_t k = 0; k < g->n; k++)
            degree[i] += weight_of(w, id[i], id[k], weights, loops);
    }
    for (uint64_t i = 0; i < g->n; i++) {
        uint64_t e = g->off[i];

        for (uint64_t k = 0; k < g->n; k++) {
            const double x = weight_of(w, id[i], id[k], weights, loops);

            if (x == 0 && i != k)
                continue;
            CHECK(e < g->off[i + 1] && g->to[e] == k && g->to[g->back[e]] == i);
            CHECK_NEAR((double)g->weight[e], x, 1e-6);
            CHECK_NEAR((double)g->mean[e], degree[i] > 0 ? x / degree[i] : 0, 1e-6);
            CHECK_NEAR((double)g->norm[e],
                       degree[i] > 0 && degree[k] > 0 ? x / sqrt(degree[i] * degree[k]) : 0, 1e-6);
            e++;
        }
        CHECK(e == g->off[i + 1]);
    }
    CHECK(g->arcs == g->off[g->n]);
}

static void check_graphs(void)
{
    static struct world w;
    struct se_err err = SE_ERR_INIT;
    struct se_rng r;

    for (uint64_t seed = 0; seed < UNIT_CASES(24); seed++) {
        const bool weights = seed % 2;
        const enum se_loops loops = (enum se_loops)(seed / 2 % 3);
        struct se_big_graph x;
        struct se_nngraph g;
        uint32_t id[N];
        uint64_t next[N], count = 0, arcs;

        se_rng_init(&r, seed, SE_RNG_TEST, 2);
        make_world(&w, &r);
        for (uint32_t v = 0; v < N; v++)
            if (se_rng_below(&r, 3) < 2)
                id[count++] = v;
        CHECK(se_big_graph_make(&x, &w.g, weights, loops, 2, &err) == 0);
        CHECK(se_big_graph_most(&x, count, &arcs, &err) == 0);
        CHECK(se_nngraph_room(&g, count, arcs, &err) == 0);
        se_batch_graph(&x, id, count, 2, next, &g);
        CHECK(g.arcs <= arcs);
        check_induced(&w, &g, id, weights, loops);
        se_nngraph_release(&g);
        se_big_graph_release(&x);
    }
    unit_ok("the graph of a batch has the edges among its vertices, and their degrees");
}

/* ---- evaluation ---- */

struct model {
    const char *name;
    struct se_model_options h;
};

static const struct model models[] = {
    { "gcn", { .hidden = 5, .layers = 2, .classes = 3 } },
    { "gcn", { .hidden = 12, .layers = 3, .classes = 4 } },         /* sums before the weights */
    { "gcn", { .hidden = 5, .layers = 1, .classes = 3 } },
    { "gcn", { .hidden = 6, .layers = 3, .classes = 3, .residual = true, .norm = SE_LAYER_NORM } },
    { "gcn", { .hidden = 6, .layers = 4, .classes = 3, .jump = true } },
    { "sage", { .hidden = 5, .layers = 2, .classes = 3, .dropout = .5 } },
    { "sage", { .hidden = 9, .layers = 3, .classes = 11, .input_dropout = .5 } },
    { "sage", { .hidden = 4, .layers = 1, .classes = 3 } },
    { "appnp", { .hidden = 5, .layers = 2, .classes = 3, .hops = 4, .alpha = .2,
                 .edge_dropout = .5 } },
    { "mlp", { .hidden = 5, .layers = 3, .classes = 3 } },
    { "linear", { .hidden = 5, .classes = 3 } }
};

static void compare(const struct model *m, const struct se_big_graph *big, struct se_row_source *rows,
                    struct se_net *net, uint64_t window)
{
    struct se_err err = SE_ERR_INIT;
    struct se_evaluator *e = se_evaluator_make(se_model_find(m->name, true, &err), &m->h, big, rows,
                                               window, 2, net->value, net->count, &err);
    static se_real logits[N * 16], hidden[N * 16];
    const se_real *right = se_net_forward(net, false);
    const struct se_mat *before = se_net_hidden(net);

    CHECK(e != NULL);
    if (!e)
        return;
    CHECK(se_evaluator_hidden(e) == (before ? before->cols : 0));
    CHECK(se_evaluate(e, logits, hidden, &err) == 0);
    for (uint64_t i = 0; i < N * m->h.classes; i++)
        CHECK_NEAR((double)logits[i], (double)right[i], 2e-5);
    for (uint64_t i = 0; before && i < N * before->cols; i++)
        CHECK_NEAR((double)hidden[i], (double)before->dense[i], 2e-5);
    se_evaluator_release(e);
}

/* The net on the whole graph, with random parameters; then in windows of several sizes */
static void check_model(const struct model *m, const struct world *w, struct se_stream *s,
                        struct se_rng *r)
{
    const struct se_input_options plan = { .scale_rows = true };
    static struct se_net net;
    struct se_err err = SE_ERR_INIT;
    struct se_nngraph g;
    struct se_nninput in = SE_NNINPUT_INIT;
    struct se_big_graph big;
    struct se_row_source *rows = se_row_source_open(s, &plan, N, &err);

    CHECK(rows && se_nninput_make(&in, s, &plan, N, &err) == 0);
    CHECK(se_nngraph_make(&g, &w->g, true, SE_LOOPS_GIVEN, &err) == 0);
    CHECK(se_big_graph_make(&big, &w->g, true, SE_LOOPS_GIVEN, 2, &err) == 0);
    net = (struct se_net){ .graph = &g, .input = in.mat, .n = N, .threads = 2,
                           .sparse = in.mat.sparse != NULL };
    CHECK(se_model_find(m->name, true, &err)->build(&net, &m->h, &err) == 0);
    CHECK(se_net_ready(&net, &err) == 0);
    for (uint64_t i = 0; i < net.count; i++)
        net.value[i] = (se_real)(.5 * se_rng_normal(r));
    compare(m, &big, rows, &net, N);
    compare(m, &big, rows, &net, 1000);
    compare(m, &big, rows, &net, 1 + se_rng_below(r, N - 1));
    se_net_release(&net);
    se_big_graph_release(&big);
    se_nngraph_release(&g);
    se_nninput_release(&in);
    se_row_source_close(rows);
}

static void check_evaluation(void)
{
    static struct world w;
    struct se_err err = SE_ERR_INIT;
    struct se_rng r;

    for (uint64_t seed = 0; seed < UNIT_CASES(9); seed++) {
        struct se_stream s = SE_STREAM_INIT;
        float f[N][COLS];

        se_rng_init(&r, seed, SE_RNG_TEST, 3);
        make_world(&w, &r);
        for (int v = 0; v < N; v++)
            for (int c = 0; c < COLS; c++)
                f[v][c] = seed % 3 == 0 || se_rng_below(&r, 6) == 0 ? (float)se_rng_normal(&r) : 0;
        if (seed % 3 < 2)                               /* dense, sparse, none */
            CHECK(se_features_put(&(struct se_features){ N, COLS, N * COLS, f[0], NULL, NULL,
                                                         NULL }, &s, &err) == 0);
        for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
            check_model(&models[i], &w, &s, &r);
        se_stream_release(&s);
    }
    unit_ok("evaluation in pieces is that of the whole net, hidden layers too");
}

static void check_refused(void)
{
    static struct world w;
    struct se_rng r;

    se_rng_init(&r, 1, SE_RNG_TEST, 4);
    make_world(&w, &r);
    for (int i = 0; se_model_kinds[i]; i++) {
        const struct se_model_kind *kind = se_model_kinds[i];
        const struct se_model_options h = { .hidden = 4, .layers = 2, .classes = 3, .hops = 2,
                                            .heads = 2, .out_heads = 1 };
        struct se_stream s = SE_STREAM_INIT;
        struct se_err err = SE_ERR_INIT;
        struct se_big_graph big;
        struct se_row_source *rows = se_row_source_open(&s, &(struct se_input_options){ 0 }, N,
                                                        &err);
        se_real value[1] = { 0 };

        CHECK(se_big_graph_make(&big, &w.g, false, SE_LOOPS_ONE, 1, &err) == 0);
        CHECK(!se_evaluator_make(kind, &h, &big, rows, 10, 1, value, 1, &err));
        CHECK(err.code == SE_EUSAGE && strstr(err.text, "in pieces"));
        se_big_graph_release(&big);
        se_row_source_close(rows);
        se_stream_release(&s);
    }
    unit_ok("a model that has other parameters, or needs all vertices at once, is refused");
}

static void check_words(void)
{
    static const char *const bad[] = { "", "tre", "trees", "tree:", "tree:0", "tree:x", "random:-1",
                                       "random:5x", "tree:99999999999999999999", ":7" };
    struct se_batch_options b;
    struct se_err err = SE_ERR_INIT;

    CHECK(se_batch_parse("tree", &b, &err) == 0 && !b.random && b.vertices == 20000);
    CHECK(se_batch_parse("random:7", &b, &err) == 0 && b.random && b.vertices == 7);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK(se_batch_parse(bad[i], &b, &err) == -1 && err.code == SE_EUSAGE);
    unit_ok("kinds of batches are told apart, and others refused");
}

int main(void)
{
    check_batches();
    check_modules();
    check_graphs();
    check_evaluation();
    check_refused();
    check_words();
    return unit_done();
}
