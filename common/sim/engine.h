/* engine.h - what the engines of the similarity search share; private to sim*.c */
#ifndef SE_SIM_ENGINE_H
#define SE_SIM_ENGINE_H

#include <stdatomic.h>
#include <stdlib.h>

#include "common/sim/sim.h"

/* A search among rows that all have variance and differ from each other. */
struct se_sim_job {
    const struct se_sim_rows *rows;
    const uint32_t *row;        /* m vertices, ascending: those searched */
    const uint32_t *query;      /* q of them, ascending: those asked for */
    uint64_t m, q;
    uint64_t k;                 /* 1 .. m - 1 */
    bool across;                /* only pairs of one asked for and another, and lists for both: all
                                   asked for are below the others; k may be any, and SE_NONE and
                                   0 fill what is not there */
    int threads;
    uint32_t *id;               /* to fill: q * k (across: m * k) vertices, best first */
    float *similarity;
    struct se_progress *progress;
    _Atomic uint64_t done;      /* queries, for progress */
    enum se_device device;      /* for the product */
    double approx, recall;      /* approx above 0: the recall that is enough, and what it is */
    char *note;                 /* SE_GPU_NOTE characters: where it was computed */
};

/* The engines.  0, or -1 with `err` set. */
int se_sim_product(struct se_sim_job *job, struct se_err *err);
int se_sim_space(struct se_sim_job *job, struct se_err *err);
int se_sim_sparse(struct se_sim_job *job, struct se_err *err);
/* The product on a device (SE_EDEVICE: it failed, the CPU may try). */
struct se_gpu;
int se_sim_device(struct se_sim_job *job, const struct se_gpu *gpu, struct se_err *err);

/* Rows in one or two dimensions, whatever d is. */
struct se_sim_flat {
    int rank;                   /* 1, 2; 3 for more: the rest is empty */
    double *angle;              /* m; rank 1: 0 or pi */
};
#define SE_SIM_FLAT_INIT { 3, NULL }
int se_sim_flat_make(struct se_sim_flat *f, const struct se_sim_job *job, struct se_err *err);
int se_sim_line(struct se_sim_job *job, const struct se_sim_flat *f, struct se_err *err);
int se_sim_circle(struct se_sim_job *job, const struct se_sim_flat *f, struct se_err *err);

/* Instead of auto the method that costs least */
int se_sim_choose(const struct se_sim_job *job, enum se_sim_method *method, struct se_err *err);
/* Rough costs, in multiply-adds of the matrix product, to choose by. */
double se_sim_product_cost(const struct se_sim_job *job);
int se_sim_sparse_cost(const struct se_sim_job *job, double *cost, struct se_err *err);

/* S from the sum of products of two rows: of centred numbers when dense, of the numbers as
 * they are when sparse (and neither row is steep). */
float se_sim_of_product(const struct se_sim_rows *r, uint64_t i, uint64_t j, double product);
/* Columns from..to-1 of row i, centred and scaled. */
void se_sim_fill(const struct se_sim_rows *r, uint64_t i, uint64_t from, uint64_t to,
                 float *out);

/* Row i is wanted soon: rows are asked for in no order, and memory is slow. */
static inline void se_sim_prefetch(const struct se_sim_rows *r, uint64_t i)
{
    const uint64_t most = r->d < 512 ? r->d : 512;

    __builtin_prefetch(&r->scale[i]);
    if (r->x.dense)
        for (uint64_t t = 0; t < most; t += 16)
            __builtin_prefetch(&r->x.dense[i * r->d + t]);
}

/* (similarity, id) as a number: the smaller, the better. */
static inline uint64_t se_sim_key(float similarity, uint32_t id)
{
    union { float f; uint32_t u; } x = { similarity + 0.0f };   /* -0 becomes 0 */

    x.u = x.u >> 31 ? x.u : ~x.u ^ 0x80000000u;
    return (uint64_t)x.u << 32 | id;
}

static inline uint32_t se_sim_key_id(uint64_t key)
{
    return (uint32_t)key;
}

static inline float se_sim_key_similarity(uint64_t key)
{
    union { uint32_t u; float f; } x = { (uint32_t)(key >> 32) };

    x.u = x.u >> 31 ? x.u : ~(x.u ^ 0x80000000u);
    return x.f;
}

/* Ascending, all different; `scratch` has room for n. */
void se_sim_sort(uint64_t *key, uint64_t n, uint64_t *scratch);
/* Bring the k smallest of n to the front, in any order; 1 <= k <= n. */
void se_sim_select(uint64_t *key, uint64_t n, uint64_t k);

static inline void se_sim_progress(struct se_sim_job *job, uint64_t queries)
{
    se_progress_at(job->progress, atomic_fetch_add(&job->done, queries) + queries);
}

#endif
