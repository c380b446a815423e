/* thin.cu - what is left of a graph that loses edges: its arcs moved together, its shares anew */
#include "shared.h"

enum { EACH = 8, CHUNK = SE_BLOCK * EACH };     /* numbers of a thread and of a block, to scan */

/* An edge goes or stays with both its arcs, as the mask says of the arc to the higher end. */
__device__ static inline bool stays(const se_thinning &t, uint64_t v, uint64_t e)
{
    const uint32_t u = t.to[e];

    return u == v || t.keep[u > v ? e : t.back[e]];
}

SE_KERNEL count_kernel(se_thinning t)
{
    const unsigned lane = threadIdx.x % SE_WARP;

    for SE_EACH_ROW(v, t.n) {
        uint64_t kept = 0;

        for (uint64_t from = t.off[v]; from < t.off[v + 1]; from += SE_WARP) {
            const uint64_t e = from + lane;
            const bool here = e < t.off[v + 1] && stays(t, v, e);

            kept += (uint64_t)__popc(__ballot_sync(SE_ALL_LANES, here));
        }
        if (lane == 0)
            t.left_off[v + 1] = kept;
    }
}

/* ---- sums of all before, and with them where each row starts ---- */

SE_KERNEL scan_kernel(uint64_t *x, uint64_t count, uint64_t *part)
{
    SE_SHARED(uint64_t, sums, SE_BLOCK);
    const uint64_t first = (uint64_t)blockIdx.x * CHUNK + threadIdx.x * EACH;
    uint64_t sum = 0, before;

    for (uint64_t i = first; i < first + EACH && i < count; i++)
        sum += x[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned o = 1; o < SE_BLOCK; o *= 2) {
        before = threadIdx.x >= o ? sums[threadIdx.x - o] : 0;
        __syncthreads();
        sums[threadIdx.x] += before;
        __syncthreads();
    }
    before = sums[threadIdx.x] - sum;
    for (uint64_t i = first; i < first + EACH && i < count; i++) {
        before += x[i];
        x[i] = before;
    }
    if (threadIdx.x == SE_BLOCK - 1)
        part[blockIdx.x] = sums[threadIdx.x];
}

/* One thread: there are few parts. */
SE_KERNEL scan_parts_kernel(uint64_t *part, unsigned parts)
{
    uint64_t sum = 0;

    if (threadIdx.x == 0)
        for (unsigned i = 0; i < parts; i++) {
            const uint64_t here = part[i];

            part[i] = sum;
            sum += here;
        }
}

SE_KERNEL add_parts_kernel(uint64_t *x, uint64_t count, const uint64_t *part)
{
    for SE_EACH(i, count)
        x[i] += part[i / CHUNK];
}

static bool scan(se_worker *d, uint64_t *x, uint64_t count)
{
    const unsigned parts = (unsigned)((count + CHUNK - 1) / CHUNK);
    uint64_t *part = (uint64_t *)se_cuda_work(d, parts * sizeof *part);

    if (!part)
        return false;
    SE_LAUNCH(scan_kernel, parts, SE_BLOCK, 0, d->stream, x, count, part);
    if (!se_cuda_launched(d, "places of arcs"))
        return false;
    SE_LAUNCH(scan_parts_kernel, 1, SE_BLOCK, 0, d->stream, part, parts);
    if (!se_cuda_launched(d, "places of arcs"))
        return false;
    SE_LAUNCH(add_parts_kernel, se_blocks(count, SE_BLOCK), SE_BLOCK, 0, d->stream, x, count,
              part);
    return se_cuda_launched(d, "places of arcs");
}

/* ---- moving ---- */

__device__ static inline double lanes_sum(double v)
{
    for (int o = SE_WARP / 2; o > 0; o /= 2)
        v += __shfl_xor_sync(SE_ALL_LANES, v, o);
    return v;
}

/* The weight of the arcs of v that are left: of its loop, or of the others */
__device__ static double weight_of(const se_thinning &t, uint64_t v, bool loop)
{
    double sum = 0;

    for (uint64_t e = t.left_off[v] + threadIdx.x % SE_WARP; e < t.left_off[v + 1]; e += SE_WARP)
        if ((t.left_to[e] == v) == loop)
            sum += (double)t.left_weight[e];
    return lanes_sum(sum);
}

SE_KERNEL move_kernel(se_thinning t)
{
    const unsigned lane = threadIdx.x % SE_WARP;

    for SE_EACH_ROW(v, t.n) {
        uint64_t at = t.left_off[v];

        for (uint64_t from = t.off[v]; from < t.off[v + 1]; from += SE_WARP) {
            const uint64_t e = from + lane;
            const bool here = e < t.off[v + 1] && stays(t, v, e);
            const unsigned mask = __ballot_sync(SE_ALL_LANES, here);

            if (here) {
                const uint64_t to = at + (uint64_t)__popc(mask & ((1u << lane) - 1));

                t.place[e] = (uint32_t)to;
                t.left_to[to] = t.to[e];
                t.left_weight[to] = t.weight[e];
            }
            at += (uint64_t)__popc(mask);
        }
        __syncwarp();           /* other lanes' arcs count, too */
        const double degree = weight_of(t, v, true) + weight_of(t, v, false);

        if (lane == 0)
            t.left_root[v] = degree > 0 ? 1 / sqrt(degree) : 0;
    }
}

/* The way back, and the shares; all places and roots are known. */
SE_KERNEL join_kernel(se_thinning t)
{
    const unsigned lane = threadIdx.x % SE_WARP;

    for SE_EACH_ROW(v, t.n) {
        const double apart = weight_of(t, v, false), others = apart > 0 ? 1 / apart : 0;
        const double degree = weight_of(t, v, true) + apart;

        for (uint64_t e = t.off[v] + lane; e < t.off[v + 1]; e += SE_WARP)
            if (stays(t, v, e))
                t.left_back[t.place[e]] = t.place[t.back[e]];
        for (uint64_t e = t.left_off[v] + lane; e < t.left_off[v + 1]; e += SE_WARP) {
            const double w = (double)t.left_weight[e];
            const uint32_t u = t.left_to[e];

            t.left_norm[e] = (float)(w * (t.left_root[v] * t.left_root[u]));
            t.left_mean[e] = (float)(degree > 0 ? w / degree : 0);
            t.left_apart[e] = u == v ? 0 : (float)(w * others);
        }
    }
}

uint64_t se_cuda_thin(se_worker *d, const se_thinning *t)
{
    const unsigned blocks = se_blocks(t->n, SE_WARPS);
    const uint64_t *arcs;

    if (d->bad || t->n == 0)
        return 0;
    SE_LAUNCH(count_kernel, blocks, SE_BLOCK, 0, d->stream, *t);
    if (!se_cuda_launched(d, "edges left") || !scan(d, t->left_off + 1, t->n))
        return 0;
    SE_LAUNCH(move_kernel, blocks, SE_BLOCK, 0, d->stream, *t);
    if (!se_cuda_launched(d, "edges left"))
        return 0;
    SE_LAUNCH(join_kernel, blocks, SE_BLOCK, 0, d->stream, *t);
    if (!se_cuda_launched(d, "edges left"))
        return 0;
    arcs = (const uint64_t *)se_cuda_answer(d, t->left_off + t->n, sizeof *arcs);
    return arcs ? *arcs : 0;
}
