/* stability.c - which levels of a tree are there again when some edges are missing */
#include "common/tree/stability.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/tree/resample.h"
#include "common/tree/workings.h"

enum { CHANCE_SAMPLES = 3 };    /* of each rewired graph; there are several of these */

/* ---- partitions ---- */

/* Sizes of the modules of a partition, ids below n. */
static uint64_t *sizes_of(const uint32_t *module, uint64_t n, struct se_err *err)
{
    uint64_t *size = se_zalloc(n, sizeof *size, err);

    for (uint64_t v = 0; size && v < n; v++)
        size[module[v]]++;
    return size;
}

static double pairs_within(const uint64_t *size, uint64_t n)
{
    double pairs = 0;

    for (uint64_t i = 0; i < n; i++)
        pairs += (double)size[i] * ((double)size[i] - 1) / 2;
    return pairs;
}

int se_partition_ari(const uint32_t *a, const uint32_t *b, uint64_t n, double *ari,
                     struct se_err *err)
{
    uint32_t *both = se_alloc(n, sizeof *both, err);
    uint64_t count, *sa = sizes_of(a, n, err), *sb = sizes_of(b, n, err), *sc = NULL;

    *ari = 0;
    if (both && sa && sb && se_partition_overlay(a, b, n, both, &count, err) == 0)
        sc = sizes_of(both, n, err);
    if (sc && n > 1) {
        const double pa = pairs_within(sa, n), pb = pairs_within(sb, n);
        const double all = (double)n * ((double)n - 1) / 2, expected = pa * pb / all;

        if ((pa + pb) / 2 - expected > 1e-12 * all)
            *ari = (pairs_within(sc, n) - expected) / ((pa + pb) / 2 - expected);
    }
    free(both);
    free(sa);
    free(sb);
    free(sc);
    return sc ? 0 : -1;
}

/* ---- samples ---- */

void se_stability_release(struct se_stability *x)
{
    free(x->module);
    *x = (struct se_stability)SE_STABILITY_INIT;
}

static uint32_t *member(const struct se_stability *x, int sample, uint32_t level)
{
    return x->module + ((uint64_t)sample * x->levels + level - 1) * x->n;
}

int se_stability_mean(const struct se_stability *x, uint32_t level, double *mean,
                      struct se_err *err)
{
    const double pairs = x->samples * (x->samples - 1) / 2.0;

    *mean = 0;
    for (int i = 0; i < x->samples; i++)
        for (int j = 0; j < i; j++) {
            double ari;

            if (se_partition_ari(member(x, i, level), member(x, j, level), x->n, &ari, err) < 0)
                return -1;
            *mean += ari / pairs;
        }
    return 0;
}

int se_stability_likeness(const struct se_stability *x, uint32_t level, const uint32_t *module,
                          double *mean, struct se_err *err)
{
    *mean = 0;
    for (int i = 0; i < x->samples; i++) {
        double ari;

        if (se_partition_ari(module, member(x, i, level), x->n, &ari, err) < 0)
            return -1;
        *mean += ari / x->samples;
    }
    return 0;
}

/* Build the tree of one sample and keep its partitions. */
static int sample_levels(struct se_stability *x, int i, const struct se_graph *g, uint64_t k,
                         const struct se_stability_options *how, uint64_t index,
                         struct se_err *err)
{
    struct se_tree_options options = SE_TREE_OPTIONS_INIT;
    struct se_graph_copy thin = SE_GRAPH_COPY_INIT;
    struct se_hierarchy h = SE_HIERARCHY_INIT;
    struct se_rng r;
    uint64_t count;
    int rc;

    options.k = k;
    options.effort = SE_EFFORT_FAST;
    options.seed = how->seed + index;
    options.threads = how->threads;
    se_rng_init(&r, how->seed, SE_RNG_STABILITY, index);
    rc = se_graph_thin(&thin, g, how->keep, &r, err);
    if (rc == 0)
        rc = se_tree_build(&h, &thin.g, NULL, &options, err);
    for (uint32_t l = 1; rc == 0 && l <= x->levels; l++) {
        const struct se_tree t = se_hierarchy_view(&h);

        rc = se_tree_partition(&t, l, member(x, i, l), &count, err);
    }
    se_hierarchy_release(&h);
    se_graph_copy_release(&thin);
    return rc;
}

/* mean[l]: of all pairs of samples of g, from index `first` on */
static int mean_ari(struct se_stability *x, const struct se_graph *g, uint64_t k,
                    const struct se_stability_options *how, uint64_t first, double *mean,
                    struct se_err *err)
{
    for (int i = 0; i < x->samples; i++)
        if (sample_levels(x, i, g, k, how, first + (unsigned)i, err) < 0)
            return -1;
    for (uint32_t l = 1; l <= x->levels; l++)
        if (se_stability_mean(x, l, &mean[l], err) < 0)
            return -1;
    return 0;
}

/* ---- chance ---- */

/* Small graphs differ much by chance, and cost little. */
static int rewirings_for(const struct se_graph *g)
{
    return g->m < 2000 ? 8 : g->m < 20000 ? 4 : g->m < 200000 ? 2 : 1;
}

static int prepare(struct se_stability *x, const struct se_graph *g, uint64_t k, int samples,
                   struct se_err *err)
{
    *x = (struct se_stability){ .n = g->n, .samples = samples };
    x->levels = k - 1 < SE_STABLE_LEVELS ? (uint32_t)(k - 1) : SE_STABLE_LEVELS;
    if (g->n > 0 && (uint64_t)samples * x->levels > UINT64_MAX / sizeof *x->module / g->n)
        return se_fail(err, SE_EMEM, "out of memory");
    x->module = se_alloc((uint64_t)samples * x->levels * g->n, sizeof *x->module, err);
    return x->module ? 0 : -1;
}

/* mean[l] of rewiring i of g; `x` has room for the partitions. */
static int rewired_ari(struct se_stability *x, const struct se_graph *g, uint64_t k,
                       const struct se_stability_options *how, int i, double *mean,
                       struct se_err *err)
{
    struct se_graph_copy other = SE_GRAPH_COPY_INIT;
    const uint64_t first = UINT64_C(1000) * (unsigned)(i + 1);
    struct se_rng r;
    int rc;

    se_rng_init(&r, how->seed, SE_RNG_STABILITY, first + 999);
    rc = se_graph_rewire(&other, g, &r, err);
    if (rc == 0)
        rc = mean_ari(x, &other.g, k, how, first, mean, err);
    se_graph_copy_release(&other);
    return rc;
}

int se_stability_chance(struct se_stability *x, const struct se_graph *g, uint64_t k,
                        const struct se_stability_options *how, struct se_err *err)
{
    const int count = how->rewirings > 0 ? how->rewirings : rewirings_for(g);
    const int samples = how->samples < CHANCE_SAMPLES ? how->samples : CHANCE_SAMPLES;
    double mean[SE_STABLE_LEVELS + 1] = { 0 }, squares[SE_STABLE_LEVELS + 1] = { 0 };
    struct se_stability other;
    int rc = prepare(&other, g, k, samples, err);

    for (int i = 0; rc == 0 && i < count; i++) {
        rc = rewired_ari(&other, g, k, how, i, mean, err);
        for (uint32_t l = 1; rc == 0 && l <= other.levels; l++) {
            other.level[l].chance += mean[l] / count;
            squares[l] += mean[l] * mean[l];
        }
    }
    x->n = other.n;
    x->levels = other.levels;
    for (uint32_t l = 1; rc == 0 && l <= other.levels; l++) {
        const double c = other.level[l].chance;
        const double v = count > 1 ? (squares[l] - count * c * c) / (count - 1) : 0;

        x->level[l].chance = c;
        x->level[l].spread = v > 0 ? sqrt(v) : 0;
    }
    se_stability_release(&other);
    return rc;
}

int se_stability_make(struct se_stability *x, const struct se_graph *g, uint64_t k,
                      const struct se_stability_options *how, struct se_err *err)
{
    double mean[SE_STABLE_LEVELS + 1];

    if (prepare(x, g, k, how->samples, err) < 0 || mean_ari(x, g, k, how, 0, mean, err) < 0)
        return -1;
    for (uint32_t l = 1; l <= x->levels; l++)
        x->level[l].stability = mean[l];
    return how->chance ? se_stability_chance(x, g, k, how, err) : 0;
}

double se_stability_most(const struct se_stability *x)
{
    double most = 0;

    for (uint32_t l = 1; l <= x->levels; l++)
        most = fmax(most, x->level[l].stability);
    return most;
}

double se_stability_beyond(const struct se_stable_level *l)
{
    return l->chance < 1 - 1e-9 ? (l->stability - l->chance) / (1 - l->chance) : 0;
}

double se_stability_least(uint64_t n)
{
    return 0.1 + 1.5 / sqrt((double)n + 1);
}

bool se_stability_real(const struct se_stability *x, uint32_t level)
{
    const struct se_stable_level *l = &x->level[level];

    return se_stability_beyond(l) >= se_stability_least(x->n) &&
           l->stability - l->chance > 3 * l->spread;
}

int se_stability_confidence(const struct se_stability *x, uint32_t level,
                            const uint32_t *module, double *confidence, struct se_err *err)
{
    uint64_t *mine = sizes_of(module, x->n, err);
    uint32_t *both = se_alloc(x->n, sizeof *both, err);
    int rc = mine && both ? 0 : -1;

    for (uint64_t v = 0; v < x->n; v++)
        confidence[v] = 0;
    for (int i = 0; rc == 0 && i < x->samples; i++) {
        const uint32_t *other = member(x, i, level);
        uint64_t count, *theirs = sizes_of(other, x->n, err), *shared = NULL;

        if (theirs && se_partition_overlay(module, other, x->n, both, &count, err) == 0)
            shared = sizes_of(both, x->n, err);
        for (uint64_t v = 0; shared && v < x->n; v++) {
            const double s = (double)shared[both[v]];
            const double all = (double)(mine[module[v]] + theirs[other[v]]) - s;

            confidence[v] += s / all / x->samples;
        }
        rc = shared ? 0 : -1;
        free(theirs);
        free(shared);
    }
    free(mine);
    free(both);
    return rc;
}
