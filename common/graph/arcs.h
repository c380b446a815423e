/* arcs.h - edges with a direction */
#ifndef SE_ARCS_H
#define SE_ARCS_H

#include "common/stream/section.h"

struct se_arc_facts {
    uint64_t loops;
    uint64_t pairs, one_way;    /* pairs with an arc; those with an arc in one direction only */
};
/* Count what se_arcs_get() gave. */
void se_arc_facts(struct se_arc_facts *x, const struct se_graph *arcs);

#endif
