/* npz.c - the archives of gnn-benchmark: a graph, features and labels as numpy arrays
 *
 * adj_data, adj_indices, adj_indptr, adj_shape   the graph in compressed rows
 * attr_data, attr_indices, attr_indptr, attr_shape   the features
 * labels, class_names, node_names
 * and, as additions of ours: num_classes, splits (a row each), embedding, tree_parent,
 * tree_vertex, predictions, confidence, and what npzmore.c lists.  Archives of other arrays are
 * read by npznamed.c. */
#include "formats/npz.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/internal.h"
#include "formats/rows.h"
#include "formats/vertices.h"

struct npz {
    struct se_zip zip;
    struct se_stream *s;
    uint64_t n;
    const char *from;           /* the array that n was taken from; NULL: none yet */
};

/* An array speaks of `rows` vertices: as many as the ones before it? */
static int agree(struct npz *x, const char *name, uint64_t rows, struct se_err *err)
{
    if (!x->from) {
        if (rows >= SE_MAX_VERTICES)
            return se_fail(err, SE_EINPUT, "%s: too many vertices", name);
        x->from = name;
        x->n = rows;
    }
    return rows == x->n ? 0 : se_fail(err, SE_EINPUT, "%s is for %" PRIu64 " vertices, %s for %"
                                      PRIu64, name, rows, x->from, x->n);
}

int se_npz_add_entries(const struct se_csr *m, const char *prefix, const struct se_zip *z,
                       struct se_builder *b, struct se_err *err)
{
    const bool ours = se_zip_find(z, SE_NPZ_OURS) != NULL;
    uint64_t at = 0;
    char name[40];

    snprintf(name, sizeof name, "%sweighted.npy", prefix);
    b->weighted = se_zip_find(z, name) != NULL;
    for (uint64_t i = 0; i < m->data.count && !b->weighted; i++)
        b->weighted = se_npy_number(&m->data, i) != 1;
    for (uint64_t u = 0; u < m->rows; u++)
        for (const uint64_t end = se_csr_start(m, u + 1); at < end; at++) {
            const float weight = (float)se_npy_number(&m->data, at);

            if (weight == 0 && !ours)   /* to a matrix that is no edge */
                continue;
            if (!(weight >= 0) || !isfinite(weight))
                return se_fail(err, SE_EINPUT, "%sdata: weight of %" PRIu64 " - %" PRIu32 " is "
                               "negative or not a finite number", prefix, u,
                               se_csr_column(m, at));
            if (se_builder_add(b, (uint32_t)u, se_csr_column(m, at), weight, err) < 0)
                return -1;
        }
    return 0;
}

static int read_graph(struct npz *x, struct se_import *in, struct se_err *err)
{
    struct se_builder b = SE_BUILDER_INIT;
    struct se_csr m;
    const char *prefix = se_zip_find(&x->zip, "adj_data.npy") ? "adj_" : "adj_matrix.";
    int rc = se_csr_read(&m, &x->zip, prefix, err);

    if (rc <= 0)
        return rc;
    b.n = m.rows;
    if (!se_zip_find(&x->zip, "arcs_data.npy"))         /* which brings its own directions */
        se_import_start(in, &b, false);
    if (m.rows != m.columns)
        rc = se_fail(err, SE_EINPUT, "adj_shape: the matrix is not square");
    else
        rc = agree(x, "adj_shape", m.rows, err) < 0 ||
             se_npz_add_entries(&m, prefix, &x->zip, &b, err) < 0 ||
             se_import_graph(in, &b, SE_MERGE_MATRIX, x->s, err) < 0 ? -1 : 0;
    se_builder_release(&b);
    se_csr_release(&m);
    return rc;
}

static int read_features(struct npz *x, struct se_err *err)
{
    struct se_rows r = SE_ROWS_INIT;
    struct se_csr m;
    int rc = se_csr_read(&m, &x->zip, se_zip_find(&x->zip, "attr_data.npy") ? "attr_"
                         : "attr_matrix.", err);

    if (rc <= 0)
        return rc;
    rc = agree(x, "attr_shape", m.rows, err) < 0 || se_csr_add(&m, &r, err) < 0 ||
         se_rows_put(&r, m.rows, NULL, x->s, err) < 0 ? -1 : 0;
    se_rows_release(&r);
    se_csr_release(&m);
    return rc;
}

int32_t *se_npz_classes(const struct se_npy *a, const char *name, struct se_err *err)
{
    int32_t *label = se_alloc(a->count, sizeof *label, err);

    for (uint64_t v = 0; label && v < a->count; v++) {
        int64_t c;

        if (!se_npy_whole(a, v, &c) || c < -1 || c > INT32_MAX) {
            se_fail(err, SE_EINPUT, "%s: vertex %" PRIu64 " has no class from 0 on, nor -1", name,
                    v);
            free(label);
            return NULL;
        }
        label[v] = (int32_t)c;
    }
    return label;
}

/* Element i as text; ids may be numbers. */
static int add_text(const struct se_npy *a, uint64_t i, struct se_bytes *text,
                    struct se_err *err)
{
    char digits[24];
    int64_t v;

    if (!se_npy_whole(a, i, &v))
        return se_npy_text(a, i, text, err);
    snprintf(digits, sizeof digits, "%" PRId64, v);
    return se_bytes_add(text, digits, strlen(digits), err);
}

/* The names of classes, each with a NUL behind it.  1, 0 if they are not there, or -1. */
static int read_class_names(const struct npz *x, struct se_bytes *text, uint64_t *count,
                            struct se_err *err)
{
    struct se_npy a;
    int rc = se_npz_get(&x->zip, "class_names", &a, err);

    if (rc <= 0)
        return rc;
    *count = a.count;
    for (uint64_t i = 0; i < a.count && rc > 0; i++)
        if (add_text(&a, i, text, err) < 0 || se_bytes_add(text, "", 1, err) < 0)
            rc = se_err_in(err, "class_names");
    se_npy_release(&a);
    return rc;
}

/* The number of classes, where neither labels nor names tell. */
static int read_count(const struct npz *x, uint64_t *classes, struct se_err *err)
{
    struct se_npy a;
    int64_t v = -1;
    const int rc = se_npz_get(&x->zip, "num_classes", &a, err);

    if (rc <= 0)
        return rc;
    if (a.count != 1 || !se_npy_whole(&a, 0, &v) || v < 0)
        v = -1;
    se_npy_release(&a);
    *classes = (uint64_t)v;
    return v < 0 ? se_fail(err, SE_EINPUT, "num_classes is not one number") : 0;
}

static int put_labels(struct npz *x, const struct se_npy *a, struct se_err *err)
{
    struct se_bytes names = SE_BYTES_INIT;
    uint64_t classes = 0;
    int32_t *label = se_npz_classes(a, "labels", err);
    int rc = label ? read_class_names(x, &names, &classes, err) : -1;

    for (uint64_t v = 0; v < a->count && rc > 0; v++)
        if (label[v] >= (int64_t)classes)
            rc = se_fail(err, SE_EINPUT, "labels: vertex %" PRIu64 " has class %" PRId32 ", but "
                         "class_names has %" PRIu64, v, label[v], classes);
    if (rc == 0)
        rc = read_count(x, &classes, err);
    if (rc >= 0)
        rc = se_import_labels(label, a->count, classes, names.data, names.len, x->s, err);
    free(label);
    se_bytes_release(&names);
    return rc;
}

static int read_labels(struct npz *x, struct se_err *err)
{
    struct se_npy a;
    int rc = se_npz_get(&x->zip, "labels", &a, err);

    if (rc <= 0)
        return rc;
    if (a.dims != 1)
        rc = se_fail(err, SE_EINPUT, "labels has %d dimensions instead of 1", a.dims);
    else
        rc = agree(x, "labels", a.count, err) < 0 || put_labels(x, &a, err) < 0 ? -1 : 0;
    se_npy_release(&a);
    return rc;
}

static int put_names(struct npz *x, const struct se_npy *a, uint64_t *off, struct se_err *err)
{
    struct se_bytes text = SE_BYTES_INIT;
    int rc = 0;

    off[0] = 0;
    for (uint64_t v = 0; v < a->count && rc == 0; v++) {
        if (add_text(a, v, &text, err) < 0)
            rc = se_err_in(err, "node_names");
        off[v + 1] = text.len;
    }
    if (rc == 0) {
        const struct se_names names = { a->count, off, text.data };

        rc = se_names_put(&names, x->s, err);
    }
    se_bytes_release(&text);
    return rc;
}

static int read_names(struct npz *x, struct se_err *err)
{
    struct se_npy a;
    uint64_t *off;
    int rc = se_npz_get(&x->zip, "node_names", &a, err);

    if (rc <= 0)
        return rc;
    rc = agree(x, "node_names", a.count, err);
    off = rc == 0 ? se_alloc(a.count + 1, sizeof *off, err) : NULL;
    rc = off ? put_names(x, &a, off, err) : -1;
    free(off);
    se_npy_release(&a);
    return rc;
}

int se_npz_parts(const struct se_npy *a, const char *name, uint8_t *part, struct se_err *err)
{
    for (uint64_t i = 0; i < a->shape[0]; i++)
        for (uint64_t v = 0; v < a->shape[1]; v++) {
            int64_t p;

            if (!se_npy_whole(a, se_npy_place(a, i, v), &p) || p < SE_SPLIT_NONE ||
                p > SE_SPLIT_TEST)
                return se_fail(err, SE_EINPUT, "%s: split %" PRIu64 " has no part 0 to 3 for "
                               "vertex %" PRIu64, name, i, v);
            part[i * a->shape[1] + v] = (uint8_t)p;
        }
    return 0;
}

static int read_splits(struct npz *x, struct se_err *err)
{
    struct se_npy a;
    uint8_t *part = NULL;
    int rc = se_npz_get(&x->zip, "splits", &a, err);

    if (rc <= 0)
        return rc;
    if (a.dims != 2 || a.count == 0)
        rc = se_fail(err, SE_EINPUT, "splits is not an array of a row for each split");
    else if (agree(x, "splits", a.shape[1], err) < 0 || !(part = se_alloc(a.count, 1, err)) ||
             se_npz_parts(&a, "splits", part, err) < 0)
        rc = -1;
    if (rc > 0) {
        const struct se_splits splits = { a.shape[1], a.shape[0], part };

        rc = se_splits_put(&splits, x->s, err);
    }
    free(part);
    se_npy_release(&a);
    return rc;
}

static int read_embedding(struct npz *x, struct se_err *err)
{
    struct se_npy a;
    float *row = NULL;
    int rc = se_npz_get(&x->zip, "embedding", &a, err);

    if (rc <= 0)
        return rc;
    if (a.dims != 2 || a.shape[1] == 0 || a.shape[1] >= SE_NONE)
        rc = se_fail(err, SE_EINPUT, "embedding is not an array of a row for each vertex");
    else if (agree(x, "embedding", a.shape[0], err) < 0 || !(row = se_npy_floats(&a, err)))
        rc = -1;
    if (rc > 0) {
        const struct se_embedding e = { a.shape[0], a.shape[1], row };

        rc = se_embedding_put(&e, x->s, err);
    }
    free(row);
    se_npy_release(&a);
    return rc;
}

uint32_t *se_npz_ids(const struct se_npy *a, const char *name, struct se_err *err)
{
    uint32_t *id = se_alloc(a->count, sizeof *id, err);
    uint64_t i = 0;
    int64_t v;

    if (id)
        for (; i < a->count && se_npy_whole(a, i, &v) && v >= -1 && v <= (int64_t)SE_NONE; i++)
            id[i] = v < 0 ? SE_NONE : (uint32_t)v;
    if (id && i < a->count) {
        se_fail(err, SE_EINPUT, "%s[%" PRIu64 "] is neither an id nor -1", name, i);
        free(id);
        id = NULL;
    }
    return id;
}

static uint32_t *read_ids(const struct npz *x, const char *name, uint64_t *count,
                          struct se_err *err)
{
    struct se_npy a;
    uint32_t *id;

    if (se_npz_need(&x->zip, name, 1, &a, err) < 0)
        return NULL;
    *count = a.count;
    id = se_npz_ids(&a, name, err);
    se_npy_release(&a);
    return id;
}

static int read_tree(struct npz *x, struct se_err *err)
{
    uint64_t nodes = 0, leaves = 0, count = 0;
    uint32_t *parent, *vertex;
    int rc = -1;

    if (!se_zip_find(&x->zip, "tree_parent.npy"))
        return 0;
    parent = read_ids(x, "tree_parent", &nodes, err);
    vertex = parent ? read_ids(x, "tree_vertex", &count, err) : NULL;
    if (vertex && count != nodes) {
        se_fail(err, SE_EINPUT, "tree_parent and tree_vertex differ in length");
    } else if (vertex) {
        for (uint64_t i = 0; i < nodes; i++)
            leaves += vertex[i] != SE_NONE;
        const struct se_tree t = { leaves, nodes, parent, vertex };

        rc = agree(x, "tree_vertex", leaves, err) < 0 || se_tree_check(&t, err) < 0 ||
             se_tree_put(&t, x->s, 0, err) < 0 ? -1 : 0;
    }
    free(parent);
    free(vertex);
    return rc;
}

static int put_predictions(struct npz *x, const struct se_npy *label,
                           const struct se_npy *confidence, struct se_err *err)
{
    struct se_predictions p = { label->count, NULL, NULL };
    int32_t *class = NULL;
    float *sure = NULL;
    int rc = -1;

    if (label->count != confidence->count)
        return se_fail(err, SE_EINPUT, "predictions and confidence differ in length");
    if (agree(x, "predictions", label->count, err) == 0 &&
        (class = se_npz_classes(label, "predictions", err)) != NULL &&
        (sure = se_npy_floats(confidence, err)) != NULL) {
        p.label = class;
        p.confidence = sure;
        rc = 0;
        for (uint64_t v = 0; v < p.n && rc == 0; v++)
            if (sure[v] < 0 || sure[v] > 1)
                rc = se_fail(err, SE_EINPUT, "confidence of vertex %" PRIu64 " is not between 0 "
                             "and 1", v);
    }
    if (rc == 0)
        rc = se_predictions_put(&p, x->s, err);
    free(class);
    free(sure);
    return rc;
}

static int read_predictions(struct npz *x, struct se_err *err)
{
    struct se_npy label, confidence;
    int rc = -1;

    if (!se_zip_find(&x->zip, "predictions.npy"))
        return 0;
    if (se_npz_need(&x->zip, "predictions", 1, &label, err) < 0)
        return -1;
    if (se_npz_need(&x->zip, "confidence", 1, &confidence, err) == 0) {
        rc = put_predictions(x, &label, &confidence, err);
        se_npy_release(&confidence);
    }
    se_npy_release(&label);
    return rc;
}

/* The arrays of gnn-benchmark, and ours.  A stream comes back whole, with its self-loops. */
static int read_arrays(struct npz *x, struct se_import *in, struct se_err *err)
{
    in->keep_loops |= se_zip_find(&x->zip, SE_NPZ_OURS) != NULL;
    if (read_graph(x, in, err) < 0 || read_features(x, err) < 0 || read_labels(x, err) < 0 ||
        read_splits(x, err) < 0 || read_embedding(x, err) < 0 || read_tree(x, err) < 0 ||
        read_predictions(x, err) < 0 || read_names(x, err) < 0 ||
        se_npz_read_more(&x->zip, x->s, err) < 0)
        return -1;
    return x->from ? 0 : se_stream_vertices(x->s, &x->n, err);
}

static bool has_any(const struct se_zip *z, const char *const *names)
{
    while (*names && !se_zip_find(z, *names))
        names++;
    return *names != NULL;
}

static int read_archive(struct npz *x, struct se_import *in, struct se_err *err)
{
    static const char *const ours[] = {
        "adj_data.npy", "attr_data.npy", "adj_matrix.data.npy", "num_classes.npy", "splits.npy", "embedding.npy",
        "tree_parent.npy", "predictions.npy", SE_NPZ_OURS, NULL
    };

    if (!has_any(&x->zip, ours))
        return se_npz_read_named(&x->zip, in, x->s, &x->n, err);
    return read_arrays(x, in, err);
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct se_bytes bytes = SE_BYTES_INIT;
    struct npz x = { SE_ZIP_INIT, s, 0, NULL };
    int rc;

    if (se_slurp(&bytes, in->path, 0, err) < 0)
        return -1;
    rc = se_zip_open(&x.zip, bytes.data, bytes.len, err) < 0 || read_archive(&x, in, err) < 0
             ? se_err_in(err, in->path) : se_import_vertices(in, x.n, err);
    se_zip_release(&x.zip);
    se_bytes_release(&bytes);
    return rc;
}

static int detect(const char *path, const char *head, size_t len)
{
    return head && se_zip_is(head, len) &&
           (se_path_is(path, ".npz") || memmem(head, len, ".npy", 4)) ? 90 : 0;
}

const struct se_format se_format_npz = {
    .name = "npz",
    .what = "NumPy arrays of all sections; se-import reads the same stream back",
    .what_import = "NumPy archive: gnn-benchmark, SciPy, PyG, pickled matrices, heterophilous "
                   "graphs, or a stream that se-export wrote",
    .all_sections = true,
    .import = import,
    .detect = detect,
    .export = se_npz_export,
    .binary = true
};
