/* summary.h - statistics of the sections of a stream */
#ifndef SE_SUMMARY_H
#define SE_SUMMARY_H

#include "common/graph/entropy.h"
#include "common/stream/section.h"

/* Degrees here are numbers of neighbours: no weights, no self-loops. */
struct se_graph_facts {
    uint64_t components, largest, isolated;
    uint64_t degree_min, degree_max;
    double degree_median, degree_mean;
    double h1;
    uint64_t labelled_edges;    /* both ends have a class */
    double homophily;           /* share of these that join equal classes; NAN: there is none */
};
/* labels may be NULL; else they are of as many vertices. */
int se_graph_facts(struct se_graph_facts *x, const struct se_graph *g,
                   const struct se_labels *labels, struct se_err *err);

/* Entries of features that are not 0. */
uint64_t se_features_nonzeros(const struct se_features *f);

/* One level of a tree: the nodes of one depth. */
struct se_level {
    uint64_t nodes, leaves;     /* leaves: those that are vertices */
    uint64_t size_min, size_max;        /* vertices below a node */
    double size_median;
    double h;                   /* sum of H(G;a) over its nodes */
    double purity;              /* share of the labelled vertices that have the commonest
                                 * class of their node; NAN: no labels */
};
/* Levels 1 .. height of a measured tree, `most` at most; level[0] is level 1.  *levels tells
 * how many there are. */
int se_tree_levels(const struct se_tree *t, const struct se_measure *m,
                   const struct se_labels *labels, struct se_level *level, uint32_t most,
                   uint32_t *levels, struct se_err *err);

/* How deep the deepest leaf lies; the root is at 0. */
int se_tree_height(const struct se_tree *t, uint32_t *height, struct se_err *err);

/* Labelled vertices with a prediction, and how many are right, by part of a split (NULL: all
 * are in part none). */
struct se_hits {
    uint64_t right[4], of[4];
};
void se_count_hits(struct se_hits *x, const struct se_predictions *p,
                   const struct se_labels *labels, const uint8_t *part);

/* Vertices in each part of split i. */
void se_splits_sizes(const struct se_splits *s, uint64_t i, uint64_t size[4]);

#endif
