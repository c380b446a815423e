/* mlp.c - a perceptron that does not see the graph: the control */
#include "common/train/net.h"

static int build(struct se_net *net, const struct se_model_options *h, struct se_err *err)
{
    int rc = se_net_dropout(net, h->input_dropout, err);

    for (uint64_t i = 1; rc == 0 && i < h->layers; i++)
        rc = se_net_linear(net, h->hidden, err) < 0 ||
             se_net_activate(net, SE_RELU, h->dropout, err) < 0 ? -1 : 0;
    return rc == 0 ? se_net_linear(net, h->classes, err) : -1;
}

extern const struct se_model_kind se_model_mlp;
const struct se_model_kind se_model_mlp = {
    .name = "mlp", .input_dropout = 0.5, .hidden = 64, .build = build, .cost = 0.7,
    .settings = "--layers", .source = "multilayer perceptron", .use = "control: features only; edges mislead"
};
