/* net.h - full-batch graph neural networks as chains of layers
 *
 * A model appends layers to a net; each layer knows its forward and its backward pass.  All
 * memory is made before the first epoch.  Sums run in an order that does not depend on the
 * number of threads.  Compiled with SE_REAL double for the tests of the gradients. */
#ifndef SE_NN_H
#define SE_NN_H

#include "common/graph/adjacency.h"
#include "common/stream/section.h"
#include "common/device/plugin.h"       /* what it shares with the CPU: se_real, se_gather, ... */

/* A sparse matrix by rows, and the same by columns for gradients. */
struct se_sparse {
    uint64_t rows, cols, nnz;
    uint64_t *off;              /* rows + 1 */
    uint32_t *col;
    se_real *value;
    uint64_t *toff;             /* cols + 1 */
    uint32_t *trow, *tentry;    /* row, and which entry of value, column by column */
    uint64_t *next;             /* cols: how far a sum over columns has come */
    uint64_t middle, *split;    /* two halves of the columns with about as much work each: where
                                   the second begins, and that in the entries of each row */
};

struct se_mat {                 /* dense or sparse */
    uint64_t rows, cols;
    se_real *dense;
    const struct se_sparse *sparse;
    const se_real *value;       /* sparse: the values to use instead of sparse->value */
    const se_real *ahead;       /* sparse, evaluation: the values of the next epoch, or NULL */
    bool made;                  /* sparse, training: products with its values are there */
};

/* The graph that training runs on: both directions, a self-loop at every vertex. */
struct se_nngraph {
    uint64_t n, arcs;
    uint64_t *off;              /* n + 1 */
    uint32_t *to, *back;        /* back: which arc goes the other way */
    se_real *weight;            /* per arc, w; a loop weighs 1 */
    /* Per arc (v, u), d the degrees with the loop: */
    se_real *norm;              /* w / sqrt(d_v d_u) */
    se_real *mean;              /* w / d_v */
    se_real *apart;             /* w / (d_v - 1), 0 for the loop: the mean of the others */
    double *root;               /* per vertex, 1 / sqrt(d_v) */
};

/* A graph that loses edges in training, others in each epoch */
struct se_thinned {
    const struct se_nngraph *whole;
    struct se_nngraph left;     /* what is left, its shares made anew */
    uint8_t *keep;              /* per arc */
    uint32_t *place;            /* per arc that is kept: where it went */
};

struct se_gpu;
struct se_net;
struct se_layer;

struct se_layer_ops {
    const char *name;
    /* Compute x->out from `in`. */
    void (*forward)(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                    bool train);
    /* From the gradient of the output to that of the parameters, and of the input into `din`
     * unless it is NULL. */
    void (*backward)(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                     const se_real *dout, se_real *din);
};

struct se_layer {
    const struct se_layer_ops *ops;
    uint64_t in, cols;          /* columns that come in and go out */
    struct se_mat out;
    bool sparse, learns;        /* what comes in may be sparse; it has parameters */
    se_real *buffer;            /* memory of out */
    se_real *work[4];           /* whatever the layer keeps */
    uint8_t *keep;              /* mask of dropout */
    uint32_t masked;            /* dropout of the input: the epoch whose mask it holds */
    uint64_t out_room, room[4], keep_room;      /* numbers that each must hold, 0: none */
    uint64_t weight, weight2, weight3, bias, attend;    /* where its parameters start */
    int number;                 /* names its random numbers */
    enum se_activation act;
    double dropout, alpha;
    int hops, heads;
    bool mean;                  /* gat: heads are averaged, not joined */
};

enum { SE_MOST_LAYERS = 64, SE_MOST_PARAMETERS = 128, SE_PARTS = 16 };

enum se_init { SE_INIT_ZERO, SE_INIT_UNIFORM, SE_INIT_NORMAL };

struct se_parameter {           /* a named array among all parameters */
    char name[48];
    uint64_t start, rows, cols;
    enum se_init init;
    double spread;              /* half width, or standard deviation */
    bool sparse;                /* what it is multiplied with may be */
    se_real *ahead;             /* then, room for a product that is made ahead */
};

/* A step that is taken while gradients are made */
struct se_step {
    struct se_adam adam;        /* of all parameters */
    bool taken[SE_MOST_PARAMETERS];
};

/* Copies in the memory of the device */
struct se_placed {
    struct se_nngraph graph[2];
    struct se_sparse sparse;
    se_real *dense;
};

struct se_net {
    const struct se_gpu *gpu;   /* where it computes, and its memory is; NULL: the CPU */
    struct se_placed placed;
    const struct se_nngraph *graph;     /* what layers see: whole, or what is left of it */
    const struct se_nngraph *beside;    /* a second graph, for layers that want it, or NULL */
    double edge_dropout;        /* above 0: the share of edges that training leaves out */
    struct se_thinned thinned[2];       /* of graph and beside, then */
    struct se_mat input;
    uint64_t n, seed;
    int threads, layers, parameters;
    uint32_t epoch;             /* names the random numbers of dropout, in evaluation those of
                                   the training that comes next; 0: none does */
    struct se_layer layer[SE_MOST_LAYERS];
    struct se_parameter parameter[SE_MOST_PARAMETERS];
    uint64_t count;             /* all parameters together */
    se_real *value, *grad, *moment, *square;
    se_real *delta[2];          /* gradients between layers */
    se_real *partial;           /* partial sums of gradients of parameters */
    uint64_t widest, steps, partial_room;       /* room: of one of SE_PARTS parts */
    bool sparse;                /* the output of the last layer may be sparse */
    bool blas;                  /* there are products that want OpenBLAS */
    struct se_step *step;       /* while backward shall take the step where it can, else NULL */
    bool halves;                /* products with a sparse input are sums of two halves; ready()
                                   decides, unless it was set before */
    se_real *second[2];         /* then, room for the second, of two products at once */
    bool looks_ahead;           /* evaluation makes products of the next epoch, too */
    int current;                /* layers whose output is that of evaluation, now */
};

/* What a model may want to know. */
struct se_hyper {
    uint64_t hidden, layers, classes, heads, out_heads, hops;
    double dropout, input_dropout, attention_dropout, edge_dropout, alpha;
};

struct se_model_kind {
    const char *name;
    double input_dropout;       /* defaults: this, hidden and edge_dropout */
    uint64_t hidden;
    /* Append the layers. */
    int (*build)(struct se_net *net, const struct se_hyper *h, struct se_err *err);
    double edge_dropout;
    bool beside;                /* it can use a second graph */
};
/* All models, NULL-ended: one for each common/train/models/NAME.c */
extern const struct se_model_kind *const se_model_kinds[];

/* Graph and features as training wants them.  Release in any case. */
int se_nngraph_make(struct se_nngraph *x, const struct se_graph *g, bool weights,
                    struct se_err *err);
void se_nngraph_release(struct se_nngraph *x);
/* Room for what is left of a graph, released in any case; and what is left in this epoch: an
 * edge goes or stays with both its arcs, as the mask says of the arc to the higher end; loops
 * stay, degrees count what is left. */
int se_thinned_make(struct se_thinned *t, const struct se_nngraph *whole, struct se_err *err);
void se_thin(const struct se_net *net, struct se_thinned *t, int part);
void se_thinned_release(struct se_thinned *t);
int se_sparse_make(struct se_sparse *x, const struct se_features *f, bool scale_rows,
                   struct se_err *err);
void se_sparse_release(struct se_sparse *x);

/* Layers for models to append.  0, or -1 with `err`. */
int se_net_dropout(struct se_net *net, double p, struct se_err *err);
int se_net_activate(struct se_net *net, enum se_activation act, double dropout,
                    struct se_err *err);
int se_net_linear(struct se_net *net, uint64_t cols, struct se_err *err);
int se_net_graphconv(struct se_net *net, uint64_t cols, struct se_err *err);
int se_net_sageconv(struct se_net *net, uint64_t cols, struct se_err *err);
int se_net_mixconv(struct se_net *net, uint64_t cols, struct se_err *err);
int se_net_gatconv(struct se_net *net, uint64_t cols, uint64_t heads, bool mean,
                   double attention_dropout, struct se_err *err);
int se_net_propagate(struct se_net *net, double alpha, int hops, double edge_dropout,
                     struct se_err *err);

/* After the layers were appended: make memory and initial parameters.  With a device, graph
 * and input are copied there first, and whatever can only be done here fails (SE_EDEVICE). */
int se_net_ready(struct se_net *net, struct se_err *err);
void se_net_release(struct se_net *net);

/* Evaluation and the next epoch of training have the same parameters.  After this call the one
 * makes the other's products with a sparse input, too, while it has the parameters at hand. */
int se_net_look_ahead(struct se_net *net, struct se_err *err);

/* The logits, n rows of classes.  In training with dropout, by (seed, epoch). */
const se_real *se_net_forward(struct se_net *net, bool train);
/* From the gradient of the logits, n rows, to net->grad. */
void se_net_backward(struct se_net *net, const se_real *dlogits);
/* Adam as PyTorch has it, the decay in the gradient. */
void se_net_adam(struct se_net *net, double rate, double decay);
/* Both in one, and faster: what is multiplied with a sparse input takes its step while the
 * gradient is made.  net->grad is of no use afterwards. */
void se_net_learn(struct se_net *net, const se_real *dlogits, double rate, double decay);
/* The input of the last layer that has parameters, after evaluation: what `hidden` means.
 * NULL if that is the sparse input. */
const struct se_mat *se_net_hidden(const struct se_net *net);

/* Mean cross-entropy over the vertices `id`; its gradient into dlogits (n rows, cleared). */
double se_net_loss(const se_real *logits, uint64_t n, uint64_t classes, const uint32_t *id,
                   uint64_t count, const int32_t *label, se_real *dlogits);

/* The same where the net computes; `t` is in its memory. */
double se_net_loss_of(const struct se_net *net, const se_real *logits,
                      const struct se_targets *t, se_real *dlogits);

/* The memory of a net: that of its device, or ours.  alloc clears it; NULL with `err`.  place:
 * a copy of ours.  Failures of a device stay; check tells: 0, or -1 with `err`. */
void *se_net_alloc(const struct se_net *net, uint64_t count, size_t size, struct se_err *err);
void *se_net_place(const struct se_net *net, const void *from, uint64_t count, size_t size,
                   struct se_err *err);
void se_net_free(const struct se_net *net, void *p);
void se_net_put(const struct se_net *net, void *to, const void *from, uint64_t bytes);
void se_net_get(const struct se_net *net, void *to, const void *from, uint64_t bytes);
void se_net_copy(const struct se_net *net, void *to, const void *from, uint64_t bytes);
void se_net_clear(const struct se_net *net, void *p, uint64_t bytes);
int se_net_check(const struct se_net *net, struct se_err *err);
/* Graph and input, before se_net_ready() makes the rest; nothing to do on the CPU. */
int se_net_place_input(struct se_net *net, struct se_err *err);
int se_net_place_thinned(const struct se_net *net, struct se_thinned *t,
                         const struct se_nngraph *whole, struct se_err *err);
void se_net_unplace_input(struct se_net *net);          /* and what was thinned */

/* ---- for layers ---- */

/* The new last layer, or NULL with `err`. */
struct se_layer *se_net_append(struct se_net *net, const struct se_layer_ops *ops,
                               uint64_t cols, struct se_err *err);
/* Reserve a parameter of the last layer.  Glorot's: uniform or normal, with a gain and the
 * numbers of inputs and outputs that PyTorch would count. */
struct se_glorot {
    enum se_init kind;
    double gain, in, out;
};
int se_net_parameter(struct se_net *net, const char *name, uint64_t rows, uint64_t cols,
                     struct se_glorot init, uint64_t *start, struct se_err *err);

/* The parameters `weight`, as x->in and x->cols say, and `bias` of the last layer, x. */
int se_net_weighted(struct se_net *net, struct se_layer *x, struct se_err *err);
/* A part of a sum over vertices must hold `count` numbers; parameters see to it themselves. */
void se_net_room(struct se_net *net, uint64_t count);

/* y = x w + bias (NULL: none), or y += x w if `add`, of a dense x; y has as many rows as x, `cols`
 * columns */
void se_mm(const struct se_net *net, const struct se_mat *x, const se_real *w, uint64_t cols,
           const se_real *bias, bool add, se_real *y);
/* dw = x' dy */
void se_mm_weight(const struct se_net *net, const struct se_mat *x, const se_real *dy,
                  uint64_t cols, se_real *dw);
void se_sparse_weight(const struct se_net *net, const struct se_mat *x, const se_real *dy,
                      uint64_t cols, se_real *dw);
/* dx = dy w', or dx += it; dx has xcols columns */
void se_mm_input(const struct se_net *net, const se_real *dy, const se_real *w, uint64_t cols,
                 uint64_t xcols, bool add, se_real *dx);

/* Sums of rows of x, chosen by index; see struct se_gather. */
void se_gather(const struct se_net *net, const struct se_gather *g, uint64_t count);
/* The same for the rows of the sparse input, on the CPU: g[0] or, if both, g[0] and g[1], which
 * differ only in value and y. */
void se_gather_sparse(const struct se_net *net, const struct se_gather *g, bool both);
/* Sums of x over the arcs of each vertex, for se_gather(); `back`: each arc with the value of
 * the arc that goes the other way. */
struct se_gather se_arcs(const struct se_nngraph *graph, const se_real *value, bool back,
                         const se_real *x, uint64_t cols, se_real *y);
/* Sums over the vertices: `part` gives those of a range of them, `count` numbers, and the
 * parts are added in order.  `cost` as for se_ranges().  se_sum_columns: those of dy. */
typedef void se_part(void *arg, uint64_t from, uint64_t to, se_real *sum);
void se_sum_parts(const struct se_net *net, uint64_t count, uint64_t cost, se_part *part,
                  void *arg, se_real *sum);
void se_sum_columns(const struct se_net *net, const se_real *dy, uint64_t cols, se_real *sum);
/* Run work on ranges of rows; the ranges do not depend on the threads.  `cost`: about how
 * many operations a row takes.  On the CPU only: with a device it fails, and so does the net. */
typedef void se_range(void *arg, uint64_t from, uint64_t to);
void se_ranges(const struct se_net *net, uint64_t rows, uint64_t cost, se_range *work,
               void *arg);
/* Which parameter starts here; the step of the one whose gradient this is, taken from now on. */
int se_net_parameter_at(const struct se_net *net, uint64_t start);
struct se_adam se_step_of(const struct se_net *net, const se_real *grad);
/* The mask of dropout: keep[i] is 1 with probability 1 - p.  Element i takes half i % 8 (low
 * half of a word first) of the Philox block i / 8, whose counter is (block, SE_RNG_DROPOUT,
 * epoch, part << 16 | layer) and whose key is the seed, and is kept if that half is at least
 * round(p * 65536).  The edges that training leaves out are no layer's: layer 65535, part 0
 * for graph, 1 for beside, element: the arc of the whole graph. */
enum { SE_NO_LAYER = 65535 };
void se_mask(const struct se_net *net, int layer, int part, double p, uint64_t count,
             uint8_t *keep);
/* y = x / (1 - p) where keep is 1, else 0 */
void se_mask_apply(const struct se_net *net, const se_real *x, const uint8_t *keep, double p,
                   uint64_t count, se_real *y);

#endif
