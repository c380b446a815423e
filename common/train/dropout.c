/* dropout.c - the masks of dropout */
#include "common/base/rng.h"
#include "common/train/vector.h"

void se_mask(const struct se_net *net, int layer, int part, double p, uint64_t count,
             uint8_t *keep)
{
    se_mask_from(net, layer, part, p, 0, count, keep);
}

/* A block of eight that begins before `first` is made aside. */
void se_mask_from(const struct se_net *net, int layer, int part, double p, uint64_t first,
                  uint64_t count, uint8_t *keep)
{
    struct se_masking m = { .counter = { (uint32_t)(first / 8), SE_RNG_DROPOUT, net->epoch,
                                         (uint32_t)part << 16 | (uint32_t)layer },
                            .key = { (uint32_t)net->seed, (uint32_t)(net->seed >> 32) },
                            .least = (uint32_t)lround(p * 65536), .count = count, .keep = keep };
    const uint64_t skip = first % 8;
    uint8_t some[8];

    if (skip) {
        const uint64_t here = count < 8 - skip ? count : 8 - skip;

        m.count = 8;
        m.keep = some;
        net->ops->mask(net->worker, &m);
        memcpy(keep, some + skip, here);
        m.counter[0]++;
        m.count = count - here;
        m.keep = keep + here;
    }
    if (m.count > 0)
        net->ops->mask(net->worker, &m);
}

void se_mask_apply(const struct se_net *net, const se_real *x, const uint8_t *keep, double p,
                   uint64_t count, se_real *y)
{
    net->ops->mask_apply(net->worker, x, keep, (se_real)(1 / (1 - p)), count, y);
}
