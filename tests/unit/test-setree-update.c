/* test-setree-update.c - trees brought over to changed graphs */
#include <stdio.h>

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

int main(void)
{
    test_update();
    return unit_done();
}
