/* results.h - what training and applying a model leave in the stream */
#ifndef SE_RESULTS_H
#define SE_RESULTS_H

#include "common/train/recipe.h"
#include "common/train/train.h"

struct se_results {
    struct se_stream *s;
    const struct se_recipe *recipe;
    const struct se_net *net;
    uint64_t n, split;          /* n: vertices of the stream; the net may have a part of them */
    bool probabilities;         /* write them, too; those of an earlier run go in any case */
};

/* Embedding, predictions, model and stats.  The embedding is not copied: as in the functions below,
 * `r` has none after that.  0, or -1 with `err`. */
int se_results_put(const struct se_results *x, struct se_train_result *r, struct se_err *err);
/* Of a training without labels, whose classes are modules: embedding, probabilities (who is how much
 * in which module), tree (each vertex in the module it is most in) and stats.  *modules: those that
 * have a vertex */
int se_results_modules(const struct se_results *x, struct se_train_result *r, uint64_t *modules,
                       struct se_err *err);
/* Evaluate the net: logits and embedding of its vertices.  hidden: the embedding is what goes into
 * the last layer.  Release r in any case. */
int se_results_forward(struct se_train_result *r, struct se_net *net, bool hidden, uint64_t classes,
                       struct se_err *err);
/* The sections of that, those of all vertices, and no model.  label, part: for the accuracies;
 * NULL: there are none */
int se_results_apply(const struct se_results *x, struct se_train_result *r,
                     const int32_t *label, const uint8_t *part, struct se_err *err);

/* A stored model: whether its arrays are those that the net wants, before memory is made for
 * them; and its parameters into the net. */
int se_stored_check(const struct se_model *m, const struct se_net *net, const char *name,
                    struct se_err *err);
void se_stored_load(const struct se_model *m, struct se_net *net);

#endif
