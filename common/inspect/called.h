/* called.h - what vertices and columns of features are called */
#ifndef SE_CALLED_H
#define SE_CALLED_H

#include "common/base/text.h"
#include "common/stream/section.h"

struct se_called {
    struct se_names names;      /* n 0: vertices have numbers */
    const char **column;        /* d names; NULL: columns have numbers */
    const double *shift, *scale;        /* per column: how it was scaled */
    uint64_t d;
};
#define SE_CALLED_INIT { { 0, NULL, NULL }, NULL, NULL, NULL, 0 }

/* The names in a stream, which they stay in.  Release it in any case. */
int se_called_make(struct se_called *x, struct se_stream *s, struct se_err *err);
void se_called_release(struct se_called *x);
/* Write the name of a vertex, or its number. */
void se_called_vertex(const struct se_called *x, struct se_out *out, uint64_t v);
/* Write the name of a column, or "column 7". */
void se_called_column(const struct se_called *x, struct se_out *out, uint64_t c);
/* A value of the column as it was before it was scaled. */
double se_called_value(const struct se_called *x, uint64_t c, double value);

#endif
