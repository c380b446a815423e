/* fuzz-stages.c - se-check --deep, similarity, fusing and the tree on any stream that passes
 * its checks; what the stages give agrees with what they were given */
#include <math.h>

#include "common/graph/entropy.h"
#include "common/inspect/crosscheck.h"
#include "common/sim/kselect.h"
#include "common/sim/sim.h"
#include "common/tree/tree_build.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"

enum { MOST = 64 };             /* vertices; larger ones are slow and not stranger */

static bool sim(struct se_stream *s, uint32_t on, uint64_t choice)
{
    struct se_sim_rows rows = SE_SIM_ROWS_INIT;
    struct se_sim_answer a = SE_SIM_ANSWER_INIT;
    struct se_err err = SE_ERR_INIT;
    const enum se_metric metric = choice % 2 ? SE_PCC : SE_COSINE;
    bool ok = se_sim_rows_make(&rows, s, on, metric, 1, &err) == 0;
    const struct se_sim_options ask = { .k = 1 + choice / 2 % 9, .last = rows.n, .threads = 1,
                                    .method = (enum se_sim_method)(choice / 18 % 4) };

    ok = ok && se_sim_search(&rows, &ask, &a, &err) == 0;
    if (ok) {
        const struct se_knn knn = { rows.n, a.k, 0, rows.n, metric, on, a.id, a.similarity };

        ok = se_knn_put(&knn, s, &err) == 0;
        if (ok && se_deep_knn(s, 1, &err) < 0)
            fuzz_fail("neighbours", &err);
    } else {
        fuzz_error(&err);
    }
    se_sim_answer_release(&a);
    se_sim_rows_release(&rows);
    return ok;
}

static void fuse(struct se_stream *s, uint64_t choice)
{
    static const uint32_t from[SE_ORIGINS] = { SE_GRAPH, SE_KNN };
    const struct se_kselect_options ask = { (enum se_k_rule)(choice % 3), choice / 3 % 4, 0.001,
                                        choice & 64 ? -0.25 : 1, true, 1 };
    struct se_kselect x = SE_KSELECT_INIT;
    struct se_err err = SE_ERR_INIT;

    if (se_kselect_make(&x, s, &ask, &err) == 0) {
        if (se_graph_room_give(&x.fused, s, SE_FUSED, from, &err) == 0 &&
            (se_stats_set(s, "kselect.k", (double)x.k, &err) < 0 ||
             se_stats_set(s, "kselect.mean", x.mean, &err) < 0 ||
             se_stats_set(s, "kselect.h1", x.h1[x.k], &err) < 0 || se_deep_fused(s, &err) < 0))
            fuzz_fail("fused", &err);
    } else {
        fuzz_error(&err);
    }
    se_kselect_release(&x);
}

static void tree(struct se_stream *s, uint64_t choice)
{
    struct se_tree_options how = SE_TREE_OPTIONS_INIT;
    struct se_hierarchy h = SE_HIERARCHY_INIT;
    struct se_measure m = SE_MEASURE_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_graph g;
    double h1 = 0;

    how.k = 1 + choice % 5;
    how.method = (int)(choice / 5 % 3);
    how.squeeze = (int)(choice / 15 % 2);
    how.pad = choice / 30 % 2;
    if (se_graph_get(&g, s, se_graph_current(s), &err) < 0 ||
        se_tree_build(&h, &g, NULL, &how, &err) < 0) {
        fuzz_error(&err);
    } else {
        const struct se_tree t = se_hierarchy_view(&h);

        if (se_tree_check(&t, &err) < 0 || se_measure_make(&m, &t, &g, &err) < 0 ||
            se_entropy1(&g, &h1, &err) < 0)
            fuzz_fail("tree", &err);
        if (m.height > how.k || !(m.h <= h1 + 1e-6 * fmax(1, h1)))
            fuzz_fail("a tree too high or of too much entropy", &err);
    }
    se_measure_release(&m);
    se_hierarchy_release(&h);
}

static void stages(struct se_stream *s, uint32_t choice)
{
    struct se_err err = SE_ERR_INIT;
    uint64_t n;

    if (se_stream_vertices(s, &n, &err) < 0 || n > MOST)
        return;
    if (se_stream_deep(s, 1, &err) < 0)
        fuzz_error(&err);
    se_stream_drop(s, SE_STATS);
    if (se_stream_has(s, SE_EMBEDDING) && sim(s, SE_EMBEDDING, choice))
        fuse(s, choice >> 8);
    if (se_stream_has(s, SE_FEATURES) && sim(s, SE_FEATURES, choice))
        fuse(s, choice >> 8);
    if (se_stream_has(s, SE_GRAPH))
        tree(s, choice >> 16);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    return fuzz_stream(data, len, stages);
}
