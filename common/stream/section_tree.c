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
static int check_order(const struct se_tree *t, struct se_err *err)
{
    uint64_t path = 0;                  /* the node before */

    for (uint64_t a = 1; a < t->nodes; a++) {
        const uint32_t p = t->parent[a];

        if (p >= a)
            return bad_node(err, a, "comes before its parent");
        while (path != p) {
            if (path < p)
                return bad_node(err, a, "is not in depth-first order");
            if (t->vertex[path] == SE_NONE && path + 1 == a)
                return bad_node(err, path, "is an inner node without children");
            path = t->parent[path];
        }
        if (t->vertex[p] != SE_NONE)
            return bad_node(err, p, "is a leaf with children");
        path = a;
    }
    if (t->nodes > 1 && t->vertex[t->nodes - 1] == SE_NONE)
        return bad_node(err, t->nodes - 1, "is an inner node without children");
    return 0;
}

static int check_vertices(const struct se_tree *t, struct se_err *err)
{
    unsigned char *seen = se_zalloc(t->n, 1, err);
    uint64_t leaves = 0;
    int rc = seen ? 0 : -1;

    for (uint64_t a = 0; rc == 0 && a < t->nodes; a++) {
        const uint32_t v = t->vertex[a];

        if (v == SE_NONE)
            continue;
        if (v >= t->n)
            rc = se_payload_fail(err, SE_TREE, "vertex %" PRIu32 " is not among the %" PRIu64,
                                 v, t->n);
        else if (seen[v]++)
            rc = se_payload_fail(err, SE_TREE, "vertex %" PRIu32 " is there twice", v);
        leaves++;
    }
    for (uint64_t v = 0; rc == 0 && leaves < t->n && v < t->n; v++)
        if (!seen[v])
            rc = se_payload_fail(err, SE_TREE, "vertex %" PRIu64 " is missing", v);
    free(seen);
    return rc;
}

int se_tree_check(const struct se_tree *t, struct se_err *err)
{
    if (t->nodes < 1 || t->nodes > SE_MAX_VERTICES || t->n >= t->nodes)
        return se_payload_fail(err, SE_TREE, "%" PRIu64 " nodes cannot hold %" PRIu64
                               " vertices", t->nodes, t->n);
    if (t->parent[0] != SE_NONE || t->vertex[0] != SE_NONE)
        return bad_node(err, 0, "is not a root");
    return check_order(t, err) < 0 || check_vertices(t, err) < 0 ? -1 : 0;
}

int se_tree_get(struct se_tree *t, struct se_stream *s, struct se_err *err)
{
    struct se_tree x;
    struct se_cursor c;
    const uint64_t *h;

    if (se_payload_open(s, SE_TREE, &c, err) < 0)
        return -1;
    h = se_take(&c, 2, 8);
    if (!h)
        return se_payload_short(err, SE_TREE);
    x.n = h[0];
    x.nodes = h[1];
    x.parent = se_take(&c, x.nodes, 4);
    x.vertex = se_take(&c, x.nodes, 4);
    if (!x.parent || !x.vertex || c.left)
        return se_payload_short(err, SE_TREE);
    if (se_tree_check(&x, err) < 0)
        return -1;
    *t = x;
    return 0;
}

int se_tree_put(const struct se_tree *t, struct se_stream *s, uint32_t from,
                struct se_err *err)
{
    const uint64_t h[2] = { t->n, t->nodes };
    const uint32_t origin[SE_ORIGINS] = { from, 0 };
    const struct se_part part[] = {
        { h, sizeof h }, { t->parent, t->nodes * 4 }, { t->vertex, t->nodes * 4 }
    };

    return se_stream_put(s, SE_TREE, part, 3, origin, err);
}
