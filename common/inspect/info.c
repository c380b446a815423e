/* info.c - the summary that se-info prints */
#include "common/inspect/info.h"

#include <inttypes.h>
#include <math.h>

static const struct se_labels *labels_of(const struct se_info *x)
{
    return x->has_labels ? &x->labels : NULL;
}

/* The section that a tree was made for, if it is here; else the one se-tree would take. */
static uint32_t tree_section(const struct se_info *x, const struct se_stream *s)
{
    const uint32_t from = se_stream_find(s, SE_TREE)->origin[0].tag;

    if ((from == SE_GRAPH && x->has_graph) || (from == SE_FUSED && x->has_fused))
        return from;
    return x->has_fused ? SE_FUSED : x->has_graph ? SE_GRAPH : 0;
}

const struct se_graph *se_info_tree_graph(const struct se_info *x)
{
    return x->tree_on == SE_FUSED ? &x->fused : x->tree_on == SE_GRAPH ? &x->graph : NULL;
}

double se_info_normalised(const struct se_info *x)
{
    return x->tree_on && x->tree_h1 > 0 ? x->tree_h / x->tree_h1 : NAN;
}

static int make_tree(struct se_info *x, struct se_stream *s, struct se_err *err)
{
    struct se_measure m = SE_MEASURE_INIT;
    int rc;

    if (se_tree_get(&x->tree, s, err) < 0)
        return -1;
    x->tree_on = tree_section(x, s);
    if (!x->tree_on)
        return se_tree_height(&x->tree, &x->height, err);
    rc = se_measure_make(&m, &x->tree, se_info_tree_graph(x), err);
    if (rc == 0) {
        x->height = m.height;
        x->tree_h = m.h;
        x->tree_h1 = x->tree_on == SE_FUSED ? x->fused_facts.h1 : x->graph_facts.h1;
        rc = se_tree_levels(&x->tree, &m, labels_of(x), x->level, SE_INFO_LEVELS, &x->levels,
                            err);
    }
    se_measure_release(&m);
    return rc;
}

static int make_hits(struct se_info *x, struct se_stream *s, int64_t split,
                     struct se_err *err)
{
    const uint64_t count = x->has_splits ? x->splits.count : 0;
    double trained = 0;

    if (se_predictions_get(&x->predictions, s, err) < 0 ||
        se_stats_value(s, "train.split", &trained, err) < 0)
        return -1;
    if (split >= 0 && (uint64_t)split >= count)
        return se_fail(err, SE_EINPUT, "there is no split %" PRId64 "; the stream has %" PRIu64
                       ", counted from 0", split, count);
    if (split >= 0)
        trained = (double)split;
    x->split = trained > 0 && trained < 1e15 ? (uint64_t)trained : 0;
    if (x->has_labels)
        se_count_hits(&x->hits, &x->predictions, &x->labels,
                      x->split < count ? x->splits.part + x->split * x->splits.n : NULL);
    return 0;
}

static int make_graphs(struct se_info *x, struct se_stream *s, struct se_err *err)
{
    if (x->has_graph && (se_graph_get(&x->graph, s, SE_GRAPH, err) < 0 ||
                         se_graph_facts(&x->graph_facts, &x->graph, labels_of(x), err) < 0))
        return -1;
    if (x->has_fused && (se_graph_get(&x->fused, s, SE_FUSED, err) < 0 ||
                         se_graph_facts(&x->fused_facts, &x->fused, labels_of(x), err) < 0))
        return -1;
    if (x->has_arcs) {
        if (se_arcs_get(&x->arcs, s, err) < 0)
            return -1;
        se_arc_facts(&x->arc_facts, &x->arcs);
    }
    return 0;
}

static int make_vectors(struct se_info *x, struct se_stream *s, struct se_err *err)
{
    if ((x->has_labels && se_labels_get(&x->labels, s, err) < 0) ||
        (x->has_features && se_features_get(&x->features, s, err) < 0) ||
        (x->has_splits && se_splits_get(&x->splits, s, err) < 0) ||
        (x->has_embedding && se_embedding_get(&x->embedding, s, err) < 0) ||
        (x->has_knn && se_knn_get(&x->knn, s, err) < 0) ||
        (x->has_stats && se_stats_get(&x->stats, s, err) < 0) ||
        (x->has_history && se_history_get(&x->history, s, err) < 0))
        return -1;
    if (x->has_features)
        x->nonzeros = se_features_nonzeros(&x->features);
    for (uint64_t v = 0; x->has_labels && v < x->labels.n; v++)
        x->unlabelled += x->labels.label[v] < 0;
    return 0;
}

int se_info_make(struct se_info *x, struct se_stream *s, int64_t split, struct se_err *err)
{
    *x = (struct se_info){ 0 };
    x->has_graph = se_stream_has(s, SE_GRAPH);
    x->has_fused = se_stream_has(s, SE_FUSED);
    x->has_arcs = se_stream_has(s, SE_ARCS);
    x->has_features = se_stream_has(s, SE_FEATURES);
    x->has_labels = se_stream_has(s, SE_LABELS);
    x->has_splits = se_stream_has(s, SE_SPLITS);
    x->has_embedding = se_stream_has(s, SE_EMBEDDING);
    x->has_knn = se_stream_has(s, SE_KNN);
    x->has_tree = se_stream_has(s, SE_TREE);
    x->has_predictions = se_stream_has(s, SE_PREDICTIONS);
    x->has_stats = se_stream_has(s, SE_STATS);
    x->has_history = se_stream_has(s, SE_HISTORY);
    if (se_stream_vertices(s, &x->vertices, err) < 0 || make_vectors(x, s, err) < 0 ||
        make_graphs(x, s, err) < 0 || (x->has_tree && make_tree(x, s, err) < 0) ||
        (x->has_predictions && make_hits(x, s, split, err) < 0))
        return -1;
    return 0;
}
