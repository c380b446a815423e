/* adjacency.h - adjacency lists: each edge is listed at both of its vertices */
#ifndef SE_ADJACENCY_H
#define SE_ADJACENCY_H

#include "common/stream/section.h"

struct se_adjacency {
    uint64_t n, arcs;           /* arcs = 2 m, loops are not among them */
    uint64_t *off;              /* n + 1 */
    uint32_t *to;               /* arcs, ascending within a vertex */
    float *weight;              /* arcs; NULL: all 1 */
};
#define SE_ADJACENCY_INIT { 0, 0, NULL, NULL, NULL }
int se_adjacency_make(struct se_adjacency *a, const struct se_graph *g, struct se_err *err);
void se_adjacency_release(struct se_adjacency *a);

/* Where v is in row u of a graph, or of arcs; UINT64_MAX: nowhere.  The edge u - v of a graph is in
 * the row of the lower one. */
uint64_t se_row_find(const struct se_graph *g, uint64_t u, uint64_t v);
/* Weighted degrees of all vertices, in double; a loop of weight w adds 2 w when `loops`.
 * Room for g->n. */
void se_degrees(const struct se_graph *g, bool loops, double *degree);
/* The component of each vertex, numbered by least vertex; returns how many.  Room for n. */
uint64_t se_components(const struct se_graph *g, uint32_t *component);

#endif
