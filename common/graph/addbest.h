/* addbest.h - the heaviest pairs of one graph as new edges of another */
#ifndef SE_ADDBEST_H
#define SE_ADDBEST_H

#include "common/stream/section.h"

/* Put the graph `g` again with the `count` heaviest edges of `scored` that it does not have (all
 * of them if there are fewer); equal weights: the lower pair first.  Where g has weights the new
 * edges keep theirs.  *added: how many. */
int se_graph_add_best(const struct se_graph *g, const struct se_graph *scored, uint64_t count,
                      struct se_stream *s, uint64_t *added, struct se_err *err);

#endif
