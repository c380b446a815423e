/* gcn.c - graph convolution (Kipf and Welling): dropout on the hidden layers only */
#include "common/train/net.h"

static int conv(struct se_net *net, const struct se_model_options *h, bool last,
                struct se_err *err)
{
    return se_net_graphconv(net, last ? h->classes : h->hidden, err);
}

static int build(struct se_net *net, const struct se_model_options *h, struct se_err *err)
{
    net->edge_dropout = h->edge_dropout;
    return se_net_stack(net, h, conv, SE_RELU, err);
}

extern const struct se_model_kind se_model_gcn;
const struct se_model_kind se_model_gcn = {
    .name = "gcn", .hidden = 64, .build = build,
    .cost = 1, .settings = "--layers --norm --residual --jump", .source = "Kipf and Welling 2017",
    .use = "neighbours mostly share the class"
};
