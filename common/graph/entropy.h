/* entropy.h - structural entropy by its definition; base 2, sums in double */
#ifndef SE_ENTROPY_H
#define SE_ENTROPY_H

#include "common/stream/section.h"

/* H1 = -sum (d/vol) log2(d/vol) over the vertices with d > 0; loops count in d (twice their
 * weight).  0 when there is no edge. */
int se_entropy1(const struct se_graph *g, double *h1, struct se_err *err);

/* What a tree is on a graph, per node. */
struct se_measure {
    uint64_t nodes;
    double vol, h;              /* sum of degrees; H of the whole tree */
    double *volume;             /* V: sum of the degrees below, loops included */
    double *cut;                /* g: weight of the edges that leave the node, no loops */
    double *entropy;            /* H(G;a) = -(g/vol) log2(V/V of the parent); 0 for the root */
    uint32_t *depth;            /* root 0 */
    uint32_t *leaves;           /* vertices below */
    uint32_t height;
};
#define SE_MEASURE_INIT { 0, 0, 0, NULL, NULL, NULL, NULL, NULL, 0 }

/* Measure `t` on `g`; an error if they have different numbers of vertices.  The time is
 * O(m height + nodes) for trees of up to 16 levels and O(m + nodes log nodes) for deeper
 * ones.  Release it in any case. */
int se_measure_make(struct se_measure *x, const struct se_tree *t, const struct se_graph *g,
                    struct se_err *err);
void se_measure_release(struct se_measure *x);
/* What se_entropy1 gives, without looking at the edges again */
int se_measure_entropy1(const struct se_measure *x, const struct se_tree *t, double *h1,
                        struct se_err *err);

#endif
