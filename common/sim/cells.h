/* cells.h - rows divided into cells of rows that are alike */
#ifndef SE_SIM_CELLS_H
#define SE_SIM_CELLS_H

#include <stdint.h>

#include "common/base/err.h"

enum { SE_CELL = 256 };         /* rows of a cell, at most */

struct se_cells {
    uint64_t m, d, count;
    uint32_t *order;            /* the rows, cell by cell */
    uint64_t *first;            /* count + 1: where a cell starts in it */
    float *centre;              /* count x d: the mean of each, of length 1 */
};
#define SE_CELLS_INIT { .m = 0 }

/* Divide m rows of d numbers, of length 1, in two by their similarity to two means, and so on;
 * another seed draws other means.  The same at any number of threads.  Release in any case. */
int se_cells_make(struct se_cells *c, const float *x, uint64_t m, uint64_t d, uint64_t seed,
                  int threads, struct se_err *err);
void se_cells_release(struct se_cells *c);

/* The sum of products of d numbers */
static inline float se_product_of(const float *x, const float *y, uint64_t d)
{
    float sum[8] = { 0 }, all = 0;
    uint64_t t = 0;

    for (; t + 8 <= d; t += 8)
        for (int k = 0; k < 8; k++)
            sum[k] += x[t + (uint64_t)k] * y[t + (uint64_t)k];
    for (; t < d; t++)
        all += x[t] * y[t];
    for (int k = 0; k < 8; k++)
        all += sum[k];
    return all;
}

#endif
