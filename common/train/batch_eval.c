/* batch_eval.c - exact evaluation of a model on a large graph, some rows at a time
 *
 * Layers are divided into stages.  A layer that sums over arcs begins a new one, because it reads
 * rows of all vertices; within a stage a row needs only itself.  So a stage runs for a window of
 * rows through all its layers, and only what a later stage reads is kept for all vertices, no
 * longer than it is read.  Of gcn that is X W, one matrix of n rows at a time; nothing grows with
 * the number of layers. */
#include "common/train/batch_eval.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

struct se_evaluator {
    struct se_net net;          /* for a window */
    const struct se_big_graph *graph;
    const struct se_row_source *rows;
    struct se_nninput input;
    struct se_sparse shape;     /* of the rows of a window */
    struct se_nngraph window;
    uint64_t at_once, room;     /* rows at a time; arcs that the window has room for */
    int threads, stages, hidden;        /* hidden: the layer, -1: the input */
    int stage[SE_MOST_LAYERS], last[SE_MOST_LAYERS];    /* last: the stage of the last reader */
    bool kept[SE_MOST_LAYERS];
    se_real *all[SE_MOST_LAYERS];       /* kept: of all vertices, while it is needed */
    uint64_t room_of[SE_MOST_LAYERS];   /* the columns that it has room for */
    int spares;                 /* such memory for later: to ask the system each time is slow */
    se_real *spare[SE_MOST_LAYERS];
    uint64_t spare_room[SE_MOST_LAYERS];
};

static bool over_arcs(const struct se_layer *x)
{
    return x->ops->reach == SE_REACH_ARCS;
}

/* The earliest stage that layer i can be in */
static int earliest(const struct se_evaluator *e, int i)
{
    const struct se_layer *x = &e->net.layer[i];
    int stage = x->from < 0 ? 0 : e->stage[x->from] + over_arcs(x);

    for (int k = 0; k < x->taps; k++)
        if (e->stage[x->tap[k]] > stage)
            stage = e->stage[x->tap[k]];
    return stage;
}

static bool reads(const struct se_layer *x, int i)
{
    for (int k = 0; k < x->taps; k++)
        if (x->tap[k] == i)
            return true;
    return x->from == i;
}

/* A layer that reads the input alone waits for the first that reads it, so that it need not be
 * kept until then. */
static void postpone(struct se_evaluator *e, int i)
{
    const struct se_layer *x = &e->net.layer[i];
    int until = e->stages;

    if (x->from >= 0 || x->taps > 0)
        return;
    for (int r = i + 1; r < e->net.layers; r++) {
        const struct se_layer *reader = &e->net.layer[r];
        const int stage = e->stage[r] - (over_arcs(reader) && reader->from == i);

        if (reads(reader, i) && stage < until)
            until = stage;
    }
    if (until < e->stages)
        e->stage[i] = until;
}

static void find_readers(struct se_evaluator *e, int i)
{
    e->last[i] = e->stage[i];
    for (int r = i + 1; r < e->net.layers; r++) {
        const struct se_layer *reader = &e->net.layer[r];

        if (!reads(reader, i))
            continue;
        e->kept[i] |= e->stage[r] > e->stage[i];
        if (e->stage[r] > e->last[i])
            e->last[i] = e->stage[r];
    }
}

/* What se_net_hidden() says of the model that is trained: what comes before the sum over arcs and
 * its weights, whichever is first */
static int find_hidden(const struct se_net *net)
{
    int i = net->layers - 1;

    while (i > 0 && !net->layer[i].learns)
        i--;
    if (over_arcs(&net->layer[i]))
        i = net->layer[i].from;
    i = net->layer[i].from;
    if (i >= 0 && over_arcs(&net->layer[i]) && net->layer[i].plain && net->layer[i].taps == 0)
        i = net->layer[i].from;
    return i;
}

static int make_stages(struct se_evaluator *e, struct se_err *err)
{
    const struct se_net *net = &e->net;

    for (int i = 0; i < net->layers; i++) {
        const struct se_layer *x = &net->layer[i];

        if (x->ops->reach == SE_REACH_ALL || (over_arcs(x) && x->from < 0))
            return se_fail(err, SE_EUSAGE, "--batch cannot evaluate the layer '%s' of this model "
                           "in pieces; use --model gcn, sage, appnp, mlp or linear, and no batch "
                           "norm", x->ops->name);
        e->stage[i] = earliest(e, i);
        if (e->stage[i] >= e->stages)
            e->stages = e->stage[i] + 1;
    }
    for (int i = net->layers; i-- > 0;)
        postpone(e, i);
    for (int i = 0; i < net->layers; i++)
        find_readers(e, i);
    e->hidden = find_hidden(net);
    return 0;
}

/* The parameters are the caller's. */
static int share_parameters(struct se_net *net, se_real *value, uint64_t count, struct se_err *err)
{
    if (net->count != count)
        return se_fail(err, SE_EUSAGE, "--batch cannot evaluate this model in pieces; use --model "
                       "gcn, sage, appnp, mlp or linear");
    se_net_free(net, net->value);
    se_net_free(net, net->grad);
    se_net_free(net, net->moment);
    se_net_free(net, net->square);
    net->grad = net->moment = net->square = NULL;
    net->value = value;
    return 0;
}

static int make_net(struct se_evaluator *e, const struct se_model_kind *kind,
                    const struct se_model_options *given, se_real *value, uint64_t count,
                    struct se_err *err)
{
    const uint64_t n = e->graph->n, rows = n < e->at_once ? n : e->at_once;
    struct se_model_options h = *given;
    struct se_net *net = &e->net;

    h.dropout = h.input_dropout = h.attention_dropout = h.edge_dropout = h.vertex_dropout = 0;
    if (se_row_source_shape(e->rows, rows, &net->input, &e->shape, err) < 0)
        return -1;
    e->window.arcs = rows + e->graph->a.arcs / n * rows;
    net->graph = &e->window;
    net->n = rows;
    net->threads = e->threads;
    net->sparse = net->input.sparse != NULL;
    net->apart = true;
    if (kind->tree)
        return se_fail(err, SE_EUSAGE, "--batch cannot evaluate the levels of a tree in pieces; use "
                       "--model gcn, sage, appnp, mlp or linear");
    if (kind->build(net, &h, err) < 0 || make_stages(e, err) < 0 || se_net_ready(net, err) < 0)
        return -1;
    return share_parameters(net, value, count, err);
}

struct se_evaluator *se_evaluator_make(const struct se_model_kind *kind,
                                       const struct se_model_options *h,
                                       const struct se_big_graph *graph,
                                       const struct se_row_source *rows, uint64_t window,
                                       int threads, se_real *value, uint64_t count,
                                       struct se_err *err)
{
    struct se_evaluator *e = se_zalloc(1, sizeof *e, err);

    if (!e)
        return NULL;
    e->graph = graph;
    e->rows = rows;
    e->at_once = window;
    e->threads = threads;
    if (make_net(e, kind, h, value, count, err) == 0 &&
        (e->window.off = se_alloc(e->net.n + 1, sizeof *e->window.off, err)) &&
        (e->net.input.sparse ||
         (e->input.dense = se_alloc(e->net.n * e->net.input.cols, sizeof(se_real), err))))
        return e;
    se_evaluator_release(e);
    return NULL;
}

/* Memory for what layer i gives: the smallest that is there and large enough, or new */
static int take_rows(struct se_evaluator *e, int i, struct se_err *err)
{
    const uint64_t cols = e->net.layer[i].cols;
    int best = -1;

    for (int k = 0; k < e->spares; k++)
        if (e->spare_room[k] >= cols && (best < 0 || e->spare_room[k] < e->spare_room[best]))
            best = k;
    if (best < 0) {
        e->room_of[i] = cols;
        e->all[i] = se_alloc(e->graph->n * cols, sizeof(se_real), err);
        return e->all[i] ? 0 : -1;
    }
    e->all[i] = e->spare[best];
    e->room_of[i] = e->spare_room[best];
    e->spares--;
    e->spare[best] = e->spare[e->spares];
    e->spare_room[best] = e->spare_room[e->spares];
    return 0;
}

static void give_rows(struct se_evaluator *e, int i)
{
    if (!e->all[i])
        return;
    e->spare[e->spares] = e->all[i];
    e->spare_room[e->spares++] = e->room_of[i];
    e->all[i] = NULL;
}

static void forget(struct se_evaluator *e)
{
    for (int i = 0; i < e->net.layers; i++)
        give_rows(e, i);
}

void se_evaluator_release(struct se_evaluator *e)
{
    if (!e)
        return;
    forget(e);
    while (e->spares > 0)
        free(e->spare[--e->spares]);
    if (!e->net.grad)                           /* otherwise it has its own */
        e->net.value = NULL;
    se_net_release(&e->net);
    se_nninput_release(&e->input);
    se_nngraph_release(&e->window);
    free(e);
}

uint64_t se_evaluator_hidden(const struct se_evaluator *e)
{
    return e->hidden < 0 ? 0 : e->net.layer[e->hidden].cols;
}

/* ---- running it ---- */

/* What a stage reads: rows of the input, a window of the graph, what earlier stages kept */
static int prepare(struct se_evaluator *e, int stage, uint64_t first, uint64_t count,
                   struct se_err *err)
{
    struct se_net *net = &e->net;
    bool input = false, arcs = false;

    net->n = count;
    for (int i = 0; i < net->layers; i++) {
        struct se_layer *x = &net->layer[i];

        if (e->stage[i] == stage) {
            input |= x->from < 0;
            arcs |= over_arcs(x);
        } else if (e->all[i]) {
            x->out = (struct se_mat){ .rows = count, .cols = x->cols,
                                      .dense = e->all[i] + first * x->cols };
        }
    }
    if (input && se_row_source_get(e->rows, NULL, first, count, e->threads, &e->input, err) < 0)
        return -1;
    net->input = e->input.mat;
    return arcs ? se_window_graph(e->graph, first, count, e->threads, &e->window, &e->room, err) : 0;
}

static void run_layer(struct se_evaluator *e, int i)
{
    struct se_net *net = &e->net;
    struct se_layer *x = &net->layer[i];
    struct se_mat whole;
    const struct se_mat *in = x->from < 0 ? &net->input : &net->layer[x->from].out;

    if (over_arcs(x)) {
        whole = (struct se_mat){ .rows = e->graph->n, .cols = x->in, .dense = e->all[x->from] };
        in = &whole;
    }
    x->ops->forward(net, x, in, false);
}

static void keep_rows(const struct se_layer *x, uint64_t first, se_real *all)
{
    if (all)
        memcpy(all + first * x->cols, x->out.dense, x->out.rows * x->cols * sizeof *all);
}

static int run_stage(struct se_evaluator *e, int stage, se_real *logits, se_real *hidden,
                     struct se_err *err)
{
    struct se_net *net = &e->net;
    const uint64_t n = e->graph->n;

    for (int i = 0; i < net->layers; i++)
        if (e->stage[i] == stage && e->kept[i] && take_rows(e, i, err) < 0)
            return -1;
    for (uint64_t first = 0; first < n; first += e->at_once) {
        if (prepare(e, stage, first, n - first < e->at_once ? n - first : e->at_once, err) < 0)
            return -1;
        for (int i = 0; i < net->layers; i++) {
            if (e->stage[i] != stage)
                continue;
            run_layer(e, i);
            keep_rows(&net->layer[i], first, e->all[i]);
            keep_rows(&net->layer[i], first, i == net->layers - 1 ? logits : NULL);
            keep_rows(&net->layer[i], first, i == e->hidden ? hidden : NULL);
        }
    }
    for (int i = 0; i < net->layers; i++)
        if (e->last[i] == stage)
            give_rows(e, i);
    return 0;
}

int se_evaluate(struct se_evaluator *e, se_real *logits, se_real *hidden, struct se_err *err)
{
    int rc = 0;

    for (int stage = 0; rc == 0 && stage < e->stages; stage++)
        rc = run_stage(e, stage, logits, hidden, err);
    forget(e);
    return rc;
}
