/* linear.c - logistic regression on the input: the plainest control */
#include "common/train/net.h"

static int build(struct se_net *net, const struct se_model_options *h, struct se_err *err)
{
    return se_net_dropout(net, h->input_dropout, err) < 0 ? -1
         : se_net_linear(net, h->classes, err);
}

extern const struct se_model_kind se_model_linear;
const struct se_model_kind se_model_linear = {
    .name = "linear", .hidden = 64, .build = build, .cost = 0.5, .settings = "-",
    .source = "logistic regression", .use = "control: features only"
};
