/* rows.cu - shares, scales, products of all numbers, sparse rows as dense ones */
#include "shared.h"

#include <cmath>

/* ---- a sum over all numbers, by one block in one order ---- */

SE_KERNEL total_kernel(const float *x, const float *y, uint64_t count, float *part)
{
    SE_SHARED(float, sums, SE_BLOCK);
    float sum = 0;

    for SE_EACH(i, count)
        sum += y ? x[i] * y[i] : x[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned half = SE_BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        part[blockIdx.x] = sums[0];
}

void se_cuda_total(se_worker *d, const float *x, const float *y, uint64_t count, float *sum)
{
    SE_LAUNCH(total_kernel, 1, SE_BLOCK, 0, d->stream, x, y, count, sum);
    se_cuda_launched(d, "sum");
}

void se_cuda_dot(se_worker *d, const float *x, const float *y, uint64_t rows, uint64_t cols,
                 float *sum)
{
    const uint64_t count = rows * cols;
    const unsigned blocks = count < 512 * SE_BLOCK ? se_blocks(count, SE_BLOCK) : 512;
    float *part = (float *)se_cuda_work(d, blocks * sizeof *part);

    if (!part || count == 0)
        return;
    SE_LAUNCH(total_kernel, blocks, SE_BLOCK, 0, d->stream, x, y, count, part);
    if (se_cuda_launched(d, "product of all"))
        se_cuda_total(d, part, NULL, blocks, sum);
}

/* ---- shares: a few numbers, so one thread ---- */

SE_KERNEL shares_kernel(const float *s, uint64_t count, float *g)
{
    float most = s[0], sum = 0;

    if (blockIdx.x > 0 || threadIdx.x > 0)
        return;
    for (uint64_t k = 1; k < count; k++)
        most = fmaxf(most, s[k]);
    for (uint64_t k = 0; k < count; k++)
        sum += g[k] = expf(s[k] - most);
    for (uint64_t k = 0; k < count; k++)
        g[k] /= sum;
}

void se_cuda_shares(se_worker *d, const float *s, uint64_t count, float *g)
{
    if (d->bad || count == 0)
        return;
    SE_LAUNCH(shares_kernel, 1, SE_BLOCK, 0, d->stream, s, count, g);
    se_cuda_launched(d, "shares");
}

SE_KERNEL shares_back_kernel(const float *g, uint64_t count, float *ds)
{
    float mean = 0;

    if (blockIdx.x > 0 || threadIdx.x > 0)
        return;
    for (uint64_t k = 0; k < count; k++)
        mean += g[k] * ds[k];
    for (uint64_t k = 0; k < count; k++)
        ds[k] = g[k] * (ds[k] - mean);
}

void se_cuda_shares_back(se_worker *d, const float *g, uint64_t count, float *ds)
{
    if (d->bad || count == 0)
        return;
    SE_LAUNCH(shares_back_kernel, 1, SE_BLOCK, 0, d->stream, g, count, ds);
    se_cuda_launched(d, "gradient of shares");
}

/* ---- scales ---- */

SE_KERNEL add_share_kernel(const float *x, const float *scale, uint64_t count, float *y)
{
    for SE_EACH(i, count)
        y[i] += *scale * x[i];
}

void se_cuda_add_share(se_worker *d, const float *x, const float *scale, uint64_t count, float *y)
{
    if (d->bad || count == 0)
        return;
    SE_LAUNCH(add_share_kernel, se_blocks(count, SE_BLOCK), SE_BLOCK, 0, d->stream, x, scale, count,
              y);
    se_cuda_launched(d, "share");
}

SE_KERNEL scale_kernel(se_scaling s)
{
    for SE_EACH(i, s.count)
        s.y[i] = s.scale * s.x[i] + (i % s.every == 0 ? s.shift : 0);
}

void se_cuda_scale(se_worker *d, const se_scaling *s)
{
    if (d->bad || s->count == 0)
        return;
    SE_LAUNCH(scale_kernel, se_blocks(s->count, SE_BLOCK), SE_BLOCK, 0, d->stream, *s);
    se_cuda_launched(d, "scale");
}

SE_KERNEL scale_rows_kernel(se_row_scaling s)
{
    for SE_EACH(i, s.rows * s.cols)
        s.y[i] = (s.keep ? (float)s.keep[i / s.cols] : s.scale) * s.x[i];
}

void se_cuda_scale_rows(se_worker *d, const se_row_scaling *s)
{
    if (d->bad || s->rows * s->cols == 0)
        return;
    SE_LAUNCH(scale_rows_kernel, se_blocks(s->rows * s->cols, SE_BLOCK), SE_BLOCK, 0, d->stream,
              *s);
    se_cuda_launched(d, "scale of rows");
}

/* ---- sparse to dense: a warp for each row ---- */

SE_KERNEL unpack_kernel(se_unpacking u)
{
    for SE_EACH_ROW(v, u.rows)
        for (uint64_t e = u.off[v] + threadIdx.x % SE_WARP; e < u.off[v + 1]; e += SE_WARP)
            u.y[v * u.cols + u.col[e]] = u.value[e];
}

void se_cuda_unpack(se_worker *d, const se_unpacking *u)
{
    if (d->bad || u->rows * u->cols == 0 ||
        !se_cuda_ok(d, cudaMemsetAsync(u->y, 0, u->rows * u->cols * sizeof *u->y, d->stream),
                    "dense rows"))
        return;
    SE_LAUNCH(unpack_kernel, se_blocks(u->rows, SE_WARPS), SE_BLOCK, 0, d->stream, *u);
    se_cuda_launched(d, "dense rows");
}
