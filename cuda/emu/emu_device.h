/* emu_device.h - what kernels use: indices, shared memory, barriers, collectives, atomics, math
 *
 * Barriers and collectives take the place of the call as hidden arguments: threads that meet at
 * different places are an error.  There is no __activemask(): it is no way to choose a mask. */
#ifndef EMU_DEVICE_H
#define EMU_DEVICE_H

#include <cmath>
#include <cstring>
#include <type_traits>

#include "emu_host.h"

#pragma GCC visibility push(hidden)

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
constexpr int warpSize = 32;

void __syncthreads(EMU_HERE);

enum emu_op { EMU_SYNCWARP, EMU_BALLOT, EMU_ANY, EMU_ALL, EMU_SHFL, EMU_UP, EMU_DOWN, EMU_XOR };
uint64_t emu_collective(emu_op op, unsigned mask, uint64_t value, int arg, int width,
                        const char *file, int line);

/* Shared arrays: one per place and block, laid out when the first thread asks for it */
struct emu_slot {
    uint64_t block;                 /* serial number of the block it was laid out for */
    void *p;
};
extern uint64_t emu_block;          /* serial number of the running block */
void *emu_shared_new(emu_slot *slot, size_t bytes, size_t align, const char *name);
void *emu_shared_dynamic(size_t align);

int atomicAdd(int *p, int v);
unsigned atomicAdd(unsigned *p, unsigned v);
unsigned long long atomicAdd(unsigned long long *p, unsigned long long v);
float atomicAdd(float *p, float v);
double atomicAdd(double *p, double v);
int atomicSub(int *p, int v);
unsigned atomicSub(unsigned *p, unsigned v);
int atomicMax(int *p, int v);
unsigned atomicMax(unsigned *p, unsigned v);
unsigned long long atomicMax(unsigned long long *p, unsigned long long v);
int atomicMin(int *p, int v);
unsigned atomicMin(unsigned *p, unsigned v);
unsigned long long atomicMin(unsigned long long *p, unsigned long long v);
int atomicExch(int *p, int v);
unsigned atomicExch(unsigned *p, unsigned v);
unsigned long long atomicExch(unsigned long long *p, unsigned long long v);
float atomicExch(float *p, float v);
int atomicCAS(int *p, int old, int v);
unsigned atomicCAS(unsigned *p, unsigned old, unsigned v);
unsigned long long atomicCAS(unsigned long long *p, unsigned long long old, unsigned long long v);
int atomicOr(int *p, int v);
unsigned atomicOr(unsigned *p, unsigned v);
int atomicAnd(int *p, int v);
unsigned atomicAnd(unsigned *p, unsigned v);

[[noreturn]] void __trap(EMU_HERE);

#pragma GCC visibility pop

inline void *emu_shared(emu_slot *slot, size_t bytes, size_t align, const char *name)
{
    return slot->block == emu_block ? slot->p : emu_shared_new(slot, bytes, align, name);
}

#define SE_SHARED(type, name, count) \
    static emu_slot emu_slot_##name; \
    type(&name)[count] = *(type(*)[count])emu_shared(&emu_slot_##name, sizeof(type[count]), \
                                                     alignof(type), #name)
#define SE_SHARED_DYNAMIC(type, name) type *name = (type *)emu_shared_dynamic(alignof(type))

inline void __syncwarp(unsigned mask = 0xffffffffu, EMU_HERE)
{
    emu_collective(EMU_SYNCWARP, mask, 0, 0, 32, file, line);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, EMU_HERE)
{
    return (unsigned)emu_collective(EMU_BALLOT, mask, predicate != 0, 0, 32, file, line);
}

inline int __any_sync(unsigned mask, int predicate, EMU_HERE)
{
    return emu_collective(EMU_ANY, mask, predicate != 0, 0, 32, file, line) != 0;
}

inline int __all_sync(unsigned mask, int predicate, EMU_HERE)
{
    return emu_collective(EMU_ALL, mask, predicate != 0, 0, 32, file, line) == mask;
}

template <class T>
T emu_shuffle(emu_op op, unsigned mask, T v, int arg, int width, const char *file, int line)
{
    static_assert(std::is_arithmetic<T>::value && (sizeof(T) == 4 || sizeof(T) == 8),
                  "shuffles move int, unsigned, long long, float and double");
    uint64_t bits = 0;

    memcpy(&bits, &v, sizeof v);
    bits = emu_collective(op, mask, bits, arg, width, file, line);
    memcpy(&v, &bits, sizeof v);
    return v;
}

template <class T> T __shfl_sync(unsigned mask, T v, int lane, int width = 32, EMU_HERE)
{
    return emu_shuffle(EMU_SHFL, mask, v, lane, width, file, line);
}

template <class T> T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32, EMU_HERE)
{
    return emu_shuffle(EMU_UP, mask, v, (int)delta, width, file, line);
}

template <class T> T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32, EMU_HERE)
{
    return emu_shuffle(EMU_DOWN, mask, v, (int)delta, width, file, line);
}

template <class T> T __shfl_xor_sync(unsigned mask, T v, int bits, int width = 32, EMU_HERE)
{
    return emu_shuffle(EMU_XOR, mask, v, bits, width, file, line);
}

/* Bits and conversions */
template <class To, class From> inline To emu_cast(From v)
{
    To w;

    static_assert(sizeof(To) == sizeof(From), "");
    memcpy(&w, &v, sizeof w);
    return w;
}

template <class T> inline T __ldg(const T *p) { return *p; }
inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
inline int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
inline int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
inline int __mulhi(int a, int b) { return (int)((int64_t)a * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline unsigned __brev(unsigned v)
{
    unsigned r = 0;

    for (int i = 0; i < 32; i++)
        r |= (v >> i & 1u) << (31 - i);
    return r;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)((((uint64_t)high << 32 | low) << (shift & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)
{
    return (unsigned)(((uint64_t)high << 32 | low) >> (shift & 31));
}
inline int __float_as_int(float v) { return emu_cast<int>(v); }
inline unsigned __float_as_uint(float v) { return emu_cast<unsigned>(v); }
inline float __int_as_float(int v) { return emu_cast<float>(v); }
inline float __uint_as_float(unsigned v) { return emu_cast<float>(v); }
inline long long __double_as_longlong(double v) { return emu_cast<long long>(v); }
inline double __longlong_as_double(long long v) { return emu_cast<double>(v); }
inline int __float2int_rn(float v) { return (int)nearbyintf(v); }
inline int __float2int_rz(float v) { return (int)v; }
inline int __float2int_rd(float v) { return (int)floorf(v); }
inline float __int2float_rn(int v) { return (float)v; }
inline float __uint2float_rn(unsigned v) { return (float)v; }
inline float __double2float_rn(double v) { return (float)v; }

/* Math: the fast forms are as exact as the plain ones here */
inline float __expf(float x) { return expf(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __frsqrt_rn(float x) { return 1.0f / sqrtf(x); }
inline float __saturatef(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }

#define EMU_MINMAX(T) \
    inline T min(T a, T b) { return b < a ? b : a; } \
    inline T max(T a, T b) { return a < b ? b : a; }
EMU_MINMAX(int)
EMU_MINMAX(unsigned)
EMU_MINMAX(long)
EMU_MINMAX(unsigned long)
EMU_MINMAX(long long)
EMU_MINMAX(unsigned long long)
#undef EMU_MINMAX
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }   /* as CUDA mixes them */
inline unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
inline unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }
inline unsigned max(int a, unsigned b) { return max((unsigned)a, b); }

#endif
