/* match.h - a stored model and other data: columns of features and classes by name
 *
 * The text of a model has a line "column=SHIFT SCALE NAME" for each column of the features it
 * was trained on and "class=NAME" for each class, where these have names.  A line break or a
 * backslash in a name is written as \n or \\. */
#ifndef SE_MATCH_H
#define SE_MATCH_H

#include "common/base/mem.h"
#include "common/stream/section.h"

/* Add the lines for the sections columns and labels of `s`, as far as they are there. */
int se_match_tell(struct se_bytes *text, struct se_stream *s, struct se_err *err);

/* The features of a stream in the order and scale of the model's columns. */
struct se_match {
    bool used;                  /* false: the model or the stream has no names */
    bool unnamed;               /* the model has names of columns, the stream has none */
    struct se_features f;       /* sparse; points into what follows */
    uint64_t *off;
    uint32_t *col;
    float *value;
    uint64_t unknown;           /* columns of the stream that the model does not know */
    char example[64];           /* one of them */
};
#define SE_MATCH_INIT { .used = false }
/* A column of the table that the model needs and the stream lacks is an error that names it.
 * Words that the model does not know count as absent.  Release it in any case. */
int se_match_features(struct se_match *x, const struct se_model *m, struct se_stream *s,
                      struct se_err *err);
void se_match_release(struct se_match *x);

/* Number the classes of the stream as the model does, by their names; classes that only the
 * stream has come behind.  Without labels all vertices get none, and the classes their names.
 * *unknown: classes that the model does not know. */
int se_match_classes(const struct se_model *m, struct se_stream *s, uint64_t n,
                     uint64_t *unknown, struct se_err *err);

#endif
