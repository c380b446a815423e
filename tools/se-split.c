/* se-split.c - divide the vertices into training, validation and test sets */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/cli/tool.h"
#include "common/graph/split.h"

static struct {
    double train, val, test;
    uint64_t count, per_class, val_count, test_count;
    uint64_t inner;
    double hold_out;
    bool stratified, append, inner_given, hold_out_given;
    bool train_given, val_given, test_given, val_count_given, test_count_given;
} o = { .train = 0.48, .val = 0.32, .count = 10, .val_count = 500, .test_count = 1000 };

static const struct se_option options[] = {
    { 0, "train", "SHARE", SE_OPT_NUMBER, &o.train, .min = 0, .max = 1,
      .help = "fraction of the vertices to train on", .given = &o.train_given },
    { 0, "val", "SHARE", SE_OPT_NUMBER, &o.val, .min = 0, .max = 1,
      .help = "fraction to validate on", .given = &o.val_given },
    { 0, "test", "SHARE", SE_OPT_NUMBER, &o.test, .min = 0, .max = 1,
      .help = "fraction to test on; default: all remaining vertices", .given = &o.test_given },
    { 0, "count", "N", SE_OPT_COUNT, &o.count, .min = 1, .max = 1e6,
      .help = "number of splits" },
    { 0, "stratified", NULL, SE_OPT_FLAG, &o.stratified,
      .help = "apply the fractions to each class separately" },
    { 0, "per-class", "N", SE_OPT_COUNT, &o.per_class, .min = 0, .max = UINT32_MAX,
      .help = "train on N vertices of each class, as Planetoid does; 0: use --train" },
    { 0, "val-count", "N", SE_OPT_COUNT, &o.val_count, .min = 0, .max = UINT32_MAX,
      .help = "with --per-class: validate on N of the remaining vertices", .given = &o.val_count_given },
    { 0, "test-count", "N", SE_OPT_COUNT, &o.test_count, .min = 0, .max = UINT32_MAX,
      .help = "with --per-class: test on N of the remaining vertices", .given = &o.test_count_given },
    { 0, "inner", "N", SE_OPT_COUNT, &o.inner, .min = 0, .max = UINT32_MAX,
      .help = "remove the test vertices of split N and their labels, and redraw the training "
              "and validation sets among the rest; the first new split keeps them as they are", .given = &o.inner_given },
    { 0, "hold-out", "SHARE", SE_OPT_NUMBER, &o.hold_out, .min = 0, .max = 1,
      .help = "keep the splits, but in each without validation vertices validate on this "
              "fraction of its training vertices, class by class", .given = &o.hold_out_given },
    { 0, "append", NULL, SE_OPT_FLAG, &o.append,
      .help = "add to the splits of the stream instead of replacing them" },
    SE_OPTIONS_END
};

static int check_options(struct se_err *err)
{
    const bool shares = o.train_given || o.val_given || o.test_given || o.stratified;

    if (o.hold_out_given && (shares || o.per_class > 0 || o.append || o.inner_given))
        return se_fail(err, SE_EUSAGE, "--hold-out changes the splits that are there; omit --train, "
                       "--val, --test, --stratified, --per-class, --inner and --append");
    if (o.inner_given && (shares || o.per_class > 0 || o.append))
        return se_fail(err, SE_EUSAGE, "--inner takes its sizes from the split; omit --train, "
                       "--val, --test, --stratified, --per-class and --append");
    if (o.per_class > 0) {
        if (shares)
            return se_fail(err, SE_EUSAGE, "--per-class sets the numbers; omit --train, --val, "
                           "--test and --stratified");
        return 0;
    }
    if (o.val_count_given || o.test_count_given)
        return se_fail(err, SE_EUSAGE, "--val-count and --test-count need --per-class");
    if (!o.test_given)
        o.test = 1 - o.train - o.val;
    if (o.test < -1e-9 || o.train + o.val + o.test > 1 + 1e-9)
        return se_fail(err, SE_EUSAGE, "the fractions add up to %g, more than 1",
                       o.test_given ? o.train + o.val + o.test : o.train + o.val);
    return 0;
}

/* The old splits and the new ones in one section. */
static int put(struct se_stream *s, uint64_t n, const uint8_t *part, struct se_err *err)
{
    struct se_splits old = { n, 0, NULL };
    uint8_t *all;
    int rc;

    if (o.append && se_stream_has(s, SE_SPLITS) && se_splits_get(&old, s, err) < 0)
        return -1;
    const uint64_t before = old.count * n, added = o.count * n;
    all = se_alloc(before + added, 1, err);
    if (!all)
        return -1;
    if (before > 0)
        memcpy(all, old.part, before);
    memcpy(all + before, part, added);
    const struct se_splits new = { n, old.count + o.count, all };
    rc = se_splits_put(&new, s, err);
    free(all);
    return rc;
}

/* Splits within a split: what is for testing loses its label and is in no part; train and val
 * keep their sizes, class by class. */
static int split_inner(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct se_split_options plan = { .count = o.count, .seed = run->seed, .stratified = true,
                                     .threads = run->threads };
    struct se_splits outer;
    struct se_labels labels;
    uint64_t size[4] = { 0 };
    uint8_t *part = NULL;
    int rc = -1;

    if (se_splits_get(&outer, s, err) < 0 || se_labels_get(&labels, s, err) < 0)
        return -1;
    if (o.inner >= outer.count)
        return se_fail(err, SE_EINPUT, "--inner: no split %" PRIu64 "; the stream has %" PRIu64
                       ", counted from 0", o.inner, outer.count);
    const uint8_t *old = outer.part + o.inner * outer.n;
    int32_t *label = se_alloc(outer.n, sizeof *label, err);
    for (uint64_t v = 0; label && v < outer.n; v++) {
        label[v] = old[v] == SE_SPLIT_TRAIN || old[v] == SE_SPLIT_VAL ? labels.label[v] : -1;
        size[label[v] < 0 ? SE_SPLIT_NONE : old[v]]++;
    }
    const double known = (double)(size[SE_SPLIT_TRAIN] + size[SE_SPLIT_VAL]);
    if (label && known < 2)
        rc = se_fail(err, SE_EINPUT, "split %" PRIu64 " has no labelled vertices to train and "
                     "validate on", o.inner);
    else if (label) {
        plan.share[SE_SPLIT_TRAIN] = (double)size[SE_SPLIT_TRAIN] / known;
        plan.share[SE_SPLIT_VAL] = (double)size[SE_SPLIT_VAL] / known;
        labels.label = label;
        rc = se_split_make(&plan, outer.n, &labels, &part, err);
    }
    for (uint64_t v = 0; rc == 0 && v < outer.n; v++)
        part[v] = label[v] < 0 ? SE_SPLIT_NONE : old[v];
    if (rc == 0)
        rc = put(s, outer.n, part, err) < 0 ? -1 : se_labels_put(&labels, s, err);
    free(part);
    free(label);
    return rc;
}

/* One split of n vertices: some of its training vertices, class by class, become those to validate
 * on.  `label` is room for n. */
static int hold_out(const struct se_split_options *plan, uint64_t n, const struct se_labels *labels,
                    int32_t *label, uint8_t *part, struct se_err *err)
{
    struct se_labels of_train = *labels;
    uint64_t trains = 0;
    uint8_t *drawn;

    for (uint64_t v = 0; v < n; v++) {
        if (part[v] == SE_SPLIT_VAL && labels->label[v] >= 0)
            return 0;
        label[v] = part[v] == SE_SPLIT_TRAIN ? labels->label[v] : -1;
        trains += label[v] >= 0;
    }
    if (trains < 2)
        return 0;
    of_train.label = label;
    if (se_split_make(plan, n, &of_train, &drawn, err) < 0)
        return -1;
    for (uint64_t v = 0; v < n; v++)
        if (label[v] >= 0)
            part[v] = drawn[v];
    free(drawn);
    return 0;
}

static int split_hold_out(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct se_split_options plan = { .count = 1, .seed = run->seed, .stratified = true,
                                     .threads = run->threads };
    struct se_splits old;
    struct se_labels labels;
    int rc = 0;

    if (se_splits_get(&old, s, err) < 0 || se_labels_get(&labels, s, err) < 0)
        return -1;
    plan.share[SE_SPLIT_TRAIN] = 1 - o.hold_out;
    plan.share[SE_SPLIT_VAL] = o.hold_out;
    int32_t *label = se_alloc(old.n, sizeof *label, err);
    uint8_t *part = se_alloc(old.count * old.n, 1, err);
    if (!label || !part)
        rc = -1;
    else if (old.count * old.n > 0)
        memcpy(part, old.part, old.count * old.n);
    for (plan.first = 0; rc == 0 && plan.first < old.count; plan.first++)
        rc = hold_out(&plan, old.n, &labels, label, part + plan.first * old.n, err);
    if (rc == 0) {
        old.part = part;
        rc = se_splits_put(&old, s, err);
    }
    free(part);
    free(label);
    return rc;
}

static int split(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct se_split_options plan = {
        .count = o.count, .seed = run->seed, .threads = run->threads,
        .stratified = o.stratified,
        .share = { 1 - o.train - o.val - o.test, o.train, o.val, o.test },
        .per_class = o.per_class, .val = o.val_count, .test = o.test_count
    };
    struct se_labels labels;
    struct se_splits old;
    const bool has_labels = se_stream_has(s, SE_LABELS);
    uint8_t *part = NULL;
    uint64_t n;
    int rc;

    if (se_stream_vertices(s, &n, err) < 0 ||
        (has_labels && se_labels_get(&labels, s, err) < 0))
        return -1;
    if (n == 0)
        return se_fail(err, SE_EINPUT, "no vertices to divide; the input needs a graph, "
                       "features or labels");
    if (o.append && se_stream_has(s, SE_SPLITS)) {      /* go on with other numbers */
        if (se_splits_get(&old, s, err) < 0)
            return -1;
        plan.first = old.count;
    }
    if (se_split_make(&plan, n, has_labels ? &labels : NULL, &part, err) < 0)
        return -1;
    rc = put(s, n, part, err);
    free(part);
    return rc;
}

static int run_split(struct se_run *run, struct se_err *err)
{
    return check_options(err) < 0 ? -1 :
           se_run_filter(run, o.inner_given ? split_inner :
                              o.hold_out_given ? split_hold_out : split, err);
}

static const struct se_tool tool = {
    .name = "se-split", .brief = "divide the vertices into training, validation and test sets",
    .operands = "[FILE]", .max_operands = 1,
    .has = SE_TOOL_SEED | SE_TOOL_STREAM | SE_TOOL_PASSES,
    .options = options,
    .about =
        "Replaces the splits of a stream. Each split assigns every vertex to training,\n"
        "validation, testing, or none of them. Vertices of unknown class are in none. A\n"
        "stream without labels can be split, too.\n"
        "\n"
        "Sizes are rounded so that they add up. Split number i depends only on the seed\n"
        "and on i, so --count 5 gives the first five splits of --count 10, and a second\n"
        "run with --append and the same seed continues where the first one stopped.\n"
        "\n"
        "--inner makes splits for model selection that never see the test vertices:\n"
        "these lose their labels and belong to no part.\n",
    .examples =
        "  se-split --seed 1 cora.seg > ten.seg            ten times 48/32/20\n"
        "  se-split --train .6 --val .2 --stratified < a.seg > b.seg\n"
        "  se-split --per-class 20 --val-count 500 --test-count 1000 < a.seg > b.seg\n"
        "  se-split --train .1 --val .1 --test .2 --count 1 < a.seg | se-info\n",
    .run = run_split
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
