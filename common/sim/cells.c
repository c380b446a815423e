/* cells.c - rows divided into cells: two means of a sample, again and again */
#include "common/sim/cells.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/base/rng.h"
#include "common/sim/engine.h"

enum {
    SAMPLE = 256,               /* rows of a segment that its two means are made from */
    ROUNDS = 6,                 /* of two means */
    SMALLEST = 8                /* a side with less than a SMALLEST-th is halved at the median */
};

struct work {
    struct se_cells *c;
    const float *x;
    uint64_t seed;
    uint64_t *key;              /* m */
    uint64_t *cut;              /* per segment: rows of its first part; 0: it is a cell */
    uint64_t *fresh;
    float *mean;                /* per thread 4 x d */
};

/* Which of two means a row is nearer to: above 0 the first */
static float side(const float *x, const float *across, float middle, uint64_t d)
{
    return se_product_of(x, across, d) - middle;
}

/* What side() needs to know of two means */
static float middle_of(const float *mean, float *across, uint64_t d)
{
    double sum = 0;

    for (uint64_t t = 0; t < d; t++) {
        across[t] = mean[t] - mean[d + t];
        sum += ((double)mean[t] * mean[t] - (double)mean[d + t] * mean[d + t]) / 2;
    }
    return (float)sum;
}

/* Two means of a sample of the rows id[0..count-1]; `across` and the result are for side(). */
static float two_means(const struct work *w, const uint32_t *id, uint64_t count, uint64_t from,
                       float *mean, float *across)
{
    const uint64_t d = w->c->d, sample = count < SAMPLE ? count : SAMPLE;
    uint32_t drawn[SAMPLE];
    struct se_rng r;

    se_rng_init(&r, w->seed, SE_RNG_APPROX, from << 32 | count);
    for (uint64_t i = 0; i < sample; i++)
        drawn[i] = id[se_rng_below(&r, count)];
    memcpy(mean, w->x + drawn[0] * d, d * sizeof *mean);
    memcpy(mean + d, w->x + drawn[sample - 1] * d, d * sizeof *mean);
    for (int round = 0; round < ROUNDS; round++) {
        const float middle = middle_of(mean, across, d);
        uint64_t size[2] = { 0, 0 };
        float *sum = across + d;

        memset(sum, 0, 2 * d * sizeof *sum);
        for (uint64_t i = 0; i < sample; i++) {
            const float *row = w->x + drawn[i] * d;
            const bool second = side(row, across, middle, d) <= 0;

            size[second]++;
            for (uint64_t t = 0; t < d; t++)
                sum[second * d + t] += row[t];
        }
        for (uint64_t t = 0; t < 2 * d && size[0] > 0 && size[1] > 0; t++)
            mean[t] = sum[t] / (float)size[t >= d];
    }
    return middle_of(mean, across, d);
}

static void divide_segment(void *arg, uint64_t segment, int thread)
{
    const struct work *w = arg;
    const struct se_cells *c = w->c;
    const uint64_t from = c->first[segment], count = c->first[segment + 1] - from;
    uint32_t *id = c->order + from;
    uint64_t *key = w->key + from, near = 0;
    float *mean = w->mean + (uint64_t)thread * 5 * c->d, *across = mean + 2 * c->d;

    w->cut[segment] = 0;
    if (count <= SE_CELL)
        return;
    const float middle = two_means(w, id, count, from, mean, across);

    for (uint64_t i = 0; i < count; i++) {
        const float s = side(w->x + id[i] * c->d, across, middle, c->d);

        near += s > 0;
        key[i] = se_sim_key(s, id[i]);
    }
    if (near < count / SMALLEST || count - near < count / SMALLEST)
        near = count / 2;
    w->cut[segment] = near;
    se_sim_select(key, count, near);
    for (uint64_t i = 0; i < count; i++)
        id[i] = se_sim_key_id(key[i]);
}

/* The segments of the next level; false if all are cells. */
static bool next_level(struct work *w)
{
    struct se_cells *c = w->c;
    uint64_t count = 0, *old = c->first;

    for (uint64_t s = 0; s < c->count; s++) {
        w->fresh[count++] = old[s];
        if (w->cut[s] > 0)
            w->fresh[count++] = old[s] + w->cut[s];
    }
    w->fresh[count] = c->m;
    c->first = w->fresh;
    w->fresh = old;
    const bool more = count > c->count;

    c->count = count;
    return more;
}

static void make_centre(void *arg, uint64_t cell, int thread)
{
    const struct work *w = arg;
    const struct se_cells *c = w->c;
    float *centre = c->centre + cell * c->d;
    double length = 0;

    (void)thread;
    memset(centre, 0, c->d * sizeof *centre);
    for (uint64_t i = c->first[cell]; i < c->first[cell + 1]; i++)
        for (uint64_t t = 0; t < c->d; t++)
            centre[t] += w->x[c->order[i] * c->d + t];
    for (uint64_t t = 0; t < c->d; t++)
        length += (double)centre[t] * centre[t];
    for (uint64_t t = 0; t < c->d && length > 0; t++)
        centre[t] = (float)(centre[t] / sqrt(length));
}

void se_cells_release(struct se_cells *c)
{
    free(c->order);
    free(c->first);
    free(c->centre);
    *c = (struct se_cells)SE_CELLS_INIT;
}

int se_cells_make(struct se_cells *c, const float *x, uint64_t m, uint64_t d, uint64_t seed,
                  int threads, struct se_err *err)
{
    struct work w = { .c = c, .x = x, .seed = seed };
    int rc = -1;

    *c = (struct se_cells){ .m = m, .d = d, .count = 1 };
    if ((c->order = se_alloc(m, sizeof *c->order, err)) &&
        (c->first = se_alloc(m + 1, sizeof *c->first, err)) &&
        (w.key = se_alloc(m, sizeof *w.key, err)) && (w.cut = se_alloc(m, sizeof *w.cut, err)) &&
        (w.fresh = se_alloc(m + 1, sizeof *w.fresh, err)) &&
        (w.mean = se_alloc((uint64_t)threads * 5 * d, sizeof *w.mean, err))) {
        for (uint64_t i = 0; i < m; i++)
            c->order[i] = (uint32_t)i;
        c->first[0] = 0;
        c->first[1] = m;
        do
            se_parallel(threads, c->count, divide_segment, &w);
        while (next_level(&w));
        if ((c->centre = se_alloc(c->count * d, sizeof *c->centre, err))) {
            se_parallel(threads, c->count, make_centre, &w);
            rc = 0;
        }
    }
    free(w.key);
    free(w.cut);
    free(w.fresh);
    free(w.mean);
    return rc;
}
