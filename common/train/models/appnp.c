/* appnp.c - predict, then propagate (Gasteiger et al.) */
#include "common/train/net.h"

static int build(struct se_net *net, const struct se_model_options *h, struct se_err *err)
{
    int rc = se_net_dropout(net, h->input_dropout, err);

    for (uint64_t i = 1; rc == 0 && i < h->layers; i++)
        rc = se_net_linear(net, h->hidden, err) < 0 ||
             se_net_activate(net, SE_RELU, h->dropout, err) < 0 ? -1 : 0;
    if (rc < 0 || se_net_linear(net, h->classes, err) < 0)
        return -1;
    return se_net_propagate(net, h->alpha, (int)h->hops, h->edge_dropout, err);
}

extern const struct se_model_kind se_model_appnp;
const struct se_model_kind se_model_appnp = {
    .name = "appnp", .input_dropout = 0.5, .hidden = 64, .build = build, .edge_dropout = 0.5,
    .cost = 2, .settings = "--alpha --hops --layers", .source = "Gasteiger et al. 2019",
    .use = "neighbours share the class, few labels"
};
