/* engine_device.c - the matrix product on a device; who is among the first k is decided here
 *
 * The device gives for each row a few more than k candidates with their scores in float.
 * Those within the error of the k-th score get their exact S, as in topk.c, so the answer
 * is that of the CPU.  A row whose candidates are all that close may lack some: the CPU's
 * product searches for it again. */
#include <math.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/device/device.h"
#include "common/sim/engine.h"

enum { ROWS_PER_TASK = 64, MOST_DIMS = 1 << 20 };

struct search {
    struct se_sim_job *job;
    uint32_t *place;            /* q: of each query among the rows */
    uint64_t list;              /* candidates of each query */
    float margin;               /* a score this far below the k-th cannot win */
    struct se_sim_query *query; /* per thread */
    uint64_t *spare;            /* per thread: 2 * list keys */
    uint8_t *unsure;            /* per query */
    /* What the tasks of the moment work on */
    bool queries;
    uint64_t first, count;
    float *out;
    const uint64_t *key;
};

/* ---- rows for the device ---- */

static void fill_task(void *arg, uint64_t task, int thread)
{
    const struct search *s = arg;
    const struct se_sim_rows *r = s->job->rows;
    const uint32_t *row = s->queries ? s->job->query : s->job->row;
    const uint64_t last = (task + 1) * ROWS_PER_TASK;

    (void)thread;
    for (uint64_t i = task * ROWS_PER_TASK; i < last && i < s->count; i++)
        se_sim_fill(r, row[s->first + i], 0, r->d, s->out + i * r->d);
}

static void fill(void *arg, bool queries, uint64_t first, uint64_t count, float *out)
{
    struct search *s = arg;

    s->queries = queries;
    s->first = first;
    s->count = count;
    s->out = out;
    se_parallel(s->job->threads, (count + ROWS_PER_TASK - 1) / ROWS_PER_TASK, fill_task, s);
}

/* ---- lists from the device ---- */

/* Of the candidates those that may win come first: how many, or 0 if there may be more that
 * the list had no room for. */
static uint64_t contenders(const struct search *s, uint64_t *key)
{
    const uint64_t k = s->job->k, list = s->list;
    uint64_t worst = 0, within = 0;
    float floor;

    se_sim_select(key, list, k);
    for (uint64_t i = 0; i < k; i++)
        worst = key[i] > worst ? key[i] : worst;
    floor = se_sim_key_similarity(worst) - s->margin;
    for (uint64_t i = 0; i < list; i++)
        if (se_sim_key_similarity(key[i]) >= floor)
            key[within++] = key[i];
    return within < list || list == s->job->m - 1 ? within : 0;
}

static void settle(struct search *s, uint64_t i, int thread)
{
    struct se_sim_job *job = s->job;
    struct se_sim_query *query = &s->query[thread];
    uint64_t *key = s->spare + (uint64_t)thread * 2 * s->list;
    const uint64_t at = s->first + i, k = job->k;

    memcpy(key, s->key + i * s->list, s->list * sizeof *key);
    const uint64_t count = contenders(s, key);

    s->unsure[at] = count == 0;
    if (count == 0)
        return;
    se_sim_query_set(query, job->query[at]);
    for (uint64_t c = 0; c < count; c++) {
        const uint32_t v = job->row[se_sim_key_id(key[c])];

        key[c] = se_sim_key(se_sim_query_with(query, v), v);
    }
    se_sim_sort(key, count, key + s->list);
    for (uint64_t c = 0; c < k; c++) {
        job->id[at * k + c] = se_sim_key_id(key[c]);
        job->similarity[at * k + c] = se_sim_key_similarity(key[c]);
    }
}

static void settle_task(void *arg, uint64_t task, int thread)
{
    struct search *s = arg;
    const uint64_t last = (task + 1) * ROWS_PER_TASK;

    for (uint64_t i = task * ROWS_PER_TASK; i < last && i < s->count; i++)
        settle(s, i, thread);
}

static void deliver(void *arg, uint64_t first, uint64_t count, const uint64_t *key)
{
    struct search *s = arg;

    s->first = first;
    s->count = count;
    s->key = key;
    se_parallel(s->job->threads, (count + ROWS_PER_TASK - 1) / ROWS_PER_TASK, settle_task, s);
    se_sim_progress(s->job, count);
}

/* ---- rows that need a second look ---- */

static int search_unsure(struct search *s, uint64_t unsure, struct se_err *err)
{
    struct se_sim_job *job = s->job, rest = { .rows = job->rows, .row = job->row, .m = job->m,
                                              .q = unsure, .k = job->k,
                                              .threads = job->threads };
    const uint64_t k = job->k;
    uint32_t *query = se_alloc(unsure, sizeof *query, err);
    int rc = -1;

    rest.id = query ? se_alloc(unsure * k, sizeof *rest.id, err) : NULL;
    rest.similarity = rest.id ? se_alloc(unsure * k, sizeof *rest.similarity, err) : NULL;
    if (rest.similarity) {
        for (uint64_t i = 0, at = 0; i < job->q; i++)
            if (s->unsure[i])
                query[at++] = job->query[i];
        rest.query = query;
        rc = se_sim_product(&rest, err);
    }
    for (uint64_t i = 0, at = 0; rc == 0 && i < job->q; i++)
        if (s->unsure[i]) {
            memcpy(job->id + i * k, rest.id + at * k, k * sizeof *job->id);
            memcpy(job->similarity + i * k, rest.similarity + at * k,
                   k * sizeof *job->similarity);
            at++;
        }
    free(query);
    free(rest.id);
    free(rest.similarity);
    return rc;
}

/* ---- the search ---- */

static int search_make(struct search *s, struct se_err *err)
{
    const struct se_sim_job *job = s->job;
    const uint64_t d = job->rows->d, threads = (uint64_t)job->threads;
    const double u = 0x1p-24, e = 1.05 * (double)(d + 4) * u / (1 - (double)(d + 4) * u);

    if (d > MOST_DIMS)
        return se_fail(err, SE_EDEVICE, "the device supports at most %d dimensions", MOST_DIMS);
    s->margin = (float)(2 * e + 0x1p-22);       /* as in engine_product.c */
    s->list = job->k + job->k / 4 + 16;
    if (s->list > job->m - 1)
        s->list = job->m - 1;
    s->place = se_alloc(job->q, sizeof *s->place, err);
    s->unsure = s->place ? se_zalloc(job->q, 1, err) : NULL;
    s->spare = s->unsure ? se_alloc(threads * 2 * s->list, sizeof *s->spare, err) : NULL;
    s->query = s->spare ? se_sim_queries(job->rows, job->threads, err) : NULL;
    if (!s->query)
        return -1;
    for (uint64_t i = 0, at = 0; i < job->m && at < job->q; i++)
        if (job->query[at] == job->row[i])
            s->place[at++] = (uint32_t)i;
    return 0;
}

int se_sim_device(struct se_sim_job *job, const struct se_gpu *gpu, struct se_err *err)
{
    struct search s = { .job = job };
    uint64_t unsure = 0;
    int rc = search_make(&s, err);

    if (rc == 0) {
        struct se_cuda_search ask = { .m = job->m, .q = job->q, .d = job->rows->d,
                                      .list = s.list, .query = s.place, .fill = fill,
                                      .deliver = deliver, .arg = &s };

        rc = gpu->cuda->search(gpu->device, &ask);
        if (rc < 0)
            se_gpu_check(gpu, err);
    }
    for (uint64_t i = 0; rc == 0 && i < job->q; i++)
        unsure += s.unsure[i];
    if (rc == 0 && unsure)
        rc = search_unsure(&s, unsure, err);
    se_sim_queries_free(s.query, job->threads);
    free(s.place);
    free(s.unsure);
    free(s.spare);
    return rc;
}
