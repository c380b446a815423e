/* plugin.cu - the table of the plugin: opening a device, its memory, its failures */
#include "shared.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

/* ---- failures ---- */

void se_cuda_fail(se_worker *d, const char *fmt, ...)
{
    va_list ap;

    if (d->bad)
        return;
    d->bad = true;
    va_start(ap, fmt);
    vsnprintf(d->why, sizeof d->why, fmt, ap);
    va_end(ap);
}

bool se_cuda_ok(se_worker *d, cudaError_t e, const char *what)
{
    if (e == cudaSuccess)
        return true;
    se_cuda_fail(d, "%s: %s", what, cudaGetErrorString(e));
    return false;
}

static const char *blas_text(cublasStatus_t s)
{
    switch (s) {
    case CUBLAS_STATUS_NOT_INITIALIZED: return "not initialised";
    case CUBLAS_STATUS_ALLOC_FAILED:    return "out of memory";
    case CUBLAS_STATUS_INVALID_VALUE:   return "invalid value";
    case CUBLAS_STATUS_EXECUTION_FAILED: return "execution failed";
    default:                            return "internal error";
    }
}

bool se_cuda_blas_ok(se_worker *d, cublasStatus_t s, const char *what)
{
    if (s == CUBLAS_STATUS_SUCCESS)
        return true;
    se_cuda_fail(d, "%s: cuBLAS: %s", what, blas_text(s));
    return false;
}

bool se_cuda_launched(se_worker *d, const char *kernel)
{
    return se_cuda_ok(d, cudaGetLastError(), kernel);
}

static const char *device_failed(se_worker *d)
{
    return d->bad ? d->why : NULL;
}

/* ---- memory ---- */

static void *device_alloc(se_worker *d, uint64_t bytes)
{
    size_t left = 0, all = 0;
    void *p = NULL;
    cudaError_t e;

    if (d->bad)
        return NULL;
    e = cudaMalloc(&p, bytes ? bytes : 1);
    if (e == cudaErrorMemoryAllocation && cudaMemGetInfo(&left, &all) == cudaSuccess) {
        se_cuda_fail(d, "the device has no memory for %.1f MB more; %.1f MB of %.1f are free",
                     (double)bytes / 1e6, (double)left / 1e6, (double)all / 1e6);
        return NULL;
    }
    if (!se_cuda_ok(d, e, "memory"))
        return NULL;
    if (!se_cuda_ok(d, cudaMemsetAsync(p, 0, bytes ? bytes : 1, d->stream), "memory")) {
        cudaFree(p);
        return NULL;
    }
    return p;
}

static void device_free(se_worker *d, void *p)
{
    if (p)
        se_cuda_ok(d, cudaFree(p), "giving memory back");
}

/* The host's memory may go after a copy, so none may be left waiting even if this fails. */
static void wait(se_worker *d, const char *what)
{
    if (!se_cuda_ok(d, cudaStreamSynchronize(d->stream), what))
        cudaDeviceSynchronize();
}

static void device_put(se_worker *d, void *to, const void *host, uint64_t bytes)
{
    if (!d->bad && bytes &&
        se_cuda_ok(d, cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice, d->stream),
                   "copy to the device"))
        wait(d, "copy to the device");
}

static void device_get(se_worker *d, void *host, const void *from, uint64_t bytes)
{
    if (!d->bad && bytes &&
        se_cuda_ok(d, cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost, d->stream),
                   "copy from the device"))
        wait(d, "copy from the device");
}

static void device_copy(se_worker *d, void *to, const void *from, uint64_t bytes)
{
    if (!d->bad && bytes)
        se_cuda_ok(d, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, d->stream),
                   "copy");
}

static void device_clear(se_worker *d, void *p, uint64_t bytes)
{
    if (!d->bad && bytes)
        se_cuda_ok(d, cudaMemsetAsync(p, 0, bytes, d->stream), "clear");
}

void *se_cuda_work(se_worker *d, uint64_t bytes)
{
    if (d->bad)
        return NULL;
    if (bytes > d->work_bytes) {
        device_free(d, d->work);
        d->work_bytes = 0;
        d->work = device_alloc(d, bytes);
        d->work_bytes = d->work ? bytes : 0;
    }
    return d->work;
}

const void *se_cuda_answer(se_worker *d, const void *from, size_t bytes)
{
    device_get(d, d->answer, from, bytes);
    return d->bad ? NULL : d->answer;
}

/* ---- opening ---- */

/* A driver, a device, and one that is not too old */
static bool device_there(char *why, size_t room, cudaDeviceProp *prop)
{
    int driver = 0, runtime = 0, count = 0;
    cudaError_t e = cudaDriverGetVersion(&driver);

    if (e != cudaSuccess || driver == 0) {
        snprintf(why, room, "there is no NVIDIA driver (libcuda.so.1)");
        return false;
    }
    cudaRuntimeGetVersion(&runtime);
    e = cudaGetDeviceCount(&count);
    if (e == cudaErrorInsufficientDriver)
        snprintf(why, room, "the NVIDIA driver is for CUDA %d.%d, the plugin needs %d.%d",
                 driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    else if (e == cudaErrorNoDevice || (e == cudaSuccess && count == 0))
        snprintf(why, room, "there is no CUDA device (or CUDA_VISIBLE_DEVICES hides it)");
    else if (e != cudaSuccess || (e = cudaSetDevice(0)) != cudaSuccess ||
             (e = cudaGetDeviceProperties(prop, 0)) != cudaSuccess)
        snprintf(why, room, "the CUDA device does not answer: %s", cudaGetErrorString(e));
    else if (prop->major * 10 + prop->minor < 75)
        snprintf(why, room, "the device %s has compute capability %d.%d; 7.5 is the least",
                 prop->name, prop->major, prop->minor);
    else
        return true;
    return false;
}

static void device_close(se_worker *d)
{
    if (d->work)
        cudaFree(d->work);
    if (d->answer)
        cudaFreeHost(d->answer);
    if (d->blas)
        cublasDestroy(d->blas);
    if (d->stream)
        cudaStreamDestroy(d->stream);
    free(d);
}

static bool device_start(se_worker *d, const se_cuda_settings *s)
{
    const cublasMath_t math = s->tf32 ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH;

    return se_cuda_ok(d, cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking), "stream")
        && se_cuda_ok(d, cudaMallocHost(&d->answer, SE_ANSWER), "host memory")
        && se_cuda_blas_ok(d, cublasCreate(&d->blas), "start")
        && se_cuda_blas_ok(d, cublasSetMathMode(d->blas, math), "start")
        && se_cuda_blas_ok(d, cublasSetStream(d->blas, d->stream), "start");
}

static se_worker *device_open(const se_cuda_settings *s, char *why, size_t room)
{
    se_worker *d;
    cudaDeviceProp prop;

    if (!device_there(why, room, &prop))
        return NULL;
    d = (se_worker *)calloc(1, sizeof *d);
    if (!d) {
        snprintf(why, room, "no memory");
        return NULL;
    }
    if (!device_start(d, s)) {
        snprintf(why, room, "%s", d->why);
        device_close(d);
        return NULL;
    }
    snprintf(d->name, sizeof d->name, "%s, compute capability %d.%d, %.1f GB%s", prop.name,
             prop.major, prop.minor, (double)prop.totalGlobalMem / 1e9,
             s->tf32 ? ", TF32" : "");
    return d;
}

static const char *device_name(se_worker *d)
{
    return d->name;
}

extern "C" __attribute__((visibility("default"))) const se_cuda se_cuda_plugin;
static constexpr se_ops make_ops()
{
    se_ops o = {};

    o.failed = device_failed;
    o.alloc = device_alloc;
    o.free = device_free;
    o.put = device_put;
    o.get = device_get;
    o.copy = device_copy;
    o.clear = device_clear;
    o.product = se_cuda_product;
    o.gather = se_cuda_gather;
    o.transposed = se_cuda_transposed;
    o.columns = se_cuda_columns;
    o.mask = se_cuda_mask;
    o.mask_apply = se_cuda_mask_apply;
    o.activate = se_cuda_activate;
    o.add = se_cuda_add;
    o.add_share = se_cuda_add_share;
    o.dot = se_cuda_dot;
    o.shares = se_cuda_shares;
    o.shares_back = se_cuda_shares_back;
    o.scale = se_cuda_scale;
    o.scale_rows = se_cuda_scale_rows;
    o.unpack = se_cuda_unpack;
    o.mix = se_cuda_mix;
    o.mix_back = se_cuda_mix_back;
    o.norm = se_cuda_norm;
    o.norm_back = se_cuda_norm_back;
    o.gate = se_cuda_gate;
    o.gate_back = se_cuda_gate_back;
    o.thin = se_cuda_thin;
    o.attend = se_cuda_attend;
    o.heads_mean = se_cuda_heads_mean;
    o.attend_back = se_cuda_attend_back;
    o.attend_back_z = se_cuda_attend_back_z;
    o.loss = se_cuda_loss;
    o.accuracy = se_cuda_accuracy;
    o.adam = se_cuda_adam;
    return o;
}

static constexpr se_cuda make_plugin()
{
    se_cuda p = {};

    p.version = SE_CUDA_INTERFACE;
    p.size = sizeof(se_cuda);
#ifdef SE_CUDA_EMULATOR
    p.build = "emulator for tests, not a GPU";
    p.emulator = true;
#else
    p.build = "CUDA " SE_CUDA_TOOLKIT " for " SE_CUDA_ARCHS;
#endif
    p.open = device_open;
    p.close = device_close;
    p.name = device_name;
    p.ops = make_ops();
    p.search = se_cuda_run_search;
    return p;
}

/* Fields by name: a new operation is one line in make_ops(). */
constexpr se_cuda se_cuda_plugin = make_plugin();
