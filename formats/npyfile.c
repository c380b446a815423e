/* npyfile.c - a single numpy array of two dimensions as features */
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

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct se_bytes bytes = SE_BYTES_INIT;
    struct se_npy a;
    int rc;

    if (se_slurp(&bytes, in->path, 0, err) < 0)
        return -1;
    rc = se_npy_parse(&a, bytes.data, bytes.len, err) < 0 || put_features(&a, s, err) < 0
             ? se_err_in(err, in->path) : se_import_vertices(in, a.shape[0], err);
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
    .what = "numpy array of two dimensions: a row of features for each vertex",
    .import = import,
    .detect = detect
};
