/* test-nn-kernels.c - inner loops against slow ones, and those for wider vectors bit by bit */
#include "common/train/train_kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/base/rng.h"
#include "common/train/peers.h"
#include "tests/unit/unit.h"

/* X, rows x cols with few entries, and W, cols x width */
struct world {
    struct se_sparse x;
    se_real *w, *dy, *twice;    /* twice: other values of the entries of X, many of them 0 */
    uint64_t width;
};

static se_real *random_numbers(struct se_rng *r, uint64_t count)
{
    struct se_err err = SE_ERR_INIT;
    se_real *x = se_alloc(count, sizeof *x, &err);

    CHECK(x != NULL);
    for (uint64_t i = 0; i < count; i++)
        x[i] = (se_real)se_rng_normal(r);
    return x;
}

static void make_world(struct world *w, uint64_t seed)
{
    struct se_err err = SE_ERR_INIT;
    struct se_rng r;

    se_rng_init(&r, seed, SE_RNG_TEST, 2);
    const uint64_t rows = 1 + se_rng_below(&r, 90), cols = 1 + se_rng_below(&r, 200);
    uint64_t *off = se_zalloc(rows + 1, sizeof *off, &err), at = 0;
    uint32_t *col = se_alloc(rows * cols, sizeof *col, &err);
    float *value = se_alloc(rows * cols, sizeof *value, &err);

    for (uint64_t v = 0; v < rows; v++) {
        for (uint32_t c = 0; c < cols; c++)
            if (se_rng_below(&r, 1 + cols / 9) == 0 || v == 3) {
                col[at] = c;
                value[at++] = (float)se_rng_normal(&r);
            }
        off[v + 1] = at;
    }
    const struct se_features f = { rows, cols, at, NULL, off, col, value };
    CHECK(se_sparse_make(&w->x, &f, false, &err) == 0);
    w->width = 1 + se_rng_below(&r, 150);
    w->w = random_numbers(&r, cols * w->width);
    w->dy = random_numbers(&r, rows * w->width);
    w->twice = random_numbers(&r, at);
    for (uint64_t e = 0; e < at; e++)
        if (se_rng_below(&r, 2))
            w->twice[e] = 0;
    free(off);
    free(col);
    free(value);
}

static void free_world(struct world *w)
{
    se_sparse_release(&w->x);
    free(w->w);
    free(w->dy);
    free(w->twice);
}

/* Both products with W, one after the other in y */
static void product(const struct se_kernels *k, const struct world *w, se_real *y)
{
    const uint64_t count = w->x.rows * w->width;
    struct se_gather g[2] = { { .off = w->x.off, .index = w->x.col, .value = w->x.value, .x = w->w,
                                .rows = w->x.cols, .stride = w->width, .y = y, .width = w->width,
                                .heads = 1, .scale = 1 } };
    struct se_sums s = { g, true, w->x.off, w->x.off + 1 };

    g[1] = g[0];
    g[1].value = w->twice;
    g[1].y = y + count;
    k->sum_rows(&s, 0, w->x.rows);
}

static void check_product(const struct world *w, const se_real *y)
{
    for (uint64_t v = 0; v < w->x.rows; v++)
        for (uint64_t c = 0; c < w->width; c++) {
            double sum[2] = { 0, 0 };

            for (uint64_t e = w->x.off[v]; e < w->x.off[v + 1]; e++) {
                const double x = (double)w->w[w->x.col[e] * w->width + c];

                sum[0] += (double)w->x.value[e] * x;
                sum[1] += (double)w->twice[e] * x;
            }
            for (uint64_t k = 0; k < 2; k++)
                CHECK_NEAR((double)y[(k * w->x.rows + v) * w->width + c], sum[k], 2e-5);
        }
}

/* Sums with all that they can have: heads, values by another order, a scale, a base, a bias */
struct plan {
    uint64_t heads, width;
    se_real *value, *x, *base, *bias;
    bool mapped;
};

static void sums(const struct se_kernels *k, const struct world *w, const struct plan *p,
                 se_real *y)
{
    const uint64_t cols = p->heads * p->width;
    const struct se_gather g = {
        .off = w->x.off, .index = w->x.col, .value = p->value,
        .entry = p->mapped ? w->x.tentry : NULL, .x = p->x, .rows = w->x.cols, .stride = cols,
        .step = p->width, .y = y, .width = p->width, .heads = p->heads, .scale = (se_real)0.7,
        .base_scale = (se_real)0.3, .base = p->base, .bias = p->bias
    };
    struct se_sums s = { &g, false, w->x.off, w->x.off + 1 };

    k->sum_rows(&s, 0, w->x.rows / 2);
    k->sum_rows(&s, w->x.rows / 2, w->x.rows);
}

static void check_sums(const struct world *w, const struct plan *p, const se_real *y)
{
    const uint64_t cols = p->heads * p->width;

    for (uint64_t v = 0; v < w->x.rows; v++)
        for (uint64_t c = 0; c < cols; c++) {
            double sum = 0;

            for (uint64_t e = w->x.off[v]; e < w->x.off[v + 1]; e++) {
                const uint64_t from = p->mapped ? w->x.tentry[e] : e;

                sum += (double)p->value[from * p->heads + c / p->width] *
                       (double)p->x[w->x.col[e] * cols + c];
            }
            sum = 0.7 * sum + (p->base ? 0.3 * (double)p->base[v * cols + c] : 0) +
                  (p->bias ? (double)p->bias[c] : 0);
            CHECK_NEAR((double)y[v * cols + c], sum, 2e-5);
        }
}

/* On both, the same bit by bit */
static void compare_sums(const struct se_kernels *wide, const struct world *w, uint64_t seed)
{
    struct se_rng r;
    struct plan p = { .mapped = seed % 2 };
    struct se_err err = SE_ERR_INIT;
    uint64_t count;
    se_real *y[2];

    se_rng_init(&r, seed, SE_RNG_TEST, 3);
    p.heads = seed % 3 ? 1 : 1 + se_rng_below(&r, 3);
    p.width = 1 + se_rng_below(&r, 50);
    count = w->x.rows * p.heads * p.width;
    p.value = random_numbers(&r, w->x.nnz * p.heads);
    p.x = random_numbers(&r, w->x.cols * p.heads * p.width);
    p.base = random_numbers(&r, count);
    p.bias = random_numbers(&r, p.heads * p.width);
    for (int k = 0; k < 4; k++) {
        struct plan some = p;

        some.base = k % 2 ? p.base : NULL;
        some.bias = k / 2 ? p.bias : NULL;
        for (int i = 0; i < 2; i++) {
            y[i] = se_zalloc(count, sizeof *y[i], &err);
            CHECK(y[i] != NULL);
            sums(i ? wide : &se_kernels_plain, w, &some, y[i]);
        }
        check_sums(w, &some, y[1]);
        CHECK(memcmp(y[0], y[1], count * sizeof *y[0]) == 0);
        free(y[0]);
        free(y[1]);
    }
    free(p.value);
    free(p.x);
    free(p.base);
    free(p.bias);
}

/* X' dy into `grad`; or with `a`, the step that it leads to */
static void weights(const struct se_kernels *k, const struct world *w, const struct se_adam *a,
                    se_real *grad)
{
    struct se_columns s = {
        .g = { .off = w->x.toff, .index = w->x.trow, .value = w->twice, .entry = w->x.tentry,
               .x = w->dy, .rows = w->x.rows, .stride = w->width, .y = grad, .width = w->width,
               .heads = 1, .scale = 1, .base_scale = 1 },
        .x = &w->x, .step = a, .parts = 2, .block = 1 + w->width, .halves = w->width % 2
    };

    k->sum_columns(&s, 0, 1);
    k->sum_columns(&s, 1, 2);
}

static void check_weights(const struct world *w, const se_real *grad)
{
    for (uint64_t c = 0; c < w->x.cols; c++)
        for (uint64_t k = 0; k < w->width; k++) {
            double sum = 0;

            for (uint64_t v = 0; v < w->x.rows; v++)
                for (uint64_t e = w->x.off[v]; e < w->x.off[v + 1]; e++)
                    if (w->x.col[e] == c)
                        sum += (double)w->twice[e] * (double)w->dy[v * w->width + k];
            CHECK_NEAR((double)grad[c * w->width + k], sum, 2e-5);
        }
}

/* The step against its definition; value, moment and square one after the other in `to` */
static void step(const struct se_kernels *k, const struct world *w, const se_real *grad,
                 se_real *to)
{
    const uint64_t count = w->x.cols * w->width;
    struct se_err err = SE_ERR_INIT;
    se_real *sums = se_zalloc(count, sizeof *sums, &err);
    struct se_adam a = { to, to + count, to + 2 * count, sums, (se_real)0.01, (se_real)1e-3,
                         (se_real)1.5, count };

    CHECK(sums != NULL);
    memcpy(to, w->w, count * sizeof *to);
    for (uint64_t i = 0; i < count; i++) {
        to[count + i] = w->w[count - 1 - i] / 8;
        to[2 * count + i] = w->w[i] * w->w[i] + (se_real)0.125;
    }
    weights(k, w, &a, sums);
    for (uint64_t i = 0; i < count; i++) {
        const double v = (double)w->w[i], g = (double)grad[i] + 1e-3 * v;
        const double moment = 0.9 * (double)w->w[count - 1 - i] / 8 + 0.1 * g;
        const double square = 0.999 * (v * v + 0.125) + 0.001 * g * g;

        CHECK_NEAR((double)to[count + i], moment, 1e-5);
        CHECK_NEAR((double)to[2 * count + i], square, 1e-5);
        CHECK_NEAR((double)to[i], v - 0.01 * moment / (sqrt(square) * 1.5 + 1e-8), 1e-5);
    }
    free(sums);
}

static void mask(const struct se_kernels *k, uint64_t count, uint8_t *keep)
{
    struct se_masking m = { .counter = { 0, SE_RNG_DROPOUT, 7, (uint32_t)count }, .key = { 5, 9 },
                            .least = 20000, .count = count, .keep = keep };

    k->mask(&m, 0, (count + SE_MASKED - 1) / SE_MASKED);
}

/* Everything that the loops give for this world */
static se_real *results(const struct se_kernels *k, const struct world *w, uint64_t *count)
{
    const uint64_t rows = w->x.rows * w->width, cols = w->x.cols * w->width;
    struct se_err err = SE_ERR_INIT;
    se_real *all;

    *count = 2 * rows + 4 * cols;
    all = se_zalloc(*count, sizeof *all, &err);
    CHECK(all != NULL);
    product(k, w, all);
    check_product(w, all);
    weights(k, w, NULL, all + 2 * rows);
    check_weights(w, all + 2 * rows);
    step(k, w, all + 2 * rows, all + 2 * rows + cols);
    return all;
}

static void check(const struct se_kernels *wide)
{
    struct world w;

    for (uint64_t seed = 0; seed < 60; seed++) {
        uint64_t count;
        se_real *have, *want;
        uint8_t keep[2][2000];

        make_world(&w, seed);
        want = results(&se_kernels_plain, &w, &count);
        have = results(wide, &w, &count);
        CHECK(memcmp(have, want, count * sizeof *have) == 0);
        compare_sums(wide, &w, seed);
        memset(keep, 3, sizeof keep);
        mask(&se_kernels_plain, seed * 33, keep[0]);
        mask(wide, seed * 33, keep[1]);
        CHECK(memcmp(keep[0], keep[1], sizeof keep[0]) == 0 && keep[0][seed * 33] == 3);
        free(have);
        free(want);
        free_world(&w);
    }
}

/* A product in halves is the same on any number of threads, and that of all columns. */
static void check_halves(void)
{
    struct world w;

    for (uint64_t seed = 0; seed < 30; seed++) {
        struct se_err err = SE_ERR_INIT;
        se_real *y[2];

        make_world(&w, seed);
        for (int k = 0; k < 2; k++) {
            struct se_net net = { .n = w.x.rows, .threads = 1 + k, .halves = true,
                                  .input = { .sparse = &w.x } };
            const uint64_t count = net.n * w.width;
            struct se_gather g[2] = { { .off = w.x.off, .index = w.x.col, .value = w.x.value,
                                        .x = w.w, .rows = w.x.cols, .stride = w.width,
                                        .width = w.width, .heads = 1, .scale = 1 } };

            se_net_on(&net, NULL);
            y[k] = se_zalloc(4 * count, sizeof *y[k], &err);
            CHECK(y[k] != NULL);
            g[0].y = y[k];
            g[1] = g[0];
            g[1].value = w.twice;
            g[1].y = y[k] + count;
            net.second[0] = y[k] + 2 * count;
            net.second[1] = y[k] + 3 * count;
            se_gather_sparse(&net, g, true);
            check_product(&w, y[k]);
            CHECK(k == 0 || memcmp(y[0], y[1], 4 * count * sizeof *y[0]) == 0);
        }
        CHECK(w.x.middle <= w.x.cols);
        free(y[0]);
        free(y[1]);
        free_world(&w);
    }
    unit_ok("kernels: products in halves");
}

/* Sums over very many vertices, of a tenth, which no float holds exactly.  What is added up in float
 * does not get longer with them. */
static void check_long_sums(void)
{
    enum { N = 300000 };
    static se_real x[N], partial[SE_PARTIALS];
    double total[1];
    se_real sum[3];
    struct se_worker w = { .threads = 2, .partial = partial, .total = total };
    struct se_column_sums s = { .x = x, .rows = N, .cols = 1, .heads = 1, .scale = 1, .sum = sum };

    for (int i = 0; i < N; i++)
        x[i] = (se_real)0.1;
    se_cpu_ops.columns(&w, &s);
    s.weight = x;
    s.sum = sum + 1;
    se_cpu_ops.columns(&w, &s);
    s.times = x;
    s.sum = sum + 2;
    se_cpu_ops.columns(&w, &s);
    CHECK_NEAR((double)sum[0], .1 * N, 5e-6 * N);
    CHECK_NEAR((double)sum[1], .01 * N, 1e-6 * N);
    CHECK_NEAR((double)sum[2], .01 * N, 1e-6 * N);
    CHECK(se_part_rows(1) == 64 && se_part_rows(2048) == 64 && se_part_rows(2049) == 128);
    CHECK(se_part_rows(131072) == 4096 && se_part_rows(100000000) == 4096);
    CHECK(se_part_rows((uint64_t)1 << 32) == 131072);
    unit_ok("kernels: long sums");
}

int main(void)
{
    check_long_sums();
    check(&se_kernels_plain);
    unit_ok("kernels: sums, steps and masks against slow ones");
#ifdef SE_HAS_V4
    if (__builtin_cpu_supports("x86-64-v4")) {
        check(&se_kernels_v4);
        unit_ok("kernels: the same with wider vectors");
    }
#endif
    check_halves();
    return unit_done();
}
