/* layers_mean.c - layers that add means over neighbours to what a vertex is itself
 *
 * X W_self + b + for each kind of neighbours: (mean over them of X) W.  sageconv has one kind,
 * with the vertex among its neighbours; mixconv has the neighbours in the graph and those in
 * the graph beside it, without. */
#include "common/train/vector.h"

/* One kind of neighbours */
struct term {
    const struct se_nngraph *graph;
    const se_real *share;       /* per arc; those of a vertex add up to 1, or are all 0 */
    uint64_t weight;
    se_real *work;              /* X summed if that is narrower than X W, else X W */
};

enum { MOST_TERMS = 2 };

static bool sums_first(const struct se_layer *x)
{
    return !x->sparse && x->in <= x->cols;
}

static void sum_term(const struct se_net *net, const struct term *t, bool back,
                     const se_real *x, uint64_t cols, se_real *y)
{
    struct se_gather g = se_arcs(t->graph, t->share, back, x, cols, y);

    se_gather(net, &g, net->n);
}

/* x->buffer += (mean of X) W */
static void term_forward(const struct se_net *net, struct se_layer *x, const struct se_mat *in,
                         const struct term *t)
{
    const se_real *w = net->value + t->weight;

    if (sums_first(x)) {
        const struct se_mat summed = { .rows = net->n, .cols = x->in, .dense = t->work };

        sum_term(net, t, false, in->dense, x->in, t->work);
        se_mm(net, &summed, w, x->cols, NULL, true, x->buffer);
    } else {
        struct se_gather g = se_arcs(t->graph, t->share, false, t->work, x->cols, x->buffer);

        g.base = x->buffer;
        g.base_scale = 1;
        se_mm(net, in, w, x->cols, NULL, false, t->work);
        se_gather(net, &g, net->n);
    }
}

/* The gradient of W, and what the term adds to that of the input */
static void term_backward(const struct se_net *net, struct se_layer *x, const struct se_mat *in,
                          const struct term *t, const se_real *dout, se_real *din)
{
    const se_real *w = net->value + t->weight;

    if (sums_first(x)) {
        const struct se_mat summed = { .rows = net->n, .cols = x->in, .dense = t->work };
        struct se_gather g = se_arcs(t->graph, t->share, true, t->work, x->in, din);

        se_mm_weight(net, &summed, dout, x->cols, net->grad + t->weight);
        if (!din)
            return;
        g.base = din;
        g.base_scale = 1;
        se_mm_input(net, dout, w, x->cols, x->in, false, t->work);
        se_gather(net, &g, net->n);
    } else {
        sum_term(net, t, true, dout, x->cols, t->work);
        se_mm_weight(net, in, t->work, x->cols, net->grad + t->weight);
        if (din)
            se_mm_input(net, t->work, w, x->cols, x->in, true, din);
    }
}

static void means_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                          const struct term *term, int terms)
{
    se_mm(net, in, net->value + x->weight, x->cols, net->value + x->bias, false, x->buffer);
    for (int i = 0; i < terms; i++)
        term_forward(net, x, in, &term[i]);
    x->out = (struct se_mat){ .rows = net->n, .cols = x->cols, .dense = x->buffer };
}

static void means_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                           const struct term *term, int terms, const se_real *dout,
                           se_real *din)
{
    se_sum_columns(net, dout, x->cols, net->grad + x->bias);
    se_mm_weight(net, in, dout, x->cols, net->grad + x->weight);
    if (din)
        se_mm_input(net, dout, net->value + x->weight, x->cols, x->in, false, din);
    for (int i = 0; i < terms; i++)
        term_backward(net, x, in, &term[i], dout, din);
}

/* A parameter of weights with the gain that GraphSAGE gives them */
static int mean_weight(struct se_net *net, struct se_layer *x, const char *name,
                       uint64_t *start, struct se_err *err)
{
    const struct se_glorot init = { SE_INIT_UNIFORM, sqrt(2), (double)x->in, (double)x->cols };

    return se_net_parameter(net, name, x->in, x->cols, init, start, err);
}

static int mean_bias(struct se_net *net, struct se_layer *x, struct se_err *err)
{
    return se_net_parameter(net, "bias", 1, x->cols, (struct se_glorot){ SE_INIT_ZERO, 0, 1, 1 },
                            &x->bias, err);
}

static void mean_room(const struct se_net *net, struct se_layer *x, int terms)
{
    for (int i = 0; i < terms; i++)
        x->room[i] = net->n * (sums_first(x) ? x->in : x->cols);
}

/* ---- sageconv ---- */

static struct term sage_term(const struct se_net *net, const struct se_layer *x)
{
    return (struct term){ net->graph, net->graph->mean, x->weight2, x->work[0] };
}

static void sageconv_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                             bool train)
{
    const struct term t = sage_term(net, x);

    (void)train;
    means_forward(net, x, in, &t, 1);
}

static void sageconv_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                              const se_real *dout, se_real *din)
{
    const struct term t = sage_term(net, x);

    means_backward(net, x, in, &t, 1, dout, din);
}

static const struct se_layer_ops sageconv_ops = { "sageconv", false, sageconv_forward, sageconv_backward };

int se_net_sageconv(struct se_net *net, uint64_t cols, struct se_err *err)
{
    struct se_layer *x;

    if (net->apart)
        return se_net_sageconv_apart(net, cols, err);
    x = se_net_append(net, &sageconv_ops, cols, err);
    net->sees_other = true;
    if (!x || mean_weight(net, x, "self", &x->weight, err) < 0 ||
        mean_weight(net, x, "neigh", &x->weight2, err) < 0)
        return -1;
    mean_room(net, x, 1);
    return mean_bias(net, x, err);
}

/* ---- mixconv ---- */

static int mix_terms(const struct se_net *net, const struct se_layer *x,
                     struct term term[MOST_TERMS])
{
    term[0] = (struct term){ net->graph, net->graph->apart, x->weight2, x->work[0] };
    if (!net->beside)
        return 1;
    term[1] = (struct term){ net->beside, net->beside->apart, x->weight3, x->work[1] };
    return 2;
}

static void mixconv_forward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                            bool train)
{
    struct term term[MOST_TERMS];
    const int terms = mix_terms(net, x, term);

    (void)train;
    means_forward(net, x, in, term, terms);
}

static void mixconv_backward(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                             const se_real *dout, se_real *din)
{
    struct term term[MOST_TERMS];
    const int terms = mix_terms(net, x, term);

    means_backward(net, x, in, term, terms, dout, din);
}

static const struct se_layer_ops mixconv_ops = { "mixconv", false, mixconv_forward, mixconv_backward };

int se_net_mixconv(struct se_net *net, uint64_t cols, struct se_err *err)
{
    struct se_layer *x = se_net_append(net, &mixconv_ops, cols, err);

    net->sees_other = true;
    if (!x || mean_weight(net, x, "self", &x->weight, err) < 0 ||
        (net->beside && mean_weight(net, x, "given", &x->weight3, err) < 0) ||
        mean_weight(net, x, "learned", &x->weight2, err) < 0)
        return -1;
    mean_room(net, x, net->beside ? 2 : 1);
    return mean_bias(net, x, err);
}
