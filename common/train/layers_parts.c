/* layers_parts.c - arcs divided into parts by where their ends lie in a plane (Geom-GCN)
 *
 * Seen from v, a neighbour u lies in one of four quadrants.  Arcs of the graph are in parts 0 to 3,
 * those of the graph beside it in 4 to 7, the loop is part 8.  Opposite quadrants are r and 3 - r;
 * equal coordinates are told apart by the ids, so that this always holds. */
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/train/vector.h"

static uint32_t quadrant(const float *position, uint64_t v, uint64_t u)
{
    uint32_t r = 0;

    for (uint64_t k = 0; k < 2; k++) {
        const float from = position ? position[2 * v + k] : 0, to = position ? position[2 * u + k] : 0;

        r = 2 * r + (to > from || (to == from && u > v));
    }
    return r;
}

/* The part of an arc of graph g, 0 or 1, or SE_PARTS: it does not count */
static uint32_t part_of_arc(const struct se_net *net, int g, uint64_t v, uint64_t e)
{
    const struct se_nngraph *x = g ? net->beside : net->graph;
    const uint32_t u = x->to[e];

    if (x->weight[e] == 0 || (g && u == v))
        return SE_PARTS;
    return u == v ? SE_PARTS - 1 : (g ? 4 : 0) + quadrant(net->position, v, u);
}

struct filling_parts {
    const struct se_net *net;
    struct se_divided *d;
    double *degree;             /* n, over all parts */
    uint64_t *next, *tnext;     /* n * SE_PARTS: where the next arc of a cell goes */
};

typedef void each_arc(struct filling_parts *f, uint64_t v, uint64_t u, uint32_t r, double w);

static void for_arcs(struct filling_parts *f, each_arc *act)
{
    const struct se_net *net = f->net;

    for (int g = 0; g < (net->beside ? 2 : 1); g++) {
        const struct se_nngraph *x = g ? net->beside : net->graph;

        for (uint64_t v = 0; v < x->n; v++)
            for (uint64_t e = x->off[v]; e < x->off[v + 1]; e++) {
                const uint32_t r = part_of_arc(net, g, v, e);

                if (r < SE_PARTS)
                    act(f, v, x->to[e], r, (double)x->weight[e]);
            }
    }
}

static void count_arc(struct filling_parts *f, uint64_t v, uint64_t u, uint32_t r, double w)
{
    f->degree[v] += w;
    f->d->cell[v * SE_PARTS + r + 1]++;
    f->d->tcell[u * SE_PARTS + r + 1]++;
}

static void put_arc(struct filling_parts *f, uint64_t v, uint64_t u, uint32_t r, double w)
{
    struct se_divided *d = f->d;
    const uint64_t e = f->next[v * SE_PARTS + r]++, t = f->tnext[u * SE_PARTS + r]++;

    d->from[e] = (uint32_t)(u * SE_PARTS + r);
    d->tfrom[t] = (uint32_t)(v * SE_PARTS + r);
    d->tvertex[t] = (uint32_t)v;
    d->norm[e] = d->tnorm[t] = (se_real)(w / sqrt(f->degree[v] * f->degree[u]));
}

static int alloc_parts(struct se_divided *d, uint64_t n, uint64_t arcs, struct se_err *err)
{
    const uint64_t cells = n * SE_PARTS + 1;

    d->n = n;
    return (d->off = se_zalloc(n + 1, sizeof *d->off, err)) &&
           (d->cell = se_zalloc(cells, sizeof *d->cell, err)) &&
           (d->tcell = se_zalloc(cells, sizeof *d->tcell, err)) &&
           (d->from = se_alloc(arcs, sizeof *d->from, err)) &&
           (d->norm = se_alloc(arcs, sizeof *d->norm, err)) &&
           (d->tfrom = se_alloc(arcs, sizeof *d->tfrom, err)) &&
           (d->tvertex = se_alloc(arcs, sizeof *d->tvertex, err)) &&
           (d->tnorm = se_alloc(arcs, sizeof *d->tnorm, err)) ? 0 : -1;
}

int se_net_divide(struct se_net *net, struct se_err *err)
{
    const uint64_t n = net->n, cells = n * SE_PARTS;
    struct filling_parts f = { .net = net, .d = &net->divided };

    if (cells >= UINT32_MAX)
        return se_fail(err, SE_EINPUT, "graph: has too many vertices for geomgcn, at most %lu",
                       (unsigned long)(UINT32_MAX / SE_PARTS));
    f.degree = se_zalloc(n, sizeof *f.degree, err);
    f.next = f.degree ? se_alloc(2 * cells, sizeof *f.next, err) : NULL;
    if (!f.next || alloc_parts(f.d, n, net->graph->arcs + (net->beside ? net->beside->arcs : 0),
                               err) < 0) {
        free(f.next);
        free(f.degree);
        return -1;
    }
    for_arcs(&f, count_arc);
    for (uint64_t c = 0; c < cells; c++) {
        f.d->cell[c + 1] += f.d->cell[c];
        f.d->tcell[c + 1] += f.d->tcell[c];
    }
    for (uint64_t v = 0; v <= n; v++)
        f.d->off[v] = f.d->cell[v * SE_PARTS];
    f.d->arcs = f.d->cell[cells];
    f.tnext = f.next + cells;
    memcpy(f.next, f.d->cell, cells * sizeof *f.next);
    memcpy(f.tnext, f.d->tcell, cells * sizeof *f.tnext);
    for_arcs(&f, put_arc);
    free(f.next);
    free(f.degree);
    return 0;
}

void se_net_undivide(struct se_net *net)
{
    struct se_divided *d = &net->divided;
    void *const memory[] = { d->off, d->cell, d->from, d->norm, d->tcell, d->tfrom, d->tvertex,
                             d->tnorm };

    for (size_t k = 0; k < sizeof memory / sizeof memory[0]; k++)
        if (d->placed)
            se_net_free(net, memory[k]);
        else
            free(memory[k]);
    *d = (struct se_divided){ .n = 0 };
}

/* ---- the layer ---- */

/* Sums of rows of x, each of `width` columns */
static struct se_gather parts_gather(const uint64_t *off, const uint32_t *index,
                                     const se_real *value, const se_real *x, uint64_t rows,
                                     uint64_t width, se_real *y)
{
    return (struct se_gather){ .off = off, .index = index, .value = value, .x = x, .rows = rows,
                               .stride = width, .y = y, .width = width, .heads = 1, .scale = 1 };
}

static void parts_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                          bool train)
{
    const struct se_divided *d = &net->divided;
    const uint64_t cells = net->n * SE_PARTS, width = x->in / SE_PARTS;
    struct se_gather g = parts_gather(x->mean ? d->off : d->cell, d->from, d->norm, in->dense,
                                      cells, width, x->buffer);

    (void)train;
    if (x->mean)
        g.scale = (se_real)1 / SE_PARTS;
    se_gather(net, &g, x->mean ? net->n : cells);
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

static void parts_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                           const se_real *dout, se_real *din)
{
    const struct se_divided *d = &net->divided;
    const uint64_t cells = net->n * SE_PARTS, width = x->in / SE_PARTS;
    struct se_gather g = parts_gather(d->tcell, x->mean ? d->tvertex : d->tfrom, d->tnorm, dout,
                                      x->mean ? net->n : cells, width, din);

    (void)in;
    if (x->mean)
        g.scale = (se_real)1 / SE_PARTS;
    if (din)
        se_gather(net, &g, cells);
}

static const struct se_layer_ops parts_ops = { "parts", false, parts_forward, parts_backward };

int se_net_parts(struct se_net *net, bool mean, struct se_err *err)
{
    const uint64_t in = se_net_cols(net);
    struct se_layer *x = se_net_append(net, &parts_ops, mean ? in / SE_PARTS : in, err);

    if (!x)
        return -1;
    x->mean = mean;
    net->sees_other = true;
    return 0;
}
