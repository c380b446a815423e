/* mixhop.c - MixHop (Abu-El-Haija et al.): powers of the graph side by side in each layer */
#include "common/train/net.h"

/* Layer: [P^j H W_j], j = 0 .. K, without bias.  Of the last layer the powers are not joined but
 * added, each with a learned share. */
static int build(struct se_net *net, const struct se_model_options *h, struct se_err *err)
{
    const int powers = (int)h->hops + 1;
    int part[SE_MOST_TAPS + 1], next[SE_MOST_TAPS + 1], input;

    net->edge_dropout = h->edge_dropout;
    if (h->hops >= SE_MOST_TAPS)
        return se_fail(err, SE_EUSAGE, "mixhop has at most %d --hops", SE_MOST_TAPS - 1);
    if (se_net_dropout(net, h->input_dropout, err) < 0)
        return -1;
    input = net->layers - 1;
    for (uint64_t i = 0; i < h->layers; i++) {
        const bool last = i + 1 == h->layers;

        for (int j = 0; j < powers; j++) {
            const uint64_t cols = last ? h->classes : h->hidden;
            int rc;

            if (i == 0) {
                se_net_from(net, input);
                rc = se_net_product(net, cols, err);
            } else {
                rc = se_net_joint(net, part, powers, cols, true, err);
            }
            for (int k = 0; rc == 0 && k < j; k++)
                rc = se_net_hop(net, false, err);
            if (rc == 0 && !last &&
                (se_net_norm(net, (enum se_norm_kind)h->norm, err) < 0 ||
                 se_net_activate(net, SE_RELU, h->dropout, err) < 0))
                rc = -1;
            if (rc < 0)
                return -1;
            next[j] = net->layers - 1;
        }
        for (int j = 0; j < powers; j++)
            part[j] = next[j];
    }
    return se_net_shares(net, part, powers, err);
}

extern const struct se_model_kind se_model_mixhop;
const struct se_model_kind se_model_mixhop = {
    .name = "mixhop", .input_dropout = 0.5, .hidden = 20, .hops = 2, .build = build,
    .cost = 4, .settings = "--hops (highest power) --layers --norm; --hidden for each power",
    .source = "Abu-El-Haija et al. 2019", .use = "one and two hops tell different things"
};
