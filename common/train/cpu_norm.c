/* cpu_norm.c - norms over rows and columns, and rows of length 1 with a share, on the CPU */
#include "common/train/vector.h"

static const double EPS = 1e-5;

/* ---- layer norm: over the columns of a row ---- */

static void norm_rows(void *arg, uint64_t from, uint64_t to)
{
    const struct se_norming *m = arg;

    for (uint64_t v = from; v < to; v++) {
        const se_real *row = m->in + v * m->cols;
        double mean = 0, square = 0;

        for (uint64_t c = 0; c < m->cols; c++)
            mean += (double)row[c];
        mean /= (double)m->cols;
        for (uint64_t c = 0; c < m->cols; c++)
            square += ((double)row[c] - mean) * ((double)row[c] - mean);
        const double scale = 1 / sqrt(square / (double)m->cols + EPS);

        m->scale[v] = (se_real)scale;
        for (uint64_t c = 0; c < m->cols; c++) {
            const uint64_t i = v * m->cols + c;

            m->unit[i] = (se_real)(((double)row[c] - mean) * scale);
            m->out[i] = m->unit[i] * m->gain[c] + m->shift[c];
        }
    }
}

static void norm_rows_back(void *arg, uint64_t from, uint64_t to)
{
    const struct se_norming *m = arg;
    const se_real *gain = m->gain;

    for (uint64_t v = from; v < to; v++) {
        const se_real *d = m->dout + v * m->cols, *u = m->unit + v * m->cols;
        double mean = 0, along = 0;

        for (uint64_t c = 0; c < m->cols; c++) {
            mean += (double)(d[c] * gain[c]);
            along += (double)(d[c] * gain[c]) * (double)u[c];
        }
        mean /= (double)m->cols;
        along /= (double)m->cols;
        for (uint64_t c = 0; c < m->cols; c++)
            m->din[v * m->cols + c] =
                (se_real)(((double)(d[c] * gain[c]) - mean - (double)u[c] * along) *
                          (double)m->scale[v]);
    }
}

/* ---- batch norm: over the rows of a column ---- */

static void norm_columns(void *arg, uint64_t from, uint64_t to)
{
    const struct se_norming *m = arg;
    const uint64_t n = m->rows;

    for (uint64_t c = from; c < to; c++) {
        double mean = 0, square = 0;

        for (uint64_t v = 0; v < n; v++)
            mean += (double)m->in[v * m->cols + c];
        mean /= (double)n;
        for (uint64_t v = 0; v < n; v++) {
            const double off = (double)m->in[v * m->cols + c] - mean;

            square += off * off;
        }
        const double scale = 1 / sqrt(square / (double)n + EPS);

        m->scale[c] = (se_real)scale;
        for (uint64_t v = 0; v < n; v++) {
            const uint64_t i = v * m->cols + c;

            m->unit[i] = (se_real)(((double)m->in[i] - mean) * scale);
            m->out[i] = m->unit[i] * m->gain[c] + m->shift[c];
        }
    }
}

static void norm_columns_back(void *arg, uint64_t from, uint64_t to)
{
    const struct se_norming *m = arg;
    const uint64_t n = m->rows;

    for (uint64_t c = from; c < to; c++) {
        const double scale = (double)m->gain[c] * (double)m->scale[c];
        double mean = 0, along = 0;

        for (uint64_t v = 0; v < n; v++) {
            const uint64_t i = v * m->cols + c;

            mean += (double)m->dout[i];
            along += (double)m->dout[i] * (double)m->unit[i];
        }
        mean /= (double)n;
        along /= (double)n;
        for (uint64_t v = 0; v < n; v++) {
            const uint64_t i = v * m->cols + c;

            m->din[i] = (se_real)(((double)m->dout[i] - mean - (double)m->unit[i] * along) *
                                  scale);
        }
    }
}

void se_cpu_norm(struct se_worker *w, const struct se_norming *m)
{
    struct se_norming all = *m;

    if (m->batch)
        se_ranges(w->threads, m->cols, 8 * m->rows, norm_columns, &all);
    else
        se_ranges(w->threads, m->rows, 8 * m->cols, norm_rows, &all);
}

void se_cpu_norm_back(struct se_worker *w, const struct se_norming *m)
{
    struct se_norming all = *m;

    if (m->batch)
        se_ranges(w->threads, m->cols, 8 * m->rows, norm_columns_back, &all);
    else
        se_ranges(w->threads, m->rows, 8 * m->cols, norm_rows_back, &all);
}

/* ---- gate ---- */

static void gate_rows(void *arg, uint64_t from, uint64_t to)
{
    const struct se_gating *g = arg;

    for (uint64_t v = from; v < to; v++) {
        const se_real *h = g->h + v * g->cols;
        const double length = sqrt((double)se_dot(h, h, g->cols));
        const se_real scale = (se_real)(1 / fmax(length, 1e-12));
        se_real *out = g->out + (v * g->parts + g->part) * g->cols;

        g->length[v] = scale;
        for (uint64_t c = 0; c < g->cols; c++)
            out[c] = h[c] * scale * *g->gate;
    }
}

void se_cpu_gate(struct se_worker *w, const struct se_gating *g)
{
    struct se_gating all = *g;

    se_ranges(w->threads, g->rows, 4 * g->cols, gate_rows, &all);
}

/* The sum of dout . (h / |h|), and the gradient of h: across its direction only */
static void gate_part_back(void *arg, uint64_t from, uint64_t to, se_real *sum)
{
    const struct se_gating *g = arg;

    *sum = 0;
    for (uint64_t v = from; v < to; v++) {
        const se_real *h = g->h + v * g->cols, *d = g->dout + (v * g->parts + g->part) * g->cols;
        const se_real scale = g->length[v], along = se_dot(d, h, g->cols) * scale;
        const se_real gate = *g->gate * scale;
        se_real *dh = g->dh ? g->dh + v * g->cols : NULL;

        *sum += along;
        if (dh && !g->add)
            memset(dh, 0, g->cols * sizeof *dh);
        for (uint64_t c = 0; dh && scale < (se_real)1e11 && c < g->cols; c++)
            dh[c] += gate * (d[c] - along * scale * h[c]);
    }
}

void se_cpu_gate_back(struct se_worker *w, const struct se_gating *g)
{
    struct se_gating all = *g;

    se_sum_parts(w, g->rows, 1, 6 * g->cols, gate_part_back, &all, g->dgate);
}
