/* net.h - full-batch graph neural networks as chains of layers
 *
 * A model appends layers to a net; each layer knows its forward and its backward pass.  All
 * memory is made before the first epoch.  Sums run in an order that does not depend on the
 * number of threads.  Compiled with SE_REAL double for the tests of the gradients. */
#ifndef SE_NN_H
#define SE_NN_H

#include "common/base/parallel.h"
#include "common/device/plugin.h"       /* struct se_ops and what it works on */
#include "common/graph/adjacency.h"
#include "common/stream/section.h"

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
    uint64_t first, all;        /* of several processes: entries of those before; of all.  Alone:
                                   0, nnz */
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
    uint64_t first;             /* of several processes: arcs of those before */
    struct se_links *links;     /* then, what it has of others, see peers.h; else NULL */
};

/* A graph that loses edges in training, others in each epoch */
struct se_thinned {
    const struct se_nngraph *whole;
    struct se_nngraph left;     /* what is left, its shares made anew */
    uint8_t *keep;              /* per arc */
    uint32_t *place;            /* per arc that is kept: where it went */
    struct se_degree *degree;   /* of several processes: room for those of vertices, */
    uint64_t *arcs_of;          /* and for the arcs of each */
};

/* The arcs of a graph and of one beside it, and loops, in parts that have weights of their own:
 * Geom-GCN's.  Cell v * SE_PARTS + r holds the arcs of v in part r. */
enum { SE_PARTS = 9 };
struct se_divided {
    uint64_t n, arcs;
    uint64_t *off, *cell;       /* n + 1, n * SE_PARTS + 1: where arcs of a vertex, a cell begin */
    uint32_t *from;             /* per arc from u in part r: u * SE_PARTS + r */
    se_real *norm;              /* per arc: w / sqrt(d_v d_u), d over all parts */
    uint64_t *tcell;            /* the same arcs by where they come from, for gradients */
    uint32_t *tfrom, *tvertex;  /* v * SE_PARTS + r; v */
    se_real *tnorm;
    bool placed;                /* they are in the memory of a device */
};

/* The levels of a tree above the vertices, see netlevels.h.  Layers of level 1 have a row for each
 * module of level[0], and see the graph among them; those of level 0 have vertices. */
enum { SE_MOST_DEPTH = 8 };
struct se_level {
    uint64_t n;
    struct se_nngraph graph;
    uint64_t *off;              /* n + 1: where the members of each module, of the level below, are */
    uint32_t *member, *parent;  /* in order of modules; per member its module */
};
struct se_netlevels {
    int count;
    struct se_level level[SE_MOST_DEPTH];
    se_real *one;               /* per vertex: 1 */
    uint64_t *each;             /* 0, 1, .. n */
};

struct se_peers;
struct se_links;
struct se_worker {              /* the CPU; a device has the plugin's own */
    int threads;
    se_real *partial;           /* SE_PARTIALS parts of sums over vertices */
    double *total;              /* the sum of them */
    struct se_peers *peers;     /* other processes that have the other vertices, or NULL */
    const struct se_links *links;       /* then, what the graph has of them */
};
extern const struct se_ops se_cpu_ops;

struct se_gpu;
struct se_net;
struct se_layer;

/* What a row of the output of a layer depends on, in evaluation: anything; the same row of what it
 * reads; rows of its input that the arcs name, and the same row of what it taps.  Only the last two
 * can be evaluated in pieces, see batch_eval.c. */
enum se_reach { SE_REACH_ALL, SE_REACH_ROW, SE_REACH_ARCS };

struct se_layer_ops {
    const char *name;
    bool host;                  /* only the CPU can do it */
    /* Compute x->out from `in`. */
    void (*forward)(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                    bool train);
    /* From the gradient of the output to that of the parameters, and of the input into `din`
     * unless it is NULL. */
    void (*backward)(struct se_net *net, struct se_layer *x, const struct se_mat *in,
                     const se_real *dout, se_real *din);
    enum se_reach reach;
    bool alone;                 /* only a process that has all vertices can do it */
};

enum { SE_MOST_TAPS = 32 };

struct se_layer {
    const struct se_layer_ops *ops;
    int from;                   /* the layer whose output comes in, -1: the input of the net */
    int tap[SE_MOST_TAPS], taps;        /* earlier layers whose outputs it reads besides */
    bool tapped, needs;         /* others than the next read it; it wants its gradient */
    se_real *dtap;              /* tapped: the sum of the gradients that they give */
    uint64_t in, cols;          /* columns that come in and go out */
    int level;                  /* of a tree, above the vertices: what its rows are */
    uint64_t rows;
    struct se_mat out;
    bool sparse, gives_sparse, learns;  /* what comes in, goes out may be sparse; it has
                                           parameters */
    se_real *buffer;            /* memory of out */
    se_real *work[4];           /* whatever the layer keeps */
    uint8_t *keep;              /* mask of dropout */
    uint32_t masked;            /* dropout of the input: the epoch whose mask it holds */
    uint64_t out_room, room[4], keep_room;      /* numbers that each must hold, 0: none */
    uint64_t weight, weight2, weight3, bias, attend;    /* where its parameters start */
    int number;                 /* names its random numbers */
    enum se_activation act;
    double dropout, alpha, beta;
    int hops, heads;
    bool plain, variant, second;        /* no bias; the other form; over the graph beside */
    bool mean;                  /* gat: heads are averaged, not joined */
};

enum { SE_MOST_LAYERS = 512, SE_MOST_PARAMETERS = 512, SE_PARTIALS = 16 };

enum se_init { SE_INIT_ZERO, SE_INIT_UNIFORM, SE_INIT_NORMAL, SE_INIT_ONE };

struct se_parameter {           /* a named array among all parameters */
    char name[48];
    uint64_t start, rows, cols;
    enum se_init init;
    double spread;              /* half width, or standard deviation */
    bool sparse;                /* what it is multiplied with may be */
    bool decays, dense;         /* weight decay applies to it; its layer reads no other vertex */
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

/* Which parameters have weight decay */
enum se_decay { SE_DECAY_ALL, SE_DECAY_WEIGHTS, SE_DECAY_FIRST };

struct se_net {
    const struct se_ops *ops;   /* who computes, and has its memory: se_net_on() */
    struct se_worker *worker, cpu;
    struct se_placed placed;
    const struct se_nngraph *graph;     /* what layers see: whole, or what is left of it */
    const struct se_nngraph *beside;    /* a second graph, for layers that want it, or NULL */
    const struct se_netlevels *levels;     /* of a tree, for layers that want them, or NULL */
    int level;                  /* while layers are appended: that of the next ones */
    const float *position;      /* n x 2, for layers that want it, or NULL: all at one place */
    struct se_divided divided;  /* of graph and beside, if se_net_divide() made it */
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
    uint64_t widest, steps, partial_room;       /* room: of one part of a sum */
    bool sparse;                /* what the next layer reads may be sparse */
    bool branched;              /* the next layer reads `branch`, see se_net_from() */
    int branch;
    enum se_decay decay_on;
    const double *dense_decay;  /* of layers that read no other vertex; NULL: as of the others */
    se_real *scratch;           /* memory that layers share while they run */
    uint64_t scratch_room;
    bool blas;                  /* there are products that want OpenBLAS */
    struct se_step *step;       /* while backward shall take the step where it can, else NULL */
    bool halves;                /* products with a sparse input are sums of two halves; ready()
                                   decides, unless it was set before */
    se_real *second[2];         /* then, room for the second, of two products at once */
    bool host_loss;             /* a loss that only the CPU knows is added */
    bool sided;                 /* layers behind the logits give what an extra loss wants */
    int top;                    /* then, the layer of the logits */
    se_real *dside;             /* then, the gradient of the last layer's output */
    bool weighs_arcs;           /* set before layers are appended: gradients by edges are wanted */
    bool sees_norm, sees_other; /* layers multiply with graph->norm; with other shares or graphs */
    se_real *dnorm;             /* weighs_arcs: the gradient of graph->norm, per arc */
    bool apart;                 /* set before layers are appended: for evaluation in pieces, what
                                   sums over arcs is a layer of its own */
    bool looks_ahead;           /* evaluation makes products of the next epoch, too */
    int current;                /* layers whose output is that of evaluation, now */
    struct se_peers *peers;     /* other processes, see peers.h, or NULL; set before layers are
                                   appended */
    uint64_t first;             /* then, the first of our vertices */
    se_real *near;              /* then, our rows and those of others, for a sum over arcs */
    uint64_t *empty;            /* then, for a step without entries */
};

/* What a model may want to know. */
struct se_model_options {
    uint64_t hidden, layers, classes, heads, out_heads, hops;
    double dropout, input_dropout, attention_dropout, edge_dropout, alpha, lambda;
    double vertex_dropout;      /* share of the vertices whose rows training leaves out */
    bool variant, residual, jump;
    int norm;                   /* enum se_norm_kind, of hidden layers */
};

enum se_norm_kind { SE_NO_NORM, SE_LAYER_NORM, SE_BATCH_NORM };
/* A self-loop at every vertex: of weight 1; as the graph has them; none */
enum se_loops { SE_LOOPS_ONE, SE_LOOPS_GIVEN, SE_LOOPS_NONE };

struct se_model_kind {
    const char *name;
    double input_dropout;       /* defaults: this, hidden and edge_dropout */
    uint64_t hidden;
    /* Append the layers. */
    int (*build)(struct se_net *net, const struct se_model_options *h, struct se_err *err);
    double edge_dropout;
    bool beside;                /* it can use a second graph */
    /* Unless it is given, the second graph is that of the pairs at distance two, or the first
     * without loops. */
    bool two_hops, without_loops;
    bool tree;                  /* it needs one */
    bool positions;             /* it needs one, of a stream with an embedding in the plane */
    enum se_loops loops;        /* defaults; 0 layers: 2, 0 hops: 10 */
    uint64_t layers, hops;
    double vertex_dropout, consistency; /* defaults, as are samples; 0 samples: 1 */
    uint64_t samples;
    /* For --list; cost: of an epoch with the defaults, in those of gcn, on Cora */
    double cost;
    const char *settings, *source, *use;
};
/* All models, NULL-ended: one for each common/train/models/NAME.c */
extern const struct se_model_kind *const se_model_kinds[];
/* For a terminal two short lines for each, the cheapest first; else a line of five fields, by name */
struct se_out;
void se_model_list(struct se_out *out, bool terminal);
/* By its name; NULL with an error that lists all.  asked: the name is an argument of the user, not
 * that of a stored model. */
const struct se_model_kind *se_model_find(const char *name, bool asked, struct se_err *err);

/* Graph and features as training wants them.  Release in any case. */
int se_nngraph_make(struct se_nngraph *x, const struct se_graph *g, bool weights,
                    enum se_loops loops, struct se_err *err);
/* The pairs at distance exactly two, each of weight 1 */
int se_nngraph_two_hops(struct se_nngraph *x, const struct se_nngraph *from, enum se_loops loops,
                        struct se_err *err);
void se_nngraph_release(struct se_nngraph *x);
/* For qsort() of uint32_t, ascending */
int se_by_id(const void *a, const void *b);
/* Room for n vertices and so many arcs; and once off, to and weight are there: the rest.  `next`: n
 * numbers to work with. */
int se_nngraph_room(struct se_nngraph *x, uint64_t n, uint64_t arcs, struct se_err *err);
void se_nngraph_finish(struct se_nngraph *x, uint64_t *next, int threads);
/* Shares and roots anew, after weights of arcs were changed */
void se_nngraph_weigh(struct se_nngraph *x, int threads);
/* From the gradient of norm, per arc, to that of the weights: of an edge, that is of both its arcs
 * at once, at each of them; of a loop its own.  Degrees are differentiated, too.  `sum`: n numbers
 * to work with. */
void se_nngraph_back(const struct se_nngraph *x, const se_real *dnorm, int threads, double *sum,
                     se_real *dweight);
/* What is left of a graph in this epoch: an edge goes or stays with both its arcs, as the mask says
 * of the arc to the higher end; loops stay, degrees count what is left. */
void se_thin(const struct se_net *net, struct se_thinned *t, int part);
/* The columns of a matrix whose size and rows (off, col, value) are there.  Release it in any case. */
int se_sparse_index(struct se_sparse *x, struct se_err *err);
int se_sparse_make(struct se_sparse *x, const struct se_features *f, bool scale_rows,
                   struct se_err *err);
void se_sparse_release(struct se_sparse *x);
/* The two halves of the columns, by where columns begin in all rows: toff, or that of all processes */
void se_sparse_divide(struct se_sparse *x, const uint64_t *toff);

/* Layers for models to append.  0, or -1 with `err`. */
int se_net_dropout(struct se_net *net, double p, struct se_err *err);
int se_net_activate(struct se_net *net, enum se_activation act, double dropout,
                    struct se_err *err);
int se_net_linear(struct se_net *net, uint64_t cols, struct se_err *err);
/* The next layer reads the output of layer i, or with -1 the input; otherwise the last layer's. */
void se_net_from(struct se_net *net, int i);
/* The layers so far are the model: its output is the logits.  Layers that follow give, as their
 * last output, what a loss over all vertices wants; its gradient goes into net->dside. */
void se_net_aside(struct se_net *net);
/* The layer of the logits */
int se_net_top(const struct se_net *net);
/* Columns of what the next layer reads */
uint64_t se_net_cols(const struct se_net *net);
/* A linear layer without bias */
int se_net_product(struct se_net *net, uint64_t cols, struct se_err *err);
/* The sum of the outputs of these layers */
int se_net_sum(struct se_net *net, const int *of, int count, struct se_err *err);
/* [H_0, H_1, ...] W, of the outputs of these layers, with a bias unless `plain` */
int se_net_joint(struct se_net *net, const int *of, int count, uint64_t cols, bool plain,
                 struct se_err *err);
/* D^-1/2 A D^-1/2 X, over the graph or the one beside it; the same plus a bias */
int se_net_hop(struct se_net *net, bool beside, struct se_err *err);
int se_net_hop_bias(struct se_net *net, bool beside, struct se_err *err);
/* Divide the arcs by net->position; then layers whose input has SE_PARTS blocks of columns sum each
 * block over the arcs of its part, and join the sums or take their mean. */
int se_net_divide(struct se_net *net, struct se_err *err);
void se_net_undivide(struct se_net *net);
int se_net_parts(struct se_net *net, bool mean, struct se_err *err);
/* A W, each row of A scaled to add up to 1, without loops; what comes in does not matter */
int se_net_adjacency(struct se_net *net, uint64_t cols, struct se_err *err);
/* GCNII: with R = (1 - a) P H + a H_0: relu(t R W + (1 - t) R), then dropout; `start`: the layer
 * H_0.  variant: the weight is of [P H, H_0]. */
int se_net_gcnii(struct se_net *net, int start, double alpha, double t, bool variant,
                 double dropout, struct se_err *err);
/* Low-pass, high-pass and identity channels, mixed for each vertex */
int se_net_acmconv(struct se_net *net, uint64_t cols, struct se_err *err);
/* The next layers have the modules of a level of the tree for rows, 0: the vertices; the last ones
 * those.  pool: one level up, the sum of the members of each module; unpool: one down, a copy of
 * its module for each member. */
void se_net_level(struct se_net *net, int level);
int se_net_pool(struct se_net *net, struct se_err *err);
int se_net_unpool(struct se_net *net, struct se_err *err);
/* softmax of each row */
int se_net_softmax(struct se_net *net, struct se_err *err);
/* The sum of the outputs of these layers, each times a learned share; shares add up to 1 */
int se_net_shares(struct se_net *net, const int *of, int count, struct se_err *err);
/* The mean of 0 to `hops` hops, before which training leaves out the share q of the rows; with a
 * bias behind it unless `plain`.  Sparse rows become dense. */
int se_net_spread(struct se_net *net, uint64_t hops, double q, bool plain, struct se_err *err);
/* Rows of each of these to length 1, times a learned share, joined */
int se_net_gate(struct se_net *net, const int *of, int count, struct se_err *err);
/* Layer norm over the columns of a vertex, batch norm over the vertices of a column, with gain and
 * shift; nothing for SE_NO_NORM */
int se_net_norm(struct se_net *net, enum se_norm_kind kind, struct se_err *err);
/* Dropout of the input, then h->layers times what `conv` appends, the last time for the classes.
 * After the others come, as the options say, a residual connection, a norm, and the activation with
 * dropout.  With a jump the last is a linear layer on all hidden ones joined. */
typedef int se_net_conv(struct se_net *net, const struct se_model_options *h, bool last,
                        struct se_err *err);
int se_net_stack(struct se_net *net, const struct se_model_options *h, se_net_conv *conv,
                 enum se_activation act, struct se_err *err);
int se_net_graphconv(struct se_net *net, uint64_t cols, struct se_err *err);
int se_net_sageconv(struct se_net *net, uint64_t cols, struct se_err *err);
int se_net_mixconv(struct se_net *net, uint64_t cols, struct se_err *err);
int se_net_gatconv(struct se_net *net, uint64_t cols, uint64_t heads, bool mean,
                   double attention_dropout, struct se_err *err);
int se_net_propagate(struct se_net *net, double alpha, int hops, double edge_dropout,
                     struct se_err *err);

/* The same with net->apart: parameters in the same places, layers that evaluate only */
int se_net_graphconv_apart(struct se_net *net, uint64_t cols, struct se_err *err);
int se_net_sageconv_apart(struct se_net *net, uint64_t cols, struct se_err *err);
int se_net_propagate_apart(struct se_net *net, double alpha, int hops, struct se_err *err);

/* Compute on this device, or with NULL on the CPU; the net must stay where it is from now on. */
void se_net_on(struct se_net *net, const struct se_gpu *gpu);
/* After the layers were appended: make memory and initial parameters; on the CPU unless
 * se_net_on() said otherwise.  With a device, graph and input are copied there first, and a layer
 * that only the CPU knows fails (SE_EDEVICE). */
int se_net_ready(struct se_net *net, struct se_err *err);
/* Give back what layers computed: it can no longer run, but its parameters are there. */
void se_net_forget(struct se_net *net);
void se_net_release(struct se_net *net);

/* About how many multiply-adds so many epochs take: a pass forward, twice as much back, and an
 * evaluation; 0 epochs: one evaluation */
double se_net_work(const struct se_net *net, uint64_t epochs);

/* Evaluation and the next epoch of training have the same parameters.  After this call the one
 * makes the other's products with a sparse input, too, while it has the parameters at hand. */
int se_net_look_ahead(struct se_net *net, struct se_err *err);

/* The logits, n rows of classes.  In training with dropout, by (seed, epoch). */
const se_real *se_net_forward(struct se_net *net, bool train);
/* From the gradient of the logits, n rows, to net->grad. */
void se_net_backward(struct se_net *net, const se_real *dlogits);
/* Adam as PyTorch has it, the decay in the gradient. */
void se_net_adam(struct se_net *net, double rate, double decay);
/* The same with the decay of each group, from net->grad */
void se_net_step(struct se_net *net, double rate, double decay);
/* Both in one, and faster: what is multiplied with a sparse input takes its step while the
 * gradient is made.  net->grad is of no use afterwards. */
void se_net_learn(struct se_net *net, const se_real *dlogits, double rate, double decay);
/* The input of the last layer that has parameters, after evaluation: what `hidden` means.
 * NULL if that is the sparse input. */
const struct se_mat *se_net_hidden(const struct se_net *net);

/* Mean cross-entropy over the vertices `id`; its gradient into dlogits (n rows, cleared). */
double se_net_loss(const se_real *logits, uint64_t n, uint64_t classes, const uint32_t *id,
                   uint64_t count, const int32_t *label, se_real *dlogits);

/* The column of the largest number of a row, the first of equals */
uint64_t se_largest(const se_real *row, uint64_t classes);
/* The sum of exp(x - most) over a row, and most, its largest entry */
double se_softmax_sum(const se_real *row, uint64_t classes, double *most);

/* The loss where the net computes; `t` is in its memory. */
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
/* It reads the output of layer i, too; its k-th such output, and where the gradient of that goes,
 * to be added to, or NULL. */
void se_net_tap(struct se_net *net, struct se_layer *x, int i);
const struct se_mat *se_tap(const struct se_net *net, const struct se_layer *x, int k);
se_real *se_tap_grad(const struct se_net *net, const struct se_layer *x, int k);
/* A layer computed y = scale * norm x over the graph; dy: the gradient of y.  Adds to net->dnorm if
 * that is wanted.  Called by every layer that uses norm, in its backward pass. */
void se_arc_gradient(struct se_net *net, const se_real *dy, const se_real *x, uint64_t cols,
                     double scale);
/* A layer needs so many numbers of net->scratch while it runs. */
void se_net_scratch(struct se_net *net, uint64_t count);
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
/* The same over the arcs of net->graph, of rows that every process has, one for each vertex of all */
void se_gather_known(const struct se_net *net, const struct se_gather *g, uint64_t count);
/* The same for the rows of the sparse input: g[0] or, if both, g[0] and g[1], which differ only in
 * value and y; both only where products are made ahead. */
void se_gather_sparse(const struct se_net *net, const struct se_gather *g, bool both);
/* Sums of x over the arcs of each vertex, for se_gather(); `back`: each arc with the value of
 * the arc that goes the other way. */
struct se_gather se_arcs(const struct se_nngraph *graph, const se_real *value, bool back,
                         const se_real *x, uint64_t cols, se_real *y);
/* The sums of the columns of dy, n rows */
void se_sum_columns(const struct se_net *net, const se_real *dy, uint64_t cols, se_real *sum);
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
/* The same for `count` elements from `first` on */
void se_mask_from(const struct se_net *net, int layer, int part, double p, uint64_t first,
                  uint64_t count, uint8_t *keep);
/* Values of our arcs, `heads` each, are known: fetch those of the ghosts behind them. */
void se_arcs_known(const struct se_net *net, se_real *value, uint64_t heads);
/* How many values that takes, for one head */
uint64_t se_arcs_room(const struct se_nngraph *g);
/* Our vertices and those of others that their arcs lead to */
uint64_t se_rows_room(const struct se_net *net);
/* y += scale * x */
void se_add(const struct se_net *net, const se_real *x, double scale, uint64_t count, se_real *y);
/* y = x / (1 - p) where keep is 1, else 0 */
void se_mask_apply(const struct se_net *net, const se_real *x, const uint8_t *keep, double p,
                   uint64_t count, se_real *y);


/* ---- for the CPU's table ---- */

/* Sums over n vertices: `part` gives those of a range of them, `count` numbers, and the parts are
 * added in order.  `cost` as for se_ranges(). */
typedef void se_partial_fn(void *arg, uint64_t from, uint64_t to, se_real *sum);
void se_sum_parts(struct se_worker *w, uint64_t n, uint64_t count, uint64_t cost,
                  se_partial_fn *part, void *arg, se_real *sum);
void se_cpu_product(struct se_worker *w, const struct se_product *p);
void se_cpu_columns(struct se_worker *w, const struct se_column_sums *s);
void se_cpu_gather(struct se_worker *w, const struct se_gather *g, uint64_t count);
void se_cpu_transposed(struct se_worker *w, const struct se_columns *c);
uint64_t se_cpu_thin(struct se_worker *w, const struct se_thinning *t);
void se_cpu_shares(struct se_worker *w, const se_real *s, uint64_t count, se_real *g);
void se_cpu_shares_back(struct se_worker *w, const se_real *g, uint64_t count, se_real *d);
void se_cpu_dot(struct se_worker *w, const se_real *x, const se_real *y, uint64_t rows,
                uint64_t cols, se_real *sum);
void se_cpu_scale(struct se_worker *w, const struct se_scaling *s);
void se_cpu_scale_rows(struct se_worker *w, const struct se_row_scaling *s);
void se_cpu_unpack(struct se_worker *w, const struct se_unpacking *u);
void se_cpu_mix(struct se_worker *w, const struct se_mixing *m);
void se_cpu_mix_back(struct se_worker *w, const struct se_mixing *m);
void se_cpu_norm(struct se_worker *w, const struct se_norming *m);
void se_cpu_norm_back(struct se_worker *w, const struct se_norming *m);
void se_cpu_gate(struct se_worker *w, const struct se_gating *g);
void se_cpu_gate_back(struct se_worker *w, const struct se_gating *g);
void se_cpu_attend(struct se_worker *w, const struct se_attention *a);
void se_cpu_heads_mean(struct se_worker *w, const struct se_attention *a, const se_real *x,
                       const se_real *bias, se_real *out);
void se_cpu_attend_back(struct se_worker *w, const struct se_attention *a);
void se_cpu_attend_back_z(struct se_worker *w, const struct se_attention *a);

#endif
