/* split.h - random splits of the vertices into train, val and test */
#ifndef SE_SPLIT_H
#define SE_SPLIT_H

#include "common/stream/section.h"

struct se_split_options {
    uint64_t count;             /* splits */
    uint64_t seed, first;       /* split i draws the numbers of (seed, first + i) */
    int threads;
    bool stratified;            /* divide each class by itself; needs labels */
    double share[4];            /* by enum se_split_part; [SE_SPLIT_NONE] is what is left over */
    /* or, when per_class > 0, numbers: so many of each class, then of the rest of all */
    uint64_t per_class, val, test;
};

/* Make the splits of n vertices: count * n parts for a splits section, free() them.  With
 * labels (NULL: none), vertices of unknown class are in no part.  Numbers that the labels
 * cannot give are an error that names the class. */
int se_split_make(const struct se_split_options *plan, uint64_t n, const struct se_labels *labels,
                  uint8_t **part, struct se_err *err);

/* How many of `size` each share gets: rounded down, then one more for those that lost most.
 * They add up to `size`. */
void se_split_sizes(const double share[4], uint64_t size, uint64_t count[4]);

#endif
