/* train.h - training a net on a split: epochs, accuracies, the best of them */
#ifndef SE_TRAIN_H
#define SE_TRAIN_H

#include "common/train/net.h"
#include "common/cli/tool.h"

struct se_train_plan {
    double rate, decay;
    uint64_t epochs, patience;  /* patience 0: all epochs */
    const int32_t *label;       /* per vertex; -1 takes no part */
    const uint8_t *part;        /* enum se_part_of per vertex */
    uint64_t classes;
    bool embed_best, embed_hidden;
    struct se_out *log;         /* learning curve as TSV, or NULL */
    struct se_progress *progress;
};

struct se_train_result {
    uint64_t best, epochs;      /* epoch of the best validation accuracy, from 1; run */
    double loss;                /* of the last epoch */
    double accuracy[4];         /* by part, at the best epoch; NaN where nobody is */
    float *logits, *embedding;  /* n x classes at the best epoch; n x embed_cols */
    se_real *value;             /* parameters at the best epoch */
    uint64_t embed_cols;
};
#define SE_TRAIN_RESULT_INIT { 0, 0, 0, { 0 }, NULL, NULL, NULL, 0 }

/* Train; an error names the epoch if the loss is no number any more, or the part that is
 * empty.  Release the result in any case. */
int se_train(struct se_train_result *r, struct se_net *net, const struct se_train_plan *plan,
             struct se_err *err);
void se_train_release(struct se_train_result *r);

/* The class of the largest logit of each vertex, and its softmax */
void se_predict(const se_real *logits, uint64_t n, uint64_t classes, int32_t *label,
                float *confidence);

/* The share of the vertices of each part whose largest logit is that of their class; NaN for
 * a part without vertices. */
void se_accuracy(const se_real *logits, uint64_t n, uint64_t classes, const int32_t *label,
                 const uint8_t *part, double accuracy[4]);

#endif
