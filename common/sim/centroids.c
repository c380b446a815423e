/* centroids.c - modules brought into line with the features of their vertices */
#include "common/sim/centroids.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"

struct settle {
    const struct se_features *x;
    uint32_t *module;
    uint32_t *slot;             /* of each module id: its centroid, or SE_NONE */
    uint32_t *id;               /* of each centroid: the module */
    uint64_t count;             /* centroids */
    float *centroid;            /* column by column: that of j has its c at [c * count + j] */
    double *length;             /* that the centroids had before they were scaled */
    atomic_bool moved;
};

/* Number the modules of two rows or more. */
static int number_modules(struct settle *s, struct se_err *err)
{
    uint64_t *size = se_zalloc(s->x->n, sizeof *size, err);

    if (!size)
        return -1;
    for (uint64_t v = 0; v < s->x->n; v++)
        size[s->module[v]]++;
    s->count = 0;
    for (uint64_t j = 0; j < s->x->n; j++) {
        s->slot[j] = size[j] > 1 ? (uint32_t)s->count : SE_NONE;
        if (size[j] > 1)
            s->id[s->count++] = (uint32_t)j;
    }
    free(size);
    return 0;
}

static double length_of(const float *row, uint64_t d)
{
    double square = 0;

    for (uint64_t c = 0; c < d; c++)
        square += (double)row[c] * row[c];
    return sqrt(square);
}

static void add_rows(struct settle *s)
{
    const uint64_t d = s->x->d;

    memset(s->centroid, 0, d * s->count * sizeof *s->centroid);
    for (uint64_t v = 0; v < s->x->n; v++) {
        const uint32_t j = s->slot[s->module[v]];
        const float *row = s->x->dense + v * d;
        const double length = length_of(row, d);

        if (j == SE_NONE || length <= 0)
            continue;
        for (uint64_t c = 0; c < d; c++)
            if (row[c] != 0)
                s->centroid[c * s->count + j] += (float)(row[c] / length);
    }
}

/* Centroids of length 1, and how long they were */
static void scale_centroids(struct settle *s)
{
    memset(s->length, 0, s->count * sizeof *s->length);
    for (uint64_t c = 0; c < s->x->d; c++)
        for (uint64_t j = 0; j < s->count; j++)
            s->length[j] += pow((double)s->centroid[c * s->count + j], 2);
    for (uint64_t j = 0; j < s->count; j++)
        s->length[j] = sqrt(s->length[j]);
    for (uint64_t c = 0; c < s->x->d; c++)
        for (uint64_t j = 0; j < s->count; j++)
            if (s->length[j] > 0)
                s->centroid[c * s->count + j] /= (float)s->length[j];
}

/* The cosine of a row with the centroid of its module without the row itself */
static double without_itself(double cosine, double length)
{
    const double square = length * length - 2 * cosine * length + 1;

    return square > 1e-9 ? (cosine * length - 1) / sqrt(square) : 0;
}

enum { GROUP = 64 };            /* centroids that are compared at once */

/* The id of the module whose centroid is nearest to row v */
static uint32_t nearest(const struct settle *s, uint64_t v)
{
    const float *row = s->x->dense + v * s->x->d;
    const double length = length_of(row, s->x->d);
    uint32_t best = s->module[v];
    double most = 0;

    for (uint64_t first = 0; length > 0 && first < s->count; first += GROUP) {
        const uint64_t rest = s->count - first, width = rest < GROUP ? rest : GROUP;
        float sum[GROUP] = { 0 };

        for (uint64_t c = 0; c < s->x->d; c++)
            for (uint64_t j = 0; row[c] != 0 && j < width; j++)
                sum[j] += row[c] * s->centroid[c * s->count + first + j];
        for (uint64_t j = 0; j < width; j++) {
            double cosine = sum[j] / length;

            if (s->id[first + j] == s->module[v])
                cosine = without_itself(cosine, s->length[first + j]);
            if (cosine > most) {
                most = cosine;
                best = s->id[first + j];
            }
        }
    }
    return best;
}

static void assign(void *arg, uint64_t from, uint64_t to)
{
    struct settle *s = arg;

    for (uint64_t v = from; v < to; v++) {
        const uint32_t best = nearest(s, v);

        if (best != s->module[v]) {
            s->module[v] = best;
            atomic_store_explicit(&s->moved, true, memory_order_relaxed);
        }
    }
}

int se_centroids_settle(uint32_t *module, const struct se_features *x, int rounds, int threads,
                        struct se_err *err)
{
    struct settle s = { .x = x, .module = module };
    int rc = -1;

    s.slot = se_alloc(x->n, sizeof *s.slot, err);
    s.id = se_alloc(x->n, sizeof *s.id, err);
    s.length = se_alloc(x->n, sizeof *s.length, err);
    atomic_store(&s.moved, true);
    if (s.slot && s.id && s.length)
        rc = number_modules(&s, err);
    if (rc == 0 && s.count > 0 &&
        !(s.centroid = se_alloc(x->d, s.count * sizeof *s.centroid, err)))
        rc = -1;
    for (int i = 0; rc == 0 && s.count > 0 && i < rounds && atomic_load(&s.moved); i++) {
        atomic_store(&s.moved, false);
        add_rows(&s);
        scale_centroids(&s);
        se_ranges(threads, x->n, 2 * x->d * s.count, assign, &s);
    }
    free(s.slot);
    free(s.id);
    free(s.length);
    free(s.centroid);
    return rc;
}
