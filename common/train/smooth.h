/* smooth.h - Correct and Smooth: predictions that agree along the edges */
#ifndef SE_SMOOTH_H
#define SE_SMOOTH_H

#include "common/stream/section.h"

enum { SE_SMOOTH_STEPS = 20 };

/* Correct class probabilities p (n x classes) by the errors on the training part, then smooth them
 * with the training labels (Huang et al., ICLR 2021).  With S = D^-1/2 A D^-1/2 and
 * spread(X) = `keep` X + (1 - keep) S spread(X), in SE_SMOOTH_STEPS steps:
 *
 *     E = spread(Y - P on training vertices, 0 elsewhere)
 *     P = P + E, each row of E scaled to the mean size of the training errors, by 1.5 at most
 *     P = spread(Y on training vertices, P elsewhere)
 *
 * Rows are then made probabilities again; one without anything positive stays as it was.  Other
 * labels are not read.  Vertices have as many labels as g has; -1: none. */
int se_correct_and_smooth(const struct se_graph *g, const int32_t *label, const uint8_t *part,
                          uint64_t classes, double keep, int threads, float *p,
                          struct se_err *err);

#endif
