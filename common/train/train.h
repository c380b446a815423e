/* train.h - training a net on a split: epochs, accuracies, the best of them */
#ifndef SE_TRAIN_H
#define SE_TRAIN_H

#include "common/base/progress.h"
#include "common/base/text.h"
#include "common/train/checkpoint.h"
#include "common/train/net.h"

/* A loss over all vertices that is added to the cross-entropy.  An epoch has one or more samples:
 * passes forward with random numbers of their own, whose gradients are averaged.  On the CPU only. */
struct se_extra {
    /* After the pass of a sample; all are seen before the first gradient.  NULL: nothing to do */
    void (*see)(struct se_extra *x, const struct se_net *net, uint64_t sample,
                const se_real *logits);
    /* Its value for the sample; the gradient is added to dlogits or to net->dside. */
    double (*add)(struct se_extra *x, struct se_net *net, uint64_t sample,
                  const se_real *logits, se_real *dlogits);
    /* Its value after an evaluation, for training without labels */
    double (*judge)(struct se_extra *x, struct se_net *net);
};

enum { SE_MOST_EXTRAS = 4 };

struct se_train_options {
    double rate, decay;
    uint64_t epochs, patience;  /* patience 0: all epochs */
    const int32_t *label;       /* per vertex; -1 takes no part */
    const uint8_t *part;        /* enum se_split_part per vertex */
    uint64_t classes;
    bool embed_best, embed_hidden;
    bool by_loss, last_of_ties; /* how the best epoch is chosen: by validation loss instead of
                                   accuracy; of equal ones the last instead of the first */
    uint64_t samples;           /* 0 is 1 */
    struct se_extra *extra[SE_MOST_EXTRAS];     /* NULL-ended unless full */
    bool unlabelled;            /* there is no other loss; the best epoch is that of which the first
                                   extra judges the least */
    struct se_out *log;         /* learning curve as TSV, or NULL */
    struct se_progress *progress;
    struct se_checkpoint checkpoint;    /* where to go on, unless its path is NULL */
};

struct se_train_result {
    uint64_t best, epochs;      /* the best epoch, from 1; epochs run */
    double loss;                /* of the last epoch */
    double val_loss;            /* at the best epoch, if that chose it */
    double accuracy[4];         /* by part, at the best epoch; NaN where nobody is */
    float *logits, *embedding;  /* n x classes at the best epoch; n x embed_cols; se_matrix_room() */
    se_real *value;             /* parameters at the best epoch */
    uint64_t embed_cols;
};
#define SE_TRAIN_RESULT_INIT { .best = 0 }

/* Train; an error names the epoch if the loss is no number any more, or the part that is
 * empty.  Release the result in any case. */
int se_train(struct se_train_result *r, struct se_net *net, const struct se_train_options *plan,
             struct se_err *err);
void se_train_release(struct se_train_result *r);
/* A line of the learning curve, the first with a heading; NULL: none is wanted */
void se_train_log(struct se_out *out, uint64_t epoch, double loss, const double accuracy[4]);

/* The class of the largest logit of each vertex, and its softmax */
void se_predict(const se_real *logits, uint64_t n, uint64_t classes, int32_t *label,
                float *confidence);

/* The softmax of each row of logits, n x classes */
void se_probabilities_of(const se_real *logits, uint64_t n, uint64_t classes, float *p);

/* The share of the vertices of each part whose largest logit is that of their class; NaN for
 * a part without vertices. */
void se_accuracy(const se_real *logits, uint64_t n, uint64_t classes, const int32_t *label,
                 const uint8_t *part, double accuracy[4]);

#endif
