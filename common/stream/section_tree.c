/* section_tree.c - the section tree
 *
 * u64 n, nodes; u32 parent[nodes]; u32 vertex[nodes] */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/stream/payload.h"

static int bad_node(struct se_err *err, uint64_t node, const char *why)
{
    return se_payload_fail(err, SE_TREE, "node %" PRIu64 " %s", node, why);
}

/* The way from the root to the node before the one at hand.  Of a tree that is inflated the last
 * nodes of it are kept, in a ring, and the others found again when they are needed: so the memory
 * for a check is bounded, however deep the tree. */
enum { PATH = SE_BLOCK(1 << 18) };
struct path {
    uint32_t *node;
    size_t cap;
    uint64_t mask;              /* PATH - 1, or all ones */
    uint64_t kept, end;         /* the last one lies before end & mask */
};

static uint32_t last_of(const struct path *x)
{
    return x->node[(x->end - 1) & x->mask];
}

static int push(struct path *x, uint32_t node, struct se_err *err)
{
    if (x->end <= x->mask && se_grow(&x->node, &x->cap, x->end + 1, sizeof *x->node, err) < 0)
        return -1;
    x->node[x->end++ & x->mask] = node;
    x->kept += x->kept <= x->mask;
    return 0;
}

static void pop(struct path *x)
{
    x->end--;
    x->kept--;
}

/* What lies before `node` on the path, none of which is kept; `parent` was checked up to there. */
static int find_again(struct path *x, uint32_t node, const struct se_reader *parent,
                      struct se_err *err)
{
    struct se_reader again = *parent;

    se_reader_restart(&again);
    x->end = 0;
    for (uint32_t a = 0; a <= node; a++) {
        const uint32_t p = se_next_u32(&again);

        while (x->kept > 0 && last_of(x) > p)
            pop(x);
        if ((x->kept == 0 && a > 0 && push(x, p, err) < 0) || push(x, a, err) < 0)
            return -1;
    }
    pop(x);                     /* `node` itself */
    return 0;
}

/* Leave what is behind node p, which is checked to be on the path. */
static int go_up(struct path *x, uint32_t p, uint64_t a, struct se_reader *parent,
                 struct se_err *err)
{
    while (last_of(x) > p) {
        const uint32_t left = last_of(x);

        pop(x);
        if (x->kept > 0)
            continue;
        if (find_again(x, left, parent, err) < 0)
            return -1;
        se_reader_go(parent, a + 1, sizeof p);
    }
    return last_of(x) == p ? 0 : bad_node(err, a, "is not in depth-first order");
}

/* Depth-first order: the parent of each node is the node before it or above that. */
static int check_node(struct path *x, uint64_t a, uint32_t before, struct se_reader *parent,
                      uint32_t vertex, struct se_err *err)
{
    const uint32_t p = se_next_u32(parent);

    if (a == 0 && (p != SE_NONE || vertex != SE_NONE))
        return bad_node(err, 0, "is not a root");
    if (a > 0 && p >= a)
        return bad_node(err, a, "comes before its parent");
    if (a > 0 && p + 1 == a && before != SE_NONE)
        return bad_node(err, p, "is a leaf with children");
    if (a > 0 && p + 1 < a && before == SE_NONE)
        return bad_node(err, a - 1, "is an inner node without children");
    return (a > 0 && go_up(x, p, a, parent, err) < 0) || push(x, (uint32_t)a, err) < 0 ? -1 : 0;
}

static int check_order(uint64_t nodes, struct se_reader *parent, struct se_reader *vertex,
                       struct se_err *err)
{
    struct path x = { .mask = parent->memory ? UINT64_MAX : PATH - 1 };
    uint32_t before = SE_NONE;          /* the vertex of the node before */
    int rc = 0;

    for (uint64_t a = 0; rc == 0 && a < nodes; a++) {
        const uint32_t v = se_next_u32(vertex);

        rc = check_node(&x, a, before, parent, v, err);
        before = v;
    }
    if (rc == 0 && nodes > 1 && before == SE_NONE)
        rc = bad_node(err, nodes - 1, "is an inner node without children");
    free(x.node);
    return rc;
}

/* Which vertices were met, a bit each.  Of a tree that is inflated, only so many have one at a time
 * that the memory for a check is bounded; of more vertices, all leaves are gone through again. */
enum { MARKS = SE_BLOCK(1 << 24) };
struct marks {
    unsigned char *seen;
    uint64_t first, count;      /* the vertices that have a bit */
    uint64_t fault;             /* the first node known to be at fault, or the number of nodes */
    uint32_t vertex;            /* of that node */
};

/* Mark the vertices from m->first on, up to the first fault. */
static void mark_leaves(struct marks *m, uint64_t n, struct se_reader *vertex)
{
    memset(m->seen, 0, m->count / 8 + 1);
    se_reader_restart(vertex);
    for (uint64_t a = 0; a < m->fault; a++) {
        const uint32_t v = se_next_u32(vertex);
        const uint64_t i = v - m->first;        /* huge if v is before it */

        if (v == SE_NONE || (v < n && i >= m->count))
            continue;
        if (v >= n || (m->seen[i / 8] >> i % 8 & 1)) {
            m->fault = a;
            m->vertex = v;
            return;
        }
        m->seen[i / 8] |= (unsigned char)(1 << i % 8);
    }
}

/* The first vertex that is not marked, or n */
static uint64_t first_missing(const struct marks *m, uint64_t n)
{
    for (uint64_t i = 0; i < m->count && m->first + i < n; i++)
        if (!(m->seen[i / 8] >> i % 8 & 1))
            return m->first + i;
    return n;
}

static int check_vertices(uint64_t n, uint64_t nodes, struct se_reader *vertex,
                          struct se_err *err)
{
    struct marks m = { .count = vertex->memory || n < MARKS ? n : MARKS, .fault = nodes };
    uint64_t missing = n;

    if (!(m.seen = se_alloc(m.count / 8 + 1, 1, err)))
        return -1;
    do {
        mark_leaves(&m, n, vertex);
        if (missing == n)
            missing = first_missing(&m, n);
        m.first += m.count;
    } while (m.first < n);
    free(m.seen);
    if (m.fault < nodes && m.vertex >= n)
        return se_payload_fail(err, SE_TREE, "vertex %" PRIu32 " is not among the %" PRIu64,
                               m.vertex, n);
    if (m.fault < nodes)
        return se_payload_fail(err, SE_TREE, "vertex %" PRIu32 " is there twice", m.vertex);
    return missing == n ? 0 : se_payload_fail(err, SE_TREE, "vertex %" PRIu64 " is missing",
                                              missing);
}

static int check(const struct se_tree *t, struct se_reader *parent, struct se_reader *vertex,
                 struct se_err *err)
{
    if (t->nodes < 1 || t->nodes > SE_MAX_VERTICES || t->n >= t->nodes)
        return se_payload_fail(err, SE_TREE, "%" PRIu64 " nodes cannot hold %" PRIu64
                               " vertices", t->nodes, t->n);
    if (check_order(t->nodes, parent, vertex, err) < 0)
        return -1;
    return check_vertices(t->n, t->nodes, vertex, err);
}

int se_tree_check(const struct se_tree *t, struct se_err *err)
{
    struct se_reader parent = se_reader_of(t->parent, t->nodes, sizeof *t->parent);
    struct se_reader vertex = se_reader_of(t->vertex, t->nodes, sizeof *t->vertex);

    return check(t, &parent, &vertex, err);
}

int se_walk_tree(struct se_walk *w, void *to, struct se_err *err)
{
    struct se_tree x;
    struct se_reader parent, vertex;
    const uint64_t *h = se_walk_head(w, 2);

    if (!h)
        return se_payload_short(err, SE_TREE);
    x.n = h[0];
    x.nodes = h[1];
    x.parent = se_walk_array(w, &parent, x.nodes, 4);
    x.vertex = se_walk_array(w, &vertex, x.nodes, 4);
    if (!x.parent || !x.vertex || w->left)
        return se_payload_short(err, SE_TREE);
    if (check(&x, &parent, &vertex, err) < 0)
        return -1;
    if (to)
        *(struct se_tree *)to = x;
    return 0;
}

int se_tree_get(struct se_tree *t, struct se_stream *s, struct se_err *err)
{
    return se_walk_whole(s, SE_TREE, se_walk_tree, t, err);
}

int se_tree_put(const struct se_tree *t, struct se_stream *s, uint32_t from,
                struct se_err *err)
{
    const uint64_t h[2] = { t->n, t->nodes };
    const uint32_t origin[SE_ORIGINS] = { from, 0 };
    const struct se_piece part[] = {
        { h, sizeof h }, { t->parent, t->nodes * 4 }, { t->vertex, t->nodes * 4 }
    };

    return se_stream_put(s, SE_TREE, part, 3, origin, err);
}
