/* layers_gat.c - graph attention
 *
 * Z = X W, per head; an arc from u to v has the score leaky(Z_u . left + Z_v . right); the
 * softmax of the scores over the arcs into v says how much of each Z_u goes to v. */
#include "common/device/device.h"
#include "common/train/vector.h"

#define SLOPE ((se_real)0.2)

/* What layer->work holds */
enum { Z, SCORES, SHARES, GRADIENTS };
/* SCORES: left and right parts, n * heads each, then the same of their gradients
 * SHARES: arcs * heads, heads innermost, then the same after dropout
 * GRADIENTS: of the scores, arcs * heads; then of Z, or the heads before their mean */

struct attention {
    const struct se_net *net;
    struct se_layer *x;
    const se_real *left, *right;        /* parameters, heads * width */
    se_real *el, *er, *del, *der;       /* n * heads */
    se_real *share, *kept, *dscore, *dz;
    uint64_t heads, width, cols;        /* width of a head; cols = heads * width */
    const se_real *dout;                /* n rows of cols, or of width when mean */
    bool masked;
};

static struct attention view(const struct se_net *net, struct se_layer *x, bool train)
{
    const uint64_t heads = (uint64_t)x->heads, nh = net->n * heads;
    const uint64_t width = x->mean ? x->cols : x->cols / heads, ah = net->graph->arcs * heads;
    se_real *s = x->work[SCORES];
    const bool masked = train && x->dropout > 0;

    return (struct attention){
        .net = net, .x = x, .left = net->value + x->attend,
        .right = net->value + x->attend + width * heads, .el = s, .er = s + nh,
        .del = s + 2 * nh, .der = s + 3 * nh, .share = x->work[SHARES],
        .kept = x->work[SHARES] + (masked ? ah : 0), .dscore = x->work[GRADIENTS],
        .dz = x->work[GRADIENTS] + ah, .heads = heads, .width = width, .cols = width * heads,
        .masked = masked
    };
}

/* The same for a device */
static struct se_attention device_view(const struct attention *a)
{
    const struct se_layer *x = a->x;
    const struct se_nngraph *g = a->net->graph;
    const se_real part = x->mean ? 1 / (se_real)a->heads : 1;

    return (struct se_attention){
        .n = a->net->n, .heads = a->heads, .width = a->width, .off = g->off, .to = g->to,
        .back = g->back, .z = x->work[Z], .left = a->left, .right = a->right, .el = a->el,
        .er = a->er, .del = a->del, .der = a->der, .share = a->share, .dscore = a->dscore,
        .dz = a->dz, .dout = a->dout, .keep = a->masked ? x->keep : NULL, .slope = SLOPE,
        .scale = part * (a->masked ? (se_real)(1 / (1 - x->dropout)) : 1), .mean = x->mean
    };
}

/* ---- forward ---- */

SE_WIDE static void score_range(void *arg, uint64_t from, uint64_t to)
{
    const struct attention *a = arg;

    for (uint64_t v = from; v < to; v++)
        for (uint64_t h = 0; h < a->heads; h++) {
            const uint64_t i = v * a->heads + h;
            const se_real *z = a->x->work[Z] + i * a->width;

            a->el[i] = se_dot(z, a->left + h * a->width, a->width);
            a->er[i] = se_dot(z, a->right + h * a->width, a->width);
        }
}

enum { MOST_HEADS = 256 };      /* what the tool allows */

/* Shares of the arcs into v, of `heads` heads from the first, SE_LANES of them at most */
SE_INLINE void softmax(const struct attention *a, uint64_t v, uint64_t first, uint64_t heads)
{
    const struct se_nngraph *g = a->net->graph;
    const uint64_t all = a->heads, begin = g->off[v], end = g->off[v + 1];
    se_real *share = a->share + first;
    se_vec right, most = (se_vec){ 0 } - INFINITY, sum = { 0 };

    se_load(a->er + v * all + first, heads, &right);
    for (uint64_t e = begin; e < end; e++) {
        se_vec s, less;

        se_load(a->el + g->to[e] * all + first, heads, &s);
        s += right;
        less = s * SLOPE;
        se_select(&s, &s, &less, &s);
        se_larger(&s, &most);
        se_store(&s, heads, share + e * all);
    }
    for (uint64_t e = begin; e < end; e++) {
        se_vec s;

        se_load(share + e * all, heads, &s);
        s -= most;
        se_exp(&s);
        sum += s;
        se_store(&s, heads, share + e * all);
    }
    sum = 1 / sum;
    for (uint64_t e = begin; e < end; e++) {
        se_vec s;

        se_load(share + e * all, heads, &s);
        s *= sum;
        se_store(&s, heads, share + e * all);
    }
}

/* The same for a single head: vectors of arcs instead of heads */
SE_INLINE void softmax_one(const struct attention *a, uint64_t v)
{
    const struct se_nngraph *g = a->net->graph;
    const uint64_t begin = g->off[v], end = g->off[v + 1];
    se_real *share = a->share, most = -INFINITY, sum = 0;

    for (uint64_t e = begin; e < end; e++) {
        const se_real s = a->el[g->to[e]] + a->er[v];

        share[e] = s > 0 ? s : SLOPE * s;
        most = share[e] > most ? share[e] : most;
    }
    for (uint64_t e = begin; e < end; e += SE_LANES) {
        se_vec s;

        se_load(share + e, end - e, &s);
        s -= most;
        se_exp(&s);
        se_store(&s, end - e, share + e);
    }
    for (uint64_t e = begin; e < end; e++)
        sum += share[e];
    for (uint64_t e = begin; e < end; e++)
        share[e] /= sum;
}

SE_WIDE static void softmax_range(void *arg, uint64_t from, uint64_t to)
{
    const struct attention *a = arg;

    for (uint64_t v = from; v < to; v++) {
        uint64_t h = 0;

        if (a->heads == 1) {
            softmax_one(a, v);
            continue;
        }
        for (; h + SE_LANES <= a->heads; h += SE_LANES)
            softmax(a, v, h, SE_LANES);
        if (h < a->heads)
            softmax(a, v, h, a->heads - h);
    }
}

/* The mean of the heads, each with its bias */
static void mean_range(void *arg, uint64_t from, uint64_t to)
{
    const struct attention *a = arg;
    const se_real *bias = a->net->value + a->x->bias, part = 1 / (se_real)a->heads;

    for (uint64_t v = from; v < to; v++)
        for (uint64_t k = 0; k < a->width; k++) {
            se_real sum = 0;

            for (uint64_t i = k; i < a->cols; i += a->width)
                sum += a->dz[v * a->cols + i] + bias[i];
            a->x->buffer[v * a->width + k] = sum * part;
        }
}

static uint64_t arc_cost(const struct attention *a, uint64_t each)
{
    return (a->net->graph->arcs / (a->net->n + 1) + 1) * a->heads * each;
}

/* A gather over the arcs with a share for each head */
static void attend(const struct attention *a, const se_real *bias, se_real *y)
{
    struct se_gather g = se_arcs(a->net->graph, a->kept, false, a->x->work[Z], a->cols, y);

    g.heads = a->heads;
    g.step = g.width = a->width;
    g.bias = bias;
    se_gather(a->net, &g, a->net->n);
}

static void shares_of(struct attention *a)
{
    const struct se_net *net = a->net;
    const struct se_attention d = device_view(a);

    if (net->gpu) {
        net->gpu->cuda->attend(net->gpu->device, &d);
        return;
    }
    se_ranges(net, net->n, 2 * a->cols, score_range, a);
    se_ranges(net, net->n, arc_cost(a, 20), softmax_range, a);
}

static void mean_of(struct attention *a)
{
    const struct se_net *net = a->net;
    const struct se_attention d = device_view(a);

    if (net->gpu)
        net->gpu->cuda->heads_mean(net->gpu->device, &d, a->dz, net->value + a->x->bias,
                                   a->x->buffer);
    else
        se_ranges(net, net->n, 2 * a->cols, mean_range, a);
}

static void gat_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                        bool train)
{
    struct attention a = view(net, x, train);
    const uint64_t shares = net->graph->arcs * a.heads;

    se_mm(net, in, net->value + x->weight, a.cols, NULL, false, x->work[Z]);
    shares_of(&a);
    if (a.masked) {
        se_mask(net, x->number, 0, x->dropout, shares, x->keep);
        se_mask_apply(net, a.share, x->keep, x->dropout, shares, a.kept);
    }
    if (x->mean && a.heads > 1) {
        attend(&a, NULL, a.dz);
        mean_of(&a);
    } else {
        attend(&a, net->value + x->bias, x->buffer);
    }
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

/* ---- backward ---- */

/* Gradients of the scores of the arcs into v, and their sum */
SE_INLINE void scores_back(const struct attention *a, uint64_t v, uint64_t h, uint64_t heads,
                           uint64_t width)
{
    const struct se_nngraph *g = a->net->graph;
    const se_real *dout = a->dout + v * a->x->cols + (a->x->mean ? 0 : h * width);
    const se_real part = a->x->mean ? 1 / (se_real)heads : 1;
    const se_real scale = part * (a->masked ? (se_real)(1 / (1 - a->x->dropout)) : 1);
    se_real *restrict ds = a->dscore, mean = 0, sum = 0;

    for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++) {
        const uint64_t i = e * heads + h;
        const se_real *z = a->x->work[Z] + (g->to[e] * heads + h) * width;
        const se_real d = se_dot(dout, z, width) * scale;

        ds[i] = a->masked ? d * (se_real)a->x->keep[i] : d;
        mean += a->share[i] * ds[i];
    }
    for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++) {
        const uint64_t i = e * heads + h;
        const se_real raw = a->el[g->to[e] * heads + h] + a->er[v * heads + h];

        ds[i] = a->share[i] * (ds[i] - mean) * (raw > 0 ? 1 : SLOPE);
        sum += ds[i];
    }
    a->der[v * heads + h] = sum;
}

SE_WIDE static void scores_back_range(void *arg, uint64_t from, uint64_t to)
{
    const struct attention *a = arg;

    for (uint64_t v = from; v < to; v++)
        for (uint64_t h = 0; h < a->heads; h++)
            if (a->width == 8)
                scores_back(a, v, h, a->heads, 8);
            else
                scores_back(a, v, h, a->heads, a->width);
}

/* Gradients of the left scores, by the arcs out of u, which are the arcs back from its own;
 * with them the rest of the gradient of Z. */
SE_WIDE static void z_back_range(void *arg, uint64_t from, uint64_t to)
{
    const struct attention *a = arg;
    const struct se_nngraph *g = a->net->graph;
    const uint64_t heads = a->heads, width = a->width;

    for (uint64_t u = from; u < to; u++)
        for (uint64_t h = 0; h < heads; h++) {
            se_real *restrict dz = a->dz + (u * heads + h) * width;
            const se_real *left = a->left + h * width, *right = a->right + h * width;
            const se_real der = a->der[u * heads + h];
            se_real sum = 0;

            for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++)
                sum += a->dscore[g->back[e] * heads + h];
            a->del[u * heads + h] = sum;
            for (uint64_t k = 0; k < width; k++)
                dz[k] += sum * left[k] + der * right[k];
        }
}

/* Gradients of left and right, for a block of vertices */
SE_WIDE static void attend_back_range(void *arg, uint64_t from, uint64_t to, se_real *sum)
{
    const struct attention *a = arg;
    const uint64_t width = a->width;

    memset(sum, 0, 2 * a->cols * sizeof *sum);
    for (uint64_t v = from; v < to; v++)
        for (uint64_t h = 0; h < a->heads; h++) {
            const uint64_t i = v * a->heads + h;
            const se_real *z = a->x->work[Z] + i * width, del = a->del[i], der = a->der[i];
            se_real *restrict dleft = sum + h * width, *restrict dright = dleft + a->cols;

            for (uint64_t k = 0; k < width; k++) {
                dleft[k] += del * z[k];
                dright[k] += der * z[k];
            }
        }
}

/* The bias of every head has the same gradient when they are averaged. */
static void bias_back(const struct attention *a, const se_real *dout, se_real *dbias)
{
    const struct se_layer *x = a->x;
    const struct se_column_sums mean = { .x = dout, .rows = a->net->n, .cols = x->cols,
                                         .heads = 1, .scale = 1 / (se_real)a->heads,
                                         .sum = dbias };

    if (x->mean && a->net->gpu)
        a->net->gpu->cuda->columns(a->net->gpu->device, &mean);
    else
        se_sum_columns(a->net, dout, x->cols, dbias);
    if (!x->mean)
        return;
    for (uint64_t k = 0; !a->net->gpu && k < x->cols; k++)
        dbias[k] /= (se_real)a->heads;
    for (uint64_t h = 1; h < a->heads; h++)
        se_net_copy(a->net, dbias + h * x->cols, dbias, x->cols * sizeof *dbias);
}

static void back_on_device(const struct attention *a,
                           void (*step)(struct se_cuda_device *, const struct se_attention *))
{
    const struct se_attention d = device_view(a);

    step(a->net->gpu->device, &d);
}

static void attend_back(struct attention *a, se_real *grad)
{
    const struct se_net *net = a->net;
    struct se_column_sums s = { .x = a->x->work[Z], .weight = a->del, .rows = net->n,
                                .cols = a->cols, .heads = a->heads, .scale = 1, .sum = grad };

    if (!net->gpu) {
        se_sum_parts(net, 2 * a->cols, 2 * a->cols, attend_back_range, a, grad);
        return;
    }
    net->gpu->cuda->columns(net->gpu->device, &s);
    s.weight = a->der;
    s.sum = grad + a->cols;
    net->gpu->cuda->columns(net->gpu->device, &s);
}

static void gat_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                         const se_real *dout, se_real *din)
{
    struct attention a = view(net, x, true);
    struct se_gather g = se_arcs(net->graph, a.kept, true, dout, x->cols, a.dz);

    a.dout = dout;
    bias_back(&a, dout, net->grad + x->bias);
    if (net->gpu)
        back_on_device(&a, net->gpu->cuda->attend_back);
    else
        se_ranges(net, net->n, arc_cost(&a, a.width + 10), scores_back_range, &a);
    g.heads = a.heads;
    g.width = a.width;
    g.step = x->mean ? 0 : a.width;
    g.scale = x->mean ? 1 / (se_real)a.heads : 1;
    se_gather(net, &g, net->n);
    if (net->gpu)
        back_on_device(&a, net->gpu->cuda->attend_back_z);
    else
        se_ranges(net, net->n, arc_cost(&a, 2) + 2 * a.cols, z_back_range, &a);
    attend_back(&a, net->grad + x->attend);
    se_mm_weight(net, in, a.dz, a.cols, net->grad + x->weight);
    if (din)
        se_mm_input(net, a.dz, net->value + x->weight, a.cols, x->in, false, din);
}

static const struct se_layer_ops gat_ops = { "gatconv", gat_forward, gat_backward };

int se_net_gatconv(struct se_net *net, uint64_t cols, uint64_t heads, bool mean,
                   double attention_dropout, struct se_err *err)
{
    const uint64_t width = heads * cols, shares = net->graph->arcs * heads;
    struct se_glorot init = { SE_INIT_NORMAL, sqrt(2), 0, (double)width };
    struct se_layer *x;

    if (heads == 0 || heads > MOST_HEADS)
        return se_fail(err, SE_EUSAGE, "gat has 1 to %d heads", MOST_HEADS);
    if (!(x = se_net_append(net, &gat_ops, mean ? cols : width, err)))
        return -1;
    init.in = (double)x->in;
    if (se_net_parameter(net, "weight", x->in, width, init, &x->weight, err) < 0)
        return -1;
    init.in = (double)width;            /* as PyTorch counts an array of 1 x heads x cols */
    init.out = (double)cols;
    x->heads = (int)heads;
    x->mean = mean;
    x->dropout = attention_dropout;
    x->room[Z] = net->n * width;
    x->room[SCORES] = 4 * net->n * heads;
    x->room[SHARES] = shares * (attention_dropout > 0 ? 2 : 1);
    x->room[GRADIENTS] = shares + net->n * width;
    x->keep_room = attention_dropout > 0 ? shares : 0;
    se_net_room(net, 2 * width);
    if (se_net_parameter(net, "attend", 2 * heads, cols, init, &x->attend, err) < 0)
        return -1;
    return se_net_parameter(net, "bias", 1, width, (struct se_glorot){ SE_INIT_ZERO, 0, 1, 1 },
                            &x->bias, err);
}
