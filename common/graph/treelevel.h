/* treelevel.h - the levels of a tree: depths of its nodes, modules of its vertices */
#ifndef SE_TREELEVEL_H
#define SE_TREELEVEL_H

#include "common/stream/section.h"

/* The depth of each node, root 0.  *height: the depth of the deepest.  NULL with `err`;
 * free() it. */
uint32_t *se_tree_depth(const struct se_tree *t, uint32_t *height, struct se_err *err);

/* module[v]: the module of each vertex at a level, from 0 on in the order of the tree.  Level 0 is
 * the root, level 1 its children; a leaf above the level is a module of its own.  *count: how many
 * there are.  Room for t->n. */
int se_tree_partition(const struct se_tree *t, uint64_t level, uint32_t *module,
                      uint64_t *count, struct se_err *err);

#endif
