/* se-sim.c - find the most similar vertices of every vertex */
#include <inttypes.h>

#include "common/sim/sim.h"
#include "common/cli/tool.h"

static struct {
    uint64_t k;
    int metric, on, method;
    const char *rows;
} o = { .k = 50 };

static const struct se_option options[] = {
    { 'k', "neighbours", "KMAX", SE_OPT_COUNT, &o.k, .min = 1, .max = UINT32_MAX,
      .help = "how many neighbours of each vertex to find; all others if there are fewer" },
    { 'm', "metric", "pcc|cosine", SE_OPT_CHOICE, &o.metric,
      .help = "similarity of two rows: Pearson's correlation, or the cosine" },
    { 0, "on", "auto|embedding|features", SE_OPT_CHOICE, &o.on,
      .help = "whose rows: the embedding's, the features', or the embedding's if there "
              "is one" },
    { 0, "method", "auto|product|space|sparse", SE_OPT_CHOICE, &o.method,
      .help = "how to search; the answer is the same" },
    { 0, "rows", "A:B", SE_OPT_STRING, &o.rows,
      .help = "only the neighbours of the vertices A to B-1, counted from 0; se-cat joins "
              "such parts" },
    SE_OPTIONS_END
};

/* What --rows "A:B", "A:" or ":B" says, before anything is read */
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

static int fit_rows(uint64_t n, struct se_sim_ask *ask, struct se_err *err)
{
    ask->first = first;
    ask->last = last == UINT64_MAX ? n : last;
    if (first > ask->last || ask->last > n)
        return se_fail(err, SE_EINPUT, "--rows %s does not fit: the vertices are 0:%" PRIu64,
                       o.rows, n);
    return 0;
}

static int put(const struct se_sim_rows *rows, struct se_sim_answer *a, uint32_t on,
               struct se_stream *s, struct se_err *err)
{
    if (se_knn_room_give(&a->room, (uint32_t)rows->metric, on, s, err) < 0 ||
        se_stats_forget(s, "sim.", err) < 0 ||
        se_stats_set(s, "sim.n", (double)rows->n, err) < 0 ||
        se_stats_set(s, "sim.d", (double)rows->d, err) < 0 ||
        se_stats_set(s, "sim.k", (double)a->k, err) < 0 ||
        se_stats_set(s, "sim.distinct", (double)a->distinct, err) < 0)
        return -1;
    return 0;
}

static int search(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct se_sim_rows rows = SE_SIM_ROWS_INIT;
    struct se_sim_answer a = SE_SIM_ANSWER_INIT;
    struct se_progress progress;
    struct se_sim_ask ask = { .k = o.k, .method = (enum se_sim_method)o.method,
                              .device = (enum se_device)run->device,
                              .threads = run->threads, .progress = &progress };
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
        rc = put(&rows, &a, on, s, err);
    }
    se_sim_answer_release(&a);
    se_sim_rows_release(&rows);
    return rc;
}

static int run_sim(struct se_run *run, struct se_err *err)
{
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
        "Adds the section knn: for each vertex the KMAX others whose rows are most\n"
        "similar to its own, best first, with their similarity.  The search is exact.\n"
        "Similarities are computed in double precision and rounded to float; where they\n"
        "are then equal, the lower vertex comes first.  A row without variance (for the\n"
        "cosine: without length) has similarity 0 with every other.\n"
        "\n"
        "Three ways to search give the same answer: product is a matrix product in\n"
        "tiles, for many dimensions; space is a tree of boxes, for few (up to 256 at\n"
        "most; one or two effective dimensions are sorted instead); sparse goes through\n"
        "an index of the columns of sparse features.  auto takes the one that should be\n"
        "fastest.  --device cuda takes product and finds the candidates on a GPU; what\n"
        "is written is the same.",
    .examples =
        "  se-gen -n 500 --seed 1 | se-sim -k 20 | se-export -t knn | head -n 3\n"
        "  se-gen -n 500 --seed 1 -o g.seg\n"
        "  se-sim --rows 0:250 g.seg -o a.seg && se-sim --rows 250:500 g.seg -o b.seg\n"
        "  se-cat a.seg b.seg | se-check",
    .run = run_sim,
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
