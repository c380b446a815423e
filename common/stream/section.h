/* section.h - what the sections of a stream hold
 *
 * se_X_get() gives a checked view into the payload: its pointers live as long as the section
 * stays in the stream.  A section that is absent or damaged is an error that names it; ask
 * se_stream_has() first where it is optional.  se_X_put() copies a struct into the stream.
 * All return 0, or -1 with `err` set.  Every number of a view was checked: ids are below n,
 * offsets ascend, floats are finite. */
#ifndef SE_SECTION_H
#define SE_SECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "common/stream/stream.h"

/* Vertex ids are 32 bits and the last one means none. */
#define SE_NONE UINT32_MAX
#define SE_MAX_VERTICES ((uint64_t)UINT32_MAX)

/* graph, fused: undirected; each edge once, under its lower end. */
struct se_graph {
    uint64_t n, m, loops;
    const uint64_t *off;        /* n + 1; edges of u: to[off[u]] .. to[off[u + 1] - 1] */
    const uint32_t *to;         /* m, each > u, ascending within u */
    const float *weight;        /* m, not negative; NULL: all 1 */
    const uint32_t *loop;       /* vertices with a self-loop, ascending */
    const float *loop_weight;   /* NULL if and only if weight is NULL */
};
int se_graph_get(struct se_graph *g, struct se_stream *s, uint32_t tag, struct se_err *err);
int se_graph_put(const struct se_graph *g, struct se_stream *s, uint32_t tag,
                 const uint32_t from[SE_ORIGINS], struct se_err *err);
/* arcs: the directed edges that the graph was made of, in the same struct: to[] ascends within u,
 * may be below u, and is u for a self-loop; `loops` is 0.  Derived from the graph. */
int se_arcs_get(struct se_graph *g, struct se_stream *s, struct se_err *err);
int se_arcs_put(const struct se_graph *g, struct se_stream *s, struct se_err *err);
/* Room for a graph in a payload of its own, to be written there and given to a stream.  Weights
 * are NULL unless `weighted`.  It is empty again when it was given, and else to be freed. */
struct se_graph_room {
    uint64_t n, m, loops, len, mapped;
    void *payload;
    uint64_t *off;
    uint32_t *to, *loop;
    float *weight, *loop_weight;
};
#define SE_GRAPH_ROOM_INIT { .n = 0 }
int se_graph_room_make(struct se_graph_room *r, uint64_t n, uint64_t m, uint64_t loops,
                       bool weighted, struct se_err *err);
int se_graph_room_give(struct se_graph_room *r, struct se_stream *s, uint32_t tag,
                       const uint32_t from[SE_ORIGINS], struct se_err *err);
void se_graph_room_release(struct se_graph_room *r);
/* Put the graph g again with other edges.  `fill` writes at most `most` of them as se_graph has
 * them, weights where g has some (else weight is NULL), and returns how many. */
typedef uint64_t se_fill_edges(const struct se_graph *g, void *arg, uint64_t *off, uint32_t *to,
                               float *weight);
int se_graph_put_edges(const struct se_graph *g, uint64_t most, se_fill_edges *fill,
                       void *arg, struct se_stream *s, struct se_err *err);
/* fused if it is there, else graph: the tag that se-tree works on. */
uint32_t se_graph_current(const struct se_stream *s);

/* features: rows of n vertices, sparse or dense */
struct se_features {
    uint64_t n, d, nnz;         /* nnz: stored entries, n * d when dense */
    const float *dense;         /* n rows of d; NULL when sparse */
    const uint64_t *off;        /* sparse: n + 1 */
    const uint32_t *col;        /* sparse: nnz, ascending within a row */
    const float *value;         /* sparse: nnz; NULL: all 1 */
};
int se_features_get(struct se_features *f, struct se_stream *s, struct se_err *err);
/* Stores the smaller of sparse and dense, whatever it is given. */
int se_features_put(const struct se_features *f, struct se_stream *s, struct se_err *err);

/* labels: class of each vertex */
struct se_labels {
    uint64_t n, classes;
    const int32_t *label;       /* n, -1: unknown */
    const char *names;          /* `classes` strings, each ended by NUL; NULL: no names */
    uint64_t names_len;
};
int se_labels_get(struct se_labels *l, struct se_stream *s, struct se_err *err);
int se_labels_put(const struct se_labels *l, struct se_stream *s, struct se_err *err);

/* splits: `count` rows of n parts */
enum se_split_part { SE_SPLIT_NONE, SE_SPLIT_TRAIN, SE_SPLIT_VAL, SE_SPLIT_TEST };
struct se_splits {
    uint64_t n, count;
    const uint8_t *part;        /* part[i * n + v] */
};
extern const char *const se_split_part_names[4];      /* none train val test */
int se_splits_get(struct se_splits *x, struct se_stream *s, struct se_err *err);
int se_splits_put(const struct se_splits *x, struct se_stream *s, struct se_err *err);

/* embedding: a dense matrix */
struct se_embedding {
    uint64_t n, d;
    const float *row;           /* n rows of d */
};
int se_embedding_get(struct se_embedding *e, struct se_stream *s, struct se_err *err);
int se_embedding_put(const struct se_embedding *e, struct se_stream *s, struct se_err *err);
/* n rows of d floats in the place where a payload has them.  se_embedding_give() and
 * se_probabilities_give() make the section of such rows without a copy; the stream owns them then,
 * or on failure nobody does.  se_matrix_free() frees others. */
float *se_matrix_room(uint64_t n, uint64_t d, struct se_err *err);
void se_matrix_free(float *row);
int se_embedding_give(float *row, uint64_t n, uint64_t d, struct se_stream *s, struct se_err *err);
int se_probabilities_give(float *p, uint64_t n, uint64_t classes, struct se_stream *s,
                          struct se_err *err);

/* knn: the k most similar vertices of each vertex of [first, last) */
enum se_metric { SE_PCC, SE_COSINE };
extern const char *const se_metric_names[];     /* by enum se_metric, NULL-ended */
struct se_knn {
    uint64_t n, k, first, last;
    uint32_t metric, on;        /* on: SE_EMBEDDING or SE_FEATURES */
    const uint32_t *id;         /* (last - first) * k, best first, never the vertex itself; a
                                 * row with fewer neighbours ends in SE_NONE, similarity 0 */
    const float *similarity;    /* as many, descending within a row */
};
int se_knn_get(struct se_knn *k, struct se_stream *s, struct se_err *err);
int se_knn_put(const struct se_knn *k, struct se_stream *s, struct se_err *err);
/* Room for neighbours in a payload of its own, as se_graph_room. */
struct se_knn_room {
    uint64_t len;
    void *payload;
    uint32_t *id;
    float *similarity;
};
#define SE_KNN_ROOM_INIT { .len = 0 }
int se_knn_room_make(struct se_knn_room *r, uint64_t n, uint64_t k, uint64_t first,
                     uint64_t last, struct se_err *err);
int se_knn_room_give(struct se_knn_room *r, uint32_t metric, uint32_t on,
                     struct se_stream *s, struct se_err *err);
void se_knn_room_release(struct se_knn_room *r);

/* block: of the pairs of a vertex of [first, last) and one of [from, to) the k most similar of each
 * vertex.  The second range is the first, or behind it, and then neither is empty.  se_stream_join() makes
 * knn of blocks that hold each pair once. */
struct se_knn_block {
    uint64_t n, k, first, last, from, to;
    uint32_t metric, on;        /* as in knn, like the following */
    const uint32_t *id;         /* k for each of [first, last); then, if that is another range, of
                                 * [from, to) */
    const float *similarity;
};
uint64_t se_knn_block_lists(const struct se_knn_block *b);
int se_knn_block_get(struct se_knn_block *b, struct se_stream *s, struct se_err *err);
int se_knn_block_room_make(struct se_knn_room *r, const struct se_knn_block *b, struct se_err *err);
int se_knn_block_room_give(struct se_knn_room *r, uint32_t metric, uint32_t on, struct se_stream *s,
                       struct se_err *err);

/* tree: nodes in depth-first order, so node 0 is the root and a subtree is a range of ids */
struct se_tree {
    uint64_t n, nodes;          /* vertices; nodes with root and leaves */
    const uint32_t *parent;     /* per node, < node; SE_NONE for the root */
    const uint32_t *vertex;     /* per node; SE_NONE for inner nodes */
};
int se_tree_get(struct se_tree *t, struct se_stream *s, struct se_err *err);
/* `from`: SE_GRAPH or SE_FUSED, the section it was made for; 0: it came from elsewhere. */
int se_tree_put(const struct se_tree *t, struct se_stream *s, uint32_t from,
                struct se_err *err);
/* Check a tree that was not read from a stream.  Names the first node or vertex at fault. */
int se_tree_check(const struct se_tree *t, struct se_err *err);

/* probabilities: that of each class for each vertex; rows add up to 1 within 0.001 */
struct se_probabilities {
    uint64_t n, classes;
    const float *p;             /* n x classes */
};
int se_probabilities_get(struct se_probabilities *p, struct se_stream *s, struct se_err *err);
int se_probabilities_put(const struct se_probabilities *p, struct se_stream *s,
                         struct se_err *err);

/* predictions: class and confidence of each vertex */
struct se_predictions {
    uint64_t n;
    const int32_t *label;       /* -1: none */
    const float *confidence;    /* 0 .. 1 */
};
int se_predictions_get(struct se_predictions *p, struct se_stream *s, struct se_err *err);
int se_predictions_put(const struct se_predictions *p, struct se_stream *s,
                       struct se_err *err);

/* model: hyper-parameters as text, "key=value\n" each, and named float arrays */
struct se_array {
    const char *name;           /* NUL-ended, at most 63 bytes */
    uint64_t rows, cols;
    const float *data;
};
struct se_model {
    const char *text;           /* not NUL-ended */
    uint64_t text_len;
    struct se_array *array;     /* owned by the view: se_model_release() */
    uint64_t arrays;
};
int se_model_get(struct se_model *m, struct se_stream *s, struct se_err *err);
int se_model_put(const struct se_model *m, struct se_stream *s, struct se_err *err);
void se_model_release(struct se_model *m);

/* The value of a key of its text, NUL-ended; false: it has none, or a longer one. */
enum { SE_MODEL_VALUE = 64 };
bool se_model_value(const struct se_model *m, const char *key, char value[SE_MODEL_VALUE]);
/* The same where it is a whole number up to `most`; an error if it is not. */
int se_model_count(const struct se_model *m, const char *key, uint64_t most, uint64_t *value,
                   struct se_err *err);

/* names: of the vertices, where the imported ids were not 0..n-1 */
struct se_names {
    uint64_t n;
    const uint64_t *off;        /* n + 1 */
    const char *text;           /* name of v: text[off[v]] .. text[off[v + 1] - 1] */
};
int se_names_get(struct se_names *x, struct se_stream *s, struct se_err *err);
int se_names_put(const struct se_names *x, struct se_stream *s, struct se_err *err);

/* columns: names of the columns of features, and how they were scaled: the feature is
 * (x - shift) * scale.  "age" is a number, "town=Oslo" a word of the column town, "town=" its
 * missing values, "note=#7" a hashed word.  Derived from the features. */
struct se_colnames {
    uint64_t d;
    const double *shift, *scale;
    const char *names;          /* d strings, each ended by NUL */
    uint64_t names_len;
};
int se_colnames_get(struct se_colnames *x, struct se_stream *s, struct se_err *err);
int se_colnames_put(const struct se_colnames *x, struct se_stream *s, struct se_err *err);

/* stats: named numbers.  Setting a name again replaces its value; new names go last. */
struct se_stats {
    uint64_t count;
    const double *value;
    const char *names;          /* `count` strings, each ended by NUL */
    uint64_t names_len;
};
int se_stats_get(struct se_stats *x, struct se_stream *s, struct se_err *err);
int se_stats_set(struct se_stream *s, const char *name, double value, struct se_err *err);
/* Numbers that were set become the section when it is read or the stream is written; nobody else
 * need call these.  discard: they are lost. */
int se_stats_flush(struct se_stream *s, struct se_err *err);
void se_stats_discard(struct se_stream *s);
/* Forget all names that start with `prefix` ("sim."): a stage that runs again. */
int se_stats_forget(struct se_stream *s, const char *prefix, struct se_err *err);
/* Where the value of a name stands, NULL if it is not there */
const double *se_stats_find(const struct se_stats *x, const char *name);
/* 1 and the value if the name is there, 0 if not, -1 with `err`. */
int se_stats_value(struct se_stream *s, const char *name, double *value, struct se_err *err);

/* history: one line per tool run, fields separated by tabs: tool, version, seed, seconds,
 * arguments */
struct se_history {
    const char *text;           /* lines, each ended by a newline */
    uint64_t len;
};
int se_history_get(struct se_history *h, struct se_stream *s, struct se_err *err);
int se_history_add(struct se_stream *s, const char *line, struct se_err *err);

/* The table of sections (sections.c): all that the library has to know of each besides its get
 * and put. */
struct se_walk;
struct se_section_kind {
    uint32_t tag;
    const char *name;           /* as options and messages have it */
    bool per_vertex;            /* its payload starts with the number of vertices */
    const char *made_by;        /* ends "no X section; ..." */
    uint32_t from[SE_ORIGINS][2];       /* what each origin may be; 0: none */
    int (*walk)(struct se_walk *w, void *x, struct se_err *err);        /* walk.h */
};
const struct se_section_kind *se_section_kind(int i);           /* NULL behind the last */
const struct se_section_kind *se_section_kind_of(uint32_t tag); /* NULL: unknown */

/* The number of vertices that all sections of the stream agree on; an error that names two
 * sections if they do not.  A stream without any such section has 0. */
int se_stream_vertices(struct se_stream *s, uint64_t *n, struct se_err *err);
/* Every number of every section, and se_stream_vertices().  Large deflated sections are not kept
 * in memory; a tree takes a bit for each vertex and four bytes for each level. */
int se_stream_check(struct se_stream *s, struct se_err *err);

#endif
