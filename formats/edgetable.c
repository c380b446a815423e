/* edgetable.c - edges in a table of any columns, as lines that edges.c reads
 *
 * A transaction log, a spreadsheet, an export of a database: --source and --target name the
 * columns of the ends, --weight that of the weights. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "formats/sheet.h"

enum { SOURCE, TARGET, WEIGHT };

struct edge_table {
    struct se_import *in;
    struct se_records r;
    uint64_t column[3];         /* SE_NONE: no weights */
    uint64_t columns, line;     /* fields of a record; lines written */
    bool comma;                 /* a weight has a decimal comma, though nobody said so */
    bool amounts;               /* weights with currency signs or thousands separators */
};

/* The column of a name, or of a number counted from 1; SE_NONE: none. */
static uint64_t find_column(const struct se_records *r, const char *name, bool heading)
{
    uint64_t number;

    for (uint64_t c = 0; c < r->fields && heading; c++)
        if (strcmp(r->field[c].at, name) == 0)
            return c;
    for (uint64_t c = 0; c < r->fields && heading; c++)
        if (strcasecmp(r->field[c].at, name) == 0)
            return c;
    return se_whole_u64(name, &number) && number >= 1 && number <= r->fields ? number - 1
                                                                             : SE_NONE;
}

static int find_columns(struct edge_table *t, bool heading, struct se_err *err)
{
    const char *name[] = { t->in->source, t->in->target, t->in->weight };
    char all[256] = "";

    for (uint64_t c = 0; c < t->r.fields && strlen(all) < sizeof all - 40; c++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%.30s", c ? ", " : "",
                 t->r.field[c].at);
    for (int i = SOURCE; i <= WEIGHT; i++) {
        t->column[i] = name[i] ? find_column(&t->r, name[i], heading) : SE_NONE;
        if (name[i] && t->column[i] == SE_NONE)
            return heading ? se_record_fail(&t->r, err, "there is no column '%.60s'; the columns "
                                            "are %s", name[i], all)
                           : se_record_fail(&t->r, err, "there is no column '%.60s'; without a "
                                            "heading columns are numbers from 1", name[i]);
    }
    t->columns = t->r.fields;
    return 0;
}

/* An end of an edge: digits as they are, else in quotes. */
static int add_end(struct edge_table *t, const struct se_field *f, struct se_bytes *out,
                   struct se_err *err)
{
    const bool plain = f->len > 0 && strspn(f->at, "0123456789") == f->len;

    if (f->len == 0)
        return se_record_fail(&t->r, err, "an end of the edge is empty");
    if (memchr(f->at, '\n', f->len))
        return se_record_fail(&t->r, err, "the name of a vertex holds a line break");
    if (plain)
        return se_bytes_add(out, f->at, f->len, err);
    if (se_bytes_add(out, "\"", 1, err) < 0)
        return -1;
    for (size_t i = 0; i < f->len; i++)
        if (se_bytes_add(out, f->at + i, 1, err) < 0 ||
            (f->at[i] == '"' && se_bytes_add(out, "\"", 1, err) < 0))
            return -1;
    return se_bytes_add(out, "\"", 1, err);
}

static int add_weight(struct edge_table *t, const struct se_field *f, struct se_bytes *out,
                      struct se_err *err)
{
    char text[40] = ",";
    double w;

    if (!se_whole_number(f->at, &w)) {
        if (!se_weight(f->at, t->in->decimal, t->r.separator, &w, &t->comma))
            return se_record_fail(&t->r, err, "weight '%.60s' is not a number%s", f->at,
                                  strchr(f->at, ',') && t->in->decimal != SE_DECIMAL_COMMA
                                  ? "; use --decimal comma if it has a decimal comma" : "");
        t->amounts = true;
    }
    snprintf(text + 1, sizeof text - 1, "%.17g", w);
    return se_bytes_add(out, text, strlen(text), err);
}

static int add_record(struct edge_table *t, struct se_bytes *out, struct se_err *err)
{
    const struct se_records *r = &t->r;

    if (r->fields != t->columns)
        return se_record_fail(r, err, "%s fields than the first line, which has %" PRIu64,
                              r->fields > t->columns ? "more" : "fewer", t->columns);
    for (; t->line + 1 < r->line; t->line++)    /* empty lines keep the places of faults right */
        if (se_bytes_add(out, "\n", 1, err) < 0)
            return -1;
    t->line++;
    if (add_end(t, &r->field[t->column[SOURCE]], out, err) < 0 ||
        se_bytes_add(out, ",", 1, err) < 0 ||
        add_end(t, &r->field[t->column[TARGET]], out, err) < 0 ||
        (t->column[WEIGHT] != SE_NONE &&
         add_weight(t, &r->field[t->column[WEIGHT]], out, err) < 0))
        return -1;
    return se_bytes_add(out, "\n", 1, err);
}

static int read_table(struct edge_table *t, struct se_bytes *out, struct se_err *err)
{
    const enum se_header header = t->in->header;
    int rc = se_record_next(&t->r, err);
    bool heading, named;

    if (rc <= 0)
        return rc < 0 ? -1 : se_fail(err, SE_EINPUT, "%s: is empty", se_path_name(t->r.t.path));
    named = t->in->source[strspn(t->in->source, "0123456789")] != '\0';
    heading = header == SE_HEADER_AUTO ? named || !se_record_is_data(&t->r)
                                       : header == SE_HEADER_YES;
    if (find_columns(t, heading, err) < 0 || (!heading && add_record(t, out, err) < 0))
        return -1;
    while ((rc = se_record_next(&t->r, err)) > 0)
        if (add_record(t, out, err) < 0)
            return -1;
    if (rc == 0 && t->amounts)
        rc = se_say(t->in->notes, err, "%s: weights have currency signs, separators or decimal commas, "
                    "read with a decimal %s (--decimal)", se_path_name(t->r.t.path),
                    t->comma || t->in->decimal == SE_DECIMAL_COMMA ? "comma" : "point");
    return rc;
}

int se_edge_table(struct se_import *in, struct se_bytes *lines, struct se_err *err)
{
    struct edge_table t = { .in = in, .r = SE_RECORDS_INIT };
    int rc = se_records_open(&t.r, in->path, err);

    if (rc == 0)
        rc = read_table(&t, lines, err);
    in->header = SE_HEADER_NO;                  /* the lines have none */
    se_records_close(&t.r);
    return rc;
}

/* The column of one of the words, or SE_NONE */
static uint64_t find_word(const struct se_records *r, const char *const *words)
{
    for (; *words; words++)
        for (uint64_t c = 0; c < r->fields; c++)
            if (strcasecmp(r->field[c].at, *words) == 0)
                return c;
    return SE_NONE;
}

/* Of three columns, from the first row: is the third an amount such as $1,200 (1), no number at
 * all (0), or a plain number, so that nothing is to be found out (-1)? */
static int third_column(struct se_records *r)
{
    struct se_err ignored = SE_ERR_INIT;
    double w;

    if (se_record_next(r, &ignored) <= 0 || r->fields != 3 || se_whole_number(r->field[2].at, &w))
        return -1;
    return se_amount(r->field[2].at, SE_DECIMAL_AUTO, &w) && strpbrk(r->field[2].at, "$,");
}

/* Columns of the ends and the weight of a heading, each SE_NONE if it is not there */
static void look_at_heading(struct se_records *r, uint64_t found[3], char name[3][64])
{
    static const char *const words[3][5] = {
        { "source", "from", "src", "src_id" }, { "target", "to", "dst", "dst_id" }, { "weight" }
    };
    const bool three = r->fields == 3;
    char all[3][64] = { "" };
    int third;

    if (r->fields < 3 || se_record_is_data(r))
        return;
    for (int i = 0; i < 3; i++) {
        found[i] = find_word(r, words[i]);
        if (found[i] != SE_NONE)
            snprintf(name[i], 64, "%s", r->field[found[i]].at);
        snprintf(all[i], 64, "%s", r->field[i].at);
    }
    if (!three)
        return;
    third = third_column(r);
    for (uint64_t i = 0; i < 3; i++)
        if (third != 0) {                       /* an amount: u, v, weight, whatever they are called */
            found[i] = third > 0 ? i : SE_NONE;
            memcpy(name[i], all[i], 64);
        }
}

int se_edge_columns(struct se_import *in, struct se_err *err)
{
    static const char *const number[] = { "1", "2", "3", "4", "5", "6", "7", "8", "9" };
    uint64_t found[3] = { SE_NONE, SE_NONE, SE_NONE };
    char name[3][64] = { "" };
    struct se_records r = SE_RECORDS_INIT;
    struct stat st;
    int rc = 0;

    if (in->header == SE_HEADER_NO || strcmp(in->path, "-") == 0 || stat(in->path, &st) < 0 ||
        !S_ISREG(st.st_mode))
        return 0;
    if (se_records_open(&r, in->path, err) < 0)
        return -1;
    if (se_record_next(&r, err) <= 0)
        *err = (struct se_err)SE_ERR_INIT;      /* the reader of edges will say it */
    else
        look_at_heading(&r, found, name);
    if (found[0] < 9 && found[1] < 9 && (found[2] < 9 || found[2] == SE_NONE)) {
        in->source = number[found[0]];
        in->target = number[found[1]];
        in->weight = found[2] == SE_NONE ? NULL : number[found[2]];
        rc = se_say(in->notes, err, "%s: %" PRIu64 " columns; edges are taken from '%s' to '%s', %s"
                    "%s%s (--source, --target and --weight name others)", se_path_name(in->path),
                    r.fields, name[0], name[1], in->weight ? "weights from '" : "without weights",
                    name[2], in->weight ? "'" : "");
    }
    se_records_close(&r);
    return rc;
}
