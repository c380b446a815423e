/* test-smooth.c - weighted and smoothed features against dense matrices */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/rng.h"
#include "common/sim/centroids.h"
#include "common/sim/smooth.h"
#include "common/weigh/agree.h"
#include "tests/unit/unit.h"

enum { N = 23, D = 41 };

static uint64_t off[N + 1], edge_off[N + 1];
static uint32_t col[N * D], to[N * N];
static float value[N * D], dense[N * D], weight[N * N];
static double a[N][N];

static struct se_features random_features(struct se_rng *r, bool sparse)
{
    uint64_t nnz = 0;

    for (uint64_t u = 0; u < N; u++) {
        off[u] = nnz;
        for (uint32_t c = 0; c < D; c++) {
            const float x = (float)(se_rng_unit(r) - 0.3);
            dense[u * D + c] = sparse ? 0 : x;
            if (sparse && u != 3 && se_rng_below(r, 4) == 0) {  /* row 3 is empty */
                dense[u * D + c] = value[nnz] = x + 1;
                col[nnz++] = c;
            }
        }
    }
    off[N] = nnz;
    if (sparse)
        return (struct se_features){ N, D, nnz, NULL, off, col, value };
    return (struct se_features){ N, D, N * D, dense, NULL, NULL, NULL };
}

static struct se_graph random_graph(struct se_rng *r, bool weighted)
{
    uint64_t m = 0;
    double sum = 0;

    memset(a, 0, sizeof a);
    for (uint32_t u = 0; u < N; u++) {
        edge_off[u] = m;
        for (uint32_t v = u + 1; v < N; v++)
            if (se_rng_below(r, 5) == 0) {
                weight[m] = (float)(0.1 + se_rng_unit(r));
                sum += weight[m];
                a[u][v] = a[v][u] = weighted ? weight[m] : 1;
                to[m++] = v;
            }
    }
    edge_off[N] = m;
    for (uint32_t u = 0; weighted && u < N; u++)
        for (uint32_t v = 0; v < N; v++)
            a[u][v] *= (double)m / sum;
    return (struct se_graph){ N, m, 0, edge_off, to, weighted ? weight : NULL, NULL, NULL };
}

static void test_weigh(void)
{
    struct se_own_features f = SE_OWN_FEATURES_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_features x;
    struct se_rng r;

    se_rng_init(&r, 1, SE_RNG_TEST, 0);
    x = random_features(&r, true);
    CHECK(se_features_weigh(&f, &x, &err) == 0);
    for (uint64_t i = 0; i < x.nnz; i++) {
        int rows = 0;
        for (int u = 0; u < N; u++)
            rows += dense[u * D + col[i]] != 0;
        CHECK_NEAR(f.x.value[i], value[i] * log((double)N / rows), 1e-6);
    }
    se_own_features_release(&f);
    x = random_features(&r, false);
    for (int u = 0; u < N; u++)
        dense[u * D + 5] = 7;                   /* no variance */
    CHECK(se_features_weigh(&f, &x, &err) == 0);
    for (int c = 0; c < D; c++) {
        double sum = 0, square = 0;
        for (int u = 0; u < N; u++) {
            sum += f.x.dense[u * D + c];
            square += pow(f.x.dense[u * D + c], 2);
        }
        CHECK_NEAR(sum, 0, 1e-5);
        CHECK_NEAR(square, c == 5 ? 0 : N, 1e-3);
    }
    se_own_features_release(&f);
    unit_ok("weights of columns");
}

/* One hop by the definition */
static void slow_hop(double x[N][D])
{
    double y[N][D] = { { 0 } }, degree[N];

    for (int u = 0; u < N; u++) {
        degree[u] = 1;
        for (int v = 0; v < N; v++)
            degree[u] += a[u][v];
    }
    for (int u = 0; u < N; u++)
        for (int v = 0; v < N; v++)
            for (int c = 0; c < D; c++)
                y[u][c] += (a[u][v] + (u == v)) / sqrt(degree[u] * degree[v]) * x[v][c];
    memcpy(x, y, sizeof y);
}

static void test_smooth(void)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct se_own_features f = SE_OWN_FEATURES_INIT;
        struct se_err err = SE_ERR_INIT;
        struct se_features x;
        struct se_graph g;
        struct se_rng r;
        static double y[N][D], sum[N][D];

        memset(sum, 0, sizeof sum);
        se_rng_init(&r, seed, SE_RNG_TEST, 1);
        x = random_features(&r, seed % 2);
        g = random_graph(&r, seed % 3 == 0);
        for (int u = 0; u < N; u++) {
            double square = 0;
            for (int c = 0; c < D; c++)
                square += pow(dense[u * D + c], 2);
            for (int c = 0; c < D; c++)
                y[u][c] = square > 0 ? dense[u * D + c] / sqrt(square) : 0;
        }
        for (int hops = 0; hops < 4; hops++) {
            CHECK(se_features_smooth(&f, &x, &g, hops, 1 + (int)seed % 3, &err) == 0);
            for (int u = 0; u < N; u++)
                for (int c = 0; c < D; c++)
                    CHECK_NEAR(f.x.dense[u * D + c], y[u][c], 1e-6);
            se_own_features_release(&f);
            CHECK(se_features_sum_hops(&f, &x, &g, hops, 1 + (int)seed % 3, &err) == 0);
            for (int u = 0; u < N; u++)
                for (int c = 0; c < D; c++)
                    CHECK_NEAR(f.x.dense[u * D + c], sum[u][c] += y[u][c], 1e-5);
            se_own_features_release(&f);
            slow_hop(y);
        }
    }
    unit_ok("smoothing against the dense matrix");
}

/* ---- centroids ---- */

/* Cosine of row v with the sum of the rows of module j, each of length 1, v left out */
static double slow_cosine(const struct se_features *x, const uint32_t *module, uint64_t v, uint32_t j)
{
    double sum[D] = { 0 }, dot = 0, a2 = 0, b2 = 0;

    for (uint64_t u = 0; u < x->n; u++) {
        double length = 0;
        for (uint64_t c = 0; c < x->d; c++)
            length += pow(x->dense[u * x->d + c], 2);
        for (uint64_t c = 0; u != v && module[u] == j && length > 0 && c < x->d; c++)
            sum[c] += x->dense[u * x->d + c] / sqrt(length);
    }
    for (uint64_t c = 0; c < x->d; c++) {
        dot += sum[c] * x->dense[v * x->d + c];
        a2 += sum[c] * sum[c];
        b2 += pow(x->dense[v * x->d + c], 2);
    }
    return a2 > 0 && b2 > 0 ? dot / sqrt(a2 * b2) : 0;
}

/* size[j]: rows of module j before the first round */
static void slow_round(const struct se_features *x, const int *size, uint32_t *module)
{
    uint32_t old[N];

    memcpy(old, module, sizeof old);
    for (uint64_t v = 0; v < N; v++) {
        double most = 0;
        for (uint32_t j = 0; j < N; j++) {
            const double cosine = size[j] > 1 ? slow_cosine(x, old, v, j) : 0;
            if (cosine > most + 1e-9) {
                most = cosine;
                module[v] = j;
            }
        }
    }
}

static void test_centroids(void)
{
    struct se_err err = SE_ERR_INIT;
    int moved = 0;

    for (uint64_t seed = 0; seed < 60; seed++) {
        uint32_t fast[N], slow[N], start[N];
        struct se_features x;
        struct se_rng r;
        int size[N] = { 0 };

        se_rng_init(&r, seed, SE_RNG_TEST, 2);
        x = random_features(&r, false);
        memset(dense + 7 * D, 0, D * sizeof *dense);    /* a row of nothing stays */
        for (int v = 0; v < N; v++)
            fast[v] = slow[v] = start[v] = v == 5 ? 20 : (uint32_t)se_rng_below(&r, 4) * 2;
        for (int v = 0; v < N; v++)
            size[start[v]]++;
        for (int i = 0; i < 3; i++)
            slow_round(&x, size, slow);
        CHECK(se_centroids_settle(fast, &x, 3, 1 + (int)seed % 3, &err) == 0);
        CHECK(memcmp(fast, slow, sizeof fast) == 0);
        CHECK(fast[7] == start[7]);
        moved += memcmp(fast, start, sizeof fast) != 0;
    }
    CHECK(moved > 50);
    unit_ok("centroids against the definition");
}

/* Edges within groups that share a word, or between any vertices */
static void test_alike(void)
{
    struct se_err err = SE_ERR_INIT;

    for (uint64_t seed = 0; seed < 20; seed++) {
        struct se_alike alike;
        struct se_features x;
        struct se_graph g;
        struct se_rng r;

        se_rng_init(&r, seed, SE_RNG_TEST, 3);
        x = random_features(&r, false);
        g = random_graph(&r, false);
        CHECK(se_edges_alike(&alike, &g, &x, seed, 1, &err) == 0);
        CHECK(fabs(alike.sure) < 4);
        for (uint64_t u = 0; u < N; u++)
            dense[u * D + u % 2] += 4;
        g.m = 0;
        for (uint32_t u = 0; u < N; u++) {
            edge_off[u] = g.m;
            for (uint32_t v = u + 2; v < N; v += 2)
                to[g.m++] = v;
        }
        edge_off[N] = g.m;
        CHECK(se_edges_alike(&alike, &g, &x, seed, 1, &err) == 0);
        CHECK(alike.sure > 5 && alike.lift > 0.5);
        g.m = 0;
        memset(edge_off, 0, sizeof edge_off);
        CHECK(se_edges_alike(&alike, &g, &x, seed, 1, &err) == 0);
        CHECK_NEAR(alike.lift, 0, 0);
    }
    unit_ok("ends of edges are alike, or they are not");
}

int main(void)
{
    test_weigh();
    test_smooth();
    test_centroids();
    test_alike();
    return unit_done();
}
