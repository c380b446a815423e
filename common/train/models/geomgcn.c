/* geomgcn.c - Geom-GCN (Pei et al.): weights for each direction in which a neighbour lies */
#include "common/train/net.h"

/* Hidden columns are those of each part; the last layer is the mean of its parts. */
static int build(struct se_net *net, const struct se_model_options *h, struct se_err *err)
{
    if (se_net_divide(net, err) < 0 || se_net_dropout(net, h->input_dropout, err) < 0)
        return -1;
    for (uint64_t i = 1; i <= h->layers; i++) {
        const bool last = i == h->layers;

        if (se_net_product(net, SE_PARTS * (last ? h->classes : h->hidden), err) < 0 ||
            se_net_parts(net, last, err) < 0 ||
            (!last && se_net_activate(net, SE_RELU, h->dropout, err) < 0))
            return -1;
    }
    return 0;
}

extern const struct se_model_kind se_model_geomgcn;
const struct se_model_kind se_model_geomgcn = {
    .name = "geomgcn", .input_dropout = 0.5, .hidden = 16, .build = build, .beside = true,
    .positions = true, .cost = 4.5,
    .settings = "--beside (of se-embed --latent) --layers; --hidden for each part",
    .source = "Pei et al. 2020", .use = "the direction of a neighbour in an embedding tells something"
};
