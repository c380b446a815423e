/* peers.h - several processes that train one net together, each with a range of the vertices
 *
 * The library knows them as the functions of struct se_peers; without one (NULL) a process is
 * alone.  Every process makes the same calls in the same order.  Sums over vertices are made in
 * one order: a process takes what those before it have, adds its own, and passes it on; so any
 * number of processes gives the same bits. */
#ifndef SE_PEERS_H
#define SE_PEERS_H

#include "common/train/net.h"

/* Which rows of others the arcs of our vertices need.  Vertices are renumbered: ours from 0, those
 * of others (the halo) behind them, in ascending order, so that each process has a range of them.
 * An arc that leaves has a ghost behind all arcs: the arc of the other process that goes back. */
struct se_links {
    uint64_t halo, ghosts;
    uint32_t *id;               /* halo: vertices of the whole graph */
    uint64_t *halo_of;          /* ranks + 1: where those of each process begin */
    uint32_t *row;              /* our vertices that each process needs, ascending */
    uint64_t *row_of;           /* ranks + 1 */
    uint32_t *arc;              /* our arcs to each process, in order; theirs to us, the ghosts, */
    uint64_t *arc_of;           /* are as many: ranks + 1 */
};

struct se_peers {
    int rank, ranks;
    uint64_t n, first, last;    /* vertices of the whole graph; ours */
    uint64_t sent;              /* bytes of halo rows and ghosts that left this process, */
    uint64_t summed;            /* of sums and results that left it or reached it from the last one */
    void *own;
    /* Fetch the halo, rows of so many bytes, into `to`; x: our rows. */
    void (*rows)(struct se_peers *p, const struct se_links *l, const void *x, uint64_t bytes,
                 void *to);
    /* Fetch what belongs to the ghosts; x: of our arcs */
    void (*arcs)(struct se_peers *p, const struct se_links *l, const void *x, uint64_t bytes,
                 void *to);
    /* Ordered sums: wait for the bytes of the process before (the first keeps its own); give them
     * to the next; all get what the last one has. */
    void (*take)(struct se_peers *p, void *sum, uint64_t bytes);
    void (*pass)(struct se_peers *p, const void *sum, uint64_t bytes);
    void (*share)(struct se_peers *p, void *sum, uint64_t bytes);
    /* Add up whole numbers over all */
    void (*count)(struct se_peers *p, uint64_t *x, uint64_t count);
    /* The first process gets the rows of all, in order; `all` is NULL elsewhere. */
    void (*collect)(struct se_peers *p, const void *rows, uint64_t bytes, void *all);
};

/* The processes this program was started with; NULL: it is alone.  The library's own knows none; a
 * program that is linked with another one has it.  close: `status` is what main() returns. */
int se_peers_open(struct se_peers **p, int *argc, char ***argv, struct se_err *err);
void se_peers_close(struct se_peers *p, int status);

/* Sums over n vertices are made of parts of so many rows, a power of 2 and at least 64; vertices
 * of a process begin at a multiple of it.  A part is added up in float, parts in double: a part of
 * many vertices has 4,096 rows, until there are SE_MOST_PARTS of them. */
enum { SE_MOST_PARTS = 1 << 15 };
uint64_t se_part_rows(uint64_t n);
/* The first vertex of a process; of the one behind the last: n */
uint64_t se_peers_border(uint64_t n, int rank, int ranks);

/* The part of the graph that p has */
int se_nngraph_make_part(struct se_nngraph *x, const struct se_graph *g, bool weights,
                         enum se_loops loops, struct se_peers *p, struct se_err *err);
void se_links_release(struct se_links *l);
/* Its shares anew; d: room for its vertices and those of its halo */
struct se_degree {
    double apart, loop;         /* the weights of its arcs to others, and of its loop */
};
void se_nngraph_weigh_part(struct se_nngraph *x, struct se_peers *p, struct se_degree *d);
/* Memory for what edge dropout leaves of the part t->whole, and what it leaves in this epoch */
int se_thin_links(struct se_thinned *t, const struct se_peers *p, struct se_err *err);
void se_thin_links_release(struct se_thinned *t);
void se_thin_part(const struct se_net *net, struct se_thinned *t, int part);
/* Of the input: what depends on all rows */
int se_sparse_part(struct se_sparse *x, struct se_peers *p, struct se_err *err);

#endif
