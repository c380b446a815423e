/* npyfile.c - a single numpy array of two dimensions: features, or an edge_index */
#include <inttypes.h>
#include <stdlib.h>

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

/* Two rows of whole numbers, more than two each: the ends of edges, as PyTorch Geometric keeps
 * them */
static bool is_edge_index(const struct se_npy *a)
{
    int64_t id;

    if (a->dims != 2 || a->shape[0] != 2 || a->shape[1] < 3 || (a->kind != 'i' && a->kind != 'u'))
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
    int rc = se_say(in->notes, err, "%s: two rows of %" PRIu64 " whole numbers are taken for the "
                    "ends of edges, an edge_index; for features of two vertices use --features",
                    se_path_name(in->path), a->shape[1]);

    for (uint64_t i = 0; i < a->shape[1] && rc == 0; i++) {
        int64_t u = 0, v = 0;

        se_npy_whole(a, se_npy_place(a, 0, i), &u);
        se_npy_whole(a, se_npy_place(a, 1, i), &v);
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
    .what = "NumPy array: a row of features for each vertex, or an edge_index",
    .kind = SE_FORMAT_TABLE,
    .import = import,
    .detect = detect
};
