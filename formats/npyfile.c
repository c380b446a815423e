/* npyfile.c - a single numpy array of two dimensions: features, or an edge_index */
#include <float.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/internal.h"
#include "formats/npy.h"
#include "formats/vertices.h"

static int put_features(const struct se_npy *a, struct se_stream *s, struct se_err *err)
{
    struct se_features f = { 0 };
    float *x;
    int rc;

    if (a->dims != 2 || a->shape[1] == 0 || a->shape[0] >= SE_MAX_VERTICES ||
        a->shape[1] >= SE_MAX_VERTICES)
        return se_fail(err, SE_EINPUT, "is not an array with a row of features for each vertex");
    x = se_npy_floats(a, err);
    if (!x)
        return -1;
    f.n = a->shape[0];
    f.d = a->shape[1];
    f.nnz = a->count;
    f.dense = x;
    rc = se_features_put(&f, s, err);
    free(x);
    return rc;
}

/* Two rows or columns of whole numbers, more than two each: the ends of edges, as PyTorch
 * Geometric keeps them, or a list of edges */
static bool is_edge_index(const struct se_npy *a)
{
    int64_t id;

    if (a->dims != 2 || (a->kind != 'i' && a->kind != 'u') ||
        !((a->shape[0] == 2 && a->shape[1] > 2) || (a->shape[1] == 2 && a->shape[0] > 2)))
        return false;
    for (uint64_t i = 0; i < a->count; i++)
        if (!se_npy_whole(a, i, &id) || id < 0 || id >= (int64_t)SE_NONE)
            return false;
    return true;
}

static int put_edges(struct se_import *in, const struct se_npy *a, struct se_stream *s,
                     struct se_err *err)
{
    struct se_builder b = SE_BUILDER_INIT;
    const bool rows = a->shape[0] == 2;
    const uint64_t count = a->shape[rows];
    int rc = se_say(in->notes, err, "%s: two %s of %" PRIu64 " whole numbers are taken for the "
                    "ends of edges, an edge_index; %s use --features", se_path_name(in->path),
                    rows ? "rows" : "columns", count, rows ? "for features of two vertices"
                                                           : "if they are features");

    se_import_start(in, &b, false);
    for (uint64_t i = 0; i < count && rc == 0; i++) {
        int64_t u = 0, v = 0;

        se_npy_whole(a, rows ? se_npy_place(a, 0, i) : se_npy_place(a, i, 0), &u);
        se_npy_whole(a, rows ? se_npy_place(a, 1, i) : se_npy_place(a, i, 1), &v);
        rc = se_builder_add(&b, (uint32_t)u, (uint32_t)v, 1, err);
    }
    if (rc == 0 && in->n > 0 && b.n > in->n)
        rc = se_fail(err, SE_EINPUT, "has %" PRIu64 " vertices, but %" PRIu64 " are wanted", b.n,
                     in->n);
    if (rc == 0)
        rc = se_check_sparse(b.n, b.count, in->n, err);
    if (rc == 0) {
        b.n = in->n > b.n ? in->n : b.n;
        rc = se_import_graph(in, &b, SE_MERGE_SUM, s, err);
    }
    se_builder_release(&b);
    return rc;
}

/* Square, symmetric, nothing negative: the matrix of a graph */
static bool is_adjacency(const struct se_npy *a)
{
    if (a->dims != 2 || a->shape[0] != a->shape[1] || a->shape[0] < 3 || !strchr("iufb", a->kind))
        return false;
    for (uint64_t u = 0; u < a->shape[0]; u++)
        for (uint64_t v = 0; v <= u; v++) {
            const double w = se_npy_number(a, se_npy_place(a, u, v));

            if (!(w >= 0) || w > (double)FLT_MAX || w != se_npy_number(a, se_npy_place(a, v, u)))
                return false;
        }
    return true;
}

static int put_adjacency(struct se_import *in, const struct se_npy *a, struct se_stream *s,
                         struct se_err *err)
{
    struct se_builder b = SE_BUILDER_INIT;
    const uint64_t n = a->shape[0];
    int rc = se_say(in->notes, err, "%s: a symmetric matrix of %" PRIu64 " by %" PRIu64
                    " is taken for the graph; if it holds features use --features",
                    se_path_name(in->path), n, n);

    b.n = n;
    se_import_start(in, &b, true);
    for (uint64_t i = 0; i < a->count && !b.weighted; i++)
        b.weighted = se_npy_number(a, i) != 0 && se_npy_number(a, i) != 1;
    for (uint64_t u = 0; u < n && rc == 0; u++)
        for (uint64_t v = 0; v <= u && rc == 0; v++) {
            const double w = se_npy_number(a, se_npy_place(a, u, v));

            if ((float)w > 0)
                rc = se_builder_add(&b, (uint32_t)v, (uint32_t)u, (float)w, err);
        }
    if (rc == 0)
        rc = se_import_graph(in, &b, SE_MERGE_SUM, s, err);
    se_builder_release(&b);
    return rc;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct se_bytes bytes = SE_BYTES_INIT;
    struct se_npy a;
    int rc;

    if (se_slurp(&bytes, in->path, 0, err) < 0)
        return -1;
    rc = se_npy_parse(&a, bytes.data, bytes.len, err);
    if (rc == 0 && is_edge_index(&a))
        rc = put_edges(in, &a, s, err);
    else if (rc == 0 && is_adjacency(&a))
        rc = put_adjacency(in, &a, s, err) < 0 ? -1 : se_import_vertices(in, a.shape[0], err);
    else if (rc == 0 && (rc = put_features(&a, s, err)) == 0) {
        se_bytes_release(&bytes);
        return se_import_vertices(in, a.shape[0], err);
    }
    if (rc < 0)
        se_err_in(err, in->path);
    se_bytes_release(&bytes);
    return rc;
}

static int detect(const char *path, const char *head, size_t len)
{
    (void)path;
    return head && se_npy_is(head, len) ? 90 : 0;
}

const struct se_format se_format_npy = {
    .name = "npy",
    .what = "NumPy array: a row of features for each vertex, an edge_index, or a symmetric "
            "matrix",
    .kind = SE_FORMAT_TABLE,
    .import = import,
    .detect = detect
};
