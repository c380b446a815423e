/* blas.h - OpenBLAS, loaded when a product first needs it
 *
 * Most runs need no product, and loading the library takes longer than many of them.  It
 * runs on one thread: ours are outside. */
#ifndef SE_BLAS_H
#define SE_BLAS_H

#include <cblas.h>

#include "common/base/err.h"

struct se_blas {
    __typeof__(cblas_sgemm) *sgemm;
    __typeof__(cblas_dgemm) *dgemm;
};
extern struct se_blas se_blas;

/* Call before any product, while there is one thread; `threads` is how many products may run at
 * the same time.  0, or -1 with `err`. */
int se_blas_load(int threads, struct se_err *err);

#endif
