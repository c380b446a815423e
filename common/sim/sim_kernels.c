/* sim_kernels.c - the inner loops: plain C, and AVX2 where the CPU has it
 *
 * Only dot() and similar() decide what is written out, so they add in one fixed order and are
 * compiled without fused multiply-add.  The others find candidates within proven margins of error. */
#include "common/sim/sim_kernels.h"

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

static void similar_plain(const double *table, uint64_t stride, uint64_t i,
                          const uint32_t *id, uint32_t n, float *s)
{
    const double *y = table + i * stride;

    for (uint32_t j = 0; j < n; j++) {
        const double *x = table + id[j] * stride;
        double a[LANES] = { 0 };

        for (uint64_t t = 0; t + 1 < stride; t++)
            a[t % LANES] += y[t] * x[t];
        s[j] = se_sim_snap(join(a) * (y[stride - 1] * x[stride - 1]));
    }
}

static void leaf_plain(const float *leaf, const float *q, uint64_t d, uint64_t mask,
                       const float *floor, uint64_t near[SE_LEAF], float score[][SE_LEAF])
{
    for (; mask; mask &= mask - 1) {
        const int i = __builtin_ctzll(mask);
        float dist[SE_LEAF] = { 0 };

        near[i] = 0;
        for (uint64_t t = 0; t < d; t++)
            for (int j = 0; j < SE_LEAF; j++) {
                const float far = leaf[t * SE_LEAF + j] - q[i * d + t];

                dist[j] += far * far;
            }
        for (int j = 0; j < SE_LEAF; j++) {
            near[i] |= (uint64_t)(dist[j] <= -floor[i]) << j;
            score[i][j] = -dist[j];
        }
    }
}

static uint32_t pick_plain(uint64_t near, const uint32_t name[SE_LEAF],
                           const float score[SE_LEAF], uint32_t *id, float *to)
{
    uint32_t hits = 0;

    for (; near; near &= near - 1, hits++) {
        const int j = __builtin_ctzll(near);

        id[hits] = name[j];
        to[hits] = score[j];
    }
    return hits;
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

static void range_plain(const float *s, uint32_t n, float *least, float *largest)
{
    *least = *largest = s[0];
    for (uint32_t i = 1; i < n; i++) {
        *least = s[i] < *least ? s[i] : *least;
        *largest = s[i] > *largest ? s[i] : *largest;
    }
}

static uint32_t keep_plain(uint32_t *id, float *s, uint32_t n, float x)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < n; i++) {
        id[kept] = id[i];
        s[kept] = s[i];
        kept += s[kept] >= x;
    }
    return kept;
}

static void rank_plain(const uint64_t *key, uint32_t n, uint8_t *rank)
{
    for (uint32_t i = 0; i < n; i++) {
        unsigned less = 0;

        for (uint32_t j = 0; j < n; j++)
            less += key[j] < key[i];
        rank[i] = (uint8_t)less;
    }
}

static const struct se_sim_kernels plain = { dot_plain, similar_plain, leaf_plain, pick_plain,
                                             box_plain, scan_plain, count_plain, range_plain,
                                             keep_plain, rank_plain };

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX2_FMA __attribute__((target("avx2,fma")))
#define AVX2_POPCNT __attribute__((target("avx2,fma,popcnt")))
#ifdef __clang__
#define UNROLL                  /* it does so by itself */
#else
#define UNROLL _Pragma("GCC unroll 8")  /* the sums must stay in registers */
#endif

/* The lanes below n: all bits set. */
AVX2 static inline __m256i lanes_below(uint32_t n)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

AVX2 static double dot_avx2(const double *y, const float *x, double shift, double mean,
                            uint64_t d)
{
    const __m256d s = _mm256_set1_pd(shift), m = _mm256_set1_pd(mean);
    __m256d low = _mm256_setzero_pd(), high = low;
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
    if (t < d) {                                /* the rest: lanes beyond it add nothing */
        const __m256i mask = lanes_below((uint32_t)(d - t));
        const __m256i m0 = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(mask));
        const __m256i m1 = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(mask, 1));
        const __m256 v = _mm256_maskload_ps(x + t, mask);
        const __m256d v0 = _mm256_cvtps_pd(_mm256_castps256_ps128(v));
        const __m256d v1 = _mm256_cvtps_pd(_mm256_extractf128_ps(v, 1));

        low = _mm256_add_pd(low, _mm256_mul_pd(_mm256_maskload_pd(y + t, m0),
                                _mm256_sub_pd(_mm256_sub_pd(v0, s), m)));
        high = _mm256_add_pd(high, _mm256_mul_pd(_mm256_maskload_pd(y + t + 4, m1),
                                _mm256_sub_pd(_mm256_sub_pd(v1, s), m)));
    }
    /* as join(): 0 + 4, 1 + 5, 2 + 6, 3 + 7; then the first and third, second and fourth */
    low = _mm256_add_pd(low, high);
    const __m128d pair = _mm_add_pd(_mm256_castpd256_pd128(low),
                                    _mm256_extractf128_pd(low, 1));

    return _mm_cvtsd_f64(_mm_add_sd(pair, _mm_unpackhi_pd(pair, pair)));
}

/* The eight partial sums of a product, the upper four added to the lower.  The last number of
 * a row takes no part. */
AVX2 static inline __m256d partial(const double *y, const double *x, uint64_t stride)
{
    __m256d low = _mm256_setzero_pd(), high = low;

    for (uint64_t t = 0; t < stride; t += LANES) {
        __m256d last = _mm256_loadu_pd(y + t + 4);

        if (t + LANES == stride)
            last = _mm256_blend_pd(last, _mm256_setzero_pd(), 8);
        low = _mm256_add_pd(low, _mm256_mul_pd(_mm256_loadu_pd(y + t),
                                               _mm256_loadu_pd(x + t)));
        high = _mm256_add_pd(high, _mm256_mul_pd(last, _mm256_loadu_pd(x + t + 4)));
    }
    return _mm256_add_pd(low, high);
}

/* The first half of join() for two rows. */
AVX2 static inline __m256d halves(__m256d a, __m256d b)
{
    return _mm256_add_pd(_mm256_permute2f128_pd(a, b, 0x20),
                         _mm256_permute2f128_pd(a, b, 0x31));
}

AVX2 static void similar_avx2(const double *table, uint64_t stride, uint64_t i,
                              const uint32_t *id, uint32_t n, float *s)
{
    const __m256d one = _mm256_set1_pd(1), grid = _mm256_set1_pd(SE_SIM_GRID);
    const __m256d unit = _mm256_set1_pd(1 / SE_SIM_GRID);
    const double *y = table + i * stride;
    const __m256d own = _mm256_set1_pd(y[stride - 1]);

    for (uint32_t j = 0; j < n; j += 4) {
        const double *x[4];
        __m256d sum[4], v;
        float four[4];

        UNROLL
        for (uint32_t l = 0; l < 4; l++) {
            if (j + l + 8 < n)
                __builtin_prefetch(table + id[j + l + 8] * stride);
            x[l] = table + id[j + l < n ? j + l : n - 1] * stride;
            sum[l] = partial(y, x[l], stride);
        }
        v = _mm256_hadd_pd(halves(sum[0], sum[2]), halves(sum[1], sum[3]));
        v = _mm256_mul_pd(v, _mm256_mul_pd(own,
                _mm256_setr_pd(x[0][stride - 1], x[1][stride - 1], x[2][stride - 1],
                               x[3][stride - 1])));
        v = _mm256_mul_pd(_mm256_round_pd(_mm256_mul_pd(v, grid), _MM_FROUND_CUR_DIRECTION),
                          unit);
        v = _mm256_max_pd(_mm256_min_pd(v, one), _mm256_sub_pd(_mm256_setzero_pd(), one));
        if (j + 4 <= n) {
            _mm_storeu_ps(s + j, _mm256_cvtpd_ps(v));
        } else {
            _mm_storeu_ps(four, _mm256_cvtpd_ps(v));
            for (uint32_t l = j; l < n; l++)
                s[l] = four[l - j];
        }
    }
}

/* The lanes in a mask of four come to the front: the bytes they are shuffled from. */
#define LANE(l) 4 * (l), 4 * (l) + 1, 4 * (l) + 2, 4 * (l) + 3
#define LANES4(a, b, c, e) { LANE(a), LANE(b), LANE(c), LANE(e) }
static const uint8_t front[16][16] = {
    LANES4(0, 1, 2, 3), LANES4(0, 1, 2, 3), LANES4(1, 0, 2, 3), LANES4(0, 1, 2, 3),
    LANES4(2, 0, 1, 3), LANES4(0, 2, 1, 3), LANES4(1, 2, 0, 3), LANES4(0, 1, 2, 3),
    LANES4(3, 0, 1, 2), LANES4(0, 3, 1, 2), LANES4(1, 3, 0, 2), LANES4(0, 1, 3, 2),
    LANES4(2, 3, 0, 1), LANES4(0, 2, 3, 1), LANES4(1, 2, 3, 0), LANES4(0, 1, 2, 3),
};

/* Append those of four names and scores that are in the mask; how many. */
AVX2 static inline uint32_t pack4(unsigned mask, const uint32_t *name, __m128 scores,
                                  uint32_t *id, float *score)
{
    const __m128i to = _mm_loadu_si128((const __m128i *)front[mask]);
    const __m128i names = _mm_loadu_si128((const __m128i *)name);

    _mm_storeu_si128((__m128i *)id, _mm_shuffle_epi8(names, to));
    _mm_storeu_si128((__m128i *)score, _mm_shuffle_epi8(_mm_castps_si128(scores), to));
    return (uint32_t)__builtin_popcount(mask);
}

/* No branch depends on a distance, so that one query is begun while another ends. */
AVX2_FMA static void leaf_avx2(const float *leaf, const float *q, uint64_t d, uint64_t mask,
                               const float *floor, uint64_t near[SE_LEAF],
                               float score[][SE_LEAF])
{
    for (; mask; mask &= mask - 1) {
        const int i = __builtin_ctzll(mask);
        const __m256 least = _mm256_set1_ps(floor[i]);
        const float *x = leaf, *own = q + (uint64_t)i * d;
        __m256 sum[SE_LEAF / 8];                /* minus the distances */
        uint64_t hits = 0;

        UNROLL
        for (int v = 0; v < SE_LEAF / 8; v++)
            sum[v] = _mm256_setzero_ps();
        for (uint64_t t = 0; t < d; t++, x += SE_LEAF) {
            const __m256 qt = _mm256_set1_ps(own[t]);

            UNROLL
            for (int v = 0; v < SE_LEAF / 8; v++) {
                const __m256 far = _mm256_sub_ps(_mm256_loadu_ps(x + 8 * v), qt);

                sum[v] = _mm256_fnmadd_ps(far, far, sum[v]);
            }
        }
        UNROLL
        for (int v = 0; v < SE_LEAF / 8; v++) {
            _mm256_storeu_ps(score[i] + 8 * v, sum[v]);
            hits |= (uint64_t)(unsigned)_mm256_movemask_ps(
                        _mm256_cmp_ps(sum[v], least, _CMP_GE_OQ)) << (8 * v);
        }
        near[i] = hits;
    }
}

AVX2_POPCNT static uint32_t pick_avx2(uint64_t near, const uint32_t name[SE_LEAF],
                                      const float score[SE_LEAF], uint32_t *id, float *to)
{
    enum { MANY = 12 };         /* hits that are not worth a step each */
    uint32_t hits = 0;

    if (__builtin_popcountll(near) <= MANY)
        return pick_plain(near, name, score, id, to);
    for (int v = 0; v < SE_LEAF; v += 4)
        hits += pack4(near >> v & 15, name + v, _mm_loadu_ps(score + v), id + hits,
                      to + hits);
    return hits;
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

/* Of 64 lanes those that reach the lower of two floors */
AVX2 static inline uint64_t reach64(const float *s, const float *floor, __m256 own)
{
    uint64_t mask = 0;

    UNROLL
    for (unsigned i = 0; i < 8; i++) {
        const __m256 lower = _mm256_min_ps(own, _mm256_loadu_ps(floor + 8 * i));
        const __m256 there = _mm256_cmp_ps(_mm256_loadu_ps(s + 8 * i), lower, _CMP_GE_OQ);

        mask |= (uint64_t)(unsigned)_mm256_movemask_ps(there) << 8 * i;
    }
    return mask;
}

/* Few of 64 lanes are hits, and how many nobody can predict: four are written always, whether there
 * are so many or not, and what is too much is written over. */
AVX2_POPCNT static uint32_t scan_avx2(const float *s, const float *floor, float own, uint32_t n,
                                      uint32_t *hit)
{
    const __m256 least = _mm256_set1_ps(own);
    uint32_t hits = 0, c = 0;

    for (; c + 64 <= n; c += 64) {
        uint64_t mask = reach64(s + c, floor + c, least);
        const uint32_t end = hits + (uint32_t)__builtin_popcountll(mask);

        if (mask == 0)
            continue;
        for (uint32_t i = 0; i < 4; i++, mask &= mask - 1)
            hit[hits + i] = c + (uint32_t)__builtin_ctzll(mask | 1ull << 63);
        for (uint32_t i = hits + 4; i < end; i++, mask &= mask - 1)
            hit[i] = c + (uint32_t)__builtin_ctzll(mask);
        hits = end;
    }
    for (; c < n; c++)
        if (s[c] >= own || s[c] >= floor[c])
            hit[hits++] = c;
    return hits;
}

AVX2_POPCNT static uint32_t count_avx2(const float *s, uint32_t n, float x)
{
    const __m256 least = _mm256_set1_ps(x);
    uint32_t count = 0, i = 0;

    for (; i + 8 <= n; i += 8)
        count += (uint32_t)__builtin_popcount((unsigned)_mm256_movemask_ps(
                     _mm256_cmp_ps(_mm256_loadu_ps(s + i), least, _CMP_GE_OQ)));
    if (i < n) {
        const __m256i rest = lanes_below(n - i);
        const __m256 v = _mm256_cmp_ps(_mm256_maskload_ps(s + i, rest), least, _CMP_GE_OQ);

        count += (uint32_t)__builtin_popcount((unsigned)_mm256_movemask_ps(
                     _mm256_and_ps(v, _mm256_castsi256_ps(rest))));
    }
    return count;
}

AVX2 static void range_avx2(const float *s, uint32_t n, float *least, float *largest)
{
    __m256 low = _mm256_set1_ps(s[0]), high = low;
    float a[8], b[8];
    uint32_t i = 0;

    for (; i + 8 <= n; i += 8) {
        low = _mm256_min_ps(low, _mm256_loadu_ps(s + i));
        high = _mm256_max_ps(high, _mm256_loadu_ps(s + i));
    }
    _mm256_storeu_ps(a, low);
    _mm256_storeu_ps(b, high);
    for (; i < n; i++) {
        a[i % 8] = s[i] < a[i % 8] ? s[i] : a[i % 8];
        b[i % 8] = s[i] > b[i % 8] ? s[i] : b[i % 8];
    }
    range_plain(a, 8, least, &a[0]);
    range_plain(b, 8, &b[0], largest);
}

AVX2 static uint32_t keep_avx2(uint32_t *id, float *s, uint32_t n, float x)
{
    const __m128 least = _mm_set1_ps(x);
    uint32_t kept = 0, i = 0;

    for (; i + 4 <= n; i += 4) {
        const __m128 v = _mm_loadu_ps(s + i);

        kept += pack4((unsigned)_mm_movemask_ps(_mm_cmpge_ps(v, least)), id + i, v, id + kept,
                      s + kept);
    }
    for (; i < n; i++) {
        id[kept] = id[i];
        s[kept] = s[i];
        kept += s[kept] >= x;
    }
    return kept;
}

/* Signed comparison will do: a flip of the highest bit keeps the order. */
AVX2 static void rank_whole(const uint64_t *key, uint32_t n, uint8_t *rank)
{
    uint64_t flipped[SE_RANKED] = { 0 };
    const uint32_t full = (n + 3) / 4 * 4;

    for (uint32_t i = 0; i < full; i++)
        flipped[i] = i < n ? key[i] ^ 1ull << 63 : INT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        const __m256i own = _mm256_set1_epi64x((long long)flipped[i]);
        __m256i sum = _mm256_setzero_si256();   /* counts down */
        int64_t lane[4];

        for (uint32_t j = 0; j < full; j += 4)
            sum = _mm256_add_epi64(sum, _mm256_cmpgt_epi64(own,
                      _mm256_loadu_si256((const __m256i *)(flipped + j))));
        _mm256_storeu_si256((__m256i *)lane, sum);
        rank[i] = (uint8_t)-(lane[0] + lane[1] + lane[2] + lane[3]);
    }
}

/* By the upper halves of the keys, 32 of them at a time against all; these are enough unless
 * some are equal. */
AVX2 static void rank_avx2(const uint64_t *key, uint32_t n, uint8_t *rank)
{
    int32_t half[SE_RANKED], place[SE_RANKED];
    uint64_t taken = 0;

    for (uint32_t i = 0; i < SE_RANKED; i++)
        half[i] = i < n ? (int32_t)((uint32_t)(key[i] >> 32) ^ 0x80000000u) : 0;
    for (uint32_t i = 0; i < n; i += 32) {
        __m256i own[4], sum[4];                 /* counts down */

        UNROLL
        for (int v = 0; v < 4; v++) {
            own[v] = _mm256_loadu_si256((const __m256i *)(half + i + 8 * v));
            sum[v] = _mm256_setzero_si256();
        }
        for (uint32_t j = 0; j < n; j++) {
            const __m256i other = _mm256_set1_epi32(half[j]);

            UNROLL
            for (int v = 0; v < 4; v++)
                sum[v] = _mm256_add_epi32(sum[v], _mm256_cmpgt_epi32(own[v], other));
        }
        UNROLL
        for (int v = 0; v < 4; v++)
            _mm256_storeu_si256((__m256i *)(place + i + 8 * v), sum[v]);
    }
    for (uint32_t i = 0; i < n; i++) {
        rank[i] = (uint8_t)-place[i];
        taken |= 1ull << rank[i];
    }
    if (taken != ~0ull >> (SE_RANKED - n))
        rank_whole(key, n, rank);
}

static const struct se_sim_kernels avx2 = { dot_avx2, similar_avx2, leaf_avx2, pick_avx2,
                                            box_avx2, scan_avx2, count_avx2, range_avx2, keep_avx2,
                                            rank_avx2 };
#endif

const struct se_sim_kernels *se_sim_kernels(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return &avx2;
#endif
    return &plain;
}
