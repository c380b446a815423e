/* sage.c - GraphSAGE (Hamilton et al.) with mean aggregation */
#include "common/train/net.h"

static int conv(struct se_net *net, const struct se_model_options *h, bool last,
                struct se_err *err)
{
    return se_net_sageconv(net, last ? h->classes : h->hidden, err);
}

static int build(struct se_net *net, const struct se_model_options *h, struct se_err *err)
{
    net->edge_dropout = h->edge_dropout;
    return se_net_stack(net, h, conv, SE_RELU, err);
}

extern const struct se_model_kind se_model_sage;
const struct se_model_kind se_model_sage = {
    .name = "sage", .input_dropout = 0.5, .hidden = 64, .build = build,
    .cost = 2, .settings = "--layers --norm --residual --jump", .source = "Hamilton et al. 2017",
    .use = "a safe first choice: own features and those of neighbours"
};
