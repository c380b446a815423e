/* idf.h - features with columns weighted by inverse document frequency */
#ifndef SE_SIM_IDF_H
#define SE_SIM_IDF_H

#include "common/stream/section.h"

struct se_idf {
    struct se_features x;       /* as the features, with other values */
    float *value;               /* what x points to: x.value or x.dense */
};
#define SE_IDF_INIT { .value = NULL }

/* Multiply column j by ln(1 + n / df), df being the rows where it is not 0.  `f` must outlive
 * it.  Release it in any case. */
int se_idf_make(struct se_idf *i, const struct se_features *f, struct se_err *err);
void se_idf_release(struct se_idf *i);

#endif
