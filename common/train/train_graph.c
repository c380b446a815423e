/* train_graph.c - the graph and the features as training wants them */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/train/peers.h"

void se_nngraph_release(struct se_nngraph *x)
{
    free(x->off);
    free(x->to);
    free(x->back);
    free(x->weight);
    free(x->norm);
    free(x->mean);
    free(x->apart);
    free(x->root);
    se_links_release(x->links);
    memset(x, 0, sizeof *x);
}

int se_nngraph_room(struct se_nngraph *x, uint64_t n, uint64_t arcs, struct se_err *err)
{
    memset(x, 0, sizeof *x);
    x->n = n;
    x->arcs = arcs;
    return (x->off = se_zalloc(n + 1, sizeof *x->off, err)) &&
           (x->to = se_alloc(arcs, sizeof *x->to, err)) &&
           (x->back = se_alloc(arcs, sizeof *x->back, err)) &&
           (x->weight = se_alloc(arcs, sizeof *x->weight, err)) &&
           (x->norm = se_alloc(arcs, sizeof *x->norm, err)) &&
           (x->mean = se_alloc(arcs, sizeof *x->mean, err)) &&
           (x->apart = se_alloc(arcs, sizeof *x->apart, err)) &&
           (x->root = se_alloc(n, sizeof *x->root, err)) ? 0 : -1;
}

/* Both directions and a loop at every vertex, in ascending order of the other end */
static void fill_arcs(struct se_nngraph *x, const struct se_adjacency *a, bool weights,
                      enum se_loops loops)
{
    for (uint64_t v = 0, at = 0; v < a->n; v++) {
        bool loop = false;

        for (uint64_t e = a->off[v]; e <= a->off[v + 1]; e++) {
            if (!loop && (e == a->off[v + 1] || a->to[e] > v)) {
                loop = true;
                x->weight[at] = loops == SE_LOOPS_ONE;
                x->to[at++] = (uint32_t)v;
            }
            if (e == a->off[v + 1])
                break;
            x->weight[at] = weights && a->weight ? (se_real)a->weight[e] : 1;
            x->to[at++] = a->to[e];
        }
        x->off[v + 1] = at;
    }
}

/* Weights of the loops that the graph has */
static void fill_loops(struct se_nngraph *x, const struct se_graph *g, bool weights)
{
    for (uint64_t i = 0; i < g->loops; i++) {
        uint64_t e = x->off[g->loop[i]];

        while (x->to[e] != g->loop[i])
            e++;
        x->weight[e] = weights && g->loop_weight ? (se_real)g->loop_weight[i] : 1;
    }
}

/* Arcs into u come in the order of their ends, which is the order of the arcs out of u. */
static void find_back(struct se_nngraph *x, uint64_t *next)
{
    memcpy(next, x->off, x->n * sizeof *next);
    for (uint64_t v = 0; v < x->n; v++)
        for (uint64_t e = x->off[v]; e < x->off[v + 1]; e++)
            x->back[next[x->to[e]]++] = (uint32_t)e;
}

/* The degree of v without its loop */
static double degree_apart(const struct se_nngraph *x, uint64_t v)
{
    double sum = 0;

    for (uint64_t e = x->off[v]; e < x->off[v + 1]; e++)
        sum += x->to[e] == v ? 0 : (double)x->weight[e];
    return sum;
}

static double loop_of(const struct se_nngraph *x, uint64_t v)
{
    for (uint64_t e = x->off[v]; e < x->off[v + 1]; e++)
        if (x->to[e] == v)
            return (double)x->weight[e];
    return 0;
}

static void root_range(void *arg, uint64_t from, uint64_t to)
{
    struct se_nngraph *x = arg;

    for (uint64_t v = from; v < to; v++) {
        const double degree = loop_of(x, v) + degree_apart(x, v);

        x->root[v] = degree > 0 ? 1 / sqrt(degree) : 0;
    }
}

/* From weights to shares, once all roots are known */
static void share_range(void *arg, uint64_t from, uint64_t to)
{
    struct se_nngraph *x = arg;

    for (uint64_t v = from; v < to; v++) {
        const double apart = degree_apart(x, v), others = apart > 0 ? 1 / apart : 0;
        const double degree = loop_of(x, v) + apart;

        for (uint64_t e = x->off[v]; e < x->off[v + 1]; e++) {
            const double w = (double)x->weight[e];

            x->norm[e] = (se_real)(w * (x->root[v] * x->root[x->to[e]]));
            x->mean[e] = (se_real)(degree > 0 ? w / degree : 0);
            x->apart[e] = x->to[e] == v ? 0 : (se_real)(w * others);
        }
    }
}

void se_nngraph_weigh(struct se_nngraph *x, int threads)
{
    const uint64_t cost = 4 * (x->arcs / (x->n + 1) + 1);

    se_ranges(threads, x->n, cost, root_range, x);
    se_ranges(threads, x->n, cost, share_range, x);
}

void se_nngraph_finish(struct se_nngraph *x, uint64_t *next, int threads)
{
    find_back(x, next);
    se_nngraph_weigh(x, threads);
}

/* ---- from the gradient of norm to that of the weights ----
 *
 * norm_uv = w_uv r_u r_v, r = d^-1/2, d_u = sum of w.  With g the gradient of norm and
 * s_u = sum over x of (g_ux + g_xu) norm_ux, that of w_uv is (g_uv + g_vu) r_u r_v + D_u + D_v,
 * D_u = -s_u / (2 d_u): the last two by way of the degrees. */

struct backing {
    const struct se_nngraph *g;
    const se_real *dnorm;
    double *sum;                /* D */
    se_real *dweight;
};

static void degree_range(void *arg, uint64_t from, uint64_t to)
{
    const struct backing *b = arg;
    const struct se_nngraph *g = b->g;

    for (uint64_t v = from; v < to; v++) {
        double s = 0;

        for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++)
            s += ((double)b->dnorm[e] + (double)b->dnorm[g->back[e]]) * (double)g->norm[e];
        b->sum[v] = -s * g->root[v] * g->root[v] / 2;
    }
}

static void weight_range(void *arg, uint64_t from, uint64_t to)
{
    const struct backing *b = arg;
    const struct se_nngraph *g = b->g;

    for (uint64_t v = from; v < to; v++)
        for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++) {
            const uint32_t u = g->to[e];
            const double both = u == v ? (double)b->dnorm[e]
                                       : (double)b->dnorm[e] + (double)b->dnorm[g->back[e]];

            b->dweight[e] = (se_real)(both * g->root[v] * g->root[u] + b->sum[v] +
                                      (u == v ? 0 : b->sum[u]));
        }
}

void se_nngraph_back(const struct se_nngraph *x, const se_real *dnorm, int threads, double *sum,
                     se_real *dweight)
{
    struct backing b = { x, dnorm, sum, dweight };
    const uint64_t cost = 6 * (x->arcs / (x->n + 1) + 1);

    se_ranges(threads, x->n, cost, degree_range, &b);
    se_ranges(threads, x->n, cost, weight_range, &b);
}

int se_nngraph_make(struct se_nngraph *x, const struct se_graph *g, bool weights,
                    enum se_loops loops, struct se_err *err)
{
    struct se_adjacency a = SE_ADJACENCY_INIT;
    uint64_t *next = NULL;
    int rc = -1;

    memset(x, 0, sizeof *x);
    if (2 * g->m + g->n > UINT32_MAX)
        return se_fail(err, SE_EINPUT, "the graph has too many edges to train on (2^31)");
    if (se_adjacency_make(&a, g, err) == 0 && se_nngraph_room(x, a.n, a.arcs + a.n, err) == 0 &&
        (next = se_alloc(x->n, sizeof *next, err))) {
        fill_arcs(x, &a, weights, loops);
        if (loops == SE_LOOPS_GIVEN)
            fill_loops(x, g, weights);
        find_back(x, next);
        root_range(x, 0, x->n);
        share_range(x, 0, x->n);
        rc = 0;
    }
    free(next);
    se_adjacency_release(&a);
    return rc;
}

/* ---- pairs at distance two ---- */

/* The vertices at distance two of v, into `to` unless it is NULL; seen: per vertex the last one
 * that it was met from, plus 1 */
static uint64_t two_away(const struct se_nngraph *g, uint32_t v, uint32_t *seen, uint32_t *to)
{
    uint64_t count = 0;

    seen[v] = v + 1;
    for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++)
        seen[g->to[e]] = v + 1;
    for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++) {
        const uint32_t u = g->to[e];

        for (uint64_t f = g->off[u]; f < g->off[u + 1]; f++)
            if (seen[g->to[f]] != v + 1) {
                seen[g->to[f]] = v + 1;
                if (to)
                    to[count] = g->to[f];
                count++;
            }
    }
    return count;
}

int se_by_id(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void fill_two(struct se_nngraph *x, const struct se_nngraph *from, uint32_t *seen,
                     enum se_loops loops)
{
    memset(seen, 0, from->n * sizeof *seen);
    for (uint64_t v = 0; v < from->n; v++) {
        uint32_t *to = x->to + x->off[v];
        const uint64_t count = two_away(from, (uint32_t)v, seen, to);

        to[count] = (uint32_t)v;                /* the loop */
        qsort(to, count + 1, sizeof *to, se_by_id);
        for (uint64_t i = 0; i <= count; i++)
            x->weight[x->off[v] + i] = to[i] != v || loops == SE_LOOPS_ONE;
    }
}

int se_nngraph_two_hops(struct se_nngraph *x, const struct se_nngraph *from, enum se_loops loops,
                        struct se_err *err)
{
    uint32_t *seen = se_zalloc(from->n, sizeof *seen, err);
    uint64_t *off = seen ? se_zalloc(from->n + 1, sizeof *off, err) : NULL;
    int rc = -1;

    memset(x, 0, sizeof *x);
    for (uint64_t v = 0; off && v < from->n; v++)
        off[v + 1] = off[v] + 1 + two_away(from, (uint32_t)v, seen, NULL);
    if (off && off[from->n] > UINT32_MAX)
        se_fail(err, SE_EINPUT, "%" PRIu64 " pairs at distance two are too many to train on (2^31)",
                off[from->n] / 2);
    else if (off && se_nngraph_room(x, from->n, off[from->n], err) == 0) {
        memcpy(x->off, off, (from->n + 1) * sizeof *off);
        fill_two(x, from, seen, loops);
        find_back(x, off);
        root_range(x, 0, x->n);
        share_range(x, 0, x->n);
        rc = 0;
    }
    free(seen);
    free(off);
    return rc;
}

/* ---- a graph that loses edges ---- */

static bool stays(const struct se_thinning *t, uint64_t v, uint64_t e)
{
    const uint32_t u = t->to[e];

    return u == v || t->keep[u > v ? e : t->back[e]];
}

static struct se_nngraph left_of(const struct se_thinning *t)
{
    return (struct se_nngraph){ .n = t->n, .off = t->left_off, .to = t->left_to,
                                .back = t->left_back, .weight = t->left_weight,
                                .norm = t->left_norm, .mean = t->left_mean,
                                .apart = t->left_apart, .root = t->left_root };
}

static void count_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_thinning *t = arg;

    for (uint64_t v = from; v < to; v++) {
        t->left_off[v + 1] = 0;
        for (uint64_t e = t->off[v]; e < t->off[v + 1]; e++)
            t->left_off[v + 1] += stays(t, v, e);
    }
}

static void move_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_thinning *t = arg;
    struct se_nngraph left = left_of(t);

    for (uint64_t v = from; v < to; v++)
        for (uint64_t e = t->off[v], at = t->left_off[v]; e < t->off[v + 1]; e++)
            if (stays(t, v, e)) {
                t->place[e] = (uint32_t)at;
                t->left_to[at] = t->to[e];
                t->left_weight[at++] = t->weight[e];
            }
    root_range(&left, from, to);
}

static void join_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_thinning *t = arg;
    struct se_nngraph left = left_of(t);

    for (uint64_t v = from; v < to; v++)
        for (uint64_t e = t->off[v]; e < t->off[v + 1]; e++)
            if (stays(t, v, e))
                t->left_back[t->place[e]] = t->place[t->back[e]];
    share_range(&left, from, to);
}

uint64_t se_cpu_thin(struct se_worker *w, const struct se_thinning *given)
{
    struct se_thinning t = *given;
    const uint64_t cost = 4 * (t.off[t.n] / (t.n + 1) + 1);

    se_ranges(w->threads, t.n, cost, count_range, &t);
    for (uint64_t v = 0; v < t.n; v++)
        t.left_off[v + 1] += t.left_off[v];
    se_ranges(w->threads, t.n, cost, move_range, &t);
    se_ranges(w->threads, t.n, cost, join_range, &t);
    return t.left_off[t.n];
}

void se_thin(const struct se_net *net, struct se_thinned *t, int part)
{
    const struct se_nngraph *w = t->whole, *x = &t->left;
    const struct se_thinning all = {
        .n = w->n, .off = w->off, .to = w->to, .back = w->back, .weight = w->weight,
        .keep = t->keep, .place = t->place, .left_off = x->off, .left_to = x->to,
        .left_back = x->back, .left_weight = x->weight, .left_norm = x->norm,
        .left_mean = x->mean, .left_apart = x->apart, .left_root = x->root
    };

    se_mask(net, SE_NO_LAYER, part, net->edge_dropout, w->arcs, t->keep);
    t->left.arcs = net->ops->thin(net->worker, &all);
}

void se_sparse_release(struct se_sparse *x)
{
    free(x->off);
    free(x->col);
    free(x->value);
    free(x->toff);
    free(x->trow);
    free(x->tentry);
    free(x->next);
    free(x->split);
    memset(x, 0, sizeof *x);
}

static void transpose(struct se_sparse *x)
{
    memset(x->toff, 0, (x->cols + 1) * sizeof *x->toff);
    for (uint64_t e = 0; e < x->nnz; e++)
        x->toff[x->col[e] + 1]++;
    for (uint64_t c = 0; c < x->cols; c++)
        x->toff[c + 1] += x->toff[c];
    for (uint64_t v = x->rows; v-- > 0;)                /* from the end: places count down */
        for (uint64_t e = x->off[v + 1]; e-- > x->off[v];) {
            const uint64_t at = --x->toff[x->col[e] + 1];

            x->trow[at] = (uint32_t)v;
            x->tentry[at] = (uint32_t)e;
        }
    for (uint64_t c = 0; c < x->cols; c++)              /* toff[c + 1] is where c starts */
        x->toff[c] = x->toff[c + 1];
    x->toff[x->cols] = x->nnz;
}

/* A column costs as much as some entries: it has a step of its own. */
void se_sparse_divide(struct se_sparse *x, const uint64_t *toff)
{
    enum { COLUMN = 8 };

    x->middle = 0;
    while (x->middle < x->cols &&
           2 * (toff[x->middle] + COLUMN * x->middle) < toff[x->cols] + COLUMN * x->cols)
        x->middle++;
    for (uint64_t v = 0; v < x->rows; v++) {
        x->split[v] = x->off[v];
        while (x->split[v] < x->off[v + 1] && x->col[x->split[v]] < x->middle)
            x->split[v]++;
    }
}

static void scale_row(se_real *value, uint64_t count)
{
    double sum = 0;

    for (uint64_t i = 0; i < count; i++)
        sum += (double)value[i];
    for (uint64_t i = 0; sum != 0 && i < count; i++)
        value[i] = (se_real)((double)value[i] / sum);
}

int se_sparse_index(struct se_sparse *x, struct se_err *err)
{
    if (x->nnz > UINT32_MAX)
        return se_fail(err, SE_EINPUT, "features: too many entries to train on (2^32)");
    if (!(x->toff = se_alloc(x->cols + 1, sizeof *x->toff, err)) ||
        !(x->trow = se_alloc(x->nnz, sizeof *x->trow, err)) ||
        !(x->tentry = se_alloc(x->nnz, sizeof *x->tentry, err)) ||
        !(x->next = se_alloc(x->cols, sizeof *x->next, err)) ||
        !(x->split = se_alloc(x->rows, sizeof *x->split, err)))
        return -1;
    transpose(x);
    x->all = x->nnz;
    se_sparse_divide(x, x->toff);
    return 0;
}

int se_sparse_make(struct se_sparse *x, const struct se_features *f, bool scale_rows,
                   struct se_err *err)
{
    memset(x, 0, sizeof *x);
    x->rows = f->n;
    x->cols = f->d;
    x->nnz = f->nnz;
    if (!(x->off = se_alloc(f->n + 1, sizeof *x->off, err)) ||
        !(x->col = se_alloc(f->nnz, sizeof *x->col, err)) ||
        !(x->value = se_alloc(f->nnz, sizeof *x->value, err)))
        return -1;
    memcpy(x->off, f->off, (f->n + 1) * sizeof *x->off);
    memcpy(x->col, f->col, f->nnz * sizeof *x->col);
    for (uint64_t i = 0; i < f->nnz; i++)
        x->value[i] = f->value ? (se_real)f->value[i] : 1;
    for (uint64_t v = 0; scale_rows && v < f->n; v++)
        scale_row(x->value + f->off[v], f->off[v + 1] - f->off[v]);
    return se_sparse_index(x, err);
}
