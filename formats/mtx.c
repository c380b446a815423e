/* mtx.c - MatrixMarket: a square matrix of coordinates, taken as an adjacency matrix
 *
 * Repeated entries add up; of the two directions of a pair the larger counts.  Entries on
 * the diagonal are self-loops.  math.nist.gov/MatrixMarket/formats.html */
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "common/graph/builder.h"
#include "formats/internal.h"
#include "formats/vertices.h"

/* The banner: "%%MatrixMarket matrix coordinate FIELD SYMMETRY", in any case. */
static int read_banner(struct se_text *t, bool *weighted, bool *symmetric, struct se_err *err)
{
    char object[16], layout[16], field[16], symmetry[20];
    size_t len;
    char *line;
    const int got = se_text_line(t, &line, &len, err);

    if (got < 0)
        return -1;
    if (got == 0)
        return se_fail(err, SE_EINPUT, "%s: is empty", t->path);
    if (strncasecmp(line, "%%MatrixMarket", 14) != 0)
        return se_text_fail(t, err, "does not start with %%%%MatrixMarket; if it is such a file without "
                            "its first line, put '%%%%MatrixMarket matrix coordinate pattern "
                            "symmetric' there");
    if (sscanf(line + 14, " %15s %15s %15s %19s", object, layout, field, symmetry) != 4)
        return se_text_fail(t, err, "four words should follow %%%%MatrixMarket");
    if (strcasecmp(object, "matrix") != 0 || strcasecmp(layout, "coordinate") != 0)
        return se_text_fail(t, err, "cannot read '%s %s', only 'matrix coordinate'", object,
                            layout);
    if (strcasecmp(symmetry, "general") != 0 && strcasecmp(symmetry, "symmetric") != 0)
        return se_text_fail(t, err, "cannot read a %s matrix, only general and symmetric",
                            symmetry);
    *symmetric = strcasecmp(symmetry, "symmetric") == 0;
    *weighted = strcasecmp(field, "pattern") != 0;
    if (*weighted && strcasecmp(field, "real") != 0 && strcasecmp(field, "integer") != 0)
        return se_text_fail(t, err, "cannot read %s values, only pattern, real and integer",
                            field);
    return 0;
}

/* The next line that is neither blank nor a comment, its first number at *p. */
static int next_line(struct se_text *t, const char **p, struct se_err *err)
{
    size_t len;
    char *line;
    int got;

    while ((got = se_text_line(t, &line, &len, err)) > 0) {
        line += strspn(line, " \t");
        if (*line && *line != '%')
            break;
    }
    *p = line;
    return got;
}

/* The number at *p, which blanks or the end of the line must follow. */
static bool take_u64(const char **p, uint64_t *value)
{
    if (!se_parse_u64(p, value) || (**p && **p != ' ' && **p != '\t'))
        return false;
    *p += strspn(*p, " \t");
    return true;
}

static int read_size(struct se_text *t, uint64_t *n, uint64_t *entries, struct se_err *err)
{
    const char *p;
    uint64_t columns;
    const int got = next_line(t, &p, err);

    if (got < 0)
        return -1;
    if (got == 0)
        return se_fail(err, SE_EINPUT, "%s: ends before the line of sizes", t->path);
    if (!take_u64(&p, n) || !take_u64(&p, &columns) || !take_u64(&p, entries) || *p)
        return se_text_fail(t, err, "should be rows, columns and entries");
    if (*n != columns)
        return se_text_fail(t, err, "%" PRIu64 " rows and %" PRIu64 " columns; the matrix of "
                            "a graph is square", *n, columns);
    return 0;
}

static int read_entry(struct se_text *t, const char *p, uint64_t n, struct se_builder *b,
                      struct se_err *err)
{
    uint64_t row, column;
    double value = 1;

    if (!take_u64(&p, &row) || !take_u64(&p, &column))
        return se_text_fail(t, err, "should be row, column%s", b->weighted ? ", value" : "");
    if (row < 1 || row > n || column < 1 || column > n)
        return se_text_fail(t, err, "entry %" PRIu64 " %" PRIu64 " is outside the matrix, "
                            "whose rows are 1 to %" PRIu64, row, column, n);
    if (b->weighted) {
        if (!se_parse_number(&p, &value))
            return se_text_fail(t, err, "has no finite number for a value");
        if (value < 0 || value > (double)FLT_MAX)
            return se_text_fail(t, err, "value %g is %s; weights are 0 or more", value,
                                value < 0 ? "negative" : "more than a float holds");
        p += strspn(p, " \t");
    }
    if (*p)
        return se_text_fail(t, err, "more than %d numbers in a line", b->weighted ? 3 : 2);
    return se_builder_add(b, (uint32_t)(row - 1), (uint32_t)(column - 1), (float)value, err);
}

static int read_all(struct se_text *t, struct se_import *in, struct se_builder *b,
                    struct se_err *err)
{
    uint64_t n = 0, entries = 0;
    bool symmetric = false;
    const char *p;
    int got;

    if (read_banner(t, &b->weighted, &symmetric, err) < 0 || read_size(t, &n, &entries, err) < 0)
        return -1;
    se_import_start(in, b, symmetric);
    if (n >= SE_MAX_VERTICES)
        return se_text_fail(t, err, "%" PRIu64 " rows are too many", n);
    while ((got = next_line(t, &p, err)) > 0) {
        if (b->count == entries)
            return se_text_fail(t, err, "is one entry more than the %" PRIu64 " promised",
                                entries);
        if (read_entry(t, p, n, b, err) < 0)
            return -1;
    }
    if (got < 0)
        return -1;
    if (b->count < entries)
        return se_fail(err, SE_EINPUT, "%s: ends after %" PRIu64 " of %" PRIu64 " entries",
                       t->path, b->count, entries);
    if (in->n && in->n < n)
        return se_fail(err, SE_EINPUT, "%s: has %" PRIu64 " vertices, but %" PRIu64
                       " are wanted", t->path, n, in->n);
    if (se_check_sparse(n, b->count, in->n, err) < 0)
        return se_err_in(err, t->path);
    b->n = in->n > n ? in->n : n;
    return 0;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct se_builder b = SE_BUILDER_INIT;
    struct se_text t = SE_TEXT_INIT;
    int rc = se_text_open(&t, in->path, err);

    if (rc == 0)
        rc = read_all(&t, in, &b, err);
    if (rc == 0 && se_import_graph(in, &b, SE_MERGE_MATRIX, s, err) < 0)
        rc = se_err_in(err, t.path);
    se_builder_release(&b);
    se_text_close(&t);
    return rc;
}

static int detect(const char *path, const char *head, size_t len)
{
    (void)len;
    if (!head)
        return 0;
    if (strncasecmp(head, "%%MatrixMarket", 14) == 0)
        return 100;
    return se_path_is(path, ".mtx") ? 80 : 0;
}

static void write_entry(struct se_out *out, uint64_t row, uint64_t column, const float *weight)
{
    se_out_u64(out, row + 1);
    se_out_char(out, ' ');
    se_out_u64(out, column + 1);
    if (weight) {
        se_out_char(out, ' ');
        se_out_float(out, *weight);
    }
    se_out_char(out, '\n');
}

/* The lower triangle: an edge stands in the row of its higher end.  Arcs: all, a row for each
 * source. */
static int export(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                  struct se_err *err)
{
    const bool arcs = ex->section == SE_ARCS;
    struct se_graph g;
    uint64_t loop = 0;

    if (se_export_edges(ex, s, &g, err) < 0)
        return -1;
    se_outf(out, "%%%%MatrixMarket matrix coordinate %s %s\n", g.weight ? "real" : "pattern",
            arcs ? "general" : "symmetric");
    se_outf(out, "%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", g.n, g.n, g.m + g.loops);
    for (uint64_t u = 0; u < g.n; u++) {
        if (loop < g.loops && g.loop[loop] == u) {
            write_entry(out, u, u, g.weight ? &g.loop_weight[loop] : NULL);
            loop++;
        }
        for (uint64_t i = g.off[u]; i < g.off[u + 1]; i++)
            write_entry(out, arcs ? u : g.to[i], arcs ? g.to[i] : u,
                        g.weight ? &g.weight[i] : NULL);
    }
    return 0;
}

const struct se_format se_format_mtx = {
    .name = "mtx",
    .what = "Matrix Market: a symmetric coordinate matrix; of arcs a general one",
    .directed = true,
    .what_import = "Matrix Market: a square coordinate matrix",
    .import = import,
    .detect = detect,
    .export = export
};
