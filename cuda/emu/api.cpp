/* api.cpp - the runtime API: devices, copies, launches; which call fails, and leaks at the end */
#include "emu.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <unistd.h>

static std::recursive_mutex mutex;
static cudaError_t last;
static long calls;
static std::map<const void *, int> dynamic_limit;       /* kernels that asked for more */

emu_lock::emu_lock() : guard(mutex) {}

cudaError_t emu_error(cudaError_t e)
{
    if (e != cudaSuccess)
        last = e;
    return e;
}

cudaError_t emu_enter(cudaError_t fitting)
{
    const emu_settings *env = emu_env();

    calls++;
    if (env->driver < CUDART_VERSION)
        return emu_error(cudaErrorInsufficientDriver);
    if (env->devices == 0)
        return emu_error(cudaErrorNoDevice);
    if (env->fail && calls == env->fail)
        return emu_error(fitting);
    return cudaSuccess;
}

static const struct { cudaError_t code; const char *name, *text; } errors[] = {
    { cudaSuccess, "cudaSuccess", "no error" },
    { cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument" },
    { cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory" },
    { cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error" },
    { cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
      "invalid configuration argument" },
    { cudaErrorInvalidDevicePointer, "cudaErrorInvalidDevicePointer", "invalid device pointer" },
    { cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
      "CUDA driver version is insufficient for CUDA runtime version" },
    { cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected" },
    { cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal" },
    { cudaErrorECCUncorrectable, "cudaErrorECCUncorrectable",
      "uncorrectable ECC error encountered" },
    { cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle",
      "invalid resource handle" },
    { cudaErrorNotReady, "cudaErrorNotReady", "device not ready" },
    { cudaErrorIllegalAddress, "cudaErrorIllegalAddress",
      "an illegal memory access was encountered" },
    { cudaErrorLaunchOutOfResources, "cudaErrorLaunchOutOfResources",
      "too many resources requested for launch" },
    { cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure" },
    { cudaErrorUnknown, "cudaErrorUnknown", "unknown error" },
};

const char *cudaGetErrorString(cudaError_t error)
{
    for (auto &e : errors)
        if (e.code == error)
            return e.text;
    return "unrecognized error code";
}

const char *cudaGetErrorName(cudaError_t error)
{
    for (auto &e : errors)
        if (e.code == error)
            return e.name;
    return "unrecognized error code";
}

cudaError_t cudaPeekAtLastError() { return last; }

cudaError_t cudaGetLastError()
{
    cudaError_t e = last;

    last = cudaSuccess;
    return e;
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = emu_env()->driver;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorInitializationError);

    *count = e == cudaSuccess ? emu_env()->devices : 0;
    return e;
}

cudaError_t cudaGetDevice(int *device)
{
    emu_lock lock;

    *device = 0;
    return emu_enter(cudaErrorInitializationError);
}

cudaError_t cudaSetDevice(int device)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorInitializationError);

    if (e == cudaSuccess && (device < 0 || device >= emu_env()->devices))
        return emu_error(cudaErrorInvalidDevice);
    return e;
}

static const cudaDeviceProp *properties()
{
    static cudaDeviceProp p;

    strcpy(p.name, "emulator");
    p.totalGlobalMem = emu_env()->memory;
    p.sharedMemPerBlock = EMU_SHARED_STATIC;
    p.sharedMemPerBlockOptin = EMU_SHARED_OPTIN;
    p.sharedMemPerMultiprocessor = 100 << 10;
    p.regsPerBlock = 65536;
    p.warpSize = 32;
    p.maxThreadsPerBlock = EMU_MAX_THREADS;
    p.maxThreadsDim[0] = p.maxThreadsDim[1] = EMU_MAX_THREADS;
    p.maxThreadsDim[2] = 64;
    p.maxGridSize[0] = 0x7fffffff;
    p.maxGridSize[1] = p.maxGridSize[2] = 65535;
    p.major = 8;
    p.minor = 6;
    p.multiProcessorCount = 4;
    p.maxThreadsPerMultiProcessor = 1536;
    p.memoryBusWidth = 384;
    p.l2CacheSize = 6 << 20;
    return &p;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *prop, int device)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorInitializationError);

    if (e == cudaSuccess && (device < 0 || device >= emu_env()->devices))
        return emu_error(cudaErrorInvalidDevice);
    if (e == cudaSuccess)
        *prop = *properties();
    return e;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attr, int device)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorInitializationError);
    const cudaDeviceProp *p = properties();

    if (e == cudaSuccess && (device < 0 || device >= emu_env()->devices))
        return emu_error(cudaErrorInvalidDevice);
    if (e != cudaSuccess)
        return e;
    switch (attr) {
    case cudaDevAttrMaxThreadsPerBlock: *value = p->maxThreadsPerBlock; break;
    case cudaDevAttrMaxBlockDimX: *value = p->maxThreadsDim[0]; break;
    case cudaDevAttrMaxGridDimX: *value = p->maxGridSize[0]; break;
    case cudaDevAttrMaxGridDimY: *value = p->maxGridSize[1]; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = (int)p->sharedMemPerBlock; break;
    case cudaDevAttrWarpSize: *value = p->warpSize; break;
    case cudaDevAttrMaxRegistersPerBlock: *value = p->regsPerBlock; break;
    case cudaDevAttrClockRate: *value = 1800000; break;
    case cudaDevAttrMultiProcessorCount: *value = p->multiProcessorCount; break;
    case cudaDevAttrMemoryClockRate: *value = 8001000; break;
    case cudaDevAttrGlobalMemoryBusWidth: *value = p->memoryBusWidth; break;
    case cudaDevAttrL2CacheSize: *value = p->l2CacheSize; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p->maxThreadsPerMultiProcessor; break;
    case cudaDevAttrComputeCapabilityMajor: *value = p->major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p->minor; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
        *value = (int)p->sharedMemPerMultiprocessor;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = (int)p->sharedMemPerBlockOptin; break;
    default: return emu_error(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorInitializationError);

    if (e == cudaSuccess) {
        *total = emu_env()->memory;
        *available = *total - emu_memory_used();
    }
    return e;
}

cudaError_t cudaDeviceSynchronize()
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorLaunchFailure);

    if (e == cudaSuccess)
        emu_wait_all();
    return e;
}

cudaError_t cudaMalloc(void **p, size_t bytes, const char *file, int line)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorMemoryAllocation);

    return e != cudaSuccess ? e : emu_error(emu_allocate(p, bytes, file, line));
}

/* Freeing waits for all work, and frees even when it must report an error of that work */
cudaError_t cudaFree(void *p, const char *file, int line)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorLaunchFailure);

    if (p)
        emu_wait_all();
    emu_release(p, file, line);
    return e;
}

cudaError_t cudaMallocHost(void **p, size_t bytes, const char *file, int line)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorMemoryAllocation);

    return e != cudaSuccess ? e : emu_error(emu_allocate_host(p, bytes, file, line));
}

cudaError_t cudaFreeHost(void *p, const char *file, int line)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorLaunchFailure);

    if (p)
        emu_wait_all();
    emu_release_host(p, file, line);
    return e;
}

struct copy {
    char *to;
    const char *from;
    size_t to_pitch, from_pitch, width, height;
    cudaMemcpyKind kind;
};

/* Each side must be the memory that the kind says, and hold every byte */
static void check_copy(const copy *c, const char *file, int line)
{
    bool to_device = c->kind == cudaMemcpyHostToDevice || c->kind == cudaMemcpyDeviceToDevice;
    bool from_device = c->kind == cudaMemcpyDeviceToHost || c->kind == cudaMemcpyDeviceToDevice;

    if (!c->width || !c->height)
        return;
    if (c->to_pitch < c->width || c->from_pitch < c->width)
        emu_fatal("%s:%d: a copy whose rows are longer than its pitch", file, line);
    if (to_device)
        emu_range("copy to", c->to, c->to_pitch * (c->height - 1) + c->width, file, line);
    else if (emu_is_device(c->to))
        emu_fatal("%s:%d: a copy to the host is given device memory", file, line);
    if (from_device)
        emu_range("copy from", c->from, c->from_pitch * (c->height - 1) + c->width, file, line);
    else if (emu_is_device(c->from))
        emu_fatal("%s:%d: a copy from the host is given device memory", file, line);
}

static void run_copy(const copy *c)
{
    for (size_t i = 0; i < c->height; i++) {
        memmove(c->to + i * c->to_pitch, c->from + i * c->from_pitch, c->width);
        emu_check_move(c->to + i * c->to_pitch, c->from + i * c->from_pitch, c->width);
    }
}

static cudaError_t queue_copy(copy c, cudaStream_t stream, bool wait, const char *file, int line)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorECCUncorrectable);

    if (e != cudaSuccess)
        return e;
    if (c.kind == cudaMemcpyDefault)
        c.kind = (cudaMemcpyKind)((emu_is_device(c.to) ? 1 : 0) + (emu_is_device(c.from) ? 2 : 0));
    check_copy(&c, file, line);
    emu_push(stream, [c, file, line] {
        check_copy(&c, file, line);
        run_copy(&c);
    }, file, line);
    if (wait && c.kind != cudaMemcpyDeviceToDevice)     /* those do not hold up the host */
        emu_wait(stream, file, line);
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                       const char *file, int line)
{
    return queue_copy({ (char *)to, (const char *)from, bytes, bytes, bytes, 1, kind }, nullptr,
                      true, file, line);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream, const char *file, int line)
{
    return queue_copy({ (char *)to, (const char *)from, bytes, bytes, bytes, 1, kind }, stream,
                      false, file, line);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind, const char *file,
                         int line)
{
    return queue_copy({ (char *)to, (const char *)from, to_pitch, from_pitch, width, height,
                        kind }, nullptr, true, file, line);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream, const char *file, int line)
{
    return queue_copy({ (char *)to, (const char *)from, to_pitch, from_pitch, width, height,
                        kind }, stream, false, file, line);
}

cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t stream,
                            const char *file, int line)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorECCUncorrectable);

    if (e != cudaSuccess)
        return e;
    emu_range("cudaMemset", p, bytes, file, line);
    emu_push(stream, [=] {
        emu_range("cudaMemset", p, bytes, file, line);
        if (bytes)
            memset(p, value, bytes);
        emu_check_init(p, bytes);
    }, file, line);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *p, int value, size_t bytes, const char *file, int line)
{
    return cudaMemsetAsync(p, value, bytes, nullptr, file, line);
}

/* Errors of a launch are told by cudaGetLastError() */
void emu_queue(const char *name, const char *file, int line, dim3 grid, dim3 block, size_t shared,
               cudaStream_t stream, const void *entry, std::unique_ptr<emu_call> call)
{
    emu_lock lock;
    const cudaDeviceProp *p = properties();
    auto limit = dynamic_limit.find(entry);
    size_t most = limit == dynamic_limit.end() ? (size_t)EMU_SHARED_STATIC : (size_t)limit->second;

    if (emu_enter(cudaErrorLaunchOutOfResources) != cudaSuccess)
        return;
    if (!grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z ||
        grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535 || block.z > 64 ||
        (uint64_t)block.x * block.y * block.z > (uint64_t)p->maxThreadsPerBlock) {
        emu_error(cudaErrorInvalidConfiguration);
        return;
    }
    if (shared > most) {
        emu_error(cudaErrorInvalidValue);
        return;
    }
    auto k = std::make_shared<emu_kernel>();
    *k = { name, file, line, grid, block, shared, entry, std::move(call) };
    emu_push(stream, [k] { emu_run(k.get()); }, file, line);
}

cudaError_t emu_func_attributes(cudaFuncAttributes *attr, const void *entry)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorInitializationError);

    if (e != cudaSuccess)
        return e;
    *attr = cudaFuncAttributes();
    attr->maxThreadsPerBlock = EMU_MAX_THREADS;
    attr->ptxVersion = attr->binaryVersion = 86;
    attr->maxDynamicSharedSizeBytes = dynamic_limit.count(entry) ? dynamic_limit[entry]
                                                                 : EMU_SHARED_STATIC;
    return cudaSuccess;
}

cudaError_t emu_func_set(const void *entry, cudaFuncAttribute attr, int value)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorInvalidValue);

    if (e != cudaSuccess)
        return e;
    if (attr == cudaFuncAttributeMaxDynamicSharedMemorySize) {
        if (value < 0 || value > EMU_SHARED_OPTIN)
            return emu_error(cudaErrorInvalidValue);
        dynamic_limit[entry] = value;
    }
    return cudaSuccess;
}

/* By threads and shared memory alone: registers are not known here */
cudaError_t emu_occupancy(int *blocks, const void *, int threads, size_t shared)
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorInvalidValue);
    const cudaDeviceProp *p = properties();

    if (e != cudaSuccess)
        return e;
    if (threads < 1 || threads > p->maxThreadsPerBlock)
        return emu_error(cudaErrorInvalidValue);
    *blocks = min(16, p->maxThreadsPerMultiProcessor / ((threads + 31) / 32 * 32));
    if (shared)
        *blocks = min(*blocks, (int)(p->sharedMemPerMultiprocessor / (shared + 1024)));
    return cudaSuccess;
}

static int leaks()
{
    return emu_memory_leaks() + emu_stream_leaks() + emu_blas_leaks();
}

cudaError_t cudaDeviceReset()
{
    emu_lock lock;
    cudaError_t e = emu_enter(cudaErrorLaunchFailure);

    emu_wait_all();
    if (leaks())
        _exit(EMU_EXIT);
    return e;
}

/* At the end of the program, or when the library is unloaded */
__attribute__((destructor)) static void at_end()
{
    const char *name = emu_env()->count;
    FILE *f = name && *name ? fopen(name, "w") : NULL;

    if (f) {
        fprintf(f, "%ld\n", calls);
        fclose(f);
    }
    if (leaks()) {
        fflush(NULL);
        _exit(EMU_EXIT);
    }
}
