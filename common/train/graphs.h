/* graphs.h - the graphs that a model sees: that of the stream, one beside it, levels of a tree */
#ifndef SE_TRAIN_GRAPHS_H
#define SE_TRAIN_GRAPHS_H

#include "common/train/netlevels.h"
#include "common/train/peers.h"

struct se_graphs_options {
    const struct se_model_kind *kind;
    struct se_stream *s;        /* a tree is read from it, if the model wants one */
    struct se_stream *given;    /* with a second graph, maybe positions; or NULL */
    const char *path;           /* of `given`, for messages */
    bool weights;               /* those of edges count */
    enum se_loops loops;
    struct se_peers *peers;     /* which have the other vertices, or NULL */
};

struct se_graphs {
    struct se_nngraph graph, beside;    /* beside: n is 0 if there is none */
    struct se_netlevels levels; /* count is 0 if there are none */
    const float *position;      /* of the vertices in `given`, or NULL */
};

/* What the model wants.  Faults in `given` name it.  Release in any case. */
int se_graphs_make(struct se_graphs *x, const struct se_graph *g,
                   const struct se_graphs_options *o, struct se_err *err);
void se_graphs_release(struct se_graphs *x);

#endif
