/* smooth.c - features made ready for clustering: weighted columns, rows averaged over edges */
#include "common/sim/smooth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"

enum { BLOCK = 32 };            /* columns of a task */

void se_own_features_release(struct se_own_features *f)
{
    free(f->number);
    *f = (struct se_own_features)SE_OWN_FEATURES_INIT;
}

/* ---- weights of columns ---- */

static int weigh_sparse(struct se_own_features *f, const struct se_features *x,
                        struct se_err *err)
{
    uint64_t *rows = se_zalloc(x->d, sizeof *rows, err);

    f->number = se_alloc(x->nnz, sizeof *f->number, err);
    if (!rows || !f->number) {
        free(rows);
        return -1;
    }
    for (uint64_t i = 0; i < x->nnz; i++)
        rows[x->col[i]]++;
    for (uint64_t i = 0; i < x->nnz; i++)
        f->number[i] = (float)((x->value ? (double)x->value[i] : 1.0) *
                               log((double)x->n / (double)rows[x->col[i]]));
    free(rows);
    f->x = *x;
    f->x.value = f->number;
    return 0;
}

static int weigh_dense(struct se_own_features *f, const struct se_features *x,
                       struct se_err *err)
{
    double *mean = se_zalloc(2 * x->d, sizeof *mean, err), *square;

    if (!mean)
        return -1;
    if (!(f->number = se_alloc(x->nnz, sizeof *f->number, err))) {
        free(mean);
        return -1;
    }
    square = mean + x->d;
    for (uint64_t i = 0; i < x->nnz; i++)
        mean[i % x->d] += x->dense[i] / (double)x->n;
    for (uint64_t i = 0; i < x->nnz; i++)
        square[i % x->d] += pow(x->dense[i] - mean[i % x->d], 2) / (double)x->n;
    for (uint64_t i = 0; i < x->nnz; i++) {
        const uint64_t c = i % x->d;
        f->number[i] = square[c] > 1e-12 * mean[c] * mean[c]    /* else rounding */
                           ? (float)((x->dense[i] - mean[c]) / sqrt(square[c])) : 0;
    }
    free(mean);
    f->x = *x;
    f->x.dense = f->number;
    return 0;
}

int se_features_weigh(struct se_own_features *f, const struct se_features *x,
                      struct se_err *err)
{
    *f = (struct se_own_features)SE_OWN_FEATURES_INIT;
    return x->dense ? weigh_dense(f, x, err) : weigh_sparse(f, x, err);
}

/* ---- smoothing ---- */

struct smooth {
    const struct se_graph *g;
    const double *root;         /* 1 / sqrt(1 + degree) */
    double unit;                /* 1 / mean weight */
    const float *from;
    float *to;
    uint64_t d;
};

static double weight_of(const struct smooth *s, uint64_t e)
{
    return s->g->weight ? (double)s->g->weight[e] * s->unit : 1.0;
}

/* The columns of one block: every edge adds to both of its ends. */
static void smooth_block(void *arg, uint64_t task, int thread)
{
    const struct smooth *s = arg;
    const uint64_t first = task * BLOCK, rest = s->d - first, d = s->d;
    const uint64_t width = rest < BLOCK ? rest : BLOCK;

    (void)thread;
    for (uint64_t u = 0; u < s->g->n; u++)
        for (uint64_t c = first; c < first + width; c++)
            s->to[u * d + c] = (float)(s->from[u * d + c] * s->root[u] * s->root[u]);
    for (uint64_t u = 0; u < s->g->n; u++)
        for (uint64_t e = s->g->off[u]; e < s->g->off[u + 1]; e++) {
            const uint64_t v = s->g->to[e];
            const float w = (float)(weight_of(s, e) * s->root[u] * s->root[v]);

            for (uint64_t c = first; c < first + width; c++) {
                s->to[u * d + c] += w * s->from[v * d + c];
                s->to[v * d + c] += w * s->from[u * d + c];
            }
        }
}

static double length_of(const float *value, uint64_t count)
{
    double square = 0;

    for (uint64_t i = 0; i < count; i++)
        square += (double)value[i] * value[i];
    return sqrt(square);
}

/* Add the rows of x, scaled to length 1, to dense ones. */
static void add_rows(float *row, const struct se_features *x)
{
    for (uint64_t u = 0; u < x->n; u++) {
        const uint64_t first = x->dense ? u * x->d : x->off[u];
        const uint64_t count = x->dense ? x->d : x->off[u + 1] - first;
        const float *value = x->dense ? x->dense + first : x->value ? x->value + first : NULL;
        const double length = value ? length_of(value, count) : sqrt((double)count);

        for (uint64_t i = 0; length > 0 && i < count; i++)
            row[u * x->d + (x->dense ? i : x->col[first + i])] +=
                (float)((value ? (double)value[i] : 1.0) / length);
    }
}

static void roots_of(const struct smooth *s, double *root)
{
    for (uint64_t u = 0; u < s->g->n; u++)
        root[u] = 1;
    for (uint64_t u = 0; u < s->g->n; u++)
        for (uint64_t e = s->g->off[u]; e < s->g->off[u + 1]; e++) {
            root[u] += weight_of(s, e);
            root[s->g->to[e]] += weight_of(s, e);
        }
    for (uint64_t u = 0; u < s->g->n; u++)
        root[u] = 1 / sqrt(root[u]);
}

/* All hops up to the last: sum = x + P sum, `hops` times */
static int smooth(struct se_own_features *f, const struct se_features *x, const struct se_graph *g,
                  int hops, bool all, int threads, struct se_err *err)
{
    double *root = se_alloc(g->n, sizeof *root, err), sum = 0;
    float *other = NULL;
    struct smooth s = { .g = g, .root = root, .unit = 1, .d = x->d };

    *f = (struct se_own_features)SE_OWN_FEATURES_INIT;
    if (x->d > 0 && x->n > UINT64_MAX / x->d) {
        free(root);
        return se_fail(err, SE_EMEM, "out of memory");
    }
    f->number = se_zalloc(x->n * x->d, sizeof *f->number, err);
    other = f->number ? se_alloc(x->n * x->d, sizeof *other, err) : NULL;
    if (!root || !other) {
        free(root);
        free(other);
        return -1;
    }
    for (uint64_t e = 0; g->weight && e < g->m; e++)
        sum += g->weight[e];
    if (sum > 0)
        s.unit = (double)g->m / sum;
    roots_of(&s, root);
    add_rows(f->number, x);
    for (int i = 0; i < hops; i++) {
        float *swap = f->number;

        s.from = f->number;
        s.to = other;
        se_parallel(threads, (x->d + BLOCK - 1) / BLOCK, smooth_block, &s);
        f->number = other;
        other = swap;
        if (all)
            add_rows(f->number, x);
    }
    free(other);
    free(root);
    f->x = (struct se_features){ .n = x->n, .d = x->d, .nnz = x->n * x->d,
                                 .dense = f->number };
    return 0;
}

int se_features_smooth(struct se_own_features *f, const struct se_features *x,
                       const struct se_graph *g, int hops, int threads, struct se_err *err)
{
    return smooth(f, x, g, hops, false, threads, err);
}

int se_features_sum_hops(struct se_own_features *f, const struct se_features *x,
                         const struct se_graph *g, int hops, int threads, struct se_err *err)
{
    return smooth(f, x, g, hops, true, threads, err);
}
