/* planted.cu - bugs that the emulator must find, each beside its corrected twin
 *
 * planted NAME bad|good runs one; `planted --list` names them, `planted --build` the build.
 * A twin ends with 0; a result that is wrong without being caught ends with 1. */
#include <cuda_runtime.h>
#include <cublas_v2.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

enum { BLOCK = 128, N = 1000 };
static const unsigned ALL = 0xffffffffu;

static void ok(cudaError_t e)
{
    if (e != cudaSuccess) {
        printf("unexpected: %s\n", cudaGetErrorString(e));
        exit(1);
    }
}

static void expect(bool right, const char *what)
{
    if (!right) {
        printf("wrong: %s\n", what);
        fflush(stdout);
        _exit(1);                       /* at once: what it holds is no leak */
    }
}

/* Device memory for one case, freed at its end */
template <class T> struct buffer {
    T *p;
    size_t n;

    explicit buffer(size_t count, bool zero = true) : n(count)
    {
        ok(cudaMalloc(&p, n * sizeof(T)));
        if (zero)
            ok(cudaMemset(p, 0, n * sizeof(T)));
    }
    buffer(const buffer &) = delete;
    ~buffer() { ok(cudaFree(p)); }
    std::vector<T> get()
    {
        std::vector<T> v(n);
        ok(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
        return v;
    }
};

static void finish()
{
    ok(cudaGetLastError());
    ok(cudaDeviceSynchronize());
}

/* Barriers */

static __global__ void turn_k(int *out, bool bad)
{
    SE_SHARED(int, tile, BLOCK);

    tile[threadIdx.x] = (int)threadIdx.x;
    if (!bad)
        __syncthreads();
    out[threadIdx.x] = tile[BLOCK - 1 - threadIdx.x];
}

static void missing_barrier(bool bad)
{
    buffer<int> out(BLOCK);

    SE_LAUNCH(turn_k, 1, BLOCK, 0, nullptr, out.p, bad);
    finish();
    std::vector<int> v = out.get();
    for (int i = 0; i < BLOCK; i++)
        expect(v[(size_t)i] == BLOCK - 1 - i, "the tile was read before it was written");
}

static __global__ void divergent_k(int *out, bool bad)
{
    if (bad && threadIdx.x % 2)
        __syncthreads();
    else
        __syncthreads();
    out[threadIdx.x] = 1;
}

static void divergent_barrier(bool bad)
{
    buffer<int> out(BLOCK);

    SE_LAUNCH(divergent_k, 1, BLOCK, 0, nullptr, out.p, bad);
    finish();
}

static __global__ void early_k(int *out, bool bad)
{
    if (bad && threadIdx.x >= 100)
        return;
    __syncthreads();
    if (threadIdx.x < 100)
        out[threadIdx.x] = 1;
}

static void early_exit(bool bad)
{
    buffer<int> out(BLOCK);

    SE_LAUNCH(early_k, 1, BLOCK, 0, nullptr, out.p, bad);
    finish();
}

/* Collectives */

static __global__ void lane_mask_k(int *out, int n, bool bad)
{
    int i = (int)threadIdx.x, v = i;

    if (i < n || !bad)                          /* n is no multiple of 32 */
        for (int d = 16; d; d /= 2)
            v += __shfl_xor_sync(ALL, v, d);
    out[i] = v;
}

static void wrong_lane_mask(bool bad)
{
    buffer<int> out(BLOCK);

    SE_LAUNCH(lane_mask_k, 1, BLOCK, 0, nullptr, out.p, 70, bad);
    finish();
}

static __global__ void own_mask_k(int *out, bool bad)
{
    unsigned mask = bad ? 0x0000ffffu : ALL;

    out[threadIdx.x] = (int)__ballot_sync(mask, threadIdx.x & 1);
}

static void outside_own_mask(bool bad)
{
    buffer<int> out(BLOCK);

    SE_LAUNCH(own_mask_k, 1, BLOCK, 0, nullptr, out.p, bad);
    finish();
}

static __global__ void source_k(int *out, bool bad)
{
    unsigned mask = threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u;

    out[threadIdx.x] = __shfl_xor_sync(mask, (int)threadIdx.x, bad ? 16 : 8);
}

static void lane_of_other_mask(bool bad)
{
    buffer<int> out(32);

    SE_LAUNCH(source_k, 1, 32, 0, nullptr, out.p, bad);
    finish();
}

static __global__ void sites_k(int *out, bool bad)
{
    int v = (int)threadIdx.x;

    if (bad && threadIdx.x < 16)
        v += __shfl_down_sync(ALL, v, 1);
    else
        v += __shfl_down_sync(ALL, v, 1);
    out[threadIdx.x] = v;
}

static void divergent_collective(bool bad)
{
    buffer<int> out(32);

    SE_LAUNCH(sites_k, 1, 32, 0, nullptr, out.p, bad);
    finish();
}

static void partial_warp(bool bad)
{
    buffer<int> out(BLOCK);

    SE_LAUNCH(lane_mask_k, 1, bad ? 48 : 64, 0, nullptr, out.p, 0, false);
    finish();
}

/* Bounds */

static __global__ void write_k(float *x, long i) { x[i] = 1; }

static __global__ void read_k(const float *x, long i, float *out) { *out = x[i]; }

static void write_behind(bool bad)
{
    buffer<float> x(N);

    SE_LAUNCH(write_k, 1, 1, 0, nullptr, x.p, bad ? N : N - 1);
    finish();
}

static void write_before(bool bad)
{
    buffer<float> x(N);

    SE_LAUNCH(write_k, 1, 1, 0, nullptr, x.p, bad ? -1 : 0);
    finish();
}

static void read_behind(bool bad)
{
    buffer<float> x(N), out(1);

    SE_LAUNCH(read_k, 1, 1, 0, nullptr, x.p, bad ? N : N - 1, out.p);
    finish();
}

static void read_far_behind(bool bad)
{
    buffer<float> x(N), out(1);

    SE_LAUNCH(read_k, 1, 1, 0, nullptr, x.p, bad ? N + 200 : N - 1, out.p);
    finish();
}

static __global__ void shared_k(float *out, int i)
{
    SE_SHARED(float, tile, 33);

    for (unsigned j = threadIdx.x; j < 33; j += blockDim.x)
        tile[j] = 1;
    __syncthreads();
    if (threadIdx.x == 0)
        tile[i] = 2;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x];
}

static void shared_bounds(bool bad)
{
    buffer<float> out(32);

    SE_LAUNCH(shared_k, 1, 32, 0, nullptr, out.p, bad ? 33 : 32);
    finish();
}

static void copy_bounds(bool bad)
{
    buffer<float> x(N);
    std::vector<float> h(N + 1, 1.0f);

    ok(cudaMemcpy(x.p, h.data(), (bad ? N + 1 : N) * sizeof(float), cudaMemcpyHostToDevice));
}

static void gemm_bounds(bool bad)
{
    buffer<float> a(6), b(6), c(4);
    const float one = 1, zero = 0;
    cublasHandle_t handle;

    if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS ||
        cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, bad ? 4 : 3, &one, a.p, 2, b.p,
                    bad ? 4 : 3, &zero, c.p, 2) != CUBLAS_STATUS_SUCCESS)
        exit(1);
    finish();
    cublasDestroy(handle);
}

/* Races */

static __global__ void shared_race_k(int *out, bool bad)
{
    SE_SHARED(int, sum, 1);

    if (threadIdx.x == 0)
        *sum = 0;
    __syncthreads();
    if (bad)
        *sum += 1;
    else
        atomicAdd(sum, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        *out = *sum;
}

static void shared_race(bool bad)
{
    buffer<int> out(1);

    SE_LAUNCH(shared_race_k, 1, BLOCK, 0, nullptr, out.p, bad);
    finish();
}

static __global__ void global_race_k(int *out, bool bad)
{
    if (bad)
        *out += 1;
    else
        atomicAdd(out, 1);
}

static void global_race(bool bad)
{
    buffer<int> out(1);

    SE_LAUNCH(global_race_k, 4, 1, 0, nullptr, out.p, bad);     /* one thread a block */
    finish();
}

static __global__ void warp_race_k(int *out, bool bad)
{
    SE_SHARED(int, tile, 32);

    tile[threadIdx.x] = (int)threadIdx.x;
    if (bad)
        __shfl_sync(ALL, 0, 0);         /* brings lanes together, but orders no memory */
    else
        __syncwarp();
    out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

static void missing_syncwarp(bool bad)
{
    buffer<int> out(32);

    SE_LAUNCH(warp_race_k, 1, 32, 0, nullptr, out.p, bad);
    finish();
}

/* Initialisation */

static __global__ void uninit_shared_k(float *out, bool bad)
{
    SE_SHARED_DYNAMIC(float, tile);

    if (threadIdx.x < 16 || !bad)
        tile[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = tile[31 - threadIdx.x];
}

static void uninitialised_shared(bool bad)
{
    buffer<float> out(32);

    SE_LAUNCH(uninit_shared_k, 1, 32, 32 * sizeof(float), nullptr, out.p, bad);
    finish();
    for (float v : out.get())
        expect(v == 1, "shared memory was never written");
}

static void uninitialised_device(bool bad)
{
    buffer<float> x(N, !bad), out(1);

    SE_LAUNCH(read_k, 1, 1, 0, nullptr, x.p, 7, out.p);
    finish();
    expect(out.get()[0] == 0, "device memory was never written");
}

/* Streams */

static __global__ void fill_k(float *x, float v) { x[threadIdx.x] = v; }

static void missing_stream_wait(bool bad)
{
    buffer<float> x(BLOCK);
    cudaStream_t s;
    std::vector<float> h(BLOCK);

    ok(cudaDeviceSynchronize());
    ok(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    SE_LAUNCH(fill_k, 1, BLOCK, 0, s, x.p, 1.0f);
    if (!bad)
        ok(cudaStreamSynchronize(s));
    ok(cudaMemcpy(h.data(), x.p, BLOCK * sizeof(float), cudaMemcpyDeviceToHost));
    ok(cudaStreamDestroy(s));
    for (float v : h)
        expect(v == 1, "the copy came before the kernel");
}

static void missing_event_wait(bool bad)
{
    buffer<float> x(BLOCK), y(BLOCK);
    cudaStream_t a, b;
    cudaEvent_t e;

    ok(cudaDeviceSynchronize());
    ok(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    ok(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    ok(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    SE_LAUNCH(fill_k, 1, BLOCK, 0, a, x.p, 1.0f);
    ok(cudaEventRecord(e, a));
    if (!bad)
        ok(cudaStreamWaitEvent(b, e, 0));
    ok(cudaMemcpyAsync(y.p, x.p, BLOCK * sizeof(float), cudaMemcpyDeviceToDevice, b));
    ok(cudaStreamSynchronize(b));
    ok(cudaStreamSynchronize(a));
    ok(cudaEventDestroy(e));
    ok(cudaStreamDestroy(a));
    ok(cudaStreamDestroy(b));
    for (float v : y.get())
        expect(v == 1, "the second stream did not wait for the first");
}

static void source_changed(bool bad)
{
    buffer<float> x(BLOCK);
    std::vector<float> h(BLOCK, 1.0f);
    cudaStream_t s;

    ok(cudaDeviceSynchronize());
    ok(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    ok(cudaMemcpyAsync(x.p, h.data(), BLOCK * sizeof(float), cudaMemcpyHostToDevice, s));
    if (!bad)
        ok(cudaStreamSynchronize(s));
    h[5] = 2;                           /* the copy may not have read it yet */
    ok(cudaStreamSynchronize(s));
    ok(cudaStreamDestroy(s));
    for (float v : x.get())
        expect(v == 1, "the source changed before it was copied");
}

static void result_too_early(bool bad)
{
    buffer<float> x(1);
    float *h = nullptr;
    cudaStream_t s;

    ok(cudaDeviceSynchronize());
    ok(cudaMallocHost(&h, sizeof *h));
    ok(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    SE_LAUNCH(fill_k, 1, 1, 0, s, x.p, 1.0f);
    ok(cudaMemcpyAsync(h, x.p, sizeof *h, cudaMemcpyDeviceToHost, s));
    if (!bad)
        ok(cudaStreamSynchronize(s));
    const float v = *h;
    ok(cudaStreamDestroy(s));
    ok(cudaFreeHost(h));
    expect(v == 1, "the result was read before it came");
}

/* Memory */

static void host_reads_device(bool bad)
{
    buffer<float> x(N);

    finish();
    const volatile float *p = bad ? x.p : (const float *)"0123";
    expect(p[0] != 0, "");
}

static void kernel_reads_host(bool bad)
{
    buffer<float> x(N), out(1);
    std::vector<float> h(N, 1.0f);

    SE_LAUNCH(read_k, 1, 1, 0, nullptr, bad ? h.data() : x.p, 3, out.p);
    finish();
}

static void use_after_free(bool bad)
{
    float *x = nullptr;

    ok(cudaMalloc(&x, sizeof *x));
    if (bad)
        ok(cudaFree(x));
    SE_LAUNCH(fill_k, 1, 1, 0, nullptr, x, 1.0f);
    finish();
    if (!bad)
        ok(cudaFree(x));
}

static void double_free(bool bad)
{
    float *x = nullptr;

    ok(cudaMalloc(&x, sizeof *x));
    ok(cudaFree(x));
    if (bad)
        ok(cudaFree(x));
}

static void foreign_free(bool bad)
{
    float *x = nullptr;

    ok(cudaMalloc(&x, 2 * sizeof *x));
    ok(cudaFree(bad ? x + 1 : x));
}

static void leak(bool bad)
{
    float *x = nullptr;

    ok(cudaMalloc(&x, N * sizeof *x));
    if (!bad)
        ok(cudaFree(x));
}

static void leaked_stream(bool bad)
{
    cudaStream_t s;

    ok(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    if (!bad)
        ok(cudaStreamDestroy(s));
}

static const struct { const char *name; void (*run)(bool bad); } cases[] = {
#define CASE(name) { #name, name }
    CASE(missing_barrier), CASE(divergent_barrier), CASE(early_exit), CASE(wrong_lane_mask),
    CASE(outside_own_mask), CASE(lane_of_other_mask), CASE(divergent_collective),
    CASE(partial_warp), CASE(write_behind), CASE(write_before), CASE(read_behind),
    CASE(read_far_behind), CASE(shared_bounds), CASE(copy_bounds), CASE(gemm_bounds),
    CASE(shared_race), CASE(global_race), CASE(missing_syncwarp), CASE(uninitialised_shared),
    CASE(uninitialised_device), CASE(missing_stream_wait), CASE(missing_event_wait),
    CASE(source_changed), CASE(result_too_early), CASE(host_reads_device),
    CASE(kernel_reads_host), CASE(use_after_free), CASE(double_free), CASE(foreign_free),
    CASE(leak), CASE(leaked_stream),
};

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--build") == 0) {
#if defined(SE_EMU_CHECK)
        puts("checked");
#elif defined(__SANITIZE_ADDRESS__)
        puts("address");
#else
        puts("plain");
#endif
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (auto &c : cases)
            puts(c.name);
        return 0;
    }
    for (auto &c : cases)
        if (argc == 3 && strcmp(argv[1], c.name) == 0) {
            c.run(strcmp(argv[2], "bad") == 0);
            return 0;
        }
    fprintf(stderr, "usage: planted NAME bad|good\n");
    return 2;
}
