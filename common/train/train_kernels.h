/* train_kernels.h - the inner loops of nets, for several kinds of CPU */
#ifndef SE_NN_KERNELS_H
#define SE_NN_KERNELS_H

#include "common/train/net.h"

/* Sums for rows of y; the entries of row i are first[i] .. last[i] - 1. */
struct se_sums {
    const struct se_gather *g;
    bool both;                  /* two at once, g[0] and g[1] */
    const uint64_t *first, *last;
};

enum { SE_MASKED = 256 };       /* elements of a mask that are made at a time */

struct se_kernels {
    se_range *sum_rows;         /* of struct se_sums */
    se_range *sum_columns;      /* of struct se_columns; ranges of parts */
    se_range *mask;             /* of struct se_masking; ranges of SE_MASKED elements */
};

/* Their results are the same, bit by bit. */
extern const struct se_kernels se_kernels_plain;
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(SE_TEST_REAL)
#define SE_HAS_V4
extern const struct se_kernels se_kernels_v4;   /* for CPUs with AVX-512 */
#endif

/* The fastest for sums of so many columns, on this CPU */
const struct se_kernels *se_kernels_for(uint64_t width);

#endif
