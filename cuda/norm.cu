/* norm.cu - norms over rows and columns, rows of length 1 with a share */
#include "shared.h"

static const float EPS = 1e-5f;

__device__ static inline float warp_sum(float v)
{
    for (int o = SE_WARP / 2; o > 0; o /= 2)
        v += __shfl_xor_sync(SE_ALL_LANES, v, o);
    return v;
}

/* ---- layer norm: a warp for each row ---- */

SE_KERNEL norm_rows_kernel(se_norming m)
{
    const unsigned lane = threadIdx.x % SE_WARP;

    for SE_EACH_ROW(v, m.rows) {
        const float *row = m.in + v * m.cols;
        float mean = 0, square = 0;

        for (uint64_t c = lane; c < m.cols; c += SE_WARP)
            mean += row[c];
        mean = warp_sum(mean) / (float)m.cols;
        for (uint64_t c = lane; c < m.cols; c += SE_WARP)
            square += (row[c] - mean) * (row[c] - mean);
        const float scale = 1 / sqrtf(warp_sum(square) / (float)m.cols + EPS);

        if (lane == 0)
            m.scale[v] = scale;
        for (uint64_t c = lane; c < m.cols; c += SE_WARP) {
            const float unit = (row[c] - mean) * scale;

            m.unit[v * m.cols + c] = unit;
            m.out[v * m.cols + c] = unit * m.gain[c] + m.shift[c];
        }
    }
}

SE_KERNEL norm_rows_back_kernel(se_norming m)
{
    const unsigned lane = threadIdx.x % SE_WARP;

    for SE_EACH_ROW(v, m.rows) {
        const float *d = m.dout + v * m.cols, *u = m.unit + v * m.cols, scale = m.scale[v];
        float mean = 0, along = 0;

        for (uint64_t c = lane; c < m.cols; c += SE_WARP) {
            mean += d[c] * m.gain[c];
            along += d[c] * m.gain[c] * u[c];
        }
        mean = warp_sum(mean) / (float)m.cols;
        along = warp_sum(along) / (float)m.cols;
        for (uint64_t c = lane; c < m.cols; c += SE_WARP)
            m.din[v * m.cols + c] = (d[c] * m.gain[c] - mean - u[c] * along) * scale;
    }
}

/* ---- batch norm: sums of columns, then number by number ---- */

static void column_means(se_worker *d, const se_norming *m, const float *x, const float *times,
                         float *mean)
{
    se_column_sums s = {};

    s.x = x;
    s.times = times;
    s.rows = m->rows;
    s.cols = m->cols;
    s.heads = 1;
    s.scale = 1 / (float)m->rows;
    s.sum = mean;
    se_cuda_columns(d, &s);
}

/* mean: behind scale */
SE_KERNEL centre_kernel(se_norming m)
{
    for SE_EACH(i, m.rows * m.cols)
        m.unit[i] = m.in[i] - m.scale[m.cols + i % m.cols];
}

SE_KERNEL deviation_kernel(float *scale, uint64_t cols)
{
    for SE_EACH(c, cols)
        scale[c] = 1 / sqrtf(scale[c] + EPS);
}

SE_KERNEL norm_columns_kernel(se_norming m)
{
    for SE_EACH(i, m.rows * m.cols) {
        const uint64_t c = i % m.cols;
        const float unit = m.unit[i] * m.scale[c];

        m.unit[i] = unit;
        m.out[i] = unit * m.gain[c] + m.shift[c];
    }
}

SE_KERNEL norm_columns_back_kernel(se_norming m)
{
    const float *mean = m.scale + m.cols, *along = mean + m.cols;

    for SE_EACH(i, m.rows * m.cols) {
        const uint64_t c = i % m.cols;

        m.din[i] = (m.dout[i] - mean[c] - m.unit[i] * along[c]) * m.gain[c] * m.scale[c];
    }
}

static void norm_columns(se_worker *d, const se_norming *m)
{
    const unsigned blocks = se_blocks(m->rows * m->cols, SE_BLOCK);

    column_means(d, m, m->in, NULL, m->scale + m->cols);
    if (d->bad)
        return;
    SE_LAUNCH(centre_kernel, blocks, SE_BLOCK, 0, d->stream, *m);
    if (!se_cuda_launched(d, "batch norm"))
        return;
    column_means(d, m, m->unit, m->unit, m->scale);
    if (d->bad)
        return;
    SE_LAUNCH(deviation_kernel, se_blocks(m->cols, SE_BLOCK), SE_BLOCK, 0, d->stream, m->scale,
              m->cols);
    if (!se_cuda_launched(d, "batch norm"))
        return;
    SE_LAUNCH(norm_columns_kernel, blocks, SE_BLOCK, 0, d->stream, *m);
    se_cuda_launched(d, "batch norm");
}

void se_cuda_norm(se_worker *d, const se_norming *m)
{
    if (d->bad || m->rows == 0)
        return;
    if (m->batch) {
        norm_columns(d, m);
        return;
    }
    SE_LAUNCH(norm_rows_kernel, se_blocks(m->rows, SE_WARPS), SE_BLOCK, 0, d->stream, *m);
    se_cuda_launched(d, "layer norm");
}

void se_cuda_norm_back(se_worker *d, const se_norming *m)
{
    if (d->bad || m->rows == 0)
        return;
    if (!m->batch) {
        SE_LAUNCH(norm_rows_back_kernel, se_blocks(m->rows, SE_WARPS), SE_BLOCK, 0, d->stream, *m);
        se_cuda_launched(d, "gradient of layer norm");
        return;
    }
    column_means(d, m, m->dout, NULL, m->scale + m->cols);
    column_means(d, m, m->dout, m->unit, m->scale + 2 * m->cols);
    if (d->bad)
        return;
    SE_LAUNCH(norm_columns_back_kernel, se_blocks(m->rows * m->cols, SE_BLOCK), SE_BLOCK, 0,
              d->stream, *m);
    se_cuda_launched(d, "gradient of batch norm");
}

/* ---- gate ---- */

SE_KERNEL gate_kernel(se_gating g)
{
    const unsigned lane = threadIdx.x % SE_WARP;

    for SE_EACH_ROW(v, g.rows) {
        const float *h = g.h + v * g.cols;
        float square = 0;

        for (uint64_t c = lane; c < g.cols; c += SE_WARP)
            square += h[c] * h[c];
        const float scale = 1 / fmaxf(sqrtf(warp_sum(square)), 1e-12f);

        if (lane == 0)
            g.length[v] = scale;
        for (uint64_t c = lane; c < g.cols; c += SE_WARP)
            g.out[(v * g.parts + g.part) * g.cols + c] = h[c] * scale * *g.gate;
    }
}

void se_cuda_gate(se_worker *d, const se_gating *g)
{
    if (d->bad || g->rows == 0)
        return;
    SE_LAUNCH(gate_kernel, se_blocks(g->rows, SE_WARPS), SE_BLOCK, 0, d->stream, *g);
    se_cuda_launched(d, "gate");
}

/* Parts of the sum: one number for each warp, in the order of the rows that it has */
SE_KERNEL gate_back_kernel(se_gating g, float *part)
{
    const unsigned lane = threadIdx.x % SE_WARP;
    float sum = 0;

    for SE_EACH_ROW(v, g.rows) {
        const float *h = g.h + v * g.cols, *d = g.dout + (v * g.parts + g.part) * g.cols;
        const float scale = g.length[v], gate = *g.gate * scale;
        float along = 0;

        for (uint64_t c = lane; c < g.cols; c += SE_WARP)
            along += d[c] * h[c];
        along = warp_sum(along) * scale;
        sum += along;
        for (uint64_t c = lane; g.dh && c < g.cols; c += SE_WARP) {
            const float dh = scale < 1e11f ? gate * (d[c] - along * scale * h[c]) : 0;

            g.dh[v * g.cols + c] = g.add ? g.dh[v * g.cols + c] + dh : dh;
        }
    }
    if (lane == 0)
        part[blockIdx.x * SE_WARPS + threadIdx.x / SE_WARP] = sum;
}

void se_cuda_gate_back(se_worker *d, const se_gating *g)
{
    const unsigned blocks = (unsigned)(g->rows < 8 * 1024 ? se_blocks(g->rows, SE_WARPS) : 1024);
    float *part = (float *)se_cuda_work(d, blocks * SE_WARPS * sizeof *part);

    if (!part || g->rows == 0)
        return;
    SE_LAUNCH(gate_back_kernel, blocks, SE_BLOCK, 0, d->stream, *g, part);
    if (se_cuda_launched(d, "gradient of the gate"))
        se_cuda_total(d, part, NULL, blocks * SE_WARPS, g->dgate);
}
