/* careful.cu - a program that checks every call: fails each in turn, and must leak nothing
 *
 * Ends with 0 and the result on stdout, or with 1 and the error on stderr. */
#include <cuda_runtime.h>
#include <cublas_v2.h>

#include <cstdio>

enum { N = 64 };

struct work {
    float *x, *y, *result;          /* x and y on the device, result pinned */
    cudaStream_t stream, other;
    cudaEvent_t event;
    cublasHandle_t blas;
};

static __global__ void fill_k(float *x, float v) { x[threadIdx.x] = v + (float)threadIdx.x; }

static bool good(const char *what, cudaError_t e)
{
    if (e != cudaSuccess)
        fprintf(stderr, "careful: %s: %s\n", what, cudaGetErrorString(e));
    return e == cudaSuccess;
}

static bool good(const char *what, cublasStatus_t e)
{
    if (e != CUBLAS_STATUS_SUCCESS)
        fprintf(stderr, "careful: %s: %s\n", what, cublasGetStatusString(e));
    return e == CUBLAS_STATUS_SUCCESS;
}

#define TRY(call) good(#call, call)

static bool start(work *w)
{
    int count = 0;
    cudaDeviceProp prop;
    size_t available, total;

    return TRY(cudaGetDeviceCount(&count)) && TRY(cudaSetDevice(0)) &&
           TRY(cudaGetDeviceProperties(&prop, 0)) && TRY(cudaMemGetInfo(&available, &total)) &&
           TRY(cudaMalloc(&w->x, N * sizeof(float))) &&
           TRY(cudaMalloc(&w->y, N * sizeof(float))) &&
           TRY(cudaMallocHost(&w->result, sizeof(float))) &&
           TRY(cudaStreamCreateWithFlags(&w->stream, cudaStreamNonBlocking)) &&
           TRY(cudaStreamCreateWithFlags(&w->other, cudaStreamNonBlocking)) &&
           TRY(cudaEventCreateWithFlags(&w->event, cudaEventDisableTiming)) &&
           TRY(cublasCreate(&w->blas)) && TRY(cublasSetStream(w->blas, w->stream));
}

static bool launch(work *w)
{
    SE_LAUNCH(fill_k, 1, N, 0, w->other, w->y, 1.0f);
    return TRY(cudaGetLastError());
}

static bool compute(work *w)
{
    const float one = 1, zero = 0;

    return TRY(cudaMemsetAsync(w->x, 0, N * sizeof(float), w->stream)) && launch(w) &&
           TRY(cudaEventRecord(w->event, w->other)) &&
           TRY(cudaStreamWaitEvent(w->stream, w->event, 0)) &&
           TRY(cublasSgemm(w->blas, CUBLAS_OP_T, CUBLAS_OP_N, 1, 1, N, &one, w->y, N, w->y, N,
                           &zero, w->x, 1)) &&
           TRY(cudaMemcpyAsync(w->result, w->x, sizeof(float), cudaMemcpyDeviceToHost,
                               w->stream)) &&
           TRY(cudaStreamSynchronize(w->stream)) && TRY(cudaDeviceSynchronize());
}

static bool stop(work *w)
{
    bool ok = true;

    if (w->blas)
        ok = TRY(cublasDestroy(w->blas)) && ok;
    if (w->event)
        ok = TRY(cudaEventDestroy(w->event)) && ok;
    if (w->other)
        ok = TRY(cudaStreamDestroy(w->other)) && ok;
    if (w->stream)
        ok = TRY(cudaStreamDestroy(w->stream)) && ok;
    ok = TRY(cudaFreeHost(w->result)) && ok;
    ok = TRY(cudaFree(w->y)) && ok;
    return TRY(cudaFree(w->x)) && ok;
}

int main()
{
    work w = {};
    bool ok = start(&w) && compute(&w);
    float result = ok ? *w.result : 0;

    if (!stop(&w) || !ok)
        return 1;
    printf("%g\n", result);             /* 1 + 4 + ... + 64 squared */
    return 0;
}
