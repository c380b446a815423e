/* works.cu - what the emulator must do right: results, order of streams, errors */
#include <cuda_runtime.h>
#include <cublas_v2.h>

#include <cstdlib>
#include <vector>

#include "tests/unit/unit.h"

static const unsigned ALL = 0xffffffffu;

template <class T> static T *device(size_t n)
{
    T *p = nullptr;

    CHECK(cudaMalloc(&p, n * sizeof(T)) == cudaSuccess);
    return p;
}

template <class T> static T *upload(const std::vector<T> &v)
{
    T *p = device<T>(v.size());

    CHECK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice) == cudaSuccess);
    return p;
}

template <class T> static std::vector<T> download(const T *p, size_t n)
{
    std::vector<T> v(n);

    CHECK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess);
    return v;
}

static unsigned hash(unsigned x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* Indices: every thread of every block once, whatever the shape */

static __global__ void index_k(unsigned *seen, uint3 *last)
{
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;

    atomicAdd(&seen[block * blockDim.x * blockDim.y * blockDim.z + thread], 1u);
    if (block == 0 && thread == 0)
        *last = make_uint3(gridDim.x, gridDim.y, gridDim.z);
}

static void test_indices()
{
    const dim3 shapes[][2] = { { 1, 1 }, { 7, 33 }, { dim3(2, 3), dim3(5, 7) }, { 3, 1024 },
                               { dim3(3, 2, 2), dim3(4, 4, 8) } };

    for (auto &s : shapes) {
        size_t n = (size_t)s[0].x * s[0].y * s[0].z * s[1].x * s[1].y * s[1].z;
        unsigned *seen = upload(std::vector<unsigned>(n, 0));
        uint3 *last = device<uint3>(1);

        SE_LAUNCH(index_k, s[0], s[1], 0, nullptr, seen, last);
        for (unsigned v : download(seen, n))
            CHECK(v == 1);
        CHECK(download(last, 1)[0].y == s[0].y);
        cudaFree(seen);
        cudaFree(last);
    }
    unit_ok("every thread of every block runs once");
}

/* Collectives against what their definitions say */

struct lanes { int up, down, exclusive_or, idx; unsigned ballot; int any, all; double wide; };

static __global__ void collectives_k(lanes *out, const int *in, int step, int width)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), v = in[i];
    lanes r;

    r.up = __shfl_up_sync(ALL, v, (unsigned)step, width);
    r.down = __shfl_down_sync(ALL, v, (unsigned)step, width);
    r.exclusive_or = __shfl_xor_sync(ALL, v, step, width);
    r.idx = __shfl_sync(ALL, v, step * 3, width);
    r.ballot = __ballot_sync(ALL, v % 3 == 0);
    r.any = __any_sync(ALL, v % 29 == 0);
    r.all = __all_sync(ALL, v % 29);
    r.wide = __shfl_xor_sync(ALL, v + 0.5, 1);
    __syncwarp();
    out[i] = r;
}

static void check_lane(const lanes &r, const int *warp, int lane, int step, int width)
{
    int first = lane / width * width, last = first + width - 1, x = lane ^ step;
    unsigned ballot = 0;
    bool any = false;

    for (int i = 0; i < 32; i++) {
        ballot |= (warp[i] % 3 == 0 ? 1u : 0u) << i;
        any = any || warp[i] % 29 == 0;
    }
    CHECK(r.up == warp[lane - step < first ? lane : lane - step]);
    CHECK(r.down == warp[lane + step > last ? lane : lane + step]);
    CHECK(r.exclusive_or == warp[x > last ? lane : x]);
    CHECK(r.idx == warp[first + step * 3 % width]);
    CHECK(r.ballot == ballot);
    CHECK((r.any != 0) == any);
    CHECK((r.all != 0) == !any);
    CHECK(r.wide == warp[lane ^ 1] + 0.5);
}

static void test_collectives()
{
    const int n = 256;
    std::vector<int> in(n);

    for (int width = 1; width <= 32; width *= 2)
        for (int step = 0; step < 32; step = step * 2 + 1) {
            for (int i = 0; i < n; i++)
                in[(size_t)i] = (int)(hash((unsigned)(i + 1000 * step + width)) % 1000);
            int *d = upload(in);
            lanes *o = device<lanes>(n);
            SE_LAUNCH(collectives_k, 2, n / 2, 0, nullptr, o, d, step, width);
            std::vector<lanes> out = download(o, n);
            for (int i = 0; i < n; i++)
                check_lane(out[(size_t)i], &in[(size_t)(i / 32 * 32)], i % 32, step, width);
            cudaFree(d);
            cudaFree(o);
        }
    unit_ok("shuffles and votes follow their definitions");
}

/* Lanes of a warp in two groups, each with its own mask */
static __global__ void groups_k(int *out)
{
    int lane = (int)threadIdx.x, v = lane;
    unsigned mask = lane < 8 ? 0xffu : ~0xffu;

    for (int d = 4; d; d /= 2)
        v += __shfl_xor_sync(mask, v, d, 8);
    out[lane] = v;
}

static void test_groups()
{
    int *d = device<int>(32);

    SE_LAUNCH(groups_k, 1, 32, 0, nullptr, d);
    std::vector<int> v = download(d, 32);
    for (int i = 0; i < 32; i++)
        CHECK(v[(size_t)i] == i / 8 * 64 + 28);
    cudaFree(d);
    unit_ok("groups of lanes with masks of their own");
}

/* A block-wide scan: barriers, static and dynamic shared memory */

static __global__ void scan_k(int *x, int n)
{
    SE_SHARED(int, total, 1);
    SE_SHARED_DYNAMIC(int, tile);
    int t = (int)threadIdx.x;

    if (t == 0)
        *total = 0;
    for (int base = 0; base < n; base += (int)blockDim.x) {
        tile[t] = base + t < n ? x[base + t] : 0;
        __syncthreads();
        for (int d = 1; d < (int)blockDim.x; d *= 2) {
            int v = t >= d ? tile[t - d] : 0;
            __syncthreads();
            tile[t] += v;
            __syncthreads();
        }
        if (base + t < n)
            x[base + t] = tile[t] + *total;
        __syncthreads();
        if (t == 0)
            *total += tile[blockDim.x - 1];
        __syncthreads();
    }
}

static void test_scan()
{
    const unsigned blocks[] = { 1, 32, 100, 256, 1024 };

    for (unsigned b : blocks) {
        std::vector<int> in(777);
        for (size_t i = 0; i < in.size(); i++)
            in[i] = (int)(hash((unsigned)i + b) % 100);
        int *d = upload(in), sum = 0;
        SE_LAUNCH(scan_k, 1, b, b * sizeof(int), nullptr, d, (int)in.size());
        std::vector<int> out = download(d, in.size());
        for (size_t i = 0; i < in.size(); i++) {
            sum += in[i];
            CHECK(out[i] == sum);
        }
        cudaFree(d);
    }
    unit_ok("a scan over barriers and shared memory");
}

static __global__ void atomics_k(int *i, unsigned *u, unsigned long long *l, float *f)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, old = 0, seen;

    atomicAdd(&i[0], -1);
    atomicMax(&i[1], (int)(t * 7 % 100));
    atomicMin(&i[2], -(int)(t * 7 % 100));
    atomicAdd(&u[0], t);
    atomicMax(&l[0], (unsigned long long)t << 32);
    atomicAdd(&l[1], 1ull << 32);
    atomicAdd(f, 0.5f);
    atomicExch(&u[1], t);
    while ((seen = atomicCAS(&u[2], old, old + 2)) != old)
        old = seen;
}

static void test_atomics()
{
    int *i = upload(std::vector<int>{ 0, -5, 5 });
    unsigned *u = upload(std::vector<unsigned>{ 0, 999, 0 });
    unsigned long long *l = upload(std::vector<unsigned long long>{ 0, 0 });
    float *f = upload(std::vector<float>{ 1 });

    SE_LAUNCH(atomics_k, 4, 100, 0, nullptr, i, u, l, f);
    CHECK(download(i, 3)[0] == -400 && download(i, 3)[1] == 99 && download(i, 3)[2] == -99);
    CHECK(download(u, 3)[0] == 400 * 399 / 2 && download(u, 3)[1] < 400);
    CHECK(download(u, 3)[2] == 800);
    CHECK(download(l, 2)[0] == 399ull << 32 && download(l, 2)[1] == 400ull << 32);
    CHECK(download(f, 1)[0] == 201);
    cudaFree(i);
    cudaFree(u);
    cudaFree(l);
    cudaFree(f);
    unit_ok("atomic operations");
}

static void test_bits()
{
    CHECK(__popc(0xf0f0u) == 8 && __ffs(8) == 4 && __ffs(0) == 0 && __clz(1) == 31);
    CHECK(__clz(0) == 32 && __umulhi(0x80000000u, 6) == 3 && __brev(1) == 0x80000000u);
    CHECK(__float_as_int(1.0f) == 0x3f800000 && __int_as_float(0x40000000) == 2.0f);
    CHECK(__funnelshift_l(0x80000000u, 1, 1) == 3 && __funnelshift_r(2, 1, 1) == 0x80000001u);
    CHECK(min(3, -2) == -2 && max(3u, 7u) == 7 && max(1.5f, NAN) == 1.5f);
    CHECK(rsqrtf(4.0f) == 0.5f && __saturatef(2.0f) == 1.0f && __fdividef(1, 4) == 0.25f);
    unit_ok("bits and conversions");
}

/* Streams */

static __global__ void step_k(float *x, float by, float add) { *x = *x * by + add; }

static void test_lazy()
{
    float *x = upload(std::vector<float>{ 1 }), h = -1;
    cudaStream_t s, t;
    cudaEvent_t e;

    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    SE_LAUNCH(step_k, 1, 1, 0, s, x, 2.0f, 1.0f);           /* 3 */
    cudaMemcpyAsync(&h, x, sizeof h, cudaMemcpyDeviceToHost, s);
    cudaEventRecord(e, s);
    SE_LAUNCH(step_k, 1, 1, 0, s, x, 2.0f, 1.0f);           /* 7 */
    CHECK(h == -1);
    cudaEventSynchronize(e);
    CHECK(h == 3);
    cudaMemcpy(&h, x, sizeof h, cudaMemcpyDeviceToHost);
    CHECK(h == 3);                                          /* not past the event */
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e, 0);
    SE_LAUNCH(step_k, 1, 1, 0, t, x, 10.0f, 0.0f);          /* 70 */
    cudaMemcpyAsync(&h, x, sizeof h, cudaMemcpyDeviceToHost, t);
    cudaStreamSynchronize(t);
    CHECK(h == 70);
    CHECK(cudaStreamQuery(s) == cudaSuccess);
    SE_LAUNCH(step_k, 1, 1, 0, s, x, 1.0f, 1.0f);
    SE_LAUNCH(step_k, 1, 1, 0, s, x, 1.0f, 1.0f);
    CHECK(cudaStreamQuery(s) == cudaErrorNotReady);         /* asking goes on by one */
    CHECK(cudaStreamQuery(s) == cudaSuccess);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
    cudaEventDestroy(e);
    cudaFree(x);
    unit_ok("streams run when waited for, and no further");
}

static void test_events()
{
    float *x = upload(std::vector<float>{ 1 }), ms = -1;
    cudaEvent_t a, b, untimed;

    cudaEventCreate(&a);
    cudaEventCreate(&b);
    cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
    CHECK(cudaEventSynchronize(a) == cudaSuccess);          /* never recorded: nothing to wait for */
    CHECK(cudaEventElapsedTime(&ms, a, b) == cudaErrorInvalidResourceHandle);
    cudaEventRecord(a, nullptr);
    SE_LAUNCH(step_k, 1, 1, 0, nullptr, x, 2.0f, 1.0f);
    cudaEventRecord(b, nullptr);
    cudaEventRecord(untimed, nullptr);
    CHECK(cudaEventElapsedTime(&ms, a, b) == cudaErrorNotReady);
    CHECK(cudaEventQuery(b) == cudaErrorNotReady);
    cudaEventSynchronize(b);
    CHECK(cudaEventElapsedTime(&ms, a, b) == cudaSuccess && ms >= 0);
    cudaEventSynchronize(untimed);
    CHECK(cudaEventElapsedTime(&ms, a, untimed) == cudaErrorInvalidResourceHandle);
    CHECK(cudaEventQuery(b) == cudaSuccess);
    cudaEventDestroy(a);
    cudaEventDestroy(b);
    cudaEventDestroy(untimed);
    cudaFree(x);
    cudaGetLastError();
    unit_ok("events: waiting, asking, timing");
}

static void test_default_stream()
{
    float *x = upload(std::vector<float>{ 1 }), h = -1;
    cudaStream_t s;

    cudaStreamCreate(&s);                                   /* in order with the default stream */
    SE_LAUNCH(step_k, 1, 1, 0, s, x, 2.0f, 1.0f);           /* 3 */
    SE_LAUNCH(step_k, 1, 1, 0, nullptr, x, 2.0f, 0.0f);     /* 6 */
    SE_LAUNCH(step_k, 1, 1, 0, s, x, 1.0f, 1.0f);           /* 7 */
    cudaMemcpy(&h, x, sizeof h, cudaMemcpyDeviceToHost);
    CHECK(h == 7);
    SE_LAUNCH(step_k, 1, 1, 0, nullptr, x, 2.0f, 0.0f);     /* 14 */
    SE_LAUNCH(step_k, 1, 1, 0, s, x, 1.0f, 1.0f);           /* 15 */
    cudaMemcpyAsync(&h, x, sizeof h, cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
    CHECK(h == 15);
    SE_LAUNCH(step_k, 1, 1, 0, s, x, 1.0f, 1.0f);
    cudaStreamDestroy(s);                                   /* what is queued is not lost */
    cudaMemcpy(&h, x, sizeof h, cudaMemcpyDeviceToHost);
    CHECK(h == 16);
    cudaFree(x);
    unit_ok("blocking streams keep the order of the default stream");
}

static void test_copies()
{
    std::vector<int> in(35), out(35, -1);

    for (size_t i = 0; i < in.size(); i++)
        in[i] = (int)i;
    int *d = device<int>(20), *e = device<int>(20);
    cudaMemset(d, 0, 80);                                   /* 4 rows of 5: columns 1-3 of 7 */
    cudaMemcpy2D(d + 1, 20, &in[1], 28, 12, 4, cudaMemcpyHostToDevice);
    cudaMemcpy(e, d, 80, cudaMemcpyDeviceToDevice);
    cudaMemcpy2DAsync(out.data(), 28, e, 20, 20, 4, cudaMemcpyDeviceToHost, nullptr);
    CHECK(out[0] == -1);
    cudaDeviceSynchronize();
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 7; c++)
            CHECK(out[(size_t)(r * 7 + c)] ==
                  (c >= 5 ? -1 : c >= 1 && c <= 3 ? r * 7 + c : 0));
    float *x = device<float>(3);
    CHECK(isnan(download(x, 3)[2]));                        /* fresh memory is poisoned */
    cudaFree(x);
    cudaFree(d);
    cudaFree(e);
    cudaFree(nullptr);
    unit_ok("copies in two dimensions, memset, fresh memory");
}

/* cuBLAS */

static void test_gemm()
{
    const int m = 5, n = 4, k = 3, batch = 2, lda = 7, ldb = 6, ldc = 9;
    cublasHandle_t handle;
    cudaStream_t s;

    CHECK(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    CHECK(cublasSetStream(handle, s) == CUBLAS_STATUS_SUCCESS);
    for (int ops = 0; ops < 4; ops++) {
        cublasOperation_t op_a = ops & 1 ? CUBLAS_OP_T : CUBLAS_OP_N;
        cublasOperation_t op_b = ops & 2 ? CUBLAS_OP_T : CUBLAS_OP_N;
        std::vector<float> a(lda * 5 * batch), b(ldb * 5 * batch), c(ldc * n * batch);
        const float alpha = 1.5f, beta = ops ? 0.5f : 0.0f;

        for (std::vector<float> *v : { &a, &b, &c })
            for (size_t i = 0; i < v->size(); i++)
                (*v)[i] = (float)(hash((unsigned)(i + 77 * v->size())) % 17) - 8;
        float *da = upload(a), *db = upload(b), *dc = upload(c);
        CHECK(cublasSgemmStridedBatched(handle, op_a, op_b, m, n, k, &alpha, da, lda, lda * 5, db,
                                        ldb, ldb * 5, &beta, dc, ldc, ldc * n,
                                        batch) == CUBLAS_STATUS_SUCCESS);
        std::vector<float> got(c.size());
        cudaMemcpyAsync(got.data(), dc, c.size() * 4, cudaMemcpyDeviceToHost, s);
        cudaStreamSynchronize(s);
        for (int q = 0; q < batch; q++)
            for (int i = 0; i < m; i++)
                for (int j = 0; j < n; j++) {
                    double sum = 0;
                    for (int l = 0; l < k; l++)
                        sum += (double)a[(size_t)(q * lda * 5 + (ops & 1 ? l + i * lda
                                                                         : i + l * lda))] *
                               b[(size_t)(q * ldb * 5 + (ops & 2 ? j + l * ldb : l + j * ldb))];
                    size_t at = (size_t)(q * ldc * n + j * ldc + i);
                    CHECK_NEAR(got[at], alpha * sum + beta * c[at], 1e-3);
                }
        cudaFree(da);
        cudaFree(db);
        cudaFree(dc);
    }
    const float one = 1;
    CHECK(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, nullptr, 1, nullptr, 2,
                      &one, nullptr, 2) == CUBLAS_STATUS_INVALID_VALUE);
    cudaStreamDestroy(s);
    cublasDestroy(handle);
    unit_ok("matrix products");
}

static void test_vectors()
{
    std::vector<float> a(12), v(4);
    cublasHandle_t handle;
    const float two = 2, zero = 0;
    float r = 0;

    for (size_t i = 0; i < a.size(); i++)
        a[i] = (float)i - 5;
    for (size_t i = 0; i < v.size(); i++)
        v[i] = (float)i - 1.5f;
    float *da = upload(a), *dv = upload(v), *dy = device<float>(4);
    cublasCreate(&handle);
    cublasSgemv(handle, CUBLAS_OP_N, 3, 4, &two, da, 3, dv, 1, &zero, dy, 1);
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int j = 0; j < 4; j++)
            sum += 2.0 * a[(size_t)(i + j * 3)] * v[(size_t)j];
        CHECK_NEAR(download(dy, 3)[(size_t)i], sum, 1e-5);
    }
    cublasSgemv(handle, CUBLAS_OP_T, 3, 4, &two, da, 3, dv, 1, &zero, dy, 1);
    for (int j = 0; j < 4; j++) {
        double sum = 0;
        for (int i = 0; i < 3; i++)
            sum += 2.0 * a[(size_t)(i + j * 3)] * v[(size_t)i];
        CHECK_NEAR(download(dy, 4)[(size_t)j], sum, 1e-5);
    }
    cublasSasum(handle, 4, dv, 1, &r);
    CHECK(r == 4);
    cublasSdot(handle, 4, dv, 1, dv, 1, &r);
    CHECK(r == 5);
    cublasSnrm2(handle, 4, dv, 1, &r);
    CHECK_NEAR(r, sqrt(5), 1e-6);
    cublasSger(handle, 3, 4, &two, dv, 1, dv, 1, da, 3);
    for (int i = 0; i < 12; i++)
        CHECK_NEAR(download(da, 12)[(size_t)i],
                   a[(size_t)i] + 2 * v[(size_t)(i % 3)] * v[(size_t)(i / 3)], 1e-5);
    cublasSscal(handle, 4, &two, dv, 1);
    cublasSaxpy(handle, 4, &two, dv, 1, dv, 1);
    CHECK(download(dv, 4)[3] == 9);
    cublasDestroy(handle);
    cudaFree(da);
    cudaFree(dv);
    cudaFree(dy);
    unit_ok("products with vectors, sums");
}

/* Errors */

static __global__ void shared_size_k(int *out)
{
    SE_SHARED_DYNAMIC(int, tile);

    tile[threadIdx.x] = 1;
    out[threadIdx.x] = tile[threadIdx.x];
}

static void test_launch_errors()
{
    int *d = device<int>(1);

    SE_LAUNCH(shared_size_k, 0, 1, 4, nullptr, d);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    CHECK(cudaGetLastError() == cudaSuccess);
    SE_LAUNCH(shared_size_k, 1, 2048, 4, nullptr, d);
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
    SE_LAUNCH(shared_size_k, 1, 1, 60000, nullptr, d);
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
    cudaFuncAttributes f;
    int blocks = 0;
    CHECK(cudaFuncGetAttributes(&f, shared_size_k) == cudaSuccess);
    CHECK(f.maxThreadsPerBlock == 1024 && f.maxDynamicSharedSizeBytes == 48 << 10);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shared_size_k, 256, 0) ==
          cudaSuccess && blocks == 6);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, shared_size_k, 256, 40 << 10) ==
          cudaSuccess && blocks == 2);
    CHECK(cudaFuncSetAttribute(shared_size_k, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               60000) == cudaSuccess);
    SE_LAUNCH(shared_size_k, 1, 1, 60000, nullptr, d);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(download(d, 1)[0] == 1);
    cudaFree(d);
    unit_ok("launches that no device would take");
}

static void test_device()
{
    cudaDeviceProp p;
    size_t before, after, total;
    int n = 0, version = 0;
    void *x;

    CHECK(cudaGetDeviceCount(&n) == cudaSuccess && n == 1);
    CHECK(cudaSetDevice(0) == cudaSuccess && cudaSetDevice(1) == cudaErrorInvalidDevice);
    CHECK(cudaGetDeviceProperties(&p, 0) == cudaSuccess && strcmp(p.name, "emulator") == 0);
    CHECK(cudaDeviceGetAttribute(&n, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0) ==
          cudaSuccess && (size_t)n == p.sharedMemPerBlockOptin);
    CHECK(cudaDriverGetVersion(&version) == cudaSuccess && version > 0);
    cudaMemGetInfo(&before, &total);
    CHECK(cudaMalloc(&x, 1 << 20) == cudaSuccess);
    cudaMemGetInfo(&after, &total);
    CHECK(before - after == 1 << 20 && total == p.totalGlobalMem);
    CHECK(cudaFree(x) == cudaSuccess);
    CHECK(cudaMalloc(&x, total + 1) == cudaErrorMemoryAllocation);
    CHECK(cudaMalloc(&x, (size_t)-1) == cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
    for (int i = 0; i < 100; i++) {             /* more addresses than there are */
        float *y = nullptr;
        CHECK(cudaMalloc(&y, total) == cudaSuccess);
        if (i % 10 == 0) {
            CHECK(isnan(download(y + total / 4 - 1, 1)[0]));
            cudaMemset(y, 0, 4);
            cudaMemset(y + total / 4 - 1, 0, 4);
            CHECK(download(y, 1)[0] == 0 && download(y + total / 4 - 1, 1)[0] == 0);
        }
        cudaFree(y);
    }
    cudaGetLastError();                         /* set by cudaSetDevice(1) */
    unit_ok("the device tells its name and memory");
}

int main()
{
    test_indices();
    test_collectives();
    test_groups();
    test_scan();
    test_atomics();
    test_bits();
    test_lazy();
    test_events();
    test_default_stream();
    test_copies();
    test_gemm();
    test_vectors();
    test_launch_errors();
    test_device();
    return unit_done();
}
