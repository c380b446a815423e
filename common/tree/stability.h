/* stability.h - which levels of a tree are there again when some edges are missing
 *
 * Trees are built of several graphs that keep a random share of the edges.  The stability of a
 * level is the mean adjusted Rand index (ARI) of all pairs of their partitions at that depth.
 * Sparse graphs without any structure have stable small modules as well, so the same is done
 * with a graph of the same degrees whose edges are rewired: chance. */
#ifndef SE_STABILITY_H
#define SE_STABILITY_H

#include "common/graph/treelevel.h"
#include "common/tree/tree_build.h"

enum { SE_STABLE_LEVELS = 16 };         /* deeper levels are not looked at */

struct se_stable_level {
    double stability, chance;   /* mean ARI; that of rewired graphs */
    double spread;              /* standard deviation of chance; 0: rewired once */
};

struct se_stability_options {
    int samples;                /* graphs, at least 2 */
    double keep;                /* share of the edges that each keeps */
    bool chance;                /* rewire, too */
    int rewirings;              /* how often; 0: by the size of the graph */
    uint64_t seed;
    int threads;
};
#define SE_STABILITY_OPTIONS_INIT { 5, 0.88, true, 0, 0, 1 }

struct se_stability {
    uint64_t n;
    uint32_t levels;            /* levels 1 .. levels have numbers */
    int samples;
    struct se_stable_level level[SE_STABLE_LEVELS + 1];
    uint32_t *module;           /* of vertex v in sample i at level l:
                                 * module[(i * levels + l - 1) * n + v] */
};
#define SE_STABILITY_INIT { .n = 0 }
void se_stability_release(struct se_stability *x);

/* Of the levels 1 .. k-1 of trees of height k, k >= 2.  Release `x` in any case. */
int se_stability_make(struct se_stability *x, const struct se_graph *g, uint64_t k,
                      const struct se_stability_options *how, struct se_err *err);

/* The mean ARI of all pairs of samples as they are in module[] now */
int se_stability_mean(const struct se_stability *x, uint32_t level, double *mean,
                      struct se_err *err);

/* The mean ARI of a partition, ids below n, and those of the samples at a level */
int se_stability_likeness(const struct se_stability *x, uint32_t level, const uint32_t *module,
                          double *mean, struct se_err *err);

/* Only chance and spread of these levels; the rest of `x` stays as it is. */
int se_stability_chance(struct se_stability *x, const struct se_graph *g, uint64_t k,
                        const struct se_stability_options *how, struct se_err *err);

/* Of the most stable level, and what it is beyond chance at least where there is a structure:
 * random graphs stay below when they are large; small ones vary more. */
double se_stability_most(const struct se_stability *x);
double se_stability_least(uint64_t n);

/* Stability beyond chance: 0 or less is what a random graph has, 1 is most. */
double se_stability_beyond(const struct se_stable_level *l);
/* Is it so by more than rewired graphs differ? */
bool se_stability_real(const struct se_stability *x, uint32_t level);

/* Confidence of each vertex: the mean over the samples of the Jaccard index of its module in
 * module[] (ids below n) and its module at `level` of the sample. */
int se_stability_confidence(const struct se_stability *x, uint32_t level,
                            const uint32_t *module, double *confidence, struct se_err *err);

/* Adjusted Rand index of two partitions, ids below n.  0 where both are trivial: one module,
 * or only single vertices. */
int se_partition_ari(const uint32_t *a, const uint32_t *b, uint64_t n, double *ari,
                     struct se_err *err);

#endif
