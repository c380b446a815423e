/* test-nn-input.c - communities and neighbours as columns, against their definition; what a
 * model reads, whatever the features are stored as */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/rng.h"
#include "common/train/community.h"
#include "common/train/input.h"
#include "tests/unit/unit.h"

enum { N = 40, MOST = 400, COLS = 6 };

struct made {
    uint64_t nodes;
    uint32_t parent[MOST], vertex[MOST];
};

/* Inner nodes at random, leaves at any depth up to `height`; vertices in a mixed order */
static void grow(struct made *m, struct se_rng *r, uint32_t from, uint32_t depth,
                 uint32_t height, uint32_t *next, uint32_t until)
{
    while (*next < until) {
        const uint32_t a = (uint32_t)m->nodes++;
        const uint32_t rest = until - *next;

        m->parent[a] = from;
        m->vertex[a] = SE_NONE;
        if (depth < height && rest > 1 && se_rng_below(r, 3) > 0) {
            grow(m, r, a, depth + 1, height, next,
                 *next + 1 + (uint32_t)se_rng_below(r, rest));
        } else {
            m->vertex[a] = *next * 7 % N;
            ++*next;
        }
    }
}

static struct se_tree make_tree(struct made *m, struct se_rng *r, uint32_t height)
{
    uint32_t next = 0;

    m->nodes = 1;
    m->parent[0] = m->vertex[0] = SE_NONE;
    grow(m, r, 0, 1, height, &next, N);
    return (struct se_tree){ N, m->nodes, m->parent, m->vertex };
}

static uint32_t depth_of(const struct se_tree *t, uint32_t a)
{
    return a == 0 ? 0 : 1 + depth_of(t, t->parent[a]);
}

/* The column of node a, by the text in community.h */
static uint32_t column_of(const struct se_tree *t, uint32_t a, uint64_t dims)
{
    const uint32_t level = depth_of(t, a);
    uint32_t k = 0, all = 0, word[4];

    for (uint32_t b = 1; b < t->nodes; b++)
        if (t->vertex[b] == SE_NONE && depth_of(t, b) == level) {
            k += b < a;
            all++;
        }
    if (all <= dims)
        return k;
    se_philox((uint32_t[]){ k, SE_RNG_COMMUNITY, level, 0 }, (uint32_t[]){ 0, 0 }, word);
    return (uint32_t)floor((double)word[0] * (double)dims / 4294967296.0);
}

static void check_tree(const struct se_tree *t, uint64_t dims)
{
    struct se_communities c;
    struct se_err err = SE_ERR_INIT;
    uint32_t levels = 0;

    for (uint32_t a = 1; a < t->nodes; a++)
        if (t->vertex[a] == SE_NONE && depth_of(t, a) > levels)
            levels = depth_of(t, a);
    if (levels == 0) {
        CHECK(se_communities_make(&c, t, dims, &err) == -1 && err.code == SE_EINPUT);
        se_communities_release(&c);
        return;
    }
    CHECK(se_communities_make(&c, t, dims, &err) == 0);
    CHECK(c.levels == levels && c.n == N && c.dims == dims);
    for (uint32_t leaf = 1; leaf < t->nodes; leaf++) {
        const uint32_t v = t->vertex[leaf];

        for (uint32_t l = 1; v != SE_NONE && l <= levels; l++) {
            uint32_t a = leaf;

            while (depth_of(t, a) > l)
                a = t->parent[a];
            CHECK(c.col[v * levels + l - 1] ==
                  (t->vertex[a] != SE_NONE || depth_of(t, a) < l ? SE_NONE
                                                                 : column_of(t, a, dims)));
        }
    }
    se_communities_release(&c);
}

static void check_communities(void)
{
    static struct made m;
    struct se_rng r;

    for (uint64_t seed = 0; seed < 60; seed++) {
        se_rng_init(&r, seed, SE_RNG_TEST, 1);
        const struct se_tree t = make_tree(&m, &r, 1 + (uint32_t)(seed % 5));

        check_tree(&t, 1 + seed % 7);
        check_tree(&t, 1000);
    }
    unit_ok("communities are where their definition says");
}

/* A chain of inner nodes that is one too long */
static void check_deep(void)
{
    static struct made m;
    struct se_communities c;
    struct se_err err = SE_ERR_INIT;

    for (uint64_t extra = 0; extra < 2; extra++) {
        m.nodes = 1 + SE_MOST_LEVELS + extra;
        for (uint32_t a = 0; a < m.nodes; a++) {
            m.parent[a] = a ? a - 1 : SE_NONE;
            m.vertex[a] = SE_NONE;
        }
        for (uint32_t v = 0; v < N; v++) {
            m.parent[m.nodes + v] = (uint32_t)m.nodes - 1;
            m.vertex[m.nodes + v] = v;
        }
        const struct se_tree t = { N, m.nodes + N, m.parent, m.vertex };

        CHECK(se_communities_make(&c, &t, 4, &err) == (extra ? -1 : 0));
        CHECK(extra || c.levels == SE_MOST_LEVELS);
        se_communities_release(&c);
    }
    CHECK(strstr(err.text, "more than 64 levels") != NULL);
    unit_ok("too many levels are refused");
}

static double entry(const struct se_nninput *x, uint64_t v, uint64_t c)
{
    double sum = 0;

    if (!x->mat.sparse)
        return (double)x->mat.dense[v * x->mat.cols + c];
    for (uint64_t e = x->sparse.off[v]; e < x->sparse.off[v + 1]; e++)
        sum += x->sparse.col[e] == c ? (double)x->mat.value[e] : 0;
    return sum;
}

/* Every combination: sparse or dense features, rows scaled or not, all kinds of input */
static void check_input(int shape, enum se_input_kind kind)
{
    const bool dense = shape & 1, scale = shape & 2;
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_nninput x = SE_NNINPUT_INIT;
    static struct made m;
    struct se_rng r;
    float f[N][COLS], e[N][2];
    double sum[N];

    se_rng_init(&r, (uint64_t)shape, SE_RNG_TEST, 2);
    for (int v = 0; v < N; v++) {
        sum[v] = 0;
        for (int c = 0; c < COLS; c++) {
            f[v][c] = v && (dense || se_rng_below(&r, 6) == 0) ? (float)se_rng_normal(&r) : 0;
            sum[v] += fabs((double)f[v][c]);
        }
        e[v][0] = (float)se_rng_normal(&r);
        e[v][1] = (float)se_rng_normal(&r);
    }
    const struct se_tree t = make_tree(&m, &r, 3);
    struct se_communities c;
    CHECK(se_communities_make(&c, &t, 5, &err) == 0);
    CHECK(se_features_put(&(struct se_features){ N, COLS, N * COLS, f[0], NULL, NULL, NULL }, &s,
                          &err) == 0);
    CHECK(se_embedding_put(&(struct se_embedding){ N, 2, e[0] }, &s, &err) == 0);
    CHECK(se_tree_put(&t, &s, 0, &err) == 0);
    CHECK(se_nninput_make(&x, &s, &(struct se_input_options){ .kind = kind, .scale_rows = scale,
                                                              .communities = 5 }, N, &err) == 0);
    CHECK(!x.identity && (x.mat.sparse != NULL) == (!dense && kind != SE_INPUT_EMBEDDING));

    const uint64_t fd = kind == SE_INPUT_EMBEDDING ? 0 : COLS;
    const uint64_t ed = kind == SE_INPUT_FEATURES ? 0 : 2;
    CHECK(x.mat.cols == fd + ed + 5 * c.levels);
    for (uint64_t v = 0; v < N; v++) {
        for (uint64_t k = 0; k < fd; k++)
            CHECK_NEAR(entry(&x, v, k), (double)f[v][k] / (scale && sum[v] > 0 ? sum[v] : 1),
                       1e-7);
        for (uint64_t k = 0; k < ed; k++)
            CHECK_NEAR(entry(&x, v, fd + k), (double)e[v][k], 0);
        for (uint64_t k = 0; k < 5 * c.levels; k++)
            CHECK_NEAR(entry(&x, v, fd + ed + k),
                       c.col[v * c.levels + k / 5] != k % 5 ? 0
                       : scale ? 1 / (double)c.levels : 1, 1e-7);
    }
    se_communities_release(&c);
    se_nninput_release(&x);
    se_stream_release(&s);
}

/* A column for each vertex behind dense and sparse features, loops apart */
static void check_neighbours(bool dense, bool scale)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_nninput x = SE_NNINPUT_INIT;
    struct se_nngraph g = { 0 };
    static const uint64_t off[6] = { 0, 3, 4, 4, 4, 4 };        /* 4 has no neighbour */
    static const uint32_t to[4] = { 1, 2, 3, 2 }, loop[1] = { 3 };
    static const char joined[5][6] = { "01110", "10100", "11000", "10000", "00000" };
    static const int degree[5] = { 3, 2, 2, 1, 0 };
    float f[5][2] = { { 1, dense }, { dense, 2 }, { 3, dense }, { dense, 4 }, { 5, dense } };

    CHECK(se_nngraph_make(&g, &(struct se_graph){ .n = 5, .m = 4, .off = off, .to = to,
                                                  .loops = 1, .loop = loop }, false, SE_LOOPS_ONE, &err) == 0);
    CHECK(se_features_put(&(struct se_features){ 5, 2, 10, f[0], NULL, NULL, NULL }, &s,
                          &err) == 0);
    CHECK(se_nninput_make(&x, &s, &(struct se_input_options){ .scale_rows = scale,
                                                              .neighbours = &g }, 5,
                          &err) == 0);
    CHECK(x.mat.sparse && x.mat.cols == 2 + 5);
    for (uint64_t v = 0; v < 5; v++) {
        const double sum = (double)f[v][0] + (double)f[v][1];

        for (uint64_t k = 0; k < 2; k++)
            CHECK_NEAR(entry(&x, v, k), (double)f[v][k] / (scale ? sum : 1), 1e-7);
        for (uint64_t u = 0; u < 5; u++)
            CHECK_NEAR(entry(&x, v, 2 + u),
                       joined[v][u] == '0' ? 0 : scale ? 1.0 / degree[v] : 1, 1e-7);
    }
    se_nninput_release(&x);
    se_nngraph_release(&g);
    se_stream_release(&s);
}

int main(void)
{
    check_communities();
    check_deep();
    for (int shape = 0; shape < 4; shape++)
        for (int kind = SE_INPUT_FEATURES; kind <= SE_INPUT_BOTH; kind++)
            check_input(shape, (enum se_input_kind)kind);
    unit_ok("features, embedding and communities side by side");
    for (int i = 0; i < 4; i++)
        check_neighbours(i & 1, i & 2);
    unit_ok("neighbours behind dense and sparse features");
    return unit_done();
}
