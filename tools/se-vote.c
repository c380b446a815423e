/* se-vote.c - average the class probabilities of several trained streams */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/outfile.h"
#include "common/base/text.h"
#include "common/cli/tool.h"
#include "common/stream/payload.h"
#include "common/train/elect.h"
#include "common/train/smooth.h"
#include "common/train/train.h"

static struct {
    uint64_t split;
    double smooth;
    bool split_given, choose, smooth_given;
    const char *table, *rival, *smoothed;
} o;

static const struct se_option options[] = {
    { 's', "split", "N", SE_OPT_COUNT, &o.split, .min = 0, .max = 1e9, .given = &o.split_given,
      .help = "write the accuracies on this split; default: the split the members were trained on" },
    { 0, "choose", NULL, SE_OPT_FLAG, &o.choose,
      .help = "write what validation chooses: the ensemble, the rival, the first model (the backbone), "
      "or the model with the best validation accuracy" },
    { 0, "table", "FILE", SE_OPT_FILE, &o.table,
      .help = "with --choose, write the accuracies of these as TSV" },
    { 0, "rival", "FILE", SE_OPT_FILE, &o.rival,
      .help = "with --choose, another candidate: a stream with the mean of other models (the "
      "committee)" },
    { 0, "smooth", "A", SE_OPT_NUMBER, &o.smooth, .min = 0, .max = 1, .given = &o.smooth_given,
      .help = "Correct and Smooth the mean along the edges of the first stream, a step keeping this "
      "share of the start, such as 0.2; default: no smoothing" },
    { 0, "smoothed", "FILE", SE_OPT_FILE, &o.smoothed,
      .help = "with --choose, a stream that --smooth wrote; chosen if it is clearly better than what "
      "is chosen without it" },
    SE_OPTIONS_END
};

/* The sum over the members, and what the first one said they must agree on */
struct vote {
    uint64_t n, classes;
    int members;
    bool without;               /* --choose: a member has no probabilities, so there is no mean */
    struct se_candidates choices;
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
    int there = se_stats_value(s, "train.split", &split, err);

    if (there == 0)                     /* what se-vote wrote */
        there = se_stats_value(s, "vote.split", &split, err);
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

/* Labels and the part of each vertex in the split, which all members have */
static int read_parts(struct se_stream *s, struct se_labels *labels, const uint8_t **part,
                      struct se_err *err)
{
    struct se_splits splits;

    if (se_labels_get(labels, s, err) < 0 || se_splits_get(&splits, s, err) < 0 ||
        se_payload_fits(splits.n, labels->n, SE_SPLITS, "labels", err) < 0)
        return -1;
    if (o.split >= splits.count)
        return se_fail(err, SE_EINPUT, "splits: there is no split %" PRIu64 "; they are 0 to %"
                       PRIu64, o.split, splits.count - 1);
    *part = splits.part + o.split * labels->n;
    return 0;
}

static int put_accuracies(struct se_run *run, const struct vote *v, const float *mean,
                          struct se_stream *s, struct se_err *err)
{
    struct se_labels labels;
    const uint8_t *part = NULL;
    double accuracy[4];

    if (!v->labelled || !se_stream_has(s, SE_SPLITS))
        return 0;
    if (read_parts(s, &labels, &part, err) < 0 ||
        se_payload_fits(labels.n, v->n, SE_LABELS, "probabilities", err) < 0)
        return -1;
    se_accuracy(mean, v->n, v->classes, labels.label, part, accuracy);
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

/* --smooth: the mean becomes what its errors on the training part and the edges make of it */
static int smooth_mean(const struct se_run *run, float *p, const struct vote *v,
                       struct se_stream *s, struct se_err *err)
{
    struct se_labels labels;
    struct se_graph g;
    const uint8_t *part = NULL;

    if (read_parts(s, &labels, &part, err) < 0 || se_graph_get(&g, s, SE_GRAPH, err) < 0 ||
        se_payload_fits(labels.n, v->n, SE_LABELS, "probabilities", err) < 0 ||
        se_payload_fits(g.n, v->n, SE_GRAPH, "probabilities", err) < 0)
        return -1;
    return se_correct_and_smooth(&g, labels.label, part, v->classes, o.smooth, run->threads, p, err);
}

/* The mean and the class it says, in arrays that release_mean() frees */
struct mean {
    float *p, *confidence;
    int32_t *label;
};

static int make_mean(const struct se_run *run, struct mean *m, const struct vote *v,
                     struct se_stream *s, struct se_err *err)
{
    m->p = se_alloc(v->n * v->classes, sizeof *m->p, err);
    m->confidence = m->p ? se_alloc(v->n, sizeof *m->confidence, err) : NULL;
    m->label = m->confidence ? se_alloc(v->n, sizeof *m->label, err) : NULL;
    if (!m->label)
        return -1;
    for (uint64_t i = 0; i < v->n * v->classes; i++)
        m->p[i] = (float)(v->sum[i] / v->members);
    if (o.smooth_given && smooth_mean(run, m->p, v, s, err) < 0)
        return -1;
    for (uint64_t i = 0; i < v->n; i++) {
        const float *row = m->p + i * v->classes;

        m->label[i] = (int32_t)se_largest(row, v->classes);
        m->confidence[i] = row[m->label[i]] > 1 ? 1 : row[m->label[i]];
    }
    return 0;
}

static void release_mean(struct mean *m)
{
    free(m->p);
    free(m->confidence);
    free(m->label);
}

static int put_mean(struct se_run *run, const struct vote *v, const struct mean *m,
                    struct se_stream *s, struct se_err *err)
{
    const struct se_probabilities p = { v->n, v->classes, m->p };
    const struct se_predictions q = { v->n, m->label, m->confidence };

    se_stream_drop(s, SE_MODEL);        /* that of one member, not of what is written */
    return se_stats_forget(s, "train.", err) < 0 || se_stats_forget(s, "vote.", err) < 0 ||
           se_probabilities_put(&p, s, err) < 0 || se_predictions_put(&q, s, err) < 0 ||
           se_stats_set(s, "vote.members", v->members, err) < 0
         ? -1 : put_accuracies(run, v, m->p, s, err);
}

static void take_split(struct se_run *run, const struct vote *v)
{
    if (!isnan(v->split) && o.split_given && (double)o.split != v->split)
        se_warn(run, "the members were trained on split %g; accuracies of split %" PRIu64
                " include vertices that they were trained on", v->split, o.split);
    if (!o.split_given && !isnan(v->split) && v->split >= 0 && v->split <= 1e9)
        o.split = (uint64_t)v->split;
}

static int finish_vote(struct se_run *run, struct vote *v, struct se_stream *s, struct se_err *err)
{
    struct mean m = { NULL };
    int rc;

    take_split(run, v);
    rc = make_mean(run, &m, v, s, err) < 0 || put_mean(run, v, &m, s, err) < 0 ? -1 : 0;
    release_mean(&m);
    return rc;
}

/* Read the members, of which `first` is the first; `add` takes each */
static int read_members(struct se_run *run, struct vote *v, struct se_stream *first,
                        int (*add)(struct vote *v, struct se_stream *s, struct se_err *err),
                        struct se_err *err)
{
    v->members = run->operands > 0 ? run->operands : 1;
    for (int i = 0; i < v->members; i++) {
        const char *path = se_run_operand(run, i);
        struct se_stream other = SE_STREAM_INIT, *s = i == 0 ? first : &other;
        int rc = se_run_read(run, path, s, err);

        if (rc == 0 && add(v, s, err) < 0) {
            se_err_in(err, se_path_name(path));
            rc = -1;
        }
        se_stream_release(&other);
        if (rc < 0)
            return -1;
    }
    return 0;
}

/* ---- --choose ---- */

static int judge_stream(struct vote *v, struct se_stream *s, enum se_protocol kind,
                        struct se_err *err)
{
    struct se_predictions q;
    struct se_labels labels;
    const uint8_t *part = NULL;

    if (read_parts(s, &labels, &part, err) < 0 || se_predictions_get(&q, s, err) < 0 ||
        se_payload_fits(q.n, labels.n, SE_PREDICTIONS, "labels", err) < 0)
        return -1;
    return se_candidates_add(&v->choices, q.label, labels.label, part, q.n, kind, err);
}

static int add_candidate(struct vote *v, struct se_stream *s, struct se_err *err)
{
    v->without = v->without || !se_stream_has(s, SE_PROBABILITIES);
    if (!v->without && add_member(v, s, err) < 0)
        return -1;
    if (!o.split_given && !isnan(v->split) && v->split >= 0 && v->split <= 1e9)
        o.split = (uint64_t)v->split;
    return judge_stream(v, s, SE_HONEST, err);
}

/* --rival, --smoothed: it must have the vertices and labels of the others, and their split */
static int add_rival(struct se_run *run, struct vote *v, const char *path, enum se_protocol kind,
                     struct se_err *err)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_probabilities p;
    int rc = path ? se_run_read(run, path, &s, err) : 0;

    if (!path)
        return 0;

    if (rc == 0 && (se_probabilities_get(&p, &s, err) < 0 || check_split(v, &s, err) < 0 ||
                    (v->sum && check_member(v, &s, &p, err) < 0) ||
                    judge_stream(v, &s, kind, err) < 0)) {
        se_err_in(err, se_path_name(path));
        rc = -1;
    }
    se_stream_release(&s);
    return rc;
}

static int write_table(const struct vote *v, const struct se_election *x, struct se_err *err)
{
    struct se_out out;

    if (se_output_begin(o.table, &out, err) < 0)
        return -1;
    se_outf(&out, "protocol\titeration\titerations\tval\tscore\ttest\twhich\n");
    for (int i = 0; i <= SE_PROTOCOLS; i++) {
        const int p = i < SE_PROTOCOLS ? i : (int)x->chosen;

        if (x->row[p].iteration >= 0)
            se_outf(&out, "%s\t%d\t%d\t%.9g\t%.9g\t%.9g\t%s\n",
                    i < SE_PROTOCOLS ? se_protocol_names[p] : "chosen", x->row[p].iteration,
                    v->members, x->row[p].val, x->row[p].score, x->row[p].test,
                    se_protocol_names[p]);
    }
    return se_output_end(o.table, &out, 0, err);
}

/* Judge the candidates, and their mean if there are several; `s` becomes what is chosen. */
static int choose(struct se_run *run, struct vote *v, struct mean *m, struct se_stream *s,
                  struct se_err *err)
{
    struct se_election x = { .chosen = SE_BACKBONE };
    struct se_labels labels;
    const char *path;
    const uint8_t *part = NULL;

    if (v->members > 1 && !v->without &&
        (make_mean(run, m, v, s, err) < 0 || read_parts(s, &labels, &part, err) < 0 ||
         se_candidates_add(&v->choices, m->label, labels.label, part, v->n, SE_ENSEMBLE, err) < 0))
        return -1;
    if (add_rival(run, v, o.rival, SE_COMMITTEE, err) < 0 ||
        add_rival(run, v, o.smoothed, SE_SMOOTHED, err) < 0)
        return -1;
    if (se_candidates_judge(&x, &v->choices, err) < 0)
        return se_err_in(err, se_path_name(run->operand[0]));
    se_note(run, "chosen: %s, stream %d", se_protocol_names[x.chosen],
            x.row[x.chosen].iteration + 1);
    if (o.table && write_table(v, &x, err) < 0)
        return -1;
    path = x.chosen == SE_COMMITTEE ? o.rival : x.chosen == SE_SMOOTHED ? o.smoothed
         : x.row[x.chosen].iteration > 0 ? run->operand[x.row[x.chosen].iteration] : NULL;
    if (path) {
        se_stream_release(s);
        if (se_run_read(run, path, s, err) < 0)
            return -1;
    }
    return x.chosen == SE_ENSEMBLE ? put_mean(run, v, m, s, err) : 0;
}

static int check_choose(const struct se_run *run, struct se_err *err)
{
    if ((o.table || o.rival || o.smoothed) && !o.choose)
        return se_fail(err, SE_EUSAGE, "--%s needs --choose",
                       o.table ? "table" : o.rival ? "rival" : "smoothed");
    if (o.smooth_given && o.choose)
        return se_fail(err, SE_EUSAGE, "--smooth and --choose cannot be combined; see --smoothed");
    if ((o.rival && strcmp(o.rival, "-") == 0) || (o.smoothed && strcmp(o.smoothed, "-") == 0))
        return se_fail(err, SE_EUSAGE, "--rival and --smoothed are read twice: name files");
    for (int i = 0; o.choose && i < (run->operands > 0 ? run->operands : 1); i++)
        if (strcmp(se_run_operand(run, i), "-") == 0)
            return se_fail(err, SE_EUSAGE, "--choose reads its streams twice: name files");
    return 0;
}

static int run_vote(struct se_run *run, struct se_err *err)
{
    struct vote v = { .split = NAN, .choices = SE_CANDIDATES_INIT };
    struct se_stream s = SE_STREAM_INIT;
    struct mean m = { NULL };
    int rc = check_choose(run, err) < 0 ? -1 : se_run_check_output(run, err);

    if (rc == 0)
        rc = read_members(run, &v, &s, o.choose ? add_candidate : add_member, err);
    if (rc == 0)
        rc = o.choose ? choose(run, &v, &m, &s, err) : finish_vote(run, &v, &s, err);
    if (rc == 0)
        rc = se_run_write(run, &s, err);
    release_mean(&m);
    se_candidates_release(&v.choices);
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
        "and the train.* stats of the first stream are dropped.\n"
        "\n"
        "With --choose the streams are the iterations of one run, the backbone first, and\n"
        "what validation chooses is written: the ensemble on the graph of the best\n"
        "iteration, the stream of --rival, the backbone, or the best iteration; or the\n"
        "stream of --smoothed, if it is clearly better.\n"
        "\n"
        "--smooth corrects the mean by its errors on the training part, which spread along\n"
        "the edges, then smooths it in the same way (Correct and Smooth). It helps most\n"
        "with few labels, where neighbours share the class. Only training labels are read.\n",
    .examples =
        "  for s in 0 1 2; do se-train --probabilities --seed $s g.seg -o $s.seg; done\n"
        "  se-vote 0.seg 1.seg 2.seg | se-export -t stats\n"
        "  se-vote --smooth .2 trained.seg | se-info --get vote.acc.val\n"
        "  se-vote --choose --table choice.tsv iter-*/train.seg -o best.seg\n",
    .run = run_vote
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
