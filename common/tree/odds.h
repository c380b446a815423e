/* odds.h - how likely the sampling of a tree joins two vertices
 *
 * A draw at an inner node takes two different children and follows each down to a leaf, by
 * the law of descent.h.  Only draws at the lowest common ancestor can join two given vertices. */
#ifndef SE_ODDS_H
#define SE_ODDS_H

#include "common/tree/descent.h"

struct se_odds {
    uint32_t ancestor, level;   /* a node of the tree; its depth, root 0 */
    uint64_t children;          /* of the ancestor */
    uint32_t child[2];          /* the two of these that hold the vertices */
    double pick[2];             /* chance of each child when all are there */
    double pair;                /* chance that a draw takes these two, in either order */
    double down[2];             /* chance of the way from the child to the vertex */
    double probability;         /* per draw at the ancestor: pair * down[0] * down[1] */
};

/* Vertices u and v differ and are below t->n; `law` is of the same tree and measure. */
void se_odds_of(struct se_odds *x, const struct se_tree *t, const struct se_measure *m,
                const struct se_law *law, uint32_t u, uint32_t v);

#endif
