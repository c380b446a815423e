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
        if (!se_amount(f->at, t->in->decimal, &w))
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
        rc = se_say(t->in->notes, err, "%s: weights have currency signs or thousands separators, "
                    "read with a decimal %s (--decimal)", se_path_name(t->r.t.path),
                    t->in->decimal == SE_DECIMAL_COMMA ? "comma" : "point");
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

int se_edge_columns(struct se_import *in, struct se_err *err)
{
    static const char *const words[][2] = { { "source", "target" }, { "from", "to" },
                                            { "src", "dst" } };
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
    for (int i = 0; i < 3 && r.fields > 3 && !in->source; i++) {
        uint64_t found[2] = { SE_NONE, SE_NONE };

        for (uint64_t c = 0; c < r.fields; c++)
            for (int e = 0; e < 2; e++)
                if (strcasecmp(r.field[c].at, words[i][e]) == 0)
                    found[e] = c;
        if (found[0] == SE_NONE || found[1] == SE_NONE)
            continue;
        rc = se_say(in->notes, err, "%s: %" PRIu64 " columns; edges are taken from '%s' to '%s', "
                    "without weights (--source, --target and --weight name others)",
                    se_path_name(in->path), r.fields, r.field[found[0]].at,
                    r.field[found[1]].at);
        in->source = words[i][0];
        in->target = words[i][1];
    }
    se_records_close(&r);
    return rc;
}
