/* test-setree-parts.c - the parts of the tree builder against slow, obvious code */
#include <stdio.h>

#include "common/tree/refine.h"
#include "common/tree/workings.h"
#include "tests/unit/setree.h"
#include "tests/unit/unit.h"

static struct dense d;
static struct se_err err = SE_ERR_INIT;

/* ---- joining the best pair: all pairs looked at each time ---- */

enum rule { COMBINE, FLAT, AVERAGE };

struct slow {
    uint32_t nodes, parent[2 * MOST];
    bool top[2 * MOST], in[2 * MOST][MOST];
    double volume[2 * MOST], inside[2 * MOST], c[2 * MOST][2 * MOST];
};

static double slow_key(const struct slow *s, uint32_t a, uint32_t b, double c, double vol,
                       enum rule rule)
{
    double va = s->volume[a], vb = s->volume[b], v = va + vb, key;

    if (rule == AVERAGE)
        return -c / (va * vb);
    key = -2 * c * log2(vol / v);
    if (rule == FLAT && s->inside[a] > 0)
        key += 2 * s->inside[a] * log2(v / va);
    if (rule == FLAT && s->inside[b] > 0)
        key += 2 * s->inside[b] * log2(v / vb);
    return key;
}

static void slow_join(struct slow *s, enum rule rule)
{
    double vol = 0;

    memset(s, 0, sizeof *s);
    for (s->nodes = 0; s->nodes < d.n; s->nodes++) {
        s->top[s->nodes] = s->in[s->nodes][s->nodes] = true;
        vol += s->volume[s->nodes] = dense_degree(&d, s->nodes);
        memcpy(s->c[s->nodes], d.w[s->nodes], d.n * sizeof d.w[0][0]);
    }
    for (;;) {
        uint32_t x = 0, y = 0, z = s->nodes;
        double least = INFINITY;
        for (uint32_t a = 0; a < z; a++)
            for (uint32_t b = a + 1; s->top[a] && b < z; b++) {
                double c = s->top[b] ? s->c[a][b] : 0, key;
                if (c > 0 && (key = slow_key(s, a, b, c, vol, rule)) < least) {
                    least = key;
                    x = a;
                    y = b;
                }
            }
        if (least == INFINITY)
            return;
        s->nodes++;
        s->inside[z] = s->inside[x] + s->inside[y] + s->c[x][y];
        s->volume[z] = s->volume[x] + s->volume[y];
        s->top[z] = true;
        s->top[x] = s->top[y] = false;
        for (uint32_t v = 0; v < d.n; v++)
            s->in[z][v] = s->in[x][v] || s->in[y][v];
        for (uint32_t a = 0; a < z; a++)
            s->c[a][z] = s->c[z][a] = s->c[a][x] + s->c[a][y];
    }
}

/* Does the tree have a node with just these leaves? */
static bool has_cluster(const struct se_nest *t, const bool *in)
{
    uint32_t size = 0, *met = calloc(t->nodes, sizeof *met);
    bool found = false;

    for (uint32_t v = 0; v < t->n; v++) {
        size += in[v];
        for (uint32_t a = v; in[v] && a != SE_NONE; a = t->parent[a])
            met[a]++;
    }
    for (uint32_t a = (uint32_t)t->n; a < t->nodes && !found; a++) {
        uint32_t below = 0;
        for (uint32_t v = 0; met[a] == size && v < t->n; v++)
            for (uint32_t b = v; b != SE_NONE; b = t->parent[b])
                below += b == a;
        found = met[a] == size && below == size;
    }
    free(met);
    return found;
}

static void check_same(const struct se_nest *t, const struct slow *s)
{
    uint32_t tops = 0;

    for (uint32_t a = 0; a < s->nodes; a++)
        tops += s->top[a];
    CHECK(t->nodes == s->nodes + (tops > 1 || s->nodes == d.n));
    for (uint32_t a = d.n; a < s->nodes; a++)
        CHECK(has_cluster(t, s->in[a]));
}

/* The numbers a nest carries are those of the graph. */
static void check_measure(const struct se_nest *t, const struct se_quotient *x)
{
    struct se_nest again = SE_NEST_INIT;

    CHECK(se_nest_alloc(&again, t->n, t->nodes, &err) == 0);
    memcpy(again.parent, t->parent, t->nodes * sizeof *t->parent);
    CHECK(se_nest_measure(&again, x, &err) == 0);
    for (uint64_t a = 0; a < t->nodes; a++) {
        CHECK_NEAR(t->volume[a], again.volume[a], 1e-9 * (1 + x->vol));
        CHECK_NEAR(t->cut[a], again.cut[a], 1e-9 * (1 + x->vol));
    }
    se_nest_release(&again);
}

/* Average linkage of all vertices: one level. */
static void linkage(struct se_nest *t, const struct se_quotient *x)
{
    struct se_levels l = SE_LEVELS_INIT;
    struct se_nest flat = SE_NEST_INIT;

    CHECK(se_nest_alloc(&flat, x->n, x->n + 1, &err) == 0);
    for (uint64_t v = 0; v <= x->n; v++)
        flat.parent[v] = v < x->n ? (uint32_t)x->n : SE_NONE;
    CHECK(se_levels_of_nest(&l, &flat, 1, x, 1, &err) == 0);
    CHECK(se_chain_nest(t, &l, UINT64_MAX, 1, &err) == 0);
    se_levels_release(&l);
    se_nest_release(&flat);
}

static void test_join(void)
{
    static struct slow s;

    for (uint64_t seed = 0; seed < 300; seed++) {
        struct se_quotient x = SE_QUOTIENT_INIT;
        struct se_rng r;
        /* the last ones have vertices with more neighbours than a plain list takes */
        uint32_t n = seed < 292 ? 2 + (uint32_t)(seed % 29) : 110;
        se_rng_init(&r, seed, SE_RNG_TEST, 10);
        dense_random(&d, n, 0.1 + 0.8 * se_rng_unit(&r), true, seed % 3 == 0, &r);
        CHECK(se_quotient_of_graph(&x, &d.g, 1, &err) == 0);
        for (enum rule rule = COMBINE; rule <= AVERAGE; rule++) {
            struct se_nest t = SE_NEST_INIT;
            slow_join(&s, rule);
            if (rule == AVERAGE)
                linkage(&t, &x);
            else
                CHECK(se_greedy_nest(&t, &x, rule == FLAT ? SE_TREE_MERGE : SE_TREE_PAPER,
                                     NULL, &err) == 0);
            check_same(&t, &s);
            check_measure(&t, &x);
            se_nest_release(&t);
        }
        se_quotient_release(&x);
    }
    unit_ok("combine, flat merge and average linkage against looking at all pairs");
}

/* ---- squeezing against all sets of kept nodes ---- */

/* A random tree over the vertices: inner nodes take two or more of what is there. */
static void random_nest(struct se_nest *t, const struct se_quotient *x, struct se_rng *r)
{
    uint32_t top[MOST], tops = (uint32_t)x->n, next = (uint32_t)x->n;

    CHECK(se_nest_alloc(t, x->n, 2 * x->n + 1, &err) == 0);
    for (uint32_t i = 0; i < tops; i++)
        top[i] = i;
    while (tops > 1) {
        uint32_t take = 2 + (uint32_t)se_rng_below(r, 3) % (tops - 1);
        if (next == 2 * x->n - 1)
            take = tops;
        for (uint32_t i = 0; i < take; i++) {
            uint32_t j = (uint32_t)se_rng_below(r, tops);
            t->parent[top[j]] = next;
            top[j] = top[--tops];
        }
        top[tops++] = next++;
    }
    t->parent[next - 1] = SE_NONE;
    t->nodes = next;
    CHECK(se_nest_measure(t, x, &err) == 0);
}

/* Cost and height if only the inner nodes of a set (a bit each) are kept. */
static double slow_squeezed(const struct se_nest *t, uint32_t set, uint32_t *height)
{
    uint32_t above[2 * MOST], depth[2 * MOST], root = (uint32_t)t->nodes - 1;
    double cost = 0;

    *height = 0;
    above[root] = root;
    depth[root] = 0;
    for (uint32_t a = root + 1; a-- > 0;) {
        bool kept = a == root || a < t->n || set >> (a - t->n) & 1;
        uint32_t p = a == root ? root : t->parent[a];
        if (a != root) {
            above[a] = kept ? a : above[p];
            depth[a] = depth[p] + kept;
        }
        if (a < t->n && depth[a] > *height)
            *height = depth[a];
        if (a >= t->n)
            cost += se_wlog(t->cut[a], t->volume[above[a]]);
    }
    return cost;
}

static void test_squeeze(void)
{
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct se_quotient x = SE_QUOTIENT_INIT;
        struct se_rng r;
        se_rng_init(&r, seed, SE_RNG_TEST, 11);
        dense_random(&d, 3 + (uint32_t)(seed % 8), 0.2 + 0.6 * se_rng_unit(&r),
                     seed % 2 == 0, seed % 3 == 0, &r);
        CHECK(se_quotient_of_graph(&x, &d.g, 1, &err) == 0);
        for (uint64_t k = 1; k < 6; k++) {
            struct se_nest t = SE_NEST_INIT, u = SE_NEST_INIT;
            double least = INFINITY;
            struct se_rng same = r;
            uint32_t height;
            random_nest(&t, &x, &same);
            for (uint32_t set = 0; set < 1U << (t.nodes - 1 - t.n); set++) {
                double cost = slow_squeezed(&t, set, &height);
                if (height <= k && cost < least)
                    least = cost;
            }
            same = r;
            random_nest(&u, &x, &same);
            CHECK(se_squeeze_exact(&t, k, &err) == 0);
            CHECK(se_nest_height(&t, &err) <= k);
            CHECK_NEAR(se_nest_cost(&t), least, 1e-10 * (1 + fabs(least)));
            check_measure(&t, &x);
            CHECK(se_squeeze_greedy(&u, k, &err) == 0);
            CHECK(se_nest_height(&u, &err) <= k);
            CHECK(se_nest_cost(&u) >= least - 1e-10 * (1 + fabs(least)));
            check_measure(&u, &x);
            se_nest_release(&t);
            se_nest_release(&u);
        }
        se_quotient_release(&x);
    }
    unit_ok("exact squeeze against all sets of kept nodes");
}

/* ---- moving: the gain told is the gain made ---- */

static double partition_cost(const struct se_quotient *x, const uint32_t *group,
                             const double *limit, const uint32_t *module)
{
    static double volume[MOST], inside[MOST];
    double cost = 0;

    memset(volume, 0, sizeof volume);
    memset(inside, 0, sizeof inside);
    for (uint32_t i = 0; i < x->n; i++) {
        volume[module[i]] += x->volume[i];
        for (uint64_t a = x->off[i]; a < x->off[i + 1]; a++) {
            if (module[x->to[a]] == module[i])
                inside[module[i]] += se_quotient_weight(x, a) / 2;
            else if (group[x->to[a]] == group[i])
                cost += se_quotient_weight(x, a) / 2 * limit[group[i]];
        }
    }
    for (uint32_t j = 0; j < x->n; j++)
        cost += se_wlog(inside[j], volume[j]);
    return cost;
}

static void test_move(void)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct se_quotient x = SE_QUOTIENT_INIT;
        struct se_rng r;
        uint32_t module[MOST], group[MOST];
        double limit[3] = { 0, 0, 0 }, before, gain;
        struct se_bound bound = { group, limit };
        struct se_search_options how = { seed, 1, 5, 0 };
        se_rng_init(&r, seed, SE_RNG_TEST, 12);
        dense_random(&d, 10 + (uint32_t)se_rng_below(&r, 60), 0.05 + 0.3 * se_rng_unit(&r),
                     seed % 2 == 0, seed % 3 == 0, &r);
        CHECK(se_quotient_of_graph(&x, &d.g, 1, &err) == 0);
        for (uint32_t i = 0; i < x.n; i++) {
            group[i] = (uint32_t)se_rng_below(&r, 3);
            module[i] = group[i] + 3 * (uint32_t)se_rng_below(&r, 3);
            limit[group[i]] += x.volume[i];
        }
        for (int i = 0; i < 3; i++)
            limit[i] = limit[i] > 0 ? log2(limit[i]) : 0;
        before = partition_cost(&x, group, limit, module);
        if (seed % 4 < 2)
            CHECK(se_partition_move(&x, &bound, module, &how, &gain, &err) == 0);
        else
            CHECK(se_partition_search(&x, &bound, module, false, &how, &gain, &err) == 0);
        CHECK(gain >= 0);
        CHECK_NEAR(before - partition_cost(&x, group, limit, module), gain,
                   1e-9 * (1 + x.vol));
        for (uint32_t i = 0; i < x.n; i++)
            for (uint32_t j = 0; j < i; j++)
                CHECK(module[i] != module[j] || group[i] == group[j]);
        se_quotient_release(&x);
    }
    unit_ok("moves within groups gain what they say and leave no group");
}

static void test_shift(void)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct se_quotient x = SE_QUOTIENT_INIT;
        struct se_levels l = SE_LEVELS_INIT;
        struct se_nest t = SE_NEST_INIT;
        struct se_search_options how = { seed, 1, 3, 0 };
        struct se_rng r;
        uint32_t k = 2 + (uint32_t)(seed % 4), level;
        double before, gain;
        se_rng_init(&r, seed, SE_RNG_TEST, 13);
        dense_random(&d, 10 + (uint32_t)se_rng_below(&r, 40), 0.05 + 0.3 * se_rng_unit(&r),
                     seed % 2 == 0, seed % 3 == 0, &r);
        CHECK(se_quotient_of_graph(&x, &d.g, 1, &err) == 0);
        random_nest(&t, &x, &r);
        CHECK(se_squeeze_greedy(&t, k, &err) == 0);
        CHECK(se_levels_of_nest(&l, &t, k, &x, 1, &err) == 0);
        for (int i = 0; i < 6; i++) {
            before = se_nest_cost(&t);
            level = (uint32_t)se_rng_below(&r, k - 1);
            if (i % 2)
                CHECK(se_levels_regroup(&l, level, 1 + i % 3, &how, &gain, &err) == 0);
            else
                CHECK(se_levels_shift(&l, level, &how, &gain, &err) == 0);
            se_nest_release(&t);
            CHECK(se_levels_nest(&t, &l, &err) == 0);
            CHECK(se_nest_height(&t, &err) <= k);
            check_measure(&t, &x);
            CHECK(gain >= 0);
            CHECK_NEAR(before - se_nest_cost(&t), gain, 1e-9 * (1 + x.vol));
        }
        se_levels_release(&l);
        se_nest_release(&t);
        se_quotient_release(&x);
    }
    unit_ok("moves across the tree gain what they say");
}

/* Two trees combined, and again and again with what shaking makes of the outcome. */
static void test_shake(void)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct se_quotient x = SE_QUOTIENT_INIT;
        struct se_nest t[2] = { SE_NEST_INIT, SE_NEST_INIT };
        struct se_refine_options how = { .seed = seed, .threads = 1, .tries = 1, .cycles = 1,
                                 .rounds = seed % 5 > 0, .rebuild = seed % 2,
                                 .most = UINT64_MAX };
        struct se_rng r;
        uint32_t k = 2 + (uint32_t)(seed % 4);
        double before;
        se_rng_init(&r, seed, SE_RNG_TEST, 14);
        dense_random(&d, 3 + (uint32_t)se_rng_below(&r, 40), 0.05 + 0.3 * se_rng_unit(&r),
                     seed % 2 == 0, seed % 3 == 0, &r);
        CHECK(se_quotient_of_graph(&x, &d.g, 1, &err) == 0);
        for (int i = 0; i < 2; i++) {
            random_nest(&t[i], &x, &r);
            CHECK(se_squeeze_exact(&t[i], k, &err) == 0);
        }
        before = fmin(se_nest_cost(&t[0]), se_nest_cost(&t[1]));
        for (int i = 0; i < 4; i++) {
            how.seed += 1000;
            if (i > 0)
                CHECK(se_nest_shaken(&t[1], &t[0], &x, k, &how, &err) == 0);
            check_measure(&t[1], &x);
            CHECK(se_nest_height(&t[1], &err) <= k);
            CHECK(se_nest_combine(&t[0], &t[1], &x, k, &how, &err) == 0);
            CHECK(se_nest_cost(&t[0]) <= before + 1e-9 * x.vol);
            CHECK(se_nest_height(&t[0], &err) <= k);
            check_measure(&t[0], &x);
            before = se_nest_cost(&t[0]);
        }
        se_nest_release(&t[0]);
        se_quotient_release(&x);
    }
    unit_ok("trees combined and shaken cost no more than before");
}

/* ---- depth-first numbers ---- */

/* Vertices in random modules or alone under the root, laid out by going through all of them for
 * each */
static void check_layout(uint32_t n, uint32_t modules, struct se_rng *r)
{
    struct se_nest t = SE_NEST_INIT;
    struct se_hierarchy h = SE_HIERARCHY_INIT;
    uint32_t id[MOST], at = 1, count = 0;

    CHECK(se_nest_alloc(&t, n, n + modules + 1, &err) == 0);
    for (uint32_t v = 0; v < n; v++)            /* each has a vertex: n >= modules */
        id[v] = v < modules ? v : (uint32_t)se_rng_below(r, modules + 1);
    for (uint32_t v = 0; v < n; v++) {
        const uint32_t other = (uint32_t)se_rng_below(r, n), swap = id[v];
        id[v] = id[other];
        id[other] = swap;
    }
    for (uint32_t v = 0; v < n; v++)
        t.parent[v] = n + id[v];
    for (uint32_t a = n; a <= n + modules; a++)
        t.parent[a] = a < n + modules ? n + modules : SE_NONE;
    CHECK(se_nest_tree(&h, &t, false, &err) == 0);
    CHECK(h.nodes == t.nodes && h.parent[0] == SE_NONE && h.vertex[0] == SE_NONE);
    for (uint32_t v = 0; v < n; v++) {
        const uint32_t m = id[v], node = at;

        if (m > modules)                        /* seen before */
            continue;
        if (m < modules)
            CHECK(h.parent[at] == 0 && h.vertex[at] == SE_NONE);
        at += m < modules;
        for (uint32_t w = v; w < n && (m < modules || w == v); w++)
            if (id[w] == m) {
                CHECK(h.parent[at] == (m < modules ? node : 0) && h.vertex[at] == w);
                at++;
                count++;
                id[w] = SE_NONE;
            }
    }
    CHECK(at == h.nodes && count == n);
    se_hierarchy_release(&h);
    se_nest_release(&t);
}

static void test_layout(void)
{
    struct se_rng r;

    se_rng_init(&r, 5, SE_RNG_TEST, 40);
    for (uint32_t i = 0; i < 300; i++) {
        const uint32_t n = 1 + (uint32_t)se_rng_below(&r, MOST - 1);
        check_layout(n, (uint32_t)se_rng_below(&r, n + 1 < 6 ? n + 1 : 6), &r);
    }
    unit_ok("one level of modules in depth-first order");
}

int main(void)
{
    test_join();
    test_squeeze();
    test_move();
    test_shift();
    test_shake();
    test_layout();
    return unit_done();
}
