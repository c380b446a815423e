/* gat.c - graph attention (Velickovic et al.): heads joined, then averaged */
#include "common/train/net.h"

static int build(struct se_net *net, const struct se_hyper *h, struct se_err *err)
{
    int rc = se_net_dropout(net, h->input_dropout, err);

    net->edge_dropout = h->edge_dropout;
    for (uint64_t i = 1; rc == 0 && i < h->layers; i++)
        rc = se_net_gatconv(net, h->hidden, h->heads, false, h->attention_dropout, err) < 0 ||
             se_net_activate(net, SE_ELU, h->dropout, err) < 0 ? -1 : 0;
    if (rc < 0)
        return -1;
    return se_net_gatconv(net, h->classes, h->out_heads, true, h->attention_dropout, err);
}

extern const struct se_model_kind se_model_gat;
const struct se_model_kind se_model_gat = { "gat", 0.5, 8, build, 0, false };
