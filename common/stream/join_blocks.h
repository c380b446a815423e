/* join_blocks.h - blocks of pairs into the k most similar of each vertex; part of join.c */
#ifndef SE_JOIN_BLOCKS_H
#define SE_JOIN_BLOCKS_H

#include "common/stream/section.h"

/* If there are block sections, they become the knn section of `base`.  They must hold each pair of
 * vertices once. */
int se_stream_join_blocks(struct se_stream *base, struct se_stream *other, int others,
                          struct se_err *err);

#endif
