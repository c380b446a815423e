/* info.h - the summary that se-info prints */
#ifndef SE_INFO_H
#define SE_INFO_H

#include "common/graph/arcs.h"
#include "common/inspect/summary.h"

enum { SE_INFO_LEVELS = 64 };   /* levels of a tree that are looked at one by one */

/* Views point into the stream; what belongs to an absent section is 0. */
struct se_info {
    uint64_t vertices;
    bool has_graph, has_fused, has_features, has_labels, has_splits, has_embedding, has_knn,
         has_tree, has_predictions, has_stats, has_history, has_arcs;
    struct se_graph graph, fused;
    struct se_graph_facts graph_facts, fused_facts;
    struct se_graph arcs;
    struct se_arc_facts arc_facts;
    struct se_features features;
    uint64_t nonzeros;
    struct se_labels labels;
    uint64_t unlabelled;
    struct se_splits splits;
    struct se_embedding embedding;
    struct se_knn knn;
    struct se_tree tree;
    uint32_t tree_on;           /* the section that it is measured on, 0: none is here */
    uint32_t height, levels;
    double tree_h, tree_h1;
    struct se_level level[SE_INFO_LEVELS];
    struct se_predictions predictions;
    uint64_t split;             /* whose parts `hits` tells apart */
    struct se_hits hits;
    struct se_stats stats;
    struct se_history history;
};

/* Decode and count everything.  split -1: the one that the predictions were trained on. */
int se_info_make(struct se_info *x, struct se_stream *s, int64_t split, struct se_err *err);

/* The graph that the tree is measured on, NULL if there is none. */
const struct se_graph *se_info_tree_graph(const struct se_info *x);
/* H of the tree by H1 of that graph; NAN if there is none. */
double se_info_normalised(const struct se_info *x);

#endif
