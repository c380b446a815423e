/* fsgnn.c - FSGNN (Maurya et al.): features after 0 to K hops, gated and joined */
#include "common/train/net.h"

/* The hops follow the weights: A^k (X W) is (A^k X) W with fewer columns.  The bias comes after
 * the last hop.  The graph beside it is the same without loops. */
static int build(struct se_net *net, const struct se_model_options *h, struct se_err *err)
{
    const int graphs = net->beside ? 2 : 1;
    int part[SE_MOST_TAPS + 1], count = 0, input;

    net->edge_dropout = h->edge_dropout;
    if (h->hops * (uint64_t)graphs > SE_MOST_TAPS)
        return se_fail(err, SE_EUSAGE, "fsgnn has at most %d --hops", SE_MOST_TAPS / graphs);
    if (se_net_dropout(net, h->input_dropout, err) < 0)
        return -1;
    input = net->layers - 1;
    for (int g = 0; g < graphs; g++)
        for (uint64_t hops = g; hops <= h->hops; hops++) {
            se_net_from(net, input);
            if ((hops ? se_net_product(net, h->hidden, err)
                      : se_net_linear(net, h->hidden, err)) < 0)
                return -1;
            for (uint64_t k = 1; k <= hops; k++)
                if ((k < hops ? se_net_hop : se_net_hop_bias)(net, g == 1, err) < 0)
                    return -1;
            part[count++] = net->layers - 1;
        }
    return se_net_gate(net, part, count, err) < 0 ||
           se_net_activate(net, SE_RELU, h->dropout, err) < 0 ? -1
         : se_net_linear(net, h->classes, err);
}

extern const struct se_model_kind se_model_fsgnn;
const struct se_model_kind se_model_fsgnn = {
    .name = "fsgnn", .hidden = 64, .build = build, .beside = true,
    .without_loops = true, .hops = 3,
    .cost = 10, .settings = "--hops --beside", .source = "Maurya et al. 2021",
    .use = "unknown which distance matters; small graphs: --lr 0.05"
};
