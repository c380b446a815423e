/* acm.c - adaptive channel mixing (Luan et al.): low-pass, high-pass, identity */
#include "common/train/net.h"

static int conv(struct se_net *net, const struct se_model_options *h, bool last,
                struct se_err *err)
{
    return se_net_acmconv(net, last ? h->classes : h->hidden, err);
}

static int build(struct se_net *net, const struct se_model_options *h, struct se_err *err)
{
    net->edge_dropout = h->edge_dropout;
    return se_net_stack(net, h, conv, SE_IDENTITY, err);
}

extern const struct se_model_kind se_model_acm;
const struct se_model_kind se_model_acm = {
    .name = "acm", .input_dropout = 0.5, .hidden = 64, .build = build,
    .cost = 5, .settings = "--layers --norm --residual --jump", .source = "Luan et al. 2022",
    .use = "neighbours of the same and of other classes are mixed"
};
