/* columns.h - what a column of a table holds, and the features it becomes
 *
 * A number or a date becomes one feature, a category one for each word, free text a fixed
 * number of hashed words.  Missing values of numbers, dates and text have a feature of their
 * own; of categories they are one more word.  Scaled as `standard`, numbers have mean 0 and
 * variance 1, and the features of any other column a total variance of 1: no column drowns
 * the others. */
#ifndef SE_COLUMNS_H
#define SE_COLUMNS_H

#include "formats/rows.h"
#include "formats/sheet.h"

enum se_column_type { SE_COLUMN_NONE, SE_COLUMN_NUMBER, SE_COLUMN_DATE, SE_COLUMN_WORDS,
                      SE_COLUMN_TEXT };

struct se_column {
    enum se_column_type type;
    const char *why;            /* none: why it is left out; else how it was read, or "" */
    enum se_decimal decimal;    /* numbers: SE_DECIMAL_AUTO: plain ones */
    int order;                  /* dates: 'y', 'd' or 'm' comes first */
    uint64_t rows, missing;
    uint64_t first, features;   /* the first feature and how many there are */
    double shift, factor, mean; /* numbers and dates: (x - shift) * factor */
    double weight;              /* words, text: of each feature */
    struct se_table word;
};

/* Look at the cells of the rows whose vertex[] is not SE_NONE.  Release it in any case. */
int se_column_survey(struct se_column *x, const struct se_sheet *t, uint64_t column,
                     const uint32_t *vertex, const struct se_attributes *ask,
                     struct se_err *err);
void se_column_release(struct se_column *x);
/* Add the features of a cell to the row in the making. */
int se_column_add(const struct se_column *x, const char *cell, struct se_rows *rows,
                  struct se_err *err);
/* Names, shifts and scales of its features, at their places behind x->first. */
int se_column_describe(const struct se_column *x, const char *name, struct se_bytes *names,
                       double *shift, double *scale, struct se_err *err);
/* A line about each of the table's columns that was looked at: its type, missing values, features; one
 * line for five or more in a row of which it is the same */
int se_columns_say(const struct se_column *x, const struct se_sheet *t, struct se_bytes *notes,
                   struct se_err *err);

#endif
