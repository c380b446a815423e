/* infomap.c - Infomap's .tree: path flow "name" node_id a line
 *
 * A path such as 1:3:2 gives the place among its siblings of each node from the root down,
 * the last one that of the vertex.  Older files end with the name, which then is the vertex;
 * files of state networks have "state_id node_id".  # starts a comment; a line that starts
 * with * ends the tree (links follow).
 *
 * Written flows are shares of the degrees, or 0 when the stream has no graph. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/graph/adjacency.h"
#include "formats/internal.h"

struct leaf {
    size_t path, depth;         /* where its path starts in step[], and its length */
    uint32_t vertex;
};

struct leaves {
    struct leaf *leaf;
    uint64_t count;
    uint32_t *step;
    size_t steps, leaf_cap, step_cap;
};

static int read_path(struct se_text *t, const char **p, struct leaves *x, struct se_err *err)
{
    struct leaf l = { x->steps, 0, SE_NONE };
    uint64_t rank;

    for (;; ++*p) {
        if (!se_parse_u64(p, &rank) || rank > UINT32_MAX)
            return se_text_fail(t, err, "should start with a path such as 1:3:2");
        if (se_grow(&x->step, &x->step_cap, x->steps + 1, sizeof *x->step, err) < 0)
            return -1;
        x->step[x->steps++] = (uint32_t)rank;
        l.depth++;
        if (**p != ':')
            break;
    }
    if (**p != ' ' && **p != '\t')
        return se_text_fail(t, err, "a flow and a name should follow the path");
    *p += strspn(*p, " \t");
    if (se_grow(&x->leaf, &x->leaf_cap, x->count + 1, sizeof *x->leaf, err) < 0)
        return -1;
    x->leaf[x->count++] = l;
    return 0;
}

/* The name at *p, in quotes or not; it may hold quotes itself.  Ends it with a NUL. */
static int read_name(struct se_text *t, char **p, char **name, size_t *len,
                     struct se_err *err)
{
    const bool quoted = **p == '"';
    char *end = quoted ? strrchr(*p + 1, '"') : *p + strcspn(*p, " \t");

    if (!end || end == *p)
        return se_text_fail(t, err, "the name is missing or its quote does not end");
    *name = *p + quoted;
    *len = (size_t)(end - *name);
    *p = end + (*end != '\0');
    *end = '\0';
    *p += strspn(*p, " \t");
    return 0;
}

static int read_leaf(struct se_text *t, char *line, struct leaves *x,
                     const struct se_table *names, struct se_err *err)
{
    const char *p = line;
    uint64_t id = 0;
    double flow;
    size_t len = 0;
    char *at, *name = NULL;
    int ids = 0;

    if (read_path(t, &p, x, err) < 0)
        return -1;
    if (!se_parse_number(&p, &flow) || (*p != ' ' && *p != '\t'))
        return se_text_fail(t, err, "a flow and a name should follow the path");
    at = line + (p - line);
    at += strspn(at, " \t");
    if (read_name(t, &at, &name, &len, err) < 0)
        return -1;
    for (p = at; *p && ids < 3; ids++) {
        if (!se_parse_u64(&p, &id) || (*p && *p != ' ' && *p != '\t'))
            return se_text_fail(t, err, "only ids should follow the name");
        p += strspn(p, " \t");
    }
    if (ids > 2)
        return se_text_fail(t, err, "has %d ids; trees of multilayer networks cannot be read",
                            ids);
    if (ids > 0 && id >= SE_NONE)
        return se_text_fail(t, err, "vertex %" PRIu64 " is too large", id);
    if (ids > 0)
        x->leaf[x->count - 1].vertex = (uint32_t)id;
    else if (se_vertex_label(name, len, names, &x->leaf[x->count - 1].vertex, err) < 0)
        return se_text_fail(t, err, "%s", err->text);
    return 0;
}

static int read_leaves(struct se_text *t, struct leaves *x, const struct se_table *names,
                       struct se_err *err)
{
    size_t len;
    char *line;
    int got;

    while ((got = se_text_line(t, &line, &len, err)) > 0) {
        if (*line == '*' && x->count > 0)
            return 0;
        line += strspn(line, " \t");
        if (*line == '\0' || *line == '#' || *line == '*')
            continue;
        if (read_leaf(t, line, x, names, err) < 0)
            return -1;
    }
    return got;
}

/* How many steps two paths share from the root. */
static size_t shared(const struct leaves *x, const struct leaf *a, const struct leaf *b)
{
    const size_t least = a->depth < b->depth ? a->depth : b->depth;
    size_t i = 0;

    while (i < least && x->step[a->path + i] == x->step[b->path + i])
        i++;
    return i;
}

static int compare(const void *a, const void *b, void *context)
{
    const struct leaves *x = context;
    const struct leaf *p = a, *q = b;
    const size_t i = shared(x, p, q);

    if (i == p->depth || i == q->depth)
        return (p->depth > q->depth) - (p->depth < q->depth);
    return x->step[p->path + i] < x->step[q->path + i] ? -1 : 1;
}

static void sort_leaves(struct leaves *x)
{
    for (uint64_t i = 1; i < x->count; i++)
        if (compare(&x->leaf[i - 1], &x->leaf[i], x) > 0) {
            qsort_r(x->leaf, x->count, sizeof *x->leaf, compare, x);
            return;
        }
}

/* Walk over the sorted leaves; above[d] is the node at depth d of the path at hand. */
static int make_nodes(const struct leaves *x, struct se_nodes *nodes, struct se_err *err)
{
    uint32_t *above = NULL;
    size_t cap = 0;
    int rc = se_nodes_add(nodes, SE_NONE, SE_NONE, err);

    if (rc == 0)
        rc = se_grow(&above, &cap, 1, sizeof *above, err);
    if (rc == 0)
        above[0] = 0;
    for (uint64_t i = 0; rc == 0 && i < x->count; i++) {
        const struct leaf *l = &x->leaf[i];
        size_t d = i > 0 ? shared(x, l - 1, l) : 0;

        if (i > 0 && d == l[-1].depth)
            rc = se_fail(err, SE_EINPUT, "the path of vertex %" PRIu32 " is also that of, or "
                         "above, vertex %" PRIu32, l[-1].vertex, l->vertex);
        else
            rc = se_grow(&above, &cap, l->depth + 1, sizeof *above, err);
        for (; rc == 0 && d < l->depth; d++) {
            above[d + 1] = (uint32_t)nodes->count;
            rc = se_nodes_add(nodes, above[d], d + 1 == l->depth ? l->vertex : SE_NONE, err);
        }
    }
    free(above);
    return rc;
}

static int put(struct leaves *x, uint64_t wanted, struct se_stream *s, struct se_err *err)
{
    struct se_nodes nodes = SE_NODES_INIT;
    uint64_t n, fault;
    int rc;

    sort_leaves(x);
    rc = make_nodes(x, &nodes, err);
    if (rc == 0)
        rc = se_check_leaves(nodes.vertex, nodes.count, wanted, &n, err);
    if (rc == 0)
        rc = se_nodes_put(&nodes, n, s, &fault, err);
    se_nodes_release(&nodes);
    return rc;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct se_table names = SE_TABLE_INIT;
    struct se_text t = SE_TEXT_INIT;
    struct leaves x = { NULL, 0, NULL, 0, 0, 0 };
    int rc = 0;

    if (in->ids != SE_IDS_INTEGER && se_stream_has(s, SE_NAMES))
        rc = se_table_load(&names, s, err);
    if (rc == 0)
        rc = se_text_open(&t, in->path, err);
    if (rc == 0)
        rc = read_leaves(&t, &x, &names, err);
    if (rc == 0 && put(&x, in->n, s, err) < 0)
        rc = se_err_in(err, t.path);
    free(x.leaf);
    free(x.step);
    se_table_release(&names);
    se_text_close(&t);
    return rc;
}

static int detect(const char *path, const char *head, size_t len)
{
    if (!head || memchr(head, '\0', len))
        return 0;
    if (se_path_is(path, ".tree") || se_path_is(path, ".ftree"))
        return 90;
    return strstr(head, "# path flow name") ? 85 : 0;
}

double *se_leaf_flow(const struct se_export *ex, struct se_stream *s, uint64_t n,
                     struct se_err *err)
{
    double *flow = se_zalloc(n, sizeof *flow, err), sum = 0;
    struct se_graph g;
    uint64_t all;

    if (!flow || !se_stream_has(s, ex->section))
        return flow;
    if (se_stream_vertices(s, &all, err) < 0 ||
        se_graph_get(&g, s, ex->section, err) < 0) {
        free(flow);
        return NULL;
    }
    se_degrees(&g, true, flow);
    for (uint64_t v = 0; v < n; v++)
        sum += flow[v];
    for (uint64_t v = 0; v < n && sum > 0; v++)
        flow[v] /= sum;
    return flow;
}

/* A name in quotes; node_id says who it is, so what would break the line may go. */
static void write_name(struct se_out *out, const struct se_names *names, uint64_t v)
{
    if (v >= names->n) {
        se_outf(out, "\"%" PRIu64 "\"", v);
        return;
    }
    se_out_char(out, '"');
    for (uint64_t i = names->off[v]; i < names->off[v + 1]; i++)
        se_out_char(out, (unsigned char)names->text[i] < ' ' ? ' ' : names->text[i]);
    se_out_char(out, '"');
}

/* rank[a] is the place of node a among its siblings, from 1; path has room for the depth. */
static void write_path(struct se_out *out, const struct se_tree *t, const uint32_t *rank,
                       uint32_t *path, uint64_t a)
{
    uint64_t depth = 0;

    for (; a != 0; a = t->parent[a])
        path[depth++] = rank[a];
    while (depth-- > 0) {
        se_out_u64(out, path[depth]);
        se_out_char(out, depth ? ':' : ' ');
    }
}

/* Each leaf is written with its whole path, so a tree as deep as it has leaves grows with the
 * square of them.  `depth` has room for the nodes. */
static int check_paths(const struct se_tree *t, uint32_t *depth, struct se_err *err)
{
    const uint64_t much = 10000000, deep = 1000;
    uint64_t sum = 0;

    depth[0] = 0;
    for (uint64_t a = 1; a < t->nodes; a++) {
        depth[a] = depth[t->parent[a]] + 1;
        sum += t->vertex[a] != SE_NONE ? depth[a] : 0;
    }
    if (sum > much && sum / t->n > deep)
        return se_fail(err, SE_EINPUT, "tree: paths of %" PRIu64 " steps on average are too long "
                       "for this format; write it with -t parents or -t newick", sum / t->n);
    return 0;
}

static int export(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                  struct se_err *err)
{
    uint32_t *rank = NULL, *children = NULL;    /* children met so far; later a path */
    double *flow = NULL;
    struct se_names names;
    struct se_tree t;
    int rc = -1;

    if (se_tree_get(&t, s, err) < 0 || se_export_names(true, s, &names, err) < 0)
        return -1;
    rank = se_alloc(t.nodes, sizeof *rank, err);
    children = se_zalloc(t.nodes, sizeof *children, err);
    if (rank && children && check_paths(&t, rank, err) == 0 && (flow = se_leaf_flow(ex, s, t.n, err))) {
        for (uint64_t a = 1; a < t.nodes; a++)
            rank[a] = ++children[t.parent[a]];
        se_out_str(out, "# path flow name node_id\n");
        for (uint64_t a = 1; a < t.nodes; a++) {
            if (t.vertex[a] == SE_NONE)
                continue;
            write_path(out, &t, rank, children, a);
            se_outf(out, "%.9g ", flow[t.vertex[a]]);
            write_name(out, &names, t.vertex[a]);
            se_outf(out, " %" PRIu32 "\n", t.vertex[a]);
        }
        rc = 0;
    }
    free(rank);
    free(children);
    free(flow);
    return rc;
}

const struct se_format se_format_tree = {
    .name = "tree",
    .what = "tree: path, flow, \"name\" and node a line, as Infomap writes it",
    .kind = SE_FORMAT_TREE,
    .extensions = { "ftree" },
    .import = import,
    .detect = detect,
    .export = export
};
