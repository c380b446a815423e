/* train.c - training a net on a split */
#include "common/train/train.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/device/device.h"
#include "common/base/mem.h"
#include "common/base/parallel.h"

void se_train_release(struct se_train_result *r)
{
    free(r->logits);
    free(r->embedding);
    free(r->value);
    *r = (struct se_train_result)SE_TRAIN_RESULT_INIT;
}

static uint64_t largest(const se_real *row, uint64_t classes)
{
    uint64_t best = 0;

    for (uint64_t c = 1; c < classes; c++)
        if (row[c] > row[best])
            best = c;
    return best;
}

void se_predict(const se_real *logits, uint64_t n, uint64_t classes, int32_t *label,
                float *confidence)
{
    for (uint64_t v = 0; v < n; v++) {
        const se_real *row = logits + v * classes;
        const uint64_t best = largest(row, classes);
        double sum = 0;

        for (uint64_t c = 0; c < classes; c++)
            sum += exp((double)row[c] - (double)row[best]);
        label[v] = (int32_t)best;
        confidence[v] = (float)(1 / sum);
    }
}

void se_accuracy(const se_real *logits, uint64_t n, uint64_t classes, const int32_t *label,
                 const uint8_t *part, double accuracy[4])
{
    uint64_t right[4] = { 0 }, all[4] = { 0 };

    for (uint64_t v = 0; v < n; v++) {
        if (label[v] < 0 || part[v] == SE_PART_NONE)
            continue;
        all[part[v]]++;
        right[part[v]] += largest(logits + v * classes, classes) == (uint64_t)label[v];
    }
    for (int i = 0; i < 4; i++)
        accuracy[i] = all[i] ? (double)right[i] / (double)all[i] : NAN;
}

/* The same where the net computes */
static void accuracy_of(const struct se_net *net, const se_real *logits,
                        const struct se_targets *t, double accuracy[4])
{
    uint64_t right[4], all[4];

    if (!net->gpu) {
        se_accuracy(logits, t->n, t->classes, t->label, t->part, accuracy);
        return;
    }
    net->gpu->cuda->accuracy(net->gpu->device, logits, t, right, all);
    for (int i = 0; i < 4; i++)
        accuracy[i] = all[i] ? (double)right[i] / (double)all[i] : NAN;
}

/* Arrays are in the memory of the net. */
struct training {
    struct se_net *net;
    const struct se_train_plan *plan;
    struct se_train_result *result;
    struct se_targets target;
    void *id, *label, *part;    /* its memory */
    se_real *dlogits;
    se_real *value, *logits, *embedding;        /* at the best epoch; of the last, too */
};

static int make_target(struct training *t, struct se_err *err)
{
    const struct se_train_plan *p = t->plan;
    const struct se_net *net = t->net;
    uint32_t *id = se_alloc(net->n, sizeof *id, err);
    uint64_t count = 0;

    for (uint64_t v = 0; id && v < net->n; v++)
        if (p->part[v] == SE_PART_TRAIN && p->label[v] >= 0)
            id[count++] = (uint32_t)v;
    if (id && count == 0)
        se_fail(err, SE_EINPUT, "splits: the split has no training vertex with a label; make "
                "another with se-split");
    else if (id && (t->id = se_net_place(net, id, count, sizeof *id, err)) &&
             (t->label = se_net_place(net, p->label, net->n, sizeof *p->label, err)))
        t->part = se_net_place(net, p->part, net->n, sizeof *p->part, err);
    free(id);
    t->target = (struct se_targets){ net->n, p->classes, count, t->id, t->label, t->part };
    return t->part ? 0 : -1;
}

/* From the memory of the net to ours, some at a time */
static void copy_out(const struct se_net *net, float *to, const se_real *from, uint64_t count)
{
    enum { SOME = 16384 };
    se_real some[SOME];

    for (uint64_t at = 0; at < count; at += SOME) {
        const uint64_t now = count - at < SOME ? count - at : SOME;

        se_net_get(net, some, from + at, now * sizeof *some);
        for (uint64_t i = 0; i < now; i++)
            to[at + i] = (float)some[i];
    }
}

static int make_result(struct training *t, struct se_err *err)
{
    struct se_train_result *r = t->result;
    const struct se_net *net = t->net;
    const struct se_mat *hidden = se_net_hidden(net);

    if (t->plan->embed_hidden && !hidden)
        return se_fail(err, SE_EUSAGE, "this model has no hidden layer; use --embed logits");
    r->embed_cols = t->plan->embed_hidden ? hidden->cols : t->plan->classes;
    r->logits = se_zalloc(net->n * t->plan->classes, sizeof *r->logits, err);
    r->embedding = r->logits ? se_zalloc(net->n * r->embed_cols, sizeof(float), err) : NULL;
    r->value = r->embedding ? se_zalloc(net->count, sizeof *r->value, err) : NULL;
    return r->value &&
           (t->logits = se_net_alloc(net, net->n * t->plan->classes, sizeof(se_real), err)) &&
           (t->embedding = se_net_alloc(net, net->n * r->embed_cols, sizeof(se_real), err)) &&
           (t->value = se_net_alloc(net, net->count, sizeof(se_real), err)) ? 0 : -1;
}

static void keep_embedding(struct training *t, const se_real *logits)
{
    const struct se_mat *hidden = se_net_hidden(t->net);

    se_net_copy(t->net, t->embedding, t->plan->embed_hidden ? hidden->dense : logits,
                t->net->n * t->result->embed_cols * sizeof *logits);
}

static void keep_best(struct training *t, uint64_t epoch, const se_real *logits,
                      const double accuracy[4])
{
    struct se_train_result *r = t->result;

    r->best = epoch;
    memcpy(r->accuracy, accuracy, sizeof r->accuracy);
    se_net_copy(t->net, t->value, t->net->value, t->net->count * sizeof *r->value);
    se_net_copy(t->net, t->logits, logits, t->net->n * t->plan->classes * sizeof *logits);
    if (t->plan->embed_best)
        keep_embedding(t, logits);
}

/* What was kept, into the result */
static int take_out(struct training *t, struct se_err *err)
{
    struct se_train_result *r = t->result;
    const struct se_net *net = t->net;

    if (!t->plan->embed_best)
        keep_embedding(t, net->layer[net->layers - 1].out.dense);
    se_net_get(net, r->value, t->value, net->count * sizeof *r->value);
    copy_out(net, r->logits, t->logits, net->n * t->plan->classes);
    copy_out(net, r->embedding, t->embedding, net->n * r->embed_cols);
    return se_net_check(net, err);
}

static void log_number(struct se_out *out, double v)
{
    if (isnan(v))
        se_out_str(out, "\t-");
    else
        se_outf(out, "\t%.6g", v);
}

static void log_epoch(struct se_out *out, uint64_t epoch, double loss, const double a[4])
{
    if (!out)
        return;
    if (epoch == 1)
        se_out_str(out, "epoch\tloss\ttrain\tval\ttest\n");
    se_out_u64(out, epoch);
    log_number(out, loss);
    log_number(out, a[SE_PART_TRAIN]);
    log_number(out, a[SE_PART_VAL]);
    log_number(out, a[SE_PART_TEST]);
    se_out_char(out, '\n');
}

/* A step, then an evaluation.  Without a validation part the last epoch is the best. */
static int run_epoch(struct training *t, uint64_t epoch, struct se_err *err)
{
    const struct se_train_plan *p = t->plan;
    struct se_train_result *r = t->result;
    struct se_net *net = t->net;
    const se_real *logits;
    double accuracy[4];

    net->epoch = (uint32_t)epoch;
    logits = se_net_forward(net, true);
    r->loss = se_net_loss_of(net, logits, &t->target, t->dlogits);
    if (se_net_check(net, err) < 0)
        return -1;
    if (!isfinite(r->loss))
        return se_fail(err, SE_EINPUT, "the loss is not a finite number at epoch %" PRIu64
                       "; lower --lr", epoch);
    se_net_learn(net, t->dlogits, p->rate, p->decay);
    net->epoch = epoch < p->epochs ? (uint32_t)epoch + 1 : 0;
    logits = se_net_forward(net, false);
    accuracy_of(net, logits, &t->target, accuracy);
    if (se_net_check(net, err) < 0)
        return -1;
    log_epoch(p->log, epoch, r->loss, accuracy);
    r->epochs = epoch;
    if (epoch == 1 || !(accuracy[SE_PART_VAL] <= r->accuracy[SE_PART_VAL]))
        keep_best(t, epoch, logits, accuracy);
    se_progress_at(p->progress, epoch);
    return 0;
}

static void training_release(struct training *t)
{
    void *const memory[] = { t->id, t->label, t->part, t->dlogits, t->value, t->logits,
                             t->embedding };

    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        se_net_free(t->net, memory[i]);
}

int se_train(struct se_train_result *r, struct se_net *net, const struct se_train_plan *plan,
             struct se_err *err)
{
    struct training t = { .net = net, .plan = plan, .result = r };
    const unsigned mode = se_flush_to_zero();   /* parameters that nothing needs fade away */
    int rc = make_target(&t, err);

    if (rc == 0)
        rc = se_net_look_ahead(net, err);
    if (rc == 0)
        t.dlogits = se_net_alloc(net, net->n * plan->classes, sizeof(se_real), err);
    if (t.dlogits) {
        se_net_forward(net, false);
        rc = se_net_check(net, err);
    }
    if (rc == 0)
        rc = t.dlogits ? make_result(&t, err) : -1;
    for (uint64_t epoch = 1; rc == 0 && epoch <= plan->epochs; epoch++) {
        rc = run_epoch(&t, epoch, err);
        if (rc == 0 && plan->patience && epoch - r->best >= plan->patience)
            break;
    }
    if (rc == 0)
        rc = take_out(&t, err);
    training_release(&t);
    se_set_float_mode(mode);
    return rc;
}
