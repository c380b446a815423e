/* test-cuda-attention.c - attention on the CUDA plugin against slow, obvious code in double */
#include "tests/unit/device.h"

struct attention {
    struct graph g;
    uint64_t n, heads, width, cols;
    bool mean, masked;
    float *z, *left, *right, *dout, *bias;
    uint8_t *keep;
    /* what the oracle finds */
    double *el, *er, *share, *dscore, *del, *der, *dz, *averaged;
};

static double *numbers(uint64_t count)
{
    return calloc(count + 1, sizeof(double));
}

static const double slope = 0.2;

static void forward(struct attention *t)
{
    for (uint64_t v = 0; v < t->n; v++)
        for (uint64_t c = 0; c < t->cols; c++) {
            const uint64_t i = v * t->heads + c / t->width;

            t->el[i] += (double)t->z[v * t->cols + c] * (double)t->left[c];
            t->er[i] += (double)t->z[v * t->cols + c] * (double)t->right[c];
            if (t->heads > 0)
                t->averaged[v * t->width + c % t->width] +=
                    ((double)t->z[v * t->cols + c] + (double)t->bias[c]) / (double)t->heads;
        }
    for (uint64_t v = 0; v < t->n; v++)
        for (uint64_t h = 0; h < t->heads; h++) {
            double sum = 0;

            for (uint64_t e = t->g.off[v]; e < t->g.off[v + 1]; e++) {
                const double s = t->el[t->g.to[e] * t->heads + h] + t->er[v * t->heads + h];

                t->share[e * t->heads + h] = exp(s > 0 ? s : slope * s);
                sum += t->share[e * t->heads + h];
            }
            for (uint64_t e = t->g.off[v]; e < t->g.off[v + 1]; e++)
                t->share[e * t->heads + h] /= sum;
        }
}

/* d(share) of arc e, from the gradient of what v gets */
static double share_back(const struct attention *t, uint64_t v, uint64_t e, uint64_t h,
                         double scale)
{
    double sum = 0;

    for (uint64_t k = 0; k < t->width; k++)
        sum += (double)t->dout[t->mean ? v * t->width + k : v * t->cols + h * t->width + k] *
               (double)t->z[t->g.to[e] * t->cols + h * t->width + k];
    return sum * scale * (t->masked ? t->keep[e * t->heads + h] : 1);
}

static void backward(struct attention *t, double scale)
{
    for (uint64_t v = 0; v < t->n; v++)
        for (uint64_t h = 0; h < t->heads; h++) {
            double mean = 0;

            for (uint64_t e = t->g.off[v]; e < t->g.off[v + 1]; e++)
                mean += t->share[e * t->heads + h] * share_back(t, v, e, h, scale);
            for (uint64_t e = t->g.off[v]; e < t->g.off[v + 1]; e++) {
                const uint64_t i = e * t->heads + h, u = t->g.to[e];
                const double raw = t->el[u * t->heads + h] + t->er[v * t->heads + h];

                t->dscore[i] = t->share[i] * (share_back(t, v, e, h, scale) - mean) *
                               (raw > 0 ? 1 : slope);
                t->der[v * t->heads + h] += t->dscore[i];
                t->del[u * t->heads + h] += t->dscore[i];
            }
        }
    for (uint64_t i = 0; i < t->n * t->cols; i++)
        t->dz[i] = 1 + t->del[i / t->width] * (double)t->left[i % t->cols] +
                   t->der[i / t->width] * (double)t->right[i % t->cols];
}

static struct attention make(uint64_t seed)
{
    static const uint64_t heads[] = { 1, 2, 3, 8, 33, 40 };
    struct attention t = { .n = 2 + below(40), .heads = heads[seed % 6], .width = 1 + below(9),
                           .mean = seed & 1, .masked = seed & 2 };

    t.g = random_graph(t.n, 1 + below(3), seed % 4 == 3 ? t.n : 0);
    t.cols = t.heads * t.width;
    t.z = random_floats(t.n * t.cols);
    t.left = random_floats(t.cols);
    t.right = random_floats(t.cols);
    t.bias = random_floats(t.cols);
    t.dout = random_floats(t.n * t.cols);
    t.keep = malloc(t.g.arcs * t.heads);
    for (uint64_t i = 0; i < t.g.arcs * t.heads; i++)
        t.keep[i] = (uint8_t)below(2);
    t.el = numbers(t.n * t.heads);
    t.er = numbers(t.n * t.heads);
    t.del = numbers(t.n * t.heads);
    t.der = numbers(t.n * t.heads);
    t.share = numbers(t.g.arcs * t.heads);
    t.dscore = numbers(t.g.arcs * t.heads);
    t.dz = numbers(t.n * t.cols);
    t.averaged = numbers(t.n * t.width);
    return t;
}

static void release(struct attention *t)
{
    void *const memory[] = { t->z, t->left, t->right, t->bias, t->dout, t->keep, t->el, t->er,
                             t->del, t->der, t->share, t->dscore, t->dz, t->averaged };

    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        free(memory[i]);
    graph_free(&t->g);
}

static float *room(uint64_t count)
{
    return gpu.cuda->ops.alloc(gpu.device, count * sizeof(float));
}

static void compare(struct attention *t, struct se_attention *a, const float *bias)
{
    const uint64_t nh = t->n * t->heads, ah = t->g.arcs * t->heads, nc = t->n * t->cols;
    float *one = malloc(nc * sizeof *one), *averaged = room(t->n * t->width);

    gpu.cuda->ops.attend(gpu.device, a);
    CHECK_DEVICE(a->el, t->el, nh);
    CHECK_DEVICE(a->er, t->er, nh);
    CHECK_DEVICE(a->share, t->share, ah);
    gpu.cuda->ops.heads_mean(gpu.device, a, a->z, bias, averaged);
    CHECK_DEVICE(averaged, t->averaged, t->n * t->width);
    for (uint64_t i = 0; i < nc; i++)
        one[i] = 1;
    gpu.cuda->ops.put(gpu.device, a->dz, one, nc * sizeof *one);
    gpu.cuda->ops.attend_back(gpu.device, a);
    CHECK(farthest(a->dscore, t->dscore, ah) < 1e-5);
    CHECK(farthest(a->der, t->der, nh) < 1e-5);
    gpu.cuda->ops.attend_back_z(gpu.device, a);
    CHECK(farthest(a->del, t->del, nh) < 1e-5);
    CHECK(farthest(a->dz, t->dz, nc) < 1e-5);
    drop(averaged);
    free(one);
}

static void attend_once(uint64_t seed)
{
    struct attention t = make(seed);
    const uint64_t nh = t.n * t.heads, ah = t.g.arcs * t.heads, nc = t.n * t.cols;
    const double scale = (t.mean ? 1 / (double)t.heads : 1) * (t.masked ? 2 : 1);
    uint64_t *off = up(t.g.off, (t.n + 1) * sizeof *off);
    uint32_t *to = up(t.g.to, t.g.arcs * sizeof *to);
    uint32_t *back = up(t.g.back, t.g.arcs * sizeof *back);
    float *z = up_floats(t.z, nc), *left = up_floats(t.left, t.cols);
    float *right = up_floats(t.right, t.cols), *dout = up_floats(t.dout, nc);
    float *bias = up_floats(t.bias, t.cols);
    uint8_t *keep = up(t.keep, ah);
    struct se_attention a = {
        .n = t.n, .heads = t.heads, .width = t.width, .off = off, .to = to, .back = back, .z = z,
        .left = left, .right = right, .el = room(nh), .er = room(nh), .del = room(nh),
        .der = room(nh), .share = room(ah), .dscore = room(ah), .dz = room(nc), .dout = dout,
        .keep = t.masked ? keep : NULL, .slope = (float)slope, .scale = (float)scale,
        .mean = t.mean
    };

    forward(&t);
    backward(&t, scale);
    compare(&t, &a, bias);
    void *const memory[] = { off, to, back, z, left, right, dout, bias, keep, a.el, a.er, a.del,
                             a.der, a.share, a.dscore, a.dz };

    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        drop(memory[i]);
    release(&t);
}

int main(void)
{
    if (open_device() < 0) {
        printf("ok 1 - # skip no device\n");
        return 0;
    }
    for (uint64_t seed = 0; seed < 12; seed++) {
        se_rng_init(&rng, seed, SE_RNG_TEST, 78);
        attend_once(seed);
    }
    CHECK(gpu.cuda->ops.failed(gpu.device) == NULL);
    unit_ok("scores, shares, their mean and all gradients");
    se_gpu_close(&gpu);
    return unit_done();
}
