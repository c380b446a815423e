/* wedge.c - how strongly two vertices are joined through common neighbours */
#include "common/graph/wedge.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/base/sort.h"

enum { ROWS = 64 };             /* vertices a task */

static double weight_of(const struct se_adjacency *w, uint64_t arc)
{
    return w->weight ? w->weight[arc] : 1;
}

static uint64_t arcs_of(const struct se_adjacency *w, uint64_t v)
{
    return w->off[v + 1] - w->off[v];
}

/* 1 / D of each vertex, 0 where D is 0. */
static double *inverse_degrees(const struct se_adjacency *w, struct se_err *err)
{
    double *inverse = se_alloc(w->n, sizeof *inverse, err);

    for (uint64_t v = 0; inverse && v < w->n; v++) {
        double d = 0;

        for (uint64_t i = w->off[v]; i < w->off[v + 1]; i++)
            d += weight_of(w, i);
        inverse[v] = d > 0 ? 1 / d : 0;
    }
    return inverse;
}

struct scoring {
    const struct se_adjacency *w;
    const uint64_t *key;
    const double *inverse;
    uint64_t *first, *pair;     /* pairs by the end with more neighbours */
    double *row, *score;        /* row: n numbers for each thread, all 0 between tasks */
};

/* The end whose neighbours are spread out; those of the other are walked along. */
static uint32_t spread_end(const struct se_adjacency *w, uint64_t key)
{
    const uint32_t u = (uint32_t)(key >> 32), v = (uint32_t)key;

    return arcs_of(w, v) > arcs_of(w, u) ? v : u;
}

static int group_pairs(struct scoring *s, uint64_t pairs, struct se_err *err)
{
    const uint64_t n = s->w->n;

    s->first = se_zalloc(n + 2, sizeof *s->first, err);
    s->pair = s->first ? se_alloc(pairs, sizeof *s->pair, err) : NULL;
    if (!s->pair)
        return -1;
    for (uint64_t i = 0; i < pairs; i++)
        s->first[spread_end(s->w, s->key[i]) + (uint64_t)2]++;
    for (uint64_t v = 2; v < n + 2; v++)
        s->first[v] += s->first[v - 1];
    for (uint64_t i = 0; i < pairs; i++)
        s->pair[s->first[spread_end(s->w, s->key[i]) + (uint64_t)1]++] = i;
    return 0;
}

static void score_rows(void *arg, uint64_t task, int thread)
{
    const struct scoring *s = arg;
    const struct se_adjacency *w = s->w;
    const uint64_t last = w->n - task * ROWS < ROWS ? w->n : (task + 1) * ROWS;
    double *row = s->row + (uint64_t)thread * w->n;

    for (uint64_t u = task * ROWS; u < last; u++) {
        if (s->first[u] == s->first[u + 1])
            continue;
        for (uint64_t i = w->off[u]; i < w->off[u + 1]; i++)
            row[w->to[i]] = weight_of(w, i) * s->inverse[w->to[i]];
        for (uint64_t p = s->first[u]; p < s->first[u + 1]; p++) {
            const uint64_t key = s->key[s->pair[p]];
            const uint32_t v = key >> 32 == u ? (uint32_t)key : (uint32_t)(key >> 32);
            double sum = 0;

            for (uint64_t i = w->off[v]; i < w->off[v + 1]; i++)
                sum += row[w->to[i]] * weight_of(w, i);
            s->score[s->pair[p]] = sum;
        }
        for (uint64_t i = w->off[u]; i < w->off[u + 1]; i++)
            row[w->to[i]] = 0;
    }
}

int se_wedge_scores(const struct se_adjacency *w, const uint64_t *key, uint64_t pairs,
                    int threads, double *score, struct se_err *err)
{
    struct scoring s = { .w = w, .key = key, .score = score };
    double *inverse = inverse_degrees(w, err);
    int rc = -1;

    s.inverse = inverse;
    s.row = inverse ? se_zalloc((uint64_t)threads * w->n, sizeof *s.row, err) : NULL;
    if (s.row && group_pairs(&s, pairs, err) == 0) {
        se_parallel(threads, (w->n + ROWS - 1) / ROWS, score_rows, &s);
        rc = 0;
    }
    free(inverse);
    free(s.row);
    free(s.first);
    free(s.pair);
    return rc;
}

/* ---- the best pairs ---- */

struct proposing {
    const struct se_adjacency *w, *except;
    const double *inverse;
    uint64_t k, most;
    double *row;                /* as above, all -1: not met */
    uint32_t *met;              /* n for each thread */
    uint32_t *best;             /* k for each vertex, SE_NONE: no more */
};

/* Is a better than b? */
static bool better(const double *row, uint32_t a, uint32_t b)
{
    const double x = row[a], y = row[b];

    return x > y || (x == y && a < b);
}

/* Move the entry at i of a heap, whose worst is first, down to its place. */
static void sift(const double *row, uint32_t *heap, uint64_t count, uint64_t i)
{
    for (uint64_t c; (c = 2 * i + 1) < count; i = c) {
        const uint32_t x = heap[i];

        if (c + 1 < count && better(row, heap[c], heap[c + 1]))
            c++;
        if (!better(row, x, heap[c]))
            break;
        heap[i] = heap[c];
        heap[c] = x;
    }
}

static void keep_best(const double *row, const uint32_t *met, uint64_t count, uint32_t *best,
                      uint64_t k)
{
    uint64_t have = 0;

    for (uint64_t i = 0; i < count; i++) {
        if (row[met[i]] <= 0)
            continue;
        if (have < k) {
            best[have++] = met[i];
            if (have == k)
                for (uint64_t j = k; j-- > 0;)
                    sift(row, best, k, j);
        } else if (better(row, met[i], best[0])) {
            best[0] = met[i];
            sift(row, best, k, 0);
        }
    }
    for (; have < k; have++)
        best[have] = SE_NONE;
}

static uint64_t meet(const struct proposing *p, uint64_t u, double *row, uint32_t *met)
{
    const struct se_adjacency *w = p->w;
    uint64_t count = 0;

    for (uint64_t i = w->off[u]; i < w->off[u + 1]; i++) {
        const uint32_t x = w->to[i];
        const double part = weight_of(w, i) * p->inverse[x];

        if (arcs_of(w, x) > p->most)
            continue;
        for (uint64_t j = w->off[x]; j < w->off[x + 1]; j++) {
            const uint32_t v = w->to[j];

            if (row[v] < 0) {
                row[v] = 0;
                met[count++] = v;
            }
            row[v] += part * weight_of(w, j);
        }
    }
    return count;
}

static void propose_rows(void *arg, uint64_t task, int thread)
{
    const struct proposing *p = arg;
    const uint64_t n = p->w->n, last = n - task * ROWS < ROWS ? n : (task + 1) * ROWS;
    double *row = p->row + (uint64_t)thread * n;
    uint32_t *met = p->met + (uint64_t)thread * n;

    for (uint64_t u = task * ROWS; u < last; u++) {
        const uint64_t count = meet(p, u, row, met);

        if (row[u] >= 0)
            row[u] = 0;                         /* neither itself nor its neighbours */
        for (uint64_t i = p->except->off[u]; i < p->except->off[u + 1]; i++)
            if (row[p->except->to[i]] >= 0)
                row[p->except->to[i]] = 0;
        keep_best(row, met, count, p->best + u * p->k, p->k);
        for (uint64_t i = 0; i < count; i++)
            row[met[i]] = -1;
    }
}

/* Sorted pairs, each once, of the lists. */
static int gather(const struct proposing *p, uint64_t **key, uint64_t *pairs,
                  struct se_err *err)
{
    const uint64_t n = p->w->n;
    uint64_t *all = se_alloc(n * p->k, sizeof *all, err), count = 0, kept = 0;
    uint64_t *scratch = all ? se_alloc(n * p->k, sizeof *scratch, err) : NULL;

    if (!scratch) {
        free(all);
        return -1;
    }
    for (uint64_t u = 0; u < n; u++)
        for (uint64_t i = u * p->k; i < (u + 1) * p->k && p->best[i] != SE_NONE; i++) {
            const uint64_t v = p->best[i];

            all[count++] = u < v ? u << 32 | v : v << 32 | u;
        }
    se_sort_u64(all, scratch, count);
    for (uint64_t i = 0; i < count; i++)
        if (i == 0 || all[i] != all[i - 1])
            all[kept++] = all[i];
    free(scratch);
    *key = all;
    *pairs = kept;
    return 0;
}

int se_wedge_best(const struct se_adjacency *w, const struct se_adjacency *except, uint64_t k,
                  uint64_t most, int threads, uint64_t **key, uint64_t *pairs,
                  struct se_err *err)
{
    struct proposing p = { .w = w, .except = except, .k = k, .most = most };
    const uint64_t room = (uint64_t)threads * w->n;
    double *inverse = inverse_degrees(w, err);
    int rc = -1;

    p.inverse = inverse;
    p.row = inverse ? se_alloc(room, sizeof *p.row, err) : NULL;
    p.met = p.row ? se_alloc(room, sizeof *p.met, err) : NULL;
    p.best = p.met && k <= UINT64_MAX / 8 / (w->n + 1) ? se_alloc(w->n * k, sizeof *p.best, err)
                                                       : NULL;
    if (p.best) {
        for (uint64_t i = 0; i < room; i++)
            p.row[i] = -1;
        se_parallel(threads, (w->n + ROWS - 1) / ROWS, propose_rows, &p);
        rc = gather(&p, key, pairs, err);
    }
    free(inverse);
    free(p.row);
    free(p.met);
    free(p.best);
    return rc;
}
