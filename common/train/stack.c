/* stack.c - hidden layers in a row, with norm, residual connections and a jump to the end */
#include "common/train/net.h"

/* The new layer plus the output of layer `before`, by way of weights where the columns differ */
static int add_residual(struct se_net *net, int before, struct se_err *err)
{
    const int conv = net->layers - 1;
    const uint64_t cols = net->layer[conv].cols;
    int both[2] = { conv, before };

    if (before < 0 || net->layer[before].gives_sparse || net->layer[before].cols != cols) {
        se_net_from(net, before);
        if (se_net_product(net, cols, err) < 0)
            return -1;
        both[1] = net->layers - 1;
    }
    return se_net_sum(net, both, 2, err);
}

int se_net_stack(struct se_net *net, const struct se_model_options *h, se_net_conv *conv,
                 enum se_activation act, struct se_err *err)
{
    int hidden[SE_MOST_TAPS + 1], count = 0;

    if (se_net_dropout(net, h->input_dropout, err) < 0)
        return -1;
    for (uint64_t i = 1; i < h->layers; i++) {
        const int before = net->layers - 1;

        if (conv(net, h, false, err) < 0 || (h->residual && add_residual(net, before, err) < 0) ||
            se_net_norm(net, (enum se_norm_kind)h->norm, err) < 0 ||
            se_net_activate(net, act, h->dropout, err) < 0)
            return -1;
        if (h->jump && count > SE_MOST_TAPS)
            return se_fail(err, SE_EUSAGE, "--jump concat joins at most %d hidden layers; "
                           "lower --layers", SE_MOST_TAPS + 1);
        hidden[h->jump ? count++ : 0] = net->layers - 1;
    }
    return h->jump && count > 1 ? se_net_joint(net, hidden, count, h->classes, false, err)
                                : conv(net, h, true, err);
}
