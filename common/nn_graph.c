/* nn_graph.c - the graph and the features as training wants them */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "common/nn.h"

void se_nngraph_release(struct se_nngraph *x)
{
    free(x->off);
    free(x->to);
    free(x->back);
    free(x->norm);
    free(x->mean);
    memset(x, 0, sizeof *x);
}

/* Both directions and a loop at every vertex, in ascending order of the other end; weights
 * go into x->norm for now. */
static void fill_arcs(struct se_nngraph *x, const struct se_adjacency *a, bool weights)
{
    for (uint64_t v = 0, at = 0; v < a->n; v++) {
        bool loop = false;

        x->off[v] = at;
        for (uint64_t e = a->off[v]; e <= a->off[v + 1]; e++) {
            if (!loop && (e == a->off[v + 1] || a->to[e] > v)) {
                loop = true;
                x->norm[at] = 1;
                x->to[at++] = (uint32_t)v;
            }
            if (e == a->off[v + 1])
                break;
            x->norm[at] = weights && a->weight ? (se_real)a->weight[e] : 1;
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

/* From weights to shares; a degree is at least the 1 of the loop. */
static void scale_arcs(struct se_nngraph *x, double *degree)
{
    for (uint64_t v = 0; v < x->n; v++) {
        degree[v] = 0;
        for (uint64_t e = x->off[v]; e < x->off[v + 1]; e++)
            degree[v] += (double)x->norm[e];
    }
    for (uint64_t v = 0; v < x->n; v++)
        for (uint64_t e = x->off[v]; e < x->off[v + 1]; e++) {
            const double w = (double)x->norm[e];

            x->mean[e] = (se_real)(w / degree[v]);
            x->norm[e] = (se_real)(w / sqrt(degree[v] * degree[x->to[e]]));
        }
}

int se_nngraph_make(struct se_nngraph *x, const struct se_graph *g, bool weights,
                    struct se_err *err)
{
    struct se_adjacency a = SE_ADJACENCY_INIT;
    uint64_t *next = NULL;
    double *degree = NULL;
    int rc = -1;

    memset(x, 0, sizeof *x);
    if (2 * g->m + g->n > UINT32_MAX)
        return se_fail(err, SE_EINPUT, "the graph has too many edges to train on (2^31)");
    if (se_adjacency_make(&a, g, err) < 0)
        goto done;
    x->n = a.n;
    x->arcs = a.arcs + a.n;
    if (!(x->off = se_alloc(x->n + 1, sizeof *x->off, err)) ||
        !(x->to = se_alloc(x->arcs, sizeof *x->to, err)) ||
        !(x->back = se_alloc(x->arcs, sizeof *x->back, err)) ||
        !(x->norm = se_alloc(x->arcs, sizeof *x->norm, err)) ||
        !(x->mean = se_alloc(x->arcs, sizeof *x->mean, err)) ||
        !(degree = se_alloc(x->n, sizeof *degree, err)) ||
        !(next = se_alloc(x->n, sizeof *next, err)))
        goto done;
    x->off[0] = 0;
    fill_arcs(x, &a, weights);
    find_back(x, next);
    scale_arcs(x, degree);
    rc = 0;
done:
    free(next);
    free(degree);
    se_adjacency_release(&a);
    return rc;
}

void se_sparse_release(struct se_sparse *x)
{
    free(x->off);
    free(x->col);
    free(x->value);
    free(x->toff);
    free(x->trow);
    free(x->tentry);
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
        !(x->tentry = se_alloc(f->nnz, sizeof *x->tentry, err)))
        return -1;
    memcpy(x->off, f->off, (f->n + 1) * sizeof *x->off);
    memcpy(x->col, f->col, f->nnz * sizeof *x->col);
    for (uint64_t i = 0; i < f->nnz; i++)
        x->value[i] = f->value ? (se_real)f->value[i] : 1;
    for (uint64_t v = 0; scale_rows && v < f->n; v++)
        scale_row(x->value + f->off[v], f->off[v + 1] - f->off[v]);
    transpose(x);
    return 0;
}
