/* npy.h - numpy's arrays, one in an .npy file, several in an .npz archive */
#ifndef SE_NPY_H
#define SE_NPY_H

#include "formats/zip.h"

enum { SE_NPY_DIMS = 8 };

/* An array whose bytes are all there: shape and type were checked against their number. */
struct se_npy {
    char kind;                  /* b truth, i u whole, f float, U S text, as in numpy */
    bool swapped;               /* big-endian */
    bool fortran;               /* columns first */
    uint64_t size;              /* bytes of an element */
    int dims;
    uint64_t shape[SE_NPY_DIMS], count;
    struct se_blob blob;        /* what the array owns of the file */
    const unsigned char *data;
};
#define SE_NPY_INIT { 0, false, false, 0, 0, { 0 }, 0, SE_BLOB_INIT, NULL }

/* Understand the bytes of an .npy file, which must outlive the array. */
int se_npy_parse(struct se_npy *a, const void *data, uint64_t len, struct se_err *err);
/* Set type and shape by hand for `len` bytes of data, as a pickle gives them: "i4", '<'. */
int se_npy_set(struct se_npy *a, const char *type, size_t type_len, char order, int dims,
               const uint64_t *shape, const void *data, uint64_t len, struct se_err *err);
/* A copy that owns its bytes */
int se_npy_copy(struct se_npy *copy, const struct se_npy *a, struct se_err *err);
void se_npy_release(struct se_npy *a);
bool se_npy_is(const void *head, size_t len);   /* does it start like an .npy file? */
bool se_zip_is(const void *head, size_t len);   /* or like a zip archive? */

/* Element i in the order of the file (se_npy_place for others).  se_npy_whole is false if it
 * is no whole number that fits; both are false, or NaN, for text. */
bool se_npy_whole(const struct se_npy *a, uint64_t i, int64_t *value);
double se_npy_number(const struct se_npy *a, uint64_t i);
/* Append element i, a text, as UTF-8; bytes are taken as they are. */
int se_npy_text(const struct se_npy *a, uint64_t i, struct se_bytes *text,
                struct se_err *err);
/* Where the element in row i, column j is, for arrays of two dimensions. */
uint64_t se_npy_place(const struct se_npy *a, uint64_t i, uint64_t j);
/* All numbers of an array of one or two dimensions, rows first; finite.  Give it back with
 * free().  NULL with `err` set. */
float *se_npy_floats(const struct se_npy *a, struct se_err *err);

/* The array of this name in an archive: 1, or 0 if there is none, or -1 with `err` set. */
int se_npz_get(const struct se_zip *z, const char *name, struct se_npy *a,
               struct se_err *err);
/* The same where it must be there and have so many dimensions: 0 or -1. */
int se_npz_need(const struct se_zip *z, const char *name, int dims, struct se_npy *a,
                struct se_err *err);
/* Add an array of `type` ("<i4", "|u1", ...) to an archive. */
int se_npz_add(struct se_zip_out *w, const char *name, const char *type, int dims,
               const uint64_t *shape, const void *data, uint64_t len, struct se_err *err);
/* The header of an .npy file, padded so that data behind it are aligned. */
int se_npy_header(struct se_bytes *b, const char *type, int dims, const uint64_t *shape,
                  struct se_err *err);

#endif
