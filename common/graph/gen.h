/* gen.h - generated graphs: a block model with nested communities and features
 *
 * The vertices lie on a line that is cut into classes, these into communities, these into
 * smaller ones: every block at every level is a range.  A random order says which vertex
 * has which place, so that ids tell nothing.
 *
 * There are three kinds of edges, and exactly as many of each as homophily and noise ask
 * for: within a community, within a class wherever, and between classes.  The last kind and
 * the share of the second that chance gives are the noise. */
#ifndef SE_GEN_H
#define SE_GEN_H

#include "common/stream/section.h"

enum { SE_GEN_LEVELS = 8 };     /* classes and up to seven levels of communities */

enum se_gen_features { SE_GEN_WORDS, SE_GEN_NORMAL, SE_GEN_NONE };

/* Which members somebody chose; the others may be fitted to them. */
enum { SE_GEN_CLASSES = 1, SE_GEN_DEGREE = 2, SE_GEN_HOMOPHILY = 4, SE_GEN_NOISE = 8 };

struct se_gen {
    uint64_t n;                 /* 1 .. SE_MAX_VERTICES */
    unsigned levels;            /* of blocks, classes among them; at least 1 */
    uint64_t branch[SE_GEN_LEVELS];     /* classes, communities of each, parts of those ... */
    double degree;              /* mean */
    double homophily;           /* share of the edges within a class */
    double noise;               /* share of the edges that ignore class and community */
    double tight;               /* chance of an edge to stay inside, at each level */
    double exponent;            /* expected degrees follow a power law; 0: all equal */
    enum se_gen_features features;
    uint64_t dims, words;       /* columns; words of a vertex, in the mean */
    double signal;              /* share of the features that the blocks explain */
    uint64_t seed;
    int threads;
};

/* A graph that misleads, most of its edges joining different classes, and features that could
 * tell better. */
extern const struct se_gen se_gen_default;

/* Make the members that nobody chose fit the others, and see whether all can be had: the
 * error tells the bound that was passed. */
int se_gen_settle(struct se_gen *g, unsigned chosen, struct se_err *err);

/* Put graph, labels, features (unless none) into the stream; `tree`: the planted blocks as a
 * tree section too.  The same bytes at any number of threads. */
int se_gen_make(const struct se_gen *g, bool tree, struct se_stream *s, struct se_err *err);

/* Zachary's karate club: graph and labels (the two factions). */
int se_karate_make(struct se_stream *s, struct se_err *err);

#endif
