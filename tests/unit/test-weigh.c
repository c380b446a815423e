/* test-weigh.c - the parts of se-weigh: ranks, idf, wedges, depths; against obvious code */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/rank.h"
#include "common/base/rng.h"
#include "common/graph/wedge.h"
#include "common/sim/idf.h"
#include "common/tree/depth.h"
#include "common/tree/tree_build.h"
#include "tests/unit/unit.h"

enum { N = 24 };

static void test_rank(void)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        double x[60], want[60];
        const uint64_t n = seed, refs = seed % 3 ? n : n / 2;
        struct se_err err = SE_ERR_INIT;
        struct se_rng r;

        se_rng_init(&r, seed, SE_RNG_TEST, 0);
        for (uint64_t i = 0; i < n; i++)
            x[i] = seed % 2 ? se_rng_normal(&r) : (double)se_rng_below(&r, 5) - 2;
        for (uint64_t i = 0; i < n; i++) {
            want[i] = 0.5;
            for (uint64_t j = 0; j < refs; j++)
                want[i] += x[j] < x[i] ? 1 : x[j] == x[i] ? 0.5 : 0;
        }
        CHECK(se_rank(x, refs, x, n, &err) == 0);
        for (uint64_t i = 0; i < n; i++)
            CHECK(x[i] == want[i]);
    }
    unit_ok("se_rank counts the numbers below, ties by half");
}

/* A random matrix with zeros, sparse and dense. */
static void test_idf(void)
{
    enum { D = 7 };

    for (uint64_t seed = 0; seed < 40; seed++) {
        float dense[N * D], value[N * D];
        uint64_t off[N + 1], at = 0, rows[D] = { 0 };
        uint32_t col[N * D];
        struct se_idf a = SE_IDF_INIT, b = SE_IDF_INIT;
        struct se_err err = SE_ERR_INIT;
        struct se_rng r;

        se_rng_init(&r, seed, SE_RNG_TEST, 1);
        for (int v = 0; v < N; v++) {
            off[v] = at;
            for (int j = 0; j < D; j++) {
                dense[v * D + j] = se_rng_below(&r, 3) ? 0 : (float)se_rng_normal(&r);
                rows[j] += dense[v * D + j] != 0;
                if (dense[v * D + j] != 0 || se_rng_below(&r, 9) == 0) {        /* stored zeros */
                    col[at] = (uint32_t)j * 500000000;
                    value[at++] = dense[v * D + j];
                }
            }
        }
        off[N] = at;
        struct se_features x = { .n = N, .d = D, .nnz = N * D, .dense = dense };
        struct se_features y = { .n = N, .d = UINT32_MAX, .nnz = at, .off = off, .col = col,
                                 .value = value };
        CHECK(se_idf_make(&a, &x, &err) == 0 && se_idf_make(&b, &y, &err) == 0);
        for (int i = 0; i < N * D; i++)
            CHECK_NEAR(a.x.dense[i], dense[i] == 0 ? 0
                       : dense[i] * log(1 + (double)N / (double)rows[i % D]), 1e-5);
        for (int v = 0; v < N; v++)
            for (uint64_t e = off[v]; e < off[v + 1]; e++)
                CHECK(b.x.value[e] == a.x.dense[v * D + col[e] / 500000000]);
        se_idf_release(&a);
        se_idf_release(&b);
    }
    unit_ok("idf: ln(1 + n / df), sparse as dense");
}

/* A random graph as a matrix and as a section has it. */
struct toy {
    double w[N][N];
    uint64_t off[N + 1];
    uint32_t to[N * N];
    float weight[N * N];
    struct se_graph g;
};

static void make_toy(struct toy *t, struct se_rng *r, unsigned share)
{
    uint64_t at = 0;

    memset(t->w, 0, sizeof t->w);
    for (uint32_t u = 0; u < N; u++) {
        t->off[u] = at;
        for (uint32_t v = u + 1; v < N; v++)
            if (se_rng_below(r, 100) < share) {
                t->to[at] = v;
                t->weight[at] = (float)se_rng_unit(r);
                t->w[u][v] = t->w[v][u] = t->weight[at++];
            }
    }
    t->off[N] = at;
    t->g = (struct se_graph){ .n = N, .m = at, .off = t->off, .to = t->to, .weight = t->weight };
}

static void wedges_of(const struct toy *t, double score[N][N], uint64_t most)
{
    memset(score, 0, N * sizeof *score);
    for (int x = 0; x < N; x++) {
        double d = 0;
        uint64_t degree = 0;

        for (int v = 0; v < N; v++) {
            d += t->w[x][v];
            degree += t->w[x][v] > 0;
        }
        for (int u = 0; u < N; u++)
            for (int v = 0; v < N; v++)
                if (u != v && d > 0 && degree <= most)
                    score[u][v] += t->w[u][x] * t->w[x][v] / d;
    }
}

static bool has(const uint64_t *key, uint64_t count, uint64_t x)
{
    for (uint64_t i = 0; i < count; i++)
        if (key[i] == x)
            return true;
    return false;
}

static void check_best(const struct toy *t, const struct toy *not, double score[N][N],
                       uint64_t k, const uint64_t *key, uint64_t count)
{
    bool want[N][N] = { { false } };
    uint64_t wanted = 0;

    (void)t;
    for (int u = 0; u < N; u++)
        for (int v = 0; v < N; v++) {
            uint64_t before = 0;

            if (u == v || score[u][v] <= 0 || not->w[u][v] > 0)
                continue;
            for (int x = 0; x < N; x++)
                before += x != u && not->w[u][x] <= 0 && score[u][x] > 0 &&
                          (score[u][x] > score[u][v] * (1 + 1e-12) ||
                           (fabs(score[u][x] - score[u][v]) <= 1e-12 * score[u][v] && x < v));
            if (before < k)
                want[u < v ? u : v][u < v ? v : u] = true;
        }
    for (uint64_t u = 0; u < N; u++)
        for (uint64_t v = u + 1; v < N; v++) {
            wanted += want[u][v];
            CHECK(want[u][v] == has(key, count, u << 32 | v));
        }
    CHECK(count == wanted);
}

static void test_wedges(void)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        static struct toy t, not;
        static double score[N][N];
        struct se_adjacency a = SE_ADJACENCY_INIT, b = SE_ADJACENCY_INIT;
        uint64_t key[N * N], pairs = 0, *best = NULL, bests = 0;
        const uint64_t most = seed % 2 ? 5 : N, k = 1 + seed % 5;
        double got[N * N];
        struct se_err err = SE_ERR_INIT;
        struct se_rng r;

        se_rng_init(&r, seed, SE_RNG_TEST, 2);
        make_toy(&t, &r, (unsigned)seed % 40);
        make_toy(&not, &r, 10);
        for (uint64_t u = 0; u < N; u++)
            for (uint64_t v = u + 1; v < N; v++)
                if (se_rng_below(&r, 2))
                    key[pairs++] = u << 32 | v;
        CHECK(se_adjacency_make(&a, &t.g, &err) == 0 && se_adjacency_make(&b, &not.g, &err) == 0);
        CHECK(se_wedge_scores(&a, key, pairs, 1 + (int)(seed % 3), got, &err) == 0);
        wedges_of(&t, score, N);
        for (uint64_t i = 0; i < pairs; i++)
            CHECK_NEAR(got[i], score[key[i] >> 32][(uint32_t)key[i]], 1e-12);
        CHECK(se_wedge_best(&a, &b, k, most, 1 + (int)(seed % 3), &best, &bests, &err) == 0);
        wedges_of(&t, score, most);
        check_best(&t, &not, score, k, best, bests);
        free(best);
        se_adjacency_release(&a);
        se_adjacency_release(&b);
    }
    unit_ok("wedges: W D^-1 W of the dense matrix, and its best pairs");
}

static void test_depths(void)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        static struct toy t;
        struct se_tree_options how = SE_TREE_OPTIONS_INIT;
        struct se_hierarchy h = SE_HIERARCHY_INIT;
        struct se_measure x = SE_MEASURE_INIT;
        uint64_t key[N * N], pairs = 0;
        double sum[N * N];
        struct se_err err = SE_ERR_INIT;
        struct se_rng r;

        se_rng_init(&r, seed, SE_RNG_TEST, 3);
        make_toy(&t, &r, 15);
        how.k = 1 + seed % 6;
        CHECK(se_tree_build(&h, &t.g, NULL, &how, &err) == 0);
        const struct se_tree tree = se_hierarchy_view(&h);
        CHECK(se_measure_make(&x, &tree, &t.g, &err) == 0);
        for (uint64_t u = 0; u < N; u++)
            for (uint64_t v = u + 1; v < N; v++) {
                sum[pairs] = 1;
                key[pairs++] = u << 32 | v;
            }
        CHECK(se_tree_depths(&tree, &x, key, pairs, 1 + (int)(seed % 3), sum, &err) == 0);
        for (uint64_t i = 0; i < pairs; i++) {
            double least = x.vol;

            /* the least node that has both: a subtree is a range of nodes */
            for (uint64_t a = 0; a < tree.nodes; a++) {
                int both = 0;

                for (uint64_t c = 0; c < tree.nodes; c++) {
                    uint64_t up = c;

                    if (tree.vertex[c] != key[i] >> 32 && tree.vertex[c] != (uint32_t)key[i])
                        continue;
                    while (up > a)
                        up = tree.parent[up];
                    both += up == a;
                }
                if (both == 2 && x.volume[a] <= least)
                    least = x.volume[a];
            }
            CHECK_NEAR(sum[i], 1 + (least > 0 ? -log2(least / x.vol) : 0), 1e-12);
        }
        se_measure_release(&x);
        se_hierarchy_release(&h);
    }
    unit_ok("depths: -log2 of the volume of the lowest common ancestor");
}

int main(void)
{
    test_rank();
    test_idf();
    test_wedges();
    test_depths();
    return unit_done();
}
