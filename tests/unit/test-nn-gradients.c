/* test-nn-gradients.c - gradients of every layer and every model against central differences
 *
 * The sources of the nets are compiled here once more, for double; the archive's own objects
 * stay out because all they define is already here.  The models only append layers, so those
 * of the archive serve, and a new one is tested without a word here. */
#define SE_REAL double

#include "tests/unit/networld.h"

/* The central difference nearest to g over a few steps: a step across a bend of relu misleads,
 * a shorter one does not reach it. */
static double difference(struct world *w, double *value, double g)
{
    static const double steps[] = { 1e-5, 1e-6, 1e-4 };
    const double was = *value;
    double best = NAN;

    for (int i = 0; i < 3 && !(fabs(best - g) < 1e-10); i++) {
        double up, d;

        *value = was + steps[i];
        up = loss(w);
        *value = was - steps[i];
        d = (up - loss(w)) / (2 * steps[i]);
        if (!(fabs(d - g) >= fabs(best - g)))
            best = d;
    }
    *value = was;
    return best;
}

/* Largest relative error over the arrays of parameters, each as one vector. */
static double worst_error(struct world *w)
{
    struct se_net *net = &w->net;
    double worst = 0, all = 0;

    loss(w);
    se_net_backward(net, w->dlogits);
    for (int i = 0; i < net->parameters; i++) {
        const struct se_parameter *p = &net->parameter[i];
        double off = 0, size = 0;

        for (uint64_t k = p->start; k < p->start + p->rows * p->cols; k++) {
            const double g = net->grad[k], d = difference(w, &net->value[k], g);

            off += (g - d) * (g - d);
            size += d * d;
        }
        all += size;
        worst = fmax(worst, sqrt(off) / fmax(sqrt(size), 1e-3));
    }
    CHECK(all > 1e-8);                          /* there was something to compare */
    return worst;
}

typedef int build_net(struct se_net *net, const void *how, struct se_err *err);

static double check_build(build_net *build, const void *how)
{
    static struct world w;
    double worst = 0;

    for (int shape = 0; shape < 4; shape++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            struct se_err err = SE_ERR_INIT;

            make_world(&w, seed, shape);
            CHECK(build(&w.net, how, &err) == 0 && se_net_ready(&w.net, &err) == 0);
            stir(&w.net);
            worst = fmax(worst, worst_error(&w));
            free_world(&w);
        }
    CHECK(worst < 1e-6);
    return worst;
}

/* ---- layers: behind the input, and behind a linear layer that needs their gradient ---- */

enum kind { LINEAR, GRAPH, SAGE, GAT_JOIN, GAT_MEAN, PROPAGATE, MIX, DROPOUT, RELU, ELU, IDENTITY };

struct stack {                  /* a linear layer of `before` columns or none, the layer, a
                                 * linear layer to the classes */
    enum kind kind;
    uint64_t before, cols;
    double p;
};

static int append(struct se_net *net, const struct stack *s, struct se_err *err)
{
    switch (s->kind) {
    case LINEAR: return se_net_linear(net, s->cols, err);
    case GRAPH: return se_net_graphconv(net, s->cols, err);
    case SAGE: return se_net_sageconv(net, s->cols, err);
    case MIX: return se_net_mixconv(net, s->cols, err);
    case GAT_JOIN: return se_net_gatconv(net, s->cols, 3, false, s->p, err);
    case GAT_MEAN: return se_net_gatconv(net, s->cols, 3, true, s->p, err);
    case PROPAGATE: return se_net_propagate(net, 0.2, 4, s->p, err);
    case DROPOUT: return se_net_dropout(net, s->p, err);
    case RELU: return se_net_activate(net, SE_RELU, s->p, err);
    case ELU: return se_net_activate(net, SE_ELU, s->p, err);
    default: return se_net_activate(net, SE_IDENTITY, s->p, err);
    }
}

static int build_stack(struct se_net *net, const void *how, struct se_err *err)
{
    const struct stack *s = how;

    return (s->before && se_net_linear(net, s->before, err) < 0) || append(net, s, err) < 0
         ? -1 : se_net_linear(net, CLASSES, err);
}

static void check_layers(void)
{
    static const struct { const char *name; struct stack s; } all[] = {
        { "linear", { LINEAR, 6, 5, 0 } },
        { "graphconv on the input", { GRAPH, 0, 5, 0 } },
        { "graphconv on the input, to more columns", { GRAPH, 0, 11, 0 } },
        { "graphconv, multiplied first", { GRAPH, 6, 5, 0 } },
        { "graphconv, summed first", { GRAPH, 5, 6, 0 } },
        { "sageconv on the input", { SAGE, 0, 5, 0 } },
        { "sageconv on the input, to more columns", { SAGE, 0, 11, 0 } },
        { "sageconv, multiplied first", { SAGE, 6, 5, 0 } },
        { "sageconv, summed first", { SAGE, 5, 6, 0 } },
        { "mixconv on the input", { MIX, 0, 5, 0 } },
        { "mixconv, multiplied first", { MIX, 6, 5, 0 } },
        { "mixconv, summed first", { MIX, 5, 6, 0 } },
        { "gatconv on the input", { GAT_JOIN, 0, 3, 0 } },
        { "gatconv, joined heads", { GAT_JOIN, 6, 3, 0 } },
        { "gatconv, joined heads of 8, attention dropout", { GAT_JOIN, 6, 8, 0.4 } },
        { "gatconv, averaged heads", { GAT_MEAN, 6, 5, 0 } },
        { "gatconv, averaged heads of 17, attention dropout", { GAT_MEAN, 6, 17, 0.4 } },
        { "propagate", { PROPAGATE, 6, 0, 0 } },
        { "propagate, edge dropout", { PROPAGATE, 6, 0, 0.4 } },
        { "dropout of the input", { DROPOUT, 0, 0, 0.5 } },
        { "dropout", { DROPOUT, 6, 0, 0.3 } },
        { "relu", { RELU, 6, 0, 0 } },
        { "relu and dropout", { RELU, 6, 0, 0.5 } },
        { "elu", { ELU, 6, 0, 0 } },
        { "elu and dropout", { ELU, 6, 0, 0.5 } },
        { "identity and dropout", { IDENTITY, 6, 0, 0.5 } },
        { "wide tiles: graphconv of 37 columns", { GRAPH, 40, 37, 0 } },
        { "wide tiles: sageconv of 70 columns", { SAGE, 0, 70, 0 } },
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        report(all[i].name, check_build(build_stack, &all[i].s));
}

/* ---- models ---- */

struct choice {
    const struct se_model_kind *kind;
    struct se_model_options h;
};

static int build_model(struct se_net *net, const void *how, struct se_err *err)
{
    const struct choice *c = how;

    return c->kind->build(net, &c->h, err);
}

static double check_model(const struct se_model_kind *kind, uint64_t layers, double p)
{
    const struct choice c = { kind,
        { .hidden = 5, .layers = layers, .classes = CLASSES, .heads = 3, .out_heads = 2,
          .hops = 3, .dropout = p, .input_dropout = p, .attention_dropout = p,
          .edge_dropout = p, .vertex_dropout = p, .alpha = 0.15, .lambda = 0.7 } };

    return check_build(build_model, &c);
}

static void check_models(void)
{
    for (int i = 0; se_model_kinds[i]; i++) {
        double worst = 0;

        for (uint64_t layers = 1; layers <= 4; layers++)
            worst = fmax(worst, fmax(check_model(se_model_kinds[i], layers, 0),
                                     check_model(se_model_kinds[i], layers, 0.4)));
        report(se_model_kinds[i]->name, worst);
    }
}

/* Options of models: residual connections, norms, jumps, the variant of gcnii */
static void check_options(void)
{
    static const char *const names[] = { "gcn", "sage", "gat", "acm", "gcnii", "grand",
                                          "mixhop" };
    double worst = 0;

    for (int i = 0; se_model_kinds[i]; i++)
        for (int k = 0; k < 7; k++)
            for (int norm = 0; norm < 3 && strcmp(names[k], se_model_kinds[i]->name) == 0; norm++) {
                const struct choice c = { se_model_kinds[i],
                    { .hidden = 5, .layers = 4, .classes = CLASSES, .heads = 2, .out_heads = 2,
                      .hops = 2, .vertex_dropout = norm ? 0.2 : 0, .dropout = 0.3, .input_dropout = norm ? 0.2 : 0, .alpha = 0.2, .lambda = 1.5,
                      .norm = norm, .residual = true, .jump = norm != 1, .variant = true } };

                worst = fmax(worst, check_build(build_model, &c));
            }
    report("residual, norm, jump and variant", worst);
}

/* ---- the loss itself ---- */

static void check_loss(void)
{
    struct se_rng r;
    double logits[N * CLASSES], d[N * CLASSES], scrap[N * CLASSES];
    int32_t label[N];
    uint32_t id[N];

    se_rng_init(&r, 5, SE_RNG_TEST, 3);
    for (uint32_t v = 0; v < N; v++) {
        id[v] = v;
        label[v] = (int32_t)se_rng_below(&r, CLASSES);
    }
    for (int i = 0; i < N * CLASSES; i++)
        logits[i] = 3 * se_rng_normal(&r);
    se_net_loss(logits, N, CLASSES, id, N / 2, label, d);
    for (int i = 0; i < N * CLASSES; i++) {
        const double was = logits[i], h = 1e-5;
        double up;

        logits[i] = was + h;
        up = se_net_loss(logits, N, CLASSES, id, N / 2, label, scrap);
        logits[i] = was - h;
        CHECK_NEAR(d[i], (up - se_net_loss(logits, N, CLASSES, id, N / 2, label, scrap)) /
                   (2 * h), 1e-9);
        logits[i] = was;
    }
    unit_ok("cross-entropy");
}

/* What evaluation left may be used by the next step: the same gradient either way. */
static void check_reuse(void)
{
    static struct world w;

    for (int i = 0; se_model_kinds[i]; i++)
        for (int drop = 0; drop < 2; drop++) {
            const struct choice c = { se_model_kinds[i],
                { .hidden = 5, .layers = 3, .classes = CLASSES, .heads = 3, .out_heads = 2,
                  .hops = 3, .dropout = drop ? 0.4 : 0, .alpha = 0.15, .lambda = 0.7 } };
            struct se_err err = SE_ERR_INIT;
            double *first;

            make_world(&w, 7, 1);
            CHECK(build_model(&w.net, &c, &err) == 0 && se_net_ready(&w.net, &err) == 0);
            first = se_alloc(w.net.count, sizeof *first, &err);
            loss(&w);
            se_net_backward(&w.net, w.dlogits);
            memcpy(first, w.net.grad, w.net.count * sizeof *first);
            se_net_forward(&w.net, false);
            loss(&w);
            se_net_backward(&w.net, w.dlogits);
            CHECK(memcmp(first, w.net.grad, w.net.count * sizeof *first) == 0);
            free(first);
            free_world(&w);
        }
    unit_ok("a step after an evaluation is the step without it");
}

/* ---- edges left out ---- */

/* What is left, by the definition: an edge list, then degrees, then shares */
static void check_left(const struct se_net *net, const struct se_nngraph *whole,
                       const uint8_t *keep, const struct se_nngraph *left)
{
    static double w[N][N];
    double d[N];
    uint64_t arcs = 0;

    memset(w, 0, sizeof w);
    for (uint64_t v = 0; v < N; v++)
        for (uint64_t e = whole->off[v]; e < whole->off[v + 1]; e++)
            if (whole->to[e] == v || (whole->to[e] > v && keep[e]))
                w[v][whole->to[e]] = w[whole->to[e]][v] = whole->weight[e];
    for (int v = 0; v < N; v++) {
        d[v] = 0;
        for (int u = 0; u < N; u++)
            d[v] += w[v][u];
    }
    CHECK(left->n == N && left->off[N] == left->arcs);
    for (uint64_t v = 0; v < N; v++)
        for (uint64_t e = left->off[v]; e < left->off[v + 1]; e++, arcs++) {
            const uint32_t u = left->to[e];

            CHECK(e == left->off[v] || u > left->to[e - 1]);
            CHECK(w[v][u] > 0 && left->to[left->back[e]] == v && left->back[left->back[e]] == e);
            CHECK(left->back[e] >= left->off[u] && left->back[e] < left->off[u + 1]);
            CHECK_NEAR(left->norm[e], w[v][u] / sqrt(d[v] * d[u]), 1e-14);
            CHECK_NEAR(left->mean[e], w[v][u] / d[v], 1e-14);
            CHECK_NEAR(left->apart[e], u == v ? 0 : w[v][u] / (d[v] - 1), 1e-13);
            w[v][u] = 0;
        }
    for (int i = 0; i < N * N; i++)
        CHECK(w[i / N][i % N] == 0);            /* nothing is missing */
    CHECK(arcs == left->arcs && net->graph == left);
}

static void check_edge_dropout(void)
{
    static struct world w;
    uint64_t kept = 0, all = 0;

    for (int shape = 0; shape < 4; shape++)
        for (uint64_t seed = 1; seed <= 100; seed++) {
            struct se_err err = SE_ERR_INIT;

            make_world(&w, seed, shape);
            w.net.edge_dropout = 0.3;
            CHECK(se_net_graphconv(&w.net, CLASSES, &err) == 0);
            CHECK(se_net_ready(&w.net, &err) == 0);
            se_net_forward(&w.net, true);
            check_left(&w.net, &w.graph, w.net.thinned[0].keep, &w.net.thinned[0].left);
            kept += w.net.graph->arcs - N;
            all += w.graph.arcs - N;
            CHECK(!w.net.beside || w.net.beside == &w.net.thinned[1].left);
            CHECK(!w.net.beside || w.net.beside->arcs < w.beside.arcs);
            se_net_forward(&w.net, false);
            CHECK(w.net.graph == &w.graph && (!w.net.beside || w.net.beside == &w.beside));
            free_world(&w);
        }
    CHECK_NEAR((double)kept / (double)all, 0.7, 0.02);
    unit_ok("edge dropout: what is left, and the share of it");
}

/* Evaluation sees every edge, whatever training left out before. */
static void check_evaluation(void)
{
    static struct world w;
    double logits[2][N * CLASSES];

    for (int i = 0; se_model_kinds[i]; i++) {
        for (int drop = 0; drop < 2; drop++) {
            const struct choice c = { se_model_kinds[i],
                { .hidden = 5, .layers = 3, .classes = CLASSES, .heads = 3, .out_heads = 2,
                  .hops = 3, .edge_dropout = drop ? 0.5 : 0, .alpha = 0.15, .lambda = 0.7 } };
            struct se_err err = SE_ERR_INIT;

            make_world(&w, 8, 1);
            CHECK(build_model(&w.net, &c, &err) == 0 && se_net_ready(&w.net, &err) == 0);
            loss(&w);
            se_net_backward(&w.net, w.dlogits);
            memcpy(logits[drop], se_net_forward(&w.net, false), sizeof logits[drop]);
            free_world(&w);
        }
        CHECK(memcmp(logits[0], logits[1], sizeof logits[0]) == 0);
    }
    unit_ok("evaluation sees every edge");
}

/* Some epochs; how many products of training were made ahead, by the evaluation before */
static int run_epochs(struct world *w, bool evaluate_all, bool at_once)
{
    enum { EPOCHS = 6 };
    int made = 0;

    w->net.epoch = 1;
    se_net_forward(&w->net, false);
    for (uint32_t epoch = 1; epoch <= EPOCHS; epoch++) {
        w->net.epoch = epoch == 4 ? 3 : epoch;          /* the same again, unannounced */
        loss(w);
        made += w->net.layer[0].out.made;
        if (at_once) {
            se_net_learn(&w->net, w->dlogits, 0.05, 1e-3);
        } else {
            se_net_backward(&w->net, w->dlogits);
            se_net_adam(&w->net, 0.05, 1e-3);
        }
        w->net.epoch = epoch == 3 ? 0 : epoch + 1;
        if (evaluate_all || epoch != 2)
            se_net_forward(&w->net, false);
    }
    return made;
}

/* With products made ahead and steps taken while gradients are made, and without, training comes
 * to the same parameters, bit by bit. */
static void check_ahead(void)
{
    static struct world w[2];

    for (int i = 0; se_model_kinds[i]; i++)
        for (uint64_t hidden = 1; hidden <= 64; hidden = hidden * 2 + 1)
            for (int round = 0; round < 2; round++) {
                const struct choice c = { se_model_kinds[i],
                    { .hidden = hidden, .layers = 2, .classes = CLASSES, .heads = 2,
                      .out_heads = 1, .hops = 2, .dropout = 0.3, .input_dropout = 0.4,
                      .alpha = 0.15, .lambda = 0.7 } };
                int made[2];

                for (int k = 0; k < 2; k++) {
                    struct se_err err = SE_ERR_INIT;

                    make_world(&w[k], hidden, 1);
                    CHECK(build_model(&w[k].net, &c, &err) == 0);
                    CHECK(se_net_ready(&w[k].net, &err) == 0);
                    CHECK(k == 0 || se_net_look_ahead(&w[k].net, &err) == 0);
                    made[k] = run_epochs(&w[k], round, k == 1);
                }
                CHECK(made[0] == 0 && made[1] == (round ? 5 : 4));
                CHECK(memcmp(w[0].net.value, w[1].net.value,
                             w[0].net.count * sizeof(se_real)) == 0);
                free_world(&w[0]);
                free_world(&w[1]);
            }
    unit_ok("products made ahead are those of the next epoch; backward and step at once");
}

int main(void)
{
    check_loss();
    check_layers();
    check_models();
    check_options();
    check_reuse();
    check_edge_dropout();
    check_evaluation();
    check_ahead();
    return unit_done();
}
