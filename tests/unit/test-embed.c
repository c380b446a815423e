/* test-embed.c - positions of vertices, and the graph of near ones, against slow, obvious code */
#include <stdlib.h>
#include <string.h>

/* the sources, so that parts of them can be tested, each with names of its own */
#define distance poincare_distance
#define learn poincare_learn
#define start poincare_start
#define step poincare_step
#define joined poincare_joined
#include "common/graph/embed_poincare.c"
#undef distance
#undef learn
#undef start
#undef step
#undef joined
#define room struc_room
#define make_rooms struc_make_rooms
#define compare struc_compare
#define draw struc_draw
#include "common/graph/embed_struc2vec.c"
#undef room
#undef make_rooms
#undef compare
#undef draw

#include "common/graph/builder.h"
#include "tests/unit/unit.h"

enum { N = 40 };

struct made {
    struct se_stream stream;
    struct se_adjacency a;
};

static const struct se_embed_options plain = { .dims = 2, .landmarks = 1000, .epochs = 100,
    .negatives = 10, .rate = 0.1, .hops = 4, .walks = 20, .length = 40, .threads = 2, .seed = 1 };

static void finish(struct made *m, struct se_builder *b)
{
    struct se_err err = SE_ERR_INIT;
    struct se_built built;
    struct se_graph g;

    memset(m, 0, sizeof *m);
    CHECK(se_builder_put(b, &m->stream, SE_GRAPH, SE_MERGE_SUM, false, &built, &err) == 0);
    CHECK(se_graph_get(&g, &m->stream, SE_GRAPH, &err) == 0);
    CHECK(se_adjacency_make(&m->a, &g, &err) == 0);
}

static void drop(struct made *m)
{
    se_adjacency_release(&m->a);
    se_stream_release(&m->stream);
}

static void add(struct se_builder *b, uint32_t u, uint32_t v)
{
    struct se_err err = SE_ERR_INIT;

    CHECK(se_builder_add(b, u, v, 1, &err) == 0);
}

/* Two components if `apart`: the last five vertices are a path */
static void make_random(struct made *m, uint64_t seed, bool apart)
{
    struct se_builder b = SE_BUILDER_INIT;
    const uint32_t n = apart ? N - 5 : N;
    struct se_rng r;

    se_rng_init(&r, seed, SE_RNG_TEST, 0);
    b.n = N;
    for (uint32_t v = 1; v < n; v++)
        add(&b, v, (uint32_t)se_rng_below(&r, v));
    for (int i = 0; i < 15; i++)
        add(&b, (uint32_t)se_rng_below(&r, n), (uint32_t)se_rng_below(&r, n));
    for (uint32_t v = n; v + 1 < N; v++)
        add(&b, v, v + 1);
    finish(m, &b);
}

/* ---- isomap ---- */

/* B = -1/2 J D J of the placed vertices, by Floyd and Warshall */
static int scaled(const struct se_adjacency *a, const uint8_t *placed, double *b)
{
    static double d[N][N];
    int id[N], m = 0;

    for (int u = 0; u < N; u++)
        for (int v = 0; v < N; v++)
            d[u][v] = u == v ? 0 : 1e9;
    for (uint64_t u = 0; u < N; u++)
        for (uint64_t e = a->off[u]; e < a->off[u + 1]; e++)
            d[u][a->to[e]] = 1;
    for (int k = 0; k < N; k++)
        for (int u = 0; u < N; u++)
            for (int v = 0; v < N; v++)
                d[u][v] = fmin(d[u][v], d[u][k] + d[k][v]);
    for (int v = 0; v < N; v++)
        if (placed[v])
            id[m++] = v;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) {
            double row = 0, column = 0, all = 0;

            for (int k = 0; k < m; k++) {
                row += d[id[i]][id[k]] * d[id[i]][id[k]] / m;
                column += d[id[k]][id[j]] * d[id[k]][id[j]] / m;
                for (int l = 0; l < m; l++)
                    all += d[id[k]][id[l]] * d[id[k]][id[l]] / m / m;
            }
            b[i * m + j] = -0.5 * (d[id[i]][id[j]] * d[id[i]][id[j]] - row - column + all);
        }
    return m;
}

/* The largest eigenvalue, by many powers of b plus enough of the identity */
static double largest_of(const double *b, int m)
{
    double x[N], y[N], shift = 0, value = 0;

    for (int i = 0; i < m; i++) {
        double sum = 0;

        for (int j = 0; j < m; j++)
            sum += fabs(b[i * m + j]);
        shift = fmax(shift, sum);
        x[i] = sin(1 + i);
    }
    for (int round = 0; round < 20000; round++) {
        double length = 0;

        for (int i = 0; i < m; i++) {
            y[i] = shift * x[i];
            for (int j = 0; j < m; j++)
                y[i] += b[i * m + j] * x[j];
            length += y[i] * y[i];
        }
        value = sqrt(length);
        for (int i = 0; i < m; i++)
            x[i] = y[i] / value;
    }
    return value - shift;
}

static void check_isomap_random(void)
{
    for (uint64_t seed = 1; seed <= 8; seed++) {
        struct se_err err = SE_ERR_INIT;
        static double b[N * N];
        float row[N * 2];
        uint8_t placed[N];
        struct made g;
        int m;

        make_random(&g, seed, seed % 2);
        CHECK(se_embed_isomap(&g.a, &plain, row, placed, &err) == 0);
        m = scaled(&g.a, placed, b);
        CHECK(m == (seed % 2 ? N - 5 : N));
        for (int v = m; v < N; v++)             /* the small component */
            CHECK(row[2 * v] == 0 && row[2 * v + 1] == 0);
        for (int k = 0; k < 2; k++) {           /* b y = value y, |y|^2 = value, the largest */
            double value = 0;

            for (int i = 0; i < m; i++)
                value += (double)row[2 * i + k] * (double)row[2 * i + k];
            CHECK_NEAR(value, largest_of(b, m), 1e-3 * value);
            for (int i = 0; i < m; i++) {
                double sum = 0;

                for (int j = 0; j < m; j++)
                    sum += b[i * m + j] * (double)row[2 * j + k];
                CHECK_NEAR(sum, value * (double)row[2 * i + k], 1e-3 * value);
            }
            for (int i = 0; i < m; i++)         /* and the next of what is left */
                for (int j = 0; j < m; j++)
                    b[i * m + j] -= (double)row[2 * i + k] * (double)row[2 * j + k];
        }
        drop(&g);
    }
    unit_ok("isomap: the two largest eigenvectors of the centred squared distances");
}

/* A path is a line, from few landmarks too; a cycle is a circle. */
static void check_isomap_shapes(void)
{
    for (uint64_t landmarks = 2; landmarks <= N; landmarks += 19) {
        struct se_embed_options o = plain;
        struct se_err err = SE_ERR_INIT;
        struct se_builder b = SE_BUILDER_INIT;
        float row[N * 2];
        uint8_t placed[N];
        struct made g;

        o.landmarks = landmarks;
        for (uint32_t v = 0; v + 1 < N; v++)
            add(&b, v, v + 1);
        finish(&g, &b);
        CHECK(se_embed_isomap(&g.a, &o, row, placed, &err) == 0);
        for (int v = 0; v + 1 < N; v++) {
            CHECK_NEAR(fabs((double)row[2 * v + 2] - (double)row[2 * v]), 1, 1e-4);
            CHECK(fabs((double)row[2 * v + 1]) < 1e-3);
        }
        CHECK_NEAR(fabs((double)row[2 * N - 2] - (double)row[0]), N - 1, 1e-3);
        drop(&g);
    }
    struct se_err err = SE_ERR_INIT;
    struct se_builder b = SE_BUILDER_INIT;
    float row[N * 2];
    uint8_t placed[N];
    struct made g;

    for (uint32_t v = 0; v < N; v++)
        add(&b, v, (v + 1) % N);
    finish(&g, &b);
    CHECK(se_embed_isomap(&g.a, &plain, row, placed, &err) == 0);
    for (int v = 0; v < N; v++)
        CHECK_NEAR(hypot((double)row[2 * v], (double)row[2 * v + 1]),
                   hypot((double)row[0], (double)row[1]), 1e-3);
    drop(&g);
    unit_ok("isomap: a path is a line, a cycle is a circle");
}

/* ---- poincare ---- */

static void check_slope(void)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        double x[3], y[3], g[3] = { 0 };
        struct se_rng r;

        se_rng_init(&r, seed, SE_RNG_TEST, 1);
        for (int k = 0; k < 3; k++) {
            x[k] = se_rng_unit(&r) - 0.5;
            y[k] = se_rng_unit(&r) - 0.5;
        }
        CHECK_NEAR(poincare_distance(x, y, 3),
                   acosh(1 + 2 * gap(x, y, 3) / ((1 - dot(x, x, 3)) * (1 - dot(y, y, 3)))), 1e-12);
        add_slope(x, y, 3, 1, g);
        for (int k = 0; k < 3; k++) {
            const double was = x[k], h = 1e-6;
            double up;

            x[k] = was + h;
            up = poincare_distance(x, y, 3);
            x[k] = was - h;
            CHECK_NEAR(g[k], (up - poincare_distance(x, y, 3)) / (2 * h), 1e-7);
            x[k] = was;
        }
    }
    unit_ok("poincare: distance, and its gradient by differences");
}

/* In a binary tree, how many vertices are nearer to a vertex than its neighbour, on average */
static void check_poincare(void)
{
    enum { LEAVES = 63 };
    struct se_builder b = SE_BUILDER_INIT;
    struct se_err err = SE_ERR_INIT;
    float row[LEAVES * 2];
    double x[LEAVES * 2], rank = 0, count = 0;
    uint8_t placed[LEAVES];
    struct made g;

    for (uint32_t v = 1; v < LEAVES; v++)
        add(&b, v, (v - 1) / 2);
    finish(&g, &b);
    CHECK(se_embed_poincare(&g.a, &plain, row, placed, &err) == 0);
    for (int i = 0; i < 2 * LEAVES; i++)
        x[i] = (double)row[i];
    for (uint32_t v = 0; v < LEAVES; v++) {
        CHECK(placed[v] && dot(x + 2 * v, x + 2 * v, 2) < 1);
        for (uint64_t e = g.a.off[v]; e < g.a.off[v + 1]; e++, count++)
            for (uint32_t w = 0; w < LEAVES; w++)
                rank += w != v && !poincare_joined(&g.a, v, w) &&
                        poincare_distance(x + 2 * v, x + 2 * w, 2) <
                        poincare_distance(x + 2 * v, x + 2 * g.a.to[e], 2);
    }
    CHECK(rank / count < 3);                    /* by chance about 30 */
    drop(&g);
    unit_ok("poincare: neighbours in a tree are near");
}

/* ---- struc2vec ---- */

/* The least cost over all warpings, by trying every step */
static double warp_slowly(const struct run *x, int i, const struct run *y, int j)
{
    double best = INFINITY;

    if (i == 0 && j == 0)
        return cost_of(x[0], y[0]);
    if (i > 0)
        best = fmin(best, warp_slowly(x, i - 1, y, j));
    if (j > 0)
        best = fmin(best, warp_slowly(x, i, y, j - 1));
    if (i > 0 && j > 0)
        best = fmin(best, warp_slowly(x, i - 1, y, j - 1));
    return best + cost_of(x[i], y[j]);
}

static void check_warp(void)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct run x[7], y[7];
        double row[14];
        struct se_rng r;
        int nx, ny;

        se_rng_init(&r, seed, SE_RNG_TEST, 2);
        nx = 1 + (int)se_rng_below(&r, 7);
        ny = 1 + (int)se_rng_below(&r, 7);
        for (int i = 0; i < 7; i++) {
            x[i] = (struct run){ (uint32_t)se_rng_below(&r, 9), 1 + (uint32_t)se_rng_below(&r, 4) };
            y[i] = (struct run){ (uint32_t)se_rng_below(&r, 9), 1 + (uint32_t)se_rng_below(&r, 4) };
        }
        CHECK_NEAR(warp(x, (uint64_t)nx, y, (uint64_t)ny, row),
                   warp_slowly(x, nx - 1, y, ny - 1), 1e-12);
        CHECK(warp(x, (uint64_t)nx, x, (uint64_t)nx, row) == 0);
    }
    unit_ok("struc2vec: warping of degrees, by trying everything");
}

/* Two copies of a random graph: a vertex and its copy cannot be told apart, so they are nearer
 * than two vertices at random. */
static void check_copies(void)
{
    int nearer = 0, asked = 0;

    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct se_builder b = SE_BUILDER_INIT;
        struct se_err err = SE_ERR_INIT;
        float row[N * 2];
        uint8_t placed[N];
        struct se_rng r;
        struct made g;

        se_rng_init(&r, seed, SE_RNG_TEST, 3);
        for (uint32_t v = 1; v < N / 2; v++)
            for (int k = 0; k < 2; k++) {
                const uint32_t u = (uint32_t)(se_rng_unit(&r) * se_rng_unit(&r) * v);

                add(&b, v, u);
                add(&b, v + N / 2, u + N / 2);
            }
        finish(&g, &b);
        CHECK(se_embed_struc2vec(&g.a, &plain, row, placed, &err) == 0);
        for (int v = 0; v < N / 2; v++)
            for (int w = N / 2; w < N; w++) {
                const float *x = row + 2 * v, *y = row + 2 * (v + N / 2), *z = row + 2 * w;

                if (w == v + N / 2)
                    continue;
                asked++;
                nearer += hypot((double)(x[0] - y[0]), (double)(x[1] - y[1])) <
                          hypot((double)(x[0] - z[0]), (double)(x[1] - z[1]));
            }
        drop(&g);
    }
    printf("# a copy is nearer than another vertex in %d of %d cases\n", nearer, asked);
    CHECK(nearer > 0.75 * asked);
    unit_ok("struc2vec: vertices that cannot be told apart are near");
}

/* ---- the latent graph ---- */

struct slow {
    double d;
    uint32_t u, v;
};

static int by_slow(const void *a, const void *b)
{
    const struct slow *x = a, *y = b;

    if (x->d != y->d)
        return x->d < y->d ? -1 : 1;
    return x->u != y->u ? (x->u > y->u) - (x->u < y->u) : (x->v > y->v) - (x->v < y->v);
}

static void check_latent(void)
{
    static struct slow all[N * N];

    for (uint64_t seed = 1; seed <= 60; seed++) {
        const bool hyperbolic = seed % 2, grid = seed % 3 == 0;
        float row[N * 2];
        uint8_t placed[N];
        struct se_rng r;

        se_rng_init(&r, seed, SE_RNG_TEST, 4);
        for (int i = 0; i < 2 * N; i++)         /* a grid has many ties */
            row[i] = grid ? (float)se_rng_below(&r, 4) / 8 : (float)(se_rng_unit(&r) - 0.5);
        for (int v = 0; v < N; v++)
            placed[v] = se_rng_below(&r, 8) > 0;
        for (uint64_t wanted = 0; wanted < 2000; wanted = 3 * wanted + 1) {
            struct se_stream s = SE_STREAM_INIT;
            struct se_err err = SE_ERR_INIT;
            struct se_graph g;
            uint64_t made, count = 0;
            struct se_adjacency a;

            for (uint32_t u = 0; u < N; u++)
                for (uint32_t v = u + 1; v < N; v++)
                    if (placed[u] && placed[v]) {
                        const double x[2] = { (double)row[2 * u], (double)row[2 * u + 1] };
                        const double y[2] = { (double)row[2 * v], (double)row[2 * v + 1] };

                        all[count++] = (struct slow){ hyperbolic ? poincare_distance(x, y, 2)
                                                      : sqrt(gap(x, y, 2)), u, v };
                    }
            qsort(all, count, sizeof *all, by_slow);
            if (count > wanted)
                count = wanted;
            CHECK(se_embed_latent(row, N, 2, placed, hyperbolic, wanted, &s, &made, &err) == 0);
            CHECK(made == count);
            CHECK(se_graph_get(&g, &s, SE_GRAPH, &err) == 0 && g.m == count);
            CHECK(se_adjacency_make(&a, &g, &err) == 0);
            for (uint64_t i = 0; i < count; i++)
                CHECK(poincare_joined(&a, all[i].u, all[i].v));
            se_adjacency_release(&a);
            se_stream_release(&s);
        }
    }
    unit_ok("the nearest pairs, of all pairs sorted; many ties");
}

int main(void)
{
    check_isomap_random();
    check_isomap_shapes();
    check_slope();
    check_poincare();
    check_warp();
    check_copies();
    check_latent();
    return unit_done();
}
