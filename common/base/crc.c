/* crc.c - CRC-32: carry-less multiplication where the CPU has it, else zlib
 *
 * zlib makes 3.7 GB/s where cat through a pipe makes 2.3: it would be a third of the time of
 * reading a stream.  Folding 64 bytes at a time (Gopal et al., "Fast CRC Computation for
 * Generic Polynomials Using PCLMULQDQ Instruction", Intel 2009) makes 11. */
#include "common/base/crc.h"

#include <zlib.h>

static uint32_t crc_zlib(uint32_t crc, const unsigned char *p, size_t len)
{
    return (uint32_t)crc32_z(crc, p, len);
}

#if defined(__x86_64__)
#include <immintrin.h>

#define CLMUL __attribute__((target("pclmul,sse4.1")))

/* Multiply both halves of x by the powers in k and add the next 16 bytes. */
CLMUL static inline __m128i fold(__m128i x, __m128i k, __m128i next)
{
    const __m128i low = _mm_clmulepi64_si128(x, k, 0x00);
    const __m128i high = _mm_clmulepi64_si128(x, k, 0x11);

    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

CLMUL static inline __m128i load(const unsigned char *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* From 128 bits to 32: two foldings and a Barrett reduction. */
CLMUL static uint32_t reduce(__m128i x, __m128i k3k4)
{
    const __m128i k5 = _mm_set_epi64x(0, 0x163cd6124);
    const __m128i poly = _mm_set_epi64x(0x1f7011641, 0x1db710641);
    const __m128i mask = _mm_setr_epi32(-1, 0, -1, 0);
    __m128i t;

    x = _mm_xor_si128(_mm_srli_si128(x, 8), _mm_clmulepi64_si128(x, k3k4, 0x10));
    t = _mm_srli_si128(x, 4);
    x = _mm_xor_si128(_mm_clmulepi64_si128(_mm_and_si128(x, mask), k5, 0x00), t);
    t = _mm_clmulepi64_si128(_mm_and_si128(x, mask), poly, 0x10);
    t = _mm_clmulepi64_si128(_mm_and_si128(t, mask), poly, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(x, t), 1);
}

/* len >= 64 and a multiple of 16; crc already inverted */
CLMUL static uint32_t crc_clmul(uint32_t crc, const unsigned char *p, size_t len)
{
    const __m128i k1k2 = _mm_set_epi64x(0x1c6e41596, 0x154442bd4);
    const __m128i k3k4 = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0);
    __m128i a = _mm_xor_si128(load(p), _mm_cvtsi32_si128((int)crc));
    __m128i b = load(p + 16), c = load(p + 32), d = load(p + 48);

    for (p += 64, len -= 64; len >= 64; p += 64, len -= 64) {
        a = fold(a, k1k2, load(p));
        b = fold(b, k1k2, load(p + 16));
        c = fold(c, k1k2, load(p + 32));
        d = fold(d, k1k2, load(p + 48));
    }
    a = fold(fold(fold(a, k3k4, b), k3k4, c), k3k4, d);
    for (; len >= 16; p += 16, len -= 16)
        a = fold(a, k3k4, load(p));
    return reduce(a, k3k4);
}

uint32_t se_crc32(uint32_t crc, const void *data, size_t len)
{
    const unsigned char *p = data;

    if (len >= 64 && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1")) {
        const size_t bulk = len & ~(size_t)15;

        crc = ~crc_clmul(~crc, p, bulk);
        p += bulk;
        len -= bulk;
    }
    return crc_zlib(crc, p, len);
}
#else
uint32_t se_crc32(uint32_t crc, const void *data, size_t len)
{
    return crc_zlib(crc, data, len);
}
#endif
