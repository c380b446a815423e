/* attributes.c - a table of attributes, as spreadsheets write it: features and labels
 *
 * A row belongs to the vertex that one of its columns names; columns.c makes features of the
 * others.  Without edges the rows are the vertices. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/columns.h"
#include "formats/internal.h"
#include "formats/sheet.h"

struct attributes {
    const struct se_attributes *ask;
    struct se_sheet t;
    uint64_t id;                /* the column of the vertices; SE_NONE: they are in order */
    uint64_t class;             /* the column of the classes, SE_NONE: none */
    uint64_t index;             /* a column that only counts the rows, SE_NONE: none */
    uint32_t *vertex;           /* of each row, SE_NONE: left out */
    struct se_table names;      /* of the vertices; empty: ids are numbers */
    bool named;
    uint64_t n, old_n;          /* vertices with, and before, those of the table */
    uint64_t *seen;             /* n: the row of each vertex plus 1, 0: none */
    size_t seen_cap;
};

/* --- which vertex a row is about --- */

/* The vertex of the stream that a cell names, or SE_NONE. */
static uint32_t old_vertex(const struct attributes *a, const char *cell)
{
    uint64_t id;

    if (a->named)
        return se_table_find(&a->names, cell, strlen(cell));
    return se_whole_u64(cell, &id) && id < a->old_n ? (uint32_t)id : SE_NONE;
}

static uint64_t count_matches(const struct attributes *a, uint64_t column)
{
    uint64_t count = 0;

    for (uint64_t r = 0; r < a->t.rows; r++)
        count += old_vertex(a, se_sheet_cell(&a->t, r, column)) != SE_NONE;
    return count;
}

/* Does the column count 0, 1, 2, ...? */
static bool counts_rows(const struct se_sheet *t, uint64_t column)
{
    for (uint64_t r = 0; r < t->rows; r++) {
        uint64_t number;

        if (!se_whole_u64(se_sheet_cell(t, r, column), &number) || number != r)
            return false;
    }
    return true;
}

/* The column, other than `but`, that matches most rows; *most: how many. */
static uint64_t best_column(const struct attributes *a, uint64_t but, uint64_t *most)
{
    uint64_t best = SE_NONE;

    *most = 0;
    for (uint64_t c = 0; c < a->t.columns; c++)
        if (c != but && count_matches(a, c) > *most) {
            best = c;
            *most = count_matches(a, c);
        }
    return best;
}

/* How many rows would match if upper and lower case were the same. */
static int count_folded(const struct attributes *a, uint64_t *count, struct se_err *err)
{
    struct se_table folded = SE_TABLE_INIT;
    char word[256];
    uint32_t id;
    int rc = 0;

    *count = 0;
    for (uint64_t v = 0; v < a->names.n && rc == 0; v++) {
        const size_t len = a->names.off[v + 1] - a->names.off[v];

        for (size_t i = 0; i < len && len <= sizeof word; i++)
            word[i] = (char)tolower((unsigned char)a->names.text.data[a->names.off[v] + i]);
        if (len <= sizeof word)
            rc = se_table_add(&folded, word, len, &id, err);
    }
    for (uint64_t r = 0; r < a->t.rows && rc == 0; r++) {
        const char *cell = se_sheet_cell(&a->t, r, a->id);
        const size_t len = strlen(cell);

        for (size_t i = 0; i < len && len <= sizeof word; i++)
            word[i] = (char)tolower((unsigned char)cell[i]);
        *count += len <= sizeof word && se_table_find(&folded, word, len) != SE_NONE;
    }
    se_table_release(&folded);
    return rc;
}

/* Not one row is about a vertex of the stream: say what may be the matter. */
static int fail_unmatched(const struct attributes *a, struct se_err *err)
{
    uint64_t most, folded;
    const uint64_t other = best_column(a, a->id, &most);
    char vertex[48] = "0", hint[200] = "say with --id which column holds the vertices";

    if (count_folded(a, &folded, err) < 0)
        return -1;
    if (folded > 0)
        snprintf(hint, sizeof hint, "%" PRIu64 " would match if upper and lower case were the "
                 "same", folded);
    else if (other != SE_NONE)
        snprintf(hint, sizeof hint, "column '%.40s' matches %" PRIu64 " rows: use --id '%.40s'%s",
                 se_sheet_name(&a->t, other), most, se_sheet_name(&a->t, other),
                 counts_rows(&a->t, a->id) ? " (the first column is an index)" : "");
    if (a->named)
        snprintf(vertex, sizeof vertex, "%.*s",
                 (int)(a->names.off[1] < 40 ? a->names.off[1] : 40), a->names.text.data);
    return se_fail(err, SE_EINPUT, "%s: none of the %" PRIu64 " rows is about a vertex of the "
                   "graph: column '%.40s' holds '%.40s', a vertex is called '%s'; %s; "
                   "--unmatched keep takes the rows for vertices without edges", a->t.path,
                   a->t.rows, se_sheet_name(&a->t, a->id), se_sheet_cell(&a->t, 0, a->id),
                   vertex, hint);
}

/* Without edges: does the first column look like names of vertices?  It does if it is called
 * so, like user_id, CustomerID or "tax id", or has no name as an index of pandas. */
static bool is_key(const struct se_sheet *t)
{
    static const char *const words[] = { "", "id", "name", "key", "index", "node", "vertex", NULL };
    const char *name = se_sheet_name(t, 0);
    const size_t len = strlen(name);

    for (int i = 0; words[i]; i++)
        if (strcasecmp(name, words[i]) == 0)
            return true;
    if (len < 4 || strcasecmp(name + len - 2, "id") != 0)
        return false;
    return !isalnum((unsigned char)name[len - 3]) ||
           (islower((unsigned char)name[len - 3]) && name[len - 2] == 'I');
}

/* Where the vertices are.  A column without a name that counts the rows is the index that
 * pandas writes: it may be the vertices, but not if another column may be, too. */
static int find_id(struct attributes *a, struct se_err *err)
{
    uint64_t most, other;

    a->id = a->old_n > 0 || a->ask->id || is_key(&a->t) ? 0 : SE_NONE;
    a->index = SE_NONE;
    if (a->ask->id && se_sheet_column(&a->t, a->ask->id, &a->id, err) < 0)
        return -1;
    if (*se_sheet_name(&a->t, 0) != '\0' || !counts_rows(&a->t, 0))
        return 0;
    if (a->ask->id) {
        a->index = a->id == 0 ? SE_NONE : 0;
        return 0;
    }
    other = best_column(a, 0, &most);
    if (a->old_n > 0 && other != SE_NONE && most == a->t.rows && count_matches(a, 0) > 0)
        return se_fail(err, SE_EINPUT, "%s: the first column only counts the rows, and column "
                       "'%.60s' holds vertices as well; say which is meant: --id 1 or --id %"
                       PRIu64, a->t.path, se_sheet_name(&a->t, other), other + 1);
    return 0;
}

/* A vertex that only the table has. */
static int new_vertex(struct attributes *a, uint64_t row, uint64_t *id, struct se_err *err)
{
    const char *cell = se_sheet_cell(&a->t, row, a->id);
    uint32_t found;

    if (a->named) {
        if (*cell == '\0')
            return se_fail(err, SE_EINPUT, "%s: line %" PRIu64 ": the vertex has no name",
                           a->t.path, a->t.line[row]);
        if (se_table_add(&a->names, cell, strlen(cell), &found, err) < 0)
            return -1;
        *id = found;
        return 0;
    }
    if (!se_whole_u64(cell, id) || *id >= SE_MAX_VERTICES - 1)
        return se_fail(err, SE_EINPUT, "%s: line %" PRIu64 ": '%.40s' is no vertex; they are "
                       "numbers here", a->t.path, a->t.line[row], cell);
    return *id < a->n ? 0 : se_check_sparse(*id + 1, a->old_n + row, 0, err) < 0
                          ? se_err_in(err, a->t.path) : 0;
}

static int take_vertex(struct attributes *a, uint64_t row, struct se_err *err)
{
    const char *cell = se_sheet_cell(&a->t, row, a->id);
    const size_t before = a->seen_cap;
    uint64_t id = old_vertex(a, cell);

    a->vertex[row] = SE_NONE;
    if (id == SE_NONE && a->ask->unmatched == SE_UNMATCHED_ERROR)
        return se_fail(err, SE_EINPUT, "%s: line %" PRIu64 ": '%.40s' is no vertex of the graph",
                       a->t.path, a->t.line[row], cell);
    if (id == SE_NONE && a->ask->unmatched == SE_UNMATCHED_DROP)
        return 0;
    if (id == SE_NONE && new_vertex(a, row, &id, err) < 0)
        return -1;
    if (se_grow(&a->seen, &a->seen_cap, id + 1, sizeof *a->seen, err) < 0)
        return -1;
    memset(a->seen + before, 0, (a->seen_cap - before) * sizeof *a->seen);
    if (a->seen[id])
        return se_fail(err, SE_EINPUT, "%s: line %" PRIu64 ": vertex '%.40s' was there before, "
                       "in line %" PRIu64, a->t.path, a->t.line[row], cell,
                       a->t.line[a->seen[id] - 1]);
    a->seen[id] = row + 1;
    a->vertex[row] = (uint32_t)id;
    a->n = id >= a->n ? id + 1 : a->n;
    return 0;
}

/* Find the vertex of each row, and tell how many were found. */
static int match(struct attributes *a, struct se_err *err)
{
    const uint64_t matched = a->id == SE_NONE ? 0 : count_matches(a, a->id);
    uint64_t without = 0;
    const char *rest = a->ask->unmatched == SE_UNMATCHED_DROP ? "dropped"
                                                              : "kept as vertices without edges";

    a->vertex = se_alloc(a->t.rows, sizeof *a->vertex, err);
    if (!a->vertex)
        return -1;
    if (a->old_n == 0) {                        /* the rows are the vertices */
        for (uint64_t r = 0; r < a->t.rows; r++)
            a->vertex[r] = (uint32_t)r;
        a->n = a->t.rows;
    }
    if (a->old_n > 0 && matched == 0 &&
        !(a->ask->unmatched_given && a->ask->unmatched == SE_UNMATCHED_KEEP))
        return fail_unmatched(a, err);
    for (uint64_t r = 0; r < a->t.rows && a->old_n > 0; r++)
        if (take_vertex(a, r, err) < 0)
            return -1;
    if (a->old_n == 0)
        return se_say(a->ask->notes, err, "%s: no edges were given: %" PRIu64 " vertices without "
                      "edges, %s%s%s; se-sim and se-kselect make edges from the features",
                      a->t.path, a->n, a->id == SE_NONE ? "a row each, in their order"
                      : "named by column '", a->id == SE_NONE ? "" : se_sheet_name(&a->t, a->id),
                      a->id == SE_NONE ? "" : "'");
    for (uint64_t v = 0; v < a->old_n; v++)
        without += v >= a->seen_cap || !a->seen[v];
    return se_say(a->ask->notes, err, "%s: matched %" PRIu64 " of %" PRIu64 " rows by column "
                  "'%.40s'%s%s, %" PRIu64 " vertices without a row", a->t.path, matched,
                  a->t.rows, se_sheet_name(&a->t, a->id), matched < a->t.rows ? ", the others "
                  : "", matched < a->t.rows ? rest : "", without);
}

/* --- features and labels --- */

static bool is_listed(const struct attributes *a, const struct se_list_view *list,
                      uint64_t column)
{
    for (int i = 0; i < list->count; i++)
        if (se_sheet_find(&a->t, list->item[i]) == column)
            return true;
    return false;
}

static bool is_feature(const struct attributes *a, uint64_t column)
{
    return column != a->id && column != a->class && column != a->index &&
           (a->ask->columns.count == 0 || is_listed(a, &a->ask->columns, column)) &&
           !is_listed(a, &a->ask->ignore, column);
}

/* Find out what the columns hold and where their features are; how many there are. */
static int survey(const struct attributes *a, struct se_column *x, uint64_t *d,
                  struct se_err *err)
{
    for (uint64_t c = 0; c < a->t.columns; c++)
        if (is_feature(a, c)) {
            if (se_column_survey(&x[c], &a->t, c, a->vertex, a->ask, err) < 0)
                return -1;
            x[c].first = *d;
            *d += x[c].features;
        }
    if (se_columns_say(x, &a->t, a->ask->notes, err) < 0)
        return -1;
    return *d < SE_NONE ? 0 : se_fail(err, SE_EINPUT, "%s: too many features", a->t.path);
}

/* The names and scales of the features, derived from them: other features have others. */
static int put_columns(const struct attributes *a, const struct se_column *x, uint64_t d,
                       struct se_stream *s, struct se_err *err)
{
    double *shift = se_alloc(d, sizeof *shift, err);
    double *scale = shift ? se_alloc(d, sizeof *scale, err) : NULL;
    struct se_bytes names = SE_BYTES_INIT;
    int rc = scale ? 0 : -1;

    for (uint64_t c = 0; c < a->t.columns && rc == 0; c++)
        if (is_feature(a, c))
            rc = se_column_describe(&x[c], se_sheet_name(&a->t, c), &names, shift, scale, err);
    if (rc == 0) {
        const struct se_colnames columns = { d, shift, scale, names.data, names.len };

        rc = se_colnames_put(&columns, s, err);
    }
    se_bytes_release(&names);
    free(shift);
    free(scale);
    return rc;
}

static int put_rows(const struct attributes *a, const struct se_column *x, uint64_t d,
                    struct se_stream *s, struct se_err *err)
{
    uint32_t *which = se_alloc(a->n, sizeof *which, err);
    struct se_rows rows = SE_ROWS_INIT;
    int rc = which ? 0 : -1;

    for (uint64_t v = 0; v < a->n && rc == 0; v++)
        which[v] = SE_NONE;
    for (uint64_t r = 0; r < a->t.rows && rc == 0; r++) {
        if (a->vertex[r] != SE_NONE)
            which[a->vertex[r]] = (uint32_t)r;
        for (uint64_t c = 0; c < a->t.columns && rc == 0; c++)
            if (is_feature(a, c) && a->vertex[r] != SE_NONE)
                rc = se_column_add(&x[c], se_sheet_cell(&a->t, r, c), &rows, err);
        if (rc == 0)
            rc = se_rows_end(&rows, SE_REPEAT_ADD, err);
    }
    rows.d = d;
    if (rc == 0)
        rc = se_rows_put(&rows, a->n, which, s, err);
    se_rows_release(&rows);
    free(which);
    return rc;
}

static int put_features(const struct attributes *a, struct se_stream *s, struct se_err *err)
{
    struct se_column *x = se_zalloc(a->t.columns, sizeof *x, err);
    uint64_t d = 0;
    int rc = x ? survey(a, x, &d, err) : -1;

    if (rc == 0 && d > 0)
        rc = put_rows(a, x, d, s, err) < 0 || put_columns(a, x, d, s, err) < 0 ? -1 : 0;
    for (uint64_t c = 0; x && c < a->t.columns; c++)
        se_column_release(&x[c]);
    free(x);
    return rc;
}

/* --- labels --- */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The bounds of `bins` classes of about the same size, from the numbers of the class column. */
static int find_bounds(const struct attributes *a, double *bound, struct se_err *err)
{
    double *value = se_alloc(a->t.rows, sizeof *value, err);
    uint64_t count = 0;

    if (!value)
        return -1;
    for (uint64_t r = 0; r < a->t.rows; r++) {
        const char *cell = se_sheet_cell(&a->t, r, a->class);

        if (a->vertex[r] == SE_NONE || se_is_missing(cell))
            continue;
        if (!se_whole_number(cell, &value[count++])) {
            free(value);
            return se_fail(err, SE_EINPUT, "%s: line %" PRIu64 ": '%.40s' is no number; --bins is "
                           "for a class column of numbers", a->t.path, a->t.line[r], cell);
        }
    }
    qsort(value, count, sizeof *value, ascending);
    for (uint64_t b = 1; b < a->ask->bins; b++)
        bound[b] = count ? value[b * count / a->ask->bins] : 0;
    free(value);
    return 0;
}

/* The class of a cell: the word, or with --bins "1: below 2.5", "2: 2.5 to below 7" */
static void class_of(const struct attributes *a, const char *cell, const double *bound,
                     char name[96])
{
    uint64_t b = 1;
    double value = 0;

    se_whole_number(cell, &value);
    while (b < a->ask->bins && value >= bound[b])
        b++;
    if (b == 1)
        snprintf(name, 96, "1: below %.9g", bound[1]);
    else if (b == a->ask->bins)
        snprintf(name, 96, "%" PRIu64 ": %.9g or more", b, bound[b - 1]);
    else
        snprintf(name, 96, "%" PRIu64 ": %.9g to below %.9g", b, bound[b - 1], bound[b]);
}

static int set_labels(const struct attributes *a, struct se_classes *c, struct se_err *err)
{
    double bound[SE_MOST_BINS + 1] = { 0 };
    const uint64_t bins = a->ask->bins;

    if (bins > 1 && find_bounds(a, bound, err) < 0)
        return -1;
    for (uint64_t r = 0; r < a->t.rows; r++) {
        const char *cell = se_sheet_cell(&a->t, r, a->class);
        char name[96] = "";

        if (a->vertex[r] == SE_NONE)
            continue;
        if (bins > 1)
            class_of(a, cell, bound, name);
        if (se_classes_set(c, a->vertex[r], se_is_missing(cell) ? "" : bins > 1 ? name : cell,
                           err) < 0)
            return -1;
    }
    return c->n < a->n ? se_classes_set(c, a->n - 1, "", err) : 0;
}

/* Whoever forgot --class trains on the answer: a column that sounds like it is a feature now. */
static int hint_class(const struct attributes *a, struct se_err *err)
{
    static const char *const usual[] = { "class", "classes", "label", "labels", "target", "y" };

    for (uint64_t c = 0; c < a->t.columns; c++)
        for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
            if (is_feature(a, c) && strcasecmp(se_sheet_name(&a->t, c), usual[i]) == 0)
                return se_say(a->ask->notes, err, "%s: column '%.60s' sounds like the class but "
                              "becomes features; --class makes it labels, --ignore leaves it out",
                              a->t.path, se_sheet_name(&a->t, c));
    return 0;
}

static int put_labels(const struct attributes *a, struct se_stream *s, struct se_err *err)
{
    struct se_classes c = SE_CLASSES_INIT;
    struct se_err why = SE_ERR_INIT;
    int rc = 0;

    if (a->class == SE_NONE)
        return hint_class(a, err);
    rc = set_labels(a, &c, err);
    if (rc == 0 && se_classes_check(&c, &why) < 0)
        rc = se_fail(err, SE_EINPUT, "%s: column '%.60s' %s; choose another --class, or cut "
                     "numbers into N classes with --bins N", a->t.path,
                     se_sheet_name(&a->t, a->class), why.text);
    if (rc == 0)
        rc = se_classes_put(&c, s, err);
    se_classes_release(&c);
    return rc;
}

/* No edges at all: the table makes the vertices, with names unless they are 0, 1, 2, ... */
static int put_empty(const struct attributes *a, struct se_stream *s, struct se_err *err)
{
    struct se_table names = SE_TABLE_INIT;
    uint64_t *off = se_zalloc(a->n + 1, sizeof *off, err);
    const struct se_graph g = { .n = a->n, .off = off };
    uint32_t id;
    int rc = off ? se_graph_put(&g, s, SE_GRAPH, NULL, err) : -1;

    free(off);
    if (rc < 0 || a->id == SE_NONE || counts_rows(&a->t, a->id))
        return rc;
    for (uint64_t r = 0; r < a->t.rows && rc == 0; r++) {
        const char *cell = se_sheet_cell(&a->t, r, a->id);

        rc = se_table_add(&names, cell, strlen(cell), &id, err);
        if (rc == 0 && id != r)
            rc = se_fail(err, SE_EINPUT, "%s: line %" PRIu64 ": '%.40s' was there before, in line %"
                         PRIu64 "; say with --id which column names the vertices", a->t.path,
                         a->t.line[r], cell, a->t.line[id]);
    }
    if (rc == 0)
        rc = se_table_put(&names, s, err);
    se_table_release(&names);
    return rc;
}

/* Vertices without edges behind the others, in the graph or its arcs */
static int add_rows(const struct attributes *a, struct se_graph *g, bool arcs,
                    struct se_stream *s, struct se_err *err)
{
    uint64_t *off = se_alloc(a->n + 1, sizeof *off, err);
    int rc;

    if (!off)
        return -1;
    memcpy(off, g->off, (g->n + 1) * sizeof *off);
    for (uint64_t v = g->n + 1; v <= a->n; v++)
        off[v] = g->m;
    g->n = a->n;
    g->off = off;
    rc = arcs ? se_arcs_put(g, s, err) : se_graph_put(g, s, SE_GRAPH, NULL, err);
    free(off);
    return rc;
}

static int add_vertices(const struct attributes *a, struct se_stream *s, struct se_err *err)
{
    const bool directed = se_stream_has(s, SE_ARCS), keep = s->keep;
    struct se_graph g, arcs;
    int rc;

    if (se_graph_get(&g, s, SE_GRAPH, err) < 0 || (directed && se_arcs_get(&arcs, s, err) < 0))
        return -1;
    s->keep = keep || directed;         /* the arcs, until they have the new vertices too */
    rc = add_rows(a, &g, false, s, err);
    s->keep = keep;
    return rc < 0 || (directed && add_rows(a, &arcs, true, s, err) < 0) ? -1 : 0;
}

/* The graph gets the vertices that only the table has. */
static int put_vertices(const struct attributes *a, struct se_stream *s, struct se_err *err)
{
    if (a->old_n == 0 && !se_stream_has(s, SE_GRAPH))
        return put_empty(a, s, err);
    if (a->n == a->old_n)
        return 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->section[i].tag != SE_GRAPH && s->section[i].tag != SE_ARCS &&
            s->section[i].tag != SE_NAMES && s->section[i].tag != SE_HISTORY && s->section[i].tag != SE_STATS)
            return se_fail(err, SE_EINPUT, "%s: has %" PRIu64 " vertices that the %s beside the "
                           "graph do not have; import the table with the edges", a->t.path,
                           a->n - a->old_n, se_section_name(s->section[i].tag));
    if (se_stream_has(s, SE_GRAPH) && add_vertices(a, s, err) < 0)
        return -1;
    return a->named ? se_table_put(&a->names, s, err) : 0;
}

static int check_list(const struct attributes *a, const struct se_list_view *list,
                      struct se_err *err)
{
    uint64_t at;

    for (int i = 0; i < list->count; i++)
        if (se_sheet_column(&a->t, list->item[i], &at, err) < 0)
            return -1;
    return 0;
}

static int read_all(struct attributes *a, struct se_stream *s, struct se_err *err)
{
    a->named = se_stream_has(s, SE_NAMES);
    if (se_stream_vertices(s, &a->old_n, err) < 0 ||
        (a->named && se_table_load(&a->names, s, err) < 0))
        return -1;
    a->n = a->old_n;
    if (se_sheet_read(&a->t, a->ask->path, a->ask->header, a->ask->notes, err) < 0)
        return -1;
    if (a->t.columns < 2 && a->old_n > 0)
        return se_fail(err, SE_EINPUT, "%s: line 1: a heading with a column of vertices and "
                       "others was expected, separated by commas, semicolons or tabs",
                       a->t.path);
    a->class = SE_NONE;
    if (find_id(a, err) < 0 ||
        (a->ask->class && se_sheet_column(&a->t, a->ask->class, &a->class, err) < 0))
        return -1;
    if (a->class != SE_NONE && a->class == a->id)
        return se_fail(err, SE_EINPUT, "%s: column '%.60s' cannot be both the vertices and the "
                       "class", a->t.path, se_sheet_name(&a->t, a->id));
    if (check_list(a, &a->ask->columns, err) < 0 || check_list(a, &a->ask->ignore, err) < 0)
        return -1;
    return match(a, err);
}

int se_side_attributes(const struct se_attributes *ask, struct se_stream *s,
                       struct se_err *err)
{
    struct attributes a = { .ask = ask, .t = SE_SHEET_INIT, .names = SE_TABLE_INIT };
    const int rc = read_all(&a, s, err) < 0 || put_vertices(&a, s, err) < 0 ||
                   put_features(&a, s, err) < 0 || put_labels(&a, s, err) < 0 ? -1 : 0;

    se_sheet_release(&a.t);
    se_table_release(&a.names);
    free(a.vertex);
    free(a.seen);
    return rc;
}
