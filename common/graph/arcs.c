/* arcs.c - edges with a direction */
#include "common/graph/arcs.h"

#include "common/graph/adjacency.h"

void se_arc_facts(struct se_arc_facts *x, const struct se_graph *arcs)
{
    *x = (struct se_arc_facts){ 0 };
    for (uint64_t u = 0; u < arcs->n; u++)
        for (uint64_t i = arcs->off[u]; i < arcs->off[u + 1]; i++) {
            const uint64_t v = arcs->to[i];
            const bool back = v != u && se_row_find(arcs, v, u) != UINT64_MAX;

            x->loops += v == u;
            x->one_way += v != u && !back;
            x->pairs += v != u && (!back || u < v);
        }
}
