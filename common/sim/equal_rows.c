/* equal_rows.c - vertices with equal rows */
#include "common/sim/equal_rows.h"

#include <string.h>

#include "common/base/keyed.h"
#include "common/base/mem.h"
#include "common/base/parallel.h"

enum { ROWS_PER_TASK = 1024 };

/* --- finding them --- */

static inline uint32_t bits(float x)
{
    union { float f; uint32_t u; } y = { x + 0.0f };    /* -0 becomes 0 */

    return y.u;
}

static uint64_t hash_row(const struct se_features *x, uint64_t i, const uint64_t key[2])
{
    uint64_t h = 1;

    if (x->dense)
        for (uint64_t t = 0; t < x->d; t++)
            h = se_hash_word(key, h, bits(x->dense[i * x->d + t]));
    else
        for (uint64_t e = x->off[i]; e < x->off[i + 1]; e++)
            h = se_hash_word(key, h, (uint64_t)x->col[e] << 32 |
                                     (x->value ? bits(x->value[e]) : 1));
    return se_hash_word(key, h, 0);
}

static bool same_row(const struct se_features *x, uint64_t i, uint64_t j)
{
    const uint64_t a = x->dense ? i * x->d : x->off[i], b = x->dense ? j * x->d : x->off[j];
    const uint64_t len = x->dense ? x->d : x->off[i + 1] - a;
    const float *value = x->dense ? x->dense : x->value;

    if (!x->dense && (x->off[j + 1] - b != len ||
                      memcmp(x->col + a, x->col + b, len * sizeof *x->col) != 0))
        return false;
    for (uint64_t t = 0; value && t < len; t++)
        if (value[a + t] != value[b + t])
            return false;
    return true;
}

struct hashing {
    const struct se_sim_rows *rows;
    uint64_t first, n;
    uint64_t *hash;             /* n */
    const uint64_t *key;
};

static void hash_task(void *arg, uint64_t task, int thread)
{
    struct hashing *h = arg;
    const uint64_t key[2] = { h->key[0], h->key[1] };
    const uint64_t last = (task + 1) * ROWS_PER_TASK;

    (void)thread;
    for (uint64_t i = task * ROWS_PER_TASK; i < last && i < h->n; i++)
        h->hash[i] = hash_row(&h->rows->x, h->first + i, key);
}

/* Enter the vertices in ascending order, so that the first of a group is its lowest. */
static void enter(struct se_sim_groups *g, const struct se_sim_rows *r, const uint64_t *hash,
                  uint32_t *table, uint64_t mask)
{
    for (uint64_t i = 0; i < g->n; i++) {
        const uint64_t v = g->first + i;
        uint64_t slot = hash[i] & mask;

        if (r->scale[v].inverse == 0) {
            g->group[i] = SE_NONE;
            g->flats++;
            continue;
        }
        for (; table[slot] != SE_NONE; slot = (slot + 1) & mask) {
            const uint32_t u = g->row[table[slot]];

            if (hash[u - g->first] == hash[i] && same_row(&r->x, u, v))
                break;
        }
        if (table[slot] == SE_NONE) {
            table[slot] = (uint32_t)g->m;
            g->row[g->m++] = (uint32_t)v;
        }
        g->group[i] = table[slot];
    }
}

static int list_members(struct se_sim_groups *g, struct se_err *err)
{
    g->off = se_zalloc(g->m + 2, sizeof *g->off, err);
    g->member = g->off ? se_alloc(g->n - g->flats, sizeof *g->member, err) : NULL;
    if (!g->member)
        return -1;
    for (uint64_t v = 0; v < g->n; v++)
        if (g->group[v] != SE_NONE)
            g->off[g->group[v] + 2]++;
    for (uint64_t i = 0; i < g->m; i++)
        g->off[i + 2] += g->off[i + 1];
    for (uint64_t v = 0; v < g->n; v++)
        if (g->group[v] != SE_NONE)
            g->member[g->off[g->group[v] + 1]++] = (uint32_t)(g->first + v);
    return 0;
}

int se_sim_groups_make(struct se_sim_groups *g, const struct se_sim_rows *r, uint64_t first,
                       uint64_t last, int threads, struct se_err *err)
{
    struct hashing h = { r, first, last - first, NULL, se_hash_key() };
    uint64_t size = 16;
    uint32_t *table;

    g->first = first;
    g->n = last - first;
    while (size < 2 * g->n)
        size *= 2;
    table = se_alloc(size, sizeof *table, err);
    h.hash = table ? se_alloc(g->n, sizeof *h.hash, err) : NULL;
    g->row = h.hash ? se_alloc(g->n, sizeof *g->row, err) : NULL;
    g->group = g->row ? se_alloc(g->n, sizeof *g->group, err) : NULL;
    if (g->group) {
        memset(table, 0xff, size * sizeof *table);
        se_parallel(threads, (g->n + ROWS_PER_TASK - 1) / ROWS_PER_TASK, hash_task, &h);
        enter(g, r, h.hash, table, size - 1);
    }
    free(table);
    free(h.hash);
    return g->group ? list_members(g, err) : -1;
}

int se_sim_count(const struct se_sim_rows *r, int threads, uint64_t *distinct, uint64_t *flats,
                 struct se_err *err)
{
    struct se_sim_groups g = SE_SIM_GROUPS_INIT;
    const int rc = se_sim_groups_make(&g, r, 0, r->n, threads, err);

    *distinct = g.m;
    *flats = g.flats;
    se_sim_groups_release(&g);
    return rc;
}

void se_sim_groups_release(struct se_sim_groups *g)
{
    free(g->row);
    free(g->group);
    free(g->off);
    free(g->member);
    *g = (struct se_sim_groups)SE_SIM_GROUPS_INIT;
}

/* --- from groups back to vertices --- */

struct expansion {
    const struct se_sim_groups *own, *other;
    const struct se_sim_job *job;
    struct se_sim_answer *a;
    uint64_t *place;            /* per group of `own` that was asked for: where its answer is */
    uint64_t **key;             /* per thread: room for the keys of one vertex, twice */
    uint64_t room;
};

/* Up to k vertices of an ascending list, other than v, all with the same S. */
static uint64_t take(uint64_t *key, uint64_t have, const uint32_t *list, uint64_t count,
                     uint64_t k, uint32_t v, float s)
{
    for (uint64_t i = 0, taken = 0; i < count && taken < k; i++)
        if (list[i] != v) {
            key[have++] = se_sim_key(s, list[i]);
            taken++;
        }
    return have;
}

/* The groups come best first: once k vertices are there, only ties of the k-th matter. */
static uint64_t take_groups(const struct expansion *x, uint32_t v, uint64_t *key,
                            uint64_t have)
{
    const struct se_sim_groups *g = x->other;
    const uint64_t k = x->a->k, at = x->place[x->own->group[v - x->own->first]] * x->job->k;
    uint64_t sure = 0;          /* vertices in groups with a higher S than this one */
    uint64_t level = 0;         /* vertices up to and with this S */

    for (uint64_t i = 0; i < x->job->k && x->job->id[at + i] != SE_NONE; i++) {
        const uint64_t other = g->group[x->job->id[at + i] - g->first];
        const float s = x->job->similarity[at + i];

        if (i > 0 && s < x->job->similarity[at + i - 1])
            sure = level;
        if (sure >= k)
            break;
        level += g->off[other + 1] - g->off[other];
        have = take(key, have, g->member + g->off[other], g->off[other + 1] - g->off[other],
                    k, v, s);
        if (have > x->room - 3 * k) {           /* many large groups tie: keep the k best */
            se_sim_select(key, have, k);
            have = k;
        }
    }
    return have;
}

static void expand_vertex(const struct expansion *x, uint32_t v, uint64_t *key)
{
    const struct se_sim_groups *g = x->own;
    const uint64_t k = x->a->k, to = (v - x->a->first) * k;
    const uint32_t group = g->group[v - g->first];
    uint64_t have = 0;

    if (group != SE_NONE) {                     /* without variance: no neighbours */
        if (x->other == g)
            have = take(key, have, g->member + g->off[group],
                        g->off[group + 1] - g->off[group], k, v, 1);
        have = take_groups(x, v, key, have);
    }
    if (have > k) {
        se_sim_select(key, have, k);
        have = k;
    }
    if (have > 0)
        se_sim_sort(key, have, key + x->room);
    for (uint64_t i = 0; i < k; i++) {
        x->a->id[to + i] = i < have ? se_sim_key_id(key[i]) : SE_NONE;
        x->a->similarity[to + i] = i < have ? se_sim_key_similarity(key[i]) : 0;
    }
}

static void expand_task(void *arg, uint64_t task, int thread)
{
    const struct expansion *x = arg;
    const uint64_t from = x->a->first + task * ROWS_PER_TASK, last = from + ROWS_PER_TASK;

    for (uint64_t v = from; v < last && v < x->a->last; v++)
        expand_vertex(x, (uint32_t)v, x->key[thread]);
}

static int expansion_make(struct expansion *x, struct se_err *err)
{
    x->room = 6 * x->a->k;
    x->place = se_alloc(x->own->m, sizeof *x->place, err);
    x->key = x->place ? se_zalloc((uint64_t)x->job->threads, sizeof *x->key, err) : NULL;
    if (!x->key)
        return -1;
    for (int i = 0; i < x->job->threads; i++) {
        x->key[i] = se_alloc(2 * x->room, sizeof **x->key, err);
        if (!x->key[i])
            return -1;
    }
    for (uint64_t q = 0; q < x->job->q; q++)
        x->place[x->own->group[x->job->query[q] - x->own->first]] = q;
    return 0;
}

int se_sim_groups_expand(const struct se_sim_groups *own, const struct se_sim_groups *other,
                         const struct se_sim_job *job, struct se_sim_answer *a,
                         struct se_err *err)
{
    struct expansion x = { .own = own, .other = other, .job = job, .a = a };
    const int rc = expansion_make(&x, err);

    if (rc == 0)
        se_parallel(job->threads, (a->last - a->first + ROWS_PER_TASK - 1) / ROWS_PER_TASK,
                    expand_task, &x);
    for (int i = 0; x.key && i < job->threads; i++)
        free(x.key[i]);
    free(x.key);
    free(x.place);
    return rc;
}
