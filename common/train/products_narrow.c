/* products_narrow.c - products with a matrix of few columns: the classes
 *
 * A library for products spends more on such than they take, and longer on its own start than a
 * small net needs for its training. */
#include "common/train/vector.h"

enum { FEW = 16, LONG = 512, TILE = 8, BLOCK = 128 };
enum { SUMS = 8 };              /* vectors that are summed at a time, to keep the CPU busy */

bool se_narrow(uint64_t length, uint64_t few)
{
    return few <= FEW && length <= LONG;
}

/* ---- y = a b, b of few columns: `vectors` hold a row of y ---- */

SE_INLINE void rows_times(const struct se_row_product *p, uint64_t row, uint64_t rows,
                          const se_real *packed, const int vectors)
{
    se_vec sum[SUMS][FEW / SE_LANES];

    for (uint64_t i = 0; i < rows; i++)
        for (int v = 0; v < vectors; v++)
            sum[i][v] = (se_vec){ 0 };
    for (uint64_t k = 0; k < p->inner; k++)
        for (uint64_t i = 0; i < rows; i++) {
            const se_real a = p->a[(row + i) * p->inner + k];
            const se_vec *b = (const se_vec *)(const void *)(packed + k * (uint64_t)vectors *
                                                             SE_LANES);

            for (int v = 0; v < vectors; v++)
                sum[i][v] += a * b[v];
        }
    for (uint64_t i = 0; i < rows; i++) {
        const se_real *s = (const se_real *)sum[i];
        se_real *y = p->c + (row + i) * p->cols;

        for (uint64_t c = 0; c < p->cols; c++)
            y[c] = s[c] + (p->bias ? p->bias[c] : p->add ? y[c] : 0);
    }
}

SE_INLINE void times_range(const struct se_row_product *p, uint64_t from, uint64_t to,
                           const int vectors)
{
    const uint64_t wide = (uint64_t)vectors * SE_LANES;
    se_real packed[LONG * FEW];
    uint64_t i = from;

    for (uint64_t k = 0; k < p->inner; k++)
        for (uint64_t c = 0; c < wide; c++)
            packed[k * wide + c] = c < p->cols ? p->b[k * p->cols + c] : 0;
    for (; i + SUMS / vectors <= to; i += SUMS / vectors)
        rows_times(p, i, SUMS / vectors, packed, vectors);
    for (; i < to; i++)
        rows_times(p, i, 1, packed, vectors);
}

SE_WIDE void se_narrow_times(const struct se_row_product *p, uint64_t from, uint64_t to)
{
    if (p->cols <= SE_LANES)
        times_range(p, from, to, 1);
    else if (p->cols <= 2 * SE_LANES)
        times_range(p, from, to, 2);
    else
        times_range(p, from, to, FEW / SE_LANES);
}

/* ---- y = a b', a of few columns ---- */

SE_INLINE void row_times_back(const struct se_row_product *p, const se_real *a, const se_real *packed,
                              se_real *y, uint64_t count, const int vectors)
{
    se_vec sum[TILE];

    for (int v = 0; v < vectors; v++) {
        sum[v] = (se_vec){ 0 };
        if (p->add)
            se_load(y + v * SE_LANES, count, &sum[v]);
    }
    for (uint64_t c = 0; c < p->inner; c++) {
        const se_vec *b = (const se_vec *)(const void *)(packed + c * LONG);

        for (int v = 0; v < vectors; v++)
            sum[v] += a[c] * b[v];
    }
    for (int v = 0; v < vectors; v++)
        se_store(&sum[v], count, y + v * SE_LANES);
}

SE_WIDE void se_narrow_times_back(const struct se_row_product *p, uint64_t from, uint64_t to)
{
    se_real packed[FEW * LONG];

    for (uint64_t c = 0; c < p->inner; c++)
        for (uint64_t k = 0; k < LONG; k++)
            packed[c * LONG + k] = k < p->cols ? p->b[k * p->inner + c] : 0;
    for (uint64_t i = from; i < to; i++) {
        const se_real *a = p->a + i * p->inner;
        se_real *y = p->c + i * p->cols;
        uint64_t k = 0;

        for (; k + TILE * SE_LANES <= p->cols; k += TILE * SE_LANES)
            row_times_back(p, a, packed + k, y + k, SE_LANES, TILE);
        for (; k < p->cols; k += SE_LANES)
            row_times_back(p, a, packed + k, y + k, p->cols - k, 1);
    }
}

/* ---- sum = x' dy, dy of few columns: one column after the other, block by block of rows ---- */

SE_INLINE void add_block(const se_real *x, uint64_t xcols, const se_real *dy, uint64_t cols,
                         uint64_t rows, se_real *sum, uint64_t count, const int vectors)
{
    se_vec s[TILE];

    for (int v = 0; v < vectors; v++)
        se_load(sum + v * SE_LANES, count, &s[v]);
    for (uint64_t i = 0; i < rows; i++)
        for (int v = 0; v < vectors; v++) {
            se_vec row;

            se_load(x + i * xcols + (uint64_t)v * SE_LANES, count, &row);
            s[v] += dy[i * cols] * row;
        }
    for (int v = 0; v < vectors; v++)
        se_store(&s[v], count, sum + v * SE_LANES);
}

SE_WIDE void se_narrow_weight(const se_real *x, uint64_t xcols, const se_real *dy, uint64_t cols,
                              uint64_t rows, se_real *sum)
{
    se_real back[FEW * LONG];           /* transposed */

    memset(back, 0, cols * LONG * sizeof *back);
    for (uint64_t row = 0; row < rows; row += BLOCK) {
        const uint64_t some = rows - row < BLOCK ? rows - row : BLOCK;

        for (uint64_t c = 0; c < cols; c++) {
            uint64_t k = 0;

            for (; k + TILE * SE_LANES <= xcols; k += TILE * SE_LANES)
                add_block(x + row * xcols + k, xcols, dy + row * cols + c, cols, some,
                          back + c * LONG + k, SE_LANES, TILE);
            for (; k < xcols; k += SE_LANES)
                add_block(x + row * xcols + k, xcols, dy + row * cols + c, cols, some,
                          back + c * LONG + k, xcols - k, 1);
        }
    }
    for (uint64_t k = 0; k < xcols; k++)
        for (uint64_t c = 0; c < cols; c++)
            sum[k * cols + c] = back[c * LONG + k];
}
