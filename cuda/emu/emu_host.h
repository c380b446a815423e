/* emu_host.h - what the host calls: memory, streams, events, launches
 *
 * Streams are lazy: queued work runs when somebody waits for it, and only as far as the wait
 * needs.  Calls take the place of the caller as hidden arguments, for messages. */
#ifndef EMU_HOST_H
#define EMU_HOST_H

#include <memory>
#include <tuple>
#include <utility>

#include "emu_types.h"

#define EMU_HERE const char *file = __builtin_FILE(), int line = __builtin_LINE()

#pragma GCC visibility push(hidden)

const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();

cudaError_t cudaDriverGetVersion(int *version);
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *prop, int device);
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attr, int device);
cudaError_t cudaMemGetInfo(size_t *available, size_t *total);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaDeviceReset();

cudaError_t cudaMalloc(void **p, size_t bytes, EMU_HERE);
cudaError_t cudaFree(void *p, EMU_HERE);
cudaError_t cudaMallocHost(void **p, size_t bytes, EMU_HERE);
cudaError_t cudaFreeHost(void *p, EMU_HERE);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind, EMU_HERE);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr, EMU_HERE);
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind, EMU_HERE);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream = nullptr, EMU_HERE);
cudaError_t cudaMemset(void *p, int value, size_t bytes, EMU_HERE);
cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t stream = nullptr,
                            EMU_HERE);

cudaError_t cudaStreamCreate(cudaStream_t *stream, EMU_HERE);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags, EMU_HERE);
cudaError_t cudaStreamDestroy(cudaStream_t stream, EMU_HERE);
cudaError_t cudaStreamSynchronize(cudaStream_t stream, EMU_HERE);
cudaError_t cudaStreamQuery(cudaStream_t stream, EMU_HERE);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0,
                                EMU_HERE);
cudaError_t cudaEventCreate(cudaEvent_t *event, EMU_HERE);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags, EMU_HERE);
cudaError_t cudaEventDestroy(cudaEvent_t event, EMU_HERE);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr, EMU_HERE);
cudaError_t cudaEventSynchronize(cudaEvent_t event, EMU_HERE);
cudaError_t cudaEventQuery(cudaEvent_t event, EMU_HERE);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop, EMU_HERE);

/* A kernel with its arguments, called once per thread */
struct emu_call {
    virtual ~emu_call() {}
    virtual void run() const = 0;
    size_t bytes = 0;               /* of the whole object: kernels may read their arguments */
};

void emu_queue(const char *name, const char *file, int line, dim3 grid, dim3 block, size_t shared,
               cudaStream_t stream, const void *entry, std::unique_ptr<emu_call> call);
cudaError_t emu_func_attributes(cudaFuncAttributes *attr, const void *entry);
cudaError_t emu_func_set(const void *entry, cudaFuncAttribute attr, int value);
cudaError_t emu_occupancy(int *blocks, const void *entry, int threads, size_t shared);

#pragma GCC visibility pop

template <class... P> struct emu_call_of : emu_call {
    void (*kernel)(P...);
    std::tuple<P...> values;

    template <class... A> explicit emu_call_of(void (*k)(P...), const A &...args)
        : kernel(k), values(args...)
    {
        bytes = sizeof *this;
    }
    void run() const override { std::apply(kernel, values); }
};

template <class... P, class... A>
void emu_launch(const char *name, const char *file, int line, dim3 grid, dim3 block, size_t shared,
                cudaStream_t stream, void (*kernel)(P...), const A &...args)
{
    static_assert(sizeof...(P) == sizeof...(A), "number of kernel arguments");
    emu_queue(name, file, line, grid, block, shared, stream, (const void *)kernel,
              std::unique_ptr<emu_call>(new emu_call_of<P...>(kernel, args...)));
}

#define SE_LAUNCH(kernel, grid, block, shared, stream, ...) \
    emu_launch(#kernel, __FILE__, __LINE__, grid, block, shared, stream, kernel, ##__VA_ARGS__)

template <class T> cudaError_t cudaMalloc(T **p, size_t bytes, EMU_HERE)
{
    void *q = nullptr;
    cudaError_t e = cudaMalloc(&q, bytes, file, line);

    if (e == cudaSuccess)
        *p = (T *)q;
    return e;
}

template <class T> cudaError_t cudaMallocHost(T **p, size_t bytes, EMU_HERE)
{
    void *q = nullptr;
    cudaError_t e = cudaMallocHost(&q, bytes, file, line);

    if (e == cudaSuccess)
        *p = (T *)q;
    return e;
}

template <class K> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attr, K *kernel)
{
    return emu_func_attributes(attr, (const void *)kernel);
}

template <class K> cudaError_t cudaFuncSetAttribute(K *kernel, cudaFuncAttribute attr, int value)
{
    return emu_func_set((const void *)kernel, attr, value);
}

template <class K>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, K *kernel, int threads,
                                                          size_t shared)
{
    return emu_occupancy(blocks, (const void *)kernel, threads, shared);
}

#endif
