/* grand.c - GRAND (Feng et al.): random propagation, then a perceptron
 *
 * The propagation follows the first weights: P^k (X W) is (P^k X) W with fewer columns, and exact
 * unless the input has dropout, which then comes before the propagation.  --variant propagates the
 * features as the authors do.  Several passes in an epoch and the loss that makes them agree are
 * those of training: --samples, --consistency, --temperature. */
#include "common/train/net.h"

static int first(struct se_net *net, const struct se_model_options *h, struct se_err *err)
{
    const bool moves = h->hops > 0 || h->vertex_dropout > 0;
    const uint64_t cols = h->layers > 1 ? h->hidden : h->classes;

    if (h->variant) {
        if (moves && se_net_spread(net, h->hops, h->vertex_dropout, true, err) < 0)
            return -1;
        return se_net_dropout(net, h->input_dropout, err) < 0 ? -1 : se_net_linear(net, cols, err);
    }
    if (se_net_dropout(net, h->input_dropout, err) < 0)
        return -1;
    if (!moves)
        return se_net_linear(net, cols, err);
    return se_net_product(net, cols, err) < 0 ? -1
         : se_net_spread(net, h->hops, h->vertex_dropout, false, err);
}

static int build(struct se_net *net, const struct se_model_options *h, struct se_err *err)
{
    int rc = first(net, h, err);

    net->edge_dropout = h->edge_dropout;
    for (uint64_t i = 1; rc == 0 && i < h->layers; i++)
        rc = se_net_activate(net, SE_RELU, h->norm ? 0 : h->dropout, err) < 0 ||
             se_net_norm(net, (enum se_norm_kind)h->norm, err) < 0 ||
             (h->norm && se_net_dropout(net, h->dropout, err) < 0) ||
             se_net_linear(net, i + 1 < h->layers ? h->hidden : h->classes, err) < 0 ? -1 : 0;
    return rc;
}

extern const struct se_model_kind se_model_grand;
const struct se_model_kind se_model_grand = {
    .name = "grand", .input_dropout = 0.5, .hidden = 32, .hops = 5, .build = build,
    .vertex_dropout = 0.5, .samples = 4, .consistency = 1,
    .cost = 6,
    .settings = "--hops --vertex-dropout --samples --consistency --temperature --norm --variant",
    .source = "Feng et al. 2020",
    .use = "neighbours share the class, few labels; --feature-norm none"
};
