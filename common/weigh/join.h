/* join.h - the edges of a graph and nearest neighbours by features in one graph */
#ifndef SE_JOIN_H
#define SE_JOIN_H

#include "common/stream/section.h"

/* Put the graph of the k nearest neighbours by cosine of the rows of `x` into `s` as SE_FUSED,
 * weighted by the similarity, with the edges of g unless it is NULL: an edge of mean weight counts
 * as much as a neighbour of similarity 1. */
int se_join_neighbours(struct se_stream *s, const struct se_features *x, const struct se_graph *g,
                       uint64_t k, int threads, struct se_err *err);

#endif
