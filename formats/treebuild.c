/* treebuild.c - trees on their way in: nodes in any order become a tree section */
#include <inttypes.h>
#include <stdlib.h>

#include "formats/internal.h"

int se_nodes_add(struct se_nodes *x, uint32_t parent, uint32_t vertex, struct se_err *err)
{
    if (x->count >= SE_MAX_VERTICES)
        return se_fail(err, SE_EINPUT, "a tree of more than %" PRIu64 " nodes", x->count);
    if (se_grow(&x->parent, &x->cap[0], x->count + 1, sizeof *x->parent, err) < 0 ||
        se_grow(&x->vertex, &x->cap[1], x->count + 1, sizeof *x->vertex, err) < 0)
        return -1;
    x->parent[x->count] = parent;
    x->vertex[x->count++] = vertex;
    return 0;
}

void se_nodes_release(struct se_nodes *x)
{
    free(x->parent);
    free(x->vertex);
    *x = (struct se_nodes)SE_NODES_INIT;
}

struct walk {
    uint32_t *child, *next;     /* first child, next sibling; SE_NONE: there is none */
    uint32_t *number;           /* new number of a node; SE_NONE: not met */
    uint32_t *parent, *vertex;  /* by new number */
};

static int make_walk(struct walk *w, const struct se_nodes *x, struct se_err *err)
{
    w->child = se_alloc(x->count, sizeof *w->child, err);
    w->next = se_alloc(x->count, sizeof *w->next, err);
    w->number = se_alloc(x->count, sizeof *w->number, err);
    w->parent = se_alloc(x->count, sizeof *w->parent, err);
    w->vertex = se_alloc(x->count, sizeof *w->vertex, err);
    if (!w->child || !w->next || !w->number || !w->parent || !w->vertex)
        return -1;
    for (uint64_t i = 0; i < x->count; i++)
        w->child[i] = w->next[i] = w->number[i] = SE_NONE;
    for (uint64_t i = x->count; i-- > 0;)
        if (x->parent[i] != SE_NONE) {
            w->next[i] = w->child[x->parent[i]];
            w->child[x->parent[i]] = (uint32_t)i;
        }
    return 0;
}

/* Number the nodes in depth-first order.  Returns how many hang from the root. */
static uint64_t number_nodes(struct walk *w, const struct se_nodes *x, uint32_t root)
{
    uint32_t at = root, count = 0;

    for (;;) {
        w->number[at] = count;
        w->parent[count] = at == root ? SE_NONE : w->number[x->parent[at]];
        w->vertex[count++] = x->vertex[at];
        if (w->child[at] != SE_NONE) {
            at = w->child[at];
            continue;
        }
        while (at != root && w->next[at] == SE_NONE)
            at = x->parent[at];
        if (at == root)
            return count;
        at = w->next[at];
    }
}

int se_nodes_put(struct se_nodes *x, uint64_t n, struct se_stream *s, uint64_t *fault,
                 struct se_err *err)
{
    struct walk w = { NULL, NULL, NULL, NULL, NULL };
    uint64_t root = 0;
    int rc = make_walk(&w, x, err);

    *fault = SE_NONE;
    while (root < x->count && x->parent[root] != SE_NONE)
        root++;
    if (rc == 0 && root == x->count)
        rc = se_fail(err, SE_EINPUT, "the tree has no root");
    if (rc == 0 && number_nodes(&w, x, (uint32_t)root) < x->count) {
        for (*fault = 0; w.number[*fault] != SE_NONE; ++*fault)
            ;
        rc = -1;
    }
    if (rc == 0) {
        const struct se_tree t = { n, x->count, w.parent, w.vertex };

        rc = se_tree_check(&t, err) < 0 ? -1 : se_tree_put(&t, s, 0, err);
    }
    free(w.child);
    free(w.next);
    free(w.number);
    free(w.parent);
    free(w.vertex);
    return rc;
}

int se_check_leaves(const uint32_t *vertex, uint64_t count, uint64_t wanted, uint64_t *n,
                    struct se_err *err)
{
    uint64_t leaves = 0;
    unsigned char *seen;
    int rc = 0;

    for (uint64_t i = 0; i < count; i++)
        leaves += vertex[i] != SE_NONE;
    *n = wanted ? wanted : leaves;
    if (leaves == 0)
        return se_fail(err, SE_EINPUT, "holds no vertex");
    seen = se_zalloc(leaves + 1, 1, err);       /* one of 0 .. leaves is not there */
    if (!seen)
        return -1;
    for (uint64_t i = 0; rc == 0 && i < count; i++) {
        const uint32_t v = vertex[i];

        if (v == SE_NONE)
            continue;
        if (v >= *n)
            rc = se_fail(err, SE_EINPUT, "vertex %" PRIu32 " is too large; there are %" PRIu64
                         " vertices, counted from 0", v, *n);
        else if (v <= leaves && seen[v]++)
            rc = se_fail(err, SE_EINPUT, "vertex %" PRIu32 " is there twice", v);
    }
    for (uint64_t v = 0; rc == 0 && v < *n && v <= leaves; v++)
        if (!seen[v])
            rc = se_fail(err, SE_EINPUT, "vertex %" PRIu64 " is missing", v);
    free(seen);
    return rc;
}
