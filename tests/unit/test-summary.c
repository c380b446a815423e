/* test-summary.c - what se-info counts, against slow and obvious code on random graphs */
#include "common/inspect/summary.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/rng.h"
#include "common/tree/odds.h"
#include "tests/unit/unit.h"

enum { MOST = 24, CLASSES = 4 };

/* A random graph as a matrix and as the section has it */
struct toy {
    uint64_t n;
    bool edge[MOST][MOST];
    uint64_t off[MOST + 1];
    uint32_t to[MOST * MOST];
    int32_t label[MOST];
    struct se_graph graph;
    struct se_labels labels;
    uint32_t parent[4 * MOST], vertex[4 * MOST];
    struct se_tree tree;
};

static void toy_graph(struct toy *x, struct se_rng *r)
{
    const double density = se_rng_unit(r);
    uint64_t m = 0;

    x->n = 1 + se_rng_below(r, MOST);
    for (uint64_t u = 0; u < x->n; u++) {
        x->off[u] = m;
        for (uint64_t v = u + 1; v < x->n; v++)
            if (se_rng_unit(r) < density * density) {
                x->edge[u][v] = x->edge[v][u] = true;
                x->to[m++] = (uint32_t)v;
            }
        x->label[u] = (int32_t)se_rng_below(r, CLASSES + 1) - 1;
    }
    x->off[x->n] = m;
    x->graph = (struct se_graph){ x->n, m, 0, x->off, x->to, NULL, NULL, NULL };
    x->labels = (struct se_labels){ x->n, CLASSES, x->label, NULL, 0 };
}

/* A random tree in depth-first order: walk up or down before each leaf. */
static void toy_tree(struct toy *x, struct se_rng *r)
{
    uint32_t path[MOST + 1] = { 0 }, nodes = 1;
    int depth = 0;

    x->parent[0] = x->vertex[0] = SE_NONE;
    for (uint64_t v = 0; v < x->n; v++) {
        depth -= (int)se_rng_below(r, (uint64_t)depth + 1);
        while (depth < 4 && se_rng_below(r, 3) == 0) {
            x->parent[nodes] = path[depth];
            x->vertex[nodes] = SE_NONE;
            path[++depth] = nodes++;
        }
        x->parent[nodes] = path[depth];
        x->vertex[nodes++] = (uint32_t)v;
    }
    x->tree = (struct se_tree){ x->n, nodes, x->parent, x->vertex };
}

static void toy_make(struct toy *x, uint64_t seed)
{
    struct se_rng r;
    struct se_err err = SE_ERR_INIT;

    memset(x, 0, sizeof *x);
    se_rng_init(&r, seed, SE_RNG_TEST, 0);
    toy_graph(x, &r);
    toy_tree(x, &r);
    CHECK(se_tree_check(&x->tree, &err) == 0);
}

static void spread(const struct toy *x, uint64_t u, uint64_t mark, uint64_t *component)
{
    component[u] = mark;
    for (uint64_t v = 0; v < x->n; v++)
        if (x->edge[u][v] && component[v] == 0)
            spread(x, v, mark, component);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void check_facts(const struct toy *x, const struct se_graph_facts *f)
{
    uint64_t component[MOST] = { 0 }, degree[MOST] = { 0 }, components = 0, largest = 0;
    uint64_t isolated = 0, both = 0, equal = 0;

    for (uint64_t u = 0; u < x->n; u++) {
        if (component[u] == 0)
            spread(x, u, ++components, component);
        for (uint64_t v = 0; v < x->n; v++) {
            degree[u] += x->edge[u][v];
            if (v > u && x->edge[u][v] && x->label[u] >= 0 && x->label[v] >= 0) {
                both++;
                equal += x->label[u] == x->label[v];
            }
        }
        isolated += degree[u] == 0;
    }
    qsort(degree, x->n, sizeof *degree, by_value);
    CHECK(f->components == components && f->isolated == isolated);
    CHECK(f->degree_min == degree[0] && f->degree_max == degree[x->n - 1]);
    CHECK(f->degree_median == (double)(degree[(x->n - 1) / 2] + degree[x->n / 2]) / 2);
    CHECK(f->labelled_edges == both);
    if (both > 0)
        CHECK_NEAR(f->homophily, (double)equal / (double)both, 1e-12);
    else
        CHECK(isnan(f->homophily));
    for (uint64_t u = 0; u < x->n; u++) {
        uint64_t size = 0;

        for (uint64_t v = 0; v < x->n; v++)
            size += component[v] == component[u];
        largest = size > largest ? size : largest;
    }
    CHECK(f->largest == largest);
}

static void test_facts(void)
{
    static struct toy x;

    for (uint64_t seed = 0; seed < 500; seed++) {
        struct se_graph_facts f;
        struct se_err err = SE_ERR_INIT;

        toy_make(&x, seed);
        CHECK(se_graph_facts(&f, &x.graph, &x.labels, &err) == 0);
        check_facts(&x, &f);
        CHECK(se_graph_facts(&f, &x.graph, NULL, &err) == 0 && isnan(f.homophily));
    }
    unit_ok("components, degrees and homophily");
}

/* The node of `depth` above a vertex, or its leaf if that lies higher */
static uint32_t group_of(const struct toy *x, const struct se_measure *m, uint64_t v,
                         uint32_t depth)
{
    uint32_t a = 0;

    while (x->tree.vertex[a] != v)
        a++;
    while (m->depth[a] > depth)
        a = x->tree.parent[a];
    return a;
}

static void check_level(const struct toy *x, const struct se_measure *m, uint32_t depth,
                        const struct se_level *l)
{
    uint64_t nodes = 0, sizes[4 * MOST], labelled = 0, right = 0;
    double h = 0;

    for (uint32_t a = 0; a < x->tree.nodes; a++)
        if (m->depth[a] == depth) {
            h += m->entropy[a];
            sizes[nodes++] = m->leaves[a];
        }
    for (uint32_t a = 0; a < x->tree.nodes; a++) {
        uint64_t have[CLASSES] = { 0 }, most = 0;

        for (uint64_t v = 0; v < x->n; v++)
            if (x->label[v] >= 0 && group_of(x, m, v, depth) == a) {
                labelled++;
                have[x->label[v]]++;
            }
        for (int c = 0; c < CLASSES; c++)
            most = have[c] > most ? have[c] : most;
        right += most;
    }
    qsort(sizes, nodes, sizeof *sizes, by_value);
    CHECK(l->nodes == nodes && l->size_min == sizes[0] && l->size_max == sizes[nodes - 1]);
    CHECK(l->size_median == (double)(sizes[(nodes - 1) / 2] + sizes[nodes / 2]) / 2);
    CHECK_NEAR(l->h, h, 1e-12);
    if (labelled > 0)
        CHECK_NEAR(l->purity, (double)right / (double)labelled, 1e-12);
    else
        CHECK(isnan(l->purity));
}

static void test_levels(void)
{
    static struct toy x;

    for (uint64_t seed = 0; seed < 500; seed++) {
        struct se_measure m = SE_MEASURE_INIT;
        struct se_level level[64];
        struct se_err err = SE_ERR_INIT;
        uint32_t levels, height;
        double h = 0;

        toy_make(&x, seed);
        CHECK(se_measure_make(&m, &x.tree, &x.graph, &err) == 0);
        CHECK(se_tree_levels(&x.tree, &m, &x.labels, level, 64, &levels, &err) == 0);
        CHECK(se_tree_height(&x.tree, &height, &err) == 0);
        CHECK(levels == m.height && height == m.height);
        for (uint32_t i = 0; i < levels; i++) {
            check_level(&x, &m, i + 1, &level[i]);
            h += level[i].h;
        }
        CHECK_NEAR(h, m.h, 1e-12);
        CHECK(se_tree_levels(&x.tree, &m, NULL, level, 1, &levels, &err) == 0 && levels == 1);
        se_measure_release(&m);
    }
    unit_ok("sizes, entropy and purity of the levels of a tree");
}

/* A draw at node a by the rule itself: the chances of all pairs of leaves, by recursion over
 * all that may happen. */
static double chance(const struct toy *x, const struct se_measure *m, uint32_t c)
{
    double sum = 0;

    for (uint32_t a = 1; a < x->tree.nodes; a++)
        if (x->tree.parent[a] == x->tree.parent[c])
            sum += exp(m->entropy[a]);
    return exp(m->entropy[c]) / sum;
}

static void walk(const struct toy *x, const struct se_measure *m, uint32_t a, double p,
                 double *leaf)
{
    if (x->tree.vertex[a] != SE_NONE)
        leaf[x->tree.vertex[a]] = p;
    for (uint32_t c = a + 1; c < x->tree.nodes; c++)
        if (x->tree.parent[c] == a)
            walk(x, m, c, p * chance(x, m, c), leaf);
}

static void all_pairs(const struct toy *x, const struct se_measure *m, uint32_t a,
                      double pair[MOST][MOST])
{
    for (uint32_t c = 1; c < x->tree.nodes; c++)
        for (uint32_t d = 1; d < x->tree.nodes; d++) {
            double left[MOST] = { 0 }, right[MOST] = { 0 };

            if (c == d || x->tree.parent[c] != a || x->tree.parent[d] != a)
                continue;
            const double p = chance(x, m, c) * chance(x, m, d) / (1 - chance(x, m, c));
            walk(x, m, c, 1, left);
            walk(x, m, d, 1, right);
            for (uint64_t u = 0; u < x->n; u++)
                for (uint64_t v = 0; v < x->n; v++)
                    pair[u][v] += p * (left[u] * right[v] + left[v] * right[u]);
        }
}

static void test_odds(void)
{
    static struct toy x;

    for (uint64_t seed = 0; seed < 120; seed++) {
        struct se_measure m = SE_MEASURE_INIT;
        struct se_law law = SE_LAW_INIT;
        struct se_err err = SE_ERR_INIT;
        double seen[4 * MOST] = { 0 };

        toy_make(&x, seed);
        CHECK(se_measure_make(&m, &x.tree, &x.graph, &err) == 0);
        CHECK(se_law_make(&law, &x.tree, &m, SE_SIGMA_SOFTMAX, 1, &err) == 0);
        for (uint32_t u = 0; u < x.n; u++)
            for (uint32_t v = 0; v < x.n; v++) {
                struct se_odds odds;
                double pair[MOST][MOST] = { { 0 } };

                if (u == v)
                    continue;
                se_odds_of(&odds, &x.tree, &m, &law, u, v);
                seen[odds.ancestor] += odds.probability / 2;    /* each pair comes twice */
                if ((u + v) % 5 > 0)
                    continue;
                all_pairs(&x, &m, odds.ancestor, pair);
                CHECK_NEAR(odds.probability, pair[u][v], 1e-12);
                CHECK(odds.probability > 0 && odds.level == m.depth[odds.ancestor]);
            }
        for (uint32_t a = 0; a < x.tree.nodes; a++)     /* a draw always gives some pair */
            CHECK(seen[a] == 0 || fabs(seen[a] - 1) < 1e-9);
        se_law_release(&law);
        se_measure_release(&m);
    }
    unit_ok("the odds of a pair are those of the rule");
}

static void test_hits(void)
{
    const int32_t label[6] = { 0, 1, 1, -1, 0, 2 }, guess[6] = { 0, 1, 0, 1, -1, 2 };
    const float sure[6] = { 1, 1, 1, 1, 1, 1 };
    const uint8_t part[6] = { 1, 1, 2, 2, 3, 3 };
    const struct se_labels l = { 6, 3, label, NULL, 0 };
    const struct se_predictions p = { 6, guess, sure };
    struct se_hits x;

    se_count_hits(&x, &p, &l, part);
    CHECK(x.of[1] == 2 && x.right[1] == 2 && x.of[2] == 1 && x.right[2] == 0);
    CHECK(x.of[3] == 1 && x.right[3] == 1 && x.of[0] == 0);
    se_count_hits(&x, &p, &l, NULL);
    CHECK(x.of[0] == 4 && x.right[0] == 3);
    unit_ok("accuracy counts vertices with label and prediction");
}

int main(void)
{
    test_facts();
    test_levels();
    test_odds();
    test_hits();
    return unit_done();
}
