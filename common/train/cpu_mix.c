/* cpu_mix.c - channels mixed for each vertex, on the CPU */
#include "common/train/vector.h"

static const se_real *channel(const struct se_mixing *m, const se_real *of, int k)
{
    return of + (uint64_t)k * m->cols;
}

static void mix_rows(void *arg, uint64_t from, uint64_t to)
{
    const struct se_mixing *m = arg;
    const uint64_t cols = m->cols;

    for (uint64_t v = from; v < to; v++) {
        se_real *s = m->state + v * SE_CHANNELS, *a = s + m->rows * SE_CHANNELS, *out;
        double l[SE_CHANNELS], most = -INFINITY, sum = 0;

        for (int k = 0; k < SE_CHANNELS; k++)
            s[k] = (se_real)(1 / (1 + exp(-(double)se_dot(m->h[k] + v * cols,
                                                          channel(m, m->vector, k), cols))));
        for (int j = 0; j < SE_CHANNELS; j++) {
            l[j] = 0;
            for (int k = 0; k < SE_CHANNELS; k++)
                l[j] += (double)s[k] * (double)m->matrix[k * SE_CHANNELS + j] / SE_CHANNELS;
            most = fmax(most, l[j]);
        }
        for (int j = 0; j < SE_CHANNELS; j++)
            sum += l[j] = exp(l[j] - most);
        for (int j = 0; j < SE_CHANNELS; j++)
            a[j] = (se_real)(l[j] / sum);
        out = m->out + v * cols;
        for (uint64_t c = 0; c < cols; c++)
            out[c] = SE_CHANNELS * (a[0] * m->h[0][v * cols + c] + a[1] * m->h[1][v * cols + c] +
                                 a[2] * m->h[2][v * cols + c]);
    }
}

void se_cpu_mix(struct se_worker *w, const struct se_mixing *m)
{
    struct se_mixing all = *m;

    se_ranges(w->threads, m->rows, 9 * m->cols + 60, mix_rows, &all);
}

/* Gradients of one vertex: of the vectors and the matrix into `sum`, of the channels over h */
static void row_back(const struct se_mixing *m, uint64_t v, se_real *sum)
{
    const uint64_t cols = m->cols;
    const se_real *mix = m->matrix, *dout = m->dout + v * cols;
    const se_real *s = m->state + v * SE_CHANNELS, *a = s + m->rows * SE_CHANNELS;
    se_real da[SE_CHANNELS], mean = 0;

    for (int k = 0; k < SE_CHANNELS; k++) {
        da[k] = SE_CHANNELS * se_dot(dout, m->h[k] + v * cols, cols);
        mean += a[k] * da[k];
    }
    for (int k = 0; k < SE_CHANNELS; k++)
        da[k] = a[k] * (da[k] - mean) / SE_CHANNELS;       /* of s matrix, over 3 */
    for (int k = 0; k < SE_CHANNELS; k++) {
        const se_real *w = channel(m, m->vector, k);
        se_real *h = m->h[k] + v * cols, *dw = sum + (uint64_t)k * cols, ds = 0;

        for (int j = 0; j < SE_CHANNELS; j++) {
            ds += mix[k * SE_CHANNELS + j] * da[j];
            sum[SE_CHANNELS * cols + (uint64_t)(k * SE_CHANNELS + j)] += s[k] * da[j];
        }
        ds *= s[k] * (1 - s[k]);
        for (uint64_t c = 0; c < cols; c++) {
            dw[c] += ds * h[c];
            h[c] = h[c] > 0 ? SE_CHANNELS * a[k] * dout[c] + ds * w[c] : 0;
        }
    }
}

static void mix_part_back(void *arg, uint64_t from, uint64_t to, se_real *sum)
{
    const struct se_mixing *m = arg;

    memset(sum, 0, (SE_CHANNELS * m->cols + SE_CHANNELS * SE_CHANNELS) * sizeof *sum);
    for (uint64_t v = from; v < to; v++)
        row_back(m, v, sum);
}

void se_cpu_mix_back(struct se_worker *w, const struct se_mixing *m)
{
    struct se_mixing all = *m;

    se_sum_parts(w, m->rows, SE_CHANNELS * m->cols + SE_CHANNELS * SE_CHANNELS, 12 * m->cols,
                 mix_part_back, &all, m->dvector);
}
