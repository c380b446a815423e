/* estimate.h - which pairs are edges, given several observations (GEN, Wang et al., WWW 2021)
 *
 * Each of N observations has a pair with probability a if it is an edge, b if not; a pair of
 * classes r, s is an edge with probability O_rs.  Expectation maximisation finds a, b and O.  The
 * posterior Q of a pair depends on its two classes and on E, the number of observations that have
 * it: a step looks at classes^2 (N + 1) / 2 numbers, however many pairs there are. */
#ifndef SE_ESTIMATE_H
#define SE_ESTIMATE_H

#include "common/stream/section.h"

enum { SE_MOST_OBSERVATIONS = 64 };

struct se_estimate {
    uint64_t classes, observations, steps;
    double alpha, beta;
    double *omega;              /* classes x classes, symmetric */
    double *pairs;              /* classes x classes x (observations + 1): how many, r <= s */
    double *q;                  /* the same: posterior */
};
#define SE_ESTIMATE_INIT { .classes = 0 }

/* `pair`: u << 32 | v, u < v, sorted, once for each observation that has the pair; `label`: a class
 * below `classes` for each of n vertices.  It stops when a and b move less than `tolerance`, or
 * after 10000 steps.  Release it in any case. */
int se_estimate_make(struct se_estimate *x, const uint64_t *pair, uint64_t count,
                     uint64_t observations, const uint32_t *label, uint64_t n, uint64_t classes,
                     double tolerance, struct se_err *err);
void se_estimate_release(struct se_estimate *x);

/* Where the numbers of classes r, s and E are in `pairs` and `q`. */
static inline uint64_t se_estimate_at(const struct se_estimate *x, uint64_t r, uint64_t s,
                                      uint64_t e)
{
    return ((r < s ? r : s) * x->classes + (r < s ? s : r)) * (x->observations + 1) + e;
}

#endif
