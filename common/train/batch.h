/* batch.h - training on parts of the graph in turn, in memory that a batch needs */
#ifndef SE_BATCH_H
#define SE_BATCH_H

#include "common/train/input.h"
#include "common/train/train.h"

struct se_batch_options {
    uint64_t vertices;          /* at most, in a batch */
    bool random;                /* any vertices together; else modules of the tree in s */
    struct se_stream *s;
    struct se_input_options input;
    const struct se_model_kind *kind;
    const struct se_model_options *h;
    const struct se_graph *graph;
    bool weights;               /* of edges count */
    enum se_loops loops;
    uint64_t seed;
    int threads;
    enum se_decay decay_on;
    const double *dense_decay;
    uint64_t batches;           /* out: those of the last epoch */
    bool identity;              /* out: there are no features, each vertex is its own */
};

/* "tree", "random", or one of them with ":VERTICES".  0, or -1 with `err`. */
int se_batch_parse(const char *text, struct se_batch_options *b, struct se_err *err);

/* As se_train(), on an empty net that is made here, on the CPU.  An epoch sees every vertex once,
 * in batches with the edges among their vertices; a step for each batch, its gradient in
 * proportion to its training vertices.  Evaluation is exact, on the whole graph.  A batch of all
 * vertices gives the parameters of se_train().  Release net and result in any case. */
int se_batch_train(struct se_train_result *r, struct se_net *net, struct se_batch_options *b,
                   const struct se_train_options *plan, struct se_err *err);

#endif
