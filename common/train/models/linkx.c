/* linkx.c - LINKX (Lim et al.): neighbours and features read apart, then joined */
#include "common/train/net.h"

static int build(struct se_net *net, const struct se_model_options *h, struct se_err *err)
{
    int parts[3];

    net->edge_dropout = h->edge_dropout;
    if (se_net_dropout(net, h->input_dropout, err) < 0 || se_net_linear(net, h->hidden, err) < 0)
        return -1;
    parts[1] = net->layers - 1;
    if (se_net_adjacency(net, h->hidden, err) < 0)
        return -1;
    parts[2] = net->layers - 1;
    if (se_net_joint(net, parts + 1, 2, h->hidden, false, err) < 0)
        return -1;
    parts[0] = net->layers - 1;
    if (se_net_sum(net, parts, 3, err) < 0 || se_net_activate(net, SE_RELU, h->dropout, err) < 0)
        return -1;
    for (uint64_t i = 2; i < h->layers; i++)
        if (se_net_linear(net, h->hidden, err) < 0 ||
            se_net_activate(net, SE_RELU, h->dropout, err) < 0)
            return -1;
    return se_net_linear(net, h->classes, err);
}

extern const struct se_model_kind se_model_linkx;
const struct se_model_kind se_model_linkx = {
    .name = "linkx", .input_dropout = 0.5, .hidden = 64, .build = build,
    .cost = 2.5, .settings = "--layers; wants --feature-norm none", .source = "Lim et al. 2021",
    .use = "who the neighbours are tells the class"
};
