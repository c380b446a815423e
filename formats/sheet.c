/* sheet.c - a table with named columns in memory */
#include "formats/sheet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void se_sheet_release(struct se_sheet *x)
{
    se_bytes_release(&x->text);
    free(x->cell);
    free(x->line);
    *x = (struct se_sheet)SE_SHEET_INIT;
}

const char *se_sheet_name(const struct se_sheet *x, uint64_t column)
{
    return x->text.data + x->cell[column];
}

const char *se_sheet_cell(const struct se_sheet *x, uint64_t row, uint64_t column)
{
    return x->text.data + x->cell[(row + 1) * x->columns + column];
}

bool se_is_missing(const char *word)
{
    static const char *const none[] = { "", "?", "NA", "N/A", "n/a", "nan", "NaN", "null", "NULL",
                                        "None", "-", NULL };

    for (int i = 0; none[i]; i++)
        if (strcmp(word, none[i]) == 0)
            return true;
    return false;
}

uint64_t se_sheet_find(const struct se_sheet *x, const char *column)
{
    uint64_t number;

    for (uint64_t c = 0; c < x->columns; c++)
        if (strcmp(se_sheet_name(x, c), column) == 0)
            return c;
    return se_whole_u64(column, &number) && number >= 1 && number <= x->columns ? number - 1
                                                                                : SE_NONE;
}

int se_sheet_column(const struct se_sheet *x, const char *column, uint64_t *at,
                    struct se_err *err)
{
    char all[256] = "";

    *at = se_sheet_find(x, column);
    if (*at != SE_NONE)
        return 0;
    for (uint64_t c = 0; c < x->columns && strlen(all) < sizeof all - 40; c++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%.30s", c ? ", " : "",
                 se_sheet_name(x, c));
    return se_fail(err, SE_EINPUT, "%s: there is no column '%.60s'; the columns are %s", x->path,
                   column, all);
}

static int add_cell(struct se_sheet *x, uint64_t at, const char *text, size_t len,
                    struct se_err *err)
{
    if (se_grow(&x->cell, &x->cell_cap, at + 1, sizeof *x->cell, err) < 0)
        return -1;
    x->cell[at] = x->text.len;
    return se_bytes_add(&x->text, text, len, err) < 0 || se_bytes_add(&x->text, "", 1, err) < 0
         ? -1 : 0;
}

/* The names of the columns: those of the record, or numbers from 1. */
static int set_heading(struct se_sheet *x, const struct se_records *r, bool heading,
                       struct se_err *err)
{
    struct se_table seen = SE_TABLE_INIT;
    uint32_t id;
    int rc = 0;

    x->columns = r->fields;
    for (uint64_t c = 0; c < x->columns && rc == 0; c++) {
        char number[24];
        const int digits = snprintf(number, sizeof number, "%" PRIu64, c + 1);
        const struct se_field *f = &r->field[c];

        rc = heading ? add_cell(x, c, f->at, f->len, err)
                     : add_cell(x, c, number, (size_t)digits, err);
        if (rc == 0 && heading)
            rc = se_table_add(&seen, f->at, f->len, &id, err);
        if (rc == 0 && heading && id != c)
            rc = se_record_fail(r, err, "two columns are called '%.60s'", f->at);
    }
    se_table_release(&seen);
    return rc;
}

static int add_row(struct se_sheet *x, const struct se_records *r, struct se_err *err)
{
    if (r->fields != x->columns)
        return se_record_fail(r, err, "%s fields than the heading, which has %" PRIu64,
                              r->fields > x->columns ? "more" : "fewer", x->columns);
    if (x->rows >= SE_MAX_VERTICES - 1)
        return se_record_fail(r, err, "too many rows");
    if (se_grow(&x->line, &x->line_cap, x->rows + 1, sizeof *x->line, err) < 0)
        return -1;
    x->line[x->rows++] = r->line;
    for (uint64_t c = 0; c < x->columns; c++)
        if (add_cell(x, x->rows * x->columns + c, r->field[c].at, r->field[c].len, err) < 0)
            return -1;
    return 0;
}

static int read_all(struct se_sheet *x, struct se_records *r, enum se_header header,
                    struct se_bytes *notes, struct se_err *err)
{
    int rc = se_record_next(r, err);
    bool heading;

    if (rc <= 0)
        return rc < 0 ? -1 : se_fail(err, SE_EINPUT, "%s: is empty", x->path);
    heading = header == SE_HEADER_AUTO ? !se_record_is_data(r) : header == SE_HEADER_YES;
    if (header == SE_HEADER_AUTO && !heading &&
        se_say(notes, err, "%s: line 1 has numbers, so it is read as data; the columns are "
               "called 1 to %" PRIu64 " (--header yes: it is a heading)", x->path, r->fields) < 0)
        return -1;
    if (set_heading(x, r, heading, err) < 0 || (!heading && add_row(x, r, err) < 0))
        return -1;
    while ((rc = se_record_next(r, err)) > 0)
        if (add_row(x, r, err) < 0)
            return -1;
    if (rc == 0 && x->rows == 0)
        rc = se_fail(err, SE_EINPUT, "%s: has a heading and no rows", x->path);
    return rc;
}

int se_sheet_read(struct se_sheet *x, const char *path, enum se_header header,
                  struct se_bytes *notes, struct se_err *err)
{
    struct se_records r = SE_RECORDS_INIT;
    int rc = se_records_open(&r, path, err);

    x->path = se_path_name(path);
    if (rc == 0)
        rc = read_all(x, &r, header, notes, err);
    se_records_close(&r);
    return rc;
}
