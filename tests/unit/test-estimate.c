/* test-estimate.c - the estimation by kinds of pairs against the dense one over all pairs */
#include "common/graph/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/rng.h"
#include "tests/unit/unit.h"

enum { N = 50, MOST_C = 4 };

struct dense {
    int e[N][N];
    double q[N][N], o[MOST_C][MOST_C], a, b;
    uint64_t steps;
};

static void dense_start(struct dense *d, const uint32_t *label, uint64_t classes)
{
    d->a = 0.75;
    d->b = 0.25;
    for (uint64_t r = 0; r < classes; r++)
        for (uint64_t s = 0; s < classes; s++) {
            double all = 0, seen = 0;

            for (int i = 0; i < N; i++)
                for (int j = i + 1; j < N; j++)
                    if ((label[i] == r && label[j] == s) || (label[i] == s && label[j] == r)) {
                        all++;
                        seen += d->e[i][j] > 0;
                    }
            d->o[r][s] = all > 0 ? seen / all : 0;
        }
}

/* p^e (1 - p)^(n - e) */
static double chance(double p, int e, int n)
{
    double x = 1;

    for (int i = 0; i < e; i++)
        x *= p;
    for (int i = e; i < n; i++)
        x *= 1 - p;
    return x;
}

static void dense_expect(struct dense *d, const uint32_t *label, int n)
{
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++) {
            const double o = d->o[label[i]][label[j]];
            const double yes = o * chance(d->a, d->e[i][j], n);
            const double no = (1 - o) * chance(d->b, d->e[i][j], n);

            d->q[i][j] = yes + no > 0 ? yes / (yes + no) : 0;
        }
}

static void dense_em(struct dense *d, const uint32_t *label, uint64_t classes, int n, double tol)
{
    double moved = INFINITY;

    dense_start(d, label, classes);
    for (d->steps = 0; d->steps < 10000 && moved >= tol; d->steps++) {
        double yes = 0, no = 0, seen = 0, wrong = 0, all[MOST_C][MOST_C] = { { 0 } };
        const double a = d->a, b = d->b;

        dense_expect(d, label, n);
        memset(d->o, 0, sizeof d->o);
        for (int i = 0; i < N; i++)
            for (int j = i + 1; j < N; j++) {
                const uint32_t r = label[i], s = label[j];

                yes += d->q[i][j];
                no += 1 - d->q[i][j];
                seen += d->q[i][j] * d->e[i][j];
                wrong += (1 - d->q[i][j]) * d->e[i][j];
                all[r][s]++;
                d->o[r][s] += d->q[i][j];
                if (r != s) {
                    all[s][r]++;
                    d->o[s][r] += d->q[i][j];
                }
            }
        for (uint64_t r = 0; r < classes; r++)
            for (uint64_t s = 0; s < classes; s++)
                d->o[r][s] = all[r][s] > 0 ? d->o[r][s] / all[r][s] : 0;
        if (yes > 0)
            d->a = seen / (n * yes);
        if (no > 0)
            d->b = wrong / (n * no);
        moved = fmax(fabs(d->a - a), fabs(d->b - b));
    }
    dense_expect(d, label, n);
}

static void test_dense(void)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        static struct dense d;
        static uint64_t pair[N * N * 8];
        const uint64_t classes = 1 + seed % MOST_C, n = 1 + seed % 5;
        const double tol = seed % 2 ? 1e-2 : 1e-9;
        struct se_estimate x = SE_ESTIMATE_INIT;
        struct se_err err = SE_ERR_INIT;
        uint32_t label[N];
        uint64_t count = 0;
        struct se_rng r;

        se_rng_init(&r, seed, SE_RNG_TEST, 5);
        for (int v = 0; v < N; v++)
            label[v] = (uint32_t)se_rng_below(&r, classes);
        memset(&d, 0, sizeof d);
        for (uint64_t i = 0; i < N; i++)
            for (uint64_t j = i + 1; j < N; j++) {
                const double p = se_rng_unit(&r) < (label[i] == label[j] ? .3 : .05) ? .8 : .04;

                for (uint64_t k = 0; k < n; k++)
                    if (seed != 7 && se_rng_unit(&r) < p) {     /* 7: nothing is seen */
                        d.e[i][j]++;
                        pair[count++] = i << 32 | j;
                    }
            }
        CHECK(se_estimate_make(&x, pair, count, n, label, N, classes, tol, &err) == 0);
        dense_em(&d, label, classes, (int)n, tol);
        CHECK(x.steps == d.steps);
        CHECK_NEAR(x.alpha, d.a, 1e-9);
        CHECK_NEAR(x.beta, d.b, 1e-9);
        for (int i = 0; i < N; i++)
            for (int j = i + 1; j < N; j++)
                CHECK_NEAR(x.q[se_estimate_at(&x, label[i], label[j], (uint64_t)d.e[i][j])],
                           d.q[i][j], 1e-8);
        se_estimate_release(&x);
    }
    unit_ok("estimation by kinds of pairs equals the dense one");
}

int main(void)
{
    test_dense();
    return unit_done();
}
