/* test-kselect.c - the fused graph and H1(k) against building every graph anew */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/rng.h"
#include "common/sim/kselect.h"
#include "common/sim/sim.h"
#include "tests/unit/unit.h"

enum { MOST = 60 };

struct world {
    uint64_t n, d, k;
    enum se_metric metric;
    float x[MOST * 8];
    bool edge[MOST][MOST];      /* the old graph, both ways */
    bool weighted;
    double times[MOST][MOST];   /* what S + shift is multiplied by */
    float s[MOST][MOST];        /* similarity of all pairs */
    uint32_t near[MOST][MOST];  /* the k most similar */
    struct se_stream stream;
};

/* --- making a stream --- */

static void draw_graph(struct world *w, struct se_rng *r)
{
    static uint64_t off[MOST + 1];
    static uint32_t to[MOST * MOST], loop[MOST];
    static float weight[MOST * MOST], loop_weight[MOST];
    struct se_graph g = { .n = w->n, .off = off, .to = to, .loop = loop };
    struct se_err err = SE_ERR_INIT;
    const uint64_t rarity = 1 + se_rng_below(r, 2 * w->n + 1);

    double sum = 0;

    memset(w->edge, 0, sizeof w->edge);
    for (uint64_t u = 0; u < w->n; u++) {
        off[u] = g.m;
        for (uint64_t v = u + 1; v < w->n; v++)
            if (se_rng_below(r, rarity) == 0) {
                w->edge[u][v] = w->edge[v][u] = true;
                weight[g.m] = w->weighted ? (float)se_rng_below(r, 9) / 4 : 1;
                sum += (double)weight[g.m];
                to[g.m++] = (uint32_t)v;
            }
        if (se_rng_below(r, 5) == 0)
            loop[g.loops++] = (uint32_t)u;      /* self-loops must not matter */
    }
    off[w->n] = g.m;
    for (uint64_t u = 0; u < w->n; u++)
        for (uint64_t v = 0; v < w->n; v++)
            w->times[u][v] = 1;
    for (uint64_t u = 0; u < w->n; u++)
        for (uint64_t e = off[u]; e < off[u + 1] && sum > 0; e++)
            w->times[u][to[e]] = w->times[to[e]][u] = (double)weight[e] * (double)g.m / sum;
    for (uint64_t i = 0; i < g.loops; i++)
        loop_weight[i] = 1000;                  /* nor their weights */
    if (w->weighted) {
        g.weight = weight;
        g.loop_weight = loop_weight;
    }
    CHECK(se_graph_put(&g, &w->stream, SE_GRAPH, NULL, &err) == 0);
}

static void draw_rows(struct world *w, struct se_rng *r)
{
    const struct se_embedding e = { w->n, w->d, w->x };
    const bool whole = se_rng_below(r, 2);      /* small numbers give ties and flat rows */
    struct se_err err = SE_ERR_INIT;

    for (uint64_t i = 0; i < w->n * w->d; i++)
        w->x[i] = whole ? (float)se_rng_below(r, 3) : (float)se_rng_normal(r);
    CHECK(se_embedding_put(&e, &w->stream, &err) == 0);
}

static void find_neighbours(struct world *w)
{
    struct se_sim_rows rows = SE_SIM_ROWS_INIT;
    struct se_sim_answer a = SE_SIM_ANSWER_INIT;
    struct se_sim_query q = SE_SIM_QUERY_INIT;
    const struct se_sim_options ask = { .k = w->k, .last = w->n, .threads = 1 };
    struct se_err err = SE_ERR_INIT;

    CHECK(se_sim_rows_make(&rows, &w->stream, SE_EMBEDDING, w->metric, 1, &err) == 0);
    CHECK(se_sim_search(&rows, &ask, &a, &err) == 0);
    const struct se_knn knn = { w->n, a.k, 0, w->n, w->metric, SE_EMBEDDING, a.id,
                                a.similarity };
    CHECK(se_knn_put(&knn, &w->stream, &err) == 0);
    CHECK(se_sim_query_init(&q, &rows, &err) == 0);
    w->k = a.k;
    for (uint64_t u = 0; u < w->n; u++) {
        se_sim_query_set(&q, u);
        for (uint64_t v = 0; v < w->n; v++)
            w->s[u][v] = se_sim_query_with(&q, v);
        for (uint64_t i = 0; i < a.k; i++)
            w->near[u][i] = a.id[u * a.k + i];
    }
    se_sim_query_release(&q);
    se_sim_answer_release(&a);
    se_sim_rows_release(&rows);
}

static void make_world(struct world *w, uint64_t seed)
{
    static const uint64_t sizes[] = { 1, 2, 3, 5, 10, 20, 40, MOST };
    struct se_rng r;

    se_rng_init(&r, seed, SE_RNG_TEST, 1);
    w->n = sizes[se_rng_below(&r, 8)];
    w->d = 2 + se_rng_below(&r, 7);
    w->k = 1 + se_rng_below(&r, 20);
    w->metric = se_rng_below(&r, 2) ? SE_PCC : SE_COSINE;
    w->weighted = seed % 3 == 1;
    w->stream = (struct se_stream)SE_STREAM_INIT;
    draw_graph(w, &r);
    draw_rows(w, &r);
    find_neighbours(w);
}

/* --- the oracle --- */

struct truth {
    bool edge[MOST][MOST];
    double weight[MOST][MOST];
    uint64_t m;
    double h1;
};

static void build(const struct world *w, uint64_t k, double shift, struct truth *t)
{
    double sum = 0, mean, vol = 0;

    memcpy(t->edge, w->edge, sizeof t->edge);
    t->m = 0;
    t->h1 = 0;
    for (uint64_t u = 0; u < w->n; u++)
        for (uint64_t i = 0; i < k; i++)
            if (w->near[u][i] != SE_NONE)
                t->edge[u][w->near[u][i]] = t->edge[w->near[u][i]][u] = true;
    for (uint64_t u = 0; u < w->n; u++)
        for (uint64_t v = 0; v < u; v++)
            if (t->edge[u][v]) {
                sum += fmax(0, w->s[u][v] + shift) * w->times[u][v];
                t->m++;
            }
    mean = t->m ? sum / (double)t->m / (2.0 * (double)w->n) : 0;
    for (uint64_t u = 0; u < w->n; u++)
        for (uint64_t v = 0; v < w->n; v++)
            if (t->edge[u][v]) {
                t->weight[u][v] = fmax(0, w->s[u][v] + shift) * w->times[u][v] + mean;
                vol += t->weight[u][v];
            }
    for (uint64_t u = 0; u < w->n; u++) {
        double degree = 0;

        for (uint64_t v = 0; v < w->n; v++)
            degree += t->edge[u][v] ? t->weight[u][v] : 0;
        if (degree > 0)
            t->h1 -= degree / vol * log2(degree / vol);
    }
}

static void compare(const struct world *w, const struct se_kselect *x, double shift)
{
    const struct se_graph_room *f = &x->fused;
    struct truth *t = malloc(sizeof *t);
    uint64_t right = 0;

    CHECK(x->most == w->k);
    for (uint64_t k = 0; k <= w->k; k++) {
        build(w, k, shift, t);
        CHECK_NEAR(x->h1[k], t->h1, 1e-12 * (1 + t->h1));
    }
    build(w, x->k, shift, t);
    CHECK(x->m == t->m && f->m == t->m && f->n == w->n);
    for (uint64_t u = 0; u < f->n; u++)
        for (uint64_t e = f->off[u]; e < f->off[u + 1]; e++) {
            CHECK(f->to[e] > u && (e == f->off[u] || f->to[e] > f->to[e - 1]));
            right += t->edge[u][f->to[e]] &&
                     fabs(f->weight[e] - t->weight[u][f->to[e]]) <
                         1e-6 * (1 + t->weight[u][f->to[e]]);
        }
    CHECK(right == t->m);
    free(t);
}

static bool negative_up_to(const struct world *w, uint64_t k, double shift)
{
    struct truth *t = malloc(sizeof *t);
    bool found = false;

    build(w, k, shift, t);
    for (uint64_t u = 0; u < w->n; u++)
        for (uint64_t v = 0; v < w->n; v++)
            found |= t->edge[u][v] && w->s[u][v] + shift < 0;
    free(t);
    return found;
}

static void test_random(void)
{
    struct world *w = malloc(sizeof *w);

    for (uint64_t seed = 0; seed < 400; seed++) {
        const double shift = seed % 4 == 3 ? 0 : 1;
        struct se_kselect_options ask = { (enum se_k_rule)(seed % 3), 0, 0.01, shift, true,
                                      1 + (int)(seed % 2), true };
        struct se_kselect x = SE_KSELECT_INIT;
        struct se_err err = SE_ERR_INIT;

        make_world(w, seed);
        CHECK(se_kselect_make(&x, &w->stream, &ask, &err) == 0);
        CHECK(w->k == 0 || x.k == se_kselect_choose(x.h1, w->k, ask.rule, ask.eps));
        compare(w, &x, shift);
        se_kselect_release(&x);

        ask.k = 1 + seed % 5;                   /* a fixed k */
        if (ask.k <= w->k) {
            CHECK(se_kselect_make(&x, &w->stream, &ask, &err) == 0);
            CHECK(x.k == ask.k);
            compare(w, &x, shift);
            se_kselect_release(&x);

            ask.clip = false;
            CHECK((se_kselect_make(&x, &w->stream, &ask, &err) < 0) ==
                  negative_up_to(w, ask.k, shift));
            se_kselect_release(&x);
        }
        se_stream_release(&w->stream);
    }
    free(w);
    unit_ok("400 random graphs");
}

static void test_rules(void)
{
    const double rising[] = { 0, 5, 5.2, 5.25, 5.2504, 6, 6 }, flat[] = { 0, 3, 3, 3 };
    double slow[60];

    CHECK(se_kselect_choose(rising, 6, SE_K_PLATEAU, 0.001) == 3);
    CHECK(se_kselect_choose(rising, 6, SE_K_PLATEAU, 0.1) == 2);
    CHECK(se_kselect_choose(rising, 6, SE_K_PLATEAU, -1) == 6);
    CHECK(se_kselect_choose(rising, 6, SE_K_MAX, 0) == 5);
    CHECK(se_kselect_choose(flat, 3, SE_K_MAX, 0) == 1);
    CHECK(se_kselect_choose(flat, 3, SE_K_PLATEAU, 0.001) == 1);
    CHECK(se_kselect_choose(rising, 1, SE_K_PLATEAU, 0.001) == 1);
    /* 1 (gain 5) -> 6 (gain 1) -> 11, which is not there */
    CHECK(se_kselect_choose(rising, 6, SE_K_SCHEDULE, 0) == 6);
    for (int k = 0; k < 60; k++)
        slow[k] = k < 20 ? 0.03 * k : 0.6 + 0.0011 * (k - 20);
    /* 1, 4, 7 ... 22, 25 by gains above 0.01, then 26, 27 ... by gains of 0.0011 */
    CHECK(se_kselect_choose(slow, 59, SE_K_SCHEDULE, 0) == 50);
    for (int k = 23; k < 60; k++)
        slow[k] = slow[22];
    CHECK(se_kselect_choose(slow, 59, SE_K_SCHEDULE, 0) == 25);
    unit_ok("rules");
}

int main(void)
{
    test_rules();
    test_random();
    return unit_done();
}
