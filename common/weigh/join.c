/* join.c - the edges of a graph and nearest neighbours by features in one graph */
#include "common/weigh/join.h"

#include "common/graph/builder.h"
#include "common/sim/sim.h"

static int add_neighbours(struct se_builder *b, const struct se_features *x, uint64_t k,
                          int threads, struct se_err *err)
{
    struct se_sim_rows rows = SE_SIM_ROWS_INIT;
    struct se_sim_answer a = SE_SIM_ANSWER_INIT;
    struct se_sim_options ask = { .k = k, .last = x->n, .device = SE_DEVICE_CPU,
                                  .threads = threads };
    int rc = se_sim_rows_of(&rows, x, SE_COSINE, threads, err);

    if (rc == 0)
        rc = se_sim_search(&rows, &ask, &a, err);
    for (uint64_t u = 0; rc == 0 && u < x->n; u++)
        for (uint64_t i = u * a.k; rc == 0 && i < (u + 1) * a.k && a.id[i] != SE_NONE; i++)
            if (a.similarity[i] > 0)
                rc = se_builder_add(b, (uint32_t)u, a.id[i], a.similarity[i], err);
    se_sim_answer_release(&a);
    se_sim_rows_release(&rows);
    return rc;
}

static int add_edges(struct se_builder *b, const struct se_graph *g, struct se_err *err)
{
    double sum = 0;

    for (uint64_t e = 0; g->weight && e < g->m; e++)
        sum += g->weight[e];
    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++) {
            const float w = g->weight && sum > 0
                                ? (float)(g->weight[e] * (double)g->m / sum) : 1;

            if (se_builder_add(b, (uint32_t)u, g->to[e], w, err) < 0 ||
                se_builder_add(b, g->to[e], (uint32_t)u, w, err) < 0)
                return -1;
        }
    return 0;
}

int se_join_neighbours(struct se_stream *s, const struct se_features *x, const struct se_graph *g,
                       uint64_t k, int threads, struct se_err *err)
{
    struct se_builder b = SE_BUILDER_INIT;
    struct se_built built;
    int rc;

    b.weighted = true;
    b.n = x->n;
    rc = add_neighbours(&b, x, k, threads, err);
    if (rc == 0 && g)
        rc = add_edges(&b, g, err);
    if (rc == 0)
        rc = se_builder_put(&b, s, SE_FUSED, SE_MERGE_MATRIX, false, &built, err);
    se_builder_release(&b);
    return rc;
}
