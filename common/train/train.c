/* train.c - training a net on a split */
#include "common/train/train.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/train/peers.h"

void se_train_release(struct se_train_result *r)
{
    se_matrix_free(r->logits);
    se_matrix_free(r->embedding);
    free(r->value);
    *r = (struct se_train_result)SE_TRAIN_RESULT_INIT;
}

void se_predict(const se_real *logits, uint64_t n, uint64_t classes, int32_t *label,
                float *confidence)
{
    for (uint64_t v = 0; v < n; v++) {
        const se_real *row = logits + v * classes;
        double most;

        label[v] = (int32_t)se_largest(row, classes);
        confidence[v] = (float)(1 / se_softmax_sum(row, classes, &most));
    }
}

void se_probabilities_of(const se_real *logits, uint64_t n, uint64_t classes, float *p)
{
    for (uint64_t v = 0; v < n; v++) {
        const se_real *row = logits + v * classes;
        double most, sum = se_softmax_sum(row, classes, &most);

        for (uint64_t c = 0; c < classes; c++)
            p[v * classes + c] = (float)(exp((double)row[c] - most) / sum);
    }
}

static void shares(const uint64_t right[4], const uint64_t all[4], double accuracy[4])
{
    for (int i = 0; i < 4; i++)
        accuracy[i] = all[i] ? (double)right[i] / (double)all[i] : NAN;
}

void se_accuracy(const se_real *logits, uint64_t n, uint64_t classes, const int32_t *label,
                 const uint8_t *part, double accuracy[4])
{
    const struct se_targets t = { .n = n, .classes = classes, .label = label, .part = part };
    uint64_t right[4], all[4];

    se_cpu_ops.accuracy(NULL, logits, &t, right, all);
    shares(right, all, accuracy);
}

/* The same where the net computes */
static void accuracy_of(const struct se_net *net, const se_real *logits,
                        const struct se_targets *t, double accuracy[4])
{
    uint64_t right[4], all[4];

    net->ops->accuracy(net->worker, logits, t, right, all);
    shares(right, all, accuracy);
}

/* Arrays are in the memory of the net. */
struct training {
    struct se_net *net;
    const struct se_train_options *plan;
    struct se_train_result *result;
    struct se_targets target, checked;  /* checked: the validation vertices */
    uint64_t validated;                 /* how many, of all processes */
    void *id, *val, *label, *part;      /* their memory */
    se_real *dlogits, *total;           /* total: the gradients of several samples */
    se_real *value, *logits, *embedding;        /* at the best epoch */
};

/* Those of a part that have a label */
static uint64_t vertices_of(const struct se_train_options *p, uint64_t n, uint8_t part,
                            uint32_t *id)
{
    uint64_t count = 0;

    for (uint64_t v = 0; v < n; v++)
        if (p->part[v] == part && p->label[v] >= 0)
            id[count++] = (uint32_t)v;
    return count;
}

static int make_target(struct training *t, struct se_err *err)
{
    const struct se_train_options *p = t->plan;
    const struct se_net *net = t->net;
    uint32_t *id = se_alloc(net->n, sizeof *id, err);
    const uint64_t count = id ? vertices_of(p, net->n, SE_SPLIT_TRAIN, id) : 0;
    uint64_t checked = 0, all = count;

    if (id && net->peers)
        net->peers->count(net->peers, &all, 1);
    if (id && all == 0 && !p->unlabelled)
        se_fail(err, SE_EINPUT, "splits: the split has no training vertex with a label; make "
                "another with se-split");
    else if (id && (t->id = se_net_place(net, id, count, sizeof *id, err)) &&
             (t->label = se_net_place(net, p->label, net->n, sizeof *p->label, err)) &&
             ((checked = vertices_of(p, net->n, SE_SPLIT_VAL, id)), true) &&
             (t->val = se_net_place(net, id, checked, sizeof *id, err)))
        t->part = se_net_place(net, p->part, net->n, sizeof *p->part, err);
    free(id);
    t->target = (struct se_targets){ net->n, p->classes, count, t->id, t->label, t->part };
    t->checked = t->target;
    t->checked.id = t->val;
    t->checked.count = t->validated = checked;
    if (net->peers)
        net->peers->count(net->peers, &t->validated, 1);
    return t->part ? 0 : -1;
}

/* From the memory of the net to ours: as it is, or some at a time if the net has wider numbers */
static void copy_out(const struct se_net *net, float *to, const se_real *from, uint64_t count)
{
    enum { SOME = 16384 };
    se_real some[SOME];

    if (sizeof *to == sizeof *from) {
        se_net_get(net, to, from, count * sizeof *to);
        return;
    }
    for (uint64_t at = 0; at < count; at += SOME) {
        const uint64_t now = count - at < SOME ? count - at : SOME;

        se_net_get(net, some, from + at, now * sizeof *some);
        for (uint64_t i = 0; i < now; i++)
            to[at + i] = (float)some[i];
    }
}

static uint64_t samples_of(const struct se_train_options *p)
{
    return p->samples ? p->samples : 1;
}

static int make_result(struct training *t, struct se_err *err)
{
    struct se_train_result *r = t->result;
    const struct se_net *net = t->net;
    const struct se_mat *hidden = se_net_hidden(net);

    if (t->plan->embed_hidden && !hidden)
        return se_fail(err, SE_EUSAGE, "this model has no hidden layer; use --embed logits");
    r->embed_cols = t->plan->embed_hidden ? hidden->cols : t->plan->classes;
    r->logits = se_matrix_room(net->n, t->plan->classes, err);
    r->embedding = r->logits ? se_matrix_room(net->n, r->embed_cols, err) : NULL;
    r->value = r->embedding ? se_zalloc(net->count, sizeof *r->value, err) : NULL;
    return r->value &&
           (t->logits = se_net_alloc(net, net->n * t->plan->classes, sizeof(se_real), err)) &&
           (!t->plan->embed_best ||
            (t->embedding = se_net_alloc(net, net->n * r->embed_cols, sizeof(se_real), err))) &&
           (t->value = se_net_alloc(net, net->count, sizeof(se_real), err)) &&
           (samples_of(t->plan) == 1 ||
            (t->total = se_net_alloc(net, net->count, sizeof(se_real), err))) ? 0 : -1;
}

/* Where the net has the embedding now */
static const se_real *embedding_in(const struct training *t, const se_real *logits)
{
    return t->plan->embed_hidden ? se_net_hidden(t->net)->dense : logits;
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
        se_net_copy(t->net, t->embedding, embedding_in(t, logits),
                    t->net->n * r->embed_cols * sizeof *logits);
}

/* What was kept, into the result */
static int take_out(struct training *t, struct se_err *err)
{
    struct se_train_result *r = t->result;
    const struct se_net *net = t->net;

    se_net_get(net, r->value, t->value, net->count * sizeof *r->value);
    copy_out(net, r->logits, t->logits, net->n * t->plan->classes);
    copy_out(net, r->embedding, t->plan->embed_best ? t->embedding
             : embedding_in(t, net->layer[se_net_top(net)].out.dense), net->n * r->embed_cols);
    if (se_net_check(net, err) < 0)
        return -1;
    for (uint64_t i = 0; i < net->n * t->plan->classes; i++)
        if (!isfinite(r->logits[i]))
            return se_fail(err, SE_EINPUT, "the outputs of the best epoch are no finite numbers");
    return 0;
}

static void log_number(struct se_out *out, double v)
{
    if (isnan(v))
        se_out_str(out, "\t-");
    else
        se_outf(out, "\t%.6g", v);
}

void se_train_log(struct se_out *out, uint64_t epoch, double loss, const double a[4])
{
    if (!out)
        return;
    if (epoch == 1)
        se_out_str(out, "epoch\tloss\ttrain\tval\ttest\n");
    se_out_u64(out, epoch);
    log_number(out, loss);
    log_number(out, a[SE_SPLIT_TRAIN]);
    log_number(out, a[SE_SPLIT_VAL]);
    log_number(out, a[SE_SPLIT_TEST]);
    se_out_char(out, '\n');
}

/* Without a validation part every epoch is better than those before. */
static bool is_best(struct training *t, uint64_t epoch, const se_real *logits, double accuracy)
{
    struct se_train_result *r = t->result;
    const bool last = t->plan->last_of_ties;
    double now = accuracy, best = r->accuracy[SE_SPLIT_VAL];

    if (t->plan->unlabelled) {
        now = -t->plan->extra[0]->judge(t->plan->extra[0], t->net);
        best = -r->val_loss;
    } else if (t->plan->by_loss && t->validated > 0) {
        now = -se_net_loss_of(t->net, logits, &t->checked, t->dlogits);
        best = -r->val_loss;
    }
    if (epoch > 1 && (last ? now < best : now <= best))
        return false;
    r->val_loss = -now;
    return true;
}

/* One sample forward; random numbers go by (epoch, sample). */
static const se_real *sample_forward(struct training *t, uint64_t epoch, uint64_t sample)
{
    t->net->epoch = (uint32_t)((epoch - 1) * samples_of(t->plan) + sample + 1);
    return se_net_forward(t->net, true);
}

static void see(struct training *t, uint64_t sample, const se_real *logits)
{
    struct se_extra *const *extra = t->plan->extra;

    for (int i = 0; i < SE_MOST_EXTRAS && extra[i]; i++)
        if (extra[i]->see)
            extra[i]->see(extra[i], t->net, sample, logits);
}

/* The loss of a sample, its gradient in dlogits and dside */
static double loss_of_sample(struct training *t, uint64_t sample, const se_real *logits)
{
    struct se_extra *const *extra = t->plan->extra;
    double loss = 0;

    if (t->plan->unlabelled)
        se_net_clear(t->net, t->dlogits, t->net->n * t->plan->classes * sizeof *t->dlogits);
    else
        loss = se_net_loss_of(t->net, logits, &t->target, t->dlogits);
    for (int i = 0; i < SE_MOST_EXTRAS && extra[i]; i++)
        loss += extra[i]->add(extra[i], t->net, sample, logits, t->dlogits);
    return loss;
}

/* Loss and step of an epoch of one sample */
static double one_sample(struct training *t, uint64_t epoch)
{
    const se_real *logits = sample_forward(t, epoch, 0);

    see(t, 0, logits);
    return loss_of_sample(t, 0, logits);
}

/* Of several: all are seen first, then run again, the last one first, for their gradients. */
static double many_samples(struct training *t, uint64_t epoch)
{
    const uint64_t samples = samples_of(t->plan);
    struct se_net *net = t->net;
    const se_real *logits = NULL;
    double loss = 0;

    for (uint64_t s = 0; s < samples; s++)
        see(t, s, logits = sample_forward(t, epoch, s));
    se_net_clear(net, t->total, net->count * sizeof *t->total);
    for (uint64_t s = samples; s-- > 0;) {
        if (s + 1 < samples)
            logits = sample_forward(t, epoch, s);
        loss += loss_of_sample(t, s, logits) / (double)samples;
        se_net_backward(net, t->dlogits);
        se_add(net, net->grad, 1 / (double)samples, net->count, t->total);
    }
    se_net_copy(net, net->grad, t->total, net->count * sizeof *t->total);
    return loss;
}

/* A step, then an evaluation.  Without a validation part the last epoch is the best. */
static int run_epoch(struct training *t, uint64_t epoch, struct se_err *err)
{
    const struct se_train_options *p = t->plan;
    struct se_train_result *r = t->result;
    struct se_net *net = t->net;
    const se_real *logits;
    const uint64_t samples = samples_of(p);
    double accuracy[4];

    r->loss = samples > 1 ? many_samples(t, epoch) : one_sample(t, epoch);
    if (se_net_check(net, err) < 0)
        return -1;
    if (!isfinite(r->loss))
        return se_fail(err, SE_EINPUT, "the loss is not a finite number at epoch %" PRIu64
                       "; lower --lr", epoch);
    if (samples > 1)
        se_net_step(net, p->rate, p->decay);
    else
        se_net_learn(net, t->dlogits, p->rate, p->decay);
    net->epoch = epoch < p->epochs ? (uint32_t)(epoch * samples + 1) : 0;
    logits = se_net_forward(net, false);
    accuracy_of(net, logits, &t->target, accuracy);
    if (se_net_check(net, err) < 0)
        return -1;
    se_train_log(p->log, epoch, r->loss, accuracy);
    r->epochs = epoch;
    if (is_best(t, epoch, logits, accuracy[SE_SPLIT_VAL]))
        keep_best(t, epoch, logits, accuracy);
    se_progress_at(p->progress, epoch);
    return 0;
}

/* ---- checkpoints ---- */

enum { SAVED = 4 };             /* parameters, both moments, parameters at the best epoch */

static void saved_arrays(const struct training *t, se_real *from[SAVED])
{
    from[0] = t->net->value;
    from[1] = t->net->moment;
    from[2] = t->net->square;
    from[3] = t->value;
}

static void free_copies(se_real *copy[SAVED])
{
    for (int i = 0; i < SAVED; i++)
        free(copy[i]);
}

/* Memory of ours for each of them */
static int make_copies(const struct training *t, se_real *copy[SAVED], struct se_err *err)
{
    memset(copy, 0, SAVED * sizeof *copy);
    for (int i = 0; i < SAVED; i++)
        if (!(copy[i] = se_alloc(t->net->count, sizeof **copy, err))) {
            free_copies(copy);
            return -1;
        }
    return 0;
}

/* After an epoch that is not the last; of several processes the first does it. */
static int save(const struct training *t, uint64_t epoch, struct se_err *err)
{
    const struct se_checkpoint *c = &t->plan->checkpoint;
    const struct se_train_result *r = t->result;
    struct se_progress_made m = { .epoch = epoch, .steps = t->net->steps, .best = r->best,
                                  .count = t->net->count, .loss = r->loss,
                                  .val_loss = r->val_loss };
    se_real *from[SAVED], *copy[SAVED];
    int rc;

    if (!c->path || epoch % c->every != 0 || epoch == t->plan->epochs ||
        (t->net->peers && t->net->peers->rank > 0))
        return 0;
    if (make_copies(t, copy, err) < 0)
        return -1;
    memcpy(m.accuracy, r->accuracy, sizeof m.accuracy);
    saved_arrays(t, from);
    for (int i = 0; i < SAVED; i++)
        se_net_get(t->net, copy[i], from[i], t->net->count * sizeof **copy);
    rc = se_net_check(t->net, err);
    if (rc == 0)
        rc = se_checkpoint_write(c, &m, (const se_real *const *)copy, err);
    free_copies(copy);
    return rc;
}

/* All processes must have read the same one. */
static int agree(const struct training *t, uint64_t epoch, struct se_err *err)
{
    struct se_peers *p = t->net->peers;
    uint64_t sum = epoch;

    if (p)
        p->count(p, &sum, 1);
    return p && sum != epoch * (uint64_t)p->ranks
         ? se_fail(err, SE_EINPUT, "%s: is not the same for all processes; put the checkpoint on a "
                   "disk that all of them see", t->plan->checkpoint.path) : 0;
}

/* The best epoch is made again from its parameters. */
static void restore(struct training *t, const struct se_progress_made *m, se_real *const copy[SAVED])
{
    struct se_net *net = t->net;
    const uint64_t bytes = net->count * sizeof **copy;
    se_real *to[SAVED];

    t->result->val_loss = m->val_loss;
    se_net_put(net, net->value, copy[3], bytes);
    net->current = 0;
    net->epoch = 0;
    keep_best(t, m->best, se_net_forward(net, false), m->accuracy);
    saved_arrays(t, to);
    for (int i = 0; i < SAVED; i++)
        se_net_put(net, to[i], copy[i], bytes);
    net->current = 0;
    net->steps = m->steps;
}

/* The epoch to begin with, from 1 */
static int resume(struct training *t, uint64_t *epoch, struct se_err *err)
{
    const struct se_checkpoint *c = &t->plan->checkpoint;
    struct se_progress_made m = { .epoch = 0 };
    se_real *copy[SAVED];
    int rc = 0;

    *epoch = 1;
    if (!c->path)
        return 0;
    if (make_copies(t, copy, err) < 0)
        return -1;
    rc = se_checkpoint_read(c, &m, t->net->count, copy, err);
    if (rc == 0)
        m.epoch = 0;
    if (rc >= 0 && agree(t, m.epoch, err) < 0)
        rc = -1;
    if (rc > 0 && m.epoch >= t->plan->epochs)
        rc = se_fail(err, SE_EUSAGE, "%s: the checkpoint is of epoch %" PRIu64 ", behind the last "
                     "one of --epochs", c->path, m.epoch);
    if (rc > 0) {
        restore(t, &m, copy);
        *epoch = m.epoch + 1;
        rc = se_net_check(t->net, err);
    }
    free_copies(copy);
    return rc;
}

static void training_release(struct training *t)
{
    void *const memory[] = { t->id, t->val, t->label, t->part, t->dlogits, t->total, t->value, t->logits,
                             t->embedding };

    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        se_net_free(t->net, memory[i]);
}

int se_train(struct se_train_result *r, struct se_net *net, const struct se_train_options *plan,
             struct se_err *err)
{
    struct training t = { .net = net, .plan = plan, .result = r };
    uint64_t epoch = 1;
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
    if (rc == 0)
        rc = resume(&t, &epoch, err);
    for (; rc == 0 && epoch <= plan->epochs; epoch++) {
        rc = run_epoch(&t, epoch, err);
        if (rc == 0)
            rc = save(&t, epoch, err);
        if (rc == 0 && plan->patience && epoch - r->best >= plan->patience)
            break;
    }
    if (rc == 0)
        rc = take_out(&t, err);
    training_release(&t);
    se_set_float_mode(mode);
    return rc;
}
