/* batch_graph.h - the graph of a batch, and windows of the whole graph */
#ifndef SE_BATCH_GRAPH_H
#define SE_BATCH_GRAPH_H

#include "common/train/net.h"

/* The whole graph in little memory: nothing per arc but its end and its weight */
struct se_big_graph {
    uint64_t n;
    struct se_adjacency a;
    float *loop;                /* per vertex: the weight of its loop; NULL: all are `every` */
    float every;
    double *degree, *root;      /* with the loop; root: 1 / sqrt */
    uint32_t *local;            /* per vertex: its number in the batch, SE_NONE outside */
};
int se_big_graph_make(struct se_big_graph *x, const struct se_graph *g, bool weights,
                      enum se_loops loops, int threads, struct se_err *err);
void se_big_graph_release(struct se_big_graph *x);
/* The most arcs, loops among them, that `count` vertices can have */
int se_big_graph_most(const struct se_big_graph *x, uint64_t count, uint64_t *arcs,
                      struct se_err *err);
/* The graph of the vertices `id`, ascending, with the edges among them; degrees count those only.
 * `to` has room for them; `next`: numbers to work with, `count` of them. */
void se_batch_graph(const struct se_big_graph *x, const uint32_t *id, uint64_t count, int threads,
                    uint64_t *next, struct se_nngraph *to);
/* The rows first .. first + count - 1 of the whole graph: off, to (of all vertices), norm and mean;
 * the rest is not set.  Its memory grows as needed. */
int se_window_graph(const struct se_big_graph *x, uint64_t first, uint64_t count, int threads,
                    struct se_nngraph *to, uint64_t *room, struct se_err *err);

#endif
