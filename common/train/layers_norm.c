/* layers_norm.c - layer norm, batch norm, and joined parts of equal length with learned shares */
#include "common/train/vector.h"

static void give_normed(const struct se_net *net, struct se_layer *x)
{
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

/* What layer->work holds: (x - mean) / deviation; 1 / deviation, and two sums of the gradient */
enum { UNIT, SCALE };

/* Batch norm: all vertices are in the batch, in training and in evaluation, so both take the
 * statistics of what they see. */
static struct se_norming norming_of(const struct se_net *net, const struct se_layer *x)
{
    return (struct se_norming){ .rows = net->n, .cols = x->cols, .batch = x->variant,
                                .gain = net->value + x->weight, .shift = net->value + x->bias,
                                .unit = x->work[UNIT], .out = x->buffer, .scale = x->work[SCALE] };
}

static void norm_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                         bool train)
{
    struct se_norming m = norming_of(net, x);

    (void)train;
    m.in = in->dense;
    net->ops->norm(net->worker, &m);
    give_normed(net, x);
}

static void norm_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                          const se_real *dout, se_real *din)
{
    struct se_norming m = norming_of(net, x);
    const struct se_column_sums gain = { .x = dout, .times = x->work[UNIT], .rows = net->n,
                                         .cols = x->cols, .heads = 1, .scale = 1,
                                         .sum = net->grad + x->weight };

    (void)in;
    m.dout = dout;
    m.din = din;
    se_sum_columns(net, dout, x->cols, net->grad + x->bias);
    net->ops->columns(net->worker, &gain);
    if (din)
        net->ops->norm_back(net->worker, &m);
}

static const struct se_layer_ops layer_norm_ops = { "layer norm", false, norm_forward,
                                                    norm_backward, SE_REACH_ROW };
static const struct se_layer_ops batch_norm_ops = { "batch norm", false, norm_forward,
                                                    norm_backward };

int se_net_norm(struct se_net *net, enum se_norm_kind kind, struct se_err *err)
{
    const struct se_glorot zero = { SE_INIT_ZERO, 0, 1, 1 }, one = { SE_INIT_ONE, 0, 1, 1 };
    const bool batch = kind == SE_BATCH_NORM;
    const uint64_t cols = se_net_cols(net);
    struct se_layer *x;

    if (kind == SE_NO_NORM)
        return 0;
    if (!(x = se_net_append(net, batch ? &batch_norm_ops : &layer_norm_ops, cols, err)))
        return -1;
    x->variant = batch;
    se_net_room(net, 2 * cols);
    x->room[UNIT] = net->n * cols;
    x->room[SCALE] = batch ? 3 * cols : net->n;
    if (se_net_parameter(net, "gain", 1, cols, one, &x->weight, err) < 0)
        return -1;
    return se_net_parameter(net, "shift", 1, cols, zero, &x->bias, err);
}

/* ---- gate: [g_0 H_0 / |H_0|, g_1 H_1 / |H_1|, ...], g = softmax(s), lengths by row ---- */

enum { LENGTH, GATES };         /* work: 1 / |H_k|, part by part; g */

static struct se_gating gating_of(const struct se_net *net, const struct se_layer *x, int k)
{
    const struct se_mat *h = k == 0 ? &net->layer[x->from].out : se_tap(net, x, k - 1);

    return (struct se_gating){ .rows = net->n, .cols = x->in, .part = (uint64_t)k,
                               .parts = (uint64_t)x->taps + 1, .h = h->dense,
                               .gate = x->work[GATES] + k,
                               .length = x->work[LENGTH] + (uint64_t)k * net->n, .out = x->buffer };
}

static void gate_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                         bool train)
{
    (void)in;
    (void)train;
    net->ops->shares(net->worker, net->value + x->weight, (uint64_t)x->taps + 1, x->work[GATES]);
    for (int k = 0; k <= x->taps; k++) {
        const struct se_gating g = gating_of(net, x, k);

        net->ops->gate(net->worker, &g);
    }
    give_normed(net, x);
}

static void gate_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                          const se_real *dout, se_real *din)
{
    se_real *ds = net->grad + x->weight;

    (void)in;
    for (int k = 0; k <= x->taps; k++) {
        struct se_gating g = gating_of(net, x, k);

        g.dout = dout;
        g.dh = k == 0 ? din : se_tap_grad(net, x, k - 1);
        g.add = k > 0;
        g.dgate = ds + k;
        net->ops->gate_back(net->worker, &g);
    }
    net->ops->shares_back(net->worker, x->work[GATES], (uint64_t)x->taps + 1, ds);
}

static const struct se_layer_ops gate_ops = { "gate", false, gate_forward, gate_backward };

int se_net_gate(struct se_net *net, const int *of, int count, struct se_err *err)
{
    const uint64_t cols = net->layer[of[0]].cols;
    struct se_layer *x;

    if (count - 1 > SE_MOST_TAPS)
        return se_fail(err, SE_EUSAGE, "too many hops are joined; lower --hops");
    se_net_from(net, of[0]);
    if (!(x = se_net_append(net, &gate_ops, cols * (uint64_t)count, err)))
        return -1;
    for (int k = 1; k < count; k++)
        se_net_tap(net, x, of[k]);
    x->room[LENGTH] = net->n * (uint64_t)count;
    x->room[GATES] = (uint64_t)count;
    return se_net_parameter(net, "share", 1, (uint64_t)count,
                            (struct se_glorot){ SE_INIT_ZERO, 0, 1, 1 }, &x->weight, err);
}
