/* pairs.h - pairs of vertices in a sorted list, and as a graph */
#ifndef SE_PAIRS_H
#define SE_PAIRS_H

#include "common/stream/section.h"

/* Pairs u << 32 | v, u < v, sorted, each once. */
struct se_pairs {
    uint64_t *key, count;
};
void se_pairs_release(struct se_pairs *p);
/* Sort them and keep each once. */
int se_pairs_sort(struct se_pairs *p, struct se_err *err);
int se_pairs_of_graph(struct se_pairs *p, const struct se_graph *g, struct se_err *err);

/* Sorted pairs as a graph with room for weights, which are not set */
struct se_pair_graph {
    struct se_pairs pairs;
    struct se_graph g;
    uint64_t *off;
    uint32_t *to;
    float *weight;
};
/* Offsets and ends from the pairs.  Release it in any case, the pairs with it. */
int se_pair_graph_make(struct se_pair_graph *x, uint64_t n, struct se_err *err);
void se_pair_graph_release(struct se_pair_graph *x);

#endif
