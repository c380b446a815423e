/* recipe.h - what a stored model must know to run again: the text of its section */
#ifndef SE_RECIPE_H
#define SE_RECIPE_H

#include "common/train/net.h"

enum se_norm { SE_NORM_ROW, SE_NORM_NONE };     /* of the features: scaled by rows, or not */

struct se_recipe {
    const char *model;          /* the name of its kind */
    struct se_hyper h;
    int norm, input;            /* enum se_norm, enum se_input_kind */
    bool edge_weights, neighbours, beside;      /* beside: there is a second graph */
    uint64_t communities;
    char name[SE_MODEL_VALUE];  /* what `model` points to, if it was recalled */
};

/* The text, at most SE_RECIPE_TEXT bytes with the end; its length. */
enum { SE_RECIPE_TEXT = 1024 };
int se_recipe_tell(const struct se_recipe *r, char text[SE_RECIPE_TEXT]);
/* From a stored one, within the bounds that se-train has for its options.  Dropouts, which only
 * training needs, stay as they are.  0, or -1 with `err`. */
int se_recipe_recall(struct se_recipe *r, const struct se_model *m, struct se_err *err);

#endif
