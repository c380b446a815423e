/* dropout.c - the masks of dropout */
#include "common/device/device.h"
#include "common/train/train_kernels.h"
#include "common/train/vector.h"
#include "common/base/rng.h"

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
        se_ranges(net, (count + SE_MASKED - 1) / SE_MASKED, 16 * SE_MASKED,
                  se_kernels_for(SE_MASKED)->mask, &m);
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
