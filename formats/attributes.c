/* attributes.c - a table of attributes, with a heading and a vertex in the first column, as
 * spreadsheets write it: features and labels
 *
 * A column of numbers becomes one feature, its least number 0 and its largest 1.  A column of
 * words becomes one feature for each word.  So no column counts for more than another. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/internal.h"
#include "formats/rows.h"

enum { FEW_WORDS = 50 };

struct attributes {
    struct se_text t;
    char separator;
    struct se_table heading;    /* names of the columns, that of the vertices too */
    uint64_t columns, rows;
    uint64_t class;             /* the column of the classes, SE_NONE: none */
    struct se_bytes text;       /* all cells but the vertices, each ended by NUL */
    uint64_t *cell;             /* where each begins: rows of columns - 1 */
    size_t cell_cap, vertex_cap;
    uint32_t *vertex;           /* of each row */
    struct se_table names;      /* of the vertices; empty: ids are numbers */
    bool named;
    uint64_t n, old_n;          /* vertices with, and before, those of the table */
    unsigned char *seen;
    size_t seen_cap;
};

static int read_heading(struct attributes *a, const char *class, struct se_err *err)
{
    struct se_field f;
    char *line, *p;
    size_t len;
    uint32_t id;
    int more = 1, rc;

    while ((rc = se_text_line(&a->t, &line, &len, err)) > 0 && (*line == '#' || len == 0))
        continue;
    if (rc <= 0)
        return rc < 0 ? -1 : se_fail(err, SE_EINPUT, "%s: is empty", a->t.path);
    a->separator = se_find_separator(line);
    for (p = line; more > 0; a->columns++) {
        more = se_next_field(&p, a->separator, &f);
        if (more < 0)
            return se_text_fail(&a->t, err, "a quote does not end");
        if (se_table_add(&a->heading, f.at, f.len, &id, err) < 0)
            return -1;
        if (id != a->columns)
            return se_text_fail(&a->t, err, "two columns are called '%.*s'", (int)f.len, f.at);
    }
    if (a->columns < 2)
        return se_text_fail(&a->t, err, "a heading with a column of vertices and others was "
                            "expected, separated by commas, semicolons or tabs");
    a->class = SE_NONE;
    if (class) {
        a->class = se_table_find(&a->heading, class, strlen(class));
        if (a->class == SE_NONE || a->class == 0)
            return se_text_fail(&a->t, err, "there is no column '%s' behind the first", class);
    }
    return 0;
}

/* The vertex of a row: known, or new; a new one has no edges yet. */
static int take_vertex(struct attributes *a, const struct se_field *f, struct se_err *err)
{
    char number[24];
    uint64_t id = SE_NONE;
    uint32_t found;

    if (a->named) {
        if (f->len == 0)
            return se_text_fail(&a->t, err, "the vertex has no name");
        if (se_table_add(&a->names, f->at, f->len, &found, err) < 0)
            return -1;
        id = found;
    } else if (f->len < sizeof number) {
        memcpy(number, f->at, f->len);
        number[f->len] = '\0';
        if (!se_whole_u64(number, &id))
            id = SE_NONE;
    }
    if (id >= SE_MAX_VERTICES - 1)
        return se_text_fail(&a->t, err, "'%.*s' is no vertex; they are numbers here",
                            (int)(f->len < 40 ? f->len : 40), f->at);
    if (!a->named && id >= a->n && se_check_sparse(id + 1, a->old_n + a->rows, 0, err) < 0)
        return se_err_in(err, a->t.path);
    const size_t before = a->seen_cap;
    if (se_grow(&a->seen, &a->seen_cap, id + 1, 1, err) < 0 ||
        se_grow(&a->vertex, &a->vertex_cap, a->rows + 1, sizeof *a->vertex, err) < 0)
        return -1;
    memset(a->seen + before, 0, a->seen_cap - before);
    if (a->seen[id]++)
        return se_text_fail(&a->t, err, "vertex '%.*s' was there before",
                            (int)(f->len < 40 ? f->len : 40), f->at);
    a->vertex[a->rows] = (uint32_t)id;
    a->n = id >= a->n ? id + 1 : a->n;
    return 0;
}

static int read_row(struct attributes *a, char *line, struct se_err *err)
{
    uint64_t column = 0;
    struct se_field f;
    char *p = line;
    int more = 1;

    for (; more > 0 && column < a->columns; column++) {
        more = se_next_field(&p, a->separator, &f);
        if (more < 0)
            return se_text_fail(&a->t, err, "a quote does not end");
        if (column == 0) {
            if (take_vertex(a, &f, err) < 0)
                return -1;
            continue;
        }
        const uint64_t at = a->rows * (a->columns - 1) + column - 1;
        if (se_grow(&a->cell, &a->cell_cap, at + 1, sizeof *a->cell, err) < 0)
            return -1;
        a->cell[at] = a->text.len;
        if (se_bytes_add(&a->text, f.at, f.len, err) < 0 ||
            se_bytes_add(&a->text, "", 1, err) < 0)
            return -1;
    }
    if (more > 0 || column < a->columns)
        return se_text_fail(&a->t, err, "%s fields than the heading, which has %" PRIu64,
                            more > 0 ? "more" : "fewer", a->columns);
    a->rows++;
    return 0;
}

static const char *cell(const struct attributes *a, uint64_t row, uint64_t column)
{
    return a->text.data + a->cell[row * (a->columns - 1) + column - 1];
}

static bool is_missing(const char *word)
{
    static const char *const none[] = { "", "?", "NA", "N/A", "nan", "NaN", "null", NULL };

    for (int i = 0; none[i]; i++)
        if (strcmp(word, none[i]) == 0)
            return true;
    return false;
}

/* One column on its way: numbers, or words and where their features begin */
struct feature {
    bool words;
    double least, most, mean;
    struct se_table word;
    uint64_t first;
};

static int name_length(const struct attributes *a, uint64_t column, const char **name)
{
    *name = a->heading.text.data + a->heading.off[column];
    return (int)(a->heading.off[column + 1] - a->heading.off[column]);
}

static int survey(const struct attributes *a, uint64_t column, struct feature *x,
                  struct se_err *err)
{
    uint64_t count = 0;
    uint32_t id;

    *x = (struct feature){ .least = INFINITY, .most = -INFINITY, .word = SE_TABLE_INIT };
    for (uint64_t r = 0; r < a->rows && !x->words; r++) {
        double value;

        if (is_missing(cell(a, r, column)))
            continue;
        if (!se_whole_number(cell(a, r, column), &value) || !isfinite((float)value)) {
            x->words = true;
            break;
        }
        x->least = fmin(x->least, value);
        x->most = fmax(x->most, value);
        x->mean += (value - x->mean) / (double)++count;
    }
    for (uint64_t r = 0; r < a->rows && x->words; r++) {
        const char *word = cell(a, r, column);

        if (!is_missing(word) && se_table_add(&x->word, word, strlen(word), &id, err) < 0)
            return -1;
    }
    if (x->word.n > FEW_WORDS && x->word.n > a->rows / 2) {
        const char *name;
        const int len = name_length(a, column, &name);

        return se_fail(err, SE_EINPUT, "%s: column '%.*s' has another word in most rows (%" PRIu64
                       " of them), which tells nothing of likeness; leave it out", a->t.path,
                       len < 80 ? len : 80, name, x->word.n);
    }
    return 0;
}

static int add_cell(struct se_rows *rows, const struct feature *x, const char *word,
                    struct se_err *err)
{
    double value;

    if (x->words)
        return is_missing(word) ? 0
             : se_rows_add(rows, (uint32_t)(x->first +
                                            se_table_find(&x->word, word, strlen(word))), 1, err);
    if (!(x->most > x->least))
        return 0;                               /* all the same: it tells nothing */
    if (is_missing(word) || !se_whole_number(word, &value))
        value = x->mean;
    return se_rows_add(rows, (uint32_t)x->first,
                       (float)((value - x->least) / (x->most - x->least)), err);
}

static int put_features(const struct attributes *a, struct se_stream *s, struct se_err *err)
{
    struct feature *x = se_zalloc(a->columns, sizeof *x, err);
    uint32_t *which = x ? se_alloc(a->n, sizeof *which, err) : NULL;
    struct se_rows rows = SE_ROWS_INIT;
    int rc = which ? 0 : -1;
    uint64_t d = 0;

    for (uint64_t c = 1; c < a->columns && rc == 0; c++)
        if (c != a->class && (rc = survey(a, c, &x[c], err)) == 0) {
            x[c].first = d;
            d += x[c].words ? x[c].word.n : 1;
        }
    for (uint64_t v = 0; v < a->n && rc == 0; v++)
        which[v] = SE_NONE;
    for (uint64_t r = 0; r < a->rows && rc == 0; r++) {
        which[a->vertex[r]] = (uint32_t)r;
        for (uint64_t c = 1; c < a->columns && rc == 0; c++)
            if (c != a->class)
                rc = add_cell(&rows, &x[c], cell(a, r, c), err);
        if (rc == 0)
            rc = se_rows_end(&rows, SE_REPEAT_ADD, err);
    }
    rows.d = d;
    if (rc == 0 && d > 0)
        rc = se_rows_put(&rows, a->n, which, s, err);
    for (uint64_t c = 1; x && c < a->columns; c++)
        se_table_release(&x[c].word);
    se_rows_release(&rows);
    free(which);
    free(x);
    return rc;
}

static int put_labels(const struct attributes *a, struct se_stream *s, struct se_err *err)
{
    struct se_classes c = SE_CLASSES_INIT;
    int rc = 0;

    if (a->class == SE_NONE)
        return 0;
    for (uint64_t r = 0; r < a->rows && rc == 0; r++) {
        const char *word = cell(a, r, a->class);

        rc = se_classes_set(&c, a->vertex[r], is_missing(word) ? "" : word, err);
    }
    if (rc == 0 && c.n < a->n)
        rc = se_classes_set(&c, a->n - 1, "", err);
    if (rc == 0)
        rc = se_classes_put(&c, s, err);
    se_classes_release(&c);
    return rc;
}

/* The graph gets the vertices that only the table has. */
static int put_vertices(const struct attributes *a, struct se_stream *s, struct se_err *err)
{
    struct se_graph g;
    uint64_t *off;
    int rc = -1;

    if (a->n == a->old_n)
        return 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->section[i].tag != SE_GRAPH && s->section[i].tag != SE_NAMES &&
            s->section[i].tag != SE_HISTORY && s->section[i].tag != SE_STATS)
            return se_fail(err, SE_EINPUT, "%s: has %" PRIu64 " vertices that the %s beside the "
                           "graph do not have; import the table with the edges", a->t.path,
                           a->n - a->old_n, se_section_name(s->section[i].tag));
    if (se_stream_has(s, SE_GRAPH)) {
        if (se_graph_get(&g, s, SE_GRAPH, err) < 0 ||
            !(off = se_alloc(a->n + 1, sizeof *off, err)))
            return -1;
        memcpy(off, g.off, (g.n + 1) * sizeof *off);
        for (uint64_t v = g.n + 1; v <= a->n; v++)
            off[v] = g.m;
        g.n = a->n;
        g.off = off;
        rc = se_graph_put(&g, s, SE_GRAPH, NULL, err);
        free(off);
        if (rc < 0)
            return -1;
    }
    return a->named ? se_table_put(&a->names, s, err) : 0;
}

static int read_all(struct attributes *a, struct se_stream *s, const char *class,
                    struct se_err *err)
{
    char *line;
    size_t len;
    int rc;

    a->named = se_stream_has(s, SE_NAMES);
    if (se_stream_vertices(s, &a->old_n, err) < 0 ||
        (a->named && se_table_load(&a->names, s, err) < 0))
        return -1;
    a->n = a->old_n;
    if (read_heading(a, class, err) < 0)
        return -1;
    while ((rc = se_text_line(&a->t, &line, &len, err)) > 0)
        if (len > 0 && *line != '#' && read_row(a, line, err) < 0)
            return -1;
    if (rc == 0 && a->rows == 0)
        rc = se_fail(err, SE_EINPUT, "%s: has a heading and no rows", a->t.path);
    return rc;
}

int se_side_attributes(const char *path, const char *class, struct se_stream *s,
                       struct se_err *err)
{
    struct attributes a = { .t = SE_TEXT_INIT, .heading = SE_TABLE_INIT, .names = SE_TABLE_INIT };
    int rc = se_text_open(&a.t, path, err);

    if (rc == 0)
        rc = read_all(&a, s, class, err) < 0 || put_vertices(&a, s, err) < 0 ||
                     put_features(&a, s, err) < 0 || put_labels(&a, s, err) < 0 ? -1 : 0;
    se_text_close(&a.t);
    se_table_release(&a.heading);
    se_table_release(&a.names);
    se_bytes_release(&a.text);
    free(a.cell);
    free(a.vertex);
    free(a.seen);
    return rc;
}
