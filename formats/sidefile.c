/* sidefile.c - a file beside the graph: what it is and how many vertices it speaks of */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/utf16.h"
#include "formats/side.h"

int se_side_open(struct se_side *x, const char *path, struct se_stream *s,
                 struct se_err *err)
{
    *x = (struct se_side){ .path = path, .text = SE_TEXT_INIT };
    if (se_stream_vertices(s, &x->n, err) < 0 ||
        se_slurp(&x->bytes, path, 0, err) < 0)
        return -1;
    if (se_npy_is(x->bytes.data, x->bytes.len)) {
        x->kind = SE_SIDE_NPY;
    } else if (se_zip_is(x->bytes.data, x->bytes.len)) {
        x->kind = SE_SIDE_NPZ;
        if (se_zip_open(&x->zip, x->bytes.data, x->bytes.len, err) < 0)
            return se_err_in(err, path);
    } else {
        if (se_utf16_is(x->bytes.data, x->bytes.len) && se_utf16_to_utf8(&x->bytes, err) < 0)
            return -1;
        x->text.path = path;                    /* a text of which all is in the buffer */
        x->text.buffer = x->bytes;
        x->text.end = true;
        x->bytes = (struct se_bytes)SE_BYTES_INIT;
    }
    return 0;
}

void se_side_release(struct se_side *x)
{
    se_zip_release(&x->zip);
    se_text_close(&x->text);
    se_bytes_release(&x->bytes);
}

/* The only array of an archive: the name without ".npy", or NULL. */
static const char *only_array(const struct se_zip *z, char name[64])
{
    const struct se_zip_member *m = z->member;

    if (z->count != 1 || m->name_len < 5 || m->name_len > 63 ||
        memcmp(m->name + m->name_len - 4, ".npy", 4) != 0)
        return NULL;
    snprintf(name, 64, "%.*s", (int)m->name_len - 4, m->name);
    return name;
}

int se_side_array(struct se_side *x, const char *const *names, struct se_npy *a,
                  struct se_err *err)
{
    char only[64];
    const char *name = NULL;
    int rc;

    if (x->kind == SE_SIDE_NPY) {
        rc = se_npy_parse(a, x->bytes.data, x->bytes.len, err);
        return rc < 0 ? se_err_in(err, x->path) : 0;
    }
    for (int i = 0; names[i] && !name; i++) {
        char member[64];

        snprintf(member, sizeof member, "%s.npy", names[i]);
        if (se_zip_find(&x->zip, member))
            name = names[i];
    }
    if (!name && !(name = only_array(&x->zip, only)))
        return se_fail(err, SE_EINPUT, "%s: has no array %s, nor a single one of another name",
                       x->path, names[0]);
    return se_npz_get(&x->zip, name, a, err) < 0 ? se_err_in(err, x->path) : 0;
}

int se_side_rows(struct se_side *x, uint64_t rows, struct se_err *err)
{
    if (rows >= SE_MAX_VERTICES)
        return se_fail(err, SE_EINPUT, "%s: too many rows", x->path);
    if (x->n == 0)
        x->n = rows;
    return rows == x->n ? 0 : se_fail(err, SE_EINPUT, "%s: is for %" PRIu64 " vertices, but there "
                                      "are %" PRIu64 "; if some have no edge, say --vertices",
                                      x->path, rows, x->n);
}
