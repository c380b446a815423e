/* net.c - a chain of layers: its memory, its parameters, its two passes */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/blas.h"
#include "common/device/device.h"
#include "common/base/mem.h"
#include "common/train/vector.h"
#include "common/base/rng.h"

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
        .ops = ops, .in = net->layers ? net->layer[net->layers - 1].cols : net->input.cols,
        .cols = cols, .number = net->layers, .sparse = net->sparse, .out_room = net->n * cols
    };
    net->layers++;
    net->sparse = false;
    return x;
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
                p->init == SE_INIT_ZERO ? 0
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
    const uint64_t entries = in->sparse ? in->sparse->nnz : in->rows * in->cols;
    uint64_t first = 0;

    while (!net->layer[first].learns)
        first++;
    return (entries + net->graph->arcs) * net->layer[first].cols > (uint64_t)1 << 19;
}

/* A sparse input with more columns than four for a row is multiplied in two halves.  A thread has
 * always the same one, in the product and in the step, so that parameters stay in the cache of its
 * core; to move them to another one would take longer than the product. */
static int make_halves(struct se_net *net, struct se_err *err)
{
    const struct se_sparse *x = net->input.sparse;
    uint64_t width = 0;

    net->halves |= x && x->cols > 4 * x->rows && worth_threads(net);
    net->halves &= x && !net->gpu;
    for (int i = 0; i < net->parameters; i++)
        if (net->parameter[i].sparse && net->parameter[i].cols > width)
            width = net->parameter[i].cols;
    for (int k = 0; net->halves && k < 2; k++)
        if (!(net->second[k] = numbers(net, net->n * width, err)))
            return -1;
    return 0;
}

static int thin_room(struct se_net *net, int i, const struct se_nngraph *whole,
                     struct se_err *err)
{
    return net->gpu ? se_net_place_thinned(net, &net->thinned[i], whole, err)
                    : se_thinned_make(&net->thinned[i], whole, err);
}

/* What is left of the graphs is made in every epoch of training. */
static int make_thinned(struct se_net *net, struct se_err *err)
{
    if (net->edge_dropout == 0)
        return 0;
    return thin_room(net, 0, net->graph, err) < 0 ||
           (net->beside && thin_room(net, 1, net->beside, err) < 0) ? -1 : 0;
}

int se_net_ready(struct se_net *net, struct se_err *err)
{
    bool learns = false;

    if (net->gpu ? se_net_place_input(net, err) < 0
                 : net->blas && se_blas_load(net->threads, err) < 0)
        return -1;
    for (int i = 0; i < net->layers; i++) {
        struct se_layer *x = &net->layer[i];

        if (layer_memory(net, x, err) < 0)
            return -1;
        if (learns && x->in > net->widest)      /* no gradient goes further back */
            net->widest = x->in;
        learns |= x->learns;
    }
    if (!worth_threads(net))
        net->threads = 1;
    if (parameter_memory(net, err) < 0 ||
        !(net->delta[0] = numbers(net, net->n * net->widest, err)) ||
        !(net->delta[1] = numbers(net, net->n * net->widest, err)))
        return -1;
    if (make_halves(net, err) < 0 || make_thinned(net, err) < 0)
        return -1;
    if (net->gpu)                               /* it has its own ways to sum up */
        return se_net_check(net, err);
    net->partial = se_alloc(SE_PARTS * net->partial_room, sizeof(se_real), err);
    return net->partial ? 0 : -1;
}

int se_net_look_ahead(struct se_net *net, struct se_err *err)
{
    if (net->gpu || !net->input.sparse || net->layer[0].learns)
        return 0;                               /* nothing is dropped from a sparse input */
    for (int i = 0; i < net->parameters; i++) {
        struct se_parameter *p = &net->parameter[i];

        if (p->sparse && !(p->ahead = numbers(net, net->n * p->cols, err)))
            return -1;
    }
    net->looks_ahead = true;
    return 0;
}

void se_net_release(struct se_net *net)
{
    for (int i = 0; i < net->layers; i++) {
        se_net_free(net, net->layer[i].buffer);
        se_net_free(net, net->layer[i].keep);
        for (int k = 0; k < 4; k++)
            se_net_free(net, net->layer[i].work[k]);
    }
    for (int i = 0; i < net->parameters; i++)
        se_net_free(net, net->parameter[i].ahead);
    se_net_free(net, net->value);
    se_net_free(net, net->grad);
    se_net_free(net, net->moment);
    se_net_free(net, net->square);
    se_net_free(net, net->delta[0]);
    se_net_free(net, net->delta[1]);
    se_net_free(net, net->second[0]);
    se_net_free(net, net->second[1]);
    se_net_unplace_input(net);
    free(net->partial);
    se_thinned_release(&net->thinned[0]);
    se_thinned_release(&net->thinned[1]);
    memset(net, 0, sizeof *net);
}

/* Training with edge dropout sees what is left of the graphs, evaluation all of them. */
static void choose_graphs(struct se_net *net, bool train)
{
    struct se_thinned *t = net->thinned;

    if (net->edge_dropout == 0)
        return;
    for (int i = 0; train && i < 2 && t[i].whole; i++)
        se_thin(net, &t[i], i);
    net->graph = train ? &t[0].left : t[0].whole;
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

const se_real *se_net_forward(struct se_net *net, bool train)
{
    choose_graphs(net, train);
    for (int i = first_to_run(net, train); i < net->layers; i++)
        net->layer[i].ops->forward(net, &net->layer[i],
                                   i > 0 ? &net->layer[i - 1].out : &net->input, train);
    net->current = train ? 0 : net->layers;
    return net->layer[net->layers - 1].out.dense;
}

void se_net_backward(struct se_net *net, const se_real *dlogits)
{
    const se_real *dout = dlogits;
    int first = 0;

    while (!net->layer[first].learns)           /* what comes before needs no gradient */
        first++;
    for (int i = net->layers - 1; i >= first; i--) {
        se_real *din = i > first ? net->delta[i % 2] : NULL;

        net->layer[i].ops->backward(net, &net->layer[i],
                                    i > 0 ? &net->layer[i - 1].out : &net->input, dout, din);
        dout = din;
    }
}

const struct se_mat *se_net_hidden(const struct se_net *net)
{
    int i = net->layers - 1;

    while (i > 0 && !net->layer[i].learns)
        i--;
    return i > 0 && net->layer[i - 1].out.dense ? &net->layer[i - 1].out : NULL;
}

/* The softmax of a row times `part`; returns the logarithm of its sum, times e^most. */
static double soften(const se_real *row, uint64_t classes, double part, se_real *d)
{
    enum { KEPT = 64 };
    double most = (double)row[0], sum = 0, e[KEPT];

    for (uint64_t c = 1; c < classes; c++)
        most = fmax(most, (double)row[c]);
    for (uint64_t c = 0; c < classes; c++) {
        const double x = exp((double)row[c] - most);

        sum += x;
        if (c < KEPT)
            e[c] = x;
    }
    for (uint64_t c = 0; c < classes; c++)
        d[c] = (se_real)((c < KEPT ? e[c] : exp((double)row[c] - most)) / sum * part);
    /* cppcheck-suppress invalidFunctionArg ; the largest adds 1 */
    return most + log(sum);
}

double se_net_loss(const se_real *logits, uint64_t n, uint64_t classes, const uint32_t *id,
                   uint64_t count, const int32_t *label, se_real *dlogits)
{
    const double part = 1 / (double)count;
    double loss = 0;

    memset(dlogits, 0, n * classes * sizeof *dlogits);
    for (uint64_t i = 0; i < count; i++) {
        const se_real *row = logits + id[i] * classes;
        se_real *d = dlogits + id[i] * classes;

        loss += soften(row, classes, part, d) - (double)row[label[id[i]]];
        d[label[id[i]]] -= (se_real)part;
    }
    return loss / (double)count;
}

double se_net_loss_of(const struct se_net *net, const se_real *logits,
                      const struct se_targets *t, se_real *dlogits)
{
    if (net->gpu)
        return net->gpu->cuda->loss(net->gpu->device, logits, t, dlogits);
    return se_net_loss(logits, t->n, t->classes, t->id, t->count, t->label, dlogits);
}
