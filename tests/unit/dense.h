/* dense.h - dense algebra for nets: products, the input as a matrix, the logits against what is wanted */
#ifndef SE_TEST_DENSE_H
#define SE_TEST_DENSE_H

#include "tests/unit/networld.h"

enum { SEEDS = 6 };

/* c (m x n) = a (m x k) b */
static inline void multiply(const double *a, const double *b, int m, int k, int n, double *c)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            c[i * n + j] = 0;
            for (int l = 0; l < k; l++)
                c[i * n + j] += a[i * k + l] * b[l * n + j];
        }
}

static inline void add_row(double *x, const double *row, int cols)
{
    for (int i = 0; i < N * cols; i++)
        x[i] += row[i % cols];
}

static inline void dense_input(const struct world *w, double *x)
{
    const struct se_sparse *s = w->input.sparse;

    memcpy(x, w->dense, sizeof w->dense);
    if (!s)
        return;
    memset(x, 0, sizeof w->dense);
    for (uint64_t v = 0; v < N; v++)
        for (uint64_t e = s->off[v]; e < s->off[v + 1]; e++)
            x[v * COLS + s->col[e]] = s->value[e];
}

static inline double *value_of(struct world *w, int parameter)
{
    return w->net.value + w->net.parameter[parameter].start;
}

static inline void compare(struct world *w, const double *want)
{
    const double *got = se_net_forward(&w->net, false);

    for (int i = 0; i < N * CLASSES; i++)
        CHECK_NEAR(got[i], want[i], 1e-10);
}

#endif
