/* smooth.h - features made ready for clustering: weighted columns, rows averaged over edges */
#ifndef SE_SMOOTH_H
#define SE_SMOOTH_H

#include "common/stream/section.h"

/* Features that own their numbers, dense or sparse. */
struct se_own_features {
    struct se_features x;
    float *number;              /* values of the sparse rows, or the dense rows */
};
#define SE_OWN_FEATURES_INIT { { .n = 0 }, NULL }
void se_own_features_release(struct se_own_features *f);

/* Sparse features: each column times ln(n / rows that have it), so that common words count
 * little; off and col stay those of `x`.  Dense ones: each column with mean 0 and variance 1. */
int se_features_weigh(struct se_own_features *f, const struct se_features *x,
                      struct se_err *err);

/* Dense rows: those of `x` scaled to length 1 and averaged `hops` times over the neighbours
 * in g and the vertex itself, by D^-1/2 (A + I) D^-1/2.  Weights of g are taken relative to
 * their mean. */
int se_features_smooth(struct se_own_features *f, const struct se_features *x,
                       const struct se_graph *g, int hops, int threads, struct se_err *err);
/* The sum of what se_features_smooth gives for 0 .. hops: near vertices count most, and more of
 * them are seen. */
int se_features_sum_hops(struct se_own_features *f, const struct se_features *x,
                         const struct se_graph *g, int hops, int threads, struct se_err *err);

#endif
