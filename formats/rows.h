/* rows.h - rows of features on their way into a stream, sparse and in any order */
#ifndef SE_ROWS_H
#define SE_ROWS_H

#include "common/stream/section.h"
#include "formats/npy.h"

struct se_rows {
    uint64_t n, d;              /* rows so far; columns, at least the largest seen plus one */
    uint64_t *off;              /* n + 1 once there is a row */
    uint64_t *entry;            /* column << 32 | bits of the value */
    uint64_t count;             /* entries, those of the row in the making too */
    size_t off_cap, entry_cap;
};
#define SE_ROWS_INIT { 0, 0, NULL, NULL, 0, 0, 0 }

/* Add an entry to the row in the making.  Column below SE_NONE, value finite. */
int se_rows_add(struct se_rows *r, uint32_t column, float value, struct se_err *err);

/* What a column that a row names more than once means. */
enum se_repeat { SE_REPEAT_ADD, SE_REPEAT_ONCE };
/* End the row: sort it, join repetitions, drop zeros. */
int se_rows_end(struct se_rows *r, enum se_repeat repeat, struct se_err *err);

/* Put n rows into `s` as features: vertex v has row which[v], or an empty one if that is
 * SE_NONE.  No row is for two vertices.  `which` NULL: row v. */
int se_rows_put(const struct se_rows *r, uint64_t n, const uint32_t *which,
                struct se_stream *s, struct se_err *err);
void se_rows_release(struct se_rows *r);

/* A matrix in compressed rows, as scipy keeps it. */
struct se_csr {
    uint64_t rows, columns;
    struct se_npy indptr, indices, data;
};
#define SE_CSR_INIT { 0, 0, SE_NPY_INIT, SE_NPY_INIT, SE_NPY_INIT }

/* Check the shape, the offsets and the column of every entry. */
int se_csr_check(const struct se_csr *m, struct se_err *err);
/* The place of the first entry of row i, or of the end for i = rows. */
uint64_t se_csr_start(const struct se_csr *m, uint64_t i);
uint32_t se_csr_column(const struct se_csr *m, uint64_t at);
/* Add all rows of a checked matrix. */
int se_csr_add(const struct se_csr *m, struct se_rows *r, struct se_err *err);
void se_csr_release(struct se_csr *m);

/* A matrix of an archive under four names: "adj_" gives adj_data, adj_indices, adj_indptr
 * and adj_shape.  1, or 0 if there is no data array, or -1 with `err` set.  Checked. */
int se_csr_read(struct se_csr *m, const struct se_zip *z, const char *prefix,
                struct se_err *err);
/* The same where the archive may hold compressed columns: `m` is then the transpose. */
int se_csr_read_layout(struct se_csr *m, const struct se_zip *z, const char *prefix,
                       bool by_column, struct se_err *err);

#endif
