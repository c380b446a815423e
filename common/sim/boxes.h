/* boxes.h - points in a balanced tree of boxes; private to the space engine
 *
 * Leaves hold SE_LEAF points each (the last may hold fewer) and are numbered from left to
 * right.  A node stands for a range of leaves; nodes are numbered in preorder, so that the
 * children of a node over the leaves [a, b) with middle h = (a + b) / 2 are the next node and
 * the one 2 (h - a) further on. */
#ifndef SE_SIM_TREE_H
#define SE_SIM_TREE_H

#include "common/sim/engine.h"
#include "common/sim/sim_kernels.h"

enum { SE_BOXES_DIMS = 256 };   /* rows may have so many columns */

struct se_boxes {
    uint64_t points, leaves, d; /* d: of a point; centred rows need one less than they have */
    uint32_t *point;            /* vertex of each place, p in leaf p / SE_LEAF; 0 beyond */
    float *leaf;                /* per leaf: d rows of SE_LEAF coordinates */
    float *box;                 /* per node: d lower bounds, d upper bounds */
    uint32_t *least;            /* per node: its least vertex */
    uint8_t *axis;              /* per node: the dimension in which its children lie apart */
};
#define SE_BOXES_INIT { .points = 0 }

int se_boxes_make(struct se_boxes *b, const struct se_sim_job *job, struct se_err *err);
void se_boxes_release(struct se_boxes *b);

static inline uint64_t se_boxes_middle(uint64_t first, uint64_t last)
{
    return (first + last) / 2;
}

#endif
