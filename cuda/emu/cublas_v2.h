/* cublas_v2.h - the part of cuBLAS that we use, on OpenBLAS, in stream order */
#ifndef EMU_CUBLAS_V2_H
#define EMU_CUBLAS_V2_H

#include "cuda_runtime.h"

#pragma GCC visibility push(hidden)

typedef struct cublasContext *cublasHandle_t;

typedef enum {
    CUBLAS_STATUS_SUCCESS = 0,
    CUBLAS_STATUS_NOT_INITIALIZED = 1,
    CUBLAS_STATUS_ALLOC_FAILED = 3,
    CUBLAS_STATUS_INVALID_VALUE = 7,
    CUBLAS_STATUS_MAPPING_ERROR = 11,
    CUBLAS_STATUS_EXECUTION_FAILED = 13,
    CUBLAS_STATUS_INTERNAL_ERROR = 14
} cublasStatus_t;

typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1 } cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0 } cublasPointerMode_t;     /* the one there is */
typedef enum {
    CUBLAS_DEFAULT_MATH = 0,
    CUBLAS_PEDANTIC_MATH = 2,
    CUBLAS_TF32_TENSOR_OP_MATH = 3
} cublasMath_t;

const char *cublasGetStatusString(cublasStatus_t status);
const char *cublasGetStatusName(cublasStatus_t status);
cublasStatus_t cublasCreate(cublasHandle_t *handle, EMU_HERE);
cublasStatus_t cublasDestroy(cublasHandle_t handle, EMU_HERE);
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int *version, EMU_HERE);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream, EMU_HERE);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode, EMU_HERE);
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode, EMU_HERE);

/* Matrices are stored by columns, as in cuBLAS */
cublasStatus_t cublasSgemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                           int m, int n, int k, const float *alpha, const float *a, int lda,
                           const float *b, int ldb, const float *beta, float *c, int ldc,
                           EMU_HERE);
cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t op_a,
                                         cublasOperation_t op_b, int m, int n, int k,
                                         const float *alpha, const float *a, int lda,
                                         long long stride_a, const float *b, int ldb,
                                         long long stride_b, const float *beta, float *c, int ldc,
                                         long long stride_c, int batch, EMU_HERE);
cublasStatus_t cublasSgemv(cublasHandle_t handle, cublasOperation_t op, int m, int n,
                           const float *alpha, const float *a, int lda, const float *x, int incx,
                           const float *beta, float *y, int incy, EMU_HERE);
cublasStatus_t cublasSger(cublasHandle_t handle, int m, int n, const float *alpha, const float *x,
                          int incx, const float *y, int incy, float *a, int lda, EMU_HERE);
cublasStatus_t cublasSaxpy(cublasHandle_t handle, int n, const float *alpha, const float *x,
                           int incx, float *y, int incy, EMU_HERE);
cublasStatus_t cublasSscal(cublasHandle_t handle, int n, const float *alpha, float *x, int incx,
                           EMU_HERE);
/* These return a number to the host, and therefore wait */
cublasStatus_t cublasSasum(cublasHandle_t handle, int n, const float *x, int incx, float *result,
                           EMU_HERE);
cublasStatus_t cublasSnrm2(cublasHandle_t handle, int n, const float *x, int incx, float *result,
                           EMU_HERE);
cublasStatus_t cublasSdot(cublasHandle_t handle, int n, const float *x, int incx, const float *y,
                          int incy, float *result, EMU_HERE);

#pragma GCC visibility pop

#endif
