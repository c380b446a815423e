/* side.h - a file beside the graph: a numpy array, an archive of them, or text */
#ifndef SE_SIDE_H
#define SE_SIDE_H

#include "formats/formats.h"
#include "formats/npy.h"

enum se_side_kind { SE_SIDE_TEXT, SE_SIDE_NPY, SE_SIDE_NPZ };

struct se_side {
    const char *path;
    enum se_side_kind kind;
    struct se_bytes bytes;      /* numpy: the file */
    struct se_text text;        /* text: the file, to be read by lines */
    struct se_zip zip;
    uint64_t n;                 /* vertices of the stream, 0: no section tells yet */
};

/* Read the file and see what it is.  Release it in any case. */
int se_side_open(struct se_side *x, const char *path, struct se_stream *s,
                 struct se_err *err);
void se_side_release(struct se_side *x);

/* The array meant: the file's own; in an archive the first of `names` (NULL-ended) that is
 * there, else the only one. */
int se_side_array(struct se_side *x, const char *const *names, struct se_npy *a,
                  struct se_err *err);
/* Are so many rows what the stream has vertices?  Sets x->n if that was open. */
int se_side_rows(struct se_side *x, uint64_t rows, struct se_err *err);

#endif
