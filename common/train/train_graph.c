/* train_graph.c - the graph and the features as training wants them */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/device/device.h"
#include "common/base/mem.h"
#include "common/train/net.h"

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
    memset(x, 0, sizeof *x);
}

/* Memory for n vertices and so many arcs */
static int make_room(struct se_nngraph *x, uint64_t n, uint64_t arcs, struct se_err *err)
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
static void fill_arcs(struct se_nngraph *x, const struct se_adjacency *a, bool weights)
{
    for (uint64_t v = 0, at = 0; v < a->n; v++) {
        bool loop = false;

        for (uint64_t e = a->off[v]; e <= a->off[v + 1]; e++) {
            if (!loop && (e == a->off[v + 1] || a->to[e] > v)) {
                loop = true;
                x->weight[at] = 1;
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

static void root_range(void *arg, uint64_t from, uint64_t to)
{
    struct se_nngraph *x = arg;

    for (uint64_t v = from; v < to; v++)
        x->root[v] = 1 / sqrt(1 + degree_apart(x, v));
}

/* From weights to shares, once all roots are known */
static void share_range(void *arg, uint64_t from, uint64_t to)
{
    struct se_nngraph *x = arg;

    for (uint64_t v = from; v < to; v++) {
        const double apart = degree_apart(x, v), others = apart > 0 ? 1 / apart : 0;

        for (uint64_t e = x->off[v]; e < x->off[v + 1]; e++) {
            const double w = (double)x->weight[e];

            x->norm[e] = (se_real)(w * (x->root[v] * x->root[x->to[e]]));
            x->mean[e] = (se_real)(w / (1 + apart));
            x->apart[e] = x->to[e] == v ? 0 : (se_real)(w * others);
        }
    }
}

int se_nngraph_make(struct se_nngraph *x, const struct se_graph *g, bool weights,
                    struct se_err *err)
{
    struct se_adjacency a = SE_ADJACENCY_INIT;
    uint64_t *next = NULL;
    int rc = -1;

    memset(x, 0, sizeof *x);
    if (2 * g->m + g->n > UINT32_MAX)
        return se_fail(err, SE_EINPUT, "the graph has too many edges to train on (2^31)");
    if (se_adjacency_make(&a, g, err) == 0 && make_room(x, a.n, a.arcs + a.n, err) == 0 &&
        (next = se_alloc(x->n, sizeof *next, err))) {
        fill_arcs(x, &a, weights);
        find_back(x, next);
        root_range(x, 0, x->n);
        share_range(x, 0, x->n);
        rc = 0;
    }
    free(next);
    se_adjacency_release(&a);
    return rc;
}

/* ---- a graph that loses edges ---- */

void se_thinned_release(struct se_thinned *t)
{
    se_nngraph_release(&t->left);
    free(t->keep);
    free(t->place);
    memset(t, 0, sizeof *t);
}

int se_thinned_make(struct se_thinned *t, const struct se_nngraph *whole, struct se_err *err)
{
    memset(t, 0, sizeof *t);
    t->whole = whole;
    return make_room(&t->left, whole->n, whole->arcs, err) == 0 &&
           (t->keep = se_alloc(whole->arcs, 1, err)) &&
           (t->place = se_alloc(whole->arcs, sizeof *t->place, err)) ? 0 : -1;
}

static bool stays(const struct se_thinned *t, uint64_t v, uint64_t e)
{
    const uint32_t u = t->whole->to[e];

    return u == v || t->keep[u > v ? e : t->whole->back[e]];
}

static void count_range(void *arg, uint64_t from, uint64_t to)
{
    struct se_thinned *t = arg;

    for (uint64_t v = from; v < to; v++) {
        t->left.off[v + 1] = 0;
        for (uint64_t e = t->whole->off[v]; e < t->whole->off[v + 1]; e++)
            t->left.off[v + 1] += stays(t, v, e);
    }
}

static void move_range(void *arg, uint64_t from, uint64_t to)
{
    struct se_thinned *t = arg;

    for (uint64_t v = from; v < to; v++)
        for (uint64_t e = t->whole->off[v], at = t->left.off[v]; e < t->whole->off[v + 1]; e++)
            if (stays(t, v, e)) {
                t->place[e] = (uint32_t)at;
                t->left.to[at] = t->whole->to[e];
                t->left.weight[at++] = t->whole->weight[e];
            }
    root_range(&t->left, from, to);
}

static void join_range(void *arg, uint64_t from, uint64_t to)
{
    struct se_thinned *t = arg;

    for (uint64_t v = from; v < to; v++)
        for (uint64_t e = t->whole->off[v]; e < t->whole->off[v + 1]; e++)
            if (stays(t, v, e))
                t->left.back[t->place[e]] = t->place[t->whole->back[e]];
    share_range(&t->left, from, to);
}

static void thin_on_device(const struct se_net *net, struct se_thinned *t)
{
    const struct se_nngraph *w = t->whole, *x = &t->left;
    const struct se_thinning all = {
        .n = w->n, .off = w->off, .to = w->to, .back = w->back, .weight = w->weight,
        .keep = t->keep, .place = t->place, .left_off = x->off, .left_to = x->to,
        .left_back = x->back, .left_weight = x->weight, .left_norm = x->norm,
        .left_mean = x->mean, .left_apart = x->apart, .left_root = x->root
    };

    t->left.arcs = net->gpu->cuda->thin(net->gpu->device, &all);
}

void se_thin(const struct se_net *net, struct se_thinned *t, int part)
{
    const uint64_t n = t->whole->n, cost = 4 * (t->whole->arcs / (n + 1) + 1);

    se_mask(net, SE_NO_LAYER, part, net->edge_dropout, t->whole->arcs, t->keep);
    if (net->gpu) {
        thin_on_device(net, t);
        return;
    }
    se_ranges(net, n, cost, count_range, t);
    for (uint64_t v = 0; v < n; v++)
        t->left.off[v + 1] += t->left.off[v];
    t->left.arcs = t->left.off[n];
    se_ranges(net, n, cost, move_range, t);
    se_ranges(net, n, cost, join_range, t);
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
static void divide(struct se_sparse *x)
{
    enum { COLUMN = 8 };

    while (x->middle < x->cols &&
           2 * (x->toff[x->middle] + COLUMN * x->middle) < x->nnz + COLUMN * x->cols)
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

int se_sparse_make(struct se_sparse *x, const struct se_features *f, bool scale_rows,
                   struct se_err *err)
{
    memset(x, 0, sizeof *x);
    x->rows = f->n;
    x->cols = f->d;
    x->nnz = f->nnz;
    if (f->nnz > UINT32_MAX)
        return se_fail(err, SE_EINPUT, "features: too many entries to train on (2^32)");
    if (!(x->off = se_alloc(f->n + 1, sizeof *x->off, err)) ||
        !(x->col = se_alloc(f->nnz, sizeof *x->col, err)) ||
        !(x->value = se_alloc(f->nnz, sizeof *x->value, err)) ||
        !(x->toff = se_alloc(f->d + 1, sizeof *x->toff, err)) ||
        !(x->trow = se_alloc(f->nnz, sizeof *x->trow, err)) ||
        !(x->tentry = se_alloc(f->nnz, sizeof *x->tentry, err)) ||
        !(x->next = se_alloc(f->d, sizeof *x->next, err)) ||
        !(x->split = se_alloc(f->n, sizeof *x->split, err)))
        return -1;
    memcpy(x->off, f->off, (f->n + 1) * sizeof *x->off);
    memcpy(x->col, f->col, f->nnz * sizeof *x->col);
    for (uint64_t i = 0; i < f->nnz; i++)
        x->value[i] = f->value ? (se_real)f->value[i] : 1;
    for (uint64_t v = 0; scale_rows && v < f->n; v++)
        scale_row(x->value + f->off[v], f->off[v + 1] - f->off[v]);
    transpose(x);
    divide(x);
    return 0;
}
