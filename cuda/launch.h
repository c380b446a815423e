/* launch.h - the few words in which nvcc and the emulator's compiler differ */
#ifndef SE_LAUNCH_H
#define SE_LAUNCH_H

#include <cuda_runtime.h>

#ifndef SE_LAUNCH
#define SE_LAUNCH(kernel, grid, block, shared, stream, ...) \
    kernel<<<grid, block, shared, stream>>>(__VA_ARGS__)
#endif
#ifndef SE_SHARED
#define SE_SHARED(type, name, count) __shared__ type name[count]
#endif
#ifndef SE_SHARED_DYNAMIC
#define SE_SHARED_DYNAMIC(type, name) extern __shared__ type name[]
#endif

#ifdef __CUDACC__
#define SE_UNROLL _Pragma("unroll")
#else
#define SE_UNROLL
#endif

/* Every kernel has blocks of 256 threads, 8 warps; rows go to warps or numbers to threads. */
enum { SE_WARP = 32, SE_WARPS = 8, SE_BLOCK = SE_WARP * SE_WARPS };
static const unsigned SE_ALL_LANES = 0xffffffffu;
#define SE_KERNEL static __global__ void __launch_bounds__(SE_BLOCK)
/* One that wants registers: 4 blocks on a multiprocessor are enough */
#define SE_KERNEL_4 static __global__ void __launch_bounds__(SE_BLOCK, 4)

/* Few columns leave lanes idle, so a warp takes several rows at a time: lane l has column
 * l % lanes of row l / lanes. */
struct se_lanes {
    unsigned lanes, slots;      /* powers of 2, together 32 */
    unsigned column, slot;      /* of this thread */
};

__device__ static inline se_lanes se_split(uint64_t columns)
{
    se_lanes s;

    s.lanes = 1;
    while (s.lanes < SE_WARP && s.lanes < columns)
        s.lanes *= 2;
    s.slots = SE_WARP / s.lanes;
    s.column = threadIdx.x % s.lanes;
    s.slot = threadIdx.x % SE_WARP / s.lanes;
    return s;
}

/* Over the slots, each lane for its column; every slot gets the result. */
__device__ static inline float se_slots_sum(const se_lanes &s, float v)
{
    for (unsigned o = s.lanes; o < SE_WARP; o *= 2)
        v += __shfl_xor_sync(SE_ALL_LANES, v, (int)o);
    return v;
}

__device__ static inline float se_slots_max(const se_lanes &s, float v)
{
    for (unsigned o = s.lanes; o < SE_WARP; o *= 2)
        v = fmaxf(v, __shfl_xor_sync(SE_ALL_LANES, v, (int)o));
    return v;
}

/* A loop over numbers, each thread taking one of as many as there are threads */
#define SE_EACH(i, count) \
    (uint64_t i = (uint64_t)blockIdx.x * SE_BLOCK + threadIdx.x, stride_ = \
         (uint64_t)gridDim.x * SE_BLOCK; i < (count); i += stride_)
/* The same over rows, a row for each warp; all lanes stay together */
#define SE_EACH_ROW(v, count) \
    (uint64_t v = (uint64_t)blockIdx.x * SE_WARPS + threadIdx.x / SE_WARP, stride_ = \
         (uint64_t)gridDim.x * SE_WARPS; v < (count); v += stride_)

/* Blocks for so many items, each block taking `each` at a time */
static inline unsigned se_blocks(uint64_t items, uint64_t each)
{
    const uint64_t blocks = (items + each - 1) / each, most = 1 << 16;

    return (unsigned)(blocks < most ? blocks : most);
}

#endif
