/* se-learn.c - learn the weights of edges together with a graph convolutional network */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/cli/tool.h"
#include "common/stream/payload.h"
#include "common/train/input.h"
#include "common/train/learn.h"

enum { FEATURES, EMBEDDING };

static struct {
    const char *method;
    struct se_learn_options l;
    struct se_model_options h;
    double net_rate, decay, threshold;
    uint64_t epochs, patience, split;
    int on;
    bool list, rate_given, alpha_given, beta_given, gamma_given, lambda_given;
} o = {
    .method = "weights", .h = { .hidden = 16, .layers = 2, .dropout = .5 },
    .l = { .temperature = 1, .top = 5, .perspectives = 4, .rank = 50 },
    .net_rate = .01, .decay = 5e-4, .epochs = 200, .threshold = .001
};

static const struct se_option options[] = {
    { 'm', "method", "NAME", SE_OPT_STRING, &o.method,
      .help = "the method, one of those that --list shows" },
    { 0, "list", NULL, SE_OPT_FLAG, &o.list, .help = "list the methods: name, source and idea" },
    { 0, "compare-by", "features|embedding", SE_OPT_CHOICE, &o.on,
      .help = "the rows that methods compare; the network always reads the features",
      .old = "on" },
    { 't', "threshold", "T", SE_OPT_NUMBER, &o.threshold, .min = 0, .max = 1e6,
      .help = "remove edges with a weight below T" },
    { 0, "rate", "R", SE_OPT_NUMBER, &o.l.rate, .min = 0, .max = 1e6, .given = &o.rate_given,
      .help = "learning rate of the structure; default: 0.01, neuralsparse 0.001, lds 1" },
    { 0, "top", "K", SE_OPT_COUNT, &o.l.top, .min = 1, .max = 1e9,
      .help = "neighbours that each vertex keeps (neuralsparse)" },
    { 0, "temperature", "T", SE_OPT_NUMBER, &o.l.temperature, .min = .05, .max = 1e6,
      .help = "temperature of the sampling at the start (neuralsparse)" },
    { 0, "perspectives", "N", SE_OPT_COUNT, &o.l.perspectives, .min = 1, .max = 64,
      .help = "how many weighted cosines are averaged (idgl)" },
    { 0, "lambda", "L", SE_OPT_NUMBER, &o.l.lambda, .min = 0, .max = 1e6,
      .given = &o.lambda_given, .help = "idgl: fraction of the given graph, at most 1; prognn: weight of the "
      "smoothness of the features; default: 0.8 and 0.001" },
    { 0, "alpha", "A", SE_OPT_NUMBER, &o.l.alpha, .min = 0, .max = 1e6, .given = &o.alpha_given,
      .help = "weight of the smoothness (idgl) or of the L1 norm (prognn); default: 0.2 and 0.0005" },
    { 0, "beta", "B", SE_OPT_NUMBER, &o.l.beta, .min = 0, .max = 1e6, .given = &o.beta_given,
      .help = "weight of the connectivity (idgl) or of the nuclear norm (prognn); default: 0 and "
      "1.5" },
    { 0, "gamma", "G", SE_OPT_NUMBER, &o.l.gamma, .min = 0, .max = 1e6, .given = &o.gamma_given,
      .help = "weight of the sparsity (idgl) or of the loss of the network (prognn); default: 0 and 1" },
    { 0, "rank", "N", SE_OPT_COUNT, &o.l.rank, .min = 1, .max = SE_MOST_RANK,
      .help = "how many singular values the nuclear norm lowers (prognn)" },
    { 0, "hidden", "N", SE_OPT_COUNT, &o.h.hidden, .min = 1, .max = 1e6,
      .help = "columns of the hidden layer" },
    { 0, "dropout", "P", SE_OPT_NUMBER, &o.h.dropout, .min = 0, .max = .99,
      .help = "dropout after the hidden layer" },
    { 0, "lr", "RATE", SE_OPT_NUMBER, &o.net_rate, .min = 0, .max = 1e6,
      .help = "learning rate of the network" },
    { 0, "weight-decay", "D", SE_OPT_NUMBER, &o.decay, .min = 0, .max = 1e6,
      .help = "L2 weight decay of the network" },
    { 0, "epochs", "N", SE_OPT_COUNT, &o.epochs, .min = 1, .max = 1e9,
      .help = "passes over the graph" },
    { 0, "patience", "N", SE_OPT_COUNT, &o.patience, .min = 0, .max = 1e9,
      .help = "stop N epochs after the best one; 0: never" },
    { 's', "split", "N", SE_OPT_COUNT, &o.split, .min = 0, .max = 1e9,
      .help = "which split to train on, from 0" },
    SE_OPTIONS_END
};

/* Everything a run needs, so that one function can release it */
struct job {
    struct se_run *run;
    struct se_stream *s;
    const struct se_learner *kind;
    struct se_graph graph;
    struct se_labels labels;
    struct se_splits splits;
    struct se_knn knn;
    bool near;                  /* knn is there */
    struct se_nninput input, compared;
    struct se_learn_rows rows;
    uint64_t *off;              /* memory of rows that came dense */
    uint32_t *col;
    float *value;
    struct se_learn learn;
    struct se_net net;
};

static int read_sections(struct job *j, struct se_err *err)
{
    if (se_graph_get(&j->graph, j->s, SE_GRAPH, err) < 0 ||
        se_labels_get(&j->labels, j->s, err) < 0 || se_splits_get(&j->splits, j->s, err) < 0 ||
        se_payload_fits(j->labels.n, j->graph.n, SE_LABELS, "graph", err) < 0 ||
        se_payload_fits(j->splits.n, j->graph.n, SE_SPLITS, "graph", err) < 0)
        return -1;
    if (j->graph.n == 0)
        return se_fail(err, SE_EINPUT, "graph: has no vertices");
    if (j->labels.classes == 0)
        return se_fail(err, SE_EINPUT, "labels: there is no class to learn");
    if (o.split >= j->splits.count)
        return se_fail(err, SE_EINPUT, "splits: there is no split %" PRIu64 "; there are %" PRIu64,
                       o.split, j->splits.count);
    j->near = se_stream_has(j->s, SE_KNN);
    if (!j->near)
        return 0;
    return se_knn_get(&j->knn, j->s, err) < 0 ||
           se_payload_fits(j->knn.n, j->graph.n, SE_KNN, "graph", err) < 0 ? -1 : 0;
}

/* Dense rows without their zeros */
static int from_dense(struct job *j, const struct se_mat *m, struct se_err *err)
{
    uint64_t at = 0;

    for (uint64_t i = 0; i < m->rows * m->cols; i++)
        at += m->dense[i] != 0;
    if (!(j->off = se_alloc(m->rows + 1, sizeof *j->off, err)) ||
        !(j->col = se_alloc(at, sizeof *j->col, err)) ||
        !(j->value = se_alloc(at, sizeof *j->value, err)))
        return -1;
    at = 0;
    for (uint64_t v = 0; v < m->rows; v++) {
        j->off[v] = at;
        for (uint64_t c = 0; c < m->cols; c++)
            if (m->dense[v * m->cols + c] != 0) {
                j->col[at] = (uint32_t)c;
                j->value[at++] = m->dense[v * m->cols + c];
            }
    }
    j->off[m->rows] = at;
    j->rows = (struct se_learn_rows){ m->rows, m->cols, j->off, j->col, j->value };
    return 0;
}

static int make_inputs(struct job *j, struct se_err *err)
{
    const struct se_input_options plan = { .kind = SE_INPUT_FEATURES, .scale_rows = true };
    const struct se_input_options other = { .kind = SE_INPUT_EMBEDDING };
    const struct se_mat *m = &j->input.mat;

    if (se_nninput_make(&j->input, j->s, &plan, j->graph.n, err) < 0)
        return -1;
    if (j->input.identity)
        se_warn(j->run, "no features: using one-hot vertex ids");
    if (o.on == EMBEDDING) {
        if (se_nninput_make(&j->compared, j->s, &other, j->graph.n, err) < 0)
            return -1;
        m = &j->compared.mat;
    }
    if (!m->sparse)
        return from_dense(j, m, err);
    j->rows = (struct se_learn_rows){ m->rows, m->cols, m->sparse->off, m->sparse->col, m->value };
    return 0;
}

static void set_defaults(struct job *j)
{
    const struct se_learner *k = j->kind;

    if (!o.rate_given)
        o.l.rate = k->rate;
    if (!o.alpha_given)
        o.l.alpha = k->alpha;
    if (!o.beta_given)
        o.l.beta = k->beta;
    if (!o.gamma_given)
        o.l.gamma = k->gamma;
    if (!o.lambda_given)
        o.l.lambda = k->lambda;
    o.l.seed = j->run->seed;
    o.l.threads = j->run->threads;
    o.h.classes = j->labels.classes;
}

static int make_net(struct job *j, struct se_err *err)
{
    const struct se_model_kind *gcn = se_model_find("gcn", false, err);

    j->net = (struct se_net){
        .graph = &j->learn.graph, .input = j->input.mat, .n = j->graph.n, .seed = j->run->seed,
        .threads = j->run->threads, .sparse = j->input.mat.sparse != NULL, .weighs_arcs = true
    };
    if (!gcn || gcn->build(&j->net, &o.h, err) < 0)
        return -1;
    se_net_on(&j->net, NULL);
    return se_net_ready(&j->net, err);
}

/* ---- the result ---- */

struct tally {
    uint64_t edges, added, removed, loops;
};

static bool stays(se_real weight)
{
    return weight > 0 && (double)weight >= o.threshold;
}

static struct tally count_edges(const struct se_learn *l, const se_real *weight)
{
    struct tally t = { 0, 0, 0, 0 };

    for (uint64_t v = 0; v < l->graph.n; v++)
        for (uint64_t e = l->graph.off[v]; e < l->graph.off[v + 1]; e++) {
            if (l->graph.to[e] == v)
                t.loops += l->kind->loops && weight[e] > 0;
            if (l->graph.to[e] <= v)
                continue;
            t.edges += stays(weight[e]);
            t.added += stays(weight[e]) && !l->given[e];
            t.removed += !stays(weight[e]) && l->given[e];
        }
    return t;
}

static void fill(struct se_graph_room *room, const struct se_learn *l, const se_real *weight)
{
    uint64_t at = 0, loops = 0;

    for (uint64_t v = 0; v < l->graph.n; v++) {
        room->off[v] = at;
        for (uint64_t e = l->graph.off[v]; e < l->graph.off[v + 1]; e++) {
            if (l->graph.to[e] == v && l->kind->loops && weight[e] > 0) {
                room->loop[loops] = (uint32_t)v;
                room->loop_weight[loops++] = weight[e];
            }
            if (l->graph.to[e] > v && stays(weight[e])) {
                room->to[at] = l->graph.to[e];
                room->weight[at++] = weight[e];
            }
        }
    }
    room->off[l->graph.n] = at;
}

static int put_results(struct job *j, const struct se_learned *r, struct se_err *err)
{
    static const uint32_t none[SE_ORIGINS] = { 0 };
    const struct tally t = count_edges(&j->learn, r->weight);
    const struct se_embedding e = { j->graph.n, r->hidden_cols, r->hidden };
    struct se_graph_room room = SE_GRAPH_ROOM_INIT;
    int rc = se_graph_room_make(&room, j->graph.n, t.edges, t.loops, true, err);

    if (rc == 0) {
        fill(&room, &j->learn, r->weight);
        rc = se_graph_room_give(&room, j->s, SE_GRAPH, none, err);
    }
    se_graph_room_release(&room);
    if (rc < 0 || (r->hidden && se_embedding_put(&e, j->s, err) < 0) ||
        se_stats_forget(j->s, "learn.", err) < 0 ||
        se_stats_set(j->s, "learn.edges", (double)t.edges, err) < 0 ||
        se_stats_set(j->s, "learn.added", (double)t.added, err) < 0 ||
        se_stats_set(j->s, "learn.removed", (double)t.removed, err) < 0 ||
        se_stats_set(j->s, "learn.epoch", (double)r->best, err) < 0)
        return -1;
    if (!isnan(r->accuracy[SE_SPLIT_VAL]) &&
        se_stats_set(j->s, "learn.acc.val", r->accuracy[SE_SPLIT_VAL], err) < 0)
        return -1;
    if (!isnan(r->accuracy[SE_SPLIT_TEST]) &&
        se_stats_set(j->s, "learn.acc.test", r->accuracy[SE_SPLIT_TEST], err) < 0)
        return -1;
    se_note(j->run, "best epoch %" PRIu64 ": val %.4f, test %.4f; %" PRIu64 " edges added, %"
            PRIu64 " removed, %" PRIu64 " left", r->best, r->accuracy[SE_SPLIT_VAL],
            r->accuracy[SE_SPLIT_TEST], t.added, t.removed, t.edges);
    return 0;
}

static int work(struct job *j, struct se_err *err)
{
    struct se_progress bar;
    struct se_learned r = SE_LEARNED_INIT;
    int rc;

    if (read_sections(j, err) < 0 || make_inputs(j, err) < 0)
        return -1;
    set_defaults(j);
    if (j->kind->loops && o.l.lambda > 1)
        return se_fail(err, SE_EUSAGE, "--lambda of %s is a share, at most 1", j->kind->name);
    if (se_learn_make(&j->learn, j->kind, &j->graph, j->near ? &j->knn : NULL, &j->rows, &o.l,
                      err) < 0 || make_net(j, err) < 0)
        return -1;
    const struct se_learn_plan plan = {
        .epochs = o.epochs, .patience = o.patience, .classes = j->labels.classes,
        .rate = o.net_rate, .decay = o.decay, .label = j->labels.label,
        .part = j->splits.part + o.split * j->graph.n, .progress = &bar
    };

    se_progress_begin(j->run, &bar, "learning", o.epochs);
    rc = se_learn(&r, &j->learn, &j->net, &plan, err);
    se_progress_end(&bar);
    if (rc == 0)
        rc = put_results(j, &r, err);
    se_learned_release(&r);
    return rc;
}

static int learn_stream(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct job j = { .run = run, .s = s, .input = SE_NNINPUT_INIT, .compared = SE_NNINPUT_INIT,
                     .kind = se_learner_find(o.method, err) };
    const int rc = j.kind ? work(&j, err) : -1;

    se_net_release(&j.net);
    se_learn_release(&j.learn);
    se_nninput_release(&j.input);
    se_nninput_release(&j.compared);
    free(j.off);
    free(j.col);
    free(j.value);
    return rc;
}

static int list_methods(struct se_run *run, struct se_err *err)
{
    struct se_out out;

    if (se_run_begin(run, false, &out, err) < 0)
        return -1;
    for (int i = 0; se_learners[i]; i++)
        se_outf(&out, "%s\t%s\t%s\n", se_learners[i]->name, se_learners[i]->source,
                se_learners[i]->use);
    return se_run_end(run, &out, 0, err);
}

static int run_learn(struct se_run *run, struct se_err *err)
{
    if (o.list)
        return list_methods(run, err);
    if (!se_learner_find(o.method, err))
        return -1;
    return se_run_filter(run, learn_stream, err);
}

static const struct se_tool tool = {
    .name = "se-learn", .brief = "learn the weights of edges together with a classifier",
    .operands = "[FILE]", .max_operands = 1,
    .has = SE_TOOL_SEED | SE_TOOL_KEEP | SE_TOOL_STREAM | SE_TOOL_PASSES, .options = options,
    .about =
        "Learns a weight for each candidate edge by the gradient of the loss of a graph\n"
        "convolutional network that is trained at the same time. Candidates are the\n"
        "edges of the graph and, if there is a knn section (se-sim), the pairs in it;\n"
        "time and memory grow with their number, never with the square of the number of\n"
        "vertices. The new graph holds the weights at the epoch with the best validation\n"
        "accuracy; edges below --threshold are removed. The embedding becomes the hidden\n"
        "layer of the network at that epoch. Train on the result with se-train --weights\n"
        "use; for idgl also with --loops given.\n"
        "\n"
        "lds learns from half of the validation vertices, so their accuracy is too high\n"
        "afterwards.\n",
    .examples =
        "  se-learn cora.seg | se-train --weights use -o trained.seg\n"
        "  se-sim --compare-by features --metric cosine -k 10 cora.seg | se-learn -m lds -v -o lds.seg\n"
        "  se-sim --compare-by features --metric cosine -k 10 cora.seg | se-learn -m idgl |\n"
        "      se-train --weights use --loops given -o trained.seg\n"
        "  se-learn -m prognn --beta 2.5 noisy.seg | se-train --weights use | se-info\n",
    .run = run_learn
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
