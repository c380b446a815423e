/* sidevertex.c - labels and splits from files beside the graph */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "formats/internal.h"
#include "formats/npz.h"
#include "formats/side.h"
#include "formats/vertices.h"

/* A text with a value per line, for the vertices in their order, or with a vertex and its
 * value; the first line tells which. */
struct column {
    struct se_text *t;
    struct se_table names;
    uint64_t n, next;           /* n 0: as many as there are lines */
    bool started, named;
    char separator;             /* 0: values only */
    unsigned char *seen;        /* with vertices: those that were there */
};

static int column_open(struct column *c, struct se_side *x, struct se_stream *s,
                       struct se_err *err)
{
    *c = (struct column){ .t = &x->text, .names = SE_TABLE_INIT, .n = x->n };
    c->named = se_stream_has(s, SE_NAMES);
    c->seen = se_zalloc(x->n, 1, err);
    return c->seen && (!c->named || se_table_load(&c->names, s, err) == 0) ? 0 : -1;
}

static void column_close(struct column *c)
{
    se_table_release(&c->names);
    free(c->seen);
}

static bool is_heading(const char *word)
{
    static const char *const headings[] = { "vertex", "node", "name", "key", "index", NULL };
    const size_t len = strlen(word);

    for (int i = 0; headings[i]; i++)
        if (strcasecmp(word, headings[i]) == 0)
            return true;
    return len >= 2 && strcasecmp(word + len - 2, "id") == 0;   /* node_id, txId */
}

static uint64_t find_vertex(const struct column *c, const char *word)
{
    uint64_t id;

    if (c->named)
        return se_table_find(&c->names, word, strlen(word));
    return se_whole_u64(word, &id) && id < c->n ? id : SE_NONE;
}

/* What separates vertex and value, from the first line; 0: it is a value only.  Two words with
 * blanks between them are a vertex and a value if the first is a vertex or a heading. */
static char find_separator(const struct column *c, char *line)
{
    const size_t len = strcspn(line, " ");
    const char *rest = line + len + strspn(line + len, " ");
    bool both;

    if (strchr(line, '\t') || strchr(line, ','))
        return strchr(line, '\t') ? '\t' : ',';
    if (len == 0 || !*rest || rest[strcspn(rest, " ")])
        return '\0';
    line[len] = '\0';
    both = find_vertex(c, line) != SE_NONE || is_heading(line);
    line[len] = ' ';
    return both ? ' ' : '\0';
}

/* Find the vertex that a line starts with; *value moves behind it.  0: a heading. */
static int take_vertex(struct column *c, char *line, uint32_t *v, char **value,
                       struct se_err *err)
{
    char *end = strchr(line, c->separator);
    uint64_t id;

    if (!end)
        return se_text_fail(c->t, err, "a vertex and a value were expected");
    *end = '\0';
    *value = end + 1;
    if (c->separator == ' ')
        *value += strspn(*value, " ");
    id = find_vertex(c, line);
    if (id >= c->n) {
        if (c->t->line == 1 && is_heading(line))
            return 0;
        return se_text_fail(c->t, err, "'%.40s' is not one of the %" PRIu64 " vertices (a table "
                            "given by --attributes may have vertices without edges)", line, c->n);
    }
    if (c->separator != ' ' && **value != '"' && strchr(*value, c->separator))
        return se_text_fail(c->t, err, "has more than a vertex and a value; give a table of more "
                            "columns as --attributes, and its class with --class");
    if (c->seen[id]++)
        return se_text_fail(c->t, err, "vertex %.40s was there before", line);
    *v = (uint32_t)id;
    return 1;
}

/* The next vertex and its value: 1, 0 at the end, or -1 with `err` set. */
static int column_next(struct column *c, uint32_t *v, char **value, struct se_err *err)
{
    char *line;
    size_t len;
    int rc;

    while ((rc = se_text_line(c->t, &line, &len, err)) > 0) {
        if (*line == '#')
            continue;
        if (!c->started && c->n > 0)
            c->separator = find_separator(c, line);
        c->started = true;
        if (c->separator) {
            rc = len == 0 ? 0 : take_vertex(c, line, v, value, err);
            if (rc == 0)
                continue;
            return rc;
        }
        if (c->n > 0 ? c->next == c->n : c->next >= SE_MAX_VERTICES - 1)
            return se_text_fail(c->t, err, "more lines than vertices (%" PRIu64 ")", c->next);
        *v = (uint32_t)c->next++;
        *value = line;
        return 1;
    }
    if (rc == 0 && !c->separator && c->next < c->n)
        return se_fail(err, SE_EINPUT, "%s: ends after %" PRIu64 " of %" PRIu64 " vertices",
                       c->t->path, c->next, c->n);
    return rc;
}

/* Tab-separated words of a line: how many, and whether all are vertices.  Ends the words. */
static uint64_t members(const struct column *c, char *line, bool *all)
{
    uint64_t count = 0;

    for (char *word = line, *end; word; word = end ? end + 1 : NULL, count++) {
        end = strchr(word, '\t');
        if (end)
            *end = '\0';
        *all &= find_vertex(c, word) < c->n;
        if (end)
            *end = '\t';
    }
    return count;
}

/* Does each line list the vertices of a community, as those of SNAP do? */
static int lists_members(const struct se_side *x, const struct column *c, bool *lists,
                         struct se_err *err)
{
    struct se_text t = { .path = x->path, .end = true };
    bool all = true, many = false;
    char *line;
    size_t len;
    int rc = se_bytes_add(&t.buffer, x->text.buffer.data, x->text.buffer.len, err) < 0 ||
             se_bytes_add(&t.buffer, "", 1, err) < 0 ? -1 : 1;

    t.buffer.len -= rc > 0;
    while (rc > 0 && all && (rc = se_text_line(&t, &line, &len, err)) > 0)
        if (len > 0 && *line != '#')
            many |= members(c, line, &all) > 2;
    se_bytes_release(&t.buffer);
    *lists = all && many;
    return rc < 0 ? -1 : 0;
}

/* Classes are the numbers of the lines, from 1.  A vertex of several communities is in the first. */
static int member_labels(struct se_side *x, const struct column *c, struct se_classes *classes,
                         struct se_bytes *notes, struct se_err *err)
{
    uint64_t communities = 0, again = 0;
    char *line, number[24];
    size_t len;
    int rc;

    while ((rc = se_text_line(&x->text, &line, &len, err)) > 0) {
        if (len == 0 || *line == '#')
            continue;
        snprintf(number, sizeof number, "%" PRIu64, ++communities);
        for (char *word = line, *end; word; word = end) {
            end = strchr(word, '\t');
            if (end)
                *end++ = '\0';
            const uint64_t v = find_vertex(c, word);

            if (c->seen[v]++)
                again++;
            else if (se_classes_set(classes, v, number, err) < 0)
                return -1;
        }
    }
    return rc < 0 ? -1 : se_say(notes, err, "%s: a community in each line: %" PRIu64 " classes; %"
                                PRIu64 " times a vertex is in a further one, and stays in the first",
                                x->path, communities, again);
}

static int text_labels(struct se_side *x, struct se_stream *s, struct se_classes *c,
                       struct se_bytes *notes, struct se_err *err)
{
    struct column column;
    char nothing[] = "", *value = nothing;
    uint32_t v = 0;
    bool lists = false;
    int rc = column_open(&column, x, s, err);

    if (rc == 0 && x->n > 0)
        rc = lists_members(x, &column, &lists, err);
    if (rc == 0 && lists)
        rc = member_labels(x, &column, c, notes, err);
    while (rc >= 0 && !lists && (rc = column_next(&column, &v, &value, err)) > 0)
        rc = se_classes_set(c, v, value, err);
    if (rc == 0 && c->n < x->n)                 /* vertices that are not there */
        rc = se_classes_set(c, x->n - 1, "", err);
    column_close(&column);
    return rc;
}

static int array_labels(struct se_side *x, struct se_classes *c, struct se_err *err)
{
    static const char *const names[] = { "labels", "y", "node_labels", NULL };
    struct se_bytes text = SE_BYTES_INIT;
    struct se_npy a;
    int rc;

    if (se_side_array(x, names, &a, err) < 0)
        return -1;
    rc = a.dims == 1 ? se_side_rows(x, a.count, err)
                     : se_fail(err, SE_EINPUT, "%s: has %d dimensions; a class for each vertex "
                               "was expected", x->path, a.dims);
    for (uint64_t v = 0; v < a.count && rc == 0; v++) {
        char digits[24] = "";
        int64_t class;

        text.len = 0;
        if (se_npy_whole(&a, v, &class) && class >= -1)
            snprintf(digits, sizeof digits, "%" PRId64, class);
        else if (a.kind == 'U' || a.kind == 'S')
            rc = se_npy_text(&a, v, &text, err);
        else if (a.kind != 'f' || !isnan(se_npy_number(&a, v)))
            rc = se_fail(err, SE_EINPUT, "vertex %" PRIu64 " has no class from 0 on, nor -1", v);
        if (rc == 0)
            rc = se_bytes_add(&text, digits, strlen(digits) + 1, err);
        rc = rc < 0 ? se_err_in(err, x->path) : se_classes_set(c, v, text.data ? text.data : "", err);
    }
    se_bytes_release(&text);
    se_npy_release(&a);
    return rc;
}

/* Add the whole numbers that a line names vertices by: the first word, or all if there are more
 * than two.  Returns 1, 0 if it does not begin with one, or -1. */
static int add_ids(char *line, uint64_t **ids, uint64_t *count, size_t *cap, struct se_err *err)
{
    const size_t first = strcspn(line, "\t, ");
    const bool many = line[first] == '\t' && strchr(line + first + 1, '\t');
    const char *p = line;
    uint64_t id;

    if (line[first] == '\0' || !se_parse_u64(&p, &id) || p != line + first)
        return 0;
    for (p = line;; p++) {
        if (!se_parse_u64(&p, &id) || (*p && !strchr("\t, ", *p)))
            return many ? 0 : 1;
        if (id < SE_NONE) {
            if (se_grow(ids, cap, *count + 1, sizeof **ids, err) < 0)
                return -1;
            (*ids)[(*count)++] = id;
        }
        if (!many || *p == '\0')
            return 1;
    }
}

int se_side_label_ids(const char *path, uint64_t **ids, uint64_t *count, bool *by_id,
                      struct se_err *err)
{
    struct se_text t = SE_TEXT_INIT;
    struct stat st;
    size_t cap = 0, len;
    char *line;
    int rc, is = 1;

    *by_id = false;
    if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
        return 0;                               /* what is read of a pipe would be gone */
    if (se_text_open(&t, path, err) < 0)
        return -1;
    while ((rc = se_text_line(&t, &line, &len, err)) > 0) {
        if (len == 0 || *line == '#')
            continue;
        is = add_ids(line, ids, count, &cap, err);
        if (is < 0 || (is == 0 && t.line > 1))
            break;
    }
    if (rc < 0 && is >= 0)
        *err = (struct se_err)SE_ERR_INIT;      /* an array, perhaps: --labels reads it again */
    se_text_close(&t);
    *by_id = rc == 0 && is > 0;
    if (!*by_id)
        *count = 0;
    return is < 0 ? -1 : 0;
}

int se_side_labels(const char *path, struct se_stream *s, struct se_bytes *notes,
                   struct se_err *err)
{
    struct se_classes c = SE_CLASSES_INIT;
    struct se_side x;
    int rc = se_side_open(&x, path, s, err);

    if (rc == 0)
        rc = x.kind == SE_SIDE_TEXT ? text_labels(&x, s, &c, notes, err) : array_labels(&x, &c, err);
    if (rc == 0 && c.n == 0)
        rc = se_fail(err, SE_EINPUT, "%s: holds no labels", path);
    if (rc == 0 && se_classes_check(&c, err) < 0)
        rc = se_err_in(err, path);
    if (rc == 0)
        rc = se_classes_put(&c, s, err);
    se_classes_release(&c);
    se_side_release(&x);
    return rc;
}

/* Splits so far, a row of n parts each. */
struct splits {
    uint64_t n, count;
    uint8_t *part;
    size_t cap;
};

/* A new row of SE_SPLIT_NONE, or NULL. */
static uint8_t *add_splits(struct splits *p, const struct se_side *x, uint64_t count,
                           struct se_err *err)
{
    uint64_t cells;

    p->n = x->n;
    if (__builtin_mul_overflow(p->count + count, p->n, &cells)) {
        se_fail(err, SE_EMEM, "%s: too many splits", x->path);
        return NULL;
    }
    if (se_grow(&p->part, &p->cap, cells, 1, err) < 0)
        return NULL;
    memset(p->part + p->count * p->n, SE_SPLIT_NONE, count * p->n);
    p->count += count;
    return p->part + (p->count - count) * p->n;
}

static int part_of(const char *word)
{
    if (*word == '\0' || strcmp(word, "-") == 0)
        return SE_SPLIT_NONE;
    if (strcmp(word, "valid") == 0)
        return SE_SPLIT_VAL;
    for (int i = 0; i < 4; i++)
        if (strcmp(word, se_split_part_names[i]) == 0)
            return i;
    return -1;
}

static int text_split(struct se_side *x, struct se_stream *s, struct splits *p,
                      struct se_err *err)
{
    struct column column;
    struct se_bytes parts = SE_BYTES_INIT;      /* n may not be known yet */
    char nothing[] = "", *value = nothing;
    uint8_t *row;
    uint32_t v = 0;
    int rc = column_open(&column, x, s, err);

    if (rc == 0 && x->n > 0 && (rc = se_grow(&parts.data, &parts.cap, x->n, 1, err)) == 0) {
        memset(parts.data, SE_SPLIT_NONE, x->n);
        parts.len = x->n;
    }
    while (rc >= 0 && (rc = column_next(&column, &v, &value, err)) > 0) {
        const int part = part_of(value);
        const char byte = (char)part;

        if (part < 0)
            rc = se_text_fail(&x->text, err, "'%.20s' is none of train, val, test and none",
                              value);
        else if (v < parts.len)
            parts.data[v] = byte;
        else
            rc = se_bytes_add(&parts, &byte, 1, err);
    }
    if (rc == 0)
        rc = se_side_rows(x, parts.len, err);
    row = rc == 0 && parts.len > 0 ? add_splits(p, x, 1, err) : NULL;
    if (row)
        memcpy(row, parts.data, parts.len);
    else if (rc == 0 && parts.len > 0)
        rc = -1;
    se_bytes_release(&parts);
    column_close(&column);
    return rc;
}

/* A row of parts, or several rows. */
static int part_splits(struct se_side *x, const char *const *names, struct splits *p,
                       struct se_err *err)
{
    struct se_npy a;
    uint8_t *row;
    int rc = -1;

    if (se_side_array(x, names, &a, err) < 0)
        return -1;
    if (a.dims == 1) {                          /* as a matrix of one row */
        a.dims = 2;
        a.shape[1] = a.shape[0];
        a.shape[0] = 1;
    }
    if (a.dims != 2 || a.count == 0)
        se_fail(err, SE_EINPUT, "%s: is not an array of a row of parts for each split", x->path);
    else if (se_side_rows(x, a.shape[1], err) == 0 &&
             (row = add_splits(p, x, a.shape[0], err)) != NULL)
        rc = se_npz_parts(&a, x->path, row, err);
    se_npy_release(&a);
    return rc;
}

/* How many masks an array holds: n, n x s as PyTorch Geometric has it, or s x n. */
static int shape_masks(struct se_side *x, const struct se_npy *a, const char *name, bool *across,
                       uint64_t *count, struct se_err *err)
{
    *across = a->dims == 2 && x->n > 0 && a->shape[0] != x->n && a->shape[1] == x->n;
    if (a->dims < 1 || a->dims > 2 || a->count == 0)
        return se_fail(err, SE_EINPUT, "%s: %s is not a mask of the vertices", x->path, name);
    *count = a->dims == 1 ? 1 : a->shape[*across ? 0 : 1];
    return se_side_rows(x, a->shape[*across ? 1 : 0], err);
}

static int set_mask(struct se_side *x, const struct se_npy *a, const char *name, bool across,
                    uint64_t count, int part, uint8_t *row, struct se_err *err)
{
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t v = 0; v < x->n; v++) {
            const uint64_t at = a->dims == 1 ? v : across ? se_npy_place(a, i, v)
                                                          : se_npy_place(a, v, i);
            int64_t in;

            if (!se_npy_whole(a, at, &in) || in < 0 || in > 1)
                return se_fail(err, SE_EINPUT, "%s: %s: vertex %" PRIu64 " is neither 0 nor 1",
                               x->path, name, v);
            if (in && row[i * x->n + v] != SE_SPLIT_NONE)
                return se_fail(err, SE_EINPUT, "%s: vertex %" PRIu64 " is in two masks, %s and "
                               "%s", x->path, v, se_split_part_names[row[i * x->n + v]],
                               se_split_part_names[part]);
            if (in)
                row[i * x->n + v] = (uint8_t)part;
        }
    return 0;
}

/* One of the three masks; `count` splits were made by the first. */
static int read_mask(struct se_side *x, int part, struct splits *p, uint64_t *count,
                     struct se_err *err)
{
    uint8_t *row = NULL;
    uint64_t masks = 0;
    struct se_npy a;
    char name[32];
    bool across = false;
    int rc;

    snprintf(name, sizeof name, "%s_mask", se_split_part_names[part]);
    rc = se_npz_get(&x->zip, name, &a, err);
    if (rc == 0) {
        snprintf(name, sizeof name, "%s_masks", se_split_part_names[part]);
        rc = se_npz_get(&x->zip, name, &a, err);
    }
    if (rc < 0)
        return se_err_in(err, x->path);
    if (rc == 0)
        return part == SE_SPLIT_VAL ? 0 : se_fail(err, SE_EINPUT, "%s: has no array %s_mask",
                                                 x->path, se_split_part_names[part]);
    rc = shape_masks(x, &a, name, &across, &masks, err);
    if (rc == 0 && part == SE_SPLIT_TRAIN) {
        *count = masks;
        row = add_splits(p, x, masks, err);
    } else if (rc == 0 && masks == *count) {
        row = p->part + (p->count - masks) * p->n;
    } else if (rc == 0) {
        se_fail(err, SE_EINPUT, "%s: masks differ in shape", x->path);
    }
    rc = row ? set_mask(x, &a, name, across, masks, part, row, err) : -1;
    se_npy_release(&a);
    return rc;
}

static int read_split(struct se_side *x, struct se_stream *s, struct splits *p,
                      struct se_err *err)
{
    static const char *const names[] = { "splits", NULL };
    uint64_t count = 0;
    int rc = 0;

    if (p->n > 0 && x->n == 0)
        x->n = p->n;                            /* the files before told */
    if (x->kind == SE_SIDE_TEXT)
        return text_split(x, s, p, err);
    if (x->kind == SE_SIDE_NPY || se_zip_find(&x->zip, "splits.npy"))
        return part_splits(x, names, p, err);
    for (int part = SE_SPLIT_TRAIN; part <= SE_SPLIT_TEST && rc == 0; part++)
        rc = read_mask(x, part, p, &count, err);
    return rc;
}

int se_side_splits(char *const *path, int count, struct se_stream *s, struct se_err *err)
{
    struct splits p = { 0, 0, NULL, 0 };
    int rc = 0;

    for (int i = 0; i < count && rc == 0; i++) {
        struct se_side x;

        rc = se_side_open(&x, path[i], s, err);
        if (rc == 0)
            rc = read_split(&x, s, &p, err);
        se_side_release(&x);
    }
    if (rc == 0 && p.count == 0)
        rc = se_fail(err, SE_EINPUT, "the files hold no split");
    if (rc == 0) {
        const struct se_splits x = { p.n, p.count, p.part };

        rc = se_splits_put(&x, s, err);
    }
    free(p.part);
    return rc;
}
