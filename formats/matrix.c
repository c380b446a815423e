/* matrix.c - an adjacency matrix as text, with or without the names of rows and columns
 *
 * As spreadsheets, pandas and R write it: numbers separated by tabs, commas, semicolons or blanks.
 * With names the first line has those of the columns, and each row begins with the same name. */
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/internal.h"
#include "formats/vertices.h"

struct matrix {
    struct se_text t;
    struct se_import *in;
    struct se_builder b;
    struct se_table names;
    char separator;
    bool named;
    uint64_t n, row;
    bool comma;                 /* a weight had a decimal comma */
};

/* The next field, ended by NUL: 1, 0 if it is the last, or -1. */
static int cell(char **p, char separator, struct se_field *f)
{
    const int more = se_next_cell(p, separator, f);

    if (more >= 0)
        f->at[f->len] = '\0';
    return more;
}

/* The fields of a line, counted; the line stays as it is.  0: it has an odd quote. */
static uint64_t count_fields(const char *line, char separator, struct se_err *err)
{
    char *copy = se_strdup(line, err), *p = copy;
    struct se_field f;
    uint64_t count = 0;
    int more = 1;

    while (copy && p && more > 0) {
        more = cell(&p, separator, &f);
        count++;
    }
    free(copy);
    return copy && more == 0 ? count : 0;
}

/* Names of columns: the first line without the corner, which may be missing. */
static int read_names(struct matrix *m, char *line, bool corner, struct se_err *err)
{
    struct se_field f;
    char *p = line;
    uint32_t id;
    int more = 1;

    if (corner && cell(&p, m->separator, &f) <= 0)
        return se_text_fail(&m->t, err, "the names of the columns were expected");
    while (more > 0) {
        more = cell(&p, m->separator, &f);
        if (more < 0 || f.len == 0)
            return se_text_fail(&m->t, err, "a column has no name");
        if (se_table_add(&m->names, f.at, f.len, &id, err) < 0)
            return -1;
        if (id != m->names.n - 1 || m->names.n - 1 != m->n++)
            return se_text_fail(&m->t, err, "two columns are called %.60s", f.at);
    }
    return 0;
}

static int add_entry(struct matrix *m, const struct se_field *f, uint64_t column, struct se_err *err)
{
    const char *p = f->at;
    double w = 0;

    if (f->len == 0)
        return 0;
    if (!(se_parse_number(&p, &w) && p == f->at + f->len) &&
        !se_weight(f->at, m->in->decimal, m->separator, &w, &m->comma))
        return se_text_fail(&m->t, err, "'%.40s' in column %" PRIu64 " is not a number", f->at,
                            column + 1);
    if (w < 0 || w > (double)FLT_MAX)
        return se_text_fail(&m->t, err, "weight %g is negative or too large; weights are 0 or more",
                            w);
    m->b.weighted |= w != 0 && w != 1;
    return w == 0 ? 0 : se_builder_add(&m->b, (uint32_t)m->row, (uint32_t)column, (float)w, err);
}

static int read_row(struct matrix *m, char *line, struct se_err *err)
{
    struct se_field f;
    uint64_t column = 0;
    char *p = line;
    int more = 1;

    if (m->row >= m->n)
        return se_text_fail(&m->t, err, "there are more rows than the %" PRIu64 " columns", m->n);
    if (m->named) {
        more = cell(&p, m->separator, &f);
        if (more <= 0 || se_table_find(&m->names, f.at, f.len) != m->row)
            return se_text_fail(&m->t, err, "rows and columns have other names, or in another order");
    }
    for (; more > 0; column++) {
        more = cell(&p, m->separator, &f);
        if (more < 0 || column >= m->n)
            return se_text_fail(&m->t, err, "has more than %" PRIu64 " numbers", m->n);
        if (add_entry(m, &f, column, err) < 0)
            return -1;
    }
    m->row++;
    return column == m->n ? 0 : se_text_fail(&m->t, err, "has %" PRIu64 " numbers instead of %"
                                             PRIu64, column, m->n);
}

/* Does the second line begin with the name of the first column?  Then *corner says whether the
 * first line has a field above the names of the rows, which is no number. */
static bool has_names(const char *first, const char *second, bool *corner)
{
    const char separator = se_find_separator(first);
    struct se_err ignored = SE_ERR_INIT;
    char *a = se_strdup(first, &ignored), *b = se_strdup(second, &ignored), *p = a, *q = b;
    struct se_field column, row;
    double number;
    bool named = a && b && cell(&p, separator, &column) > 0 &&
                 cell(&q, separator, &row) > 0;

    *corner = count_fields(first, separator, &ignored) == count_fields(second, separator, &ignored);
    if (named && *corner)
        named = !se_whole_number(column.at, &number) && cell(&p, separator, &column) >= 0;
    named = named && column.len > 0 && column.len == row.len &&
            memcmp(column.at, row.at, row.len) == 0;
    free(a);
    free(b);
    return named;
}

static bool skipped(const char *line, size_t len)
{
    return len == 0 || *line == '#' || *line == '%';
}

/* The first two lines of data; free() both.  0 if there are not two. */
static int first_lines(const char *path, char *line[2], struct se_err *err)
{
    struct se_text t;
    char *text;
    size_t len;
    int rc, count = 0;

    line[0] = line[1] = NULL;
    if (se_text_open(&t, path, err) < 0)
        return -1;
    while (count < 2 && (rc = se_text_line(&t, &text, &len, err)) > 0) {
        if (t.line == 1 && strncmp(text, "\xef\xbb\xbf", 3) == 0)
            text += 3;
        if (skipped(text, strlen(text)))
            continue;
        line[count] = se_strdup(text, err);
        if (!line[count++]) {
            rc = -1;
            break;
        }
    }
    se_text_close(&t);
    return count == 2 ? 1 : rc;
}

static int read_lines(struct matrix *m, bool corner, struct se_err *err)
{
    char *line;
    size_t len;
    int rc;

    while ((rc = se_text_line(&m->t, &line, &len, err)) > 0) {
        if (m->t.line == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0)
            line += 3;
        while (m->separator == ' ' && len > 0 && se_is_blank(*line))
            line++;
        if (skipped(line, strlen(line)))
            continue;
        if (m->named && m->n == 0)
            rc = read_names(m, line, corner, err);
        else if (m->n == 0 && (m->n = count_fields(line, m->separator, err)) == 0)
            rc = se_text_fail(&m->t, err, "a row of numbers was expected");
        else
            rc = read_row(m, line, err);
        if (rc < 0)
            return -1;
    }
    if (rc == 0 && m->row < m->n)
        return se_text_fail(&m->t, err, "the file ends after %" PRIu64 " rows of %" PRIu64, m->row,
                            m->n);
    return rc;
}

/* Are the names 0, 1, ..., as pandas makes them where there are none? */
static bool counts(const struct se_table *names)
{
    char word[24];

    for (uint64_t i = 0; i < names->n; i++) {
        const int len = snprintf(word, sizeof word, "%" PRIu64, i);

        if (se_table_find(names, word, (size_t)len) != i)
            return false;
    }
    return true;
}

static int read_matrix(struct matrix *m, const char *first, const char *second, struct se_stream *s,
                       struct se_err *err)
{
    bool corner = false;
    int rc;

    m->separator = se_find_separator(first);
    m->named = has_names(first, second, &corner);
    if (se_text_open(&m->t, m->in->path, err) < 0)
        return -1;
    se_import_start(m->in, &m->b, false);
    rc = read_lines(m, corner, err);
    se_text_close(&m->t);
    m->b.n = m->n;
    if (rc == 0 && (se_import_graph(m->in, &m->b, SE_MERGE_MATRIX, s, err) < 0 ||
                    (m->named && !counts(&m->names) && se_table_put(&m->names, s, err) < 0)))
        rc = se_err_in(err, m->in->path);
    return rc < 0 ? -1 : se_import_vertices(m->in, m->n, err);
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct matrix m = { .in = in, .b = SE_BUILDER_INIT, .names = SE_TABLE_INIT };
    char *line[2];
    int rc = first_lines(in->path, line, err);

    if (rc >= 0)
        rc = rc > 0 ? read_matrix(&m, line[0], line[1], s, err)
             : se_fail(err, SE_EINPUT, "%s: is no matrix of two rows or more", in->path);
    se_builder_release(&m.b);
    se_table_release(&m.names);
    free(line[0]);
    free(line[1]);
    return rc;
}

/* As many lines of data as the first has numbers? */
static bool is_square(const char *path, const char *first)
{
    const char separator = se_find_separator(first);
    struct se_err ignored = SE_ERR_INIT;
    const uint64_t columns = count_fields(first, separator, &ignored);
    uint64_t rows = 0;
    struct se_text t;
    char *line;
    size_t len;
    int rc;

    if (columns < 4 || first[strspn(first, "0123456789+-.eE,;\t \"")] ||
        se_text_open(&t, path, &ignored) < 0)
        return false;
    while ((rc = se_text_line(&t, &line, &len, &ignored)) > 0 && rows <= columns)
        rows += !skipped(line, len);
    se_text_close(&t);
    return rc == 0 && rows == columns;
}

static int detect(const char *path, const char *head, size_t len)
{
    struct se_err ignored = SE_ERR_INIT;
    char *line[2] = { NULL, NULL };
    bool corner = false;
    int sure = 0;

    if (!head || memchr(head, '\0', len) || *head == '<' || *head == '{' || *head == '[')
        return 0;
    if (first_lines(path, line, &ignored) > 0 &&
        count_fields(line[0], se_find_separator(line[0]), &ignored) > 3)
        sure = has_names(line[0], line[1], &corner) ? 84 : is_square(path, line[0]) ? 78 : 0;
    free(line[0]);
    free(line[1]);
    return sure;
}

const struct se_format se_format_matrix = {
    .name = "matrix",
    .what = "adjacency matrix as text, with or without names",
    .import = import,
    .detect = detect
};
