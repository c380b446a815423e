/* sim_kernel.c - the inner loops: plain C, and AVX2 where the CPU has it
 *
 * Only dot() decides what is written out, so it adds in a fixed order and is compiled without
 * fused multiply-add.  The others find candidates within proven margins of error. */
#include "common/sim_kernel.h"

#include <stddef.h>

enum { LANES = 8 };

/* The partial sums of dot(), in one fixed order. */
static double join(const double a[LANES])
{
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}

static double dot_plain(const double *y, const float *x, double shift, double mean,
                        uint64_t d)
{
    double a[LANES] = { 0 };
    uint64_t t = 0;

    for (; t + LANES <= d; t += LANES)
        for (int l = 0; l < LANES; l++)
            a[l] += y[t + l] * ((x[t + l] - shift) - mean);
    for (; t < d; t++)
        a[t % LANES] += y[t] * ((x[t] - shift) - mean);
    return join(a);
}

static uint64_t leaf_plain(const float *leaf, const float *q, uint64_t d, float limit,
                           float dist[SE_LEAF])
{
    uint64_t mask = 0;

    for (int j = 0; j < SE_LEAF; j++)
        dist[j] = 0;
    for (uint64_t t = 0; t < d; t++, leaf += SE_LEAF)
        for (int j = 0; j < SE_LEAF; j++)
            dist[j] += (leaf[j] - q[t]) * (leaf[j] - q[t]);
    for (int j = 0; j < SE_LEAF; j++)
        mask |= (uint64_t)(dist[j] <= limit) << j;
    return mask;
}

static uint64_t box_plain(const float *leaf, const float *box, uint64_t d,
                          const float limit[SE_LEAF])
{
    float dist[SE_LEAF] = { 0 };
    uint64_t mask = 0;

    for (uint64_t t = 0; t < d; t++, leaf += SE_LEAF)
        for (int j = 0; j < SE_LEAF; j++) {
            const float under = box[t] - leaf[j], over = leaf[j] - box[d + t];
            const float far = under > over ? under : over;

            dist[j] += far > 0 ? far * far : 0;
        }
    for (int j = 0; j < SE_LEAF; j++)
        mask |= (uint64_t)(dist[j] <= limit[j]) << j;
    return mask;
}

static uint32_t scan_plain(const float *s, const float *floor, float own, uint32_t n,
                           uint32_t *hit)
{
    uint32_t hits = 0;

    for (uint32_t c = 0; c < n; c++)
        if (s[c] >= own || s[c] >= floor[c])
            hit[hits++] = c;
    return hits;
}

static uint32_t count_plain(const float *s, uint32_t n, float x)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < n; i++)
        count += s[i] >= x;
    return count;
}

static const struct se_sim_kernels plain = { dot_plain, leaf_plain, box_plain, scan_plain,
                                             count_plain };

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX2_FMA __attribute__((target("avx2,fma")))
#ifdef __clang__
#define UNROLL                  /* it does so by itself */
#else
#define UNROLL _Pragma("GCC unroll 8")  /* the sums must stay in registers */
#endif

AVX2 static double dot_avx2(const double *y, const float *x, double shift, double mean,
                            uint64_t d)
{
    const __m256d s = _mm256_set1_pd(shift), m = _mm256_set1_pd(mean);
    __m256d low = _mm256_setzero_pd(), high = low;
    double a[LANES];
    uint64_t t = 0;

    for (; t + LANES <= d; t += LANES) {
        const __m256 v = _mm256_loadu_ps(x + t);
        const __m256d v0 = _mm256_cvtps_pd(_mm256_castps256_ps128(v));
        const __m256d v1 = _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1));

        low = _mm256_add_pd(low, _mm256_mul_pd(_mm256_loadu_pd(y + t),
                                _mm256_sub_pd(_mm256_sub_pd(v0, s), m)));
        high = _mm256_add_pd(high, _mm256_mul_pd(_mm256_loadu_pd(y + t + 4),
                                _mm256_sub_pd(_mm256_sub_pd(v1, s), m)));
    }
    _mm256_storeu_pd(a, low);
    _mm256_storeu_pd(a + 4, high);
    for (; t < d; t++)
        a[t % LANES] += y[t] * ((x[t] - shift) - mean);
    return join(a);
}

AVX2_FMA static uint64_t leaf_avx2(const float *leaf, const float *q, uint64_t d, float limit,
                                   float dist[SE_LEAF])
{
    const __m256 most = _mm256_set1_ps(limit);
    __m256 sum[SE_LEAF / 8];
    uint64_t mask = 0;

    UNROLL
    for (int v = 0; v < SE_LEAF / 8; v++)
        sum[v] = _mm256_setzero_ps();
    for (uint64_t t = 0; t < d; t++, leaf += SE_LEAF) {
        const __m256 qt = _mm256_set1_ps(q[t]);

        UNROLL
        for (int v = 0; v < SE_LEAF / 8; v++) {
            const __m256 far = _mm256_sub_ps(_mm256_loadu_ps(leaf + 8 * v), qt);

            sum[v] = _mm256_fmadd_ps(far, far, sum[v]);
        }
    }
    UNROLL
    for (int v = 0; v < SE_LEAF / 8; v++) {
        _mm256_storeu_ps(dist + 8 * v, sum[v]);
        mask |= (uint64_t)(unsigned)_mm256_movemask_ps(
                    _mm256_cmp_ps(sum[v], most, _CMP_LE_OQ)) << (8 * v);
    }
    return mask;
}

AVX2_FMA static uint64_t box_avx2(const float *leaf, const float *box, uint64_t d,
                                  const float limit[SE_LEAF])
{
    const __m256 zero = _mm256_setzero_ps();
    __m256 sum[SE_LEAF / 8];
    uint64_t mask = 0;

    UNROLL
    for (int v = 0; v < SE_LEAF / 8; v++)
        sum[v] = zero;
    for (uint64_t t = 0; t < d; t++, leaf += SE_LEAF) {
        const __m256 lower = _mm256_set1_ps(box[t]), upper = _mm256_set1_ps(box[d + t]);

        UNROLL
        for (int v = 0; v < SE_LEAF / 8; v++) {
            const __m256 x = _mm256_loadu_ps(leaf + 8 * v);
            const __m256 far = _mm256_max_ps(zero, _mm256_max_ps(_mm256_sub_ps(lower, x),
                                                                 _mm256_sub_ps(x, upper)));

            sum[v] = _mm256_fmadd_ps(far, far, sum[v]);
        }
    }
    UNROLL
    for (int v = 0; v < SE_LEAF / 8; v++)
        mask |= (uint64_t)(unsigned)_mm256_movemask_ps(
                    _mm256_cmp_ps(sum[v], _mm256_loadu_ps(limit + 8 * v), _CMP_LE_OQ))
                << (8 * v);
    return mask;
}

AVX2 static uint32_t scan_avx2(const float *s, const float *floor, float own, uint32_t n,
                               uint32_t *hit)
{
    const __m256 least = _mm256_set1_ps(own);
    uint32_t hits = 0, c = 0;

    for (; c + 8 <= n; c += 8) {
        const __m256 v = _mm256_loadu_ps(s + c);
        const __m256 lower = _mm256_min_ps(least, _mm256_loadu_ps(floor + c));
        unsigned mask = (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(v, lower, _CMP_GE_OQ));

        for (; mask; mask &= mask - 1)
            hit[hits++] = c + (uint32_t)__builtin_ctz(mask);
    }
    for (; c < n; c++)
        if (s[c] >= own || s[c] >= floor[c])
            hit[hits++] = c;
    return hits;
}

AVX2 static uint32_t count_avx2(const float *s, uint32_t n, float x)
{
    const __m256 least = _mm256_set1_ps(x);
    __m256i sum = _mm256_setzero_si256();       /* counts down: a true lane is -1 */
    int lane[8];
    uint32_t count = 0, i = 0;

    for (; i + 8 <= n; i += 8)
        sum = _mm256_add_epi32(sum, _mm256_castps_si256(
                  _mm256_cmp_ps(_mm256_loadu_ps(s + i), least, _CMP_GE_OQ)));
    _mm256_storeu_si256((__m256i *)lane, sum);
    for (int l = 0; l < 8; l++)
        count -= (uint32_t)lane[l];
    for (; i < n; i++)
        count += s[i] >= x;
    return count;
}

static const struct se_sim_kernels avx2 = { dot_avx2, leaf_avx2, box_avx2, scan_avx2,
                                            count_avx2 };
#endif

const struct se_sim_kernels *se_sim_kernels(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &avx2;
#endif
    return &plain;
}
