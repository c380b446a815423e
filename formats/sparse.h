/* sparse.h - a sparse matrix as a list of entries, whatever layout it came in */
#ifndef SE_SPARSE_H
#define SE_SPARSE_H

#include "formats/rows.h"

struct se_sparse {
    uint64_t rows, columns, count;
    uint32_t *row, *column;     /* of each entry, below rows and columns */
    double *value;              /* as in the file: may be 0, negative, or not finite */
};
#define SE_SPARSE_INIT { 0, 0, 0, NULL, NULL, NULL }

/* Copies of a checked matrix in compressed rows (if `by_column`, of the rows of its transpose),
 * and of arrays of rows, columns and values, which are checked here.  `m` is empty before, and
 * after an error. */
int se_sparse_from_csr(struct se_sparse *m, const struct se_csr *csr, bool by_column,
                       struct se_err *err);
int se_sparse_from_coo(struct se_sparse *m, uint64_t rows, uint64_t columns,
                       const struct se_npy *row, const struct se_npy *column,
                       const struct se_npy *value, struct se_err *err);
/* The nonzeros of an array of two dimensions. */
int se_sparse_from_dense(struct se_sparse *m, const struct se_npy *a, struct se_err *err);
void se_sparse_array_release(struct se_sparse *m);

/* Room for `count` entries. */
int se_sparse_array_make(struct se_sparse *m, uint64_t rows, uint64_t columns, uint64_t count,
                   struct se_err *err);
/* The entries as rows of features into `s`; repeated ones add up. */
int se_sparse_put_features(const struct se_sparse *m, struct se_stream *s, struct se_err *err);

#endif
