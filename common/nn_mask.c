/* nn_mask.c - the masks of dropout */
#include "common/device.h"
#include "common/nn_vector.h"
#include "common/rng.h"

enum { PAIRS = 2, ABREAST = 2 * PAIRS };        /* Philox blocks at a time */
enum { GROUPS = 8, ELEMENTS = GROUPS * ABREAST * 8 };

typedef uint64_t pair __attribute__((vector_size(16)));

/* The product of the lower halves of the lanes; the upper ones may hold anything. */
SE_INLINE pair times(pair a, uint32_t b)
{
    const pair k = { b, b };

#ifdef __SSE2__
    return (pair)_mm_mul_epu32((__m128i)a, (__m128i)k);
#else
    return (a & 0xffffffff) * k;
#endif
}

/* The blocks from `first` on, each as the eight halves of its words; as se_philox() has it, but
 * words are the lower halves of lanes. */
SE_INLINE void philox_abreast(const struct se_masking *m, uint32_t first, uint64_t out[ABREAST][2])
{
    uint32_t k0 = m->key[0], k1 = m->key[1];
    pair c[4][PAIRS];

    for (uint32_t i = 0; i < PAIRS; i++) {
        c[0][i] = (pair){ (uint32_t)(first + 2 * i), (uint32_t)(first + 2 * i + 1) };
        for (int w = 1; w < 4; w++)
            c[w][i] = (pair){ m->counter[w], m->counter[w] };
    }
#pragma GCC unroll 10
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < PAIRS; i++) {
            const pair p0 = times(c[0][i], 0xD2511F53), p1 = times(c[2][i], 0xCD9E8D57);

            c[0][i] = (p1 >> 32) ^ c[1][i] ^ (pair){ k0, k0 };
            c[1][i] = p1;
            c[2][i] = (p0 >> 32) ^ c[3][i] ^ (pair){ k1, k1 };
            c[3][i] = p0;
        }
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    for (int i = 0; i < PAIRS; i++) {
        const pair low = (c[0][i] & 0xffffffff) | c[1][i] << 32;
        const pair high = (c[2][i] & 0xffffffff) | c[3][i] << 32;

        for (int k = 0; k < 2; k++) {
            out[2 * i + k][0] = low[k];
            out[2 * i + k][1] = high[k];
        }
    }
}

/* Elements in whole groups of blocks; halves in the order of memory, the lower first */
SE_WIDE static void mask_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_masking *m = arg;
    const uint16_t least = (uint16_t)m->least;
    uint64_t out[GROUPS][ABREAST][2];
    uint16_t half[ELEMENTS];
    uint8_t keep[ELEMENTS];

    for (uint64_t part = from; part < to; part++) {
        const uint64_t first = part * ELEMENTS;

        for (uint32_t g = 0; g < GROUPS; g++)
            philox_abreast(m, (uint32_t)(first / 8) + g * ABREAST, out[g]);
        memcpy(half, out, sizeof half);
        for (int i = 0; i < ELEMENTS; i++)
            keep[i] = half[i] >= least;
        memcpy(m->keep + first, keep, m->count - first < ELEMENTS ? m->count - first : ELEMENTS);
    }
}

void se_mask(const struct se_net *net, int layer, int part, double p, uint64_t count,
             uint8_t *keep)
{
    struct se_masking m = { .counter = { 0, SE_RNG_DROPOUT, net->epoch,
                                   (uint32_t)part << 16 | (uint32_t)layer },
                      .key = { (uint32_t)net->seed, (uint32_t)(net->seed >> 32) },
                      .least = (uint32_t)lround(p * 65536), .count = count, .keep = keep };

    if (net->gpu)
        net->gpu->cuda->mask(net->gpu->device, &m);
    else
        se_ranges(net, (count + ELEMENTS - 1) / ELEMENTS, 32 * ELEMENTS, mask_range, &m);
}

struct masked {
    const se_real *from;
    const uint8_t *keep;
    se_real *to, scale;
};

SE_WIDE static void apply_range(void *arg, uint64_t from, uint64_t to)
{
    const struct masked *m = arg;
    const se_real *x = m->from, scale = m->scale;
    const uint8_t *keep = m->keep;
    se_real *restrict y = m->to;

    for (uint64_t i = from; i < to; i++)
        y[i] = x[i] * ((se_real)keep[i] * scale);
}

void se_mask_apply(const struct se_net *net, const se_real *x, const uint8_t *keep, double p,
                   uint64_t count, se_real *y)
{
    struct masked m = { x, keep, y, (se_real)(1 / (1 - p)) };

    if (net->gpu)
        net->gpu->cuda->mask_apply(net->gpu->device, x, keep, m.scale, count, y);
    else
        se_ranges(net, count, 2, apply_range, &m);
}
