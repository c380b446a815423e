/* mix.cu - channels mixed for each vertex, and the way back */
#include "shared.h"

#include <cmath>

enum { CHANNELS = SE_CHANNELS };

/* A warp for each row: the product of two rows, to all lanes */
__device__ static float row_dot(const float *x, const float *y, uint64_t cols)
{
    float sum = 0;

    for (uint64_t c = threadIdx.x % SE_WARP; c < cols; c += SE_WARP)
        sum += x[c] * y[c];
    for (int o = SE_WARP / 2; o > 0; o /= 2)
        sum += __shfl_xor_sync(SE_ALL_LANES, sum, o);
    return sum;
}

/* state: s and a by rows, then the gradient of s M / 3 by rows, then that of h . vector by channels */
SE_KERNEL_4 mix_kernel(se_mixing m)
{
    for SE_EACH_ROW(v, m.rows) {
        float s[CHANNELS], a[CHANNELS], most = -INFINITY, sum = 0;

        for (int k = 0; k < CHANNELS; k++)
            s[k] = 1 / (1 + expf(-row_dot(m.h[k] + v * m.cols, m.vector + k * m.cols, m.cols)));
        for (int j = 0; j < CHANNELS; j++) {
            a[j] = 0;
            for (int k = 0; k < CHANNELS; k++)
                a[j] += s[k] * m.matrix[k * CHANNELS + j] / CHANNELS;
            most = fmaxf(most, a[j]);
        }
        for (int j = 0; j < CHANNELS; j++)
            sum += a[j] = expf(a[j] - most);
        for (int j = 0; j < CHANNELS; j++) {
            a[j] /= sum;
            if (threadIdx.x % SE_WARP == 0) {
                m.state[v * CHANNELS + j] = s[j];
                m.state[(m.rows + v) * CHANNELS + j] = a[j];
            }
        }
        for (uint64_t c = threadIdx.x % SE_WARP; c < m.cols; c += SE_WARP)
            m.out[v * m.cols + c] = CHANNELS * (a[0] * m.h[0][v * m.cols + c] +
                                                a[1] * m.h[1][v * m.cols + c] +
                                                a[2] * m.h[2][v * m.cols + c]);
    }
}

void se_cuda_mix(se_worker *d, const se_mixing *m)
{
    if (d->bad || m->rows == 0)
        return;
    SE_LAUNCH(mix_kernel, se_blocks(m->rows, SE_WARPS), SE_BLOCK, 0, d->stream, *m);
    se_cuda_launched(d, "channels");
}

SE_KERNEL mix_shares_back_kernel(se_mixing m)
{
    for SE_EACH_ROW(v, m.rows) {
        const float *s = m.state + v * CHANNELS, *a = s + m.rows * CHANNELS;
        float *dl = m.state + (2 * m.rows + v) * CHANNELS;
        float *ds = m.state + 3 * m.rows * CHANNELS + v, l[CHANNELS], mean = 0;

        for (int k = 0; k < CHANNELS; k++) {
            l[k] = CHANNELS * row_dot(m.dout + v * m.cols, m.h[k] + v * m.cols, m.cols);
            mean += a[k] * l[k];
        }
        if (threadIdx.x % SE_WARP != 0)
            continue;
        for (int k = 0; k < CHANNELS; k++)
            dl[k] = l[k] = a[k] * (l[k] - mean) / CHANNELS;
        for (int k = 0; k < CHANNELS; k++) {
            float sum = 0;

            for (int j = 0; j < CHANNELS; j++)
                sum += m.matrix[k * CHANNELS + j] * l[j];
            ds[k * m.rows] = sum * s[k] * (1 - s[k]);
        }
    }
}

/* h: channel k */
SE_KERNEL mix_channels_back_kernel(se_mixing m, float *h, int k)
{
    const float *a = m.state + m.rows * CHANNELS + k;
    const float *ds = m.state + (3 * CHANNELS + k) * m.rows;

    for SE_EACH(i, m.rows * m.cols) {
        const uint64_t v = i / m.cols;

        h[i] = h[i] > 0 ? CHANNELS * a[v * CHANNELS] * m.dout[i] +
                          ds[v] * m.vector[k * m.cols + i % m.cols] : 0;
    }
}

/* The gradient of the matrix is s' dl, that of vector k the sum of rows of h_k, each times ds_k. */
void se_cuda_mix_back(se_worker *d, const se_mixing *m)
{
    const uint64_t some = m->rows * CHANNELS;
    se_product p = {};

    if (d->bad || m->rows == 0)
        return;
    SE_LAUNCH(mix_shares_back_kernel, se_blocks(m->rows, SE_WARPS), SE_BLOCK, 0, d->stream, *m);
    if (!se_cuda_launched(d, "gradient of shares"))
        return;
    p.a = m->state;
    p.b = m->state + 2 * some;
    p.c = m->dvector + CHANNELS * m->cols;
    p.m = p.n = CHANNELS;
    p.k = m->rows;
    p.ta = true;
    se_cuda_product(d, &p);
    for (int k = 0; k < CHANNELS && !d->bad; k++) {
        se_column_sums s = {};

        s.x = m->h[k];
        s.weight = m->state + 3 * some + k * m->rows;
        s.rows = m->rows;
        s.cols = m->cols;
        s.heads = 1;
        s.scale = 1;
        s.sum = m->dvector + k * m->cols;
        se_cuda_columns(d, &s);
        if (d->bad)
            return;
        SE_LAUNCH(mix_channels_back_kernel, se_blocks(m->rows * m->cols, SE_BLOCK), SE_BLOCK, 0,
                  d->stream, *m, m->h[k], k);
        se_cuda_launched(d, "gradient of channels");
    }
}
