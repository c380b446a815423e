/* tree_build.h - encoding trees of low structural entropy
 *
 * H of a tree is, up to a constant of the graph, (2/vol) times the sum over edges of
 * w log2 V(lowest common ancestor of the ends).  Everything here lowers that sum. */
#ifndef SE_SETREE_H
#define SE_SETREE_H

#include "common/stream/section.h"

struct se_progress;

enum se_tree_method { SE_TREE_BEST, SE_TREE_MERGE, SE_TREE_PAPER };
enum se_tree_squeeze { SE_SQUEEZE_GREEDY, SE_SQUEEZE_EXACT };
enum se_tree_effort { SE_EFFORT_FAST, SE_EFFORT_NORMAL, SE_EFFORT_HIGH };

enum { SE_TREE_STEPS = 1000 };  /* what the progress of a build counts up to */

/* When a search should end.  What is at hand then is the result, which depends on the machine. */
struct se_deadline {
    double at;                  /* by se_now() */
    bool hit;                   /* something was left out because of it */
    double begin;               /* by se_now() */
    struct se_progress *progress;       /* shows the share of the time that has gone, or NULL */
};

struct se_tree_options {
    uint64_t k;                 /* height allowed, at least 1 */
    int method, squeeze, effort;
    bool pad;                   /* all leaves at the same depth */
    uint64_t seed;
    int threads;
    struct se_progress *progress;       /* may be NULL */
    struct se_deadline *until;          /* NULL: none */
    const uint8_t *changed;     /* with a start: per vertex, is the search to begin here?  NULL:
                                 * the whole tree is improved, as it is with high effort */
};
#define SE_TREE_OPTIONS_INIT \
    { 2, SE_TREE_BEST, SE_SQUEEZE_EXACT, SE_EFFORT_NORMAL, false, 0, 1, NULL, NULL, NULL }

/* A tree that owns its arrays, laid out as the section has it. */
struct se_hierarchy {
    uint64_t n, nodes;
    uint32_t *parent, *vertex;
};
#define SE_HIERARCHY_INIT { 0, 0, NULL, NULL }
static inline struct se_tree se_hierarchy_view(const struct se_hierarchy *h)
{
    return (struct se_tree){ h->n, h->nodes, h->parent, h->vertex };
}
void se_hierarchy_release(struct se_hierarchy *h);

/* Build a tree of height k or less for `g`.  `start`: a tree of any height to improve
 * instead of a search from nothing, or NULL; the result is never worse than it squeezed to
 * k.  The same bytes for any number of threads.  Release `out` in any case. */
int se_tree_build(struct se_hierarchy *out, const struct se_graph *g,
                  const struct se_tree *start, const struct se_tree_options *how,
                  struct se_err *err);

#endif
