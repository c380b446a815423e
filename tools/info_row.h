/* info_row.h - se-info --row: the line of metrics.tsv of an iteration of se-gsl */
#ifndef SE_INFO_ROW_H
#define SE_INFO_ROW_H

#include "common/cli/tool.h"

/* Where the entropies come from: the stats of the stream; the tree from tree.seg, which lies beside it;
 * all from there, without k; there are none */
enum info_computed { COMPUTED_STATS, COMPUTED_TREE, COMPUTED_ALL, COMPUTED_NONE };

/* Write the line of the stream that was read from `path`; which: "SPLIT,RUN,ITERATION".  Without -q
 * people get a line on standard error. */
int info_row(struct se_run *run, struct se_stream *s, const char *path, const char *which,
             enum info_computed how, struct se_out *out, struct se_err *err);

#endif
