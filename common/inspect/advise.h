/* advise.h - what to expect of structure learning on a graph */
#ifndef SE_ADVISE_H
#define SE_ADVISE_H

#include "common/base/text.h"
#include "common/inspect/info.h"

/* Five lines: size, edges, degree, features, labels; one line without labels.  Of the labels only those
 * of the training part of the split are read. */
int se_advise(const struct se_info *x, uint64_t split, struct se_out *out, struct se_err *err);

#endif
