/* train_options.h - the command line of se-train */
#ifndef SE_TRAIN_OPTIONS_H
#define SE_TRAIN_OPTIONS_H

#include "common/cli/tool.h"
#include "common/train/recipe.h"

enum { LOGITS, HIDDEN };        /* --embed */
enum { LAST, BEST };            /* --embed-epoch */

struct train_command {
    struct se_recipe r;
    const char *log, *beside, *features_from, *batch, *checkpoint;
    bool input_dropout_given, hidden_given, edge_dropout_given, layers_given, hops_given;
    bool vertex_dropout_given, samples_given, consistency_given;
    bool dense_decay_given, loops_given, weights_given, apply, probabilities, list, unsupervised;
    double rate, decay, dense_decay, consistency, temperature, entropy;
    uint64_t samples, modules, epochs, patience, split, every;
    int embed, embed_epoch, jump, select, ties, decay_on, weights;
};
extern struct train_command o;
extern const struct se_option train_options[];

/* What was not given is as the model wants it. */
void train_defaults(const struct se_model_kind *kind);
/* Of a stored model: what it is, and whether the graphs are there that it wants */
int train_recall(const struct se_model *m, struct se_err *err);

/* Options that cannot be used with each other, or `together` with other processes */
int train_check(const struct se_run *run, bool together, struct se_err *err);
/* What a checkpoint belongs to: content of the streams (`given`: of --beside) and options, but for
 * the number of epochs */
int train_key(const struct se_run *run, struct se_stream *s, struct se_stream *given,
              struct se_digest *key, struct se_err *err);
/* --list: one model a line: name, settings, source, when to use it */
int train_list(struct se_run *run, struct se_err *err);

#endif
