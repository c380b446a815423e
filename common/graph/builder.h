/* builder.h - builds a graph section from edges in any order, on disk where memory is short */
#ifndef SE_GRAPHBUILD_H
#define SE_GRAPHBUILD_H

#include "common/base/scratch.h"
#include "common/stream/section.h"

/* How the two directions of a pair, and its repetitions, become one edge.  Without weights
 * they are simply one edge. */
enum se_merge {
    SE_MERGE_SUM,               /* an edge list: all weights of a pair add up */
    SE_MERGE_MATRIX,            /* a matrix: repeated entries add up, then the larger of the
                                 * two directions counts */
    SE_MERGE_MEAN               /* the mean of the two directions; a missing one is 0 */
};

struct se_edge_block;

struct se_builder {
    struct se_edge_block *first, *last;
    uint64_t count;             /* edges added, loops and repetitions too */
    uint64_t n;                 /* largest id seen plus one; set it higher to add vertices */
    bool weighted;              /* set before the first edge */
    bool directions;            /* join directions without weights, too: each counts 1 */
    bool ordered;               /* u - v and v - u are two; for se_builder_put_arcs() */
    bool both;                  /* what is added now has no direction: it is an arc in both */
    struct se_scratch disk;     /* blocks, once memory was short */
    struct se_builder *arcs;    /* an ordered one that gets what this one gets; NULL: none */
};
#define SE_BUILDER_INIT { .n = 0 }

/* Add u - v.  Ids below SE_NONE, weight finite and not negative (ignored unless weighted). */
int se_builder_add(struct se_builder *b, uint32_t u, uint32_t v, float weight,
                   struct se_err *err);

struct se_built {               /* what became of the input, for messages */
    uint64_t loops, repeated;   /* entries that were loops; entries that joined an edge */
    uint64_t one_way;           /* weighted or directions: pairs with one direction only */
};

/* Sort, join repetitions, and put the graph into `s` under `tag`.  Empties the builder.
 * Loops are kept or dropped; repeated loops add up when weighted. */
int se_builder_put(struct se_builder *b, struct se_stream *s, uint32_t tag,
                   enum se_merge merge, bool keep_loops, struct se_built *built,
                   struct se_err *err);
/* The same for an ordered builder: put the arcs among n vertices into `s`.  to[u]: the vertex that u
 * is, ascending; SE_NONE: none, and its arcs go.  NULL: u. */
int se_builder_put_arcs(struct se_builder *b, struct se_stream *s, const uint32_t *to, uint64_t n,
                        bool keep_loops, struct se_err *err);
void se_builder_release(struct se_builder *b);

#endif
