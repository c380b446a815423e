/* learn.h - weights of edges that are learned together with a graph convolutional network
 *
 * The candidates are the given edges and, if there are any, pairs of nearest neighbours; nothing is
 * n x n.  A learner turns its parameters into a weight for each candidate.  The gradient of the
 * loss by those weights comes from the net (se_nngraph_back) and goes back to the parameters. */
#ifndef SE_LEARN_H
#define SE_LEARN_H

#include "common/base/progress.h"
#include "common/graph/lowrank.h"
#include "common/train/net.h"

struct se_learn_options {
    double rate;                /* learning rate of the structure */
    double alpha, beta, gamma, lambda;  /* terms of the loss, as the learner has them */
    double temperature;
    uint64_t top, perspectives, rank;
    uint64_t seed;
    int threads;
};

/* Rows of vertices, sparse: what learners compare */
struct se_learn_rows {
    uint64_t n, cols;
    const uint64_t *off;
    const uint32_t *col;
    const float *value;
};

struct se_learn;

struct se_learner {
    const char *name, *source, *use;
    double rate, alpha, beta, gamma, lambda;    /* defaults */
    bool rows;                  /* it compares rows of features */
    bool loops;                 /* it gives self-loops a weight, else that is 1 */
    bool validates;             /* gradients are those of the loss of validation vertices */
    bool per_edge;              /* one parameter for each candidate */
    int (*make)(struct se_learn *l, struct se_err *err);        /* parameters and memory */
    /* Weights of all arcs from the parameters; train: with the noise of this epoch, if any */
    void (*weigh)(struct se_learn *l, bool train);
    /* From l->dweight to l->grad; further terms of the loss are added.  Returns their value. */
    double (*back)(struct se_learn *l);
    void (*step)(struct se_learn *l);   /* NULL: Adam */
};
extern const struct se_learner *const se_learners[];    /* NULL-ended */
const struct se_learner *se_learner_find(const char *name, struct se_err *err);

struct se_learn {
    const struct se_learner *kind;
    struct se_learn_options o;
    struct se_nngraph graph;    /* the candidates, and a loop at every vertex */
    uint8_t *given;             /* per arc: an edge of the graph; loops are */
    uint64_t edges;
    uint32_t *edge;             /* per arc: its edge, SE_NONE for a loop */
    struct se_learn_rows rows;
    uint64_t count, steps;      /* parameters; steps taken */
    uint32_t epoch;
    double *value, *grad, *moment, *square;
    se_real *dweight;           /* per arc: gradient by the weight of its edge */
    double *sum;                /* n numbers to work with */
    double *work[6];            /* of the learner */
    struct se_lowrank low;      /* of the learner, too */
    struct se_adjacency view;   /* of the graph without loops, for low */
};

/* Candidates of a graph and of neighbours (NULL: none); weights of the graph do not count.  Release
 * in any case. */
int se_learn_make(struct se_learn *l, const struct se_learner *kind, const struct se_graph *g,
                  const struct se_knn *knn, const struct se_learn_rows *rows,
                  const struct se_learn_options *o, struct se_err *err);
void se_learn_release(struct se_learn *l);
/* Weights and shares of the graph as the learner says now */
void se_learn_weigh(struct se_learn *l, struct se_net *net, bool train);
/* After a pass back through the net: the gradient by the parameters; returns further loss. */
double se_learn_back(struct se_learn *l, struct se_net *net);
void se_learn_step(struct se_learn *l);
/* Adam on the parameters */
void se_learn_adam(struct se_learn *l);
/* Both arcs of each edge get value[edge]. */
void se_learn_spread(struct se_learn *l, const double *value);

struct se_learn_plan {
    uint64_t epochs, patience, classes;
    double rate, decay;         /* of the net */
    const int32_t *label;
    const uint8_t *part;
    struct se_progress *progress;
};

struct se_learned {
    uint64_t best, epochs;
    double accuracy[4];         /* at the best epoch, by part */
    se_real *weight;            /* per arc at the best epoch */
    float *hidden;              /* n x hidden_cols, what goes into the last layer there, or NULL */
    uint64_t hidden_cols;
};
#define SE_LEARNED_INIT { .best = 0 }

/* Train net and structure together.  The best epoch has the highest validation accuracy, of equal
 * ones the lowest validation loss.  A learner that validates learns from every second validation vertex and is
 * chosen by the others. */
int se_learn(struct se_learned *r, struct se_learn *l, struct se_net *net,
             const struct se_learn_plan *plan, struct se_err *err);
void se_learned_release(struct se_learned *r);

/* The gradient by the weights of edges of the loss of the vertices `val`, after the net has taken a
 * step by the loss of `train` from the parameters `was`: directly, and by way of that step, which
 * changed parameter k by -scale[k] times its gradient.  Into l->dweight.  memory: 2 net->count +
 * arcs numbers. */
void se_learn_hyper(struct se_learn *l, struct se_net *net, const struct se_targets *train,
                    const struct se_targets *val, const se_real *was, const double *scale,
                    se_real *dlogits, se_real *memory);

#endif
