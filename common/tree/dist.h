/* dist.h - encoding trees of low structural entropy, found by several processes together
 *
 * Each process has the edges of a range of the vertices and nothing else of the graph.  Every
 * process makes the same calls in the same order.  Weights are whole numbers of a small quantum,
 * so that sums are exact and do not depend on who adds up what: any number of processes finds the
 * same tree. */
#ifndef SE_DIST_H
#define SE_DIST_H

#include "common/stream/section.h"

/* The processes.  Nothing here fails: what cannot go on ends all of them. */
struct se_team {
    int rank, ranks;
    uint64_t sent;              /* bytes that left this process */
    void *own;
    /* Items of so many bytes from all to all: out[out_of[r]] .. out[out_of[r + 1] - 1] are for r */
    void (*swap)(struct se_team *t, const void *out, const uint64_t *out_of, void *in,
                 const uint64_t *in_of, uint64_t bytes);
    void (*sum)(struct se_team *t, double *x, uint64_t count);
    void (*most)(struct se_team *t, double *x, uint64_t count);
    void (*tell)(struct se_team *t, void *x, uint64_t bytes);   /* what the first one has */
};

/* Where a graph lies in a file: offsets of the arrays of struct se_graph; 0: there are none */
struct se_graph_place {
    uint64_t n, m, loops, off, to, weight, loop, loop_weight;
};

struct se_dist_options {
    uint32_t k;                 /* height: 2 or 3 */
    uint64_t gather;            /* what has no more arcs is searched by the first process alone */
    uint64_t seed;
    int threads;                /* of that search */
};

/* What was found.  The first process has the modules of all vertices, others none. */
struct se_dist_tree {
    uint64_t n;
    uint32_t *low, *top;        /* module on the lowest level, and on the one above it; top is NULL
                                 * for height 2.  The number of a module is its least vertex. */
    double h, h1;
};
#define SE_DIST_TREE_INIT { 0, NULL, NULL, 0, 0 }
void se_dist_tree_release(struct se_dist_tree *t);

/* The vertices of a process: from its border to that of the next */
uint64_t se_dist_border(uint64_t n, int rank, int ranks);

int se_dist_build(struct se_dist_tree *t, struct se_team *team, int fd,
                  const struct se_graph_place *place, const struct se_dist_options *how,
                  struct se_err *err);
/* Put it into the stream as a tree for the section `from`; its height and nodes */
int se_dist_put(const struct se_dist_tree *t, struct se_stream *s, uint32_t from,
                uint32_t *height, uint64_t *nodes, struct se_err *err);

#endif
