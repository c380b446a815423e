/* rng.h - counter-based random numbers: Philox4x32-10 (Salmon et al., SC 2011)
 *
 * A number is a function of (seed, purpose, index), so any thread can make any of them and
 * the answer does not depend on who asks first. */
#ifndef SE_RNG_H
#define SE_RNG_H

#include <stdint.h>

/* The bare block function: four words from a counter of four and a key of two. */
void se_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* A stream of numbers for one purpose (a constant of the calling code, SE_RNG_*) and one
 * index (a vertex, a draw, a task). */
struct se_rng {
    uint32_t counter[4], key[2], out[4];
    unsigned left;
};

enum se_rng_purpose {           /* never renumber: results for a seed depend on it */
    SE_RNG_TEST = 0,
    SE_RNG_GEN_EDGES = 1,
    SE_RNG_GEN_FEATURES = 2,
    SE_RNG_GEN_LABELS = 3,
    SE_RNG_SPLIT = 4,
    SE_RNG_NOISE_ADD = 5,
    SE_RNG_NOISE_REMOVE = 6,
    SE_RNG_TREE = 7,
    SE_RNG_SAMPLE = 8,
    SE_RNG_INIT = 9,
    SE_RNG_DROPOUT = 10,
    SE_RNG_SIM = 11,
    SE_RNG_COMMUNITY = 12,
    SE_RNG_BATCHES = 16,        /* the batches of an epoch */
    SE_RNG_APPROX = 17,         /* approximate neighbours */
    SE_RNG_STABILITY = 24,
    SE_RNG_WEIGH = 32,          /* weights of the trees of se-weigh */
    SE_RNG_WEIGH_PAIRS = 33,    /* its random pairs */
    SE_RNG_LOWRANK = 40,        /* start of a low-rank approximation */
    SE_RNG_LEARN = 41,          /* noise and samples of se-learn */
    SE_RNG_LEARN_START = 42,    /* first parameters of its learners */
    SE_RNG_POINCARE = 56,       /* se-embed */
    SE_RNG_WALKS = 57
};

void se_rng_init(struct se_rng *r, uint64_t seed, uint32_t purpose, uint64_t index);
/* The same for the indices from `index` on, with the first numbers of each made already,
 * which takes a fraction of the time together. */
enum { SE_RNG_BATCH = 8 };
void se_rng_init_batch(struct se_rng r[SE_RNG_BATCH], uint64_t seed, uint32_t purpose,
                       uint64_t index);
void se_rng_more(struct se_rng *r);     /* the next four numbers */

static inline uint32_t se_rng_u32(struct se_rng *r)
{
    if (r->left == 0)
        se_rng_more(r);
    return r->out[4 - r->left--];
}

static inline uint64_t se_rng_u64(struct se_rng *r)
{
    const uint64_t low = se_rng_u32(r);

    return low | (uint64_t)se_rng_u32(r) << 32;
}

double se_rng_unit(struct se_rng *r);                      /* [0, 1), 53 bits */
uint64_t se_rng_below(struct se_rng *r, uint64_t n);       /* 0..n-1 without bias, n >= 1 */
double se_rng_normal(struct se_rng *r);                    /* mean 0, variance 1 */

#endif
