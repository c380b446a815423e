/* test-setree-intervals.c - trees of runs of vertices against all that there are */
#include <stdio.h>

#include "common/tree/intervals.h"
#include "tests/unit/setree.h"
#include "tests/unit/unit.h"

enum { SMALL = 9 };             /* vertices, for trees of three levels; 2 more for two */

static struct dense d;

/* The tree of runs that bits of `fine` begin (bit i: vertex i + 1 begins a run), within the runs
 * that `coarse` begins.  Without `deep` there is only `fine`. */
static struct se_tree runs(uint32_t coarse, uint32_t fine, bool deep, uint32_t *parent,
                           uint32_t *vertex)
{
    uint32_t at = 1, high = 0, low = 0;

    parent[0] = vertex[0] = SE_NONE;
    for (uint32_t v = 0; v < d.n; v++) {
        if (deep && (v == 0 || coarse >> (v - 1) & 1)) {
            high = at;
            parent[at] = 0;
            vertex[at++] = SE_NONE;
        }
        if (v == 0 || fine >> (v - 1) & 1) {
            low = at;
            parent[at] = high;
            vertex[at++] = SE_NONE;
        }
        parent[at] = low;
        vertex[at++] = v;
    }
    return (struct se_tree){ d.n, at, parent, vertex };
}

static double least(bool deep)
{
    uint32_t parent[4 * MOST], vertex[4 * MOST];
    double best = INFINITY;

    for (uint32_t coarse = 0; coarse < (deep ? 1u << (d.n - 1) : 1u); coarse++)
        for (uint32_t fine = 0; fine < 1u << (d.n - 1); fine++) {
            const struct se_tree t = runs(coarse, fine, deep, parent, vertex);
            const double h = (fine & coarse) == coarse ? slow_entropy(&t, &d) : INFINITY;

            best = h < best ? h : best;
        }
    return best;
}

/* Does every node hold vertices that follow each other? */
static bool all_runs(const struct se_tree *t)
{
    for (uint64_t a = 0; a < t->nodes; a++) {
        uint32_t low = SE_NONE, high = 0, count = 0;

        for (uint64_t b = 0; b < t->nodes; b++) {
            uint64_t up = b;

            while (t->vertex[b] != SE_NONE && up != a && up != 0)
                up = t->parent[up];
            if (t->vertex[b] == SE_NONE || up != a)
                continue;
            low = t->vertex[b] < low ? t->vertex[b] : low;
            high = t->vertex[b] > high ? t->vertex[b] : high;
            count++;
        }
        if (count == 0 || high - low + 1 != count)
            return false;
    }
    return true;
}

static double entropy_of(uint64_t k)
{
    struct se_hierarchy h = SE_HIERARCHY_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_tree t;
    double entropy;

    CHECK(se_tree_intervals(&h, &d.g, k, false, 1, &err) == 0);
    t = se_hierarchy_view(&h);
    CHECK(se_tree_check(&t, &err) == 0);
    CHECK(all_runs(&t));
    entropy = slow_entropy(&t, &d);
    se_hierarchy_release(&h);
    return entropy;
}

static void test_two_levels(void)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct se_rng r;

        se_rng_init(&r, seed, 1, 0);
        dense_random(&d, 2 + (uint32_t)se_rng_below(&r, SMALL + 1), .2 + .6 * se_rng_unit(&r),
                     seed % 3 > 0, seed % 2 == 0, &r);
        CHECK_NEAR(entropy_of(2), least(false), 1e-9);
    }
    unit_ok("two levels: the least entropy of all cuts into runs");
}

/* Not always the best, but never worse than fewer levels, and mostly the best. */
static void test_three_levels(void)
{
    int same = 0;

    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct se_rng r;
        double h, most;

        se_rng_init(&r, seed, 2, 0);
        dense_random(&d, 4 + (uint32_t)se_rng_below(&r, SMALL - 3), .5, seed % 3 > 0,
                     seed % 2 == 0, &r);
        h = entropy_of(3);
        most = least(true);
        CHECK(h >= most - 1e-9);
        CHECK(h <= entropy_of(2) + 1e-9);
        CHECK(entropy_of(4) <= entropy_of(2) + 1e-9);
        same += h < most + 1e-9;
    }
    printf("# three levels: the best of all in %d of 40\n", same);
    CHECK(same >= 30);
    unit_ok("three levels: not worse than two, and mostly the best");
}

/* Blocks along the diagonal, large enough for starts to be dropped: against the same sums
 * without dropping */
static double plain_two_levels(void)
{
    double best[MOST + 1] = { 0 }, vol = 0, total = 0, constant = 0;

    for (uint32_t v = 0; v < d.n; v++)
        vol += dense_degree(&d, v);
    for (uint32_t j = 0; j < d.n; j++) {
        double inside = 0, volume = 0;

        best[j + 1] = best[j];
        for (uint32_t i = j + 1; i-- > 0;) {
            volume += dense_degree(&d, i);
            for (uint32_t u = i + 1; u <= j; u++)
                inside += d.w[i][u];
            if (inside > 0 && best[i] + inside * log2(vol / volume) > best[j + 1])
                best[j + 1] = best[i] + inside * log2(vol / volume);
        }
    }
    for (uint32_t v = 0; v < d.n; v++) {
        const double degree = dense_degree(&d, v), out = degree - 2 * d.w[v][v];

        total += out / 2;
        constant += out > 0 ? out * log2(degree) : 0;
    }
    return (2 * (total * log2(vol) - best[d.n]) - constant) / vol;
}

static void test_blocks(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct se_rng r;
        uint32_t block;

        se_rng_init(&r, seed, 3, 0);
        block = 5 + (uint32_t)se_rng_below(&r, 15);
        d.n = 150 + (uint32_t)se_rng_below(&r, 50);
        for (uint32_t u = 0; u < d.n; u++)
            for (uint32_t v = u; v < d.n; v++) {
                const double mean = (u / block == v / block ? 4 : .8) / (1 + .2 * (v - u));
                d.w[u][v] = u == v ? 0 : se_rng_unit(&r) < mean ? 1 + se_rng_unit(&r) : -1;
            }
        dense_finish(&d, true);
        CHECK_NEAR(entropy_of(2), plain_two_levels(), 1e-9);
    }
    unit_ok("blocks along the diagonal: the same as without dropping starts");
}

int main(void)
{
    test_two_levels();
    test_three_levels();
    test_blocks();
    return unit_done();
}
