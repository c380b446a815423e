/* compare.h - how well two partitions agree, and how good one is for a graph
 *
 * The measures of agreement are those of scikit-learn, with natural logarithms and the
 * arithmetic mean; modularity and conductance are those of networkx. */
#ifndef SE_COMPARE_H
#define SE_COMPARE_H

#include "common/base/text.h"
#include "common/stream/section.h"

struct se_agreement {
    uint64_t n;                 /* vertices that are in both */
    uint64_t modules[2];
    double ari, nmi, ami, homogeneity, completeness, v, purity;
};
/* a is judged by b: homogeneity and purity are of a's modules.  SE_NONE: in no module. */
int se_agreement_get(struct se_agreement *x, const uint32_t *a, const uint32_t *b, uint64_t n,
                     struct se_err *err);

struct se_partition_facts {
    double modularity;
    double conductance;         /* mean over the modules that have one; NaN: none has */
};
/* Every vertex in a module below n. */
int se_partition_facts_get(struct se_partition_facts *x, const struct se_graph *g,
                           const uint32_t *module, struct se_err *err);

/* Sum over the edges of weight times the number of vertices below their lowest common ancestor. */
int se_dasgupta_cost(const struct se_tree *t, const struct se_graph *g, double *cost,
                     struct se_err *err);

/* Write what se-info --compare tells, a name and a value a line or an object of JSON: the tree of `s` at a level (its
 * predictions, if it has no tree) against its labels or, if `other` is not NULL, against the tree at
 * that level or the labels of `other`. */
int se_compare_tell(struct se_stream *s, struct se_stream *other, uint64_t level, bool json,
                    struct se_out *out, struct se_err *err);

#endif
