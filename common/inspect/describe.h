/* describe.h - what distinguishes the modules of a tree */
#ifndef SE_DESCRIBE_H
#define SE_DESCRIBE_H

#include "common/base/text.h"
#include "common/stream/section.h"

/* Write of each module at `level`, largest first: size, cohesion, most typical vertices and
 * the columns of the features that are more frequent (dense: higher) than elsewhere.  Needs a
 * tree and the graph it was made for. */
int se_describe(struct se_stream *s, uint32_t level, struct se_out *out, struct se_err *err);

#endif
