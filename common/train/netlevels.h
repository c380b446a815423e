/* netlevels.h - the modules of a tree, level by level, and the graphs among them */
#ifndef SE_NETLEVELS_H
#define SE_NETLEVELS_H

#include "common/train/net.h"

/* From the lowest modules up to the children of the root; `from`: the graph below them.  An
 * unweighted edge joins two modules where one joins vertices of theirs; every module has a loop of
 * weight 1.  Fails for a tree without modules.  Release in any case. */
int se_netlevels_make(struct se_netlevels *x, const struct se_tree *t, const struct se_nngraph *from,
                   struct se_err *err);
void se_netlevels_release(struct se_netlevels *x);

#endif
