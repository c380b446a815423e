/* models.c - the table of models, one for each common/train/models/NAME.c
 *
 * models.inc is made by the Makefile: a line MODEL(NAME) for each. */
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"
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

/* The next one in the order of cost, of equal ones by name, after `last`; NULL at the end */
static const struct se_model_kind *dearer(const struct se_model_kind *last)
{
    const struct se_model_kind *best = NULL;
    bool past = false;                  /* `last` was seen, so equal ones come after it */

    for (int i = 0; se_model_kinds[i]; i++) {
        const struct se_model_kind *k = se_model_kinds[i];

        if ((!last || k->cost > last->cost || (past && k->cost >= last->cost)) &&
            (!best || k->cost < best->cost))
            best = k;
        past |= k == last;
    }
    return best;
}

static void list_for_eyes(struct se_out *out)
{
    se_outf(out, "%-8s %6s  %s\n", "model", "epoch", "use it when (where it is from)");
    for (const struct se_model_kind *k = dearer(NULL); k; k = dearer(k)) {
        se_outf(out, "%-8s %6g  %s (%s)\n", k->name, k->cost, k->use, k->source);
        if (strcmp(k->settings, "-") != 0)
            se_outf(out, "%17s%s\n", "", k->settings);
    }
    se_out_str(out, "epoch: its time, that of gcn is 1. In doubt: se-choose tries models on your graph "
               "and\ntakes the one that validation vertices prefer.\n");
}

void se_model_list(struct se_out *out, bool terminal)
{
    if (terminal)
        list_for_eyes(out);
    for (int i = 0; se_model_kinds[i] && !terminal; i++) {
        const struct se_model_kind *k = se_model_kinds[i];

        se_outf(out, "%s\t%s\t%s\t%s\t%g\n", k->name, k->settings, k->source, k->use, k->cost);
    }
}
