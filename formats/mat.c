/* mat.c - MATLAB files of version 5, which BlogCatalog, Flickr and ACM are published as
 *
 * Numeric, logical, sparse and char arrays of at most two dimensions are taken by name, and so are
 * the fields of a structure that is the only variable, as SuiteSparse has them; cells, objects and
 * other structures are passed over.  Big-endian files are refused. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

#include "formats/internal.h"
#include "formats/named.h"
#include "formats/vertices.h"

enum { HEADER = 128, MI_INT32 = 5, MI_UINT32 = 6, MI_MATRIX = 14, MI_COMPRESSED = 15,
       MX_STRUCT = 2, MX_CHAR = 4, MX_SPARSE = 5, MX_DOUBLE = 6, MX_UINT64 = 15 };

/* An element: its type and its bytes.  Small ones hold both in eight. */
struct element {
    uint32_t type;
    uint64_t len;
    const unsigned char *data;
};

struct walk {
    const unsigned char *at, *end;
};

static uint32_t get32(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* 1, 0 at the end, or -1 with `err` set. */
static int next_element(struct walk *w, struct element *e, struct se_err *err)
{
    const uint64_t left = (uint64_t)(w->end - w->at);
    uint64_t step;

    *e = (struct element){ 0, 0, NULL };
    if (left == 0)
        return 0;
    if (left < 8)
        return se_fail(err, SE_EINPUT, "an element is cut short");
    e->type = get32(w->at);
    if (e->type >> 16) {
        e->len = e->type >> 16;
        e->type &= 0xffff;
        e->data = w->at + 4;
        if (e->len > 4)
            return se_fail(err, SE_EINPUT, "a small element has %" PRIu64 " bytes", e->len);
        w->at += 8;
        return 1;
    }
    e->len = get32(w->at + 4);
    e->data = w->at + 8;
    if (e->len > left - 8)
        return se_fail(err, SE_EINPUT, "an element is cut short");
    step = e->type == MI_COMPRESSED ? e->len : (e->len + 7) / 8 * 8;
    w->at += 8 + (step > left - 8 ? left - 8 : step);
    return 1;
}

/* numpy's type of an element's numbers, or NULL. */
static const char *type_of(uint32_t type)
{
    static const char *const name[] = {
        NULL, "i1", "u1", "i2", "u2", "i4", "u4", "f4", NULL, "f8", NULL, NULL, "i8", "u8"
    };

    return type < sizeof name / sizeof *name ? name[type] : NULL;
}

/* The numbers of an element as an array of `dims` dimensions. */
static int numbers(const struct element *e, int dims, const uint64_t *shape, struct se_npy *a,
                   struct se_err *err)
{
    const char *type = type_of(e->type);

    *a = (struct se_npy)SE_NPY_INIT;
    if (!type)
        return se_fail(err, SE_EINPUT, "holds elements of type %" PRIu32 ", which are no numbers",
                       e->type);
    return se_npy_set(a, type, 2, '<', dims, shape, e->data, e->len, err);
}

static int need(struct walk *w, struct element *e, struct se_err *err)
{
    const int rc = next_element(w, e, err);

    return rc == 0 ? se_fail(err, SE_EINPUT, "an array is cut short") : rc < 0 ? -1 : 0;
}

/* Numbers of an element in one dimension. */
static int vector(struct walk *w, struct se_npy *a, struct se_err *err)
{
    struct element e;
    uint64_t count;

    if (need(w, &e, err) < 0)
        return -1;
    count = type_of(e.type) ? e.len / (uint64_t)(type_of(e.type)[1] - '0') : 0;
    return numbers(&e, 1, &count, a, err);
}

/* Compressed columns; the arrays may have room behind their last entry. */
static int read_sparse(struct walk *w, const uint64_t shape[2], struct se_named *item,
                       struct se_err *err)
{
    struct se_csr m = SE_CSR_INIT;
    int64_t count;

    if (vector(w, &m.indices, err) < 0 || vector(w, &m.indptr, err) < 0 ||
        vector(w, &m.data, err) < 0)
        return -1;
    if (m.indptr.count == 0 || !se_npy_whole(&m.indptr, m.indptr.count - 1, &count) ||
        count < 0 || (uint64_t)count > m.indices.count || (uint64_t)count > m.data.count)
        return se_fail(err, SE_EINPUT, "lengths of a sparse matrix do not fit together");
    m.indices.count = m.indices.shape[0] = (uint64_t)count;
    m.data.count = m.data.shape[0] = (uint64_t)count;
    m.rows = shape[1];
    m.columns = shape[0];
    item->kind = SE_NAMED_SPARSE;
    return se_csr_check(&m, err) < 0 || se_sparse_from_csr(&item->sparse, &m, true, err) < 0
               ? -1 : 0;
}

/* Rows of characters, each a text without the blanks at its end. */
static int read_chars(struct walk *w, const uint64_t shape[2], struct se_named *item,
                      struct se_err *err)
{
    struct element e;
    struct se_npy a;

    if (need(w, &e, err) < 0)
        return -1;
    if (e.type == 16)                           /* UTF-8 */
        e.type = 2;
    if (e.type == 17)                           /* UTF-16 */
        e.type = 4;
    if (numbers(&e, 2, shape, &a, err) < 0)
        return -1;
    item->kind = SE_NAMED_TEXTS;
    for (uint64_t i = 0; i < shape[0]; i++) {
        for (uint64_t j = 0; j < shape[1]; j++) {
            int64_t c = '?';
            char byte;

            se_npy_whole(&a, j * shape[0] + i, &c);
            byte = c < ' ' || c > '~' ? '?' : (char)c;
            if (se_bytes_add(&item->text, &byte, 1, err) < 0)
                return -1;
        }
        while (item->text.len > 0 && item->text.data[item->text.len - 1] == ' ')
            item->text.len--;
        if (se_bytes_add(&item->text, "", 1, err) < 0)
            return -1;
        item->texts++;
    }
    return 0;
}

/* A copy of the numbers: what was inflated is soon gone.  A column or row is a vector. */
static int read_dense(struct walk *w, const uint64_t shape[2], struct se_named *item,
                      struct se_err *err)
{
    struct element e;
    struct se_npy a;

    if (need(w, &e, err) < 0 || numbers(&e, 2, shape, &a, err) < 0)
        return -1;
    if (se_npy_copy(&item->dense, &a, err) < 0)
        return -1;
    item->dense.fortran = true;
    if (shape[0] == 1 || shape[1] == 1) {
        item->dense.dims = 1;
        item->dense.shape[0] = a.count;
        item->dense.fortran = false;
    }
    return 0;
}

static int read_body(struct walk *w, uint32_t class, bool complex, const uint64_t shape[2],
                     struct se_named *item, struct se_err *err)
{
    if (complex)
        return 0;
    if (class == MX_SPARSE)
        return read_sparse(w, shape, item, err);
    if (class == MX_CHAR)
        return read_chars(w, shape, item, err);
    item->kind = SE_NAMED_DENSE;
    return read_dense(w, shape, item, err);
}

static int read_array(const struct element *matrix, const char *field, bool open,
                      struct se_named_set *x, struct se_err *err);

/* The fields of one structure, each an array of that name */
static int read_struct(struct walk *w, struct se_named_set *x, struct se_err *err)
{
    struct element size, names, value;
    uint32_t room;

    if (need(w, &size, err) < 0 || need(w, &names, err) < 0)
        return -1;
    room = size.len == 4 ? get32(size.data) : 0;
    if (room == 0 || room > 64)
        return se_fail(err, SE_EINPUT, "the names of the fields of a structure are damaged");
    for (uint64_t i = 0; i < names.len / room; i++) {
        char field[65] = "";

        memcpy(field, names.data + i * room, room);
        if (need(w, &value, err) < 0 ||
            (value.type == MI_MATRIX && read_array(&value, field, false, x, err) < 0))
            return -1;
    }
    return 0;
}

/* An array with its head; `field` is its name in a structure, or NULL.  Structures are opened if
 * that is asked for. */
static int read_array(const struct element *matrix, const char *field, bool open,
                      struct se_named_set *x, struct se_err *err)
{
    struct walk w = { matrix->data, matrix->data + matrix->len };
    struct element flags, dims, name;
    struct se_named *item;
    uint64_t shape[2];
    uint32_t class;
    bool simple;

    if (field && matrix->len == 0)              /* an empty field */
        return 0;
    if (need(&w, &flags, err) < 0 || need(&w, &dims, err) < 0 || need(&w, &name, err) < 0)
        return -1;
    if (field) {
        name.data = (const unsigned char *)field;
        name.len = strlen(field);
    }
    if (flags.len != 8 || dims.type != MI_INT32)
        return se_fail(err, SE_EINPUT, "the head of an array is damaged");
    if (name.len == 0)                          /* what a function handle leaves behind */
        return 0;
    class = flags.data[0];
    if (class == MX_STRUCT && open && dims.len == 8 && get32(dims.data) == 1 &&
        get32(dims.data + 4) == 1)
        return read_struct(&w, x, err);
    simple = dims.len == 8 && (class == MX_CHAR || class == MX_SPARSE ||
                               (class >= MX_DOUBLE && class <= MX_UINT64));
    item = se_named_add(x, (const char *)name.data, strnlen((const char *)name.data, name.len),
                        err);
    if (!item)
        return -1;
    item->kind = SE_NAMED_OTHER;
    if (!simple || item->name[0] == '_')
        return 0;
    shape[0] = get32(dims.data);
    shape[1] = get32(dims.data + 4);
    if (shape[0] > INT32_MAX || shape[1] > INT32_MAX)
        return se_fail(err, SE_EINPUT, "%s has a negative size", item->name);
    return read_body(&w, class, flags.data[1] & 8, shape, item, err) < 0
               ? se_err_in(err, item->name) : 0;
}

/* Memory grows with what comes out. */
static int inflate_element(const struct element *e, struct se_bytes *out, struct se_err *err)
{
    z_stream z = { .next_in = e->data, .avail_in = (uInt)e->len };
    int rc = Z_OK;

    out->len = 0;
    if (inflateInit(&z) != Z_OK)
        return se_fail(err, SE_EMEM, "out of memory");
    while (rc == Z_OK) {
        if (se_grow(&out->data, &out->cap, (uint64_t)out->len + 65536, 1, err) < 0) {
            inflateEnd(&z);
            return -1;
        }
        z.next_out = (unsigned char *)out->data + out->len;
        z.avail_out = 65536;
        rc = inflate(&z, Z_NO_FLUSH);
        out->len += 65536 - z.avail_out;
    }
    inflateEnd(&z);
    return rc == Z_STREAM_END ? 0 : se_fail(err, SE_EINPUT, "a packed element is damaged");
}

static int read_packed(const struct element *e, struct se_bytes *room, bool open,
                       struct se_named_set *x, struct se_err *err)
{
    struct element inner;
    struct walk w;

    if (inflate_element(e, room, err) < 0)
        return -1;
    w.at = (const unsigned char *)room->data;
    w.end = w.at + room->len;
    if (need(&w, &inner, err) < 0)
        return -1;
    return inner.type == MI_MATRIX ? read_array(&inner, NULL, open, x, err) : 0;
}

/* Is there one variable only?  Beside others a structure holds settings and the like. */
static bool is_alone(struct walk w)
{
    struct se_err ignored = SE_ERR_INIT;
    struct element e;
    int count = 0;

    while (count < 2 && next_element(&w, &e, &ignored) > 0)
        count++;
    return count == 1;
}

static int read_file(const struct se_bytes *file, struct se_named_set *x, struct se_err *err)
{
    struct walk w = { (const unsigned char *)file->data + HEADER,
                      (const unsigned char *)file->data + file->len };
    const bool open = is_alone(w);
    struct se_bytes room = SE_BYTES_INIT;
    struct element e;
    int rc;

    while ((rc = next_element(&w, &e, err)) > 0) {
        if (e.type == MI_COMPRESSED)
            rc = read_packed(&e, &room, open, x, err);
        else if (e.type == MI_MATRIX)
            rc = read_array(&e, NULL, open, x, err);
        if (rc < 0)
            break;
    }
    se_bytes_release(&room);
    return rc;
}

static bool is_mat(const char *head, size_t len)
{
    return len >= HEADER && head[124] == 0 && head[125] == 1 &&
           (memcmp(head + 126, "IM", 2) == 0 || memcmp(head + 126, "MI", 2) == 0);
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct se_named_set x = SE_NAMED_SET_INIT;
    struct se_bytes file = SE_BYTES_INIT;
    uint64_t n = 0;
    int rc;

    if (se_slurp(&file, in->path, 0, err) < 0)
        return -1;
    if (file.len >= 8 && memcmp(file.data, "\211HDF\r\n\032\n", 8) == 0)
        rc = se_fail(err, SE_EINPUT, "is a MATLAB file of version 7.3 (HDF5); save it with "
                     "save(..., '-v7')");
    else if (!is_mat(file.data, file.len))
        rc = se_fail(err, SE_EINPUT, "is not a MATLAB file of version 5 to 7.2");
    else if (file.data[126] == 'M')
        rc = se_fail(err, SE_EINPUT, "is a big-endian MATLAB file, which is not read");
    else
        rc = read_file(&file, &x, err) < 0 || se_facebook100(&x, in, err) < 0 ||
             se_named_put(&x, in, s, &n, err) < 0 ? -1 : 0;
    rc = rc < 0 ? se_err_in(err, in->path) : se_import_vertices(in, n, err);
    se_named_release(&x);
    se_bytes_release(&file);
    return rc;
}

static int detect(const char *path, const char *head, size_t len)
{
    return head && is_mat(head, len) ? 92 : head && len >= 8 && se_path_is(path, ".mat") &&
           memcmp(head, "\211HDF\r\n\032\n", 8) == 0 ? 60 : 0;
}

const struct se_format se_format_mat = {
    .name = "mat",
    .what = "MATLAB file: Network or A, Attributes, Label",
    .import = import,
    .detect = detect
};
