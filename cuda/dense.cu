/* dense.cu - products, sums of columns, activation: what works on every number of a matrix */
#include "shared.h"

/* ---- products ---- */

SE_KERNEL fill_rows_kernel(const float *row, uint64_t cols, uint64_t count, float *y)
{
    for SE_EACH(i, count)
        y[i] = row[i % cols];
}

/* cuBLAS stores by columns: c' = b' a' */
void se_cuda_product(se_worker *d, const se_product *p)
{
    const float one = 1, zero = 0;
    const uint64_t count = p->m * p->n;
    const int lda = (int)(p->ta ? p->m : p->k), ldb = (int)(p->tb ? p->k : p->n);

    if (d->bad || count == 0)
        return;
    if (p->m > INT32_MAX || p->n > INT32_MAX || p->k > INT32_MAX) {
        se_cuda_fail(d, "a product of %llu x %llu x %llu is too large for cuBLAS",
                     (unsigned long long)p->m, (unsigned long long)p->k,
                     (unsigned long long)p->n);
        return;
    }
    if (p->bias) {
        SE_LAUNCH(fill_rows_kernel, se_blocks(count, SE_BLOCK), SE_BLOCK, 0, d->stream, p->bias,
                  p->n, count, p->c);
        if (!se_cuda_launched(d, "bias"))
            return;
    }
    se_cuda_blas_ok(d, cublasSgemm(d->blas, p->tb ? CUBLAS_OP_T : CUBLAS_OP_N,
                                   p->ta ? CUBLAS_OP_T : CUBLAS_OP_N, (int)p->n, (int)p->m,
                                   (int)p->k, &one, p->b, ldb, p->a, lda,
                                   p->bias || p->add ? &one : &zero, p->c, (int)p->n),
                    "product");
}

/* ---- sums of columns: blocks of rows, then the blocks in order ---- */

enum { MOST_PARTS = 256 };

SE_KERNEL part_sums_kernel(se_column_sums s, uint64_t each, float *part)
{
    SE_SHARED(float, sums, SE_BLOCK);
    const se_lanes l = se_split(s.cols);
    const unsigned warp = threadIdx.x / SE_WARP;
    const uint64_t c = (uint64_t)blockIdx.x * SE_WARP + l.column, width = s.cols / s.heads;
    const uint64_t first = blockIdx.y * each;
    const uint64_t last = s.rows - first < each ? s.rows : first + each;
    float sum = 0;

    if (c < s.cols)
        for (uint64_t i = first + warp * l.slots + l.slot; i < last; i += SE_WARPS * l.slots) {
            const float w = s.times ? s.times[i * s.cols + c]
                          : s.weight ? s.weight[i * s.heads + c / width] : 1;

            sum += w * s.x[i * s.cols + c];
        }
    sums[threadIdx.x] = se_slots_sum(l, sum);
    __syncthreads();
    if (warp == 0 && l.slot == 0 && c < s.cols) {
        sum = 0;
        for (unsigned w = 0; w < SE_WARPS; w++)
            sum += sums[w * SE_WARP + l.column];
        part[blockIdx.y * s.cols + c] = sum;
    }
}

SE_KERNEL join_parts_kernel(const float *part, unsigned parts, uint64_t cols, float scale,
                            float *out)
{
    for SE_EACH(c, cols) {
        float sum = 0;

        for (unsigned i = 0; i < parts; i++)
            sum += part[i * cols + c];
        out[c] = sum * scale;
    }
}

void se_cuda_columns(se_worker *d, const se_column_sums *s)
{
    uint64_t each = (s->rows + MOST_PARTS - 1) / MOST_PARTS;
    float *part;

    if (each < SE_BLOCK)
        each = SE_BLOCK;
    const unsigned parts = (unsigned)((s->rows + each - 1) / each);

    part = (float *)se_cuda_work(d, parts * s->cols * sizeof *part);
    if (!part || s->cols == 0)
        return;
    SE_LAUNCH(part_sums_kernel, dim3((unsigned)((s->cols + SE_WARP - 1) / SE_WARP), parts),
              SE_BLOCK, 0, d->stream, *s, each, part);
    if (!se_cuda_launched(d, "sums of columns"))
        return;
    SE_LAUNCH(join_parts_kernel, se_blocks(s->cols, SE_BLOCK), SE_BLOCK, 0, d->stream, part,
              parts, s->cols, s->scale, s->sum);
    se_cuda_launched(d, "sums of columns");
}

/* ---- number by number ---- */

SE_KERNEL activate_kernel(se_activating a)
{
    for SE_EACH(i, a.count) {
        const float x = a.in[i];
        float y = a.dout ? 1 : x;

        if (x <= 0 && a.act == SE_RELU)
            y = 0;
        if (x <= 0 && a.act == SE_ELU)
            y = a.dout ? expf(x) : expf(x) - 1;
        if (a.dout)
            y *= a.dout[i];
        a.out[i] = a.keep ? y * ((float)a.keep[i] * a.scale) : y;
    }
}

void se_cuda_activate(se_worker *d, const se_activating *a)
{
    if (d->bad || a->count == 0)
        return;
    SE_LAUNCH(activate_kernel, se_blocks(a->count, SE_BLOCK), SE_BLOCK, 0, d->stream, *a);
    se_cuda_launched(d, "activation");
}

SE_KERNEL add_kernel(const float *x, float scale, uint64_t count, float *y)
{
    for SE_EACH(i, count)
        y[i] += scale * x[i];
}

void se_cuda_add(se_worker *d, const float *x, float scale, uint64_t count, float *y)
{
    if (d->bad || count == 0)
        return;
    SE_LAUNCH(add_kernel, se_blocks(count, SE_BLOCK), SE_BLOCK, 0, d->stream, x, scale, count,
              y);
    se_cuda_launched(d, "sum");
}
