/* test-layout.c - repulsion by cells against all pairs; what a layout must show */
#include <stdlib.h>
#include <string.h>

#include "common/graph/layout.h"
#include "common/graph/quadtree.h"
#include "tests/unit/unit.h"

enum { N = 400 };

static void test_quadtree(void)
{
    static double x[N], y[N], mass[N];
    struct se_quadtree q = SE_QUADTREE_INIT;
    struct se_err err = SE_ERR_INIT;

    for (uint64_t seed = 0; seed < 20; seed++) {
        struct se_rng r;
        uint64_t n;

        se_rng_init(&r, seed, SE_RNG_TEST, 0);
        n = 1 + se_rng_below(&r, N);
        for (uint64_t i = 0; i < n; i++) {
            x[i] = seed % 3 == 2 ? (double)se_rng_below(&r, 3) : se_rng_normal(&r); /* equal points */
            y[i] = seed % 3 ? se_rng_normal(&r) : 2;                                /* a line */
            mass[i] = 1 + se_rng_unit(&r);
        }
        CHECK(se_quadtree_make(&q, n, x, y, mass, &err) == 0);
        for (uint64_t i = 0; i < n; i += 7) {
            double f[3] = { 0, 0, 0 }, slow[3] = { 0, 0, 0 }, sum = 0;

            se_quadtree_repel(&q, x[i], y[i], &f[0], &f[1], &f[2]);
            for (uint64_t j = 0; j < n; j++) {
                const double dx = x[i] - x[j], dy = y[i] - y[j], d2 = dx * dx + dy * dy;

                if (d2 <= 1e-24)
                    continue;
                slow[0] += mass[j] * dx / d2;
                slow[1] += mass[j] * dy / d2;
                slow[2] += mass[j] / d2;
                sum += mass[j] / sqrt(d2);
            }
            CHECK_NEAR(f[0], slow[0], .1 * sum);
            CHECK_NEAR(f[1], slow[1], .1 * sum);
            CHECK_NEAR(f[2], slow[2], .5 * slow[2] + 1e-9);
        }
    }
    se_quadtree_release(&q);
    unit_ok("repulsion by cells is close to that by pairs");
}

/* Groups of 20, dense within, few edges between, and isolated vertices at the end. */
static struct se_graph groups(uint64_t seed, uint64_t *off, uint32_t *to)
{
    struct se_rng r;
    uint64_t m = 0;

    se_rng_init(&r, seed, SE_RNG_TEST, 1);
    for (uint32_t u = 0; u < N; u++) {
        off[u] = m;
        for (uint32_t v = u + 1; v < N - 5; v++)
            if (se_rng_below(&r, 1000) < (u / 20 == v / 20 ? 500 : 2))
                to[m++] = v;
    }
    off[N] = m;
    return (struct se_graph){ N, m, 0, off, to, NULL, NULL, NULL };
}

static void test_layout(void)
{
    static uint64_t off[N + 1];
    static uint32_t to[N * N / 2], parent[N + 21], vertex[N + 21];
    static double x[N], y[N], x2[N], y2[N];
    struct se_err err = SE_ERR_INIT;
    struct se_tree t = { N, 0, parent, vertex };

    for (uint32_t v = 0; v < N; v++) {
        if (v == 0 || v % 20 == 0) {
            if (v == 0)
                parent[t.nodes] = SE_NONE, vertex[t.nodes++] = SE_NONE;
            parent[t.nodes] = 0, vertex[t.nodes++] = SE_NONE;
        }
        parent[t.nodes] = (uint32_t)(t.nodes - 1 - v % 20);
        vertex[t.nodes++] = v;
    }
    for (uint64_t seed = 0; seed < 8; seed++) {
        const struct se_graph g = groups(seed, off, to);
        const struct se_tree *tree = seed % 2 ? &t : NULL;
        double inside = 0, all = 0;
        uint64_t pairs = 0, near = 0;

        CHECK(se_layout(&g, tree, seed, x, y, &err) == 0);
        CHECK(se_layout(&g, tree, seed, x2, y2, &err) == 0);
        CHECK(memcmp(x, x2, sizeof x) == 0 && memcmp(y, y2, sizeof y) == 0);
        for (uint64_t u = 0; u < N - 20; u++) {
            CHECK(x[u] >= -1e-6 && x[u] <= 1000.001 && y[u] >= -1e-6 && y[u] <= 1000.001);
            for (uint64_t v = u + 1; v < N - 20; v++) {
                const double d = hypot(x[u] - x[v], y[u] - y[v]);

                all += d;
                pairs++;
                if (u / 20 == v / 20) {
                    inside += d;
                    near++;
                }
            }
        }
        CHECK(inside / (double)near < .35 * all / (double)pairs);
    }
    unit_ok("groups lie together, and the same input gives the same places");
}

static int by_value(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;

    return (p > q) - (p < q);
}

/* Pairs and single vertices beside one large component do not take up the picture. */
static void test_components(void)
{
    static uint64_t off[N + 1];
    static uint32_t to[4 * N];
    static double x[N], y[N], far[N];
    struct se_err err = SE_ERR_INIT;

    for (uint64_t seed = 0; seed < 8; seed++) {
        const uint32_t rest = N - 60;
        struct se_rng r;
        struct se_graph g = { N, 0, 0, off, to, NULL, NULL, NULL };
        double mx = 0, my = 0;

        se_rng_init(&r, seed, SE_RNG_TEST, 2);
        for (uint32_t u = 0; u < N; u++) {
            off[u] = g.m;
            if (u + 1 < rest || (u >= rest && u < N - 20 && u % 2 == rest % 2))
                to[g.m++] = u + 1;
            if (u + 3 < rest)
                to[g.m++] = u + 2 + (uint32_t)se_rng_below(&r, rest - u - 2);
        }
        off[N] = g.m;
        CHECK(se_layout(&g, NULL, seed, x, y, &err) == 0);
        for (uint32_t v = 0; v < rest; v++) {
            mx += x[v] / rest;
            my += y[v] / rest;
        }
        for (uint32_t v = 0; v < N; v++)
            far[v] = hypot(x[v] - mx, y[v] - my);
        qsort(far, rest, sizeof *far, by_value);
        for (uint32_t v = rest; v < N; v++)
            CHECK(far[v] < 1.35 * far[rest * 98 / 100]);
        for (uint32_t v = rest; v < N - 20; v += 2)
            CHECK(hypot(x[v] - x[v + 1], y[v] - y[v + 1]) < far[rest / 2]);
    }
    unit_ok("small components lie near the large one");
}

static void test_small(void)
{
    uint64_t off[3] = { 0, 0, 0 };
    double x[2], y[2];
    struct se_err err = SE_ERR_INIT;

    for (uint64_t n = 0; n <= 2; n++) {
        const struct se_graph g = { n, 0, 0, off, NULL, NULL, NULL, NULL };

        CHECK(se_layout(&g, NULL, 1, x, y, &err) == 0);
        for (uint64_t v = 0; v < n; v++)
            CHECK(isfinite(x[v]) && isfinite(y[v]));
    }
    unit_ok("graphs without edges");
}

int main(void)
{
    test_quadtree();
    test_layout();
    test_components();
    test_small();
    return unit_done();
}
