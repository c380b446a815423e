/* train.c - training a net on a split */
#include "common/train.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"

void se_train_release(struct se_train_result *r)
{
    free(r->logits);
    free(r->embedding);
    free(r->value);
    *r = (struct se_train_result)SE_TRAIN_RESULT_INIT;
}

void se_accuracy(const se_real *logits, uint64_t n, uint64_t classes, const int32_t *label,
                 const uint8_t *part, double accuracy[4])
{
    uint64_t right[4] = { 0 }, all[4] = { 0 };

    for (uint64_t v = 0; v < n; v++) {
        const se_real *row = logits + v * classes;
        uint64_t best = 0;

        if (label[v] < 0 || part[v] == SE_PART_NONE)
            continue;
        for (uint64_t c = 1; c < classes; c++)
            if (row[c] > row[best])
                best = c;
        all[part[v]]++;
        right[part[v]] += best == (uint64_t)label[v];
    }
    for (int i = 0; i < 4; i++)
        accuracy[i] = all[i] ? (double)right[i] / (double)all[i] : NAN;
}

struct training {
    struct se_net *net;
    const struct se_train_plan *plan;
    struct se_train_result *result;
    uint32_t *id;               /* training vertices */
    uint64_t count;
    se_real *dlogits;
};

static int find_training(struct training *t, struct se_err *err)
{
    const struct se_train_plan *p = t->plan;

    for (uint64_t v = 0; v < t->net->n; v++)
        if (p->part[v] == SE_PART_TRAIN && p->label[v] >= 0)
            t->id[t->count++] = (uint32_t)v;
    return t->count ? 0 : se_fail(err, SE_EINPUT, "splits: the split has no training vertex "
                                  "with a label; make another with se-split");
}

static void copy_out(float *to, const se_real *from, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        to[i] = (float)from[i];
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
    return r->value ? 0 : -1;
}

static void keep_embedding(struct training *t, const se_real *logits)
{
    const struct se_mat *hidden = se_net_hidden(t->net);

    copy_out(t->result->embedding, t->plan->embed_hidden ? hidden->dense : logits,
             t->net->n * t->result->embed_cols);
}

static void keep_best(struct training *t, uint64_t epoch, const se_real *logits,
                      const double accuracy[4])
{
    struct se_train_result *r = t->result;

    r->best = epoch;
    memcpy(r->accuracy, accuracy, sizeof r->accuracy);
    memcpy(r->value, t->net->value, t->net->count * sizeof *r->value);
    copy_out(r->logits, logits, t->net->n * t->plan->classes);
    if (t->plan->embed_best)
        keep_embedding(t, logits);
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
    r->loss = se_net_loss(logits, net->n, p->classes, t->id, t->count, p->label, t->dlogits);
    if (!isfinite(r->loss))
        return se_fail(err, SE_EINPUT, "the loss is not a finite number at epoch %" PRIu64
                       "; lower --lr", epoch);
    se_net_backward(net, t->dlogits);
    se_net_adam(net, p->rate, p->decay);
    logits = se_net_forward(net, false);
    se_accuracy(logits, net->n, p->classes, p->label, p->part, accuracy);
    log_epoch(p->log, epoch, r->loss, accuracy);
    r->epochs = epoch;
    if (epoch == 1 || !(accuracy[SE_PART_VAL] <= r->accuracy[SE_PART_VAL]))
        keep_best(t, epoch, logits, accuracy);
    se_progress_at(p->progress, epoch);
    return 0;
}

int se_train(struct se_train_result *r, struct se_net *net, const struct se_train_plan *plan,
             struct se_err *err)
{
    struct training t = { net, plan, r, se_alloc(net->n, sizeof(uint32_t), err), 0,
                          se_alloc(net->n * plan->classes, sizeof(se_real), err) };
    int rc = t.id && t.dlogits ? find_training(&t, err) : -1;

    if (rc == 0) {
        se_net_forward(net, false);
        rc = make_result(&t, err);
    }
    for (uint64_t epoch = 1; rc == 0 && epoch <= plan->epochs; epoch++) {
        rc = run_epoch(&t, epoch, err);
        if (rc == 0 && plan->patience && epoch - r->best >= plan->patience)
            break;
    }
    if (rc == 0 && !plan->embed_best)
        keep_embedding(&t, net->layer[net->layers - 1].out.dense);
    free(t.id);
    free(t.dlogits);
    return rc;
}
