/* approx.c - approximate nearest neighbours: cells of rows that are alike, divided again and again
 *
 * The rows are divided into cells, and each cell is compared with the cells nearest to it, by
 * matrix products.  Another division with other random choices finds neighbours that this one
 * missed, and so on, until the recall on a sample of rows, which were searched exactly, is enough.
 * Rows lie in memory cell by cell of the first division, so that most of what a cell needs is near.
 * A row is in one cell of a division, so no order of the work matters.  The similarities of what
 * was found are exact. */
#include "common/sim/approx.h"

#include <math.h>
#include <string.h>

#include "common/base/blas.h"
#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/base/rng.h"
#include "common/sim/cells.h"
#include "common/sim/sim_kernels.h"

enum {
    FEW = 8 * SE_CELL,          /* rows that are searched exactly */
    MOST_SPARSE = 1024,         /* columns of sparse rows, which are made dense */
    NEAR = 6,                   /* cells that a cell is compared with, itself among them */
    TRIED = 4,                  /* divisions after which the number needed is estimated */
    SAMPLE = 400,
    ROWS = 64,                  /* of a task */
    SPARE = 6                   /* more than k in a list */
};

/* Lists hold keys of engine.h with the place of a row in x. */
struct approx {
    struct se_sim_job *job;
    uint64_t m, d, size;
    float *x;                   /* m x d, centred and scaled, cell by cell of the first division */
    uint32_t *row_at;           /* row of the job at a place of x */
    uint32_t *place;            /* place of a row of the job */
    uint64_t *list;             /* m x size keys, best first; UINT64_MAX: none */
    struct se_cells cells;      /* the present division, of places */
    uint32_t *stamp;            /* per thread m: which row saw it last */
    uint32_t *mark;             /* per thread: the number of that */
    uint64_t *found;            /* per thread SE_CELL x 4 size: candidates of the rows of a cell */
    uint32_t *count;            /* per thread SE_CELL: how many */
    float *floor;               /* per thread SE_CELL: a product below it is of no use */
    uint64_t *key, *spare;      /* per thread `room` */
    uint64_t room;
    float *panel;               /* per thread 2 x SE_CELL x d: the rows of two cells */
    float *tile;                /* per thread SE_CELL x SE_CELL: their products */
    struct se_sim_query *query; /* per thread */
    uint64_t samples;
    uint32_t *sample;           /* rows of the job, ascending */
    float *least;               /* the similarity of the k-th best of each */
    uint32_t *id;               /* k: what was found for one of them */
    float *similarity;
};

static void approx_release(struct approx *a)
{
    se_cells_release(&a->cells);
    free(a->x);
    free(a->row_at);
    free(a->place);
    free(a->list);
    free(a->stamp);
    free(a->mark);
    free(a->found);
    free(a->count);
    free(a->floor);
    free(a->key);
    free(a->spare);
    free(a->panel);
    free(a->tile);
    free(a->sample);
    free(a->least);
    free(a->id);
    free(a->similarity);
    se_sim_queries_free(a->query, a->job->threads);
}

/* ---- rows, cell by cell ---- */

struct fill {
    const struct approx *a;
    float *x;
    const uint32_t *order;      /* NULL: as they come */
};

static void fill_rows(void *arg, uint64_t from, uint64_t to)
{
    const struct fill *f = arg;
    const struct se_sim_job *job = f->a->job;

    for (uint64_t i = from; i < to; i++)
        se_sim_fill(job->rows, job->row[f->order ? f->order[i] : i], 0, f->a->d,
                    f->x + i * f->a->d);
}

static int make_rows(struct approx *a, struct se_err *err)
{
    struct fill f = { a, se_alloc(a->m * a->d, sizeof(float), err), NULL };
    int rc = -1;

    a->x = f.x;
    a->place = f.x ? se_alloc(a->m, sizeof *a->place, err) : NULL;
    if (a->place) {
        se_ranges(a->job->threads, a->m, 4 * a->d, fill_rows, &f);
        rc = se_cells_make(&a->cells, a->x, a->m, a->d, 0, a->job->threads, err);
        a->row_at = rc == 0 ? se_alloc(a->m, sizeof *a->row_at, err) : NULL;
    }
    if (!a->row_at)
        return -1;
    memcpy(a->row_at, a->cells.order, a->m * sizeof *a->row_at);
    f.order = a->row_at;
    se_ranges(a->job->threads, a->m, 4 * a->d, fill_rows, &f);
    for (uint64_t i = 0; i < a->m; i++) {
        a->place[a->row_at[i]] = (uint32_t)i;
        a->cells.order[i] = (uint32_t)i;
    }
    return rc;
}

static int approx_make(struct approx *a, struct se_sim_job *job, struct se_err *err)
{
    const uint64_t threads = (uint64_t)job->threads, m = job->m, cell = threads * SE_CELL;

    *a = (struct approx){ .job = job, .m = m, .d = job->rows->d, .cells = SE_CELLS_INIT };
    a->size = job->k + SPARE;
    a->room = 5 * a->size + 4 * NEAR;
    if (se_blas_load(job->threads, err) < 0 || make_rows(a, err) < 0 ||
        !(a->list = se_alloc(m * a->size, sizeof *a->list, err)) ||
        !(a->stamp = se_zalloc(threads * m, sizeof *a->stamp, err)) ||
        !(a->mark = se_zalloc(threads, sizeof *a->mark, err)) ||
        !(a->found = se_alloc(cell * 4 * a->size, sizeof *a->found, err)) ||
        !(a->count = se_alloc(cell, sizeof *a->count, err)) ||
        !(a->floor = se_alloc(cell, sizeof *a->floor, err)) ||
        !(a->key = se_alloc(threads * a->room, sizeof *a->key, err)) ||
        !(a->spare = se_alloc(threads * a->room, sizeof *a->spare, err)) ||
        !(a->panel = se_alloc(2 * cell * a->d, sizeof *a->panel, err)) ||
        !(a->tile = se_alloc(cell * SE_CELL, sizeof *a->tile, err)) ||
        !(a->sample = se_alloc(SAMPLE, sizeof *a->sample, err)) ||
        !(a->least = se_alloc(SAMPLE, sizeof *a->least, err)) ||
        !(a->id = se_alloc(job->k, sizeof *a->id, err)) ||
        !(a->similarity = se_alloc(job->k, sizeof *a->similarity, err)) ||
        !(a->query = se_sim_queries(job->rows, job->threads, err)))
        return -1;
    memset(a->list, 0xff, m * a->size * sizeof *a->list);
    return 0;
}

/* ---- lists ---- */

/* A list into `key`, its rows and the one at `place` marked as seen; returns how many it has. */
static uint64_t take(const struct approx *a, uint64_t place, int thread, uint64_t *key)
{
    const uint64_t *list = a->list + place * a->size;
    uint32_t *stamp = a->stamp + (uint64_t)thread * a->m;
    const uint32_t mark = ++a->mark[thread];
    uint64_t count = 0;

    stamp[place] = mark;
    for (; count < a->size && list[count] != UINT64_MAX; count++) {
        key[count] = list[count];
        stamp[se_sim_key_id(list[count])] = mark;
    }
    return count;
}

/* Is it the first time that this row is seen since then? */
static bool is_unseen(const struct approx *a, uint32_t place, int thread)
{
    uint32_t *stamp = a->stamp + (uint64_t)thread * a->m + place;

    if (*stamp == a->mark[thread])
        return false;
    *stamp = a->mark[thread];
    return true;
}

/* The candidates of row u of a cell, which is at `place`, into its list */
static void take_candidates(const struct approx *a, uint64_t place, uint64_t u, int thread)
{
    const uint64_t at = (uint64_t)thread * SE_CELL + u, *found = a->found + at * 4 * a->size;
    uint64_t *key = a->key + (uint64_t)thread * a->room, *list = a->list + place * a->size;
    const uint64_t own = take(a, place, thread, key);
    uint64_t all = own;

    for (uint64_t i = 0; i < a->count[at]; i++)
        if (is_unseen(a, se_sim_key_id(found[i]), thread))
            key[all++] = found[i];
    if (all == own)
        return;
    const uint64_t kept = all < a->size ? all : a->size;

    se_sim_select(key, all, kept);
    se_sim_sort(key, kept, a->spare + (uint64_t)thread * a->room);
    memcpy(list, key, kept * sizeof *list);
}

/* ---- cells with the nearest cells ---- */

/* A cell and those whose centres are most similar to its own; how many */
static uint64_t nearest_cells(const struct approx *a, uint64_t cell, int thread, uint64_t *near)
{
    const struct se_cells *c = &a->cells;
    const uint64_t most = c->count < NEAR ? c->count : NEAR;
    uint64_t *key = a->key + (uint64_t)thread * a->room, held = 0;

    for (uint64_t other = 0; other < c->count; other++) {
        const float s = other == cell ? 2
                        : se_product_of(c->centre + cell * a->d, c->centre + other * a->d, a->d);

        key[held++] = se_sim_key(s, (uint32_t)other);
        if (held == 4 * NEAR) {
            se_sim_select(key, held, most);
            held = most;
        }
    }
    se_sim_select(key, held, most);
    se_sim_sort(key, most, a->spare + (uint64_t)thread * a->room);
    for (uint64_t i = 0; i < most; i++)
        near[i] = se_sim_key_id(key[i]);
    return most;
}

/* A candidate of row u of a cell; of too many, those that could come into a list stay. */
static void offer(const struct approx *a, int thread, uint64_t u, uint64_t key)
{
    const uint64_t at = (uint64_t)thread * SE_CELL + u, most = 4 * a->size;
    uint64_t *found = a->found + at * most, worst = 0;

    found[a->count[at]++] = key;
    if (a->count[at] < most)
        return;
    se_sim_select(found, most, a->size);
    for (uint64_t i = 0; i < a->size; i++)
        worst = found[i] > worst ? found[i] : worst;
    a->count[at] = (uint32_t)a->size;
    a->floor[at] = fmaxf(a->floor[at], se_sim_key_similarity(worst));
}

/* The rows of a cell, one after the other; returns how many. */
static uint64_t gather_cell(const struct approx *a, uint64_t cell, float *panel)
{
    const uint64_t from = a->cells.first[cell], rows = a->cells.first[cell + 1] - from;

    for (uint64_t i = 0; i < rows; i++)
        memcpy(panel + i * a->d, a->x + a->cells.order[from + i] * a->d, a->d * sizeof *panel);
    return rows;
}

/* The rows of a cell, which lie in the first panel, times those of another, offered to the first */
static void compare_cells(const struct approx *a, uint64_t cell, uint64_t other, int thread)
{
    static const float never[SE_CELL] = { [0 ... SE_CELL - 1] = INFINITY };
    const uint32_t *mine = a->cells.order + a->cells.first[cell];
    const uint32_t *theirs = a->cells.order + a->cells.first[other];
    const uint64_t rows = a->cells.first[cell + 1] - a->cells.first[cell];
    const float *floor = a->floor + (uint64_t)thread * SE_CELL;
    float *tile = a->tile + (uint64_t)thread * SE_CELL * SE_CELL;
    float *panel = a->panel + (uint64_t)thread * 2 * SE_CELL * a->d;
    const uint64_t columns = gather_cell(a, other, panel + SE_CELL * a->d);
    uint32_t hit[SE_CELL];

    se_blas.sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)columns, (int)a->d, 1,
                  panel, (int)a->d, panel + SE_CELL * a->d, (int)a->d, 0, tile, SE_CELL);
    for (uint64_t u = 0; u < rows; u++) {
        const float *s = tile + u * SE_CELL;
        const uint32_t hits = se_sim_kernels()->scan(s, never, floor[u], (uint32_t)columns, hit);

        for (uint32_t h = 0; h < hits; h++)
            if (theirs[hit[h]] != mine[u] && s[hit[h]] >= floor[u])
                offer(a, thread, u, se_sim_key(s[hit[h]], theirs[hit[h]]));
    }
}

static void search_cell(void *arg, uint64_t cell, int thread)
{
    const struct approx *a = arg;
    const uint32_t *mine = a->cells.order + a->cells.first[cell];
    float *floor = a->floor + (uint64_t)thread * SE_CELL;
    const uint64_t rows = gather_cell(a, cell, a->panel + (uint64_t)thread * 2 * SE_CELL * a->d);
    uint64_t near[NEAR];
    const uint64_t cells = nearest_cells(a, cell, thread, near);

    for (uint64_t u = 0; u < rows; u++) {
        const uint64_t worst = a->list[mine[u] * a->size + a->size - 1];

        a->count[(uint64_t)thread * SE_CELL + u] = 0;
        floor[u] = worst == UINT64_MAX ? -INFINITY : se_sim_key_similarity(worst);
    }
    for (uint64_t i = 0; i < cells; i++)
        compare_cells(a, cell, near[i], thread);
    for (uint64_t u = 0; u < rows; u++)
        take_candidates(a, mine[u], u, thread);
}

/* Compare the cells of the first division, or make another one before. */
static int add_division(struct approx *a, uint64_t number, struct se_err *err)
{
    if (number > 0) {
        se_cells_release(&a->cells);
        if (se_cells_make(&a->cells, a->x, a->m, a->d, number, a->job->threads, err) < 0)
            return -1;
    }
    se_parallel(a->job->threads, a->cells.count, search_cell, a);
    return 0;
}

/* ---- what was found ---- */

/* The k best of a list by exact similarity, into id and similarity */
static void best_of(const struct approx *a, uint64_t row, int thread, uint32_t *id,
                    float *similarity)
{
    const uint64_t *list = a->list + a->place[row] * a->size, k = a->job->k;
    uint64_t *key = a->key + (uint64_t)thread * a->room, count = 0;
    uint32_t *name = (uint32_t *)(void *)(a->spare + (uint64_t)thread * a->room);
    float *s = (float *)(void *)(name + a->size);

    for (; count < a->size && list[count] != UINT64_MAX; count++)
        name[count] = a->job->row[a->row_at[se_sim_key_id(list[count])]];
    se_sim_query_many(&a->query[thread], a->job->row[row], name, count, s);
    for (uint64_t j = 0; j < count; j++)
        key[j] = se_sim_key(s[j], name[j]);
    se_sim_sort(key, count, a->spare + (uint64_t)thread * a->room);
    for (uint64_t j = 0; j < k; j++) {
        id[j] = j < count ? se_sim_key_id(key[j]) : SE_NONE;
        similarity[j] = j < count ? se_sim_key_similarity(key[j]) : -1;
    }
}

/* Rows drawn at random, searched exactly */
static int make_sample(struct approx *a, struct se_err *err)
{
    const uint64_t k = a->job->k;
    struct se_sim_job exact = *a->job;
    uint64_t left = a->m;
    struct se_rng r;

    se_rng_init(&r, 1, SE_RNG_APPROX, 0);
    for (uint64_t i = 0; i < a->m && a->samples < SAMPLE; i++, left--)
        if (se_rng_below(&r, left) < SAMPLE - a->samples)
            a->sample[a->samples++] = (uint32_t)i;
    exact.q = a->samples;
    exact.progress = NULL;
    uint32_t *query = se_alloc(exact.q, sizeof *query, err);

    exact.id = query ? se_alloc(exact.q * k, sizeof *exact.id, err) : NULL;
    exact.similarity = exact.id ? se_alloc(exact.q * k, sizeof *exact.similarity, err) : NULL;
    int rc = exact.similarity ? 0 : -1;

    for (uint64_t i = 0; rc == 0 && i < exact.q; i++)
        query[i] = a->job->row[a->sample[i]];
    exact.query = query;
    if (rc == 0)
        rc = se_sim_product(&exact, err);
    for (uint64_t i = 0; rc == 0 && i < exact.q; i++)
        a->least[i] = exact.similarity[i * k + k - 1];
    free(query);
    free(exact.id);
    free(exact.similarity);
    return rc;
}

static double measure(struct approx *a)
{
    const uint64_t k = a->job->k;
    uint64_t found = 0;

    for (uint64_t i = 0; i < a->samples; i++) {
        best_of(a, a->sample[i], 0, a->id, a->similarity);
        for (uint64_t j = 0; j < k; j++)
            found += a->id[j] != SE_NONE && a->similarity[j] >= a->least[i];
    }
    return (double)found / (double)(a->samples * k);
}

static bool is_full(const struct approx *a)
{
    for (uint64_t i = 0; i < a->m; i++)
        if (a->list[i * a->size + a->job->k - 1] == UINT64_MAX)
            return false;
    return true;
}

static void deliver(void *arg, uint64_t task, int thread)
{
    const struct approx *a = arg;
    struct se_sim_job *job = a->job;
    uint64_t row = 0;

    for (uint64_t i = task * ROWS; i < job->q && i < (task + 1) * ROWS; i++) {
        uint64_t low = row, high = job->m;              /* queries are among the rows, ascending */

        while (high - low > 1) {
            const uint64_t mid = (low + high) / 2;

            *(job->row[mid] <= job->query[i] ? &low : &high) = mid;
        }
        row = low;
        best_of(a, row, thread, job->id + i * job->k, job->similarity + i * job->k);
        se_sim_progress(job, 1);
    }
}

/* Division after division; 0: the recall is reached, 1: an exact search costs less, -1 with `err`.
 * What is missed falls by about the same share each time. */
static int improve(struct approx *a, double want, double *recall, struct se_err *err)
{
    const uint64_t most = a->m / (4 * NEAR * SE_CELL) + 1;

    *recall = 0;
    for (uint64_t i = 0; *recall < want || !is_full(a); i++) {
        const double first = 1 - *recall;

        if (i == most)
            return 1;
        if (add_division(a, i, err) < 0)
            return -1;
        *recall = measure(a);
        if (i >= TRIED && *recall < want &&
            (double)i + log((1 - *recall) / (1 - want + 1e-9)) / log(first / (1 - *recall)) >
                (double)most)
            return 1;
    }
    return 0;
}

int se_sim_approx(struct se_sim_job *job, double want, double *recall, struct se_err *err)
{
    struct approx a;
    int rc = -1;

    if (job->m <= FEW || job->k + SPARE >= SE_CELL ||
        (!job->rows->x.dense && job->rows->d > MOST_SPARSE))
        return 1;
    if (approx_make(&a, job, err) == 0 && make_sample(&a, err) == 0)
        rc = improve(&a, want, recall, err);
    if (rc == 0)
        se_parallel(job->threads, (job->q + ROWS - 1) / ROWS, deliver, &a);
    else
        *recall = 1;
    approx_release(&a);
    return rc;
}
