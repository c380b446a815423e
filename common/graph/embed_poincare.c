/* embed_poincare.c - positions in the Poincare ball (Nickel and Kiela): neighbours are near
 *
 * For an edge (u, v) and vertices w_1 .. that are no neighbours of u the loss is
 * -log softmax(-d(u, .))_v.  Steps are Riemannian: the gradient times (1 - |x|^2)^2 / 4. */
#include "common/graph/embed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/rng.h"

enum { TRIES = 20, CALM = 10 };         /* CALM: first epochs, with a tenth of the rate */
#define EDGE (1 - 1e-5)                 /* positions are no longer than that */

static double dot(const double *x, const double *y, uint64_t d)
{
    double sum = 0;

    for (uint64_t k = 0; k < d; k++)
        sum += x[k] * y[k];
    return sum;
}

static double gap(const double *x, const double *y, uint64_t d)
{
    double sum = 0;

    for (uint64_t k = 0; k < d; k++)
        sum += (x[k] - y[k]) * (x[k] - y[k]);
    return sum;
}

/* cosh of the distance, less 1; that keeps digits of short ones */
static double stretch(const double *x, const double *y, uint64_t d)
{
    return 2 * gap(x, y, d) / ((1 - dot(x, x, d)) * (1 - dot(y, y, d)));
}

static double distance(const double *x, const double *y, uint64_t d)
{
    const double c = stretch(x, y, d);

    return log1p(c + sqrt(c * (c + 2)));
}

/* g += scale * the gradient of distance(x, y) by x, in the plane; nothing where it has none */
static void add_slope(const double *x, const double *y, uint64_t d, double scale, double *g)
{
    const double a = 1 - dot(x, x, d), b = 1 - dot(y, y, d), c = stretch(x, y, d);
    const double root = sqrt(c * (c + 2)), yy = dot(y, y, d), xy = dot(x, y, d);

    if (root < 1e-12)
        return;
    for (uint64_t k = 0; k < d; k++)
        g[k] += scale * 4 / (b * root) * ((yy - 2 * xy + 1) / (a * a) * x[k] - y[k] / a);
}

/* A step against the gradient g, and back into the ball */
static void step(double *x, const double *g, uint64_t d, double rate)
{
    const double a = 1 - dot(x, x, d);
    double length;

    for (uint64_t k = 0; k < d; k++)
        x[k] -= rate * a * a / 4 * g[k];
    length = sqrt(dot(x, x, d));
    for (uint64_t k = 0; k < d && length > EDGE; k++)
        x[k] *= EDGE / length;
}

static bool joined(const struct se_adjacency *a, uint32_t u, uint32_t v)
{
    uint64_t low = a->off[u], high = a->off[u + 1];

    while (low < high) {
        const uint64_t middle = (low + high) / 2;

        if (a->to[middle] == v)
            return true;
        if (a->to[middle] < v)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

struct poincare {
    const struct se_adjacency *a;
    uint64_t dims, negatives;
    double *x;                  /* n x dims */
    uint32_t *other;            /* 1 + negatives: v, then those that are no neighbours */
    double *share, *du, *dv;    /* softmax; gradients */
};

/* One edge: all gradients are of the positions before it. */
static void learn(struct poincare *p, uint32_t u, uint32_t v, double rate, struct se_rng *r)
{
    const uint64_t d = p->dims;
    double *x = p->x + u * d, most = -INFINITY, sum = 0;
    uint64_t count = 1;

    p->other[0] = v;
    for (uint64_t k = 0; k < p->negatives; k++)
        for (int i = 0; i < TRIES; i++) {
            const uint32_t w = (uint32_t)se_rng_below(r, p->a->n);

            if (w != u && !joined(p->a, u, w)) {
                p->other[count++] = w;
                break;
            }
        }
    for (uint64_t k = 0; k < count; k++)
        most = fmax(most, p->share[k] = -distance(x, p->x + p->other[k] * d, d));
    for (uint64_t k = 0; k < count; k++)
        sum += p->share[k] = exp(p->share[k] - most);
    memset(p->du, 0, d * sizeof *p->du);
    for (uint64_t k = 0; k < count; k++)
        add_slope(x, p->x + p->other[k] * d, d, (k == 0) - p->share[k] / sum, p->du);
    for (uint64_t k = 0; k < count; k++) {
        double *y = p->x + p->other[k] * d;

        memset(p->dv, 0, d * sizeof *p->dv);
        add_slope(y, x, d, (k == 0) - p->share[k] / sum, p->dv);
        step(y, p->dv, d, rate);
    }
    step(x, p->du, d, rate);
}

/* All arcs once, in an order of its own */
static void run_epoch(struct poincare *p, const uint32_t *from, uint64_t *order, uint64_t seed,
                      uint64_t epoch, double rate)
{
    struct se_rng r;

    se_rng_init(&r, seed, SE_RNG_POINCARE, epoch + 1);
    for (uint64_t i = 0; i < p->a->arcs; i++) {
        const uint64_t j = se_rng_below(&r, i + 1);

        order[i] = order[j];
        order[j] = i;
    }
    for (uint64_t i = 0; i < p->a->arcs; i++)
        learn(p, from[order[i]], p->a->to[order[i]], rate, &r);
}

static void start(struct poincare *p, uint64_t seed, uint32_t *from, uint8_t *placed)
{
    struct se_rng r;

    se_rng_init(&r, seed, SE_RNG_POINCARE, 0);
    for (uint64_t i = 0; i < p->a->n * p->dims; i++)
        p->x[i] = 1e-3 * (2 * se_rng_unit(&r) - 1);
    for (uint64_t v = 0; v < p->a->n; v++) {
        placed[v] = p->a->off[v] < p->a->off[v + 1];
        for (uint64_t e = p->a->off[v]; e < p->a->off[v + 1]; e++)
            from[e] = (uint32_t)v;
    }
}

int se_embed_poincare(const struct se_adjacency *a, const struct se_embed_options *o, float *row,
                      uint8_t *placed, struct se_err *err)
{
    struct poincare p = { .a = a, .dims = o->dims, .negatives = o->negatives };
    uint32_t *from = se_alloc(a->arcs, sizeof *from, err);
    uint64_t *order = from ? se_alloc(a->arcs, sizeof *order, err) : NULL;
    double *room = order ? se_alloc(2 * o->dims + o->negatives + 1, sizeof *room, err) : NULL;
    int rc = -1;

    p.x = room ? se_alloc(a->n * o->dims, sizeof *p.x, err) : NULL;
    p.other = p.x ? se_alloc(o->negatives + 1, sizeof *p.other, err) : NULL;
    if (p.other) {
        p.du = room;
        p.dv = room + o->dims;
        p.share = room + 2 * o->dims;
        start(&p, o->seed, from, placed);
        for (uint64_t epoch = 0; epoch < o->epochs; epoch++)
            run_epoch(&p, from, order, o->seed, epoch, epoch < CALM ? o->rate / 10 : o->rate);
        for (uint64_t i = 0; i < a->n * o->dims; i++)
            row[i] = (float)p.x[i];
        rc = 0;
    }
    free(p.other);
    free(p.x);
    free(room);
    free(order);
    free(from);
    return rc;
}
