/* input.c - what a model reads */
#include "common/train/input.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/stream/payload.h"
#include "common/train/community.h"
#include "common/train/peers.h"

void se_nninput_release(struct se_nninput *x)
{
    se_sparse_release(&x->sparse);
    free(x->dense);
    x->dense = NULL;
}

/* Where the columns come from, in their order; what is absent has none */
struct se_row_source {
    uint64_t n, first, last;    /* vertices; those whose rows are made at once */
    struct se_features f;
    struct se_embedding e;
    struct se_communities c;
    const struct se_nngraph *g, *degrees;
    uint64_t graph_first;       /* the vertex that these call 0 */
    bool scale_rows, unit_rows, identity, sparse;
    double *mean, *scale;       /* per column of the features, or NULL */
};

static uint64_t base_cols(const struct se_row_source *o)
{
    return o->identity ? o->n : o->f.d;
}

static uint64_t all_cols(const struct se_row_source *o)
{
    return base_cols(o) + o->e.d + o->c.levels * o->c.dims + (o->g ? o->n : 0) +
           (o->degrees ? SE_DEGREES : 0);
}

/* Entries of a matrix, row by row */
struct entries {
    uint32_t *col;
    se_real *value;
    uint64_t count;
};

static void add_entry(struct entries *to, uint64_t col, double value)
{
    to->col[to->count] = (uint32_t)col;
    to->value[to->count++] = (se_real)value;
}

static double feature(const struct se_features *f, uint64_t i)
{
    return f->dense ? (double)f->dense[i] : f->value ? (double)f->value[i] : 1;
}

/* All columns of a vertex: a stored zero is no zero any more */
static void add_standardised(const struct se_row_source *o, uint64_t v, struct entries *to)
{
    const struct se_features *f = &o->f;
    uint64_t e = f->dense ? v * f->d : f->off[v];

    for (uint64_t c = 0; c < f->d; c++) {
        const bool here = f->dense || (e < f->off[v + 1] && f->col[e] == c);

        add_entry(to, c, ((here ? feature(f, e) : 0) - o->mean[c]) * o->scale[c]);
        e += here;
    }
}

/* Mean and one over the deviation of each column; a column without variance becomes 0. */
static int make_standard(struct se_row_source *o, struct se_err *err)
{
    const struct se_features *f = &o->f;
    const uint64_t count = f->dense ? f->n * f->d : f->nnz;

    o->mean = se_zalloc(f->d, sizeof *o->mean, err);
    o->scale = o->mean ? se_zalloc(f->d, sizeof *o->scale, err) : NULL;
    if (!o->scale)
        return -1;
    for (uint64_t i = 0; i < count; i++)
        o->mean[f->dense ? i % f->d : f->col[i]] += feature(f, i) / (double)f->n;
    for (uint64_t i = 0; i < count; i++) {          /* zeros that are not stored: below */
        const uint64_t c = f->dense ? i % f->d : f->col[i];
        const double off = feature(f, i) - o->mean[c];

        o->scale[c] += off * off - (f->dense ? 0 : o->mean[c] * o->mean[c]);
    }
    for (uint64_t c = 0; c < f->d; c++) {
        const double variance = o->scale[c] / (double)f->n +
                                (f->dense ? 0 : o->mean[c] * o->mean[c]);

        o->scale[c] = variance > 1e-12 ? 1 / sqrt(variance) : 0;
    }
    return 0;
}

static void add_features(const struct se_row_source *o, uint64_t v, struct entries *to)
{
    const struct se_features *f = &o->f;
    const uint64_t begin = f->dense ? v * f->d : f->off[v];
    const uint64_t end = f->dense ? begin + f->d : f->off[v + 1];
    const float *value = f->dense ? f->dense : f->value;
    double sum = 0;

    for (uint64_t i = begin; (o->scale_rows || o->unit_rows) && i < end; i++) {
        const double x = value ? fabs((double)value[i]) : 1;

        sum += o->unit_rows ? x * x : x;
    }
    sum = o->unit_rows ? sqrt(sum) : sum;
    if (o->mean) {
        add_standardised(o, v, to);
        return;
    }
    for (uint64_t i = begin; i < end; i++)
        add_entry(to, f->dense ? i - begin : f->col[i],
                  (value ? (double)value[i] : 1) / (sum > 0 ? sum : 1));
}

/* Column i: is the degree 2^(i/2) or more?  A step is then a matter of one weight. */
static void add_degree(const struct se_row_source *o, uint64_t v, struct entries *to)
{
    const uint64_t base = all_cols(o) - SE_DEGREES, row = v - o->graph_first;
    uint64_t degree = 0, ones = 0;

    for (uint64_t a = o->degrees->off[row]; a < o->degrees->off[row + 1]; a++)
        degree += o->degrees->to[a] != row;
    while (ones < SE_DEGREES && (double)degree * (double)degree >= ldexp(1, (int)ones))
        ones++;
    for (uint64_t i = 0; i < ones; i++)
        add_entry(to, base + i, o->scale_rows ? 1 / (double)ones : 1);
}

static void add_neighbours(const struct se_row_source *o, uint64_t v, struct entries *to)
{
    const uint64_t row = v - o->graph_first;
    const uint64_t first = o->g->off[row], last = o->g->off[row + 1];
    const uint64_t base = all_cols(o) - (o->degrees ? SE_DEGREES : 0) - o->n;

    for (uint64_t a = first; a < last; a++) {
        const uint64_t u = o->g->to[a], own = o->g->n;
        const uint64_t id = u < own ? u + o->graph_first : o->g->links->id[u - own];

        if (u != row)                           /* each has a loop */
            add_entry(to, base + id, o->scale_rows ? 1 / (double)(last - first - 1) : 1);
    }
}

static void add_row(const struct se_row_source *o, uint64_t v, struct entries *to)
{
    const struct se_communities *c = &o->c;
    const uint64_t base = base_cols(o);

    if (o->identity)
        add_entry(to, v, 1);
    else if (o->f.d)
        add_features(o, v, to);
    for (uint64_t j = 0; j < o->e.d; j++)
        add_entry(to, base + j, (double)o->e.row[v * o->e.d + j]);
    for (uint64_t l = 0; l < c->levels; l++)
        if (c->col[v * c->levels + l] != SE_NONE)
            add_entry(to, base + o->e.d + l * c->dims + c->col[v * c->levels + l],
                      o->scale_rows ? 1 / (double)c->levels : 1);
    if (o->g)
        add_neighbours(o, v, to);
    if (o->degrees)
        add_degree(o, v, to);
}

/* The rows that a section has as they are wanted: an embedding alone, or dense features alone that
 * stay as they are.  NULL: they must be made. */
static const float *rows_as_they_are(const struct se_row_source *o)
{
    const bool more = o->identity || o->g || o->degrees || o->c.levels > 0;

    if (more || sizeof(se_real) != sizeof(float) || (o->e.d > 0) == (o->f.d > 0))
        return NULL;
    return o->e.d ? o->e.row : o->scale_rows || o->unit_rows || o->mean ? NULL : o->f.dense;
}

static int make_dense(struct se_nninput *x, const struct se_row_source *o, struct se_err *err)
{
    const float *rows = rows_as_they_are(o);
    const uint64_t d = all_cols(o);
    struct entries row = { NULL, NULL, 0 };

    if (rows) {                 /* the input of a net is read, never written */
        x->mat = (struct se_mat){ .rows = o->last - o->first, .cols = d,
                                  .dense = (se_real *)(uintptr_t)(rows + o->first * d) };
        return 0;
    }
    row.col = se_alloc(d, sizeof *row.col, err);
    row.value = row.col ? se_alloc(d, sizeof *row.value, err) : NULL;
    x->dense = row.value ? se_zalloc((o->last - o->first) * d, sizeof *x->dense, err) : NULL;
    for (uint64_t v = o->first; x->dense && v < o->last; v++) {
        row.count = 0;
        add_row(o, v, &row);
        for (uint64_t i = 0; i < row.count; i++)
            x->dense[(v - o->first) * d + row.col[i]] = row.value[i];
    }
    x->mat = (struct se_mat){ .rows = o->last - o->first, .cols = d, .dense = x->dense };
    free(row.col);
    free(row.value);
    return x->dense ? 0 : -1;
}

static int make_sparse(struct se_nninput *x, const struct se_row_source *o, struct se_err *err)
{
    const uint64_t n = o->last - o->first;
    const uint64_t most = (o->identity ? n : o->f.dense || o->mean ? n * o->f.d
                           : o->f.d ? o->f.off[o->last] - o->f.off[o->first] : 0) +
                          n * (o->e.d + o->c.levels + (o->degrees ? SE_DEGREES : 0)) +
                          (o->g ? o->g->arcs : 0);
    struct se_sparse *m = &x->sparse;
    struct entries all = { se_alloc(most, sizeof *all.col, err), NULL, 0 };

    memset(m, 0, sizeof *m);
    m->col = all.col;
    m->value = all.value = all.col ? se_alloc(most, sizeof *all.value, err) : NULL;
    m->off = all.value ? se_zalloc(n + 1, sizeof *m->off, err) : NULL;
    if (!m->off)
        return -1;
    for (uint64_t v = o->first; v < o->last; v++) {
        add_row(o, v, &all);
        m->off[v - o->first + 1] = all.count;
    }
    m->rows = n;
    m->cols = all_cols(o);
    m->nnz = all.count;
    x->mat = (struct se_mat){ .rows = n, .cols = m->cols, .sparse = m, .value = m->value };
    return se_sparse_index(m, err);
}

static int read_features(struct se_row_source *o, struct se_stream *s,
                         const struct se_input_options *plan, struct se_err *err)
{
    if (plan->features)
        o->f = *plan->features;
    else if (se_stream_has(s, SE_FEATURES) &&
        (se_features_get(&o->f, s, err) < 0 ||
         se_payload_fits(o->f.n, o->n, SE_FEATURES, "graph", err) < 0))
        return -1;
    o->identity = o->f.d == 0 && plan->kind == SE_INPUT_FEATURES && !plan->degrees;
    return 0;
}

static int read_communities(struct se_row_source *o, struct se_stream *s, uint64_t dims,
                            struct se_err *err)
{
    struct se_tree t;

    return se_tree_get(&t, s, err) < 0 || se_payload_fits(t.n, o->n, SE_TREE, "graph", err) < 0
         ? -1 : se_communities_make(&o->c, &t, dims, err);
}

static int read_source(struct se_row_source *o, struct se_stream *s, const struct se_input_options *plan,
                       struct se_err *err)
{
    if (plan->kind != SE_INPUT_FEATURES &&
        (se_embedding_get(&o->e, s, err) < 0 ||
         se_payload_fits(o->e.n, o->n, SE_EMBEDDING, "graph", err) < 0))
        return -1;
    if (plan->kind != SE_INPUT_EMBEDDING && read_features(o, s, plan, err) < 0)
        return -1;
    if (plan->communities && read_communities(o, s, plan->communities, err) < 0)
        return -1;
    if (all_cols(o) > UINT32_MAX)
        return se_fail(err, SE_EINPUT, "%" PRIu64 " columns are too many to train on (2^32)",
                       all_cols(o));
    return 0;
}

/* Sparse features and the identity stay sparse, whatever comes behind them; neighbours are. */
static int open_source(struct se_row_source *o, struct se_stream *s,
                       const struct se_input_options *plan, uint64_t n, struct se_err *err)
{
    const struct se_peers *p = plan->peers;

    *o = (struct se_row_source){ .n = n, .first = p ? p->first : 0, .last = p ? p->last : n,
                                 .g = plan->neighbours, .degrees = plan->degrees,
                                 .graph_first = p ? p->first : 0, .scale_rows = plan->scale_rows, .unit_rows = plan->unit_rows };
    if (read_source(o, s, plan, err) < 0 ||
        (plan->standardise && o->f.d && make_standard(o, err) < 0))
        return -1;
    o->sparse = o->identity || o->g || (o->f.d && !o->f.dense && !o->mean);
    return 0;
}

static void close_source(struct se_row_source *o)
{
    se_communities_release(&o->c);
    free(o->mean);
    free(o->scale);
}

int se_nninput_make(struct se_nninput *x, struct se_stream *s,
                    const struct se_input_options *plan, uint64_t n, struct se_err *err)
{
    struct se_row_source o;
    int rc = open_source(&o, s, plan, n, err);

    if (rc == 0)
        rc = o.sparse ? make_sparse(x, &o, err) : make_dense(x, &o, err);
    if (rc == 0 && plan->peers && x->mat.sparse)
        rc = se_sparse_part(&x->sparse, plan->peers, err);
    x->identity = o.identity;
    close_source(&o);
    return rc;
}

/* ---- some rows at a time ---- */

struct se_row_source *se_row_source_open(struct se_stream *s, const struct se_input_options *plan,
                                         uint64_t n, struct se_err *err)
{
    struct se_row_source *o = se_zalloc(1, sizeof *o, err);

    if (o && open_source(o, s, plan, n, err) < 0) {
        se_row_source_close(o);
        return NULL;
    }
    return o;
}

void se_row_source_close(struct se_row_source *o)
{
    if (o)
        close_source(o);
    free(o);
}

bool se_row_source_identity(const struct se_row_source *o)
{
    return o->identity;
}

/* Entries of a row of a sparse matrix, at most */
static uint64_t row_entries(const struct se_row_source *o, uint64_t v)
{
    const uint64_t own = o->identity ? 1 : o->f.d == 0 ? 0
                       : o->f.dense || o->mean ? o->f.d : o->f.off[v + 1] - o->f.off[v];

    return own + o->e.d + o->c.levels + (o->g ? o->g->off[v + 1] - o->g->off[v] : 0) +
           (o->degrees ? SE_DEGREES : 0);
}

static int descending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x < y) - (x > y);
}

int se_row_source_shape(const struct se_row_source *o, uint64_t count, struct se_mat *mat,
                        struct se_sparse *sparse, struct se_err *err)
{
    uint64_t *many;

    *mat = (struct se_mat){ .rows = count, .cols = all_cols(o) };
    if (!o->sparse)
        return 0;
    if (!(many = se_alloc(o->n, sizeof *many, err)))
        return -1;
    for (uint64_t v = 0; v < o->n; v++)
        many[v] = row_entries(o, v);
    if (count < o->n)
        qsort(many, o->n, sizeof *many, descending);
    *sparse = (struct se_sparse){ .rows = count, .cols = mat->cols };
    for (uint64_t i = 0; i < count; i++)
        sparse->nnz += many[i];
    mat->sparse = sparse;
    free(many);
    return 0;
}

struct row_work {
    const struct se_row_source *o;
    const uint32_t *id;
    uint64_t first, cols;
    se_real *dense;
    const uint64_t *off;
    struct entries all;
    uint64_t *used;
};

static void fill_dense(void *arg, uint64_t from, uint64_t to)
{
    const struct row_work *w = arg;
    enum { SOME = 4096 };
    uint32_t col[SOME];
    float value[SOME];

    for (uint64_t i = from; i < to; i++) {
        const uint64_t v = w->id ? w->id[i] : w->first + i;
        /* cppcheck-suppress legacyUninitvar ; add_row() fills them */
        struct entries row = { col, value, 0 };
        se_real *out = w->dense + i * w->cols;

        if (w->cols > SOME)                     /* in place, whatever the row has */
            row = (struct entries){ w->all.col + i * w->cols, w->all.value + i * w->cols, 0 };
        add_row(w->o, v, &row);
        memset(out, 0, w->cols * sizeof *out);
        for (uint64_t k = 0; k < row.count; k++)
            out[row.col[k]] = (se_real)row.value[k];
    }
}

static void fill_sparse(void *arg, uint64_t from, uint64_t to)
{
    const struct row_work *w = arg;

    for (uint64_t i = from; i < to; i++) {
        struct entries row = { w->all.col + w->off[i], w->all.value + w->off[i], 0 };

        add_row(w->o, w->id ? w->id[i] : w->first + i, &row);
        w->used[i] = row.count;
    }
}

static int dense_rows(const struct row_work *given, uint64_t count, int threads,
                      struct se_nninput *x, struct se_err *err)
{
    struct row_work w = *given;
    const bool wide = w.cols > 4096;
    int rc = -1;

    if (!x->dense && !(x->dense = se_alloc(count * w.cols, sizeof *x->dense, err)))
        return -1;
    w.dense = x->dense;
    if (!wide || ((w.all.col = se_alloc(count * w.cols, sizeof(uint32_t), err)) &&
                  (w.all.value = se_alloc(count * w.cols, sizeof(float), err)))) {
        se_ranges(threads, count, 4 * w.cols, fill_dense, &w);
        x->mat = (struct se_mat){ .rows = count, .cols = w.cols, .dense = x->dense };
        rc = 0;
    }
    free(w.all.col);
    free(w.all.value);
    return rc;
}

static int sparse_rows(const struct row_work *given, uint64_t count, int threads,
                       struct se_nninput *x, struct se_err *err)
{
    struct row_work w = *given;
    uint64_t *off = se_alloc(count + 1, sizeof *off, err), most = 0;
    int rc = -1;

    w.off = off;
    w.used = off ? se_zalloc(count, sizeof *w.used, err) : NULL;
    for (uint64_t i = 0; w.used && i < count; i++) {
        off[i] = most;
        most += row_entries(w.o, w.id ? w.id[i] : w.first + i);
    }
    if (w.used && (w.all.col = se_alloc(most, sizeof(uint32_t), err)) &&
        (w.all.value = se_alloc(most, sizeof(float), err))) {
        se_ranges(threads, count, 8 * (most / (count + 1) + 1), fill_sparse, &w);
        off[count] = 0;
        for (uint64_t i = 0, at = 0; i < count; i++) {          /* together: rows may be shorter */
            memmove(w.all.col + at, w.all.col + off[i], w.used[i] * sizeof *w.all.col);
            memmove(w.all.value + at, w.all.value + off[i], w.used[i] * sizeof *w.all.value);
            off[i] = at;
            off[count] = at += w.used[i];
        }
        const struct se_features f = { count, w.cols, off[count], NULL, off, w.all.col,
                                       w.all.value };

        se_sparse_release(&x->sparse);
        rc = se_sparse_make(&x->sparse, &f, false, err);
        x->mat = (struct se_mat){ .rows = count, .cols = w.cols, .sparse = &x->sparse,
                                  .value = x->sparse.value };
    }
    free(off);
    free(w.used);
    free(w.all.col);
    free(w.all.value);
    return rc;
}

int se_row_source_get(const struct se_row_source *o, const uint32_t *id, uint64_t first,
                      uint64_t count, int threads, struct se_nninput *x, struct se_err *err)
{
    const struct row_work w = { .o = o, .id = id, .first = first, .cols = all_cols(o) };

    return o->sparse ? sparse_rows(&w, count, threads, x, err)
                     : dense_rows(&w, count, threads, x, err);
}
