/* namedput.h - what named.c and namedvertex.c share: sections on their way from named arrays */
#ifndef SE_NAMEDPUT_H
#define SE_NAMEDPUT_H

#include "formats/internal.h"
#include "formats/named.h"

/* What an array can be; the three parts of a split follow one another. */
enum se_named_role {
    SE_IS_GRAPH, SE_IS_EDGES, SE_IS_WEIGHTS, SE_IS_FEATURES, SE_IS_LABELS, SE_IS_CLASS_NAMES,
    SE_IS_NAMES, SE_IS_TYPES, SE_IS_TRAIN, SE_IS_VAL, SE_IS_TEST
};

/* What is put together, and what was said of it. */
struct se_put {
    struct se_named_set *x;
    struct se_import *in;
    struct se_stream *s;
    uint64_t n;                 /* vertices */
    const char *from;           /* the array that n was taken from; NULL: none yet */
    struct se_bytes said;
};

/* The first array that is not used yet and has a name of this role; NULL: none. */
struct se_named *se_named_find(const struct se_named_set *x, int role);
uint64_t se_named_rows(const struct se_named *item);
uint64_t se_named_columns(const struct se_named *item);
/* Any matrix as a list of entries. */
int se_named_sparse(struct se_named *item, struct se_err *err);

/* Remember that the array was taken for `what`. */
int se_put_say(struct se_put *p, const struct se_named *item, const char *what,
               struct se_err *err);
/* An array speaks of `rows` vertices: as many as the ones before it? */
int se_put_agree(struct se_put *p, const struct se_named *item, uint64_t rows,
                 struct se_err *err);

/* --class NAME, else the first known name. */
int se_find_labels(struct se_put *p, struct se_named **item, struct se_err *err);
int se_put_labels(struct se_put *p, struct se_named *item, struct se_err *err);
int se_put_names(struct se_put *p, struct se_named *item, struct se_err *err);
int se_put_splits(struct se_put *p, struct se_err *err);

#endif
