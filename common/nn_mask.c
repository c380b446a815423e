/* nn_mask.c - the masks of dropout */
#include "common/device.h"
#include "common/nn_vector.h"
#include "common/rng.h"

enum { ABREAST = 16 };          /* Philox blocks at a time */

SE_INLINE void philox_abreast(const struct se_masking *m, uint32_t first, uint32_t out[4][ABREAST])
{
    uint32_t *c0 = out[0], *c1 = out[1], *c2 = out[2], *c3 = out[3];
    uint32_t k0 = m->key[0], k1 = m->key[1];

    for (int i = 0; i < ABREAST; i++) {
        c0[i] = first + (uint32_t)i;
        c1[i] = m->counter[1];
        c2[i] = m->counter[2];
        c3[i] = m->counter[3];
    }
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < ABREAST; i++) {
            const uint64_t p0 = (uint64_t)0xD2511F53 * c0[i], p1 = (uint64_t)0xCD9E8D57 * c2[i];

            c0[i] = (uint32_t)(p1 >> 32) ^ c1[i] ^ k0;
            c1[i] = (uint32_t)p1;
            c2[i] = (uint32_t)(p0 >> 32) ^ c3[i] ^ k1;
            c3[i] = (uint32_t)p0;
        }
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
}

SE_WIDE static void mask_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_masking *m = arg;
    const uint32_t least = m->least;
    uint32_t out[4][ABREAST];

    for (uint64_t group = from; group < to; group++) {
        const uint64_t first = group * ABREAST * 8;
        const uint64_t count = m->count - first < ABREAST * 8 ? m->count - first : ABREAST * 8;
        uint8_t keep[ABREAST * 8];

        philox_abreast(m, (uint32_t)(group * ABREAST), out);
        for (int i = 0; i < ABREAST; i++)
            for (int w = 0; w < 4; w++) {
                keep[8 * i + 2 * w] = (out[w][i] & 0xffff) >= least;
                keep[8 * i + 2 * w + 1] = (out[w][i] >> 16) >= least;
            }
        memcpy(m->keep + first, keep, count);
    }
}

void se_mask(const struct se_net *net, int layer, int part, double p, uint64_t count,
             uint8_t *keep)
{
    struct se_masking m = { .counter = { 0, SE_RNG_DROPOUT, net->epoch,
                                   (uint32_t)part << 16 | (uint32_t)layer },
                      .key = { (uint32_t)net->seed, (uint32_t)(net->seed >> 32) },
                      .least = (uint32_t)lround(p * 65536), .count = count, .keep = keep };
    const uint64_t groups = (count + ABREAST * 8 - 1) / (ABREAST * 8);

    if (net->gpu)
        net->gpu->cuda->mask(net->gpu->device, &m);
    else
        se_ranges(net, groups, ABREAST * 8, mask_range, &m);
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
