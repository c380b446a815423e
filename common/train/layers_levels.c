/* layers_levels.c - up and down the levels of a tree: sums over the members of a module, and copies
 * of a module for each of them */
#include "common/train/net.h"

/* To sum members, or to copy modules to them, between level l and the one above */
static struct se_gather sum_members(const struct se_netlevels *t, int above, const se_real *x,
                                    uint64_t cols, se_real *y)
{
    const struct se_level *l = &t->level[above - 1];

    return (struct se_gather){ .off = l->off, .index = l->member, .value = t->one, .x = x,
                               .rows = l->off[l->n], .stride = cols, .y = y, .width = cols,
                               .heads = 1, .scale = 1 };
}

static struct se_gather copy_modules(const struct se_netlevels *t, int above, const se_real *x,
                                     uint64_t cols, se_real *y)
{
    const struct se_level *l = &t->level[above - 1];

    return (struct se_gather){ .off = t->each, .index = l->parent, .value = t->one, .x = x,
                               .rows = l->n, .stride = cols, .y = y, .width = cols, .heads = 1,
                               .scale = 1 };
}

static uint64_t rows_at(const struct se_net *net, int level)
{
    return level > 0 ? net->levels->level[level - 1].n : net->levels->level[0].off[net->levels->level[0].n];
}

/* ---- pool ---- */

static void pool_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                         bool train)
{
    const struct se_gather g = sum_members(net->levels, x->level, in->dense, x->cols, x->buffer);

    (void)train;
    se_gather(net, &g, net->n);
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

static void pool_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                          const se_real *dout, se_real *din)
{
    const struct se_gather g = copy_modules(net->levels, x->level, dout, x->cols, din);

    (void)in;
    if (din)
        se_gather(net, &g, rows_at(net, x->level - 1));
}

static const struct se_layer_ops pool_ops = { "pool", true, pool_forward, pool_backward,
                                              .alone = true };

int se_net_pool(struct se_net *net, struct se_err *err)
{
    const uint64_t cols = se_net_cols(net);

    se_net_level(net, net->level + 1);
    return se_net_append(net, &pool_ops, cols, err) ? 0 : -1;
}

/* ---- unpool ---- */

static void unpool_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                           bool train)
{
    const struct se_gather g = copy_modules(net->levels, x->level + 1, in->dense, x->cols,
                                            x->buffer);

    (void)train;
    se_gather(net, &g, net->n);
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

static void unpool_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                            const se_real *dout, se_real *din)
{
    const struct se_gather g = sum_members(net->levels, x->level + 1, dout, x->cols, din);

    (void)in;
    if (din)
        se_gather(net, &g, rows_at(net, x->level + 1));
}

static const struct se_layer_ops unpool_ops = { "unpool", true, unpool_forward, unpool_backward,
                                                .alone = true };

int se_net_unpool(struct se_net *net, struct se_err *err)
{
    const uint64_t cols = se_net_cols(net);

    se_net_level(net, net->level - 1);
    return se_net_append(net, &unpool_ops, cols, err) ? 0 : -1;
}
