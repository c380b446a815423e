/* h2gcn.c - H2GCN (Zhu et al.): neighbours at distance one and two, joined, not mixed */
#include "common/train/net.h"

/* --layers counts the rounds; each layer of one gives one or two of the next. */
static int build(struct se_net *net, const struct se_model_options *h, struct se_err *err)
{
    const int graphs = net->beside ? 2 : 1;
    int part[SE_MOST_TAPS + 1], count = 0, first = 0;

    net->edge_dropout = h->edge_dropout;
    if (se_net_dropout(net, h->input_dropout, err) < 0 || se_net_product(net, h->hidden, err) < 0 ||
        se_net_activate(net, SE_RELU, 0, err) < 0)
        return -1;
    part[count++] = net->layers - 1;
    for (uint64_t k = 0; k < h->layers; k++) {
        const int last = count;

        for (int i = first; i < last; i++)
            for (int g = 0; g < graphs; g++) {
                if (count > SE_MOST_TAPS)
                    return se_fail(err, SE_EUSAGE, "h2gcn has at most 4 --layers");
                se_net_from(net, part[i]);
                if (se_net_hop(net, g == 1, err) < 0)
                    return -1;
                part[count++] = net->layers - 1;
            }
        first = last;
    }
    for (int i = 0; i < count && h->dropout > 0; i++) {
        se_net_from(net, part[i]);
        if (se_net_dropout(net, h->dropout, err) < 0)
            return -1;
        part[i] = net->layers - 1;
    }
    return se_net_joint(net, part, count, h->classes, true, err);
}

extern const struct se_model_kind se_model_h2gcn;
const struct se_model_kind se_model_h2gcn = {
    .name = "h2gcn", .hidden = 64, .build = build, .beside = true, .two_hops = true,
    .loops = SE_LOOPS_NONE, .cost = 4, .settings = "--layers 1..4 --beside",
    .source = "Zhu et al. 2020",
    .use = "neighbours mostly belong to other classes"
};
