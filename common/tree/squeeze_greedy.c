/* squeeze_greedy.c - a tree made lower by removing the cheapest inner node again and again
 *
 * Removing x costs cut_x log2(V_parent / V_x).  All that a removal changes in other nodes
 * (a parent further up, a larger cut) makes them dearer, so a heap of old prices never hides
 * the cheapest: what comes off the top is priced again. */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/tree/workings.h"

struct price {
    double cost;
    uint32_t node;
};

struct lift {
    struct se_nest *t;
    struct price *heap;
    size_t count;
    bool *keep;
    uint32_t *above;            /* towards the nearest kept ancestor */
    uint32_t *first, *last;     /* leaves below a node, as a range */
    int32_t *most, *add;        /* depths of leaves: greatest of a range, and what to add */
    uint32_t size;              /* leaves of that search tree, a power of two */
};

static uint32_t kept_above(struct lift *s, uint32_t x)
{
    uint32_t top = s->above[x], next;

    while (!s->keep[top])
        top = s->above[top];
    for (; s->above[x] != top; x = next) {
        next = s->above[x];
        s->above[x] = top;
    }
    return top;
}

static double price_of(struct lift *s, uint32_t x)
{
    double up = s->t->volume[kept_above(s, x)], cut = s->t->cut[x];

    return cut > 0 ? cut * log2(up / s->t->volume[x]) : 0;
}

static bool cheaper(const struct price *a, const struct price *b)
{
    return a->cost < b->cost || (a->cost == b->cost && a->node < b->node);
}

static void sift_down(struct lift *s, size_t i)
{
    struct price x = s->heap[i];

    for (size_t c; (c = 2 * i + 1) < s->count; i = c) {
        if (c + 1 < s->count && cheaper(&s->heap[c + 1], &s->heap[c]))
            c++;
        if (!cheaper(&s->heap[c], &x))
            break;
        s->heap[i] = s->heap[c];
    }
    s->heap[i] = x;
}

/* ---- depths ---- */

/* Add `by` to the depths of the leaves first .. last. */
static void depth_add(struct lift *s, uint32_t first, uint32_t last, int32_t by)
{
    uint32_t l = first + s->size, r = last + s->size + 1, l0 = l, r0 = r - 1;

    for (; l < r; l /= 2, r /= 2) {
        if (l & 1) {
            s->most[l] += by;
            s->add[l++] += by;
        }
        if (r & 1) {
            s->most[--r] += by;
            s->add[r] += by;
        }
    }
    for (uint32_t end = 0; end < 2; end++)
        for (uint32_t i = (end ? r0 : l0) / 2; i > 0; i /= 2) {
            int32_t a = s->most[2 * i], b = s->most[2 * i + 1];
            s->most[i] = (a > b ? a : b) + s->add[i];
        }
}

/* Leaves in the order of a walk: each node's are a range. */
static void number_leaves(struct lift *s, const uint32_t *depth)
{
    const struct se_nest *t = s->t;
    uint32_t root = (uint32_t)t->nodes - 1, *size = s->last;

    for (uint32_t a = 0; a <= root; a++)
        size[a] = a < t->n;
    for (uint32_t a = 0; a < root; a++)
        size[t->parent[a]] += size[a];
    s->first[root] = 0;
    for (uint32_t a = root; a-- > 0;) {         /* a node takes its place from its parent */
        uint32_t *free_from = &s->above[t->parent[a]];
        s->first[a] = *free_from;
        *free_from += size[a];
        s->above[a] = s->first[a];
    }
    for (uint32_t a = 0; a <= root; a++)
        s->last[a] = s->first[a] + size[a] - 1;
    for (uint32_t v = 0; v < t->n; v++)
        s->most[s->size + s->first[v]] = (int32_t)depth[v];
    for (uint32_t i = s->size - 1; i > 0; i--)
        s->most[i] = s->most[2 * i] > s->most[2 * i + 1] ? s->most[2 * i] : s->most[2 * i + 1];
}

/* ---- */

static int lift_alloc(struct lift *s, struct se_err *err)
{
    uint64_t nodes = s->t->nodes;

    for (s->size = 1; s->size < s->t->n; s->size *= 2)
        ;
    s->heap = se_alloc(nodes, sizeof *s->heap, err);
    s->keep = se_alloc(nodes, sizeof *s->keep, err);
    s->above = se_zalloc(nodes, sizeof *s->above, err);
    s->first = se_alloc(nodes, sizeof *s->first, err);
    s->last = se_alloc(nodes, sizeof *s->last, err);
    s->most = se_zalloc(2 * (uint64_t)s->size, sizeof *s->most, err);
    s->add = se_zalloc(2 * (uint64_t)s->size, sizeof *s->add, err);
    return s->heap && s->keep && s->above && s->first && s->last && s->most && s->add ? 0 : -1;
}

static void lift_release(struct lift *s)
{
    free(s->heap);
    free(s->keep);
    free(s->above);
    free(s->first);
    free(s->last);
    free(s->most);
    free(s->add);
}

static void lift_run(struct lift *s, uint64_t k)
{
    struct se_nest *t = s->t;

    for (uint32_t a = 0; a < t->nodes; a++) {
        s->keep[a] = true;
        s->above[a] = t->parent[a];
    }
    for (uint32_t a = (uint32_t)t->n; a + 1 < t->nodes; a++)
        s->heap[s->count++] = (struct price){ price_of(s, a), a };
    for (size_t i = s->count / 2; i-- > 0;)
        sift_down(s, i);
    while ((uint64_t)s->most[1] > k && s->count > 0) {
        struct price *top = &s->heap[0];
        double now = price_of(s, top->node);
        if (now > top->cost) {
            top->cost = now;
        } else {
            uint32_t x = top->node;
            s->keep[x] = false;
            t->cut[kept_above(s, x)] += t->cut[x];
            t->cut[x] = 0;
            depth_add(s, s->first[x], s->last[x], -1);
            *top = s->heap[--s->count];
        }
        if (s->count > 0)
            sift_down(s, 0);
    }
}

int se_squeeze_greedy(struct se_nest *t, uint64_t k, struct se_err *err)
{
    struct lift s = { .t = t };
    uint32_t *depth = se_zalloc(t->nodes, sizeof *depth, err);
    int rc = -1;

    if (depth && lift_alloc(&s, err) == 0) {
        for (uint64_t a = t->nodes - 1; a-- > 0;)
            depth[a] = depth[t->parent[a]] + 1;
        number_leaves(&s, depth);
        lift_run(&s, k);
        rc = se_nest_prune(t, s.keep, err);
    }
    free(depth);
    lift_release(&s);
    return rc;
}
