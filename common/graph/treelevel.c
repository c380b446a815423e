/* treelevel.c - the levels of a tree: depths of its nodes, modules of its vertices */
#include "common/graph/treelevel.h"

#include <stdlib.h>

#include "common/base/mem.h"

uint32_t *se_tree_depth(const struct se_tree *t, uint32_t *height, struct se_err *err)
{
    uint32_t *depth = se_alloc(t->nodes, sizeof *depth, err);

    *height = 0;
    for (uint64_t i = 0; depth && i < t->nodes; i++) {
        depth[i] = i == 0 ? 0 : depth[t->parent[i]] + 1;
        *height = depth[i] > *height ? depth[i] : *height;
    }
    return depth;
}

int se_tree_partition(const struct se_tree *t, uint64_t level, uint32_t *module,
                      uint64_t *count, struct se_err *err)
{
    uint32_t height, *depth = se_tree_depth(t, &height, err);

    *count = 0;
    if (!depth)
        return -1;
    for (uint64_t i = 0; i < t->nodes; i++) {   /* depth first */
        const bool leaf = t->vertex[i] != SE_NONE;

        *count += depth[i] == level || (leaf && depth[i] < level);
        if (leaf)
            module[t->vertex[i]] = (uint32_t)(*count - 1);
    }
    free(depth);
    return 0;
}
