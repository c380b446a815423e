/* rows.c - centring and scaling of rows, and S of two of them */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/sim/engine.h"
#include "common/sim/sim.h"
#include "common/sim/sim_kernels.h"

enum { ROWS_PER_TASK = 1024 };

/* A sparse row is steep when its length is more than this many times that of the centred
 * row: d * mean^2 then eats the digits of the product, and S is summed from centred numbers. */
static const double steep_ratio = 30;

/* --- dense rows --- */

static bool constant(const float *x, uint64_t d, enum se_metric metric)
{
    const float first = metric == SE_PCC ? x[0] : 0;

    for (uint64_t t = 0; t < d; t++)
        if (x[t] != first)
            return false;
    return true;
}

static struct se_sim_scale scale_dense(const float *x, uint64_t d, enum se_metric metric)
{
    struct se_sim_scale s = { 0, 0, 0 };
    double sum = 0;

    if (d == 0 || constant(x, d, metric))
        return s;
    if (metric == SE_PCC) {
        s.shift = x[0];
        for (uint64_t t = 0; t < d; t++)
            sum += x[t] - s.shift;
        s.mean = sum / (double)d;
    }
    sum = 0;
    for (uint64_t t = 0; t < d; t++) {
        const double y = (x[t] - s.shift) - s.mean;

        sum += y * y;
    }
    s.inverse = 1 / sqrt(sum);
    return s;
}

/* --- sparse rows --- */

static inline double value_at(const struct se_features *x, uint64_t e)
{
    return x->value ? x->value[e] : 1;
}

static bool constant_sparse(const struct se_features *x, uint64_t i, enum se_metric metric)
{
    const uint64_t from = x->off[i], to = x->off[i + 1];
    const double first = metric == SE_PCC && to - from == x->d ? value_at(x, from) : 0;

    for (uint64_t e = from; e < to; e++)
        if (value_at(x, e) != first)
            return false;
    return true;
}

static struct se_sim_scale scale_sparse(const struct se_features *x, uint64_t i,
                                        enum se_metric metric, bool *steep)
{
    const uint64_t from = x->off[i], to = x->off[i + 1];
    struct se_sim_scale s = { 0, 0, 0 };
    double sum = 0, square = 0, y;

    *steep = false;
    if (x->d == 0 || constant_sparse(x, i, metric))
        return s;
    for (uint64_t e = from; e < to; e++) {
        sum += value_at(x, e);
        square += value_at(x, e) * value_at(x, e);
    }
    if (metric == SE_PCC)
        s.mean = sum / (double)x->d;
    sum = s.mean * s.mean * (double)(x->d - (to - from));
    for (uint64_t e = from; e < to; e++) {
        y = value_at(x, e) - s.mean;
        sum += y * y;
    }
    s.inverse = 1 / sqrt(sum);
    *steep = square > steep_ratio * steep_ratio * sum;
    return s;
}

/* The product of two sparse rows when one is steep: both centred, over all columns. */
static double dot_centred(const struct se_sim_rows *r, uint64_t i, uint64_t j)
{
    const struct se_features *x = &r->x;
    const double mi = r->scale[i].mean, mj = r->scale[j].mean;
    uint64_t a = x->off[i], b = x->off[j], seen = 0;
    double sum = 0;

    while (a < x->off[i + 1] || b < x->off[j + 1]) {
        const uint64_t ca = a < x->off[i + 1] ? x->col[a] : UINT64_MAX;
        const uint64_t cb = b < x->off[j + 1] ? x->col[b] : UINT64_MAX;
        const double yi = (ca <= cb ? value_at(x, a++) : 0) - mi;
        const double yj = (cb <= ca ? value_at(x, b++) : 0) - mj;

        sum += yi * yj;
        seen++;
    }
    return sum + mi * mj * (double)(x->d - seen);
}

/* --- S --- */

float se_sim_of_product(const struct se_sim_rows *r, uint64_t i, uint64_t j, double product)
{
    const struct se_sim_scale *a = &r->scale[i], *b = &r->scale[j];

    if (!r->x.dense)
        product -= (a->mean * b->mean) * (double)r->d;
    return se_sim_snap(product * (a->inverse * b->inverse));
}

int se_sim_query_init(struct se_sim_query *q, const struct se_sim_rows *r,
                      struct se_err *err)
{
    q->rows = r;
    q->i = r->n;
    /* without rows, nothing in the stream stands behind d */
    q->y = se_zalloc(r->n == 0 ? 0 : r->x.dense ? r->d : r->columns, sizeof *q->y, err);
    return q->y ? 0 : -1;
}

void se_sim_query_release(struct se_sim_query *q)
{
    free(q->y);
    q->y = NULL;
}

void se_sim_query_set(struct se_sim_query *q, uint64_t i)
{
    const struct se_sim_rows *r = q->rows;
    const struct se_features *x = &r->x;
    const struct se_sim_scale *s = &r->scale[i];

    if (x->dense) {
        for (uint64_t t = 0; t < r->d; t++)
            q->y[t] = (x->dense[i * r->d + t] - s->shift) - s->mean;
    } else {
        if (q->i < r->n)
            for (uint64_t e = x->off[q->i]; e < x->off[q->i + 1]; e++)
                q->y[r->col[e]] = 0;
        for (uint64_t e = x->off[i]; e < x->off[i + 1]; e++)
            q->y[r->col[e]] = value_at(x, e);
    }
    q->i = i;
}

float se_sim_query_with(const struct se_sim_query *q, uint64_t j)
{
    const struct se_sim_rows *r = q->rows;
    const struct se_sim_scale *s = &r->scale[j];
    double sum = 0;

    if (s->inverse == 0 || r->scale[q->i].inverse == 0)
        return 0;
    if (r->x.dense) {
        sum = se_sim_kernels()->dot(q->y, r->x.dense + j * r->d, s->shift, s->mean, r->d);
        return se_sim_of_product(r, q->i, j, sum);
    }
    if (r->steep[q->i] || r->steep[j])
        return se_sim_snap(dot_centred(r, q->i, j) *
                           (s->inverse * r->scale[q->i].inverse));
    for (uint64_t e = r->x.off[j]; e < r->x.off[j + 1]; e++)
        sum += q->y[r->col[e]] * value_at(&r->x, e);
    return se_sim_of_product(r, q->i, j, sum);
}

void se_sim_query_many(struct se_sim_query *q, uint64_t i, const uint32_t *id, uint64_t n,
                       float *s)
{
    enum { AHEAD = 4 };         /* the very next one would come too late */

    if (n > 0 && q->i != i)
        se_sim_query_set(q, i);
    for (uint64_t j = 0; j < n && j < AHEAD; j++)
        se_sim_prefetch(q->rows, id[j]);
    for (uint64_t j = 0; j < n; j++) {
        if (j + AHEAD < n)
            se_sim_prefetch(q->rows, id[j + AHEAD]);
        s[j] = se_sim_query_with(q, id[j]);
    }
}

void se_sim_fill(const struct se_sim_rows *r, uint64_t i, uint64_t from, uint64_t to,
                 float *out)
{
    const struct se_features *x = &r->x;
    const struct se_sim_scale *s = &r->scale[i];

    if (x->dense) {
        for (uint64_t t = from; t < to; t++)
            out[t - from] = (float)(((x->dense[i * r->d + t] - s->shift) - s->mean) *
                                    s->inverse);
        return;
    }
    const float empty = (float)(-s->mean * s->inverse);
    uint64_t low = x->off[i], high = x->off[i + 1];

    for (uint64_t t = from; t < to; t++)
        out[t - from] = empty;
    while (low < high) {                        /* the first entry at or behind `from` */
        const uint64_t mid = low + (high - low) / 2;

        if (x->col[mid] < from)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < x->off[i + 1] && x->col[low] < to; low++)
        out[x->col[low] - from] = (float)((value_at(x, low) - s->mean) * s->inverse);
}

/* --- making them --- */

static void scale_task(void *arg, uint64_t task, int thread)
{
    struct se_sim_rows *r = arg;
    const uint64_t last = (task + 1) * ROWS_PER_TASK;
    bool steep;

    (void)thread;
    for (uint64_t i = task * ROWS_PER_TASK; i < last && i < r->n; i++)
        if (r->x.dense) {
            r->scale[i] = scale_dense(r->x.dense + i * r->d, r->d, r->metric);
        } else {
            r->scale[i] = scale_sparse(&r->x, i, r->metric, &steep);
            r->steep[i] = steep;
        }
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* Give the columns that occur the numbers 0, 1, ...: memory for d of them could be anything
 * that a file cares to claim. */
static int renumber(struct se_sim_rows *r, struct se_err *err)
{
    const uint64_t nnz = r->x.nnz;
    uint32_t *used = se_alloc(nnz, sizeof *used, err);
    uint64_t count = 0;

    r->col_memory = used ? se_alloc(nnz, sizeof *r->col_memory, err) : NULL;
    if (!r->col_memory) {
        free(used);
        return -1;
    }
    memcpy(used, r->x.col, nnz * sizeof *used);
    qsort(used, nnz, sizeof *used, by_number);
    for (uint64_t e = 0; e < nnz; e++)
        if (count == 0 || used[e] != used[count - 1])
            used[count++] = used[e];
    for (uint64_t e = 0; e < nnz; e++) {
        const uint32_t *at = bsearch(&r->x.col[e], used, count, sizeof *used, by_number);

        r->col_memory[e] = (uint32_t)(at - used);
    }
    r->col = r->col_memory;
    r->columns = count;
    free(used);
    return 0;
}

int se_sim_rows_of(struct se_sim_rows *r, const struct se_features *x,
                   enum se_metric metric, int threads, struct se_err *err)
{
    r->n = x->n;
    r->d = x->d;
    r->x = *x;
    r->metric = metric;
    r->scale = se_alloc(r->n, sizeof *r->scale, err);
    if (!r->scale)
        return -1;
    if (x->off) {
        r->steep = se_alloc(r->n, 1, err);
        if (!r->steep)
            return -1;
        r->col = x->col;
        r->columns = x->d;
        if (x->d > 65536 && x->d / 2 > x->nnz && x->nnz > 0 && renumber(r, err) < 0)
            return -1;
        if (x->nnz == 0)
            r->columns = 0;
    }
    se_parallel(threads, (r->n + ROWS_PER_TASK - 1) / ROWS_PER_TASK, scale_task, r);
    for (uint64_t i = 0; r->steep && i < r->n; i++)
        r->steeps += r->steep[i];
    return 0;
}

int se_sim_on(enum se_sim_choice choice, const struct se_stream *s, uint32_t *on,
              struct se_err *err)
{
    if (choice == SE_ON_AUTO && !se_stream_has(s, SE_EMBEDDING) &&
        !se_stream_has(s, SE_FEATURES))
        return se_fail(err, SE_EINPUT, "no embedding and no features to compare; run se-train "
                       "before, or se-import with --features or --embedding");
    *on = choice == SE_ON_EMBEDDING || (choice == SE_ON_AUTO && se_stream_has(s, SE_EMBEDDING))
              ? SE_EMBEDDING : SE_FEATURES;
    return 0;
}

int se_sim_rows_make(struct se_sim_rows *r, struct se_stream *s, uint32_t on,
                     enum se_metric metric, int threads, struct se_err *err)
{
    struct se_features x = { 0 };
    struct se_embedding e;

    if (on == SE_FEATURES) {
        if (se_features_get(&x, s, err) < 0)
            return -1;
    } else {
        if (se_embedding_get(&e, s, err) < 0)
            return -1;
        x = (struct se_features){ e.n, e.d, e.n * e.d, e.row, NULL, NULL, NULL };
    }
    return se_sim_rows_of(r, &x, metric, threads, err);
}

void se_sim_rows_release(struct se_sim_rows *r)
{
    free(r->scale);
    free(r->col_memory);
    free(r->steep);
    *r = (struct se_sim_rows)SE_SIM_ROWS_INIT;
}
