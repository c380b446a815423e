/* choose.h - how high a tree should be, and which of its levels to believe */
#ifndef SE_CHOOSE_H
#define SE_CHOOSE_H

#include "common/tree/stability.h"

enum { SE_AUTO_HEIGHT = 5 };    /* heights 2 .. this are tried */

/* What was chosen: of trees of height k the levels kept[0 .. levels-1], from the root down;
 * kept[best] is the most stable.  levels 0: no level is beyond chance. */
struct se_choice {
    uint64_t k;
    uint32_t levels, best;
    uint32_t kept[SE_STABLE_LEVELS];
    struct se_stability stability;      /* of trees of height k, one of tried[]; nothing when
                                         * levels is 0 */
    struct se_stable_level most;        /* the most stable level of all that were tried */
    struct se_stability tried[SE_AUTO_HEIGHT - 1];      /* of height 2 and on, */
    bool refused[SE_AUTO_HEIGHT - 1];   /* and which of them are not to be chosen */
};
#define SE_CHOICE_INIT { .k = 0 }
void se_choice_release(struct se_choice *c);

/* Measure the stability of trees of several heights and choose.  Release `c` in any case. */
int se_tree_choose(struct se_choice *c, const struct se_graph *g,
              const struct se_stability_options *how, struct se_err *err);

/* Choose again, among the other heights. */
void se_choice_next(struct se_choice *c);

/* Remove all modules of a tree but those at the given depths, ascending. */
int se_tree_keep_levels(struct se_hierarchy *out, const struct se_tree *t, const uint32_t *kept,
                        uint32_t levels, bool pad, struct se_err *err);

/* The tree of height 2 of a partition, ids below n.  They are numbered by their first vertex. */
int se_tree_of_modules(struct se_hierarchy *out, uint32_t *module, uint64_t n, struct se_err *err);

/* A tree of height 2 with `modules` modules: the coarsest level of `t` with as many or more,
 * joined where that costs least, then vertices moved where that gains.  An error if no level of
 * t has enough. */
int se_tree_with_modules(struct se_hierarchy *out, const struct se_graph *g, const struct se_tree *t,
                    uint64_t modules, int threads, struct se_err *err);

#endif
