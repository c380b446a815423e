/* intervals.h - trees whose modules are runs of consecutive vertices */
#ifndef SE_TREE_INTERVALS_H
#define SE_TREE_INTERVALS_H

#include "common/tree/tree_build.h"

enum { SE_INTERVAL_LEVELS = 12 };       /* a tree gets no higher than this */

/* A tree of height k or less in which every module is an interval of vertex numbers.  For k = 2
 * none has a lower entropy.  For k > 2 each level is the best there is between those above and
 * below it, and the entropy is not above that of k = 2.  Release `out` in any case. */
int se_tree_intervals(struct se_hierarchy *out, const struct se_graph *g, uint64_t k, bool pad,
                      int threads, struct se_err *err);

#endif
