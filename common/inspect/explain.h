/* explain.h - what two vertices have in common */
#ifndef SE_EXPLAIN_H
#define SE_EXPLAIN_H

#include "common/base/text.h"
#include "common/inspect/called.h"
#include "common/inspect/info.h"

/* The vertex that a text of `len` bytes means: its name where the stream has names, else its
 * number.  SE_NONE: there is no such vertex. */
int se_vertex_named(struct se_stream *s, const char *text, size_t len, uint32_t *v,
                    struct se_err *err);

/* Write the size of the smallest module that holds both, the modules of each from the root down,
 * which neighbours they share, the cosine of their features and the columns that both have and few
 * others do. */
int se_explain_pair(const struct se_info *x, const struct se_called *called,
                    const uint32_t pair[2], struct se_out *out, struct se_err *err);

#endif
