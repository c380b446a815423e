/* agree.h - do the edges of a graph agree with the features of its vertices? */
#ifndef SE_AGREE_H
#define SE_AGREE_H

#include "common/stream/section.h"

/* How much more similar (cosine) the ends of an edge are than two ends of different edges: the
 * mean difference in standard deviations of a pair, and in standard errors of the mean. */
struct se_alike {
    double lift, sure;
};
int se_edges_alike(struct se_alike *a, const struct se_graph *g, const struct se_features *x,
                   uint64_t seed, int threads, struct se_err *err);

/* How far the edges of g stay within the modules of a tree of its nearest neighbours: (share of
 * their weight inside - share expected by the degrees) / (1 - expected); 0 by chance, 1 at most. */
int se_edges_within(double *agreement, const struct se_graph *g, const struct se_graph *neighbours,
                    uint64_t seed, int threads, struct se_err *err);

/* How much of an agreement noise in the features leaves over: their modules are noisy copies of
 * what they tell, so that the square root of the adjusted Rand index of two of these is left. */
int se_agreement_left(double *left, const struct se_graph *neighbours, uint64_t seed, int threads,
                      struct se_err *err);

#endif
