/* layers_acm.c - adaptive mixing of channels (Luan et al.)
 *
 * H_0 = relu(P Y_0), H_1 = relu(Y_1 - P Y_1), H_2 = relu(Y_2), Y_k = X W_k.  For each vertex s_k =
 * sigmoid(H_k . w_k), a = softmax(s M / 3), and the output is 3 sum_k a_k H_k. */
#include "common/train/vector.h"

enum { CHANNELS = 3, MIXED = 3 };      /* work[0..2]: H_k, then their gradients; [3]: s and a */

struct mixing {
    const struct se_net *net;
    struct se_layer *x;
    const se_real *dout;
};

static const se_real *vector_of(const struct se_net *net, const struct se_layer *x, int k)
{
    return net->value + x->attend + (uint64_t)k * x->cols;
}

static void relu_range(void *arg, uint64_t from, uint64_t to)
{
    se_real *h = arg;

    for (uint64_t i = from; i < to; i++)
        h[i] = h[i] > 0 ? h[i] : 0;
}

static void mix_channels(void *arg, uint64_t from, uint64_t to)
{
    const struct mixing *m = arg;
    const struct se_net *net = m->net;
    const struct se_layer *x = m->x;
    const uint64_t cols = x->cols;
    const se_real *mix = net->value + x->weight3;

    for (uint64_t v = from; v < to; v++) {
        se_real *s = x->work[MIXED] + v * 2 * CHANNELS, *a = s + CHANNELS, *out;
        double l[CHANNELS], most = -INFINITY, sum = 0;

        for (int k = 0; k < CHANNELS; k++)
            s[k] = (se_real)(1 / (1 + exp(-(double)se_dot(x->work[k] + v * cols,
                                                          vector_of(net, x, k), cols))));
        for (int j = 0; j < CHANNELS; j++) {
            l[j] = 0;
            for (int k = 0; k < CHANNELS; k++)
                l[j] += (double)s[k] * (double)mix[k * CHANNELS + j] / CHANNELS;
            most = fmax(most, l[j]);
        }
        for (int j = 0; j < CHANNELS; j++)
            sum += l[j] = exp(l[j] - most);
        for (int j = 0; j < CHANNELS; j++)
            a[j] = (se_real)(l[j] / sum);
        out = x->buffer + v * cols;
        for (uint64_t c = 0; c < cols; c++)
            out[c] = CHANNELS * (a[0] * x->work[0][v * cols + c] + a[1] * x->work[1][v * cols + c] +
                                 a[2] * x->work[2][v * cols + c]);
    }
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
    struct mixing m = { net, x, NULL };

    (void)train;
    for (int k = 0; k < CHANNELS; k++) {
        se_real *y = k == 2 ? x->work[k] : net->scratch;

        se_mm(net, in, net->value + weight_at(x, k), x->cols, NULL, false, y);
        if (k < 2)
            filter(net, x->cols, y, k == 1, x->work[k]);
        se_ranges(net->threads, net->n * x->cols, 2, relu_range, x->work[k]);
    }
    se_ranges(net->threads, net->n, 9 * x->cols + 60, mix_channels, &m);
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

/* Gradients of one vertex: of the vectors and M into `sum`, of the channels before relu over H_k */
static void vertex_back(const struct mixing *m, uint64_t v, se_real *sum)
{
    const struct se_net *net = m->net;
    const struct se_layer *x = m->x;
    const uint64_t cols = x->cols;
    const se_real *mix = net->value + x->weight3, *dout = m->dout + v * cols;
    const se_real *s = x->work[MIXED] + v * 2 * CHANNELS, *a = s + CHANNELS;
    se_real da[CHANNELS], mean = 0;

    for (int k = 0; k < CHANNELS; k++) {
        da[k] = CHANNELS * se_dot(dout, x->work[k] + v * cols, cols);
        mean += a[k] * da[k];
    }
    for (int k = 0; k < CHANNELS; k++)
        da[k] = a[k] * (da[k] - mean) / CHANNELS;       /* of l, over 3 */
    for (int k = 0; k < CHANNELS; k++) {
        const se_real *w = vector_of(net, x, k);
        se_real *h = x->work[k] + v * cols, *dw = sum + (uint64_t)k * cols, ds = 0;

        for (int j = 0; j < CHANNELS; j++) {
            ds += mix[k * CHANNELS + j] * da[j];
            sum[CHANNELS * cols + (uint64_t)(k * CHANNELS + j)] += s[k] * da[j];
        }
        ds *= s[k] * (1 - s[k]);
        for (uint64_t c = 0; c < cols; c++) {
            dw[c] += ds * h[c];
            h[c] = h[c] > 0 ? CHANNELS * a[k] * dout[c] + ds * w[c] : 0;
        }
    }
}

static void mix_back(void *arg, uint64_t from, uint64_t to, se_real *sum)
{
    const struct mixing *m = arg;

    memset(sum, 0, (CHANNELS * m->x->cols + CHANNELS * CHANNELS) * sizeof *sum);
    for (uint64_t v = from; v < to; v++)
        vertex_back(m, v, sum);
}

/* The vectors and M lie side by side, in this order. */
static void acm_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                         const se_real *dout, se_real *din)
{
    struct mixing m = { net, x, dout };

    se_sum_parts(net->worker, net->n, CHANNELS * x->cols + CHANNELS * CHANNELS, 12 * x->cols,
                 mix_back, &m, net->grad + x->attend);
    for (int k = 0; k < CHANNELS; k++) {
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

static const struct se_layer_ops acm_ops = { "acmconv", true, acm_forward, acm_backward };

int se_net_acmconv(struct se_net *net, uint64_t cols, struct se_err *err)
{
    struct se_layer *x = se_net_append(net, &acm_ops, cols, err);
    struct se_glorot init = { SE_INIT_UNIFORM, 1, 0, (double)cols };

    if (!x)
        return -1;
    net->sees_norm = true;
    init.in = (double)x->in;
    for (int k = 0; k < CHANNELS; k++)
        x->room[k] = net->n * cols;
    x->room[MIXED] = net->n * 2 * CHANNELS;
    se_net_scratch(net, net->n * cols);
    se_net_room(net, CHANNELS * cols + CHANNELS * CHANNELS);
    if (se_net_parameter(net, "low", x->in, cols, init, &x->weight, err) < 0 ||
        se_net_parameter(net, "high", x->in, cols, init, &x->weight2, err) < 0 ||
        se_net_parameter(net, "identity", x->in, cols, init, &x->bias, err) < 0)
        return -1;
    init.in = (double)cols;
    init.out = 1;
    if (se_net_parameter(net, "attend", CHANNELS, cols, init, &x->attend, err) < 0)
        return -1;
    init.in = init.out = CHANNELS;
    return se_net_parameter(net, "mix", CHANNELS, CHANNELS, init, &x->weight3, err);
}
