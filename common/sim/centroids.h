/* centroids.h - modules brought into line with the features of their vertices */
#ifndef SE_CENTROIDS_H
#define SE_CENTROIDS_H

#include "common/stream/section.h"

/* Give each row of `x`, which is dense, to the module whose centroid has the largest cosine with
 * it, and begin again until nothing changes or `rounds` are over.  The centroid is the sum of the
 * module's rows, each of length 1; a row is left out of the centroid that it is compared with.
 * Modules that begin with one row have none, and a row whose cosine with all is 0 or less stays where it is.  module[]: ids below x->n. */
int se_centroids_settle(uint32_t *module, const struct se_features *x, int rounds, int threads,
                        struct se_err *err);

#endif
