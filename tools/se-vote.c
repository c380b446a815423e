/* se-vote.c - average the class probabilities of several trained streams */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/cli/tool.h"
#include "common/stream/payload.h"
#include "common/train/train.h"

static struct {
    uint64_t split;
    bool split_given;
} o;

static const struct se_option options[] = {
    { 's', "split", "N", SE_OPT_COUNT, &o.split, .min = 0, .max = 1e9, .given = &o.split_given,
      .help = "write the accuracies on this split; default: the split the members were trained on" },
    SE_OPTIONS_END
};

/* The sum over the members, and what the first one said they must agree on */
struct vote {
    uint64_t n, classes;
    double *sum;                /* n x classes */
    struct se_digest labels;
    bool labelled;
    double split;               /* that of training; NaN: no member says */
};

static int labels_of(struct se_stream *s, bool *labelled, struct se_digest *d,
                     struct se_err *err)
{
    struct se_section *x = se_stream_find(s, SE_LABELS);

    *labelled = x != NULL;
    return x ? se_section_digest(x, d, err) : 0;
}

static int start_vote(struct vote *v, struct se_stream *s, const struct se_probabilities *p,
                      struct se_err *err)
{
    v->n = p->n;
    v->classes = p->classes;
    v->sum = se_zalloc(p->n * p->classes, sizeof *v->sum, err);
    return v->sum ? labels_of(s, &v->labelled, &v->labels, err) : -1;
}

/* Members may have learned different graphs, but vertices, classes and split are the same: a
 * member that was trained on another split has seen labels that this one tests on. */
static int check_member(const struct vote *v, struct se_stream *s,
                        const struct se_probabilities *p, struct se_err *err)
{
    struct se_digest labels;
    bool labelled;

    if (p->n != v->n || p->classes != v->classes)
        return se_fail(err, SE_EINPUT, "probabilities: %" PRIu64 " vertices and %" PRIu64
                       " classes, but the first stream has %" PRIu64 " and %" PRIu64
                       "; members must have the same vertices and classes", p->n, p->classes,
                       v->n, v->classes);
    if (labels_of(s, &labelled, &labels, err) < 0)
        return -1;
    if (labelled && v->labelled && memcmp(&labels, &v->labels, sizeof labels) != 0)
        return se_fail(err, SE_EINPUT, "labels: differ from those of the first stream; members "
                       "must have the same labels");
    return 0;
}

static int check_split(struct vote *v, struct se_stream *s, struct se_err *err)
{
    double split;
    const int there = se_stats_value(s, "train.split", &split, err);

    if (there <= 0)
        return there;
    if (!isnan(v->split) && split != v->split)
        return se_fail(err, SE_EINPUT, "stats: trained on split %g, but a stream before it on "
                       "split %g; average members of one split", split, v->split);
    v->split = split;
    return 0;
}

static int add_member(struct vote *v, struct se_stream *s, struct se_err *err)
{
    struct se_probabilities p;

    if (se_probabilities_get(&p, s, err) < 0)
        return -1;
    if (v->sum ? check_member(v, s, &p, err) < 0 : start_vote(v, s, &p, err) < 0)
        return -1;
    if (check_split(v, s, err) < 0)
        return -1;
    for (uint64_t i = 0; i < p.n * p.classes; i++)
        v->sum[i] += (double)p.p[i];
    return 0;
}

/* ---- results ---- */

static int put_accuracies(struct se_run *run, const struct vote *v, const float *mean,
                          struct se_stream *s, struct se_err *err)
{
    struct se_labels labels;
    struct se_splits splits;
    double accuracy[4];

    if (!v->labelled || !se_stream_has(s, SE_SPLITS))
        return 0;
    if (se_labels_get(&labels, s, err) < 0 || se_splits_get(&splits, s, err) < 0 ||
        se_payload_fits(labels.n, v->n, SE_LABELS, "probabilities", err) < 0 ||
        se_payload_fits(splits.n, v->n, SE_SPLITS, "probabilities", err) < 0)
        return -1;
    if (o.split >= splits.count)
        return se_fail(err, SE_EINPUT, "splits: there is no split %" PRIu64 "; they are 0 to %"
                       PRIu64, o.split, splits.count - 1);
    se_accuracy(mean, v->n, v->classes, labels.label, splits.part + o.split * v->n, accuracy);
    for (int i = SE_SPLIT_TRAIN; i <= SE_SPLIT_TEST; i++) {
        char name[32];

        snprintf(name, sizeof name, "vote.acc.%s", se_split_part_names[i]);
        if (!isnan(accuracy[i]) && se_stats_set(s, name, accuracy[i], err) < 0)
            return -1;
    }
    se_note(run, "train %.4f, val %.4f, test %.4f", accuracy[SE_SPLIT_TRAIN],
            accuracy[SE_SPLIT_VAL], accuracy[SE_SPLIT_TEST]);
    return se_stats_set(s, "vote.split", (double)o.split, err);
}

static int put_vote(struct se_run *run, const struct vote *v, int members, float *mean,
                    int32_t *label, float *confidence, struct se_stream *s, struct se_err *err)
{
    const struct se_probabilities p = { v->n, v->classes, mean };
    const struct se_predictions q = { v->n, label, confidence };

    for (uint64_t i = 0; i < v->n * v->classes; i++)
        mean[i] = (float)(v->sum[i] / members);
    for (uint64_t i = 0; i < v->n; i++) {
        const float *row = mean + i * v->classes;

        label[i] = (int32_t)se_largest(row, v->classes);
        confidence[i] = row[label[i]] > 1 ? 1 : row[label[i]];
    }
    se_stream_drop(s, SE_MODEL);        /* the first member's, not of what is written */
    return se_stats_forget(s, "train.", err) < 0 || se_stats_forget(s, "vote.", err) < 0 ||
           se_probabilities_put(&p, s, err) < 0 || se_predictions_put(&q, s, err) < 0 ||
           se_stats_set(s, "vote.members", members, err) < 0
         ? -1 : put_accuracies(run, v, mean, s, err);
}

static int finish_vote(struct se_run *run, struct vote *v, int members, struct se_stream *s,
                       struct se_err *err)
{
    float *mean = se_alloc(v->n * v->classes, sizeof *mean, err);
    float *confidence = mean ? se_alloc(v->n, sizeof *confidence, err) : NULL;
    int32_t *label = confidence ? se_alloc(v->n, sizeof *label, err) : NULL;
    int rc = -1;

    if (!isnan(v->split) && o.split_given && (double)o.split != v->split)
        se_warn(run, "the members were trained on split %g; accuracies of split %" PRIu64
                " include vertices that they were trained on", v->split, o.split);
    if (!o.split_given && !isnan(v->split) && v->split >= 0 && v->split <= 1e9)
        o.split = (uint64_t)v->split;
    if (label)
        rc = put_vote(run, v, members, mean, label, confidence, s, err);
    free(mean);
    free(confidence);
    free(label);
    return rc;
}

static int read_members(struct se_run *run, struct vote *v, struct se_stream *first,
                        struct se_err *err)
{
    const int members = run->operands > 0 ? run->operands : 1;

    for (int i = 0; i < members; i++) {
        const char *path = se_run_operand(run, i);
        struct se_stream other = SE_STREAM_INIT, *s = i == 0 ? first : &other;
        int rc = se_run_read(run, path, s, err);

        if (rc == 0 && add_member(v, s, err) < 0) {
            se_err_in(err, se_path_name(path));
            rc = -1;
        }
        se_stream_release(&other);
        if (rc < 0)
            return -1;
    }
    return finish_vote(run, v, members, first, err);
}

static int run_vote(struct se_run *run, struct se_err *err)
{
    struct vote v = { .split = NAN };
    struct se_stream s = SE_STREAM_INIT;
    int rc = se_run_check_output(run, err);

    if (rc == 0)
        rc = read_members(run, &v, &s, err);
    if (rc == 0)
        rc = se_run_write(run, &s, err);
    se_stream_release(&s);
    free(v.sum);
    return rc;
}

static const struct se_tool tool = {
    .name = "se-vote",
    .brief = "average the class probabilities of several models",
    .operands = "[FILE ...]",
    .max_operands = -1,
    .has = SE_TOOL_KEEP | SE_TOOL_STREAM | SE_TOOL_PASSES,
    .options = options,
    .about =
        "Reads streams written by se-train --probabilities and writes the first one with\n"
        "the mean of all probabilities and the predictions that follow from it: an\n"
        "ensemble. The streams may hold different graphs of the same vertices, such as\n"
        "the iterations of se-gsl, or models of different kinds or seeds. They must have\n"
        "the same labels and must have been trained on the same split. Accuracies are\n"
        "stored in stats as vote.acc.train, vote.acc.val and vote.acc.test. The model\n"
        "and the train.* stats of the first stream are dropped.\n",
    .examples =
        "  for s in 0 1 2; do se-train --probabilities --seed $s g.seg -o $s.seg; done\n"
        "  se-vote 0.seg 1.seg 2.seg | se-export -t stats\n",
    .run = run_vote
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
