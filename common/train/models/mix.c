/* mix.c - weights of their own for the vertex itself, the given and the learned edges */
#include "common/train/net.h"

static int build(struct se_net *net, const struct se_hyper *h, struct se_err *err)
{
    int rc = se_net_dropout(net, h->input_dropout, err);

    net->edge_dropout = h->edge_dropout;
    for (uint64_t i = 1; rc == 0 && i < h->layers; i++)
        rc = se_net_mixconv(net, h->hidden, err) < 0 ||
             se_net_activate(net, SE_RELU, h->dropout, err) < 0 ? -1 : 0;
    return rc == 0 ? se_net_mixconv(net, h->classes, err) : -1;
}

extern const struct se_model_kind se_model_mix;
const struct se_model_kind se_model_mix = { "mix", 0.5, 64, build, 0, true };
