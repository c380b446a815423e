/* quadtree.h - the sum of forces between all points of the plane, nearly, by cells */
#ifndef SE_QUADTREE_H
#define SE_QUADTREE_H

#include <stdint.h>

#include "common/base/err.h"

struct se_cell {
    double x, y, mass, side;    /* centre of mass; length of a side */
    uint32_t first, count;      /* its points in `order` */
    uint32_t child;             /* the first of its cells, which lie together; 0: none */
    uint32_t children;
};

struct se_quadtree {
    uint64_t n, cells;
    struct se_cell *cell;
    uint32_t *order;
    double *x, *y, *mass;       /* in that order */
    size_t cap[5];
};
#define SE_QUADTREE_INIT { .n = 0 }

/* Sort n points (below 2^31) into cells.  May be called again on the same struct. */
int se_quadtree_make(struct se_quadtree *q, uint64_t n, const double *x, const double *y,
                     const double *mass, struct se_err *err);
/* Add the force mass / distance of every point on (x, y), away from it, and the sum of
 * mass / distance^2.  A cell that looks small from there counts as one point. */
void se_quadtree_repel(const struct se_quadtree *q, double x, double y, double *fx, double *fy,
                       double *curve);
void se_quadtree_release(struct se_quadtree *q);

#endif
