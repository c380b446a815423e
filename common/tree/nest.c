/* nest.c - any tree, numbered from the leaves up */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/tree/workings.h"

int se_nest_alloc(struct se_nest *t, uint64_t n, uint64_t nodes, struct se_err *err)
{
    if (nodes >= SE_MAX_VERTICES)
        return se_fail(err, SE_EINPUT, "the tree would have too many nodes");
    t->n = n;
    t->nodes = nodes;
    t->parent = se_alloc(nodes, sizeof *t->parent, err);
    t->volume = se_zalloc(nodes, sizeof *t->volume, err);
    t->cut = se_zalloc(nodes, sizeof *t->cut, err);
    return t->parent && t->volume && t->cut ? 0 : -1;
}

void se_nest_release(struct se_nest *t)
{
    free(t->parent);
    free(t->volume);
    free(t->cut);
    *t = (struct se_nest)SE_NEST_INIT;
}

double se_nest_cost(const struct se_nest *t)
{
    double cost = 0;

    for (uint64_t a = t->n; a < t->nodes; a++)
        cost += se_wlog(t->cut[a], t->volume[a]);
    return cost;
}

uint32_t se_nest_height(const struct se_nest *t, struct se_err *err)
{
    uint32_t *height = se_zalloc(t->nodes, sizeof *height, err), most;

    if (!height)
        return SE_NONE;
    for (uint64_t a = 0; a + 1 < t->nodes; a++)
        if (height[t->parent[a]] < height[a] + 1)
            height[t->parent[a]] = height[a] + 1;
    most = height[t->nodes - 1];
    free(height);
    return most;
}

/* ---- lowest common ancestors by heavy paths, so that deep trees cost no more ---- */

/* head[a]: the top of the path that a is on. */
static uint32_t *make_heads(const struct se_nest *t, struct se_err *err)
{
    uint32_t *size = se_zalloc(t->nodes, sizeof *size, err);
    uint32_t *heavy = se_alloc(t->nodes, sizeof *heavy, err);
    uint32_t *head = size && heavy ? se_alloc(t->nodes, sizeof *head, err) : NULL;

    if (head) {
        memset(heavy, 0xff, t->nodes * sizeof *heavy);
        for (uint32_t a = 0; a + 1 < t->nodes; a++) {
            uint32_t p = t->parent[a];
            size[a] += a < t->n;
            size[p] += size[a];
            if (heavy[p] == SE_NONE || size[heavy[p]] < size[a])
                heavy[p] = a;
        }
        for (uint32_t a = (uint32_t)t->nodes; a-- > 0;)
            head[a] = a + 1 == t->nodes || heavy[t->parent[a]] != a ? a : head[t->parent[a]];
    }
    free(size);
    free(heavy);
    return head;
}

/* An ancestor has the higher number, so the path with the lower head is the one to leave. */
static inline uint32_t lowest_common(const struct se_nest *t, const uint32_t *head,
                                     uint32_t a, uint32_t b)
{
    while (head[a] != head[b])
        if (head[a] < head[b])
            a = t->parent[head[a]];
        else
            b = t->parent[head[b]];
    return a > b ? a : b;
}

int se_nest_measure(struct se_nest *t, const struct se_quotient *x, struct se_err *err)
{
    uint32_t *head = make_heads(t, err);

    if (!head)
        return -1;
    memset(t->volume, 0, t->nodes * sizeof *t->volume);
    memset(t->cut, 0, t->nodes * sizeof *t->cut);
    memcpy(t->volume, x->volume, t->n * sizeof *t->volume);
    for (uint64_t a = 0; a + 1 < t->nodes; a++)
        t->volume[t->parent[a]] += t->volume[a];
    for (uint32_t u = 0; u < t->n; u++)
        for (uint64_t a = x->off[u]; a < x->off[u + 1]; a++)
            if (x->to[a] > u)
                t->cut[lowest_common(t, head, u, x->to[a])] += se_quotient_weight(x, a);
    free(head);
    return 0;
}

/* ---- fewer nodes ---- */

/* Unmark nodes with less than two children; above[a]: nearest marked ancestor. */
static void drop_single(const struct se_nest *t, bool *keep, uint32_t *above,
                        uint32_t *children)
{
    uint32_t root = (uint32_t)t->nodes - 1;

    memset(children, 0, t->nodes * sizeof *children);
    for (uint32_t a = root; a-- > 0;)
        above[a] = keep[t->parent[a]] ? t->parent[a] : above[t->parent[a]];
    for (uint32_t a = 0; a < root; a++) {
        if (a >= t->n && keep[a] && children[a] < 2)
            keep[a] = false;
        if (keep[a])
            children[above[a]]++;
        else if (a >= t->n && children[a])
            children[above[a]] += children[a];
    }
    if (children[root] != 1)
        return;
    for (uint32_t a = root; a-- > t->n;)        /* the highest is the root's only child */
        if (keep[a]) {
            keep[a] = false;
            return;
        }
}

int se_nest_prune(struct se_nest *t, bool *keep, struct se_err *err)
{
    uint32_t *above = se_alloc(t->nodes, sizeof *above, err);
    uint32_t *other = se_alloc(t->nodes, sizeof *other, err);
    uint32_t root = (uint32_t)t->nodes - 1, count = 0;

    if (!above || !other) {
        free(above);
        free(other);
        return -1;
    }
    for (uint32_t a = 0; a < t->n; a++)
        keep[a] = true;
    keep[root] = true;
    drop_single(t, keep, above, other);
    for (uint32_t a = 0; a <= root; a++)        /* other[]: now the new number */
        if (keep[a])
            other[a] = count++;
    for (uint32_t a = root; a-- > 0;)
        above[a] = keep[t->parent[a]] ? t->parent[a] : above[t->parent[a]];
    for (uint32_t a = 0; a < root; a++)
        if (!keep[a])
            t->cut[above[a]] += t->cut[a];
    for (uint32_t a = 0; a <= root; a++)
        if (keep[a]) {
            t->parent[other[a]] = a == root ? SE_NONE : other[above[a]];
            t->volume[other[a]] = t->volume[a];
            t->cut[other[a]] = t->cut[a];
        }
    t->nodes = count;
    free(above);
    free(other);
    return 0;
}

/* ---- from and to sections ---- */

/* Depth-first numbers count down the tree, so inner nodes backwards count up. */
int se_nest_of_tree(struct se_nest *t, const struct se_tree *tree, struct se_err *err)
{
    uint32_t *id = se_alloc(tree->nodes, sizeof *id, err);
    uint32_t next = (uint32_t)tree->n;

    if (!id || se_nest_alloc(t, tree->n, tree->nodes, err) < 0) {
        free(id);
        return -1;
    }
    for (uint64_t a = tree->nodes; a-- > 0;)
        id[a] = tree->vertex[a] == SE_NONE ? next++ : tree->vertex[a];
    for (uint64_t a = 0; a < tree->nodes; a++)
        t->parent[id[a]] = a == 0 ? SE_NONE : id[tree->parent[a]];
    free(id);
    return 0;
}

struct layout {
    uint32_t *least;            /* least vertex below each node */
    uint32_t *by_least;         /* nodes sorted by it */
    uint32_t *first, *next;     /* children of a node as a list, least first */
    uint32_t *depth;
};

static void sort_children(const struct se_nest *t, struct layout *l)
{
    uint32_t root = (uint32_t)t->nodes - 1, *head = l->depth;   /* not in use yet */

    memset(l->first, 0xff, t->nodes * sizeof *l->first);
    memset(l->least, 0xff, t->nodes * sizeof *l->least);
    memset(head, 0xff, t->nodes * sizeof *head);
    for (uint32_t a = 0; a < root; a++) {
        if (a < t->n)
            l->least[a] = a;
        if (l->least[a] < l->least[t->parent[a]])
            l->least[t->parent[a]] = l->least[a];
        l->by_least[a] = head[l->least[a]];     /* a list of the nodes with this vertex */
        head[l->least[a]] = a;
    }
    for (uint32_t v = (uint32_t)t->n; v-- > 0;)         /* push in front: least last */
        for (uint32_t a = head[v]; a != SE_NONE; a = l->by_least[a]) {
            l->next[a] = l->first[t->parent[a]];
            l->first[t->parent[a]] = a;
        }
    l->depth[root] = 0;
    for (uint32_t a = root; a-- > 0;)
        l->depth[a] = l->depth[t->parent[a]] + 1;
}

/* Nodes to come are kept on a stack, which is by_least[] again. */
static void lay_out(struct se_hierarchy *h, const struct se_nest *t, struct layout *l,
                    uint32_t pad)
{
    uint32_t *stack = l->by_least, top = 0, *id = l->least, a, at = 0;

    stack[top++] = (uint32_t)t->nodes - 1;
    while (top > 0) {
        uint32_t above, base;
        a = stack[--top];
        above = t->parent[a] == SE_NONE ? SE_NONE : id[t->parent[a]];
        for (uint32_t d = l->depth[a]; a < t->n && d < pad; d++) {
            h->parent[at] = above;
            h->vertex[at] = SE_NONE;
            above = at++;
        }
        h->parent[at] = above;
        h->vertex[at] = a < t->n ? a : SE_NONE;
        id[a] = at++;
        base = top;
        for (uint32_t c = l->first[a]; c != SE_NONE; c = l->next[c])
            stack[top++] = c;
        for (uint32_t i = base, j = top; i + 1 < j; i++) {      /* least on top */
            uint32_t s = stack[i];
            stack[i] = stack[--j];
            stack[j] = s;
        }
    }
}

/* Are all inner nodes children of the root? */
static bool is_one_level(const struct se_nest *t)
{
    const uint32_t root = (uint32_t)t->nodes - 1;
    uint32_t a = (uint32_t)t->n;

    while (a < root && t->parent[a] == root)
        a++;
    return a == root;
}

static void put_node(struct se_hierarchy *h, uint32_t at, uint32_t parent, uint32_t vertex)
{
    h->parent[at] = parent;
    h->vertex[at] = vertex;
}

/* The same layout where there is one level of modules: a module has its place when its least
 * vertex is met, and its vertices come in order. */
static int lay_out_level(struct se_hierarchy *h, const struct se_nest *t, struct se_err *err)
{
    const uint64_t modules = t->nodes - t->n - 1;
    uint32_t *id = se_zalloc(modules, sizeof *id, err);         /* of the module; 0: no place yet */
    uint32_t *next = se_zalloc(modules, sizeof *next, err);     /* size; then where a leaf goes */
    const bool ok = id && next;
    uint32_t at = 1;

    if (ok)
        put_node(h, 0, SE_NONE, SE_NONE);
    for (uint64_t v = 0; ok && v < t->n; v++)
        if (t->parent[v] - t->n < modules)
            next[t->parent[v] - t->n]++;
    for (uint64_t v = 0; ok && v < t->n; v++) {
        const uint64_t m = t->parent[v] - t->n;

        if (m == modules) {                     /* below the root */
            put_node(h, at++, 0, (uint32_t)v);
            continue;
        }
        if (id[m] == 0) {
            put_node(h, at, 0, SE_NONE);
            id[m] = at;
            at += 1 + next[m];
            next[m] = id[m] + 1;
        }
        put_node(h, next[m]++, id[m], (uint32_t)v);
    }
    free(id);
    free(next);
    return ok ? 0 : -1;
}

static int one_level_tree(struct se_hierarchy *h, const struct se_nest *t, struct se_err *err)
{
    h->n = t->n;
    h->nodes = t->nodes;
    h->parent = se_alloc(h->nodes, sizeof *h->parent, err);
    h->vertex = se_alloc(h->nodes, sizeof *h->vertex, err);
    return h->parent && h->vertex ? lay_out_level(h, t, err) : -1;
}

static uint64_t padded_nodes(const struct se_nest *t, const struct layout *l, uint32_t pad)
{
    uint64_t nodes = t->nodes;

    for (uint64_t v = 0; v < t->n; v++)
        nodes += pad > l->depth[v] ? pad - l->depth[v] : 0;
    return nodes;
}

int se_nest_tree(struct se_hierarchy *h, const struct se_nest *t, bool pad,
                 struct se_err *err)
{
    uint32_t *memory, height = 0;
    struct layout l;
    int rc = -1;

    if (!pad && is_one_level(t))
        return one_level_tree(h, t, err);
    memory = se_alloc(5 * t->nodes, sizeof *memory, err);
    if (!memory)
        return -1;
    l = (struct layout){ memory, memory + t->nodes, memory + 2 * t->nodes,
                         memory + 3 * t->nodes, memory + 4 * t->nodes };
    sort_children(t, &l);
    for (uint64_t v = 0; v < t->n; v++)
        if (l.depth[v] > height)
            height = l.depth[v];
    h->n = t->n;
    h->nodes = padded_nodes(t, &l, pad ? height : 0);
    if (h->nodes >= SE_MAX_VERTICES) {
        free(memory);
        return se_fail(err, SE_EINPUT, "the padded tree would have too many nodes");
    }
    h->parent = se_alloc(h->nodes, sizeof *h->parent, err);
    h->vertex = se_alloc(h->nodes, sizeof *h->vertex, err);
    if (h->parent && h->vertex) {
        lay_out(h, t, &l, pad ? height : 0);
        rc = 0;
    }
    free(memory);
    return rc;
}

void se_hierarchy_release(struct se_hierarchy *h)
{
    free(h->parent);
    free(h->vertex);
    *h = (struct se_hierarchy)SE_HIERARCHY_INIT;
}
