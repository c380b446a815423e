/* crosscheck.h - do the sections of a stream agree with each other? */
#ifndef SE_DEEP_H
#define SE_DEEP_H

#include "common/stream/section.h"

/* Beyond se_stream_check(), which every section has passed: origins are what is there, names
 * occur once, neighbours are as similar and as near as their rows say, fused is the graph and
 * the neighbours, stats tell of the sections beside them.  0, or -1 with `err` naming section
 * and place.  O(m log m + n k d). */
int se_stream_deep(struct se_stream *s, int threads, struct se_err *err);

/* Parts of it (crosscheck_derived.c): what was computed from other sections. */
int se_deep_knn(struct se_stream *s, int threads, struct se_err *err);
int se_deep_fused(struct se_stream *s, struct se_err *err);
int se_deep_tree(struct se_stream *s, struct se_err *err);
/* If stats has this name it must be `value`, up to `slack` (relative above 1). */
int se_deep_stat(struct se_stream *s, const char *name, double value, double slack,
                 struct se_err *err);

#endif
