/* layout.h - places in the plane for the vertices of a graph */
#ifndef SE_LAYOUT_H
#define SE_LAYOUT_H

#include "common/stream/section.h"

/* Place every vertex: x and y have room for g->n, values from 0 to 1000, the same for the same
 * input and seed.  Springs pull along the edges and vertices repel each other in proportion to
 * their degrees.  Coarse graphs are placed first: the modules of each level of the tree (NULL:
 * no tree), and above it pairs joined by heavy edges. */
int se_layout(const struct se_graph *g, const struct se_tree *t, uint64_t seed, double *x,
              double *y, struct se_err *err);

#endif
