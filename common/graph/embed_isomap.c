/* embed_isomap.c - Isomap from landmarks: distances in the graph, then classical scaling
 *
 * Landmarks are chosen one after the other, each the farthest from those before.  Their distances
 * are scaled exactly; every other vertex is placed by its distances to them (de Silva and
 * Tenenbaum).  With as many landmarks as vertices this is Isomap itself. */
#include "common/graph/embed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/graph/lowrank.h"

struct isomap {
    const struct se_adjacency *a;
    uint64_t count;             /* landmarks */
    uint32_t *landmark;
    uint32_t *queue, *hop;      /* n: breadth-first search; hops from its start, SE_NONE: unreached */
    uint32_t *nearest;          /* n: hops to the nearest landmark so far */
    double *square, *vector;    /* count x count: squared distances, then centred; eigenvectors */
    double *mean, *value;       /* count: of the squared distances of a landmark; eigenvalues */
};

/* From `start` to all that were not reached before: how many */
static uint64_t spread(struct isomap *x, uint32_t start)
{
    const struct se_adjacency *a = x->a;
    uint64_t end = 1;

    x->queue[0] = start;
    x->hop[start] = 0;
    for (uint64_t first = 0; first < end; first++) {
        const uint32_t u = x->queue[first];

        for (uint64_t e = a->off[u]; e < a->off[u + 1]; e++)
            if (x->hop[a->to[e]] == SE_NONE) {
                x->hop[a->to[e]] = x->hop[u] + 1;
                x->queue[end++] = a->to[e];
            }
    }
    return end;
}

static void search(struct isomap *x, uint32_t start)
{
    memset(x->hop, 0xff, x->a->n * sizeof *x->hop);
    spread(x, start);
}

/* The vertex of the largest degree in the largest component, the first of equals each */
static uint32_t find_start(struct isomap *x, uint8_t *placed)
{
    const struct se_adjacency *a = x->a;
    uint64_t most = 0;
    uint32_t best = 0;

    memset(x->hop, 0xff, a->n * sizeof *x->hop);
    for (uint64_t v = 0; v < a->n; v++) {
        const uint64_t size = x->hop[v] == SE_NONE ? spread(x, (uint32_t)v) : 0;

        if (size > most) {
            most = size;
            best = (uint32_t)v;
        }
    }
    search(x, best);
    for (uint64_t v = 0; v < a->n; v++) {
        placed[v] = x->hop[v] != SE_NONE;
        if (placed[v] && a->off[v + 1] - a->off[v] > a->off[best + 1] - a->off[best])
            best = (uint32_t)v;
    }
    return best;
}

/* The landmarks, and the squared distances among them */
static void choose(struct isomap *x, uint8_t *placed)
{
    const uint64_t n = x->a->n, room = x->count;
    uint32_t next = find_start(x, placed);

    memset(x->nearest, 0xff, n * sizeof *x->nearest);
    for (x->count = 0; x->count < room; x->count++) {
        const uint64_t i = x->count;
        uint32_t far = 0;

        x->landmark[i] = next;
        search(x, next);
        for (uint64_t j = 0; j <= i; j++) {
            const double d = x->hop[x->landmark[j]];

            x->square[i * room + j] = x->square[j * room + i] = d * d;
        }
        for (uint64_t v = 0; v < n; v++)
            if (placed[v]) {
                if (x->hop[v] < x->nearest[v])
                    x->nearest[v] = x->hop[v];
                if (x->nearest[v] > far) {
                    far = x->nearest[v];
                    next = (uint32_t)v;
                }
            }
        if (far == 0 && i + 1 < room) {         /* every vertex is a landmark */
            x->count++;
            break;
        }
    }
    for (uint64_t i = 1; i < x->count && x->count < room; i++)
        memmove(x->square + i * x->count, x->square + i * room, x->count * sizeof *x->square);
}

/* B = -1/2 J D J */
static void centre(struct isomap *x)
{
    const uint64_t m = x->count;
    double all = 0;

    for (uint64_t i = 0; i < m; i++) {
        x->mean[i] = 0;
        for (uint64_t j = 0; j < m; j++)
            x->mean[i] += x->square[i * m + j] / (double)m;
        all += x->mean[i] / (double)m;
    }
    for (uint64_t i = 0; i < m; i++)
        for (uint64_t j = 0; j < m; j++)
            x->square[i * m + j] = -0.5 * (x->square[i * m + j] - x->mean[i] - x->mean[j] + all);
}

/* The number of the largest size in column c is made positive, the first of nearly equal ones. */
static double sign_of(const struct isomap *x, uint64_t c)
{
    double most = 0, sign = 1;

    for (uint64_t i = 0; i < x->count; i++) {
        const double v = x->vector[i * x->count + c];

        if (fabs(v) > most * (1 + 1e-6)) {
            most = fabs(v);
            sign = v < 0 ? -1 : 1;
        }
    }
    return sign;
}

/* The columns of the `dims` largest eigenvalues, in the order of se_eigen(), and the factor of each.
 * Negative ones stand for no distance.  Returns how many there are. */
static uint64_t find_axes(const struct isomap *x, uint64_t dims, uint64_t *which, double *scale)
{
    uint64_t found = 0;

    for (uint64_t c = 0; c < x->count && found < dims; c++)
        if (x->value[c] > (found ? 1e-9 * x->value[which[0]] : 0)) {
            which[found] = c;
            scale[found++] = -0.5 * sign_of(x, c) / sqrt(x->value[c]);
        }
    return found;
}

/* Every vertex by its distances to the landmarks; the searches are made again, so that memory
 * does not grow with the landmarks. */
static void place(struct isomap *x, const uint8_t *placed, uint64_t dims, uint64_t *which,
                  double *scale, double *sum, float *row)
{
    const uint64_t m = x->count, n = x->a->n, found = find_axes(x, dims, which, scale);

    memset(sum, 0, n * dims * sizeof *sum);
    for (uint64_t i = 0; i < m; i++) {
        search(x, x->landmark[i]);
        for (uint64_t k = 0; k < found; k++) {
            const double step = scale[k] * x->vector[i * m + which[k]];

            for (uint64_t u = 0; u < n; u++)
                if (placed[u])
                    sum[u * dims + k] += step * ((double)x->hop[u] * (double)x->hop[u] -
                                                 x->mean[i]);
        }
    }
    for (uint64_t i = 0; i < n * dims; i++)
        row[i] = (float)sum[i];
}

int se_embed_isomap(const struct se_adjacency *a, const struct se_embed_options *o, float *row,
                    uint8_t *placed, struct se_err *err)
{
    const uint64_t n = a->n, room = o->landmarks < n ? o->landmarks : n;
    struct isomap x = { .a = a, .count = room };
    uint64_t *which = se_zalloc(o->dims, sizeof *which, err);
    double *scale = which ? se_alloc(o->dims, sizeof *scale, err) : NULL;
    double *sum = scale ? se_alloc(n * o->dims, sizeof *sum, err) : NULL;
    int rc;

    x.landmark = sum ? se_alloc(room, sizeof *x.landmark, err) : NULL;
    x.queue = x.landmark ? se_alloc(n, sizeof *x.queue, err) : NULL;
    x.hop = x.queue ? se_alloc(n, sizeof *x.hop, err) : NULL;
    x.nearest = x.hop ? se_alloc(n, sizeof *x.nearest, err) : NULL;
    x.square = x.nearest ? se_zalloc(room * room, sizeof *x.square, err) : NULL;
    x.vector = x.square ? se_alloc(room * room, sizeof *x.vector, err) : NULL;
    x.mean = x.vector ? se_alloc(room, sizeof *x.mean, err) : NULL;
    x.value = x.mean ? se_alloc(room, sizeof *x.value, err) : NULL;
    if (x.value && n > 0) {
        choose(&x, placed);
        centre(&x);
        se_eigen(x.count, x.square, x.value, x.vector);
        place(&x, placed, o->dims, which, scale, sum, row);
    }
    rc = x.value ? 0 : -1;
    free(x.value);
    free(x.mean);
    free(x.vector);
    free(x.square);
    free(x.nearest);
    free(x.hop);
    free(x.queue);
    free(x.landmark);
    free(sum);
    free(scale);
    free(which);
    return rc;
}
