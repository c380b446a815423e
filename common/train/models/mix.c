/* mix.c - weights of their own for the vertex itself, the given and the learned edges */
#include "common/train/net.h"

static int conv(struct se_net *net, const struct se_model_options *h, bool last,
                struct se_err *err)
{
    return se_net_mixconv(net, last ? h->classes : h->hidden, err);
}

static int build(struct se_net *net, const struct se_model_options *h, struct se_err *err)
{
    net->edge_dropout = h->edge_dropout;
    return se_net_stack(net, h, conv, SE_RELU, err);
}

extern const struct se_model_kind se_model_mix;
const struct se_model_kind se_model_mix = {
    .name = "mix", .input_dropout = 0.5, .hidden = 64, .build = build, .beside = true,
    .cost = 1.5, .settings = "--beside --layers --norm --residual --jump", .source = "se-gsl",
    .use = "given and learned edges at the same time"
};
