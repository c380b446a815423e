/* lowrank.h - the best approximation of a symmetric sparse matrix by one of low rank
 *
 * The singular values of a symmetric matrix are the sizes of its eigenvalues, so the truncated
 * singular value decomposition is made of the eigenvectors with the largest of them.  They are
 * found by subspace iteration from a random start that is always the same; nothing is n x n. */
#ifndef SE_LOWRANK_H
#define SE_LOWRANK_H

#include "common/graph/adjacency.h"

enum { SE_MOST_RANK = 512 };

struct se_lowrank {
    uint64_t n, rank, width;    /* width: vectors that are iterated, at least rank */
    double *value;              /* width eigenvalues, largest size first */
    double *vector;             /* n rows of width; columns of length 1, or of zeros */
    double *image, *gram, *part;        /* the matrix times the vectors; memory to work with */
};
#define SE_LOWRANK_INIT { .n = 0 }

/* A random start.  The rank is lowered to n.  Release in any case. */
int se_lowrank_make(struct se_lowrank *x, uint64_t n, uint64_t rank, struct se_err *err);
/* One round of the iteration; a matrix that changed a little since the last needs few.  Loops are
 * not part of an adjacency.  Returns the largest length of A v - value v among the first `rank`. */
double se_lowrank_improve(struct se_lowrank *x, const struct se_adjacency *a, int threads);
/* Rounds until that is at most `tolerance` times the largest value; at most `rounds` of them. */
void se_lowrank_find(struct se_lowrank *x, const struct se_adjacency *a, double tolerance,
                     uint64_t rounds, int threads);
/* The entry (u, v) of the approximation */
double se_lowrank_at(const struct se_lowrank *x, uint64_t u, uint64_t v);
void se_lowrank_release(struct se_lowrank *x);

/* Eigenvalues of a symmetric n x n matrix, largest size first, and its eigenvectors as the columns
 * of `vector`; `a` is overwritten.  By rotations (Jacobi): for small n. */
void se_eigen(uint64_t n, double *a, double *value, double *vector);

#endif
