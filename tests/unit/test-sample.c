/* test-sample.c - what is drawn, against the probabilities worked out by hand */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/graph/builder.h"
#include "common/tree/sample.h"
#include "tests/unit/unit.h"

enum { MOST = 24, NODES = 2 * MOST + 2 };

struct world {
    struct se_stream stream;
    struct se_graph g;
    struct se_tree t;
    struct se_measure x;
    uint32_t parent[NODES], vertex[NODES];
};

/* A random tree of three levels, some nodes with one child, over n vertices in random order,
 * and a random graph on them. */
static void make_world(struct world *w, uint64_t seed, uint32_t n, int shape)
{
    struct se_err err = SE_ERR_INIT;
    struct se_builder b = SE_BUILDER_INIT;
    struct se_built built;
    struct se_rng r;
    uint32_t order[MOST], nodes = 1, group = 0, sub = 0;

    se_rng_init(&r, seed, SE_RNG_TEST, 0);
    memset(w, 0, sizeof *w);
    b.weighted = true;
    b.n = n;
    for (uint32_t i = 0; i < 3 * n; i++) {
        const uint32_t u = (uint32_t)se_rng_below(&r, n), v = (uint32_t)se_rng_below(&r, n);
        CHECK(se_builder_add(&b, u, v, (float)se_rng_unit(&r), &err) == 0);
    }
    CHECK(se_builder_put(&b, &w->stream, SE_GRAPH, SE_MERGE_SUM, true, &built, &err) == 0);
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = n; i > 1; i--) {
        const uint32_t j = (uint32_t)se_rng_below(&r, i), k = order[i - 1];
        order[i - 1] = order[j];
        order[j] = k;
    }
    w->parent[0] = w->vertex[0] = SE_NONE;
    for (uint32_t i = 0; i < n; i++) {
        if (shape > 0 && (i == 0 || se_rng_below(&r, 4) == 0)) {
            group = nodes++;
            w->parent[group] = 0;
            w->vertex[group] = SE_NONE;
            sub = 0;
        }
        if (shape > 1 && (sub == 0 || se_rng_below(&r, 3) == 0)) {
            sub = nodes++;
            w->parent[sub] = group;
            w->vertex[sub] = SE_NONE;
        }
        w->parent[nodes] = shape > 1 ? sub : shape > 0 ? group : 0;
        w->vertex[nodes++] = order[i];
    }
    w->t = (struct se_tree){ n, nodes, w->parent, w->vertex };
    CHECK(se_tree_check(&w->t, &err) == 0);
    CHECK(se_graph_get(&w->g, &w->stream, SE_GRAPH, &err) == 0);
    CHECK(se_measure_make(&w->x, &w->t, &w->g, &err) == 0);
}

static void free_world(struct world *w)
{
    se_measure_release(&w->x);
    se_stream_release(&w->stream);
}

/* P of node c among the children of its parent that are not `skip`, from the definition. */
static double p_of(const struct world *w, uint32_t c, uint32_t skip, int sigma, double temp)
{
    double sum = 0, own = 0;
    int siblings = 0;

    for (uint32_t a = 1; a < w->t.nodes; a++) {
        if (w->parent[a] != w->parent[c] || a == skip)
            continue;
        const double h = w->x.entropy[a];
        const double weight = sigma == SE_SIGMA_SOFTMAX ? exp(h / temp)
                            : sigma == SE_SIGMA_LINEAR ? h : 1;
        sum += weight;
        siblings++;
        if (a == c)
            own = weight;
    }
    return sum > 0 ? own / sum : 1.0 / siblings;        /* evenly where all are 0 */
}

/* The probability of each unordered pair in one draw at node a, added to p[u][v], u < v. */
static void add_pairs(const struct world *w, uint32_t a, bool replace, int sigma, double temp,
                      double share, double p[MOST][MOST])
{
    for (uint32_t i = 1; i < w->t.nodes; i++)
        for (uint32_t j = 1; j < w->t.nodes; j++) {
            uint32_t u = w->vertex[i], v = w->vertex[j], c = i, d = j;
            double down = share;

            if (u == SE_NONE || v == SE_NONE || u == v)
                continue;
            for (; w->parent[c] != SE_NONE && w->parent[c] != a; c = w->parent[c])
                down *= p_of(w, c, 0, sigma, temp);
            for (; w->parent[d] != SE_NONE && w->parent[d] != a; d = w->parent[d])
                down *= p_of(w, d, 0, sigma, temp);
            if (w->parent[c] != a || w->parent[d] != a || (c == d && !replace))
                continue;
            down *= p_of(w, c, 0, sigma, temp) * p_of(w, d, replace ? 0 : c, sigma, temp);
            p[u < v ? u : v][u < v ? v : u] += down;
        }
}

/* Chi-square of what was drawn against p, with its degrees of freedom. */
static double chi_square(const struct se_sampled *s, double p[MOST][MOST], uint32_t n,
                         double *freedom)
{
    double chi = 0, rest_p = 1, rest = (double)s->draws;
    uint64_t at = 0;

    *freedom = 0;
    for (uint32_t u = 0; u < n; u++)
        for (uint32_t v = u + 1; v < n; v++) {
            const uint64_t key = (uint64_t)u << 32 | v;
            const double expected = p[u][v] * (double)s->draws;
            double seen = 0;

            if (at < s->edges && s->key[at] == key)
                seen = s->count[at++];
            if (p[u][v] == 0 && seen > 0)
                return INFINITY;
            if (expected < 8)                   /* few expected: into the rest */
                continue;
            chi += (seen - expected) * (seen - expected) / expected;
            rest_p -= p[u][v];
            rest -= seen;
            ++*freedom;
        }
    if (rest_p * (double)s->draws >= 8)         /* loops of --replace and rare pairs */
        chi += pow(rest - rest_p * (double)s->draws, 2) / (rest_p * (double)s->draws);
    else
        --*freedom;
    CHECK(at == s->edges);
    return chi;
}

static void exact_probabilities(const struct world *w, const struct se_law *law,
                                const struct se_sample_options *plan, int sigma, double temp,
                                double p[MOST][MOST])
{
    uint64_t draws = 0;
    struct se_err err = SE_ERR_INIT;

    memset(p, 0, MOST * MOST * sizeof(double));
    CHECK(se_sample_draws(law, &w->x, plan, &draws, &err) == 0);
    for (uint32_t a = 0; a < w->t.nodes; a++) {
        const uint32_t m = se_law_children(law, a), level = w->x.depth[a];
        const int i = (int)level < plan->thetas ? (int)level : plan->thetas - 1;

        if (m >= 2)
            add_pairs(w, a, plan->replace, sigma, temp,
                      (double)llround(plan->theta[i] * m) / (double)draws, p);
    }
}

static void distribution(void)
{
    static double p[MOST][MOST];
    const double theta[3] = { 3000, 5000, 2000 };
    int caught = 0, skewed = 0;

    for (uint64_t seed = 0; seed < 60; seed++) {
        const int sigma = seed % 3, shape = seed / 3 % 3;
        const double temp = seed % 2 ? 1 : 0.02;
        struct se_sample_options plan = { .theta = theta, .thetas = seed % 5 ? 3 : 1,
                                       .counted = true,
                                       .replace = seed % 4 == 3, .agree = 1, .seed = seed,
                                       .threads = 1 + (int)(seed % 3) };
        struct se_err err = SE_ERR_INIT;
        struct se_sampled s = SE_SAMPLED_INIT;
        struct se_law law = SE_LAW_INIT;
        struct world w;
        double freedom, chi;

        make_world(&w, seed, 6 + (uint32_t)(seed % 15), shape);
        CHECK(se_law_make(&law, &w.t, &w.x, (enum se_sigma)sigma, temp, &err) == 0);
        CHECK(se_sample(&s, &law, &w.t, &w.x, &plan, &err) == 0);
        exact_probabilities(&w, &law, &plan, sigma, temp, p);
        chi = chi_square(&s, p, (uint32_t)w.g.n, &freedom);
        CHECK(chi < freedom + 5 * sqrt(2 * freedom) + 5);
        if (sigma == SE_SIGMA_SOFTMAX && temp < 1 && shape > 0) {
            skewed++;                           /* an even sampler would be found out */
            exact_probabilities(&w, &law, &plan, SE_SIGMA_UNIFORM, 1, p);
            chi = chi_square(&s, p, (uint32_t)w.g.n, &freedom);
            caught += chi > freedom + 5 * sqrt(2 * freedom) + 5;
        }
        se_sampled_release(&s);
        se_law_release(&law);
        free_world(&w);
    }
    CHECK(skewed > 3 && caught == skewed);
    unit_ok("pairs are drawn with the probabilities of the definition");
}

static void probabilities(void)
{
    for (uint64_t seed = 100; seed < 130; seed++) {
        struct se_err err = SE_ERR_INIT;
        struct se_law law = SE_LAW_INIT;
        struct world w;
        const int sigma = seed % 3;

        make_world(&w, seed, 12, 2);
        CHECK(se_law_make(&law, &w.t, &w.x, (enum se_sigma)sigma, 0.3, &err) == 0);
        for (uint32_t c = 1; c < w.t.nodes; c++) {
            const double p = p_of(&w, c, 0, sigma, 0.3);

            CHECK_NEAR(se_law_p(&law, &w.t, c), p, 1e-12);
            for (uint32_t d = 1; d < w.t.nodes; d++)
                if (d != c && w.parent[d] == w.parent[c])
                    CHECK_NEAR(se_law_pair(&law, w.parent[c], c, d),
                               p * p_of(&w, d, c, sigma, 0.3), 1e-12);
        }
        se_law_release(&law);
        free_world(&w);
    }
    unit_ok("the probabilities that are told are those of the definition");
}

static void same_bytes(void)
{
    const double theta = 40;
    struct se_err err = SE_ERR_INIT;
    struct world w;
    struct se_law law = SE_LAW_INIT;
    struct se_sampled first = SE_SAMPLED_INIT;

    make_world(&w, 7, 24, 2);
    CHECK(se_law_make(&law, &w.t, &w.x, SE_SIGMA_SOFTMAX, 1, &err) == 0);
    for (int threads = 1; threads <= 4; threads++) {
        struct se_sample_options plan = { .theta = &theta, .thetas = 1, .counted = true,
                                       .agree = 3, .seed = 5,
                                       .threads = threads };
        struct se_sampled s = SE_SAMPLED_INIT;

        CHECK(se_sample(&s, &law, &w.t, &w.x, &plan, &err) == 0);
        if (threads == 1) {
            first = s;
            continue;
        }
        CHECK(s.edges == first.edges && s.draws == first.draws);
        CHECK(memcmp(s.key, first.key, s.edges * sizeof *s.key) == 0);
        CHECK(memcmp(s.count, first.count, s.edges * sizeof *s.count) == 0);
        se_sampled_release(&s);
    }
    se_sampled_release(&first);
    se_law_release(&law);
    free_world(&w);
    unit_ok("the same bytes at any number of threads");
}

/* What all of N samplings gave, by sampling N times alone. */
static void agreement(void)
{
    const double theta = 1.5;

    for (uint64_t seed = 0; seed < 40; seed++) {
        struct se_err err = SE_ERR_INIT;
        struct se_sample_options plan = { .theta = &theta, .thetas = 1, .counted = true,
                                       .agree = 2, .seed = seed,
                                       .threads = 1 };
        struct se_sampled both = SE_SAMPLED_INIT, one = SE_SAMPLED_INIT;
        struct se_law law = SE_LAW_INIT;
        struct world w;
        uint64_t at = 0;

        make_world(&w, seed, 14, 1);
        CHECK(se_law_make(&law, &w.t, &w.x, SE_SIGMA_SOFTMAX, 1, &err) == 0);
        CHECK(se_sample(&both, &law, &w.t, &w.x, &plan, &err) == 0);
        plan.agree = 1;
        CHECK(se_sample(&one, &law, &w.t, &w.x, &plan, &err) == 0);
        CHECK(both.draws == 2 * one.draws && both.edges <= one.edges);
        for (uint64_t i = 0; i < both.edges; i++) {     /* all are edges of the first round */
            while (at < one.edges && one.key[at] < both.key[i])
                at++;
            CHECK(at < one.edges && one.key[at] == both.key[i]);
            CHECK(at < one.edges && both.count[i] > one.count[at]);
        }
        se_sampled_release(&both);
        se_sampled_release(&one);
        se_law_release(&law);
        free_world(&w);
    }
    unit_ok("only what all samplings agree on is kept");
}

/* Uniting with the old edges and thinning, against a plain search. */
static void unite_and_thin(void)
{
    const double theta = 2;

    for (uint64_t seed = 0; seed < 60; seed++) {
        struct se_err err = SE_ERR_INIT;
        struct se_sample_options plan = { .theta = &theta, .thetas = 1, .counted = true,
                                       .agree = 1, .seed = seed,
                                       .threads = 1 };
        struct se_sampled s = SE_SAMPLED_INIT;
        struct se_law law = SE_LAW_INIT;
        struct world w;
        float sim[MOST * MOST], worst_kept = 2, best_gone = -2;
        uint8_t in[MOST][MOST] = { { 0 } };
        uint64_t edges = 0, keep;
        float all[MOST][MOST];

        make_world(&w, seed, 16, 1);
        CHECK(se_law_make(&law, &w.t, &w.x, SE_SIGMA_SOFTMAX, 1, &err) == 0);
        CHECK(se_sample(&s, &law, &w.t, &w.x, &plan, &err) == 0);
        for (uint64_t i = 0; i < s.edges; i++)
            in[s.key[i] >> 32][(uint32_t)s.key[i]] = 1;
        for (uint64_t u = 0; u < w.g.n; u++)
            for (uint64_t e = w.g.off[u]; e < w.g.off[u + 1]; e++)
                in[u][w.g.to[e]] = 1;
        CHECK(se_sampled_unite(&s, &w.g, &err) == 0);
        for (uint32_t u = 0; u < MOST; u++)
            for (uint32_t v = 0; v < MOST; v++)
                edges += in[u][v];
        CHECK(s.edges == edges);
        for (uint64_t i = 0; i < s.edges; i++) {
            CHECK(in[s.key[i] >> 32][(uint32_t)s.key[i]]);
            CHECK(i == 0 || s.key[i] > s.key[i - 1]);
            sim[i] = (float)(s.key[i] * 2654435761u % 17) / 8 - 1;      /* with ties */
            all[s.key[i] >> 32][(uint32_t)s.key[i]] = sim[i];
        }
        keep = edges * (seed % 5) / 4;
        CHECK(se_sampled_thin(&s, sim, keep, &err) == 0);
        CHECK(s.edges == keep);
        for (uint64_t i = 0; i < s.edges; i++) {
            CHECK(sim[i] == all[s.key[i] >> 32][(uint32_t)s.key[i]]);
            in[s.key[i] >> 32][(uint32_t)s.key[i]] = 2;
            worst_kept = fminf(worst_kept, sim[i]);
        }
        for (uint32_t u = 0; u < MOST; u++)
            for (uint32_t v = 0; v < MOST; v++)
                if (in[u][v] == 1)
                    best_gone = fmaxf(best_gone, all[u][v]);
        CHECK(worst_kept >= best_gone);
        se_sampled_release(&s);
        se_law_release(&law);
        free_world(&w);
    }
    unit_ok("the union is whole, and the least similar edges go");
}

/* One child has nearly all the weight; the second is still drawn, and fast. */
static void extreme_temperature(void)
{
    const double theta = 100;
    struct se_err err = SE_ERR_INIT;
    struct se_sample_options plan = { .theta = &theta, .thetas = 1, .counted = true,
                                       .agree = 1, .threads = 1 };
    struct se_sampled s = SE_SAMPLED_INIT;
    struct se_law law = SE_LAW_INIT;
    struct world w;

    make_world(&w, 3, 20, 0);
    CHECK(se_law_make(&law, &w.t, &w.x, SE_SIGMA_SOFTMAX, 1e-9, &err) == 0);
    CHECK(se_sample(&s, &law, &w.t, &w.x, &plan, &err) == 0);
    CHECK(s.draws == 2000 && s.edges == 1 && s.count[0] == 2000);
    se_sampled_release(&s);
    se_law_release(&law);
    free_world(&w);
    unit_ok("a temperature near 0 gives the two children of highest entropy");
}

int main(void)
{
    distribution();
    probabilities();
    same_bytes();
    agreement();
    unite_and_thin();
    extreme_temperature();
    return unit_done();
}
