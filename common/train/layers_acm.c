/* layers_acm.c - adaptive mixing of channels (Luan et al.)
 *
 * H_0 = relu(P Y_0), H_1 = relu(Y_1 - P Y_1), H_2 = relu(Y_2), Y_k = X W_k.  For each vertex s_k =
 * sigmoid(H_k . w_k), a = softmax(s M / 3), and the output is 3 sum_k a_k H_k. */
#include "common/train/vector.h"

enum { MIXED = 3 };     /* work[0..2]: H_k, then their gradients; [3]: s, a */

/* The vectors and M lie side by side, in this order, as do their gradients. */
static struct se_mixing mixing_of(const struct se_net *net, const struct se_layer *x,
                                  const se_real *dout)
{
    return (struct se_mixing){ .rows = net->n, .cols = x->cols,
                               .h = { x->work[0], x->work[1], x->work[2] },
                               .vector = net->value + x->attend, .matrix = net->value + x->weight3,
                               .state = x->work[MIXED], .out = x->buffer, .dout = dout,
                               .dvector = net->grad + x->attend };
}

/* y = P y', or y' - P y' if `high` */
static void filter(const struct se_net *net, uint64_t cols, const se_real *from, bool high,
                   se_real *to)
{
    struct se_gather g = se_arcs(net->graph, net->graph->norm, false, from, cols, to);

    if (high) {
        g.scale = -1;
        g.base = from;
        g.base_scale = 1;
    }
    se_gather(net, &g, net->n);
}

static uint64_t weight_at(const struct se_layer *x, int k)
{
    return k == 0 ? x->weight : k == 1 ? x->weight2 : x->bias;
}

static void acm_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                        bool train)
{
    const struct se_mixing m = mixing_of(net, x, NULL);

    (void)train;
    for (int k = 0; k < SE_CHANNELS; k++) {
        se_real *y = k == 2 ? x->work[k] : net->scratch;

        se_mm(net, in, net->value + weight_at(x, k), x->cols, NULL, false, y);
        if (k < 2)
            filter(net, x->cols, y, k == 1, x->work[k]);
        net->ops->activate(net->worker, &(struct se_activating){ SE_RELU, x->work[k], NULL, NULL,
                                                                 x->work[k], 1, net->n * x->cols });
    }
    net->ops->mix(net->worker, &m);
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

static void acm_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                         const se_real *dout, se_real *din)
{
    const struct se_mixing m = mixing_of(net, x, dout);

    net->ops->mix_back(net->worker, &m);
    for (int k = 0; k < SE_CHANNELS; k++) {
        se_real *dy = k == 2 ? x->work[k] : net->scratch;

        if (k < 2 && net->dnorm) {              /* X W_k was not kept */
            se_mm(net, in, net->value + weight_at(x, k), x->cols, NULL, false, dy);
            se_arc_gradient(net, x->work[k], dy, x->cols, k == 0 ? 1 : -1);
        }
        if (k < 2)
            filter(net, x->cols, x->work[k], k == 1, dy);
        se_mm_weight(net, in, dy, x->cols, net->grad + weight_at(x, k));
        if (din)
            se_mm_input(net, dy, net->value + weight_at(x, k), x->cols, x->in, k > 0, din);
    }
}

static const struct se_layer_ops acm_ops = { "acmconv", false, acm_forward, acm_backward };

int se_net_acmconv(struct se_net *net, uint64_t cols, struct se_err *err)
{
    struct se_layer *x = se_net_append(net, &acm_ops, cols, err);
    struct se_glorot init = { SE_INIT_UNIFORM, 1, 0, (double)cols };

    if (!x)
        return -1;
    net->sees_norm = true;
    init.in = (double)x->in;
    for (int k = 0; k < SE_CHANNELS; k++)
        x->room[k] = net->n * cols;
    x->room[MIXED] = net->n * 4 * SE_CHANNELS;
    se_net_scratch(net, net->n * cols);
    se_net_room(net, SE_CHANNELS * cols + SE_CHANNELS * SE_CHANNELS);
    if (se_net_parameter(net, "low", x->in, cols, init, &x->weight, err) < 0 ||
        se_net_parameter(net, "high", x->in, cols, init, &x->weight2, err) < 0 ||
        se_net_parameter(net, "identity", x->in, cols, init, &x->bias, err) < 0)
        return -1;
    init.in = (double)cols;
    init.out = 1;
    if (se_net_parameter(net, "attend", SE_CHANNELS, cols, init, &x->attend, err) < 0)
        return -1;
    init.in = init.out = SE_CHANNELS;
    return se_net_parameter(net, "mix", SE_CHANNELS, SE_CHANNELS, init, &x->weight3, err);
}
