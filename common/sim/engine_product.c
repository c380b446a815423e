/* engine_product.c - engine (a): the matrix product in tiles, with a running top k of each row
 *
 * A tile of S is computed once and serves its rows and its columns.  Tiles are handed out so
 * that neighbours in time touch different blocks; a lock per block of lists guards the rest.
 * The lists do not care in which order they are filled, so neither does the answer. */
#include <math.h>
#include <pthread.h>

#include "common/base/blas.h"
#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/sim/sim_kernels.h"
#include "common/sim/topk.h"

enum {
    BLOCK = 1024,               /* rows and columns of a tile, at most */
    STRIP = 256,                /* rows of a block times itself at a time, if rows are dense */
    CHUNK = 1024,               /* columns of sparse rows made dense at a time */
    MOST_DIMS = 1 << 20         /* the error of a float sum is bounded well below 1 */
};

struct tiles {
    struct se_sim_job *job;
    uint32_t *row;              /* m vertices, those asked for first */
    uint64_t block;             /* rows and columns of a tile */
    uint64_t inner, outer;      /* blocks of rows asked for; blocks of the other rows */
    uint64_t asked;             /* rows that have a list: those asked for, or if across all */
    float *dense;               /* m * d, centred and scaled; NULL for sparse rows */
    struct se_topk lists;       /* one for each of them */
    struct se_topk_room *room;  /* per thread, like the following */
    float *tile, *panel, *turned;
    uint32_t *hit;
    pthread_mutex_t *lock;      /* per block that has lists */
    float never[BLOCK];         /* floors that nothing reaches */
    uint64_t tasks;
};

struct block {
    uint64_t first, rows;
};

/* Block b: the inner ones cover the rows asked for, the outer ones the rest. */
static struct block block_at(const struct tiles *t, uint64_t b)
{
    const uint64_t from = b < t->inner ? 0 : t->job->q;
    const uint64_t end = b < t->inner ? t->job->q : t->job->m;
    const uint64_t first = from + (b < t->inner ? b : b - t->inner) * t->block;

    return (struct block){ first, end - first < t->block ? end - first : t->block };
}

/* The rows of two blocks times each other, into `tile` with BLOCK columns. */
static void multiply(const struct tiles *t, struct block a, struct block b, int thread,
                     float *tile)
{
    const struct se_sim_rows *r = t->job->rows;
    float *pa, *pb;

    if (t->dense) {
        se_blas.sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)a.rows, (int)b.rows,
                      (int)r->d, 1, t->dense + a.first * r->d, (int)r->d,
                      t->dense + b.first * r->d, (int)r->d, 0, tile, BLOCK);
        return;
    }
    pa = t->panel + (uint64_t)thread * 2 * BLOCK * CHUNK;
    pb = pa + BLOCK * CHUNK;
    for (uint64_t from = 0; from < r->d; from += CHUNK) {
        const uint64_t to = r->d - from < CHUNK ? r->d : from + CHUNK;

        for (uint64_t i = 0; i < a.rows; i++)
            se_sim_fill(r, t->row[a.first + i], from, to, pa + i * CHUNK);
        for (uint64_t i = 0; i < b.rows && a.first != b.first; i++)
            se_sim_fill(r, t->row[b.first + i], from, to, pb + i * CHUNK);
        se_blas.sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)a.rows, (int)b.rows,
                      (int)(to - from), 1, pa, CHUNK, a.first == b.first ? pa : pb, CHUNK,
                      from > 0, tile, BLOCK);
    }
}

static inline void offer(struct tiles *t, uint64_t list, uint64_t other, float s, int thread)
{
    se_topk_offer(&t->lists, list, t->row[other], s);
    if (t->lists.count[list] == t->lists.full)
        se_topk_tighten(&t->lists, list, t->row[list], &t->room[thread]);
}

/* The floors of lists that are still empty: of the rows of a tile, and of its columns if `both`,
 * which are turned into rows a few at a time */
static void expect(struct tiles *t, struct block a, struct block b, bool both, const float *tile,
                   int thread)
{
    enum { TURNED = BLOCK / 64 };
    float *turned = t->turned + (uint64_t)thread * TURNED * BLOCK;
    const uint64_t itself = a.first == b.first;

    for (uint64_t i = 0; i < a.rows && t->lists.floor[a.first + i] == -INFINITY; i++)
        se_topk_expect(&t->lists, a.first + i, tile + i * BLOCK, (uint32_t)b.rows, itself);
    for (uint64_t j = 0; both && j < b.rows && t->lists.floor[b.first + j] == -INFINITY;
         j += TURNED) {
        const uint64_t some = b.rows - j < TURNED ? b.rows - j : TURNED;

        for (uint64_t i = 0; i < a.rows; i++)
            for (uint64_t l = 0; l < some; l++)
                turned[l * BLOCK + i] = tile[i * BLOCK + j + l];
        for (uint64_t l = 0; l < some; l++)
            se_topk_expect(&t->lists, b.first + j + l, turned + l * BLOCK, (uint32_t)a.rows, 0);
    }
}

/* The columns of a tile as candidates of its rows and, if `both`, the other way round. */
static void harvest(struct tiles *t, struct block a, struct block b, bool both,
                    const float *tile, int thread)
{
    const struct se_sim_kernels *kernels = se_sim_kernels();
    const float *floor = t->lists.floor, *across = both ? floor + b.first : t->never;
    uint32_t *hit = t->hit + (uint64_t)thread * BLOCK;

    expect(t, a, b, both, tile, thread);
    for (uint64_t u = a.first; u < a.first + a.rows; u++, tile += BLOCK) {
        const uint32_t hits = kernels->scan(tile, across, floor[u], (uint32_t)b.rows, hit);

        for (uint32_t h = 0; h < hits; h++) {
            const uint64_t v = b.first + hit[h];
            const float s = tile[hit[h]];

            if (s >= floor[u] && u != v)
                offer(t, u, v, s, thread);
            if (both && s >= floor[v])
                offer(t, v, u, s, thread);
        }
    }
}

/* Pairs of inner blocks to be computed */
static uint64_t inner_pairs(const struct tiles *t)
{
    return t->job->across ? 0 : t->inner * (t->inner + 1) / 2;
}

static uint64_t listed_blocks(const struct tiles *t)
{
    return t->inner + (t->job->across ? t->outer : 0);
}

/* Tile number `task`: first the pairs of inner blocks, by distance around the circle of
 * blocks, then inner times outer blocks. */
static void pair_at(const struct tiles *t, uint64_t task, uint64_t *a, uint64_t *b)
{
    const uint64_t inner = t->inner, pairs = inner_pairs(t);

    if (task >= pairs) {
        *a = (task - pairs) % inner;
        *b = inner + (task - pairs) / inner;
    } else {
        *a = task % inner;
        *b = (*a + task / inner) % inner;
    }
}

/* Two different blocks; the second may be an outer one. */
static void two_blocks(struct tiles *t, uint64_t a, uint64_t b, float *tile, int thread)
{
    const struct block ba = block_at(t, a), bb = block_at(t, b);
    const bool both = b < listed_blocks(t);
    const uint64_t first = both && b < a ? b : a;

    multiply(t, ba, bb, thread, tile);
    pthread_mutex_lock(&t->lock[first]);        /* the lower one first: no deadlock */
    if (both)
        pthread_mutex_lock(&t->lock[a + b - first]);
    harvest(t, ba, bb, both, tile, thread);
    if (both)
        pthread_mutex_unlock(&t->lock[a + b - first]);
    pthread_mutex_unlock(&t->lock[first]);
}

/* A block times itself: strips of it times themselves, and times what comes after them. */
static void one_block(struct tiles *t, uint64_t a, float *tile, int thread)
{
    struct block rest = block_at(t, a);
    const uint64_t rows = t->dense ? STRIP : rest.rows;

    pthread_mutex_lock(&t->lock[a]);
    while (rest.rows > 0) {
        const struct block strip = { rest.first, rest.rows < rows ? rest.rows : rows };

        multiply(t, strip, strip, thread, tile);
        harvest(t, strip, strip, false, tile, thread);
        rest = (struct block){ rest.first + strip.rows, rest.rows - strip.rows };
        if (rest.rows > 0) {
            multiply(t, strip, rest, thread, tile);
            harvest(t, strip, rest, true, tile, thread);
        }
    }
    pthread_mutex_unlock(&t->lock[a]);
}

static void tile_task(void *arg, uint64_t task, int thread)
{
    struct tiles *t = arg;
    float *tile = t->tile + (uint64_t)thread * BLOCK * BLOCK;
    uint64_t a, b;

    pair_at(t, task, &a, &b);
    if (a == b)
        one_block(t, a, tile, thread);
    else
        two_blocks(t, a, b, tile, thread);
    se_progress_at(t->job->progress, (atomic_fetch_add(&t->job->done, 1) + 1) *
                                     t->job->q / t->tasks);
}

enum { ROWS_PER_TASK = 64 };

static void fill_task(void *arg, uint64_t task, int thread)
{
    struct tiles *t = arg;
    const uint64_t d = t->job->rows->d, last = (task + 1) * ROWS_PER_TASK;

    (void)thread;
    for (uint64_t i = task * ROWS_PER_TASK; i < last && i < t->job->m; i++)
        se_sim_fill(t->job->rows, t->row[i], 0, d, t->dense + i * d);
}

static void finish_task(void *arg, uint64_t task, int thread)
{
    struct tiles *t = arg;
    const uint64_t last = (task + 1) * ROWS_PER_TASK, k = t->job->k;

    for (uint64_t i = task * ROWS_PER_TASK; i < last && i < t->asked; i++)
        se_topk_finish(&t->lists, i, t->row[i], &t->room[thread], -INFINITY,
                       t->job->id + i * k, t->job->similarity + i * k);
}

/* The rows asked for, then the others, each ascending. */
static void order_rows(struct tiles *t)
{
    const struct se_sim_job *job = t->job;
    uint64_t in = 0, out = job->q;

    for (uint64_t i = 0; i < job->m; i++)
        if (in < job->q && job->query[in] == job->row[i])
            t->row[in++] = job->row[i];
        else
            t->row[out++] = job->row[i];
}

/* |computed - S| <= e for a float sum of d products in any order, of rows of length 1 that
 * were rounded to float; the floor lies 2 e below the k-th score, and a tie and its own
 * rounding lower. */
static void set_margin(struct se_topk *lists, uint64_t d)
{
    const double u = 0x1p-24, e = 1.05 * (double)(d + 4) * u / (1 - (double)(d + 4) * u);

    lists->flat = (float)(2 * e + 0x1p-22);
}

/* Large tiles are faster, but there must be several for each thread. */
static uint64_t block_size(const struct se_sim_job *job)
{
    uint64_t block = BLOCK;

    while (block > 64 && job->q * (job->m - job->q / 2) <
                         8 * (uint64_t)job->threads * block * block)
        block /= 2;
    return block;
}

static int tiles_make(struct tiles *t, struct se_err *err)
{
    const struct se_sim_job *job = t->job;
    const uint64_t d = job->rows->d, threads = (uint64_t)job->threads;
    uint64_t size = 0;

    if (d > MOST_DIMS)
        return se_fail(err, SE_EUSAGE, "--method product supports at most %d dimensions; use "
                       "--method sparse", MOST_DIMS);
    if (job->rows->x.dense && __builtin_mul_overflow(job->m, d, &size))
        return se_fail(err, SE_EMEM, "no memory for the rows");
    t->block = block_size(job);
    t->inner = (job->q + t->block - 1) / t->block;
    t->outer = (job->m - job->q + t->block - 1) / t->block;
    t->asked = job->across ? job->m : job->q;
    t->tasks = inner_pairs(t) + t->inner * t->outer;
    set_margin(&t->lists, d);
    for (int i = 0; i < BLOCK; i++)
        t->never[i] = INFINITY;
    if (se_topk_init(&t->lists, t->asked, job->k, 0, err) < 0)
        return -1;
    t->room = se_topk_rooms(&t->lists, job->rows, job->threads, err);
    t->row = t->room ? se_alloc(job->m, sizeof *t->row, err) : NULL;
    t->tile = t->row ? se_alloc(threads * BLOCK * BLOCK, sizeof *t->tile, err) : NULL;
    t->hit = t->tile ? se_alloc(threads * BLOCK, sizeof *t->hit, err) : NULL;
    t->turned = t->hit ? se_alloc(threads * BLOCK * BLOCK / 64, sizeof *t->turned, err) : NULL;
    t->lock = t->turned ? se_alloc(listed_blocks(t), sizeof(pthread_mutex_t), err) : NULL;
    if (!t->lock)
        return -1;
    for (uint64_t i = 0; i < listed_blocks(t); i++)
        pthread_mutex_init(&t->lock[i], NULL);
    order_rows(t);
    if (!job->rows->x.dense) {
        t->panel = se_alloc(threads * 2 * BLOCK * CHUNK, sizeof *t->panel, err);
        return t->panel ? 0 : -1;
    }
    t->dense = se_alloc(size, sizeof *t->dense, err);
    return t->dense ? 0 : -1;
}

static void tiles_release(struct tiles *t)
{
    for (uint64_t i = 0; t->lock && i < listed_blocks(t); i++)
        pthread_mutex_destroy(&t->lock[i]);
    se_topk_rooms_free(t->room, t->job->threads);
    se_topk_release(&t->lists);
    free(t->row);
    free(t->tile);
    free(t->hit);
    free(t->turned);
    free(t->lock);
    free(t->panel);
    free(t->dense);
}

int se_sim_product(struct se_sim_job *job, struct se_err *err)
{
    struct tiles t = { .job = job, .lists = SE_TOPK_INIT };
    const int rc = se_blas_load(job->threads, err) < 0 ? -1 : tiles_make(&t, err);

    if (rc == 0) {
        if (t.dense)
            se_parallel(job->threads, (job->m + ROWS_PER_TASK - 1) / ROWS_PER_TASK,
                        fill_task, &t);
        se_parallel(job->threads, t.tasks, tile_task, &t);
        se_parallel(job->threads, (t.asked + ROWS_PER_TASK - 1) / ROWS_PER_TASK, finish_task,
                    &t);
    }
    tiles_release(&t);
    return rc;
}
