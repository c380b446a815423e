/* gather.cu - sums of rows chosen by index: sparse products and aggregation
 *
 * A warp has a row of y, its lanes have columns, or several entries of few columns.  A row of
 * many entries is summed by the whole block, so that a hub does not keep one warp busy. */
#include "shared.h"

enum { LONG = 512 };            /* entries from which on a block takes the row */

/* The lane's columns of head and x: WIDE of them, 32 apart */
template <int WIDE> struct se_place {
    unsigned column[WIDE], head[WIDE], at[WIDE];
};

template <int WIDE>
__device__ static se_place<WIDE> place_of(const se_gather &g, const se_lanes &l, unsigned from)
{
    const unsigned width = (unsigned)g.width;
    se_place<WIDE> p;

    for (int k = 0; k < WIDE; k++) {
        p.column[k] = from + l.column + k * SE_WARP;
        p.head[k] = p.column[k] / width;
        p.at[k] = p.head[k] * (unsigned)g.step + p.column[k] % width;
    }
    return p;
}

/* Entries first, first + step, ...; every lane of a column gets the sum over the slots. */
template <int WIDE>
__device__ static void sum_entries(const se_gather &g, const se_lanes &l,
                                   const se_place<WIDE> &p, uint64_t first, uint64_t last,
                                   unsigned step, float sum[WIDE])
{
    const unsigned cols = (unsigned)(g.heads * g.width);

    for (int k = 0; k < WIDE; k++)
        sum[k] = 0;
    for (uint64_t e = first + l.slot; e < last; e += step) {
        const uint64_t from = (uint64_t)g.index[e] * g.stride;
        const uint64_t value = (g.entry ? g.entry[e] : e) * g.heads;

        for (int k = 0; k < WIDE; k++)
            if (p.column[k] < cols)
                sum[k] += g.value[value + p.head[k]] * g.x[from + p.at[k]];
    }
    for (int k = 0; k < WIDE; k++)
        sum[k] = se_slots_sum(l, sum[k]);
}

/* What a sum becomes in y */
template <int WIDE>
__device__ static void finish(const se_gather &g, const se_lanes &l, const se_place<WIDE> &p,
                              uint64_t row, const float sum[WIDE])
{
    const unsigned cols = (unsigned)(g.heads * g.width);

    for (int k = 0; k < WIDE; k++) {
        const uint64_t to = row * cols + p.column[k];
        float v = sum[k] * g.scale;

        if (p.column[k] >= cols || l.slot > 0)
            continue;
        if (g.base)
            v += g.base_scale * g.base[to];
        g.y[to] = g.bias ? v + g.bias[p.column[k]] : v;
    }
}

/* The block's rows that are long: every warp sums a share of the entries. */
template <int WIDE>
__device__ static void sum_long(const se_gather &g, const se_lanes &l, uint64_t row,
                                float (&sums)[SE_WARPS][WIDE * SE_WARP])
{
    const unsigned warp = threadIdx.x / SE_WARP, lane = threadIdx.x % SE_WARP;
    const uint64_t first = g.off[row], last = g.off[row + 1];
    float sum[WIDE];

    for (unsigned from = 0; from < g.heads * g.width; from += WIDE * SE_WARP) {
        const se_place<WIDE> p = place_of<WIDE>(g, l, from);

        sum_entries<WIDE>(g, l, p, first + warp * l.slots, last, SE_WARPS * l.slots, sum);
        for (int k = 0; k < WIDE; k++)
            sums[warp][k * SE_WARP + lane] = sum[k];
        __syncthreads();
        if (warp == 0) {
            for (int k = 0; k < WIDE; k++)
                for (unsigned w = 1; w < SE_WARPS; w++)
                    sum[k] += sums[w][k * SE_WARP + lane];
            finish<WIDE>(g, l, p, row, sum);
        }
        __syncthreads();
    }
}

template <int WIDE>
SE_KERNEL_4 gather_kernel(se_gather g, uint64_t count)
{
    SE_SHARED(float, sums, SE_WARPS * WIDE * SE_WARP);
    const se_lanes l = se_split(g.heads * g.width);
    const unsigned warp = threadIdx.x / SE_WARP;

    for (uint64_t group = blockIdx.x; group * SE_WARPS < count; group += gridDim.x) {
        const uint64_t begin = group * SE_WARPS, row = begin + warp;
        const uint64_t first = row < count ? g.off[row] : 0;
        const uint64_t last = row < count ? g.off[row + 1] : 0;

        for (unsigned from = 0; row < count && last - first < LONG && from < g.heads * g.width;
             from += WIDE * SE_WARP) {
            const se_place<WIDE> p = place_of<WIDE>(g, l, from);
            float sum[WIDE];

            sum_entries<WIDE>(g, l, p, first, last, l.slots, sum);
            finish<WIDE>(g, l, p, row, sum);
        }
        for (uint64_t i = begin; i < begin + SE_WARPS && i < count; i++)
            if (g.off[i + 1] - g.off[i] >= LONG)
                sum_long<WIDE>(g, l, i, (float(&)[SE_WARPS][WIDE * SE_WARP])sums);
    }
}

void se_cuda_gather(se_worker *d, const se_gather *g, uint64_t count)
{
    const unsigned blocks = se_blocks(count, SE_WARPS);
    const uint64_t cols = g->heads * g->width;

    if (d->bad || count == 0 || cols == 0)
        return;
    if (cols > INT32_MAX) {
        se_cuda_fail(d, "%llu columns are too many", (unsigned long long)cols);
        return;
    }
    if (cols <= SE_WARP)
        SE_LAUNCH(gather_kernel<1>, blocks, SE_BLOCK, 0, d->stream, *g, count);
    else if (cols <= 2 * SE_WARP)
        SE_LAUNCH(gather_kernel<2>, blocks, SE_BLOCK, 0, d->stream, *g, count);
    else
        SE_LAUNCH(gather_kernel<4>, blocks, SE_BLOCK, 0, d->stream, *g, count);
    se_cuda_launched(d, "sum over entries");
}

void se_cuda_transposed(se_worker *d, const se_columns *c)
{
    se_cuda_gather(d, &c->g, c->count);
}
