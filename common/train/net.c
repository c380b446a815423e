/* net.c - a chain of layers: its memory, its parameters, its two passes */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/blas.h"
#include "common/base/mem.h"
#include "common/base/rng.h"
#include "common/train/peers.h"
#include "common/train/vector.h"

struct se_layer *se_net_append(struct se_net *net, const struct se_layer_ops *ops,
                               uint64_t cols, struct se_err *err)
{
    struct se_layer *x = &net->layer[net->layers];

    if (net->layers == SE_MOST_LAYERS) {
        se_fail(err, SE_EUSAGE, "too many layers");
        return NULL;
    }
    if (cols == 0 || cols > INT32_MAX) {
        se_fail(err, SE_EUSAGE, "a layer of %" PRIu64 " columns cannot be made", cols);
        return NULL;
    }
    *x = (struct se_layer){
        .ops = ops, .from = net->branched ? net->branch : net->layers - 1, .in = se_net_cols(net),
        .cols = cols, .number = net->layers, .sparse = net->sparse, .out_room = net->n * cols,
        .level = net->level, .rows = net->n
    };
    net->layers++;
    net->sparse = net->branched = false;
    return x;
}

uint64_t se_net_cols(const struct se_net *net)
{
    const int from = net->branched ? net->branch : net->layers - 1;

    return from < 0 ? net->input.cols : net->layer[from].cols;
}

void se_net_from(struct se_net *net, int i)
{
    net->branched = true;
    net->branch = i;
    net->sparse = i < 0 ? net->input.sparse != NULL : net->layer[i].gives_sparse;
}

void se_net_level(struct se_net *net, int level)
{
    const struct se_netlevels *t = net->levels;

    net->n = level > 0 ? t->level[level - 1].n : t->level[0].off[t->level[0].n];
    net->level = level;
}

void se_net_aside(struct se_net *net)
{
    net->sided = true;
    net->top = net->layers - 1;
}

int se_net_top(const struct se_net *net)
{
    return net->sided ? net->top : net->layers - 1;
}

void se_net_tap(struct se_net *net, struct se_layer *x, int i)
{
    x->tap[x->taps++] = i;
    net->layer[i].tapped = true;
}

const struct se_mat *se_tap(const struct se_net *net, const struct se_layer *x, int k)
{
    return &net->layer[x->tap[k]].out;
}

se_real *se_tap_grad(const struct se_net *net, const struct se_layer *x, int k)
{
    const struct se_layer *from = &net->layer[x->tap[k]];

    return from->needs ? from->dtap : NULL;
}

void se_net_scratch(struct se_net *net, uint64_t count)
{
    if (net->scratch_room < count)
        net->scratch_room = count;
}

void se_net_room(struct se_net *net, uint64_t count)
{
    if (net->partial_room < count)
        net->partial_room = count;
}

int se_net_parameter(struct se_net *net, const char *name, uint64_t rows, uint64_t cols,
                     struct se_glorot init, uint64_t *start, struct se_err *err)
{
    struct se_parameter *p = &net->parameter[net->parameters];
    struct se_layer *x = &net->layer[net->layers - 1];
    const double width = init.in + init.out;
    uint64_t count;

    if (net->parameters == SE_MOST_PARAMETERS)
        return se_fail(err, SE_EUSAGE, "too many layers");
    if (__builtin_mul_overflow(rows, cols, &count) || count > (uint64_t)1 << 40)
        return se_fail(err, SE_EINPUT, "a layer of %" PRIu64 " x %" PRIu64 " parameters is too "
                       "large", rows, cols);
    *p = (struct se_parameter){
        .start = net->count, .rows = rows, .cols = cols, .init = init.kind,
        .dense = x->ops->reach == SE_REACH_ROW,
        .spread = init.gain * sqrt(init.kind == SE_INIT_UNIFORM ? 6 / width : 2 / width)
    };
    snprintf(p->name, sizeof p->name, "%d.%s", net->layers - 1, name);
    x->learns = true;
    net->blas |= !x->sparse && rows == x->in && !se_narrow(rows, cols);
    p->sparse = x->sparse && rows == x->in;
    se_net_room(net, p->sparse ? cols : count);         /* sparse: no parts */
    *start = net->count;
    net->count += count;
    net->parameters++;
    return 0;
}

static void initialise(const struct se_net *net, se_real *value)
{
    for (int i = 0; i < net->parameters; i++) {
        const struct se_parameter *p = &net->parameter[i];
        struct se_rng r;

        se_rng_init(&r, net->seed, SE_RNG_INIT, (uint64_t)i);
        for (uint64_t k = 0; k < p->rows * p->cols; k++)
            value[p->start + k] =
                p->init == SE_INIT_ZERO ? 0 : p->init == SE_INIT_ONE ? 1
                : p->init == SE_INIT_UNIFORM
                    ? (se_real)(p->spread * (2 * se_rng_unit(&r) - 1))
                    : (se_real)(p->spread * se_rng_normal(&r));
    }
}

static int layer_memory(const struct se_net *net, struct se_layer *x, struct se_err *err)
{
    x->buffer = se_net_alloc(net, x->out_room, sizeof *x->buffer, err);
    if (!x->buffer || (x->keep_room && !(x->keep = se_net_alloc(net, x->keep_room, 1, err))))
        return -1;
    if (x->tapped && x->needs &&
        !(x->dtap = se_net_alloc(net, x->rows * x->cols, sizeof *x->dtap, err)))
        return -1;
    for (int k = 0; k < 4; k++)
        if (x->room[k] && !(x->work[k] = se_net_alloc(net, x->room[k], sizeof(se_real), err)))
            return -1;
    return 0;
}

static se_real *numbers(const struct se_net *net, uint64_t count, struct se_err *err)
{
    return se_net_alloc(net, count, sizeof(se_real), err);
}

static int parameter_memory(struct se_net *net, struct se_err *err)
{
    se_real *value = se_zalloc(net->count, sizeof *value, err);

    if (!value)
        return -1;
    initialise(net, value);
    net->value = se_net_place(net, value, net->count, sizeof *value, err);
    free(value);
    return net->value && (net->grad = numbers(net, net->count, err)) &&
           (net->moment = numbers(net, net->count, err)) &&
           (net->square = numbers(net, net->count, err)) ? 0 : -1;
}

/* Small nets are faster without the help of threads, which must be started and woken. */
static bool worth_threads(const struct se_net *net)
{
    const struct se_mat *in = &net->input;
    const uint64_t n = net->peers ? net->peers->n : net->n;
    uint64_t entries = in->sparse ? (net->peers ? in->sparse->all : in->sparse->nnz)
                                  : n * in->cols, first = 0;
    uint64_t arcs = net->graph->arcs;

    while (!net->layer[first].learns)
        first++;
    if (net->peers)
        net->peers->count(net->peers, &arcs, 1);
    return (entries + arcs) * net->layer[first].cols > (uint64_t)1 << 19;
}

/* A sparse input with more columns than four for a row is multiplied in two halves.  A thread has
 * always the same one, in the product and in the step, so that parameters stay in the cache of its
 * core; to move them to another one would take longer than the product. */
static int make_halves(struct se_net *net, struct se_err *err)
{
    const struct se_sparse *x = net->input.sparse;
    uint64_t width = 0;

    net->halves |= x && x->cols > 4 * (net->peers ? net->peers->n : x->rows) && worth_threads(net);
    net->halves &= x && net->ops->host;
    for (int i = 0; i < net->parameters; i++)
        if (net->parameter[i].sparse && net->parameter[i].cols > width)
            width = net->parameter[i].cols;
    for (int k = 0; net->halves && k < 2; k++)
        if (!(net->second[k] = numbers(net, net->n * width, err)))
            return -1;
    return 0;
}

/* What is left of the graphs is made in every epoch of training. */
static int make_thinned(struct se_net *net, struct se_err *err)
{
    if (net->edge_dropout == 0)
        return 0;
    return se_net_place_thinned(net, &net->thinned[0], net->graph, err) < 0 ||
           (net->beside && se_net_place_thinned(net, &net->thinned[1], net->beside, err) < 0)
         ? -1 : 0;
}

/* Who reads whose output, and which gradients are wanted */
static void find_ways(struct se_net *net)
{
    bool first = true;

    for (int i = 0; i < net->layers; i++) {
        struct se_layer *x = &net->layer[i];

        x->needs = x->learns || (x->from >= 0 && net->layer[x->from].needs);
        for (int k = 0; k < x->taps; k++)
            x->needs |= net->layer[x->tap[k]].needs;
        if (x->from != i - 1 && x->from >= 0)
            net->layer[x->from].tapped = true;
        if (x->from != i - 1 && i > 0)
            net->layer[i - 1].tapped = true;
    }
    if (net->sided)
        net->layer[net->top].tapped = true;
    for (int i = 0; i < net->parameters; i++) {
        struct se_parameter *p = &net->parameter[i];

        p->decays = net->decay_on == SE_DECAY_ALL ||
                    (p->rows > 1 && (net->decay_on == SE_DECAY_WEIGHTS || first));
        first &= p->rows == 1;
    }
}

/* What several processes need: only layers that can have a part of the vertices, room for rows of
 * others beside ours, and a list of columns without entries */
static int among_peers(struct se_net *net, struct se_err *err)
{
    uint64_t halo = net->graph->links->halo, wide = 0;

    if (net->beside && net->beside->links->halo > halo)
        halo = net->beside->links->halo;
    for (int i = 0; i < net->layers; i++) {
        const struct se_layer *x = &net->layer[i];

        if (x->ops->alone)
            return se_fail(err, SE_EUSAGE, "the layer '%s' of this model does not run on several "
                           "processes; use se-train", x->ops->name);
        wide = x->cols > wide ? x->cols : wide;
        wide = !x->sparse && x->in > wide ? x->in : wide;
    }
    net->near = se_net_alloc(net, (net->n + halo) * wide, sizeof *net->near, err);
    if (!net->near)
        return -1;
    net->empty = net->input.sparse ? se_zalloc(net->input.sparse->cols + 1, sizeof *net->empty, err)
                                   : NULL;
    return net->input.sparse && !net->empty ? -1 : 0;
}

int se_net_ready(struct se_net *net, struct se_err *err)
{
    if (!net->ops)
        se_net_on(net, NULL);
    if (net->peers && among_peers(net, err) < 0)
        return -1;
    net->cpu.peers = net->peers;
    net->cpu.links = net->graph->links;
    for (int i = 0; i < net->layers; i++)
        if (net->layer[i].ops->host && !net->ops->host)
            return se_fail(err, SE_EDEVICE, "the layer '%s' of this model runs only on the CPU; "
                           "use --device cpu", net->layer[i].ops->name);
    if (net->host_loss && !net->ops->host)
        return se_fail(err, SE_EDEVICE, "a loss over all vertices runs only on the CPU; use "
                       "--device cpu");
    if (net->ops->host && net->blas && se_blas_load(net->threads, err) < 0)
        return -1;
    if (se_net_place_input(net, err) < 0)
        return -1;
    find_ways(net);
    for (int i = 0; i < net->layers; i++) {
        struct se_layer *x = &net->layer[i];

        if (layer_memory(net, x, err) < 0)
            return -1;
        if (x->from >= 0 && net->layer[x->from].needs && x->in > net->widest)
            net->widest = x->in;                /* no gradient goes further back */
    }
    if (net->sided &&
        !(net->dside = numbers(net, net->n * net->layer[net->layers - 1].cols, err)))
        return -1;
    if (net->weighs_arcs && !(net->dnorm = numbers(net, net->graph->arcs, err)))
        return -1;
    if (!worth_threads(net))
        net->threads = 1;
    net->cpu.threads = net->threads;
    if (parameter_memory(net, err) < 0 ||
        !(net->delta[0] = numbers(net, net->n * net->widest, err)) ||
        !(net->delta[1] = numbers(net, net->n * net->widest, err)))
        return -1;
    if (make_halves(net, err) < 0 || make_thinned(net, err) < 0 ||
        (net->scratch_room && !(net->scratch = numbers(net, net->scratch_room, err))))
        return -1;
    if (net->ops->host &&                       /* a device has its own ways to sum up */
        (!(net->cpu.partial = se_alloc(SE_PARTIALS * net->partial_room, sizeof(se_real), err)) ||
         !(net->cpu.total = se_alloc(net->partial_room, sizeof(double), err))))
        return -1;
    return se_net_check(net, err);
}

double se_net_work(const struct se_net *net, uint64_t epochs)
{
    double work = 0;

    for (int i = 0; i < net->layers; i++) {
        const struct se_layer *x = &net->layer[i];
        const double in = x->sparse ? (double)net->input.sparse->nnz : (double)(net->n * x->in);

        if (x->learns)
            work += in * (double)x->cols;
        work += (double)(net->graph->arcs * x->cols * (uint64_t)(x->hops ? x->hops : 1));
    }
    return epochs ? 4 * work * (double)epochs : work;
}

int se_net_look_ahead(struct se_net *net, struct se_err *err)
{
    if (!net->ops->host || !net->input.sparse || net->layer[0].learns)
        return 0;                               /* nothing is dropped from a sparse input */
    for (int i = 0; i < net->parameters; i++) {
        struct se_parameter *p = &net->parameter[i];

        if (p->sparse && !(p->ahead = numbers(net, net->n * p->cols, err)))
            return -1;
    }
    net->looks_ahead = true;
    return 0;
}

static void forget_one(struct se_net *net, se_real **memory)
{
    se_net_free(net, *memory);
    *memory = NULL;
}

void se_net_forget(struct se_net *net)
{
    for (int i = 0; i < net->layers; i++) {
        struct se_layer *x = &net->layer[i];

        forget_one(net, &x->buffer);
        forget_one(net, &x->dtap);
        for (int k = 0; k < 4; k++)
            forget_one(net, &x->work[k]);
        se_net_free(net, x->keep);
        x->keep = NULL;
    }
    forget_one(net, &net->delta[0]);
    forget_one(net, &net->delta[1]);
}

void se_net_release(struct se_net *net)
{
    if (!net->ops)                              /* it has no memory yet */
        se_net_on(net, NULL);
    se_net_forget(net);
    for (int i = 0; i < net->parameters; i++)
        se_net_free(net, net->parameter[i].ahead);
    se_net_free(net, net->value);
    se_net_free(net, net->grad);
    se_net_free(net, net->moment);
    se_net_free(net, net->square);
    se_net_free(net, net->dside);
    se_net_free(net, net->dnorm);
    se_net_free(net, net->scratch);
    se_net_free(net, net->near);
    free(net->empty);
    se_net_free(net, net->second[0]);
    se_net_free(net, net->second[1]);
    se_net_unplace_input(net);
    se_net_undivide(net);
    free(net->cpu.partial);
    free(net->cpu.total);
    memset(net, 0, sizeof *net);
}

/* Training with edge dropout sees what is left of the graphs, evaluation all of them. */
static void choose_graphs(struct se_net *net, bool train)
{
    struct se_thinned *t = net->thinned;

    if (net->edge_dropout == 0)
        return;
    for (int i = 0; train && i < 2 && t[i].whole; i++)
        if (net->peers)
            se_thin_part(net, &t[i], i);
        else
            se_thin(net, &t[i], i);
    net->graph = train ? &t[0].left : t[0].whole;
    net->cpu.links = net->graph->links;
    if (net->beside)
        net->beside = train ? &t[1].left : t[1].whole;
}

/* Layers before the first that differs in training need not run again after evaluation. */
static int first_to_run(const struct se_net *net, bool train)
{
    int i = 0;

    if (!train || net->edge_dropout > 0)
        return 0;
    while (i < net->current && net->layer[i].dropout == 0)
        i++;
    return i;
}

static const struct se_mat *input_of(const struct se_net *net, int i)
{
    const int from = net->layer[i].from;

    return from < 0 ? &net->input : &net->layer[from].out;
}

/* What a layer above the vertices does not see: all of them, their graph, its gradient */
struct ground {
    uint64_t n;
    const struct se_nngraph *graph;
    se_real *dnorm;
};

static struct ground climb(struct se_net *net, const struct se_layer *x)
{
    const struct ground g = { net->n, net->graph, net->dnorm };

    if (x->level > 0) {
        net->n = x->rows;
        net->graph = &net->levels->level[x->level - 1].graph;
        net->dnorm = NULL;
    }
    return g;
}

static void descend(struct se_net *net, const struct ground *g)
{
    net->n = g->n;
    net->graph = g->graph;
    net->dnorm = g->dnorm;
}

const se_real *se_net_forward(struct se_net *net, bool train)
{
    choose_graphs(net, train);
    for (int i = first_to_run(net, train); i < net->layers; i++) {
        const struct ground g = climb(net, &net->layer[i]);

        net->layer[i].ops->forward(net, &net->layer[i], input_of(net, i), train);
        descend(net, &g);
    }
    net->current = train ? 0 : net->layers;
    return net->layer[se_net_top(net)].out.dense;
}

/* A layer that others than the next read has its gradient in a sum of its own. */
void se_net_backward(struct se_net *net, const se_real *dlogits)
{
    const se_real *passed = net->sided ? net->dside : dlogits;

    if (net->dnorm)
        se_net_clear(net, net->dnorm, net->graph->arcs * sizeof *net->dnorm);
    for (int i = 0; i < net->layers; i++)
        if (net->layer[i].dtap)
            se_net_clear(net, net->layer[i].dtap,
                         net->layer[i].rows * net->layer[i].cols * sizeof *dlogits);
    if (net->sided)
        se_add(net, dlogits, 1, net->n * net->layer[net->top].cols, net->layer[net->top].dtap);
    for (int i = net->layers - 1; i >= 0; i--) {
        struct se_layer *x = &net->layer[i], *from = x->from < 0 ? NULL : &net->layer[x->from];
        se_real *din = from && from->needs ? net->delta[i % 2] : NULL;
        struct ground g;

        if (!x->needs)
            continue;
        g = climb(net, x);
        x->ops->backward(net, x, input_of(net, i), x->dtap ? x->dtap : passed, din);
        descend(net, &g);
        if (din && from->dtap)
            se_add(net, din, 1, from->rows * from->cols, from->dtap);
        passed = din;
    }
}

const struct se_mat *se_net_hidden(const struct se_net *net)
{
    int i = se_net_top(net);

    while (i > 0 && !net->layer[i].learns)
        i--;
    i = net->layer[i].from;
    return i >= 0 && net->layer[i].out.dense ? &net->layer[i].out : NULL;
}

double se_net_loss_of(const struct se_net *net, const se_real *logits,
                      const struct se_targets *t, se_real *dlogits)
{
    return net->ops->loss(net->worker, logits, t, dlogits);
}
