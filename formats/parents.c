/* parents.c - a tree as text: node, parent, vertex a line
 *
 * The root's parent and the vertex of an inner node are -1.  Lines come in any order, nodes
 * have any numbers; children are taken in the order of their numbers.  # starts a comment. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/internal.h"

#define NOTHING UINT64_MAX              /* -1 in the file */

struct line {
    uint64_t node, parent;
    uint32_t vertex;
};

struct lines {
    struct line *line;
    uint64_t count;
    size_t cap;
};

/* A number or -1, and the blanks behind it. */
static bool take(const char **p, uint64_t *value)
{
    if ((*p)[0] == '-' && (*p)[1] == '1') {
        *p += 2;
        *value = NOTHING;
    } else if (!se_parse_u64(p, value) || *value == NOTHING) {
        return false;
    }
    if (**p && **p != ' ' && **p != '\t')
        return false;
    *p += strspn(*p, " \t");
    return true;
}

static int read_lines(struct se_text *t, struct lines *x, struct se_err *err)
{
    uint64_t node, parent, vertex;
    size_t len;
    char *text;
    int got;

    while ((got = se_text_line(t, &text, &len, err)) > 0) {
        const char *p = text + strspn(text, " \t");

        if (*p == '\0' || *p == '#')
            continue;
        if (!take(&p, &node) || node == NOTHING || !take(&p, &parent) || !take(&p, &vertex) ||
            *p)
            return se_text_fail(t, err, "should be node, parent or -1, vertex or -1");
        if (vertex != NOTHING && vertex >= SE_NONE)
            return se_text_fail(t, err, "vertex %" PRIu64 " is too large", vertex);
        if (x->count >= SE_MAX_VERTICES)
            return se_text_fail(t, err, "is one node too many");
        if (se_grow(&x->line, &x->cap, x->count + 1, sizeof *x->line, err) < 0)
            return -1;
        x->line[x->count++] = (struct line){
            node, parent, vertex == NOTHING ? SE_NONE : (uint32_t)vertex
        };
    }
    return got;
}

static int compare(const void *a, const void *b)
{
    const struct line *x = a, *y = b;

    return (x->node > y->node) - (x->node < y->node);
}

/* Sort the lines by node.  A node must be there once. */
static int sort_lines(struct lines *x, struct se_err *err)
{
    uint64_t i = 1;

    while (i < x->count && x->line[i - 1].node < x->line[i].node)
        i++;
    if (i >= x->count)
        return 0;
    qsort(x->line, x->count, sizeof *x->line, compare);
    for (i = 1; i < x->count; i++)
        if (x->line[i - 1].node == x->line[i].node)
            return se_fail(err, SE_EINPUT, "node %" PRIu64 " is there twice", x->line[i].node);
    return 0;
}

/* The index of a node in the sorted lines, or SE_NONE. */
static uint32_t find(const struct lines *x, uint64_t node)
{
    const struct line key = { node, 0, 0 }, *at;

    if (node < x->count && x->line[node].node == node)
        return (uint32_t)node;          /* they are numbered 0, 1, ... */
    at = bsearch(&key, x->line, x->count, sizeof key, compare);
    return at ? (uint32_t)(at - x->line) : SE_NONE;
}

static int make_nodes(const struct lines *x, struct se_nodes *nodes, struct se_err *err)
{
    uint64_t root = NOTHING;

    for (uint64_t i = 0; i < x->count; i++) {
        const struct line *l = &x->line[i];
        const uint32_t parent = l->parent == NOTHING ? SE_NONE : find(x, l->parent);

        if (l->parent == NOTHING && root != NOTHING)
            return se_fail(err, SE_EINPUT, "nodes %" PRIu64 " and %" PRIu64 " are both roots",
                           root, l->node);
        if (l->parent == NOTHING)
            root = l->node;
        else if (parent == SE_NONE)
            return se_fail(err, SE_EINPUT, "node %" PRIu64 ": its parent %" PRIu64
                           " is not there", l->node, l->parent);
        if (se_nodes_add(nodes, parent, l->vertex, err) < 0)
            return -1;
    }
    if (root == NOTHING)
        return se_fail(err, SE_EINPUT, "no node has parent -1: there is no root");
    return 0;
}

/* Vertices are at the leaves, and only there. */
static int check_nodes(const struct lines *x, const struct se_nodes *nodes,
                       struct se_err *err)
{
    unsigned char *inner = se_zalloc(nodes->count, 1, err);
    int rc = inner ? 0 : -1;

    for (uint64_t i = 0; rc == 0 && i < nodes->count; i++)
        if (nodes->parent[i] != SE_NONE)
            inner[nodes->parent[i]] = 1;
    for (uint64_t i = 0; rc == 0 && i < nodes->count; i++) {
        const bool leaf = nodes->vertex[i] != SE_NONE;

        if (leaf && (inner[i] || nodes->parent[i] == SE_NONE))
            rc = se_fail(err, SE_EINPUT, "node %" PRIu64 " has vertex %" PRIu32 ", but is %s",
                         x->line[i].node, nodes->vertex[i],
                         inner[i] ? "not a leaf" : "the root");
        else if (!leaf && !inner[i])
            rc = se_fail(err, SE_EINPUT, "node %" PRIu64 " has no vertex and no children",
                         x->line[i].node);
    }
    free(inner);
    return rc;
}

static int put(struct lines *x, uint64_t wanted, struct se_stream *s, struct se_err *err)
{
    struct se_nodes nodes = SE_NODES_INIT;
    uint64_t n, fault;
    int rc = -1;

    if (x->count == 0)
        return se_fail(err, SE_EINPUT, "holds no tree");
    if (sort_lines(x, err) == 0 && make_nodes(x, &nodes, err) == 0 &&
        check_nodes(x, &nodes, err) == 0 &&
        se_check_leaves(nodes.vertex, nodes.count, wanted, &n, err) == 0) {
        rc = se_nodes_put(&nodes, n, s, &fault, err);
        if (rc < 0 && fault != SE_NONE)
            se_fail(err, SE_EINPUT, "node %" PRIu64 " is on or below a cycle",
                    x->line[fault].node);
    }
    se_nodes_release(&nodes);
    return rc;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct se_text t = SE_TEXT_INIT;
    struct lines x = { NULL, 0, 0 };
    int rc = se_text_open(&t, in->path, err);

    if (rc == 0)
        rc = read_lines(&t, &x, err);
    if (rc == 0 && put(&x, in->n, s, err) < 0)
        rc = se_err_in(err, t.path);
    free(x.line);
    se_text_close(&t);
    return rc;
}

static int detect(const char *path, const char *head, size_t len)
{
    if (!head || memchr(head, '\0', len))
        return 0;
    if (se_path_is(path, ".parents"))
        return 90;
    return strncmp(head, "0\t-1\t-1\n", 8) == 0 ? 70 : 0;
}

static void write_id(struct se_out *out, uint32_t id)
{
    if (id == SE_NONE)
        se_out_str(out, "-1");
    else
        se_out_u64(out, id);
}

static int export(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                  struct se_err *err)
{
    struct se_tree t;

    (void)ex;
    if (se_tree_get(&t, s, err) < 0)
        return -1;
    for (uint64_t a = 0; a < t.nodes; a++) {
        se_out_u64(out, a);
        se_out_char(out, '\t');
        write_id(out, t.parent[a]);
        se_out_char(out, '\t');
        write_id(out, t.vertex[a]);
        se_out_char(out, '\n');
    }
    return 0;
}

const struct se_format se_format_parents = {
    .name = "parents",
    .what = "tree: node, parent and vertex of each node",
    .kind = SE_FORMAT_TREE,
    .extensions = { "tsv", "txt" },
    .import = import,
    .detect = detect,
    .export = export
};
