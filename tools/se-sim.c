/* se-sim.c - find the most similar vertices of every vertex */
#include <inttypes.h>
#include <string.h>

#include "common/cli/tool.h"
#include "common/sim/sim.h"

static struct {
    uint64_t k;
    int metric, on, method;
    double approx;
    const char *rows;
} o = { .k = 50 };

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
    SE_OPTIONS_END
};

/* The range of --rows "A:B", "A:" or ":B"; parsed before the input is read */
static uint64_t first, last = UINT64_MAX;

static int parse_rows(struct se_err *err)
{
    const char *p = o.rows;

    if (p && ((*p != ':' && !se_parse_u64(&p, &first)) || *p++ != ':' ||
              (*p && !se_parse_u64(&p, &last)) || *p))
        return se_fail(err, SE_EUSAGE, "--rows: '%s' is not A:B with whole numbers A and B",
                       o.rows);
    return 0;
}

static int fit_rows(uint64_t n, struct se_sim_options *ask, struct se_err *err)
{
    ask->first = first;
    ask->last = last == UINT64_MAX ? n : last;
    if (first > ask->last || ask->last > n)
        return se_fail(err, SE_EINPUT, "--rows %s is out of range: the vertices are 0:%" PRIu64,
                       o.rows, n);
    return 0;
}

/* A part has only what this run adds: the rest is in the input, to which se-cat joins it. */
static void drop_input(struct se_stream *s)
{
    for (size_t i = s->count; i-- > 0;)
        if (s->section[i].tag != SE_KNN)
            se_stream_drop(s, s->section[i].tag);
}

static int put(const struct se_sim_rows *rows, struct se_sim_answer *a, uint32_t on,
               struct se_stream *s, struct se_err *err)
{
    if (se_knn_room_give(&a->room, (uint32_t)rows->metric, on, s, err) < 0)
        return -1;
    if (o.rows)
        drop_input(s);
    if (se_stats_forget(s, "sim.", err) < 0 ||
        se_stats_set(s, "sim.n", (double)rows->n, err) < 0 ||
        se_stats_set(s, "sim.d", (double)rows->d, err) < 0 ||
        se_stats_set(s, "sim.k", (double)a->k, err) < 0 ||
        se_stats_set(s, "sim.distinct", (double)a->distinct, err) < 0)
        return -1;
    if (strcmp(a->engine, "approx") == 0 && se_stats_set(s, "sim.recall", a->recall, err) < 0)
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

static int search(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct se_sim_rows rows = SE_SIM_ROWS_INIT;
    struct se_sim_answer a = SE_SIM_ANSWER_INIT;
    struct se_progress progress;
    struct se_sim_options ask = { .k = o.k, .method = (enum se_sim_method)o.method,
                              .device = (enum se_device)run->device,
                              .approx = o.approx, .threads = run->threads,
                              .progress = &progress };
    uint64_t n;
    uint32_t on = 0;
    int rc = -1;

    if (se_sim_on((enum se_sim_choice)o.on, s, &on, err) == 0 &&
        se_stream_vertices(s, &n, err) == 0 && fit_rows(n, &ask, err) == 0 &&
        se_sim_rows_make(&rows, s, on, (enum se_metric)o.metric, run->threads, err) == 0) {
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
        warn_empty(run, &rows, a.flats, on);
        rc = put(&rows, &a, on, s, err);
    }
    se_sim_answer_release(&a);
    se_sim_rows_release(&rows);
    return rc;
}

static int run_sim(struct se_run *run, struct se_err *err)
{
    if (o.approx > 0 && (o.method != SE_SIM_AUTO || run->device == SE_DEVICE_CUDA))
        return se_fail(err, SE_EUSAGE, "--approx has its own method, on the CPU; leave out --method "
                       "and --device cuda");
    return parse_rows(err) < 0 ? -1 : se_run_filter(run, search, err);
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
        "stats of this run; se-cat FILE PART... gives the output of a single run.\n",
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
