/* diffuse.c - the diffusion of a graph */
#include "common/graph/diffuse.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/graph/adjacency.h"
#include "common/graph/builder.h"

enum { COLUMNS = 16, BINS = 1 << 20, MOST_TERMS = 100000 };

struct entry {
    uint32_t row;
    float value;
};

/* What stays of the columns of a task */
struct kept {
    struct entry *entry;
    size_t cap;
    uint64_t count;
    uint64_t last[COLUMNS];     /* end of each column */
};

/* Scratch memory of a thread; the arrays of n numbers are 0 between columns. */
struct room {
    double *sum, *now, *next;   /* the column of S; residual or term k; term k + 1 */
    uint8_t *queued;
    uint32_t *list, *other;     /* vertices: the queue, or those of a term */
    uint32_t *met;              /* vertices whose sum is not 0 */
    uint64_t mets;
    struct entry *column;
    uint64_t *bin;              /* of the values, by their leading bits */
    struct se_err err;
    bool failed;
};

struct diffusion {
    const struct se_diffuse_options *how;
    struct se_adjacency a;
    double *root;               /* sqrt(D) */
    double *t;                  /* of each arc its entry of T */
    struct room *room;
    struct kept *kept;          /* per task */
    uint64_t done;              /* columns in passes before this one */
    _Atomic uint64_t columns;
    bool counting;              /* first pass of --degree: fill bins only */
    double eps;
};

/* T of arc i of u; behind the arcs of a vertex comes its loop. */
static double step(const struct diffusion *d, uint32_t u, uint64_t i, bool loop)
{
    return loop ? 1 / (d->root[u] * d->root[u]) : d->t[i];
}

/* x is 0 or more. */
static void add(struct room *r, uint32_t v, double x)
{
    if (x > 0 && r->sum[v] == 0)
        r->met[r->mets++] = v;
    r->sum[v] += x;
}

/* ---- personalised PageRank: push (Andersen, Chung, Lang) ----
 *
 * S e_v = sum + S residual at all times.  S sqrt(D) = sqrt(D), so that residuals of at most
 * tolerance * sqrt(D) leave an error of at most that. */
static void pagerank(const struct diffusion *d, struct room *r, uint32_t v)
{
    const struct se_adjacency *a = &d->a;
    const double back = d->how->rate, tolerance = d->how->tolerance;
    uint64_t head = 0, count = 1;               /* the queue is a ring of n */

    r->now[v] = 1;
    r->list[0] = v;
    r->queued[v] = 1;
    for (; count > 0; count--) {
        const uint32_t u = r->list[head];
        const double x = r->now[u], on = (1 - back) * x;

        head = head + 1 < a->n ? head + 1 : 0;
        r->queued[u] = 0;
        add(r, u, back * x);
        r->now[u] = 0;
        for (uint64_t i = a->off[u]; i <= a->off[u + 1]; i++) {         /* the last: the loop */
            const bool loop = i == a->off[u + 1];
            const uint32_t w = loop ? u : a->to[i];

            r->now[w] += on * step(d, u, i, loop);
            if (!r->queued[w] && r->now[w] > tolerance * d->root[w]) {
                const uint64_t at = head + count - 1;

                r->queued[w] = 1;
                r->list[at < a->n ? at : at - a->n] = w;
                count++;
            }
        }
    }
}

/* Residuals stay where pushes went: at the vertices met and next to them. */
static void clear_pagerank(const struct diffusion *d, struct room *r)
{
    const struct se_adjacency *a = &d->a;

    for (uint64_t i = 0; i < r->mets; i++) {
        const uint32_t u = r->met[i];

        r->now[u] = 0;
        for (uint64_t j = a->off[u]; j < a->off[u + 1]; j++)
            r->now[a->to[j]] = 0;
    }
}

/* ---- heat kernel: the series, term by term ----
 *
 * An entry of term k of at most tolerance / terms * sqrt(D) is dropped; by the same argument all
 * terms together leave an error of at most tolerance * sqrt(D). */
static uint64_t heat_terms(double t, double tolerance)
{
    double term = exp(-t), left = 1 - term;
    uint64_t k = 0;

    while (k < MOST_TERMS && (left > tolerance / 2 || (double)k < t)) {
        k++;
        term *= t / (double)k;
        left -= term;
    }
    return k + 1;
}

static uint64_t heat_step(const struct diffusion *d, struct room *r, uint64_t count)
{
    const struct se_adjacency *a = &d->a;
    uint64_t to = 0;

    for (uint64_t j = 0; j < count; j++) {
        const uint32_t u = r->list[j];
        const double part = r->now[u];

        r->now[u] = 0;
        for (uint64_t i = a->off[u]; i <= a->off[u + 1]; i++) {
            const bool loop = i == a->off[u + 1];
            const uint32_t w = loop ? u : a->to[i];
            const double x = part * step(d, u, i, loop);

            if (x > 0 && r->next[w] == 0)
                r->other[to++] = w;
            r->next[w] += x;
        }
    }
    return to;
}

static void heat(const struct diffusion *d, struct room *r, uint32_t v)
{
    const double t = d->how->rate;
    const uint64_t terms = heat_terms(t, d->how->tolerance);
    const double least = d->how->tolerance / 2 / (double)terms;
    double factor = exp(-t), tail = 1;          /* of term k; all from k on */
    uint64_t count = 1;

    r->now[v] = 1;
    r->list[0] = v;
    for (uint64_t k = 0; k < terms && count > 0; k++) {
        double *swap = r->next;
        uint32_t *spare = r->other;
        uint64_t stay = 0;

        for (uint64_t i = 0; i < count; i++) {
            const uint32_t u = r->list[i];

            if (r->now[u] * tail > least * d->root[u]) {
                add(r, u, factor * r->now[u]);
                r->list[stay++] = u;
            } else {
                r->now[u] = 0;
            }
        }
        count = heat_step(d, r, stay);
        r->next = r->now;
        r->now = swap;
        r->other = r->list;
        r->list = spare;
        tail = fmax(tail - factor, 0);
        factor *= t / (double)(k + 1);
    }
    for (uint64_t i = 0; i < count; i++)
        r->now[r->list[i]] = 0;
}

/* ---- what stays of a column ---- */

/* Is a the better one to keep? */
static bool better(struct entry a, struct entry b)
{
    return a.value > b.value || (a.value == b.value && a.row < b.row);
}

/* Move the entry at i of a heap, whose worst is first, down to its place. */
static void sift(struct entry *heap, uint64_t count, uint64_t i)
{
    for (uint64_t c; (c = 2 * i + 1) < count; i = c) {
        const struct entry x = heap[i];

        if (c + 1 < count && better(heap[c], heap[c + 1]))
            c++;
        if (!better(x, heap[c]))
            break;
        heap[i] = heap[c];
        heap[c] = x;
    }
}

/* Bring the `keep` best of `count` entries, which are more, to the front. */
static void select_best(struct entry *x, uint64_t count, uint64_t keep)
{
    for (uint64_t i = keep; i-- > 0;)
        sift(x, keep, i);
    for (uint64_t i = keep; i < count; i++)
        if (better(x[i], x[0])) {
            x[0] = x[i];
            sift(x, keep, 0);
        }
}

static int by_row(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return (x->row > y->row) - (x->row < y->row);
}

/* Values are positive, so their bits are in their order. */
static uint32_t bin_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits >> 12;
}

static uint64_t sparsify(const struct diffusion *d, struct room *r, uint32_t v)
{
    uint64_t count = 0;
    double sum = 0;

    for (uint64_t i = 0; i < r->mets; i++) {
        const struct entry x = { r->met[i], (float)r->sum[r->met[i]] };

        r->sum[x.row] = 0;
        if (d->counting && x.row != v)
            r->bin[bin_of(x.value)]++;
        else if (!d->counting && x.value > 0 && (d->how->top > 0 || x.value >= d->eps))
            r->column[count++] = x;
    }
    r->mets = 0;
    if (d->how->top > 0 && count > d->how->top) {
        select_best(r->column, count, d->how->top);
        count = d->how->top;
    }
    qsort(r->column, count, sizeof *r->column, by_row);
    for (uint64_t i = 0; i < count; i++)
        sum += r->column[i].value;
    for (uint64_t i = 0; i < count; i++)
        r->column[i].value = (float)(r->column[i].value / sum);
    return count;
}

static void diffuse_columns(void *arg, uint64_t task, int thread)
{
    struct diffusion *d = arg;
    struct room *r = &d->room[thread];
    struct kept *k = &d->kept[task];
    const uint64_t n = d->a.n, from = task * COLUMNS;
    const uint64_t to = n - from < COLUMNS ? n : from + COLUMNS;

    for (uint64_t v = from; v < to && !r->failed; v++) {
        uint64_t count;

        if (d->how->kernel == SE_KERNEL_PPR) {
            pagerank(d, r, (uint32_t)v);
            clear_pagerank(d, r);
        } else {
            heat(d, r, (uint32_t)v);
        }
        count = sparsify(d, r, (uint32_t)v);
        if (count > 0 && se_grow(&k->entry, &k->cap, k->count + count, sizeof *k->entry,
                                 &r->err) < 0) {
            r->failed = true;
            return;
        }
        if (count > 0)
            memcpy(k->entry + k->count, r->column, count * sizeof *r->column);
        k->count += count;
        k->last[v - from] = k->count;
    }
    se_progress_at(d->how->progress,
                   d->done + atomic_fetch_add(&d->columns, to - from) + (to - from));
}

/* ---- all columns ---- */

static int make_rooms(struct diffusion *d, struct se_err *err)
{
    const uint64_t n = d->a.n;

    d->room = se_zalloc((uint64_t)d->how->threads, sizeof *d->room, err);
    for (int i = 0; d->room && i < d->how->threads; i++) {
        struct room *r = &d->room[i];

        r->sum = se_zalloc(n, sizeof *r->sum, err);
        r->now = r->sum ? se_zalloc(n, sizeof *r->now, err) : NULL;
        r->next = r->now ? se_zalloc(n, sizeof *r->next, err) : NULL;
        r->queued = r->next ? se_zalloc(n, sizeof *r->queued, err) : NULL;
        r->list = r->queued ? se_alloc(n, sizeof *r->list, err) : NULL;
        r->other = r->list ? se_alloc(n, sizeof *r->other, err) : NULL;
        r->met = r->other ? se_alloc(n, sizeof *r->met, err) : NULL;
        r->column = r->met ? se_alloc(n, sizeof *r->column, err) : NULL;
        r->bin = r->column ? se_zalloc(d->counting ? BINS : 1, sizeof *r->bin, err) : NULL;
        if (!r->bin)
            return -1;
    }
    return d->room ? 0 : -1;
}

static void release(struct diffusion *d, uint64_t tasks)
{
    for (int i = 0; d->room && i < d->how->threads; i++) {
        struct room *r = &d->room[i];

        free(r->sum);
        free(r->now);
        free(r->next);
        free(r->queued);
        free(r->list);
        free(r->other);
        free(r->met);
        free(r->column);
        free(r->bin);
    }
    for (uint64_t i = 0; d->kept && i < tasks; i++)
        free(d->kept[i].entry);
    free(d->room);
    free(d->kept);
    free(d->root);
    free(d->t);
    se_adjacency_release(&d->a);
}

/* The least eps, a border of bins, that leaves at most the wanted number of entries. */
static void choose_eps(struct diffusion *d)
{
    const double want = d->how->degree * (double)d->a.n;
    uint32_t bin = BINS, bits;
    double have = 0;
    float eps;

    while (bin > 1) {
        double more = 0;

        for (int i = 0; i < d->how->threads; i++)
            more += (double)d->room[i].bin[bin - 1];
        if (have + more > want)
            break;
        have += more;
        bin--;
    }
    bits = bin << 12;
    memcpy(&eps, &bits, sizeof eps);
    d->eps = bin >= 0x7f800 ? INFINITY : eps;
}

static int pass(struct diffusion *d, uint64_t tasks, struct se_err *err)
{
    atomic_store(&d->columns, 0);
    se_parallel(d->how->threads, tasks, diffuse_columns, d);
    d->done += d->a.n;
    for (int i = 0; i < d->how->threads; i++)
        if (d->room[i].failed) {
            *err = d->room[i].err;
            return -1;
        }
    return 0;
}

/* Half of each entry from either side; what the columns say of the diagonal. */
static int put(const struct diffusion *d, uint64_t tasks, struct se_stream *s,
               struct se_err *err)
{
    struct se_builder b = { .n = d->a.n, .weighted = true };
    struct se_built built;
    int rc = 0;

    for (uint64_t t = 0; rc == 0 && t < tasks; t++) {
        struct kept *k = &d->kept[t];
        uint64_t i = 0;

        for (uint64_t c = 0; c < COLUMNS && t * COLUMNS + c < d->a.n; c++)
            for (const uint32_t v = (uint32_t)(t * COLUMNS + c); rc == 0 && i < k->last[c]; i++) {
                const struct entry *e = &k->entry[i];

                rc = se_builder_add(&b, e->row, v, e->row == v ? e->value : e->value / 2, err);
            }
        free(k->entry);
        k->entry = NULL;
    }
    if (rc == 0)
        rc = se_builder_put(&b, s, SE_GRAPH, SE_MERGE_SUM, true, &built, err);
    se_builder_release(&b);
    return rc;
}

uint64_t se_diffuse_steps(const struct se_graph *g, const struct se_diffuse_options *how)
{
    return g->n * (how->top == 0 && how->eps == 0 ? 2 : 1);
}

static int make_steps(struct diffusion *d, const struct se_graph *g, struct se_err *err)
{
    const struct se_adjacency *a = &d->a;

    d->root = se_alloc(a->n, sizeof *d->root, err);
    d->t = d->root ? se_alloc(a->arcs, sizeof *d->t, err) : NULL;
    if (!d->t)
        return -1;
    se_degrees(g, false, d->root);
    for (uint64_t v = 0; v < a->n; v++)
        d->root[v] = sqrt(1 + d->root[v]);
    for (uint64_t v = 0; v < a->n; v++)
        for (uint64_t i = a->off[v]; i < a->off[v + 1]; i++)
            d->t[i] = (a->weight ? a->weight[i] : 1) / (d->root[v] * d->root[a->to[i]]);
    return 0;
}

int se_diffuse(const struct se_graph *g, const struct se_diffuse_options *how,
               struct se_stream *s, struct se_diffused *done, struct se_err *err)
{
    struct diffusion d = { .how = how, .a = SE_ADJACENCY_INIT, .eps = how->eps,
                           .counting = how->top == 0 && how->eps == 0 };
    const uint64_t n = g->n, tasks = (n + COLUMNS - 1) / COLUMNS;
    int rc = -1;

    if (se_adjacency_make(&d.a, g, err) == 0 && make_rooms(&d, err) == 0 &&
        make_steps(&d, g, err) == 0 && (d.kept = se_zalloc(tasks, sizeof *d.kept, err))) {
        rc = d.counting ? pass(&d, tasks, err) : 0;
        if (rc == 0 && d.counting) {
            choose_eps(&d);
            d.counting = false;
        }
        if (rc == 0)
            rc = pass(&d, tasks, err);
        if (rc == 0)
            rc = put(&d, tasks, s, err);
        done->eps = d.eps;
    }
    release(&d, tasks);
    if (rc == 0) {
        struct se_graph new;

        rc = se_graph_get(&new, s, SE_GRAPH, err);
        done->edges = rc == 0 ? new.m : 0;
    }
    return rc;
}
