/* depth.h - how deep in an encoding tree the ends of an edge come together */
#ifndef SE_TREE_DEPTH_H
#define SE_TREE_DEPTH_H

#include "common/graph/entropy.h"

/* Add -log2(V / vol) to sum[i] for each pair key[i] = u << 32 | v, V being the volume of the
 * lowest common ancestor: how many bits the tree saves on an edge there.  `x` is the measure of
 * `t`. */
int se_tree_depths(const struct se_tree *t, const struct se_measure *x, const uint64_t *key,
                   uint64_t pairs, int threads, double *sum, struct se_err *err);

#endif
