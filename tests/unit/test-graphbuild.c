/* test-graphbuild.c - edges in any order become the graph that slow, obvious code makes */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/rng.h"
#include "common/graph/adjacency.h"
#include "common/graph/builder.h"
#include "tests/unit/unit.h"

struct entry {
    uint32_t u, v;
    float w;
};

/* The sums of all entries (u, v), in the order given. */
static double sum_of(const struct entry *e, size_t count, uint32_t u, uint32_t v)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        if (e[i].u == u && e[i].v == v)
            sum += (double)e[i].w;
    return sum;
}

static size_t times(const struct entry *e, size_t count, uint32_t u, uint32_t v)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        n += e[i].u == u && e[i].v == v;
    return n;
}

static float weight_of(const struct entry *e, size_t count, uint32_t u, uint32_t v,
                       enum se_merge merge)
{
    const double a = sum_of(e, count, u, v), b = u == v ? 0 : sum_of(e, count, v, u);

    return (float)(merge == SE_MERGE_SUM ? a + b : a > b ? a : b);
}

/* Compare with the definition, pair by pair. */
static void compare(const struct se_graph *g, const struct entry *e, size_t count, uint32_t n,
                    bool weighted, enum se_merge merge, bool keep, const struct se_built *built)
{
    uint64_t edges = 0, loops = 0, repeated = 0, loop_entries = 0;

    CHECK(g->n == n);
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t v = u; v < n; v++) {
            const size_t here = times(e, count, u, v) + (u == v ? 0 : times(e, count, v, u));
            const float w = weighted ? weight_of(e, count, u, v, merge) : 1;

            if (here == 0)
                continue;
            if (u == v) {
                loop_entries += here;
                if (keep) {
                    CHECK(loops < g->loops && g->loop[loops] == u);
                    CHECK((g->weight ? g->loop_weight[loops] : 1) == w);
                    loops++;
                }
                continue;
            }
            repeated += here - 1;
            CHECK(edges < g->m && edges >= g->off[u] && edges < g->off[u + 1]);
            CHECK(g->to[edges] == v);
            CHECK((g->weight ? g->weight[edges] : 1) == w);
            edges++;
        }
    CHECK(edges == g->m && loops == g->loops);
    CHECK(built->repeated == repeated && built->loops == loop_entries);
    CHECK(count == edges + repeated + loop_entries);
}

static void check_random(uint64_t seed)
{
    struct se_builder b = SE_BUILDER_INIT;
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_built built;
    struct se_graph g;
    struct se_rng r;
    struct entry e[60];

    se_rng_init(&r, seed, SE_RNG_TEST, 0);

    const uint32_t n = 1 + (uint32_t)se_rng_below(&r, 9);
    const size_t count = se_rng_below(&r, 60);
    const bool weighted = se_rng_below(&r, 2), keep = se_rng_below(&r, 2);
    const bool ones = se_rng_below(&r, 3) == 0;
    const enum se_merge merge = se_rng_below(&r, 2) ? SE_MERGE_SUM : SE_MERGE_MATRIX;

    b.weighted = weighted;
    for (size_t i = 0; i < count; i++) {
        e[i] = (struct entry){ (uint32_t)se_rng_below(&r, n), (uint32_t)se_rng_below(&r, n),
                               ones ? 1 : (float)se_rng_unit(&r) * 3 };
        if (se_rng_below(&r, 8) == 0)
            e[i].w = 0;
        CHECK(se_builder_add(&b, e[i].u, e[i].v, e[i].w, &err) == 0);
    }
    b.n = n;
    CHECK(se_builder_put(&b, &s, SE_GRAPH, merge, keep, &built, &err) == 0);
    CHECK(b.first == NULL && b.count == 0);
    CHECK(se_graph_get(&g, &s, SE_GRAPH, &err) == 0);
    compare(&g, e, count, n, weighted, merge, keep, &built);
    bool all_one = true;
    for (uint64_t i = 0; g.weight && i < g.m; i++)
        all_one &= g.weight[i] == 1;
    for (uint64_t i = 0; g.weight && i < g.loops; i++)
        all_one &= g.loop_weight[i] == 1;
    CHECK(!g.weight || !all_one);               /* weights that are all 1 are not stored */
    se_stream_release(&s);
}

/* Many blocks: the same edges in three orders give the same bytes. */
static void check_order(bool weighted, uint32_t n, size_t count)
{
    struct se_stream s[3] = { SE_STREAM_INIT, SE_STREAM_INIT, SE_STREAM_INIT };
    struct se_err err = SE_ERR_INIT;
    struct se_built built;
    struct se_digest d[3];
    struct se_graph g;

    for (int turn = 0; turn < 3; turn++) {
        struct se_builder b = SE_BUILDER_INIT;

        b.weighted = weighted;
        for (size_t k = 0; k < count; k++) {
            const size_t i = turn == 0 ? k : turn == 1 ? count - 1 - k : k * 7919 % count;
            struct se_rng r;

            se_rng_init(&r, 5, SE_RNG_TEST, i);
            const uint32_t u = (uint32_t)se_rng_below(&r, n), v = (uint32_t)se_rng_below(&r, n);
            const float w = 1 + (float)se_rng_below(&r, 4);     /* sums are exact */

            CHECK(se_builder_add(&b, turn == 1 ? v : u, turn == 1 ? u : v, w, &err) == 0);
        }
        CHECK(se_builder_put(&b, &s[turn], SE_GRAPH, SE_MERGE_SUM, true, &built, &err) == 0);
        CHECK(se_graph_get(&g, &s[turn], SE_GRAPH, &err) == 0);
        CHECK(g.m + built.loops + built.repeated == count);
        CHECK(se_stream_digest(&s[turn], &d[turn], &err) == 0);
    }
    CHECK(se_digest_equal(&d[0], &d[1]) && se_digest_equal(&d[0], &d[2]));
    for (int turn = 0; turn < 3; turn++)
        se_stream_release(&s[turn]);
}

/* A star, then one pair over and over: quadratic code would not come back from here. */
static void check_star(void)
{
    enum { COUNT = 1500000 };
    struct se_builder b = SE_BUILDER_INIT;
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_built built;
    struct se_graph g;
    bool right = true;

    for (uint32_t i = 0; i < COUNT; i++)
        right &= se_builder_add(&b, i % 2 ? 0 : COUNT - i, i % 2 ? COUNT - i : 0, 1, &err) == 0;
    CHECK(se_builder_put(&b, &s, SE_GRAPH, SE_MERGE_SUM, false, &built, &err) == 0);
    CHECK(se_graph_get(&g, &s, SE_GRAPH, &err) == 0);
    CHECK(g.m == COUNT && built.repeated == 0);
    for (uint32_t i = 0; i < COUNT; i++)
        right &= g.to[i] == i + 1;
    b.weighted = true;
    for (uint32_t i = 0; i < COUNT; i++)
        right &= se_builder_add(&b, 7, 3, 0.5f, &err) == 0;
    CHECK(se_builder_put(&b, &s, SE_GRAPH, SE_MERGE_MATRIX, false, &built, &err) == 0);
    CHECK(se_graph_get(&g, &s, SE_GRAPH, &err) == 0);
    CHECK(g.n == 8 && g.m == 1 && g.weight[0] == COUNT / 2 && built.repeated == COUNT - 1);
    CHECK(right);
    se_stream_release(&s);
}

static void check_faults(void)
{
    struct se_builder b = SE_BUILDER_INIT;
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_graph g;

    b.weighted = true;
    CHECK(se_builder_add(&b, SE_NONE, 0, 1, &err) < 0);
    CHECK(se_builder_add(&b, 0, 1, -1, &err) < 0);
    CHECK(se_builder_add(&b, 0, 1, INFINITY, &err) < 0);
    CHECK(se_builder_add(&b, 0, 1, NAN, &err) < 0);
    CHECK(b.count == 0);
    CHECK(se_builder_add(&b, 0, 1, FLT_MAX, &err) == 0);
    CHECK(se_builder_add(&b, 1, 0, FLT_MAX, &err) == 0);
    err.text[0] = '\0';
    CHECK(se_builder_put(&b, &s, SE_GRAPH, SE_MERGE_SUM, false, NULL, &err) < 0);
    CHECK(strstr(err.text, "0 - 1") != NULL);
    CHECK(b.first == NULL);
    b.weighted = true;                          /* as a matrix the two do not add up */
    CHECK(se_builder_add(&b, 0, 1, FLT_MAX, &err) == 0);
    CHECK(se_builder_add(&b, 1, 0, FLT_MAX, &err) == 0);
    CHECK(se_builder_put(&b, &s, SE_GRAPH, SE_MERGE_MATRIX, false, NULL, &err) == 0);
    CHECK(se_builder_put(&b, &s, SE_GRAPH, SE_MERGE_SUM, false, NULL, &err) == 0);
    CHECK(se_graph_get(&g, &s, SE_GRAPH, &err) == 0 && g.n == 0 && g.m == 0);
    b.n = SE_MAX_VERTICES + 1;
    CHECK(se_builder_put(&b, &s, SE_GRAPH, SE_MERGE_SUM, false, NULL, &err) < 0);
    CHECK(se_builder_add(&b, 3, 4, 1, &err) == 0);
    se_builder_release(&b);
    CHECK(b.first == NULL);
    se_stream_release(&s);
}

/* Ids of all sizes, so that steps of every width and their escapes are met. */
static void check_widths(uint64_t seed)
{
    struct se_builder b = SE_BUILDER_INIT;
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_graph g;
    struct se_rng r;
    uint32_t *far = se_alloc(1000, sizeof *far, &err);
    const uint32_t n = 1u << 22;

    se_rng_init(&r, seed, SE_RNG_TEST, 1);
    for (int i = 0; far && i < 1000; i++) {
        const unsigned bits = 1 + (unsigned)se_rng_below(&r, 22);

        far[i] = 1 + (uint32_t)se_rng_below(&r, (UINT64_C(1) << bits) - 1);
        CHECK(se_builder_add(&b, far[i], 0, 1, &err) == 0);
        CHECK(se_builder_add(&b, far[i], far[i] - 1, 1, &err) == 0);
    }
    b.n = n;
    CHECK(se_builder_put(&b, &s, SE_GRAPH, SE_MERGE_SUM, false, NULL, &err) == 0);
    CHECK(se_graph_get(&g, &s, SE_GRAPH, &err) == 0);
    for (int i = 0; far && i < 1000; i++) {
        const uint32_t low = far[i] - 1;
        bool star = false, step = false;

        for (uint64_t k = g.off[0]; k < g.off[1]; k++)
            star |= g.to[k] == far[i];
        for (uint64_t k = g.off[low]; k < g.off[low + 1]; k++)
            step |= g.to[k] == far[i];
        CHECK(star && step);
    }
    CHECK(g.m <= 2000);
    free(far);
    se_stream_release(&s);
}

static uint32_t least_reached(const struct se_graph *g, uint32_t v)
{
    uint32_t label[16], best = v;
    bool changed = true;

    for (uint32_t u = 0; u < g->n; u++)
        label[u] = u;
    while (changed) {
        changed = false;
        for (uint32_t u = 0; u < g->n; u++)
            for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++) {
                const uint32_t a = label[u], c = label[g->to[i]], low = a < c ? a : c;

                changed |= a != c;
                label[u] = label[g->to[i]] = low;
            }
    }
    best = label[v];
    return best;
}

static void check_adjacency(uint64_t seed)
{
    struct se_builder b = SE_BUILDER_INIT;
    struct se_stream s = SE_STREAM_INIT;
    struct se_adjacency a = SE_ADJACENCY_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_graph g;
    struct se_rng r;
    double degree[16], plain[16];
    uint32_t component[16], expected = 0;

    se_rng_init(&r, seed, SE_RNG_TEST, 2);
    b.n = 1 + se_rng_below(&r, 15);
    b.weighted = se_rng_below(&r, 2);

    const uint64_t n = b.n, count = se_rng_below(&r, 20);

    for (uint64_t i = 0; i < count; i++)
        CHECK(se_builder_add(&b, (uint32_t)se_rng_below(&r, n), (uint32_t)se_rng_below(&r, n),
                             (float)se_rng_unit(&r), &err) == 0);
    CHECK(se_builder_put(&b, &s, SE_GRAPH, SE_MERGE_SUM, true, NULL, &err) == 0);
    CHECK(se_graph_get(&g, &s, SE_GRAPH, &err) == 0);
    CHECK(se_adjacency_make(&a, &g, &err) == 0);
    CHECK(a.n == n && a.arcs == 2 * g.m && a.off[0] == 0 && a.off[n] == a.arcs);
    CHECK((a.weight == NULL) == (g.weight == NULL));
    se_degrees(&g, false, plain);
    se_degrees(&g, true, degree);
    for (uint64_t u = 0; u < n; u++) {
        double sum = 0;

        for (uint64_t i = a.off[u]; i < a.off[u + 1]; i++) {
            const uint64_t low = u < a.to[i] ? u : a.to[i], high = u < a.to[i] ? a.to[i] : u;
            bool found = false;

            CHECK(i == a.off[u] || a.to[i - 1] < a.to[i]);
            for (uint64_t k = g.off[low]; k < g.off[low + 1]; k++)
                if (g.to[k] == high)
                    found = !g.weight || g.weight[k] == a.weight[i];
            CHECK(found);
            sum += a.weight ? (double)a.weight[i] : 1;
        }
        CHECK_NEAR(plain[u], sum, 1e-12);
        for (uint64_t i = 0; i < g.loops; i++)
            if (g.loop[i] == u)
                sum += g.loop_weight ? 2 * (double)g.loop_weight[i] : 2;
        CHECK_NEAR(degree[u], sum, 1e-12);
    }
    const uint64_t components = se_components(&g, component);
    for (uint32_t v = 0; v < n; v++) {
        const uint32_t least = least_reached(&g, v);

        CHECK(least == v ? component[v] == expected++ : component[v] == component[least]);
    }
    CHECK(components == expected);
    se_adjacency_release(&a);
    se_stream_release(&s);
}

int main(void)
{
    for (uint64_t seed = 0; seed < 2000; seed++)
        check_random(seed);
    unit_ok("random entries give the graph that the definition gives");
    check_order(false, 300000, 1000003);
    check_order(true, 300000, 1000003);
    check_order(true, 400, 1000003);
    unit_ok("the order of a million entries does not matter");
    check_star();
    unit_ok("a star and a pair repeated a million times");
    for (uint64_t seed = 0; seed < 5; seed++)
        check_widths(seed);
    unit_ok("near and far neighbours");
    check_faults();
    unit_ok("faults are told and nothing leaks");
    for (uint64_t seed = 0; seed < 500; seed++)
        check_adjacency(seed);
    unit_ok("adjacency, degrees and components");
    return unit_done();
}
