/* results.c - what training and applying a model leave in the stream */
#include "common/train/results.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/stream/payload.h"
#include "common/train/match.h"

static int put_model(const struct se_results *x, const se_real *value, struct se_err *err)
{
    struct se_array array[SE_MOST_PARAMETERS];
    char text[SE_RECIPE_TEXT];
    const int len = se_recipe_tell(x->recipe, text);
    struct se_bytes all = SE_BYTES_INIT;
    int rc = se_bytes_add(&all, text, (size_t)len, err) < 0 ? -1 : se_match_tell(&all, x->s, err);

    for (int i = 0; i < x->net->parameters; i++) {
        const struct se_parameter *p = &x->net->parameter[i];

        array[i] = (struct se_array){ p->name, p->rows, p->cols, value + p->start };
    }
    if (rc == 0) {
        const struct se_model m = { all.data, all.len, array, (uint64_t)x->net->parameters };

        rc = se_model_put(&m, x->s, err);
    }
    se_bytes_release(&all);
    return rc;
}

static int put_predictions(const struct se_results *x, const float *logits, struct se_err *err)
{
    const uint64_t n = x->n;
    int32_t *label = se_alloc(n, sizeof *label, err);
    float *confidence = label ? se_alloc(n, sizeof *confidence, err) : NULL;
    int rc = -1;

    if (confidence) {
        const struct se_predictions p = { n, label, confidence };

        se_predict(logits, n, x->recipe->h.classes, label, confidence);
        rc = se_predictions_put(&p, x->s, err);
    }
    free(label);
    free(confidence);
    return rc;
}

static int put_probabilities(const struct se_results *x, const float *logits, struct se_err *err)
{
    const uint64_t n = x->n, classes = x->recipe->h.classes;
    float *p;

    se_stream_drop(x->s, SE_PROBABILITIES);
    if (!x->probabilities)
        return 0;
    p = se_matrix_room(n, classes, err);
    if (!p)
        return -1;
    se_probabilities_of(logits, n, classes, p);
    return se_probabilities_give(p, n, classes, x->s, err);
}

static int put_accuracies(const struct se_results *x, const double accuracy[4],
                          struct se_err *err)
{
    for (int i = SE_SPLIT_TRAIN; i <= SE_SPLIT_TEST; i++) {
        char name[32];

        snprintf(name, sizeof name, "train.acc.%s", se_split_part_names[i]);
        if (!isnan(accuracy[i]) && se_stats_set(x->s, name, accuracy[i], err) < 0)
            return -1;
    }
    return 0;
}

/* The embedding of the result becomes that of the stream. */
static int give_embedding(const struct se_results *x, struct se_train_result *r,
                          struct se_err *err)
{
    const uint64_t cols = r->embed_cols, bad = se_first_not_finite(r->embedding, x->n * cols);
    float *row = r->embedding;

    if (bad < x->n * cols)
        return se_fail(err, SE_EINPUT, "the embedding of vertex %" PRIu64 " is not a finite "
                       "number; lower --lr", bad / cols);
    r->embedding = NULL;
    return se_embedding_give(row, x->n, cols, x->s, err);
}

static int put_outcome(const struct se_results *x, struct se_train_result *r,
                       const double accuracy[4], struct se_err *err)
{
    return se_stats_forget(x->s, "train.", err) < 0 || give_embedding(x, r, err) < 0 ||
           put_predictions(x, r->logits, err) < 0 || put_probabilities(x, r->logits, err) < 0 ||
           put_accuracies(x, accuracy, err) < 0 ? -1 : 0;
}

int se_results_put(const struct se_results *x, struct se_train_result *r, struct se_err *err)
{
    return put_outcome(x, r, r->accuracy, err) < 0 ||
           put_model(x, r->value, err) < 0 ||
           se_stats_set(x->s, "train.epoch", (double)r->best, err) < 0 ||
           se_stats_set(x->s, "train.epochs", (double)r->epochs, err) < 0 ||
           se_stats_set(x->s, "train.loss", r->loss, err) < 0 ||
           se_stats_set(x->s, "train.split", (double)x->split, err) < 0 ? -1 : 0;
}

/* A tree of height 2 from the module of each vertex */
static int put_tree(const struct se_results *x, const int32_t *module, uint64_t most,
                    uint64_t *modules, struct se_err *err)
{
    uint32_t *parent = se_alloc(1 + most + x->n, sizeof *parent, err);
    uint32_t *vertex = parent ? se_alloc(1 + most + x->n, sizeof *vertex, err) : NULL;
    uint64_t nodes = 1;
    int rc = -1;

    *modules = 0;
    if (vertex) {
        parent[0] = vertex[0] = SE_NONE;
        for (uint64_t m = 0; m < most; m++) {
            const uint32_t top = (uint32_t)nodes;

            for (uint64_t v = 0; v < x->n; v++) {
                if ((uint64_t)module[v] != m)
                    continue;
                if (nodes == top) {
                    parent[nodes] = 0;
                    vertex[nodes++] = SE_NONE;
                    ++*modules;
                }
                parent[nodes] = top;
                vertex[nodes++] = (uint32_t)v;
            }
        }
        const struct se_tree t = { x->n, nodes, parent, vertex };

        rc = se_tree_put(&t, x->s, SE_GRAPH, err);
    }
    free(parent);
    free(vertex);
    return rc;
}

int se_results_modules(const struct se_results *x, struct se_train_result *r, uint64_t *modules,
                       struct se_err *err)
{
    const uint64_t most = x->recipe->h.classes;
    int32_t *module = se_alloc(x->n, sizeof *module, err);
    float *share = module ? se_alloc(x->n, sizeof *share, err) : NULL;
    int rc = -1;

    se_stream_drop(x->s, SE_PREDICTIONS);
    se_stream_drop(x->s, SE_MODEL);
    if (share) {
        se_predict(r->logits, x->n, most, module, share);
        rc = give_embedding(x, r, err) < 0 ||
             put_probabilities(x, r->logits, err) < 0 ||
             put_tree(x, module, most, modules, err) < 0 ||
             se_stats_forget(x->s, "train.", err) < 0 || se_stats_forget(x->s, "tree.", err) < 0 ||
             se_stats_set(x->s, "train.epoch", (double)r->best, err) < 0 ||
             se_stats_set(x->s, "train.epochs", (double)r->epochs, err) < 0 ||
             se_stats_set(x->s, "train.entropy", r->val_loss, err) < 0 ||
             se_stats_set(x->s, "train.modules", (double)*modules, err) < 0 ? -1 : 0;
    }
    free(module);
    free(share);
    return rc;
}

/* Rows of the net in memory of ours */
static float *fetch(const struct se_net *net, const se_real *from, uint64_t cols,
                    struct se_err *err)
{
    float *to = se_matrix_room(net->n, cols, err);

    if (to)
        se_net_get(net, to, from, net->n * cols * sizeof *to);
    if (to && se_net_check(net, err) == 0)
        return to;
    se_matrix_free(to);
    return NULL;
}

int se_results_forward(struct se_train_result *r, struct se_net *net, bool hidden, uint64_t classes,
                       struct se_err *err)
{
    const se_real *last = se_net_forward(net, false);
    const struct se_mat *before = hidden ? se_net_hidden(net) : NULL;

    if (hidden && !before)
        return se_fail(err, SE_EUSAGE, "this model has no hidden layer; use --embed logits");
    r->embed_cols = before ? before->cols : classes;
    r->logits = fetch(net, last, classes, err);
    r->embedding = r->logits ? fetch(net, before ? before->dense : last, r->embed_cols, err) : NULL;
    return r->embedding ? 0 : -1;
}

int se_results_apply(const struct se_results *x, struct se_train_result *r,
                     const int32_t *label, const uint8_t *part, struct se_err *err)
{
    double accuracy[4] = { NAN, NAN, NAN, NAN };

    if (label && part)
        se_accuracy(r->logits, x->n, x->recipe->h.classes, label, part, accuracy);
    return put_outcome(x, r, accuracy, err);
}

/* A name without the number of its layer: layers of dropout, which count, too, are no part of what
 * is stored. */
static const char *bare(const char *name)
{
    const char *dot = strchr(name, '.');

    return dot ? dot + 1 : name;
}

int se_stored_check(const struct se_model *m, const struct se_net *net, const char *name,
                    struct se_err *err)
{
    for (int i = 0; i < net->parameters; i++) {
        const struct se_parameter *p = &net->parameter[i];
        const struct se_array *a = (uint64_t)i < m->arrays ? &m->array[i] : NULL;

        if (!a || a->rows != p->rows || a->cols != p->cols ||
            strcmp(bare(a->name), bare(p->name)) != 0)
            return se_fail(err, SE_EINPUT, "model: its array %d is not the %" PRIu64 " x %" PRIu64
                           " '%s' that %s needs on this stream", i, p->rows, p->cols, p->name,
                           name);
    }
    return 0;
}

void se_stored_load(const struct se_model *m, struct se_net *net)
{
    for (int i = 0; i < net->parameters; i++) {
        const struct se_parameter *p = &net->parameter[i];

        se_net_put(net, net->value + p->start, m->array[i].data,
                   p->rows * p->cols * sizeof *net->value);
    }
}
