/* nn_input.c - what a model reads */
#include "common/nn_input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "common/payload.h"

void se_nninput_release(struct se_nninput *x)
{
    se_sparse_release(&x->sparse);
    free(x->dense);
    x->dense = NULL;
}

static int use_sparse(struct se_nninput *x, const struct se_features *f, bool scale_rows,
                      struct se_err *err)
{
    if (se_sparse_make(&x->sparse, f, scale_rows, err) < 0)
        return -1;
    x->mat = (struct se_mat){ f->n, f->d, NULL, &x->sparse, x->sparse.value };
    return 0;
}

/* Columns of features (dense, or none) and then of an embedding (or none) */
static int use_dense(struct se_nninput *x, const struct se_features *f, bool scale_rows,
                     const struct se_embedding *e, uint64_t n, struct se_err *err)
{
    const uint64_t fd = f ? f->d : 0, ed = e ? e->d : 0, d = fd + ed;

    x->dense = se_alloc(n * d, sizeof *x->dense, err);
    if (!x->dense)
        return -1;
    for (uint64_t v = 0; v < n; v++) {
        se_real *row = x->dense + v * d;
        double sum = 0;

        for (uint64_t j = 0; scale_rows && j < fd; j++)
            sum += (double)f->dense[v * fd + j];
        for (uint64_t j = 0; j < fd; j++)
            row[j] = (se_real)((double)f->dense[v * fd + j] / (sum != 0 ? sum : 1));
        for (uint64_t j = 0; j < ed; j++)
            row[fd + j] = (se_real)e->row[v * ed + j];
    }
    x->mat = (struct se_mat){ n, d, x->dense, NULL, NULL };
    return 0;
}

/* Sparse features with the columns of an embedding behind them */
static int use_joined(struct se_nninput *x, const struct se_features *f, bool scale_rows,
                      const struct se_embedding *e, struct se_err *err)
{
    const uint64_t nnz = f->nnz + f->n * e->d;
    uint64_t *off = se_alloc(f->n + 1, sizeof *off, err), at = 0;
    uint32_t *col = off ? se_alloc(nnz, sizeof *col, err) : NULL;
    float *value = col ? se_alloc(nnz, sizeof *value, err) : NULL;
    int rc = -1;

    if (value) {
        for (uint64_t v = 0; v < f->n; v++) {
            double sum = 0;

            off[v] = at;
            for (uint64_t i = f->off[v]; scale_rows && i < f->off[v + 1]; i++)
                sum += f->value ? (double)f->value[i] : 1;
            for (uint64_t i = f->off[v]; i < f->off[v + 1]; i++) {
                col[at] = f->col[i];
                value[at++] = (float)((f->value ? (double)f->value[i] : 1) /
                                      (sum != 0 ? sum : 1));
            }
            for (uint64_t j = 0; j < e->d; j++) {
                col[at] = (uint32_t)(f->d + j);
                value[at++] = e->row[v * e->d + j];
            }
        }
        off[f->n] = at;
        const struct se_features all = { f->n, f->d + e->d, nnz, NULL, off, col, value };
        rc = use_sparse(x, &all, false, err);
    }
    free(off);
    free(col);
    free(value);
    return rc;
}

static int use_identity(struct se_nninput *x, uint64_t n, struct se_err *err)
{
    uint64_t *off = se_alloc(n + 1, sizeof *off, err);
    uint32_t *col = off ? se_alloc(n, sizeof *col, err) : NULL;
    int rc = -1;

    if (col) {
        for (uint64_t v = 0; v < n; v++) {
            off[v] = v;
            col[v] = (uint32_t)v;
        }
        off[n] = n;
        const struct se_features f = { n, n, n, NULL, off, col, NULL };
        rc = use_sparse(x, &f, false, err);
        x->identity = true;
    }
    free(off);
    free(col);
    return rc;
}

int se_nninput_make(struct se_nninput *x, struct se_stream *s, enum se_input_kind kind,
                    bool scale_rows, uint64_t n, struct se_err *err)
{
    struct se_features f;
    struct se_embedding e;

    if (kind != SE_INPUT_FEATURES &&
        (se_embedding_get(&e, s, err) < 0 ||
         se_payload_fits(e.n, n, SE_EMBEDDING, "graph", err) < 0))
        return -1;
    if (kind == SE_INPUT_EMBEDDING)
        return use_dense(x, NULL, false, &e, n, err);
    if (!se_stream_has(s, SE_FEATURES))
        return kind == SE_INPUT_BOTH ? use_dense(x, NULL, false, &e, n, err)
                                     : use_identity(x, n, err);
    if (se_features_get(&f, s, err) < 0 ||
        se_payload_fits(f.n, n, SE_FEATURES, "graph", err) < 0)
        return -1;
    if (f.d == 0)
        return use_identity(x, n, err);
    if (f.dense)
        return use_dense(x, &f, scale_rows, kind == SE_INPUT_BOTH ? &e : NULL, n, err);
    return kind == SE_INPUT_BOTH ? use_joined(x, &f, scale_rows, &e, err)
                                 : use_sparse(x, &f, scale_rows, err);
}
