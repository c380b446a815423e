/* recipe.h - what a stored model must know to run again: the text of its section */
#ifndef SE_RECIPE_H
#define SE_RECIPE_H

#include "common/train/net.h"

/* Of the features: rows divided by the sum of their absolute values; none; rows to length 1;
 * columns to mean 0 and variance 1 */
enum se_norm { SE_NORM_ROW, SE_NORM_NONE, SE_NORM_L2, SE_NORM_STANDARD };

struct se_recipe {
    const char *model;          /* the name of its kind */
    struct se_model_options h;
    int norm, input, loops;     /* enum se_norm, enum se_input_kind, enum se_loops */
    bool edge_weights, neighbours, degrees, beside;      /* beside: there is a second graph */
    uint64_t communities;
    char name[SE_MODEL_VALUE];  /* what `model` points to, if it was recalled */
};

/* The text, at most SE_RECIPE_TEXT bytes with the end; its length. */
enum { SE_RECIPE_TEXT = 2048 };
int se_recipe_tell(const struct se_recipe *r, char text[SE_RECIPE_TEXT]);
/* From a stored one, within the bounds that se-train has for its options.  Dropouts, which only
 * training needs, stay as they are.  0, or -1 with `err`. */
int se_recipe_recall(struct se_recipe *r, const struct se_model *m, struct se_err *err);

#endif
