/* infojson.h - the summary of se-info as JSON */
#ifndef SE_INFOJSON_H
#define SE_INFOJSON_H

#include "common/base/text.h"
#include "common/inspect/info.h"

/* One object.  Keys of absent sections are left out, but for those of the graph, which are
 * null.  `sections`: sizes and digests of all sections too. */
int se_info_json(const struct se_info *x, struct se_stream *s, bool sections,
                 struct se_out *out, struct se_err *err);
/* The values of the names in a list ("vertices,edges,train.acc.val"), separated by tabs, on a
 * line: of all that the object holds but arrays, the stats by their own names and the accuracy
 * of a part as "accuracy.test", sizes of splits as "split_sizes.0.val", and "tree.h/tree.h1".  A
 * name that is not there is an error, or null if a ? follows it. */
int se_info_get(const struct se_info *x, const char *names, struct se_out *out,
                struct se_err *err);

#endif
