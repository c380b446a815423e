/* test-setree.c - trees against the definition, against all partitions, and known values */
#include <stdio.h>

#include "common/graph/entropy.h"
#include "common/graph/gen.h"
#include "common/tree/tree_build.h"
#include "tests/unit/setree.h"
#include "tests/unit/unit.h"

static struct dense d;

/* Build, check that the tree is one, and return its H by the slow definition. */
static double built(const struct se_tree *start, struct se_tree_options how,
                    struct se_hierarchy *keep)
{
    struct se_hierarchy h = SE_HIERARCHY_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_measure x = SE_MEASURE_INIT;
    struct se_tree t;
    double slow;

    CHECK(se_tree_build(&h, &d.g, start, &how, &err) == 0);
    t = se_hierarchy_view(&h);
    CHECK(se_tree_check(&t, &err) == 0);
    CHECK(slow_height(&t) <= how.k);
    CHECK(se_measure_make(&x, &t, &d.g, &err) == 0);
    slow = slow_entropy(&t, &d);
    CHECK_NEAR(x.h, slow, 1e-10 * (1 + slow));
    se_measure_release(&x);
    if (keep)
        *keep = h;
    else
        se_hierarchy_release(&h);
    return slow;
}

static struct se_tree_options how_of(uint64_t k, int method, int squeeze)
{
    struct se_tree_options how = SE_TREE_OPTIONS_INIT;

    how.k = k;
    how.method = method;
    how.squeeze = squeeze;
    return how;
}

static double build_of(uint64_t k, int method, int squeeze)
{
    return built(NULL, how_of(k, method, squeeze), NULL);
}

static double best_of(uint64_t k)
{
    return build_of(k, SE_TREE_BEST, SE_SQUEEZE_EXACT);
}

/* ---- known values ---- */

static void edges(uint32_t n, const uint32_t (*e)[2], int m)
{
    d.n = n;
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t v = 0; v < n; v++)
            d.w[u][v] = u == v ? 0 : -1;
    for (int i = 0; i < m; i++)
        d.w[e[i][0]][e[i][1]] = 1;
    dense_finish(&d, false);
}

static void test_small(void)
{
    static const uint32_t triangles[][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 }, { 2, 3 },
                                             { 3, 4 }, { 3, 5 }, { 4, 5 } };
    static const uint32_t path[][2] = { { 0, 1 }, { 1, 2 }, { 2, 3 } };
    static const uint32_t star[][2] = { { 0, 1 }, { 0, 2 }, { 0, 3 }, { 0, 4 },
                                        { 0, 5 }, { 0, 6 }, { 0, 7 } };

    edges(6, triangles, 7);
    CHECK_NEAR(best_of(1), 2.5566567075, 1e-10);
    CHECK_NEAR(best_of(2), 1.6995138503, 1e-10);
    edges(4, path, 3);
    CHECK_NEAR(best_of(2), 1.2516291674, 1e-10);
    edges(8, star, 7);
    CHECK_NEAR(best_of(2), 2.1956373922, 1e-10);
    unit_ok("two triangles, a path, a star");
}

/* tie_free: weights 1 + frac((e + 1) golden), e by (lower, higher) end */
static void karate(bool tie_free)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_graph g;

    CHECK(se_karate_make(&s, &err) == 0 && se_graph_get(&g, &s, SE_GRAPH, &err) == 0);
    d.n = (uint32_t)g.n;
    for (uint32_t u = 0; u < d.n; u++)
        for (uint32_t v = 0; v < d.n; v++)
            d.w[u][v] = u == v ? 0 : -1;
    for (uint32_t u = 0; u < d.n; u++)
        for (uint64_t e = g.off[u]; e < g.off[u + 1]; e++)
            d.w[u][g.to[e]] = tie_free ? 1 + fmod((double)(e + 1) * 0.6180339887498949, 1) : 1;
    dense_finish(&d, tie_free);
    se_stream_release(&s);
}

static void test_karate(void)
{
    karate(false);
    CHECK_NEAR(best_of(1), 4.7044225989, 1e-10);
    CHECK_NEAR(best_of(2), 3.3519989639, 1e-10);
    CHECK_NEAR(best_of(3), 2.9143590764, 1e-10);
    CHECK_NEAR(best_of(4), 2.7259426191, 1e-10);
    unit_ok("karate club");
    karate(true);                               /* weights are floats here: 1e-8 */
    CHECK_NEAR(best_of(1), 4.6932968953, 1e-8);
    CHECK_NEAR(build_of(99, SE_TREE_PAPER, SE_SQUEEZE_EXACT), 2.9909648810, 1e-8);
    CHECK_NEAR(build_of(99, SE_TREE_MERGE, SE_SQUEEZE_EXACT), 2.6288858995, 1e-8);
    CHECK_NEAR(build_of(2, SE_TREE_PAPER, SE_SQUEEZE_GREEDY), 3.9544176038, 1e-8);
    CHECK_NEAR(build_of(2, SE_TREE_PAPER, SE_SQUEEZE_EXACT), 3.7094639314, 1e-8);
    CHECK_NEAR(build_of(2, SE_TREE_MERGE, SE_SQUEEZE_GREEDY), 3.8340037004, 1e-8);
    CHECK_NEAR(build_of(2, SE_TREE_MERGE, SE_SQUEEZE_EXACT), 3.3562161683, 1e-8);
    CHECK_NEAR(best_of(2), 3.3527975025, 1e-8);
    CHECK_NEAR(best_of(3), 2.8920255227, 1e-8);
    CHECK_NEAR(best_of(4), 2.7197961228, 1e-8);
    unit_ok("karate club without ties");
}

/* ---- all partitions ---- */

static double partition_entropy(const uint32_t *module, uint32_t modules)
{
    uint32_t parent[2 * MOST], vertex[2 * MOST], at = 1;
    struct se_tree t = { d.n, 0, parent, vertex };

    parent[0] = vertex[0] = SE_NONE;
    for (uint32_t m = 0; m < modules; m++) {
        uint32_t top = at;
        parent[at] = 0;
        vertex[at++] = SE_NONE;
        for (uint32_t v = 0; v < d.n; v++)
            if (module[v] == m) {
                parent[at] = top;
                vertex[at++] = v;
            }
    }
    t.nodes = at;
    return slow_entropy(&t, &d);
}

/* Restricted growth strings, one after the other. */
static double best_partition(void)
{
    uint32_t module[8] = { 0 };
    double least = INFINITY;

    for (;;) {
        uint32_t modules = 0;
        int i = (int)d.n - 1;
        for (uint32_t v = 0; v < d.n; v++)
            if (module[v] >= modules)
                modules = module[v] + 1;
        double h = partition_entropy(module, modules);
        if (h < least)
            least = h;
        for (; i > 0; i--) {
            uint32_t top = 0;
            for (int j = 0; j < i; j++)
                if (module[j] > top)
                    top = module[j];
            if (module[i] <= top)
                break;
            module[i] = 0;
        }
        if (i == 0)
            return least;
        module[i]++;
    }
}

static void test_exhaustive(void)
{
    int graphs = 0, hits[3] = { 0, 0, 0 };

    for (uint64_t seed = 0; seed < UNIT_CASES(120); seed++) {
        struct se_rng r;
        double least;
        se_rng_init(&r, seed, SE_RNG_TEST, 1);
        dense_random(&d, 4 + (uint32_t)se_rng_below(&r, seed % 10 == 0 ? 5 : 4),
                     0.3 + 0.5 * se_rng_unit(&r), seed % 3 > 0, seed % 4 == 3, &r);
        if (d.g.m == 0)
            continue;
        least = best_partition();
        graphs++;
        for (int effort = 0; effort < 3; effort++) {
            struct se_tree_options how = SE_TREE_OPTIONS_INIT;
            how.effort = effort;
            double h = built(NULL, how, NULL);
            CHECK(h >= least - 1e-10);
            hits[effort] += h <= least + 1e-10;
        }
    }
    printf("# best of all partitions found, of %d: fast %d, normal %d, high %d\n", graphs,
           hits[0], hits[1], hits[2]);
    CHECK(hits[1] * 119 > 98 * graphs && hits[2] >= hits[1]);
    unit_ok("height 2 against all partitions");
}

/* ---- never worse ---- */

static void test_never_worse(void)
{
    for (uint64_t seed = 0; seed < UNIT_CASES(120); seed++) {
        struct se_hierarchy start = SE_HIERARCHY_INIT;
        struct se_rng r;
        struct se_tree t;
        struct se_tree_options how = SE_TREE_OPTIONS_INIT;
        double merge, best, from, after;
        se_rng_init(&r, seed, SE_RNG_TEST, 2);
        dense_random(&d, 5 + (uint32_t)se_rng_below(&r, 35), 0.05 + 0.3 * se_rng_unit(&r),
                     seed % 2 == 0, seed % 3 == 0, &r);
        how.k = 2 + seed % 4;
        merge = build_of(how.k, SE_TREE_MERGE, SE_SQUEEZE_EXACT);
        best = best_of(how.k);
        CHECK(best <= merge + 1e-10);
        from = built(NULL, how_of(how.k, SE_TREE_PAPER, SE_SQUEEZE_GREEDY), &start);
        t = se_hierarchy_view(&start);
        how.effort = (int)(seed % 3);
        after = built(&t, how, NULL);
        CHECK(after <= from + 1e-10);
        se_hierarchy_release(&start);
    }
    unit_ok("best is never worse than merge, nor than where it starts");
}

/* ---- odd graphs ---- */

static void test_odd(void)
{
    static const uint32_t one[][2] = { { 1, 3 } };

    for (uint64_t k = 1; k < 5; k++)
        for (int method = SE_TREE_BEST; method <= SE_TREE_PAPER; method++)
            for (uint32_t n = 0; n < 6; n++) {
                edges(n, one, n > 3);
                CHECK_NEAR(build_of(k, method, SE_SQUEEZE_EXACT), n > 3 ? 1 : 0, 1e-12);
                CHECK_NEAR(build_of(k, method, SE_SQUEEZE_GREEDY), n > 3 ? 1 : 0, 1e-12);
            }
    edges(3, one, 0);
    d.loop[0] = 1;
    d.g.loops = 1;
    d.w[1][1] = 1;
    CHECK_NEAR(best_of(3), 0, 0);
    unit_ok("no vertex, one vertex, no edge, one edge, a loop alone");
}

static void test_pad(void)
{
    struct se_rng r;

    for (uint64_t seed = 0; seed < UNIT_CASES(30); seed++) {
        struct se_tree_options how = SE_TREE_OPTIONS_INIT;
        struct se_hierarchy h = SE_HIERARCHY_INIT;
        double plain;
        se_rng_init(&r, seed, SE_RNG_TEST, 3);
        dense_random(&d, 20, 0.1, true, true, &r);
        how.k = 1 + seed % 5;
        plain = built(NULL, how, NULL);
        how.pad = true;
        CHECK_NEAR(built(NULL, how, &h), plain, 1e-10);
        uint32_t height = 0;
        for (uint64_t a = 0; a < h.nodes; a++) {
            uint32_t depth = 0;
            for (uint64_t b = a; b != 0; b = h.parent[b])
                depth++;
            if (h.vertex[a] == SE_NONE)
                continue;
            CHECK(height == 0 || depth == height);
            height = depth;
        }
        se_hierarchy_release(&h);
    }
    unit_ok("padded leaves lie at one depth and H stays");
}

/* ---- threads ---- */

/* The same tree with 1, 2 and 5 threads. */
static void check_threads(const struct se_graph *g, uint64_t k, int effort,
                          const struct se_tree *start)
{
    struct se_hierarchy h[3] = { SE_HIERARCHY_INIT, SE_HIERARCHY_INIT, SE_HIERARCHY_INIT };
    struct se_err err = SE_ERR_INIT;

    for (int i = 0; i < 3; i++) {
        struct se_tree_options how = SE_TREE_OPTIONS_INIT;
        how.k = k;
        how.effort = effort;
        how.threads = (int[]){ 1, 2, 5 }[i];
        CHECK(se_tree_build(&h[i], g, start, &how, &err) == 0);
        CHECK(h[i].nodes == h[0].nodes);
        CHECK(memcmp(h[i].parent, h[0].parent, h[0].nodes * 4) == 0);
        CHECK(memcmp(h[i].vertex, h[0].vertex, h[0].nodes * 4) == 0);
    }
    if (!start && k == 3) {                     /* and the same from there on */
        struct se_tree t = se_hierarchy_view(&h[0]);
        check_threads(g, 3, effort, &t);
    }
    for (int i = 0; i < 3; i++)
        se_hierarchy_release(&h[i]);
}

enum { N = 25000, DEGREE = 5 };

/* Near on a line, and a few far away; hub: vertex 0 knows every third. */
static struct se_graph large_graph(uint64_t seed, bool hub, bool weighted)
{
    uint64_t *off = calloc(N + 1, sizeof *off), m = 0;
    uint32_t *to = calloc((DEGREE + 1) * N, sizeof *to);
    float *weight = calloc((DEGREE + 1) * N, sizeof *weight);
    struct se_rng r;

    se_rng_init(&r, seed, SE_RNG_TEST, 4);
    for (uint32_t u = 0; u < N; u++) {
        uint32_t last = u;
        off[u] = m;
        for (int i = 0; (u > 0 || !hub) && i < DEGREE; i++) {
            last += 1 + (uint32_t)se_rng_below(&r, se_rng_below(&r, 20) ? 30 : N);
            if (last >= N)
                break;
            weight[m] = 0.1f + (float)se_rng_unit(&r);
            to[m++] = last;
        }
        for (uint32_t v = 1; u == 0 && hub && v < N; v += 3) {
            weight[m] = 1;
            to[m++] = v;
        }
    }
    off[N] = m;
    return (struct se_graph){ N, m, 0, off, to, weighted ? weight : (free(weight), NULL), NULL,
                              NULL };
}

static void test_threads(void)
{
    for (uint64_t seed = 0; seed < UNIT_CASES(40); seed++) {
        struct se_rng r;
        se_rng_init(&r, seed, SE_RNG_TEST, 5);
        dense_random(&d, 2 + (uint32_t)se_rng_below(&r, 60), 0.2, seed % 2, seed % 3 == 0, &r);
        check_threads(&d.g, 2 + seed % 3, (int)(seed % 3), NULL);
    }
    for (uint64_t seed = 0; seed < 2; seed++) {
        struct se_graph g = large_graph(seed, seed == 1, seed == 1);
        union { const void *in; void *out; } off = { g.off }, to = { g.to }, w = { g.weight };
        check_threads(&g, 2, SE_EFFORT_FAST, NULL);
        check_threads(&g, 3, SE_EFFORT_FAST, NULL);
        free(off.out);
        free(to.out);
        free(w.out);
    }
    unit_ok("the same tree with one, two and five threads");
}

int main(void)
{
    test_small();
    test_karate();
    test_exhaustive();
    test_never_worse();
    test_odd();
    test_pad();
    test_threads();
    return unit_done();
}
