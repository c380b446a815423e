/* recipe.c - what a stored model must know to run again */
#include "common/train/recipe.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#include "common/base/text.h"
#include "common/train/input.h"

/* The options that are remembered, with the bounds that se-train has for them */
static const struct remembered {
    const char *name;
    enum { COUNT, INT, FLAG, NUMBER } kind;
    size_t at;                  /* in struct se_recipe */
    uint64_t most;
    bool needed;                /* 0 makes no sense */
    bool late;                  /* older models do not say; it is 0 then */
} table[] = {
#define AT(field) offsetof(struct se_recipe, field)
    { "hidden", COUNT, AT(h.hidden), 1000000, false, false },
    { "layers", COUNT, AT(h.layers), 128, true, false },
    { "classes", COUNT, AT(h.classes), UINT32_MAX, true, false },
    { "heads", COUNT, AT(h.heads), 256, true, false },
    { "out_heads", COUNT, AT(h.out_heads), 256, true, false },
    { "hops", COUNT, AT(h.hops), 1000, false, false },
    { "alpha", NUMBER, AT(h.alpha), 0, false, false },
    { "norm", INT, AT(norm), SE_NORM_STANDARD, false, false },
    { "input", INT, AT(input), SE_INPUT_BOTH, false, false },
    { "edge_weights", FLAG, AT(edge_weights), 1, false, false },
    { "beside", FLAG, AT(beside), 1, false, false },
    { "communities", COUNT, AT(communities), 65536, false, false },
    { "neighbours", FLAG, AT(neighbours), 1, false, true },
    { "degrees", FLAG, AT(degrees), 1, false, true },
    { "lambda", NUMBER, AT(h.lambda), 0, false, true },
    { "variant", FLAG, AT(h.variant), 1, false, true },
    { "vertex_dropout", NUMBER, AT(h.vertex_dropout), 0, false, true },
    { "residual", FLAG, AT(h.residual), 1, false, true },
    { "jump", FLAG, AT(h.jump), 1, false, true },
    { "layer_norm", INT, AT(h.norm), SE_BATCH_NORM, false, true },
    { "loops", INT, AT(loops), SE_LOOPS_NONE, false, true },
#undef AT
};
enum { REMEMBERED = sizeof table / sizeof table[0] };

static int tell(const struct remembered *x, const void *p, char *text, size_t room)
{
    switch (x->kind) {
    case NUMBER:
        return snprintf(text, room, "%s=%.17g\n", x->name, *(const double *)p);
    case FLAG:
        return snprintf(text, room, "%s=%d\n", x->name, *(const bool *)p);
    case INT:
        return snprintf(text, room, "%s=%d\n", x->name, *(const int *)p);
    default:
        return snprintf(text, room, "%s=%" PRIu64 "\n", x->name, *(const uint64_t *)p);
    }
}

int se_recipe_tell(const struct se_recipe *r, char text[SE_RECIPE_TEXT])
{
    int len = snprintf(text, SE_RECIPE_TEXT, "model=%s\n", r->model);

    for (int i = 0; i < REMEMBERED; i++)
        len += tell(&table[i], (const char *)r + table[i].at, text + len,
                    SE_RECIPE_TEXT - (size_t)len);
    return len;
}

static int recall(const struct remembered *x, const struct se_model *m, void *p,
                  struct se_err *err)
{
    char value[SE_MODEL_VALUE];
    uint64_t count = 0;

    if (x->kind == NUMBER && !(x->late && !se_model_value(m, x->name, value)))
        return se_model_value(m, x->name, value) && se_whole_number(value, p) ? 0
             : se_fail(err, SE_EINPUT, "model: does not say what it is");
    if (x->kind == NUMBER)
        return 0;
    if (!(x->late && !se_model_value(m, x->name, value)) &&
        se_model_count(m, x->name, x->most, &count, err) < 0)
        return -1;
    if (x->needed && count == 0)
        return se_fail(err, SE_EINPUT, "model: has no heads, layers or classes");
    if (x->kind == FLAG)
        *(bool *)p = count;
    else if (x->kind == INT)
        *(int *)p = (int)count;
    else
        *(uint64_t *)p = count;
    return 0;
}

int se_recipe_recall(struct se_recipe *r, const struct se_model *m, struct se_err *err)
{
    if (!se_model_value(m, "model", r->name))
        return se_fail(err, SE_EINPUT, "model: does not say what it is");
    for (int i = 0; i < REMEMBERED; i++)
        if (recall(&table[i], m, (char *)r + table[i].at, err) < 0)
            return -1;
    r->model = r->name;
    return 0;
}
