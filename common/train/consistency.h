/* consistency.h - a loss that makes several random passes agree (Feng et al.) */
#ifndef SE_CONSISTENCY_H
#define SE_CONSISTENCY_H

#include "common/train/train.h"

/* weight / n * sum over all vertices of |Z - Z'|^2, averaged over the samples: Z is the softmax of
 * a sample, Z' the mean of all samples raised to 1 / temperature and scaled to add up to 1.  No
 * gradient goes through Z'.  Of several processes each has its own n. */
struct se_consistency {
    struct se_extra extra;      /* first */
    uint64_t n, classes, samples;
    double weight, temperature;
    se_real *z, *target;        /* samples x n x classes, n x classes */
    se_real *copy;              /* n x classes: of what a device has */
};

/* Release it in any case. */
int se_consistency_make(struct se_consistency *x, uint64_t n, uint64_t classes, uint64_t samples,
                        double weight, double temperature, struct se_err *err);
void se_consistency_release(struct se_consistency *x);

#endif
