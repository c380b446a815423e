/* plugin.h - what the tools and the CUDA plugin know of each other
 *
 * The plugin is a shared library with one symbol, the table `se_cuda_plugin`.  common/device/device.c
 * loads it; nobody links to it.  C and C++; plain structs and pointers only.  Any change here
 * raises SE_CUDA_INTERFACE.
 *
 * A device computes in order: each call may return before its work is done, get() and what
 * comes back as a number wait for it.  The first failure is kept, calls after it do nothing,
 * failed() tells.  Pointers are to the memory of the device unless said. */
#ifndef SE_CUDA_H
#define SE_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef SE_REAL
#define SE_REAL float           /* the plugin's; the library's tests also compile for double */
#else
#define SE_TEST_REAL
#endif
typedef SE_REAL se_real;

enum { SE_CUDA_INTERFACE = 4 };

struct se_worker;               /* who computes: a device of the plugin's, or the CPU */

/* Sums of rows of x, chosen by index:
 *     y_i = scale * sum over entries e of i of value_e * x_(index_e) + base_scale * base_i + bias
 * With heads, value has one for each head, x and y have columns for each. */
struct se_gather {
    const uint64_t *off;        /* entries of row i: off[i] .. off[i + 1] - 1 */
    const uint32_t *index;      /* row of x per entry */
    const se_real *value;
    const uint32_t *entry;      /* whose value an entry takes, or NULL: its own */
    const se_real *x;
    uint64_t rows, stride;      /* of x: rows, numbers from one row to the next */
    uint64_t step;              /* of x: numbers from one head to the next */
    se_real *y;                 /* heads * width columns */
    uint64_t width, heads;      /* width: columns of a head */
    se_real scale, base_scale;
    const se_real *base, *bias; /* laid out as y; one row; NULL: none */
};

/* c = a b, or c += a b; each is stored by rows, a and b may be taken as transposed */
struct se_product {
    const se_real *a, *b;
    se_real *c;
    uint64_t m, n, k;           /* c is m x n, k is summed over */
    bool ta, tb, add;
    const se_real *bias;        /* a row to start c from instead, or NULL */
};

/* Sums over rows: sum_c = scale * sum over i of weight_(i, head of c) * x_(i, c) */
struct se_column_sums {
    const se_real *x;           /* rows x cols */
    const se_real *weight;      /* rows x heads, or NULL: 1 */
    uint64_t rows, cols, heads; /* head of c: c / (cols / heads) */
    se_real scale, *sum;
    const se_real *times;       /* instead of weight: rows x cols, or NULL */
};

/* keep_i for i < count: half i % 8 of Philox block counter[0] + i / 8 >= least */
struct se_masking {
    uint32_t counter[4], key[2], least;
    uint64_t count;
    uint8_t *keep;
};

enum se_activation { SE_IDENTITY, SE_RELU, SE_ELU };

/* out = act(in), or dout * act'(in); times keep * scale unless keep is NULL */
struct se_activating {
    enum se_activation act;
    const se_real *in, *dout;   /* dout: NULL in the forward pass */
    const uint8_t *keep;
    se_real *out, scale;
    uint64_t count;
};

/* Attention over the arcs of a graph: arc e of v, from u = to_e, has per head the score
 * leaky(el_u + er_v), el = z . left, er = z . right; share: softmax of the scores over the arcs
 * of v; kept: what is left of it after dropout. */
struct se_attention {
    uint64_t n, heads, width;   /* width: columns of a head */
    const uint64_t *off;
    const uint32_t *to, *back;
    const se_real *z;           /* n x heads x width */
    const se_real *left, *right;        /* heads x width */
    se_real *el, *er, *del, *der;       /* n x heads */
    se_real *share, *dscore;    /* arcs x heads */
    se_real *dz;                /* as z */
    const se_real *dout;        /* n x heads x width; of averaged heads n x width */
    const uint8_t *keep;        /* arcs x heads; NULL: all */
    se_real slope, scale;       /* slope of leaky below 0; what a kept share is times */
    bool mean;                  /* the heads are averaged, not joined */
};

/* y_i = scale * x_i, plus `shift` where i is a multiple of `every`: with cols + 1, the diagonal */
struct se_scaling {
    const se_real *x;
    se_real *y, scale, shift;
    uint64_t count, every;
};

/* y = scale * x, row by row; with keep, keep_i instead of scale */
struct se_row_scaling {
    const se_real *x;
    const uint8_t *keep;
    se_real *y, scale;
    uint64_t rows, cols;
};

/* A sparse matrix as a dense one */
struct se_unpacking {
    const uint64_t *off;
    const uint32_t *col;
    const se_real *value;
    se_real *y;
    uint64_t rows, cols;
};

/* Three channels mixed for each row: s_k = sigmoid(h_k . vector_k), a = softmax(s matrix / 3),
 * out = 3 sum_k a_k h_k.  The way back leaves the gradient of h_k before relu in h_k, and those of
 * vector and matrix, side by side, in dvector. */
enum { SE_CHANNELS = 3 };
struct se_mixing {
    uint64_t rows, cols;
    se_real *h[SE_CHANNELS];    /* rows x cols, results of relu */
    const se_real *vector;      /* SE_CHANNELS x cols */
    const se_real *matrix;      /* SE_CHANNELS x SE_CHANNELS */
    se_real *state;             /* 4 * SE_CHANNELS * rows numbers, kept for the way back: s, a by
                                   rows, then room for a device */
    se_real *out;
    const se_real *dout;
    se_real *dvector;
};

/* out = unit * gain + shift, unit = (in - mean) * scale, scale = 1 / sqrt(variance + 1e-5): over the
 * columns of each row or, with `batch`, over the rows of each column.  The way back: din. */
struct se_norming {
    uint64_t rows, cols;
    bool batch;
    const se_real *in, *gain, *shift, *dout;
    se_real *unit, *out, *din;  /* rows x cols */
    se_real *scale;             /* rows; batch: cols, and room for twice as many behind them */
};

/* One of `parts` blocks of `cols` columns: rows of h to length 1, times *gate.  The way back: dh,
 * added to if `add`, and *dgate. */
struct se_gating {
    uint64_t rows, cols, part, parts;
    const se_real *h, *gate, *dout;
    se_real *length;            /* rows: 1 / the length */
    se_real *out, *dh, *dgate;  /* dh: NULL if it is not wanted */
    bool add;
};

/* What is left of a graph after its edges were masked: an edge goes or stays with both its arcs,
 * as `keep` says of the arc to the higher end; loops stay.  left_*: arcs moved
 * together, their shares by the degrees that are left, see struct se_nngraph. */
struct se_thinning {
    uint64_t n;
    const uint64_t *off;
    const uint32_t *to, *back;
    const se_real *weight;
    const uint8_t *keep;        /* per arc */
    uint32_t *place;            /* per arc that stays: where it went */
    uint64_t *left_off;         /* n + 1, the first 0 */
    uint32_t *left_to, *left_back;
    se_real *left_weight, *left_norm, *left_mean, *left_apart;
    double *left_root;          /* n */
};

/* What training aims at */
struct se_targets {
    uint64_t n, classes, count; /* count: vertices trained on */
    const uint32_t *id;         /* those */
    const int32_t *label;       /* n; -1: unknown */
    const uint8_t *part;        /* n: 0 none, 1 train, 2 val, 3 test */
};

struct se_adam {
    se_real *value, *moment, *square;
    const se_real *grad;
    se_real rate, decay, root;  /* rate and root hold the corrections of this step */
    uint64_t count;
};

/* dw = X' dy for a sparse X: a sum of rows of dy for each of `count` columns of X, as `g` says.  The
 * rest is for the CPU: rows are taken block by block, so that a block stays in the cache while all
 * columns of a part read it; parts of the columns go to threads.  While the net takes a step, a row
 * of dw is used for it instead of being kept. */
struct se_sparse;
struct se_columns {
    struct se_gather g;
    uint64_t count;
    const struct se_sparse *x;
    const struct se_adam *step; /* of dw, or NULL */
    uint64_t block;             /* rows */
    bool halves;                /* the parts are the two halves of x */
    uint64_t parts;
};

/* The most similar of m rows for q of them.  Rows have length 1; the score of two is their
 * product, in float. */
struct se_cuda_search {
    uint64_t m, q, d, list;     /* list: how many of the best to deliver for each */
    const uint32_t *query;      /* host: places among the m of those asked for, ascending */
    /* Write rows `first` .. of the m, or of the queries, into host memory: count x d. */
    void (*fill)(void *arg, bool queries, uint64_t first, uint64_t count, float *out);
    /* Take the lists of queries first ..: count x list keys, in no order; all there are if
     * m - 1 < list.  A key is se_sim_key() of score and place. */
    void (*deliver)(void *arg, uint64_t first, uint64_t count, const uint64_t *key);
    void *arg;
    uint64_t rows, columns;     /* out: the tile that was used */
};

struct se_cuda_settings {
    bool tf32;                  /* products of training may round to TF32 */
};

/* What a worker can do: the CPU and the plugin fill the same table.  Each function has the worker
 * first; pointers are to its memory unless said. */
struct se_ops {
    bool host;                  /* its memory is ours: nothing is copied to it, gradients may take
                                   their step while they are made, products may be made ahead */
    const char *(*failed)(struct se_worker *w); /* why it failed; NULL: it did not */

    /* Memory.  alloc clears it; NULL: failed.  free: always works, NULL too. */
    void *(*alloc)(struct se_worker *w, uint64_t bytes);
    void (*free)(struct se_worker *w, void *p);
    void (*put)(struct se_worker *w, void *to, const void *host, uint64_t bytes);
    void (*get)(struct se_worker *w, void *host, const void *from, uint64_t bytes);
    void (*copy)(struct se_worker *w, void *to, const void *from, uint64_t bytes);
    void (*clear)(struct se_worker *w, void *p, uint64_t bytes);

    void (*product)(struct se_worker *w, const struct se_product *p);
    void (*gather)(struct se_worker *w, const struct se_gather *g, uint64_t count);
    void (*transposed)(struct se_worker *w, const struct se_columns *c);
    void (*columns)(struct se_worker *w, const struct se_column_sums *s);
    void (*mask)(struct se_worker *w, const struct se_masking *m);
    /* y = x * (keep * scale) */
    void (*mask_apply)(struct se_worker *w, const se_real *x, const uint8_t *keep,
                       se_real scale, uint64_t count, se_real *y);
    void (*activate)(struct se_worker *w, const struct se_activating *a);
    /* y += scale * x */
    void (*add)(struct se_worker *w, const se_real *x, se_real scale, uint64_t count,
                se_real *y);
    /* The same with a scale in the memory of the worker; *sum = x . y */
    void (*add_share)(struct se_worker *w, const se_real *x, const se_real *scale, uint64_t count,
                      se_real *y);
    void (*dot)(struct se_worker *w, const se_real *x, const se_real *y, uint64_t rows,
                uint64_t cols, se_real *sum);
    /* g = softmax(s), a few numbers; ds from dg, in its place */
    void (*shares)(struct se_worker *w, const se_real *s, uint64_t count, se_real *g);
    void (*shares_back)(struct se_worker *w, const se_real *g, uint64_t count, se_real *d);
    void (*scale)(struct se_worker *w, const struct se_scaling *s);
    void (*scale_rows)(struct se_worker *w, const struct se_row_scaling *s);
    void (*unpack)(struct se_worker *w, const struct se_unpacking *u);
    void (*mix)(struct se_worker *w, const struct se_mixing *m);
    void (*mix_back)(struct se_worker *w, const struct se_mixing *m);
    void (*norm)(struct se_worker *w, const struct se_norming *m);
    void (*norm_back)(struct se_worker *w, const struct se_norming *m);
    void (*gate)(struct se_worker *w, const struct se_gating *g);
    void (*gate_back)(struct se_worker *w, const struct se_gating *g);
    /* How many arcs are left */
    uint64_t (*thin)(struct se_worker *w, const struct se_thinning *t);
    /* el, er, share from z */
    void (*attend)(struct se_worker *w, const struct se_attention *a);
    /* out (n x width) = mean over the heads of x + bias */
    void (*heads_mean)(struct se_worker *w, const struct se_attention *a,
                       const se_real *x, const se_real *bias, se_real *out);
    /* dscore and der from dout; then del, and dz += del left + der right */
    void (*attend_back)(struct se_worker *w, const struct se_attention *a);
    void (*attend_back_z)(struct se_worker *w, const struct se_attention *a);
    /* Mean cross-entropy of id; its gradient into dlogits.  NaN after a failure. */
    double (*loss)(struct se_worker *w, const se_real *logits, const struct se_targets *t,
                   se_real *dlogits);
    /* Vertices per part with a label, and those whose largest logit is that of it */
    void (*accuracy)(struct se_worker *w, const se_real *logits,
                     const struct se_targets *t, uint64_t right[4], uint64_t all[4]);
    void (*adam)(struct se_worker *w, const struct se_adam *a);
};

struct se_cuda {
    uint32_t version, size;     /* SE_CUDA_INTERFACE; of this struct */
    const char *build;          /* "CUDA 13.0", or the name of the emulator */
    bool emulator;

    /* A device, or NULL with a reason of one line in `why`. */
    struct se_worker *(*open)(const struct se_cuda_settings *s, char *why, size_t room);
    void (*close)(struct se_worker *w);
    const char *(*name)(struct se_worker *w);
    struct se_ops ops;          /* training */
    /* Similarity.  0, or -1: failed. */
    int (*search)(struct se_worker *w, struct se_cuda_search *s);
};

#endif
