/* join.h - several streams into one */
#ifndef SE_JOIN_H
#define SE_JOIN_H

#include "common/stream/section.h"

/* Add the sections of others to `base`.  What both have must be equal, or the later replaces
 * the earlier when `replace`; but lines of history and numbers of stats are united (of a
 * number given twice, the last counts), and knn sections of different rows are joined, which
 * must then have all rows; blocks become one knn section, and must have all pairs; of sections
 * unknown to us all different ones stay.  Nothing is
 * dropped for being stale.  Errors name the section; *at tells in which of the others the
 * fault is, -1 if in the whole. */
int se_stream_join(struct se_stream *base, struct se_stream *other, int others, bool replace,
                   int *at, struct se_err *err);

/* Lend a section of another stream (se_stream_lend) to where it would be if it had never been left out;
 * nothing if the other has none. */
int se_stream_put_back(struct se_stream *s, const struct se_stream *other, uint32_t tag,
                       struct se_err *err);

#endif
