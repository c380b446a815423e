/* nn_math.c - the sums that all layers are made of */
#include <math.h>
#include <string.h>

#include <cblas.h>

#include "common/nn.h"
#include "common/parallel.h"
#include "common/rng.h"

/* The same source for wider vectors where the CPU has them.  Not under the sanitizers, whose
 * functions are not there yet when the choice is made. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define WIDE
#endif

#define IS_DOUBLE (sizeof(se_real) == 8)

enum { TASK_COST = 1 << 17 };   /* operations that are worth a task */

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

    if (rows > 0)
        se_parallel(net->threads, (rows + r.step - 1) / r.step, run_range, &r);
}

/* ---- sums of rows, chosen by index: sparse products and aggregation ---- */

typedef se_real vec __attribute__((vector_size(32), aligned(sizeof(se_real)), may_alias));
enum { LANES = 32 / sizeof(se_real) };

struct gather {
    const uint64_t *off;
    const uint32_t *index;      /* row of x per entry */
    const se_real *value;       /* per entry, or NULL */
    const uint32_t *entry;      /* which value, or NULL: the entry's own */
    const se_real *row, *col;   /* scales, or NULL */
    const se_real *x;
    se_real *y;
    uint64_t cols;
};

static inline se_real coefficient(const struct gather *g, uint64_t e)
{
    se_real a = 1;

    if (g->value)
        a = g->value[g->entry ? g->entry[e] : e];
    if (g->col)
        a *= g->col[g->index[e]];
    return a;
}

/* Columns from .. from + width * LANES of one row of y, in registers. */
static inline __attribute__((always_inline)) void sum_tile(const struct gather *g, uint64_t i,
                                                           uint64_t from, const int width)
{
    vec sum[8];
    const se_real scale = g->row ? g->row[i] : 1;

    for (int k = 0; k < width; k++)
        sum[k] = (vec){ 0 };
    for (uint64_t e = g->off[i]; e < g->off[i + 1]; e++) {
        const se_real a = coefficient(g, e);
        const vec *x = (const vec *)(const void *)(g->x + g->index[e] * g->cols + from);

        for (int k = 0; k < width; k++)
            sum[k] += a * x[k];
    }
    for (int k = 0; k < width; k++)
        ((vec *)(void *)(g->y + i * g->cols + from))[k] = sum[k] * scale;
}

static inline __attribute__((always_inline)) void sum_rest(const struct gather *g, uint64_t i,
                                                           uint64_t from)
{
    const se_real scale = g->row ? g->row[i] : 1;
    const uint64_t rest = g->cols - from;
    se_real sum[LANES] = { 0 };

    for (uint64_t e = g->off[i]; e < g->off[i + 1]; e++) {
        const se_real a = coefficient(g, e);
        const se_real *x = g->x + g->index[e] * g->cols + from;

        for (uint64_t k = 0; k < rest; k++)
            sum[k] += a * x[k];
    }
    for (uint64_t k = 0; k < rest; k++)
        g->y[i * g->cols + from + k] = sum[k] * scale;
}

WIDE static void gather_range(void *arg, uint64_t from, uint64_t to)
{
    const struct gather *g = arg;

    for (uint64_t i = from; i < to; i++) {
        uint64_t c = 0;

        for (; c + 8 * LANES <= g->cols; c += 8 * LANES)
            sum_tile(g, i, c, 8);
        for (; c + 2 * LANES <= g->cols; c += 2 * LANES)
            sum_tile(g, i, c, 2);
        for (; c + LANES <= g->cols; c += LANES)
            sum_tile(g, i, c, 1);
        if (c < g->cols)
            sum_rest(g, i, c);
    }
}

static void gather_all(const struct se_net *net, struct gather *g, uint64_t rows,
                       uint64_t entries)
{
    se_ranges(net, rows, (entries / (rows + 1) + 1) * (g->cols + 4), gather_range, g);
}

void se_gather(const struct se_net *net, const se_real *x, uint64_t cols, const se_real *row,
               const se_real *col, const se_real *arc, bool back, se_real *y)
{
    const struct se_nngraph *graph = net->graph;
    struct gather g = { graph->off, graph->to, arc, back ? graph->back : NULL, row, col, x, y,
                        cols };

    gather_all(net, &g, graph->n, graph->arcs);
}

/* ---- products with parameters ---- */

static void gemm(bool ta, bool tb, uint64_t m, uint64_t n, uint64_t k, const se_real *a,
                 uint64_t lda, const se_real *b, uint64_t ldb, se_real *c)
{
    const CBLAS_TRANSPOSE x = ta ? CblasTrans : CblasNoTrans, y = tb ? CblasTrans : CblasNoTrans;

#define GEMM(f)                                                                              \
    f(CblasRowMajor, x, y, (blasint)m, (blasint)n, (blasint)k, 1, (const void *)a,           \
      (blasint)lda, (const void *)b, (blasint)ldb, 0, (void *)c, (blasint)n)
    if (IS_DOUBLE)
        GEMM(cblas_dgemm);
    else
        GEMM(cblas_sgemm);
#undef GEMM
}

struct product {
    const se_real *a, *b;
    se_real *c;
    uint64_t inner, cols;       /* of this product */
};

static void product_range(void *arg, uint64_t from, uint64_t to)
{
    const struct product *p = arg;

    gemm(false, false, to - from, p->cols, p->inner, p->a + from * p->inner, p->inner, p->b,
         p->cols, p->c + from * p->cols);
}

static void product_transposed_range(void *arg, uint64_t from, uint64_t to)
{
    const struct product *p = arg;

    gemm(false, true, to - from, p->cols, p->inner, p->a + from * p->inner, p->inner, p->b,
         p->inner, p->c + from * p->cols);
}

void se_mm(const struct se_net *net, const struct se_mat *x, const se_real *w, uint64_t cols,
           se_real *y)
{
    if (x->sparse) {
        const struct se_sparse *s = x->sparse;
        struct gather g = { s->off, s->col, x->value, NULL, NULL, NULL, w, y, cols };

        gather_all(net, &g, s->rows, s->nnz);
    } else {
        struct product p = { x->dense, w, y, x->cols, cols };

        se_ranges(net, x->rows, x->cols * cols, product_range, &p);
    }
}

void se_mm_input(const struct se_net *net, const se_real *dy, const se_real *w, uint64_t cols,
                 uint64_t xcols, se_real *dx)
{
    struct product p = { dy, w, dx, cols, xcols };

    se_ranges(net, net->n, xcols * cols, product_transposed_range, &p);
}

/* Fixed blocks of rows each give a part of the sum; the parts are added in order. */
enum { PARTS = 16 };

struct parts {
    const se_real *x, *dy;
    se_real *partial;
    uint64_t rows, xcols, cols, parts;
};

static void part_product(void *arg, uint64_t part, int thread)
{
    const struct parts *p = arg;
    const uint64_t from = p->rows * part / p->parts, to = p->rows * (part + 1) / p->parts;

    (void)thread;
    gemm(true, false, p->xcols, p->cols, to - from, p->x + from * p->xcols, p->xcols,
         p->dy + from * p->cols, p->cols, p->partial + part * p->xcols * p->cols);
}

static uint64_t part_count(uint64_t rows, uint64_t cost)
{
    const uint64_t parts = rows * (cost + 1) / (8 * TASK_COST) + 1;

    return parts < PARTS ? parts : PARTS;
}

static void add_parts(const se_real *partial, uint64_t parts, uint64_t count, se_real *sum)
{
    memcpy(sum, partial, count * sizeof *sum);
    for (uint64_t i = 1; i < parts; i++)
        for (uint64_t j = 0; j < count; j++)
            sum[j] += partial[i * count + j];
}

void se_mm_weight(const struct se_net *net, const struct se_mat *x, const se_real *dy,
                  uint64_t cols, se_real *dw)
{
    if (x->sparse) {
        const struct se_sparse *s = x->sparse;
        struct gather g = { s->toff, s->trow, x->value, s->tentry, NULL, NULL, dy, dw, cols };

        gather_all(net, &g, s->cols, s->nnz);
        return;
    }
    struct parts p = { x->dense, dy, net->partial, x->rows, x->cols, cols,
                       part_count(x->rows, x->cols * cols) };
    se_parallel(net->threads, p.parts, part_product, &p);
    add_parts(p.partial, p.parts, x->cols * cols, dw);
}

static void part_columns(void *arg, uint64_t part, int thread)
{
    const struct parts *p = arg;
    const uint64_t from = p->rows * part / p->parts, to = p->rows * (part + 1) / p->parts;
    se_real *sum = p->partial + part * p->cols;

    (void)thread;
    memset(sum, 0, p->cols * sizeof *sum);
    for (uint64_t i = from; i < to; i++)
        for (uint64_t k = 0; k < p->cols; k++)
            sum[k] += p->dy[i * p->cols + k];
}

void se_sum_columns(const struct se_net *net, const se_real *dy, uint64_t cols, se_real *sum)
{
    struct parts p = { NULL, dy, net->partial, net->n, 0, cols, part_count(net->n, cols) };

    se_parallel(net->threads, p.parts, part_columns, &p);
    add_parts(p.partial, p.parts, cols, sum);
}

struct bias {
    se_real *y;
    const se_real *bias;
    uint64_t cols;
};

static void bias_range(void *arg, uint64_t from, uint64_t to)
{
    const struct bias *b = arg;

    for (uint64_t i = from; i < to; i++)
        for (uint64_t k = 0; k < b->cols; k++)
            b->y[i * b->cols + k] += b->bias[k];
}

void se_add_bias(const struct se_net *net, se_real *y, uint64_t cols, const se_real *bias)
{
    struct bias b = { y, bias, cols };

    se_ranges(net, net->n, cols, bias_range, &b);
}

/* ---- dropout ---- */

enum { ABREAST = 16 };          /* Philox blocks at a time */

struct mask {
    uint32_t counter[4], key[2], least;
    uint64_t count;
    uint8_t *keep;
};

WIDE static void philox_abreast(const struct mask *m, uint32_t first, uint32_t out[4][ABREAST])
{
    uint32_t c0[ABREAST], c1[ABREAST], c2[ABREAST], c3[ABREAST], k0 = m->key[0], k1 = m->key[1];

    for (int i = 0; i < ABREAST; i++) {
        c0[i] = first + (uint32_t)i;
        c1[i] = m->counter[1];
        c2[i] = m->counter[2];
        c3[i] = m->counter[3];
    }
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < ABREAST; i++) {
            const uint64_t p0 = (uint64_t)0xD2511F53 * c0[i], p1 = (uint64_t)0xCD9E8D57 * c2[i];

            c0[i] = (uint32_t)(p1 >> 32) ^ c1[i] ^ k0;
            c1[i] = (uint32_t)p1;
            c2[i] = (uint32_t)(p0 >> 32) ^ c3[i] ^ k1;
            c3[i] = (uint32_t)p0;
        }
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    memcpy(out[0], c0, sizeof c0);
    memcpy(out[1], c1, sizeof c1);
    memcpy(out[2], c2, sizeof c2);
    memcpy(out[3], c3, sizeof c3);
}

static void mask_range(void *arg, uint64_t from, uint64_t to)
{
    const struct mask *m = arg;
    uint32_t out[4][ABREAST];

    for (uint64_t group = from; group < to; group++) {
        const uint64_t first = group * ABREAST * 8;
        const uint64_t count = m->count - first < ABREAST * 8 ? m->count - first : ABREAST * 8;
        uint8_t keep[ABREAST * 8];

        philox_abreast(m, (uint32_t)(group * ABREAST), out);
        for (int i = 0; i < ABREAST; i++)
            for (int w = 0; w < 4; w++) {
                keep[8 * i + 2 * w] = (out[w][i] & 0xffff) >= m->least;
                keep[8 * i + 2 * w + 1] = (out[w][i] >> 16) >= m->least;
            }
        memcpy(m->keep + first, keep, count);
    }
}

void se_mask(const struct se_net *net, const struct se_layer *x, int part, double p,
             uint64_t count, uint8_t *keep)
{
    struct mask m = { .counter = { 0, SE_RNG_DROPOUT, net->epoch,
                                   (uint32_t)part << 16 | (uint32_t)x->number },
                      .key = { (uint32_t)net->seed, (uint32_t)(net->seed >> 32) },
                      .least = (uint32_t)lround(p * 65536), .count = count, .keep = keep };
    const uint64_t groups = (count + ABREAST * 8 - 1) / (ABREAST * 8);

    se_ranges(net, groups, ABREAST * 8, mask_range, &m);
}

/* ---- the step ---- */

struct adam {
    se_real *value, *moment, *square;
    const se_real *grad;
    se_real rate, decay, root;  /* rate and root hold the corrections of this step */
};

WIDE static void adam_range(void *arg, uint64_t from, uint64_t to)
{
    const struct adam *a = arg;
    se_real *restrict value = a->value, *restrict moment = a->moment;
    se_real *restrict square = a->square;
    const se_real *restrict grad = a->grad;
    const se_real b1 = (se_real)0.9, b2 = (se_real)0.999, eps = (se_real)1e-8;
    const se_real rate = a->rate, decay = a->decay, root = a->root;

    for (uint64_t i = from; i < to; i++) {
        const se_real g = grad[i] + decay * value[i];
        const se_real m = b1 * moment[i] + (1 - b1) * g;
        const se_real s = b2 * square[i] + (1 - b2) * g * g;

        moment[i] = m;
        square[i] = s;
        value[i] -= rate * m /
                    ((IS_DOUBLE ? (se_real)sqrt((double)s) : (se_real)sqrtf((float)s)) * root +
                     eps);
    }
}

void se_net_adam(struct se_net *net, double rate, double decay)
{
    struct adam a = { net->value, net->moment, net->square, net->grad, 0, (se_real)decay, 0 };

    net->steps++;
    net->current = 0;
    a.rate = (se_real)(rate / (1 - pow(0.9, (double)net->steps)));
    a.root = (se_real)(1 / sqrt(1 - pow(0.999, (double)net->steps)));
    se_ranges(net, net->count, 4, adam_range, &a);
}
