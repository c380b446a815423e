/* embed.c - positions of vertices, and the graph of those that are near */
#include "common/graph/embed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/graph/builder.h"

int se_embed(const struct se_adjacency *a, const struct se_embed_options *o, float *row,
             uint8_t *placed, struct se_err *err)
{
    switch (o->method) {
    case SE_EMBED_ISOMAP:
        return se_embed_isomap(a, o, row, placed, err);
    case SE_EMBED_POINCARE:
        return se_embed_poincare(a, o, row, placed, err);
    default:
        return se_embed_struc2vec(a, o, row, placed, err);
    }
}

/* ---- the nearest pairs ----
 *
 * Points are sorted by their first coordinate.  Of a radius it is known how far along it a point
 * of that distance can lie, so a sweep meets each pair within the radius, and few others.  The
 * radius is halved until it holds as many pairs as are wanted. */

struct point {
    float first;                /* coordinate */
    uint32_t id;
};

struct pair {
    uint32_t u, v;              /* u < v */
    double distance;
};

struct near {
    const float *row;
    uint64_t dims, count;       /* count: points */
    bool hyperbolic;
    struct point *point;
    struct pair *pair;
    size_t cap;
    uint64_t pairs;
};

static int by_first(const void *a, const void *b)
{
    const struct point *x = a, *y = b;

    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

static int by_id(const void *a, const void *b)
{
    const struct point *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static int by_distance(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;

    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    if (x->u != y->u)
        return x->u < y->u ? -1 : 1;
    return (x->v > y->v) - (x->v < y->v);
}

static double length2(const float *x, uint64_t d)
{
    double sum = 0;

    for (uint64_t k = 0; k < d; k++)
        sum += (double)x[k] * (double)x[k];
    return sum;
}

static double between(const struct near *x, uint32_t u, uint32_t v)
{
    const float *a = x->row + u * x->dims, *b = x->row + v * x->dims;
    double sum = 0, c;

    for (uint64_t k = 0; k < x->dims; k++)
        sum += ((double)a[k] - (double)b[k]) * ((double)a[k] - (double)b[k]);
    if (!x->hyperbolic)
        return sqrt(sum);
    c = 2 * sum / (fmax(1 - length2(a, x->dims), 1e-12) * fmax(1 - length2(b, x->dims), 1e-12));
    return log1p(c + sqrt(c * (c + 2)));
}

/* How far along the first coordinate the points within `radius` of a point can be: a circle of the
 * disc is one of the plane, with another centre. */
static double reach_of(const struct near *x, const struct point *p, double radius)
{
    const float *a = x->row + p->id * x->dims;
    double t, a2;

    if (!x->hyperbolic)
        return (double)p->first + radius;
    t = tanh(radius / 2);
    a2 = length2(a, x->dims);
    return ((double)p->first * (1 - t * t) + t * (1 - a2)) / fmax(1 - t * t * a2, 1e-12) + 1e-9;
}

/* The pairs within the radius; no more than `most` are counted, and kept if
 * `keep`.  -1: no memory */
static int sweep(struct near *x, double radius, uint64_t most, bool keep, struct se_err *err)
{
    x->pairs = 0;
    for (uint64_t i = 0; i < x->count; i++) {
        const double reach = reach_of(x, &x->point[i], radius);

        for (uint64_t j = i + 1; j < x->count && (double)x->point[j].first <= reach; j++) {
            const uint32_t a = x->point[i].id, b = x->point[j].id;
            const double d = between(x, a, b);

            if (d > radius)
                continue;
            if (x->pairs == most)
                return 0;
            if (keep) {
                if (se_grow(&x->pair, &x->cap, x->pairs + 1, sizeof *x->pair, err) < 0)
                    return -1;
                x->pair[x->pairs] = (struct pair){ a < b ? a : b, a < b ? b : a, d };
            }
            x->pairs++;
        }
    }
    return 0;
}

/* Pairs at the one distance `high` that too many have, in the order of ids, until there are
 * `wanted`; those nearer are there already. */
static int add_ties(struct near *x, double low, double high, uint64_t wanted, struct se_err *err)
{
    struct point *p = x->point;

    qsort(p, x->count, sizeof *p, by_id);
    for (uint64_t i = 0; i < x->count; i++)
        for (uint64_t j = i + 1; j < x->count; j++) {
            const double d = between(x, p[i].id, p[j].id);

            if (d <= low || d > high)
                continue;
            if (x->pairs == wanted)
                return 0;
            if (se_grow(&x->pair, &x->cap, x->pairs + 1, sizeof *x->pair, err) < 0)
                return -1;
            x->pair[x->pairs++] = (struct pair){ p[i].id, p[j].id, d };
        }
    return 0;
}

/* A radius with `wanted` to twice as many pairs, or the two ends of the one distance at which the
 * number jumps beyond that */
static int search_radius(struct near *x, uint64_t wanted, double *low, double *high,
                         struct se_err *err)
{
    *low = -1;
    *high = 1e-3;
    for (;;) {                                  /* up, until there are enough */
        if (sweep(x, *high, 2 * wanted, false, err) < 0)
            return -1;
        if (x->pairs >= wanted || *high > 1e9)
            break;
        *low = *high;
        *high *= 2;
    }
    while (x->pairs >= 2 * wanted) {            /* between them, until they are not too many */
        const double middle = *low < 0 && *high < 1e-12 ? 0 : (fmax(*low, 0) + *high) / 2;

        if (middle <= *low || middle >= *high)
            return 0;
        if (sweep(x, middle, 2 * wanted, false, err) < 0)
            return -1;
        if (x->pairs < wanted)
            *low = middle;
        else
            *high = middle;
        if (x->pairs < wanted)
            x->pairs = 2 * wanted;              /* go on: *high still has too many */
    }
    return 0;
}

static int find_pairs(struct near *x, uint64_t wanted, struct se_err *err)
{
    double low, high;
    bool jump;

    qsort(x->point, x->count, sizeof *x->point, by_first);
    if (search_radius(x, wanted, &low, &high, err) < 0)
        return -1;
    jump = x->pairs >= 2 * wanted;
    if (sweep(x, jump ? low : high, 2 * wanted, true, err) < 0)
        return -1;
    if (jump && low < 0)
        x->pairs = 0;
    if (jump)
        return add_ties(x, low, high, wanted, err);
    if (x->pairs > 0)
        qsort(x->pair, x->pairs, sizeof *x->pair, by_distance);
    if (x->pairs > wanted)
        x->pairs = wanted;
    return 0;
}

int se_embed_latent(const float *row, uint64_t n, uint64_t dims, const uint8_t *placed,
                    bool hyperbolic, uint64_t pairs, struct se_stream *s, uint64_t *made,
                    struct se_err *err)
{
    struct near x = { .row = row, .dims = dims, .hyperbolic = hyperbolic };
    struct se_builder b = SE_BUILDER_INIT;
    struct se_built built;
    int rc;

    x.point = se_alloc(n, sizeof *x.point, err);
    for (uint64_t v = 0; x.point && v < n; v++)
        if (placed[v])
            x.point[x.count++] = (struct point){ row[v * dims], (uint32_t)v };
    rc = !x.point ? -1 : pairs > 0 && x.count > 1 ? find_pairs(&x, pairs, err) : 0;
    b.n = n;
    for (uint64_t i = 0; rc == 0 && i < x.pairs; i++)
        rc = se_builder_add(&b, x.pair[i].u, x.pair[i].v, 1, err);
    if (rc == 0)
        rc = se_builder_put(&b, s, SE_GRAPH, SE_MERGE_SUM, false, &built, err);
    *made = x.pairs;
    se_builder_release(&b);
    free(x.pair);
    free(x.point);
    return rc;
}
