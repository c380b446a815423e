/* attention.cu - scores of arcs, their softmax, and the way back
 *
 * A warp has a vertex; its lanes have heads, or several arcs of few heads. */
#include "shared.h"

__device__ static inline float leaky(float x, float slope)
{
    return x > 0 ? x : slope * x;
}

/* el and er: a thread for each vertex and head */
SE_KERNEL score_kernel(se_attention a)
{
    for SE_EACH(i, a.n * a.heads) {
        const float *z = a.z + i * a.width;
        const uint64_t at = i % a.heads * a.width;
        float left = 0, right = 0;

        for (uint64_t k = 0; k < a.width; k++) {
            left += z[k] * a.left[at + k];
            right += z[k] * a.right[at + k];
        }
        a.el[i] = left;
        a.er[i] = right;
    }
}

/* Of the arcs of v and one head: scores, exponentials, shares.  A lane reads only what it
 * wrote itself. */
__device__ static void softmax(const se_attention &a, const se_lanes &l, uint64_t v, uint64_t h)
{
    const uint64_t first = a.off[v] + l.slot, last = a.off[v + 1];
    float most = -INFINITY, sum = 0;

    if (h < a.heads)
        for (uint64_t e = first; e < last; e += l.slots) {
            const float s = leaky(a.el[(uint64_t)a.to[e] * a.heads + h] + a.er[v * a.heads + h],
                                  a.slope);

            a.share[e * a.heads + h] = s;
            most = fmaxf(most, s);
        }
    most = se_slots_max(l, most);
    if (h < a.heads)
        for (uint64_t e = first; e < last; e += l.slots) {
            const float s = expf(a.share[e * a.heads + h] - most);

            a.share[e * a.heads + h] = s;
            sum += s;
        }
    sum = se_slots_sum(l, sum);
    if (h < a.heads)
        for (uint64_t e = first; e < last; e += l.slots)
            a.share[e * a.heads + h] /= sum;
}

SE_KERNEL softmax_kernel(se_attention a)
{
    const se_lanes l = se_split(a.heads);

    for SE_EACH_ROW(v, a.n)
        for (uint64_t from = 0; from < a.heads; from += SE_WARP)
            softmax(a, l, v, from + l.column);
}

void se_cuda_attend(se_worker *d, const se_attention *a)
{
    if (d->bad || a->n == 0)
        return;
    SE_LAUNCH(score_kernel, se_blocks(a->n * a->heads, SE_BLOCK), SE_BLOCK, 0, d->stream, *a);
    if (!se_cuda_launched(d, "scores"))
        return;
    SE_LAUNCH(softmax_kernel, se_blocks(a->n, SE_WARPS), SE_BLOCK, 0, d->stream, *a);
    se_cuda_launched(d, "softmax");
}

SE_KERNEL heads_mean_kernel(uint64_t count, uint64_t heads, uint64_t width, const float *x,
                            const float *bias, float *out)
{
    const float part = 1 / (float)heads;

    for SE_EACH(i, count) {
        const uint64_t v = i / width, k = i % width;
        float sum = 0;

        for (uint64_t h = 0; h < heads; h++)
            sum += x[(v * heads + h) * width + k] + bias[h * width + k];
        out[i] = sum * part;
    }
}

void se_cuda_heads_mean(se_worker *d, const se_attention *a, const float *x,
                        const float *bias, float *out)
{
    const uint64_t count = a->n * a->width;

    if (d->bad || count == 0)
        return;
    SE_LAUNCH(heads_mean_kernel, se_blocks(count, SE_BLOCK), SE_BLOCK, 0, d->stream, count,
              a->heads, a->width, x, bias, out);
    se_cuda_launched(d, "mean of heads");
}

/* ---- backward ---- */

/* The gradient of the share of arc e */
__device__ static inline float share_back(const se_attention &a, const float *dout, uint64_t e,
                                          uint64_t h)
{
    const float *z = a.z + ((uint64_t)a.to[e] * a.heads + h) * a.width;
    float sum = 0;

    for (uint64_t k = 0; k < a.width; k++)
        sum += dout[k] * z[k];
    return a.keep ? sum * a.scale * (float)a.keep[e * a.heads + h] : sum * a.scale;
}

__device__ static void scores_back(const se_attention &a, const se_lanes &l, uint64_t v,
                                   uint64_t h)
{
    const uint64_t first = a.off[v] + l.slot, last = a.off[v + 1];
    const float *dout = a.dout + (a.mean ? v : v * a.heads + h) * a.width;
    float mean = 0, sum = 0;

    if (h < a.heads)
        for (uint64_t e = first; e < last; e += l.slots) {
            const float d = share_back(a, dout, e, h);

            a.dscore[e * a.heads + h] = d;
            mean += a.share[e * a.heads + h] * d;
        }
    mean = se_slots_sum(l, mean);
    if (h < a.heads)
        for (uint64_t e = first; e < last; e += l.slots) {
            const uint64_t i = e * a.heads + h;
            const float raw = a.el[(uint64_t)a.to[e] * a.heads + h] + a.er[v * a.heads + h];
            const float d = a.share[i] * (a.dscore[i] - mean) * (raw > 0 ? 1 : a.slope);

            a.dscore[i] = d;
            sum += d;
        }
    sum = se_slots_sum(l, sum);
    if (h < a.heads && l.slot == 0)
        a.der[v * a.heads + h] = sum;
}

SE_KERNEL scores_back_kernel(se_attention a)
{
    const se_lanes l = se_split(a.heads);

    for SE_EACH_ROW(v, a.n)
        for (uint64_t from = 0; from < a.heads; from += SE_WARP)
            scores_back(a, l, v, from + l.column);
}

void se_cuda_attend_back(se_worker *d, const se_attention *a)
{
    if (d->bad || a->n == 0)
        return;
    SE_LAUNCH(scores_back_kernel, se_blocks(a->n, SE_WARPS), SE_BLOCK, 0, d->stream, *a);
    se_cuda_launched(d, "gradient of scores");
}

/* del: over the arcs out of u, which are the arcs back from its own */
SE_KERNEL left_back_kernel(se_attention a)
{
    const se_lanes l = se_split(a.heads);

    for SE_EACH_ROW(u, a.n)
        for (uint64_t from = 0; from < a.heads; from += SE_WARP) {
            const uint64_t h = from + l.column;
            float sum = 0;

            if (h < a.heads)
                for (uint64_t e = a.off[u] + l.slot; e < a.off[u + 1]; e += l.slots)
                    sum += a.dscore[(uint64_t)a.back[e] * a.heads + h];
            sum = se_slots_sum(l, sum);
            if (h < a.heads && l.slot == 0)
                a.del[u * a.heads + h] = sum;
        }
}

SE_KERNEL z_back_kernel(se_attention a)
{
    const uint64_t cols = a.heads * a.width;

    for SE_EACH(i, a.n * cols) {
        const uint64_t c = i % cols, s = i / a.width;

        a.dz[i] += a.del[s] * a.left[c] + a.der[s] * a.right[c];
    }
}

void se_cuda_attend_back_z(se_worker *d, const se_attention *a)
{
    if (d->bad || a->n == 0)
        return;
    SE_LAUNCH(left_back_kernel, se_blocks(a->n, SE_WARPS), SE_BLOCK, 0, d->stream, *a);
    if (!se_cuda_launched(d, "gradient of scores"))
        return;
    SE_LAUNCH(z_back_kernel, se_blocks(a->n * a->heads * a->width, SE_BLOCK), SE_BLOCK, 0,
              d->stream, *a);
    se_cuda_launched(d, "gradient of features");
}
