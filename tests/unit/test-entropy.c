/* test-entropy.c - common/graph/entropy.c against the definition, spelled out slowly */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/rng.h"
#include "common/graph/entropy.h"
#include "tests/unit/unit.h"

enum { MAX_N = 64, MAX_NODES = 512 };

/* A small graph as a matrix, and the section made of it. */
struct small {
    unsigned n;
    bool weighted;
    double w[MAX_N][MAX_N];     /* the upper triangle; < 0: no edge */
    uint64_t off[MAX_N + 1];
    uint32_t to[MAX_N * MAX_N], loop[MAX_N];
    float weight[MAX_N * MAX_N], loop_weight[MAX_N];
    struct se_graph g;
};

static void small_clear(struct small *x, unsigned n, bool weighted)
{
    x->n = n;
    x->weighted = weighted;
    for (unsigned u = 0; u < n; u++)
        for (unsigned v = 0; v < n; v++)
            x->w[u][v] = -1;
}

static void small_finish(struct small *x)
{
    struct se_graph *g = &x->g;

    *g = (struct se_graph){ .n = x->n, .off = x->off, .to = x->to, .loop = x->loop };
    if (x->weighted) {
        g->weight = x->weight;
        g->loop_weight = x->loop_weight;
    }
    for (unsigned u = 0; u < x->n; u++) {
        x->off[u] = g->m;
        for (unsigned v = u; v < x->n; v++) {
            if (x->w[u][v] < 0)
                continue;
            if (u == v) {
                x->loop[g->loops] = u;
                x->loop_weight[g->loops++] = (float)x->w[u][v];
            } else {
                x->to[g->m] = v;
                x->weight[g->m++] = (float)x->w[u][v];
            }
        }
    }
    x->off[x->n] = g->m;
}

static unsigned below(struct se_rng *r, unsigned n)
{
    return (unsigned)se_rng_below(r, n);
}

/* Weights from 0 over tenths, which floats do not hold exactly, to a wide range. */
static double random_weight(struct se_rng *r, bool weighted, unsigned style)
{
    if (!weighted)
        return 1;
    if (style == 0 && below(r, 5) == 0)
        return 0;
    if (style == 1)
        return (float)pow(10, (double)below(r, 17) - 8);
    return (float)(0.1 * (1 + below(r, 30)));
}

static void random_graph(struct small *x, struct se_rng *r, unsigned n)
{
    const bool weighted = below(r, 3) > 0;
    const unsigned style = below(r, 3), parts = 1 + below(r, 3), loops = below(r, 3);
    const double density = se_rng_unit(r);

    small_clear(x, n, weighted);
    for (unsigned u = 0; u < n; u++)
        for (unsigned v = u; v < n; v++) {
            const bool take = u == v ? loops && below(r, 4) == 0
                                     : u % parts == v % parts && se_rng_unit(r) < density;

            if (take)
                x->w[u][v] = random_weight(r, weighted, style);
        }
    small_finish(x);
}

/* A tree in depth-first order from parents in any order; inner nodes 0 .. inner - 1 (0 is
 * the root, parents come before children), then a leaf per vertex. */
struct small_tree {
    uint32_t parent[MAX_NODES], vertex[MAX_NODES];
    struct se_tree t;
};

static void number(struct small_tree *x, const unsigned *up, unsigned inner, unsigned n,
                   unsigned node, unsigned parent)
{
    const unsigned id = (unsigned)x->t.nodes++;

    x->parent[id] = id ? parent : SE_NONE;
    x->vertex[id] = node >= inner ? node - inner : SE_NONE;
    for (unsigned c = 1; c < inner + n; c++)
        if (up[c] == node)
            number(x, up, inner, n, c, id);
}

/* chain: each inner node hangs under the one before, so the tree is as deep as it gets. */
static void random_tree(struct small_tree *x, struct se_rng *r, unsigned n)
{
    const unsigned inner = 1 + below(r, 2 * n), chain = below(r, 3) == 0;
    unsigned up[3 * MAX_N + 1], has[3 * MAX_N + 1] = { 0 };

    x->t = (struct se_tree){ .n = n, .parent = x->parent, .vertex = x->vertex };
    if (n == 1 && below(r, 2)) {                /* the root is the leaf */
        x->t.nodes = 1;
        x->parent[0] = SE_NONE;
        x->vertex[0] = 0;
        return;
    }
    for (unsigned i = 1; i < inner + n; i++) {
        up[i] = i < inner && chain ? i - 1 : below(r, i < inner ? i : inner);
        has[up[i]] += i >= inner;
    }
    for (unsigned i = inner - 1; i > 0; i--) {  /* no inner node without a leaf below */
        if (!has[i])
            up[i] = UINT32_MAX;
        else
            has[up[i]]++;
    }
    number(x, up, inner, n, 0, 0);
}

/* The definition. */
static bool is_below(const struct se_tree *t, uint32_t node, uint32_t a)
{
    while (node != a && node != 0)
        node = t->parent[node];
    return node == a;
}

static void naive_sets(const struct se_tree *t, uint32_t a, bool *in)
{
    memset(in, 0, MAX_N * sizeof *in);
    for (uint32_t i = 0; i < t->nodes; i++)
        if (t->vertex[i] != SE_NONE && is_below(t, i, a))
            in[t->vertex[i]] = true;
}

static void naive(const struct small *x, const bool *in, double *volume, double *cut)
{
    *volume = *cut = 0;
    for (unsigned u = 0; u < x->n; u++)
        for (unsigned v = u; v < x->n; v++) {
            if (x->w[u][v] < 0)
                continue;
            *volume += x->w[u][v] * (in[u] + in[v]);
            if (in[u] != in[v])
                *cut += x->w[u][v];
        }
}

static bool near(double a, double b, double scale)
{
    return fabs(a - b) <= 1e-12 * scale + 1e-300;
}

static void compare(const struct small *x, const struct se_tree *t)
{
    struct se_err err = SE_ERR_INIT;
    struct se_measure m = SE_MEASURE_INIT;
    bool in[MAX_N];
    double vol, none, h = 0, volume[MAX_NODES];
    unsigned height = 0;

    CHECK(se_measure_make(&m, t, &x->g, &err) == 0);
    naive_sets(t, 0, in);
    naive(x, in, &vol, &none);
    CHECK(near(m.vol, vol, vol) && none == 0);
    for (uint32_t a = 0; a < t->nodes; a++) {
        double cut, term = 0;
        unsigned size = 0, depth = 0;

        naive_sets(t, a, in);
        naive(x, in, &volume[a], &cut);
        for (unsigned v = 0; v < x->n; v++)
            size += in[v];
        for (uint32_t i = a; i != 0; i = t->parent[i])
            depth++;
        if (depth > height)
            height = depth;
        if (a > 0 && cut > 0 && volume[a] > 0)
            term = -(cut / vol) * log2(volume[a] / volume[t->parent[a]]);
        h += term;
        CHECK(near(m.volume[a], volume[a], volume[a]));
        CHECK(near(m.cut[a], cut, cut));        /* relative to the cut itself */
        CHECK(near(m.entropy[a], term, 1));
        CHECK(m.leaves[a] == size && m.depth[a] == depth);
    }
    CHECK(near(m.h, h, h) && m.height == height && m.nodes == t->nodes);
    se_measure_release(&m);
}

static void compare_h1(const struct small *x)
{
    struct se_err err = SE_ERR_INIT;
    double h1, vol = 0, h = 0, degree[MAX_N] = { 0 };

    for (unsigned u = 0; u < x->n; u++)
        for (unsigned v = u; v < x->n; v++)
            if (x->w[u][v] > 0) {
                degree[u] += x->w[u][v];
                degree[v] += x->w[u][v];
                vol += 2 * x->w[u][v];
            }
    for (unsigned v = 0; v < x->n; v++)
        if (degree[v] > 0)
            h -= degree[v] / vol * log2(degree[v] / vol);
    CHECK(se_entropy1(&x->g, &h1, &err) == 0);
    CHECK(near(h1, h, h + 1));
}

static void test_random(void)
{
    static struct small x;
    static struct small_tree t;
    struct se_rng r;

    for (unsigned seed = 0; seed < 3000; seed++) {
        se_rng_init(&r, seed, SE_RNG_TEST, 1);
        const unsigned n = 1 + below(&r, seed % 10 == 0 ? 40 : 9);

        random_graph(&x, &r, n);
        random_tree(&t, &r, n);
        compare(&x, &t.t);
        compare_h1(&x);
    }
}

/* Known figures. */
static const uint8_t karate[78][2] = {
    {0,1}, {0,2}, {0,3}, {0,4}, {0,5}, {0,6}, {0,7}, {0,8}, {0,10}, {0,11}, {0,12}, {0,13},
    {0,17}, {0,19}, {0,21}, {0,31}, {1,2}, {1,3}, {1,7}, {1,13}, {1,17}, {1,19}, {1,21},
    {1,30}, {2,3}, {2,7}, {2,8}, {2,9}, {2,13}, {2,27}, {2,28}, {2,32}, {3,7}, {3,12},
    {3,13}, {4,6}, {4,10}, {5,6}, {5,10}, {5,16}, {6,16}, {8,30}, {8,32}, {8,33}, {9,33},
    {13,33}, {14,32}, {14,33}, {15,32}, {15,33}, {18,32}, {18,33}, {19,33}, {20,32},
    {20,33}, {22,32}, {22,33}, {23,25}, {23,27}, {23,29}, {23,32}, {23,33}, {24,25},
    {24,27}, {24,31}, {25,31}, {26,29}, {26,33}, {27,33}, {28,31}, {28,33}, {29,32},
    {29,33}, {30,32}, {30,33}, {31,32}, {31,33}, {32,33}
};

static void graph_of(struct small *x, unsigned n, bool weighted, const uint8_t (*edge)[2],
                     unsigned edges)
{
    small_clear(x, n, weighted);
    for (unsigned e = 0; e < edges; e++)
        x->w[edge[e][0]][edge[e][1]] =
            weighted ? (float)(1 + fmod((e + 1) * 0.6180339887498949, 1)) : 1;
    small_finish(x);
}

/* H of the tree of height 2 in which module[v] holds v; modules count from 0. */
static double h_of_partition(const struct small *x, const uint8_t *module, unsigned modules)
{
    struct se_err err = SE_ERR_INIT;
    struct se_measure m = SE_MEASURE_INIT;
    struct small_tree t;
    uint32_t node = 0;
    double h;

    t.parent[node] = SE_NONE;
    t.vertex[node++] = SE_NONE;
    for (unsigned k = 0; k < modules; k++) {
        const uint32_t up = node;

        t.parent[node] = 0;
        t.vertex[node++] = SE_NONE;
        for (uint32_t v = 0; v < x->n; v++)
            if (module[v] == k) {
                t.parent[node] = up;
                t.vertex[node++] = v;
            }
    }
    t.t = (struct se_tree){ x->n, node, t.parent, t.vertex };
    CHECK(se_measure_make(&m, &t.t, &x->g, &err) == 0);
    h = m.h;
    se_measure_release(&m);
    return h;
}

static double h1_of(const struct small *x)
{
    struct se_err err = SE_ERR_INIT;
    double h1 = -1;

    CHECK(se_entropy1(&x->g, &h1, &err) == 0);
    return h1;
}

static void test_known(void)
{
    static const uint8_t best[34] = { 0, 0, 1, 1, 2, 2, 2, 1, 3, 1, 2, 0, 1, 1, 3, 3, 2,
                                      0, 3, 0, 3, 0, 3, 4, 5, 5, 4, 4, 5, 4, 3, 5, 3, 3 };
    static const uint8_t triangles[7][2] = { {0,1}, {0,2}, {1,2}, {2,3}, {3,4}, {3,5}, {4,5} };
    static const uint8_t path[3][2] = { {0,1}, {1,2}, {2,3} };
    static const uint8_t star[7][2] = { {0,1}, {0,2}, {0,3}, {0,4}, {0,5}, {0,6}, {0,7} };
    static const uint8_t halves6[6] = { 0, 0, 0, 1, 1, 1 }, halves4[4] = { 0, 0, 1, 1 };
    static const uint8_t halves8[8] = { 0, 0, 0, 0, 1, 1, 1, 1 };
    static struct small x;

    graph_of(&x, 34, false, karate, 78);
    CHECK_NEAR(h1_of(&x), 4.7044225989, 5e-11);
    CHECK_NEAR(h_of_partition(&x, best, 6), 3.3519989639, 5e-11);
    graph_of(&x, 34, true, karate, 78);
    CHECK_NEAR(h1_of(&x), 4.6932968953, 1e-8);  /* the figure is for weights in double */
    graph_of(&x, 6, false, triangles, 7);
    CHECK_NEAR(h1_of(&x), 2.5566567075, 5e-11);
    CHECK_NEAR(h_of_partition(&x, halves6, 2), 1.6995138503, 5e-11);
    graph_of(&x, 4, false, path, 3);
    CHECK_NEAR(h_of_partition(&x, halves4, 2), 1.2516291674, 5e-11);
    graph_of(&x, 8, false, star, 7);
    CHECK_NEAR(h_of_partition(&x, halves8, 2), 2.1956373922, 5e-11);
}

/* A caterpillar: vertex v hangs at depth v + 1, so the lowest common ancestor of u < v is
 * the inner node above u, and H is a sum over edges:
 * (2 / vol) sum of w log2 V_lca - (1 / vol) sum over vertices of d log2 d. */
static long double h_of_caterpillar(const struct se_graph *g)
{
    long double *degree = calloc(g->n, sizeof *degree), *above = calloc(g->n, sizeof *above);
    long double h = 0;

    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++) {
            degree[u] += g->weight[i];
            degree[g->to[i]] += g->weight[i];
        }
    for (uint64_t u = g->n; u-- > 0; )
        above[u] = degree[u] + (u + 1 < g->n ? above[u + 1] : 0);
    for (uint64_t u = 0; u < g->n; u++) {
        for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++)
            h += 2 * (long double)g->weight[i] * log2l(above[u]);
        if (degree[u] > 0)
            h -= degree[u] * log2l(degree[u]);
    }
    h /= above[0];
    free(degree);
    free(above);
    return h;
}

static void test_deep(void)
{
    enum { N = 300000, EACH = 3 };
    uint64_t *off = malloc((N + 1) * sizeof *off);
    uint32_t *to = malloc(N * EACH * sizeof *to), node = 0;
    float *weight = malloc(N * EACH * sizeof *weight);
    uint32_t *parent = malloc(2 * N * sizeof *parent);
    uint32_t *vertex = malloc(2 * N * sizeof *vertex);
    struct se_graph g = { .n = N, .off = off, .to = to, .weight = weight };
    struct se_tree t = { N, 2 * N, parent, vertex };
    struct se_measure m = SE_MEASURE_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_rng r;

    se_rng_init(&r, 1, SE_RNG_TEST, 2);
    for (uint32_t u = 0; u < N; u++) {
        off[u] = g.m;
        for (uint32_t i = 0, v = u; i < EACH; i++) {
            v += 1 + below(&r, i ? N : 4);      /* one edge near, the others anywhere */
            if (v >= N)
                break;
            weight[g.m] = (float)(0.1 + se_rng_unit(&r));
            to[g.m++] = v;
        }
        parent[node] = u ? node - 2 : SE_NONE;
        vertex[node++] = SE_NONE;
        parent[node] = node - 1;
        vertex[node++] = u;
    }
    off[N] = g.m;
    CHECK(se_measure_make(&m, &t, &g, &err) == 0);
    const double h = (double)h_of_caterpillar(&g);

    CHECK(m.height == N);
    CHECK(fabs(m.h - h) <= 1e-11 * h);
    se_measure_release(&m);
    free(off), free(to), free(weight), free(parent), free(vertex);
}

static void test_refused(void)
{
    struct se_err err = SE_ERR_INIT;
    struct se_measure m = SE_MEASURE_INIT;
    const uint64_t off[3] = { 0, 0, 0 };
    const uint32_t parent[2] = { SE_NONE, 0 }, vertex[2] = { SE_NONE, 0 };
    const struct se_graph two = { .n = 2, .off = off }, one = { .n = 1, .off = off };
    const struct se_tree t = { 1, 2, parent, vertex };
    double h1 = -1;

    CHECK(se_measure_make(&m, &t, &two, &err) < 0);
    CHECK(err.code == SE_EINPUT && strstr(err.text, "1 vertices and the graph 2"));
    se_measure_release(&m);
    CHECK(se_measure_make(&m, &t, &one, &err) == 0 && m.h == 0 && m.vol == 0);
    se_measure_release(&m);
    CHECK(se_entropy1(&two, &h1, &err) == 0 && h1 == 0);
}

int main(void)
{
    test_known();
    unit_ok("entropy: known figures");
    test_random();
    unit_ok("entropy: 3000 random graphs and trees by the definition");
    test_deep();
    unit_ok("entropy: a tree 300000 levels deep");
    test_refused();
    unit_ok("entropy: what does not fit is refused, nothing measures 0");
    return unit_done();
}
