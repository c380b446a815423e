/* test-nn-memory.c - training makes no memory in its epochs: many take as many calls as few */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/rng.h"
#include "common/graph/builder.h"
#include "common/train/consistency.h"
#include "common/train/entropy_loss.h"
#include "common/train/netlevels.h"
#include "common/train/train.h"
#include "tests/unit/leveltree.h"
#include "tests/unit/unit.h"

/* glibc's own allocator below ours, which counts; sanitizers have theirs, and nothing is counted */
static uint64_t calls;
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS 1
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
void *malloc(size_t size)
{
    calls++;
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size)
{
    calls++;
    return __libc_calloc(count, size);
}
void *realloc(void *p, size_t size)
{
    calls++;
    return __libc_realloc(p, size);
}
void *aligned_alloc(size_t line, size_t size)
{
    calls++;
    return __libc_memalign(line, size);
}
#else
#define COUNTS 0
#endif

enum { N = 400, COLS = 40, CLASSES = 3 };

static struct se_nngraph graph, beside;
static struct se_netlevels levels;
static struct se_sparse sparse;
static int32_t label[N];
static uint8_t part[N];

static void make_graph(struct se_nngraph *to, uint64_t seed)
{
    static struct se_stream stream = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_builder b = SE_BUILDER_INIT;
    struct se_built built;
    struct se_graph g;
    struct se_rng r;

    se_rng_init(&r, seed, SE_RNG_TEST, 0);
    b.n = N;
    for (int i = 0; i < 4 * N; i++)
        CHECK(se_builder_add(&b, (uint32_t)se_rng_below(&r, N), (uint32_t)se_rng_below(&r, N), 1,
                             &err) == 0);
    CHECK(se_builder_put(&b, &stream, SE_GRAPH, SE_MERGE_SUM, true, &built, &err) == 0);
    CHECK(se_graph_get(&g, &stream, SE_GRAPH, &err) == 0);
    CHECK(se_nngraph_make(to, &g, false, SE_LOOPS_ONE, &err) == 0);
    se_stream_release(&stream);
}

static void make_input(void)
{
    static uint64_t off[N + 1];
    static uint32_t col[N * COLS];
    static float value[N * COLS];
    struct se_err err = SE_ERR_INIT;
    struct se_rng r;
    uint64_t at = 0;

    se_rng_init(&r, 3, SE_RNG_TEST, 1);
    for (uint64_t v = 0; v < N; v++) {
        for (uint32_t c = 0; c < COLS; c++)
            if (se_rng_below(&r, 4) == 0) {
                col[at] = c;
                value[at++] = 1;
            }
        off[v + 1] = at;
        label[v] = (int32_t)se_rng_below(&r, CLASSES);
        part[v] = (uint8_t)(1 + v % 3);
    }
    const struct se_features f = { N, COLS, at, NULL, off, col, value };

    CHECK(se_sparse_make(&sparse, &f, true, &err) == 0);
}

/* Calls that so many epochs take */
static uint64_t calls_of(const struct se_model_kind *kind, uint64_t epochs, bool entropy)
{
    static struct se_net net;
    /* few columns in all parts together: OpenBLAS makes memory of its own for large products */
    const struct se_model_options h = { .hidden = kind->positions ? 2 : 8, .layers = 3, .classes = CLASSES, .heads = 2,
        .out_heads = 1, .hops = 2, .dropout = .4, .input_dropout = .4, .attention_dropout = .3,
        .edge_dropout = .3, .vertex_dropout = .3, .alpha = .1, .lambda = .5, .norm = SE_BATCH_NORM,
        .residual = true };
    struct se_err err = SE_ERR_INIT;
    struct se_train_result r = SE_TRAIN_RESULT_INIT;
    struct se_consistency agree;
    struct se_entropy_loss loss;
    struct se_train_options plan = { .rate = .01, .decay = 5e-4, .epochs = epochs, .label = label,
        .part = part, .classes = CLASSES, .embed_best = true, .by_loss = true, .last_of_ties = true,
        .samples = entropy ? 2 : 1 };
    uint64_t before;

    net = (struct se_net){ .graph = &graph, .beside = kind->beside ? &beside : NULL, .n = N,
        .levels = &levels,
        .threads = 2, .sparse = true, .weighs_arcs = true,
        .input = { .rows = N, .cols = COLS, .sparse = &sparse, .value = sparse.value } };
    CHECK(kind->build(&net, &h, &err) == 0);
    if (entropy)
        CHECK(se_entropy_layers(&net, 5, &err) == 0);
    CHECK(se_net_ready(&net, &err) == 0);
    CHECK(se_consistency_make(&agree, N, CLASSES, 2, 1, .5, &err) == 0);
    CHECK(se_entropy_loss_make(&loss, &graph, NULL, 5, 1, &err) == 0);
    if (entropy) {
        plan.extra[0] = &agree.extra;
        plan.extra[1] = &loss.extra;
    }
    before = calls;
    CHECK(se_train(&r, &net, &plan, &err) == 0);
    CHECK(r.epochs == epochs);
    before = calls - before;
    se_train_release(&r);
    se_consistency_release(&agree);
    se_entropy_loss_release(&loss);
    se_net_release(&net);
    return before;
}

int main(void)
{
    static struct level_tree tree;
    struct se_err err = SE_ERR_INIT;

    make_graph(&graph, 1);
    make_graph(&beside, 2);
    make_level_tree(&tree, N, 40, 7);
    CHECK(se_netlevels_make(&levels, &tree.t, &graph, &err) == 0);
    make_input();
    free(malloc(1));
    CHECK(!COUNTS || calls > 0);
    for (int i = 0; se_model_kinds[i]; i++)
        for (int entropy = 0; entropy < 2; entropy++) {
            if (entropy && strcmp(se_model_kinds[i]->name, "linear") == 0)
                continue;
            calls_of(se_model_kinds[i], 2, entropy);    /* threads and OpenBLAS are there now */
            CHECK(calls_of(se_model_kinds[i], 2, entropy) ==
                  calls_of(se_model_kinds[i], 9, entropy));
        }
    unit_ok(COUNTS ? "epochs of every model make no memory"
                   : "epochs run; memory is not counted in this build");
    se_sparse_release(&sparse);
    se_nngraph_release(&graph);
    se_nngraph_release(&beside);
    se_netlevels_release(&levels);
    return unit_done();
}
