/* resample.h - random relatives of a graph: with fewer edges, or with other ones */
#ifndef SE_RESAMPLE_H
#define SE_RESAMPLE_H

#include "common/base/rng.h"
#include "common/stream/section.h"

/* A graph that owns its edges; the self-loops are those of the graph it was made from. */
struct se_graph_copy {
    struct se_graph g;
    uint64_t *off;
    uint32_t *to;
    float *weight;
};
#define SE_GRAPH_COPY_INIT { { .n = 0 }, NULL, NULL, NULL }
void se_graph_copy_release(struct se_graph_copy *c);

/* Keep each edge with probability `keep`.  Release `c` in any case. */
int se_graph_thin(struct se_graph_copy *c, const struct se_graph *g, double keep,
                  struct se_rng *r, struct se_err *err);

/* The same degrees, no other structure: the ends of random pairs of edges are swapped unless
 * that makes a loop or a pair that is there already.  The weights are put on the edges in
 * random order.  Edges of weight 0 are left out.  Release `c` in any case. */
int se_graph_rewire(struct se_graph_copy *c, const struct se_graph *g, struct se_rng *r,
                    struct se_err *err);

#endif
