/* recipe.c - what a stored model must know to run again */
#include "common/train/recipe.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/train/input.h"
#include "common/base/text.h"

int se_recipe_tell(const struct se_recipe *r, char text[SE_RECIPE_TEXT])
{
    const struct se_hyper *h = &r->h;

    return snprintf(text, SE_RECIPE_TEXT,
                    "model=%s\nhidden=%" PRIu64 "\nlayers=%" PRIu64 "\nclasses=%" PRIu64
                    "\nheads=%" PRIu64 "\nout_heads=%" PRIu64 "\nhops=%" PRIu64 "\nalpha=%.17g\n"
                    "norm=%d\ninput=%d\nedge_weights=%d\nbeside=%d\ncommunities=%" PRIu64 "\n"
                    "neighbours=%d\n",
                    r->model, h->hidden, h->layers, h->classes, h->heads, h->out_heads, h->hops,
                    h->alpha, r->norm, r->input, r->edge_weights, r->beside, r->communities,
                    r->neighbours);
}

int se_recipe_recall(struct se_recipe *r, const struct se_model *m, struct se_err *err)
{
    uint64_t norm = 0, input = 0, weights = 0, beside = 0, neighbours = 0;
    char alpha[SE_MODEL_VALUE], any[SE_MODEL_VALUE];
    struct se_hyper *h = &r->h;

    if (!se_model_value(m, "model", r->name) || !se_model_value(m, "alpha", alpha) ||
        !se_whole_number(alpha, &h->alpha))
        return se_fail(err, SE_EINPUT, "model: does not say what it is");
    if (se_model_count(m, "hidden", 1000000, &h->hidden, err) < 0 ||
        se_model_count(m, "layers", 16, &h->layers, err) < 0 ||
        se_model_count(m, "classes", UINT32_MAX, &h->classes, err) < 0 ||
        se_model_count(m, "heads", 256, &h->heads, err) < 0 ||
        se_model_count(m, "out_heads", 256, &h->out_heads, err) < 0 ||
        se_model_count(m, "hops", 1000, &h->hops, err) < 0 ||
        se_model_count(m, "norm", SE_NORM_NONE, &norm, err) < 0 ||
        se_model_count(m, "input", SE_INPUT_BOTH, &input, err) < 0 ||
        se_model_count(m, "edge_weights", 1, &weights, err) < 0 ||
        se_model_count(m, "beside", 1, &beside, err) < 0 ||
        se_model_count(m, "communities", 65536, &r->communities, err) < 0 ||
        (se_model_value(m, "neighbours", any) &&        /* older ones do not say */
         se_model_count(m, "neighbours", 1, &neighbours, err) < 0))
        return -1;
    if (h->heads == 0 || h->out_heads == 0 || h->layers == 0 || h->classes == 0)
        return se_fail(err, SE_EINPUT, "model: has no heads, layers or classes");
    r->model = r->name;
    r->norm = (int)norm;
    r->input = (int)input;
    r->edge_weights = weights;
    r->beside = beside;
    r->neighbours = neighbours;
    return 0;
}
