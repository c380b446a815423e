/* rng.c - counter-based random numbers */
#include "common/base/rng.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

void se_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
    uint32_t k0 = key[0], k1 = key[1];

    for (int round = 0; round < 10; round++) {
        const uint64_t p0 = (uint64_t)0xD2511F53 * c0, p1 = (uint64_t)0xCD9E8D57 * c2;

        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c1 = (uint32_t)p1;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

/* Counter: word 0 counts blocks, word 1 the purpose, words 2 and 3 the index. */
void se_rng_init(struct se_rng *r, uint64_t seed, uint32_t purpose, uint64_t index)
{
    memset(r, 0, sizeof *r);
    r->key[0] = (uint32_t)seed;
    r->key[1] = (uint32_t)(seed >> 32);
    r->counter[1] = purpose;
    r->counter[2] = (uint32_t)index;
    r->counter[3] = (uint32_t)(index >> 32);
}

void se_rng_more(struct se_rng *r)
{
    se_philox(r->counter, r->key, r->out);
    r->counter[0]++;
    r->left = 4;
}

#if defined(__x86_64__)
#include <immintrin.h>

/* Four streams a vector, each word in a lane of 64 bits whose upper half is of no matter. */
__attribute__((target("avx2"))) static void first_of_four(struct se_rng *r, uint32_t purpose,
                                                          uint64_t index)
{
    const __m256i m0 = _mm256_set1_epi64x(0xD2511F53), m1 = _mm256_set1_epi64x(0xCD9E8D57);
    __m256i c0 = _mm256_setzero_si256(), c1 = _mm256_set1_epi64x(purpose);
    __m256i c2 = _mm256_add_epi64(_mm256_set1_epi64x((long long)index),
                                  _mm256_setr_epi64x(0, 1, 2, 3));
    __m256i c3 = _mm256_srli_epi64(c2, 32);
    uint32_t k0 = r->key[0], k1 = r->key[1];

#pragma GCC unroll 10
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9, k1 += 0xBB67AE85) {
        const __m256i p0 = _mm256_mul_epu32(c0, m0), p1 = _mm256_mul_epu32(c2, m1);

        c0 = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p1, 32), c1),
                              _mm256_set1_epi64x(k0));
        c1 = p1;
        c2 = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(p0, 32), c3),
                              _mm256_set1_epi64x(k1));
        c3 = p0;
    }
    const __m256i low = _mm256_blend_epi32(c0, _mm256_slli_epi64(c1, 32), 0xaa);
    const __m256i high = _mm256_blend_epi32(c2, _mm256_slli_epi64(c3, 32), 0xaa);
    const __m256i even = _mm256_unpacklo_epi64(low, high);
    const __m256i odd = _mm256_unpackhi_epi64(low, high);

    _mm_storeu_si128((__m128i *)r[0].out, _mm256_castsi256_si128(even));
    _mm_storeu_si128((__m128i *)r[1].out, _mm256_castsi256_si128(odd));
    _mm_storeu_si128((__m128i *)r[2].out, _mm256_extracti128_si256(even, 1));
    _mm_storeu_si128((__m128i *)r[3].out, _mm256_extracti128_si256(odd, 1));
}
#endif

void se_rng_init_batch(struct se_rng r[SE_RNG_BATCH], uint64_t seed, uint32_t purpose,
                       uint64_t index)
{
    bool made = false;

    for (int i = 0; i < SE_RNG_BATCH; i++)
        se_rng_init(&r[i], seed, purpose, index + (uint64_t)i);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        for (int i = 0; i < SE_RNG_BATCH; i += 4)
            first_of_four(r + i, purpose, index + (uint64_t)i);
        made = true;
    }
#endif
    for (int i = 0; i < SE_RNG_BATCH; i++) {
        if (!made)
            se_philox(r[i].counter, r[i].key, r[i].out);
        r[i].counter[0] = 1;
        r[i].left = 4;
    }
}

double se_rng_unit(struct se_rng *r)
{
    return (double)(se_rng_u64(r) >> 11) * 0x1p-53;
}

/* Lemire's multiplication, rejecting the few values that would favour some results. */
uint64_t se_rng_below(struct se_rng *r, uint64_t n)
{
    unsigned __int128 p = (unsigned __int128)se_rng_u64(r) * n;

    if ((uint64_t)p < n)
        for (const uint64_t least = -n % n; (uint64_t)p < least;)
            p = (unsigned __int128)se_rng_u64(r) * n;
    return (uint64_t)(p >> 64);
}

double se_rng_normal(struct se_rng *r)
{
    const double u = 1 - se_rng_unit(r), v = se_rng_unit(r);

    return sqrt(-2 * log(u)) * cos(6.283185307179586477 * v);
}
