/* gat.c - graph attention (Velickovic et al.): heads joined, then averaged */
#include "common/train/net.h"

static int conv(struct se_net *net, const struct se_model_options *h, bool last,
                struct se_err *err)
{
    return last ? se_net_gatconv(net, h->classes, h->out_heads, true, h->attention_dropout, err)
                : se_net_gatconv(net, h->hidden, h->heads, false, h->attention_dropout, err);
}

static int build(struct se_net *net, const struct se_model_options *h, struct se_err *err)
{
    net->edge_dropout = h->edge_dropout;
    return se_net_stack(net, h, conv, SE_ELU, err);
}

extern const struct se_model_kind se_model_gat;
const struct se_model_kind se_model_gat = {
    .name = "gat", .input_dropout = 0.5, .hidden = 8, .build = build,
    .cost = 3,
    .settings = "--heads --out-heads --attention-dropout --layers --norm --residual --jump",
    .source = "Velickovic et al. 2018", .use = "some neighbours matter more than others"
};
