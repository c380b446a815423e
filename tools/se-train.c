/* se-train.c - train a node classifier on the graph */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/device/device.h"
#include "common/base/mem.h"
#include "common/train/input.h"
#include "common/base/outfile.h"
#include "common/stream/payload.h"
#include "common/train/recipe.h"
#include "common/train/train.h"

enum { LOGITS, HIDDEN };
enum { LAST, BEST };

static struct {
    struct se_recipe r;
    const char *log, *beside;
    bool input_dropout_given, hidden_given, edge_dropout_given, apply;
    double rate, decay;
    uint64_t epochs, patience, split;
    int embed, embed_epoch;
} o = {
    .r = { .model = "gcn",
           .h = { .layers = 2, .heads = 8, .out_heads = 1, .hops = 10, .dropout = .5,
                  .attention_dropout = .5, .alpha = .1 } },
    .rate = .01, .decay = 5e-4, .epochs = 200
};

static const struct se_option options[] = {
    { 'm', "model", "NAME", SE_OPT_STRING, &o.r.model, 0, 0,
      "gcn, sage, gat, appnp, mix, or mlp and linear, which do not see the graph", NULL },
    { 0, "hidden", "N", SE_OPT_COUNT, &o.r.h.hidden, 1, 1e6,
      "columns of the hidden layers; unless given, 64; for gat 8, in each head",
      &o.hidden_given },
    { 0, "layers", "N", SE_OPT_COUNT, &o.r.h.layers, 1, 16, "layers with parameters", NULL },
    { 0, "dropout", "P", SE_OPT_NUMBER, &o.r.h.dropout, 0, .99, "after the hidden layers",
      NULL },
    { 0, "input-dropout", "P", SE_OPT_NUMBER, &o.r.h.input_dropout, 0, .99,
      "of the input; unless given, 0.5 for sage, gat, appnp, mix and mlp, else 0",
      &o.input_dropout_given },
    { 0, "attention-dropout", "P", SE_OPT_NUMBER, &o.r.h.attention_dropout, 0, .99,
      "of the attention of gat", NULL },
    { 0, "edge-dropout", "P", SE_OPT_NUMBER, &o.r.h.edge_dropout, 0, .99,
      "share of the edges that an epoch of training leaves out; unless given, 0; for appnp 0.5, "
      "at each hop", &o.edge_dropout_given },
    { 0, "heads", "N", SE_OPT_COUNT, &o.r.h.heads, 1, 256, "heads of gat", NULL },
    { 0, "out-heads", "N", SE_OPT_COUNT, &o.r.h.out_heads, 1, 256,
      "heads of the last layer of gat", NULL },
    { 0, "alpha", "A", SE_OPT_NUMBER, &o.r.h.alpha, 0, 1, "return of appnp to its start", NULL },
    { 0, "hops", "N", SE_OPT_COUNT, &o.r.h.hops, 0, 1000, "hops of appnp", NULL },
    { 0, "lr", "RATE", SE_OPT_NUMBER, &o.rate, 0, 1e6, "learning rate of Adam", NULL },
    { 0, "weight-decay", "D", SE_OPT_NUMBER, &o.decay, 0, 1e6,
      "added to the gradient, times the parameter", NULL },
    { 0, "epochs", "N", SE_OPT_COUNT, &o.epochs, 1, 1e9, "passes over the graph", NULL },
    { 0, "patience", "N", SE_OPT_COUNT, &o.patience, 0, 1e9,
      "stop N epochs after the best one; 0: never", NULL },
    { 0, "feature-norm", "row|none", SE_OPT_CHOICE, &o.r.norm, 0, 0,
      "row: each row of features is divided by the sum of its absolute values", NULL },
    { 0, "input", "features|embedding|both", SE_OPT_CHOICE, &o.r.input, 0, 0,
      "what the model reads", NULL },
    { 0, "edge-weights", NULL, SE_OPT_FLAG, &o.r.edge_weights, 0, 0,
      "use the weights of the edges (gat has its own)", NULL },
    { 0, "beside", "FILE", SE_OPT_FILE, &o.beside, 0, 0,
      "a stream whose graph is the given one, for mix; the graph of the input is the learned one",
      NULL },
    { 0, "communities", "DIMS", SE_OPT_COUNT, &o.r.communities, 0, 65536,
      "add the communities of the tree to the input, DIMS columns for each level; 0: none",
      NULL },
    { 0, "neighbours", NULL, SE_OPT_FLAG, &o.r.neighbours, 0, 0,
      "add the neighbours of a vertex to the input, a column for each vertex", NULL },
    { 's', "split", "N", SE_OPT_COUNT, &o.split, 0, 1e9, "which split to train on, from 0",
      NULL },
    { 0, "embed", "logits|hidden", SE_OPT_CHOICE, &o.embed, 0, 0,
      "the embedding: the outputs, or what goes into the last layer", NULL },
    { 0, "embed-epoch", "last|best", SE_OPT_CHOICE, &o.embed_epoch, 0, 0,
      "when the embedding is taken", NULL },
    { 0, "log", "FILE", SE_OPT_FILE, &o.log, 0, 0,
      "write epoch, loss and the three accuracies as TSV", NULL },
    { 0, "apply", NULL, SE_OPT_FLAG, &o.apply, 0, 0,
      "run the model in the stream on its graph instead of training one", NULL },
    SE_OPTIONS_END
};

/* Everything a run needs, so that one function can release it */
struct job {
    struct se_run *run;
    struct se_stream *s;
    struct se_graph graph;
    struct se_labels labels;
    struct se_splits splits;
    const uint8_t *part;        /* of the split; NULL: there are none */
    uint64_t classes;
    struct se_stream *given;    /* of --beside, or NULL */
    struct se_nngraph nngraph, beside;
    struct se_nninput input;
    const struct se_model_kind *kind;
    struct se_gpu gpu;
    struct se_net net;
};

static const struct se_model_kind *find_model(const char *name, struct se_err *err)
{
    char all[256] = "";

    for (int i = 0; se_model_kinds[i]; i++) {
        if (strcmp(se_model_kinds[i]->name, name) == 0)
            return se_model_kinds[i];
        snprintf(all + strlen(all), sizeof all - strlen(all), " %s", se_model_kinds[i]->name);
    }
    if (o.apply)
        se_fail(err, SE_EINPUT, "model: '%.40s' is none of%s", name, all);
    else
        se_fail(err, SE_EUSAGE, "--model: '%.40s' is none of%s", name, all);
    return NULL;
}

/* Of a stored model: what it is, and whether the graphs are there that it wants */
static int recall(const struct se_model *m, struct se_err *err)
{
    if (se_recipe_recall(&o.r, m, err) < 0)
        return -1;
    if (o.r.beside && !o.beside)
        return se_fail(err, SE_EINPUT, "model: was trained with a second graph; give it with "
                       "--beside");
    if (!o.r.beside && o.beside)
        return se_fail(err, SE_EINPUT, "model: was trained without a second graph; leave out "
                       "--beside");
    return 0;
}

/* ---- making the net ---- */

static int read_sections(struct job *j, struct se_err *err)
{
    const uint64_t n = j->graph.n;

    if (!o.apply || se_stream_has(j->s, SE_LABELS)) {
        if (se_labels_get(&j->labels, j->s, err) < 0 ||
            se_payload_fits(j->labels.n, n, SE_LABELS, "graph", err) < 0)
            return -1;
        j->classes = j->labels.classes;
    }
    if (o.apply && !se_stream_has(j->s, SE_SPLITS))
        return 0;
    if (se_splits_get(&j->splits, j->s, err) < 0 ||
        se_payload_fits(j->splits.n, n, SE_SPLITS, "graph", err) < 0)
        return -1;
    if (o.split >= j->splits.count)
        return se_fail(err, SE_EINPUT, "splits: there is no split %" PRIu64 "; they are 0 to %"
                       PRIu64, o.split, j->splits.count - 1);
    j->part = j->splits.part + o.split * n;
    return 0;
}

/* Classes that nobody trains cannot be learnt: worth a word. */
static void warn_classes(const struct job *j)
{
    uint8_t *seen = calloc(j->classes + 1, 1);
    uint64_t missing = 0;

    for (uint64_t v = 0; seen && v < j->graph.n; v++)
        if (j->part[v] == SE_PART_TRAIN && j->labels.label[v] >= 0)
            seen[j->labels.label[v]] = 1;
    for (uint64_t c = 0; seen && c < j->classes; c++)
        missing += !seen[c];
    if (missing && missing < j->classes)        /* all missing is an error soon */
        se_warn(j->run, "%" PRIu64 " of %" PRIu64 " classes have no training vertex in split %"
                PRIu64, missing, j->classes, o.split);
    free(seen);
}

/* Before memory is made for them: a text that promises much comes with as many numbers. */
static int check_arrays(const struct job *j, const struct se_model *m, struct se_err *err)
{
    for (int i = 0; i < j->net.parameters; i++) {
        const struct se_parameter *p = &j->net.parameter[i];
        const struct se_array *a = (uint64_t)i < m->arrays ? &m->array[i] : NULL;

        if (!a || a->rows != p->rows || a->cols != p->cols || strcmp(a->name, p->name) != 0)
            return se_fail(err, SE_EINPUT, "model: its array %d is not the %" PRIu64 " x %" PRIu64
                           " '%s' that %s needs on this stream", i, p->rows, p->cols, p->name,
                           o.r.model);
    }
    return 0;
}

/* The second graph: that of the stream --beside, with as many vertices.  Faults name both. */
static int make_beside(struct job *j, struct se_err *err)
{
    struct se_err why = SE_ERR_INIT;
    struct se_graph g;

    if (se_graph_get(&g, j->given, SE_GRAPH, &why) == 0 &&
        se_payload_fits(g.n, j->graph.n, SE_GRAPH, "the graph of the input", &why) == 0 &&
        se_nngraph_make(&j->beside, &g, o.r.edge_weights, &why) == 0)
        return 0;
    return se_fail(err, why.code, "--beside %s: %s", o.beside, why.text);
}

static int make_graphs(struct job *j, const struct se_model_kind *kind, struct se_err *err)
{
    if (o.beside && !kind->beside)
        return se_fail(err, SE_EUSAGE, "--beside is for --model mix; %s sees one graph",
                       kind->name);
    if (o.beside && make_beside(j, err) < 0)
        return -1;
    return se_nngraph_make(&j->nngraph, &j->graph, o.r.edge_weights, err);
}

/* What the model is, sees and reads */
static int make_input(struct job *j, struct se_err *err)
{
    const struct se_model_kind *kind = j->kind = find_model(o.r.model, err);
    const struct se_nninput_plan plan = {
        (enum se_input_kind)o.r.input, o.r.norm == SE_NORM_ROW, o.r.communities,
        o.r.neighbours ? &j->nngraph : NULL
    };

    if (!kind)
        return -1;
    if (!o.edge_dropout_given)
        o.r.h.edge_dropout = kind->edge_dropout;
    if (!o.input_dropout_given)
        o.r.h.input_dropout = kind->input_dropout;
    if (!o.hidden_given && !o.apply)
        o.r.h.hidden = kind->hidden;
    if (j->classes == 0)
        return se_fail(err, SE_EINPUT, "labels: there is no class to learn");
    if (!o.apply)
        o.r.h.classes = j->classes;
    if (make_graphs(j, kind, err) < 0 ||
        se_nninput_make(&j->input, j->s, &plan, j->graph.n, err) < 0)
        return -1;
    if (j->input.identity)
        se_warn(j->run, "no features: each vertex stands for itself (identity features)");
    return 0;
}

/* About how many multiply-adds the run takes: a pass forward, twice as much back */
static double work_of(const struct se_net *net)
{
    double work = 0;

    for (int i = 0; i < net->layers; i++) {
        const struct se_layer *x = &net->layer[i];
        const double in = x->sparse ? (double)net->input.sparse->nnz : (double)(net->n * x->in);

        if (x->learns)
            work += in * (double)x->cols;
        work += (double)(net->graph->arcs * x->cols * (uint64_t)(x->hops ? x->hops : 1));
    }
    return o.apply ? work : 4 * work * (double)o.epochs;
}

/* The net, where --device says.  `m`: the stored model that it must fit, or NULL */
static int make_net(struct job *j, const struct se_model *m, enum se_device device,
                    struct se_err *err)
{
    char note[SE_GPU_NOTE];

    j->net = (struct se_net){
        .graph = &j->nngraph, .beside = o.beside ? &j->beside : NULL, .input = j->input.mat,
        .n = j->graph.n, .seed = j->run->seed, .threads = j->run->threads,
        .sparse = j->input.mat.sparse != NULL
    };
    if (j->kind->build(&j->net, &o.r.h, err) < 0 || (m && check_arrays(j, m, err) < 0) ||
        se_gpu_choose(&j->gpu, device, work_of(&j->net), note, err) < 0)
        return -1;
    if (device == (enum se_device)j->run->device)
        se_note(j->run, "%s", note);
    j->net.gpu = j->gpu.device ? &j->gpu : NULL;
    return se_net_ready(&j->net, err);
}

/* ---- results into the stream ---- */

static int put_model(struct job *j, const se_real *value, struct se_err *err)
{
    struct se_array array[SE_MOST_PARAMETERS];
    char text[SE_RECIPE_TEXT];
    const int len = se_recipe_tell(&o.r, text);
    struct se_model m = { text, (uint64_t)len, array, (uint64_t)j->net.parameters };

    for (int i = 0; i < j->net.parameters; i++) {
        const struct se_parameter *p = &j->net.parameter[i];

        array[i] = (struct se_array){ p->name, p->rows, p->cols, value + p->start };
    }
    return se_model_put(&m, j->s, err);
}

static int put_predictions(struct job *j, const float *logits, struct se_err *err)
{
    const uint64_t n = j->graph.n;
    int32_t *label = se_alloc(n, sizeof *label, err);
    float *confidence = label ? se_alloc(n, sizeof *confidence, err) : NULL;
    int rc = -1;

    if (confidence) {
        const struct se_predictions p = { n, label, confidence };

        se_predict(logits, n, o.r.h.classes, label, confidence);
        rc = se_predictions_put(&p, j->s, err);
    }
    free(label);
    free(confidence);
    return rc;
}

static int put_accuracies(struct job *j, const double accuracy[4], struct se_err *err)
{
    for (int i = SE_PART_TRAIN; i <= SE_PART_TEST; i++) {
        char name[32];

        snprintf(name, sizeof name, "train.acc.%s", se_part_names[i]);
        if (!isnan(accuracy[i]) && se_stats_set(j->s, name, accuracy[i], err) < 0)
            return -1;
    }
    return 0;
}

static int put_embedding(struct job *j, const float *row, uint64_t cols, struct se_err *err)
{
    const struct se_embedding e = { j->graph.n, cols, row };
    const uint64_t bad = se_first_not_finite(row, e.n * cols);

    if (bad < e.n * cols)
        return se_fail(err, SE_EINPUT, "the embedding of vertex %" PRIu64 " is not a finite "
                       "number; lower --lr", bad / cols);
    return se_embedding_put(&e, j->s, err);
}

static int put_results(struct job *j, const struct se_train_result *r, struct se_err *err)
{
    if (se_stats_forget(j->s, "train.", err) < 0 ||
        put_embedding(j, r->embedding, r->embed_cols, err) < 0 ||
        put_predictions(j, r->logits, err) < 0 || put_model(j, r->value, err) < 0 ||
        put_accuracies(j, r->accuracy, err) < 0 ||
        se_stats_set(j->s, "train.epoch", (double)r->best, err) < 0 ||
        se_stats_set(j->s, "train.epochs", (double)r->epochs, err) < 0 ||
        se_stats_set(j->s, "train.loss", r->loss, err) < 0 ||
        se_stats_set(j->s, "train.split", (double)o.split, err) < 0)
        return -1;
    se_note(j->run, "best epoch %" PRIu64 ": train %.4f, val %.4f, test %.4f", r->best,
            r->accuracy[SE_PART_TRAIN], r->accuracy[SE_PART_VAL], r->accuracy[SE_PART_TEST]);
    return 0;
}

/* ---- training, applying ---- */

static int train(struct job *j, struct se_out *log, struct se_err *err)
{
    struct se_progress bar;
    struct se_train_result r = SE_TRAIN_RESULT_INIT;
    struct se_train_plan plan = {
        .rate = o.rate, .decay = o.decay, .epochs = o.epochs, .patience = o.patience,
        .label = j->labels.label, .part = j->part, .classes = j->classes,
        .embed_best = o.embed_epoch == BEST, .embed_hidden = o.embed == HIDDEN, .log = log,
        .progress = &bar
    };
    int rc;

    warn_classes(j);
    se_progress_begin(j->run, &bar, "training", o.epochs);
    rc = se_train(&r, &j->net, &plan, err);
    se_progress_end(&bar);
    if (rc == 0)
        rc = put_results(j, &r, err);
    se_train_release(&r);
    return rc;
}

/* The learning curve is a file of its own, whole or not at all like every other. */
static int train_with_log(struct job *j, struct se_err *err)
{
    struct se_out log;
    int fd, rc;

    if (!o.log)
        return train(j, NULL, err);
    fd = se_output_open(o.log, err);
    if (fd < 0 || se_out_init(&log, fd, err) < 0) {
        se_output_abort();
        return -1;
    }
    rc = train(j, &log, err);
    if (rc == 0)
        rc = se_out_flush(&log, err);
    se_out_release(&log);
    if (rc == 0)
        return se_output_commit(err);
    se_output_abort();
    return -1;
}

static void load_parameters(struct job *j, const struct se_model *m)
{
    for (int i = 0; i < j->net.parameters; i++) {
        const struct se_parameter *p = &j->net.parameter[i];

        se_net_put(&j->net, j->net.value + p->start, m->array[i].data,
                   p->rows * p->cols * sizeof *j->net.value);
    }
}

/* Numbers of the net in memory of ours, to be freed */
static float *fetch(const struct job *j, const se_real *from, uint64_t count, struct se_err *err)
{
    float *to = se_alloc(count, sizeof *to, err);

    if (to)
        se_net_get(&j->net, to, from, count * sizeof *to);
    if (to && se_net_check(&j->net, err) == 0)
        return to;
    free(to);
    return NULL;
}

static int put_applied(struct job *j, const float *logits, const float *embedding,
                       uint64_t cols, struct se_err *err)
{
    double accuracy[4] = { NAN, NAN, NAN, NAN };

    if (j->part && j->labels.label)
        se_accuracy(logits, j->graph.n, j->classes, j->labels.label, j->part, accuracy);
    return se_stats_forget(j->s, "train.", err) < 0 ||
           put_embedding(j, embedding, cols, err) < 0 || put_predictions(j, logits, err) < 0 ||
           put_accuracies(j, accuracy, err) < 0 ? -1 : 0;
}

static int apply(struct job *j, const struct se_model *m, struct se_err *err)
{
    const uint64_t n = j->graph.n;
    const se_real *last;
    const struct se_mat *hidden;
    float *logits, *embedding;
    int rc = -1;

    load_parameters(j, m);
    last = se_net_forward(&j->net, false);
    hidden = o.embed == HIDDEN ? se_net_hidden(&j->net) : NULL;
    if (o.embed == HIDDEN && !hidden)
        return se_fail(err, SE_EUSAGE, "this model has no hidden layer; use --embed logits");
    const uint64_t cols = hidden ? hidden->cols : j->classes;

    logits = fetch(j, last, n * j->classes, err);
    embedding = logits ? fetch(j, hidden ? hidden->dense : last, n * cols, err) : NULL;
    if (embedding)
        rc = put_applied(j, logits, embedding, cols, err);
    free(logits);
    free(embedding);
    return rc;
}

static int compute_on(struct job *j, const struct se_model *m, enum se_device device,
                      struct se_err *err)
{
    if (make_net(j, m, device, err) < 0)
        return -1;
    return m ? apply(j, m, err) : train_with_log(j, err);
}

/* Where --device says; what a device fails at, `auto` does on the CPU. */
static int compute(struct job *j, const struct se_model *m, struct se_err *err)
{
    const enum se_device device = (enum se_device)j->run->device;
    char note[SE_GPU_NOTE];
    int rc = make_input(j, err);

    if (rc == 0)
        rc = compute_on(j, m, device, err);
    if (rc == 0)
        return 0;
    se_net_release(&j->net);
    if (!se_gpu_fall_back(&j->gpu, device, err, note))
        return -1;
    se_note(j->run, "%s", note);
    return compute_on(j, m, SE_DEVICE_CPU, err);
}

static int apply_stored(struct job *j, struct se_err *err)
{
    struct se_model m = { 0 };
    int rc;

    if (se_model_get(&m, j->s, err) < 0)
        return -1;
    rc = recall(&m, err);
    j->classes = o.r.h.classes;
    if (rc == 0)
        rc = compute(j, &m, err);
    se_model_release(&m);
    return rc;
}

static int work(struct job *j, struct se_err *err)
{
    if (se_graph_get(&j->graph, j->s, SE_GRAPH, err) < 0 || read_sections(j, err) < 0)
        return -1;
    if (j->graph.n == 0)
        return se_fail(err, SE_EINPUT, "graph: has no vertices");
    if (o.apply)
        return apply_stored(j, err);
    return compute(j, NULL, err);
}

static struct se_stream given = SE_STREAM_INIT;

static int train_stream(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct job j = { .run = run, .s = s, .given = &given, .input = SE_NNINPUT_INIT };
    const int rc = work(&j, err);

    se_net_release(&j.net);
    se_gpu_close(&j.gpu);
    se_nninput_release(&j.input);
    se_nngraph_release(&j.nngraph);
    se_nngraph_release(&j.beside);
    return rc;
}

static int run_train(struct se_run *run, struct se_err *err)
{
    int rc = 0;

    o.r.beside = o.beside;
    if (!o.apply && !find_model(o.r.model, err))
        return -1;
    if (o.beside)
        rc = se_run_read(run, o.beside, &given, err);
    if (rc == 0)
        rc = se_run_filter(run, train_stream, err);
    se_stream_release(&given);
    return rc;
}

static const struct se_tool tool = {
    .name = "se-train",
    .brief = "train a node classifier on the graph",
    .operands = "[FILE]",
    .max_operands = 1,
    .has = SE_TOOL_SEED | SE_TOOL_DEVICE | SE_TOOL_KEEP | SE_TOOL_STREAM | SE_TOOL_PASSES,
    .options = options,
    .about =
        "Trains a graph neural network on the whole graph at once, with a self-loop at\n"
        "every vertex, on the training part of a split.  Written: embedding (what the\n"
        "next stage compares), predictions and model as of the epoch with the best\n"
        "validation accuracy, and the accuracies in stats.  Vertices without a label\n"
        "take no part.  Without features each vertex stands for itself.  knn, which was\n"
        "derived from an older embedding, and what came from it (a tree, too) is dropped\n"
        "unless --keep.\n",
    .examples =
        "  se-train < graph.seg > trained.seg\n"
        "  se-train --model sage --split 3 --seed 1 -v graph.seg -o trained.seg\n"
        "  se-train --model mlp --log curve.tsv graph.seg | se-export -t stats\n"
        "  se-train --model mix --beside given.seg learned.seg -o trained.seg\n"
        "  se-train --communities 64 --keep tree.seg -o trained.seg\n"
        "  se-cat --only model trained.seg | se-cat other.seg - | se-train --apply\n",
    .run = run_train
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
