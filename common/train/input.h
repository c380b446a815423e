/* input.h - what a model reads: features, embedding, both, or one number a vertex; and the
 * communities of a tree, the neighbours and the degree behind them */
#ifndef SE_NN_INPUT_H
#define SE_NN_INPUT_H

#include "common/train/net.h"

enum { SE_DEGREES = 32 };
enum se_input_kind { SE_INPUT_FEATURES, SE_INPUT_EMBEDDING, SE_INPUT_BOTH };

struct se_input_options {
    enum se_input_kind kind;
    bool scale_rows;            /* features are divided by the sum of |x| of their row */
    bool unit_rows;             /* or by the root of the sum of x^2 */
    bool standardise;           /* or columns get mean 0 and variance 1, over all vertices */
    uint64_t communities;       /* columns for each level of the tree, see community.h; 0: the
                                 * tree does not matter.  An entry is 1, or when rows are scaled
                                 * 1 / levels, so that those of a vertex add up to 1, too. */
    const struct se_nngraph *neighbours;        /* a column for each vertex, 1 for neighbours, or
                                 * when rows are scaled 1 / their number; NULL: none */
    const struct se_nngraph *degrees;           /* SE_DEGREES columns, column i is 1 for a degree of
                                 * 2^(i/2) or more; they stand for absent features, too; NULL: none */
    const struct se_features *features;         /* instead of those of the stream; NULL: those */
    struct se_peers *peers;     /* make only the rows of this process, see peers.h; NULL: all */
};

struct se_nninput {
    struct se_mat mat;
    struct se_sparse sparse;
    se_real *dense;
    bool identity;              /* there were no features: each vertex is its own */
};
#define SE_NNINPUT_INIT { .identity = false }

/* The matrix for n vertices.  Features that are absent become the identity.  Release it in any
 * case. */
int se_nninput_make(struct se_nninput *x, struct se_stream *s,
                    const struct se_input_options *plan, uint64_t n, struct se_err *err);
void se_nninput_release(struct se_nninput *x);

/* The same, some rows at a time.  NULL with `err`. */
struct se_row_source;
struct se_row_source *se_row_source_open(struct se_stream *s, const struct se_input_options *plan,
                                         uint64_t n, struct se_err *err);
void se_row_source_close(struct se_row_source *o);
bool se_row_source_identity(const struct se_row_source *o);
/* The shape of any `count` rows: a matrix without numbers, for the memory of a net.  `sparse` has
 * as many entries as such rows can have; mat points to it if rows are sparse. */
int se_row_source_shape(const struct se_row_source *o, uint64_t count, struct se_mat *mat,
                        struct se_sparse *sparse, struct se_err *err);
/* The rows of the vertices `id`, or if that is NULL those from `first` on.  x may be used
 * again and again; x->dense, unless it is NULL, has room for `count` rows.  Release it in any
 * case. */
int se_row_source_get(const struct se_row_source *o, const uint32_t *id, uint64_t first,
                      uint64_t count, int threads, struct se_nninput *x, struct se_err *err);

#endif
