/* dims.h - the embedding dimension that MinGE suggests (Luo et al., IJCAI 2021) */
#ifndef SE_DIMS_H
#define SE_DIMS_H

#include "common/stream/section.h"

struct se_dims {
    double hs;                  /* entropy of the structure, in nats */
    double exact;               /* n with ln N^2 + h(n) + hs = 0, h by integration */
    double linear;              /* the same with h(n) = -0.24 n */
};

/* h(n): entropy of the representation in n dimensions, n > 2; negative, about -0.24 n. */
double se_dims_entropy(double n);
/* Weights of edges and loops of g count for nothing. */
int se_dims_make(struct se_dims *x, const struct se_graph *g, struct se_err *err);

#endif
