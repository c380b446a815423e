/* refine.h - a tree of height k improved; not for users of the library */
#ifndef SE_SETREE_REFINE_H
#define SE_SETREE_REFINE_H

#include "common/tree/workings.h"

struct se_refine_options {
    uint64_t seed;
    int threads;
    int tries, cycles;          /* of each search, as in se_partition_pool and se_search */
    int rounds;                 /* at most so many times all levels */
    bool rebuild;               /* after each: binary trees within modules, exact squeeze */
    uint64_t most;              /* edges of a module to make binary, as in se_chain_nest */
    uint32_t lowest;            /* do not regroup below this level */
    double enough;              /* a round that gains less than this share is the last, */
    double sweep;               /* and a sweep of a search, as `enough` of se_search */
    struct se_deadline *until;  /* NULL: none */
    struct se_progress *progress;       /* NULL, or each round is half of what is left */
    unsigned from;              /* of SE_TREE_STEPS: what was done before */
};

/* Lower the cost of `t`, whose height is k or less and whose volume and cut are set. */
int se_refine(struct se_nest *t, const struct se_quotient *x, uint64_t k,
              const struct se_refine_options *r, struct se_err *err);
/* Every level once: moves to anywhere, then moves of groups within the grandparent. */
int se_levels_sweep(struct se_levels *l, const struct se_refine_options *r, struct se_search_options *how,
                    struct se_err *err);
/* Make a tree from two of height k or less, as good as the better one or better still: it
 * is `a`; `b` is released.  r->rounds 0: without looking at single vertices in the end. */
int se_nest_combine(struct se_nest *a, struct se_nest *b, const struct se_quotient *x, uint32_t k,
                    const struct se_refine_options *r, struct se_err *err);
/* Another tree: some modules of `t` are taken apart, and what comes of it is refined. */
int se_nest_shaken(struct se_nest *out, const struct se_nest *t, const struct se_quotient *x,
                   uint32_t k, const struct se_refine_options *r, struct se_err *err);
/* Take `b` for `a` if it costs less; release the other. */
bool se_nest_better(struct se_nest *a, struct se_nest *b);

#endif
