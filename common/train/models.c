/* models.c - the table of models, one for each common/train/models/NAME.c
 *
 * models.inc is made by the Makefile: a line MODEL(NAME) for each. */
#include "common/train/net.h"

#define MODEL(name) extern const struct se_model_kind se_model_##name;
#include "models.inc"
#undef MODEL

const struct se_model_kind *const se_model_kinds[] = {
#define MODEL(name) &se_model_##name,
#include "models.inc"
#undef MODEL
    NULL
};
