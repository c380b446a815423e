/* train_options.c - the command line of se-train: options, their defaults, those of a stored model */
#include "tools/train_options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct train_command o = {
    .r = { .model = "gcn",
           .h = { .layers = 2, .heads = 8, .out_heads = 1, .hops = 10, .dropout = .5,
                  .attention_dropout = .5, .alpha = .1, .lambda = .5 } },
    .rate = .01, .decay = 5e-4, .epochs = 200, .temperature = .5, .modules = 16, .every = 10
};

const struct se_option train_options[] = {
    { 'm', "model", "NAME", SE_OPT_STRING, &o.r.model, 0, 0,
      "the model, one of those that --list shows", NULL },
    { 0, "list", NULL, SE_OPT_FLAG, &o.list, .help = "list the models: when to use each, options, "
      "source and the time of an epoch" },
    { 0, "hidden", "N", SE_OPT_COUNT, &o.r.h.hidden, 1, 1e6,
      "columns of the hidden layers; default: 64; for gat 8, in each head",
      &o.hidden_given },
    { 0, "layers", "N", SE_OPT_COUNT, &o.r.h.layers, 1, 128,
      "layers with parameters; convolutions of gcnii, rounds of h2gcn; default: 2; for gcnii 16",
      &o.layers_given },
    { 0, "norm", "none|layer|batch", SE_OPT_CHOICE, &o.r.h.norm,
      .help = "normalise hidden layers: over the columns of a vertex, or over the vertices of a "
      "column" },
    { 0, "residual", NULL, SE_OPT_FLAG, &o.r.h.residual,
      .help = "add the input of each hidden layer to its output" },
    { 0, "jump", "none|concat", SE_OPT_CHOICE, &o.jump,
      .help = "concat: the last layer is linear and reads all hidden layers" },
    { 0, "dropout", "P", SE_OPT_NUMBER, &o.r.h.dropout, 0, .99,
      "dropout after the hidden layers", NULL },
    { 0, "input-dropout", "P", SE_OPT_NUMBER, &o.r.h.input_dropout, 0, .99,
      "dropout of the input; default: 0.5 for sage, gat, appnp, mix and mlp, else 0",
      &o.input_dropout_given },
    { 0, "attention-dropout", "P", SE_OPT_NUMBER, &o.r.h.attention_dropout, 0, .99,
      "dropout of the attention of gat", NULL },
    { 0, "edge-dropout", "P", SE_OPT_NUMBER, &o.r.h.edge_dropout, 0, .99,
      "fraction of the edges that an epoch of training leaves out; default: 0; for appnp 0.5, "
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
      "hops of appnp and fsgnn; default: 10; for fsgnn 3", &o.hops_given },
    { 0, "vertex-dropout", "P", SE_OPT_NUMBER, &o.r.h.vertex_dropout, 0, .99,
      "fraction of the vertices whose features an epoch of grand leaves out; default: 0.5",
      &o.vertex_dropout_given },
    { 0, "samples", "N", SE_OPT_COUNT, &o.samples, 1, 1000,
      "passes in an epoch, each with its own dropout; default: 1; for grand 4",
      &o.samples_given },
    { 0, "consistency", "W", SE_OPT_NUMBER, &o.consistency, 0, 1e6,
      "weight of the loss that makes the samples agree; default: 0; for grand 1",
      &o.consistency_given },
    { 0, "temperature", "T", SE_OPT_NUMBER, &o.temperature, .01, 1,
      "temperature of the mean prediction of the samples in this loss; low: sharper", NULL },
    { 0, "entropy-loss", "W", SE_OPT_NUMBER, &o.entropy, 0, 1e6,
      "weight of the structural entropy of modules that are learned from the last hidden "
      "layer; 0: none", NULL },
    { 0, "modules", "M", SE_OPT_COUNT, &o.modules, 1, 65536, "how many modules --entropy-loss has",
      NULL },
    { 0, "unsupervised", NULL, SE_OPT_FLAG, &o.unsupervised,
      .help = "learn these modules from graph and features alone, without labels and splits; so also "
      "with --entropy-loss if the input has no labels" },
    { 0, "lr", "RATE", SE_OPT_NUMBER, &o.rate, 0, 1e6, "learning rate of Adam", NULL },
    { 0, "weight-decay", "D", SE_OPT_NUMBER, &o.decay, 0, 1e6,
      "L2 weight decay", NULL },
    { 0, "dense-decay", "D", SE_OPT_NUMBER, &o.dense_decay, .max = 1e6, .given = &o.dense_decay_given,
      .help = "that of layers that read no other vertex, such as the first and the last of gcnii; "
      "default: that of --weight-decay" },
    { 0, "decay-on", "all|weights|first", SE_OPT_CHOICE, &o.decay_on,
      .help = "parameters with weight decay: all, all but biases, or the first weights" },
    { 0, "epochs", "N", SE_OPT_COUNT, &o.epochs, 1, 1e9, "passes over the graph", NULL },
    { 0, "batch", "KIND[:VERTICES]", SE_OPT_STRING, &o.batch,
      .help = "train on parts of the graph in turn: tree, modules of the tree in the stream; "
      "random, any vertices; at most VERTICES at a time, default 20000" },
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
      .help = "use: multiply by the edge weight in every mean or sum over neighbours (gat "
      "has its own weights); ignore: all edges have weight 1", .given = &o.weights_given,
      .old = "edge-weights", .old_value = "use" },
    { 0, "loops", "one|given|none", SE_OPT_CHOICE, &o.r.loops,
      .help = "self-loops: weight 1 at every vertex, those of the graph, or none; default: one; "
      "for h2gcn none (gat always has them)", .given = &o.loops_given },
    { 0, "beside", "FILE", SE_OPT_FILE, &o.beside, 0, 0,
      "a stream with a second graph: for mix the given graph (the input has the learned one), for "
      "geomgcn one of se-embed --latent",
      NULL },
    { 0, "features-from", "FILE", SE_OPT_FILE, &o.features_from,
      .help = "if the input has no features, take those of this stream and write them, too" },
    { 0, "communities", "DIMS", SE_OPT_COUNT, &o.r.communities, 0, 65536,
      "add the communities of the tree to the input, DIMS columns for each level; 0: none",
      NULL },
    { 0, "neighbours", NULL, SE_OPT_FLAG, &o.r.neighbours, 0, 0,
      "add the row of the adjacency matrix to the input", NULL },
    { 0, "degrees", NULL, SE_OPT_FLAG, &o.r.degrees,
      .help = "add the degree of a vertex to the input, in 32 columns, one for each factor of the root "
      "of 2; without features they replace the one-hot vectors" },
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
    { 0, "checkpoint", "FILE", SE_OPT_FILE, &o.checkpoint,
      .help = "keep the state of training in FILE; if FILE exists, of the same input and options, "
      "training resumes from it, with the same result" },
    { 0, "checkpoint-every", "N", SE_OPT_COUNT, &o.every, 1, 1e9, "epochs between checkpoints",
      NULL },
    { 0, "apply", NULL, SE_OPT_FLAG, &o.apply, 0, 0,
      "run the model in the stream on its graph instead of training one; columns of a table and "
      "classes are matched by name", NULL },
    SE_OPTIONS_END
};

void train_defaults(const struct se_model_kind *kind)
{
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
}

int train_recall(const struct se_model *m, struct se_err *err)
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

int train_key(const struct se_run *run, struct se_stream *s, struct se_stream *given,
              struct se_digest *key, struct se_err *err)
{
    const struct se_model_options *h = &o.r.h;
    char text[SE_RECIPE_TEXT], more[512];
    struct se_digest d;
    struct se_hash hash;

    se_hash_init(&hash);
    if (se_stream_digest(s, &d, err) < 0)
        return -1;
    se_hash_add(&hash, &d, sizeof d);
    if (o.beside && se_stream_digest(given, &d, err) < 0)
        return -1;
    se_hash_add(&hash, &d, sizeof d);
    se_hash_add(&hash, text, (size_t)se_recipe_tell(&o.r, text));
    se_hash_add(&hash, more, (size_t)snprintf(more, sizeof more,
        "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %d %d %.17g %.17g %.17g %.17g %.17g "
        "%.17g %.17g %.17g %.17g %.17g %d", run->seed, o.split, o.samples, o.modules, o.select,
        o.ties, o.decay_on, o.rate, o.decay, o.consistency, o.temperature, o.entropy, h->dropout,
        h->input_dropout, h->attention_dropout, h->edge_dropout, h->vertex_dropout,
        o.unsupervised));
    if (o.dense_decay_given)
        se_hash_add(&hash, &o.dense_decay, sizeof o.dense_decay);
    *key = se_hash_end(&hash);
    return 0;
}

int train_list(struct se_run *run, struct se_err *err)
{
    struct se_out out;

    if (se_run_begin(run, false, &out, err) < 0)
        return -1;
    se_model_list(&out, isatty(out.fd));
    return se_run_end(run, &out, 0, err);
}

/* What only a process that has all vertices can do */
static int check_alone(const struct se_run *run, struct se_err *err)
{
    const char *const alone = o.batch ? "--batch"
        : run->device == SE_DEVICE_CUDA ? "--device cuda" : NULL;

    if (alone)
        return se_fail(err, SE_EUSAGE, "%s does not run on several processes; use se-train", alone);
    if (strcmp(se_run_operand(run, 0), "-") == 0)
        return se_fail(err, SE_EUSAGE, "every process reads the input itself: name a file");
    return 0;
}

int train_check(const struct se_run *run, bool together, struct se_err *err)
{
    if (o.batch && o.apply)
        return se_fail(err, SE_EUSAGE, "--batch is for training; leave it out with --apply");
    if (o.unsupervised && (o.apply || o.consistency > 0))
        return se_fail(err, SE_EUSAGE, "--unsupervised cannot be used with %s",
                       o.apply ? "--apply" : "--consistency");
    return together ? check_alone(run, err) : 0;
}
