/* diffuse.h - the diffusion of a graph (GDC, Gasteiger et al., NeurIPS 2019)
 *
 * T = D^-1/2 (A + I) D^-1/2, D the degrees of A + I.  Personalised PageRank: S = a sum (1-a)^k T^k.
 * Heat kernel: S = sum e^-t t^k / k! T^k.  The small entries of S are dropped, the columns divided
 * by their sums, and S made symmetric as (S + S') / 2. */
#ifndef SE_DIFFUSE_H
#define SE_DIFFUSE_H

#include "common/base/progress.h"
#include "common/stream/section.h"

enum se_kernel { SE_KERNEL_PPR, SE_KERNEL_HEAT };

struct se_diffuse_options {
    enum se_kernel kernel;
    double rate;                /* a, above 0 and at most 1; or t, 0 or more */
    double tolerance;           /* entry (u, v) is at most tolerance * sqrt(D_u) too small */
    uint64_t top;               /* entries of a column that stay; 0: all of at least ... */
    double eps;                 /* ... eps; 0: as many as give the mean ... */
    double degree;              /* ... degree, entries apart from the diagonal */
    int threads;
    struct se_progress *progress;       /* its total is se_diffuse_steps(); may be NULL */
};

struct se_diffused {
    uint64_t edges;
    double eps;                 /* what was used; 0 with top */
};

uint64_t se_diffuse_steps(const struct se_graph *g, const struct se_diffuse_options *how);
/* Put the diffusion of g in the place of the graph section, weighted, with loops.  Loops of g
 * count for nothing: A + I has a loop of weight 1 at each vertex. */
int se_diffuse(const struct se_graph *g, const struct se_diffuse_options *how,
               struct se_stream *s, struct se_diffused *done, struct se_err *err);

#endif
