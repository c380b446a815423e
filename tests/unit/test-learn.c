/* test-learn.c - learned weights of edges: gradients of every learner against central differences,
 * identities, in double */
#define SE_REAL double

#include "tests/unit/networld.h"

#include "common/train/learn.c"
#include "common/train/learn_edges.c"
#define H LEARN_H
#define A LEARN_A
#define B LEARN_B
#include "common/train/learn_scores.c"
#undef H
#undef A
#undef B
#define S LEARN_S
#define P LEARN_P
#include "common/train/learn_metric.c"
#undef S
#undef P

struct case_of {
    struct world w;
    struct se_learn l;
    struct se_learn_rows rows;
    uint64_t off[N + 1];
    uint32_t col[N * COLS], near[N * 2];
    float value[N * COLS], similarity[N * 2];
    struct se_knn knn;
};

static struct se_learn_options ask_for(uint64_t seed)
{
    return (struct se_learn_options){ .rate = .05, .alpha = .3, .beta = .4, .gamma = .7,
        .lambda = .6, .temperature = .8, .top = seed % 2 ? 3 : 100, .perspectives = 3,
        .rank = 4, .seed = seed, .threads = 2 };
}

/* Rows with zeros, some empty; two random neighbours each */
static void make_rows(struct case_of *c, struct se_rng *r)
{
    uint64_t at = 0;

    for (uint64_t v = 0; v < N; v++) {
        c->off[v] = at;
        for (uint32_t k = 0; k < COLS; k++)
            if (v != 4 && se_rng_below(r, 2) == 0) {
                c->col[at] = k;
                c->value[at++] = (float)(.2 + se_rng_unit(r));
            }
        for (int k = 0; k < 2; k++)
            c->near[v * 2 + (uint64_t)k] = (uint32_t)((v + 1 + se_rng_below(r, N - 1)) % N);
    }
    c->off[N] = at;
    c->near[0] = SE_NONE;
    c->rows = (struct se_learn_rows){ N, COLS, c->off, c->col, c->value };
    c->knn = (struct se_knn){ .n = N, .k = 2, .first = 0, .last = N, .id = c->near,
                              .similarity = c->similarity };
}

static void make_case(struct case_of *c, const struct se_learner *kind, uint64_t seed)
{
    const struct se_learn_options o = ask_for(seed);
    const struct se_model_options h = { .hidden = 5, .layers = 2, .classes = CLASSES };
    struct se_err err = SE_ERR_INIT;
    struct se_graph g;
    struct se_rng r;

    make_world(&c->w, seed, (int)(seed % 4));
    se_rng_init(&r, seed, SE_RNG_TEST, 8);
    make_rows(c, &r);
    CHECK(se_graph_get(&g, &c->w.stream, SE_GRAPH, &err) == 0);
    CHECK(se_learn_make(&c->l, kind, &g, &c->knn, &c->rows, &o, &err) == 0);
    c->w.net.graph = &c->l.graph;
    c->w.net.weighs_arcs = true;
    CHECK(se_model_find("gcn", true, &err)->build(&c->w.net, &h, &err) == 0);
    CHECK(se_net_ready(&c->w.net, &err) == 0);
    stir(&c->w.net);
    c->l.epoch = 3;
    for (uint64_t i = 0; kind->per_edge && i < c->l.count; i++)
        c->l.value[i] = .1 + .8 * se_rng_unit(&r);
}

static void free_case(struct case_of *c)
{
    se_learn_release(&c->l);
    free_world(&c->w);
}

/* All of the loss at the parameters as they are; prognn's cross-entropy has the factor gamma. */
static double whole_loss(struct case_of *c)
{
    double l;

    se_learn_weigh(&c->l, &c->w.net, true);
    l = loss(&c->w) * (strcmp(c->l.kind->name, "prognn") == 0 ? c->l.o.gamma : 1);
    se_net_backward(&c->w.net, c->w.dlogits);
    return l + se_learn_back(&c->l, &c->w.net);
}

static double learner_error(struct case_of *c)
{
    double off = 0, size = 0, *grad = calloc(c->l.count, sizeof *grad);

    whole_loss(c);
    memcpy(grad, c->l.grad, c->l.count * sizeof *grad);
    for (uint64_t i = 0, step = 1 + c->l.count / 211; i < c->l.count; i += step) {
        const double was = c->l.value[i];
        double best = NAN;

        for (double h = 1e-4; h > 1e-7; h /= 10) {
            double d;

            c->l.value[i] = was + h;
            d = whole_loss(c);
            c->l.value[i] = was - h;
            d = (d - whole_loss(c)) / (2 * h);
            if (!(fabs(d - grad[i]) >= fabs(best - grad[i])))
                best = d;
        }
        c->l.value[i] = was;
        off += (best - grad[i]) * (best - grad[i]);
        size += best * best;
    }
    free(grad);
    CHECK(size > 1e-12);
    return sqrt(off / size);
}

static void check_gradients(void)
{
    static struct case_of c;

    for (int i = 0; se_learners[i]; i++) {
        double worst = 0;

        if (se_learners[i]->validates)
            continue;
        for (uint64_t seed = 1; seed <= 6; seed++) {
            make_case(&c, se_learners[i], seed);
            worst = fmax(worst, learner_error(&c));
            free_case(&c);
        }
        CHECK(worst < 1e-6);
        report(se_learners[i]->name, worst);
    }
}

/* ---- the gradient behind a step ---- */

static double behind_step(struct case_of *c, const struct se_targets t[2], const double *was,
                          const double *scale)
{
    struct se_net *net = &c->w.net;
    double l;

    memcpy(net->value, was, net->count * sizeof *was);
    se_nngraph_weigh(&c->l.graph, 1);
    net->current = 0;
    se_net_loss_of(net, se_net_forward(net, false), &t[0], c->w.dlogits);
    se_net_backward(net, c->w.dlogits);
    for (uint64_t k = 0; k < net->count; k++)
        net->value[k] -= scale[k] * net->grad[k];
    net->current = 0;
    l = se_net_loss_of(net, se_net_forward(net, false), &t[1], c->w.dlogits);
    net->current = 0;
    return l;
}

static void check_hyper(void)
{
    static struct case_of c;
    double worst = 0;

    for (uint64_t seed = 1; seed <= 6; seed++) {
        struct se_err err = SE_ERR_INIT;
        double off = 0, size = 0;
        struct se_rng r;

        make_case(&c, se_learner_find("lds", &err), seed);
        se_rng_init(&r, seed, SE_RNG_TEST, 5);

        struct se_net *net = &c.w.net;
        struct se_nngraph *g = &c.l.graph;
        double *was = calloc(net->count, sizeof *was), *scale = calloc(net->count, sizeof *scale);
        double *memory = calloc(2 * net->count + g->arcs, sizeof *memory);
        const uint64_t half = c.w.count / 2;
        const struct se_targets t[2] = {
            { N, CLASSES, half, c.w.id, c.w.label, NULL },
            { N, CLASSES, c.w.count - half, c.w.id + half, c.w.label, NULL } };

        memcpy(was, net->value, net->count * sizeof *was);
        for (uint64_t k = 0; k < net->count; k++)
            scale[k] = .5 * se_rng_unit(&r);
        se_learn_weigh(&c.l, net, false);
        behind_step(&c, t, was, scale);
        se_learn_hyper(&c.l, net, &t[0], &t[1], was, scale, c.w.dlogits, memory);
        for (uint64_t v = 0; v < N; v++)
            for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++) {
                const double at = g->weight[e], h = 1e-5;
                double d;

                if (g->to[e] <= v)
                    continue;
                g->weight[e] = g->weight[g->back[e]] = at + h;
                d = behind_step(&c, t, was, scale);
                g->weight[e] = g->weight[g->back[e]] = at - h;
                d = (d - behind_step(&c, t, was, scale)) / (2 * h);
                g->weight[e] = g->weight[g->back[e]] = at;
                off += pow(d - c.l.dweight[e], 2);
                size += d * d;
            }
        worst = fmax(worst, sqrt(off / size));
        free(was);
        free(scale);
        free(memory);
        free_case(&c);
    }
    CHECK(worst < 1e-4);
    report("lds: validation loss behind a training step", worst);
}

/* ---- identities ---- */

/* A rate of 0 leaves the given graph; so does prognn without its terms but |S - A|. */
static void check_still(void)
{
    static struct case_of c;
    static const char *const names[] = { "weights", "lds", "prognn" };

    for (int i = 0; i < 3; i++) {
        struct se_err err = SE_ERR_INIT;

        make_case(&c, se_learner_find(names[i], &err), 3);
        for (uint64_t e = 0; e < c.l.graph.arcs; e++)
            if (c.l.edge[e] != SE_NONE)
                c.l.value[c.l.edge[e]] = c.l.given[e];
        c.l.o.rate = i < 2 ? 0 : .05;
        c.l.o.alpha = c.l.o.beta = c.l.o.gamma = c.l.o.lambda = 0;
        for (int step = 0; step < 3; step++) {
            whole_loss(&c);
            se_learn_step(&c.l);
        }
        for (uint64_t e = 0; e < c.l.graph.arcs; e++)
            if (c.l.edge[e] != SE_NONE)
                CHECK(c.l.value[c.l.edge[e]] == c.l.given[e]);
        free_case(&c);
    }
    unit_ok("rate 0 keeps the weights; prognn without other terms keeps the graph");
}

/* The proximal step of the nuclear norm at full rank, against the definition by all values */
static void check_nuclear(void)
{
    static struct case_of c;

    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct se_err err = SE_ERR_INIT;
        static double a[N * N], value[N], vector[N * N], was[N * N];

        make_case(&c, se_learner_find("prognn", &err), seed);
        se_lowrank_release(&c.l.low);
        CHECK(se_lowrank_make(&c.l.low, N, N, &err) == 0);
        c.l.o.beta = 4;
        memset(a, 0, sizeof a);
        for (uint64_t v = 0; v < N; v++)
            for (uint64_t e = c.l.graph.off[v]; e < c.l.graph.off[v + 1]; e++)
                if (c.l.edge[e] != SE_NONE)
                    a[v * N + c.l.graph.to[e]] = (float)c.l.value[c.l.edge[e]];
        se_eigen(N, memcpy(was, a, sizeof a), value, vector);
        prox_nuclear(&c.l);
        for (uint64_t v = 0; v < N; v++)
            for (uint64_t e = c.l.graph.off[v]; e < c.l.graph.off[v + 1]; e++) {
                double want = 0;

                for (uint64_t k = 0; k < N; k++)
                    want += copysign(fmax(fabs(value[k]) - 4 * .05, 0), value[k]) *
                            vector[v * N + k] * vector[c.l.graph.to[e] * N + k];
                if (c.l.edge[e] != SE_NONE)
                    CHECK_NEAR(c.l.value[c.l.edge[e]], want, 1e-6);
            }
        free_case(&c);
    }
    unit_ok("prognn: the proximal step at full rank is that of the definition");
}

/* With as many neighbours as there are every arc stays, and shares add up to 1; at a high
 * temperature they are equal. */
static void check_sparse(void)
{
    static struct case_of c;
    struct se_err err = SE_ERR_INIT;

    make_case(&c, se_learner_find("neuralsparse", &err), 2);
    c.l.o.temperature = 1e12;
    se_learn_weigh(&c.l, &c.w.net, true);
    for (uint64_t v = 0; v < N; v++) {
        const uint64_t others = c.l.graph.off[v + 1] - c.l.graph.off[v] - 1;

        for (uint64_t e = c.l.graph.off[v]; e < c.l.graph.off[v + 1]; e++)
            if (c.l.graph.to[e] != v)
                CHECK_NEAR(c.l.work[KEPT][e], 1. / (double)others, 1e-9);
    }
    c.l.o.top = 2;
    se_learn_weigh(&c.l, &c.w.net, false);
    for (uint64_t v = 0; v < N; v++) {
        uint64_t kept = 0, others = c.l.graph.off[v + 1] - c.l.graph.off[v] - 1;

        for (uint64_t e = c.l.graph.off[v]; e < c.l.graph.off[v + 1]; e++)
            kept += c.l.work[KEPT][e] > 0;
        CHECK(kept == (others < 2 ? others : 2));
    }
    free_case(&c);
    unit_ok("neuralsparse: all neighbours, equal shares, the two largest");
}

/* The similarity of two vertices, by the definition on dense rows */
static double similarity(const struct case_of *c, const double x[N * COLS], int u, int v)
{
    double mean = 0;

    for (uint64_t p = 0; u != v && p < c->l.o.perspectives; p++) {
        const double *w = c->l.value + p * COLS;
        double both = 0, first = 0, second = 0;

        for (int k = 0; k < COLS; k++) {
            both += w[k] * x[u * COLS + k] * w[k] * x[v * COLS + k];
            first += pow(w[k] * x[u * COLS + k], 2);
            second += pow(w[k] * x[v * COLS + k], 2);
        }
        mean += first > 0 && second > 0 ? both / sqrt(first * second) : 0;
    }
    return u == v ? 1 : fmax(mean / (double)c->l.o.perspectives, 0);
}

/* idgl: weights and further loss from dense matrices; S is 0 where there is no candidate */
static void check_metric(void)
{
    static struct case_of c;
    static double s[N * N], given[N * N], x[N * COLS];

    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct se_err err = SE_ERR_INIT;
        double degree[N], row[N] = { 0 }, extra = 0, trace = 0, square = 0, logs = 0;
        const struct se_nngraph *g = &c.l.graph;

        make_case(&c, se_learner_find("idgl", &err), seed);
        memset(s, 0, sizeof s);
        memset(given, 0, sizeof given);
        memset(x, 0, sizeof x);
        for (int v = 0; v < N; v++) {
            degree[v] = 0;
            for (uint64_t i = c.off[v]; i < c.off[v + 1]; i++)
                x[v * COLS + c.col[i]] = c.value[i];
        }
        for (int v = 0; v < N; v++)
            for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++) {
                s[v * N + g->to[e]] = similarity(&c, x, v, (int)g->to[e]);
                given[v * N + g->to[e]] = c.l.given[e];
                degree[v] += c.l.given[e];
                row[v] += s[v * N + g->to[e]];
            }
        se_learn_weigh(&c.l, &c.w.net, true);
        for (int v = 0; v < N; v++) {
            logs += log(row[v]);
            for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++) {
                const int u = (int)g->to[e];

                CHECK_NEAR(g->weight[e], .6 * given[v * N + u] / sqrt(degree[v] * degree[u]) +
                           .4 * (s[v * N + u] / row[v] + s[u * N + v] / row[u]) / 2, 1e-12);
            }
            for (int u = 0; u < N; u++) {
                double apart = 0;

                for (int k = 0; k < COLS; k++)
                    apart += pow(x[u * COLS + k] - x[v * COLS + k], 2);
                trace += s[v * N + u] * apart / 2;
                square += u == v ? 0 : s[v * N + u] * s[v * N + u];
            }
        }
        extra = whole_loss(&c) - loss(&c.w);
        CHECK_NEAR(extra, (.3 * trace + .7 * square) / (N * N) - .4 * logs / N, 1e-10);
        free_case(&c);
    }
    unit_ok("idgl: weights and penalties by dense matrices");
}

int main(void)
{
    check_metric();
    check_gradients();
    check_hyper();
    check_still();
    check_nuclear();
    check_sparse();
    return unit_done();
}
