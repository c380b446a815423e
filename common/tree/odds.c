/* odds.c - how likely the sampling of a tree joins two vertices */
#include "common/tree/odds.h"

static void find_ancestor(struct se_odds *x, const struct se_tree *t,
                          const struct se_measure *m, uint32_t a, uint32_t b)
{
    while (t->parent[a] != t->parent[b]) {      /* up from the deeper one */
        if (m->depth[a] >= m->depth[b])
            a = t->parent[a];
        else
            b = t->parent[b];
    }
    x->ancestor = t->parent[a];
    x->level = m->depth[x->ancestor];
    x->child[0] = a;
    x->child[1] = b;
}

void se_odds_of(struct se_odds *x, const struct se_tree *t, const struct se_measure *m,
                const struct se_law *law, uint32_t u, uint32_t v)
{
    uint32_t leaf[2] = { 0, 0 };

    *x = (struct se_odds){ 0 };
    for (uint64_t a = 0; a < t->nodes; a++)
        if (t->vertex[a] == u || t->vertex[a] == v)
            leaf[t->vertex[a] == v] = (uint32_t)a;
    find_ancestor(x, t, m, leaf[0], leaf[1]);
    x->children = se_law_children(law, x->ancestor);
    for (int i = 0; i < 2; i++) {
        x->pick[i] = se_law_p(law, t, x->child[i]);
        x->down[i] = 1;
        for (uint32_t a = leaf[i]; a != x->child[i]; a = t->parent[a])
            x->down[i] *= se_law_p(law, t, a);
    }
    x->pair = se_law_pair(law, x->ancestor, x->child[0], x->child[1]) +
              se_law_pair(law, x->ancestor, x->child[1], x->child[0]);
    x->probability = x->pair * x->down[0] * x->down[1];
}
