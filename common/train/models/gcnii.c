/* gcnii.c - GCNII (Chen et al.): deep, with a share of the first layer in each */
#include <math.h>

#include "common/train/net.h"

/* Layers count the convolutions. */
static int build(struct se_net *net, const struct se_model_options *h, struct se_err *err)
{
    int start, rc = 0;

    net->edge_dropout = h->edge_dropout;
    if (se_net_dropout(net, h->input_dropout, err) < 0 || se_net_linear(net, h->hidden, err) < 0 ||
        se_net_activate(net, SE_RELU, 0, err) < 0)
        return -1;
    start = net->layers - 1;
    if (se_net_dropout(net, h->dropout, err) < 0)
        return -1;
    for (uint64_t l = 1; rc == 0 && l <= h->layers; l++)
        rc = se_net_gcnii(net, start, h->alpha, log(h->lambda / (double)l + 1), h->variant,
                          h->dropout, err);
    return rc == 0 ? se_net_linear(net, h->classes, err) : -1;
}

extern const struct se_model_kind se_model_gcnii;
const struct se_model_kind se_model_gcnii = {
    .name = "gcnii", .input_dropout = 0.5, .hidden = 64, .layers = 16, .build = build,
    .cost = 17, .settings = "--layers --alpha --lambda --variant", .source = "Chen et al. 2020",
    .use = "neighbours share the class; many layers (16 to 64)"
};
