/* se-train.c - train a node classifier on the graph */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/outfile.h"
#include "common/cli/tool.h"
#include "common/device/device.h"
#include "common/stream/join.h"
#include "common/stream/payload.h"
#include "common/train/batch.h"
#include "common/train/consistency.h"
#include "common/train/entropy_loss.h"
#include "common/train/graphs.h"
#include "common/train/input.h"
#include "common/train/match.h"
#include "common/train/peers.h"
#include "common/train/recipe.h"
#include "common/train/results.h"
#include "common/train/train.h"
#include "tools/train_options.h"

#ifndef SE_NAME
#define SE_NAME "se-train"      /* with MPI it has another one, see mpi/mpi.mk */
#endif

/* Everything a run needs, so that one function can release it */
struct job {
    struct se_run *run;
    struct se_stream *s;
    struct se_peers *peers;     /* processes that have the other vertices, or NULL */
    uint64_t n, first;          /* our vertices, the first of them */
    struct se_graph graph;
    struct se_labels labels;
    struct se_splits splits;
    const uint8_t *part;        /* of the split; NULL: there are none */
    uint64_t classes;
    int32_t *no_label;          /* --unsupervised: what stands for labels and part then */
    uint8_t *no_part;
    struct se_stream *given;    /* of --beside, or NULL */
    struct se_graphs graphs;
    struct se_nninput input;
    struct se_match match;      /* --apply: the features as the model knows them */
    const struct se_model_kind *kind;
    struct se_gpu gpu;
    struct se_net net;
    struct se_consistency consistency;
    struct se_entropy_loss entropy;
    uint64_t batches;           /* --batch: of the last epoch */
};

/* The other processes; NULL: there are none */
static struct se_peers *peers;

static bool first_process(void)
{
    return !peers || peers->rank == 0;
}

/* ---- making the net ---- */

/* Nobody has a label or is in a part; the modules are the classes. */
static int forget_labels(struct job *j, struct se_err *err)
{
    if (!o.unsupervised)
        se_warn(j->run, "no labels: modules are learned by the entropy of the graph alone");
    o.unsupervised = true;
    if (o.entropy == 0)
        o.entropy = 1;
    if (!(j->no_label = se_alloc(j->graph.n, sizeof *j->no_label, err)) ||
        !(j->no_part = se_zalloc(j->graph.n, 1, err)))
        return -1;
    for (uint64_t v = 0; v < j->graph.n; v++)
        j->no_label[v] = -1;
    j->labels = (struct se_labels){ .n = j->graph.n, .label = j->no_label };
    j->part = j->no_part;
    j->classes = o.modules;
    return 0;
}

static int read_sections(struct job *j, struct se_err *err)
{
    const uint64_t n = j->graph.n;

    if (o.unsupervised || (o.entropy > 0 && !o.apply && !se_stream_has(j->s, SE_LABELS)))
        return forget_labels(j, err);
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

/* Weights that differ and are not used: the user may not know. */
static void warn_weights(const struct job *j)
{
    const float *w = j->graph.weight;

    for (uint64_t e = 1; w && !o.apply && !o.r.edge_weights && !o.weights_given && e < j->graph.m;
         e++)
        if (w[e] != w[0]) {
            se_warn(j->run, "edge weights are ignored; --weights use takes them into "
                    "account, --weights ignore silences this warning");
            return;
        }
}

static struct se_input_options input_options(const struct job *j)
{
    return (struct se_input_options){
        .kind = (enum se_input_kind)o.r.input, .scale_rows = o.r.norm == SE_NORM_ROW,
        .unit_rows = o.r.norm == SE_NORM_L2, .standardise = o.r.norm == SE_NORM_STANDARD,
        .communities = o.r.communities, .neighbours = o.r.neighbours ? &j->graphs.graph : NULL,
        .degrees = o.r.degrees ? &j->graphs.graph : NULL,
        .features = j->match.used ? &j->match.f : NULL, .peers = j->peers
    };
}

static void warn_identity(const struct job *j, bool identity)
{
    if (identity)
        se_warn(j->run, "no features: using one-hot vertex ids");
}

/* What the model is, sees and reads */
static int make_input(struct job *j, struct se_err *err)
{
    const struct se_model_kind *kind = j->kind = se_model_find(o.r.model, !o.apply, err);
    const struct se_input_options plan = input_options(j);
    struct se_graphs_options graphs = { .kind = kind, .s = j->s, .path = o.beside,
                                        .given = o.beside ? j->given : NULL,
                                        .weights = o.r.edge_weights, .peers = j->peers };

    if (!kind)
        return -1;
    train_defaults(kind);
    graphs.loops = (enum se_loops)o.r.loops;
    warn_weights(j);
    if (j->classes == 0)
        return se_fail(err, SE_EINPUT, "labels: there is no class to learn");
    if (!o.apply)
        o.r.h.classes = j->classes;
    if (o.batch)                                /* it makes them in parts */
        return 0;
    if (se_graphs_make(&j->graphs, &j->graph, &graphs, err) < 0 ||
        se_nninput_make(&j->input, j->s, &plan, j->graph.n, err) < 0)
        return -1;
    warn_identity(j, j->input.identity);
    return 0;
}

/* The net, where --device says.  `m`: the stored model that it must fit, or NULL */
static int append_layers(struct job *j, struct se_err *err)
{
    if (j->kind->build(&j->net, &o.r.h, err) < 0)
        return -1;
    if (o.unsupervised)
        return se_entropy_alone(&j->net, err);
    return o.entropy > 0 && !o.apply ? se_entropy_layers(&j->net, o.modules, err) : 0;
}

static int make_net(struct job *j, const struct se_model *m, enum se_device device,
                    struct se_err *err)
{
    char note[SE_GPU_NOTE];

    j->net = (struct se_net){
        .graph = &j->graphs.graph, .input = j->input.mat,
        .beside = j->graphs.beside.n ? &j->graphs.beside : NULL, .position = j->graphs.position,
        .levels = j->graphs.levels.count ? &j->graphs.levels : NULL,
        .n = j->n, .first = j->first, .peers = j->peers, .seed = j->run->seed,
        .threads = j->run->threads,
        .sparse = j->input.mat.sparse != NULL, .decay_on = (enum se_decay)o.decay_on,
        .dense_decay = o.dense_decay_given ? &o.dense_decay : NULL, .host_loss = !m && o.entropy > 0
    };
    if (append_layers(j, err) < 0 || (m && se_stored_check(m, &j->net, o.r.model, err) < 0) ||
        se_gpu_choose(&j->gpu, device, se_net_work(&j->net, o.apply ? 0 : o.epochs), note, err) < 0)
        return -1;
    if (device == (enum se_device)j->run->device)
        se_note(j->run, "%s", note);
    se_net_on(&j->net, j->gpu.device ? &j->gpu : NULL);
    return se_net_ready(&j->net, err);
}

static struct se_results results_of(struct job *j)
{
    return (struct se_results){ j->s, &o.r, &j->net, j->graph.n, o.split,
                                o.probabilities || o.unsupervised };
}

/* ---- training, applying ---- */

/* Losses over all vertices */
static int make_extras(struct job *j, struct se_train_options *plan, struct se_err *err)
{
    int count = 0;

    plan->samples = o.samples;
    if (o.batch)                                /* which cannot have them, and says so */
        return 0;
    if (o.consistency > 0) {
        if (se_consistency_make(&j->consistency, j->n, j->classes, o.samples, o.consistency,
                                o.temperature, err) < 0)
            return -1;
        plan->extra[count++] = &j->consistency.extra;
    }
    if (o.entropy > 0) {
        if (se_entropy_loss_make(&j->entropy, &j->graphs.graph, j->peers, o.modules, o.entropy,
                                 err) < 0)
            return -1;
        plan->extra[count++] = &j->entropy.extra;
    }
    return 0;
}

static int train_batches(struct job *j, struct se_train_result *r,
                         const struct se_train_options *plan, struct se_err *err)
{
    const char *without = o.beside || j->kind->two_hops || j->kind->without_loops ||
                          j->kind->positions ? "a second graph" : j->kind->tree ? "a tree"
                        : o.r.neighbours ? "--neighbours" : o.r.degrees ? "--degrees"
                        : o.consistency > 0 ? "--consistency"
                        : o.entropy > 0 ? "--entropy-loss" : o.samples > 1 ? "--samples"
                        : o.checkpoint ? "--checkpoint"
                        : j->run->device == SE_DEVICE_CUDA ? "--device cuda" : NULL;
    struct se_batch_options b = {
        .kind = j->kind, .h = &o.r.h, .s = j->s, .input = input_options(j), .graph = &j->graph,
        .weights = o.r.edge_weights, .loops = (enum se_loops)o.r.loops, .seed = j->run->seed,
        .threads = j->run->threads, .decay_on = (enum se_decay)o.decay_on,
        .dense_decay = o.dense_decay_given ? &o.dense_decay : NULL
    };
    int rc = se_batch_parse(o.batch, &b, err);

    if (rc == 0 && without)
        rc = se_fail(err, SE_EUSAGE, "--batch cannot be used with %s", without);
    if (rc == 0)
        rc = se_batch_train(r, &j->net, &b, plan, err);
    warn_identity(j, rc == 0 && b.identity);
    j->batches = b.batches;
    return rc;
}

/* The rows of all processes, in the first of them */
static int gather_rows(const struct job *j, float **rows, uint64_t cols, struct se_err *err)
{
    const bool first = j->peers->rank == 0;
    float *all = first ? se_matrix_room(j->graph.n, cols, err) : NULL;

    if (first && !all)
        return -1;
    j->peers->collect(j->peers, *rows, cols * sizeof *all, all);
    se_matrix_free(*rows);
    *rows = all;
    return 0;
}

static int gather_results(struct job *j, struct se_train_result *r, struct se_err *err)
{
    uint64_t sent[2];

    se_net_forget(&j->net);                     /* the rows of all need the room */
    if (gather_rows(j, &r->logits, j->classes, err) < 0 ||
        gather_rows(j, &r->embedding, r->embed_cols, err) < 0)
        return -1;
    sent[0] = j->peers->sent;
    sent[1] = j->peers->summed;
    j->peers->count(j->peers, sent, 2);
    se_note(j->run, "%d processes sent %" PRIu64 " bytes of rows, %" PRIu64 " of sums and results",
            j->peers->ranks, sent[0], sent[1]);
    return 0;
}

/* What training gave, into the stream */
static int put_results(struct job *j, struct se_train_result *r, struct se_err *err)
{
    const struct se_results x = results_of(j);
    uint64_t modules;

    if (o.unsupervised) {
        if (se_results_modules(&x, r, &modules, err) < 0)
            return -1;
        se_note(j->run, "best epoch %" PRIu64 ": %" PRIu64 " modules, entropy %.6g", r->best,
                modules, r->val_loss);
        return 0;
    }
    se_note(j->run, "best epoch %" PRIu64 ": train %.4f, val %.4f, test %.4f", r->best,
            r->accuracy[SE_SPLIT_TRAIN], r->accuracy[SE_SPLIT_VAL], r->accuracy[SE_SPLIT_TEST]);
    return se_results_put(&x, r, err) < 0 ||
           (o.entropy > 0 && se_stats_set(j->s, "train.entropy", j->entropy.value, err) < 0) ||
           (o.batch && se_stats_set(j->s, "train.batches", (double)j->batches, err) < 0) ? -1 : 0;
}

static int train(struct job *j, struct se_out *log, struct se_err *err)
{
    struct se_progress bar;
    struct se_train_result r = SE_TRAIN_RESULT_INIT;
    struct se_train_options plan = {
        .rate = o.rate, .decay = o.decay, .epochs = o.epochs, .patience = o.patience,
        .label = j->labels.label + j->first, .part = j->part + j->first, .classes = j->classes,
        .by_loss = o.select, .unlabelled = o.unsupervised, .last_of_ties = o.ties, .embed_best = o.embed_epoch == BEST, .embed_hidden = o.embed == HIDDEN, .log = log,
        .progress = &bar
    };
    int rc;

    if (make_extras(j, &plan, err) < 0)
        return -1;
    plan.checkpoint.path = o.checkpoint;
    plan.checkpoint.every = o.every;
    if (o.checkpoint && train_key(j->run, j->s, j->given, &plan.checkpoint.key, err) < 0)
        return -1;
    warn_classes(j);
    se_progress_begin(j->run, &bar, "training", o.epochs);
    rc = o.batch ? train_batches(j, &r, &plan, err) : se_train(&r, &j->net, &plan, err);
    se_progress_end(&bar);
    if (rc == 0 && j->peers)
        rc = gather_results(j, &r, err);
    if (rc == 0 && first_process())
        rc = put_results(j, &r, err);
    se_train_release(&r);
    return rc;
}

/* The learning curve is a file of its own, whole or not at all like every other. */
static int train_with_log(struct job *j, struct se_err *err)
{
    struct se_out log;

    if (!o.log)
        return train(j, NULL, err);
    if (se_output_begin(o.log, &log, err) < 0)
        return -1;
    return se_output_end(o.log, &log, train(j, &log, err), err);
}

static int apply(struct job *j, const struct se_model *m, struct se_err *err)
{
    const struct se_results x = results_of(j);
    struct se_train_result r = SE_TRAIN_RESULT_INIT;
    int rc;

    se_stored_load(m, &j->net);
    rc = se_results_forward(&r, &j->net, o.embed == HIDDEN, j->classes, err);
    if (rc == 0 && j->peers)
        rc = gather_results(j, &r, err);
    if (rc == 0 && first_process())
        rc = se_results_apply(&x, &r, j->labels.label, j->part, err);
    se_train_release(&r);
    return rc;
}

static int compute_on(struct job *j, const struct se_model *m, enum se_device device,
                      struct se_err *err)
{
    if (!o.batch && make_net(j, m, device, err) < 0)
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
        se_warn(j->run, "the features have no column names; matching columns by position");
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
    rc = train_recall(&m, err);
    j->classes = o.r.h.classes;
    if (rc == 0)
        rc = match_names(j, &m, err);
    if (rc == 0)
        rc = compute(j, &m, err);
    se_model_release(&m);
    return rc;
}

/* Which vertices are ours */
static void take_part(struct job *j)
{
    struct se_peers *p = j->peers;

    j->n = j->graph.n;
    if (!p)
        return;
    p->n = j->graph.n;
    p->first = se_peers_border(p->n, p->rank, p->ranks);
    p->last = se_peers_border(p->n, p->rank + 1, p->ranks);
    j->first = p->first;
    j->n = p->last - p->first;
}

static int work(struct job *j, struct se_err *err)
{
    if (se_graph_get(&j->graph, j->s, SE_GRAPH, err) < 0 || read_sections(j, err) < 0)
        return -1;
    if (j->graph.n == 0)
        return se_fail(err, SE_EINPUT, "graph: has no vertices");
    take_part(j);
    if (o.apply)
        return apply_stored(j, err);
    return compute(j, NULL, err);
}

static struct se_stream given = SE_STREAM_INIT, features_in = SE_STREAM_INIT;

/* --features-from: stages between two trainings need not carry what they do not read.  It stays where
 * it is until the result is written. */
static int add_features(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    static const uint32_t wanted[] = { SE_FEATURES, SE_COLUMNS };
    const char *input = run->input;
    int rc;

    if (se_stream_has(s, SE_FEATURES))
        return 0;
    rc = se_run_read(run, o.features_from, &features_in, err);
    run->input = input;                         /* what messages name */
    for (int i = 0; rc == 0 && i < 2; i++)
        rc = se_stream_put_back(s, &features_in, wanted[i], err);
    return rc;
}

static int train_stream(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct job j = { .run = run, .s = s, .given = &given, .peers = peers, .input = SE_NNINPUT_INIT };
    int rc = o.features_from ? add_features(run, s, err) : 0;

    if (rc == 0)
        rc = work(&j, err);
    se_net_release(&j.net);
    se_gpu_close(&j.gpu);
    se_consistency_release(&j.consistency);
    se_entropy_loss_release(&j.entropy);
    se_nninput_release(&j.input);
    se_match_release(&j.match);
    se_graphs_release(&j.graphs);
    free(j.no_label);
    free(j.no_part);
    return rc;
}

/* The other processes only lend a hand. */
static int help_train(struct se_run *run, struct se_err *err)
{
    struct se_stream s = SE_STREAM_INIT;
    int rc;

    run->quiet = true;
    run->verbose = false;
    o.log = NULL;
    rc = se_run_read(run, se_run_operand(run, 0), &s, err);
    if (rc == 0)
        rc = train_stream(run, &s, err);
    se_stream_release(&s);
    return rc;
}

static int run_train(struct se_run *run, struct se_err *err)
{
    int rc = 0;

    if (o.list)
        return first_process() ? train_list(run, err) : 0;
    if (train_check(run, peers != NULL, err) < 0)
        return -1;
    o.r.beside = o.beside;
    o.r.h.jump = o.jump;
    o.r.edge_weights = o.weights;
    if (!o.apply && !se_model_find(o.r.model, !o.apply, err))
        return -1;
    if (o.beside)
        rc = se_run_read(run, o.beside, &given, err);
    if (rc == 0)
        rc = first_process() ? se_run_filter(run, train_stream, err) : help_train(run, err);
    se_stream_release(&given);
    se_stream_release(&features_in);
    return rc;
}

static const struct se_tool tool = {
    .name = SE_NAME,
    .brief = "train a node classifier on the graph",
    .operands = "[FILE]",
    .max_operands = 1,
    .has = SE_TOOL_SEED | SE_TOOL_DEVICE | SE_TOOL_KEEP | SE_TOOL_STREAM | SE_TOOL_PASSES,
    .options = train_options,
    .about =
        "Trains a graph neural network on the whole graph at once, with a self-loop at\n"
        "every vertex, on the training part of a split.  It writes the embedding, which\n"
        "the next stage compares, predictions and model of the epoch with the best\n"
        "validation accuracy, and the accuracies as stats.  Vertices without a label do\n"
        "not count.  Without features the input is one-hot vertex ids.  Sections derived\n"
        "from the old embedding, such as knn and a tree made from it, are dropped unless\n"
        "--keep-stale is given.  Edge weights are ignored unless --weights use is given.\n",
    .examples =
        "  se-train < graph.seg > trained.seg\n"
        "  se-train --model sage --split 3 --seed 1 -v graph.seg -o trained.seg\n"
        "  se-train --model mlp --log curve.tsv graph.seg | se-export -t stats\n"
        "  se-train --model mix --beside given.seg learned.seg -o trained.seg\n"
        "  se-train --communities 64 --keep tree.seg -o trained.seg\n"
        "  se-train --list\n"
        "  se-tree --effort fast big.seg | se-train --batch tree -o trained.seg\n"
        "  se-train --model gcnii --layers 32 --alpha .5 --lambda 1.5 --select loss g.seg\n"
        "  se-cat --only model trained.seg | se-cat other.seg - | se-train --apply\n",
    .run = run_train
};

int main(int argc, char **argv)
{
    struct se_err err = SE_ERR_INIT;
    int status = 1;

    if (se_peers_open(&peers, &argc, &argv, &err) < 0)
        fprintf(stderr, SE_NAME ": %s\n", err.text);
    else
        status = se_tool_main(&tool, argc, argv);
    se_peers_close(peers, status);
    return status;
}
