/* describe.c - what distinguishes the modules of a tree */
#include "common/inspect/describe.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/inspect/called.h"
#include "common/inspect/info.h"
#include "common/tree/stability.h"

enum { TYPICAL = 3, COLUMNS = 5, SHOWN = 50 };

struct describe {
    struct se_info *x;
    struct se_called called;
    uint64_t count;
    uint32_t *module;           /* per vertex */
    uint64_t *size;             /* per module */
    double *volume, *inside;    /* per module: sum of degrees, twice the weight inside */
    double *own;                /* per vertex: weight to its own module */
    double *mean, *spread;      /* per column: mean and standard deviation */
    double *here;               /* per column: mean within the module at hand */
};

static void release(struct describe *d)
{
    se_called_release(&d->called);
    free(d->module);
    free(d->size);
    free(d->volume);
    free(d->inside);
    free(d->own);
    free(d->mean);
    free(d->spread);
    free(d->here);
    free(d->x);
}

static void measure_modules(struct describe *d, const struct se_graph *g)
{
    for (uint64_t v = 0; v < g->n; v++)
        d->size[d->module[v]]++;
    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++) {
            const uint32_t v = g->to[e];
            const double w = g->weight ? (double)g->weight[e] : 1;

            d->volume[d->module[u]] += w;
            d->volume[d->module[v]] += w;
            if (d->module[u] == d->module[v]) {
                d->own[u] += w;
                d->own[v] += w;
                d->inside[d->module[u]] += 2 * w;
            }
        }
}

/* What entry i of row v is: sparse ones count as there, whatever their value. */
static void add_row(const struct se_features *f, uint64_t v, double *sum, double *squares)
{
    const uint64_t first = f->dense ? v * f->d : f->off[v];
    const uint64_t last = f->dense ? first + f->d : f->off[v + 1];

    for (uint64_t i = first; i < last; i++) {
        const uint64_t c = f->dense ? i - first : f->col[i];
        const double value = f->dense ? (double)f->dense[i] : 1;

        sum[c] += value;
        if (squares)
            squares[c] += value * value;
    }
}

static void measure_columns(struct describe *d)
{
    const struct se_features *f = &d->x->features;
    const double n = (double)f->n;

    for (uint64_t v = 0; v < f->n; v++)
        add_row(f, v, d->mean, d->spread);
    for (uint64_t c = 0; c < f->d; c++) {
        const double mean = d->mean[c] / n, variance = d->spread[c] / n - mean * mean;

        d->mean[c] = mean;
        d->spread[c] = variance > 1e-12 * mean * mean ? sqrt(variance) : 0;
    }
}

/* The vertices with most weight to others of the module */
static void tell_typical(const struct describe *d, uint32_t m, struct se_out *out)
{
    uint64_t best[TYPICAL], count = 0;

    for (uint64_t v = 0; v < d->x->tree.n; v++) {
        uint64_t i = count < TYPICAL ? count : TYPICAL;

        if (d->module[v] != m || (i == TYPICAL && d->own[v] <= d->own[best[TYPICAL - 1]]))
            continue;
        if (count < TYPICAL)
            count++;
        else
            i = TYPICAL - 1;
        for (; i > 0 && d->own[best[i - 1]] < d->own[v]; i--)
            best[i] = best[i - 1];
        best[i] = v;
    }
    se_out_str(out, "  typical   ");
    for (uint64_t i = 0; i < count; i++) {
        se_out_str(out, i ? ", " : " ");
        se_called_vertex(&d->called, out, best[i]);
    }
    se_out_char(out, '\n');
}

/* How many standard errors the mean of the module is above that of all */
static double above(const struct describe *d, uint32_t m, uint64_t c)
{
    return d->spread[c] > 0
               ? (d->here[c] - d->mean[c]) / d->spread[c] * sqrt((double)d->size[m]) : 0;
}

/* Of sparse columns the share of the vertices that have them, of dense ones the mean */
static void tell_means(const struct describe *d, uint64_t c, struct se_out *out)
{
    const bool dense = d->x->features.dense;

    se_outf(out, ": %.3g here, %.3g in all\n",
            dense ? se_called_value(&d->called, c, d->here[c]) : d->here[c],
            dense ? se_called_value(&d->called, c, d->mean[c]) : d->mean[c]);
}

static void tell_columns(struct describe *d, uint32_t m, struct se_out *out)
{
    const struct se_features *f = &d->x->features;
    uint64_t best[COLUMNS], count = 0;

    memset(d->here, 0, f->d * sizeof *d->here);
    for (uint64_t v = 0; v < f->n; v++)
        if (d->module[v] == m)
            add_row(f, v, d->here, NULL);
    for (uint64_t c = 0; c < f->d; c++)
        d->here[c] /= (double)d->size[m];
    for (uint64_t c = 0; c < f->d; c++) {
        const double z = above(d, m, c);
        uint64_t i = count < COLUMNS ? count : COLUMNS;

        if (z < 3 || (i == COLUMNS && z <= above(d, m, best[COLUMNS - 1])))
            continue;
        if (count < COLUMNS)
            count++;
        else
            i = COLUMNS - 1;
        for (; i > 0 && above(d, m, best[i - 1]) < z; i--)
            best[i] = best[i - 1];
        best[i] = c;
    }
    for (uint64_t i = 0; i < count; i++) {
        se_outf(out, "  %-10s ", i ? "" : f->dense ? "higher" : "more often");
        se_called_column(&d->called, out, best[i]);
        tell_means(d, best[i], out);
    }
}

static void tell_module(struct describe *d, uint32_t m, struct se_out *out)
{
    se_outf(out, "module %" PRIu32 "\n  size       %" PRIu64 " vertices\n", m, d->size[m]);
    se_outf(out, "  cohesion   %.3f of the weight at its vertices stays inside\n",
            d->volume[m] > 0 ? d->inside[m] / d->volume[m] : 0);
    tell_typical(d, m, out);
    if (d->x->has_features)
        tell_columns(d, m, out);
}

/* Largest first; of equal ones the first */
static void tell_all(struct describe *d, struct se_out *out)
{
    uint64_t shown = 0, last = UINT64_MAX, single = 0;

    for (uint64_t m = 0; m < d->count; m++)
        single += d->size[m] == 1;
    while (shown < SHOWN) {
        uint64_t next = 0;

        for (uint64_t m = 0; m < d->count; m++)
            if (d->size[m] < last && d->size[m] > next)
                next = d->size[m];
        if (next < 2)
            break;
        for (uint64_t m = 0; m < d->count && shown < SHOWN; m++)
            if (d->size[m] == next) {
                tell_module(d, (uint32_t)m, out);
                shown++;
            }
        last = next;
    }
    if (d->count - single > shown)
        se_outf(out, "and %" PRIu64 " smaller modules\n", d->count - single - shown);
    if (single)
        se_outf(out, "and %" PRIu64 " single vertices\n", single);
}

static int prepare(struct describe *d, uint32_t level, struct se_stream *s, struct se_err *err)
{
    const uint64_t n = d->x->tree.n, columns = d->x->has_features ? d->x->features.d : 0;

    if (se_called_make(&d->called, s, err) < 0)
        return -1;
    d->module = se_alloc(n, sizeof *d->module, err);
    if (!d->module || se_tree_partition(&d->x->tree, level, d->module, &d->count, err) < 0)
        return -1;
    d->size = se_zalloc(d->count, sizeof *d->size, err);
    d->volume = se_zalloc(d->count, sizeof *d->volume, err);
    d->inside = se_zalloc(d->count, sizeof *d->inside, err);
    d->own = se_zalloc(n, sizeof *d->own, err);
    d->mean = se_zalloc(columns, sizeof *d->mean, err);
    d->spread = se_zalloc(columns, sizeof *d->spread, err);
    d->here = se_zalloc(columns, sizeof *d->here, err);
    return d->size && d->volume && d->inside && d->own && d->mean && d->spread && d->here ? 0
                                                                                          : -1;
}

int se_describe(struct se_stream *s, uint32_t level, struct se_out *out, struct se_err *err)
{
    struct describe d = { .x = se_zalloc(1, sizeof *d.x, err) };
    int rc = -1;

    if (!d.x)
        return -1;
    if (!se_stream_has(s, SE_TREE))
        se_fail(err, SE_EINPUT, "--describe needs a tree; run se-tree or se-cluster first");
    else if (se_info_make(d.x, s, -1, err) == 0) {
        if (!d.x->tree_on)
            se_fail(err, SE_EINPUT, "--describe needs the graph that the tree was made for");
        else if (level > d.x->height)
            se_fail(err, SE_EINPUT, "--describe: the tree has no level %" PRIu32 "; its height "
                    "is %" PRIu32, level, d.x->height);
        else
            rc = prepare(&d, level, s, err);
    }
    if (rc == 0) {
        measure_modules(&d, se_info_tree_graph(d.x));
        if (d.x->has_features)
            measure_columns(&d);
        tell_all(&d, out);
    }
    release(&d);
    return rc;
}
