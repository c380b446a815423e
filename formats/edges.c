/* edges.c - edge lists: u v [weight] a line
 *
 * Fields are separated by tabs, commas, semicolons or blanks: whichever of them, in this
 * order, the first line of data holds.  Between commas or semicolons a field may be quoted.
 * Lines that are blank or start with # or % are skipped.  All lines have a weight or none.
 *
 * Ids are integers, used as they are, if all of them are 0, 1, 2, ... without leading zeros;
 * else they are names, numbered in order of first use.  --ids says it instead.  Onto a stream
 * with names they are its names unless --ids integer is given.
 *
 * The first line is a header, and skipped, if its ids are no integers, it has no number for
 * a weight, and either all other ids are integers, or it has a third field, or it reads
 * source target, from to, or src dst. */
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "common/graph/builder.h"
#include "formats/internal.h"

struct record {                 /* pairs met so far, should they turn out to be names */
    uint64_t *pair, count;      /* u << 32 | v */
    float *weight;
    size_t cap[2];
};

enum { BATCH = SE_TABLE_MANY / 2 };     /* lines of names that are looked up together */

struct batch {
    struct se_bytes text;       /* the names, as lines do not last */
    size_t at[2 * BATCH], len[2 * BATCH];
    float weight[BATCH];
    uint64_t line[BATCH];
    int count;
};

struct reader {
    struct se_import *in;
    struct se_stream *s;
    struct se_text text;
    struct se_builder builder;
    struct se_table table;
    struct record record;
    struct batch batch;
    char separator;             /* 0: not known yet; ' ' stands for runs of blanks */
    int columns;                /* 2 or 3 once a line of data was met */
    uint64_t lines;             /* of data, a header among them */
    char *header;               /* the first line, if it may be one */
    bool names;                 /* ids are names */
    bool fixed;                 /* no new names: the stream has them all */
    bool keep;                  /* keep a record, for the file cannot be read again */
};

enum { AGAIN = 1 };             /* of read_lines: start again, with names */

/* An integer id.  `strict`: leading zeros will do, ids are integers whatever they are.
 * Too large a number comes out as SE_NONE or more. */
static bool parse_id(const struct se_field *f, bool strict, uint64_t *id)
{
    uint64_t value = 0;

    if (f->len == 0 || (!strict && f->len > 1 && f->at[0] == '0'))
        return false;
    for (size_t i = 0; i < f->len; i++) {
        if (f->at[i] < '0' || f->at[i] > '9')
            return false;
        if (value <= SE_NONE)
            value = value * 10 + (uint64_t)(f->at[i] - '0');
    }
    *id = value;
    return true;
}

static bool parse_weight(const struct se_field *f, double *w)
{
    const char *p = f->at;

    return f->len > 0 && se_parse_number(&p, w) && p == f->at + f->len;
}

static int shown(const struct se_field *f)
{
    return f->len > 60 ? 60 : (int)f->len;
}

/* The weight of a line; all lines have one or none. */
static int check_weight(struct reader *r, const struct se_field *f, int columns, double *w,
                        struct se_err *err)
{
    *w = 1;
    if (r->columns == 0) {
        r->columns = columns;
        r->builder.weighted = columns == 3;
    }
    if (columns != r->columns)
        return se_text_fail(&r->text, err, "has %s weight, but lines before it have %s",
                            columns == 3 ? "a" : "no", columns == 3 ? "none" : "one");
    if (columns < 3)
        return 0;
    if (!parse_weight(f, w))
        return se_text_fail(&r->text, err, "weight '%.*s' is not a finite number", shown(f),
                            f->at);
    if (*w < 0)
        return se_text_fail(&r->text, err, "weight %g is negative; weights are 0 or more", *w);
    if (*w > (double)FLT_MAX)
        return se_text_fail(&r->text, err, "weight %g is more than a float holds", *w);
    return 0;
}

static int record_add(struct record *x, uint64_t pair, float w, bool weighted,
                      struct se_err *err)
{
    if (se_grow(&x->pair, &x->cap[0], x->count + 1, sizeof *x->pair, err) < 0 ||
        (weighted && se_grow(&x->weight, &x->cap[1], x->count + 1, sizeof *x->weight, err) < 0))
        return -1;
    x->pair[x->count] = pair;
    if (weighted)
        x->weight[x->count] = w;
    x->count++;
    return 0;
}

static void record_release(struct record *x)
{
    free(x->pair);
    free(x->weight);
    *x = (struct record){ NULL, 0, NULL, { 0, 0 } };
}

static int add_integers(struct reader *r, uint64_t u, uint64_t v, double w,
                        struct se_err *err)
{
    const uint64_t high = u > v ? u : v;

    if (high >= SE_NONE)
        return se_text_fail(&r->text, err, "id %" PRIu64 "%s is too large; use --ids string "
                            "to number ids in order of first use", high,
                            high > SE_NONE ? "..." : "");
    if (r->keep)
        return record_add(&r->record, u << 32 | v, (float)w, r->columns == 3, err);
    return se_builder_add(&r->builder, (uint32_t)u, (uint32_t)v, (float)w, err);
}

/* The names must be those of the stream. */
static int find_names(struct reader *r, const char *const *name, uint32_t *id,
                      struct se_err *err)
{
    const struct batch *b = &r->batch;

    for (int i = 0; i < 2 * b->count; i++) {
        id[i] = se_table_find(&r->table, name[i], b->len[i]);
        if (id[i] == SE_NONE) {
            r->text.line = b->line[i / 2];
            return se_text_fail(&r->text, err, "'%.*s' is not the name of a vertex of the "
                                "stream; use --ids integer if ids are meant",
                                b->len[i] > 60 ? 60 : (int)b->len[i], name[i]);
        }
    }
    return 0;
}

/* Number the names of the batch and add its edges. */
static int end_batch(struct reader *r, struct se_err *err)
{
    struct batch *b = &r->batch;
    const char *name[2 * BATCH];
    uint32_t id[2 * BATCH] = { 0 };

    for (int i = 0; i < 2 * b->count; i++)
        name[i] = b->text.data + b->at[i];
    if (r->fixed ? find_names(r, name, id, err) < 0
                 : se_table_add_many(&r->table, name, b->len, id, 2 * b->count, err) < 0)
        return -1;
    for (int i = 0; i < b->count; i++)
        if (se_builder_add(&r->builder, id[2 * i], id[2 * i + 1], b->weight[i], err) < 0)
            return -1;
    b->text.len = 0;
    b->count = 0;
    return 0;
}

static int add_names(struct reader *r, const struct se_field field[2], double w,
                     struct se_err *err)
{
    struct batch *b = &r->batch;

    for (int e = 0; e < 2; e++) {
        b->at[2 * b->count + e] = b->text.len;
        b->len[2 * b->count + e] = field[e].len;
        if (se_bytes_add(&b->text, field[e].at, field[e].len, err) < 0)
            return -1;
    }
    b->weight[b->count] = (float)w;
    b->line[b->count++] = r->text.line;
    return b->count == BATCH ? end_batch(r, err) : 0;
}

static bool reads(const struct se_field *f, const char *word)
{
    return f->len == strlen(word) && strncasecmp(f->at, word, f->len) == 0;
}

static bool is_header(const struct se_field *field, int columns)
{
    static const char *const words[][2] = {
        { "source", "target" }, { "from", "to" }, { "src", "dst" }
    };

    if (columns == 3)
        return true;                    /* its third field is no number */
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (reads(&field[0], words[i][0]) && reads(&field[1], words[i][1]))
            return true;
    return false;
}

static int split_line(struct reader *r, char *line, struct se_field field[4],
                      struct se_err *err)
{
    const int columns = se_split(line, r->separator, field);

    if (columns < 0)
        return se_text_fail(&r->text, err, "a quoted field does not end as it should");
    if (columns < 2 || columns > 3)
        return se_text_fail(&r->text, err, "has %s; a line is u v [weight]",
                            columns < 2 ? "one field" : "more than three fields");
    for (int i = 0; i < columns; i++)
        if (field[i].len == 0)
            return se_text_fail(&r->text, err, "field %d is empty", i + 1);
    return columns;
}

/* A line where ids are names. */
static int take_names(struct reader *r, char *line, struct se_err *err)
{
    struct se_field field[4];
    const int columns = split_line(r, line, field, err);
    uint64_t id;
    double w;

    if (columns < 0)
        return -1;
    if (r->lines++ == 0 && !(columns == 3 && parse_weight(&field[2], &w)) &&
        !(parse_id(&field[0], false, &id) && parse_id(&field[1], false, &id)) &&
        is_header(field, columns))
        return 0;
    if (check_weight(r, &field[2], columns, &w, err) < 0)
        return -1;
    return add_names(r, field, w, err);
}

/* From now on ids are names; so were those before, which the record has in order. */
static int turn_to_names(struct reader *r, struct se_err *err)
{
    char digits[2][16];
    int rc = 0;

    r->names = true;
    r->keep = false;
    r->lines = 0;
    if (r->header)
        rc = take_names(r, r->header, err);
    for (uint64_t i = 0; rc == 0 && i < r->record.count; i++) {
        const uint32_t id[2] = { (uint32_t)(r->record.pair[i] >> 32),
                                 (uint32_t)r->record.pair[i] };
        struct se_field field[2];

        for (int e = 0; e < 2; e++) {
            field[e].at = digits[e];
            field[e].len = (size_t)snprintf(digits[e], sizeof digits[e], "%" PRIu32, id[e]);
        }
        rc = add_names(r, field, r->record.weight ? (double)r->record.weight[i] : 1, err);
    }
    r->lines += r->record.count;
    record_release(&r->record);
    return rc;
}

/* A line where ids are integers so far, but not as plain as take_quickly() wants it. */
static int take_integers(struct reader *r, char *line, struct se_err *err)
{
    const bool strict = r->in->ids == SE_IDS_INTEGER;
    char *copy = se_strdup(line, err);          /* quotes change the line */
    struct se_field field[4];
    const int columns = copy ? split_line(r, line, field, err) : -1;
    bool integers;
    uint64_t u, v;
    double w;
    int rc = columns < 0 ? -1 : 0;

    if (rc == 0) {
        integers = parse_id(&field[0], strict, &u) && parse_id(&field[1], strict, &v);
        if (integers) {
            r->lines++;
            rc = check_weight(r, &field[2], columns, &w, err);
            if (rc == 0)
                rc = add_integers(r, u, v, w, err);
        } else if (r->lines == 0 && !(columns == 3 && parse_weight(&field[2], &w))) {
            r->lines++;
            r->header = copy;
            copy = NULL;
        } else if (strict) {
            const struct se_field *bad = &field[parse_id(&field[0], strict, &u)];

            rc = se_text_fail(&r->text, err, "id '%.*s' is no integer; use --ids string",
                              shown(bad), bad->at);
        } else if (r->keep) {
            rc = turn_to_names(r, err);
            if (rc == 0)
                rc = take_names(r, copy, err);
        } else {
            rc = AGAIN;
        }
    }
    free(copy);
    return rc;
}

static bool quick_id(const char **p, uint64_t *id)
{
    const char *s = *p;
    uint64_t value = (uint64_t)(unsigned char)*s - '0';

    if (value > 9 || (value == 0 && s[1] >= '0' && s[1] <= '9'))
        return false;
    for (s++; *s >= '0' && *s <= '9'; s++)
        value = value * 10 + (uint64_t)(*s - '0');
    if (s - *p > 10)
        return false;
    *id = value;
    *p = s;
    return true;
}

static bool quick_separator(const char **p, char separator)
{
    if (**p != separator)
        return false;
    for (++*p; separator == ' ' && **p == ' '; ++*p)
        ;
    return true;
}

/* Most lines of most files: integers with single separators, the columns as expected. */
static bool take_quickly(const struct reader *r, const char *line, uint64_t *u, uint64_t *v,
                         double *w)
{
    const char *p = line;

    *w = 1;
    if (!quick_id(&p, u) || !quick_separator(&p, r->separator) || !quick_id(&p, v))
        return false;
    if (r->columns == 3 && (!quick_separator(&p, r->separator) || !se_parse_number(&p, w) ||
                            !(*w >= 0 && *w <= (double)FLT_MAX)))
        return false;
    return *p == '\0';
}

/* A line that may be anything. */
static int take_line(struct reader *r, char *line, size_t len, struct se_err *err)
{
    if (r->text.line == 1) {
        if (strncmp(line, "\xef\xbb\xbf", 3) == 0) {    /* a byte order mark */
            line += 3;
            len -= 3;
        }
        if (strncmp(line, "%%MatrixMarket", 14) == 0)
            return se_text_fail(&r->text, err, "this is a MatrixMarket file; use -f mtx");
    }
    while (len > 0 && se_is_blank(line[len - 1]))
        line[--len] = '\0';
    while (se_is_blank(*line))
        line++;
    if (*line == '\0' || *line == '#' || *line == '%')
        return 0;
    if (!r->separator)
        r->separator = se_find_separator(line);
    return r->names ? take_names(r, line, err) : take_integers(r, line, err);
}

static int read_lines(struct reader *r, struct se_err *err)
{
    uint64_t u, v;
    double w;
    size_t len;
    char *line;
    int rc;

    while ((rc = se_text_line(&r->text, &line, &len, err)) > 0) {
        if (r->columns && !r->names && take_quickly(r, line, &u, &v, &w))
            rc = add_integers(r, u, v, w, err);
        else
            rc = take_line(r, line, len, err);
        if (rc != 0)
            return rc;
    }
    if (rc == 0 && r->header && r->lines == 1 && !r->names && r->columns == 0 &&
        r->in->ids == SE_IDS_AUTO) {            /* all there is: it was no header */
        if (!r->keep)
            return AGAIN;
        rc = turn_to_names(r, err);
    }
    if (rc == 0)
        rc = end_batch(r, err);
    for (uint64_t i = 0; rc == 0 && i < r->record.count; i++)
        rc = se_builder_add(&r->builder, (uint32_t)(r->record.pair[i] >> 32),
                            (uint32_t)r->record.pair[i],
                            r->record.weight ? r->record.weight[i] : 1, err);
    record_release(&r->record);
    return rc;
}

static void reader_release(struct reader *r)
{
    se_text_close(&r->text);
    se_builder_release(&r->builder);
    se_table_release(&r->table);
    record_release(&r->record);
    se_bytes_release(&r->batch.text);
    free(r->header);
}

/* Read the whole file, a second time if its ids turn out to be names. */
static int read_file(struct reader *r, struct se_err *err)
{
    const struct reader blank = { .in = r->in, .s = r->s, .names = true };
    int rc;

    if (se_text_open(&r->text, r->in->path, err) < 0)
        return -1;
    rc = read_lines(r, err);
    if (rc != AGAIN)
        return rc;
    reader_release(r);
    *r = blank;
    return se_text_open(&r->text, r->in->path, err) < 0 ? -1 : read_lines(r, err);
}

static int put(struct reader *r, struct se_err *err)
{
    const char *path = r->text.path;
    const uint64_t wanted = r->in->n, count = r->builder.count;
    const uint64_t n = r->names ? r->table.n : r->builder.n;
    struct se_built built;

    if (count == 0 && (!wanted || r->names))
        return se_fail(err, SE_EINPUT, "%s: holds no edge; give --vertices N for a graph "
                       "without edges", path);
    if (wanted && (r->names ? n != wanted : n > wanted))
        return se_fail(err, SE_EINPUT, "%s: has %" PRIu64 " vertices, but %" PRIu64
                       " are wanted", path, n, wanted);
    if (!r->names && se_check_sparse(n, count, wanted, err) < 0)
        return se_err_in(err, path);
    r->builder.n = wanted > n ? wanted : n;
    se_table_seal(&r->table);
    if (se_builder_put(&r->builder, r->s, SE_GRAPH, SE_MERGE_SUM, r->in->keep_loops, &built,
                       err) < 0)
        return se_err_in(err, path);
    r->in->loops = built.loops;
    r->in->repeated = built.repeated;
    return r->names && !r->fixed ? se_table_put(&r->table, r->s, err) : 0;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct reader r = { .in = in, .s = s };
    struct stat st;
    int rc = 0;

    r.fixed = in->ids != SE_IDS_INTEGER && se_stream_has(s, SE_NAMES);
    r.names = r.fixed || in->ids == SE_IDS_STRING;
    r.keep = in->ids == SE_IDS_AUTO && !r.names &&
             (strcmp(in->path, "-") == 0 || stat(in->path, &st) < 0 || !S_ISREG(st.st_mode));
    if (r.fixed)
        rc = se_table_load(&r.table, s, err);
    if (rc == 0)
        rc = read_file(&r, err);
    if (rc == 0)
        rc = put(&r, err);
    reader_release(&r);
    return rc;
}

/* Is the first whole line of data two integers, with or without something behind them? */
static bool looks_right(const char *head)
{
    const char *p = head;
    uint64_t id;

    while (*p == '#' || *p == '%' || *p == '\n' || *p == '\r') {
        p += strcspn(p, "\n");
        p += *p == '\n';
    }
    if (!quick_id(&p, &id) || !strchr(" \t,;", *p))
        return false;
    p += strspn(p, " \t,;");
    return quick_id(&p, &id) && strchr(" \t,;\r\n", *p) != NULL;
}

static int detect(const char *path, const char *head, size_t len)
{
    static const char *const sure[] = { ".edges", ".edgelist", ".el", ".abc" };
    static const char *const maybe[] = { ".tsv", ".csv", ".txt" };

    if (!head || memchr(head, '\0', len) || strncmp(head, "%%MatrixMarket", 14) == 0)
        return 0;
    for (size_t i = 0; i < sizeof sure / sizeof sure[0]; i++)
        if (se_path_is(path, sure[i]))
            return 80;
    for (size_t i = 0; i < sizeof maybe / sizeof maybe[0]; i++)
        if (se_path_is(path, maybe[i]))
            return 40;
    return looks_right(head) ? 20 : 0;
}

/* A name that would not come back from a tab-separated line. */
static int check_names(const struct se_names *names, struct se_err *err)
{
    for (uint64_t v = 0; v < names->n; v++) {
        const char *name = names->text + names->off[v];
        const size_t len = names->off[v + 1] - names->off[v];

        if (len == 0 || *name == '#' || *name == '%' || *name == ' ' || name[len - 1] == ' ' ||
            memchr(name, '\t', len) || memchr(name, '\n', len) || memchr(name, '\r', len))
            return se_fail(err, SE_EINPUT, "the name '%.*s' of vertex %" PRIu64 " cannot be "
                           "written to an edge list; export ids instead",
                           len > 60 ? 60 : (int)len, name, v);
    }
    return 0;
}

static int export(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                  struct se_err *err)
{
    struct se_names names;
    struct se_graph g;

    if (se_graph_get(&g, s, ex->section, err) < 0 ||
        se_export_names(ex->names, s, &names, err) < 0 || check_names(&names, err) < 0)
        return -1;
    for (uint64_t u = 0; u < g.n; u++)
        for (uint64_t i = g.off[u]; i < g.off[u + 1]; i++) {
            se_out_vertex(out, &names, u);
            se_out_char(out, '\t');
            se_out_vertex(out, &names, g.to[i]);
            se_out_char(out, '\t');
            if (g.weight)
                se_out_float(out, g.weight[i]);
            else
                se_out_char(out, '1');
            se_out_char(out, '\n');
        }
    return 0;
}

const struct se_format se_format_edges = {
    .name = "edges",
    .what = "edge list: u v [weight] a line",
    .import = import,
    .detect = detect,
    .export = export
};
