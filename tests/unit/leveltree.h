/* leveltree.h - a tree of two levels of modules: vertex v is in low module v % lows, that in l % tops */
#include "common/stream/section.h"

enum { LEVEL_TREE_MOST = 1000 };

struct level_tree {
    uint32_t parent[LEVEL_TREE_MOST], vertex[LEVEL_TREE_MOST];
    struct se_tree t;
};

static inline uint32_t level_node(struct level_tree *x, uint32_t parent, uint32_t vertex)
{
    x->parent[x->t.nodes] = parent;
    x->vertex[x->t.nodes] = vertex;
    return (uint32_t)x->t.nodes++;
}

static inline void make_level_tree(struct level_tree *x, uint32_t n, uint32_t lows, uint32_t tops)
{
    x->t = (struct se_tree){ n, 0, x->parent, x->vertex };
    level_node(x, SE_NONE, SE_NONE);
    for (uint32_t top = 0; top < tops; top++) {
        const uint32_t a = level_node(x, 0, SE_NONE);

        for (uint32_t low = top; low < lows; low += tops) {
            const uint32_t b = level_node(x, a, SE_NONE);

            for (uint32_t v = low; v < n; v += lows)
                level_node(x, b, v);
        }
    }
}
