/* se-sim.c - find the most similar vertices of every vertex */
#include <inttypes.h>
#include <string.h>

#include "common/cli/tool.h"
#include "common/sim/sim.h"

static struct {
    uint64_t k;
    int metric, on, method;
    double approx;
    const char *rows, *columns;
    uint64_t plan;
    double extra;
} o = { .k = 50, .extra = 15 };

static const struct se_option options[] = {
    { 'k', "neighbours", "KMAX", SE_OPT_COUNT, &o.k, .min = 1, .max = UINT32_MAX,
      .help = "number of neighbours to find for each vertex" },
    { 'm', "metric", NULL, SE_OPT_CHOICE, &o.metric, .words = se_metric_names,
      .help = "similarity of two rows: Pearson correlation or cosine" },
    { 0, "compare-by", "auto|embedding|features", SE_OPT_CHOICE, &o.on,
      .help = "compare vertices by their embedding or their features; auto: by the embedding "
              "if the stream has one", .old = "on" },
    { 0, "method", "auto|product|space|sparse", SE_OPT_CHOICE, &o.method,
      .help = "search method; the result is the same" },
    { 0, "approx", "RECALL", SE_OPT_NUMBER, &o.approx, .min = 0, .max = 1,
      .help = "search approximately until at least this share of the true neighbours is found, as "
              "measured on a sample; 0: exact" },
    { 0, "rows", "A:B", SE_OPT_STRING, &o.rows,
      .help = "find the neighbours of vertices A to B-1 only, counted from 0, and write no "
              "other section; se-cat joins such parts with FILE" },
    { 0, "columns", "C:D", SE_OPT_STRING, &o.columns,
      .help = "with --rows: compare these only with vertices C to D-1, which are the same or come "
              "behind them, and find the neighbours of both" },
    { 0, "plan", "PARTS", SE_OPT_COUNT, &o.plan, .min = 1, .max = 100000,
      .help = "print the options of about so many parts, a line each, or of fewer if so many would "
              "take far more CPU time than a single run; search nothing" },
    { 0, "extra", "PERCENT", SE_OPT_NUMBER, &o.extra, .min = 0, .max = 1e9,
      .help = "with --plan: how much more CPU time than a single run all parts may take together, "
              "roughly" },
    SE_OPTIONS_END
};

/* The ranges of --rows and --columns: "A:B", "A:" or ":B"; parsed before the input is read */
struct range {
    uint64_t first, last;
};
static struct range asked_rows = { 0, UINT64_MAX }, asked_columns = { 0, UINT64_MAX };

static int parse_range(const char *option, const char *text, struct range *x, struct se_err *err)
{
    const char *p = text;

    if (p && ((*p != ':' && !se_parse_u64(&p, &x->first)) || *p++ != ':' ||
              (*p && !se_parse_u64(&p, &x->last)) || *p))
        return se_fail(err, SE_EUSAGE, "--%s: '%s' is not A:B with whole numbers A and B", option,
                       text);
    return 0;
}

static int fit_range(const char *option, const char *text, const struct range *x, uint64_t n,
                     uint64_t *first, uint64_t *last, struct se_err *err)
{
    *first = x->first;
    *last = x->last == UINT64_MAX ? n : x->last;
    if (*first > *last || *last > n)
        return se_fail(err, SE_EINPUT, "--%s %s is out of range: the vertices are 0:%" PRIu64,
                       option, text, n);
    return 0;
}

static int fit_ranges(uint64_t n, struct se_sim_options *ask, struct se_err *err)
{
    if (fit_range("rows", o.rows, &asked_rows, n, &ask->first, &ask->last, err) < 0)
        return -1;
    if (!o.columns)
        return 0;
    if (fit_range("columns", o.columns, &asked_columns, n, &ask->from, &ask->to, err) < 0)
        return -1;
    if (ask->first == ask->last || ask->from == ask->to ||
        (ask->from < ask->last && (ask->from != ask->first || ask->to != ask->last)))
        return se_fail(err, SE_EINPUT, "--columns %s must be the rows, or start behind the last of "
                       "them, and neither may be empty", o.columns);
    return 0;
}

/* A part has only what this run adds: the rest is in the input, to which se-cat joins it. */
static void drop_input(struct se_stream *s)
{
    for (size_t i = s->count; i-- > 0;)
        if (s->section[i].tag != (o.columns ? SE_KNN_BLOCK : SE_KNN))
            se_stream_drop(s, s->section[i].tag);
}

/* Of the blocks that make up a whole only this one has the pair of the first two vertices: it
 * counts the rows of the whole. */
static bool counts_all(const struct se_sim_answer *a, uint64_t n)
{
    return a->to == 0 || (a->first == 0 && a->from <= 1 && (a->to > 1 || n < 2));
}

static int put_stats(const struct se_sim_rows *rows, const struct se_sim_answer *a,
                     struct se_stream *s, struct se_err *err)
{
    if (se_stats_forget(s, "sim.", err) < 0 ||
        se_stats_set(s, "sim.n", (double)rows->n, err) < 0 ||
        se_stats_set(s, "sim.d", (double)rows->d, err) < 0 ||
        se_stats_set(s, "sim.k", (double)a->k, err) < 0)
        return -1;
    if (!counts_all(a, rows->n))
        return 0;
    if (se_stats_set(s, "sim.distinct", (double)a->distinct, err) < 0 ||
        (strcmp(a->engine, "approx") == 0 && se_stats_set(s, "sim.recall", a->recall, err) < 0))
        return -1;
    return a->flats ? se_stats_set(s, "sim.empty", (double)a->flats, err) : 0;
}

static void warn_empty(struct se_run *run, const struct se_sim_rows *rows, uint64_t empty,
                       uint32_t on)
{
    const bool pcc = rows->metric == SE_PCC;

    if (empty)
        se_warn(run, "%" PRIu64 " of %" PRIu64 " rows of %s carry no information (%s): these "
                "vertices get no neighbours%s", empty, rows->n, se_section_name(on),
                pcc ? "all values equal" : "all 0",
                pcc && empty == rows->n ? "; try --metric cosine" : "");
}

static int put(struct se_run *run, const struct se_sim_rows *rows, struct se_sim_answer *a,
               uint32_t on, struct se_stream *s, struct se_err *err)
{
    const uint32_t metric = (uint32_t)rows->metric;

    if ((a->to > 0 ? se_knn_block_room_give(&a->room, metric, on, s, err)
                   : se_knn_room_give(&a->room, metric, on, s, err)) < 0)
        return -1;
    if (o.rows)
        drop_input(s);
    if (a->to > 0 && counts_all(a, rows->n) &&
        se_sim_count(rows, run->threads, &a->distinct, &a->flats, err) < 0)
        return -1;
    if (counts_all(a, rows->n))
        warn_empty(run, rows, a->flats, on);
    return put_stats(rows, a, s, err);
}

static struct se_sim_options options_of(const struct se_run *run)
{
    return (struct se_sim_options){ .k = o.k, .method = (enum se_sim_method)o.method,
                                    .device = (enum se_device)run->device,
                                    .approx = o.approx, .extra = o.extra / 100,
                                    .threads = run->threads };
}

static int rows_make(struct se_run *run, struct se_stream *s, struct se_sim_rows *rows,
                     uint32_t *on, struct se_err *err)
{
    return se_sim_on((enum se_sim_choice)o.on, s, on, err) < 0 ? -1 :
           se_sim_rows_make(rows, s, *on, (enum se_metric)o.metric, run->threads, err);
}

static int search(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct se_sim_rows rows = SE_SIM_ROWS_INIT;
    struct se_sim_answer a = SE_SIM_ANSWER_INIT;
    struct se_progress progress;
    struct se_sim_options ask = options_of(run);
    uint64_t n;
    uint32_t on = 0;
    int rc = -1;

    ask.progress = &progress;
    if (se_stream_vertices(s, &n, err) == 0 && fit_ranges(n, &ask, err) == 0 &&
        rows_make(run, s, &rows, &on, err) == 0) {
        se_progress_begin(run, &progress, "similarity", ask.last - ask.first);
        rc = se_sim_search(&rows, &ask, &a, err);
        se_progress_end(&progress);
    }
    if (rc == 0) {
        se_note(run, "%" PRIu64 " rows of %s, %" PRIu64 " dimensions, %" PRIu64 " distinct, "
                "method %s, %s", rows.n, se_section_name(on), rows.d, a.distinct, a.engine,
                a.where);
        if (strcmp(a.engine, "approx") == 0)
            se_note(run, "recall %.4f on a sample of the rows", a.recall);
        rc = put(run, &rows, &a, on, s, err);
    }
    se_sim_answer_release(&a);
    se_sim_rows_release(&rows);
    return rc;
}

/* --plan: the options of each part, a line each */
static void print_parts(struct se_out *out, const struct se_sim_plan *plan)
{
    for (uint64_t i = 0; i < plan->parts; i++) {
        const struct se_sim_part *p = &plan->part[i];

        se_outf(out, "--rows %" PRIu64 ":%" PRIu64, p->first, p->last);
        if (p->to > 0)
            se_outf(out, " --columns %" PRIu64 ":%" PRIu64, p->from, p->to);
        se_out_char(out, '\n');
    }
}

static int print_plan(struct se_run *run, struct se_err *err)
{
    const char *path = se_run_operand(run, 0);
    const struct se_sim_options ask = options_of(run);
    struct se_stream s = SE_STREAM_INIT;
    struct se_sim_rows rows = SE_SIM_ROWS_INIT;
    struct se_sim_plan plan = SE_SIM_PLAN_INIT;
    struct se_out out;
    uint32_t on = 0;
    int rc = se_run_read(run, path, &s, err);

    if (rc == 0 && ((rc = rows_make(run, &s, &rows, &on, err)) < 0 ||
                    (rc = se_sim_plan_make(&plan, &rows, &ask, o.plan, err)) < 0) &&
        err->code == SE_EINPUT)
        se_err_in(err, se_path_name(path));
    if (rc == 0 && (rc = se_run_begin(run, false, &out, err)) == 0) {
        print_parts(&out, &plan);
        rc = se_run_end(run, &out, rc, err);
    }
    se_sim_plan_release(&plan);
    se_sim_rows_release(&rows);
    se_stream_release(&s);
    return rc;
}

static int run_sim(struct se_run *run, struct se_err *err)
{
    if (o.approx > 0 && (o.method != SE_SIM_AUTO || run->device == SE_DEVICE_CUDA))
        return se_fail(err, SE_EUSAGE, "--approx has its own method, on the CPU; leave out --method "
                       "and --device cuda");
    if (o.columns && (!o.rows || o.approx > 0 || run->device == SE_DEVICE_CUDA ||
                      o.method == SE_SIM_SPACE || o.method == SE_SIM_SPARSE))
        return se_fail(err, SE_EUSAGE, "--columns needs --rows, and --method product on the CPU");
    if (o.plan > 0 && o.rows)
        return se_fail(err, SE_EUSAGE, "--plan is for all rows; leave out --rows");
    if (parse_range("rows", o.rows, &asked_rows, err) < 0 ||
        parse_range("columns", o.columns, &asked_columns, err) < 0)
        return -1;
    return o.plan > 0 ? print_plan(run, err) : se_run_filter(run, search, err);
}

static const struct se_tool tool = {
    .name = "se-sim",
    .brief = "find the most similar vertices of every vertex",
    .operands = "[FILE]",
    .max_operands = 1,
    .has = SE_TOOL_DEVICE | SE_TOOL_STREAM | SE_TOOL_PASSES,
    .options = options,
    .about =
        "Adds the section knn: the KMAX most similar vertices of each vertex, most\n"
        "similar first, with their similarities. The search is exact. Similarities are\n"
        "computed in double precision and rounded to float; ties go to the lower vertex.\n"
        "A row that carries no information (all values equal; for the cosine: all 0) has\n"
        "no neighbours and is no neighbour of others; a warning gives their number.\n"
        "\n"
        "Three search methods give the same result: product (a tiled matrix product,\n"
        "for many dimensions), space (a tree of boxes, for at most 256 dimensions; one\n"
        "or two effective dimensions are sorted instead) and sparse (an inverted index\n"
        "of the columns of sparse features). auto picks the one expected to be fastest.\n"
        "--approx is for many rows of many dimensions: cells of similar rows are\n"
        "compared, in one random division after another, until the recall is reached on\n"
        "a sample of rows that are searched exactly.\n"
        "--device cuda uses product and finds the candidates on a GPU; the output is the\n"
        "same.\n"
        "\n"
        "--rows splits the work over machines. A part holds only its rows of knn and the\n"
        "stats of this run; se-cat FILE PART... gives the output of a single run.\n"
        "product computes each pair of vertices once for both; with --columns parts do\n"
        "so, too: each pair must be in one part. --plan prints such parts.\n",
    .examples =
        "  se-gen -n 500 --seed 1 | se-sim -k 20 | se-export -t knn | head -n 3\n"
        "  se-gen -n 500 --seed 1 -o g.seg\n"
        "  se-sim --rows 0:250 g.seg -o a.seg && se-sim --rows 250:500 g.seg -o b.seg\n"
        "  se-cat g.seg a.seg b.seg | se-check",
    .run = run_sim,
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
