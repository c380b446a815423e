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

enum { SWEEPS = 60 };

struct isomap {
    const struct se_adjacency *a;
    uint64_t count;             /* landmarks */
    uint32_t *landmark;
    uint32_t *queue, *hop;      /* n: breadth-first search; hops from its start, SE_NONE: unreached */
    uint32_t *nearest;          /* n: hops to the nearest landmark so far */
    double *square, *vector;    /* count x count: squared distances, then centred; eigenvectors */
    double *mean;               /* count: of the squared distances of a landmark */
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

/* Turn rows and columns p and q of the symmetric b so that b_pq becomes 0 (Jacobi). */
static void turn(double *b, double *vector, uint64_t m, uint64_t p, uint64_t q)
{
    const double theta = (b[q * m + q] - b[p * m + p]) / (2 * b[p * m + q]);
    const double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
    const double c = 1 / sqrt(t * t + 1), s = t * c;

    for (uint64_t k = 0; k < m; k++) {
        const double x = b[k * m + p], y = b[k * m + q];

        b[k * m + p] = c * x - s * y;
        b[k * m + q] = s * x + c * y;
    }
    for (uint64_t k = 0; k < m; k++) {
        const double x = b[p * m + k], y = b[q * m + k];

        b[p * m + k] = c * x - s * y;
        b[q * m + k] = s * x + c * y;
    }
    for (uint64_t k = 0; k < m; k++) {          /* rows of `vector` are the eigenvectors */
        const double x = vector[p * m + k], y = vector[q * m + k];

        vector[p * m + k] = c * x - s * y;
        vector[q * m + k] = s * x + c * y;
    }
}

/* Eigenvalues of b end up on its diagonal. */
static void diagonalise(double *b, double *vector, uint64_t m)
{
    double size = 0;

    memset(vector, 0, m * m * sizeof *vector);
    for (uint64_t i = 0; i < m; i++)
        vector[i * m + i] = 1;
    for (uint64_t i = 0; i < m * m; i++)
        size += b[i] * b[i];
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        double off = 0;

        for (uint64_t p = 0; p < m; p++)
            for (uint64_t q = p + 1; q < m; q++)
                off += b[p * m + q] * b[p * m + q];
        if (off <= 1e-26 * size)
            return;
        for (uint64_t p = 0; p < m; p++)
            for (uint64_t q = p + 1; q < m; q++)
                if (b[p * m + q] * b[p * m + q] > 1e-30 * size / (double)(m * m))
                    turn(b, vector, m, p, q);
    }
}

/* The row of the k-th largest eigenvalue, the first of equals */
static uint64_t largest(const double *b, uint64_t m, const uint64_t *taken, uint64_t k)
{
    uint64_t best = m;

    for (uint64_t i = 0; i < m; i++) {
        bool free = true;

        for (uint64_t j = 0; j < k; j++)
            free &= taken[j] != i;
        if (free && (best == m || b[i * m + i] > b[best * m + best]))
            best = i;
    }
    return best;
}

/* The number of the largest size is positive, the first of nearly equal ones. */
static double sign_of(const double *v, uint64_t m)
{
    double most = 0, sign = 1;

    for (uint64_t i = 0; i < m; i++)
        if (fabs(v[i]) > most * (1 + 1e-6)) {
            most = fabs(v[i]);
            sign = v[i] < 0 ? -1 : 1;
        }
    return sign;
}

/* Every vertex by its distances to the landmarks; the searches are made again, so that memory
 * does not grow with the landmarks. */
static void place(struct isomap *x, const uint8_t *placed, uint64_t dims, const uint64_t *which,
                  double *sum, float *row)
{
    const uint64_t m = x->count, n = x->a->n;
    const double top = x->square[which[0] * m + which[0]];

    memset(sum, 0, n * dims * sizeof *sum);
    for (uint64_t i = 0; i < m; i++) {
        search(x, x->landmark[i]);
        for (uint64_t k = 0; k < dims && k < m; k++) {
            const double *v = x->vector + which[k] * m, value = x->square[which[k] * m + which[k]];
            const double scale = value > 1e-9 * top ? -0.5 * sign_of(v, m) / sqrt(value) : 0;

            for (uint64_t u = 0; u < n; u++)
                if (placed[u])
                    sum[u * dims + k] += scale * v[i] * ((double)x->hop[u] * (double)x->hop[u] -
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
    double *sum = which ? se_alloc(n * o->dims, sizeof *sum, err) : NULL;
    int rc;

    x.landmark = sum ? se_alloc(room, sizeof *x.landmark, err) : NULL;
    x.queue = x.landmark ? se_alloc(n, sizeof *x.queue, err) : NULL;
    x.hop = x.queue ? se_alloc(n, sizeof *x.hop, err) : NULL;
    x.nearest = x.hop ? se_alloc(n, sizeof *x.nearest, err) : NULL;
    x.square = x.nearest ? se_zalloc(room * room, sizeof *x.square, err) : NULL;
    x.vector = x.square ? se_alloc(room * room, sizeof *x.vector, err) : NULL;
    x.mean = x.vector ? se_alloc(room, sizeof *x.mean, err) : NULL;
    if (x.mean && n > 0) {
        choose(&x, placed);
        centre(&x);
        diagonalise(x.square, x.vector, x.count);
        for (uint64_t k = 0; k < o->dims && k < x.count; k++)
            which[k] = largest(x.square, x.count, which, k);
        place(&x, placed, o->dims, which, sum, row);
    }
    rc = x.mean ? 0 : -1;
    free(x.mean);
    free(x.vector);
    free(x.square);
    free(x.nearest);
    free(x.hop);
    free(x.queue);
    free(x.landmark);
    free(sum);
    free(which);
    return rc;
}
