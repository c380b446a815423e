/* entropy_loss.c - structural entropy of a soft assignment to modules, as a loss */
#include "common/train/entropy_loss.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/train/peers.h"

void se_entropy_loss_release(struct se_entropy_loss *x)
{
    free(x->degree);
    free(x->arc);
    free(x->near);
    free(x->inside);
    free(x->size);
    *x = (struct se_entropy_loss){ .modules = 0 };
}

/* Sums over vertices run in their order, from one process to the next: they are short. */
static void sum_modules(struct se_entropy_loss *x, struct se_peers *p, const se_real *s)
{
    const uint64_t m = x->modules;

    memset(x->inside, 0, m * sizeof *x->inside);
    memset(x->size, 0, m * sizeof *x->size);
    if (p) {
        p->take(p, x->inside, m * sizeof *x->inside);
        p->take(p, x->size, m * sizeof *x->size);
    }
    for (uint64_t v = 0; v < x->graph->n; v++)
        for (uint64_t j = 0; j < m; j++) {
            x->inside[j] += (double)s[v * m + j] * (double)x->near[v * m + j];
            x->size[j] += (double)s[v * m + j] * x->degree[v];
        }
    if (p) {
        p->pass(p, x->inside, m * sizeof *x->inside);
        p->pass(p, x->size, m * sizeof *x->size);
        p->share(p, x->inside, m * sizeof *x->inside);
        p->share(p, x->size, m * sizeof *x->size);
    }
}

struct entropy_back {
    const struct se_entropy_loss *x;
    se_real *ds;
};

/* dH / dS_vj = 1/vol (2 (A S)_vj log2(V_j / vol) + I_j d_v / (V_j ln 2)) */
static void gradient_range(void *arg, uint64_t from, uint64_t to)
{
    const struct entropy_back *b = arg;
    const struct se_entropy_loss *x = b->x;
    const double part = x->weight / x->volume;

    for (uint64_t v = from; v < to; v++)
        for (uint64_t j = 0; j < x->modules; j++) {
            const uint64_t i = v * x->modules + j;
            const double size = x->size[j];

            b->ds[i] = size > 0
                ? (se_real)(part * (2 * (double)x->near[i] * log2(size / x->volume) +
                                    x->inside[j] * x->degree[v] / (size * M_LN2))) : 0;
        }
}

double se_entropy_of(struct se_entropy_loss *x, const struct se_net *net, const se_real *s,
                     se_real *ds)
{
    const struct se_gather g = se_arcs(x->graph, x->arc, false, s, x->modules, x->near);
    struct entropy_back b = { x, ds };
    double h = x->h1;

    if (x->volume <= 0) {
        if (ds)
            memset(ds, 0, x->graph->n * x->modules * sizeof *ds);
        return 0;
    }
    se_gather(net, &g, x->graph->n);
    sum_modules(x, net->peers, s);
    for (uint64_t j = 0; j < x->modules; j++)
        if (x->size[j] > 0)
            h += x->inside[j] / x->volume * log2(x->size[j] / x->volume);
    if (ds)
        se_ranges(net->threads, x->graph->n, 30 * x->modules, gradient_range, &b);
    return h;
}

static double add_entropy(struct se_extra *extra, struct se_net *net, uint64_t sample,
                          const se_real *logits, se_real *dlogits)
{
    struct se_entropy_loss *x = (struct se_entropy_loss *)extra;

    (void)sample;
    (void)logits;
    (void)dlogits;
    x->value = se_entropy_of(x, net, net->layer[net->layers - 1].out.dense, net->dside);
    return x->weight * x->value;
}

static double judge_entropy(struct se_extra *extra, struct se_net *net)
{
    struct se_entropy_loss *x = (struct se_entropy_loss *)extra;

    return x->value = se_entropy_of(x, net, net->layer[net->layers - 1].out.dense, NULL);
}

int se_entropy_alone(struct se_net *net, struct se_err *err)
{
    if (se_net_norm(net, SE_BATCH_NORM, err) < 0)
        return -1;
    se_net_aside(net);
    return se_net_softmax(net, err);
}

int se_entropy_layers(struct se_net *net, uint64_t modules, struct se_err *err)
{
    int last = net->layers - 1, hidden;

    while (last > 0 && !net->layer[last].learns)
        last--;
    hidden = net->layer[last].from;
    if (hidden < 0 || net->layer[hidden].gives_sparse)
        return se_fail(err, SE_EUSAGE, "--entropy-loss wants a hidden layer; this model has none");
    se_net_aside(net);
    se_net_from(net, hidden);
    return se_net_linear(net, modules, err) < 0 ? -1 : se_net_softmax(net, err);
}

/* The weights of the arcs to others, and their sums */
static double find_degrees(struct se_entropy_loss *x, double volume)
{
    const struct se_nngraph *graph = x->graph;

    for (uint64_t v = 0; v < graph->n; v++) {
        for (uint64_t e = graph->off[v]; e < graph->off[v + 1]; e++)
            if (graph->to[e] != v)
                x->degree[v] += (double)(x->arc[e] = graph->weight[e]);
        volume += x->degree[v];
    }
    return volume;
}

static double entropy_of_degrees(const struct se_entropy_loss *x, double h)
{
    for (uint64_t v = 0; v < x->graph->n; v++)
        if (x->degree[v] > 0)
            h -= x->degree[v] / x->volume * log2(x->degree[v] / x->volume);
    return h;
}

int se_entropy_loss_make(struct se_entropy_loss *x, const struct se_nngraph *graph,
                         struct se_peers *p, uint64_t modules, double weight, struct se_err *err)
{
    const uint64_t n = graph->n;

    *x = (struct se_entropy_loss){ .extra = { NULL, add_entropy, judge_entropy }, .graph = graph, .weight = weight,
                                   .modules = modules };
    if (!(x->degree = se_zalloc(n, sizeof *x->degree, err)) ||
        !(x->arc = se_zalloc(graph->arcs, sizeof *x->arc, err)) ||
        !(x->near = se_alloc(n * modules, sizeof *x->near, err)) ||
        !(x->inside = se_alloc(modules, sizeof *x->inside, err)) ||
        !(x->size = se_alloc(modules, sizeof *x->size, err)))
        return -1;
    if (p)
        p->take(p, &x->volume, sizeof x->volume);
    x->volume = find_degrees(x, x->volume);
    if (p) {
        p->pass(p, &x->volume, sizeof x->volume);
        p->share(p, &x->volume, sizeof x->volume);
        p->take(p, &x->h1, sizeof x->h1);
    }
    x->h1 = entropy_of_degrees(x, x->h1);
    if (p) {
        p->pass(p, &x->h1, sizeof x->h1);
        p->share(p, &x->h1, sizeof x->h1);
    }
    return 0;
}
