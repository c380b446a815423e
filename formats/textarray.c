/* textarray.c - a table of numbers without a heading, as an array of a named set */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/text.h"
#include "formats/named.h"
#include "formats/textarray.h"

struct cells {
    struct se_bytes data;       /* elements of `size` bytes, int64_t or float */
    uint64_t rows, columns;
    bool whole;
};

/* One cell; "nan" and nothing are -1 among whole numbers. */
static int take_cell(struct cells *x, const struct se_text *t, const char **p, struct se_err *err)
{
    double value = -1;
    int64_t whole;
    float number;

    *p += strspn(*p, " ");
    if (strncasecmp(*p, "nan", 3) == 0)
        *p += 3;
    else if (**p != ',' && **p != '\0' && !se_parse_number(p, &value))
        return se_text_fail(t, err, "'%.20s' is not a number", *p);
    *p += strspn(*p, " ");
    if (x->whole && (value != floor(value) || fabs(value) > 0x1p53))
        return se_text_fail(t, err, "%g is not a whole number", value);
    whole = x->whole ? (int64_t)value : 0;
    number = (float)value;
    if (!isfinite(number))
        return se_text_fail(t, err, "%g is more than a float holds", value);
    return se_bytes_add(&x->data, x->whole ? (const void *)&whole : &number,
                        x->whole ? sizeof whole : sizeof number, err);
}

static int take_row(struct cells *x, const struct se_text *t, const char *p, struct se_err *err)
{
    uint64_t count = 0;

    for (;; p++) {
        if (take_cell(x, t, &p, err) < 0)
            return -1;
        count++;
        if (*p == '\0')
            break;
        if (*p != ',')
            return se_text_fail(t, err, "numbers with commas between them were expected");
    }
    if (x->rows++ == 0)
        x->columns = count;
    return count == x->columns ? 0 : se_text_fail(t, err, "has %llu numbers, lines before it %llu",
                                                  (unsigned long long)count,
                                                  (unsigned long long)x->columns);
}

int se_text_array(const char *path, bool whole, struct se_named_set *set, const char *name,
                  struct se_err *err)
{
    struct cells x = { SE_BYTES_INIT, 0, 0, whole };
    struct se_named *item = se_named_add(set, name, strlen(name), err);
    struct se_text t;
    char *line;
    size_t len;
    int rc = item ? se_text_open(&t, path, err) : -1;

    if (rc < 0)
        return -1;
    while ((rc = se_text_line(&t, &line, &len, err)) > 0)
        if (len > 0 && take_row(&x, &t, line, err) < 0) {
            rc = -1;
            break;
        }
    se_text_close(&t);
    const uint64_t shape[2] = { x.rows, x.columns };

    if (rc == 0)
        rc = se_npy_set(&item->dense, whole ? "i8" : "f4", 2, '<', x.columns == 1 ? 1 : 2, shape,
                        x.data.data, x.data.len, err);
    if (rc < 0) {
        se_bytes_release(&x.data);
        return -1;
    }
    item->dense.blob = (struct se_blob){ (unsigned char *)x.data.data, x.data.len, x.data.data };
    return 0;
}
