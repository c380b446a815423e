/* info_row.c - se-info --row: the line of metrics.tsv of an iteration of se-gsl */
#include "tools/info_row.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/inspect/info.h"

struct row {
    uint64_t split, run, iteration;
    double k, h1, tree_h, ratio, edges, homophily, val, test;
    uint64_t ms;                /* of all stages of the iteration */
};

static int parse(struct row *r, const char *text, struct se_err *err)
{
    uint64_t *const to[] = { &r->split, &r->run, &r->iteration };
    char copy[80], *at = copy;
    bool good = snprintf(copy, sizeof copy, "%s", text) < (int)sizeof copy;

    for (int i = 0; i < 3; i++) {
        char *field = strsep(&at, ",");

        good = good && field && se_whole_u64(field, to[i]) && *to[i] <= 1000000000;
    }
    return good && !at ? 0 : se_fail(err, SE_EUSAGE, "--row: '%s' is not SPLIT,RUN,ITERATION", text);
}

static double stat_of(const struct se_info *x, const char *name)
{
    const double *found = x->has_stats ? se_stats_find(&x->stats, name) : NULL;

    return found ? *found : NAN;
}

static double share(const struct se_info *x, enum se_split_part part)
{
    const bool known = x->has_predictions && x->has_labels && x->hits.of[part] > 0;

    return known ? (double)x->hits.right[part] / (double)x->hits.of[part] : NAN;
}

static int fill(struct row *r, const struct se_info *x, enum info_computed how,
                const struct se_info *tree, struct se_err *err)
{
    r->k = r->h1 = r->tree_h = r->ratio = NAN;
    if (how == COMPUTED_STATS || how == COMPUTED_TREE) {
        r->k = stat_of(x, "kselect.k");
        r->h1 = stat_of(x, "kselect.h1");
    }
    if (how == COMPUTED_STATS) {
        r->tree_h = stat_of(x, "tree.h");
        r->ratio = r->tree_h / stat_of(x, "tree.h1");
    } else if (how != COMPUTED_NONE) {
        r->h1 = how == COMPUTED_TREE ? r->h1 : tree->has_fused ? tree->fused_facts.h1 : NAN;
        r->tree_h = tree->has_tree && se_info_tree_graph(tree) ? tree->tree_h : NAN;
        r->ratio = tree->has_tree ? se_info_normalised(tree) : NAN;
    }
    r->edges = x->has_graph ? (double)x->graph.m : NAN;
    r->homophily = x->has_graph ? x->graph_facts.homophily : NAN;
    r->val = share(x, SE_SPLIT_VAL);
    r->test = share(x, SE_SPLIT_TEST);
    return !isnan(r->val) && !isnan(r->test) ? 0
         : se_fail(err, SE_EINPUT, "no accuracy on the validation and test parts of split %" PRIu64
                   "; it needs labels, splits and predictions", r->split);
}

/* Milliseconds of all stages, from the record of se-cache; a damaged line counts for nothing. */
static int take_time(struct row *r, const char *record, struct se_err *err)
{
    struct se_bytes all = SE_BYTES_INIT;
    char *save = NULL;

    r->ms = 0;
    if (access(record, F_OK) < 0)
        return 0;
    if (se_slurp(&all, record, 1 << 20, err) < 0)
        return -1;
    for (char *line = strtok_r(all.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        const char *last = strrchr(line, '\t');
        uint64_t ms;

        if (last && se_whole_u64(last + 1, &ms) && ms <= 1000000000)
            r->ms += ms;
    }
    se_bytes_release(&all);
    return 0;
}

static void write_row(const struct row *r, struct se_out *out)
{
    const double value[] = { r->k, r->h1, r->tree_h, r->ratio, r->edges, r->homophily, r->val,
                             r->test };

    se_outf(out, "%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, r->split, r->run, r->iteration);
    for (size_t i = 0; i < sizeof value / sizeof value[0]; i++) {
        se_out_char(out, '\t');
        if (isfinite(value[i]))
            se_out_double(out, value[i]);
        else
            se_out_str(out, "nan");
    }
    se_outf(out, "\t%" PRIu64 ".%03" PRIu64 "\n", r->ms / 1000, r->ms % 1000);
}

/* A number in so many columns, - for none */
static int say(char *to, size_t room, const char *name, int width, int digits, double v)
{
    return isfinite(v) ? snprintf(to, room, "  %s %*.*f", name, width, digits, v)
                       : snprintf(to, room, "  %s %*s", name, width, "-");
}

/* At most 80 columns without `time` */
static void say_row(const struct row *r, bool time, char *said, size_t room)
{
    const struct { const char *name; int width, digits; double value; } part[] = {
        { "k", 3, 0, r->k }, { "H/H1", 5, 3, r->ratio }, { "edges", 7, 0, r->edges },
        { "hom", 4, 2, r->homophily }, { "val", 5, 1, 100 * r->val }, { "test", 5, 1, 100 * r->test }
    };
    int at = snprintf(said, room, "%02" PRIu64 ".%" PRIu64 ".%02" PRIu64, r->split, r->run,
                      r->iteration);

    for (size_t i = 0; i < sizeof part / sizeof part[0] && (size_t)at < room; i++)
        at += say(said + at, room - (size_t)at, part[i].name, part[i].width, part[i].digits,
                  part[i].value);
    if (time && (size_t)at < room)
        snprintf(said + at, room - (size_t)at, "  %" PRIu64 ".%03" PRIu64 " s", r->ms / 1000,
                 r->ms % 1000);
}

/* A file in the folder of the stream */
static const char *beside(const char *path, const char *name, char room[PATH_MAX])
{
    const char *slash = strrchr(path, '/');

    snprintf(room, PATH_MAX, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, name);
    return room;
}

int info_row(struct se_run *run, struct se_stream *s, const char *path, const char *which,
             enum info_computed how, struct se_out *out, struct se_err *err)
{
    const bool look = how == COMPUTED_TREE || how == COMPUTED_ALL;
    struct se_stream other = SE_STREAM_INIT;
    struct row r;
    struct se_info x, tree;
    char room[PATH_MAX], said[160];
    int rc = parse(&r, which, err);

    if (rc == 0)
        rc = se_info_make(&x, s, (int64_t)r.split, err);
    if (rc == 0 && look)
        rc = se_run_read(run, beside(path, "tree.seg", room), &other, err) < 0 ||
             se_info_make(&tree, &other, -1, err) < 0 ? -1 : 0;
    if (rc == 0)
        rc = fill(&r, &x, how, look ? &tree : NULL, err);
    if (rc == 0)
        rc = take_time(&r, beside(path, "stages.tsv", room), err);
    if (rc == 0) {
        write_row(&r, out);
        say_row(&r, run->verbose, said, sizeof said);
        if (!run->quiet)
            fprintf(stderr, "%s\n", said);
    }
    se_stream_release(&other);
    return rc;
}
