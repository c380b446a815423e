/* rows.c - rows of features on their way into a stream */
#include "formats/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void se_rows_release(struct se_rows *r)
{
    free(r->off);
    free(r->entry);
    *r = (struct se_rows)SE_ROWS_INIT;
}

int se_rows_add(struct se_rows *r, uint32_t column, float value, struct se_err *err)
{
    uint32_t bits;

    if (se_grow(&r->entry, &r->entry_cap, r->count + 1, sizeof *r->entry, err) < 0)
        return -1;
    memcpy(&bits, &value, sizeof bits);
    r->entry[r->count++] = (uint64_t)column << 32 | bits;
    if (column >= r->d)
        r->d = (uint64_t)column + 1;
    return 0;
}

static uint32_t column_of(uint64_t entry)
{
    return (uint32_t)(entry >> 32);
}

static float value_of(uint64_t entry)
{
    const uint32_t bits = (uint32_t)entry;
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void sort_row(uint64_t *entry, uint64_t count)
{
    for (uint64_t i = 1; i < count; i++)
        if (column_of(entry[i]) < column_of(entry[i - 1])) {
            qsort(entry, count, sizeof *entry, ascending);
            return;
        }
}

int se_rows_end(struct se_rows *r, enum se_repeat repeat, struct se_err *err)
{
    uint64_t start, kept;

    if (se_grow(&r->off, &r->off_cap, r->n + 2, sizeof *r->off, err) < 0)
        return -1;
    if (r->n == 0)
        r->off[0] = 0;
    start = kept = r->off[r->n];
    if (start < r->count)
        sort_row(r->entry + start, r->count - start);
    for (uint64_t i = start, end; i < r->count; i = end) {
        const uint32_t column = column_of(r->entry[i]);
        double sum = (double)value_of(r->entry[i]);
        float value;
        uint32_t bits;

        for (end = i + 1; end < r->count && column_of(r->entry[end]) == column; end++)
            if (repeat == SE_REPEAT_ADD)
                sum += (double)value_of(r->entry[end]);
        value = (float)sum;
        if (!isfinite(value))
            return se_fail(err, SE_EINPUT, "row %" PRIu64 ": values of column %" PRIu32
                           " add up to infinity", r->n, column);
        memcpy(&bits, &value, sizeof bits);
        if (value != 0)
            r->entry[kept++] = (uint64_t)column << 32 | bits;
    }
    r->count = r->off[++r->n] = kept;
    return 0;
}

static void fill(const struct se_rows *r, uint64_t n, const uint32_t *which, uint64_t *off,
                 uint32_t *column, float *value)
{
    uint64_t at = 0;

    off[0] = 0;
    for (uint64_t v = 0; v < n; v++) {
        const uint64_t row = which ? which[v] : v;

        if (row < r->n)
            for (uint64_t i = r->off[row]; i < r->off[row + 1]; i++, at++) {
                column[at] = column_of(r->entry[i]);
                value[at] = value_of(r->entry[i]);
            }
        off[v + 1] = at;
    }
}

int se_rows_put(const struct se_rows *r, uint64_t n, const uint32_t *which,
                struct se_stream *s, struct se_err *err)
{
    uint64_t *off = se_alloc(n + 1, sizeof *off, err);
    uint32_t *column = off ? se_alloc(r->count, sizeof *column, err) : NULL;
    float *value = column ? se_alloc(r->count, sizeof *value, err) : NULL;
    int rc = -1;

    if (value) {
        fill(r, n, which, off, column, value);
        const struct se_features f = { n, r->d, off[n], NULL, off, column, value };
        rc = se_features_put(&f, s, err);
    }
    free(off);
    free(column);
    free(value);
    return rc;
}

void se_csr_release(struct se_csr *m)
{
    se_npy_release(&m->indptr);
    se_npy_release(&m->indices);
    se_npy_release(&m->data);
    *m = (struct se_csr)SE_CSR_INIT;
}

uint64_t se_csr_start(const struct se_csr *m, uint64_t i)
{
    int64_t at = 0;

    se_npy_whole(&m->indptr, i, &at);
    return (uint64_t)at;
}

uint32_t se_csr_column(const struct se_csr *m, uint64_t at)
{
    int64_t column = 0;

    se_npy_whole(&m->indices, at, &column);
    return (uint32_t)column;
}

int se_csr_check(const struct se_csr *m, struct se_err *err)
{
    int64_t last = 0, x;

    if (m->indptr.dims != 1 || m->indices.dims != 1 || m->data.dims != 1)
        return se_fail(err, SE_EINPUT, "arrays of a sparse matrix have one dimension each");
    if (m->rows >= SE_MAX_VERTICES || m->columns >= SE_MAX_VERTICES)
        return se_fail(err, SE_EINPUT, "matrix of %" PRIu64 " by %" PRIu64 " is too large",
                       m->rows, m->columns);
    if (m->indptr.count != m->rows + 1 || m->indices.count != m->data.count)
        return se_fail(err, SE_EINPUT, "lengths of indptr, indices and data do not fit a matrix "
                       "of %" PRIu64 " rows", m->rows);
    for (uint64_t i = 0; i <= m->rows; i++) {
        if (!se_npy_whole(&m->indptr, i, &x) || x < last || (uint64_t)x > m->indices.count ||
            (i == 0 && x != 0))
            return se_fail(err, SE_EINPUT, "indptr[%" PRIu64 "] is out of order or out of range",
                           i);
        last = x;
    }
    if ((uint64_t)last != m->indices.count)
        return se_fail(err, SE_EINPUT, "indptr ends at %" PRId64 ", but there are %" PRIu64
                       " entries", last, m->indices.count);
    for (uint64_t i = 0; i < m->indices.count; i++)
        if (!se_npy_whole(&m->indices, i, &x) || x < 0 || (uint64_t)x >= m->columns)
            return se_fail(err, SE_EINPUT, "indices[%" PRIu64 "] is not one of the %" PRIu64
                           " columns", i, m->columns);
    return 0;
}

int se_csr_add(const struct se_csr *m, struct se_rows *r, struct se_err *err)
{
    uint64_t at = 0;

    if (r->d < m->columns)
        r->d = m->columns;
    for (uint64_t i = 0; i < m->rows; i++) {
        for (const uint64_t end = se_csr_start(m, i + 1); at < end; at++) {
            const float value = (float)se_npy_number(&m->data, at);

            if (!isfinite(value))
                return se_fail(err, SE_EINPUT, "row %" PRIu64 " has a value that is not a finite "
                               "32-bit number", i);
            if (se_rows_add(r, se_csr_column(m, at), value, err) < 0)
                return -1;
        }
        if (se_rows_end(r, SE_REPEAT_ADD, err) < 0)
            return -1;
    }
    return 0;
}

static int read_shape(struct se_csr *m, const struct se_zip *z, const char *prefix,
                      bool by_column, struct se_err *err)
{
    struct se_npy shape;
    int64_t rows, columns;
    char name[64];
    bool good;

    snprintf(name, sizeof name, "%sshape", prefix);
    if (se_npz_need(z, name, 1, &shape, err) < 0)
        return -1;
    good = shape.count == 2 && se_npy_whole(&shape, 0, &rows) &&
           se_npy_whole(&shape, 1, &columns) && rows >= 0 && columns >= 0;
    se_npy_release(&shape);
    if (!good)
        return se_fail(err, SE_EINPUT, "%s does not hold two sizes", name);
    m->rows = (uint64_t)(by_column ? columns : rows);
    m->columns = (uint64_t)(by_column ? rows : columns);
    return 0;
}

static int read_parts(struct se_csr *m, const struct se_zip *z, const char *prefix,
                      bool by_column, struct se_err *err)
{
    char name[64];

    snprintf(name, sizeof name, "%sindices", prefix);
    if (se_npz_need(z, name, 1, &m->indices, err) < 0)
        return -1;
    snprintf(name, sizeof name, "%sindptr", prefix);
    if (se_npz_need(z, name, 1, &m->indptr, err) < 0 ||
        read_shape(m, z, prefix, by_column, err) < 0)
        return -1;
    return se_csr_check(m, err) < 0 ? se_err_in(err, *prefix ? prefix : "matrix") : 0;
}

int se_csr_read(struct se_csr *m, const struct se_zip *z, const char *prefix,
                struct se_err *err)
{
    return se_csr_read_layout(m, z, prefix, false, err);
}

int se_csr_read_layout(struct se_csr *m, const struct se_zip *z, const char *prefix,
                       bool by_column, struct se_err *err)
{
    char name[64];
    int rc;

    *m = (struct se_csr)SE_CSR_INIT;
    snprintf(name, sizeof name, "%sdata", prefix);
    rc = se_npz_get(z, name, &m->data, err);
    if (rc == 1 && read_parts(m, z, prefix, by_column, err) < 0) {
        se_csr_release(m);
        rc = -1;
    }
    return rc;
}
