/* batch.c - training on parts of the graph in turn, in memory that a batch needs */
#include "common/train/batch.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/stream/payload.h"
#include "common/train/batch_eval.h"
#include "common/train/batch_pieces.h"

enum { DEFAULT_VERTICES = 20000 };

int se_batch_parse(const char *text, struct se_batch_options *b, struct se_err *err)
{
    const size_t word = strcspn(text, ":");
    const char *rest = text + word + (text[word] == ':');

    b->vertices = DEFAULT_VERTICES;
    b->random = word == 6 && memcmp(text, "random", word) == 0;
    if ((b->random || (word == 4 && memcmp(text, "tree", word) == 0)) &&
        (text[word] == '\0' ||
         (se_parse_u64(&rest, &b->vertices) && *rest == '\0' && b->vertices > 0)))
        return 0;
    return se_fail(err, SE_EUSAGE, "--batch '%s' is neither tree nor random, each with or without "
                   ":VERTICES, a number from 1 on", text);
}

struct training {
    struct se_net *net;
    struct se_batch_options *b;
    const struct se_train_options *plan;
    struct se_train_result *result;
    struct se_big_graph whole;
    struct se_batches batches;
    struct se_row_source *rows;
    struct se_nngraph graph;            /* of the batch, as all of these */
    struct se_nninput input;
    struct se_sparse shape;             /* of the largest */
    uint32_t *id, *target;              /* its vertices; those to train on */
    uint64_t *next;
    int32_t *label;
    se_real *dlogits;
    struct se_evaluator *evaluator;
    uint64_t step, trained;             /* trained: training vertices of the whole graph */
    se_real *now;                       /* logits of this epoch */
};

static void training_release(struct training *t)
{
    se_big_graph_release(&t->whole);
    se_batches_release(&t->batches);
    se_nngraph_release(&t->graph);
    se_nninput_release(&t->input);
    free(t->id);
    free(t->target);
    free(t->next);
    free(t->label);
    free(t->dlogits);
    se_evaluator_release(t->evaluator);
    se_row_source_close(t->rows);
    se_matrix_free(t->now);
}

/* ---- memory ---- */

static bool trains(const struct se_train_options *p, uint64_t v)
{
    return p->part[v] == SE_SPLIT_TRAIN && p->label[v] >= 0;
}

/* A net for the largest batch that can be */
static int make_net(struct training *t, struct se_err *err)
{
    const struct se_batch_options *b = t->b;
    const uint64_t most = t->batches.most;
    struct se_net *net = t->net;
    uint64_t arcs;

    if (se_big_graph_most(&t->whole, most, &arcs, err) < 0)
        return -1;
    if (arcs > UINT32_MAX)
        return se_fail(err, SE_EUSAGE, "a batch of %" PRIu64 " vertices can have too many edges "
                       "(2^31); give --batch fewer", most);
    *net = (struct se_net){ .graph = &t->graph, .n = most, .seed = b->seed, .threads = b->threads,
                            .decay_on = b->decay_on, .dense_decay = b->dense_decay };
    if (se_nngraph_room(&t->graph, most, arcs, err) < 0 ||
        se_row_source_shape(t->rows, most, &net->input, &t->shape, err) < 0 ||
        (!net->input.sparse && !(t->input.dense = se_alloc(most * net->input.cols,
                                                           sizeof(se_real), err))))
        return -1;
    net->sparse = net->input.sparse != NULL;
    return b->kind->build(net, b->h, err) < 0 ? -1 : se_net_ready(net, err);
}

static int make_batch(struct training *t, struct se_err *err)
{
    const uint64_t most = t->batches.most;

    return (t->id = se_alloc(most, sizeof *t->id, err)) &&
           (t->target = se_alloc(most, sizeof *t->target, err)) &&
           (t->next = se_alloc(most, sizeof *t->next, err)) &&
           (t->label = se_alloc(most, sizeof *t->label, err)) &&
           (t->dlogits = se_alloc(most * t->plan->classes, sizeof *t->dlogits, err)) ? 0 : -1;
}

/* Which vertices are trained together */
static int cut(struct training *t, struct se_err *err)
{
    const struct se_batch_options *b = t->b;
    const uint64_t n = b->graph->n;
    struct se_tree tree;

    if (b->random)
        return se_batches_make(&t->batches, NULL, n, b->vertices, err);
    if (!se_stream_has(b->s, SE_TREE))
        return se_fail(err, SE_EINPUT, "--batch tree needs a tree; make one with se-tree --effort "
                       "fast, or use --batch random");
    return se_tree_get(&tree, b->s, err) < 0 ||
           se_payload_fits(tree.n, n, SE_TREE, "graph", err) < 0
         ? -1 : se_batches_make(&t->batches, &tree, n, b->vertices, err);
}

static int make_all(struct training *t, struct se_err *err)
{
    struct se_batch_options *b = t->b;
    const uint64_t n = b->graph->n;

    for (uint64_t v = 0; v < n; v++)
        t->trained += trains(t->plan, v);
    if (t->trained == 0)
        return se_fail(err, SE_EINPUT, "splits: the split has no training vertex with a label; make "
                       "another with se-split");
    if (cut(t, err) < 0 || !(t->rows = se_row_source_open(b->s, &b->input, n, err)) ||
        se_big_graph_make(&t->whole, b->graph, b->weights, b->loops, b->threads, err) < 0 ||
        make_net(t, err) < 0 || make_batch(t, err) < 0)
        return -1;
    b->identity = se_row_source_identity(t->rows);
    t->evaluator = se_evaluator_make(b->kind, b->h, &t->whole, t->rows, SE_EVALUATOR_ROWS,
                                     b->threads, t->net->value, t->net->count, err);
    if (!t->evaluator)
        return -1;
    if (t->plan->embed_hidden && se_evaluator_hidden(t->evaluator) == 0)
        return se_fail(err, SE_EUSAGE, "this model has no hidden layer; use --embed logits");
    return (t->now = se_matrix_room(n, t->plan->classes, err)) &&
           (t->result->logits = se_matrix_room(n, t->plan->classes, err)) &&
           (t->result->value = se_zalloc(t->net->count, sizeof(se_real), err)) ? 0 : -1;
}

/* ---- a step ---- */

/* The graph, the input and the targets of a batch; returns how many of these. */
static int load(struct training *t, uint64_t batch, struct se_targets *target, struct se_err *err)
{
    const struct se_train_options *p = t->plan;
    struct se_net *net = t->net;
    const uint64_t count = se_batches_get(&t->batches, batch, t->id);

    *target = (struct se_targets){ .n = count, .classes = p->classes, .id = t->target,
                                   .label = t->label };
    for (uint64_t i = 0; i < count; i++) {
        t->label[i] = p->label[t->id[i]];
        if (trains(p, t->id[i]))
            t->target[target->count++] = (uint32_t)i;
    }
    if (target->count == 0)
        return 0;
    se_batch_graph(&t->whole, t->id, count, net->threads, t->next, &t->graph);
    if (se_row_source_get(t->rows, t->id, 0, count, net->threads, &t->input, err) < 0)
        return -1;
    net->n = count;
    net->graph = &t->graph;
    net->input = t->input.mat;
    net->current = 0;
    return 0;
}

/* Its part in the loss of the epoch */
static int run_batch(struct training *t, uint64_t batch, double *loss, struct se_err *err)
{
    struct se_net *net = t->net;
    struct se_targets target;
    const se_real *logits;

    net->epoch = (uint32_t)++t->step;
    if (load(t, batch, &target, err) < 0)
        return -1;
    if (target.count == 0)
        return 0;
    const double share = (double)target.count / (double)t->trained;
    const se_real scale = (se_real)(share * (double)t->batches.count);

    logits = se_net_forward(net, true);
    *loss += share * se_net_loss_of(net, logits, &target, t->dlogits);
    for (uint64_t i = 0; scale != 1 && i < net->n * t->plan->classes; i++)
        t->dlogits[i] *= scale;
    se_net_learn(net, t->dlogits, t->plan->rate, t->plan->decay);
    return 0;
}

/* ---- an epoch ---- */

static double validation_loss(const struct training *t)
{
    const struct se_train_options *p = t->plan;
    uint64_t count = 0;
    double sum = 0;

    for (uint64_t v = 0; v < t->whole.n; v++) {
        const se_real *row = t->now + v * p->classes;
        double all = 0, most;

        if (p->part[v] != SE_SPLIT_VAL || p->label[v] < 0)
            continue;
        most = (double)row[se_largest(row, p->classes)];
        for (uint64_t c = 0; c < p->classes; c++)
            all += exp((double)row[c] - most);
        sum += log(all) + most - (double)row[p->label[v]];
        count++;
    }
    return count ? sum / (double)count : NAN;
}

/* Without a validation part every epoch is better than those before. */
static bool is_best(struct training *t, uint64_t epoch, double accuracy)
{
    struct se_train_result *r = t->result;
    const double loss = t->plan->by_loss ? validation_loss(t) : NAN;
    const double now = isnan(loss) ? accuracy : -loss;
    const double best = isnan(loss) ? r->accuracy[SE_SPLIT_VAL] : -r->val_loss;

    if (epoch > 1 && (t->plan->last_of_ties ? now < best : now <= best))
        return false;
    r->val_loss = -now;
    return true;
}

static void keep_best(struct training *t, uint64_t epoch, const double accuracy[4])
{
    struct se_train_result *r = t->result;

    r->best = epoch;
    memcpy(r->accuracy, accuracy, sizeof r->accuracy);
    memcpy(r->value, t->net->value, t->net->count * sizeof *r->value);
    memcpy(r->logits, t->now, t->whole.n * t->plan->classes * sizeof *r->logits);
}

static int run_epoch(struct training *t, uint64_t epoch, struct se_err *err)
{
    const struct se_train_options *p = t->plan;
    struct se_train_result *r = t->result;
    double accuracy[4];

    se_batches_deal(&t->batches, t->b->seed, epoch);
    r->loss = 0;
    for (uint64_t i = 0; i < t->batches.count; i++)
        if (run_batch(t, i, &r->loss, err) < 0)
            return -1;
    if (!isfinite(r->loss))
        return se_fail(err, SE_EINPUT, "the loss is not a finite number at epoch %" PRIu64
                       "; lower --lr", epoch);
    if (se_evaluate(t->evaluator, t->now, NULL, err) < 0)
        return -1;
    se_accuracy(t->now, t->whole.n, p->classes, p->label, p->part, accuracy);
    se_train_log(p->log, epoch, r->loss, accuracy);
    r->epochs = epoch;
    if (is_best(t, epoch, accuracy[SE_SPLIT_VAL]))
        keep_best(t, epoch, accuracy);
    se_progress_at(p->progress, epoch);
    return 0;
}

/* The embedding: logits are there; hidden layers are computed once more. */
static int take_out(struct training *t, struct se_err *err)
{
    const struct se_train_options *p = t->plan;
    struct se_train_result *r = t->result;
    const uint64_t n = t->whole.n;

    r->embed_cols = p->embed_hidden ? se_evaluator_hidden(t->evaluator) : p->classes;
    if (!p->embed_hidden && !p->embed_best) {
        r->embedding = t->now;
        t->now = NULL;
        return 0;
    }
    if (!(r->embedding = se_matrix_room(n, r->embed_cols, err)))
        return -1;
    if (!p->embed_hidden) {
        memcpy(r->embedding, r->logits, n * r->embed_cols * sizeof *r->embedding);
        return 0;
    }
    if (p->embed_best)
        memcpy(t->net->value, r->value, t->net->count * sizeof *r->value);
    return se_evaluate(t->evaluator, t->now, r->embedding, err);
}

int se_batch_train(struct se_train_result *r, struct se_net *net, struct se_batch_options *b,
                   const struct se_train_options *plan, struct se_err *err)
{
    struct training t = { .net = net, .b = b, .plan = plan, .result = r };
    const unsigned mode = se_flush_to_zero();
    int rc = make_all(&t, err);

    for (uint64_t epoch = 1; rc == 0 && epoch <= plan->epochs; epoch++) {
        rc = run_epoch(&t, epoch, err);
        if (rc == 0 && plan->patience && epoch - r->best >= plan->patience)
            break;
    }
    if (rc == 0)
        rc = take_out(&t, err);
    b->batches = t.batches.count;
    net->n = b->graph->n;                       /* what the results are of */
    training_release(&t);
    se_set_float_mode(mode);
    return rc;
}
