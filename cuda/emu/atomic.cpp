/* atomic.cpp - atomic operations: plain ones, because threads are switched only where they wait */
#include "emu.h"

#define ATOMIC(name, T, result) \
    T name(T *p, T v) \
    { \
        emu_check_atomic(p, sizeof *p, __builtin_return_address(0)); \
        T old = *p; \
        *p = (T)(result); \
        return old; \
    }


typedef unsigned long long ull;

ATOMIC(atomicAdd, int, (unsigned)old + (unsigned)v)
ATOMIC(atomicAdd, unsigned, old + v)
ATOMIC(atomicAdd, ull, old + v)
ATOMIC(atomicAdd, float, old + v)
ATOMIC(atomicAdd, double, old + v)
ATOMIC(atomicSub, int, (unsigned)old - (unsigned)v)
ATOMIC(atomicSub, unsigned, old - v)
ATOMIC(atomicMax, int, old < v ? v : old)
ATOMIC(atomicMax, unsigned, old < v ? v : old)
ATOMIC(atomicMax, ull, old < v ? v : old)
ATOMIC(atomicMin, int, v < old ? v : old)
ATOMIC(atomicMin, unsigned, v < old ? v : old)
ATOMIC(atomicMin, ull, v < old ? v : old)
ATOMIC(atomicExch, int, v)
ATOMIC(atomicExch, unsigned, v)
ATOMIC(atomicExch, ull, v)
ATOMIC(atomicExch, float, v)
ATOMIC(atomicOr, int, old | v)
ATOMIC(atomicOr, unsigned, old | v)
ATOMIC(atomicAnd, int, old & v)
ATOMIC(atomicAnd, unsigned, old & v)

#define CAS(T) \
    T atomicCAS(T *p, T expected, T v) \
    { \
        emu_check_atomic(p, sizeof *p, __builtin_return_address(0)); \
        T old = *p; \
        if (old == expected) \
            *p = v; \
        return old; \
    }

CAS(int)
CAS(unsigned)
CAS(ull)
