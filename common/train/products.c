/* products.c - products with parameters, sums of columns */
#include "common/base/blas.h"
#include "common/train/peers.h"
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

static bool is_narrow(const struct se_row_product *p)
{
    return p->transposed ? se_narrow(p->cols, p->inner) : se_narrow(p->inner, p->cols);
}

static void narrow_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_row_product *p = arg;

    if (p->transposed)
        se_narrow_times_back(p, from, to);
    else
        se_narrow_times(p, from, to);
}

static void product_rows(const struct se_row_product *p, uint64_t from, uint64_t to)
{
    se_real *c = p->c + from * p->cols;

    for (uint64_t i = 0; p->bias && i < to - from; i++)
        memcpy(c + i * p->cols, p->bias, p->cols * sizeof *c);
    gemm(false, p->transposed, to - from, p->cols, p->inner, p->a + from * p->inner, p->inner,
         p->b, p->transposed ? p->inner : p->cols, p->bias || p->add, c);
}

/* What a library rounds may depend on how many rows it is given: blocks of vertices are the same
 * in any number of processes. */
struct row_blocks {
    const struct se_row_product *p;
    uint64_t rows, block;
};

static void block_range(void *arg, uint64_t from, uint64_t to)
{
    const struct row_blocks *b = arg;

    for (uint64_t i = from; i < to; i++)
        product_rows(b->p, i * b->block,
                     (i + 1) * b->block < b->rows ? (i + 1) * b->block : b->rows);
}

static uint64_t part_rows(const struct se_worker *w, uint64_t n)
{
    return se_part_rows(w->peers ? w->peers->n : n);
}

static void row_product(struct se_worker *w, struct se_row_product *p, uint64_t rows)
{
    enum { MOST = 512 };
    struct row_blocks b = { p, rows, part_rows(w, rows) };

    if (b.block > MOST)
        b.block = MOST;
    if (is_narrow(p))
        se_ranges(w->threads, rows, p->inner * p->cols, narrow_range, p);
    else
        se_ranges(w->threads, (rows + b.block - 1) / b.block, b.block * p->inner * p->cols,
                  block_range, &b);
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
 * order, in double, those of other processes among them ---- */

struct parts {
    se_partial_fn *part;
    void *arg;
    se_real *partial;
    uint64_t rows, block, first, count; /* first: the part that comes first into `partial` */
};

static void run_part(void *arg, uint64_t i, int thread)
{
    const struct parts *p = arg;
    const uint64_t from = (p->first + i) * p->block, to = from + p->block;

    (void)thread;
    p->part(p->arg, from, to < p->rows ? to : p->rows, p->partial + i * p->count);
}

void se_sum_parts(struct se_worker *w, uint64_t n, uint64_t count, uint64_t cost,
                  se_partial_fn *part, void *arg, se_real *sum)
{
    struct parts p = { part, arg, w->partial, n, part_rows(w, n), 0, count };
    const uint64_t parts = (n + p.block - 1) / p.block, bytes = count * sizeof *w->total;
    const int threads = n < SE_ALONE_COST / (cost + 1) + 1 ? 1 : w->threads;
    struct se_peers *peers = w->peers;

    memset(w->total, 0, bytes);
    do {
        const uint64_t left = parts - p.first, now = left < SE_PARTIALS ? left : SE_PARTIALS;

        se_parallel(threads, now, run_part, &p);
        if (peers && p.first == 0)
            peers->take(peers, w->total, bytes);
        for (uint64_t i = 0; i < now; i++)
            for (uint64_t j = 0; j < count; j++)
                w->total[j] += (double)p.partial[i * count + j];
        p.first += now;
    } while (p.first < parts);
    if (peers) {
        peers->pass(peers, w->total, bytes);
        peers->share(peers, w->total, bytes);
    }
    for (uint64_t j = 0; j < count; j++)
        sum[j] = (se_real)w->total[j];
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
        row_product(w, &rows, p->m);
}

/* Many numbers are added some at a time, so that small ones are not lost beside the sum. */
enum { SOME_ROWS = 1024, SOME_COLUMNS = 64 };

SE_WIDE static void column_part(void *arg, uint64_t from, uint64_t to, se_real *sum)
{
    const struct columns *c = arg;
    const uint64_t cols = c->cols;
    const se_real *restrict dy = c->dy;

    memset(sum, 0, cols * sizeof *sum);
    for (uint64_t i = from; i < to; i += SOME_ROWS)
        for (uint64_t k = 0; k < cols; k += SOME_COLUMNS) {
            const uint64_t end = i + SOME_ROWS < to ? i + SOME_ROWS : to;
            const uint64_t wide = cols - k < SOME_COLUMNS ? cols - k : SOME_COLUMNS;
            se_real s[SOME_COLUMNS] = { 0 };

            for (uint64_t row = i; row < end; row++)
                for (uint64_t j = 0; j < wide; j++)
                    s[j] += dy[row * cols + k + j];
            for (uint64_t j = 0; j < wide; j++)
                sum[k + j] += s[j];
        }
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

/* Number by number times another */
static void times_part(void *arg, uint64_t from, uint64_t to, se_real *sum)
{
    const struct columns *c = arg;
    const uint64_t cols = c->cols;

    memset(sum, 0, cols * sizeof *sum);
    for (uint64_t v = from; v < to; v++)
        for (uint64_t k = 0; k < cols; k++)
            sum[k] += c->dy[v * cols + k] * c->x[v * cols + k];
}

void se_cpu_columns(struct se_worker *w, const struct se_column_sums *s)
{
    struct columns c = { .x = s->times, .dy = s->x, .weight = s->weight, .cols = s->cols,
                         .heads = s->heads };

    if (s->times)
        se_sum_parts(w, s->rows, s->cols, 2 * s->cols, times_part, &c, s->sum);
    else if (s->weight)
        se_sum_parts(w, s->rows, s->cols, 2 * s->cols, weighted_part, &c, s->sum);
    else
        se_sum_parts(w, s->rows, s->cols, s->cols, column_part, &c, s->sum);
    for (uint64_t k = 0; s->scale != 1 && k < s->cols; k++)
        s->sum[k] *= s->scale;
}
