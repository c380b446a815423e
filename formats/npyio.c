/* npyio.c - numpy's arrays in and out of archives */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/npy.h"

int se_npz_get(const struct se_zip *z, const char *name, struct se_npy *a, struct se_err *err)
{
    struct se_blob blob = SE_BLOB_INIT;
    const struct se_zip_member *m;
    char member[80];

    *a = (struct se_npy)SE_NPY_INIT;
    snprintf(member, sizeof member, "%s.npy", name);
    m = se_zip_find(z, member);
    if (!m)
        return 0;
    if (se_zip_read(z, m, &blob, err) < 0)
        return -1;
    if (se_npy_parse(a, blob.data, blob.len, err) < 0) {
        se_blob_release(&blob);
        return se_err_in(err, name);
    }
    a->blob = blob;
    return 1;
}

int se_npz_need(const struct se_zip *z, const char *name, int dims, struct se_npy *a,
                struct se_err *err)
{
    const int rc = se_npz_get(z, name, a, err);

    if (rc < 0)
        return -1;
    if (rc == 0)
        return se_fail(err, SE_EINPUT, "has no array %s", name);
    if (a->dims != dims) {
        const int found = a->dims;

        se_npy_release(a);
        return se_fail(err, SE_EINPUT, "%s has %d dimensions instead of %d", name, found, dims);
    }
    return 0;
}

int se_npy_header(struct se_bytes *b, const char *type, int dims, const uint64_t *shape,
                  struct se_err *err)
{
    enum { FRONT = 10, ALIGN = 64 };
    char text[64 + 24 * SE_NPY_DIMS];
    size_t len, total;
    int at;

    at = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (", type);
    for (int i = 0; i < dims; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s%" PRIu64 "%s", i ? " " : "",
                       shape[i], i + 1 < dims || dims == 1 ? "," : "");
    at += snprintf(text + at, sizeof text - (size_t)at, "), }");
    len = (size_t)at;
    total = (FRONT + len + 1 + ALIGN - 1) / ALIGN * ALIGN;
    if (se_grow(&b->data, &b->cap, (uint64_t)b->len + total, 1, err) < 0)
        return -1;
    memset(b->data + b->len, ' ', total);
    memcpy(b->data + b->len, "\x93NUMPY\1", 8);
    b->data[b->len + 8] = (char)((total - FRONT) & 255);
    b->data[b->len + 9] = (char)((total - FRONT) >> 8);
    memcpy(b->data + b->len + FRONT, text, len);
    b->len += total;
    b->data[b->len - 1] = '\n';
    return 0;
}

int se_npz_add(struct se_zip_out *w, const char *name, const char *type, int dims,
               const uint64_t *shape, const void *data, uint64_t len, struct se_err *err)
{
    struct se_bytes head = SE_BYTES_INIT;
    char member[80];
    int rc;

    snprintf(member, sizeof member, "%s.npy", name);
    rc = se_npy_header(&head, type, dims, shape, err);
    if (rc == 0) {
        const struct se_piece part[] = { { head.data, head.len }, { data, len } };

        rc = se_zip_add(w, member, part, 2, err);
    }
    se_bytes_release(&head);
    return rc;
}
