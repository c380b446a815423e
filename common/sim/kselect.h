/* kselect.h - fusing a graph with nearest neighbours, and how many neighbours to take
 *
 * E_f(k) is the set of old edges (self-loops apart) and of all pairs where one vertex is
 * among the k most similar of the other.  A pair weighs S + shift + M, with M the mean of
 * S + shift over the pairs, divided by 2 n.  If the old edges have weights, S + shift of each
 * is multiplied by its weight over their mean weight, so that equal weights change nothing.  H1(k) is the one-dimensional structural entropy
 * of that graph. */
#ifndef SE_KSELECT_H
#define SE_KSELECT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/stream/section.h"

enum se_k_rule {
    SE_K_PLATEAU,               /* the least k with H1(k + 1) - H1(k) < eps */
    SE_K_SCHEDULE,              /* the walk of the published code */
    SE_K_MAX                    /* the k with the largest H1 */
};

struct se_kselect_options {
    enum se_k_rule rule;
    uint64_t k;                 /* take this one; 0: by the rule */
    double eps, shift;
    bool clip;                  /* take a negative S + shift for 0 instead of refusing it */
    int threads;
    bool weights;               /* the weights of the old edges count */
};

struct se_kselect {
    uint64_t k;                 /* chosen */
    uint64_t most;              /* H1 is known for 0 .. most */
    double *h1;
    double mean;                /* M */
    uint64_t m;                 /* edges of the fused graph */
    uint64_t alone;             /* vertices that knn gives no neighbour */
    bool weights;               /* the edges of the graph have weights */
    double usual;               /* their mean if they count, else 0 */
    struct se_graph_room fused;
};
#define SE_KSELECT_INIT { .k = 0 }

/* Fuse the sections graph and knn of `s`.  Old edges that knn does not have are weighed from
 * the section that knn was made from.  Release it in any case.  O(n KMAX + m), and O(d) for
 * each old edge to be weighed. */
int se_kselect_make(struct se_kselect *x, struct se_stream *s,
                    const struct se_kselect_options *ask, struct se_err *err);
void se_kselect_release(struct se_kselect *x);

/* The choice alone: h1[0 .. most], most >= 1. */
uint64_t se_kselect_choose(const double *h1, uint64_t most, enum se_k_rule rule, double eps);

#endif
