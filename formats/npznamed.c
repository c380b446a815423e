/* npznamed.c - archives of scipy.sparse.save_npz, and of arrays under other people's names */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/internal.h"
#include "formats/named.h"
#include "formats/npz.h"
#include "formats/pickle.h"

/* The word in `format.npy` of SciPy: "csr", "csc", "coo", ... */
static int layout(const struct se_zip *z, struct se_bytes *word, struct se_err *err)
{
    struct se_npy a;
    int rc = se_npz_get(z, "format", &a, err);

    if (rc <= 0)
        return rc;
    rc = a.count != 1 ? se_fail(err, SE_EINPUT, "format does not hold one word")
                      : se_npy_text(&a, 0, word, err);
    se_npy_release(&a);
    return rc < 0 || se_bytes_add(word, "", 1, err) < 0 ? -1 : 1;
}

static int read_compressed(const struct se_zip *z, bool by_column, struct se_sparse *m,
                           struct se_err *err)
{
    struct se_csr csr;
    int rc = se_csr_read_layout(&csr, z, "", by_column, err);

    if (rc == 0)
        return se_fail(err, SE_EINPUT, "has no array data");
    if (rc > 0) {
        rc = se_sparse_from_csr(m, &csr, by_column, err);
        se_csr_release(&csr);
    }
    return rc;
}

static int read_coordinates(const struct se_zip *z, struct se_sparse *m, struct se_err *err)
{
    static const char *const name[] = { "row", "col", "data", "shape" };
    struct se_npy a[4] = { SE_NPY_INIT, SE_NPY_INIT, SE_NPY_INIT, SE_NPY_INIT };
    int64_t rows = -1, columns = -1;
    int rc = 0;

    for (int i = 0; i < 4 && rc == 0; i++)
        rc = se_npz_need(z, name[i], 1, &a[i], err);
    if (rc == 0 && (a[3].count != 2 || !se_npy_whole(&a[3], 0, &rows) ||
                    !se_npy_whole(&a[3], 1, &columns) || rows < 0 || columns < 0))
        rc = se_fail(err, SE_EINPUT, "shape does not hold two sizes");
    if (rc == 0)
        rc = se_sparse_from_coo(m, (uint64_t)rows, (uint64_t)columns, &a[0], &a[1], &a[2], err);
    for (int i = 0; i < 4; i++)
        se_npy_release(&a[i]);
    return rc;
}

/* SciPy's archive of one matrix: 1, or 0 if this is none, or -1. */
static int read_scipy(const struct se_zip *z, struct se_named_set *x, struct se_err *err)
{
    struct se_bytes word = SE_BYTES_INIT;
    struct se_named *item;
    int rc = se_zip_find(z, "shape.npy") ? layout(z, &word, err) : 0;

    if (rc > 0) {
        item = se_named_add(x, "matrix", 6, err);
        if (item)
            item->kind = SE_NAMED_SPARSE;
        if (!item)
            rc = -1;
        else if (strcmp(word.data, "csr") == 0 || strcmp(word.data, "csc") == 0)
            rc = read_compressed(z, word.data[2] == 'c', &item->sparse, err) < 0 ? -1 : 1;
        else if (strcmp(word.data, "coo") == 0)
            rc = read_coordinates(z, &item->sparse, err) < 0 ? -1 : 1;
        else
            rc = se_fail(err, SE_EINPUT, "a matrix in SciPy's layout %.20s is not read; save it "
                         "as csr, csc or coo", word.data);
        if (rc > 0 && item->sparse.rows != item->sparse.columns)
            memcpy(item->name, "features", 9);
    }
    se_bytes_release(&word);
    return rc;
}

/* The strings of a list, or false if an item is something else. */
static int take_texts(const struct se_pickle *p, const struct se_pickle_value *list,
                      struct se_named *item, struct se_err *err)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct se_pickle_value *v = se_pickle_at(p, list->item[i]);

        if (v->type != SE_PICKLE_STRING || memchr(v->text, '\0', v->count)) {
            item->text.len = 0;
            item->kind = SE_NAMED_OTHER;
            return 0;
        }
        if (se_bytes_add(&item->text, v->text, v->count, err) < 0 ||
            se_bytes_add(&item->text, "", 1, err) < 0)
            return -1;
    }
    item->texts = list->count;
    item->kind = SE_NAMED_TEXTS;
    return 0;
}

/* A copy of an array of a pickle, whose bytes are soon gone. */
static int take_array(const struct se_pickle *p, uint32_t ref, struct se_named *item,
                      struct se_err *err)
{
    struct se_npy a;

    return se_pickle_array(p, ref, &a, err) < 0 ? -1 : se_npy_copy(&item->dense, &a, err);
}

/* An array of objects: one matrix, or texts. */
static int take_pickle(const struct se_pickle *p, struct se_named *item, struct se_err *err)
{
    const struct se_pickle_value *list = se_pickle_objects(p, p->root);

    item->kind = SE_NAMED_OTHER;
    if (!list)
        return 0;
    if (list->count == 1 && se_pickle_is_sparse(p, list->item[0])) {
        item->kind = SE_NAMED_SPARSE;
        return se_pickle_sparse(p, list->item[0], &item->sparse, err);
    }
    if (list->count == 1 && se_pickle_at(p, list->item[0])->type == SE_PICKLE_OBJECT) {
        item->kind = SE_NAMED_DENSE;
        return take_array(p, list->item[0], item, err);
    }
    return take_texts(p, list, item, err);
}

static int read_pickle(const struct se_blob *blob, uint64_t at, struct se_named *item,
                       struct se_err *err)
{
    struct se_pickle p;
    int rc;

    if (se_pickle_load(&p, blob->data + at, blob->len - at, err) < 0)
        return -1;
    rc = take_pickle(&p, item, err);
    se_pickle_release(&p);
    return rc;
}

/* Where the pickle of an array of objects starts, or 0 if it is an array of something else. */
static uint64_t pickle_start(const struct se_blob *b)
{
    const uint64_t head = b->len > 12 && b->data[6] > 1 ? 12 : 10;
    uint64_t size;

    if (b->len < 12 || !se_npy_is(b->data, b->len))
        return 0;
    size = b->data[8] | (uint64_t)b->data[9] << 8;
    if (head == 12)
        size |= (uint64_t)b->data[10] << 16 | (uint64_t)b->data[11] << 24;
    if (size > b->len - head || !memmem(b->data + head, size, "'|O'", 4))
        return 0;
    return head + size;
}

static int read_member(const struct se_zip *z, const struct se_zip_member *m,
                       struct se_named *item, struct se_err *err)
{
    struct se_blob blob = SE_BLOB_INIT;
    uint64_t start;
    int rc;

    if (se_zip_read(z, m, &blob, err) < 0)
        return -1;
    start = pickle_start(&blob);
    if (start > 0) {
        rc = read_pickle(&blob, start, item, err);
        se_blob_release(&blob);
    } else {
        rc = se_npy_parse(&item->dense, blob.data, blob.len, err);
        if (rc == 0)
            item->dense.blob = blob;
        else
            se_blob_release(&blob);
    }
    return rc < 0 ? se_err_in(err, item->name) : 0;
}

/* Is it one that the user named? */
static bool is_asked(const struct se_import *in, const char *name)
{
    return in && ((in->class && strcmp(name, in->class) == 0) ||
                  (in->graph && strcmp(name, in->graph) == 0));
}

static int read_members(const struct se_zip *z, const struct se_import *in, struct se_named_set *x,
                        struct se_err *err)
{
    for (size_t i = 0; i < z->count; i++) {
        const struct se_zip_member *m = &z->member[i];
        struct se_named *item;
        size_t len = m->name_len;

        if (len > 4 && memcmp(m->name + len - 4, ".npy", 4) == 0)
            len -= 4;
        item = se_named_add(x, m->name, len, err);
        if (!item)
            return -1;
        if (len == m->name_len || (!se_named_known(m->name, len) && !is_asked(in, item->name)))
            item->kind = SE_NAMED_OTHER;
        else if (read_member(z, m, item, err) < 0)
            return -1;
    }
    return 0;
}

int se_npz_collect(const struct se_zip *z, const struct se_import *in, struct se_named_set *x,
                   struct se_err *err)
{
    const int rc = read_scipy(z, x, err);

    return rc == 0 ? read_members(z, in, x, err) : rc < 0 ? -1 : 0;
}

int se_npz_read_named(const struct se_zip *z, struct se_import *in, struct se_stream *s,
                      uint64_t *n, struct se_err *err)
{
    struct se_named_set x = SE_NAMED_SET_INIT;
    int rc = se_npz_collect(z, in, &x, err);

    if (rc == 0)
        rc = se_named_put(&x, in, s, n, err);
    se_named_release(&x);
    return rc;
}
