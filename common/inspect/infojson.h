/* infojson.h - what se-info tells, as JSON */
#ifndef SE_INFOJSON_H
#define SE_INFOJSON_H

#include "common/inspect/info.h"
#include "common/base/text.h"

/* One object.  Keys of absent sections are left out, but for those of the graph, which are
 * null.  `sections`: sizes and digests of all sections too. */
int se_info_json(const struct se_info *x, struct se_stream *s, bool sections,
                 struct se_out *out, struct se_err *err);

#endif
