/* workings.h - the working parts of the tree builder; not for users of the library
 *
 *   net    items and the weights between them: the graph, or a graph of modules
 *   nest   any tree, numbered from the leaves up: what merging makes and squeezing takes
 *   levels a tree of height K as K maps from each level to the next: what moving works on */
#ifndef SE_SETREE_NET_H
#define SE_SETREE_NET_H

#include <math.h>

#include "common/tree/tally.h"
#include "common/tree/tree_build.h"

/* Is it too late for more?  Never without a deadline.  Not for threads. */
bool se_late(struct se_deadline *until);

/* ---- net ---- */

struct se_quotient {
    uint64_t n, arcs;           /* each edge is two arcs; loops are none */
    uint64_t *off;              /* n + 1 */
    uint32_t *to;
    float *w32;                 /* weights of arcs in one of two widths, */
    double *w64;                /* both NULL: all 1 */
    double *volume;             /* V of each item */
    double *inner;              /* weight inside an item that counts for its module; NULL: 0 */
    double vol;                 /* sum of V */
};
#define SE_QUOTIENT_INIT { 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, 0 }

static inline double se_quotient_weight(const struct se_quotient *x, uint64_t arc)
{
    return x->w64 ? x->w64[arc] : x->w32 ? (double)x->w32[arc] : 1.0;
}

/* Threads worth waking for a pass over a net. */
static inline int se_quotient_threads(const struct se_quotient *x, int threads)
{
    return x->n + x->arcs < 30000 ? 1 : threads;
}

/* w log2 V, 0 for w = 0. */
static inline double se_wlog(double w, double volume)
{
    return w > 0 && volume > 0 ? w * log2(volume) : 0;
}

/* The graph as a net, without its edges of weight 0.  Release it in any case. */
int se_quotient_of_graph(struct se_quotient *x, const struct se_graph *g, int threads,
                    struct se_err *err);
/* The net of the `count` modules of `x`.  carry: the weight inside a module becomes `inner`
 * of the new item; else inner is NULL. */
int se_quotient_aggregate(struct se_quotient *y, const struct se_quotient *x, const uint32_t *module,
                     uint64_t count, bool carry, int threads, struct se_err *err);
void se_quotient_release(struct se_quotient *x);
/* inside[i]: the share of item i of the weight inside its module. */
void se_quotient_inside(const struct se_quotient *x, const uint32_t *module, double *inside,
                   int threads);
/* Items in random order, but `block` neighbours in a row, so that memory is read in runs.
 * scratch has room for n. */
void se_visit_order(uint32_t *order, uint32_t *scratch, uint64_t n, uint64_t block,
                    uint64_t seed, uint64_t index);

/* Number the modules 0, 1, ... by their first item.  Returns how many there are.  Old ids
 * are below `ids`; seen[] has room for as many and tells the new id of each, or SE_NONE. */
uint64_t se_partition_compact(uint32_t *module, uint64_t n, uint64_t ids, uint32_t *seen);
/* Items sorted by module: those of j are list[start[j]] .. list[start[j + 1] - 1], ascending.
 * start has count + 1 places. */
void se_partition_lists(const uint32_t *module, uint64_t n, uint64_t count, uint64_t *start,
                   uint32_t *list);

/* ---- partitions: move_items.c, search.c ---- */

/* Which modules an item may join: those of its group y, and log2 V_y of each group.  Groups
 * are given per item; NULL: all items are in group 0. */
struct se_bound {
    const uint32_t *group;
    const double *limit;
};

struct se_search_options {
    uint64_t seed;
    int threads, cycles;        /* cycles: how often to start over with refined modules */
    double enough;              /* in a large net, a sweep that gains less than this share of
                                 * what all gained is the last; 0: until nothing moves */
    struct se_deadline *until;  /* NULL: none */
    const uint8_t *due;         /* se_levels_shift: begin with these items; NULL: with all */
};

/* Lower the cost sum I_j log V_j + (W - sum I_j) log V_y by moving single items until none
 * gains enough.  module[] is start and result, ids below n.  *gain: by how much the cost fell. */
int se_partition_move(const struct se_quotient *x, const struct se_bound *bound, uint32_t *module,
                 const struct se_search_options *how, double *gain, struct se_err *err);
/* The same for vertices of a graph that changed and what that leads to, without a net: much
 * cheaper if few of them want to move. */
int se_patch_modules(const struct se_graph *g, const uint8_t *changed, uint32_t *module,
                     struct se_err *err);
/* The same with whole modules moved as well.  fresh: start from single items.  The result
 * is compact. */
int se_partition_search(const struct se_quotient *x, const struct se_bound *bound, uint32_t *module,
                   bool fresh, const struct se_search_options *how, double *gain,
                   struct se_err *err);

/* The best of up to `tries` searches put together; the first is se_partition_search, the others
 * start from nothing but for the modules that two searches in a row agreed about.  It ends when
 * they gain nothing. */
int se_partition_pool(const struct se_quotient *x, const struct se_bound *bound, uint32_t *module,
                 bool fresh, int tries, const struct se_search_options *how, double *gain,
                 struct se_err *err);

/* both[i]: a number for each pair of modules that occurs; how many there are. */
int se_partition_overlay(const uint32_t *a, const uint32_t *b, uint64_t n, uint32_t *both,
                    uint64_t *count, struct se_err *err);

/* ---- nest ---- */

struct se_nest {
    uint64_t n, nodes;          /* nodes 0 .. n-1 are the vertices, the root is the last */
    uint32_t *parent;           /* above its child: parent[a] > a; SE_NONE for the root */
    double *volume, *cut;       /* V; weight of the edges whose lowest common ancestor it is */
};
#define SE_NEST_INIT { 0, 0, NULL, NULL, NULL }
int se_nest_alloc(struct se_nest *t, uint64_t n, uint64_t nodes, struct se_err *err);
void se_nest_release(struct se_nest *t);
/* Fill in volume and cut from the graph. */
int se_nest_measure(struct se_nest *t, const struct se_quotient *x, struct se_err *err);
/* Sum of cut log2 V: the cost that all this is about. */
double se_nest_cost(const struct se_nest *t);
uint32_t se_nest_height(const struct se_nest *t, struct se_err *err);
/* Keep the marked inner nodes (and root and leaves) only; a node left with one child goes,
 * too.  keep[] is indexed by node and changed. */
int se_nest_prune(struct se_nest *t, bool *keep, struct se_err *err);
int se_nest_of_tree(struct se_nest *t, const struct se_tree *tree, struct se_err *err);
/* Depth-first layout, children by least vertex.  pad: chains of single nodes above leaves
 * until all have depth k or, if less, the height. */
int se_nest_tree(struct se_hierarchy *h, const struct se_nest *t, bool pad,
                 struct se_err *err);

/* Reduce to height k or less. */
int se_squeeze_exact(struct se_nest *t, uint64_t k, struct se_err *err);
int se_squeeze_greedy(struct se_nest *t, uint64_t k, struct se_err *err);
/* Binary trees by joining the best pair again and again. */
int se_greedy_nest(struct se_nest *t, const struct se_quotient *x, int method,
                   struct se_progress *progress, struct se_err *err);

/* ---- levels ---- */

struct se_levels {
    uint32_t k;                 /* level 0: vertices, level k: the root alone */
    uint64_t *count;            /* k + 1 */
    uint32_t **up;              /* k maps: up[i][a] is the module on level i + 1 of a */
    struct se_quotient *net;         /* k: the graph of each level's items; net[0] is borrowed */
};
#define SE_LEVELS_INIT { 0, NULL, NULL, NULL }
/* Room for k levels above `base`; the maps are yet to be made. */
int se_levels_alloc(struct se_levels *l, const struct se_quotient *base, uint32_t k,
                    struct se_err *err);
int se_levels_of_nest(struct se_levels *l, const struct se_nest *t, uint32_t k,
                      const struct se_quotient *base, int threads, struct se_err *err);
/* Make the nets of the levels above `from` again. */
int se_levels_nets(struct se_levels *l, uint32_t from, int threads, struct se_err *err);
/* up[level] was made anew, numbered from 0 without gaps, within the modules group[] of level + 2:
 * bring the levels above up to date. */
int se_levels_adopt(struct se_levels *l, uint32_t level, const uint32_t *group, int threads,
                    struct se_err *err);
int se_levels_nest(struct se_nest *t, const struct se_levels *l, struct se_err *err);
void se_levels_release(struct se_levels *l);

/* A tree that contains these levels, each module split in two again and again by average
 * linkage; not modules with more than `most` edges inside, where it would take long. */
int se_chain_nest(struct se_nest *t, const struct se_levels *l, uint64_t most, int threads,
                  struct se_err *err);
/* Levels from the bottom up: `module` (compact) of the vertices, then what a search makes of
 * the modules and so on, at most k levels with the root. */
int se_levels_pile(struct se_levels *l, const struct se_quotient *base, const uint32_t *module,
                   uint32_t k, const struct se_search_options *how, struct se_err *err);
/* Move items of each level to other places of the tree; *gain: how much the cost fell. */
int se_levels_shift(struct se_levels *l, uint32_t level, const struct se_search_options *how,
                    double *gain, struct se_err *err);
/* Regroup the items of a level within their grandparents by se_partition_pool. */
int se_levels_regroup(struct se_levels *l, uint32_t level, int tries,
                      const struct se_search_options *how, double *gain, struct se_err *err);

#endif
