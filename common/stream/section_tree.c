/* section_tree.c - the section tree
 *
 * u64 n, nodes; u32 parent[nodes]; u32 vertex[nodes] */
#include <inttypes.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/stream/payload.h"

static int bad_node(struct se_err *err, uint64_t node, const char *why)
{
    return se_payload_fail(err, SE_TREE, "node %" PRIu64 " %s", node, why);
}

/* Depth-first order: the parent of each node is the node before it or above that. */
static int check_order(uint64_t nodes, struct se_reader *parent, struct se_reader *vertex,
                       struct se_err *err)
{
    uint32_t *path = NULL;              /* from the root to the node before */
    size_t cap = 0, height = 0;
    uint32_t before = SE_NONE;          /* the vertex of the node before */
    int rc = 0;

    for (uint64_t a = 0; rc == 0 && a < nodes; a++) {
        const uint32_t p = se_next_u32(parent), v = se_next_u32(vertex);

        if (a == 0 && (p != SE_NONE || v != SE_NONE))
            rc = bad_node(err, 0, "is not a root");
        else if (a > 0 && p >= a)
            rc = bad_node(err, a, "comes before its parent");
        else if (a > 0 && p + 1 == a && before != SE_NONE)
            rc = bad_node(err, p, "is a leaf with children");
        else if (a > 0 && p + 1 < a && before == SE_NONE)
            rc = bad_node(err, a - 1, "is an inner node without children");
        while (rc == 0 && a > 0 && path[height - 1] > p)
            height--;
        if (rc == 0 && a > 0 && path[height - 1] != p)
            rc = bad_node(err, a, "is not in depth-first order");
        if (rc == 0)
            rc = se_grow(&path, &cap, height + 1, sizeof *path, err);
        if (rc == 0)
            path[height++] = (uint32_t)a;
        before = v;
    }
    if (rc == 0 && nodes > 1 && before == SE_NONE)
        rc = bad_node(err, nodes - 1, "is an inner node without children");
    free(path);
    return rc;
}

static int check_vertices(uint64_t n, uint64_t nodes, struct se_reader *vertex,
                          struct se_err *err)
{
    unsigned char *seen = se_zalloc(n / 8 + 1, 1, err);         /* a bit each */
    uint64_t leaves = 0;
    int rc = seen ? 0 : -1;

    for (uint64_t a = 0; rc == 0 && a < nodes; a++) {
        const uint32_t v = se_next_u32(vertex);

        if (v == SE_NONE)
            continue;
        if (v >= n)
            rc = se_payload_fail(err, SE_TREE, "vertex %" PRIu32 " is not among the %" PRIu64,
                                 v, n);
        else if (seen[v / 8] >> v % 8 & 1)
            rc = se_payload_fail(err, SE_TREE, "vertex %" PRIu32 " is there twice", v);
        else
            seen[v / 8] |= (unsigned char)(1 << v % 8);
        leaves++;
    }
    for (uint64_t v = 0; rc == 0 && leaves < n && v < n; v++)
        if (!(seen[v / 8] >> v % 8 & 1))
            rc = se_payload_fail(err, SE_TREE, "vertex %" PRIu64 " is missing", v);
    free(seen);
    return rc;
}

static int check(const struct se_tree *t, struct se_reader *parent, struct se_reader *vertex,
                 struct se_err *err)
{
    if (t->nodes < 1 || t->nodes > SE_MAX_VERTICES || t->n >= t->nodes)
        return se_payload_fail(err, SE_TREE, "%" PRIu64 " nodes cannot hold %" PRIu64
                               " vertices", t->nodes, t->n);
    if (check_order(t->nodes, parent, vertex, err) < 0)
        return -1;
    se_reader_restart(vertex);
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
