/* embed.h - positions of vertices in few dimensions, from the graph alone */
#ifndef SE_EMBED_H
#define SE_EMBED_H

#include "common/graph/adjacency.h"

enum se_embed_method { SE_EMBED_ISOMAP, SE_EMBED_POINCARE, SE_EMBED_STRUC2VEC };

struct se_embed_options {
    enum se_embed_method method;
    uint64_t dims, seed;
    uint64_t landmarks;         /* isomap: at most so many */
    uint64_t epochs, negatives; /* poincare: passes over the edges; vertices each is compared with */
    double rate;                /* poincare: learning rate */
    uint64_t hops, walks, length;       /* struc2vec: rings compared; walks from each vertex, and
                                           vertices in each */
    int threads;
};

/* Positions into `row`, n x dims.  placed[v] is 1 where the position of v tells something.  All of
 * them give the same numbers at any number of threads.  0, or -1 with `err`.
 *
 * isomap: multidimensional scaling of the distances in the graph, from landmarks; vertices outside
 * of the largest component are not placed, and lie at the origin.
 * poincare: a hyperbolic disc, in which neighbours are near; vertices without neighbours are not
 * placed.
 * struc2vec: vertices with alike neighbourhoods are near, wherever they are in the graph. */
int se_embed(const struct se_adjacency *a, const struct se_embed_options *o, float *row,
             uint8_t *placed, struct se_err *err);

int se_embed_isomap(const struct se_adjacency *a, const struct se_embed_options *o, float *row,
                    uint8_t *placed, struct se_err *err);
int se_embed_poincare(const struct se_adjacency *a, const struct se_embed_options *o, float *row,
                      uint8_t *placed, struct se_err *err);
int se_embed_struc2vec(const struct se_adjacency *a, const struct se_embed_options *o, float *row,
                       uint8_t *placed, struct se_err *err);

/* The graph of the `pairs` nearest pairs of placed vertices, fewer if there are not as many, put
 * into `s` as its graph.  Of equally near pairs those of lower ids come first.  `hyperbolic`:
 * distance in the Poincare disc.  How many became edges into *made. */
int se_embed_latent(const float *row, uint64_t n, uint64_t dims, const uint8_t *placed,
                    bool hyperbolic, uint64_t pairs, struct se_stream *s, uint64_t *made,
                    struct se_err *err);

#endif
