/* sim_kernels.h - the inner loops of the similarity search, in the CPU's widest vectors */
#ifndef SE_SIM_KERNEL_H
#define SE_SIM_KERNEL_H

#include <math.h>
#include <stdint.h>

enum {
    SE_LEAF = 64,               /* vectors of a leaf, so that a mask is 64 bits */
    SE_RANKED = 64              /* keys that are best sorted by counting */
};

#define SE_SIM_GRID 0x1p34      /* S is rounded to a multiple of its inverse */

static inline float se_sim_snap(double s)
{
    s = rint(s * SE_SIM_GRID) / SE_SIM_GRID;
    return (float)(s > 1 ? 1 : s < -1 ? -1 : s);
}

struct se_sim_kernels {
    /* sum of y[t] * ((x[t] - shift) - mean), in double; the same bits on every CPU */
    double (*dot)(const double *y, const float *x, double shift, double mean, uint64_t d);
    /* S of row i of a table with the rows id[0..n-1], to the same bits as by dot().  A row of
     * the table has `stride` numbers, a multiple of 8: those of a vector, centred; zeros; and
     * last the inverse of its length. */
    void (*similar)(const double *table, uint64_t stride, uint64_t i, const uint32_t *id,
                    uint32_t n, float *s);
    /* Leaf: d rows of SE_LEAF numbers, vector j is column j.  For the queries i in `mask`, each
     * d numbers of q: near[i] is the mask of the vectors whose squared distance is at most
     * -floor[i], score[i] has minus all distances. */
    void (*leaf)(const float *leaf, const float *q, uint64_t d, uint64_t mask,
                 const float *floor, uint64_t near[SE_LEAF], float score[][SE_LEAF]);
    /* Names and scores of the vectors in `near` to `id` and `to`, which have room for SE_LEAF;
     * how many. */
    uint32_t (*pick)(uint64_t near, const uint32_t name[SE_LEAF], const float score[SE_LEAF],
                     uint32_t *id, float *to);
    /* The mask of the vectors j of a leaf whose squared distance to a box is at most
     * limit[j].  A box is d lower bounds, then d upper bounds. */
    uint64_t (*box)(const float *leaf, const float *box, uint64_t d,
                    const float limit[SE_LEAF]);
    /* The places c of s[0..n-1] with s[c] >= own or s[c] >= floor[c]; how many. */
    uint32_t (*scan)(const float *s, const float *floor, float own, uint32_t n,
                     uint32_t *hit);
    /* How many of s[0..n-1] are at least x. */
    uint32_t (*count)(const float *s, uint32_t n, float x);
    /* The least and the largest of s[0..n-1], n > 0. */
    void (*range)(const float *s, uint32_t n, float *least, float *largest);
    /* Of n names and scores those with a score of at least x, moved to the front; how many. */
    uint32_t (*keep)(uint32_t *id, float *s, uint32_t n, float x);
    /* rank[i] = how many of the n different keys are less than key[i], n <= SE_RANKED. */
    void (*rank)(const uint64_t *key, uint32_t n, uint8_t *rank);
};
const struct se_sim_kernels *se_sim_kernels(void);

#endif
