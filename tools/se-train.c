/* se-train.c - train a node classifier on the graph */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/outfile.h"
#include "common/cli/tool.h"
#include "common/device/device.h"
#include "common/stream/payload.h"
#include "common/train/consistency.h"
#include "common/train/entropy_loss.h"
#include "common/train/input.h"
#include "common/train/match.h"
#include "common/train/recipe.h"
#include "common/train/results.h"
#include "common/train/train.h"

enum { LOGITS, HIDDEN };
enum { LAST, BEST };

static struct {
    struct se_recipe r;
    const char *log, *beside;
    bool input_dropout_given, hidden_given, edge_dropout_given, layers_given, hops_given;
    bool vertex_dropout_given, samples_given, consistency_given;
    bool loops_given, weights_given, apply, probabilities, list;
    double rate, decay, consistency, temperature, entropy;
    uint64_t samples, modules, epochs, patience, split;
    int embed, embed_epoch, jump, select, ties, decay_on, weights;
} o = {
    .r = { .model = "gcn",
           .h = { .layers = 2, .heads = 8, .out_heads = 1, .hops = 10, .dropout = .5,
                  .attention_dropout = .5, .alpha = .1, .lambda = .5 } },
    .rate = .01, .decay = 5e-4, .epochs = 200, .temperature = .5, .modules = 16
};

static const struct se_option options[] = {
    { 'm', "model", "NAME", SE_OPT_STRING, &o.r.model, 0, 0,
      "the model, one of those that --list shows", NULL },
    { 0, "list", NULL, SE_OPT_FLAG, &o.list, .help = "list the models: name, settings, source and "
      "when to use each" },
    { 0, "hidden", "N", SE_OPT_COUNT, &o.r.h.hidden, 1, 1e6,
      "columns of the hidden layers; unless given, 64; for gat 8, in each head",
      &o.hidden_given },
    { 0, "layers", "N", SE_OPT_COUNT, &o.r.h.layers, 1, 128,
      "layers with parameters; convolutions of gcnii, rounds of h2gcn; default 2, gcnii 16",
      &o.layers_given },
    { 0, "norm", "none|layer|batch", SE_OPT_CHOICE, &o.r.h.norm,
      .help = "normalise hidden layers: over the columns of a vertex, or over the vertices of a "
      "column" },
    { 0, "residual", NULL, SE_OPT_FLAG, &o.r.h.residual,
      .help = "add the input of each hidden layer to its output" },
    { 0, "jump", "none|concat", SE_OPT_CHOICE, &o.jump,
      .help = "concat: the last layer is linear and reads all hidden layers" },
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
    { 0, "alpha", "A", SE_OPT_NUMBER, &o.r.h.alpha, 0, 1, "teleport probability of appnp; share of the first layer in each layer of gcnii", NULL },
    { 0, "lambda", "L", SE_OPT_NUMBER, &o.r.h.lambda, 0, 100,
      "weights of layer l of gcnii count log(L / l + 1)", NULL },
    { 0, "variant", NULL, SE_OPT_FLAG, &o.r.h.variant,
      .help = "gcnii with separate weights for the first layer (GCNII*)" },
    { 0, "hops", "N", SE_OPT_COUNT, &o.r.h.hops, 0, 1000,
      "hops of appnp and fsgnn; default 10, fsgnn 3", &o.hops_given },
    { 0, "vertex-dropout", "P", SE_OPT_NUMBER, &o.r.h.vertex_dropout, 0, .99,
      "share of the vertices whose features an epoch of grand leaves out; unless given, 0.5",
      &o.vertex_dropout_given },
    { 0, "samples", "N", SE_OPT_COUNT, &o.samples, 1, 1000,
      "passes in an epoch, each with its own dropout; unless given, 1; for grand 4",
      &o.samples_given },
    { 0, "consistency", "W", SE_OPT_NUMBER, &o.consistency, 0, 1e6,
      "weight of the loss that makes the samples agree; unless given, 0; for grand 1",
      &o.consistency_given },
    { 0, "temperature", "T", SE_OPT_NUMBER, &o.temperature, .01, 1,
      "of the mean prediction that the samples shall agree with: the lower, the sharper", NULL },
    { 0, "entropy-loss", "W", SE_OPT_NUMBER, &o.entropy, 0, 1e6,
      "weight of the structural entropy of the graph under modules that are learned from the last "
      "hidden layer; 0: none", NULL },
    { 0, "modules", "M", SE_OPT_COUNT, &o.modules, 1, 65536, "how many modules --entropy-loss has",
      NULL },
    { 0, "lr", "RATE", SE_OPT_NUMBER, &o.rate, 0, 1e6, "learning rate of Adam", NULL },
    { 0, "weight-decay", "D", SE_OPT_NUMBER, &o.decay, 0, 1e6,
      "L2 weight decay", NULL },
    { 0, "decay-on", "all|weights|first", SE_OPT_CHOICE, &o.decay_on,
      .help = "parameters with weight decay: all, all but biases, or the first weights" },
    { 0, "epochs", "N", SE_OPT_COUNT, &o.epochs, 1, 1e9, "passes over the graph", NULL },
    { 0, "patience", "N", SE_OPT_COUNT, &o.patience, 0, 1e9,
      "stop N epochs after the best one; 0: never", NULL },
    { 0, "select", "acc|loss", SE_OPT_CHOICE, &o.select,
      .help = "the best epoch has the highest validation accuracy, or the lowest validation loss" },
    { 0, "ties", "first|last", SE_OPT_CHOICE, &o.ties,
      .help = "which of equally good epochs is the best one" },
    { 0, "feature-norm", "row|none|l2|standard", SE_OPT_CHOICE, &o.r.norm, 0, 0,
      "row: each row of features is divided by the sum of its absolute values; l2: by its length; "
      "standard: each column gets mean 0 and variance 1 over all vertices", NULL },
    { 0, "input", "features|embedding|both", SE_OPT_CHOICE, &o.r.input, 0, 0,
      "what the model reads", NULL },
    { 0, "weights", "ignore|use", SE_OPT_CHOICE, &o.weights,
      .help = "use: an edge counts as much as its weight in every mean or sum over neighbours (gat "
      "has its own weights); ignore: all edges count the same", .given = &o.weights_given,
      .old = "edge-weights", .old_value = "use" },
    { 0, "loops", "one|given|none", SE_OPT_CHOICE, &o.r.loops,
      .help = "self-loops: weight 1 at every vertex, those of the graph, or none; default one, "
      "h2gcn none (gat always has them)", .given = &o.loops_given },
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
    { 0, "probabilities", NULL, SE_OPT_FLAG, &o.probabilities,
      .help = "also write the probability of each class for each vertex at the best epoch, "
      "which se-vote averages" },
    { 0, "log", "FILE", SE_OPT_FILE, &o.log, 0, 0,
      "write epoch, loss and the three accuracies as TSV", NULL },
    { 0, "apply", NULL, SE_OPT_FLAG, &o.apply, 0, 0,
      "run the model in the stream on its graph instead of training one; columns of a table and "
      "classes are matched by name", NULL },
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
    struct se_match match;      /* --apply: the features as the model knows them */
    const struct se_model_kind *kind;
    struct se_gpu gpu;
    struct se_net net;
    struct se_consistency consistency;
    struct se_entropy_loss entropy;
};

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
        if (j->part[v] == SE_SPLIT_TRAIN && j->labels.label[v] >= 0)
            seen[j->labels.label[v]] = 1;
    for (uint64_t c = 0; seen && c < j->classes; c++)
        missing += !seen[c];
    if (missing && missing < j->classes)        /* all missing is an error soon */
        se_warn(j->run, "%" PRIu64 " of %" PRIu64 " classes have no training vertex in split %"
                PRIu64, missing, j->classes, o.split);
    free(seen);
}

/* The second graph: that of the stream --beside, with as many vertices.  Faults name both. */
static int make_beside(struct job *j, struct se_err *err)
{
    struct se_err why = SE_ERR_INIT;
    struct se_graph g;

    if (se_graph_get(&g, j->given, SE_GRAPH, &why) == 0 &&
        se_payload_fits(g.n, j->graph.n, SE_GRAPH, "the graph of the input", &why) == 0 &&
        se_nngraph_make(&j->beside, &g, o.r.edge_weights, (enum se_loops)o.r.loops, &why) == 0)
        return 0;
    return se_fail(err, why.code, "--beside %s: %s", o.beside, why.text);
}

static int make_graphs(struct job *j, const struct se_model_kind *kind, struct se_err *err)
{
    if (o.beside && !kind->beside)
        return se_fail(err, SE_EUSAGE, "--beside is for --model mix, h2gcn and fsgnn; %s sees one "
                       "graph", kind->name);
    if (o.beside && make_beside(j, err) < 0)
        return -1;
    if (se_nngraph_make(&j->nngraph, &j->graph, o.r.edge_weights, (enum se_loops)o.r.loops, err) < 0)
        return -1;
    if (!o.beside && kind->two_hops)
        return se_nngraph_two_hops(&j->beside, &j->nngraph, (enum se_loops)o.r.loops, err);
    if (!o.beside && kind->without_loops)
        return se_nngraph_make(&j->beside, &j->graph, o.r.edge_weights, SE_LOOPS_NONE, err);
    return 0;
}

/* Weights that differ and are not used: the user may not know. */
static void warn_weights(const struct job *j)
{
    const float *w = j->graph.weight;

    for (uint64_t e = 1; w && !o.apply && !o.r.edge_weights && !o.weights_given && e < j->graph.m;
         e++)
        if (w[e] != w[0]) {
            se_warn(j->run, "the weights of the edges are not used; --weights use counts them, "
                    "--weights ignore is silent");
            return;
        }
}

/* What the model is, sees and reads */
static int make_input(struct job *j, struct se_err *err)
{
    const struct se_model_kind *kind = j->kind = se_model_find(o.r.model, !o.apply, err);
    const struct se_input_options plan = {
        .kind = (enum se_input_kind)o.r.input, .scale_rows = o.r.norm == SE_NORM_ROW,
        .unit_rows = o.r.norm == SE_NORM_L2, .standardise = o.r.norm == SE_NORM_STANDARD,
        .communities = o.r.communities, .neighbours = o.r.neighbours ? &j->nngraph : NULL,
        .features = j->match.used ? &j->match.f : NULL
    };

    if (!kind)
        return -1;
    if (!o.edge_dropout_given)
        o.r.h.edge_dropout = kind->edge_dropout;
    if (!o.input_dropout_given)
        o.r.h.input_dropout = kind->input_dropout;
    if (!o.hidden_given && !o.apply)
        o.r.h.hidden = kind->hidden;
    if (!o.layers_given && !o.apply && kind->layers)
        o.r.h.layers = kind->layers;
    if (!o.hops_given && !o.apply && kind->hops)
        o.r.h.hops = kind->hops;
    if (!o.vertex_dropout_given && !o.apply)
        o.r.h.vertex_dropout = kind->vertex_dropout;
    if (!o.samples_given)
        o.samples = kind->samples ? kind->samples : 1;
    if (!o.consistency_given)
        o.consistency = kind->consistency;
    if (!o.loops_given && !o.apply)
        o.r.loops = (int)kind->loops;
    warn_weights(j);
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

/* The net, where --device says.  `m`: the stored model that it must fit, or NULL */
static int make_net(struct job *j, const struct se_model *m, enum se_device device,
                    struct se_err *err)
{
    char note[SE_GPU_NOTE];

    j->net = (struct se_net){
        .graph = &j->nngraph, .beside = j->beside.n ? &j->beside : NULL, .input = j->input.mat,
        .n = j->graph.n, .seed = j->run->seed, .threads = j->run->threads,
        .sparse = j->input.mat.sparse != NULL, .decay_on = (enum se_decay)o.decay_on,
        .host_loss = !m && (o.consistency > 0 || o.entropy > 0)
    };
    if (j->kind->build(&j->net, &o.r.h, err) < 0 ||
        (o.entropy > 0 && !m && se_entropy_layers(&j->net, o.modules, err) < 0) || (m && se_stored_check(m, &j->net, o.r.model, err) < 0) ||
        se_gpu_choose(&j->gpu, device, se_net_work(&j->net, o.apply ? 0 : o.epochs), note, err) < 0)
        return -1;
    if (device == (enum se_device)j->run->device)
        se_note(j->run, "%s", note);
    se_net_on(&j->net, j->gpu.device ? &j->gpu : NULL);
    return se_net_ready(&j->net, err);
}

static struct se_results results_of(struct job *j)
{
    return (struct se_results){ j->s, &o.r, &j->net, o.split, o.probabilities };
}

/* ---- training, applying ---- */

/* Losses over all vertices */
static int make_extras(struct job *j, struct se_train_options *plan, struct se_err *err)
{
    int count = 0;

    plan->samples = o.samples;
    if (o.consistency > 0) {
        if (se_consistency_make(&j->consistency, j->graph.n, j->classes, o.samples, o.consistency,
                                o.temperature, err) < 0)
            return -1;
        plan->extra[count++] = &j->consistency.extra;
    }
    if (o.entropy > 0) {
        if (se_entropy_loss_make(&j->entropy, &j->nngraph, o.modules, o.entropy, err) < 0)
            return -1;
        plan->extra[count++] = &j->entropy.extra;
    }
    return 0;
}

static int train(struct job *j, struct se_out *log, struct se_err *err)
{
    struct se_progress bar;
    struct se_train_result r = SE_TRAIN_RESULT_INIT;
    struct se_train_options plan = {
        .rate = o.rate, .decay = o.decay, .epochs = o.epochs, .patience = o.patience,
        .label = j->labels.label, .part = j->part, .classes = j->classes,
        .by_loss = o.select, .last_of_ties = o.ties, .embed_best = o.embed_epoch == BEST, .embed_hidden = o.embed == HIDDEN, .log = log,
        .progress = &bar
    };
    int rc;

    if (make_extras(j, &plan, err) < 0)
        return -1;
    warn_classes(j);
    se_progress_begin(j->run, &bar, "training", o.epochs);
    rc = se_train(&r, &j->net, &plan, err);
    se_progress_end(&bar);
    if (rc == 0) {
        const struct se_results x = results_of(j);

        rc = se_results_put(&x, &r, err);
    }
    if (rc == 0 && o.entropy > 0)
        rc = se_stats_set(j->s, "train.entropy", j->entropy.value, err);
    if (rc == 0)
        se_note(j->run, "best epoch %" PRIu64 ": train %.4f, val %.4f, test %.4f", r.best,
                r.accuracy[SE_SPLIT_TRAIN], r.accuracy[SE_SPLIT_VAL], r.accuracy[SE_SPLIT_TEST]);
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

static int apply(struct job *j, const struct se_model *m, struct se_err *err)
{
    const struct se_results x = results_of(j);

    se_stored_load(m, &j->net);
    return se_results_apply(&x, &j->net, o.embed == HIDDEN, j->labels.label, j->part, err);
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

/* Columns and classes of the stream by the names that the model knows */
static int match_names(struct job *j, const struct se_model *m, struct se_err *err)
{
    uint64_t unknown;

    if (o.r.input != SE_INPUT_EMBEDDING && se_match_features(&j->match, m, j->s, err) < 0)
        return -1;
    if (j->match.unnamed)
        se_warn(j->run, "the features have no names of columns, so they are taken in their order");
    if (j->match.unknown)
        se_warn(j->run, "%" PRIu64 " columns or words are unknown to the model, such as '%s'; they "
                "count as absent", j->match.unknown, j->match.example);
    if (se_match_classes(m, j->s, j->graph.n, &unknown, err) < 0)
        return -1;
    if (unknown)
        se_warn(j->run, "%" PRIu64 " classes are unknown to the model; it never predicts them",
                unknown);
    return se_stream_has(j->s, SE_LABELS) ? se_labels_get(&j->labels, j->s, err) : 0;
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
        rc = match_names(j, &m, err);
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
    se_consistency_release(&j.consistency);
    se_entropy_loss_release(&j.entropy);
    se_nninput_release(&j.input);
    se_match_release(&j.match);
    se_nngraph_release(&j.nngraph);
    se_nngraph_release(&j.beside);
    return rc;
}

/* One model a line: name, settings, source, when to use it */
static int list_models(struct se_run *run, struct se_err *err)
{
    struct se_out out;

    if (se_run_begin(run, false, &out, err) < 0)
        return -1;
    for (int i = 0; se_model_kinds[i]; i++) {
        const struct se_model_kind *k = se_model_kinds[i];

        se_outf(&out, "%s\t%s\t%s\t%s\n", k->name, k->settings, k->source, k->use);
    }
    return se_run_end(run, &out, 0, err);
}

static int run_train(struct se_run *run, struct se_err *err)
{
    int rc = 0;

    if (o.list)
        return list_models(run, err);
    o.r.beside = o.beside;
    o.r.h.jump = o.jump;
    o.r.edge_weights = o.weights;
    if (!o.apply && !se_model_find(o.r.model, !o.apply, err))
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
        "unless --keep.  Weights of edges are not used unless --weights use.\n",
    .examples =
        "  se-train < graph.seg > trained.seg\n"
        "  se-train --model sage --split 3 --seed 1 -v graph.seg -o trained.seg\n"
        "  se-train --model mlp --log curve.tsv graph.seg | se-export -t stats\n"
        "  se-train --model mix --beside given.seg learned.seg -o trained.seg\n"
        "  se-train --communities 64 --keep tree.seg -o trained.seg\n"
        "  se-train --list\n"
        "  se-train --model gcnii --layers 32 --alpha .5 --lambda 1.5 --select loss g.seg\n"
        "  se-cat --only model trained.seg | se-cat other.seg - | se-train --apply\n",
    .run = run_train
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
