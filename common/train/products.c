/* products.c - products with parameters, sums of columns */
#include "common/base/blas.h"
#include "common/train/vector.h"

/* ---- products with parameters ---- */

/* c = a b, or c += a b */
static void gemm(bool ta, bool tb, uint64_t m, uint64_t n, uint64_t k, const se_real *a,
                 uint64_t lda, const se_real *b, uint64_t ldb, bool add, se_real *c)
{
    const CBLAS_TRANSPOSE x = ta ? CblasTrans : CblasNoTrans, y = tb ? CblasTrans : CblasNoTrans;

#define GEMM(f)                                                                              \
    f(CblasRowMajor, x, y, (int)m, (int)n, (int)k, 1, (const void *)a, (int)lda,             \
      (const void *)b, (int)ldb, add, (void *)c, (int)n)
    if (SE_IS_DOUBLE)
        GEMM(se_blas.dgemm);
    else
        GEMM(se_blas.sgemm);
#undef GEMM
}

static void product_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_row_product *p = arg;
    se_real *c = p->c + from * p->cols;

    if (!p->transposed && se_narrow(p->inner, p->cols)) {
        se_narrow_times(p, from, to);
        return;
    }
    if (p->transposed && se_narrow(p->cols, p->inner)) {
        se_narrow_times_back(p, from, to);
        return;
    }
    for (uint64_t i = 0; p->bias && i < to - from; i++)
        memcpy(c + i * p->cols, p->bias, p->cols * sizeof *c);
    gemm(false, p->transposed, to - from, p->cols, p->inner, p->a + from * p->inner, p->inner,
         p->b, p->transposed ? p->inner : p->cols, p->bias || p->add, c);
}

/* Room for what training makes of these parameters and its input, if it is made ahead */
static se_real *room_ahead(const struct se_net *net, const se_real *w)
{
    return net->parameter[se_net_parameter_at(net, (uint64_t)(w - net->value))].ahead;
}

static void sparse_product(const struct se_net *net, const struct se_mat *x, const se_real *w,
                           uint64_t cols, const se_real *bias, se_real *y)
{
    const struct se_sparse *s = x->sparse;
    struct se_gather g[2] = { { .off = s->off, .index = s->col, .value = x->value, .x = w,
                                .rows = s->cols, .stride = cols, .y = y, .width = cols,
                                .heads = 1, .scale = 1, .bias = bias } };

    if (x->made) {
        memcpy(y, room_ahead(net, w), s->rows * cols * sizeof *y);
    } else if (x->ahead) {
        g[1] = g[0];
        g[1].value = x->ahead;
        g[1].y = room_ahead(net, w);
        se_gather_sparse(net, g, true);
    } else {
        se_gather_sparse(net, g, false);
    }
}

void se_mm(const struct se_net *net, const struct se_mat *x, const se_real *w, uint64_t cols,
           const se_real *bias, bool add, se_real *y)
{
    const struct se_product p = { .a = x->dense, .b = w, .c = y, .m = x->rows, .n = cols,
                                  .k = x->cols, .add = add, .bias = bias };

    if (x->sparse)
        sparse_product(net, x, w, cols, bias, y);
    else
        net->ops->product(net->worker, &p);
}

void se_mm_input(const struct se_net *net, const se_real *dy, const se_real *w, uint64_t cols,
                 uint64_t xcols, bool add, se_real *dx)
{
    const struct se_product p = { .a = dy, .b = w, .c = dx, .m = net->n, .n = xcols, .k = cols,
                                  .tb = true, .add = add };

    net->ops->product(net->worker, &p);
}

void se_mm_weight(const struct se_net *net, const struct se_mat *x, const se_real *dy,
                  uint64_t cols, se_real *dw)
{
    const struct se_product p = { .a = x->dense, .b = dy, .c = dw, .m = x->cols, .n = cols,
                                  .k = x->rows, .ta = true };

    if (x->sparse)
        se_sparse_weight(net, x, dy, cols, dw);
    else
        net->ops->product(net->worker, &p);
}

void se_sum_columns(const struct se_net *net, const se_real *dy, uint64_t cols, se_real *sum)
{
    const struct se_column_sums all = { .x = dy, .rows = net->n, .cols = cols, .heads = 1,
                                        .scale = 1, .sum = sum };

    net->ops->columns(net->worker, &all);
}

void se_add(const struct se_net *net, const se_real *x, double scale, uint64_t count, se_real *y)
{
    net->ops->add(net->worker, x, (se_real)scale, count, y);
}

/* ---- sums over vertices: fixed blocks of rows each give a part; the parts are added in
 * order ---- */

struct parts {
    se_partial_fn *part;
    void *arg;
    se_real *partial;
    uint64_t rows, parts, count;
};

static void run_part(void *arg, uint64_t i, int thread)
{
    const struct parts *p = arg;

    (void)thread;
    p->part(p->arg, p->rows * i / p->parts, p->rows * (i + 1) / p->parts,
            p->partial + i * p->count);
}

void se_sum_parts(struct se_worker *w, uint64_t n, uint64_t count, uint64_t cost,
                  se_partial_fn *part, void *arg, se_real *sum)
{
    struct parts p = { part, arg, w->partial, n, n * (cost + 1) / SE_ALONE_COST + 1, count };

    if (p.parts > SE_PARTIALS)
        p.parts = SE_PARTIALS;
    se_parallel(w->threads, p.parts, run_part, &p);
    memcpy(sum, p.partial, count * sizeof *sum);
    for (uint64_t i = 1; i < p.parts; i++)
        for (uint64_t j = 0; j < count; j++)
            sum[j] += p.partial[i * count + j];
}

struct columns {
    const se_real *x, *dy, *weight;
    uint64_t xcols, cols, heads;
};

static void weight_part(void *arg, uint64_t from, uint64_t to, se_real *sum)
{
    const struct columns *c = arg;

    if (se_narrow(c->xcols, c->cols)) {
        se_narrow_weight(c->x + from * c->xcols, c->xcols, c->dy + from * c->cols, c->cols,
                         to - from, sum);
        return;
    }
    gemm(true, false, c->xcols, c->cols, to - from, c->x + from * c->xcols, c->xcols,
         c->dy + from * c->cols, c->cols, false, sum);
}

void se_cpu_product(struct se_worker *w, const struct se_product *p)
{
    struct se_row_product rows = { p->a, p->b, p->bias, p->c, p->k, p->n, p->tb, p->add };
    struct columns c = { .x = p->a, .dy = p->b, .xcols = p->m, .cols = p->n };

    if (p->ta)
        se_sum_parts(w, p->k, p->m * p->n, p->m * p->n, weight_part, &c, p->c);
    else
        se_ranges(w->threads, p->m, p->k * p->n, product_range, &rows);
}

SE_WIDE static void column_part(void *arg, uint64_t from, uint64_t to, se_real *sum)
{
    const struct columns *c = arg;
    const uint64_t cols = c->cols;
    const se_real *restrict dy = c->dy;
    se_real *restrict s = sum;

    memset(s, 0, cols * sizeof *s);
    for (uint64_t i = from; i < to; i++)
        for (uint64_t k = 0; k < cols; k++)
            s[k] += dy[i * cols + k];
}

/* With a weight for each row and head */
SE_WIDE static void weighted_part(void *arg, uint64_t from, uint64_t to, se_real *sum)
{
    const struct columns *c = arg;
    const uint64_t width = c->cols / c->heads;

    memset(sum, 0, c->cols * sizeof *sum);
    for (uint64_t v = from; v < to; v++)
        for (uint64_t h = 0; h < c->heads; h++) {
            const uint64_t i = v * c->heads + h;
            const se_real *restrict z = c->dy + i * width, weight = c->weight[i];
            se_real *restrict s = sum + h * width;

            for (uint64_t k = 0; k < width; k++)
                s[k] += weight * z[k];
        }
}

void se_cpu_columns(struct se_worker *w, const struct se_column_sums *s)
{
    struct columns c = { .dy = s->x, .weight = s->weight, .cols = s->cols, .heads = s->heads };

    if (s->weight)
        se_sum_parts(w, s->rows, s->cols, 2 * s->cols, weighted_part, &c, s->sum);
    else
        se_sum_parts(w, s->rows, s->cols, s->cols, column_part, &c, s->sum);
    for (uint64_t k = 0; s->scale != 1 && k < s->cols; k++)
        s->sum[k] *= s->scale;
}
