/* clu.c - one level of modules: clu (Infomap, Pajek, METIS) and mcl
 *
 * clu: lines "node module [flow]" as Infomap writes them; or lines of one number, where line
 * i is the module of vertex i - 1: what gpmetis writes, and Pajek below "*Vertices N".
 * # starts a comment.  Modules come in the order of their numbers.
 *
 * mcl: a line for each cluster, its labels separated by tabs.  Labels are the names of the
 * vertices if the stream has names (unless --ids integer), else their ids.
 *
 * Both give a tree of two levels, the vertices of a module in the order of the file.  What
 * is written for a taller tree are the children of its root. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/internal.h"

struct member {
    uint64_t module;
    uint32_t vertex;
};

struct modules {
    struct member *member;
    uint64_t count;
    size_t cap;
};

static int add_member(struct modules *x, uint64_t module, uint32_t vertex, struct se_err *err)
{
    if (x->count >= SE_MAX_VERTICES - 1)
        return se_fail(err, SE_EINPUT, "more vertices than %" PRIu64, SE_MAX_VERTICES - 1);
    if (se_grow(&x->member, &x->cap, x->count + 1, sizeof *x->member, err) < 0)
        return -1;
    x->member[x->count++] = (struct member){ module, vertex };
    return 0;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Replace the numbers of the modules by 0, 1, ... in their order.  Returns how many there are,
 * or -1. */
static int64_t rank_modules(struct modules *x, struct se_err *err)
{
    uint64_t *number = se_alloc(x->count, sizeof *number, err);
    size_t distinct = 0;

    if (!number)
        return -1;
    for (uint64_t i = 0; i < x->count; i++)
        number[i] = x->member[i].module;
    qsort(number, x->count, sizeof *number, compare);
    for (uint64_t i = 0; i < x->count; i++)
        if (i == 0 || number[i] != number[distinct - 1])
            number[distinct++] = number[i];
    for (uint64_t i = 0; i < x->count; i++) {
        const uint64_t *at = bsearch(&x->member[i].module, number, distinct, sizeof *number,
                                     compare);

        x->member[i].module = (uint64_t)(at - number);
    }
    free(number);
    return (int64_t)distinct;
}

/* Root, modules, then vertices: se_nodes_put brings them into depth-first order. */
static int put_modules(struct modules *x, uint64_t wanted, struct se_stream *s,
                       struct se_err *err)
{
    struct se_nodes nodes = SE_NODES_INIT;
    const int64_t count = rank_modules(x, err);
    uint64_t n, fault;
    int rc = count < 0 ? -1 : se_nodes_add(&nodes, SE_NONE, SE_NONE, err);

    for (int64_t i = 0; rc == 0 && i < count; i++)
        rc = se_nodes_add(&nodes, 0, SE_NONE, err);
    for (uint64_t i = 0; rc == 0 && i < x->count; i++)
        rc = se_nodes_add(&nodes, 1 + (uint32_t)x->member[i].module, x->member[i].vertex, err);
    if (rc == 0)
        rc = se_check_leaves(nodes.vertex, nodes.count, wanted, &n, err);
    if (rc == 0)
        rc = se_nodes_put(&nodes, n, s, &fault, err);
    se_nodes_release(&nodes);
    return rc;
}

/* The columns of a line of clu: numbers, the third one a flow.  0: it is none. */
static int parse_line(const char *p, uint64_t value[2])
{
    double flow;

    for (int columns = 0; columns < 3; columns++) {
        if (columns == 2 ? !se_parse_number(&p, &flow) : !se_parse_u64(&p, &value[columns]))
            return 0;
        if (*p && *p != ' ' && *p != '\t')
            return 0;
        p += strspn(p, " \t");
        if (*p == '\0')
            return columns + 1;
    }
    return 0;
}

static int read_clu(struct se_text *t, struct modules *x, struct se_err *err)
{
    uint64_t value[2];
    int columns = 0, got, here;
    size_t len;
    char *line;

    while ((got = se_text_line(t, &line, &len, err)) > 0) {
        line += strspn(line, " \t");
        if (*line == '\0' || *line == '#' ||
            (x->count == 0 && strncasecmp(line, "*vertices", 9) == 0))
            continue;
        here = parse_line(line, value);
        if (here == 0)
            return se_text_fail(t, err, "should be 'node module [flow]' or one module");
        if (columns && here != columns)
            return se_text_fail(t, err, "has %d columns, but lines before it have %d", here,
                                columns);
        columns = here;
        if (columns > 1 && value[0] >= SE_NONE)
            return se_text_fail(t, err, "vertex %" PRIu64 " is too large", value[0]);
        if (columns == 1 ? add_member(x, value[0], (uint32_t)x->count, err) < 0
                         : add_member(x, value[1], (uint32_t)value[0], err) < 0)
            return -1;
    }
    return got;
}

static int import_clu(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct modules x = { NULL, 0, 0 };
    struct se_text t = SE_TEXT_INIT;
    int rc = se_text_open(&t, in->path, err);

    if (rc == 0)
        rc = read_clu(&t, &x, err);
    if (rc == 0 && put_modules(&x, in->n, s, err) < 0)
        rc = se_err_in(err, t.path);
    free(x.member);
    se_text_close(&t);
    return rc;
}

static int detect_clu(const char *path, const char *head, size_t len)
{
    const char *part = strstr(path, ".part.");
    uint64_t parts;

    if (!head || memchr(head, '\0', len))
        return 0;
    if (se_path_is(path, ".clu"))
        return 90;
    return part && se_whole_u64(part + 6, &parts) ? 85 : 0;
}

static int export_clu(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                      struct se_err *err)
{
    struct se_names names;
    struct se_tree t;
    double *flow;
    uint64_t module = 0;

    if (se_tree_get(&t, s, err) < 0 || se_export_names(ex->names, s, &names, err) < 0)
        return -1;
    for (uint64_t v = 0; v < names.n; v++) {
        const size_t len = names.off[v + 1] - names.off[v];
        const char *name = names.text + names.off[v];

        if (len == 0 || *name == '#' || memchr(name, ' ', len) || memchr(name, '\t', len) ||
            memchr(name, '\n', len))
            return se_fail(err, SE_EINPUT, "the name of vertex %" PRIu64 " holds a blank or is no "
                           "word, so it cannot be written to clu; export ids instead", v);
    }
    if (!(flow = se_leaf_flow(ex, s, t.n, err)))
        return -1;
    se_out_str(out, "# node module flow\n");
    for (uint64_t a = 1; a < t.nodes; a++) {
        module += t.parent[a] == 0;
        if (t.vertex[a] != SE_NONE) {
            se_out_vertex(out, &names, t.vertex[a]);
            se_outf(out, " %" PRIu64 " %.9g\n", module, flow[t.vertex[a]]);
        }
    }
    free(flow);
    return 0;
}

static int read_mcl(struct se_text *t, struct modules *x, const struct se_table *names,
                    struct se_err *err)
{
    size_t len;
    char *line;
    int got;

    while ((got = se_text_line(t, &line, &len, err)) > 0)
        for (char *p = line; *p;) {
            const size_t label = strcspn(p, "\t");
            const bool last = p[label] == '\0';
            uint32_t v;

            p[label] = '\0';
            if (label > 0 && (se_vertex_label(p, label, names, &v, err) < 0 ||
                              add_member(x, t->line, v, err) < 0))
                return se_text_fail(t, err, "%s", err->text);
            p += last ? label : label + 1;
        }
    return got;
}

static int import_mcl(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct modules x = { NULL, 0, 0 };
    struct se_text t = SE_TEXT_INIT;
    struct se_table names = SE_TABLE_INIT;
    int rc = 0;

    if (in->ids != SE_IDS_INTEGER && se_stream_has(s, SE_NAMES))
        rc = se_table_load(&names, s, err);
    if (rc == 0)
        rc = se_text_open(&t, in->path, err);
    if (rc == 0)
        rc = read_mcl(&t, &x, &names, err);
    if (rc == 0 && put_modules(&x, in->n, s, err) < 0)
        rc = se_err_in(err, t.path);
    free(x.member);
    se_table_release(&names);
    se_text_close(&t);
    return rc;
}

static int export_mcl(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                      struct se_err *err)
{
    struct se_names names;
    struct se_tree t;
    bool first = true;

    if (se_tree_get(&t, s, err) < 0 || se_export_names(ex->names, s, &names, err) < 0)
        return -1;
    for (uint64_t v = 0; v < names.n; v++) {
        const size_t len = names.off[v + 1] - names.off[v];

        if (len == 0 || memchr(names.text + names.off[v], '\t', len) ||
            memchr(names.text + names.off[v], '\n', len))
            return se_fail(err, SE_EINPUT, "the name of vertex %" PRIu64 " cannot be written "
                           "as a label; export ids instead", v);
    }
    for (uint64_t a = 1; a < t.nodes; a++) {
        if (t.parent[a] == 0 && !first) {
            se_out_char(out, '\n');
            first = true;
        }
        if (t.vertex[a] == SE_NONE)
            continue;
        if (!first)
            se_out_char(out, '\t');
        se_out_vertex(out, &names, t.vertex[a]);
        first = false;
    }
    se_out_char(out, '\n');
    return 0;
}

const struct se_format se_format_clu = {
    .name = "clu",
    .what = "modules: node, module and flow a line, as Infomap writes them",
    .what_import = "modules: node module [flow] a line (Infomap), or one module a "
                   "line (METIS)",
    .kind = SE_FORMAT_TREE,
    .import = import_clu,
    .detect = detect_clu,
    .export = export_clu
};

const struct se_format se_format_mcl = {
    .name = "mcl",
    .what = "modules: a line of vertices for each",
    .kind = SE_FORMAT_TREE,
    .import = import_mcl,
    .export = export_mcl
};
