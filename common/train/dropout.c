/* dropout.c - the masks of dropout */
#include "common/base/rng.h"
#include "common/train/vector.h"

void se_mask(const struct se_net *net, int layer, int part, double p, uint64_t count,
             uint8_t *keep)
{
    const struct se_masking m = { .counter = { 0, SE_RNG_DROPOUT, net->epoch,
                                   (uint32_t)part << 16 | (uint32_t)layer },
                      .key = { (uint32_t)net->seed, (uint32_t)(net->seed >> 32) },
                      .least = (uint32_t)lround(p * 65536), .count = count, .keep = keep };

    net->ops->mask(net->worker, &m);
}

void se_mask_apply(const struct se_net *net, const se_real *x, const uint8_t *keep, double p,
                   uint64_t count, se_real *y)
{
    net->ops->mask_apply(net->worker, x, keep, (se_real)(1 / (1 - p)), count, y);
}
