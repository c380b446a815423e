/* test-nn-arcs.c - gradients by the weights of edges, losses over all vertices, and identities of
 * models, in double */
#define SE_REAL double

#include "tests/unit/networld.h"

#include "common/train/consistency.c"
#include "common/train/entropy_loss.c"

struct choice {
    const struct se_model_kind *kind;
    struct se_model_options h;
};

static struct choice choose(const char *name, uint64_t layers, double p)
{
    struct se_err err = SE_ERR_INIT;

    return (struct choice){ se_model_find(name, true, &err),
        { .hidden = 5, .layers = layers, .classes = CLASSES, .heads = 2, .out_heads = 2, .hops = 3,
          .dropout = p, .input_dropout = p, .alpha = 0.15, .lambda = 0.7, .vertex_dropout = p } };
}

/* ---- weights of edges ---- */

/* The loss with another weight of the edge at arc e */
static double loss_with(struct world *w, uint64_t e, double weight)
{
    struct se_nngraph *g = &w->graph;
    const double was = g->weight[e];
    double l;

    g->weight[e] = g->weight[g->back[e]] = weight;
    se_nngraph_weigh(g, 2);
    l = loss(w);
    g->weight[e] = g->weight[g->back[e]] = was;
    se_nngraph_weigh(g, 2);
    return l;
}

/* The relative error of the gradient by all weights, as one vector */
static double arc_error(struct world *w)
{
    struct se_nngraph *g = &w->graph;
    double *sum = calloc(N, sizeof *sum), *dweight = calloc(g->arcs, sizeof *dweight);
    double off = 0, size = 0;

    loss(w);
    se_net_backward(&w->net, w->dlogits);
    se_nngraph_back(g, w->net.dnorm, 2, sum, dweight);
    for (uint64_t v = 0; v < N; v++)
        for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++) {
            double best = NAN;

            CHECK(dweight[e] == dweight[g->back[e]] ||
                  fabs(dweight[e] - dweight[g->back[e]]) < 1e-12);
            if (g->to[e] < v)
                continue;
            for (double h = 1e-4; h > 1e-7; h /= 10) {  /* a bend of relu may lie within a step */
                const double d = (loss_with(w, e, g->weight[e] + h) -
                                  loss_with(w, e, g->weight[e] - h)) / (2 * h);

                if (!(fabs(d - dweight[e]) >= fabs(best - dweight[e])))
                    best = d;
            }
            off += (best - dweight[e]) * (best - dweight[e]);
            size += best * best;
        }
    free(sum);
    free(dweight);
    CHECK(size > 1e-10);
    return sqrt(off / size);
}

static void check_weights(void)
{
    static struct world w;
    int checked = 0;

    for (int i = 0; se_model_kinds[i]; i++) {
        double worst = 0;
        bool sees = false;

        for (uint64_t layers = 1; layers <= 3; layers += 2)
            for (int shape = 0; shape < 4; shape++)
                for (int variant = 0; variant < 2; variant++) {
                    struct choice c = choose(se_model_kinds[i]->name, layers, shape & 1 ? 0.3 : 0);
                    struct se_err err = SE_ERR_INIT;

                    c.h.variant = variant;
                    make_world(&w, 3, shape);
                    w.net.weighs_arcs = true;
                    CHECK(c.kind->build(&w.net, &c.h, &err) == 0);
                    sees = w.net.sees_norm && !w.net.sees_other;
                    if (sees) {
                        CHECK(se_net_ready(&w.net, &err) == 0);
                        stir(&w.net);
                        worst = fmax(worst, arc_error(&w));
                    }
                    free_world(&w);
                }
        checked += sees;
        CHECK(worst < 1e-6);
        if (sees) {
            char text[64];

            snprintf(text, sizeof text, "weights of edges, %s", se_model_kinds[i]->name);
            report(text, worst);
        }
    }
    CHECK(checked >= 7);
}

/* ---- structural entropy ---- */

/* By the definition: modules below the root, vertices below modules; loops left out */
static double entropy_by_definition(const struct se_nngraph *g, const int *module, int modules)
{
    double h = 0, vol = 0, degree[N] = { 0 };

    for (uint64_t v = 0; v < N; v++)
        for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++)
            degree[v] += g->to[e] == v ? 0 : g->weight[e];
    for (int v = 0; v < N; v++)
        vol += degree[v];
    for (int j = 0; j < modules; j++) {
        double size = 0, cut = 0;

        for (uint64_t v = 0; v < N; v++) {
            size += module[v] == j ? degree[v] : 0;
            for (uint64_t e = g->off[v]; e < g->off[v + 1]; e++)
                cut += module[v] == j && module[g->to[e]] != j ? g->weight[e] : 0;
        }
        if (cut > 0)
            h -= cut / vol * log2(size / vol);
        for (int v = 0; v < N; v++)
            if (module[v] == j && degree[v] > 0)
                h -= degree[v] / vol * log2(degree[v] / size);
    }
    return h;
}

static void check_entropy(void)
{
    enum { M = 4 };
    static struct world w;

    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct se_entropy_loss x;
        struct se_err err = SE_ERR_INIT;
        double s[N * M] = { 0 }, ds[N * M], scrap[N * M];
        int module[N];
        struct se_rng r;

        make_world(&w, seed, seed % 4);
        se_net_on(&w.net, NULL);
        se_rng_init(&r, seed, SE_RNG_TEST, 9);
        CHECK(se_entropy_loss_make(&x, &w.graph, NULL, M, 1, &err) == 0);
        for (int v = 0; v < N; v++)
            s[v * M + (module[v] = (int)se_rng_below(&r, M))] = 1;
        CHECK_NEAR(se_entropy_of(&x, &w.net, s, NULL), entropy_by_definition(&w.graph, module, M),
                   1e-10);
        for (int i = 0; i < N * M; i++)
            s[i] = 0.05 + se_rng_unit(&r);
        se_entropy_of(&x, &w.net, s, ds);
        for (int i = 0; i < N * M; i++) {
            const double was = s[i], h = 1e-5;
            double up;

            s[i] = was + h;
            up = se_entropy_of(&x, &w.net, s, scrap);
            s[i] = was - h;
            CHECK_NEAR(ds[i], (up - se_entropy_of(&x, &w.net, s, scrap)) / (2 * h), 1e-8);
            s[i] = was;
        }
        se_entropy_loss_release(&x);
        free_world(&w);
    }
    unit_ok("structural entropy of an assignment: hard by the definition, gradient by differences");
}

/* Cross-entropy, unless it is alone, and structural entropy through a whole net, by all its
 * parameters */
static double both_losses(struct world *w, struct se_entropy_loss *x)
{
    double l = loss(w);

    if (x->modules == CLASSES) {
        memset(w->dlogits, 0, sizeof w->dlogits);
        l = 0;
    }
    return l + x->extra.add(&x->extra, &w->net, 0, NULL, w->dlogits);
}

static void check_entropy_net(bool alone)
{
    const uint64_t modules = alone ? CLASSES : 3;
    static struct world w;
    double worst = 0;

    for (int i = 0; se_model_kinds[i]; i++)
        for (int shape = 0; shape < 4; shape++) {
            const struct choice c = choose(se_model_kinds[i]->name, 3, shape & 1 ? 0.3 : 0);
            struct se_err err = SE_ERR_INIT;
            struct se_entropy_loss x;

            if (!alone && strcmp(c.kind->name, "linear") == 0)
                continue;
            make_world(&w, 3, shape);
            CHECK(c.kind->build(&w.net, &c.h, &err) == 0);
            CHECK((alone ? se_entropy_alone(&w.net, &err)
                         : se_entropy_layers(&w.net, 3, &err)) == 0);
            CHECK(se_net_ready(&w.net, &err) == 0);
            CHECK(se_entropy_loss_make(&x, &w.graph, NULL, modules, 0.8, &err) == 0);
            stir(&w.net);
            both_losses(&w, &x);
            se_net_backward(&w.net, w.dlogits);
            for (uint64_t k = 0, step = 1 + w.net.count / 97; k < w.net.count; k += step) {
                const double g = w.net.grad[k], was = w.net.value[k];
                double best = NAN;

                for (double h = 1e-4; h > 1e-7; h /= 10) {
                    double up, d;

                    w.net.value[k] = was + h;
                    up = both_losses(&w, &x);
                    w.net.value[k] = was - h;
                    d = (up - both_losses(&w, &x)) / (2 * h);
                    if (!(fabs(d - g) >= fabs(best - g)))
                        best = d;
                }
                w.net.value[k] = was;
                worst = fmax(worst, fabs(best - g) / fmax(fabs(best), 1e-2));
            }
            se_entropy_loss_release(&x);
            free_world(&w);
        }
    CHECK(worst < 1e-6);
    report(alone ? "entropy loss alone, of every model"
                 : "entropy loss behind every model with a hidden layer", worst);
}

/* ---- consistency ---- */

static void check_consistency(void)
{
    enum { S = 3, SIZE = N * CLASSES };
    struct se_consistency x, y;
    struct se_net net = { .ops = &se_cpu_ops };
    struct se_err err = SE_ERR_INIT;
    double logits[S][SIZE], d[SIZE], scrap[SIZE] = { 0 };
    struct se_rng r;

    se_rng_init(&r, 1, SE_RNG_TEST, 4);
    CHECK(se_consistency_make(&x, N, CLASSES, S, 0.7, 0.5, &err) == 0);
    CHECK(se_consistency_make(&y, N, CLASSES, 1, 0.7, 1, &err) == 0);
    for (int s = 0; s < S; s++) {
        for (int i = 0; i < SIZE; i++)
            logits[s][i] = se_rng_normal(&r);
        x.extra.see(&x.extra, &net, (uint64_t)s, logits[s]);
    }
    for (uint64_t v = 0; v < N; v++) {          /* the target, by its definition */
        double p[CLASSES] = { 0 }, sum = 0;

        for (int c = 0; c < CLASSES; c++) {
            for (int s = 0; s < S; s++) {
                double all = 0;

                for (int k = 0; k < CLASSES; k++)
                    all += exp(logits[s][v * CLASSES + (uint64_t)k]);
                p[c] += exp(logits[s][v * CLASSES + (uint64_t)c]) / all / S;
            }
            sum += p[c] * p[c];
        }
        for (int c = 0; c < CLASSES; c++)
            CHECK_NEAR(x.target[v * CLASSES + (uint64_t)c], p[c] * p[c] / sum, 1e-12);
    }
    memset(d, 0, sizeof d);
    x.extra.add(&x.extra, &net, 1, NULL, d);
    for (int i = 0; i < SIZE; i++) {
        const double was = logits[1][i], h = 1e-5;
        double l[2];

        for (int k = 0; k < 2; k++) {           /* the target stays: no gradient goes through it */
            logits[1][i] = was + (k ? -h : h);
            soften_rows(logits[1], N, CLASSES, x.z + SIZE);
            l[k] = x.extra.add(&x.extra, &net, 1, NULL, scrap);
        }
        CHECK_NEAR(d[i], (l[0] - l[1]) / (2 * h), 1e-9);
        logits[1][i] = was;
    }
    y.extra.see(&y.extra, &net, 0, logits[0]);
    memset(d, 0, sizeof d);
    CHECK(y.extra.add(&y.extra, &net, 0, NULL, d) == 0);
    for (int i = 0; i < SIZE; i++)
        CHECK(d[i] == 0);
    se_consistency_release(&x);
    se_consistency_release(&y);
    unit_ok("consistency of samples; one sample at temperature 1 costs nothing");
}

/* ---- identities ---- */

static void run_model(struct world *w, const struct choice *c, uint64_t seed, int shape)
{
    struct se_err err = SE_ERR_INIT;

    make_world(w, seed, shape);
    CHECK(c->kind->build(&w->net, &c->h, &err) == 0 && se_net_ready(&w->net, &err) == 0);
}

/* Without hops, and without rows left out, grand is an mlp, bit by bit, in both forms. */
static void check_grand(void)
{
    static struct world w[2];

    for (int variant = 0; variant < 2; variant++)
        for (int shape = 0; shape < 2; shape++) {
            struct choice grand = choose("grand", 3, 0.4), mlp = choose("mlp", 3, 0.4);

            grand.h.variant = variant;
            grand.h.hops = 0;
            grand.h.vertex_dropout = 0;
            run_model(&w[0], &grand, 3, shape);
            run_model(&w[1], &mlp, 3, shape);
            CHECK(loss(&w[0]) == loss(&w[1]));
            CHECK(memcmp(w[0].dlogits, w[1].dlogits, sizeof w[0].dlogits) == 0);
            free_world(&w[0]);
            free_world(&w[1]);
        }
    /* the two forms are the same function where the input has no dropout */
    for (int shape = 0; shape < 2; shape++) {
        struct choice first = choose("grand", 2, 0), later = choose("grand", 2, 0);

        later.h.variant = true;
        run_model(&w[0], &first, 3, shape);
        run_model(&w[1], &later, 3, shape);
        stir(&w[0].net);
        memcpy(w[1].net.value, w[0].net.value, w[0].net.count * sizeof(double));
        CHECK(w[0].net.count == w[1].net.count);
        const double *a = se_net_forward(&w[0].net, false), *b = se_net_forward(&w[1].net, false);

        for (int i = 0; i < N * CLASSES; i++)
            CHECK_NEAR(a[i], b[i], 1e-12);
        free_world(&w[0]);
        free_world(&w[1]);
    }
    unit_ok("grand without hops is mlp; both forms are the same without input dropout");
}

/* Power 1 alone is gcn without bias; power 2 is P (P X). */
static void check_mixhop(void)
{
    static struct world w[2];
    struct choice mixhop = choose("mixhop", 1, 0), gcn = choose("gcn", 1, 0);
    double twice[N * CLASSES], *p;

    mixhop.h.hops = 2;
    for (int shape = 0; shape < 4; shape++)
        for (int power = 1; power <= 2; power++) {
            run_model(&w[0], &mixhop, 3, shape);
            run_model(&w[1], &gcn, 3, shape);
            CHECK(w[0].net.count == 3 * COLS * CLASSES + 3 && w[1].net.parameters == 2);
            p = w[0].net.value + w[0].net.parameter[power].start;
            memcpy(w[1].net.value, p, COLS * CLASSES * sizeof *p);
            for (int k = 0; k < 3; k++)                 /* shares: all to this power */
                w[0].net.value[3 * COLS * CLASSES + k] = k == power ? 800 : 0;
            const double *a = se_net_forward(&w[0].net, false);
            const double *b = se_net_forward(&w[1].net, false);
            const struct se_gather g = se_arcs(&w[1].graph, w[1].graph.norm, false, b, CLASSES,
                                               twice);

            se_gather(&w[1].net, &g, N);
            for (int i = 0; i < N * CLASSES; i++)
                CHECK_NEAR(a[i], power == 1 ? b[i] : twice[i], 1e-12);
            free_world(&w[0]);
            free_world(&w[1]);
        }
    unit_ok("mixhop: power 1 alone is gcn without bias, power 2 is two hops");
}

int main(void)
{
    check_weights();
    check_entropy();
    check_entropy_net(false);
    check_entropy_net(true);
    check_consistency();
    check_grand();
    check_mixhop();
    return unit_done();
}
