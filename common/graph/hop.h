/* hop.h - pairs of vertices at an exact distance */
#ifndef SE_HOP_H
#define SE_HOP_H

#include "common/stream/section.h"

/* Put in the place of the graph section the graph whose edges are the pairs at distance exactly
 * `hops` in g (1: the edges of g), without weights and loops.  *edges: how many. */
int se_hop(const struct se_graph *g, uint64_t hops, int threads, struct se_stream *s,
           uint64_t *edges, struct se_err *err);

#endif
