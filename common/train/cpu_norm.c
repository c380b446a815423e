/* cpu_norm.c - norms over rows and columns, and rows of length 1 with a share, on the CPU */
#include "common/train/peers.h"
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

/* ---- batch norm: over the rows of a column ----
 *
 * Two sums for each column, in double and in the order of the rows; of several processes each
 * goes on where the one before it is. */

struct column_means {
    const struct se_norming *m;
    double *first, *second;     /* per column: the sum of the numbers, then their mean; the other */
};

static void sum_numbers(void *arg, uint64_t from, uint64_t to)
{
    const struct column_means *s = arg;
    const struct se_norming *m = s->m;

    for (uint64_t v = 0; v < m->rows; v++)
        for (uint64_t c = from; c < to; c++)
            s->first[c] += (double)m->in[v * m->cols + c];
}

static void sum_squares(void *arg, uint64_t from, uint64_t to)
{
    const struct column_means *s = arg;
    const struct se_norming *m = s->m;

    for (uint64_t v = 0; v < m->rows; v++)
        for (uint64_t c = from; c < to; c++) {
            const double off = (double)m->in[v * m->cols + c] - s->first[c];

            s->second[c] += off * off;
        }
}

static void norm_columns(void *arg, uint64_t from, uint64_t to)
{
    const struct column_means *s = arg;
    const struct se_norming *m = s->m;

    for (uint64_t c = from; c < to; c++) {
        s->second[c] = 1 / sqrt(s->second[c] + EPS);
        m->scale[c] = (se_real)s->second[c];
    }
    for (uint64_t v = 0; v < m->rows; v++)
        for (uint64_t c = from; c < to; c++) {
            const uint64_t i = v * m->cols + c;

            m->unit[i] = (se_real)(((double)m->in[i] - s->first[c]) * s->second[c]);
            m->out[i] = m->unit[i] * m->gain[c] + m->shift[c];
        }
}

static void sum_gradients(void *arg, uint64_t from, uint64_t to)
{
    const struct column_means *s = arg;
    const struct se_norming *m = s->m;

    for (uint64_t v = 0; v < m->rows; v++)
        for (uint64_t c = from; c < to; c++) {
            const uint64_t i = v * m->cols + c;

            s->first[c] += (double)m->dout[i];
            s->second[c] += (double)m->dout[i] * (double)m->unit[i];
        }
}

static void norm_columns_back(void *arg, uint64_t from, uint64_t to)
{
    const struct column_means *s = arg;
    const struct se_norming *m = s->m;

    for (uint64_t v = 0; v < m->rows; v++)
        for (uint64_t c = from; c < to; c++) {
            const uint64_t i = v * m->cols + c;
            const double scale = (double)m->gain[c] * (double)m->scale[c];

            m->din[i] = (se_real)(((double)m->dout[i] - s->first[c] -
                                   (double)m->unit[i] * s->second[c]) * scale);
        }
}

/* The means of what `sum` adds up, in `count` numbers from `mean` */
static void means_of(struct se_worker *w, struct column_means *s, se_range *sum, double *mean,
                     uint64_t count)
{
    struct se_peers *p = w->peers;
    const double n = (double)(p ? p->n : s->m->rows);

    memset(mean, 0, count * sizeof *mean);
    if (p)
        p->take(p, mean, count * sizeof *mean);
    se_ranges(w->threads, s->m->cols, 4 * s->m->rows, sum, s);
    if (p) {
        p->pass(p, mean, count * sizeof *mean);
        p->share(p, mean, count * sizeof *mean);
    }
    for (uint64_t c = 0; c < count; c++)
        mean[c] /= n;
}

void se_cpu_norm(struct se_worker *w, const struct se_norming *m)
{
    struct se_norming all = *m;
    struct column_means s = { &all, w->total, w->total + m->cols };

    if (!m->batch) {
        se_ranges(w->threads, m->rows, 8 * m->cols, norm_rows, &all);
        return;
    }
    means_of(w, &s, sum_numbers, s.first, m->cols);
    means_of(w, &s, sum_squares, s.second, m->cols);
    se_ranges(w->threads, m->cols, 4 * m->rows, norm_columns, &s);
}

void se_cpu_norm_back(struct se_worker *w, const struct se_norming *m)
{
    struct se_norming all = *m;
    struct column_means s = { &all, w->total, w->total + m->cols };

    if (!m->batch) {
        se_ranges(w->threads, m->rows, 8 * m->cols, norm_rows_back, &all);
        return;
    }
    means_of(w, &s, sum_gradients, s.first, 2 * m->cols);
    se_ranges(w->threads, m->cols, 4 * m->rows, norm_columns_back, &s);
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
