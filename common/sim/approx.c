/* approx.c - approximate nearest neighbours: random trees, then neighbours of neighbours
 *
 * A round adds trees and a descent.  A tree halves the rows at the median of a random direction,
 * the difference of two rows, until few are left, and compares these with each other by a matrix
 * product.  A descent compares each row with the neighbours of its neighbours.  Both read the lists
 * as they were and write those of one row each, so that no order matters.  After each round the
 * recall on a sample of rows, which were searched exactly, says whether to go on.  The similarities
 * of what was found are exact. */
#include "common/sim/approx.h"

#include <math.h>
#include <string.h>

#include "common/base/blas.h"
#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/base/rng.h"

enum {
    LEAF = 256,                 /* rows of a leaf, at most */
    FEW = 4 * LEAF,             /* rows that are searched exactly */
    TREES = 8, DESCENTS = 1,    /* of a round */
    ROUNDS = 12,
    AROUND = 20,                /* neighbours, and of each as many, that a descent looks at */
    SAMPLE = 100,
    SPARE = 6                   /* more than k in a list */
};

struct approx {
    struct se_sim_job *job;
    uint64_t m, d, size;
    float *x;                   /* m x d, centred and scaled */
    uint64_t *now, *next;       /* m x size keys of (product, place), best first; UINT64_MAX: none */
    uint32_t *order;            /* of a tree: the rows, leaf by leaf */
    uint64_t *split;            /* m: room of a tree */
    uint64_t *bound, *fresh, segments;  /* of a tree: where segments start */
    uint32_t *stamp;            /* per thread m: which row saw it last */
    uint32_t *mark;             /* per thread: the number of that */
    float *panel, *tile;        /* per thread */
    uint64_t *merge, *spare;    /* per thread: `room` keys */
    uint64_t room;
    uint32_t sample[SAMPLE];
    uint64_t samples, sampled;  /* sampled: those before a task of search_sample() */
    float *least;               /* per sample: S of its k-th best */
    struct se_sim_query *query; /* per thread */
    uint64_t tree;              /* how many there were */
};

static void approx_release(struct approx *a)
{
    free(a->x);
    free(a->now);
    free(a->next);
    free(a->order);
    free(a->split);
    free(a->bound);
    free(a->fresh);
    free(a->stamp);
    free(a->mark);
    free(a->panel);
    free(a->tile);
    free(a->merge);
    free(a->spare);
    free(a->least);
    se_sim_queries_free(a->query, a->job->threads);
}

static void fill_rows(void *arg, uint64_t from, uint64_t to)
{
    const struct approx *a = arg;

    for (uint64_t i = from; i < to; i++)
        se_sim_fill(a->job->rows, a->job->row[i], 0, a->d, a->x + i * a->d);
}

static int approx_make(struct approx *a, struct se_sim_job *job, struct se_err *err)
{
    const uint64_t threads = (uint64_t)job->threads, m = job->m;

    *a = (struct approx){ .job = job, .m = m, .d = job->rows->d };
    a->size = job->k + SPARE < m - 1 ? job->k + SPARE : m - 1;
    a->room = a->size + (LEAF > AROUND * AROUND ? LEAF : AROUND * AROUND);
    if (se_blas_load(job->threads, err) < 0 || !(a->x = se_alloc(m * a->d, sizeof *a->x, err)) ||
        !(a->now = se_alloc(m * a->size, sizeof *a->now, err)) ||
        !(a->next = se_alloc(m * a->size, sizeof *a->next, err)) ||
        !(a->order = se_alloc(m, sizeof *a->order, err)) ||
        !(a->split = se_alloc(m, sizeof *a->split, err)) ||
        !(a->bound = se_alloc(m + 1, sizeof *a->bound, err)) ||
        !(a->fresh = se_alloc(m + 1, sizeof *a->fresh, err)) ||
        !(a->stamp = se_zalloc(threads * m, sizeof *a->stamp, err)) ||
        !(a->mark = se_zalloc(threads, sizeof *a->mark, err)) ||
        !(a->panel = se_alloc(threads * LEAF * a->d, sizeof *a->panel, err)) ||
        !(a->tile = se_alloc(threads * LEAF * LEAF, sizeof *a->tile, err)) ||
        !(a->merge = se_alloc(threads * a->room, sizeof *a->merge, err)) ||
        !(a->spare = se_alloc(threads * a->room, sizeof *a->spare, err)) ||
        !(a->least = se_alloc(SAMPLE, sizeof *a->least, err)) ||
        !(a->query = se_sim_queries(job->rows, job->threads, err)))
        return -1;
    memset(a->now, 0xff, m * a->size * sizeof *a->now);
    se_ranges(job->threads, m, 4 * a->d, fill_rows, a);
    return 0;
}

/* ---- lists ---- */

static uint64_t list_length(const struct approx *a, const uint64_t *list)
{
    uint64_t count = 0;

    while (count < a->size && list[count] != UINT64_MAX)
        count++;
    return count;
}

/* A list into `key`, its rows and row i marked as seen; returns how many it has. */
static uint64_t take(const struct approx *a, uint64_t i, int thread, uint64_t *key)
{
    const uint64_t *list = a->now + i * a->size, count = list_length(a, list);
    uint32_t *stamp = a->stamp + (uint64_t)thread * a->m;
    const uint32_t mark = ++a->mark[thread];

    stamp[i] = mark;
    for (uint64_t k = 0; k < count; k++) {
        key[k] = list[k];
        stamp[se_sim_key_id(list[k])] = mark;
    }
    return count;
}

/* Is it the first time that this row is seen since then? */
static bool is_new(const struct approx *a, uint32_t id, int thread)
{
    uint32_t *stamp = a->stamp + (uint64_t)thread * a->m + id;

    if (*stamp == a->mark[thread])
        return false;
    *stamp = a->mark[thread];
    return true;
}

/* The best of `count` keys of different rows */
static void give(const struct approx *a, uint64_t *key, uint64_t count, int thread, uint64_t *list)
{
    const uint64_t kept = count < a->size ? count : a->size;

    se_sim_sort(key, count, a->spare + (uint64_t)thread * a->room);
    memcpy(list, key, kept * sizeof *list);
    for (uint64_t k = kept; k < a->size; k++)
        list[k] = UINT64_MAX;
}

static float dot(const float *x, const float *y, uint64_t d)
{
    float sum[8] = { 0 }, all = 0;
    uint64_t t = 0;

    for (; t + 8 <= d; t += 8)
        for (int k = 0; k < 8; k++)
            sum[k] += x[t + (uint64_t)k] * y[t + (uint64_t)k];
    for (; t < d; t++)
        all += x[t] * y[t];
    for (int k = 0; k < 8; k++)
        all += sum[k];
    return all;
}

/* ---- trees ---- */

/* Halve a segment of more than a leaf at the median of its direction. */
static void halve(void *arg, uint64_t segment, int thread)
{
    const struct approx *a = arg;
    const uint64_t from = a->bound[segment], count = a->bound[segment + 1] - from;
    uint32_t *id = a->order + from;
    uint64_t *key = a->split + from;
    float *direction = a->panel + (uint64_t)thread * LEAF * a->d;
    struct se_rng r;

    if (count <= LEAF)
        return;
    se_rng_init(&r, a->tree, SE_RNG_APPROX, from << 32 | count);
    const uint64_t i = se_rng_below(&r, count), other = se_rng_below(&r, count - 1);
    const float *p = a->x + id[i] * a->d, *q = a->x + id[other + (other >= i)] * a->d;

    for (uint64_t t = 0; t < a->d; t++)
        direction[t] = p[t] - q[t];
    for (uint64_t k = 0; k < count; k++)
        key[k] = se_sim_key(dot(direction, a->x + id[k] * a->d, a->d), id[k]);
    se_sim_select(key, count, count / 2);
    for (uint64_t k = 0; k < count; k++)
        id[k] = se_sim_key_id(key[k]);
}

/* The segments of the next level; false if all are leaves. */
static bool divide(struct approx *a)
{
    uint64_t count = 0, *old = a->bound;

    for (uint64_t s = 0; s < a->segments; s++) {
        const uint64_t size = old[s + 1] - old[s];

        a->fresh[count++] = old[s];
        if (size > LEAF)
            a->fresh[count++] = old[s] + size / 2;
    }
    a->fresh[count] = a->m;
    a->bound = a->fresh;
    a->fresh = old;
    if (count == a->segments)
        return false;
    a->segments = count;
    return true;
}

/* All rows of a leaf with each other */
static void search_leaf(void *arg, uint64_t segment, int thread)
{
    const struct approx *a = arg;
    const uint64_t from = a->bound[segment], count = a->bound[segment + 1] - from;
    const uint32_t *id = a->order + from;
    float *panel = a->panel + (uint64_t)thread * LEAF * a->d;
    float *tile = a->tile + (uint64_t)thread * LEAF * LEAF;
    uint64_t *key = a->merge + (uint64_t)thread * a->room;

    for (uint64_t i = 0; i < count; i++)
        memcpy(panel + i * a->d, a->x + id[i] * a->d, a->d * sizeof *panel);
    se_blas.sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)count, (int)count, (int)a->d, 1,
                  panel, (int)a->d, panel, (int)a->d, 0, tile, LEAF);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t *list = a->now + id[i] * a->size;
        const uint64_t own = take(a, id[i], thread, key);
        uint64_t all = own;

        for (uint64_t j = 0; j < count; j++) {
            const uint64_t k = se_sim_key(tile[i * LEAF + j], id[j]);

            if (k < list[a->size - 1] && is_new(a, id[j], thread))
                key[all++] = k;
        }
        if (all > own)
            give(a, key, all, thread, list);
    }
}

static void add_tree(struct approx *a)
{
    a->tree++;
    a->segments = 1;
    a->bound[0] = 0;
    a->bound[1] = a->m;
    for (uint64_t i = 0; i < a->m; i++)
        a->order[i] = (uint32_t)i;
    do
        se_parallel(a->job->threads, a->segments, halve, a);
    while (divide(a));
    se_parallel(a->job->threads, a->segments, search_leaf, a);
}

/* ---- descent ---- */

enum { ROWS = 64 };             /* of a task */

static void descend_row(const struct approx *a, uint64_t i, int thread)
{
    const uint64_t *list = a->now + i * a->size, around = a->size < AROUND ? a->size : AROUND;
    uint64_t *key = a->merge + (uint64_t)thread * a->room;
    const uint64_t own = take(a, i, thread, key);
    uint64_t all = own;

    for (uint64_t k = 0; k < own && k < around; k++) {
        const uint64_t *other = a->now + se_sim_key_id(list[k]) * a->size;

        for (uint64_t l = 0; l < around && other[l] != UINT64_MAX; l++) {
            const uint32_t id = se_sim_key_id(other[l]);

            if (!is_new(a, id, thread))
                continue;
            const uint64_t found = se_sim_key(dot(a->x + i * a->d, a->x + id * a->d, a->d), id);

            if (found < list[a->size - 1])
                key[all++] = found;
        }
    }
    give(a, key, all, thread, a->next + i * a->size);
}

static void descend_rows(void *arg, uint64_t task, int thread)
{
    const struct approx *a = arg;

    for (uint64_t i = task * ROWS; i < a->m && i < (task + 1) * ROWS; i++)
        descend_row(a, i, thread);
}

static void descend(struct approx *a)
{
    uint64_t *old = a->now;

    se_parallel(a->job->threads, (a->m + ROWS - 1) / ROWS, descend_rows, a);
    a->now = a->next;
    a->next = old;
}

/* ---- what was found ---- */

/* The k best of a list by exact similarity, into id and similarity */
static void best_of(const struct approx *a, uint64_t i, int thread, uint32_t *id, float *similarity)
{
    const uint64_t *list = a->now + i * a->size, count = list_length(a, list), k = a->job->k;
    uint64_t *key = a->merge + (uint64_t)thread * a->room;
    uint32_t *name = (uint32_t *)(void *)(a->spare + (uint64_t)thread * a->room);
    float *s = (float *)(void *)(name + a->size);

    for (uint64_t j = 0; j < count; j++)
        name[j] = a->job->row[se_sim_key_id(list[j])];
    se_sim_query_many(&a->query[thread], a->job->row[i], name, count, s);
    for (uint64_t j = 0; j < count; j++)
        key[j] = se_sim_key(s[j], name[j]);
    se_sim_sort(key, count, a->spare + (uint64_t)thread * a->room);
    for (uint64_t j = 0; j < k; j++) {
        id[j] = j < count ? se_sim_key_id(key[j]) : SE_NONE;
        similarity[j] = j < count ? se_sim_key_similarity(key[j]) : 0;
    }
}

static void search_sample(void *arg, uint64_t task, int thread)
{
    struct approx *a = arg;
    struct se_sim_query *q = &a->query[thread];
    const uint64_t at = a->sampled + task, i = a->sample[at];
    uint64_t *key = a->next + task * a->m, count = 0;

    se_sim_query_set(q, a->job->row[i]);
    for (uint64_t j = 0; j < a->m; j++)
        if (j != i)
            key[count++] = se_sim_key(se_sim_query_with(q, a->job->row[j]), (uint32_t)j);
    se_sim_select(key, count, a->job->k);
    a->least[at] = 2;
    for (uint64_t j = 0; j < a->job->k; j++)
        if (se_sim_key_similarity(key[j]) < a->least[at])
            a->least[at] = se_sim_key_similarity(key[j]);
}

/* Rows to search exactly, as many at a time as `next` has room for */
static void make_sample(struct approx *a)
{
    struct se_rng r;

    a->samples = SAMPLE;
    se_rng_init(&r, 0, SE_RNG_APPROX, 0);
    for (uint64_t i = 0; i < a->samples; i++)
        a->sample[i] = (uint32_t)se_rng_below(&r, a->m);
    for (; a->sampled < SAMPLE; a->sampled += a->size)
        se_parallel(a->job->threads,
                    a->size < SAMPLE - a->sampled ? a->size : SAMPLE - a->sampled, search_sample, a);
}

static double measure(struct approx *a)
{
    const uint64_t k = a->job->k;
    uint32_t *id = (uint32_t *)(void *)a->next;         /* of no use before the next descent */
    float *similarity = (float *)(void *)(id + k);
    uint64_t found = 0;

    for (uint64_t i = 0; i < a->samples; i++) {
        best_of(a, a->sample[i], 0, id, similarity);
        for (uint64_t j = 0; j < k; j++)
            found += id[j] != SE_NONE && similarity[j] >= a->least[i];
    }
    return (double)found / (double)(a->samples * k);
}

static void deliver(void *arg, uint64_t task, int thread)
{
    const struct approx *a = arg;
    struct se_sim_job *job = a->job;
    uint64_t place = 0;

    for (uint64_t i = task * ROWS; i < job->q && i < (task + 1) * ROWS; i++) {
        uint64_t low = place, high = job->m;            /* queries are among the rows, ascending */

        while (high - low > 1) {
            const uint64_t mid = (low + high) / 2;

            *(job->row[mid] <= job->query[i] ? &low : &high) = mid;
        }
        place = low;
        best_of(a, place, thread, job->id + i * job->k, job->similarity + i * job->k);
        se_sim_progress(job, 1);
    }
}

static bool is_full(const struct approx *a)
{
    for (uint64_t i = 0; i < a->m; i++)
        if (list_length(a, a->now + i * a->size) < a->job->k)
            return false;
    return true;
}

int se_sim_approx(struct se_sim_job *job, double want, double *recall, struct se_err *err)
{
    struct approx a;
    int rc = 1;

    *recall = 1;
    if (job->m <= FEW || job->k + SPARE >= LEAF)
        return 1;
    if (approx_make(&a, job, err) < 0) {
        approx_release(&a);
        return -1;
    }
    make_sample(&a);
    for (int round = 0; rc == 1 && round < ROUNDS; round++) {
        for (int t = 0; t < TREES; t++)
            add_tree(&a);
        for (int t = 0; t < DESCENTS; t++)
            descend(&a);
        *recall = measure(&a);
        if (*recall >= want && is_full(&a))
            rc = 0;
    }
    if (rc == 0)
        se_parallel(job->threads, (job->q + ROWS - 1) / ROWS, deliver, &a);
    else
        *recall = 1;
    approx_release(&a);
    return rc;
}
