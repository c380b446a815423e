/* community.h - the communities of a tree as columns of features */
#ifndef SE_NN_COMMUNITY_H
#define SE_NN_COMMUNITY_H

#include "common/stream/section.h"

enum { SE_MOST_LEVELS = 64 };

struct se_communities {
    uint64_t n, levels, dims;
    uint32_t *col;              /* col[v * levels + l], below dims: the community of vertex v at
                                 * level l, the one below the root first; SE_NONE: its leaf
                                 * hangs higher */
};

/* A community is an inner node below the root; a level is a distance from the root.  The k-th
 * community of a level, in the order of the tree, has column k if the level has at most `dims`
 * of them; else column w * dims / 2^32, w the first word of the Philox block with the counter
 * (k, SE_RNG_COMMUNITY, level, 0) and the key 0, which does not depend on the seed.  A tree
 * without a community or with more than SE_MOST_LEVELS levels is an error.  Release it in any
 * case. */
int se_communities_make(struct se_communities *c, const struct se_tree *t, uint64_t dims,
                        struct se_err *err);
void se_communities_release(struct se_communities *c);

#endif
