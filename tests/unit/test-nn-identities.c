/* test-nn-identities.c - models in special cases are simpler models: against dense algebra, in
 * double; those of grand and mixhop are in test-nn-arcs.c, that of sep in test-nn-levels.c */
#define SE_REAL double

#include "tests/unit/dense.h"

enum { WIDE = 5 };

static void relu(double *x, int count)
{
    for (int i = 0; i < count; i++)
        x[i] = fmax(x[i], 0);
}

/* D^-1/2 A D^-1/2 from the weights of the arcs alone */
static void dense_norm(const struct se_nngraph *g, double *p)
{
    double degree[N] = { 0 };

    memset(p, 0, N * N * sizeof *p);
    for (uint64_t v = 0; v < N; v++)
        for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++)
            degree[v] += g->weight[e];
    for (uint64_t v = 0; v < N; v++)
        for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++)
            p[v * N + g->to[e]] = g->weight[e] / sqrt(degree[v] * degree[g->to[e]]);
}

static void build(struct world *w, const char *name, uint64_t seed, int shape,
                  const struct se_model_options *h)
{
    struct se_err err = SE_ERR_INIT;

    make_world(w, seed, shape);
    CHECK(se_model_find(name, true, &err)->build(&w->net, h, &err) == 0);
    CHECK(se_net_ready(&w->net, &err) == 0);
    stir(&w->net);
}

/* An edgeless graph in place of the world's, with no loops either */
static void take_edges(struct world *w, struct se_nngraph *graph)
{
    struct se_err err = SE_ERR_INIT;
    struct se_builder b = SE_BUILDER_INIT;
    struct se_built built;
    struct se_graph g;

    se_nngraph_release(graph);
    b.n = N;
    CHECK(se_builder_put(&b, &w->stream, SE_GRAPH, SE_MERGE_SUM, true, &built, &err) == 0);
    CHECK(se_graph_get(&g, &w->stream, SE_GRAPH, &err) == 0);
    CHECK(se_nngraph_make(graph, &g, true, SE_LOOPS_NONE, &err) == 0);
}

/* ---- gcnii ---- */

/* relu(X W_in + b) */
static void first_layer(struct world *w, double *h)
{
    double x[N * COLS];

    dense_input(w, x);
    multiply(x, value_of(w, 0), N, COLS, WIDE, h);
    add_row(h, value_of(w, 1), WIDE);
    relu(h, N * WIDE);
}

static void last_layer(struct world *w, const double *h)
{
    const int last = w->net.parameters - 2;
    double want[N * CLASSES];

    multiply(h, value_of(w, last), N, WIDE, CLASSES, want);
    add_row(want, value_of(w, last + 1), CLASSES);
    compare(w, want);
}

static void check_gcnii(void)
{
    static struct world w;
    double p[N * N], start[N * WIDE], h[N * WIDE], next[N * WIDE];

    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (int shape = 0; shape < 4; shape++) {
            struct se_model_options o = { .hidden = WIDE, .layers = 4, .classes = CLASSES,
                                          .alpha = 0.2, .lambda = 0 };

            build(&w, "gcnii", seed, shape, &o);        /* lambda 0: no weights but the ends' */
            dense_norm(&w.graph, p);
            first_layer(&w, start);
            memcpy(h, start, sizeof h);
            for (int l = 0; l < 4; l++) {
                multiply(p, h, N, N, WIDE, next);
                for (int i = 0; i < N * WIDE; i++)
                    h[i] = fmax(0.8 * next[i] + 0.2 * start[i], 0);
            }
            last_layer(&w, h);
            loss(&w);
            se_net_backward(&w.net, w.dlogits);
            for (int l = 2; l < 6; l++)
                for (uint64_t i = 0; i < WIDE * WIDE; i++)
                    CHECK(w.net.grad[w.net.parameter[l].start + i] == 0);
            free_world(&w);

            o.layers = 1;
            o.alpha = 0;
            o.lambda = exp(1) - 1;                      /* t = 1: relu(P H W) */
            build(&w, "gcnii", seed, shape, &o);
            dense_norm(&w.graph, p);
            first_layer(&w, start);
            multiply(p, start, N, N, WIDE, next);
            multiply(next, value_of(&w, 2), N, WIDE, WIDE, h);
            relu(h, N * WIDE);
            last_layer(&w, h);
            free_world(&w);
        }
    unit_ok("gcnii: lambda 0 is propagation of the first layer; one layer with t = 1 is relu(P H W)");
}

/* ---- h2gcn ---- */

static void check_h2gcn(void)
{
    static struct world w;
    const struct se_model_options o = { .hidden = WIDE, .layers = 2, .classes = CLASSES };

    for (uint64_t seed = 2; seed <= 2 * SEEDS; seed += 2)
        for (int shape = 0; shape < 2; shape++) {
            double x[N * COLS], h[N * WIDE], want[N * CLASSES];
            struct se_err err = SE_ERR_INIT;

            make_world(&w, seed, shape);
            take_edges(&w, &w.graph);
            take_edges(&w, &w.beside);
            CHECK(se_model_find("h2gcn", true, &err)->build(&w.net, &o, &err) == 0);
            CHECK(se_net_ready(&w.net, &err) == 0);
            stir(&w.net);
            CHECK(w.net.parameters == 2 && w.net.parameter[1].rows == 7 * WIDE);
            dense_input(&w, x);
            multiply(x, value_of(&w, 0), N, COLS, WIDE, h);
            relu(h, N * WIDE);
            multiply(h, value_of(&w, 1), N, WIDE, CLASSES, want);  /* the first rows are H_0's */
            compare(&w, want);
            free_world(&w);
        }
    unit_ok("h2gcn: without edges it is a perceptron without bias");
}

/* Distances by Floyd and Warshall */
static void check_two_hops(void)
{
    static struct world w;

    for (uint64_t seed = 1; seed <= 20; seed++)
        for (int loops = 0; loops < 2; loops++) {
            struct se_nngraph two;
            struct se_err err = SE_ERR_INIT;
            int d[N][N];
            bool joined[N][N] = { { false } };

            make_world(&w, seed, 0);
            for (int u = 0; u < N; u++)
                for (int v = 0; v < N; v++)
                    d[u][v] = u == v ? 0 : N;
            for (uint64_t v = 0; v < N; v++)
                for (uint64_t e = w.graph.off[v]; e < w.graph.off[v + 1]; e++)
                    if (w.graph.to[e] != v)
                        d[v][w.graph.to[e]] = 1;
            for (int k = 0; k < N; k++)
                for (int u = 0; u < N; u++)
                    for (int v = 0; v < N; v++)
                        if (d[u][k] + d[k][v] < d[u][v])
                            d[u][v] = d[u][k] + d[k][v];
            CHECK(se_nngraph_two_hops(&two, &w.graph, loops ? SE_LOOPS_ONE : SE_LOOPS_NONE,
                                      &err) == 0);
            for (uint64_t v = 0; v < N; v++)
                for (uint64_t e = two.off[v]; e < two.off[v + 1]; e++) {
                    if (two.to[e] == v && !loops) {     /* loops are there, and weigh nothing */
                        CHECK(two.weight[e] == 0);
                        continue;
                    }
                    CHECK(two.weight[e] == 1 && !joined[v][two.to[e]]);
                    joined[v][two.to[e]] = true;
                }
            for (int u = 0; u < N; u++)
                for (int v = 0; v < N; v++)
                    CHECK(joined[u][v] == (d[u][v] == 2 || (loops && u == v)));
            se_nngraph_release(&two);
            free_world(&w);
        }
    unit_ok("pairs at distance two, by Floyd and Warshall");
}

/* ---- acm ---- */

/* One layer whose mixture is given to one channel: three times that channel. */
static void check_acm(void)
{
    static struct world w;
    const struct se_model_options o = { .hidden = WIDE, .layers = 1, .classes = CLASSES };

    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (int shape = 0; shape < 4; shape++)
            for (int channel = 0; channel < 3; channel++) {
                double p[N * N], x[N * COLS], y[N * CLASSES], want[N * CLASSES], *mix;

                build(&w, "acm", seed, shape, &o);
                CHECK(w.net.parameters == 5);
                mix = value_of(&w, 4);
                for (int k = 0; k < 9; k++)
                    mix[k] = k % 3 == channel ? 1e6 : 0;
                memset(value_of(&w, 3), 0, 3 * CLASSES * sizeof *mix);  /* sigmoid: 1/2 */
                dense_norm(&w.graph, p);
                dense_input(&w, x);
                multiply(x, value_of(&w, channel), N, COLS, CLASSES, y);
                multiply(p, y, N, N, CLASSES, want);
                for (int i = 0; i < N * CLASSES; i++)
                    want[i] = 3 * fmax(channel == 0 ? want[i] : channel == 1 ? y[i] - want[i]
                                       : y[i], 0);
                compare(&w, want);
                free_world(&w);
            }
    unit_ok("acm: one channel alone is gcn, its complement, or a perceptron");
}

/* ---- fsgnn, linkx ---- */

static void check_fsgnn(void)
{
    static struct world w;
    const struct se_model_options o = { .hidden = WIDE, .hops = 0, .layers = 2,
                                        .classes = CLASSES };

    for (uint64_t seed = 1; seed <= 2 * SEEDS; seed += 2)      /* odd: no second graph */
        for (int shape = 0; shape < 2; shape++) {
            double x[N * COLS], h[N * WIDE], want[N * CLASSES];

            build(&w, "fsgnn", seed, shape, &o);
            dense_input(&w, x);
            multiply(x, value_of(&w, 0), N, COLS, WIDE, h);
            add_row(h, value_of(&w, 1), WIDE);
            for (int v = 0; v < N; v++) {
                double length = 0;

                for (int c = 0; c < WIDE; c++)
                    length += h[v * WIDE + c] * h[v * WIDE + c];
                for (int c = 0; c < WIDE; c++)
                    h[v * WIDE + c] = length > 0 ? fmax(h[v * WIDE + c] / sqrt(length), 0) : 0;
            }
            multiply(h, value_of(&w, 3), N, WIDE, CLASSES, want);  /* 2: the one share */
            add_row(want, value_of(&w, 4), CLASSES);
            compare(&w, want);
            free_world(&w);
        }
    unit_ok("fsgnn: with the features alone it is a perceptron with a normed hidden layer");
}

static void check_linkx(void)
{
    static struct world w;
    const struct se_model_options o = { .hidden = WIDE, .layers = 2, .classes = CLASSES };

    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        for (int shape = 0; shape < 2; shape++) {
            double x[N * COLS], h[N * WIDE], joined[N * WIDE], want[N * CLASSES], *w0;
            struct se_err err = SE_ERR_INIT;

            make_world(&w, seed, shape);
            take_edges(&w, &w.graph);
            CHECK(se_model_find("linkx", true, &err)->build(&w.net, &o, &err) == 0);
            CHECK(se_net_ready(&w.net, &err) == 0);
            stir(&w.net);
            CHECK(w.net.parameters == 8);
            memset(value_of(&w, 3), 0, WIDE * sizeof *x);       /* bias of the neighbours */
            dense_input(&w, x);
            multiply(x, value_of(&w, 0), N, COLS, WIDE, h);
            add_row(h, value_of(&w, 1), WIDE);
            w0 = value_of(&w, 4);                               /* the first rows: features */
            multiply(h, w0, N, WIDE, WIDE, joined);
            add_row(joined, value_of(&w, 5), WIDE);
            for (int i = 0; i < N * WIDE; i++)
                joined[i] += h[i];
            relu(joined, N * WIDE);
            multiply(joined, value_of(&w, 6), N, WIDE, CLASSES, want);
            add_row(want, value_of(&w, 7), CLASSES);
            compare(&w, want);
            free_world(&w);
        }
    unit_ok("linkx: without edges it is a perceptron");
}

/* ---- geomgcn ---- */

/* The part of arc (v, u), by its definition; coordinates differ here */
static int part_by_definition(const float *z, int v, int u, bool latent)
{
    return (latent ? 4 : 0) + 2 * (z[2 * u] > z[2 * v]) + (z[2 * u + 1] > z[2 * v + 1]);
}

/* P_r for each part r, dense */
static void dense_parts(const struct world *w, const float *z, double p[][N * N])
{
    double degree[N] = { 0 };

    memset(p, 0, SE_PARTS * sizeof *p);
    for (int g = 0; g < (w->net.beside ? 2 : 1); g++) {
        const struct se_nngraph *x = g ? &w->beside : &w->graph;

        for (uint64_t v = 0; v < N; v++)
            for (uint64_t e = x->off[v]; e < x->off[v + 1]; e++) {
                const uint64_t u = x->to[e];

                if (g && u == v)
                    continue;
                p[u == v ? 8 : part_by_definition(z, (int)v, (int)u, g)][v * N + u] = x->weight[e];
                degree[v] += x->weight[e];
            }
    }
    for (int r = 0; r < SE_PARTS; r++)
        for (int i = 0; i < N * N; i++)
            p[r][i] /= sqrt(degree[i / N] * degree[i % N]);
}

/* W (rows x SE_PARTS * cols): the block of part r */
static void block(const double *w, int rows, int cols, int r, double *b)
{
    for (int i = 0; i < rows * cols; i++)
        b[i] = w[i / cols * SE_PARTS * cols + r * cols + i % cols];
}

static void place_at_random(float *z, uint64_t seed)
{
    struct se_rng r;

    se_rng_init(&r, seed, SE_RNG_TEST, 5);
    for (int i = 0; i < 2 * N; i++)
        z[i] = (float)se_rng_normal(&r);
}

static void check_geomgcn(void)
{
    static struct world w;
    static double p[SE_PARTS][N * N];
    const struct se_model_options o = { .hidden = WIDE, .layers = 2, .classes = CLASSES };

    for (uint64_t seed = 1; seed <= SEEDS; seed++)      /* even: with a second graph */
        for (int shape = 0; shape < 4; shape++) {
            double x[N * COLS], b[SE_PARTS * WIDE * COLS], y[N * WIDE], s[N * WIDE];
            double h[N * SE_PARTS * WIDE], want[N * CLASSES] = { 0 };
            struct se_err err = SE_ERR_INIT;
            float z[2 * N];

            make_world(&w, seed, shape);
            place_at_random(z, seed);
            w.net.position = z;
            CHECK(se_model_find("geomgcn", true, &err)->build(&w.net, &o, &err) == 0);
            CHECK(se_net_ready(&w.net, &err) == 0);
            stir(&w.net);
            dense_parts(&w, z, p);
            dense_input(&w, x);
            for (int r = 0; r < SE_PARTS; r++) {
                block(value_of(&w, 0), COLS, WIDE, r, b);
                multiply(x, b, N, COLS, WIDE, y);
                multiply(p[r], y, N, N, WIDE, s);
                for (int i = 0; i < N * WIDE; i++)
                    h[i / WIDE * SE_PARTS * WIDE + r * WIDE + i % WIDE] = fmax(s[i], 0);
            }
            for (int r = 0; r < SE_PARTS; r++) {
                block(value_of(&w, 1), SE_PARTS * WIDE, CLASSES, r, b);
                multiply(h, b, N, SE_PARTS * WIDE, CLASSES, y);
                multiply(p[r], y, N, N, CLASSES, s);
                for (int i = 0; i < N * CLASSES; i++)
                    want[i] += s[i] / SE_PARTS;
            }
            compare(&w, want);
            free_world(&w);
        }
    unit_ok("geomgcn: the parts by their definition");
}

/* One layer with the same weights in all parts: a ninth of gcn without bias */
static void check_geomgcn_gcn(void)
{
    static struct world w;
    const struct se_model_options o = { .hidden = WIDE, .layers = 1, .classes = CLASSES };

    for (uint64_t seed = 1; seed <= 2 * SEEDS; seed += 2)
        for (int shape = 0; shape < 4; shape++) {
            double p[N * N], x[N * COLS], b[COLS * CLASSES], y[N * CLASSES], want[N * CLASSES];

            build(&w, "geomgcn", seed, shape, &o);
            block(value_of(&w, 0), COLS, CLASSES, 0, b);
            for (int i = 0; i < COLS * SE_PARTS * CLASSES; i++)
                value_of(&w, 0)[i] = b[i / (SE_PARTS * CLASSES) * CLASSES + i % CLASSES];
            dense_norm(&w.graph, p);
            dense_input(&w, x);
            multiply(x, b, N, COLS, CLASSES, y);
            multiply(p, y, N, N, CLASSES, want);
            for (int i = 0; i < N * CLASSES; i++)
                want[i] /= SE_PARTS;
            compare(&w, want);
            free_world(&w);
        }
    unit_ok("geomgcn: equal weights in all parts are gcn without bias");
}

static void check_quadrants(void)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        float z[2 * N];

        place_at_random(z, seed);
        for (int i = 0; i < 2 * N; i++)         /* many equal coordinates */
            z[i] = seed % 2 ? roundf(z[i]) : z[i];
        for (uint64_t u = 0; u < N; u++)
            for (uint64_t v = 0; v < N; v++)
                if (u != v) {
                    CHECK(quadrant(z, u, v) + quadrant(z, v, u) == 3);
                    CHECK(quadrant(NULL, u, v) + quadrant(NULL, v, u) == 3);
                }
    }
    unit_ok("geomgcn: u lies opposite to v, seen from the other");
}

int main(void)
{
    check_gcnii();
    check_h2gcn();
    check_two_hops();
    check_acm();
    check_fsgnn();
    check_linkx();
    check_geomgcn();
    check_geomgcn_gcn();
    check_quadrants();
    return unit_done();
}
