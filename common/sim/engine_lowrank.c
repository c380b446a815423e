/* engine_lowrank.c - rows in one or two effective dimensions
 *
 * In one dimension every S is +1 or -1.  In two the rows lie on a circle: sort them by angle,
 * and the most similar ones are those to the left and right.  With two or three columns the
 * centred rows are always like that; with more they may be. */
#include <math.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/sim/engine.h"

enum { SAMPLE = 32, QUERIES_PER_TASK = 256, SMALL = 64, LARGE = 4096 };

/* Rows this near to a line (1 - |cosine|) have S of exactly +1 or -1 once it is rounded;
 * rows this near to a plane (1 - the squared part in it) have S within 1e-12 of the cosine
 * of the difference of their angles. */
static const double line_error = 5e-11, plane_error = 1e-13, circle_slack = 0x1p-23;

/* --- a basis --- */

static void unit_row(const struct se_sim_rows *r, uint64_t i, double *y)
{
    const struct se_sim_scale *s = &r->scale[i];
    const struct se_features *x = &r->x;

    if (x->dense) {
        for (uint64_t t = 0; t < r->d; t++)
            y[t] = ((x->dense[i * r->d + t] - s->shift) - s->mean) * s->inverse;
        return;
    }
    for (uint64_t t = 0; t < r->d; t++)
        y[t] = -s->mean * s->inverse;
    for (uint64_t e = x->off[i]; e < x->off[i + 1]; e++)
        y[x->col[e]] = ((x->value ? x->value[e] : 1) - s->mean) * s->inverse;
}

static double dot(const double *a, const double *b, uint64_t d)
{
    double sum = 0;

    for (uint64_t t = 0; t < d; t++)
        sum += a[t] * b[t];
    return sum;
}

struct basis {
    double *e[2], *y;           /* directions; room for a row */
    int rank;
};

/* The row among the first `count` that is farthest from the line of e[0]; its distance, as
 * 1 - |cosine|. */
static double farthest(struct basis *b, const struct se_sim_job *job, uint64_t count,
                       uint64_t *which)
{
    double most = -1;

    for (uint64_t i = 0; i < count; i++) {
        unit_row(job->rows, job->row[i], b->y);
        const double far = 1 - fabs(dot(b->e[0], b->y, job->rows->d));

        if (far > most) {
            most = far;
            *which = i;
        }
    }
    return most;
}

static bool in_plane(struct basis *b, const struct se_sim_job *job, uint64_t count)
{
    const uint64_t d = job->rows->d;

    for (uint64_t i = 0; i < count; i++) {
        unit_row(job->rows, job->row[i], b->y);
        const double p = dot(b->e[0], b->y, d), q = dot(b->e[1], b->y, d);

        if (1 - p * p - q * q > plane_error)
            return false;
    }
    return true;
}

/* Is the rank of the first `count` rows 1, 2 or more?  Fills the basis for 1 and 2. */
static int rank_of(struct basis *b, const struct se_sim_job *job, uint64_t count)
{
    const uint64_t d = job->rows->d;
    uint64_t i = 0;
    double part, length;

    unit_row(job->rows, job->row[0], b->e[0]);
    if (farthest(b, job, count, &i) <= line_error)
        return 1;
    unit_row(job->rows, job->row[i], b->e[1]);
    for (int twice = 0; twice < 2; twice++) {   /* Gram-Schmidt, once more for the digits */
        part = dot(b->e[0], b->e[1], d);
        for (uint64_t t = 0; t < d; t++)
            b->e[1][t] -= part * b->e[0][t];
        length = sqrt(dot(b->e[1], b->e[1], d));
        for (uint64_t t = 0; t < d; t++)
            b->e[1][t] /= length;
    }
    return in_plane(b, job, count) ? 2 : 3;
}

int se_sim_flat_make(struct se_sim_flat *f, const struct se_sim_job *job, struct se_err *err)
{
    const uint64_t d = job->rows->d;
    struct basis b = { { NULL, NULL }, NULL, 3 };

    f->rank = 3;
    if (!job->rows->x.dense && d > 4096)        /* not worth a dense row */
        return 0;
    b.y = se_alloc(3 * d, sizeof *b.y, err);
    if (!b.y)
        return -1;
    b.e[0] = b.y + d;
    b.e[1] = b.y + 2 * d;
    if (rank_of(&b, job, job->m < SAMPLE ? job->m : SAMPLE) < 3)        /* mostly not */
        f->rank = rank_of(&b, job, job->m);
    if (f->rank < 3) {
        f->angle = se_alloc(job->m, sizeof *f->angle, err);
        for (uint64_t i = 0; f->angle && i < job->m; i++) {
            unit_row(job->rows, job->row[i], b.y);
            const double p = dot(b.e[0], b.y, d);

            f->angle[i] = atan2(f->rank == 1 ? 0 : dot(b.e[1], b.y, d), p);
        }
    }
    free(b.y);
    return f->rank == 3 || f->angle ? 0 : -1;
}

/* --- one dimension --- */

/* The lowest vertices on the side of `mine`, itself apart, then those on the other side. */
static void line_row(struct se_sim_job *job, uint32_t *const side[2], const uint64_t count[2],
                     uint64_t q, int own)
{
    uint32_t *id = job->id + q * job->k;
    float *similarity = job->similarity + q * job->k;
    uint64_t have = 0;

    for (int pass = 0; pass < 2; pass++)
        for (uint64_t i = 0; i < count[own ^ pass] && have < job->k; i++)
            if (side[own ^ pass][i] != job->query[q]) {
                similarity[have] = pass ? -1 : 1;
                id[have++] = side[own ^ pass][i];
            }
}

int se_sim_line(struct se_sim_job *job, const struct se_sim_flat *f, struct se_err *err)
{
    uint32_t *memory = se_alloc(2 * job->m, sizeof *memory, err);
    uint32_t *side[2];
    uint64_t count[2] = { 0, 0 };

    if (!memory)
        return -1;
    side[0] = memory;
    side[1] = memory + job->m;
    for (uint64_t i = 0; i < job->m; i++) {
        const int s = f->angle[i] != 0;

        side[s][count[s]++] = job->row[i];
    }
    for (uint64_t i = 0, q = 0; i < job->m && q < job->q; i++)
        if (job->query[q] == job->row[i])
            line_row(job, side, count, q++, f->angle[i] != 0);
    free(memory);
    return 0;
}

/* --- two dimensions --- */

struct turn {
    double angle;
    uint32_t row;               /* index into the rows of the job; ordered as the vertices */
};

struct circle {
    struct se_sim_job *job;
    struct turn *at;            /* m, by angle */
    struct se_sim_rows sorted;  /* dense rows in that order: neighbours in memory too */
    uint32_t *place;            /* q: where each query is in it */
    uint32_t *least[2];         /* the least row of each SMALL and LARGE run of places */
    float *rows_memory;         /* what sorted.x points to */
    uint64_t *key;              /* per thread: k */
    struct se_sim_query *query; /* per thread */
};

/* The two ways around from a query, and the best rows so far. */
struct walk {
    uint64_t from, steps[2];    /* place of the query; steps taken up and down */
    float next[2];              /* S of the next row; 2: not known */
    bool ended[2];
    uint64_t *key, have;        /* ascending */
};

/* The place `steps` steps from the query; up to m of them. */
static inline uint64_t place_after(const struct circle *c, const struct walk *w, int way,
                                   uint64_t steps)
{
    const uint64_t m = c->job->m, p = way ? w->from + m - steps : w->from + steps;

    return p < m ? p : p - m;
}

/* What a query must be asked for to get the row at a place. */
static inline uint64_t name_of(const struct circle *c, uint64_t place)
{
    return c->sorted.scale ? place : c->job->row[c->at[place].row];
}

static void insert(struct walk *w, uint64_t k, uint64_t key)
{
    uint64_t i = w->have;

    if (i == k && key >= w->key[k - 1])
        return;
    if (i < k)
        w->have++;
    else
        i--;
    for (; i > 0 && w->key[i - 1] > key; i--)
        w->key[i] = w->key[i - 1];
    w->key[i] = key;
}

/* The k best have S = 1, so only rows before the k-th can still win: pass over the others,
 * by whole runs where a run has none. */
static void skip(const struct circle *c, struct walk *w, int way, uint32_t kth)
{
    const uint64_t m = c->job->m;

    while (w->steps[0] + w->steps[1] < m - 1) {
        const uint64_t p = place_after(c, w, way, w->steps[way] + 1);
        uint64_t jump = 1;

        if (c->at[p].row < kth)
            return;
        for (int size = 0; size < 2; size++) {
            const uint64_t run = size ? LARGE : SMALL, first = p / run * run;

            if (c->least[size][p / run] < kth)
                break;
            jump = way ? p - first + 1 : (first + run < m ? first + run : m) - p;
        }
        w->steps[way] += jump;
        w->next[way] = 2;
    }
}

/* Can the next row this way be among the k best?  Sets its S. */
static bool look(const struct circle *c, struct walk *w, int way,
                 const struct se_sim_query *query)
{
    const bool full = w->have == c->job->k;
    const uint64_t worst = full ? w->key[w->have - 1] : 0;

    if (w->ended[way])
        return false;
    if (full && se_sim_key_similarity(worst) == 1)
        skip(c, w, way, se_sim_key_id(worst));
    if (w->steps[0] + w->steps[1] >= c->job->m - 1)
        return false;
    if (w->next[way] == 2)
        w->next[way] = se_sim_query_with(query, name_of(c, place_after(c, w, way,
                                                                      w->steps[way] + 1)));
    /* S falls up to the far side of the circle, and the other way comes to what is beyond */
    w->ended[way] = full && w->next[way] < se_sim_key_similarity(worst) - circle_slack;
    return !w->ended[way];
}

static void circle_row(const struct circle *c, uint64_t q, uint64_t *key,
                       struct se_sim_query *query)
{
    const uint64_t k = c->job->k;
    struct walk w = { c->place[q], { 0, 0 }, { 2, 2 }, { false, false }, key, 0 };

    se_sim_query_set(query, name_of(c, w.from));
    for (;;) {
        const bool up = look(c, &w, 0, query), down = look(c, &w, 1, query);
        const int way = !up || (down && w.next[1] > w.next[0]);

        if (!up && !down)
            break;
        w.steps[way]++;
        insert(&w, k, se_sim_key(w.next[way],
                                 c->at[place_after(c, &w, way, w.steps[way])].row));
        w.next[way] = 2;
    }
    for (uint64_t i = 0; i < k; i++) {
        c->job->id[q * k + i] = c->job->row[se_sim_key_id(key[i])];
        c->job->similarity[q * k + i] = se_sim_key_similarity(key[i]);
    }
}

static void circle_task(void *arg, uint64_t task, int thread)
{
    struct circle *c = arg;
    const uint64_t first = task * QUERIES_PER_TASK;
    const uint64_t last = first + QUERIES_PER_TASK < c->job->q ? first + QUERIES_PER_TASK
                                                               : c->job->q;

    for (uint64_t q = first; q < last; q++)
        circle_row(c, q, c->key + (uint64_t)thread * c->job->k, &c->query[thread]);
    se_sim_progress(c->job, last - first);
}

static int by_angle(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;

    if (x->angle != y->angle)
        return x->angle < y->angle ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Sort the rows, and note where the queries are and the least row of each run. */
static int circle_sort(struct circle *c, const double *angle, struct se_err *err)
{
    const struct se_sim_job *job = c->job;
    uint32_t *place = se_alloc(job->m, sizeof *place, err);

    if (!place)
        return -1;
    for (uint64_t i = 0; i < job->m; i++)
        c->at[i] = (struct turn){ angle[i], (uint32_t)i };
    qsort(c->at, job->m, sizeof *c->at, by_angle);
    for (uint64_t p = 0; p < job->m; p++)
        for (int size = 0; size < 2; size++) {
            uint32_t *least = &c->least[size][p / (size ? LARGE : SMALL)];

            if (p % (size ? LARGE : SMALL) == 0 || c->at[p].row < *least)
                *least = c->at[p].row;
        }
    for (uint64_t p = 0; p < job->m; p++)
        place[c->at[p].row] = (uint32_t)p;
    for (uint64_t i = 0, q = 0; i < job->m && q < job->q; i++)
        if (job->query[q] == job->row[i])
            c->place[q++] = place[i];
    free(place);
    return 0;
}

static int copy_rows(struct circle *c, struct se_err *err)
{
    const struct se_sim_job *job = c->job;
    const uint64_t d = job->rows->d;
    float *x;

    if (!job->rows->x.dense)
        return 0;
    c->sorted.n = job->m;
    c->sorted.d = d;
    c->sorted.metric = job->rows->metric;
    c->sorted.scale = se_alloc(job->m, sizeof *c->sorted.scale, err);
    x = c->sorted.scale ? se_alloc(job->m * d, sizeof *x, err) : NULL;
    c->sorted.x.dense = x;
    for (uint64_t p = 0; x && p < job->m; p++) {
        const uint32_t v = job->row[c->at[p].row];

        memcpy(x + p * d, job->rows->x.dense + v * d, d * sizeof *x);
        c->sorted.scale[p] = job->rows->scale[v];
    }
    c->rows_memory = x;
    return x ? 0 : -1;
}

int se_sim_circle(struct se_sim_job *job, const struct se_sim_flat *f, struct se_err *err)
{
    struct circle c = { .job = job };
    int rc = -1;

    c.at = se_alloc(job->m, sizeof *c.at, err);
    c.place = c.at ? se_alloc(job->q, sizeof *c.place, err) : NULL;
    c.least[0] = c.place ? se_alloc(job->m / SMALL + 1, sizeof **c.least, err) : NULL;
    c.least[1] = c.least[0] ? se_alloc(job->m / LARGE + 1, sizeof **c.least, err) : NULL;
    c.key = c.least[1] ? se_alloc((uint64_t)job->threads * job->k, sizeof *c.key, err) : NULL;
    if (c.key && circle_sort(&c, f->angle, err) == 0 && copy_rows(&c, err) == 0)
        c.query = se_sim_queries(c.sorted.scale ? &c.sorted : job->rows, job->threads, err);
    if (c.query) {
        se_parallel(job->threads, (job->q + QUERIES_PER_TASK - 1) / QUERIES_PER_TASK,
                    circle_task, &c);
        rc = 0;
    }
    se_sim_queries_free(c.query, job->threads);
    se_sim_rows_release(&c.sorted);
    free(c.rows_memory);
    free(c.key);
    free(c.least[1]);
    free(c.least[0]);
    free(c.place);
    free(c.at);
    return rc;
}
