/* rank.h - ranks of numbers */
#ifndef SE_RANK_H
#define SE_RANK_H

#include <stdint.h>

#include "common/base/err.h"

/* Replace each of n finite numbers by its rank among the `refs` numbers of `ref`: those below it,
 * half of those equal to it, and 1/2.  `ref` may be (part of) x: then these get ranks 1 to refs,
 * and equal numbers share the mean of their ranks. */
int se_rank(const double *ref, uint64_t refs, double *x, uint64_t n, struct se_err *err);

#endif
