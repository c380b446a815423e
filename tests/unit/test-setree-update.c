/* test-setree-update.c - trees brought over to changed graphs */
#include <stdio.h>

#include "common/tree/choose.h"
#include "common/tree/update.h"
#include "tests/unit/setree.h"
#include "tests/unit/unit.h"

static struct dense before, after;

/* The new graph is the old one with other numbers, some vertices fewer and more, some edges
 * changed; in a third of the cases the vertices stay as they are.  now_of_old as se_update_match
 * would tell. */
static void change(uint32_t *now_of_old, struct se_rng *r)
{
    const uint32_t n = before.n, other = se_rng_below(r, 3) > 0;
    const uint32_t gone = other * (uint32_t)se_rng_below(r, 4);
    const uint32_t more = other * (uint32_t)se_rng_below(r, 4);
    const uint32_t turn = other * (uint32_t)se_rng_below(r, n);
    uint32_t count = 0;

    for (uint32_t i = 0; i < n; i++) {
        const uint32_t v = (i + turn) % n;
        now_of_old[v] = i < gone ? SE_NONE : count++;
    }
    after.n = count + more;
    for (uint32_t u = 0; u < after.n; u++)
        for (uint32_t v = u; v < after.n; v++)
            after.w[u][v] = u == v ? 0 : se_rng_below(r, 40) == 0 ? 1 + se_rng_unit(r) : -1;
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t v = u; v < n; v++) {
            const uint32_t a = now_of_old[u], b = now_of_old[v];
            const double w = u != v && !(before.w[u][v] > 0) ? -1 : before.w[u][v];
            if (a != SE_NONE && b != SE_NONE && se_rng_below(r, 60) > 0)
                after.w[a < b ? a : b][a < b ? b : a] = w;
        }
    dense_finish(&after, true);
}

/* By the matrices */
static bool same_edges(uint32_t v, const uint32_t *now_of_old)
{
    for (uint32_t u = 0; u < before.n; u++)
        if (now_of_old[u] == SE_NONE ? before.w[v][u] > 0
                : before.w[v][u] != after.w[now_of_old[v]][now_of_old[u]])
            return false;
    for (uint32_t b = 0; b < after.n; b++) {
        bool old = false;
        for (uint32_t u = 0; u < before.n; u++)
            old = old || now_of_old[u] == b;
        if (!old && after.w[now_of_old[v]][b] > 0)
            return false;
    }
    return true;
}

static void check_changed(const struct se_update *u, const uint32_t *now_of_old)
{
    uint64_t touched = after.n;

    for (uint32_t v = 0; v < before.n; v++)
        if (now_of_old[v] != SE_NONE) {
            const bool same = same_edges(v, now_of_old);

            CHECK(u->changed[now_of_old[v]] == !same);
            touched -= same;
        }
    CHECK(u->touched == touched);
}

/* The tree stays a tree of the new vertices, and the search never makes it worse. */
static void check_trees(const struct se_update *u, struct se_tree_options *how)
{
    const struct se_tree start = se_hierarchy_view(&u->start);
    struct se_err err = SE_ERR_INIT;
    struct se_hierarchy h = SE_HIERARCHY_INIT;
    struct se_tree t;

    CHECK(start.n == after.n && se_tree_check(&start, &err) == 0);
    how->changed = u->changed;
    CHECK(se_tree_build(&h, &after.g, &start, how, &err) == 0);
    t = se_hierarchy_view(&h);
    CHECK(se_tree_check(&t, &err) == 0);
    CHECK(slow_entropy(&t, &after) <= slow_entropy(&start, &after) + 1e-9);
    se_hierarchy_release(&h);
}

static void test_update(void)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct se_tree_options how = SE_TREE_OPTIONS_INIT;
        struct se_update u = SE_UPDATE_INIT;
        struct se_hierarchy h = SE_HIERARCHY_INIT;
        struct se_err err = SE_ERR_INIT;
        uint32_t now_of_old[MOST];
        struct se_tree t;
        struct se_rng r;

        se_rng_init(&r, seed, SE_RNG_TEST, 77);
        how.k = 2 + seed % 3;
        how.effort = SE_EFFORT_FAST;
        dense_random(&before, 8 + (uint32_t)se_rng_below(&r, 40), 0.15, true, false, &r);
        CHECK(se_tree_build(&h, &before.g, NULL, &how, &err) == 0);
        change(now_of_old, &r);
        t = se_hierarchy_view(&h);
        CHECK(se_update_make(&u, &t, &before.g, &after.g, now_of_old, &err) == 0);
        check_changed(&u, now_of_old);
        check_trees(&u, &how);
        se_update_release(&u);
        se_hierarchy_release(&h);
    }
    unit_ok("what changed, against matrices; updated trees are trees and no worse than before");
}

/* H of the tree of height 2 of these modules, by the definition; module[] may be renumbered */
static double slow_h(const uint32_t *module)
{
    struct se_hierarchy h = SE_HIERARCHY_INIT;
    struct se_err err = SE_ERR_INIT;
    uint32_t copy[MOST];
    struct se_tree t;
    double entropy;

    memcpy(copy, module, before.n * sizeof *copy);
    CHECK(se_tree_of_modules(&h, copy, before.n, &err) == 0);
    t = se_hierarchy_view(&h);
    entropy = slow_entropy(&t, &before);
    se_hierarchy_release(&h);
    return entropy;
}

/* Can one vertex of those changed lower H by going elsewhere? */
static bool slow_gain(uint32_t *module, const uint8_t *changed, double h)
{
    bool gains = false;

    for (uint32_t v = 0; v < before.n; v++)
        for (uint32_t j = 0; changed[v] && j < before.n && !gains; j++) {
            const uint32_t old = module[v];

            module[v] = j;
            gains = slow_h(module) < h - 1e-7;
            module[v] = old;
        }
    return gains;
}

/* H falls if any vertex that changed can lower it, else everything stays. */
static void test_patch(void)
{
    int gained = 0;

    for (uint64_t seed = 0; seed < 90; seed++) {
        struct se_tree_options how = SE_TREE_OPTIONS_INIT;
        struct se_hierarchy start = SE_HIERARCHY_INIT, h = SE_HIERARCHY_INIT;
        struct se_err err = SE_ERR_INIT;
        uint32_t module[MOST];
        uint8_t changed[MOST];
        struct se_tree t;
        struct se_rng r;
        double entropy, now;
        bool gains;

        se_rng_init(&r, seed, SE_RNG_TEST, 78);
        dense_random(&before, 6 + (uint32_t)se_rng_below(&r, 12), 0.3, seed % 2, seed % 3 == 0, &r);
        for (uint32_t v = 0; v < before.n; v++) {
            module[v] = (uint32_t)se_rng_below(&r, 5);
            changed[v] = se_rng_below(&r, 4) == 0;
        }
        entropy = slow_h(module);
        gains = slow_gain(module, changed, entropy);
        gained += gains;
        CHECK(se_tree_of_modules(&start, module, before.n, &err) == 0);
        t = se_hierarchy_view(&start);
        how.k = 2;
        how.effort = SE_EFFORT_FAST;
        how.changed = changed;
        CHECK(se_tree_build(&h, &before.g, &t, &how, &err) == 0);
        t = se_hierarchy_view(&h);
        CHECK(se_tree_check(&t, &err) == 0);
        now = slow_entropy(&t, &before);
        CHECK(gains ? now < entropy - 1e-9 : now <= entropy + 1e-9 && now > entropy - 1e-6);
        se_hierarchy_release(&start);
        se_hierarchy_release(&h);
    }
    CHECK(gained > 20 && gained < 90);
    unit_ok("vertices that changed move if that lowers H by its definition");
}

int main(void)
{
    test_patch();
    test_update();
    return unit_done();
}
