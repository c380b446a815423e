/* test-smooth.c - weighted and smoothed features against dense matrices */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/rng.h"
#include "common/sim/smooth.h"
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
        static double y[N][D];

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
            slow_hop(y);
        }
    }
    unit_ok("smoothing against the dense matrix");
}

int main(void)
{
    test_weigh();
    test_smooth();
    return unit_done();
}
