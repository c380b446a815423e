/* test-nn-levels.c - levels of a tree and the pooling of sep, against the plain definition, in double */
#define SE_REAL double

#include "tests/unit/dense.h"

/* Leaves at three depths: 0 to 4 and 5 to 9 in two modules of one, which has 10 besides; 11 under
 * the root; the others in a module without any */
static void make_uneven(struct level_tree *x)
{
    uint32_t top, low;

    x->t = (struct se_tree){ N, 0, x->parent, x->vertex };
    level_node(x, SE_NONE, SE_NONE);
    top = level_node(x, 0, SE_NONE);
    for (uint32_t i = 0; i < 2; i++) {
        low = level_node(x, top, SE_NONE);
        for (uint32_t v = 5 * i; v < 5 * i + 5; v++)
            level_node(x, low, v);
    }
    level_node(x, top, 10);
    level_node(x, 0, 11);
    top = level_node(x, 0, SE_NONE);
    for (uint32_t v = 12; v < N; v++)
        level_node(x, top, v);
}

/* Every vertex is a module of its own */
static void make_singles(struct level_tree *x)
{
    x->t = (struct se_tree){ N, 0, x->parent, x->vertex };
    level_node(x, SE_NONE, SE_NONE);
    for (uint32_t v = 0; v < N; v++)
        level_node(x, level_node(x, 0, SE_NONE), v);
}

/* Modules and the graph among them against the plain definition; module: of each vertex */
static void check_level(const struct se_level *l, const struct se_nngraph *g,
                        const uint32_t module[N])
{
    static bool joined[N][N];

    memset(joined, 0, sizeof joined);
    for (uint64_t v = 0; v < N; v++)
        for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++)
            joined[module[v]][module[g->to[e]]] = true;
    for (uint64_t p = 0; p < l->n; p++) {
        uint64_t degree = 0;

        for (uint64_t q = 0; q < l->n; q++)
            degree += joined[p][q];
        CHECK(joined[p][p] && l->graph.off[p + 1] - l->graph.off[p] == degree);
        for (uint64_t e = l->graph.off[p]; e < l->graph.off[p + 1]; e++) {
            CHECK(joined[p][l->graph.to[e]] && l->graph.weight[e] == 1);
            CHECK(e == l->graph.off[p] || l->graph.to[e] > l->graph.to[e - 1]);
        }
        for (uint64_t i = l->off[p]; i < l->off[p + 1]; i++)
            CHECK(l->parent[l->member[i]] == p);
    }
}

static void check_levels(void)
{
    static struct level_tree uneven, singles;
    static struct world w;
    struct se_err err = SE_ERR_INIT;

    make_uneven(&uneven);
    make_singles(&singles);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct se_netlevels x;
        uint32_t module[N];

        make_world(&w, seed, 0);
        CHECK(se_netlevels_make(&x, &uneven.t, &w.graph, &err) == 0 && x.count == 2);
        CHECK(x.level[0].n == 2 + 2 + N - 12 && x.level[1].n == 3);
        for (uint32_t v = 0; v < N; v++)
            module[v] = v < 10 ? v / 5 : v - 8;
        CHECK(memcmp(module, x.level[0].parent, sizeof module) == 0);
        check_level(&x.level[0], &w.graph, module);
        for (uint32_t v = 0; v < N; v++) {
            CHECK(x.level[1].parent[module[v]] == (v < 11 ? 0 : v == 11 ? 1 : 2));
            module[v] = x.level[1].parent[module[v]];
        }
        check_level(&x.level[1], &w.graph, module);
        se_netlevels_release(&x);
        CHECK(se_netlevels_make(&x, &singles.t, &w.graph, &err) == 0 && x.count == 1);
        CHECK(x.level[0].graph.arcs == w.graph.arcs);
        CHECK(memcmp(x.level[0].graph.to, w.graph.to, w.graph.arcs * sizeof *w.graph.to) == 0);
        se_netlevels_release(&x);
        free_world(&w);
    }
    unit_ok("levels of a tree, and the graphs among their modules, by definition");
}

/* A linear layer, then up and down again: the sum over the module of each vertex; of a row of
 * ones that is the size of its module. */
static void check_pools(void)
{
    static struct world w;

    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (int steps = 1; steps <= 2; steps++) {
            struct se_err err = SE_ERR_INIT;
            double x[N * COLS], h[N * CLASSES], want[N * CLASSES];
            const struct se_level *l;

            make_world(&w, seed, 0);
            l = w.levels.level;
            CHECK(se_net_linear(&w.net, CLASSES, &err) == 0);
            for (int i = 0; i < steps; i++)
                CHECK(se_net_pool(&w.net, &err) == 0);
            for (int i = 0; i < steps; i++)
                CHECK(se_net_unpool(&w.net, &err) == 0);
            CHECK(se_net_ready(&w.net, &err) == 0);
            stir(&w.net);
            memset(value_of(&w, 0), 0, COLS * sizeof(double) * CLASSES * (seed % 2));
            for (int c = 0; c < CLASSES * (int)(seed % 2); c++)
                value_of(&w, 1)[c] = 1;                 /* then all rows are ones */
            dense_input(&w, x);
            multiply(x, value_of(&w, 0), N, COLS, CLASSES, h);
            add_row(h, value_of(&w, 1), CLASSES);
            for (int v = 0; v < N; v++)
                for (int c = 0; c < CLASSES; c++) {
                    double sum = 0, size = 0;

                    for (int u = 0; u < N; u++) {
                        const uint32_t a = l[0].parent[u], b = l[0].parent[v];
                        const bool same = steps == 1 ? a == b : l[1].parent[a] == l[1].parent[b];

                        sum += same ? h[u * CLASSES + c] : 0;
                        size += same;
                    }
                    want[v * CLASSES + c] = sum;
                    CHECK(seed % 2 == 0 || sum == size);
                }
            compare(&w, want);
            free_world(&w);
        }
    unit_ok("sep: up and down a tree is the sum over the module");
}

int main(void)
{
    check_levels();
    check_pools();
    return unit_done();
}
