/* linkage.h - average linkage of a small or large set of items, by nearest-neighbour
 * chains; not for users of the library */
#ifndef SE_SETREE_LINKAGE_H
#define SE_SETREE_LINKAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"

struct se_link_edge {
    double c;                   /* weight between its ends, as they are now */
    uint32_t u, v;              /* slots; u == v: joined with another edge, gone */
};
struct se_link_slot;
struct se_link_step {
    uint32_t slot, edge;        /* edge to the slot before in the chain */
};

/* Memory that serves one linkage after the other. */
struct se_linkage {
    struct se_link_slot *slot;  /* clusters: first one an item, later its cluster */
    struct se_link_edge *edge;
    struct se_link_step *chain;
    uint32_t *pool, *mark;      /* edge lists of slots; edge to each slot */
    uint32_t slots, edges;
    size_t cap_slot, cap_edge, cap_pool, cap_mark, cap_chain, pool_used;
};

/* A linkage of `slots` items: begin, set their volumes and nodes, add each edge once, run. */
int se_linkage_begin(struct se_linkage *l, uint32_t slots, struct se_err *err);
void se_linkage_item(struct se_linkage *l, uint32_t slot, double volume, uint32_t node);
int se_linkage_edge(struct se_linkage *l, uint32_t u, uint32_t v, double c,
                    struct se_err *err);

/* Where the tree goes: nodes are made from `next` on. */
struct se_link_out {
    uint32_t *parent;
    double *volume, *cut;
    uint32_t next;
};
/* Join what is connected into binary trees, always a pair that are each other's best by
 * c / (V V).  Several trees at the end become children of one more node.  *top is the node
 * above all. */
int se_linkage_run(struct se_linkage *l, struct se_link_out *out, uint32_t *top,
                   struct se_err *err);
void se_linkage_release(struct se_linkage *l);

#endif
