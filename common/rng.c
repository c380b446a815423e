/* rng.c - counter-based random numbers */
#include "common/rng.h"

#include <math.h>
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

uint32_t se_rng_u32(struct se_rng *r)
{
    if (r->left == 0) {
        se_philox(r->counter, r->key, r->out);
        r->counter[0]++;
        r->left = 4;
    }
    return r->out[4 - r->left--];
}

uint64_t se_rng_u64(struct se_rng *r)
{
    const uint64_t low = se_rng_u32(r);

    return low | (uint64_t)se_rng_u32(r) << 32;
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
