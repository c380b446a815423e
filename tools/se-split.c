/* se-split.c - divide the vertices into train, val and test */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/graph/split.h"
#include "common/cli/tool.h"

static struct {
    double train, val, test;
    uint64_t count, per_class, val_count, test_count;
    bool stratified, append;
    bool train_given, val_given, test_given, val_count_given, test_count_given;
} o = { .train = 0.48, .val = 0.32, .count = 10, .val_count = 500, .test_count = 1000 };

static const struct se_option options[] = {
    { 0, "train", "SHARE", SE_OPT_NUMBER, &o.train, .min = 0, .max = 1,
      .help = "share of the vertices to train on", .given = &o.train_given },
    { 0, "val", "SHARE", SE_OPT_NUMBER, &o.val, .min = 0, .max = 1,
      .help = "share to validate on", .given = &o.val_given },
    { 0, "test", "SHARE", SE_OPT_NUMBER, &o.test, .min = 0, .max = 1,
      .help = "share to test on; unless given, all that is left", .given = &o.test_given },
    { 0, "count", "N", SE_OPT_COUNT, &o.count, .min = 1, .max = 1e6,
      .help = "how many splits" },
    { 0, "stratified", NULL, SE_OPT_FLAG, &o.stratified,
      .help = "divide each class by these shares, not only the whole" },
    { 0, "per-class", "N", SE_OPT_COUNT, &o.per_class, .min = 0, .max = UINT32_MAX,
      .help = "train on N vertices of each class, as Planetoid does, in place of shares; 0: "
              "shares" },
    { 0, "val-count", "N", SE_OPT_COUNT, &o.val_count, .min = 0, .max = UINT32_MAX,
      .help = "with --per-class: validate on N others", .given = &o.val_count_given },
    { 0, "test-count", "N", SE_OPT_COUNT, &o.test_count, .min = 0, .max = UINT32_MAX,
      .help = "with --per-class: test on N others", .given = &o.test_count_given },
    { 0, "append", NULL, SE_OPT_FLAG, &o.append,
      .help = "add to the splits that are there; without it they are replaced" },
    SE_OPTIONS_END
};

static int check_options(struct se_err *err)
{
    if (o.per_class > 0) {
        if (o.train_given || o.val_given || o.test_given || o.stratified)
            return se_fail(err, SE_EUSAGE, "--per-class gives numbers; leave out --train, "
                           "--val, --test and --stratified");
        return 0;
    }
    if (o.val_count_given || o.test_count_given)
        return se_fail(err, SE_EUSAGE, "--val-count and --test-count go with --per-class");
    if (!o.test_given)
        o.test = 1 - o.train - o.val;
    if (o.test < -1e-9 || o.train + o.val + o.test > 1 + 1e-9)
        return se_fail(err, SE_EUSAGE, "the shares add up to %g, which is more than 1",
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

static int split(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct se_split_plan plan = {
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
        return se_fail(err, SE_EINPUT, "no vertices to divide; pipe in a stream with a graph, "
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
    return check_options(err) < 0 ? -1 : se_run_filter(run, split, err);
}

static const struct se_tool tool = {
    .name = "se-split", .brief = "divide the vertices into train, val and test",
    .operands = "[FILE]", .max_operands = 1,
    .has = SE_TOOL_SEED | SE_TOOL_STREAM | SE_TOOL_PASSES,
    .options = options,
    .about =
        "Reads a stream and writes it with new splits: each says of every vertex whether\n"
        "it is for training, validation, testing, or for nothing. Vertices of unknown\n"
        "class are for nothing. A stream without labels can be divided too.\n"
        "\n"
        "Numbers are rounded so that they add up. Split number i depends on the seed and\n"
        "on i alone, so `--count 5` gives the first five of `--count 10`, and a second\n"
        "run with --append and the same seed goes on where the first one ended.\n",
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
