/* test-gen.c - the generator keeps its promises for many settings and seeds */
#include "common/graph/gen.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/rng.h"
#include "common/graph/gen_parts.h"
#include "common/inspect/summary.h"
#include "tests/unit/unit.h"

static double any(struct se_rng *r, double low, double high)
{
    return low + (high - low) * se_rng_unit(r);
}

/* Some setting, mostly possible */
static struct se_gen random_gen(uint64_t seed)
{
    struct se_rng r;
    struct se_gen g;

    se_rng_init(&r, seed, SE_RNG_TEST, 0);
    g = (struct se_gen){
        .n = 1 + se_rng_below(&r, seed % 4 ? 400 : 12), .levels = 1 + (unsigned)(seed % 4),
        .degree = any(&r, 0, 12), .homophily = any(&r, 0, 1), .noise = any(&r, 0, 1),
        .tight = any(&r, 0, 1), .exponent = seed % 3 ? 0 : any(&r, 2.05, 4),
        .features = (enum se_gen_features)(seed % 3), .dims = 1 + se_rng_below(&r, 60),
        .words = 1 + se_rng_below(&r, 30), .signal = any(&r, 0, 1), .seed = seed,
        .threads = 1 + (int)(seed % 4)
    };
    g.branch[0] = 1 + se_rng_below(&r, 8);
    for (unsigned i = 1; i < g.levels; i++)
        g.branch[i] = 1 + se_rng_below(&r, 5);
    if (seed % 5 == 0)
        g.homophily = seed % 2;
    return g;
}

static void test_blocks(void)
{
    for (uint64_t n = 1; n < 60; n++)
        for (uint64_t parts = 1; parts < 70; parts++) {
            const struct se_block all = { 7, 7 + n };
            uint64_t next = 7;

            for (uint64_t i = 0; i < parts; i++) {
                const struct se_block b = se_block_part(all, i, parts);

                CHECK(b.first == next && b.last >= b.first);
                CHECK(se_block_size(b) == n / parts || se_block_size(b) == n / parts + 1);
                for (uint64_t x = b.first; x < b.last; x++)
                    CHECK(se_block_find(all, x, parts) == i);
                next = b.last;
            }
            CHECK(next == 7 + n);
        }
    unit_ok("blocks are nearly equal parts, and places are found");
}

static void check_graph(const struct se_gen *g, struct se_stream *s)
{
    struct se_err err = SE_ERR_INIT;
    struct se_graph graph = { 0 };
    struct se_labels l = { 0 };
    struct se_graph_facts f;
    uint64_t size[8] = { 0 };

    CHECK(se_graph_get(&graph, s, SE_GRAPH, &err) == 0);        /* simple: the reader checks */
    CHECK(se_labels_get(&l, s, &err) == 0);
    CHECK(graph.n == g->n && l.n == g->n && l.classes == g->branch[0]);
    CHECK(graph.m == (uint64_t)llround((double)g->n * g->degree / 2));
    CHECK(se_graph_facts(&f, &graph, &l, &err) == 0);
    if (graph.m > 0)
        CHECK_NEAR(f.homophily * (double)graph.m,
                   (double)llround(g->homophily * (double)graph.m), 1e-6);
    for (uint64_t v = 0; v < l.n; v++)
        size[l.label[v]]++;
    for (uint64_t c = 0; c < l.classes; c++)
        CHECK(size[c] == g->n / l.classes || size[c] == g->n / l.classes + 1);
}

static void check_features(const struct se_gen *g, struct se_stream *s)
{
    struct se_err err = SE_ERR_INIT;
    struct se_features f = { 0 };

    if (g->features == SE_GEN_NONE) {
        CHECK(!se_stream_has(s, SE_FEATURES));
        return;
    }
    CHECK(se_features_get(&f, s, &err) == 0 && f.n == g->n && f.d == g->dims);
    for (uint64_t v = 0; f.off && v < f.n; v++)
        CHECK(f.off[v + 1] > f.off[v] && f.off[v + 1] - f.off[v] <= g->words / 2 + g->words + 1);
}

/* Whatever was asked for, what is not refused is exact. */
static void test_promises(void)
{
    int made = 0, refused = 0;

    for (uint64_t seed = 0; seed < 400; seed++) {
        const unsigned chosen = (unsigned)(seed / 7) & 15;
        struct se_gen g = random_gen(seed);
        struct se_stream s = SE_STREAM_INIT;
        struct se_err err = SE_ERR_INIT;

        if (se_gen_settle(&g, chosen, &err) < 0) {
            CHECK(chosen != 0 && err.code == SE_EUSAGE && err.text[0]);
            refused++;
            continue;
        }
        made++;
        CHECK(se_gen_make(&g, true, &s, &err) == 0);
        CHECK(se_stream_check(&s, &err) == 0);
        check_graph(&g, &s);
        check_features(&g, &s);
        se_stream_release(&s);
    }
    CHECK(made > 200 && refused > 20);
    unit_ok("edges, homophily, classes and features are as asked");
}

/* The bounds that errors name can be had: the densest graphs of a few small sets. */
static void test_dense(void)
{
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct se_gen g = random_gen(seed);
        struct se_stream s = SE_STREAM_INIT;
        struct se_err err = SE_ERR_INIT;
        const char *most;

        g.n = 2 + seed % 30;
        g.branch[0] = 2 + seed % 2;
        g.degree = 1e6;
        g.noise = 0;
        g.features = SE_GEN_NONE;
        if (g.branch[0] > g.n)
            continue;
        CHECK(se_gen_settle(&g, SE_GEN_DEGREE | SE_GEN_HOMOPHILY | SE_GEN_CLASSES, &err) < 0);
        most = strstr(err.text, "the most is ");
        CHECK(most != NULL);
        if (!most)
            continue;
        g.degree = atof(most + 12);
        CHECK(se_gen_settle(&g, SE_GEN_DEGREE | SE_GEN_HOMOPHILY | SE_GEN_CLASSES, &err) == 0);
        CHECK(se_gen_make(&g, false, &s, &err) == 0);
        check_graph(&g, &s);
        se_stream_release(&s);
    }
    unit_ok("the largest degree that is offered can be had");
}

static void test_threads(void)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct se_digest first = { { 0 } }, d;

        for (int threads = 1; threads <= 4; threads++) {
            struct se_gen g = random_gen(seed);
            struct se_stream s = SE_STREAM_INIT;
            struct se_err err = SE_ERR_INIT;

            g.n = 6000;
            g.threads = threads;
            CHECK(se_gen_settle(&g, 0, &err) == 0 && se_gen_make(&g, true, &s, &err) == 0 &&
                  se_stream_digest(&s, &d, &err) == 0);
            if (threads == 1)
                first = d;
            CHECK(se_digest_equal(&first, &d));
            se_stream_release(&s);
        }
    }
    unit_ok("the same bytes at any number of threads");
}

/* The share of edges that lie within one of the blocks of a level */
static double share_inside(const struct se_graph *g, const struct se_tree *t,
                           const struct se_measure *m, uint32_t level)
{
    uint32_t *group = malloc(g->n * sizeof *group), now = 0;
    uint64_t inside = 0;

    for (uint64_t a = 0; a < t->nodes; a++) {
        if (m->depth[a] == level)
            now = (uint32_t)a;
        if (t->vertex[a] != SE_NONE)
            group[t->vertex[a]] = now;
    }
    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++)
            inside += group[u] == group[g->to[i]];
    free(group);
    return (double)inside / (double)g->m;
}

/* Without noise an edge within a class stays in the part with chance P, else in the
 * community with chance P, else it is anywhere in the class; what is anywhere may lie inside
 * too. */
static void test_levels(void)
{
    struct se_gen g = {
        .n = 6000, .levels = 3, .branch = { 4, 3, 5 }, .degree = 20, .homophily = 0.7,
        .noise = 0, .tight = 0.6, .features = SE_GEN_NONE, .seed = 9, .threads = 2
    };
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_graph graph;
    struct se_tree t;
    struct se_measure m = SE_MEASURE_INIT;

    CHECK(se_gen_settle(&g, 15, &err) == 0 && se_gen_make(&g, true, &s, &err) == 0);
    CHECK(se_graph_get(&graph, &s, SE_GRAPH, &err) == 0 && se_tree_get(&t, &s, &err) == 0);
    CHECK(se_measure_make(&m, &t, &graph, &err) == 0 && m.height == 4);
    CHECK_NEAR(share_inside(&graph, &t, &m, 1), 0.7, 1e-9);
    CHECK_NEAR(share_inside(&graph, &t, &m, 2), 0.7 * (0.6 + 0.24 + 0.16 / 3), 0.01);
    CHECK_NEAR(share_inside(&graph, &t, &m, 3), 0.7 * (0.6 + 0.24 / 5 + 0.16 / 15), 0.01);
    se_measure_release(&m);
    se_stream_release(&s);
    unit_ok("edges prefer the part, then the community, then the class");
}

/* Noise 1: homophily is what chance gives, and blocks hold no more than their share. */
static void test_noise(void)
{
    struct se_gen g = {
        .n = 3000, .levels = 2, .branch = { 5, 4 }, .degree = 20, .homophily = 599.0 / 2999,
        .noise = 1, .tight = 1, .features = SE_GEN_NONE, .seed = 4, .threads = 2
    };
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_graph graph;
    struct se_tree t;
    struct se_measure m = SE_MEASURE_INIT;

    CHECK(se_gen_settle(&g, 15, &err) == 0 && se_gen_make(&g, true, &s, &err) == 0);
    CHECK(se_graph_get(&graph, &s, SE_GRAPH, &err) == 0 && se_tree_get(&t, &s, &err) == 0);
    CHECK(se_measure_make(&m, &t, &graph, &err) == 0);
    CHECK_NEAR(share_inside(&graph, &t, &m, 2), 0.05, 0.008);
    se_measure_release(&m);
    se_stream_release(&s);
    unit_ok("noise ignores communities");
}

/* Power law: the share of vertices above a degree falls with exponent 1 - G. */
static void test_exponent(void)
{
    struct se_gen g = {
        .n = 40000, .levels = 1, .branch = { 2 }, .degree = 10, .homophily = 0.5,
        .exponent = 2.5, .features = SE_GEN_NONE, .seed = 2, .threads = 2
    };
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_graph graph;
    uint32_t *degree = calloc(g.n, sizeof *degree);
    uint64_t above[2] = { 0, 0 };

    CHECK(se_gen_settle(&g, 15, &err) == 0 && se_gen_make(&g, false, &s, &err) == 0);
    CHECK(se_graph_get(&graph, &s, SE_GRAPH, &err) == 0);
    for (uint64_t u = 0; u < graph.n; u++)
        for (uint64_t i = graph.off[u]; i < graph.off[u + 1]; i++) {
            degree[u]++;
            degree[graph.to[i]]++;
        }
    for (uint64_t u = 0; u < graph.n; u++)
        for (int i = 0; i < 2; i++)
            above[i] += degree[u] >= (i ? 120u : 30u);
    CHECK(above[1] > 50);
    CHECK_NEAR(log((double)above[0] / (double)above[1]) / log(4), 1.5, 0.2);
    free(degree);
    se_stream_release(&s);
    unit_ok("degrees follow the power law");
}

/* Rows of words, and their means over neighbours and self, twice: what a graph network sees */
static double *words_of(const struct se_features *f)
{
    double *x = calloc(f->n * f->d, sizeof *x);

    for (uint64_t v = 0; v < f->n; v++)
        for (uint64_t i = f->off[v]; i < f->off[v + 1]; i++)
            x[v * f->d + f->col[i]] = 1;
    return x;
}

static double *smooth(const struct se_graph *g, double *x, uint64_t d)
{
    double *y = malloc(g->n * d * sizeof *y), *degree = calloc(g->n, sizeof *degree);

    memcpy(y, x, g->n * d * sizeof *y);
    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++) {
            const uint64_t v = g->to[i];

            degree[u]++;
            degree[v]++;
            for (uint64_t k = 0; k < d; k++) {
                y[u * d + k] += x[v * d + k];
                y[v * d + k] += x[u * d + k];
            }
        }
    for (uint64_t i = 0; i < g->n * d; i++)
        y[i] /= degree[i / d] + 1;
    free(degree);
    free(x);
    return y;
}

/* Learn the mean of each class on the even vertices, and give the odd ones the nearest. */
static double nearest_mean(const double *x, const struct se_labels *l, uint64_t d)
{
    double *mean = calloc(l->classes * d, sizeof *mean), *size = calloc(l->classes, sizeof *size);
    uint64_t right = 0;

    for (uint64_t v = 0; v < l->n; v += 2) {
        size[l->label[v]]++;
        for (uint64_t k = 0; k < d; k++)
            mean[(uint64_t)l->label[v] * d + k] += x[v * d + k];
    }
    for (uint64_t v = 1; v < l->n; v += 2) {
        double best = INFINITY;
        int32_t guess = -1;

        for (uint64_t c = 0; c < l->classes; c++) {
            double far = 0;

            for (uint64_t k = 0; k < d; k++)
                far += pow(x[v * d + k] - mean[c * d + k] / size[c], 2);
            if (far < best) {
                best = far;
                guess = (int32_t)c;
            }
        }
        right += guess == l->label[v];
    }
    free(mean);
    free(size);
    return (double)right / (double)(l->n / 2);
}

/* The default graph misleads: by features alone most classes are found, by features averaged
 * over neighbours few. */
static void test_misleads(void)
{
    for (uint64_t seed = 0; seed < 3; seed++) {
        struct se_gen g = se_gen_default;
        struct se_stream s = SE_STREAM_INIT;
        struct se_err err = SE_ERR_INIT;
        struct se_graph graph;
        struct se_features f;
        struct se_labels l;
        double alone, once, twice, *x;

        g.seed = seed;
        CHECK(se_gen_settle(&g, 0, &err) == 0 && se_gen_make(&g, false, &s, &err) == 0);
        CHECK(se_graph_get(&graph, &s, SE_GRAPH, &err) == 0);
        CHECK(se_features_get(&f, &s, &err) == 0 && se_labels_get(&l, &s, &err) == 0);
        x = words_of(&f);
        alone = nearest_mean(x, &l, f.d);
        x = smooth(&graph, x, f.d);
        once = nearest_mean(x, &l, f.d);
        x = smooth(&graph, x, f.d);
        twice = nearest_mean(x, &l, f.d);
        free(x);
        printf("# seed %d: features %.3f, one layer of neighbours %.3f, two %.3f\n", (int)seed,
               alone, once, twice);
        CHECK(alone > 0.75 && once < 0.45 && twice < 0.55);
        se_stream_release(&s);
    }
    unit_ok("in the default graph neighbours mislead and features tell");
}

static void test_karate(void)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_graph g;
    struct se_labels l;
    struct se_graph_facts f;

    CHECK(se_karate_make(&s, &err) == 0 && se_stream_check(&s, &err) == 0);
    CHECK(se_graph_get(&g, &s, SE_GRAPH, &err) == 0 && se_labels_get(&l, &s, &err) == 0);
    CHECK(se_graph_facts(&f, &g, &l, &err) == 0);
    CHECK(g.n == 34 && g.m == 78 && f.components == 1 && f.degree_max == 17);
    CHECK(l.classes == 2 && strcmp(l.names, "Mr. Hi") == 0);
    CHECK_NEAR(f.h1, 4.7044225989, 1e-9);
    CHECK_NEAR(f.homophily, 67.0 / 78, 1e-12);          /* eleven ties across */
    se_stream_release(&s);
    unit_ok("the karate club is Zachary's");
}

int main(void)
{
    test_blocks();
    test_promises();
    test_dense();
    test_threads();
    test_levels();
    test_noise();
    test_exponent();
    test_misleads();
    test_karate();
    return unit_done();
}
