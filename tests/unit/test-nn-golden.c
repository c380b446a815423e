/* test-nn-golden.c - logits, losses, gradients and two steps of Adam against PyTorch's
 *
 * tests/make-train-golden.py made tests/golden/train-NAME.txt, of models and of their options.  The sources are compiled here
 * for double, see test-nn-gradients.c; test-nn-golden-float.c does the same for float. */
#ifndef SE_REAL
#define SE_REAL double
#define NEAR 1e-11
#endif

#include "tests/unit/nets.h"

#include "common/graph/builder.h"
#include "tests/unit/leveltree.h"
#include "tests/unit/unit.h"

enum { N = 10, COLS = 6, CLASSES = 3, TRAIN = 6 };

static struct se_stream stream;
static struct se_nngraph graph, beside;
static struct se_netlevels levels;
static struct se_sparse sparse;
static se_real dense[N * COLS];

/* By the rules of make-train-golden.py */
static void make_graph(struct se_nngraph *to, uint32_t step, uint32_t hub)
{
    struct se_err err = SE_ERR_INIT;
    struct se_builder b = SE_BUILDER_INIT;
    struct se_built built;
    struct se_graph g;

    b.n = N;
    for (uint32_t u = 0; u < N - 1; u++)
        for (uint32_t v = u + 1; v < N - 1; v++)
            if (u == hub || (step * u + 3 * v) % 5 == 0)
                CHECK(se_builder_add(&b, u, v, 1, &err) == 0);
    CHECK(se_builder_put(&b, &stream, SE_GRAPH, SE_MERGE_SUM, true, &built, &err) == 0);
    CHECK(se_graph_get(&g, &stream, SE_GRAPH, &err) == 0);
    CHECK(se_nngraph_make(to, &g, false, SE_LOOPS_ONE, &err) == 0);
}

static void make_input(void)
{
    struct se_err err = SE_ERR_INIT;
    uint64_t off[N + 1], at = 0;
    uint32_t col[N * COLS];
    float value[N * COLS];

    for (uint64_t i = 0; i < N; i++) {
        off[i] = at;
        for (uint32_t c = 0; c < COLS; c++)
            if ((5 * i + 3 * c) % 4 == 0) {
                dense[i * COLS + c] = (se_real)cos((double)(i * COLS + c));
                col[at] = c;
                value[at++] = 0;
            }
    }
    off[N] = at;
    const struct se_features f = { N, COLS, at, NULL, off, col, value };
    CHECK(se_sparse_make(&sparse, &f, false, &err) == 0);
    for (uint64_t i = 0; i < N; i++)            /* a file has floats; here are doubles */
        for (uint64_t e = off[i]; e < off[i + 1]; e++)
            sparse.value[e] = dense[i * COLS + col[e]];
}

/* The next block of the file: its name, then as many numbers as `have` */
static void compare(FILE *in, const char *name, const se_real *have, uint64_t count)
{
    char word[32] = "";
    unsigned long promised = 0;

    CHECK(in && fscanf(in, "%31s %lu", word, &promised) == 2);
    CHECK(strcmp(word, name) == 0 && promised == count);
    for (uint64_t i = 0; i < count && i < promised; i++) {
        double want = NAN;

        CHECK(fscanf(in, "%lf", &want) == 1);
        CHECK_NEAR((double)have[i], want, NEAR);
    }
}

static void check_steps(struct se_net *net, FILE *in)
{
    int32_t label[N];
    uint32_t id[TRAIN];
    se_real d[N * CLASSES];

    for (int i = 0; i < N; i++)
        label[i] = i % CLASSES;
    for (uint32_t i = 0; i < TRAIN; i++)
        id[i] = i;
    for (uint64_t k = 0; k < net->count; k++)
        net->value[k] = (se_real)(0.5 * sin(1 + 0.7 * (double)k));
    for (int step = 0; step < 2; step++) {
        const se_real *logits = se_net_forward(net, true);
        const se_real loss = (se_real)se_net_loss(logits, N, CLASSES, id, TRAIN, label, d);

        se_net_backward(net, d);
        if (step == 0) {
            compare(in, "logits", logits, N * CLASSES);
            compare(in, "gradient", net->grad, net->count);
        }
        compare(in, "loss", &loss, 1);
        se_net_adam(net, 0.01, 5e-4);
        compare(in, "parameters", net->value, net->count);
    }
}

/* What all have */
static const struct se_model_options usual = {
    .hidden = 4, .layers = 2, .classes = CLASSES, .heads = 3, .out_heads = 2, .hops = 3,
    .alpha = 0.15, .lambda = 0.7
};

/* Values of both kinds of input */
static void check_model(const struct se_model_kind *kind, const struct se_model_options *h,
                        const char *name)
{
    char path[256];

    snprintf(path, sizeof path, "tests/golden/train-%s.txt", name);
    for (int i = 0; i < 2; i++) {
        struct se_net net = { .graph = &graph, .beside = &beside, .n = N, .threads = 1,
            .levels = &levels,
            .sparse = i,
            .input = { .rows = N, .cols = COLS, .dense = i ? NULL : dense,
                       .sparse = i ? &sparse : NULL, .value = i ? sparse.value : NULL } };
        struct se_err err = SE_ERR_INIT;
        FILE *in = fopen(path, "r");

        CHECK(in);
        CHECK(kind->build(&net, h, &err) == 0 && se_net_ready(&net, &err) == 0);
        check_steps(&net, in);
        if (in)
            fclose(in);
        se_net_release(&net);
    }
    unit_ok(name);
}

/* Norms, residual connections, the jump, and variants */
static void check_options(void)
{
    struct se_model_options batch = usual, layer = usual, variant = usual;

    batch.layers = layer.layers = 3;
    batch.norm = SE_BATCH_NORM;
    layer.norm = SE_LAYER_NORM;
    layer.residual = layer.jump = variant.variant = true;
    for (int i = 0; se_model_kinds[i]; i++)
        if (strcmp(se_model_kinds[i]->name, "gcn") == 0) {
            check_model(se_model_kinds[i], &batch, "gcn-batch");
            check_model(se_model_kinds[i], &layer, "gcn-layer");
        } else if (strcmp(se_model_kinds[i]->name, "gcnii") == 0)
            check_model(se_model_kinds[i], &variant, "gcnii-variant");
}

/* Work that is cut into parts and slices, against the plain sums */
static void check_large(void)
{
    enum { ROWS = 4100, WIDE = 70, IN = 12 };
    struct se_err err = SE_ERR_INIT;
    struct se_rng r;
    struct se_net net = { .n = ROWS, .threads = 2 };
    uint64_t *off = se_zalloc(ROWS + 1, sizeof *off, &err);
    uint32_t *col = se_zalloc(ROWS * IN, sizeof *col, &err);
    float *value = se_zalloc(ROWS * IN, sizeof *value, &err);
    se_real *dy = se_zalloc(ROWS * WIDE, sizeof *dy, &err), dw[IN * WIDE], columns[WIDE];
    double want[IN * WIDE] = { 0 }, sums[WIDE] = { 0 };
    struct se_sparse s;
    uint64_t at = 0;

    se_net_on(&net, NULL);
    se_rng_init(&r, 1, SE_RNG_TEST, 0);
    se_net_room(&net, IN * WIDE);
    net.cpu.partial = se_alloc(SE_PARTIALS * net.partial_room, sizeof *net.cpu.partial, &err);
    net.cpu.total = se_alloc(net.partial_room, sizeof *net.cpu.total, &err);
    for (uint64_t i = 0; i < ROWS; i++) {
        for (uint32_t c = 0; c < IN; c++)
            if (se_rng_below(&r, 3) == 0) {
                col[at] = c;
                value[at++] = (float)se_rng_normal(&r);
            }
        off[i + 1] = at;
        for (uint64_t k = 0; k < WIDE; k++)
            sums[k] += (double)(dy[i * WIDE + k] = (se_real)se_rng_normal(&r));
        for (uint64_t e = off[i]; e < off[i + 1]; e++)
            for (uint64_t k = 0; k < WIDE; k++)
                want[col[e] * WIDE + k] += (double)value[e] * (double)dy[i * WIDE + k];
    }
    const struct se_features f = { ROWS, IN, at, NULL, off, col, value };
    CHECK(se_sparse_make(&s, &f, false, &err) == 0);
    const struct se_mat x = { .rows = ROWS, .cols = IN, .sparse = &s, .value = s.value };
    se_mm_weight(&net, &x, dy, WIDE, dw);
    for (int i = 0; i < IN * WIDE; i++)
        CHECK_NEAR((double)dw[i], want[i], 100 * NEAR);
    se_sum_columns(&net, dy, WIDE, columns);
    for (int k = 0; k < WIDE; k++)
        CHECK_NEAR((double)columns[k], sums[k], 100 * NEAR);
    se_sparse_release(&s);
    free(net.cpu.partial);
    free(net.cpu.total);
    free(off);
    free(col);
    free(value);
    free(dy);
    unit_ok("sums over many vertices");
}

/* Products of every shape around the limits of those without a library */
static void check_products(void)
{
    static const uint64_t lengths[] = { 1, 3, 8, 31, 64, 70, 511, 512, 513 };
    enum { ROWS = 301, MOST = 513 * 18 };
    static se_real x[ROWS * 513], y[ROWS * 513], w[MOST], got[MOST];
    struct se_err err = SE_ERR_INIT;
    struct se_rng r;
    struct se_net net = { .n = ROWS, .threads = 2 };

    se_net_on(&net, NULL);
    se_rng_init(&r, 2, SE_RNG_TEST, 0);
    CHECK(se_blas_load(1, &err) == 0);
    net.cpu.partial = se_alloc(SE_PARTIALS * MOST, sizeof *net.cpu.partial, &err);
    net.cpu.total = se_alloc(MOST, sizeof *net.cpu.total, &err);
    for (uint64_t i = 0; i < ROWS * 513; i++)
        x[i] = (se_real)se_rng_normal(&r);
    for (uint64_t i = 0; i < MOST; i++)
        w[i] = (se_real)se_rng_normal(&r);
    for (int i = 0; i < 9; i++)
        for (uint64_t few = 1; few <= 18; few++) {
            const uint64_t k = lengths[i];
            const struct se_mat m = { .rows = ROWS, .cols = k, .dense = x };

            for (int how = 0; how < 3; how++) {         /* plain, with a bias, added to y */
                memcpy(y, w, ROWS * sizeof *y);
                for (uint64_t c = 0; c < ROWS * few; c++)
                    y[c] = (se_real)((double)(c % 7) / 8);
                se_mm(&net, &m, w, few, how == 1 ? w : NULL, how == 2, y);
                for (uint64_t c = 0; c < ROWS * few; c++) {
                    double want = how == 1 ? (double)w[c % few] : how == 2 ? (double)(c % 7) / 8
                                                                           : 0;

                    for (uint64_t j = 0; j < k; j++)
                        want += (double)x[c / few * k + j] * (double)w[j * few + c % few];
                    CHECK_NEAR((double)y[c], want, 50 * NEAR);
                }
            }
            for (int add = 0; add < 2; add++) {
                for (uint64_t c = 0; c < ROWS * k; c++)
                    y[c] = (se_real)(c % 5);
                se_mm_input(&net, x, w, few, k, add, y);
                for (uint64_t c = 0; c < ROWS * k; c += 1 + k / 8) {
                    double want = add ? (double)(c % 5) : 0;

                    for (uint64_t j = 0; j < few; j++)
                        want += (double)x[c / k * few + j] * (double)w[c % k * few + j];
                    CHECK_NEAR((double)y[c], want, 50 * NEAR);
                }
            }
            memcpy(y, x + 100, ROWS * few * sizeof *y);
            se_mm_weight(&net, &m, y, few, got);
            for (uint64_t c = 0; c < k * few; c += 1 + k / 8) {
                double want = 0;

                for (uint64_t v = 0; v < ROWS; v++)
                    want += (double)x[v * k + c / few] * (double)y[v * few + c % few];
                CHECK_NEAR((double)got[c], want, 50 * NEAR);
            }
        }
    free(net.cpu.partial);
    free(net.cpu.total);
    unit_ok("products of every shape");
}

/* The mask against its definition, one element at a time */
static void check_mask(void)
{
    static const uint64_t counts[] = { 1, 7, 8, 31, 32, 33, 255, 256, 257, 9000 };
    static const double shares[] = { 1e-7, 0.01, 0.5, 0.8, 0.99 };
    static uint8_t keep[9001];
    struct se_net net = { .seed = 0x123456789abcdef, .epoch = 77, .threads = 2 };

    se_net_on(&net, NULL);
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < 5; k++) {
            const uint32_t least = (uint32_t)lround(shares[k] * 65536);

            keep[counts[i]] = 9;
            se_mask(&net, 5, 3, shares[k], counts[i], keep);
            for (uint64_t e = 0; e < counts[i]; e++) {
                const uint32_t counter[4] = { (uint32_t)(e / 8), SE_RNG_DROPOUT, 77, 3 << 16 | 5 };
                const uint32_t key[2] = { 0x89abcdef, 0x1234567 };
                uint32_t word[4];

                se_philox(counter, key, word);
                CHECK(keep[e] == ((word[e % 8 / 2] >> (e % 2 * 16) & 0xffff) >= least));
            }
            CHECK(keep[counts[i]] == 9);
        }
    unit_ok("the mask of dropout is what it says");
}

/* The exponential of the tool is its own. */
static void check_exp(void)
{
    const double spread = SE_IS_DOUBLE ? 1e-15 : 2e-7;

    for (double x = -86; x < 87; x += 0.0137) {
        se_vec v = (se_vec){ 0 } + (se_real)x;

        se_exp(&v);
        CHECK_NEAR((double)v[0] / exp((double)(se_real)x), 1, spread);
    }
    for (int i = 0; i < 3; i++) {
        se_vec v = (se_vec){ 0 } + (se_real)(i == 0 ? -INFINITY : i == 1 ? -500 : NAN);

        se_exp(&v);
        CHECK(i == 2 ? isnan((double)v[0]) : (double)v[0] >= 0 && (double)v[0] < 1e-37);
    }
    unit_ok("exponential");
}

int main(void)
{
    static struct level_tree tree;
    struct se_err err = SE_ERR_INIT;

    check_exp();
    make_graph(&graph, 7, 0);
    make_level_tree(&tree, N, 4, 2);
    CHECK(se_netlevels_make(&levels, &tree.t, &graph, &err) == 0);
    make_graph(&beside, 4, 3);
    make_input();
    for (int i = 0; se_model_kinds[i]; i++)
        check_model(se_model_kinds[i], &usual, se_model_kinds[i]->name);
    check_options();
    check_large();
    check_products();
    check_mask();
    se_sparse_release(&sparse);
    se_nngraph_release(&graph);
    se_nngraph_release(&beside);
    se_netlevels_release(&levels);
    se_stream_release(&stream);
    return unit_done();
}
