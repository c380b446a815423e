/* batch_eval.h - exact evaluation of a model on a large graph, some rows at a time */
#ifndef SE_BATCH_EVAL_H
#define SE_BATCH_EVAL_H

#include "common/train/batch_graph.h"
#include "common/train/input.h"

struct se_evaluator;

/* Rows at a time; unless this says otherwise */
enum { SE_EVALUATOR_ROWS = 8192 };

/* For a model whose parameters are `value`, `count` numbers, which stay with the caller.  `window`: rows
 * at a time.  An error if it has a layer that needs all vertices at once.  NULL with `err`. */
struct se_evaluator *se_evaluator_make(const struct se_model_kind *kind,
                                       const struct se_model_options *h,
                                       const struct se_big_graph *graph,
                                       const struct se_row_source *rows, uint64_t window,
                                       int threads, se_real *value, uint64_t count,
                                       struct se_err *err);
void se_evaluator_release(struct se_evaluator *e);
/* Columns of what goes into the last layer with parameters; 0: that is the input */
uint64_t se_evaluator_hidden(const struct se_evaluator *e);
/* The logits of all vertices, and unless it is NULL what goes into the last layer. */
int se_evaluate(struct se_evaluator *e, se_real *logits, se_real *hidden, struct se_err *err);

#endif
