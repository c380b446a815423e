/* sim.h - similarity of rows, and the k most similar vertices of each vertex
 *
 * S of two vertices is the Pearson correlation (or the cosine) of their rows, in double, by
 * one formula with one order of summation, then rounded: to a multiple of 2^-34, so that the
 * noise around 0 is a tie and not an order, and to float.  Neighbours are ordered by that
 * float, ties by lower id.  The engines only differ in how they find who can be among the
 * first k: all of them give the same bytes, at any number of threads.
 *
 * A row without variance (all its numbers equal; for the cosine: all zero) tells nothing: it
 * has no neighbours and is nobody's neighbour.  S with it is 0 where an edge asks for it. */
#ifndef SE_SIM_H
#define SE_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/progress.h"
#include "common/device/device.h"
#include "common/device/device.h"
#include "common/stream/section.h"

/* What makes a row a centred row of length 1: ((x - shift) - mean) * inverse.  The shift is
 * a number of the row itself, so that rows of large, nearly equal numbers lose nothing; it
 * is 0 for sparse rows. */
struct se_sim_scale {
    double shift, mean, inverse;        /* inverse 0: no variance */
};

struct se_sim_rows {
    uint64_t n, d;
    enum se_metric metric;
    struct se_features x;       /* a view of the numbers, dense or sparse */
    struct se_sim_scale *scale; /* n */
    /* sparse only */
    const uint32_t *col;        /* columns, renumbered 0..columns-1 where d is far too large */
    uint64_t columns;
    uint32_t *col_memory;       /* what col points to if it is not x.col */
    uint8_t *steep;             /* n: nearly constant, so that products of x cancel */
    uint64_t steeps;
};
#define SE_SIM_ROWS_INIT { .n = 0 }

/* Whose rows: the section in *on.  What --compare-by of a tool says, in this order; auto is the embedding
 * if there is one. */
enum se_sim_choice { SE_ON_AUTO, SE_ON_EMBEDDING, SE_ON_FEATURES };
int se_sim_on(enum se_sim_choice choice, const struct se_stream *s, uint32_t *on,
              struct se_err *err);

/* Prepare the rows of SE_EMBEDDING or SE_FEATURES.  They point into the stream.  Release
 * them in any case. */
int se_sim_rows_make(struct se_sim_rows *r, struct se_stream *s, uint32_t on,
                     enum se_metric metric, int threads, struct se_err *err);
/* The same for a matrix that is in no stream. */
int se_sim_rows_of(struct se_sim_rows *r, const struct se_features *x,
                   enum se_metric metric, int threads, struct se_err *err);
void se_sim_rows_release(struct se_sim_rows *r);

/* One row against many: set it, then ask for S with any other.  One per thread. */
struct se_sim_query {
    const struct se_sim_rows *rows;
    double *y;                  /* the row, centred; sparse: spread out over its columns */
    uint64_t i;                 /* which row it is; rows->n for none */
};
#define SE_SIM_QUERY_INIT { NULL, NULL, 0 }
int se_sim_query_init(struct se_sim_query *q, const struct se_sim_rows *r,
                      struct se_err *err);
void se_sim_query_set(struct se_sim_query *q, uint64_t i);
float se_sim_query_with(const struct se_sim_query *q, uint64_t j);
/* S of row i with n others; faster than one by one where they are far apart in memory. */
void se_sim_query_many(struct se_sim_query *q, uint64_t i, const uint32_t *id, uint64_t n,
                       float *s);
void se_sim_query_release(struct se_sim_query *q);
/* One query per thread; NULL with `err` set. */
struct se_sim_query *se_sim_queries(const struct se_sim_rows *r, int threads,
                                    struct se_err *err);
void se_sim_queries_free(struct se_sim_query *q, int threads);

enum se_sim_method { SE_SIM_AUTO, SE_SIM_PRODUCT, SE_SIM_SPACE, SE_SIM_SPARSE };

struct se_sim_options {
    uint64_t k;                 /* neighbours wanted; n - 1 if that is less */
    uint64_t first, last;       /* of these vertices, among all */
    uint64_t from, to;          /* unless `to` is 0: among these, and the other way round.  They are
                                   the same as those, or behind them */
    enum se_sim_method method;
    enum se_device device;      /* SE_DEVICE_CUDA: the product there, or fail */
    double approx;              /* above 0: an approximate search with this recall will do; where
                                   an exact one is fast, it is exact nevertheless */
    double extra;               /* of a plan: what the parts may cost more than the whole, as a share */
    int threads;
    struct se_progress *progress;       /* may be NULL; its total is rows */
};

struct se_sim_answer {
    uint64_t k, first, last, from, to;
    struct se_knn_room room;    /* what comes next lies in it: of knn, or of block if to > 0 */
    uint32_t *id;               /* (last - first) * k, best first; SE_NONE: no more.  Then those of
                                   [from, to), if that is another range */
    float *similarity;
    const char *engine;         /* "product", "space", "sparse", "circle", "line", "approx",
                                   "none" */
    double recall;              /* of an approximate search, on a sample; else 1 */
    uint64_t distinct;          /* rows that differ and have variance, of those searched */
    uint64_t flats;             /* rows without variance, of those */
    char where[SE_GPU_NOTE];    /* "on the CPU", why, or on which device */
};
#define SE_SIM_ANSWER_INIT { .k = 0 }

/* Find the k most similar vertices.  Release the answer in any case. */
int se_sim_search(const struct se_sim_rows *r, const struct se_sim_options *ask,
                  struct se_sim_answer *a, struct se_err *err);
void se_sim_answer_release(struct se_sim_answer *a);

/* A search in parts: of the rows [first, last), and unless `to` is 0 of these among [from, to) */
struct se_sim_part {
    uint64_t first, last, from, to;
};
struct se_sim_plan {
    struct se_sim_part *part;
    uint64_t parts;
};
#define SE_SIM_PLAN_INIT { NULL, 0 }
/* About as many parts as are asked for.  Release the plan in any case. */
int se_sim_plan_make(struct se_sim_plan *p, const struct se_sim_rows *r,
                     const struct se_sim_options *ask, uint64_t parts, struct se_err *err);
void se_sim_plan_release(struct se_sim_plan *p);

/* Of all rows: how many differ and have variance, and how many have none */
int se_sim_count(const struct se_sim_rows *r, int threads, uint64_t *distinct, uint64_t *flats,
                 struct se_err *err);

#endif
