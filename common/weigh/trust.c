/* trust.c - how plausible each edge is */
#include "common/weigh/trust.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/base/rank.h"
#include "common/base/rng.h"
#include "common/graph/wedge.h"
#include "common/stream/payload.h"
#include "common/tree/depth.h"
#include "common/tree/tree_build.h"

enum { WEDGE_K = 8, TREE_K = 3, HEIGHT = 8, MOST_THROUGH = 256, BLOCK = 4096 };
static const double edge_bonus = 0.01;

/* The edges, the first k neighbours of each vertex that are similar at all, and `more`. */
static int unite(struct se_pairs *p, const struct se_trust *w, uint64_t k,
                 const struct se_pairs *more, struct se_err *err)
{
    const struct se_sim_answer *a = &w->near;
    const uint64_t have = w->rows_there ? (k < a->k ? k : a->k) : 0;
    const uint64_t extra = more ? more->count : 0;

    p->count = 0;
    p->key = se_alloc(w->edges.count + w->g.n * have + extra, sizeof *p->key, err);
    if (!p->key)
        return -1;
    memcpy(p->key, w->edges.key, w->edges.count * sizeof *p->key);
    p->count = w->edges.count;
    for (uint64_t u = 0; u < w->g.n; u++)
        for (uint64_t i = u * a->k; i < u * a->k + have && a->similarity[i] > 0; i++) {
            const uint64_t v = a->id[i];

            p->key[p->count++] = u < v ? u << 32 | v : v << 32 | u;
        }
    for (uint64_t i = 0; i < extra; i++)
        p->key[p->count++] = more->key[i];
    return se_pairs_sort(p, err);
}

/* ---- f ---- */

struct comparing {
    const struct se_pairs *pairs;
    struct se_sim_query *query;
    double *f;
};

static void compare_block(void *arg, uint64_t task, int thread)
{
    const struct comparing *c = arg;
    struct se_sim_query *q = &c->query[thread];
    const uint64_t from = task * BLOCK;
    const uint64_t to = c->pairs->count - from < BLOCK ? c->pairs->count : from + BLOCK;

    for (uint64_t i = from; i < to; i++) {
        const uint64_t u = c->pairs->key[i] >> 32;

        if (q->i != u)
            se_sim_query_set(q, u);
        c->f[i] = se_sim_query_with(q, (uint32_t)c->pairs->key[i]);
    }
}

/* f of each pair; without rows all pairs are alike.  free() it. */
static double *compare(const struct se_trust *w, const struct se_pairs *p, struct se_err *err)
{
    struct comparing c = { p, w->query, se_alloc(p->count, sizeof *c.f, err) };

    if (c.f && w->rows_there)
        se_parallel(w->o.threads, (p->count + BLOCK - 1) / BLOCK, compare_block, &c);
    for (uint64_t i = 0; c.f && !w->rows_there && i < p->count; i++)
        c.f[i] = 1;
    return c.f;
}

static int make_rows(struct se_trust *w, struct se_stream *s, struct se_err *err)
{
    const uint32_t tag = w->o.rows;
    const uint64_t k = w->o.candidates > WEDGE_K ? w->o.candidates : WEDGE_K;
    struct se_features f;
    struct se_sim_options ask = { .k = k, .last = w->g.n, .threads = w->o.threads };

    w->rows_there = se_stream_has(s, tag);
    if (!w->rows_there && (w->o.wanted[SE_TRUST_F] || tag == SE_EMBEDDING))
        return se_fail(err, SE_EINPUT, "no %s section to compare edges by; use --score cw,tree",
                       se_section_name(tag));
    if (!w->rows_there)
        return 0;
    if (tag == SE_EMBEDDING) {
        if (se_sim_rows_make(&w->rows, s, tag, SE_COSINE, w->o.threads, err) < 0)
            return -1;
    } else if (se_features_get(&f, s, err) < 0 || se_idf_make(&w->idf, &f, err) < 0 ||
               se_sim_rows_of(&w->rows, &w->idf.x, SE_COSINE, w->o.threads, err) < 0) {
        return -1;
    }
    if (se_payload_fits(w->rows.n, w->g.n, tag, "graph", err) < 0 ||
        !(w->query = se_sim_queries(&w->rows, w->o.threads, err)))
        return -1;
    return se_sim_search(&w->rows, &ask, &w->near, err);
}

/* ---- the fused graph: edges and k nearest pairs, weighed by f ---- */

static int weigh_pairs(struct se_pair_graph *x, const struct se_trust *w, uint64_t k, struct se_err *err)
{
    double *f = NULL;

    if (unite(&x->pairs, w, k, NULL, err) < 0 || se_pair_graph_make(x, w->g.n, err) < 0 ||
        !(f = compare(w, &x->pairs, err)))
        return -1;
    for (uint64_t i = 0, e = 0; i < x->pairs.count; i++) {
        const bool edge = e < w->edges.count && w->edges.key[e] == x->pairs.key[i];

        e += edge;
        x->weight[i] = (float)(fmax(f[i], 0) + (edge ? edge_bonus : 0));
    }
    free(f);
    return 0;
}

/* ---- tree ---- */

/* The weights times U(.5, 1.5), other ones for each tree */
static void shake(const struct se_pair_graph *x, float *weight, uint64_t tree, uint64_t seed)
{
    for (uint64_t i = 0; i < x->pairs.count; i++) {
        struct se_rng r;

        se_rng_init(&r, seed, SE_RNG_WEIGH, tree * x->pairs.count + i);
        weight[i] = (float)(x->weight[i] * (0.5 + se_rng_unit(&r)));
    }
}

static int add_tree(const struct se_trust *w, const struct se_graph *g, uint64_t number,
                    double *sum, struct se_err *err)
{
    struct se_tree_options how = SE_TREE_OPTIONS_INIT;
    struct se_hierarchy h = SE_HIERARCHY_INIT;
    struct se_measure x = SE_MEASURE_INIT;
    int rc;

    how.k = HEIGHT;
    how.effort = SE_EFFORT_FAST;
    how.seed = w->o.seed + number;
    how.threads = w->o.threads;
    rc = se_tree_build(&h, g, NULL, &how, err);
    if (rc == 0) {
        const struct se_tree t = se_hierarchy_view(&h);

        rc = se_measure_make(&x, &t, g, err);
        if (rc == 0)
            rc = se_tree_depths(&t, &x, w->all.key, w->all.count, w->o.threads, sum, err);
    }
    se_measure_release(&x);
    se_hierarchy_release(&h);
    return rc;
}

static int score_tree(struct se_trust *w, struct se_err *err)
{
    struct se_pair_graph x = { .off = NULL };
    struct se_graph g;
    float *weight = NULL;
    double *sum = w->score[SE_TRUST_TREE];
    int rc = weigh_pairs(&x, w, TREE_K, err);

    if (rc == 0)
        rc = (weight = se_alloc(x.pairs.count, sizeof *weight, err)) ? 0 : -1;
    g = x.g;
    g.weight = weight;
    for (uint64_t i = 0; rc == 0 && i < w->o.trees; i++) {
        shake(&x, weight, i, w->o.seed);
        rc = add_tree(w, &g, i, sum, err);
    }
    for (uint64_t i = 0; rc == 0 && i < w->all.count; i++)
        sum[i] /= (double)w->o.trees;
    free(weight);
    se_pair_graph_release(&x);
    return rc;
}

/* ---- candidates ---- */

/* Pairs to score: the edges, and with --candidates the K nearest of each vertex by f and the K
 * nearest by common neighbours. */
static int list_pairs(struct se_trust *w, const struct se_adjacency *fused, struct se_err *err)
{
    struct se_adjacency given = SE_ADJACENCY_INIT;
    struct se_pairs best = { NULL, 0 };
    int rc;

    if (w->o.candidates == 0)
        return unite(&w->all, w, 0, NULL, err);
    rc = se_adjacency_make(&given, &w->g, err);
    if (rc == 0)
        rc = se_wedge_best(fused, &given, w->o.candidates, MOST_THROUGH, w->o.threads, &best.key,
                           &best.count, err);
    if (rc == 0)
        rc = unite(&w->all, w, w->o.candidates, &best, err);
    if (rc == 0)
        w->candidates = w->all.count - w->edges.count;
    se_pairs_release(&best);
    se_adjacency_release(&given);
    return rc;
}

/* ---- gamma ---- */

static uint64_t random_pair(struct se_rng *r, uint64_t n)
{
    const uint64_t u = se_rng_below(r, n), v = se_rng_below(r, n - 1);
    const uint64_t other = v + (v >= u);

    return u < other ? u << 32 | other : other << 32 | u;
}

static int order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The share of numbers that are at most `most`. */
static double share_below(const double *x, uint64_t n, double most)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < n; i++)
        count += x[i] <= most;
    return n > 0 ? (double)count / (double)n : 0;
}

/* f and cw of pairs, as the sum of their ranks among the `refs` first. */
static int rank_pairs(const struct se_trust *w, const struct se_adjacency *fused,
                      const struct se_pairs *p, uint64_t refs, double **sum, struct se_err *err)
{
    double *cw = se_alloc(p->count, sizeof *cw, err);
    double *f = cw ? compare(w, p, err) : NULL;
    int rc = -1;

    if (f && se_wedge_scores(fused, p->key, p->count, w->o.threads, cw, err) == 0 &&
        se_rank(f, refs, f, p->count, err) == 0 && se_rank(cw, refs, cw, p->count, err) == 0) {
        for (uint64_t i = 0; i < p->count; i++)
            f[i] += cw[i];
        *sum = f;
        f = NULL;
        rc = 0;
    }
    free(cw);
    free(f);
    return rc;
}

/* The share of edges that chance may have put there: how much of the lower half of random pairs,
 * by f and cw, is among the edges. */
static int estimate_chance(struct se_trust *w, const struct se_adjacency *fused,
                           struct se_err *err)
{
    const uint64_t m = w->edges.count, draws = m < 20000 ? 20000 : m;
    struct se_pairs p = { se_alloc(m + draws, sizeof *p.key, err), m };
    double *sum = NULL, middle;
    struct se_rng r;
    int rc = -1;

    if (!p.key)
        return -1;
    memcpy(p.key, w->edges.key, m * sizeof *p.key);
    se_rng_init(&r, w->o.seed, SE_RNG_WEIGH_PAIRS, 0);
    for (; p.count < m + draws; p.count++)
        p.key[p.count] = random_pair(&r, w->g.n);
    if (rank_pairs(w, fused, &p, m, &sum, err) == 0) {
        qsort(sum + m, draws, sizeof *sum, order);
        middle = sum[m + draws / 2];
        w->chance = share_below(sum, m, middle) / share_below(sum + m, draws, middle);
        w->chance = fmin(w->chance, 1);
        rc = 0;
    }
    free(sum);
    se_pairs_release(&p);
    return rc;
}

/* ---- all together ---- */

static int score_all(struct se_trust *w, struct se_err *err)
{
    struct se_pair_graph x = { .off = NULL };
    struct se_adjacency fused = SE_ADJACENCY_INIT;
    int rc = se_pairs_of_graph(&w->edges, &w->g, err);

    if (rc == 0 && (rc = weigh_pairs(&x, w, WEDGE_K, err)) == 0 &&
        (rc = se_adjacency_make(&fused, &x.g, err)) == 0)
        rc = list_pairs(w, &fused, err);
    for (int i = 0; rc == 0 && i < SE_TRUST_SCORES; i++)
        if (i != SE_TRUST_F && (w->o.wanted[i] || i == SE_TRUST_CW) &&
            !(w->score[i] = se_zalloc(w->all.count, sizeof **w->score, err)))
            rc = -1;
    if (rc == 0 && w->rows_there && !(w->score[SE_TRUST_F] = compare(w, &w->all, err)))
        rc = -1;
    if (rc == 0)
        rc = se_wedge_scores(&fused, w->all.key, w->all.count, w->o.threads, w->score[SE_TRUST_CW], err);
    if (rc == 0 && w->o.wanted[SE_TRUST_TREE])
        rc = score_tree(w, err);
    if (rc == 0 && w->o.gamma < 0 && w->edges.count > 0 && w->g.n > 1)
        rc = estimate_chance(w, &fused, err);
    se_adjacency_release(&fused);
    se_pair_graph_release(&x);
    return rc;
}

/* Numbers of the edges alone, or of all where there are none. */
static uint64_t pick_edges(const struct se_trust *w, const double *x, double *ref)
{
    uint64_t refs = 0;

    for (uint64_t i = 0, e = 0; i < w->all.count; i++) {
        const bool edge = e < w->edges.count && w->edges.key[e] == w->all.key[i];

        e += edge;
        if (edge || w->edges.count == 0)
            ref[refs++] = x[i];
    }
    return refs;
}

static int weigh_all(struct se_trust *w, struct se_err *err)
{
    const uint64_t count = w->all.count;
    double *ref = se_alloc(count, sizeof *ref, err), *one = se_alloc(count, sizeof *one, err);
    uint64_t refs = 0;
    int rc = ref && one && (w->rank = se_zalloc(count, sizeof *w->rank, err)) ? 0 : -1;

    for (int i = 0; rc == 0 && i < SE_TRUST_SCORES; i++) {
        if (!w->o.wanted[i])
            continue;
        memcpy(one, w->score[i], count * sizeof *one);
        refs = pick_edges(w, one, ref);
        rc = se_rank(ref, refs, one, count, err);
        for (uint64_t j = 0; rc == 0 && j < count; j++)
            w->rank[j] += one[j];
    }
    if (rc == 0) {
        refs = pick_edges(w, w->rank, ref);
        rc = se_rank(ref, refs, w->rank, count, err);
    }
    /* Clean graphs have a tenth of such edges; at a half, validation chose 4 on noisy ones. */
    w->gamma = w->o.gamma >= 0 ? w->o.gamma : fmin(fmax(10 * (w->chance - 0.1), 0), 4);
    for (uint64_t j = 0; rc == 0 && j < count; j++)
        w->rank[j] = fmax(pow(fmin(w->rank[j] / (double)refs, 1), w->gamma), w->o.floor);
    free(ref);
    free(one);
    return rc;
}

void se_trust_release(struct se_trust *w)
{
    se_sim_queries_free(w->query, w->o.threads);
    se_sim_answer_release(&w->near);
    se_sim_rows_release(&w->rows);
    se_idf_release(&w->idf);
    se_pairs_release(&w->edges);
    se_pairs_release(&w->all);
    for (int i = 0; i < SE_TRUST_SCORES; i++)
        free(w->score[i]);
    free(w->rank);
}

int se_trust_make(struct se_trust *w, struct se_stream *s, const struct se_trust_options *o,
                  struct se_err *err)
{
    *w = (struct se_trust){ .o = *o, .idf = SE_IDF_INIT, .rows = SE_SIM_ROWS_INIT,
                            .near = SE_SIM_ANSWER_INIT };
    if (se_graph_get(&w->g, s, SE_GRAPH, err) < 0 || make_rows(w, s, err) < 0 ||
        score_all(w, err) < 0)
        return -1;
    return weigh_all(w, err);
}
