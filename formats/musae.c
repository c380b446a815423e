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

/* The column of the class: --class, else the usual names, else the only one besides ids. */
static int class_column(const struct se_text *t, struct se_import *in, char *field[COLUMNS],
                        int count, int id, struct se_err *err)
{
    static const char *const usual[] = {
        "mature", "page_type", "ml_target", "target", "class", "label"
    };
    int column = in->class ? column_of(field, count, in->class) : -1, other = 0;

    if (in->class && column < 0)
        return se_text_fail(t, err, "there is no column %.40s for --class", in->class);
    in->class_used |= in->class != NULL;
    for (size_t i = 0; i < sizeof usual / sizeof *usual && column < 0; i++)
        column = column_of(field, count, usual[i]);
    for (int i = 0; i < count && column < 0; i++)
        if (i != id && ++other)
            column = count == 2 ? i : -1;
    return column >= 0 ? column : se_text_fail(t, err, "which column holds the class? say it with "
                                               "--class COLUMN");
}

struct targets {
    struct se_vertices x;
    struct se_bytes word;       /* of each row, ended by NUL */
    bool real;                  /* a number with a fraction or many digits */
    char column[64];
};

static int read_targets(struct se_text *t, struct se_import *in, struct targets *g,
                        struct se_err *err)
{
    int columns = 0, id = -1, class = -1, rc;
    char *line, *field[COLUMNS] = { NULL };
    size_t len;

    while ((rc = se_text_line(t, &line, &len, err)) > 0) {
        const int count = split(line, field);
        uint64_t v;
        double x;

        if (t->line == 1) {
            columns = count;
            id = column_of(field, count, "new_id");
            id = id < 0 ? column_of(field, count, "id") : id;
            if (id < 0)
                return se_text_fail(t, err, "the header has no column new_id or id");
            class = class_column(t, in, field, count, id, err);
            if (class < 0)
                return -1;
            memcpy(g->column, field[class], strnlen(field[class], 63));
            continue;
        }
        if (len == 0)
            continue;
        if (count < columns)
            return se_text_fail(t, err, "%d fields instead of %d", count, columns);
        if (count > columns && (class == columns - 1 || id == columns - 1)) {
            /* names hold commas, and the last columns are behind them */
            if (class == columns - 1)
                field[class] = field[count - 1];
        }
        if (!se_whole_u64(field[id], &v) || v >= SE_NONE)
            return se_text_fail(t, err, "id '%.20s' is not a vertex", field[id]);
        g->real |= se_whole_number(field[class], &x) && (x < 0 || x != (double)(int64_t)x);
        if (se_vertices_add(&g->x, (uint32_t)v, 0, t->line, err) < 0 ||
            se_bytes_add(&g->word, field[class], strlen(field[class]) + 1, err) < 0)
            return -1;
    }
    return rc;
}

static int read_target_file(const char *path, struct se_import *in, struct targets *g,
                            struct se_err *err)
{
    struct se_text t;
    int rc;

    if (se_text_open(&t, path, err) < 0)
        return -1;
    rc = read_targets(&t, in, g, err);
    se_text_close(&t);
    if (rc == 0 && g->x.n == 0)
        rc = se_fail(err, SE_EINPUT, "%s: has no vertices", path);
    return rc < 0 ? -1 : se_vertices_check(&g->x, path, err);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Classes of about the same size: those of equal values are the same. */
static int put_bins(const struct targets *g, struct se_import *in, struct se_stream *s,
                    struct se_err *err)
{
    double *value = se_alloc(2 * g->x.n, sizeof *value, err), *sorted = value ? value + g->x.n : NULL;
    int32_t *label = value ? se_alloc(g->x.n, sizeof *label, err) : NULL;
    const char *word = g->word.data;
    int rc = label ? 0 : -1;

    for (uint64_t i = 0; i < g->x.n && rc == 0; i++, word += strlen(word) + 1)
        if (!se_whole_number(word, &value[i]))
            rc = se_fail(err, SE_EINPUT, "%s: column %s holds '%.20s', which is no number; --bins "
                         "is for numbers", in->path, g->column, word);
    if (rc == 0) {
        memcpy(sorted, value, g->x.n * sizeof *value);
        qsort(sorted, g->x.n, sizeof *sorted, by_value);
    }
    for (uint64_t i = 0; i < g->x.n && rc == 0; i++) {
        int32_t bin = 0;

        while (bin + 1 < (int32_t)in->bins &&
               value[i] >= sorted[(uint64_t)(bin + 1) * g->x.n / in->bins])
            bin++;
        label[g->x.row[i].id] = bin;
    }
    if (rc == 0 && (se_import_labels(label, g->x.n, in->bins, NULL, 0, s, err) < 0 ||
                    se_say(in->notes, err, "%s: labels = column %s in %" PRIu64 " classes of about "
                           "the same size", in->path, g->column, in->bins) < 0))
        rc = -1;
    in->bins_used = true;
    free(label);
    free(value);
    return rc;
}

/* False and True keep the numbers 0 and 1.  A target of many values is no class. */
static int put_classes(const struct targets *g, struct se_import *in, struct se_stream *s,
                       struct se_err *err)
{
    struct se_classes c = SE_CLASSES_INIT;
    const char *word = g->word.data;
    int rc = 0;

    for (uint64_t i = 0; i < g->x.n && rc == 0; i++, word += strlen(word) + 1)
        rc = se_classes_set(&c, g->x.row[i].id, strcmp(word, "True") == 0 ? "1"
                            : strcmp(word, "False") == 0 ? "0" : word, err);
    if (rc == 0 && in->bins > 1)
        rc = put_bins(g, in, s, err);
    else if (rc == 0 && (g->real || (c.names.n > 10 && c.names.n * 5 > g->x.n)))
        rc = se_say(in->notes, err, "%s: no labels: column %s has %" PRIu64 " values, a quantity "
                    "and no class; cut it into N classes with --bins N, or give --labels",
                    in->path, g->column, c.names.n);
    else if (rc == 0)
        rc = se_classes_put(&c, s, err) < 0 ||
             se_say(in->notes, err, "%s: labels = column %s", in->path, g->column) < 0 ? -1 : 0;
    se_classes_release(&c);
    return rc;
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
    struct targets g = { SE_VERTICES_INIT, SE_BYTES_INIT, false, "" };
    int rc = read_target_file(path[0], in, &g, err);

    b.n = g.x.n;
    se_import_start(in, &b, false);
    if (rc == 0 && (se_import_vertices(in, g.x.n, err) < 0 ||
                    se_read_edge_lines(path[1], ',', g.x.n, &b, err) < 0 ||
                    se_import_graph(in, &b, SE_MERGE_SUM, s, err) < 0 ||
                    put_features(path[2], g.x.n, s, err) < 0 ||
                    put_classes(&g, in, s, err) < 0))
        rc = -1;
    se_builder_release(&b);
    se_vertices_release(&g.x);
    se_bytes_release(&g.word);
    return rc;
}

/* The path of a file of the network: names end differently from set to set. */
static char *find_file(const char *stem, const char *const *tails, struct se_err *err)
{
    for (; *tails; tails++) {
        char *path = se_find_file(stem, "", *tails, err);

        if (!path || se_file_exists(path))
            return path;
        free(path);
    }
    se_fail(err, SE_EINPUT, "%s: there is an edge list, but no file of targets or features beside "
            "it; give the file of the edges, and a table of vertices by --attributes", stem);
    return NULL;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    static const char *const tail[3][5] = {
        { "_target.csv", "target.csv", NULL },
        { "_edges.csv", NULL },
        { "_features.json", "_features_raw.json", "_features_data.json", NULL }
    };
    char *stem, *path[3] = { NULL, NULL, NULL };
    const int found = se_folder_find(in->path, "", "_edges.csv", &stem, err);
    int rc = found < 0 ? -1 : 0;

    if (found == 0)
        rc = se_fail(err, SE_EINPUT, "%s: is not a folder with a file NAME_edges.csv", in->path);
    else if (found > 1)
        rc = se_fail(err, SE_EINPUT, "%s: holds %d networks (*_edges.csv); keep each in "
                     "a folder of its own", in->path, found);
    for (int i = 0; i < 3 && rc == 0; i++)
        if (!(path[i] = find_file(stem, tail[i], err)))
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
    const int found = head ? 0 : se_folder_find(path, "", "_edges.csv", &stem, &err);

    (void)len;
    free(stem);
    return found > 0 ? 95 : 0;
}

const struct se_format se_format_musae = {
    .name = "musae",
    .what = "folder with NAME_edges.csv, NAME_features.json and NAME_target.csv",
    .import = import,
    .detect = detect
};
