/* products.c - products with parameters, sums of columns; how work is cut for threads */
#include "common/base/blas.h"
#include "common/device/device.h"
#include "common/train/vector.h"
#include "common/base/parallel.h"

/* Operations that are worth a task, and worth waking a thread */
enum { TASK_COST = 1 << 17, ALONE_COST = 1 << 18 };

static const char only_here[] = "a step of this model can only be done on the CPU";

struct ranges {
    se_range *work;
    void *arg;
    uint64_t rows, step;
};

static void run_range(void *arg, uint64_t task, int thread)
{
    const struct ranges *r = arg;
    const uint64_t from = task * r->step;

    (void)thread;
    r->work(r->arg, from, r->rows - from < r->step ? r->rows : from + r->step);
}

void se_ranges(const struct se_net *net, uint64_t rows, uint64_t cost, se_range *work,
               void *arg)
{
    struct ranges r = { work, arg, rows, TASK_COST / (cost + 1) + 1 };

    if (net->gpu) {
        net->gpu->cuda->refuse(net->gpu->device, only_here);
        return;
    }
    if (rows < ALONE_COST / (cost + 1) + 1)
        r.step = rows;
    if (rows > 0)
        se_parallel(net->threads, (rows + r.step - 1) / r.step, run_range, &r);
}

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

static void run_product(const struct se_net *net, uint64_t rows,
                        struct se_row_product *p)
{
    const struct se_product whole = { .a = p->a, .b = p->b, .c = p->c, .m = rows, .n = p->cols,
                                      .k = p->inner, .tb = p->transposed, .add = p->add,
                                      .bias = p->bias };

    if (net->gpu)
        net->gpu->cuda->product(net->gpu->device, &whole);
    else
        se_ranges(net, rows, p->inner * p->cols, product_range, p);
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
    } else if (net->gpu) {
        se_gather(net, g, s->rows);
    } else {
        se_gather_sparse(net, g, false);
    }
}

void se_mm(const struct se_net *net, const struct se_mat *x, const se_real *w, uint64_t cols,
           const se_real *bias, bool add, se_real *y)
{
    if (x->sparse) {
        sparse_product(net, x, w, cols, bias, y);
    } else {
        struct se_row_product p = { x->dense, w, bias, y, x->cols, cols, false, add };

        run_product(net, x->rows, &p);
    }
}

void se_mm_input(const struct se_net *net, const se_real *dy, const se_real *w, uint64_t cols,
                 uint64_t xcols, bool add, se_real *dx)
{
    struct se_row_product p = { dy, w, NULL, dx, cols, xcols, true, add };

    run_product(net, net->n, &p);
}

/* ---- sums over vertices: fixed blocks of rows each give a part; the parts are added in
 * order ---- */

struct parts {
    se_part *part;
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

void se_sum_parts(const struct se_net *net, uint64_t count, uint64_t cost, se_part *part,
                  void *arg, se_real *sum)
{
    struct parts p = { part, arg, net->partial, net->n, net->n * (cost + 1) / ALONE_COST + 1,
                       count };

    if (net->gpu) {
        net->gpu->cuda->refuse(net->gpu->device, only_here);
        return;
    }
    if (p.parts > SE_PARTS)
        p.parts = SE_PARTS;
    se_parallel(net->threads, p.parts, run_part, &p);
    memcpy(sum, p.partial, count * sizeof *sum);
    for (uint64_t i = 1; i < p.parts; i++)
        for (uint64_t j = 0; j < count; j++)
            sum[j] += p.partial[i * count + j];
}

struct columns {
    const se_real *x, *dy;
    uint64_t xcols, cols;
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

void se_mm_weight(const struct se_net *net, const struct se_mat *x, const se_real *dy,
                  uint64_t cols, se_real *dw)
{
    struct columns c = { x->dense, dy, x->cols, cols };
    const struct se_product whole = { .a = x->dense, .b = dy, .c = dw, .m = x->cols, .n = cols,
                                      .k = x->rows, .ta = true };

    if (x->sparse)
        se_sparse_weight(net, x, dy, cols, dw);
    else if (net->gpu)
        net->gpu->cuda->product(net->gpu->device, &whole);
    else
        se_sum_parts(net, x->cols * cols, x->cols * cols, weight_part, &c, dw);
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

void se_sum_columns(const struct se_net *net, const se_real *dy, uint64_t cols, se_real *sum)
{
    struct columns c = { NULL, dy, 0, cols };
    const struct se_column_sums whole = { .x = dy, .rows = net->n, .cols = cols, .heads = 1,
                                          .scale = 1, .sum = sum };

    if (net->gpu)
        net->gpu->cuda->columns(net->gpu->device, &whole);
    else
        se_sum_parts(net, cols, cols, column_part, &c, sum);
}
