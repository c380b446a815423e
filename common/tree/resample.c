/* resample.c - random relatives of a graph: with fewer edges, or with other ones */
#include "common/tree/resample.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/keyed.h"
#include "common/base/mem.h"
#include "common/base/sort.h"

enum { SWAPS = 5 };             /* tries for each edge; most of them succeed */

void se_graph_copy_release(struct se_graph_copy *c)
{
    free(c->off);
    free(c->to);
    free(c->weight);
    *c = (struct se_graph_copy)SE_GRAPH_COPY_INIT;
}

static int copy_alloc(struct se_graph_copy *c, const struct se_graph *g, struct se_err *err)
{
    *c = (struct se_graph_copy)SE_GRAPH_COPY_INIT;
    c->off = se_alloc(g->n + 1, sizeof *c->off, err);
    c->to = se_alloc(g->m, sizeof *c->to, err);
    c->weight = g->weight ? se_alloc(g->m, sizeof *c->weight, err) : NULL;
    return c->off && c->to && (c->weight || !g->weight) ? 0 : -1;
}

static void copy_finish(struct se_graph_copy *c, const struct se_graph *g, uint64_t m)
{
    c->off[g->n] = m;
    c->g = (struct se_graph){ g->n, m, g->loops, c->off, c->to, c->weight, g->loop,
                              g->loop_weight };
}

int se_graph_thin(struct se_graph_copy *c, const struct se_graph *g, double keep,
                  struct se_rng *r, struct se_err *err)
{
    uint64_t m = 0;

    if (copy_alloc(c, g, err) < 0)
        return -1;
    for (uint64_t u = 0; u < g->n; u++) {
        c->off[u] = m;
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++)
            if (se_rng_unit(r) < keep) {
                if (c->weight)
                    c->weight[m] = g->weight[e];
                c->to[m++] = g->to[e];
            }
    }
    copy_finish(c, g, m);
    return 0;
}

/* ---- a set of pairs that can lose members: linear probing, gaps closed at once ---- */

struct pairs {
    uint64_t *slot, mask;       /* 0: empty; no pair is 0, as u < v */
    const uint64_t *key;        /* of the hash */
};

static uint64_t pair_of(uint32_t u, uint32_t v)
{
    return u < v ? (uint64_t)u << 32 | v : (uint64_t)v << 32 | u;
}

static uint64_t home_of(const struct pairs *p, uint64_t key)
{
    return se_hash_word(p->key, 0, key) & p->mask;
}

static uint64_t place_of(const struct pairs *p, uint64_t key)
{
    uint64_t i = home_of(p, key);

    while (p->slot[i] != 0 && p->slot[i] != key)
        i = (i + 1) & p->mask;
    return i;
}

static void pairs_drop(struct pairs *p, uint64_t key)
{
    uint64_t gap = place_of(p, key);

    for (uint64_t i = (gap + 1) & p->mask; p->slot[i] != 0; i = (i + 1) & p->mask) {
        const uint64_t home = home_of(p, p->slot[i]);

        if (((i - home) & p->mask) >= ((i - gap) & p->mask)) {
            p->slot[gap] = p->slot[i];
            gap = i;
        }
    }
    p->slot[gap] = 0;
}

static int pairs_make(struct pairs *p, const uint64_t *key, uint64_t count, struct se_err *err)
{
    uint64_t slots = 16;

    while (slots < 2 * count)
        slots *= 2;
    p->mask = slots - 1;
    p->key = se_hash_key();
    p->slot = se_zalloc(slots, sizeof *p->slot, err);
    if (!p->slot)
        return -1;
    for (uint64_t i = 0; i < count; i++)
        p->slot[place_of(p, key[i])] = key[i];
    return 0;
}

/* ---- rewiring ---- */

static void swap_ends(uint64_t *edge, uint64_t m, struct pairs *p, struct se_rng *r)
{
    for (uint64_t i = 0; m > 1 && i < SWAPS * m; i++) {
        const uint64_t x = se_rng_below(r, m), y = se_rng_below(r, m);
        const uint32_t a = (uint32_t)(edge[x] >> 32), b = (uint32_t)edge[x];
        const bool turned = se_rng_u32(r) & 1;
        const uint32_t c = (uint32_t)(turned ? edge[y] : edge[y] >> 32);
        const uint32_t d = (uint32_t)(turned ? edge[y] >> 32 : edge[y]);
        uint64_t one, two;

        if (a == d || c == b)
            continue;
        one = pair_of(a, d);
        two = pair_of(c, b);
        if (one == two || p->slot[place_of(p, one)] || p->slot[place_of(p, two)])
            continue;
        pairs_drop(p, edge[x]);
        pairs_drop(p, edge[y]);
        p->slot[place_of(p, one)] = edge[x] = one;
        p->slot[place_of(p, two)] = edge[y] = two;
    }
}

/* The pairs of g; *m counts those with a weight. */
static uint64_t *edges_of(const struct se_graph *g, uint64_t *m, struct se_err *err)
{
    uint64_t *edge = se_alloc(g->m, sizeof *edge, err);

    *m = 0;
    for (uint64_t u = 0; edge && u < g->n; u++)
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++)
            if (!g->weight || g->weight[e] > 0)
                edge[(*m)++] = u << 32 | g->to[e];
    return edge;
}

static void fill_copy(struct se_graph_copy *c, const struct se_graph *g, const uint64_t *edge,
                      uint64_t m)
{
    uint64_t at = 0;

    for (uint64_t u = 0; u < g->n; u++) {
        c->off[u] = at;
        for (; at < m && edge[at] >> 32 == u; at++)
            c->to[at] = (uint32_t)edge[at];
    }
    copy_finish(c, g, m);
}

static void shuffle_weights(struct se_graph_copy *c, const struct se_graph *g, struct se_rng *r)
{
    uint64_t m = 0;

    for (uint64_t e = 0; e < g->m; e++)
        if (g->weight[e] > 0)
            c->weight[m++] = g->weight[e];
    for (uint64_t i = m; i > 1; i--) {
        const uint64_t j = se_rng_below(r, i);
        const float w = c->weight[j];

        c->weight[j] = c->weight[i - 1];
        c->weight[i - 1] = w;
    }
}

int se_graph_rewire(struct se_graph_copy *c, const struct se_graph *g, struct se_rng *r,
                    struct se_err *err)
{
    struct pairs p = { NULL, 0, NULL };
    uint64_t m, *edge = edges_of(g, &m, err);
    uint64_t *scratch = edge ? se_alloc(m, sizeof *scratch, err) : NULL;
    int rc = -1;

    if (copy_alloc(c, g, err) == 0 && scratch && pairs_make(&p, edge, m, err) == 0) {
        swap_ends(edge, m, &p, r);
        se_sort_u64(edge, scratch, m);
        fill_copy(c, g, edge, m);
        if (c->weight)
            shuffle_weights(c, g, r);
        rc = 0;
    }
    free(edge);
    free(scratch);
    free(p.slot);
    return rc;
}
