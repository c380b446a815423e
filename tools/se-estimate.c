/* se-estimate.c - estimate the graph from several nearest-neighbour graphs */
#include <inttypes.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/sort.h"
#include "common/cli/tool.h"
#include "common/graph/builder.h"
#include "common/graph/estimate.h"
#include "common/stream/payload.h"

enum { GIVEN_AUTO, GIVEN_ALWAYS, GIVEN_NEVER };

static struct {
    uint64_t k, split;
    double threshold, tolerance;
    int given;
} o = { .k = 9, .threshold = 0.5, .tolerance = 0.01 };

static const struct se_option options[] = {
    { 'k', "neighbours", "K", SE_OPT_COUNT, &o.k, .min = 1, .max = UINT32_MAX,
      .help = "number of neighbours of each vertex in an observation, at most those in its knn" },
    { 't', "threshold", "Q", SE_OPT_NUMBER, &o.threshold, .min = 0, .max = 1,
      .help = "pairs with a probability above Q become edges" },
    { 0, "tolerance", "E", SE_OPT_NUMBER, &o.tolerance, .min = 1e-12, .max = 1,
      .help = "stop when both error rates change by less than E" },
    { 0, "given", "auto|always|never", SE_OPT_CHOICE, &o.given,
      .help = "keep the given edges, too; auto: if more than half of those between training "
              "vertices lie within a class" },
    { 's', "split", "N", SE_OPT_COUNT, &o.split,
      .help = "split whose training labels are used, counted from 0" },
    SE_OPTIONS_END
};

/* What a run works on */
struct job {
    struct se_graph g;
    uint32_t *label;            /* training labels where known, else predictions */
    uint8_t *known;             /* the label is a training label */
    uint64_t classes;
    uint64_t *pair, pairs;      /* sorted; once for each observation */
    struct se_estimate x;
    double homophily;           /* of the edges between training vertices; -1: none */
    bool keep_given;
};

static int read_labels(struct job *j, struct se_stream *s, struct se_err *err)
{
    const uint64_t n = j->g.n;
    struct se_predictions p;
    struct se_labels l = { .n = 0 };
    struct se_splits x = { .n = 0 };

    if (se_predictions_get(&p, s, err) < 0 || se_labels_get(&l, s, err) < 0 ||
        se_splits_get(&x, s, err) < 0 || se_payload_fits(p.n, n, SE_PREDICTIONS, "graph", err) < 0 ||
        se_payload_fits(l.n, n, SE_LABELS, "graph", err) < 0 ||
        se_payload_fits(x.n, n, SE_SPLITS, "graph", err) < 0)
        return -1;
    if (o.split >= x.count)
        return se_fail(err, SE_EINPUT, "splits: no split %" PRIu64 "; the last is %" PRIu64,
                       o.split, x.count - 1);
    j->label = se_alloc(n, sizeof *j->label, err);
    j->known = j->label ? se_zalloc(n, sizeof *j->known, err) : NULL;
    if (!j->known)
        return -1;
    j->classes = l.classes;
    for (uint64_t v = 0; v < n; v++) {
        j->known[v] = x.part[o.split * n + v] == SE_SPLIT_TRAIN && l.label[v] >= 0;
        if (!j->known[v] && (p.label[v] < 0 || (uint64_t)p.label[v] >= l.classes))
            return se_fail(err, SE_EINPUT, "predictions: vertex %" PRIu64 " has none of the %"
                           PRIu64 " classes; predict all vertices with se-train", v, l.classes);
        j->label[v] = (uint32_t)(j->known[v] ? l.label[v] : p.label[v]);
    }
    return 0;
}

/* The pairs of one observation, each once, behind those that are there. */
static int add_observation(struct job *j, struct se_stream *s, size_t *cap, struct se_err *err)
{
    const uint64_t first = j->pairs;
    struct se_knn x;
    uint64_t *scratch, k, kept;

    if (se_knn_get(&x, s, err) < 0 || se_payload_fits(x.n, j->g.n, SE_KNN, "the first input", err) < 0)
        return -1;
    if (x.first != 0 || x.last != x.n)
        return se_fail(err, SE_EINPUT, "knn: only a part of the rows is here; join the parts with "
                       "se-cat");
    k = o.k < x.k ? o.k : x.k;
    if (se_grow(&j->pair, cap, first + x.n * k + 1, sizeof *j->pair, err) < 0)
        return -1;
    for (uint64_t u = 0; u < x.n; u++)
        for (uint64_t i = u * x.k; i < u * x.k + k && x.id[i] != SE_NONE; i++) {
            const uint64_t v = x.id[i];

            j->pair[j->pairs++] = u < v ? u << 32 | v : v << 32 | u;
        }
    scratch = se_alloc(j->pairs - first, sizeof *scratch, err);
    if (!scratch)
        return -1;
    if (j->pairs > first)
        se_sort_u64(j->pair + first, scratch, j->pairs - first);
    free(scratch);
    kept = first;
    for (uint64_t i = first; i < j->pairs; i++)
        if (i == first || j->pair[i] != j->pair[i - 1])
            j->pair[kept++] = j->pair[i];
    j->pairs = kept;
    return 0;
}

/* The first stream is an observation itself; the others are read one by one. */
static int observe(struct job *j, struct se_run *run, struct se_stream *s, struct se_err *err)
{
    const int count = run->operands > 0 ? run->operands : 1;
    uint64_t *scratch;
    size_t cap = 0;

    if (add_observation(j, s, &cap, err) < 0)
        return -1;
    for (int i = 1; i < count; i++) {
        struct se_stream other = SE_STREAM_INIT;
        int rc = se_run_read(run, run->operand[i], &other, err);

        if (rc == 0 && (rc = add_observation(j, &other, &cap, err)) < 0 && err->code == SE_EINPUT)
            se_err_in(err, se_path_name(run->operand[i]));
        se_stream_release(&other);
        if (rc < 0) {
            if (err->code == SE_EINPUT)
                err->code = SE_EIO;             /* it names its file already */
            return -1;
        }
    }
    scratch = se_alloc(j->pairs, sizeof *scratch, err);
    if (!scratch)
        return -1;
    if (j->pairs > 0)
        se_sort_u64(j->pair, scratch, j->pairs);
    free(scratch);
    return se_estimate_make(&j->x, j->pair, j->pairs, (uint64_t)count, j->label, j->g.n, j->classes,
                            o.tolerance, err);
}

static void choose_given(struct job *j)
{
    uint64_t edges = 0, equal = 0;

    for (uint64_t u = 0; u < j->g.n; u++)
        for (uint64_t e = j->g.off[u]; e < j->g.off[u + 1]; e++)
            if (j->known[u] && j->known[j->g.to[e]]) {
                edges++;
                equal += j->label[u] == j->label[j->g.to[e]];
            }
    j->homophily = edges > 0 ? (double)equal / (double)edges : -1;
    j->keep_given = o.given == GIVEN_ALWAYS || (o.given == GIVEN_AUTO && j->homophily > 0.5);
}

/* Is this pair of classes so dense that pairs which nothing has seen are edges, too? */
static bool joins_all(const struct job *j, uint64_t r, uint64_t s)
{
    const uint64_t at = se_estimate_at(&j->x, r, s, 0);

    return j->x.pairs[at] > 0 && j->x.q[at] > o.threshold;
}

/* A few of them may be, such as those of a class with hardly any vertex; more than there are pairs
 * that something has seen would be a graph of nearly all pairs. */
static int check_unseen(const struct job *j, bool *unseen, struct se_err *err)
{
    const struct se_estimate *x = &j->x;
    double sum = 0;

    for (uint64_t r = 0; r < x->classes; r++)
        for (uint64_t s = r; s < x->classes; s++) {
            const uint64_t at = se_estimate_at(x, r, s, 0);

            if (!joins_all(j, r, s))
                continue;
            if ((sum += x->pairs[at]) > (double)j->pairs)
                return se_fail(err, SE_EINPUT, "%.0f pairs of classes %" PRIu64 " and %" PRIu64
                               " that no observation has would become edges (probability %.3g); "
                               "raise --threshold", x->pairs[at], r, s, x->q[at]);
        }
    *unseen = sum > 0;
    return 0;
}

static bool was_seen(const struct job *j, uint64_t u, uint64_t v)
{
    const uint64_t pair = u < v ? u << 32 | v : v << 32 | u;
    uint64_t low = 0, high = j->pairs;

    while (low < high) {
        const uint64_t mid = low + (high - low) / 2;

        if (j->pair[mid] < pair)
            low = mid + 1;
        else
            high = mid;
    }
    return low < j->pairs && j->pair[low] == pair;
}

/* The pairs of such classes that nothing has seen: check_unseen() knows that there are not many. */
static int add_unseen(const struct job *j, struct se_builder *b, uint64_t *edges, struct se_err *err)
{
    const uint64_t n = j->g.n, classes = j->x.classes;
    uint64_t *off = se_zalloc(classes + 2, sizeof *off, err);
    uint32_t *member = off ? se_alloc(n, sizeof *member, err) : NULL;
    int rc = member ? 0 : -1;

    for (uint64_t v = 0; rc == 0 && v < n; v++)
        off[j->label[v] + 2]++;
    for (uint64_t r = 0; rc == 0 && r < classes; r++)
        off[r + 2] += off[r + 1];
    for (uint64_t v = 0; rc == 0 && v < n; v++)
        member[off[j->label[v] + 1]++] = (uint32_t)v;
    for (uint64_t r = 0; rc == 0 && r < classes; r++)
        for (uint64_t s = r; s < classes; s++)
            for (uint64_t i = off[r]; joins_all(j, r, s) && i < off[r + 1]; i++)
                for (uint64_t k = r == s ? i + 1 : off[s]; rc == 0 && k < off[s + 1]; k++)
                    if (!was_seen(j, member[i], member[k])) {
                        rc = se_builder_add(b, member[i], member[k], 1, err);
                        ++*edges;
                    }
    free(off);
    free(member);
    return rc;
}

static int put(const struct job *j, struct se_stream *s, bool unseen, uint64_t *edges,
               struct se_err *err)
{
    struct se_builder b = { .n = j->g.n };
    struct se_built built;
    int rc;

    *edges = 0;
    rc = unseen ? add_unseen(j, &b, edges, err) : 0;
    for (uint64_t i = 0, last; rc == 0 && i < j->pairs; i = last) {
        const uint32_t u = (uint32_t)(j->pair[i] >> 32), v = (uint32_t)j->pair[i];

        for (last = i + 1; last < j->pairs && j->pair[last] == j->pair[i]; last++)
            ;
        if (j->x.q[se_estimate_at(&j->x, j->label[u], j->label[v], last - i)] > o.threshold) {
            rc = se_builder_add(&b, u, v, 1, err);
            ++*edges;
        }
    }
    for (uint64_t u = 0; rc == 0 && j->keep_given && u < j->g.n; u++)
        for (uint64_t e = j->g.off[u]; rc == 0 && e < j->g.off[u + 1]; e++)
            rc = se_builder_add(&b, (uint32_t)u, j->g.to[e], 1, err);
    if (rc == 0)
        rc = se_builder_put(&b, s, SE_GRAPH, SE_MERGE_SUM, false, &built, err);
    se_builder_release(&b);
    return rc;
}

static int finish(struct job *j, struct se_run *run, struct se_stream *s, struct se_err *err)
{
    uint64_t edges;
    bool unseen = false;

    choose_given(j);
    if (check_unseen(j, &unseen, err) < 0 || put(j, s, unseen, &edges, err) < 0)
        return -1;
    if (o.given == GIVEN_AUTO)
        se_note(run, "the given edges are %s: %.0f %% of those between training vertices join one "
                "class", j->keep_given ? "kept" : "dropped",
                j->homophily < 0 ? 0 : 100 * j->homophily);
    se_note(run, "%" PRIu64 " edges estimated in %" PRIu64 " steps, true rate %.3g, false rate %.3g",
            edges, j->x.steps, j->x.alpha, j->x.beta);
    return se_stats_forget(s, "estimate.", err) < 0 ||
           se_stats_set(s, "estimate.alpha", j->x.alpha, err) < 0 ||
           se_stats_set(s, "estimate.beta", j->x.beta, err) < 0 ||
           se_stats_set(s, "estimate.steps", (double)j->x.steps, err) < 0 ||
           se_stats_set(s, "estimate.edges", (double)edges, err) < 0 ||
           se_stats_set(s, "estimate.given", j->keep_given, err) < 0 ? -1 : 0;
}

static int estimate(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct job j = { .x = SE_ESTIMATE_INIT };
    int rc = se_graph_get(&j.g, s, SE_GRAPH, err);

    if (rc == 0)
        rc = read_labels(&j, s, err);
    if (rc == 0)
        rc = observe(&j, run, s, err);
    if (rc == 0)
        rc = finish(&j, run, s, err);
    se_estimate_release(&j.x);
    free(j.label);
    free(j.known);
    free(j.pair);
    return rc;
}

static int run_estimate(struct se_run *run, struct se_err *err)
{
    if (run->operands > SE_MOST_OBSERVATIONS)
        return se_fail(err, SE_EUSAGE, "%d observations are too many; at most %d", run->operands,
                       SE_MOST_OBSERVATIONS);
    return se_run_filter(run, estimate, err);
}

static const struct se_tool tool = {
    .name = "se-estimate", .brief = "estimate the graph from several nearest-neighbour graphs",
    .operands = "[FILE ...]", .max_operands = -1,
    .has = SE_TOOL_KEEP | SE_TOOL_STREAM | SE_TOOL_PASSES, .options = options,
    .about =
        "Reads streams with a knn section each, treats them as observations of one\n"
        "unknown graph, and writes the first stream with the graph that explains them\n"
        "best (GEN). Each observation contains a true edge with probability a and any\n"
        "other pair with probability b; a pair of classes r and s is an edge with\n"
        "probability O_rs. Expectation maximisation estimates these numbers, and from\n"
        "them the probability of each pair. The classes are the predictions of the first\n"
        "stream, replaced by the labels of the training vertices; no other label is\n"
        "read.\n"
        "\n"
        "Each step is exact and takes time proportional to classes^2, not to the number\n"
        "of pairs. Pairs that occur in no observation can become edges, such as those of\n"
        "a class with few vertices; it is an error if they are more than those that do.\n",
    .examples =
        "  se-train g.seg | se-sim -k 9 --compare-by features -o x.seg\n"
        "  se-train g.seg | se-sim -k 9 -o z.seg\n"
        "  se-train --embed hidden g.seg | se-sim -k 9 -o h.seg\n"
        "  se-estimate x.seg h.seg z.seg -o new.seg\n",
    .run = run_estimate
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
