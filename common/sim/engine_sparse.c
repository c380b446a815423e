/* engine_sparse.c - engine (c): products of sparse rows through an index by column
 *
 * A query runs down the columns it has numbers in and adds up the products with every row it
 * meets there.  Rows it does not meet have product 0, and S = -d mean mean' / (norm norm'):
 * their best are found in one list, ordered by mean / norm.  All sums are those of
 * se_sim_query_with(), so what comes out is S itself. */
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/sim/engine.h"

enum { QUERIES_PER_TASK = 64 };

struct entry {
    uint32_t row;               /* index into the rows of the job */
    float value;
};

struct sum {                    /* of a row met by the query `met` - 1 */
    double product;
    uint64_t met;
};

struct tilt {                   /* a row as those see it that never meet it */
    double tilt, mean;
    uint32_t row;
};

/* What one thread works with. */
struct desk {
    struct sum *sum;            /* m */
    uint32_t *touched;          /* m */
    uint64_t *key, *spare;      /* cap each */
    uint64_t have, worst;       /* keys; the k-th best key, UINT64_MAX below k */
    struct se_sim_query query;
};

struct index {
    struct se_sim_job *job;
    uint64_t *off;              /* columns + 1 */
    struct entry *entry;
    struct tilt *tilt;          /* rows that are not steep, ascending */
    uint64_t *group, tilts, groups;     /* starts of equal tilts in it; groups + 1 */
    uint32_t *steep;            /* rows that are */
    uint64_t steeps, cap;
    struct desk *desk;          /* per thread */
};

/* --- the best keys --- */

static void cut(const struct index *x, struct desk *w)
{
    const uint64_t k = x->job->k;

    if (w->have < k)
        return;
    se_sim_select(w->key, w->have, k);
    w->have = k;
    w->worst = 0;
    for (uint64_t i = 0; i < k; i++)
        w->worst = w->key[i] > w->worst ? w->key[i] : w->worst;
}

static inline void add(const struct index *x, struct desk *w, uint64_t key)
{
    if (key >= w->worst)
        return;
    w->key[w->have++] = key;
    if (w->have == x->cap || (w->have == x->job->k && w->worst == UINT64_MAX))
        cut(x, w);
}

/* --- one query --- */

/* Add up the products with all rows that share a column; returns how many there are. */
static uint64_t collect(const struct index *x, struct desk *w, uint64_t q)
{
    const struct se_sim_rows *r = x->job->rows;
    const uint32_t v = x->job->query[q];
    uint64_t touched = 0;

    for (uint64_t e = r->x.off[v]; e < r->x.off[v + 1]; e++) {
        const double value = r->x.value ? r->x.value[e] : 1;
        const struct entry *at = x->entry + x->off[r->col[e]];
        const struct entry *end = x->entry + x->off[r->col[e] + 1];

        for (; at < end; at++) {
            struct sum *s = &w->sum[at->row];

            if (s->met != q + 1) {
                s->met = q + 1;
                s->product = 0;
                w->touched[touched++] = at->row;
            }
            s->product += value * at->value;
        }
    }
    return touched;
}

static void weigh_met(const struct index *x, struct desk *w, uint64_t v, uint64_t touched)
{
    const struct se_sim_rows *r = x->job->rows;
    const struct se_sim_scale *a = &r->scale[v];

    for (uint64_t i = 0; i < touched; i++) {
        const uint32_t row = w->touched[i], u = x->job->row[row];
        const struct se_sim_scale *b = &r->scale[u];
        const double about = (w->sum[row].product - a->mean * b->mean * (double)r->d) *
                             (a->inverse * b->inverse);

        if (u != v && (w->worst == UINT64_MAX ||
                       about >= se_sim_key_similarity(w->worst) - 0x1p-22))
            add(x, w, se_sim_key(se_sim_of_product(r, v, u, w->sum[row].product), row));
    }
}

/* The rows of one tilt that were not met, by ascending number, until they lose. */
static void weigh_group(const struct index *x, struct desk *w, uint64_t q, uint64_t group)
{
    const uint32_t v = x->job->query[q];
    const float s = se_sim_of_product(x->job->rows, v,
                                      x->job->row[x->tilt[x->group[group]].row], 0);

    for (uint64_t i = x->group[group]; i < x->group[group + 1]; i++) {
        const uint32_t row = x->tilt[i].row;

        if (w->sum[row].met == q + 1 || x->job->row[row] == v)
            continue;
        if (se_sim_key(s, row) >= w->worst)
            break;
        add(x, w, se_sim_key(s, row));
    }
}

static void weigh_unmet(const struct index *x, struct desk *w, uint64_t q)
{
    const struct se_sim_rows *r = x->job->rows;
    const uint32_t v = x->job->query[q];
    const double mean = r->scale[v].mean;

    cut(x, w);
    if (mean == 0) {                            /* S = 0 with all of them */
        for (uint64_t row = 0; row < x->job->m && se_sim_key(0, (uint32_t)row) < w->worst;
             row++)
            if (w->sum[row].met != q + 1 && x->job->row[row] != v &&
                !r->steep[x->job->row[row]])
                add(x, w, se_sim_key(0, (uint32_t)row));
        return;
    }
    for (uint64_t i = 0; i < x->groups; i++) {
        const uint64_t group = mean > 0 ? i : x->groups - 1 - i;
        const uint32_t u = x->job->row[x->tilt[x->group[group]].row];

        if (w->worst != UINT64_MAX && se_sim_of_product(r, v, u, 0) <
                                      se_sim_key_similarity(w->worst) - 0x1p-23)
            break;
        weigh_group(x, w, q, group);
    }
}

static void answer(const struct index *x, struct desk *w, uint64_t q)
{
    const struct se_sim_rows *r = x->job->rows;
    const uint32_t v = x->job->query[q];
    const uint64_t k = x->job->k;

    w->have = 0;
    w->worst = UINT64_MAX;
    if (x->steeps)
        se_sim_query_set(&w->query, v);
    if (r->steep[v]) {
        for (uint64_t row = 0; row < x->job->m; row++)
            if (x->job->row[row] != v)
                add(x, w, se_sim_key(se_sim_query_with(&w->query, x->job->row[row]),
                                     (uint32_t)row));
    } else {
        weigh_met(x, w, v, collect(x, w, q));
        for (uint64_t i = 0; i < x->steeps; i++)
            add(x, w, se_sim_key(se_sim_query_with(&w->query, x->job->row[x->steep[i]]),
                                 x->steep[i]));
        weigh_unmet(x, w, q);
    }
    cut(x, w);
    se_sim_sort(w->key, k, w->spare);
    for (uint64_t i = 0; i < k; i++) {
        x->job->id[q * k + i] = x->job->row[se_sim_key_id(w->key[i])];
        x->job->similarity[q * k + i] = se_sim_key_similarity(w->key[i]);
    }
}

static void answer_task(void *arg, uint64_t task, int thread)
{
    const struct index *x = arg;
    const uint64_t first = task * QUERIES_PER_TASK;
    const uint64_t last = first + QUERIES_PER_TASK < x->job->q ? first + QUERIES_PER_TASK
                                                               : x->job->q;

    for (uint64_t q = first; q < last; q++)
        answer(x, &x->desk[thread], q);
    se_sim_progress(x->job, last - first);
}

/* --- the index --- */

static int by_tilt(const void *a, const void *b)
{
    const struct tilt *x = a, *y = b;

    if (x->tilt != y->tilt)
        return x->tilt < y->tilt ? -1 : 1;
    if (x->mean != y->mean)
        return x->mean < y->mean ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Order the rows by how those see them that share no column with them. */
static int order_tilts(struct index *x, struct se_err *err)
{
    const struct se_sim_job *job = x->job;

    x->tilt = se_alloc(job->m, sizeof *x->tilt, err);
    x->group = x->tilt ? se_alloc(job->m + 1, sizeof *x->group, err) : NULL;
    x->steep = x->group ? se_alloc(job->m, sizeof *x->steep, err) : NULL;
    if (!x->steep)
        return -1;
    for (uint64_t i = 0; i < job->m; i++) {
        const struct se_sim_scale *s = &job->rows->scale[job->row[i]];

        if (job->rows->steep[job->row[i]])
            x->steep[x->steeps++] = (uint32_t)i;
        else
            x->tilt[x->tilts++] = (struct tilt){ s->mean * s->inverse, s->mean,
                                                 (uint32_t)i };
    }
    qsort(x->tilt, x->tilts, sizeof *x->tilt, by_tilt);
    for (uint64_t i = 0; i < x->tilts; i++)
        if (i == 0 || x->tilt[i].tilt != x->tilt[i - 1].tilt ||
            x->tilt[i].mean != x->tilt[i - 1].mean)
            x->group[x->groups++] = i;
    x->group[x->groups] = x->tilts;
    return 0;
}

static int index_columns(struct index *x, struct se_err *err)
{
    const struct se_sim_job *job = x->job;
    const struct se_sim_rows *r = job->rows;

    x->off = se_zalloc(r->columns + 2, sizeof *x->off, err);
    x->entry = x->off ? se_alloc(r->x.nnz, sizeof *x->entry, err) : NULL;
    if (!x->entry)
        return -1;
    for (int pass = 0; pass < 2; pass++) {      /* count, then place */
        for (uint64_t i = 0; i < job->m; i++) {
            const uint32_t v = job->row[i];

            for (uint64_t e = r->x.off[v]; !r->steep[v] && e < r->x.off[v + 1]; e++)
                if (pass == 0)
                    x->off[r->col[e] + 2]++;
                else
                    x->entry[x->off[r->col[e] + 1]++] =
                        (struct entry){ (uint32_t)i, r->x.value ? r->x.value[e] : 1 };
        }
        for (uint64_t c = 0; pass == 0 && c < r->columns; c++)
            x->off[c + 2] += x->off[c + 1];
    }
    return 0;
}

static int set_desks(struct index *x, struct se_err *err)
{
    const struct se_sim_job *job = x->job;

    x->cap = 2 * job->k + 64;
    x->desk = se_zalloc((uint64_t)job->threads, sizeof *x->desk, err);
    for (int i = 0; x->desk && i < job->threads; i++) {
        struct desk *w = &x->desk[i];

        w->sum = se_zalloc(job->m, sizeof *w->sum, err);
        w->touched = w->sum ? se_alloc(job->m, sizeof *w->touched, err) : NULL;
        w->key = w->touched ? se_alloc(2 * x->cap, sizeof *w->key, err) : NULL;
        w->spare = w->key ? w->key + x->cap : NULL;
        if (!w->key || se_sim_query_init(&w->query, job->rows, err) < 0)
            return -1;
    }
    return x->desk ? 0 : -1;
}

static void index_release(struct index *x)
{
    for (int i = 0; x->desk && i < x->job->threads; i++) {
        free(x->desk[i].sum);
        free(x->desk[i].touched);
        free(x->desk[i].key);
        se_sim_query_release(&x->desk[i].query);
    }
    free(x->desk);
    free(x->off);
    free(x->entry);
    free(x->tilt);
    free(x->group);
    free(x->steep);
}

int se_sim_sparse(struct se_sim_job *job, struct se_err *err)
{
    struct index x = { .job = job };
    int rc = -1;

    if (order_tilts(&x, err) == 0 && index_columns(&x, err) == 0 && set_desks(&x, err) == 0) {
        se_parallel(job->threads, (job->q + QUERIES_PER_TASK - 1) / QUERIES_PER_TASK,
                    answer_task, &x);
        rc = 0;
    }
    index_release(&x);
    return rc;
}

/* --- what it would cost --- */

double se_sim_product_cost(const struct se_sim_job *job)
{
    const double q = (double)job->q, m = (double)job->m;

    return q * (m - q / 2) * (double)(job->rows->d + 16);
}

int se_sim_sparse_cost(const struct se_sim_job *job, double *cost, struct se_err *err)
{
    const struct se_sim_rows *r = job->rows;
    uint64_t *count = se_zalloc(r->columns + 1, sizeof *count, err);
    double meetings = 0;

    if (!count)
        return -1;
    for (uint64_t i = 0; i < job->m; i++)
        for (uint64_t e = r->x.off[job->row[i]]; e < r->x.off[job->row[i] + 1]; e++)
            count[r->col[e]]++;
    for (uint64_t i = 0; i < job->q; i++)
        for (uint64_t e = r->x.off[job->query[i]]; e < r->x.off[job->query[i] + 1]; e++)
            meetings += (double)count[r->col[e]];
    free(count);
    /* a meeting takes the time of some 75 multiply-adds in a tile; a steep row meets all */
    *cost = 75 * (meetings + (double)r->steeps * (double)job->m * 16);
    return 0;
}
