/* test-cuda.c - every operation of the CUDA plugin against slow, obvious code in double
 *
 * It runs on the emulator of this build unless SE_CUDA_PLUGIN names a plugin. */
#include "tests/unit/device.h"

#include "common/train/net.h"

enum { ROUNDS = 12 };

static struct se_worker *dev;
static const struct se_cuda *cuda;

static void start(uint64_t seed)
{
    se_rng_init(&rng, seed, SE_RNG_TEST, 77);
}

static double *zeros(uint64_t count)
{
    return calloc(count + 1, sizeof(double));
}

/* ---- memory ---- */

static void test_memory(void)
{
    uint8_t host[1000], back[1000] = { 1 };
    uint8_t *a = cuda->ops.alloc(dev, sizeof host), *b = cuda->ops.alloc(dev, sizeof host);

    cuda->ops.get(dev, back, a, sizeof back);
    for (int i = 0; i < 1000; i++) {
        CHECK(back[i] == 0);
        host[i] = (uint8_t)(i * 7);
    }
    cuda->ops.put(dev, a, host, sizeof host);
    cuda->ops.copy(dev, b + 1, a, 500);
    cuda->ops.clear(dev, b + 400, 100);
    cuda->ops.get(dev, back, b, sizeof back);
    for (int i = 0; i < 1000; i++)
        CHECK(back[i] == (i >= 1 && i < 501 && !(i >= 400 && i < 500) ? host[i - 1] : 0));
    drop(a);
    drop(b);
    drop(NULL);
    CHECK(cuda->ops.failed(dev) == NULL);
    unit_ok("memory is cleared, copied both ways and within");
}

/* ---- products ---- */

static void test_product(void)
{
    for (uint64_t seed = 0; seed < 2 * ROUNDS; seed++) {
        start(seed);
        const uint64_t m = 1 + below(40), n = 1 + below(40), k = 1 + below(40);
        const bool ta = seed & 1, tb = seed & 2, add = seed & 4, bias = seed & 8;
        float *a = random_floats(m * k), *b = random_floats(k * n), *c = random_floats(m * n);
        float *row = random_floats(n), *da = up_floats(a, m * k), *db = up_floats(b, k * n);
        float *dc = up_floats(c, m * n), *drow = up_floats(row, n);
        double *want = zeros(m * n);
        const struct se_product p = { .a = da, .b = db, .c = dc, .m = m, .n = n, .k = k,
                                      .ta = ta, .tb = tb, .add = add && !bias,
                                      .bias = bias ? drow : NULL };

        for (uint64_t i = 0; i < m; i++)
            for (uint64_t j = 0; j < n; j++) {
                double *w = &want[i * n + j];

                *w = bias ? (double)row[j] : add ? (double)c[i * n + j] : 0;
                for (uint64_t t = 0; t < k; t++)
                    *w += (double)a[ta ? t * m + i : i * k + t] *
                          (double)b[tb ? j * k + t : t * n + j];
            }
        cuda->ops.product(dev, &p);
        CHECK_DEVICE(dc, want, m * n);
        drop(da), drop(db), drop(dc), drop(drow);
        free(a), free(b), free(c), free(row), free(want);
    }
    unit_ok("products, transposed or not, added or with a bias");
}

/* ---- sums over entries ---- */

struct gathering {
    struct graph g;
    uint64_t heads, width, step, stride, cols;
    float *value, *x, *base, *bias;
    bool mapped, based, biased;
};

static double *gather_oracle(const struct gathering *t, double scale, double base_scale)
{
    double *want = zeros(t->g.n * t->cols);

    for (uint64_t i = 0; i < t->g.n; i++)
        for (uint64_t c = 0; c < t->cols; c++) {
            const uint64_t h = c / t->width, at = i * t->cols + c;
            double sum = 0;

            for (uint64_t e = t->g.off[i]; e < t->g.off[i + 1]; e++)
                sum += (double)t->value[(t->mapped ? t->g.back[e] : e) * t->heads + h] *
                       (double)t->x[t->g.to[e] * t->stride + h * t->step + c % t->width];
            want[at] = sum * scale;
            if (t->based)
                want[at] += base_scale * (double)t->base[at];
            if (t->biased)
                want[at] += (double)t->bias[c];
        }
    return want;
}

static void gather_once(uint64_t seed, uint64_t n, uint64_t hub)
{
    static const uint64_t widths[] = { 1, 3, 7, 8, 16, 31, 32, 33, 64, 65, 130, 150 };
    struct gathering t = { .g = random_graph(n, 1 + below(4), hub) };

    t.heads = seed % 3 ? 1 : 1 + below(9);
    t.width = t.heads > 1 ? 1 + below(9) : widths[seed % 12];
    t.cols = t.heads * t.width;
    t.step = seed % 2 ? t.width : 0;
    t.stride = t.step ? t.cols : t.width;
    t.mapped = seed & 2;
    t.based = seed & 4;
    t.biased = seed & 8;
    t.value = random_floats(t.g.arcs * t.heads);
    t.x = random_floats(n * t.stride);
    t.base = random_floats(n * t.cols);
    t.bias = random_floats(t.cols);

    uint64_t *off = up(t.g.off, (n + 1) * sizeof *off);
    uint32_t *to = up(t.g.to, t.g.arcs * sizeof *to), *back = up(t.g.back, t.g.arcs * sizeof *back);
    float *value = up_floats(t.value, t.g.arcs * t.heads), *x = up_floats(t.x, n * t.stride);
    float *y = up_floats(t.base, n * t.cols), *bias = up_floats(t.bias, t.cols);
    struct se_gather g = { .off = off, .index = to, .value = value,
                           .entry = t.mapped ? back : NULL, .x = x, .rows = n,
                           .stride = t.stride, .step = t.step, .y = y, .width = t.width,
                           .heads = t.heads, .scale = 0.75f, .base_scale = -0.5f,
                           .base = t.based ? y : NULL, .bias = t.biased ? bias : NULL };
    double *want = gather_oracle(&t, 0.75, -0.5);

    cuda->ops.gather(dev, &g, n);
    CHECK_DEVICE(y, want, n * t.cols);
    drop(off), drop(to), drop(back), drop(value), drop(x), drop(y), drop(bias);
    free(t.value), free(t.x), free(t.base), free(t.bias), free(want);
    graph_free(&t.g);
}

static void test_gather(void)
{
    for (uint64_t seed = 0; seed < 2 * ROUNDS; seed++) {
        start(100 + seed);
        gather_once(seed, 1 + below(60), 0);
    }
    unit_ok("sums over entries, heads, maps, base and bias");
    for (uint64_t seed = 0; seed < 4; seed++) {
        start(200 + seed);
        gather_once(seed * 5, 700, 600);
    }
    unit_ok("sums over a vertex with many entries");
}

/* ---- sums of columns ---- */

static void test_columns(void)
{
    static const uint64_t rows[] = { 1, 5, 256, 257, 1000, 3000 };

    for (uint64_t seed = 0; seed < 2 * ROUNDS; seed++) {
        start(300 + seed);
        const uint64_t n = rows[seed % 6], heads = seed % 2 ? 1 + below(5) : 1;
        const uint64_t cols = heads * (1 + below(seed % 4 == 3 ? 90 : 20));
        float *x = random_floats(n * cols), *w = random_floats(n * heads);
        float *dx = up_floats(x, n * cols), *dw = up_floats(w, n * heads);
        float *sum = up_floats(x, cols);
        double *want = zeros(cols);
        const struct se_column_sums s = { dx, seed % 2 ? dw : NULL, n, cols, heads, 0.5f, sum };

        for (uint64_t i = 0; i < n; i++)
            for (uint64_t c = 0; c < cols; c++)
                want[c] += 0.5 * (double)x[i * cols + c] *
                           (seed % 2 ? (double)w[i * heads + c / (cols / heads)] : 1);
        cuda->ops.columns(dev, &s);
        CHECK_DEVICE(sum, want, cols);
        drop(dx), drop(dw), drop(sum);
        free(x), free(w), free(want);
    }
    unit_ok("sums of columns, weighted or not");
}

/* ---- dropout and activation ---- */

static void test_masks(void)
{
    static const uint64_t counts[] = { 1, 7, 8, 9, 127, 128, 129, 5000 };

    for (uint64_t seed = 0; seed < 16; seed++) {
        start(400 + seed);
        const uint64_t count = counts[seed % 8];
        const double p = (double)below(100) / 100;
        uint8_t *keep = calloc(count + 9, 1), *have;
        uint8_t *device = cuda->ops.alloc(dev, count);
        float *x = random_floats(count), *dx = up_floats(x, count), *y = up_floats(x, count);
        double *want = zeros(count);
        struct se_net net = { .seed = seed << 33 | 5, .epoch = (uint32_t)seed, .threads = 1 };
        struct se_gpu g = gpu;

        se_net_on(&net, NULL);
        se_mask(&net, (int)seed, 3, p, count, keep);
        se_net_on(&net, &g);
        se_mask(&net, (int)seed, 3, p, count, device);
        have = down(device, count);
        CHECK(memcmp(have, keep, count) == 0);
        for (uint64_t i = 0; i < count; i++)
            want[i] = keep[i] ? (double)x[i] * 1.25 : 0;
        cuda->ops.mask_apply(dev, dx, device, 1.25f, count, y);
        CHECK_DEVICE(y, want, count);
        cuda->ops.add(dev, dx, -2, count, y);
        for (uint64_t i = 0; i < count; i++)
            want[i] -= 2 * (double)x[i];
        CHECK_DEVICE(y, want, count);
        drop(device), drop(dx), drop(y);
        free(keep), free(have), free(x), free(want);
    }
    unit_ok("masks are the CPU's, bit for bit");
}

static void test_activation(void)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        start(500 + seed);
        const enum se_activation act = (enum se_activation)(seed % 3);
        const uint64_t count = 1 + below(700);
        const bool back = seed & 1, masked = seed & 2;
        float *x = random_floats(count), *d = random_floats(count);
        uint8_t *keep = malloc(count);
        double *want = zeros(count);

        x[0] = 0;
        for (uint64_t i = 0; i < count; i++) {
            const double v = (double)x[i];

            keep[i] = (uint8_t)below(2);
            want[i] = v > 0 || act == SE_IDENTITY ? (back ? 1 : v)
                      : act == SE_RELU ? 0 : back ? exp(v) : exp(v) - 1;
            want[i] *= (back ? (double)d[i] : 1) * (masked ? 2 * keep[i] : 1);
        }
        float *dx = up_floats(x, count), *dd = up_floats(d, count), *y = up_floats(x, count);
        uint8_t *dkeep = up(keep, count);
        const struct se_activating a = { act, dx, back ? dd : NULL, masked ? dkeep : NULL, y, 2,
                                         count };

        cuda->ops.activate(dev, &a);
        CHECK_DEVICE(y, want, count);
        drop(dx), drop(dd), drop(y), drop(dkeep);
        free(x), free(d), free(keep), free(want);
    }
    unit_ok("activation and its gradient");
}

/* ---- loss, accuracy, step ---- */

struct labelled {
    uint64_t n, classes, count;
    float *logits;
    uint32_t *id;
    int32_t *label;
    uint8_t *part;
};

static struct labelled random_labels(uint64_t n, uint64_t classes)
{
    struct labelled t = { n, classes, 0, random_floats(n * classes), calloc(n, 4), calloc(n, 4),
                          calloc(n, 1) };

    for (uint64_t v = 0; v < n; v++) {
        t.label[v] = (int32_t)below(classes + 1) - 1;
        t.part[v] = (uint8_t)below(4);
        if (v == 0) {
            t.label[v] = 0;
            t.part[v] = 1;
        }
        if (t.part[v] == 1 && t.label[v] >= 0)
            t.id[t.count++] = (uint32_t)v;
    }
    return t;
}

static double loss_oracle(const struct labelled *t, double *grad)
{
    double loss = 0;

    for (uint64_t i = 0; i < t->count; i++) {
        const uint64_t at = t->id[i] * t->classes;
        double sum = 0;

        for (uint64_t c = 0; c < t->classes; c++)
            sum += exp((double)t->logits[at + c]);
        for (uint64_t c = 0; c < t->classes; c++)
            grad[at + c] = exp((double)t->logits[at + c]) / sum / (double)t->count;
        grad[at + (uint64_t)t->label[t->id[i]]] -= 1 / (double)t->count;
        loss += log(sum) - (double)t->logits[at + (uint64_t)t->label[t->id[i]]];
    }
    return loss / (double)t->count;
}

static void check_accuracy(const struct labelled *t, const float *logits,
                           const struct se_targets *target)
{
    uint64_t right[4], all[4], right_want[4] = { 0 }, all_want[4] = { 0 };

    for (uint64_t v = 0; v < t->n; v++) {
        uint64_t best = 0;

        for (uint64_t c = 1; c < t->classes; c++)
            if (t->logits[v * t->classes + c] > t->logits[v * t->classes + best])
                best = c;
        if (t->label[v] >= 0 && t->part[v] > 0) {
            all_want[t->part[v]]++;
            right_want[t->part[v]] += best == (uint64_t)t->label[v];
        }
    }
    cuda->ops.accuracy(dev, logits, target, right, all);
    CHECK(memcmp(right, right_want, sizeof right) == 0 && memcmp(all, all_want, sizeof all) == 0);
}

static void test_loss(void)
{
    static const uint64_t sizes[] = { 1, 31, 32, 256, 257, 1500 };

    for (uint64_t seed = 0; seed < ROUNDS; seed++) {
        start(600 + seed);
        struct labelled t = random_labels(sizes[seed % 6], 1 + below(9));
        const uint64_t count = t.n * t.classes;
        float *logits = up_floats(t.logits, count), *grad = up_floats(t.logits, count);
        uint32_t *id = up(t.id, t.count * 4);
        int32_t *label = up(t.label, t.n * 4);
        uint8_t *part = up(t.part, t.n);
        const struct se_targets target = { t.n, t.classes, t.count, id, label, part };
        double *want = zeros(count);
        const double loss = loss_oracle(&t, want), have = cuda->ops.loss(dev, logits, &target, grad);

        CHECK_NEAR(have, loss, 2e-6 * (1 + fabs(loss)));
        CHECK_DEVICE(grad, want, count);
        check_accuracy(&t, logits, &target);
        drop(logits), drop(grad), drop(id), drop(label), drop(part);
        free(t.logits), free(t.id), free(t.label), free(t.part), free(want);
    }
    unit_ok("loss, its gradient, accuracies");
}

static void test_adam(void)
{
    enum { COUNT = 777, STEPS = 3 };
    float *v = random_floats(COUNT), *none = calloc(COUNT, sizeof *none);
    float *dv = up_floats(v, COUNT), *m = up_floats(none, COUNT), *s = up_floats(none, COUNT);
    double value[COUNT], moment[COUNT] = { 0 }, square[COUNT] = { 0 };

    for (int i = 0; i < COUNT; i++)
        value[i] = (double)v[i];
    for (int step = 1; step <= STEPS; step++) {
        float *g = random_floats(COUNT), *dg = up_floats(g, COUNT);
        const double rate = 0.01 / (1 - pow(0.9, step)), root = 1 / sqrt(1 - pow(0.999, step));
        const struct se_adam a = { dv, m, s, dg, (float)rate, 5e-4f, (float)root, COUNT };

        for (int i = 0; i < COUNT; i++) {
            const double d = (double)g[i] + 5e-4 * value[i];

            moment[i] = 0.9 * moment[i] + 0.1 * d;
            square[i] = 0.999 * square[i] + 0.001 * d * d;
            value[i] -= rate * moment[i] / (sqrt(square[i]) * root + 1e-8);
        }
        cuda->ops.adam(dev, &a);
        drop(dg);
        free(g);
    }
    CHECK_DEVICE(dv, value, COUNT);
    drop(dv), drop(m), drop(s);
    free(v), free(none);
    unit_ok("steps of Adam");
}

/* ---- the frame ---- */

static void test_failure(void)
{
    uint8_t byte = 5;

    CHECK(cuda->ops.alloc(dev, (uint64_t)1 << 50) == NULL);
    CHECK(cuda->ops.failed(dev) && strstr(cuda->ops.failed(dev), "memory"));
    cuda->ops.get(dev, &byte, &byte, 1);            /* does nothing any more */
    CHECK(byte == 5 && cuda->ops.alloc(dev, 1) == NULL);
    unit_ok("a failure is kept and stops the rest");
}

int main(void)
{
    if (open_device() < 0) {
        printf("ok 1 - # skip no device\n");
        return 0;
    }
    cuda = gpu.cuda;
    dev = gpu.device;
    test_memory();
    test_product();
    test_gather();
    test_columns();
    test_masks();
    test_activation();
    test_loss();
    test_adam();
    CHECK(cuda->ops.failed(dev) == NULL);
    unit_ok("nothing failed");
    test_failure();
    se_gpu_close(&gpu);
    return unit_done();
}
