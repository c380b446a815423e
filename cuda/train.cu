/* train.cu - masks of dropout, loss, accuracy, the step of Adam */
#include "shared.h"

#include <cmath>

/* ---- masks ---- */

__device__ static void philox(const uint32_t counter[4], const uint32_t key[2], uint32_t c[4])
{
    uint32_t k0 = key[0], k1 = key[1];

    for (int i = 0; i < 4; i++)
        c[i] = counter[i];
    for (int round = 0; round < 10; round++) {
        const uint32_t high0 = __umulhi(0xD2511F53u, c[0]), low0 = 0xD2511F53u * c[0];
        const uint32_t high1 = __umulhi(0xCD9E8D57u, c[2]), low1 = 0xCD9E8D57u * c[2];

        c[0] = high1 ^ c[1] ^ k0;
        c[1] = low1;
        c[2] = high0 ^ c[3] ^ k1;
        c[3] = low0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
}

/* A thread for each block of Philox: eight elements */
SE_KERNEL mask_kernel(se_masking m)
{
    for SE_EACH(b, (m.count + 7) / 8) {
        const uint32_t counter[4] = { m.counter[0] + (uint32_t)b, m.counter[1], m.counter[2], m.counter[3] };
        uint64_t eight = 0;
        uint32_t out[4];

        philox(counter, m.key, out);
        for (int w = 0; w < 4; w++)
            eight |= ((uint64_t)((out[w] & 0xffff) >= m.least) |
                      (uint64_t)((out[w] >> 16) >= m.least) << 8) << 16 * w;
        if (b * 8 + 8 <= m.count) {
            *(uint64_t *)(m.keep + b * 8) = eight;
        } else {
            for (uint64_t i = b * 8; i < m.count; i++, eight >>= 8)
                m.keep[i] = (uint8_t)(eight & 1);
        }
    }
}

void se_cuda_mask(se_worker *d, const se_masking *m)
{
    if (d->bad || m->count == 0)
        return;
    SE_LAUNCH(mask_kernel, se_blocks((m->count + 7) / 8, SE_BLOCK), SE_BLOCK, 0, d->stream, *m);
    se_cuda_launched(d, "mask");
}

SE_KERNEL mask_apply_kernel(const float *x, const uint8_t *keep, float scale, uint64_t count,
                            float *y)
{
    for SE_EACH(i, count)
        y[i] = x[i] * ((float)keep[i] * scale);
}

void se_cuda_mask_apply(se_worker *d, const float *x, const uint8_t *keep, float scale,
                        uint64_t count, float *y)
{
    if (d->bad || count == 0)
        return;
    SE_LAUNCH(mask_apply_kernel, se_blocks(count, SE_BLOCK), SE_BLOCK, 0, d->stream, x, keep,
              scale, count, y);
    se_cuda_launched(d, "dropout");
}

/* ---- loss ---- */

/* Cross-entropy of a row; its gradient, over the number of rows, into `grad` */
__device__ static double row_loss(const float *row, uint64_t classes, int32_t label,
                                  double count, float *grad)
{
    float most = row[0];
    double sum = 0;

    for (uint64_t c = 1; c < classes; c++)
        most = fmaxf(most, row[c]);
    for (uint64_t c = 0; c < classes; c++) {
        const float e = expf(row[c] - most);

        grad[c] = e;
        sum += (double)e;
    }
    const float scale = (float)(1 / (sum * count));

    for (uint64_t c = 0; c < classes; c++)
        grad[c] *= scale;
    grad[label] -= (float)(1 / count);
    return (double)most + log(sum) - (double)row[label];
}

/* The sum over the block, in one order; to thread 0 */
__device__ static double block_sum(double v)
{
    SE_SHARED(double, part, SE_BLOCK);

    part[threadIdx.x] = v;
    __syncthreads();
    for (unsigned half = SE_BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    return part[0];
}

SE_KERNEL loss_kernel(const float *logits, se_targets t, float *dlogits, double *part)
{
    double sum = 0;

    for SE_EACH(i, t.count) {
        const uint64_t at = t.id[i] * t.classes;

        sum += row_loss(logits + at, t.classes, t.label[t.id[i]], (double)t.count, dlogits + at);
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        part[blockIdx.x] = sum;
}

SE_KERNEL join_loss_kernel(const double *part, unsigned parts, double *loss)
{
    double sum = 0;

    for (unsigned i = threadIdx.x; i < parts; i += SE_BLOCK)
        sum += part[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0)
        *loss = sum;
}

double se_cuda_loss(se_worker *d, const float *logits, const se_targets *t, float *dlogits)
{
    const unsigned blocks = se_blocks(t->count, SE_BLOCK);
    double *part = (double *)se_cuda_work(d, (blocks + 1) * sizeof *part);
    const double *loss;

    if (!part || !se_cuda_ok(d, cudaMemsetAsync(dlogits, 0, t->n * t->classes * sizeof *dlogits,
                                                d->stream), "loss"))
        return NAN;
    SE_LAUNCH(loss_kernel, blocks, SE_BLOCK, 0, d->stream, logits, *t, dlogits, part + 1);
    if (!se_cuda_launched(d, "loss"))
        return NAN;
    SE_LAUNCH(join_loss_kernel, 1, SE_BLOCK, 0, d->stream, part + 1, blocks, part);
    if (!se_cuda_launched(d, "loss"))
        return NAN;
    loss = (const double *)se_cuda_answer(d, part, sizeof *part);
    return loss ? *loss / (double)t->count : NAN;
}

/* ---- accuracy ---- */

/* count[0..3]: right, by part; count[4..7]: all.  Whole numbers, so the order is free. */
SE_KERNEL accuracy_kernel(const float *logits, se_targets t, unsigned *count)
{
    for (uint64_t first = (uint64_t)blockIdx.x * SE_BLOCK; first < t.n;
         first += (uint64_t)gridDim.x * SE_BLOCK) {
        const uint64_t v = first + threadIdx.x;
        unsigned part = v < t.n && t.label[v] >= 0 ? t.part[v] : 0;
        const float *row = logits + v * t.classes;
        uint64_t best = 0;

        for (uint64_t c = 1; part && c < t.classes; c++)
            if (row[c] > row[best])
                best = c;
        for (unsigned p = 1; p < 4; p++) {
            const unsigned all = __ballot_sync(SE_ALL_LANES, part == p);
            const unsigned right = __ballot_sync(SE_ALL_LANES, part == p &&
                                                 best == (uint64_t)t.label[v]);

            if (threadIdx.x % SE_WARP == 0 && all) {
                atomicAdd(&count[4 + p], (unsigned)__popc(all));
                atomicAdd(&count[p], (unsigned)__popc(right));
            }
        }
    }
}

void se_cuda_accuracy(se_worker *d, const float *logits, const se_targets *t,
                      uint64_t right[4], uint64_t all[4])
{
    unsigned *count = (unsigned *)se_cuda_work(d, 8 * sizeof *count);
    const unsigned *answer = NULL;

    if (count && se_cuda_ok(d, cudaMemsetAsync(count, 0, 8 * sizeof *count, d->stream),
                            "accuracy")) {
        SE_LAUNCH(accuracy_kernel, se_blocks(t->n, SE_BLOCK), SE_BLOCK, 0, d->stream, logits, *t,
                  count);
        if (se_cuda_launched(d, "accuracy"))
            answer = (const unsigned *)se_cuda_answer(d, count, 8 * sizeof *count);
    }
    for (int p = 0; p < 4; p++) {
        right[p] = answer ? answer[p] : 0;
        all[p] = answer ? answer[4 + p] : 0;
    }
}

/* ---- the step ---- */

SE_KERNEL adam_kernel(se_adam a)
{
    const float b1 = 0.9f, b2 = 0.999f, eps = 1e-8f;

    for SE_EACH(i, a.count) {
        const float g = a.grad[i] + a.decay * a.value[i];
        const float m = b1 * a.moment[i] + (1 - b1) * g;
        const float s = b2 * a.square[i] + (1 - b2) * g * g;

        a.moment[i] = m;
        a.square[i] = s;
        a.value[i] -= a.rate * m / (sqrtf(s) * a.root + eps);
    }
}

void se_cuda_adam(se_worker *d, const se_adam *a)
{
    if (d->bad || a->count == 0)
        return;
    SE_LAUNCH(adam_kernel, se_blocks(a->count, SE_BLOCK), SE_BLOCK, 0, d->stream, *a);
    se_cuda_launched(d, "Adam");
}
