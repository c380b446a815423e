/* test-setree-stability.c - resampled graphs, ARI, levels, a given number of modules */
#include <stdio.h>

#include "common/tree/choose.h"
#include "common/tree/resample.h"
#include "tests/unit/setree.h"
#include "tests/unit/unit.h"

static struct dense d;

/* ---- resampled graphs ---- */

static void degrees_of(const struct se_graph *g, uint32_t *degree)
{
    memset(degree, 0, MOST * sizeof *degree);
    for (uint32_t u = 0; u < g->n; u++)
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++)
            if (!g->weight || g->weight[e] > 0) {
                degree[u]++;
                degree[g->to[e]]++;
            }
}

/* Ascending without repeats, as a section has it */
static void check_simple(const struct se_graph *g)
{
    CHECK(g->off[0] == 0 && g->off[g->n] == g->m);
    for (uint32_t u = 0; u < g->n; u++)
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++) {
            CHECK(g->to[e] > u && g->to[e] < g->n);
            CHECK(e == g->off[u] || g->to[e] > g->to[e - 1]);
        }
}

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static void test_resample(void)
{
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct se_graph_copy c = SE_GRAPH_COPY_INIT;
        struct se_err err = SE_ERR_INIT;
        uint32_t before[MOST], after[MOST];
        uint64_t moved = 0;
        struct se_rng r;

        se_rng_init(&r, seed, SE_RNG_TEST, 1);
        dense_random(&d, 5 + (uint32_t)seed, 0.3, seed % 2, seed % 4 > 1, &r);
        degrees_of(&d.g, before);
        CHECK(se_graph_rewire(&c, &d.g, &r, &err) == 0);
        check_simple(&c.g);
        degrees_of(&c.g, after);
        CHECK(memcmp(before, after, d.n * sizeof *after) == 0);
        for (uint32_t u = 0; u < d.n; u++)
            for (uint64_t e = c.off[u]; e < c.off[u + 1]; e++)
                moved += d.w[u][c.to[e]] <= 0;
        CHECK(seed < 20 || moved > c.g.m / 4);
        if (c.weight) {
            float *old = malloc((d.g.m + 1) * sizeof *old);
            uint64_t m = 0;
            for (uint64_t e = 0; e < d.g.m; e++)
                if (d.weight[e] > 0)
                    old[m++] = d.weight[e];
            CHECK(m == c.g.m);
            qsort(old, m, sizeof *old, by_size);
            qsort(c.weight, m, sizeof *old, by_size);
            CHECK(memcmp(old, c.weight, m * sizeof *old) == 0);
            free(old);
        }
        se_graph_copy_release(&c);
        CHECK(se_graph_thin(&c, &d.g, 0.5, &r, &err) == 0);
        check_simple(&c.g);
        CHECK(seed < 20 || (c.g.m > d.g.m / 4 && c.g.m < 3 * d.g.m / 4));
        for (uint32_t u = 0; u < d.n; u++)
            for (uint64_t e = c.off[u]; e < c.off[u + 1]; e++)
                CHECK(c.weight ? (double)c.weight[e] == d.w[u][c.to[e]] : d.w[u][c.to[e]] == 1);
        se_graph_copy_release(&c);
    }
    unit_ok("rewired graphs keep degrees and weights, thinned ones are part of the graph");
}

/* ---- ARI ---- */

/* By counting pairs of vertices */
static double slow_ari(const uint32_t *a, const uint32_t *b, uint32_t n)
{
    double both = 0, pa = 0, pb = 0, all = n * (n - 1) / 2.0, expected;

    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++) {
            both += a[i] == a[j] && b[i] == b[j];
            pa += a[i] == a[j];
            pb += b[i] == b[j];
        }
    expected = pa * pb / all;
    return (both - expected) / ((pa + pb) / 2 - expected);
}

static void test_ari(void)
{
    uint32_t a[60], b[60];
    struct se_err err = SE_ERR_INIT;
    struct se_rng r;
    double ari;

    se_rng_init(&r, 5, SE_RNG_TEST, 2);
    for (int i = 0; i < 200; i++) {
        const uint32_t n = 10 + (uint32_t)se_rng_below(&r, 50);
        const uint64_t k = 2 + se_rng_below(&r, 6);
        for (uint32_t v = 0; v < n; v++) {
            a[v] = v < 2 ? v : (uint32_t)se_rng_below(&r, k);
            b[v] = v < 4 ? v % 2 : se_rng_below(&r, 2) ? a[v] : (uint32_t)se_rng_below(&r, k);
        }
        CHECK(se_partition_ari(a, b, n, &ari, &err) == 0);
        CHECK_NEAR(ari, slow_ari(a, b, n), 1e-12);
        CHECK(se_partition_ari(a, a, n, &ari, &err) == 0 && fabs(ari - 1) < 1e-12);
    }
    memset(a, 0, sizeof a);
    CHECK(se_partition_ari(a, a, 20, &ari, &err) == 0 && ari == 0);
    CHECK(se_partition_ari(a, a, 0, &ari, &err) == 0 && ari == 0);
    unit_ok("ARI against all pairs");
}

/* ---- a given number of modules ---- */

static bool joined(const struct se_hierarchy *h, uint32_t v, uint32_t module)
{
    for (uint64_t b = 1; b < h->nodes; b++)
        if (h->vertex[b] != SE_NONE && h->parent[b] == module && h->vertex[b] != v &&
            d.w[v][h->vertex[b]] > 0)
            return true;
    return false;
}

/* No single vertex gains by a move to another module where it has neighbours. */
static void check_settled(const struct se_hierarchy *h)
{
    const struct se_tree t = se_hierarchy_view(h);
    const double now = slow_entropy(&t, &d);

    for (uint64_t a = 1; a < t.nodes; a++) {
        const uint32_t home = h->parent[a];
        uint32_t size = 0;

        if (h->vertex[a] == SE_NONE)
            continue;
        for (uint64_t b = 1; b < t.nodes; b++)
            size += h->vertex[b] != SE_NONE && h->parent[b] == home;
        for (uint32_t m = 1; size > 1 && m < t.nodes; m++)
            if (h->vertex[m] == SE_NONE && m != home && joined(h, h->vertex[a], m)) {
                h->parent[a] = m;               /* out of order, which slow_entropy allows */
                CHECK(slow_entropy(&t, &d) > now - 1e-9);
            }
        h->parent[a] = home;
    }
}

static void test_modules(void)
{
    for (uint64_t seed = 0; seed < 30; seed++) {
        struct se_tree_options how = SE_TREE_OPTIONS_INIT;
        struct se_hierarchy h = SE_HIERARCHY_INIT, two = SE_HIERARCHY_INIT;
        struct se_err err = SE_ERR_INIT;
        struct se_tree t, u;
        uint32_t module[MOST], level = 0;
        uint64_t count, most = 0;
        struct se_rng r;

        se_rng_init(&r, seed, SE_RNG_TEST, 3);
        dense_random(&d, 12 + (uint32_t)seed, 0.25, seed % 2, seed % 3 == 0, &r);
        how.k = 4;
        CHECK(se_tree_build(&h, &d.g, NULL, &how, &err) == 0);
        t = se_hierarchy_view(&h);
        for (level = 1; level < 4; level++) {
            CHECK(se_tree_partition(&t, level, module, &count, &err) == 0);
            if (count < d.n && count > most)
                most = count;
        }
        for (uint64_t want = 1; want <= most; want++) {
            CHECK(se_tree_with_modules(&two, &d.g, &t, want, 1, &err) == 0);
            u = se_hierarchy_view(&two);
            CHECK(se_tree_check(&u, &err) == 0);
            CHECK(u.nodes == 1 + want + d.n);
            if (want > 1)
                check_settled(&two);
            se_hierarchy_release(&two);
        }
        CHECK(se_tree_with_modules(&two, &d.g, &t, d.n + 1, 1, &err) < 0);
        se_hierarchy_release(&two);
        se_hierarchy_release(&h);
    }
    unit_ok("a given number of modules, which no move of a vertex improves");
}

/* ---- choosing ---- */

/* `blocks` groups of `size` vertices; edges within with chance p, between with q */
static void planted(uint32_t blocks, uint32_t size, double p, double q, uint64_t seed)
{
    struct se_rng r;

    se_rng_init(&r, seed, SE_RNG_TEST, 4);
    d.n = blocks * size;
    for (uint32_t u = 0; u < d.n; u++)
        for (uint32_t v = u; v < d.n; v++)
            d.w[u][v] = u == v ? 0 : se_rng_unit(&r) < (u / size == v / size ? p : q) ? 1 : -1;
    dense_finish(&d, false);
}

/* Every height is chosen at most once; likeness is the mean ARI with each sample. */
static void check_next(struct se_choice *c)
{
    struct se_err err = SE_ERR_INIT;
    bool seen[SE_AUTO_HEIGHT + 1] = { false };

    for (; c->levels > 0; se_choice_next(c)) {
        const struct se_stability *x = &c->stability;
        const uint32_t l = c->kept[c->best];
        double mean = 0, ari, likeness;

        CHECK(c->k >= 2 && c->k <= SE_AUTO_HEIGHT && !seen[c->k]);
        seen[c->k] = true;
        for (int i = 0; i < x->samples; i++) {
            CHECK(se_partition_ari(x->module, x->module + (i * x->levels + l - 1) * x->n, x->n,
                                   &ari, &err) == 0);
            mean += ari / x->samples;
        }
        CHECK(se_stability_likeness(x, l, x->module, &likeness, &err) == 0);
        CHECK_NEAR(likeness, mean, 1e-12);
    }
}

static void test_choice(void)
{
    struct se_stability_options how = SE_STABILITY_OPTIONS_INIT;
    struct se_err err = SE_ERR_INIT;
    int found = 0, wrong = 0;

    for (uint64_t seed = 0; seed < 10; seed++) {
        struct se_choice c = SE_CHOICE_INIT;

        how.seed = seed;
        planted(6, 25, 0.4, 0.02, seed);
        CHECK(se_tree_choose(&c, &d.g, &how, &err) == 0);
        found += c.levels == 1 && c.stability.level[c.kept[c.best]].stability > 0.9;
        check_next(&c);
        se_choice_release(&c);
        planted(1, 150, 0.06, 0, seed);
        CHECK(se_tree_choose(&c, &d.g, &how, &err) == 0);
        wrong += c.levels > 0;
        se_choice_release(&c);
    }
    CHECK(found >= 9);
    CHECK(wrong <= 1);
    unit_ok("planted modules are found, random graphs have none");
}

int main(void)
{
    test_resample();
    test_ari();
    test_modules();
    test_choice();
    return unit_done();
}
