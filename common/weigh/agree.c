/* agree.c - do the edges of a graph agree with the features of its vertices? */
#include "common/weigh/agree.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/rng.h"
#include "common/graph/treelevel.h"
#include "common/sim/sim.h"
#include "common/tree/stability.h"

enum {
    LOOKED_AT = 100000,         /* edges that are compared, if there are more */
    HEIGHT = 4                  /* of the trees whose first level edges are compared with */
};

/* Both ends of edge i, the other way round for odd i, so that neither end is special. */
static void ends_of(const struct se_graph *g, const uint32_t *from, uint64_t i, uint32_t *u,
                    uint32_t *v)
{
    *u = i & 1 ? g->to[i] : from[i];
    *v = i & 1 ? from[i] : g->to[i];
}

static void compare_ends(struct se_alike *a, const struct se_graph *g, const uint32_t *from,
                         struct se_sim_query *q, struct se_rng *r)
{
    const uint64_t step = g->m / LOOKED_AT + 1;
    double count = 0, sum = 0, squares = 0, deviation;

    for (uint64_t i = se_rng_below(r, step); i < g->m; i += step) {
        uint32_t u, v, x, y;
        double more;

        ends_of(g, from, i, &u, &v);
        ends_of(g, from, se_rng_below(r, g->m), &x, &y);
        if (u == y)
            continue;
        se_sim_query_set(q, u);
        more = (double)se_sim_query_with(q, v) - (double)se_sim_query_with(q, y);
        count++;
        sum += more;
        squares += more * more;
    }
    if (count < 2)
        return;
    deviation = squares - sum * sum / count;
    deviation = deviation > 0 ? sqrt(deviation / (count - 1)) : 0;
    if (deviation > 0) {
        a->lift = sum / count / deviation;
        a->sure = a->lift * sqrt(count);
    }
}

int se_edges_alike(struct se_alike *a, const struct se_graph *g, const struct se_features *x,
                   uint64_t seed, int threads, struct se_err *err)
{
    struct se_sim_rows rows = SE_SIM_ROWS_INIT;
    struct se_sim_query q = SE_SIM_QUERY_INIT;
    uint32_t *from = se_alloc(g->m, sizeof *from, err);
    struct se_rng r;
    int rc = -1;

    *a = (struct se_alike){ 0, 0 };
    se_rng_init(&r, seed, SE_RNG_STABILITY, UINT64_MAX);
    if (from && se_sim_rows_of(&rows, x, SE_COSINE, threads, err) == 0 &&
        se_sim_query_init(&q, &rows, err) == 0) {
        for (uint64_t u = 0; u < g->n; u++)
            for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++)
                from[e] = (uint32_t)u;
        if (g->m > 0)
            compare_ends(a, g, from, &q, &r);
        rc = 0;
    }
    se_sim_query_release(&q);
    se_sim_rows_release(&rows);
    free(from);
    return rc;
}

/* Share of the weight of the edges inside of modules, beyond what the degrees make expect */
static double share_inside(const struct se_graph *g, const uint32_t *module, uint64_t count,
                           double *volume)
{
    double inside = 0, total = 0, expected = 0;

    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++) {
            const double w = g->weight ? (double)g->weight[e] : 1;

            volume[module[u]] += w;
            volume[module[g->to[e]]] += w;
            inside += module[u] == module[g->to[e]] ? w : 0;
            total += w;
        }
    for (uint64_t i = 0; total > 0 && i < count; i++)
        expected += pow(volume[i] / (2 * total), 2);
    return total > 0 && expected < 1 - 1e-9 ? (inside / total - expected) / (1 - expected) : 0;
}

int se_edges_within(double *agreement, const struct se_graph *g, const struct se_graph *neighbours,
                    uint64_t seed, int threads, struct se_err *err)
{
    struct se_tree_options how = SE_TREE_OPTIONS_INIT;
    struct se_hierarchy h = SE_HIERARCHY_INIT;
    uint32_t *module = se_alloc(g->n, sizeof *module, err);
    double *volume = se_zalloc(g->n, sizeof *volume, err);
    uint64_t count = 0;
    int rc = -1;

    how.k = HEIGHT;
    how.effort = SE_EFFORT_FAST;
    how.seed = seed;
    how.threads = threads;
    if (module && volume && se_tree_build(&h, neighbours, NULL, &how, err) == 0) {
        const struct se_tree t = se_hierarchy_view(&h);

        rc = se_tree_partition(&t, 1, module, &count, err);
    }
    if (rc == 0)
        *agreement = share_inside(g, module, count, volume);
    se_hierarchy_release(&h);
    free(module);
    free(volume);
    return rc;
}

int se_agreement_left(double *left, const struct se_graph *neighbours, uint64_t seed, int threads,
                      struct se_err *err)
{
    struct se_stability_options how = SE_STABILITY_OPTIONS_INIT;
    struct se_stability x = SE_STABILITY_INIT;
    int rc;

    how.seed = seed;
    how.threads = threads;
    how.samples = 3;
    how.chance = false;
    rc = se_stability_make(&x, neighbours, HEIGHT, &how, err);
    *left = rc == 0 && x.level[1].stability > 0 ? sqrt(x.level[1].stability) : 0;
    se_stability_release(&x);
    return rc;
}
