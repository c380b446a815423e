/* cublas.cpp - cuBLAS calls on OpenBLAS, queued like kernels, the bounds of operands checked */
#include "cublas_v2.h"
#include "emu.h"

#include <cblas.h>
#include <cstdio>
#include <map>

struct cublasContext {
    cudaStream_t stream;
    const char *file;
    int line;
};

typedef std::map<cublasHandle_t, std::shared_ptr<cublasContext>> handle_map;
static handle_map &handles = *new handle_map;   /* never destroyed: leaks are sought last */

struct place { const char *file; int line; };

const char *cublasGetStatusName(cublasStatus_t status)
{
    switch (status) {
    case CUBLAS_STATUS_SUCCESS:          return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:  return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED:     return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:    return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_MAPPING_ERROR:    return "CUBLAS_STATUS_MAPPING_ERROR";
    case CUBLAS_STATUS_EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_INTERNAL_ERROR:   return "CUBLAS_STATUS_INTERNAL_ERROR";
    }
    return "unknown cuBLAS status";
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    switch (status) {
    case CUBLAS_STATUS_SUCCESS:          return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED:  return "the library was not initialized";
    case CUBLAS_STATUS_ALLOC_FAILED:     return "the resource allocation failed";
    case CUBLAS_STATUS_INVALID_VALUE:    return "an invalid value was given";
    case CUBLAS_STATUS_MAPPING_ERROR:    return "an access to GPU memory space failed";
    case CUBLAS_STATUS_EXECUTION_FAILED: return "the function failed to launch on the GPU";
    case CUBLAS_STATUS_INTERNAL_ERROR:   return "an internal operation failed";
    }
    return "unknown cuBLAS status";
}

/* cuBLAS keeps its own errors: those of the runtime stay as they were */
static cublasStatus_t enter(cublasStatus_t fitting)
{
    cudaError_t before = cudaGetLastError();
    cudaError_t e = emu_enter(cudaErrorUnknown);

    cudaGetLastError();
    emu_error(before);
    if (e == cudaSuccess)
        return CUBLAS_STATUS_SUCCESS;
    return e == cudaErrorUnknown ? fitting : CUBLAS_STATUS_NOT_INITIALIZED;
}

static cublasContext *find(cublasHandle_t h, const char *file, int line)
{
    if (!handles.count(h))
        emu_fatal("%s:%d: a cuBLAS handle that was destroyed or never created", file, line);
    return h;
}

cublasStatus_t cublasCreate(cublasHandle_t *handle, const char *file, int line)
{
    emu_lock lock;
    cublasStatus_t e = enter(CUBLAS_STATUS_ALLOC_FAILED);

    if (e != CUBLAS_STATUS_SUCCESS)
        return e;
    auto h = std::make_shared<cublasContext>();
    *h = { nullptr, file, line };
    handles[h.get()] = h;
    *handle = h.get();
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle, const char *file, int line)
{
    emu_lock lock;
    cublasStatus_t e = enter(CUBLAS_STATUS_INTERNAL_ERROR);

    handles.erase(find(handle, file, line));
    return e;
}

cublasStatus_t cublasGetVersion(cublasHandle_t handle, int *version, const char *file, int line)
{
    find(handle, file, line);
    *version = CUDART_VERSION;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream, const char *file,
                               int line)
{
    emu_lock lock;
    cublasStatus_t e = enter(CUBLAS_STATUS_INTERNAL_ERROR);

    if (e == CUBLAS_STATUS_SUCCESS)
        find(handle, file, line)->stream = stream;
    return e;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t, const char *file, int line)
{
    emu_lock lock;

    find(handle, file, line);
    return enter(CUBLAS_STATUS_INTERNAL_ERROR);
}

cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t, const char *file,
                                    int line)
{
    emu_lock lock;

    find(handle, file, line);
    return enter(CUBLAS_STATUS_INTERNAL_ERROR);
}

/* An operand as rows x cols by columns, ld apart; a vector is one row */
struct operand {
    const float *p;
    long long rows, cols, ld;
};

static operand vector_of(const float *p, int n, int inc)
{
    return { p, 1, n, inc < 0 ? -(long long)inc : inc };
}

static void bounds(const char *what, const operand &o, place at)
{
    if (o.rows > 0 && o.cols > 0)
        emu_range(what, o.p, (size_t)((o.cols - 1) * o.ld + o.rows) * sizeof *o.p, at.file,
                  at.line);
}

static void reads(const char *what, const operand &o, place at)
{
    bounds(what, o, at);
    for (long long i = 0; i < o.cols; i++)
        emu_check_reads(what, o.p + i * o.ld, (size_t)o.rows * sizeof *o.p, at.file, at.line);
}

static void writes(const operand &o)
{
    for (long long i = 0; i < o.cols; i++)
        emu_check_init(o.p + i * o.ld, (size_t)o.rows * sizeof *o.p);
}

static CBLAS_TRANSPOSE op(cublasOperation_t o)
{
    return o == CUBLAS_OP_N ? CblasNoTrans : CblasTrans;
}

struct gemm {
    cublasOperation_t op_a, op_b;
    int m, n, k;
    float alpha, beta;
    operand a, b, c;
    long long stride_a, stride_b, stride_c;
    int batch;
    place at;
};

static void run_gemm(const gemm &g)
{
    for (long long i = 0; i < g.batch; i++) {
        operand a = g.a, b = g.b, c = g.c;
        a.p += i * g.stride_a;
        b.p += i * g.stride_b;
        c.p += i * g.stride_c;
        if (g.alpha != 0) {
            reads("gemm, matrix A", a, g.at);
            reads("gemm, matrix B", b, g.at);
        }
        bounds("gemm, matrix C", c, g.at);
        if (g.beta != 0)
            reads("gemm, matrix C", c, g.at);
        cblas_sgemm(CblasColMajor, op(g.op_a), op(g.op_b), g.m, g.n, g.k, g.alpha, a.p,
                    (int)a.ld, b.p, (int)b.ld, g.beta, const_cast<float *>(c.p), (int)c.ld);
        writes(c);
    }
}

cublasStatus_t cublasSgemmStridedBatched(cublasHandle_t handle, cublasOperation_t op_a,
                                         cublasOperation_t op_b, int m, int n, int k,
                                         const float *alpha, const float *a, int lda,
                                         long long stride_a, const float *b, int ldb,
                                         long long stride_b, const float *beta, float *c, int ldc,
                                         long long stride_c, int batch, const char *file, int line)
{
    emu_lock lock;
    cublasStatus_t e = enter(CUBLAS_STATUS_EXECUTION_FAILED);
    cublasContext *h = find(handle, file, line);
    int rows_a = op_a == CUBLAS_OP_N ? m : k, rows_b = op_b == CUBLAS_OP_N ? k : n;

    if (e != CUBLAS_STATUS_SUCCESS)
        return e;
    if (m < 0 || n < 0 || k < 0 || batch < 0 || lda < max(1, rows_a) || ldb < max(1, rows_b) ||
        ldc < max(1, m))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!m || !n || !batch)
        return CUBLAS_STATUS_SUCCESS;
    gemm g = { op_a, op_b, m, n, k, *alpha, *beta,
               { a, rows_a, op_a == CUBLAS_OP_N ? k : m, lda },
               { b, rows_b, op_b == CUBLAS_OP_N ? n : k, ldb },
               { c, m, n, ldc }, stride_a, stride_b, stride_c, batch, { file, line } };
    emu_push(h->stream, [g] { run_gemm(g); }, file, line);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSgemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                           int m, int n, int k, const float *alpha, const float *a, int lda,
                           const float *b, int ldb, const float *beta, float *c, int ldc,
                           const char *file, int line)
{
    return cublasSgemmStridedBatched(handle, op_a, op_b, m, n, k, alpha, a, lda, 0, b, ldb, 0,
                                     beta, c, ldc, 0, 1, file, line);
}

/* The rest alike: check the call, then queue work that checks its operands and runs */
static cublasStatus_t queue(cublasHandle_t handle, bool valid, bool wait, place at, emu_work work)
{
    cublasStatus_t e = enter(CUBLAS_STATUS_EXECUTION_FAILED);
    cublasContext *h = find(handle, at.file, at.line);

    if (e != CUBLAS_STATUS_SUCCESS)
        return e;
    if (!valid)
        return CUBLAS_STATUS_INVALID_VALUE;
    emu_push(h->stream, std::move(work), at.file, at.line);
    if (wait)
        emu_wait(h->stream, at.file, at.line);
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSgemv(cublasHandle_t handle, cublasOperation_t o, int m, int n,
                           const float *alpha, const float *a, int lda, const float *x, int incx,
                           const float *beta, float *y, int incy, const char *file, int line)
{
    emu_lock lock;
    place at = { file, line };
    bool valid = m >= 0 && n >= 0 && lda >= max(1, m) && incx && incy;
    float by = valid ? *alpha : 0, keep = valid ? *beta : 0;

    return queue(handle, valid, false, at, [=] {
        operand vy = vector_of(y, o == CUBLAS_OP_N ? m : n, incy);
        reads("gemv, matrix A", { a, m, n, lda }, at);
        reads("gemv, vector x", vector_of(x, o == CUBLAS_OP_N ? n : m, incx), at);
        bounds("gemv, vector y", vy, at);
        if (keep != 0)
            reads("gemv, vector y", vy, at);
        cblas_sgemv(CblasColMajor, op(o), m, n, by, a, lda, x, incx, keep, y, incy);
        writes(vy);
    });
}

cublasStatus_t cublasSger(cublasHandle_t handle, int m, int n, const float *alpha, const float *x,
                          int incx, const float *y, int incy, float *a, int lda, const char *file,
                          int line)
{
    emu_lock lock;
    place at = { file, line };
    bool valid = m >= 0 && n >= 0 && lda >= max(1, m) && incx && incy;
    float by = *alpha;

    return queue(handle, valid, false, at, [=] {
        reads("ger, vector x", vector_of(x, m, incx), at);
        reads("ger, vector y", vector_of(y, n, incy), at);
        reads("ger, matrix A", { a, m, n, lda }, at);
        cblas_sger(CblasColMajor, m, n, by, x, incx, y, incy, a, lda);
    });
}

cublasStatus_t cublasSaxpy(cublasHandle_t handle, int n, const float *alpha, const float *x,
                           int incx, float *y, int incy, const char *file, int line)
{
    emu_lock lock;
    place at = { file, line };
    float by = *alpha;

    return queue(handle, true, false, at, [=] {
        reads("axpy, vector x", vector_of(x, n, incx), at);
        reads("axpy, vector y", vector_of(y, n, incy), at);
        cblas_saxpy(n, by, x, incx, y, incy);
    });
}

cublasStatus_t cublasSscal(cublasHandle_t handle, int n, const float *alpha, float *x, int incx,
                           const char *file, int line)
{
    emu_lock lock;
    place at = { file, line };
    float by = *alpha;

    return queue(handle, true, false, at, [=] {
        reads("scal, vector x", vector_of(x, n, incx), at);
        cblas_sscal(n, by, x, incx);
    });
}

cublasStatus_t cublasSasum(cublasHandle_t handle, int n, const float *x, int incx, float *result,
                           const char *file, int line)
{
    emu_lock lock;
    place at = { file, line };

    return queue(handle, true, true, at, [=] {
        reads("asum, vector x", vector_of(x, n, incx), at);
        *result = cblas_sasum(n, x, incx);
    });
}

cublasStatus_t cublasSnrm2(cublasHandle_t handle, int n, const float *x, int incx, float *result,
                           const char *file, int line)
{
    emu_lock lock;
    place at = { file, line };

    return queue(handle, true, true, at, [=] {
        reads("nrm2, vector x", vector_of(x, n, incx), at);
        *result = cblas_snrm2(n, x, incx);
    });
}

cublasStatus_t cublasSdot(cublasHandle_t handle, int n, const float *x, int incx, const float *y,
                          int incy, float *result, const char *file, int line)
{
    emu_lock lock;
    place at = { file, line };

    return queue(handle, true, true, at, [=] {
        reads("dot, vector x", vector_of(x, n, incx), at);
        reads("dot, vector y", vector_of(y, n, incy), at);
        *result = cblas_sdot(n, x, incx, y, incy);
    });
}

int emu_blas_leaks()
{
    int n = 0;

    for (auto &h : handles) {
        fprintf(stderr, "emu: leak: a cuBLAS handle created at %s:%d\n", h.second->file,
                h.second->line);
        n++;
    }
    handles.clear();
    return n;
}
