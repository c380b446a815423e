/* layers_norm.c - layer norm, batch norm, and joined parts of equal length with learned shares */
#include "common/train/vector.h"

static const double EPS = 1e-5;

static void give_normed(const struct se_net *net, struct se_layer *x)
{
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

/* What layer->work holds: (x - mean) / deviation; 1 / deviation, and two sums of the gradient */
enum { UNIT, SCALE };

struct norming {
    const struct se_net *net;
    const struct se_layer *x;
    const se_real *in, *dout;
    se_real *din;
};

/* ---- layer norm: over the columns of a vertex ---- */

static void rows_forward(void *arg, uint64_t from, uint64_t to)
{
    const struct norming *m = arg;
    const struct se_layer *x = m->x;
    const se_real *gain = m->net->value + x->weight, *shift = m->net->value + x->bias;

    for (uint64_t v = from; v < to; v++) {
        const se_real *row = m->in + v * x->cols;
        double mean = 0, square = 0;

        for (uint64_t c = 0; c < x->cols; c++)
            mean += (double)row[c];
        mean /= (double)x->cols;
        for (uint64_t c = 0; c < x->cols; c++)
            square += ((double)row[c] - mean) * ((double)row[c] - mean);
        const double scale = 1 / sqrt(square / (double)x->cols + EPS);

        x->work[SCALE][v] = (se_real)scale;
        for (uint64_t c = 0; c < x->cols; c++) {
            const uint64_t i = v * x->cols + c;

            x->work[UNIT][i] = (se_real)(((double)row[c] - mean) * scale);
            x->buffer[i] = x->work[UNIT][i] * gain[c] + shift[c];
        }
    }
}

static void rows_backward(void *arg, uint64_t from, uint64_t to)
{
    const struct norming *m = arg;
    const struct se_layer *x = m->x;
    const se_real *gain = m->net->value + x->weight;

    for (uint64_t v = from; v < to; v++) {
        const se_real *d = m->dout + v * x->cols, *u = x->work[UNIT] + v * x->cols;
        double mean = 0, along = 0;

        for (uint64_t c = 0; c < x->cols; c++) {
            mean += (double)(d[c] * gain[c]);
            along += (double)(d[c] * gain[c]) * (double)u[c];
        }
        mean /= (double)x->cols;
        along /= (double)x->cols;
        for (uint64_t c = 0; c < x->cols; c++)
            m->din[v * x->cols + c] =
                (se_real)(((double)(d[c] * gain[c]) - mean - (double)u[c] * along) *
                          (double)x->work[SCALE][v]);
    }
}

/* ---- batch norm: over the vertices of a column.  All vertices are in the batch, in training and
 * in evaluation, so both take the statistics of what they see. ---- */

static void columns_forward(void *arg, uint64_t from, uint64_t to)
{
    const struct norming *m = arg;
    const struct se_layer *x = m->x;
    const uint64_t n = m->net->n;
    const se_real *gain = m->net->value + x->weight, *shift = m->net->value + x->bias;

    for (uint64_t c = from; c < to; c++) {
        double mean = 0, square = 0;

        for (uint64_t v = 0; v < n; v++)
            mean += (double)m->in[v * x->cols + c];
        mean /= (double)n;
        for (uint64_t v = 0; v < n; v++) {
            const double off = (double)m->in[v * x->cols + c] - mean;

            square += off * off;
        }
        const double scale = 1 / sqrt(square / (double)n + EPS);

        x->work[SCALE][c] = (se_real)scale;
        for (uint64_t v = 0; v < n; v++) {
            const uint64_t i = v * x->cols + c;

            x->work[UNIT][i] = (se_real)(((double)m->in[i] - mean) * scale);
            x->buffer[i] = x->work[UNIT][i] * gain[c] + shift[c];
        }
    }
}

static void columns_backward(void *arg, uint64_t from, uint64_t to)
{
    const struct norming *m = arg;
    const struct se_layer *x = m->x;
    const uint64_t n = m->net->n;

    for (uint64_t c = from; c < to; c++) {
        const double scale = (double)m->net->value[x->weight + c] * (double)x->work[SCALE][c];
        double mean = 0, along = 0;

        for (uint64_t v = 0; v < n; v++) {
            const uint64_t i = v * x->cols + c;

            mean += (double)m->dout[i];
            along += (double)m->dout[i] * (double)x->work[UNIT][i];
        }
        mean /= (double)n;
        along /= (double)n;
        for (uint64_t v = 0; v < n; v++) {
            const uint64_t i = v * x->cols + c;

            m->din[i] = (se_real)(((double)m->dout[i] - mean - (double)x->work[UNIT][i] * along) *
                                  scale);
        }
    }
}

static void norm_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                         bool train)
{
    struct norming m = { .net = net, .x = x, .in = in->dense };

    (void)train;
    if (x->variant)
        se_ranges(net->threads, x->cols, 8 * net->n, columns_forward, &m);
    else
        se_ranges(net->threads, net->n, 8 * x->cols, rows_forward, &m);
    give_normed(net, x);
}

static void gain_part(void *arg, uint64_t from, uint64_t to, se_real *sum)
{
    const struct norming *m = arg;
    const uint64_t cols = m->x->cols;

    memset(sum, 0, cols * sizeof *sum);
    for (uint64_t v = from; v < to; v++)
        for (uint64_t c = 0; c < cols; c++)
            sum[c] += m->dout[v * cols + c] * m->x->work[UNIT][v * cols + c];
}

static void norm_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                          const se_real *dout, se_real *din)
{
    struct norming m = { .net = net, .x = x, .dout = dout, .din = din };

    (void)in;
    se_sum_columns(net, dout, x->cols, net->grad + x->bias);
    se_sum_parts(net->worker, net->n, x->cols, 2 * x->cols, gain_part, &m,
                 net->grad + x->weight);
    if (din && x->variant)
        se_ranges(net->threads, x->cols, 8 * net->n, columns_backward, &m);
    else if (din)
        se_ranges(net->threads, net->n, 8 * x->cols, rows_backward, &m);
}

static const struct se_layer_ops layer_norm_ops = { "layer norm", true, norm_forward,
                                                    norm_backward, SE_REACH_ROW };
static const struct se_layer_ops batch_norm_ops = { "batch norm", true, norm_forward,
                                                    norm_backward, .alone = true };

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
    x->room[UNIT] = net->n * cols;
    x->room[SCALE] = batch ? cols : net->n;
    if (se_net_parameter(net, "gain", 1, cols, one, &x->weight, err) < 0)
        return -1;
    return se_net_parameter(net, "shift", 1, cols, zero, &x->bias, err);
}

/* ---- gate: [g_0 H_0 / |H_0|, g_1 H_1 / |H_1|, ...], g = softmax(s), lengths by row ---- */

enum { LENGTH, GATES };         /* work: 1 / |H_k| per vertex and part; g */

static const struct se_mat *part_of_gate(const struct se_net *net, const struct se_layer *x, int k)
{
    return k == 0 ? &net->layer[x->from].out : se_tap(net, x, k - 1);
}

static void gate_range(void *arg, uint64_t from, uint64_t to)
{
    const struct norming *m = arg;
    const struct se_layer *x = m->x;
    const int parts = x->taps + 1;

    for (uint64_t v = from; v < to; v++)
        for (int k = 0; k < parts; k++) {
            const uint64_t i = v * (uint64_t)parts + (uint64_t)k;
            const se_real *h = part_of_gate(m->net, x, k)->dense + v * x->in;
            const double length = sqrt((double)se_dot(h, h, x->in));
            const se_real scale = (se_real)(1 / fmax(length, 1e-12));

            x->work[LENGTH][i] = scale;
            for (uint64_t c = 0; c < x->in; c++)
                x->buffer[i * x->in + c] = h[c] * scale * x->work[GATES][k];
        }
}

static void gate_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                         bool train)
{
    struct norming m = { .net = net, .x = x };
    const se_real *s = net->value + x->weight;
    const int parts = x->taps + 1;
    double most = (double)s[0], sum = 0;

    (void)in;
    (void)train;
    for (int k = 1; k < parts; k++)
        most = fmax(most, (double)s[k]);
    for (int k = 0; k < parts; k++)
        sum += exp((double)s[k] - most);
    for (int k = 0; k < parts; k++)
        x->work[GATES][k] = (se_real)(exp((double)s[k] - most) / sum);
    se_ranges(net->threads, net->n, 4 * x->cols, gate_range, &m);
    give_normed(net, x);
}

/* The sums of dout . (H_k / |H_k|), and the gradient of H_k: across its direction only */
static void gate_back(void *arg, uint64_t from, uint64_t to, se_real *sum)
{
    const struct norming *m = arg;
    const struct se_layer *x = m->x;
    const int parts = x->taps + 1;

    memset(sum, 0, (uint64_t)parts * sizeof *sum);
    for (uint64_t v = from; v < to; v++)
        for (int k = 0; k < parts; k++) {
            const uint64_t i = v * (uint64_t)parts + (uint64_t)k;
            const se_real *h = part_of_gate(m->net, x, k)->dense + v * x->in;
            const se_real *d = m->dout + i * x->in, scale = x->work[LENGTH][i];
            const se_real along = se_dot(d, h, x->in) * scale, gate = x->work[GATES][k] * scale;
            se_real *dh = k == 0 ? m->din : se_tap_grad(m->net, x, k - 1);

            sum[k] += along;
            if (dh && k == 0)
                memset(dh + v * x->in, 0, x->in * sizeof *dh);
            for (uint64_t c = 0; dh && scale < (se_real)1e11 && c < x->in; c++)
                dh[v * x->in + c] += gate * (d[c] - along * scale * h[c]);
        }
}

static void gate_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                          const se_real *dout, se_real *din)
{
    struct norming m = { .net = net, .x = x, .dout = dout, .din = din };
    se_real *ds = net->grad + x->weight, *g = x->work[GATES], mean = 0;
    const int parts = x->taps + 1;

    (void)in;
    se_sum_parts(net->worker, net->n, (uint64_t)parts, 6 * x->cols, gate_back, &m, ds);
    for (int k = 0; k < parts; k++)
        mean += g[k] * ds[k];
    for (int k = 0; k < parts; k++)
        ds[k] = g[k] * (ds[k] - mean);
}

static const struct se_layer_ops gate_ops = { "gate", true, gate_forward, gate_backward };

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
