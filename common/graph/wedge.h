/* wedge.h - how strongly two vertices are joined through common neighbours
 *
 * The wedge score of u and v in a weighted graph W with degrees D is (W D^-1 W)_uv: the sum over
 * common neighbours x of W_ux W_xv / D_x.  An edge u - v itself adds nothing. */
#ifndef SE_WEDGE_H
#define SE_WEDGE_H

#include "common/graph/adjacency.h"

/* The score of each of `pairs` pairs u << 32 | v, u < v, into `score`.  The time is the sum over
 * the pairs of the lesser degree. */
int se_wedge_scores(const struct se_adjacency *w, const uint64_t *key, uint64_t pairs,
                    int threads, double *score, struct se_err *err);

/* For each vertex the (at most) k others of the highest score that are no neighbours of it in
 * `not`; equal scores: the lower vertex first.  Paths through vertices with more than `most`
 * neighbours propose nothing, so that hubs cost no time.  *key: sorted pairs, each once; free()
 * it. */
int se_wedge_best(const struct se_adjacency *w, const struct se_adjacency *except, uint64_t k,
                  uint64_t most, int threads, uint64_t **key, uint64_t *pairs,
                  struct se_err *err);

#endif
