/* columns.c - what a column of a table holds, and the features it becomes */
#include "formats/columns.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_WORDS = 50, BUCKETS = 256, LONG_TEXT = 4 };

void se_column_release(struct se_column *x)
{
    se_table_release(&x->word);
}

/* --- numbers and dates --- */

/* Days since 1970 of a day of the Gregorian calendar; false if there is no such day. */
static bool days_of(uint64_t year, uint64_t month, uint64_t day, double *days)
{
    static const uint64_t length[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    if (year < 1000 || year > 9999 || month < 1 || month > 12 || day < 1 ||
        day > length[month - 1] + (leap && month == 2))
        return false;
    const int64_t y = (int64_t)year - (month <= 2), m = (int64_t)(month + 9) % 12;

    *days = (double)(365 * y + y / 4 - y / 100 + y / 400 + (m * 306 + 5) / 10 +
                     (int64_t)day - 1 - 719468);
    return true;
}

/* " 12:30", "T12:30:05.5Z" behind a day: as a part of it */
static bool time_of(const char *p, double *days)
{
    uint64_t part[3] = { 0, 0, 0 };

    if (*p == '\0')
        return true;
    if (*p != ' ' && *p != 'T')
        return false;
    for (int i = 0; i < 3; i++) {
        p++;
        if (!se_parse_u64(&p, &part[i]))
            return false;
        if (*p != ':')
            break;
    }
    p += strspn(p, ".0123456789");
    if (*p == 'Z' || ((*p == '+' || *p == '-') && strspn(p + 1, ":0123456789") == strlen(p + 1)))
        p += strlen(p);
    *days += ((double)part[0] * 3600 + (double)part[1] * 60 + (double)part[2]) / 86400;
    return *p == '\0' && part[0] < 24 && part[1] < 60 && part[2] < 61;
}

/* A date with '-', '/' or '.' between its parts; `order`: which part is first, y, d or m. */
static bool date_of(const char *p, int order, double *days)
{
    uint64_t part[3];
    char sign = '\0';

    for (int i = 0; i < 3; i++) {
        if (!se_parse_u64(&p, &part[i]))
            return false;
        if (i == 0)
            sign = *p;
        if (i < 2 && (*p++ != sign || !strchr("-/.", sign) || sign == '\0'))
            return false;
    }
    return (order == 'y' ? days_of(part[0], part[1], part[2], days)
          : order == 'd' ? days_of(part[2], part[1], part[0], days)
                         : days_of(part[2], part[0], part[1], days)) && time_of(p, days);
}

static bool value_of(const struct se_column *x, const char *cell, double *value)
{
    if (x->type == SE_COLUMN_DATE)
        return date_of(cell, x->order, value);
    if (x->decimal == SE_DECIMAL_AUTO)
        return se_whole_number(cell, value) && isfinite((float)*value);
    return se_amount(cell, x->decimal, value) && isfinite((float)*value);
}

/* Do all cells have a value as x says? */
static bool all_values(const struct se_column *x, const struct se_sheet *t, uint64_t column,
                       const uint32_t *vertex)
{
    double value;

    for (uint64_t r = 0; r < t->rows; r++) {
        const char *cell = se_sheet_cell(t, r, column);

        if (vertex[r] != SE_NONE && !se_is_missing(cell) && !value_of(x, cell, &value))
            return false;
    }
    return true;
}

/* Numbers or dates, if all cells are. */
static bool find_values(struct se_column *x, const struct se_sheet *t, uint64_t column,
                        const uint32_t *vertex, enum se_decimal asked)
{
    static const int orders[] = { 'y', 'd', 'm' };
    static const char *const how[] = { "", (", read with a decimal point and thousands "
        "separators or signs (--decimal comma if commas are decimal)"),
        ", read with a decimal comma" };

    x->type = SE_COLUMN_NUMBER;
    for (int d = SE_DECIMAL_AUTO; d <= SE_DECIMAL_COMMA; d++) {
        x->decimal = (enum se_decimal)d;
        x->why = how[d];
        if ((asked == SE_DECIMAL_COMMA ? d == SE_DECIMAL_COMMA
             : asked == SE_DECIMAL_POINT ? d != SE_DECIMAL_COMMA : true) &&
            all_values(x, t, column, vertex))
            return true;
    }
    x->type = SE_COLUMN_DATE;
    for (int i = 0; i < 3; i++) {
        x->order = orders[i];
        x->why = i == 0 ? "" : i == 1 ? ", day first" : ", month first";
        if (all_values(x, t, column, vertex))
            return true;
    }
    return false;
}

static void scale_values(struct se_column *x, const struct se_sheet *t, uint64_t column,
                         const uint32_t *vertex, enum se_scale scale)
{
    double least = INFINITY, most = -INFINITY, sum = 0, square = 0, value;
    const double count = (double)(x->rows - x->missing);

    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t r = 0; r < t->rows; r++) {
            const char *cell = se_sheet_cell(t, r, column);

            if (vertex[r] == SE_NONE || se_is_missing(cell) || !value_of(x, cell, &value))
                continue;
            sum += pass == 0 ? value : 0;
            square += pass == 1 ? (value - x->mean) * (value - x->mean) : 0;
            least = fmin(least, value);
            most = fmax(most, value);
        }
        x->mean = sum / count;
    }
    x->features = x->missing > 0 ? 2 : 1;
    x->shift = scale == SE_SCALE_STANDARD ? x->mean : scale == SE_SCALE_RANGE ? least : 0;
    x->factor = scale == SE_SCALE_STANDARD ? 1 / sqrt(square / count)
              : scale == SE_SCALE_RANGE ? 1 / (most - least) : 1;
    if (!(most > least) || !isfinite(x->factor)) {
        x->type = SE_COLUMN_NONE;
        x->why = "the same in all rows";
        x->features = 0;
    }
}

/* --- words and text --- */

/* The next word of a text, in lower case: false at the end. */
static bool next_word(const char **p, uint64_t *hash)
{
    const unsigned char *s = (const unsigned char *)*p;
    bool found = false;

    while (*s && !isalnum(*s) && *s < 0x80)
        s++;
    *hash = UINT64_C(0xcbf29ce484222325);       /* FNV-1a: the same on every machine */
    for (; *s && (isalnum(*s) || *s >= 0x80); s++) {
        *hash = (*hash ^ (uint64_t)tolower(*s)) * UINT64_C(0x100000001b3);
        found = true;
    }
    *p = (const char *)s;
    return found;
}

/* Which hashed words a text has: their number. */
static int hash_text(const char *text, bool has[BUCKETS])
{
    uint64_t hash;
    int count = 0;

    memset(has, 0, BUCKETS * sizeof *has);
    while (next_word(&text, &hash)) {
        bool *at = &has[(hash ^ hash >> 32) % BUCKETS];

        count += !*at;
        *at = true;
    }
    return count;
}

static void weigh_text(struct se_column *x, const struct se_sheet *t, uint64_t column,
                       const uint32_t *vertex)
{
    double sum[BUCKETS] = { 0 }, square[BUCKETS] = { 0 }, variance = 0;
    bool has[BUCKETS];

    for (uint64_t r = 0; r < t->rows; r++) {
        const char *cell = se_sheet_cell(t, r, column);
        const int count = vertex[r] == SE_NONE || se_is_missing(cell) ? 0 : hash_text(cell, has);

        for (int b = 0; b < BUCKETS && count > 0; b++)
            if (has[b]) {
                sum[b] += 1 / sqrt(count);
                square[b] += 1.0 / count;
            }
    }
    for (int b = 0; b < BUCKETS; b++)
        variance += square[b] / (double)x->rows -
                    sum[b] / (double)x->rows * sum[b] / (double)x->rows;
    x->weight = variance > 0 ? 1 / sqrt(variance) : 1;
}

/* Each word weighs as much as makes the variance of all of them 1. */
static int weigh_words(struct se_column *x, const struct se_sheet *t, uint64_t column,
                       const uint32_t *vertex, struct se_err *err)
{
    uint64_t *count = se_zalloc(x->word.n + 1, sizeof *count, err);
    double same = 0;

    if (!count)
        return -1;
    for (uint64_t r = 0; r < t->rows; r++) {
        const char *cell = se_sheet_cell(t, r, column);

        if (vertex[r] != SE_NONE)
            count[se_is_missing(cell) ? x->word.n
                                      : se_table_find(&x->word, cell, strlen(cell))]++;
    }
    for (uint64_t i = 0; i <= x->word.n; i++)
        same += (double)count[i] / (double)x->rows * (double)count[i] / (double)x->rows;
    x->weight = same < 1 ? 1 / sqrt(1 - same) : 1;
    free(count);
    return 0;
}

static int survey_words(struct se_column *x, const struct se_sheet *t, uint64_t column,
                        const uint32_t *vertex, enum se_scale scale, struct se_err *err)
{
    const uint64_t cells = x->rows - x->missing;
    uint64_t words = 0, hash;
    uint32_t id;

    x->weight = 1;
    x->why = "";
    for (uint64_t r = 0; r < t->rows; r++) {
        const char *cell = se_sheet_cell(t, r, column);

        if (vertex[r] == SE_NONE || se_is_missing(cell))
            continue;
        if (se_table_add(&x->word, cell, strlen(cell), &id, err) < 0)
            return -1;
        for (const char *p = cell; next_word(&p, &hash);)
            words++;
    }
    x->type = SE_COLUMN_WORDS;
    if (x->word.n == cells && cells > 4 && words < 2 * cells) {
        x->type = SE_COLUMN_NONE;
        x->why = "another word in each row; --id can name the vertices by it";
    } else if (x->word.n > cells / 2 && (x->word.n > FEW_WORDS || words > LONG_TEXT * cells)) {
        x->type = words >= 2 * cells ? SE_COLUMN_TEXT : SE_COLUMN_NONE;
        x->why = "another word in most rows";
    } else if (x->word.n < 2 && x->missing == 0) {
        x->type = SE_COLUMN_NONE;
        x->why = "the same in all rows";
    }
    x->features = x->type == SE_COLUMN_TEXT ? BUCKETS + (x->missing > 0)
                : x->type == SE_COLUMN_WORDS ? x->word.n + (x->missing > 0) : 0;
    if (x->type == SE_COLUMN_TEXT && scale == SE_SCALE_STANDARD)
        weigh_text(x, t, column, vertex);
    return x->type == SE_COLUMN_WORDS && scale == SE_SCALE_STANDARD
         ? weigh_words(x, t, column, vertex, err) : 0;
}

int se_column_survey(struct se_column *x, const struct se_sheet *t, uint64_t column,
                     const uint32_t *vertex, const struct se_attributes *ask,
                     struct se_err *err)
{
    *x = (struct se_column){ .word = SE_TABLE_INIT, .weight = 1, .factor = 1 };
    for (uint64_t r = 0; r < t->rows; r++) {
        x->rows += vertex[r] != SE_NONE;
        x->missing += vertex[r] != SE_NONE && se_is_missing(se_sheet_cell(t, r, column));
    }
    if (x->missing == x->rows) {
        x->why = "empty";
        return 0;
    }
    if (!find_values(x, t, column, vertex, ask->decimal))
        return survey_words(x, t, column, vertex, ask->scale, err);
    scale_values(x, t, column, vertex, ask->scale);
    return 0;
}

/* --- cells --- */

static int add_text(const struct se_column *x, const char *cell, struct se_rows *rows,
                    struct se_err *err)
{
    bool has[BUCKETS];
    const int count = hash_text(cell, has);

    for (int b = 0; b < BUCKETS; b++)
        if (has[b] && se_rows_add(rows, (uint32_t)(x->first + (uint64_t)b),
                                  (float)(x->weight / sqrt(count)), err) < 0)
            return -1;
    return 0;
}

int se_column_add(const struct se_column *x, const char *cell, struct se_rows *rows,
                  struct se_err *err)
{
    const uint32_t last = (uint32_t)(x->first + x->features - 1);
    const bool missing = se_is_missing(cell);
    double value = x->mean;

    if (x->type == SE_COLUMN_NONE)
        return 0;
    if (x->type == SE_COLUMN_WORDS)
        return se_rows_add(rows, missing ? last : (uint32_t)(x->first +
                           se_table_find(&x->word, cell, strlen(cell))), (float)x->weight, err);
    if (missing && se_rows_add(rows, last, 1, err) < 0)
        return -1;
    if (x->type == SE_COLUMN_TEXT)
        return missing ? 0 : add_text(x, cell, rows, err);
    if (!missing)
        value_of(x, cell, &value);
    return se_rows_add(rows, (uint32_t)x->first, (float)((value - x->shift) * x->factor), err);
}

/* --- names and messages --- */

/* "name" or "name=word"; '=' in the name of the column becomes ':'. */
static int add_name(struct se_bytes *names, const char *name, const char *word, size_t len,
                    struct se_err *err)
{
    for (; *name; name++)
        if (se_bytes_add(names, *name == '=' ? ":" : name, 1, err) < 0)
            return -1;
    if (word && (se_bytes_add(names, "=", 1, err) < 0 || se_bytes_add(names, word, len, err) < 0))
        return -1;
    return se_bytes_add(names, "", 1, err);
}

int se_column_describe(const struct se_column *x, const char *name, struct se_bytes *names,
                       double *shift, double *scale, struct se_err *err)
{
    const bool values = x->type == SE_COLUMN_NUMBER || x->type == SE_COLUMN_DATE;

    for (uint64_t i = 0; i < x->features; i++) {
        const bool gap = x->missing > 0 && i + 1 == x->features;
        char bucket[16];
        int rc;

        shift[x->first + i] = values && !gap ? x->shift : 0;
        scale[x->first + i] = values ? gap ? 1 : x->factor
                            : gap && x->type == SE_COLUMN_TEXT ? 1 : x->weight;
        if (gap)
            rc = add_name(names, name, "", 0, err);
        else if (values)
            rc = add_name(names, name, NULL, 0, err);
        else if (x->type == SE_COLUMN_TEXT)
            rc = add_name(names, name, bucket, (size_t)snprintf(bucket, sizeof bucket,
                                                                "#%" PRIu64, i), err);
        else
            rc = add_name(names, name, x->word.text.data + x->word.off[i],
                          x->word.off[i + 1] - x->word.off[i], err);
        if (rc < 0)
            return -1;
    }
    return 0;
}

/* Is what a line says of both the same? */
static bool alike(const struct se_column *x, const struct se_column *y)
{
    return x->why && y->why && x->type == y->type && strcmp(x->why, y->why) == 0 &&
           x->missing == y->missing && x->features == y->features;
}

static int say_columns(const struct se_column *x, const struct se_sheet *t, uint64_t first,
                       uint64_t end, struct se_bytes *notes, struct se_err *err)
{
    static const char *const type[] = { "left out", "numbers", "dates", "categories",
                                        "free text, as hashed words" };
    const uint64_t count = end - first;
    char more[128] = "";

    if (count > 1)
        snprintf(more, sizeof more, " to '%.60s' (%" PRIu64 " columns)", se_sheet_name(t, end - 1), count);
    x += first;
    return se_say(notes, err, "%s: column%s '%.60s'%s: %s%s%s, %" PRIu64 " missing, %" PRIu64
                  " feature%s%s", t->path, count > 1 ? "s" : "", se_sheet_name(t, first), more,
                  type[x->type], x->type == SE_COLUMN_NONE ? ", " : "",
                  x->type == SE_COLUMN_TEXT ? "" : x->why, x->missing, x->features,
                  x->features == 1 ? "" : "s", count > 1 ? " each" : "");
}

int se_columns_say(const struct se_column *x, const struct se_sheet *t, struct se_bytes *notes,
                   struct se_err *err)
{
    uint64_t end;

    for (uint64_t c = 0; c < t->columns; c = end) {
        for (end = c + 1; end < t->columns && alike(&x[c], &x[end]);)
            end++;
        if (end - c < 5)                        /* a few are told one by one */
            end = c + 1;
        if (x[c].why && say_columns(x, t, c, end, notes, err) < 0)
            return -1;
    }
    return 0;
}
