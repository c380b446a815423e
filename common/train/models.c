/* models.c - the table of models, one for each common/train/models/NAME.c
 *
 * models.inc is made by the Makefile: a line MODEL(NAME) for each. */
#include <stdio.h>
#include <string.h>

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

const struct se_model_kind *se_model_find(const char *name, bool asked, struct se_err *err)
{
    char all[512] = "";

    for (int i = 0; se_model_kinds[i]; i++) {
        if (strcmp(se_model_kinds[i]->name, name) == 0)
            return se_model_kinds[i];
        snprintf(all + strlen(all), sizeof all - strlen(all), " %s", se_model_kinds[i]->name);
    }
    se_fail(err, asked ? SE_EUSAGE : SE_EINPUT, "%s: '%.40s' is none of%s",
            asked ? "--model" : "model", name, all);
    return NULL;
}
