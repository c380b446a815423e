/* lowrank.c - truncated decomposition of a symmetric sparse matrix by subspace iteration */
#include "common/graph/lowrank.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/base/rng.h"

enum { PARTS = 16, POWERS = 10, SWEEPS = 60, MOST_WIDTH = SE_MOST_RANK + SE_MOST_RANK / 2 };

/* ---- small dense matrices ---- */

/* Rotate rows and columns p and q of a, so that a[p][q] becomes 0. */
static void rotate(uint64_t n, double *a, double *vector, uint64_t p, uint64_t q)
{
    const double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
    const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;

    for (uint64_t i = 0; i < n; i++) {
        const double x = a[i * n + p], y = a[i * n + q];

        a[i * n + p] = c * x - s * y;
        a[i * n + q] = s * x + c * y;
    }
    for (uint64_t i = 0; i < n; i++) {
        const double x = a[p * n + i], y = a[q * n + i];

        a[p * n + i] = c * x - s * y;
        a[q * n + i] = s * x + c * y;
    }
    for (uint64_t i = 0; i < n; i++) {          /* here vectors are rows */
        const double x = vector[p * n + i], y = vector[q * n + i];

        vector[p * n + i] = c * x - s * y;
        vector[q * n + i] = s * x + c * y;
    }
}

/* Largest size first, equal ones as they came; vectors from rows to columns, by way of `a` */
static void arrange(uint64_t n, double *a, double *value, double *vector)
{
    for (uint64_t i = 0; i < n; i++)
        value[i] = a[i * n + i];
    for (uint64_t i = 0; i < n; i++) {
        uint64_t best = i;

        for (uint64_t j = i + 1; j < n; j++)
            if (fabs(value[j]) > fabs(value[best]))
                best = j;
        for (uint64_t k = 0; best != i && k < n; k++) {
            const double was = vector[i * n + k];

            vector[i * n + k] = vector[best * n + k];
            vector[best * n + k] = was;
        }
        const double was = value[i];

        value[i] = value[best];
        value[best] = was;
    }
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t k = 0; k < n; k++)
            a[k * n + i] = vector[i * n + k];
    memcpy(vector, a, n * n * sizeof *a);
}

void se_eigen(uint64_t n, double *a, double *value, double *vector)
{
    double size = 0;

    memset(vector, 0, n * n * sizeof *vector);
    for (uint64_t i = 0; i < n; i++)
        vector[i * n + i] = 1;
    for (uint64_t i = 0; i < n * n; i++)
        size = fmax(size, fabs(a[i]));
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double off = 0;

        for (uint64_t p = 0; p < n; p++)
            for (uint64_t q = p + 1; q < n; q++) {
                off = fmax(off, fabs(a[p * n + q]));
                if (fabs(a[p * n + q]) > 1e-17 * size)
                    rotate(n, a, vector, p, q);
            }
        if (off <= 1e-15 * size)
            break;
    }
    arrange(n, a, value, vector);
}

/* ---- n rows of `width` columns ---- */

struct task {
    struct se_lowrank *x;
    const struct se_adjacency *a;
    const double *left, *right, *square;        /* square: width x width */
    double *to;
};

/* to = A left */
static void hop_range(void *arg, uint64_t from, uint64_t to)
{
    const struct task *t = arg;
    const struct se_adjacency *a = t->a;
    const uint64_t w = t->x->width;

    for (uint64_t v = from; v < to; v++) {
        double *sum = t->to + v * w;

        memset(sum, 0, w * sizeof *sum);
        for (uint64_t e = a->off[v]; e < a->off[v + 1]; e++) {
            const double weight = a->weight ? (double)a->weight[e] : 1;
            const double *row = t->left + a->to[e] * w;

            for (uint64_t k = 0; k < w; k++)
                sum[k] += weight * row[k];
        }
    }
}

static void hop(struct se_lowrank *x, const struct se_adjacency *a, const double *from, double *to,
                int threads)
{
    struct task t = { .x = x, .a = a, .left = from, .to = to };

    se_ranges(threads, x->n, x->width * (a->arcs / (x->n + 1) + 1), hop_range, &t);
}

/* A part of left' right; parts do not depend on the threads */
static void inner_part(void *arg, uint64_t part, int thread)
{
    const struct task *t = arg;
    const uint64_t n = t->x->n, w = t->x->width;
    double *sum = t->x->part + part * w * w;

    (void)thread;
    memset(sum, 0, w * w * sizeof *sum);
    for (uint64_t v = n * part / PARTS; v < n * (part + 1) / PARTS; v++)
        for (uint64_t i = 0; i < w; i++) {
            const double y = t->left[v * w + i];
            const double *row = t->right + v * w;

            for (uint64_t j = 0; j < w; j++)
                sum[i * w + j] += y * row[j];
        }
}

static void inner(struct se_lowrank *x, const double *left, const double *right, double *to,
                  int threads)
{
    struct task t = { .x = x, .left = left, .right = right };
    const uint64_t size = x->width * x->width;

    se_parallel(threads, PARTS, inner_part, &t);
    memcpy(to, x->part, size * sizeof *to);
    for (uint64_t p = 1; p < PARTS; p++)
        for (uint64_t i = 0; i < size; i++)
            to[i] += x->part[p * size + i];
}

/* Each row of `to` becomes itself times square. */
static void times_range(void *arg, uint64_t from, uint64_t to)
{
    const struct task *t = arg;
    const uint64_t w = t->x->width;
    double was[MOST_WIDTH];

    for (uint64_t v = from; v < to; v++) {
        double *row = t->to + v * w;

        memcpy(was, row, w * sizeof *row);
        memset(row, 0, w * sizeof *row);
        for (uint64_t i = 0; i < w; i++)
            for (uint64_t j = 0; j < w; j++)
                row[j] += was[i] * t->square[i * w + j];
    }
}

static void times(struct se_lowrank *x, double *rows, const double *square, int threads)
{
    struct task t = { .x = x, .square = square, .to = rows };

    se_ranges(threads, x->n, x->width * x->width, times_range, &t);
}

/* From the products g = Y'Y to the matrix r with Y r orthonormal, by Cholesky's g = L L', r the
 * inverse of L'.  A column that depends on those before it becomes 0. */
static void factor(uint64_t w, double *g, double *r)
{
    memset(r, 0, w * w * sizeof *r);
    for (uint64_t j = 0; j < w; j++) {
        const double size = g[j * w + j];
        double d = size;

        for (uint64_t k = 0; k < j; k++)
            d -= g[j * w + k] * g[j * w + k];
        const double root = d > 1e-13 * size ? sqrt(d) : 0;

        g[j * w + j] = root;
        for (uint64_t i = j + 1; i < w; i++) {  /* column j of L */
            double s = g[i * w + j];

            for (uint64_t k = 0; k < j; k++)
                s -= g[i * w + k] * g[j * w + k];
            g[i * w + j] = root > 0 ? s / root : 0;
        }
        if (root == 0)
            continue;
        for (uint64_t i = 0; i <= j; i++) {     /* column j of r: L' r = 1 from the right */
            double s = i == j;

            for (uint64_t k = i; k < j; k++)
                s -= r[i * w + k] * g[j * w + k];
            r[i * w + j] = s / root;
        }
    }
}

/* Twice, because once loses digits */
static void orthonormalise(struct se_lowrank *x, double *rows, int threads)
{
    double *r = x->gram + x->width * x->width;

    for (int i = 0; i < 2; i++) {
        inner(x, rows, rows, x->gram, threads);
        factor(x->width, x->gram, r);
        times(x, rows, r, threads);
    }
}

static double residual(const struct se_lowrank *x)
{
    double worst = 0;

    for (uint64_t k = 0; k < x->rank; k++) {
        double sum = 0;

        for (uint64_t v = 0; v < x->n; v++) {
            const double d = x->image[v * x->width + k] -
                             x->value[k] * x->vector[v * x->width + k];

            sum += d * d;
        }
        worst = fmax(worst, sum);
    }
    return sqrt(worst);
}

double se_lowrank_improve(struct se_lowrank *x, const struct se_adjacency *a, int threads)
{
    const uint64_t w = x->width;
    double *square = x->gram + w * w;

    if (w == 0)
        return 0;
    for (int i = 0; w < x->n && i < POWERS; i++) {      /* the whole space needs no search */
        double *was = x->vector;

        hop(x, a, was, x->image, threads);
        x->vector = x->image;
        x->image = was;
        if (x->value[0] == 0)                   /* random vectors soon look all the same */
            orthonormalise(x, x->vector, threads);
    }
    orthonormalise(x, x->vector, threads);
    hop(x, a, x->vector, x->image, threads);
    inner(x, x->vector, x->image, x->gram, threads);
    for (uint64_t i = 0; i < w; i++)            /* as symmetric as it should be */
        for (uint64_t j = 0; j < i; j++)
            x->gram[i * w + j] = x->gram[j * w + i] =
                (x->gram[i * w + j] + x->gram[j * w + i]) / 2;
    se_eigen(w, x->gram, x->value, square);
    times(x, x->vector, square, threads);
    times(x, x->image, square, threads);
    return residual(x);
}

void se_lowrank_find(struct se_lowrank *x, const struct se_adjacency *a, double tolerance,
                     uint64_t rounds, int threads)
{
    for (uint64_t i = 0; x->width > 0 && i < rounds; i++)
        if (se_lowrank_improve(x, a, threads) <= tolerance * fabs(x->value[0]))
            return;
}

double se_lowrank_at(const struct se_lowrank *x, uint64_t u, uint64_t v)
{
    const double *a = x->vector + u * x->width, *b = x->vector + v * x->width;
    double sum = 0;

    for (uint64_t k = 0; k < x->rank; k++)
        sum += x->value[k] * a[k] * b[k];
    return sum;
}

int se_lowrank_make(struct se_lowrank *x, uint64_t n, uint64_t rank, struct se_err *err)
{
    const uint64_t more = rank / 2 > 8 ? rank / 2 : 8;

    *x = (struct se_lowrank)SE_LOWRANK_INIT;
    if (rank > SE_MOST_RANK)
        return se_fail(err, SE_EUSAGE, "a rank of %" PRIu64 " is too high; at most %d", rank,
                       SE_MOST_RANK);
    x->n = n;
    x->rank = rank < n ? rank : n;
    x->width = rank + more < n ? rank + more : n;
    if (!(x->value = se_zalloc(x->width, sizeof *x->value, err)) ||
        !(x->vector = se_alloc(n * x->width, sizeof *x->vector, err)) ||
        !(x->image = se_alloc(n * x->width, sizeof *x->image, err)) ||
        !(x->gram = se_alloc(2 * x->width * x->width, sizeof *x->gram, err)) ||
        !(x->part = se_alloc(PARTS * x->width * x->width, sizeof *x->part, err)))
        return -1;
    for (uint64_t v = 0; v < n; v++) {
        struct se_rng r;

        se_rng_init(&r, 1, SE_RNG_LOWRANK, v);
        for (uint64_t k = 0; k < x->width; k++)
            x->vector[v * x->width + k] = se_rng_normal(&r);
    }
    return 0;
}

void se_lowrank_release(struct se_lowrank *x)
{
    free(x->value);
    free(x->vector);
    free(x->image);
    free(x->gram);
    free(x->part);
    *x = (struct se_lowrank)SE_LOWRANK_INIT;
}
