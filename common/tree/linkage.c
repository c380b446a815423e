/* linkage.c - average linkage by nearest-neighbour chains
 *
 * Similarity c/(V V) is reducible: joining two clusters never brings either closer to a
 * third.  So pairs that are each other's best can be joined in any order, and following best
 * neighbours from anywhere ends in such a pair.  A cluster keeps a list of its edges; the
 * shorter list joins the longer.  A cluster with many edges (a hub) also keeps a table of
 * its neighbours and a heap of them, best first, whose keys may be too high, never too low. */
#include "common/tree/linkage.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/stream/section.h"

enum { HUB = 64 };

struct entry {
    double key;
    uint32_t edge;
};

struct hub {
    struct entry *heap;
    size_t count, cap;
    uint32_t *key, *edge;       /* table: neighbour -> edge; key SE_NONE: free */
    uint32_t used, mask;
};

struct se_link_slot {
    double volume;
    struct hub *hub;            /* NULL: a plain list */
    uint64_t list;              /* its edges: pool[list] .. pool[list + count - 1] */
    uint32_t count, room, node;
    bool gone, in_chain;
};

static inline uint32_t other_end(const struct se_link_edge *e, uint32_t slot)
{
    return e->u ^ e->v ^ slot;
}

/* ---- hubs ---- */

static void hub_free(struct hub *h)
{
    if (h) {
        free(h->heap);
        free(h->key);
        free(h->edge);
        free(h);
    }
}

static uint32_t hub_place(const struct hub *h, uint32_t key)
{
    uint32_t p = (uint32_t)(key * UINT64_C(0x9E3779B97F4A7C15) >> 32) & h->mask;

    while (h->key[p] != SE_NONE && h->key[p] != key)
        p = (p + 1) & h->mask;
    return p;
}

static int hub_table(struct hub *h, uint64_t places, struct se_err *err)
{
    uint32_t *key = h->key, *edge = h->edge, old = h->mask;

    h->key = se_alloc(places, sizeof *h->key, err);
    h->edge = se_alloc(places, sizeof *h->edge, err);
    if (!h->key || !h->edge) {
        free(h->key);
        free(h->edge);
        h->key = key;
        h->edge = edge;
        return -1;
    }
    memset(h->key, 0xff, places * sizeof *h->key);
    h->mask = (uint32_t)(places - 1);
    h->used = 0;
    for (uint64_t i = 0; key && i <= old; i++)
        if (key[i] != SE_NONE && edge[i] != SE_NONE) {
            uint32_t p = hub_place(h, key[i]);
            h->key[p] = key[i];
            h->edge[p] = edge[i];
            h->used++;
        }
    free(key);
    free(edge);
    return 0;
}

/* edge SE_NONE: the neighbour is gone (its place stays taken until the table grows). */
static int hub_set(struct hub *h, uint32_t neighbour, uint32_t edge, struct se_err *err)
{
    uint32_t p = hub_place(h, neighbour);

    if (h->key[p] == SE_NONE) {
        if (edge == SE_NONE)
            return 0;
        if (2 * (h->used + 1) > h->mask) {
            if (hub_table(h, 2 * ((uint64_t)h->mask + 1), err) < 0)
                return -1;
            p = hub_place(h, neighbour);
        }
        h->key[p] = neighbour;
        h->used++;
    }
    h->edge[p] = edge;
    return 0;
}

static uint32_t hub_get(const struct hub *h, uint32_t neighbour)
{
    uint32_t p = hub_place(h, neighbour);

    return h->key[p] == SE_NONE ? SE_NONE : h->edge[p];
}

static bool before(const struct entry *a, const struct entry *b)
{
    return a->key > b->key || (a->key == b->key && a->edge < b->edge);
}

static void sift_down(struct hub *h, size_t i)
{
    struct entry x = h->heap[i];

    for (size_t c; (c = 2 * i + 1) < h->count; i = c) {
        if (c + 1 < h->count && before(&h->heap[c + 1], &h->heap[c]))
            c++;
        if (!before(&h->heap[c], &x))
            break;
        h->heap[i] = h->heap[c];
    }
    h->heap[i] = x;
}

static int hub_push(struct hub *h, double key, uint32_t edge, struct se_err *err)
{
    struct entry x = { key, edge };
    size_t i = h->count;

    if (se_grow(&h->heap, &h->cap, h->count + 1, sizeof *h->heap, err) < 0)
        return -1;
    h->count++;
    for (; i > 0 && before(&x, &h->heap[(i - 1) / 2]); i = (i - 1) / 2)
        h->heap[i] = h->heap[(i - 1) / 2];
    h->heap[i] = x;
    return 0;
}

/* Drop edges that are gone from the list of a slot. */
static void tidy(struct se_linkage *l, struct se_link_slot *s)
{
    uint32_t kept = 0, *list = l->pool + s->list;

    for (uint32_t i = 0; i < s->count; i++)
        if (l->edge[list[i]].u != l->edge[list[i]].v)
            list[kept++] = list[i];
    s->count = kept;
}

static double key_of(const struct se_linkage *l, uint32_t slot, uint32_t edge)
{
    return l->edge[edge].c / l->slot[other_end(&l->edge[edge], slot)].volume;
}

static int make_hub(struct se_linkage *l, uint32_t slot, struct se_err *err)
{
    struct se_link_slot *s = &l->slot[slot];
    struct hub *h = se_zalloc(1, sizeof *h, err);
    uint64_t places = 256;

    if (!h)
        return -1;
    while (places < 3 * (uint64_t)s->count)
        places *= 2;
    s->hub = h;
    if (hub_table(h, places, err) < 0 ||
        se_grow(&h->heap, &h->cap, s->count, sizeof *h->heap, err) < 0)
        return -1;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t e = l->pool[s->list + i];
        h->heap[h->count++] = (struct entry){ key_of(l, slot, e), e };
        if (hub_set(h, other_end(&l->edge[e], slot), e, err) < 0)
            return -1;
    }
    for (size_t i = h->count / 2; i-- > 0;)
        sift_down(h, i);
    return 0;
}

/* ---- the nearest neighbour ---- */

static uint32_t best_of_hub(struct se_linkage *l, uint32_t slot)
{
    struct hub *h = l->slot[slot].hub;

    while (h->count > 0) {
        struct entry *top = &h->heap[0];
        const struct se_link_edge *e = &l->edge[top->edge];
        double now;
        if (e->u == e->v) {
            *top = h->heap[--h->count];
        } else {
            now = key_of(l, slot, top->edge);
            if (now >= top->key)
                return top->edge;
            top->key = now;
        }
        if (h->count > 0)
            sift_down(h, 0);
    }
    return SE_NONE;
}

static uint32_t best_of_list(struct se_linkage *l, uint32_t slot)
{
    const struct se_link_slot *s = &l->slot[slot];
    uint32_t best = SE_NONE;
    double top = -1;

    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t e = l->pool[s->list + i];
        double key = key_of(l, slot, e);
        if (key > top || (key == top && l->slot[other_end(&l->edge[e], slot)].node <
                                            l->slot[other_end(&l->edge[best], slot)].node)) {
            top = key;
            best = e;
        }
    }
    return best;
}

/* The edge to the best neighbour; `last`, the edge to the one before in the chain, if it is
 * as good.  SE_NONE: no neighbour is left. */
static int nearest(struct se_linkage *l, uint32_t slot, uint32_t last, uint32_t *edge,
                   struct se_err *err)
{
    struct se_link_slot *s = &l->slot[slot];

    if (!s->hub) {
        tidy(l, s);
        if (s->count > HUB && make_hub(l, slot, err) < 0)
            return -1;
    }
    *edge = s->hub ? best_of_hub(l, slot) : best_of_list(l, slot);
    if (last != SE_NONE && (key_of(l, slot, last) >= key_of(l, slot, *edge) ||
                            l->slot[other_end(&l->edge[*edge], slot)].in_chain))
        *edge = last;
    return 0;
}

/* ---- joining ---- */

static int append(struct se_linkage *l, struct se_link_slot *s, uint32_t edge,
                  struct se_err *err)
{
    if (s->count == s->room) {
        uint32_t room = s->room + s->room / 2 + 8;
        if (se_grow(&l->pool, &l->cap_pool, l->pool_used + room, sizeof *l->pool, err) < 0)
            return -1;
        memcpy(l->pool + l->pool_used, l->pool + s->list, s->count * sizeof *l->pool);
        s->list = l->pool_used;
        s->room = room;
        l->pool_used += room;
    }
    l->pool[s->list + s->count++] = edge;
    return 0;
}

/* Edge e of a slot that joins `b`: it becomes b's, or adds to the edge that b has already. */
static int hand_over(struct se_linkage *l, uint32_t a, uint32_t b, uint32_t e,
                     struct se_err *err)
{
    struct se_link_edge *edge = &l->edge[e];
    uint32_t x = other_end(edge, a);
    struct hub *hb = l->slot[b].hub, *hx = l->slot[x].hub;
    uint32_t f = hb ? hub_get(hb, x) : l->mark[x];

    if (hx && hub_set(hx, a, SE_NONE, err) < 0)
        return -1;
    if (f != SE_NONE) {
        l->edge[f].c += edge->c;
        edge->u = edge->v;
        if (hx && hub_push(hx, l->edge[f].c / l->slot[b].volume, f, err) < 0)
            return -1;
        return hb ? hub_push(hb, l->edge[f].c / l->slot[x].volume, f, err) : 0;
    }
    edge->u = x;
    edge->v = b;
    if (hx && (hub_set(hx, b, e, err) < 0 ||
               hub_push(hx, edge->c / l->slot[b].volume, e, err) < 0))
        return -1;
    if (hb && (hub_set(hb, x, e, err) < 0 ||
               hub_push(hb, edge->c / l->slot[x].volume, e, err) < 0))
        return -1;
    return append(l, &l->slot[b], e, err);
}

/* For a plain list: mark[x] = the edge to x.  on = false takes the marks away. */
static void mark_neighbours(struct se_linkage *l, uint32_t slot, bool on)
{
    const struct se_link_slot *s = &l->slot[slot];

    for (uint32_t i = 0; !s->hub && i < s->count; i++) {
        const struct se_link_edge *e = &l->edge[l->pool[s->list + i]];
        if (e->u != e->v)
            l->mark[other_end(e, slot)] = on ? l->pool[s->list + i] : SE_NONE;
    }
}

static int join(struct se_linkage *l, uint32_t a, uint32_t b, uint32_t edge,
                struct se_link_out *out, struct se_err *err)
{
    struct se_link_slot *s, *t;
    uint32_t z = out->next++;
    int rc = 0;

    if (l->slot[a].count > l->slot[b].count) {
        uint32_t swap = a;
        a = b;
        b = swap;
    }
    s = &l->slot[a];
    t = &l->slot[b];
    if (!t->hub && t->count > HUB && (tidy(l, t), t->count > HUB) && make_hub(l, b, err) < 0)
        return -1;
    out->parent[s->node] = out->parent[t->node] = z;
    out->volume[z] = t->volume += s->volume;
    out->cut[z] = l->edge[edge].c;
    l->edge[edge].u = l->edge[edge].v;
    if (t->hub)
        rc = hub_set(t->hub, a, SE_NONE, err);
    mark_neighbours(l, b, true);
    for (uint32_t i = 0; rc == 0 && i < s->count; i++) {
        uint32_t e = l->pool[s->list + i];
        if (l->edge[e].u != l->edge[e].v)
            rc = hand_over(l, a, b, e, err);
    }
    mark_neighbours(l, b, false);
    hub_free(s->hub);
    s->hub = NULL;
    s->gone = true;
    t->node = z;
    return rc;
}

/* ---- the chain ---- */

static void step(struct se_linkage *l, uint32_t *len, uint32_t slot, uint32_t edge)
{
    l->chain[*len] = (struct se_link_step){ slot, edge };
    l->slot[slot].in_chain = true;
    ++*len;
}

/* Join until the component of `start` is one cluster. */
static int follow(struct se_linkage *l, uint32_t start, struct se_link_out *out,
                  struct se_err *err)
{
    uint32_t len = 0, edge;

    step(l, &len, start, SE_NONE);
    for (;;) {
        struct se_link_step end = l->chain[len - 1];
        uint32_t b;
        if (nearest(l, end.slot, end.edge, &edge, err) < 0)
            return -1;
        if (edge == SE_NONE)
            return 0;
        b = other_end(&l->edge[edge], end.slot);
        if (edge != end.edge) {
            step(l, &len, b, edge);
            continue;
        }
        l->slot[end.slot].in_chain = l->slot[b].in_chain = false;
        len -= 2;
        if (join(l, end.slot, b, edge, out, err) < 0)
            return -1;
        if (len == 0)
            step(l, &len, l->slot[b].gone ? end.slot : b, SE_NONE);
    }
}

static int fill_lists(struct se_linkage *l, struct se_err *err)
{
    uint64_t at = 0;

    for (uint32_t e = 0; e < l->edges; e++) {
        l->slot[l->edge[e].u].room++;
        l->slot[l->edge[e].v].room++;
    }
    for (uint32_t i = 0; i < l->slots; i++) {
        l->slot[i].list = at;
        at += l->slot[i].room;
    }
    l->pool_used = at;
    if (se_grow(&l->pool, &l->cap_pool, at, sizeof *l->pool, err) < 0)
        return -1;
    for (uint32_t e = 0; e < l->edges; e++) {
        struct se_link_slot *u = &l->slot[l->edge[e].u], *v = &l->slot[l->edge[e].v];
        l->pool[u->list + u->count++] = e;
        l->pool[v->list + v->count++] = e;
    }
    return 0;
}

int se_linkage_run(struct se_linkage *l, struct se_link_out *out, uint32_t *top,
                   struct se_err *err)
{
    uint32_t trees = 0, z;

    if (fill_lists(l, err) < 0)
        return -1;
    for (uint32_t i = 0; i < l->slots; i++)
        if (!l->slot[i].gone && follow(l, i, out, err) < 0)
            return -1;
    for (uint32_t i = 0; i < l->slots; i++)
        if (!l->slot[i].gone) {
            *top = l->slot[i].node;
            trees++;
        }
    if (trees < 2)
        return 0;
    *top = z = out->next++;
    out->volume[z] = out->cut[z] = 0;
    for (uint32_t i = 0; i < l->slots; i++)
        if (!l->slot[i].gone) {
            out->parent[l->slot[i].node] = z;
            out->volume[z] += l->slot[i].volume;
        }
    return 0;
}

/* ---- begin and end ---- */

static void free_hubs(struct se_linkage *l)
{
    for (uint32_t i = 0; i < l->slots; i++) {
        hub_free(l->slot[i].hub);
        l->slot[i].hub = NULL;
    }
    l->slots = 0;
}

int se_linkage_begin(struct se_linkage *l, uint32_t slots, struct se_err *err)
{
    free_hubs(l);
    if (se_grow(&l->slot, &l->cap_slot, slots, sizeof *l->slot, err) < 0 ||
        se_grow(&l->mark, &l->cap_mark, slots, sizeof *l->mark, err) < 0 ||
        se_grow(&l->chain, &l->cap_chain, slots, sizeof *l->chain, err) < 0)
        return -1;
    memset(l->mark, 0xff, slots * sizeof *l->mark);
    l->slots = slots;
    l->edges = 0;
    for (uint32_t i = 0; i < slots; i++)
        l->slot[i] = (struct se_link_slot){ .volume = 0 };
    return 0;
}

void se_linkage_item(struct se_linkage *l, uint32_t slot, double volume, uint32_t node)
{
    l->slot[slot].volume = volume;
    l->slot[slot].node = node;
}

int se_linkage_edge(struct se_linkage *l, uint32_t u, uint32_t v, double c,
                    struct se_err *err)
{
    if (l->edges == UINT32_MAX - 1)
        return se_fail(err, SE_EINPUT, "too many edges for one linkage");
    if (se_grow(&l->edge, &l->cap_edge, (uint64_t)l->edges + 1, sizeof *l->edge, err) < 0)
        return -1;
    l->edge[l->edges++] = (struct se_link_edge){ c, u, v };
    return 0;
}

void se_linkage_release(struct se_linkage *l)
{
    free_hubs(l);
    free(l->slot);
    free(l->edge);
    free(l->pool);
    free(l->mark);
    free(l->chain);
    *l = (struct se_linkage){ .slots = 0 };
}
