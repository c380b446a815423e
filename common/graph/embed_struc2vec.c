/* embed_struc2vec.c - struc2vec (Ribeiro et al.): vertices with alike neighbourhoods are near
 *
 * f_k(u, v) adds up, over the rings at 0 .. k hops, how different the sorted degrees in the rings
 * of u and v are (dynamic time warping).  A walk goes from vertex to vertex with probability in
 * proportion to exp(-f_k), now and then to a higher or lower k; vertices that are close in a walk
 * get alike positions (skip-gram with negative samples).  As the authors' fast form does, a vertex
 * is compared with the 2 log2 n vertices whose degrees are the nearest, not with all. */
#include "common/graph/embed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/base/rng.h"
#include "common/base/sort.h"

enum { ROWS = 64, WINDOW = 5, NEGATIVES = 5, MOST_HOPS = 16 };
#define STAY 0.3                /* the probability that a step of a walk stays with its k */

struct run {                    /* equal degrees of a ring */
    uint32_t degree, count;
};

struct rings {                  /* of one vertex: ring k is run[off[k]] .. run[off[k + 1] - 1] */
    struct run *run;
    size_t cap;
    uint64_t off[MOST_HOPS + 2];
};

struct room {                   /* of a thread */
    uint32_t *queue, *seen, *degree;    /* n each */
    double *cost;               /* two rows of the table */
    size_t cost_cap;
    struct se_err err;
    bool failed;
};

struct struc {
    const struct se_adjacency *a;
    uint64_t hops;
    struct rings *ring;         /* n */
    struct room *room;
    /* Pairs that are compared, both ways: those of u are to[off[u]] .. */
    uint64_t *off;
    uint32_t *to;
    double *f;                  /* layers x pairs: f_k, then exp(-f_k) added up within a vertex; a
                                   pair that a layer does not have adds nothing */
    double *up;                 /* layers x n: log(e + pairs of more than the mean weight) */
};

static int by_degree(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* ---- rings ---- */

/* The degrees of a ring into r->degree, ascending; how many are different */
static uint64_t sort_ring(const struct struc *s, struct room *r, uint64_t first, uint64_t last)
{
    const struct se_adjacency *a = s->a;
    uint64_t kinds = 0;

    for (uint64_t i = first; i < last; i++)
        r->degree[i - first] = (uint32_t)(a->off[r->queue[i] + 1] - a->off[r->queue[i]]);
    qsort(r->degree, last - first, sizeof *r->degree, by_degree);
    for (uint64_t i = 0; i < last - first; i++)
        kinds += i == 0 || r->degree[i] != r->degree[i - 1];
    return kinds;
}

/* The degrees at 0 .. hops hops from u */
static void find_rings(struct struc *s, struct room *r, uint32_t u)
{
    const struct se_adjacency *a = s->a;
    struct rings *g = &s->ring[u];
    uint64_t first = 0, last = 1, used = 0;

    r->queue[0] = u;
    r->seen[u] = u + 1;
    for (uint64_t k = 0; k <= s->hops; k++) {
        uint64_t end = last;

        g->off[k] = used;
        if (se_grow(&g->run, &g->cap, used + sort_ring(s, r, first, last), sizeof *g->run,
                    &r->err) < 0) {
            r->failed = true;
            return;
        }
        for (uint64_t i = 0; i < last - first; i++)
            if (i > 0 && r->degree[i] == r->degree[i - 1])
                g->run[used - 1].count++;
            else
                g->run[used++] = (struct run){ r->degree[i], 1 };
        for (; first < last; first++)
            for (uint64_t e = a->off[r->queue[first]]; e < a->off[r->queue[first] + 1]; e++)
                if (r->seen[a->to[e]] != u + 1) {
                    r->seen[a->to[e]] = u + 1;
                    r->queue[end++] = a->to[e];
                }
        last = end;
    }
    g->off[s->hops + 1] = used;
}

static void rings_of_rows(void *arg, uint64_t task, int thread)
{
    struct struc *s = arg;
    const uint64_t n = s->a->n, last = n - task * ROWS < ROWS ? n : (task + 1) * ROWS;

    for (uint64_t u = task * ROWS; u < last && !s->room[thread].failed; u++)
        find_rings(s, &s->room[thread], (uint32_t)u);
}

/* ---- distances ---- */

/* How different two degrees are, once for each vertex that has them */
static double cost_of(struct run x, struct run y)
{
    const uint32_t high = x.degree > y.degree ? x.degree : y.degree;
    const uint32_t low = x.degree > y.degree ? y.degree : x.degree;

    return high == low ? 0 : (double)(high - low) / ((double)low + 1) *
                             (x.count > y.count ? x.count : y.count);
}

/* Dynamic time warping of two sequences of runs, neither empty */
static double warp(const struct run *x, uint64_t nx, const struct run *y, uint64_t ny, double *row)
{
    double *before = row, *now = row + ny;

    for (uint64_t i = 0; i < nx; i++) {
        for (uint64_t j = 0; j < ny; j++) {
            double best = i == 0 && j == 0 ? 0 : INFINITY;

            if (i > 0)
                best = before[j];
            if (j > 0)
                best = fmin(best, now[j - 1]);
            if (i > 0 && j > 0)
                best = fmin(best, before[j - 1]);
            now[j] = best + cost_of(x[i], y[j]);
        }
        double *other = before;

        before = now;
        now = other;
    }
    return before[ny - 1];
}

/* The way back of each pair is as long.  Pairs are sorted, so those to u come in order of u. */
static int mirror(struct struc *s, struct se_err *err)
{
    const uint64_t n = s->a->n, pairs = s->off[n];
    uint64_t *next = se_alloc(n, sizeof *next, err);

    if (!next)
        return -1;
    memcpy(next, s->off, n * sizeof *next);
    for (uint64_t u = 0; u < n; u++)
        for (uint64_t e = s->off[u]; e < s->off[u + 1]; e++) {
            const uint64_t back = next[s->to[e]]++;

            for (uint64_t k = 0; k <= s->hops && s->to[e] > u; k++)
                s->f[k * pairs + back] = s->f[k * pairs + e];
        }
    free(next);
    return 0;
}

/* f_0 .. f_hops of the pair at place e; infinite from the first ring on that one does not have */
static void compare(struct struc *s, struct room *r, uint32_t u, uint64_t e)
{
    const struct rings *x = &s->ring[u], *y = &s->ring[s->to[e]];
    const uint64_t pairs = s->off[s->a->n];
    double f = 0;

    for (uint64_t k = 0; k <= s->hops; k++) {
        const uint64_t nx = x->off[k + 1] - x->off[k], ny = y->off[k + 1] - y->off[k];

        if (nx == 0 || ny == 0)
            f = INFINITY;
        else if (se_grow(&r->cost, &r->cost_cap, 2 * ny, sizeof *r->cost, &r->err) < 0)
            r->failed = true;
        if (r->failed)
            return;
        if (f < INFINITY)
            f += warp(x->run + x->off[k], nx, y->run + y->off[k], ny, r->cost);
        s->f[k * pairs + e] = f;
    }
}

static void compare_rows(void *arg, uint64_t task, int thread)
{
    struct struc *s = arg;
    const uint64_t n = s->a->n, last = n - task * ROWS < ROWS ? n : (task + 1) * ROWS;

    for (uint64_t u = task * ROWS; u < last; u++)
        for (uint64_t e = s->off[u]; e < s->off[u + 1] && !s->room[thread].failed; e++)
            if (s->to[e] > u)
                compare(s, &s->room[thread], (uint32_t)u, e);
}

/* Each vertex with those next to it in the order of degrees, both ways */
static int choose_pairs(struct struc *s, struct se_err *err)
{
    const uint64_t n = s->a->n;
    uint64_t reach = 1, count = 0, *order, *scratch, *pair;

    while ((1ull << reach) < n)
        reach++;
    order = se_alloc(2 * n, sizeof *order, err);
    pair = order ? se_alloc(4 * n * reach, sizeof *pair, err) : NULL;
    s->off = pair ? se_zalloc(n + 1, sizeof *s->off, err) : NULL;
    s->to = s->off ? se_alloc(2 * n * reach, sizeof *s->to, err) : NULL;
    if (s->to) {
        scratch = order + n;
        for (uint64_t v = 0; v < n; v++)
            order[v] = (s->a->off[v + 1] - s->a->off[v]) << 32 | v;
        se_sort_u64(order, scratch, n);
        for (uint64_t i = 0; i < n; i++)
            for (uint64_t j = i + 1; j < n && j <= i + reach; j++) {
                const uint64_t u = order[i] & UINT32_MAX, v = order[j] & UINT32_MAX;

                pair[count++] = u << 32 | v;
                pair[count++] = v << 32 | u;
            }
        se_sort_u64(pair, pair + 2 * n * reach, count);
        for (uint64_t i = 0; i < count; i++) {
            s->to[i] = (uint32_t)pair[i];
            s->off[(pair[i] >> 32) + 1]++;
        }
        for (uint64_t v = 0; v < n; v++)
            s->off[v + 1] += s->off[v];
    }
    free(pair);
    free(order);
    return s->to ? 0 : -1;
}

/* From f to weights that add up within a vertex, and to the way up */
static void weigh(struct struc *s)
{
    const uint64_t n = s->a->n, pairs = s->off[n];

    for (uint64_t k = 0; k <= s->hops; k++) {
        double *f = s->f + k * pairs, mean = 0;
        uint64_t count = 0;

        for (uint64_t e = 0; e < pairs; e++) {
            count += f[e] < INFINITY;
            f[e] = exp(-f[e]);
            mean += f[e];
        }
        mean = count ? mean / (double)count : 0;
        for (uint64_t v = 0; v < n; v++) {
            uint64_t above = 0;
            double sum = 0;

            for (uint64_t e = s->off[v]; e < s->off[v + 1]; e++) {
                above += f[e] > mean;
                f[e] = sum += f[e];
            }
            s->up[k * n + v] = sum > 0 ? log(exp(1) + (double)above) : 0;
        }
    }
}

/* ---- walks ---- */

static uint32_t draw(const struct struc *s, uint32_t u, uint64_t k, struct se_rng *r)
{
    const double *f = s->f + k * s->off[s->a->n];
    uint64_t low = s->off[u], high = s->off[u + 1] - 1;
    const double x = se_rng_unit(r) * f[high];

    while (low < high) {                        /* the first that is above x */
        const uint64_t middle = (low + high) / 2;

        if (f[middle] > x)
            high = middle;
        else
            low = middle + 1;
    }
    return s->to[low];
}

/* The vertices of a walk from u, u first.  The weight down is 1. */
static void walk(const struct struc *s, uint32_t u, struct se_rng *r, uint64_t length,
                 uint32_t *token)
{
    const uint64_t n = s->a->n;
    uint64_t k = 0, at = 0;

    token[at++] = u;
    while (at < length) {
        if (se_rng_unit(r) < STAY) {
            if (s->up[k * n + u] > 0)
                u = draw(s, u, k, r);
            while (k > 0 && s->up[k * n + u] == 0)
                k--;
            token[at++] = u;
            continue;
        }
        const bool higher = k < s->hops && s->up[(k + 1) * n + u] > 0;
        const double up = s->up[k * n + u], x = se_rng_unit(r);

        if (higher && (k == 0 || x < up / (up + 1)))
            k++;
        else if (k > 0)
            k--;
    }
}

/* ---- skip-gram ---- */

struct gram {
    uint64_t n, dims;
    double *x, *context, *move; /* n x dims, n x dims, dims */
};

static void pull(struct gram *g, const double *x, uint32_t other, bool near, double rate)
{
    double *c = g->context + other * g->dims, z = 0, d;

    for (uint64_t k = 0; k < g->dims; k++)
        z += x[k] * c[k];
    d = rate * ((near ? 1 : 0) - 1 / (1 + exp(-z)));
    for (uint64_t k = 0; k < g->dims; k++) {
        g->move[k] += d * c[k];
        c[k] += d * x[k];
    }
}

static void learn_walk(struct gram *g, const uint32_t *token, uint64_t length, double rate,
                       struct se_rng *r)
{
    for (uint64_t i = 0; i < length; i++) {
        const uint64_t reach = 1 + se_rng_below(r, WINDOW);

        for (uint64_t j = i > reach ? i - reach : 0; j <= i + reach && j < length; j++) {
            double *x = g->x + token[i] * g->dims;

            if (j == i)
                continue;
            memset(g->move, 0, g->dims * sizeof *g->move);
            pull(g, x, token[j], true, rate);
            for (int k = 0; k < NEGATIVES; k++)
                pull(g, x, (uint32_t)se_rng_below(r, g->n), false, rate);
            for (uint64_t k = 0; k < g->dims; k++)
                x[k] += g->move[k];
        }
    }
}

static int learn(const struct struc *s, const struct se_embed_options *o, float *row,
                 struct se_err *err)
{
    const uint64_t n = s->a->n, size = n * o->dims;
    struct gram g = { .n = n, .dims = o->dims };
    uint32_t *token = se_alloc(o->length, sizeof *token, err);
    struct se_rng r;

    g.x = token ? se_zalloc(2 * size + o->dims, sizeof *g.x, err) : NULL;
    if (g.x) {
        g.context = g.x + size;
        g.move = g.context + size;
        se_rng_init(&r, o->seed, SE_RNG_WALKS, UINT64_MAX);
        for (uint64_t i = 0; i < size; i++)
            g.x[i] = (se_rng_unit(&r) - 0.5) / (double)o->dims;
        for (uint64_t w = 0; w < o->walks; w++)
            for (uint64_t v = 0; v < n; v++) {
                const double done = ((double)w + (double)v / (double)n) / (double)o->walks;

                se_rng_init(&r, o->seed, SE_RNG_WALKS, w * n + v);
                walk(s, (uint32_t)v, &r, o->length, token);
                learn_walk(&g, token, o->length, 0.025 * fmax(1 - done, 1e-2), &r);
            }
        for (uint64_t i = 0; i < size; i++)
            row[i] = (float)g.x[i];
    }
    free(token);
    free(g.x);
    return g.x ? 0 : -1;
}

/* ---- all of it ---- */

static int make_rooms(struct struc *s, int threads, struct se_err *err)
{
    const uint64_t n = s->a->n;

    s->room = se_zalloc((uint64_t)threads, sizeof *s->room, err);
    for (int i = 0; s->room && i < threads; i++) {
        struct room *r = &s->room[i];

        r->queue = se_alloc(n, sizeof *r->queue, err);
        r->degree = r->queue ? se_alloc(n, sizeof *r->degree, err) : NULL;
        r->seen = r->degree ? se_zalloc(n, sizeof *r->seen, err) : NULL;
        if (!r->seen)
            return -1;
    }
    return s->room ? 0 : -1;
}

static int check_rooms(const struct struc *s, int threads, struct se_err *err)
{
    for (int i = 0; i < threads; i++)
        if (s->room[i].failed) {
            *err = s->room[i].err;
            return -1;
        }
    return 0;
}

static int run(struct struc *s, const struct se_embed_options *o, float *row, struct se_err *err)
{
    const uint64_t n = s->a->n, tasks = (n + ROWS - 1) / ROWS;

    s->ring = se_zalloc(n, sizeof *s->ring, err);
    if (!s->ring || make_rooms(s, o->threads, err) < 0 || choose_pairs(s, err) < 0)
        return -1;
    s->f = se_alloc((s->hops + 1) * s->off[n], sizeof *s->f, err);
    s->up = s->f ? se_alloc((s->hops + 1) * n, sizeof *s->up, err) : NULL;
    if (!s->up)
        return -1;
    se_parallel(o->threads, tasks, rings_of_rows, s);
    if (check_rooms(s, o->threads, err) < 0)
        return -1;
    se_parallel(o->threads, tasks, compare_rows, s);
    if (check_rooms(s, o->threads, err) < 0 || mirror(s, err) < 0)
        return -1;
    weigh(s);
    return learn(s, o, row, err);
}

int se_embed_struc2vec(const struct se_adjacency *a, const struct se_embed_options *o, float *row,
                       uint8_t *placed, struct se_err *err)
{
    struct struc s = { .a = a, .hops = o->hops < MOST_HOPS ? o->hops : MOST_HOPS };
    const int rc = a->n > 0 ? run(&s, o, row, err) : 0;

    memset(placed, 1, a->n);
    for (uint64_t v = 0; s.ring && v < a->n; v++)
        free(s.ring[v].run);
    for (int i = 0; s.room && i < o->threads; i++) {
        free(s.room[i].queue);
        free(s.room[i].degree);
        free(s.room[i].seen);
        free(s.room[i].cost);
    }
    free(s.ring);
    free(s.room);
    free(s.off);
    free(s.to);
    free(s.f);
    free(s.up);
    return rc;
}
