/* learn.c - candidates, and training a net together with the weights of edges */
#include "common/train/learn.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/graph/builder.h"
#include "common/train/train.h"

extern const struct se_learner se_learner_weights, se_learner_prognn, se_learner_lds,
                               se_learner_neuralsparse, se_learner_idgl;
const struct se_learner *const se_learners[] = {
    &se_learner_weights, &se_learner_neuralsparse, &se_learner_idgl, &se_learner_prognn,
    &se_learner_lds, NULL
};

const struct se_learner *se_learner_find(const char *name, struct se_err *err)
{
    for (int i = 0; se_learners[i]; i++)
        if (strcmp(se_learners[i]->name, name) == 0)
            return se_learners[i];
    se_fail(err, SE_EUSAGE, "there is no method '%s'; se-learn --list shows them", name);
    return NULL;
}

/* ---- candidates ---- */

enum { GIVEN = 4 };             /* a pair of neighbours counts 1, at most twice */

static int add_pairs(struct se_builder *b, const struct se_graph *g, const struct se_knn *knn,
                     struct se_err *err)
{
    b->weighted = true;
    b->n = g->n;
    for (uint32_t u = 0; u < g->n; u++)
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++)
            if (se_builder_add(b, u, g->to[e], GIVEN, err) < 0)
                return -1;
    for (uint64_t i = 0; knn && i < (knn->last - knn->first) * knn->k; i++)
        if (knn->id[i] != SE_NONE &&
            se_builder_add(b, (uint32_t)(knn->first + i / knn->k), knn->id[i], 1, err) < 0)
            return -1;
    return 0;
}

static int make_candidates(struct se_nngraph *x, const struct se_graph *g,
                           const struct se_knn *knn, struct se_err *err)
{
    struct se_builder b = SE_BUILDER_INIT;
    struct se_stream s = SE_STREAM_INIT;
    struct se_built built;
    struct se_graph all;
    int rc = add_pairs(&b, g, knn, err);

    if (rc == 0 && (se_builder_put(&b, &s, SE_GRAPH, SE_MERGE_SUM, false, &built, err) < 0 ||
                    se_graph_get(&all, &s, SE_GRAPH, err) < 0 ||
                    se_nngraph_make(x, &all, true, SE_LOOPS_ONE, err) < 0))
        rc = -1;
    se_builder_release(&b);
    se_stream_release(&s);
    return rc;
}

/* Edges are numbered by their lower end; weights of candidates become 1 or 0. */
static void number_edges(struct se_learn *l)
{
    struct se_nngraph *g = &l->graph;

    for (uint64_t v = 0; v < g->n; v++)
        for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++) {
            l->given[e] = g->to[e] == v || g->weight[e] >= GIVEN;
            l->edge[e] = g->to[e] == v ? SE_NONE : g->to[e] > v ? (uint32_t)l->edges++
                                                                : l->edge[g->back[e]];
            g->weight[e] = l->given[e];
        }
}

int se_learn_make(struct se_learn *l, const struct se_learner *kind, const struct se_graph *g,
                  const struct se_knn *knn, const struct se_learn_rows *rows,
                  const struct se_learn_options *o, struct se_err *err)
{
    memset(l, 0, sizeof *l);
    l->kind = kind;
    l->o = *o;
    if (rows)
        l->rows = *rows;
    if (make_candidates(&l->graph, g, knn, err) < 0 ||
        !(l->given = se_zalloc(l->graph.arcs, sizeof *l->given, err)) ||
        !(l->edge = se_zalloc(l->graph.arcs, sizeof *l->edge, err)) ||
        !(l->dweight = se_zalloc(l->graph.arcs, sizeof *l->dweight, err)) ||
        !(l->sum = se_zalloc(l->graph.n, sizeof *l->sum, err)))
        return -1;
    number_edges(l);
    if (kind->per_edge)
        l->count = l->edges;
    if (kind->make(l, err) < 0 ||
        (!l->value && !(l->value = se_zalloc(l->count, sizeof *l->value, err))) ||
        !(l->grad = se_zalloc(l->count, sizeof *l->grad, err)) ||
        !(l->moment = se_zalloc(l->count, sizeof *l->moment, err)) ||
        !(l->square = se_zalloc(l->count, sizeof *l->square, err)))
        return -1;
    for (uint64_t e = 0; kind->per_edge && e < l->graph.arcs; e++)
        if (l->edge[e] != SE_NONE)
            l->value[l->edge[e]] = l->given[e];
    return 0;
}

void se_learn_release(struct se_learn *l)
{
    se_nngraph_release(&l->graph);
    free(l->given);
    free(l->edge);
    free(l->value);
    free(l->grad);
    free(l->moment);
    free(l->square);
    free(l->dweight);
    free(l->sum);
    for (size_t i = 0; i < sizeof l->work / sizeof l->work[0]; i++)
        free(l->work[i]);
    se_lowrank_release(&l->low);
    se_adjacency_release(&l->view);
    memset(l, 0, sizeof *l);
}

void se_learn_spread(struct se_learn *l, const double *value)
{
    for (uint64_t e = 0; e < l->graph.arcs; e++)
        if (l->edge[e] != SE_NONE)
            l->graph.weight[e] = (se_real)value[l->edge[e]];
}

/* What evaluation has computed belongs to other weights now. */
void se_learn_weigh(struct se_learn *l, struct se_net *net, bool train)
{
    l->kind->weigh(l, train);
    se_nngraph_weigh(&l->graph, l->o.threads);
    if (net)
        net->current = 0;
}

double se_learn_back(struct se_learn *l, struct se_net *net)
{
    se_nngraph_back(&l->graph, net->dnorm, l->o.threads, l->sum, l->dweight);
    return l->kind->back(l);
}

void se_learn_adam(struct se_learn *l)
{
    const double one = 1 - pow(.9, (double)++l->steps), two = 1 - pow(.999, (double)l->steps);

    for (uint64_t i = 0; i < l->count; i++) {
        const double g = l->grad[i];

        l->moment[i] = .9 * l->moment[i] + .1 * g;
        l->square[i] = .999 * l->square[i] + .001 * g * g;
        l->value[i] -= l->o.rate * (l->moment[i] / one) / (sqrt(l->square[i] / two) + 1e-8);
    }
}

void se_learn_step(struct se_learn *l)
{
    if (l->kind->step)
        l->kind->step(l);
    else
        se_learn_adam(l);
}

/* ---- the gradient behind a step of the net ---- */

/* Gradients by parameters and by weights of edges, without dropout */
static void gradients(struct se_learn *l, struct se_net *net, const struct se_targets *t,
                      se_real *dlogits)
{
    net->current = 0;
    se_net_loss_of(net, se_net_forward(net, false), t, dlogits);
    se_net_backward(net, dlogits);
    net->current = 0;
    se_nngraph_back(&l->graph, net->dnorm, l->o.threads, l->sum, l->dweight);
}

void se_learn_hyper(struct se_learn *l, struct se_net *net, const struct se_targets *train,
                    const struct se_targets *val, const se_real *was, const double *scale,
                    se_real *dlogits, se_real *memory)
{
    const uint64_t count = net->count, arcs = l->graph.arcs;
    se_real *now = memory, *way = memory + count, *direct = memory + 2 * count;
    double size = 0, h;

    gradients(l, net, val, dlogits);
    memcpy(direct, l->dweight, arcs * sizeof *direct);
    memcpy(now, net->value, count * sizeof *now);
    for (uint64_t k = 0; k < count; k++) {
        way[k] = (se_real)(scale[k] * (double)net->grad[k]);
        size += (double)way[k] * (double)way[k];
    }
    h = size > 0 ? (sizeof(se_real) == sizeof(double) ? 1e-5 : 1e-2) / sqrt(size) : 0;
    for (int side = -1; h > 0 && side <= 1; side += 2) {  /* - d2 L / (dw da) way, by a difference */
        for (uint64_t k = 0; k < count; k++)
            net->value[k] = (se_real)((double)was[k] + side * h * (double)way[k]);
        gradients(l, net, train, dlogits);
        for (uint64_t e = 0; e < arcs; e++)
            direct[e] = (se_real)((double)direct[e] - side * (double)l->dweight[e] / (2 * h));
    }
    memcpy(net->value, now, count * sizeof *now);
    memcpy(l->dweight, direct, arcs * sizeof *direct);
}

/* ---- training ---- */

struct learning {
    struct se_learn *l;
    struct se_net *net;
    const struct se_learn_plan *plan;
    struct se_learned *result;
    struct se_targets train, val, check;        /* val: what a learner that validates learns from;
                                                   check: the other validation vertices */
    double loss;                /* of check at the best epoch */
    uint32_t *id;
    uint8_t *part;              /* without the vertices of val */
    se_real *dlogits, *was, *memory;
    double *scale;
};

static void find_targets(struct learning *x)
{
    const struct se_learn_plan *p = x->plan;
    uint64_t train = 0, val = 0, check = 0, seen = 0;

    for (uint32_t v = 0; v < x->net->n; v++) {
        x->part[v] = p->part[v];
        if (p->label[v] >= 0 && p->part[v] == SE_SPLIT_TRAIN)
            x->id[train++] = v;
    }
    for (uint32_t v = 0; x->l->kind->validates && v < x->net->n; v++)
        if (p->label[v] >= 0 && p->part[v] == SE_SPLIT_VAL && seen++ % 2 == 0) {
            x->id[train + val++] = v;
            x->part[v] = SE_SPLIT_NONE;
        }
    for (uint32_t v = 0; v < x->net->n; v++)
        if (p->label[v] >= 0 && x->part[v] == SE_SPLIT_VAL)
            x->id[train + val + check++] = v;
    x->train = (struct se_targets){ x->net->n, p->classes, train, x->id, p->label, x->part };
    x->val = x->check = x->train;
    x->val.id = x->id + train;
    x->val.count = val;
    x->check.id = x->id + train + val;
    x->check.count = check;
}

/* How far Adam's last step moved a parameter for its gradient, the squares held fixed */
static void find_scale(struct learning *x)
{
    const struct se_net *net = x->net;
    const double one = 1 - pow(.9, (double)net->steps), two = 1 - pow(.999, (double)net->steps);

    for (uint64_t k = 0; k < net->count; k++)
        x->scale[k] = x->plan->rate * .1 / one / (sqrt((double)net->square[k] / two) + 1e-8);
}

static double learn_epoch(struct learning *x)
{
    struct se_learn *l = x->l;
    struct se_net *net = x->net;
    double loss;

    se_learn_weigh(l, net, true);
    loss = se_net_loss_of(net, se_net_forward(net, true), &x->train, x->dlogits);
    se_net_backward(net, x->dlogits);
    if (!l->kind->validates) {
        loss += se_learn_back(l, net);
        se_net_step(net, x->plan->rate, x->plan->decay);
    } else {
        memcpy(x->was, net->value, net->count * sizeof *x->was);
        se_net_step(net, x->plan->rate, x->plan->decay);
        find_scale(x);
        se_learn_hyper(l, net, &x->train, &x->val, x->was, x->scale, x->dlogits, x->memory);
        l->kind->back(l);
    }
    se_learn_step(l);
    return loss;
}

static void keep_best(struct learning *x, uint64_t epoch, const double accuracy[4])
{
    struct se_learned *r = x->result;
    const struct se_mat *hidden = se_net_hidden(x->net);

    r->best = epoch;
    memcpy(r->accuracy, accuracy, sizeof r->accuracy);
    memcpy(r->weight, x->l->graph.weight, x->l->graph.arcs * sizeof *r->weight);
    for (uint64_t i = 0; hidden && r->hidden && i < x->net->n * r->hidden_cols; i++)
        r->hidden[i] = (float)hidden->dense[i];
}

/* Higher validation accuracy; of equal ones the lower validation loss.  Without a validation part
 * the last epoch is the best. */
static bool is_best(struct learning *x, const se_real *logits, double accuracy)
{
    const double best = x->result->accuracy[SE_SPLIT_VAL];
    const double loss = x->check.count
                      ? se_net_loss_of(x->net, logits, &x->check, x->dlogits) : 0;

    if (x->check.count && x->result->best > 0 &&
        (accuracy < best || (accuracy == best && loss >= x->loss)))
        return false;
    x->loss = loss;
    return true;
}

static int run_epochs(struct learning *x, struct se_err *err)
{
    struct se_learned *r = x->result;
    const struct se_learn_plan *p = x->plan;

    for (uint64_t epoch = 1; epoch <= p->epochs; epoch++) {
        double accuracy[4], loss;
        const se_real *logits;

        x->net->epoch = x->l->epoch = (uint32_t)epoch;
        loss = learn_epoch(x);
        if (!isfinite(loss))
            return se_fail(err, SE_EINPUT, "the loss is not a finite number at epoch %" PRIu64
                           "; lower --lr or --rate", epoch);
        se_learn_weigh(x->l, x->net, false);
        logits = se_net_forward(x->net, false);
        se_accuracy(logits, x->net->n, p->classes, p->label, x->part, accuracy);
        r->epochs = epoch;
        if (is_best(x, logits, accuracy[SE_SPLIT_VAL]))
            keep_best(x, epoch, accuracy);
        se_progress_at(p->progress, epoch);
        if (p->patience && epoch - r->best >= p->patience)
            break;
    }
    return 0;
}

static int make_memory(struct learning *x, struct se_err *err)
{
    const struct se_net *net = x->net;
    const uint64_t count = net->count, arcs = x->l->graph.arcs;
    struct se_learned *r = x->result;

    se_net_forward(x->net, false);              /* to know the width of the hidden layer */
    x->net->current = 0;
    if (se_net_hidden(net))
        r->hidden_cols = se_net_hidden(net)->cols;
    if (!(x->id = se_alloc(net->n, sizeof *x->id, err)) ||
        !(x->part = se_alloc(net->n, sizeof *x->part, err)) ||
        !(x->dlogits = se_alloc(net->n * x->plan->classes, sizeof *x->dlogits, err)) ||
        !(x->was = se_alloc(count, sizeof *x->was, err)) ||
        !(x->scale = se_alloc(count, sizeof *x->scale, err)) ||
        !(x->memory = se_alloc(2 * count + arcs, sizeof *x->memory, err)) ||
        !(r->weight = se_alloc(arcs, sizeof *r->weight, err)) ||
        (r->hidden_cols && !(r->hidden = se_zalloc(net->n * r->hidden_cols, sizeof *r->hidden, err))))
        return -1;
    return 0;
}

int se_learn(struct se_learned *r, struct se_learn *l, struct se_net *net,
             const struct se_learn_plan *plan, struct se_err *err)
{
    struct learning x = { .l = l, .net = net, .plan = plan, .result = r };
    const unsigned mode = se_flush_to_zero();
    int rc = make_memory(&x, err);

    if (rc == 0) {
        find_targets(&x);
        if (x.train.count == 0)
            rc = se_fail(err, SE_EINPUT, "splits: the split has no training vertex with a label; "
                         "make another with se-split");
        else if (l->kind->validates && x.val.count == 0)
            rc = se_fail(err, SE_EINPUT, "splits: the split has no validation vertex, which %s "
                         "learns from; make another with se-split", l->kind->name);
        else
            rc = run_epochs(&x, err);
    }
    free(x.id);
    free(x.part);
    free(x.dlogits);
    free(x.was);
    free(x.scale);
    free(x.memory);
    se_set_float_mode(mode);
    return rc;
}

void se_learned_release(struct se_learned *r)
{
    free(r->weight);
    free(r->hidden);
    *r = (struct se_learned)SE_LEARNED_INIT;
}
