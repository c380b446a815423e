/* update.h - the tree of an older graph for a graph that has changed since */
#ifndef SE_TREE_UPDATE_H
#define SE_TREE_UPDATE_H

#include "common/tree/tree_build.h"

struct se_update {
    struct se_hierarchy start;  /* the old tree with the vertices of the new graph */
    uint8_t *changed;           /* per vertex: it is new, or some edge of it has changed */
    uint64_t added, gone, touched;      /* vertices; touched: both, and changed ones */
};
#define SE_UPDATE_INIT { SE_HIERARCHY_INIT, NULL, 0, 0, 0 }

/* now_of_old[v]: the vertex of the new graph that has the name of old vertex v, or SE_NONE.
 * Without names (both NULL) a vertex keeps its number. */
int se_update_match(uint32_t *now_of_old, uint64_t old_n, uint64_t n, const struct se_names *old,
                    const struct se_names *now, struct se_err *err);
/* Bring the tree of `old` over to `now`.  Vertices that are gone are dropped, new ones hang under
 * the root: se_tree_build with `changed` in its options moves them.  Release in any case. */
int se_update_make(struct se_update *u, const struct se_tree *tree, const struct se_graph *old,
                   const struct se_graph *now, const uint32_t *now_of_old, struct se_err *err);
void se_update_release(struct se_update *u);

#endif
