/* named.h - the arrays of a file by their names: which of them is the graph, which the features
 *
 * npz archives and MATLAB files hold arrays under names that each author chose.  Known names
 * are listed in named.c; what was taken for what is told in the notes of the import. */
#ifndef SE_NAMED_H
#define SE_NAMED_H

#include "formats/formats.h"
#include "formats/sparse.h"

enum se_named_kind {
    SE_NAMED_DENSE, SE_NAMED_SPARSE, SE_NAMED_TEXTS,
    SE_NAMED_OTHER                      /* something else, which is only told */
};

struct se_named {
    char name[64];
    enum se_named_kind kind;
    struct se_npy dense;        /* one or two dimensions; its memory is its own or the file's */
    struct se_sparse sparse;
    struct se_bytes text;       /* texts, each ended by NUL */
    uint64_t texts;
    bool used;
};

struct se_named_set {
    struct se_named *item;
    size_t count, cap;
};
#define SE_NAMED_SET_INIT { NULL, 0, 0 }

/* A new, empty item, or NULL with `err` set; it belongs to the set. */
struct se_named *se_named_add(struct se_named_set *x, const char *name, size_t len,
                              struct se_err *err);
/* Make sections of what is known; *n: vertices.  Nothing known is an error that lists what is
 * there. */
int se_named_put(struct se_named_set *x, struct se_import *in, struct se_stream *s, uint64_t *n,
                 struct se_err *err);
/* Add labels and features if one is the local_info of Facebook100: 0, or -1; facebook100.c. */
int se_facebook100(struct se_named_set *x, const struct se_import *in, struct se_err *err);
/* Is it the name of one of the arrays that are known? */
bool se_named_known(const char *name, size_t len);
void se_named_release(struct se_named_set *x);

#endif
