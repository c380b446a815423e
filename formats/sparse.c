/* sparse.c - a sparse matrix as a list of entries, whatever layout it came in */
#include "formats/sparse.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

void se_sparse_array_release(struct se_sparse *m)
{
    free(m->row);
    free(m->column);
    free(m->value);
    *m = (struct se_sparse)SE_SPARSE_INIT;
}

int se_sparse_array_make(struct se_sparse *m, uint64_t rows, uint64_t columns, uint64_t count,
                   struct se_err *err)
{
    if (rows >= SE_MAX_VERTICES || columns >= SE_MAX_VERTICES)
        return se_fail(err, SE_EINPUT, "matrix of %" PRIu64 " by %" PRIu64 " is too large", rows,
                       columns);
    *m = (struct se_sparse){ .rows = rows, .columns = columns, .count = count };
    m->row = se_alloc(count, sizeof *m->row, err);
    m->column = m->row ? se_alloc(count, sizeof *m->column, err) : NULL;
    m->value = m->column ? se_alloc(count, sizeof *m->value, err) : NULL;
    if (!m->value)
        se_sparse_array_release(m);
    return m->row ? 0 : -1;
}

int se_sparse_from_csr(struct se_sparse *m, const struct se_csr *csr, bool by_column,
                       struct se_err *err)
{
    uint64_t at = 0;

    if (se_sparse_array_make(m, by_column ? csr->columns : csr->rows,
                       by_column ? csr->rows : csr->columns, csr->data.count, err) < 0)
        return -1;
    for (uint64_t i = 0; i < csr->rows; i++)
        for (const uint64_t end = se_csr_start(csr, i + 1); at < end; at++) {
            m->row[at] = by_column ? se_csr_column(csr, at) : (uint32_t)i;
            m->column[at] = by_column ? (uint32_t)i : se_csr_column(csr, at);
            m->value[at] = se_npy_number(&csr->data, at);
        }
    return 0;
}

int se_sparse_from_coo(struct se_sparse *m, uint64_t rows, uint64_t columns,
                       const struct se_npy *row, const struct se_npy *column,
                       const struct se_npy *value, struct se_err *err)
{
    if (row->dims != 1 || column->dims != 1 || value->dims != 1 ||
        row->count != column->count || row->count != value->count)
        return se_fail(err, SE_EINPUT, "rows, columns and values of a sparse matrix differ in "
                       "length");
    if (se_sparse_array_make(m, rows, columns, row->count, err) < 0)
        return -1;
    for (uint64_t i = 0; i < m->count; i++) {
        int64_t r, c;

        if (!se_npy_whole(row, i, &r) || !se_npy_whole(column, i, &c) || r < 0 || c < 0 ||
            (uint64_t)r >= rows || (uint64_t)c >= columns) {
            se_sparse_array_release(m);
            return se_fail(err, SE_EINPUT, "entry %" PRIu64 " lies outside its matrix of %" PRIu64
                           " by %" PRIu64, i, rows, columns);
        }
        m->row[i] = (uint32_t)r;
        m->column[i] = (uint32_t)c;
        m->value[i] = se_npy_number(value, i);
    }
    return 0;
}

int se_sparse_from_dense(struct se_sparse *m, const struct se_npy *a, struct se_err *err)
{
    uint64_t count = 0;

    if (a->dims != 2)
        return se_fail(err, SE_EINPUT, "a matrix was expected, not an array of %d dimensions",
                       a->dims);
    if (a->kind == 'U' || a->kind == 'S')
        return se_fail(err, SE_EINPUT, "texts where numbers were expected");
    for (uint64_t i = 0; i < a->count; i++)
        count += se_npy_number(a, i) != 0;
    if (se_sparse_array_make(m, a->shape[0], a->shape[1], count, err) < 0)
        return -1;
    count = 0;
    for (uint64_t i = 0; a->count > 0 && i < a->shape[0]; i++)
        for (uint64_t j = 0; j < a->shape[1]; j++) {
            const double value = se_npy_number(a, se_npy_place(a, i, j));

            if (value == 0)
                continue;
            m->row[count] = (uint32_t)i;
            m->column[count] = (uint32_t)j;
            m->value[count++] = value;
        }
    return 0;
}

int se_sparse_put_features(const struct se_sparse *m, struct se_stream *s, struct se_err *err)
{
    struct se_rows r = SE_ROWS_INIT;
    uint64_t *next = se_zalloc(m->rows + 1, sizeof *next, err);
    uint64_t *order = next ? se_alloc(m->count, sizeof *order, err) : NULL;
    int rc = order ? 0 : -1;

    for (uint64_t i = 0; i < m->count && rc == 0; i++)
        next[m->row[i] + 1]++;
    for (uint64_t v = 0; v < m->rows && rc == 0; v++)
        next[v + 1] += next[v];
    for (uint64_t i = 0; i < m->count && rc == 0; i++)
        order[next[m->row[i]]++] = i;
    r.d = m->columns;
    for (uint64_t v = 0, at = 0; v < m->rows && rc == 0; v++) {
        for (; at < next[v] && rc == 0; at++) {
            const float value = (float)m->value[order[at]];

            rc = !isfinite(value)
                     ? se_fail(err, SE_EINPUT, "row %" PRIu64 " has a value that is not a finite "
                               "32-bit number", v)
                     : se_rows_add(&r, m->column[order[at]], value, err);
        }
        if (rc == 0)
            rc = se_rows_end(&r, SE_REPEAT_ADD, err);
    }
    if (rc == 0)
        rc = se_rows_put(&r, m->rows, NULL, s, err);
    se_rows_release(&r);
    free(next);
    free(order);
    return rc;
}
