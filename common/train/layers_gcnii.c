/* layers_gcnii.c - the convolution of GCNII, with its activation and dropout
 *
 * With S = P H: R = (1 - a) S + a H_0, out = relu(R M), M = t W + (1 - t) I.  The variant has
 * out = relu(S M_1 + H_0 M_2), M_1 = t W_1 + (1 - t)(1 - a) I, M_2 = t W_2 + (1 - t) a I.  R or S is
 * all that a layer keeps besides its output: relu's slope can be told from that. */
#include "common/train/vector.h"

/* What layer->work holds: R or S; M, or M_1 and M_2 */
enum { HELD, MATRIX };

static void make_matrix(const struct se_net *net, const struct se_layer *x)
{
    const uint64_t h = x->cols, parts = x->variant ? 2 : 1;
    const double share[2] = { x->variant ? 1 - x->alpha : 1, x->alpha };

    for (uint64_t k = 0; k < parts; k++) {
        const struct se_scaling s = { net->value + x->weight + k * h * h,
                                      x->work[MATRIX] + k * h * h, (se_real)x->beta,
                                      (se_real)((1 - x->beta) * share[k]), h * h, h + 1 };

        net->ops->scale(net->worker, &s);
    }
}

static void gcnii_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                          bool train)
{
    const bool masked = train && x->dropout > 0;
    const struct se_mat *start = se_tap(net, x, 0);
    const struct se_mat summed = { .rows = net->n, .cols = x->cols, .dense = x->work[HELD] };
    struct se_gather g = se_arcs(net->graph, net->graph->norm, false, in->dense, x->cols,
                                 x->work[HELD]);
    const struct se_activating a = { SE_RELU, x->buffer, NULL, masked ? x->keep : NULL, x->buffer,
                                     (se_real)(1 / (1 - x->dropout)), net->n * x->cols };

    make_matrix(net, x);
    if (!x->variant) {
        g.scale = (se_real)(1 - x->alpha);
        g.base = start->dense;
        g.base_scale = (se_real)x->alpha;
    }
    se_gather(net, &g, net->n);
    se_mm(net, &summed, x->work[MATRIX], x->cols, NULL, false, x->buffer);
    if (x->variant)
        se_mm(net, start, x->work[MATRIX] + x->cols * x->cols, x->cols, NULL, true, x->buffer);
    if (masked)
        se_mask_from(net, x->number, 0, x->dropout, net->first * x->cols, net->n * x->cols,
                     x->keep);
    net->ops->activate(net->worker, &a);
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

/* t times the gradient of M is that of W. */
static void weight_back(const struct se_net *net, const struct se_layer *x,
                        const struct se_mat *h, const se_real *d, uint64_t at)
{
    const struct se_scaling s = { net->grad + at, net->grad + at, (se_real)x->beta, 0,
                                  x->cols * x->cols, 1 };

    se_mm_weight(net, h, d, x->cols, net->grad + at);
    net->ops->scale(net->worker, &s);
}

static void gcnii_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                           const se_real *dout, se_real *din)
{
    const uint64_t h = x->cols, count = net->n * h;
    const struct se_mat summed = { .rows = net->n, .cols = h, .dense = x->work[HELD] };
    se_real *d = net->scratch, *dstart = se_tap_grad(net, x, 0), *ds = x->work[HELD];
    const struct se_activating a = { SE_RELU, x->buffer, dout, x->dropout > 0 ? x->keep : NULL, d,
                                     (se_real)(1 / (1 - x->dropout)), count };
    struct se_gather g = se_arcs(net->graph, net->graph->norm, false, ds, h, din);

    net->ops->activate(net->worker, &a);
    weight_back(net, x, &summed, d, x->weight);
    if (x->variant) {
        weight_back(net, x, se_tap(net, x, 0), d, x->weight + h * h);
        if (dstart)
            se_mm_input(net, d, x->work[MATRIX] + h * h, h, h, true, dstart);
    }
    se_mm_input(net, d, x->work[MATRIX], h, h, false, ds);      /* R or S is not needed any more */
    se_arc_gradient(net, ds, in->dense, h, x->variant ? 1 : 1 - x->alpha);
    if (!x->variant && dstart)
        se_add(net, ds, x->alpha, count, dstart);
    g.scale = x->variant ? 1 : (se_real)(1 - x->alpha);
    if (din)
        se_gather(net, &g, net->n);
}

static const struct se_layer_ops gcnii_ops = { "gcnii", false, gcnii_forward, gcnii_backward };

int se_net_gcnii(struct se_net *net, int start, double alpha, double t, bool variant,
                 double dropout, struct se_err *err)
{
    const uint64_t cols = se_net_cols(net), rows = variant ? 2 * cols : cols;
    /* uniform within 1 / sqrt(cols), as the authors draw them */
    const struct se_glorot init = { SE_INIT_UNIFORM, 1 / sqrt(3), (double)cols, (double)cols };
    struct se_layer *x = se_net_append(net, &gcnii_ops, cols, err);

    if (!x)
        return -1;
    net->sees_norm = true;
    se_net_tap(net, x, start);
    x->alpha = alpha;
    x->beta = t;
    x->variant = variant;
    x->dropout = dropout;
    x->keep_room = dropout > 0 ? net->n * cols : 0;
    x->room[HELD] = net->n * cols;
    x->room[MATRIX] = rows * cols;
    net->blas |= !se_narrow(cols, cols);
    se_net_scratch(net, net->n * cols);
    return se_net_parameter(net, "weight", rows, cols, init, &x->weight, err);
}
