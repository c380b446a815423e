/* records.c - the records of a table, with line breaks inside quotes (RFC 4180) */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/sheet.h"

enum { LONGEST = 1 << 24 };     /* bytes of a record: a quote that never ends is told early */

int se_records_open(struct se_records *r, const char *path, struct se_err *err)
{
    return se_text_open(&r->t, path, err);
}

void se_records_close(struct se_records *r)
{
    se_text_close(&r->t);
    se_bytes_release(&r->text);
    free(r->field);
    *r = (struct se_records)SE_RECORDS_INIT;
}

int se_record_fail(const struct se_records *r, struct se_err *err, const char *fmt, ...)
{
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return se_fail(err, SE_EINPUT, "%s: line %" PRIu64 ": %s", se_path_name(r->t.path), r->line,
                   text);
}

/* Is a quote still open at the end of the text?  Quotes count where a field begins.  *at: where the
 * text ended when one was open before, else 0; nothing is looked at twice. */
static bool is_open(const char *text, size_t *at, char separator)
{
    const char *p = text + *at;

    for (bool inside = *at > 0;; inside = false, p++) {
        while (!inside && se_is_blank(*p) && *p != separator)
            p++;
        if (inside || *p == '"')
            for (p += !inside;; p++) {
                if (*p == '\0') {
                    *at = (size_t)(p - text);
                    return true;
                }
                if (*p == '"' && *++p != '"')
                    break;
            }
        while (*p && *p != separator)
            p++;
        if (*p == '\0')
            return false;
    }
}

/* The lines of the next record, in r->text, ended by NUL. */
static int gather(struct se_records *r, struct se_err *err)
{
    size_t len, at = 0;
    char *line;
    int rc;

    do {
        if ((rc = se_text_line(&r->t, &line, &len, err)) <= 0)
            return rc;
        if (r->t.line == 1 && strncmp(line, "\xef\xbb\xbf", 3) == 0) {
            line += 3;                          /* a byte order mark */
            len -= 3;
        }
    } while (len == 0 || *line == '#');
    r->line = r->t.line;
    r->text.len = 0;
    if (!r->separator)
        r->separator = se_find_separator(line);
    if (se_bytes_add(&r->text, line, len + 1, err) < 0)
        return -1;
    while (is_open(r->text.data, &at, r->separator)) {
        rc = se_text_line(&r->t, &line, &len, err);
        if (rc < 0)
            return -1;
        if (rc == 0 || r->text.len + len > LONGEST)
            return se_record_fail(r, err, "a quote does not end");
        r->text.data[r->text.len - 1] = '\n';
        if (se_bytes_add(&r->text, line, len + 1, err) < 0)
            return -1;
    }
    return 1;
}

int se_record_next(struct se_records *r, struct se_err *err)
{
    char *p;
    int more = 1, rc = gather(r, err);

    if (rc <= 0)
        return rc;
    p = r->text.data;
    for (r->fields = 0; more > 0; r->fields++) {
        struct se_field *f;

        if (se_grow(&r->field, &r->cap, r->fields + 1, sizeof *r->field, err) < 0)
            return -1;
        f = &r->field[r->fields];
        more = se_next_cell(&p, r->separator, f);
        if (more < 0)
            return se_record_fail(r, err, "something is behind a quote that ends");
    }
    for (uint64_t i = 0; i < r->fields; i++)
        r->field[i].at[r->field[i].len] = '\0';
    return 1;
}

bool se_record_is_data(const struct se_records *r)
{
    for (uint64_t i = 0; i < r->fields; i++) {
        uint64_t whole;
        double number;

        if (se_whole_number(r->field[i].at, &number) &&
            (i == 0 || !se_whole_u64(r->field[i].at, &whole)))
            return true;
    }
    return false;
}
