/* vector.h - what the inner loops of nets share: wide vectors, a fast exponential */
#ifndef SE_NN_VECTOR_H
#define SE_NN_VECTOR_H

#include <math.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "common/train/net.h"

/* The same source for wider vectors where the CPU has them.  Not under the sanitizers, whose
 * functions are not there yet when the choice is made. */
#ifdef SE_WIDE                          /* a whole file for one kind of CPU: train_kernels_v4.c */
#elif defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define SE_WIDE __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define SE_WIDE
#endif
#define SE_INLINE static inline __attribute__((always_inline, unused))

#define SE_IS_DOUBLE (sizeof(se_real) == 8)

/* Any address will do for a vector.  Functions take pointers to them, because how a vector is
 * passed depends on the CPU. */
#ifndef SE_VECTOR
#define SE_VECTOR 32
#endif
typedef se_real se_vec __attribute__((vector_size(SE_VECTOR), aligned(sizeof(se_real)), may_alias));
typedef __typeof__((se_vec){ 0 } > (se_vec){ 0 }) se_mask_vec;  /* -1 where true, else 0 */
enum { SE_LANES = SE_VECTOR / sizeof(se_real) };

#define SE_SQRT(x) _Generic((x), float: sqrtf, double: sqrt)(x)

/* x = where <= 0 ? no : yes, so that a NaN gives yes; loops over single numbers that ask such
 * things are not made of vectors, because a comparison may trap. */
SE_INLINE void se_select(const se_vec *where, const se_vec *yes, const se_vec *no, se_vec *x)
{
    const se_mask_vec m = *where <= 0;

    *x = (se_vec)((m & (se_mask_vec)*no) | (~m & (se_mask_vec)*yes));
}

SE_INLINE void se_larger(const se_vec *a, se_vec *x)
{
    const se_vec d = *a - *x;

    se_select(&d, a, x, x);
}

/* e^x within 2e-7 of itself for floats; never less than 2^-125. */
SE_INLINE void se_exp(se_vec *x)
{
    const se_vec round = (se_vec){ 0 } + 12582912;              /* 1.5 * 2^23 */
    const se_vec low = (se_vec){ 0 } - (se_real)86.5, high = (se_vec){ 0 } + 88;
    se_vec v = *x, t, r, p;

    if (SE_IS_DOUBLE) {
        for (int k = 0; k < SE_LANES; k++)
            (*x)[k] = (se_real)exp((double)(*x)[k]);
        return;
    }
    t = v - low;
    se_select(&t, &v, &low, &v);
    t = high - v;
    se_select(&t, &v, &high, &v);
    t = v * (se_real)1.44269504 + round;        /* its low bits are the power of 2 */
    r = t - round;
    v = v - r * (se_real)0.693359375 + r * (se_real)2.12194440e-4;      /* less r log 2 */
    p = v * (se_real)1.9875691500e-4 + (se_real)1.3981999507e-3;
    p = p * v + (se_real)8.3334519073e-3;
    p = p * v + (se_real)4.1665795894e-2;
    p = p * v + (se_real)1.6666665459e-1;
    p = p * v + (se_real)5.0000001201e-1;
    p = p * v * v + v + 1;
    *x = p * (se_vec)(((se_mask_vec)t + 127) << 23);    /* nothing is left of 1.5 * 2^23 */
}

/* Load and store the first `count` lanes of what may end there. */
SE_INLINE void se_load(const se_real *from, uint64_t count, se_vec *x)
{
    if (count >= SE_LANES) {
        *x = *(const se_vec *)(const void *)from;
    } else {
        *x = (se_vec){ 0 };
        memcpy(x, from, count * sizeof *from);
    }
}

SE_INLINE void se_store(const se_vec *x, uint64_t count, se_real *to)
{
    if (count >= SE_LANES)
        *(se_vec *)(void *)to = *x;
    else
        memcpy(to, x, count * sizeof *to);
}

/* The sum of the lanes, in a fixed order */
SE_INLINE se_real se_lanes(const se_vec *v)
{
    se_real sum[SE_LANES];

    memcpy(sum, v, sizeof sum);
    for (int half = SE_LANES / 2; half > 0; half /= 2)
        for (int k = 0; k < half; k++)
            sum[k] += sum[k + half];
    return sum[0];
}

SE_INLINE se_real se_dot(const se_real *a, const se_real *b, uint64_t count)
{
    se_vec sum = { 0 };
    se_real rest = 0;
    uint64_t i = 0;

    for (; i + SE_LANES <= count; i += SE_LANES)
        sum += *(const se_vec *)(const void *)(a + i) * *(const se_vec *)(const void *)(b + i);
    for (; i < count; i++)
        rest += a[i] * b[i];
    return count >= SE_LANES ? se_lanes(&sum) + rest : rest;
}

SE_INLINE void se_root(se_vec *x)
{
    for (int k = 0; k < SE_LANES; k++)
        (*x)[k] = SE_SQRT((*x)[k]);
}

/* The step of `count` parameters from i on, a vector of them at most, with this gradient */
SE_INLINE void se_adam(const struct se_adam *a, uint64_t i, uint64_t count, const se_vec *grad)
{
    const se_real b1 = (se_real)0.9, b2 = (se_real)0.999, eps = (se_real)1e-8;
    se_vec value, moment, square, g, root;

    se_load(a->value + i, count, &value);
    se_load(a->moment + i, count, &moment);
    se_load(a->square + i, count, &square);
    g = *grad + a->decay * value;
    moment = b1 * moment + (1 - b1) * g;
    square = b2 * square + (1 - b2) * g * g;
    root = square;
    se_root(&root);
    value -= a->rate * moment / (root * a->root + eps);
    se_store(&moment, count, a->moment + i);
    se_store(&square, count, a->square + i);
    se_store(&value, count, a->value + i);
}

/* c = a b, or a b' when `transposed`; rows of c on their own */
struct se_row_product {
    const se_real *a, *b, *bias;        /* bias: added to each row, or NULL */
    se_real *c;
    uint64_t inner, cols;       /* columns of a, of c */
    bool transposed, add;       /* add: c += a b, without bias */
};

/* Products without a library, if one side is short and the other has few columns: rows from ..
 * to - 1 of a b and of a b'; and sum = x' dy. */
bool se_narrow(uint64_t length, uint64_t few);
void se_narrow_times(const struct se_row_product *p, uint64_t from, uint64_t to);
void se_narrow_times_back(const struct se_row_product *p, uint64_t from, uint64_t to);
void se_narrow_weight(const se_real *x, uint64_t xcols, const se_real *dy, uint64_t cols,
                      uint64_t rows, se_real *sum);

#endif
