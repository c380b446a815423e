/* geomgcn.c - the text files of Geom-GCN: vertices with features and labels, and edges */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/folder.h"
#include "formats/internal.h"
#include "formats/rows.h"
#include "formats/vertices.h"

static const char vertex_file[] = "out1_node_feature_label.txt",
                  edge_file[] = "out1_graph_edges.txt";

/* Features are a value for each column, or the columns of the ones.  Only the header of the
 * second kind tells ("feature_amount"); failing that, lists of different lengths do. */
static int has_lists(const char *path, bool *lists, struct se_err *err)
{
    uint64_t first = 0;
    struct se_text t;
    char *line;
    size_t len;
    int rc = 0;

    *lists = false;
    if (se_text_open(&t, path, err) < 0)
        return -1;
    while (!*lists && (rc = se_text_line(&t, &line, &len, err)) > 0) {
        uint64_t commas = 1;

        for (const char *p = line; (p = strchr(p, ',')) != NULL; p++)
            commas++;
        if (t.line == 1)
            *lists = strstr(line, "feature_amount") != NULL;
        else if (first == 0)
            first = commas;
        else if (len > 0)
            *lists = commas != first;
    }
    se_text_close(&t);
    return *lists ? 0 : rc;
}

static int add_value(const struct se_text *t, struct se_rows *r, uint64_t column,
                     const char **p, struct se_err *err)
{
    double value;

    if (!se_parse_number(p, &value) || !isfinite((float)value))
        return se_text_fail(t, err, "feature %" PRIu64 " is not a number", column);
    if (column >= SE_NONE)
        return se_text_fail(t, err, "too many features");
    if (column >= r->d)
        r->d = column + 1;
    return (float)value == 0 ? 0 : se_rows_add(r, (uint32_t)column, (float)value, err);
}

static int add_column(const struct se_text *t, struct se_rows *r, const char **p,
                      struct se_err *err)
{
    uint64_t column;

    if (!se_parse_u64(p, &column) || column >= SE_NONE)
        return se_text_fail(t, err, "a column was expected (lists differ in length, so they "
                            "are taken as lists of columns)");
    return se_rows_add(r, (uint32_t)column, 1, err);
}

/* The features up to the tab behind them. */
static int read_features(const struct se_text *t, struct se_rows *r, bool lists,
                         const char **p, struct se_err *err)
{
    for (uint64_t i = 0; **p != '\t'; i++) {
        if (i > 0 && *(*p)++ != ',')
            return se_text_fail(t, err, "a comma was expected between features");
        if ((lists ? add_column(t, r, p, err) : add_value(t, r, i, p, err)) < 0)
            return -1;
    }
    return se_rows_end(r, SE_REPEAT_ONCE, err);
}

static int read_vertex(const struct se_text *t, const char *p, bool lists,
                       struct se_vertices *x, struct se_rows *r, struct se_err *err)
{
    uint64_t id, label = 0;
    bool unknown;

    if (!se_parse_u64(&p, &id) || id >= SE_NONE || *p++ != '\t' || !strchr(p, '\t'))
        return se_text_fail(t, err, "vertex, features and label with tabs between them were "
                            "expected");
    if (read_features(t, r, lists, &p, err) < 0)
        return -1;
    p++;
    unknown = strcmp(p, "-1") == 0;
    if (!unknown && (!se_whole_u64(p, &label) || label > INT32_MAX))
        return se_text_fail(t, err, "label '%.20s' is not a number from 0 on", p);
    return se_vertices_add(x, (uint32_t)id, unknown ? -1 : (int32_t)label, t->line, err);
}

static int read_lines(struct se_text *t, bool lists, struct se_vertices *x, struct se_rows *r,
                      struct se_err *err)
{
    char *line;
    size_t len;
    int rc;

    while ((rc = se_text_line(t, &line, &len, err)) > 0) {
        if (t->line == 1 && *line >= '0' && *line <= '9')
            return se_text_fail(t, err, "a header was expected, not a vertex");
        if (t->line > 1 && len > 0 && read_vertex(t, line, lists, x, r, err) < 0)
            return -1;
    }
    return rc;
}

static int read_vertices(const char *path, struct se_vertices *x, struct se_rows *r,
                         struct se_err *err)
{
    struct se_text t;
    bool lists;
    int rc;

    if (has_lists(path, &lists, err) < 0 || se_text_open(&t, path, err) < 0)
        return -1;
    rc = read_lines(&t, lists, x, r, err);
    se_text_close(&t);
    if (rc == 0 && x->n == 0)
        rc = se_fail(err, SE_EINPUT, "%s: has no vertices", path);
    return rc < 0 ? -1 : se_vertices_check(x, path, err);
}

static int import_files(struct se_import *in, const char *vertices, const char *edges,
                        struct se_stream *s, struct se_err *err)
{
    struct se_builder b = SE_BUILDER_INIT;
    struct se_vertices x = SE_VERTICES_INIT;
    struct se_rows r = SE_ROWS_INIT;
    int rc = read_vertices(vertices, &x, &r, err);

    b.n = x.n;
    se_import_start(in, &b, false);
    if (rc == 0 && (se_import_vertices(in, x.n, err) < 0 ||
                    se_read_edge_lines(edges, '\t', x.n, &b, err) < 0 ||
                    se_import_graph(in, &b, SE_MERGE_SUM, s, err) < 0 ||
                    se_rows_put(&r, x.n, x.which, s, err) < 0 ||
                    se_vertices_labels(&x, s, err) < 0))
        rc = -1;
    se_builder_release(&b);
    se_vertices_release(&x);
    se_rows_release(&r);
    return rc;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    char *vertices = se_find_file(in->path, "/", vertex_file, err);
    char *edges = vertices ? se_find_file(in->path, "/", edge_file, err) : NULL;
    const int rc = edges ? import_files(in, vertices, edges, s, err) : -1;

    free(vertices);
    free(edges);
    return rc;
}

static int detect(const char *path, const char *head, size_t len)
{
    struct se_err err;
    char *file = head ? NULL : se_find_file(path, "/", vertex_file, &err);
    const bool there = file && se_file_exists(file);

    (void)len;
    free(file);
    return there ? 90 : 0;
}

const struct se_format se_format_geomgcn = {
    .name = "geomgcn",
    .what = "folder with out1_graph_edges.txt and out1_node_feature_label.txt",
    .import = import,
    .detect = detect
};
