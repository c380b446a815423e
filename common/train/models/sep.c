/* sep.c - SEP (Wu et al.): convolutions at each level of an encoding tree, up and down again */
#include "common/train/net.h"

/* What rows go through between two levels: a linear layer, relu, batch norm, relu */
static int between(struct se_net *net, const struct se_model_options *h, struct se_err *err)
{
    return se_net_linear(net, h->hidden, err) < 0 || se_net_activate(net, SE_RELU, 0, err) < 0 ||
           se_net_norm(net, SE_BATCH_NORM, err) < 0
         ? -1 : se_net_activate(net, SE_RELU, h->dropout, err);
}

/* A convolution of what came down and what was kept on the way up, side by side */
static int both(struct se_net *net, int kept, uint64_t cols, struct se_err *err)
{
    const int of[2] = { net->layers - 1, kept };

    return se_net_joint(net, of, 2, cols, true, err) < 0 ? -1 : se_net_hop(net, false, err);
}

static int build(struct se_net *net, const struct se_model_options *h, struct se_err *err)
{
    const int levels = net->levels ? net->levels->count : 0;
    int kept[SE_MOST_DEPTH + 1];

    if (levels == 0)
        return se_fail(err, SE_EINPUT, "sep wants a tree");
    net->edge_dropout = h->edge_dropout;
    net->sees_other = true;                     /* the graphs of the levels */
    if (se_net_dropout(net, h->input_dropout, err) < 0)
        return -1;
    for (int l = 0; l <= levels; l++) {
        if (se_net_graphconv(net, h->hidden, err) < 0 ||
            se_net_activate(net, SE_RELU, h->dropout, err) < 0)
            return -1;
        kept[l] = net->layers - 1;
        if (l < levels && (se_net_pool(net, err) < 0 || between(net, h, err) < 0))
            return -1;
    }
    for (int l = levels - 1; l >= 0; l--) {
        if (se_net_unpool(net, err) < 0 || between(net, h, err) < 0 ||
            both(net, kept[l], l > 0 ? h->hidden : h->classes, err) < 0)
            return -1;
        if (l > 0 && se_net_activate(net, SE_RELU, h->dropout, err) < 0)
            return -1;
    }
    return 0;
}

extern const struct se_model_kind se_model_sep;
const struct se_model_kind se_model_sep = {
    .name = "sep", .input_dropout = 0.5, .hidden = 64, .build = build, .tree = true,
    .cost = 6.5, .settings = "wants a tree in the stream (se-tree -K 3)", .source = "Wu et al. 2022",
    .use = "what a whole module has in common tells something"
};
