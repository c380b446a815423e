/* musae.c - the folders of MUSAE: edges, features and targets of a social network */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/folder.h"
#include "formats/internal.h"
#include "formats/jsonread.h"
#include "formats/rows.h"
#include "formats/vertices.h"

enum { COLUMNS = 64 };          /* that a table may have */

/* Cut a line at its commas.  Returns the number of fields. */
static int split(char *line, char *field[COLUMNS])
{
    int count = 1;

    field[0] = line;
    while (count < COLUMNS && (line = strchr(line, ',')) != NULL) {
        *line++ = '\0';
        field[count++] = line;
    }
    return count;
}

static int column_of(char *field[COLUMNS], int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(field[i], name) == 0)
            return i;
    return -1;
}

static int read_targets(struct se_text *t, struct se_vertices *x, struct se_err *err)
{
    int columns = 0, id = -1, mature = -1, rc;
    char *line, *field[COLUMNS] = { NULL };
    size_t len;

    while ((rc = se_text_line(t, &line, &len, err)) > 0) {
        const int count = split(line, field);
        uint64_t v;

        if (t->line == 1) {
            columns = count;
            id = column_of(field, count, "new_id");
            mature = column_of(field, count, "mature");
            if (id < 0 || mature < 0)
                return se_text_fail(t, err, "the header has no columns new_id and mature");
            continue;
        }
        if (len == 0)
            continue;
        if (count != columns)
            return se_text_fail(t, err, "%d fields instead of %d", count, columns);
        if (!se_whole_u64(field[id], &v) || v >= SE_NONE)
            return se_text_fail(t, err, "new_id '%.20s' is not a vertex", field[id]);
        if (strcmp(field[mature], "True") != 0 && strcmp(field[mature], "False") != 0)
            return se_text_fail(t, err, "mature is '%.20s', neither True nor False",
                                field[mature]);
        if (se_vertices_add(x, (uint32_t)v, field[mature][0] == 'T', t->line, err) < 0)
            return -1;
    }
    return rc;
}

static int read_target_file(const char *path, struct se_vertices *x, struct se_err *err)
{
    struct se_text t;
    int rc;

    if (se_text_open(&t, path, err) < 0)
        return -1;
    rc = read_targets(&t, x, err);
    se_text_close(&t);
    if (rc == 0 && x->n == 0)
        rc = se_fail(err, SE_EINPUT, "%s: has no vertices", path);
    return rc < 0 ? -1 : se_vertices_check(x, path, err);
}

static int json_fault(const struct se_json *j, struct se_err *err, const char *what)
{
    return se_fail(err, SE_EINPUT, "byte %zu: %s", (size_t)(j->at - j->start), what);
}

/* The columns of one vertex; one that is named twice counts 2. */
static int read_columns(struct se_json *j, struct se_rows *r, struct se_err *err)
{
    enum se_json_token token = se_json_next(j, err);

    if (token == SE_JSON_ERROR)
        return -1;
    if (token != SE_JSON_ARRAY)
        return json_fault(j, err, "a list of columns was expected");
    while ((token = se_json_next(j, err)) == SE_JSON_NUMBER) {
        const char *p = j->text;
        uint64_t column;

        if (!se_parse_u64(&p, &column) || p != j->text + j->len || column >= SE_NONE)
            return json_fault(j, err, "a column is not a whole number from 0 on");
        if (se_rows_add(r, (uint32_t)column, 1, err) < 0)
            return -1;
    }
    if (token == SE_JSON_ERROR)
        return -1;
    if (token != SE_JSON_ARRAY_END)
        return json_fault(j, err, "a list of columns was expected");
    return se_rows_end(r, SE_REPEAT_ADD, err);
}

/* which[v] becomes the row of v; a vertex without a row has no features. */
static int read_features(struct se_json *j, uint64_t n, uint32_t *which, struct se_rows *r,
                         struct se_err *err)
{
    enum se_json_token token = se_json_next(j, err);

    if (token != SE_JSON_ERROR && token != SE_JSON_OBJECT)
        return json_fault(j, err, "an object with the columns of each vertex was expected");
    while (token != SE_JSON_ERROR && (token = se_json_next(j, err)) == SE_JSON_KEY) {
        const char *p = j->text;
        uint64_t v;

        if (!se_parse_u64(&p, &v) || p != j->text + j->len || v >= n)
            return json_fault(j, err, "a key is not one of the vertices");
        if (which[v] != SE_NONE)
            return json_fault(j, err, "a vertex occurs twice");
        which[v] = (uint32_t)r->n;
        if (read_columns(j, r, err) < 0)
            return -1;
    }
    return token == SE_JSON_ERROR || se_json_next(j, err) == SE_JSON_ERROR ? -1 : 0;
}

static int put_features(const char *path, uint64_t n, struct se_stream *s, struct se_err *err)
{
    struct se_bytes text = SE_BYTES_INIT;
    struct se_rows r = SE_ROWS_INIT;
    uint32_t *which = NULL;
    struct se_json j;
    int rc = se_slurp(&text, path, 0, err);

    if (rc == 0 && !(which = se_alloc(n, sizeof *which, err)))
        rc = -1;
    if (rc == 0) {
        for (uint64_t v = 0; v < n; v++)
            which[v] = SE_NONE;
        se_json_init(&j, text.data, text.len);
        rc = read_features(&j, n, which, &r, err);
        if (rc < 0)
            se_err_in(err, path);
    }
    if (rc == 0)
        rc = se_rows_put(&r, n, which, s, err);
    free(which);
    se_rows_release(&r);
    se_bytes_release(&text);
    return rc;
}

static int import_files(struct se_import *in, char *const path[3], struct se_stream *s,
                        struct se_err *err)
{
    struct se_builder b = SE_BUILDER_INIT;
    struct se_vertices x = SE_VERTICES_INIT;
    int rc = read_target_file(path[0], &x, err);

    b.n = x.n;
    if (rc == 0 && (se_import_vertices(in, x.n, err) < 0 ||
                    se_read_edge_lines(path[1], ',', x.n, &b, err) < 0 ||
                    se_import_graph(in, &b, SE_MERGE_SUM, s, err) < 0 ||
                    put_features(path[2], x.n, s, err) < 0 ||
                    se_vertices_labels(&x, s, err) < 0))
        rc = -1;
    se_builder_release(&b);
    se_vertices_release(&x);
    return rc;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    static const char *const tail[] = { "_target.csv", "_edges.csv", "_features.json" };
    char *stem, *path[3] = { NULL, NULL, NULL };
    const int found = se_folder_find(in->path, "musae_", "_edges.csv", &stem, err);
    int rc = found < 0 ? -1 : 0;

    if (found == 0)
        rc = se_fail(err, SE_EINPUT, "%s: is not a folder with a file musae_*_edges.csv",
                     in->path);
    else if (found > 1)
        rc = se_fail(err, SE_EINPUT, "%s: holds %d networks (musae_*_edges.csv); keep each in "
                     "a folder of its own", in->path, found);
    for (int i = 0; i < 3 && rc == 0; i++)
        if (!(path[i] = se_join(stem, "", tail[i], err)))
            rc = -1;
    if (rc == 0)
        rc = import_files(in, path, s, err);
    for (int i = 0; i < 3; i++)
        free(path[i]);
    free(stem);
    return rc;
}

static int detect(const char *path, const char *head, size_t len)
{
    struct se_err err;
    char *stem = NULL;
    const int found = head ? 0 : se_folder_find(path, "musae_", "_edges.csv", &stem, &err);

    (void)len;
    free(stem);
    return found > 0 ? 95 : 0;
}

const struct se_format se_format_musae = {
    .name = "musae",
    .what = "folder with musae_*_edges.csv, _features.json and _target.csv",
    .import = import,
    .detect = detect
};
