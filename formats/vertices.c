/* vertices.c - files with a line per vertex or edge, and the end of an import */
#include "formats/vertices.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/graph/arcs.h"
#include "formats/internal.h"

enum { SPARE_CLASSES = 65536 };         /* as the labels section allows */

int se_vertices_add(struct se_vertices *x, uint32_t id, int32_t label, uint64_t line,
                    struct se_err *err)
{
    if (se_grow(&x->row, &x->cap, x->n + 1, sizeof *x->row, err) < 0)
        return -1;
    x->row[x->n++] = (struct se_vertex_line){ id, label, line };
    return 0;
}

int se_vertices_check(struct se_vertices *x, const char *path, struct se_err *err)
{
    if (x->n >= SE_MAX_VERTICES)
        return se_fail(err, SE_EINPUT, "%s: too many vertices", path);
    x->which = se_alloc(x->n, sizeof *x->which, err);
    if (!x->which)
        return -1;
    for (uint64_t v = 0; v < x->n; v++)
        x->which[v] = SE_NONE;
    for (uint64_t i = 0; i < x->n; i++) {
        const struct se_vertex_line *l = &x->row[i];

        if (l->id >= x->n)
            return se_fail(err, SE_EINPUT, "%s: line %" PRIu64 ": vertex %" PRIu32 ", but the "
                           "%" PRIu64 " vertices of the file must be 0 to %" PRIu64, path,
                           l->line, l->id, x->n, x->n - 1);
        if (x->which[l->id] != SE_NONE)
            return se_fail(err, SE_EINPUT, "%s: line %" PRIu64 ": vertex %" PRIu32 " was there "
                           "before, in line %" PRIu64, path, l->line, l->id,
                           x->row[x->which[l->id]].line);
        x->which[l->id] = (uint32_t)i;
    }
    return 0;
}

int se_vertices_labels(const struct se_vertices *x, struct se_stream *s, struct se_err *err)
{
    int32_t *label = se_alloc(x->n, sizeof *label, err);
    int rc = -1;

    if (label) {
        for (uint64_t i = 0; i < x->n; i++)
            label[x->row[i].id] = x->row[i].label;
        rc = se_import_labels(label, x->n, 0, NULL, 0, s, err);
    }
    free(label);
    return rc;
}

void se_vertices_release(struct se_vertices *x)
{
    free(x->row);
    free(x->which);
    *x = (struct se_vertices)SE_VERTICES_INIT;
}

static int read_pairs(struct se_text *t, char separator, uint64_t n, struct se_builder *b,
                      struct se_err *err)
{
    char *line;
    size_t len;
    int rc;

    while ((rc = se_text_line(t, &line, &len, err)) > 0) {
        const char *p = line;
        uint64_t u, v;

        if (t->line == 1 && *p >= '0' && *p <= '9')
            return se_text_fail(t, err, "a header was expected, not an edge");
        if (t->line == 1 || len == 0)
            continue;
        if (!se_parse_u64(&p, &u) || *p++ != separator || !se_parse_u64(&p, &v) || *p)
            return se_text_fail(t, err, "two vertices with a %s between them were expected",
                                separator == '\t' ? "tab" : "comma");
        if (u >= n || v >= n)
            return se_text_fail(t, err, "vertex %" PRIu64 " is not one of the %" PRIu64
                                " vertices", u >= n ? u : v, n);
        if (se_builder_add(b, (uint32_t)u, (uint32_t)v, 1, err) < 0)
            return -1;
    }
    return rc;
}

int se_read_edge_lines(const char *path, char separator, uint64_t n, struct se_builder *b,
                       struct se_err *err)
{
    struct se_text t;
    int rc;

    if (se_text_open(&t, path, err) < 0)
        return -1;
    rc = read_pairs(&t, separator, n, b, err);
    if (rc == 0 && t.line == 0)
        rc = se_fail(err, SE_EINPUT, "%s: is empty", path);
    se_text_close(&t);
    return rc;
}

int se_import_vertices(const struct se_import *in, uint64_t n, struct se_err *err)
{
    if (in->n == 0 || in->n == n)
        return 0;
    return se_fail(err, SE_EINPUT, "%s: has %" PRIu64 " vertices, but %" PRIu64 " were asked "
                   "for", in->path, n, in->n);
}

void se_import_start(struct se_import *in, struct se_builder *b, bool undirected)
{
    b->both = undirected;
    b->directions = in->symmetric != SE_SYMMETRIC_AUTO && !undirected;
    if (in->directed) {
        in->arcs.ordered = true;
        b->arcs = &in->arcs;
    }
}

enum se_merge se_import_rule(const struct se_import *in, const struct se_builder *b,
                             enum se_merge usual)
{
    static const enum se_merge rule[] = { [SE_SYMMETRIC_SUM] = SE_MERGE_SUM,
                                          [SE_SYMMETRIC_MAX] = SE_MERGE_MATRIX,
                                          [SE_SYMMETRIC_MEAN] = SE_MERGE_MEAN };

    return b->directions ? rule[in->symmetric] : usual;
}

static const char *const rule_words[] = {
    [SE_MERGE_SUM] = "the sum of both directions", [SE_MERGE_MATRIX] = "the larger direction",
    [SE_MERGE_MEAN] = "the mean of both directions"
};

/* Say how many arcs there are, and how many pairs have only one. */
static int tell_arcs(const struct se_import *in, enum se_merge merge, struct se_stream *s,
                     struct se_err *err)
{
    struct se_graph g, arcs;
    struct se_arc_facts x;

    if (se_graph_get(&g, s, SE_GRAPH, err) < 0 || se_arcs_get(&arcs, s, err) < 0)
        return -1;
    se_arc_facts(&x, &arcs);
    return se_say(in->notes, err, "%s: %" PRIu64 " arcs between %" PRIu64 " pairs of vertices are "
                  "kept, %" PRIu64 " pairs have one direction only%s%s", se_path_name(in->path),
                  arcs.m - x.loops, x.pairs, x.one_way,
                  g.weight ? "; the weight of an edge is " : "",
                  g.weight ? rule_words[merge] : "");
}

int se_import_arcs(struct se_import *in, const struct se_built *built, enum se_merge merge,
                   const uint32_t *to, struct se_stream *s, struct se_err *err)
{
    struct se_graph g;

    if (in->directed)
        return se_graph_get(&g, s, SE_GRAPH, err) < 0 ||
               se_builder_put_arcs(&in->arcs, s, to, g.n, in->keep_loops, err) < 0 ||
               tell_arcs(in, merge, s, err) < 0 ? -1 : 0;
    if (in->symmetric == SE_SYMMETRIC_AUTO)
        return 0;
    return se_say(in->notes, err, "%s: %" PRIu64 " pairs have one direction only; the weight of an "
                  "edge is %s", se_path_name(in->path), built->one_way, rule_words[merge]);
}

/* Say so if a matrix of so many entries beside the diagonal is not symmetric. */
static int tell_symmetric(const struct se_import *in, uint64_t entries, uint64_t repeated,
                          struct se_err *err)
{
    const uint64_t edges = entries - repeated;

    if (entries == 2 * edges)
        return 0;
    return se_say(in->notes, err, "%s: is not symmetric, so directions are dropped: %" PRIu64
                  " entries become %" PRIu64 " edges, %" PRIu64 " of them in one direction only "
                  "(--directed keeps directions)", se_path_name(in->path), entries, edges,
                  repeated < edges ? edges - repeated : 0);
}

int se_import_graph(struct se_import *in, struct se_builder *b, enum se_merge merge,
                    struct se_stream *s, struct se_err *err)
{
    const enum se_merge rule = se_import_rule(in, b, merge);
    const bool usual = !b->directions && !b->both && !in->directed;
    const uint64_t entries = b->count;
    struct se_built built = { 0 };
    int rc = se_builder_put(b, s, SE_GRAPH, rule, in->keep_loops, &built, err);

    in->loops = built.loops;
    in->repeated = built.repeated;
    in->matrix = merge == SE_MERGE_MATRIX;
    if (rc == 0)
        rc = se_import_arcs(in, &built, rule, NULL, s, err);
    if (rc == 0 && usual && merge == SE_MERGE_MATRIX)
        rc = tell_symmetric(in, entries - built.loops, built.repeated, err);
    return rc;
}

int se_import_labels(const int32_t *label, uint64_t n, uint64_t classes, const char *names,
                     uint64_t names_len, struct se_stream *s, struct se_err *err)
{
    for (uint64_t v = 0; v < n; v++) {
        if (label[v] < -1)
            return se_fail(err, SE_EINPUT, "vertex %" PRIu64 " has class %" PRId32 "; classes "
                           "are 0, 1, ..., and -1 is unknown", v, label[v]);
        if (label[v] >= (int64_t)classes)
            classes = (uint64_t)label[v] + 1;
    }
    if (classes > n + SPARE_CLASSES)
        return se_fail(err, SE_EINPUT, "%" PRIu64 " classes for %" PRIu64 " vertices", classes,
                       n);
    const struct se_labels l = { n, classes, label, names, names_len };
    return se_labels_put(&l, s, err);
}
