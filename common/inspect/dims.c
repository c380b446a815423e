/* dims.c - the embedding dimension that MinGE suggests */
#include "common/inspect/dims.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/mem.h"

enum { STEPS = 4000 };          /* of the integral over the angle */

/* E1 is the mean of exp(n cos t) over a random direction, whose angle has a density like
 * sin^(n-2) t, E2 that of n cos t exp(n cos t); h = ln E1 - E2 / E1.  All in logarithms. */
double se_dims_entropy(double n)
{
    double top = -INFINITY, top_density = -INFINITY, density = 0, e1 = 0, e2 = 0;

    for (int i = 1; i < STEPS; i++) {
        const double t = M_PI * i / STEPS, l = (n - 2) * log(sin(t));

        top_density = fmax(top_density, l);
        top = fmax(top, l + n * cos(t));
    }
    for (int i = 1; i < STEPS; i++) {
        const double t = M_PI * i / STEPS, l = (n - 2) * log(sin(t)), x = n * cos(t);

        density += exp(l - top_density);
        e1 += exp(l + x - top);
        e2 += x * exp(l + x - top);
    }
    return log(e1 / density) + top - top_density - e2 / e1;
}

/* y = (A + I) x, without weights. */
static void multiply(const struct se_graph *g, const double *x, double *y)
{
    for (uint64_t v = 0; v < g->n; v++)
        y[v] = x[v];
    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++) {
            y[u] += x[g->to[e]];
            y[g->to[e]] += x[u];
        }
}

/* The entropy of p, p in proportion to rownorm(A1 A1) q; A1 = A + I, q its row sums plus 1. */
static double structure(const struct se_graph *g, double *row, double *q, double *x)
{
    double sum = 0, h = 0;

    for (uint64_t v = 0; v < g->n; v++)
        x[v] = 1;
    multiply(g, x, q);
    multiply(g, q, row);                        /* row sums of A1 A1 */
    for (uint64_t v = 0; v < g->n; v++)
        q[v] += 1;
    multiply(g, q, x);
    multiply(g, x, q);
    for (uint64_t v = 0; v < g->n; v++) {
        q[v] /= row[v];
        sum += q[v];
    }
    for (uint64_t v = 0; v < g->n; v++)
        h -= q[v] / sum * log(q[v] / sum);
    return h;
}

int se_dims_make(struct se_dims *x, const struct se_graph *g, struct se_err *err)
{
    double *room, low = 2.01, high = 1000, need;

    if (g->n == 0)
        return se_fail(err, SE_EINPUT, "graph: no vertices to embed");
    room = se_alloc(g->n, 3 * sizeof *room, err);
    if (!room)
        return -1;
    x->hs = structure(g, room, room + g->n, room + 2 * g->n);
    free(room);
    need = 2 * log((double)g->n) + x->hs;
    x->linear = need / 0.24;
    for (int i = 0; i < 60; i++) {              /* h falls with n */
        const double middle = (low + high) / 2;

        if (need + se_dims_entropy(middle) > 0)
            low = middle;
        else
            high = middle;
    }
    x->exact = (low + high) / 2;
    return 0;
}
