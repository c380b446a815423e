/* descent.h - how an encoding tree is walked down at random: P(child | parent) for every node */
#ifndef SE_LAW_H
#define SE_LAW_H

#include "common/base/rng.h"
#include "common/graph/entropy.h"

enum se_sigma {
    SE_SIGMA_SOFTMAX,           /* P in proportion to exp(H / temperature) */
    SE_SIGMA_LINEAR,            /* in proportion to H; evenly where all are 0 */
    SE_SIGMA_UNIFORM            /* evenly: the control */
};
extern const char *const se_sigma_names[];      /* by enum se_sigma, NULL-ended */

struct se_law_slot {            /* of an alias table (Walker; Vose's construction) */
    uint64_t below;             /* a fraction, times 2^64, that goes to child[0] ... */
    uint32_t child[2];          /* ... and the rest to child[1] */
};

struct se_law {
    uint64_t nodes;
    uint32_t *first;            /* nodes + 1; children of a: slots first[a] .. first[a+1]-1 */
    uint32_t *child;            /* nodes - 1, in order */
    double *weight;             /* as many, not negative; P is its share among siblings */
    struct se_law_slot *slot;
    const double *entropy;      /* of the measure it was made from */
    enum se_sigma sigma;
    double temperature;
};
#define SE_LAW_INIT { 0, NULL, NULL, NULL, NULL, NULL, SE_SIGMA_SOFTMAX, 1 }

/* `x` must outlive the law.  Release it in any case. */
int se_law_make(struct se_law *law, const struct se_tree *t, const struct se_measure *x,
                enum se_sigma sigma, double temperature, struct se_err *err);
void se_law_release(struct se_law *law);

static inline uint32_t se_law_children(const struct se_law *law, uint32_t a)
{
    return law->first[a + 1] - law->first[a];
}

/* A child of `a`, which has some.  The high half of the product is a slot, the low half a
 * fraction of it. */
static inline uint32_t se_law_draw(const struct se_law *law, uint32_t a, struct se_rng *r)
{
    const uint32_t from = law->first[a], count = law->first[a + 1] - from;

    if (count == 1)
        return law->child[from];
    const unsigned __int128 p = (unsigned __int128)se_rng_u64(r) * count;
    const struct se_law_slot *s = &law->slot[from + (uint32_t)(p >> 64)];
    return s->child[(uint64_t)p >= s->below];
}

/* A child of `a` other than `but`; `a` has at least two. */
uint32_t se_law_draw_other(const struct se_law *law, uint32_t a, uint32_t but,
                           struct se_rng *r);

/* The probabilities of the same: of child c among its siblings, and that one draw at `a`
 * gives the ordered pair of different children (c, d). */
double se_law_p(const struct se_law *law, const struct se_tree *t, uint32_t c);
double se_law_pair(const struct se_law *law, uint32_t a, uint32_t c, uint32_t d);

#endif
