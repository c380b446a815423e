/* sheet.h - a table with named columns, as spreadsheets and pandas write it: CSV by RFC 4180,
 * also with tabs, semicolons or bars between the fields */
#ifndef SE_SHEET_H
#define SE_SHEET_H

#include "formats/internal.h"

/* Records of a text, one by one.  A field in quotes may hold line breaks. */
struct se_records {
    struct se_text t;
    char separator;             /* found in the first record */
    uint64_t line;              /* where the record begins */
    struct se_bytes text;       /* the record */
    struct se_field *field;     /* its fields, each ended by NUL, without quotes */
    uint64_t fields;
    size_t cap;
};
#define SE_RECORDS_INIT { .t = SE_TEXT_INIT }

int se_records_open(struct se_records *r, const char *path, struct se_err *err);
/* The next record, lines that are empty or start with # apart: 1, 0 at the end, or -1. */
int se_record_next(struct se_records *r, struct se_err *err);
void se_records_close(struct se_records *r);
/* An error with the place of the record: "PATH: line N: ...".  Returns -1. */
int se_record_fail(const struct se_records *r, struct se_err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Are the fields of a first record data, and not a heading?  They are if the first is a whole
 * number or one of them is a number that is no name of a column: -1, 2.5. */
bool se_record_is_data(const struct se_records *r);

/* A whole table in memory. */
struct se_sheet {
    const char *path;
    uint64_t columns, rows;
    struct se_bytes text;       /* the heading and all cells, each ended by NUL */
    uint64_t *cell;             /* where each begins, the heading first */
    size_t cell_cap, line_cap;
    uint64_t *line;             /* of each row */
};
#define SE_SHEET_INIT { .columns = 0 }

/* Read a table.  Without a heading columns are called 1, 2, ...; names are unique.  A guess is
 * added to `notes`.  Release it in any case. */
int se_sheet_read(struct se_sheet *x, const char *path, enum se_header header,
                  struct se_bytes *notes, struct se_err *err);
void se_sheet_release(struct se_sheet *x);
const char *se_sheet_name(const struct se_sheet *x, uint64_t column);
const char *se_sheet_cell(const struct se_sheet *x, uint64_t row, uint64_t column);
/* The column of this name, or else of this number, counted from 1; SE_NONE: there is none. */
uint64_t se_sheet_find(const struct se_sheet *x, const char *column);
/* The same; an error lists the columns. */
int se_sheet_column(const struct se_sheet *x, const char *column, uint64_t *at,
                    struct se_err *err);
/* Is the cell empty, or a word that means a missing value? */
bool se_is_missing(const char *word);

#endif
