/* sample.h - a new graph drawn from an encoding tree */
#ifndef SE_SAMPLE_H
#define SE_SAMPLE_H

#include "common/base/progress.h"
#include "common/tree/descent.h"

struct se_sample_options {
    const double *theta;        /* pairs per child, by level of the parent; the last one
                                 * serves all deeper levels */
    int thetas;
    uint64_t level;             /* no pairs at nodes above this depth (root 0) */
    bool replace;               /* the two children are drawn independently */
    bool counted;               /* how often each edge was drawn is asked for */
    uint64_t agree;             /* keep an edge if that many samplings all gave it */
    uint64_t seed;
    int threads;
    struct se_progress *progress;       /* its total is draws in all rounds; may be NULL */
};

/* Edges as sorted keys, u << 32 | v with u < v. */
struct se_sampled {
    uint64_t *key;
    uint32_t *count;            /* how often each was drawn; NULL if that is not asked for */
    uint64_t edges, draws;
    double seconds;             /* that the draws took, without what was made of them */
};
#define SE_SAMPLED_INIT { NULL, NULL, 0, 0, 0 }

/* Draws of one round; an error if they are more than memory could hold. */
int se_sample_draws(const struct se_law *law, const struct se_measure *x,
                    const struct se_sample_options *plan, uint64_t *draws, struct se_err *err);
int se_sample(struct se_sampled *out, const struct se_law *law, const struct se_tree *t,
              const struct se_measure *x, const struct se_sample_options *plan,
              struct se_err *err);
/* Instead of draws: the `count` pairs of vertices whose lowest common ancestor has the least volume
 * and that are not edges of `not`; at one node in the order of the tree.  Fewer where there are
 * no more.  Nodes above `level` give none. */
int se_sample_best(struct se_sampled *out, const struct se_tree *t, const struct se_measure *x,
                   const struct se_graph *except, uint64_t count, uint64_t level,
                   struct se_err *err);
void se_sampled_release(struct se_sampled *x);

/* Unite with the edges of g (their count is 0 if they were not drawn). */
int se_sampled_unite(struct se_sampled *x, const struct se_graph *g, struct se_err *err);
/* Keep the `keep` most similar edges; ties: the lower pair stays.  `similarity` has one
 * number per edge and is thinned along. */
int se_sampled_thin(struct se_sampled *x, float *similarity, uint64_t keep,
                    struct se_err *err);
/* As the graph section of n vertices; weight NULL for none, loops of `old` (NULL: none). */
int se_sampled_put(const struct se_sampled *x, uint64_t n, const float *weight,
                   const struct se_graph *old, int threads, struct se_stream *s,
                   struct se_err *err);

#endif
