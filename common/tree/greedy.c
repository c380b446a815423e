/* greedy.c - a binary tree by joining the best pair of all, again and again
 *
 * The literal methods, for comparison: each join prices all pairs of the new cluster, so a
 * hub with d neighbours costs d squared. */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/progress.h"
#include "common/tree/workings.h"

struct pair {
    double change;              /* of H times vol / 2, least first */
    uint32_t a, b;              /* a < b */
};

struct neighbour {
    uint32_t node;
    double c;
};

struct list {
    struct neighbour *at;
    size_t count, cap;
};

struct greedy {
    struct se_nest *t;
    int method;
    double vol;
    double *inside;             /* I of each node */
    bool *gone;
    struct list *list;
    struct pair *heap;
    size_t count, cap;
    uint32_t *where;            /* place in the new list of each neighbour plus one */
};

static double change_of(const struct greedy *s, uint32_t a, uint32_t b, double c)
{
    double va = s->t->volume[a], vb = s->t->volume[b], v = va + vb, d;

    d = -c * log2(s->vol / v);
    if (s->method == SE_TREE_MERGE) {
        if (s->inside[a] > 0)
            d += s->inside[a] * log2(v / va);
        if (s->inside[b] > 0)
            d += s->inside[b] * log2(v / vb);
    }
    return d;
}

static bool before(const struct pair *x, const struct pair *y)
{
    if (x->change != y->change)
        return x->change < y->change;
    return x->a != y->a ? x->a < y->a : x->b < y->b;
}

static int push(struct greedy *s, uint32_t a, uint32_t b, double c, struct se_err *err)
{
    struct pair x = { change_of(s, a, b, c), a < b ? a : b, a < b ? b : a };
    size_t i = s->count;

    if (se_grow(&s->heap, &s->cap, s->count + 1, sizeof *s->heap, err) < 0)
        return -1;
    s->count++;
    for (; i > 0 && before(&x, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
        s->heap[i] = s->heap[(i - 1) / 2];
    s->heap[i] = x;
    return 0;
}

static struct pair pop(struct greedy *s)
{
    struct pair top = s->heap[0], x = s->heap[--s->count];
    size_t i = 0;

    for (size_t c; (c = 2 * i + 1) < s->count; i = c) {
        if (c + 1 < s->count && before(&s->heap[c + 1], &s->heap[c]))
            c++;
        if (!before(&s->heap[c], &x))
            break;
        s->heap[i] = s->heap[c];
    }
    s->heap[i] = x;
    return top;
}

static int add_neighbour(struct list *l, uint32_t node, double c, struct se_err *err)
{
    if (se_grow(&l->at, &l->cap, l->count + 1, sizeof *l->at, err) < 0)
        return -1;
    l->at[l->count++] = (struct neighbour){ node, c };
    return 0;
}

/* The neighbours of `from` that are still there go to the list of z. */
static int pour(struct greedy *s, uint32_t from, uint32_t z, struct se_err *err)
{
    struct list *l = &s->list[from], *into = &s->list[z];

    for (size_t i = 0; i < l->count; i++) {
        uint32_t x = l->at[i].node;
        if (s->gone[x])
            continue;
        if (s->where[x]) {
            into->at[s->where[x] - 1].c += l->at[i].c;
        } else {
            if (add_neighbour(into, x, l->at[i].c, err) < 0)
                return -1;
            s->where[x] = (uint32_t)into->count;
        }
    }
    free(l->at);
    *l = (struct list){ .at = NULL };
    return 0;
}

static double between(const struct greedy *s, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < s->list[a].count; i++)
        if (s->list[a].at[i].node == b)
            return s->list[a].at[i].c;
    return 0;
}

static int join(struct greedy *s, uint32_t a, uint32_t b, uint32_t z, struct se_err *err)
{
    struct se_nest *t = s->t;
    struct list *l = &s->list[z];

    t->parent[a] = t->parent[b] = z;
    t->volume[z] = t->volume[a] + t->volume[b];
    t->cut[z] = s->list[a].count < s->list[b].count ? between(s, a, b) : between(s, b, a);
    s->inside[z] = s->inside[a] + s->inside[b] + t->cut[z];
    s->gone[a] = s->gone[b] = true;
    if (pour(s, a, z, err) < 0 || pour(s, b, z, err) < 0)
        return -1;
    for (size_t i = 0; i < l->count; i++) {
        s->where[l->at[i].node] = 0;
        if (add_neighbour(&s->list[l->at[i].node], z, l->at[i].c, err) < 0 ||
            push(s, l->at[i].node, z, l->at[i].c, err) < 0)
            return -1;
    }
    return 0;
}

static int fill(struct greedy *s, const struct se_quotient *x, struct se_err *err)
{
    for (uint32_t u = 0; u < x->n; u++) {
        s->t->volume[u] = x->volume[u];
        s->inside[u] = x->inner ? x->inner[u] : 0;
        for (uint64_t a = x->off[u]; a < x->off[u + 1]; a++) {
            double w = se_quotient_weight(x, a);
            if (add_neighbour(&s->list[u], x->to[a], w, err) < 0)
                return -1;
        }
    }
    for (uint32_t u = 0; u < x->n; u++)
        for (uint64_t a = x->off[u]; a < x->off[u + 1]; a++)
            if (x->to[a] > u && push(s, u, x->to[a], se_quotient_weight(x, a), err) < 0)
                return -1;
    return 0;
}

/* What is left without a parent hangs under the root. */
static void crown(struct greedy *s, uint32_t next)
{
    struct se_nest *t = s->t;
    uint32_t tops = 0;

    for (uint32_t a = 0; a < next; a++)
        tops += !s->gone[a];
    t->nodes = next;
    if (tops == 1 && next > t->n) {
        t->parent[next - 1] = SE_NONE;
        return;
    }
    t->nodes++;
    t->parent[next] = SE_NONE;
    t->cut[next] = 0;
    t->volume[next] = s->vol;
    for (uint32_t a = 0; a < next; a++)
        if (!s->gone[a])
            t->parent[a] = next;
}

static int run(struct greedy *s, const struct se_quotient *x, struct se_progress *progress,
               struct se_err *err)
{
    uint32_t next = (uint32_t)x->n;

    if (fill(s, x, err) < 0)
        return -1;
    while (s->count > 0) {
        struct pair p = pop(s);
        if (s->gone[p.a] || s->gone[p.b])
            continue;
        if (join(s, p.a, p.b, next++, err) < 0)
            return -1;
        se_progress_at(progress, SE_TREE_STEPS * (next - x->n) / x->n);
    }
    crown(s, next);
    return 0;
}

int se_greedy_nest(struct se_nest *t, const struct se_quotient *x, int method,
                   struct se_progress *progress, struct se_err *err)
{
    struct greedy s = { .t = t, .method = method, .vol = x->vol };
    uint64_t nodes = 2 * x->n + 1;
    int rc = -1;

    if (se_nest_alloc(t, x->n, nodes, err) < 0)
        return -1;
    s.inside = se_zalloc(nodes, sizeof *s.inside, err);
    s.gone = se_zalloc(nodes, sizeof *s.gone, err);
    s.list = se_zalloc(nodes, sizeof *s.list, err);
    s.where = se_zalloc(nodes, sizeof *s.where, err);
    if (s.inside && s.gone && s.list && s.where)
        rc = run(&s, x, progress, err);
    for (uint64_t a = 0; s.list && a < nodes; a++)
        free(s.list[a].at);
    free(s.inside);
    free(s.gone);
    free(s.list);
    free(s.heap);
    free(s.where);
    return rc;
}
