/* crosscheck_derived.c - do knn, fused and tree say what the sections they were made from say? */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/graph/adjacency.h"
#include "common/graph/entropy.h"
#include "common/inspect/crosscheck.h"
#include "common/sim/sim.h"
#include "common/stream/payload.h"

enum { ROWS_PER_TASK = 64, SEARCHED = 64, SAMPLES = 1001 };
static const double sim_slack = 1e-5;   /* other devices add up in another order */
static const double clip_slack = 1e-6;

/* --- knn --- */

/* Ties in the order of ids, nobody twice, similarities that a correlation can have */
static int check_rows(const struct se_knn *x, struct se_err *err)
{
    uint32_t *seen = se_zalloc(x->n, sizeof *seen, err);
    int rc = seen ? 0 : -1;

    for (uint64_t r = 0; rc == 0 && r < x->last - x->first; r++)
        for (uint64_t i = r * x->k; rc == 0 && i < (r + 1) * x->k; i++) {
            const float sim = x->similarity[i];
            const uint64_t u = x->first + r;

            if (x->id[i] == SE_NONE)            /* no more neighbours */
                break;
            if (fabs((double)sim) > 1 + sim_slack)
                rc = se_payload_fail(err, SE_KNN, "vertices %" PRIu64 " and %" PRIu32 " have "
                                     "similarity %.9g", u, x->id[i], (double)sim);
            else if (seen[x->id[i]] == r + 1)
                rc = se_payload_fail(err, SE_KNN, "vertex %" PRIu64 " has neighbour %" PRIu32
                                     " twice", u, x->id[i]);
            else if (i > r * x->k && sim == x->similarity[i - 1] && x->id[i] < x->id[i - 1])
                rc = se_payload_fail(err, SE_KNN, "vertex %" PRIu64 " has neighbour %" PRIu32
                                     " before %" PRIu32 " of the same similarity", u,
                                     x->id[i - 1], x->id[i]);
            seen[x->id[i]] = (uint32_t)(r + 1);
        }
    free(seen);
    return rc;
}

struct comparison {
    const struct se_knn *knn;
    struct se_sim_query *query; /* per thread */
    uint64_t *fault;            /* per task: first entry that differs, UINT64_MAX: none */
    float *is;                  /* and what it should be */
};

static void compare_rows(void *arg, uint64_t task, int thread)
{
    struct comparison *c = arg;
    const struct se_knn *x = c->knn;
    const uint64_t rows = x->last - x->first;
    uint64_t r = task * ROWS_PER_TASK;

    c->fault[task] = UINT64_MAX;
    for (uint64_t stop = r + ROWS_PER_TASK; r < rows && r < stop; r++) {
        se_sim_query_set(&c->query[thread], x->first + r);
        for (uint64_t i = r * x->k; i < (r + 1) * x->k && x->id[i] != SE_NONE; i++) {
            c->is[task] = se_sim_query_with(&c->query[thread], x->id[i]);
            if (fabs((double)c->is[task] - (double)x->similarity[i]) > sim_slack) {
                c->fault[task] = i;
                return;
            }
        }
    }
}

static int compare(const struct se_knn *x, struct se_sim_query *query, int threads,
                   struct se_err *err)
{
    const uint64_t tasks = (x->last - x->first + ROWS_PER_TASK - 1) / ROWS_PER_TASK;
    struct comparison c = { x, query, se_alloc(tasks, sizeof *c.fault, err), NULL };
    int rc = -1;

    c.is = c.fault ? se_alloc(tasks, sizeof *c.is, err) : NULL;
    if (c.is) {
        se_parallel(threads, tasks, compare_rows, &c);
        rc = 0;
    }
    for (uint64_t t = 0; rc == 0 && t < tasks; t++)
        if (c.fault[t] != UINT64_MAX)
            rc = se_payload_fail(err, SE_KNN, "vertices %" PRIu64 " and %" PRIu32 " have "
                                 "similarity %.9g, but by the %s it is %.9g",
                                 x->first + c.fault[t] / x->k, x->id[c.fault[t]],
                                 (double)x->similarity[c.fault[t]], se_section_name(x->on),
                                 (double)c.is[t]);
    free(c.fault);
    free(c.is);
    return rc;
}

/* An approximate search says its recall, and may have missed some. */
static int is_exact(struct se_stream *s, bool *exact, struct se_err *err)
{
    double recall;
    const int there = se_stats_value(s, "sim.recall", &recall, err);

    *exact = there == 0;
    return there < 0 ? -1 : 0;
}

/* Of some rows all other vertices are asked: none may be nearer than the last neighbour.  A row
 * without variance has none and is none. */
static int search(const struct se_knn *x, struct se_sim_query *q, struct se_err *err)
{
    const struct se_sim_scale *scale = q->rows->scale;
    const uint64_t rows = x->last - x->first, step = rows / SEARCHED + 1;
    uint64_t *listed = se_zalloc(x->n, sizeof *listed, err);
    int rc = listed ? 0 : -1;

    for (uint64_t r = 0; rc == 0 && x->k > 0 && r < rows; r += step) {
        double last = -2;

        if (scale[x->first + r].inverse == 0)
            continue;
        for (uint64_t i = r * x->k; i < (r + 1) * x->k && x->id[i] != SE_NONE; i++) {
            listed[x->id[i]] = r + 1;
            last = i + 1 == (r + 1) * x->k ? (double)x->similarity[i] : -2;
        }
        listed[x->first + r] = r + 1;
        se_sim_query_set(q, x->first + r);
        for (uint64_t v = 0; rc == 0 && v < x->n; v++)
            if (listed[v] != r + 1 && scale[v].inverse != 0 &&
                (double)se_sim_query_with(q, v) > last + sim_slack)
                rc = se_payload_fail(err, SE_KNN, "vertex %" PRIu64 " lacks its neighbour %"
                                     PRIu64 ", which is nearer than its last", x->first + r, v);
    }
    free(listed);
    return rc;
}

static int check_similarities(struct se_stream *s, const struct se_knn *x, int threads,
                              struct se_err *err)
{
    struct se_sim_rows rows = SE_SIM_ROWS_INIT;
    struct se_sim_query *query = se_zalloc((uint64_t)threads, sizeof *query, err);
    bool exact = true;
    int rc = query ? se_sim_rows_make(&rows, s, x->on, (enum se_metric)x->metric, threads, err)
                   : -1;

    if (rc == 0)
        rc = is_exact(s, &exact, err);

    for (int i = 0; rc == 0 && i < threads; i++)
        rc = se_sim_query_init(&query[i], &rows, err);
    if (rc == 0)
        rc = compare(x, query, threads, err) < 0 ||
             (exact && search(x, &query[0], err) < 0) ? -1 : 0;
    for (int i = 0; query && i < threads; i++)
        se_sim_query_release(&query[i]);
    free(query);
    se_sim_rows_release(&rows);
    return rc;
}

int se_deep_knn(struct se_stream *s, int threads, struct se_err *err)
{
    const uint32_t from = se_stream_find(s, SE_KNN)->origin[0].tag;
    struct se_knn x;

    if (se_knn_get(&x, s, err) < 0)
        return -1;
    if (from && from != x.on)
        return se_payload_fail(err, SE_KNN, "was made from %s, but says from %s",
                               se_section_name(from), se_section_name(x.on));
    if ((x.k > 0 && check_rows(&x, err) < 0) ||
        se_deep_stat(s, "sim.n", (double)x.n, 0, err) < 0 ||
        se_deep_stat(s, "sim.k", (double)x.k, 0, err) < 0)
        return -1;
    return se_stream_has(s, x.on) ? check_similarities(s, &x, threads, err) : 0;
}

/* --- fused --- */

struct fusion {
    struct se_graph graph, fused;
    struct se_knn knn;
    uint64_t k;                 /* neighbours that were taken; 0: not known */
    double mean;                /* M, NAN: not known */
    double usual;               /* mean weight that old edges were divided by, 0: none */
    float *sim;                 /* per edge of fused: S, NAN where it is not known */
    uint32_t *rank;             /* per edge of fused: best place in knn, 0: in none */
};

/* The place of the edge u - v, or UINT64_MAX */
static uint64_t find_edge(const struct se_graph *g, uint64_t u, uint64_t v)
{
    return u < v ? se_row_find(g, u, v) : se_row_find(g, v, u);
}

static int bad_pair(struct se_err *err, uint64_t u, uint64_t v, const char *why)
{
    return se_payload_fail(err, SE_FUSED, "pair %" PRIu64 " - %" PRIu64 " %s", u, v, why);
}

/* Every old edge is there, and every neighbour up to k. */
static int find_members(struct fusion *f, struct se_err *err)
{
    const struct se_knn *x = &f->knn;

    for (uint64_t u = 0; u < f->graph.n; u++)
        for (uint64_t e = f->graph.off[u]; e < f->graph.off[u + 1]; e++)
            if (find_edge(&f->fused, u, f->graph.to[e]) == UINT64_MAX)
                return bad_pair(err, u, f->graph.to[e], "is missing; it is an edge of the graph");
    for (uint64_t i = 0; i < (x->last - x->first) * x->k; i++) {
        const uint64_t u = x->first + i / x->k, rank = i % x->k + 1;
        const uint64_t e = x->id[i] == SE_NONE ? UINT64_MAX
                                               : find_edge(&f->fused, u, x->id[i]);

        if (x->id[i] == SE_NONE)
            continue;
        if (e == UINT64_MAX) {
            if (rank <= f->k)
                return bad_pair(err, u, x->id[i], "is missing; it is among the nearest "
                                "neighbours");
            continue;
        }
        f->sim[e] = x->similarity[i];
        if (f->rank[e] == 0 || rank < f->rank[e])
            f->rank[e] = (uint32_t)rank;
    }
    return 0;
}

/* S of the old edges that knn does not have, where their rows are there */
static int find_rest(struct se_stream *s, struct fusion *f, struct se_err *err)
{
    struct se_sim_rows rows = SE_SIM_ROWS_INIT;
    struct se_sim_query q = SE_SIM_QUERY_INIT;
    int rc = -1;

    if (!se_stream_has(s, f->knn.on))
        return 0;
    if (se_sim_rows_make(&rows, s, f->knn.on, (enum se_metric)f->knn.metric, 1, err) == 0 &&
        se_sim_query_init(&q, &rows, err) == 0) {
        for (uint64_t u = 0; u < f->fused.n; u++)
            for (uint64_t e = f->fused.off[u]; e < f->fused.off[u + 1]; e++)
                if (isnan(f->sim[e])) {
                    if (q.i != u)
                        se_sim_query_set(&q, u);
                    f->sim[e] = se_sim_query_with(&q, f->fused.to[e]);
                }
        rc = 0;
    }
    se_sim_query_release(&q);
    se_sim_rows_release(&rows);
    return rc;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* How much S + shift of a pair counts: 1, or its weight in the graph beside the mean weight */
static double scale_of(const struct fusion *f, uint64_t u, uint64_t v)
{
    const uint64_t old = f->usual > 0 ? find_edge(&f->graph, u, v) : UINT64_MAX;

    return old == UINT64_MAX ? 1 : (double)f->graph.weight[old] / f->usual;
}

/* A pair that was clipped weighs M alone. */
static bool is_clipped(const struct fusion *f, double weight)
{
    return fabs(weight - f->mean) < clip_slack;
}

/* The shift and M, which are added to a similarity that counts once: the median over some of the
 * pairs that were not clipped. */
static double added(const struct fusion *f)
{
    const struct se_graph *g = &f->fused;
    const uint64_t step = g->m / SAMPLES + 1;
    double have[SAMPLES];
    size_t count = 0;

    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t e = g->off[u]; e < g->off[u + 1] && count < SAMPLES; e++)
            if (e % step == 0 && !isnan(f->sim[e]) && !is_clipped(f, (double)g->weight[e]) &&
                scale_of(f, u, g->to[e]) == 1)
                have[count++] = (double)g->weight[e] - (double)f->sim[e];
    if (count == 0)
        return NAN;
    qsort(have, count, sizeof have[0], ascending);
    return have[count / 2];
}

static int check_pairs(const struct fusion *f, bool complete, struct se_err *err)
{
    const struct se_graph *g = &f->fused;
    const double more = added(f);

    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++) {
            const double w = (double)g->weight[e], scale = scale_of(f, u, g->to[e]);
            const double wanted = scale == 1 ? (double)f->sim[e] + more
                                  : scale * ((double)f->sim[e] + more - f->mean) + f->mean;
            const bool old = find_edge(&f->graph, u, g->to[e]) != UINT64_MAX;

            if (complete && !old && f->rank[e] == 0)
                return bad_pair(err, u, g->to[e], "is neither an edge nor among the neighbours");
            if (complete && !old && f->k > 0 && f->rank[e] > f->k)
                return bad_pair(err, u, g->to[e], "is not among the nearest neighbours that "
                                "kselect.k tells of");
            if (isnan(wanted) || is_clipped(f, w) ||
                fabs(w - wanted) <= 1e-4 * fmax(fmax(1, scale), fabs(wanted)))
                continue;
            return se_payload_fail(err, SE_FUSED, "pair %" PRIu64 " - %" PRIu32 " weighs %.9g, "
                                   "but its similarity says %.9g", u, g->to[e], w, wanted);
        }
    return 0;
}

static int check_fusion(struct se_stream *s, struct fusion *f, struct se_err *err)
{
    const bool complete = f->knn.first == 0 && f->knn.last == f->knn.n;
    double k = 0;

    f->mean = NAN;
    if (se_stats_value(s, "kselect.k", &k, err) < 0 ||
        se_stats_value(s, "kselect.mean", &f->mean, err) < 0 ||
        se_stats_value(s, "kselect.weight", &f->usual, err) < 0)
        return -1;
    if (f->usual > 0 && !f->graph.weight)
        return se_payload_fail(err, SE_STATS, "kselect.weight is %.9g, but the graph has no "
                               "weights", f->usual);
    if (k < 0 || k > (double)f->knn.k || k != floor(k))
        return se_payload_fail(err, SE_STATS, "kselect.k is %.9g, but knn has %" PRIu64
                               " neighbours", k, f->knn.k);
    f->k = (uint64_t)k;
    for (uint64_t e = 0; e < f->fused.m; e++)
        f->sim[e] = NAN;
    return find_members(f, err) < 0 || find_rest(s, f, err) < 0 ||
           check_pairs(f, complete, err) < 0 ? -1 : 0;
}

/* Other tools than se-kselect make fused graphs, too, and not from knn. */
static bool is_from_knn(struct se_stream *s)
{
    const struct se_section *x = se_stream_find(s, SE_FUSED);

    for (int i = 0; i < SE_ORIGINS; i++)
        if (x->origin[i].tag == SE_KNN)
            return se_stream_has(s, SE_GRAPH) && se_stream_has(s, SE_KNN);
    return false;
}

int se_deep_fused(struct se_stream *s, struct se_err *err)
{
    struct fusion f = { .k = 0 };
    double h1 = 0;
    int rc = 0;

    if (se_graph_get(&f.fused, s, SE_FUSED, err) < 0 || se_entropy1(&f.fused, &h1, err) < 0)
        return -1;
    if (!f.fused.weight && f.fused.m + f.fused.loops > 0)
        return se_payload_fail(err, SE_FUSED, "has no weights");
    if (is_from_knn(s)) {
        if (se_graph_get(&f.graph, s, SE_GRAPH, err) < 0 || se_knn_get(&f.knn, s, err) < 0)
            return -1;
        f.sim = se_alloc(f.fused.m, sizeof *f.sim, err);
        f.rank = f.sim ? se_zalloc(f.fused.m, sizeof *f.rank, err) : NULL;
        rc = f.rank ? check_fusion(s, &f, err) : -1;
        free(f.sim);
        free(f.rank);
    }
    return rc < 0 || se_deep_stat(s, "kselect.edges", (double)f.fused.m, 0, err) < 0 ||
           se_deep_stat(s, "kselect.h1", h1, 1e-5, err) < 0 ? -1 : 0;
}

/* --- tree --- */

/* H of its definition against what stats says, on the graph that it names or else lies beside */
int se_deep_tree(struct se_stream *s, struct se_err *err)
{
    const uint32_t from = se_stream_find(s, SE_TREE)->origin[0].tag;
    const uint32_t on = from ? from : se_graph_current(s);
    struct se_measure m = SE_MEASURE_INIT;
    struct se_tree t;
    struct se_graph g;
    double h1 = 0;
    int rc;

    if (se_tree_get(&t, s, err) < 0 ||
        se_deep_stat(s, "tree.nodes", (double)t.nodes, 0, err) < 0)
        return -1;
    if (!se_stream_has(s, on))
        return 0;
    if (se_graph_get(&g, s, on, err) < 0)
        return -1;
    rc = se_measure_make(&m, &t, &g, err) < 0 || se_entropy1(&g, &h1, err) < 0 ||
                 se_deep_stat(s, "tree.height", m.height, 0, err) < 0 ||
                 se_deep_stat(s, "tree.h1", h1, 1e-9, err) < 0 ||
                 se_deep_stat(s, "tree.h", m.h, 1e-9, err) < 0 ? -1 : 0;
    se_measure_release(&m);
    return rc;
}
