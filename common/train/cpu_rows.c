/* cpu_rows.c - small operations on rows and on a few numbers, on the CPU */
#include "common/train/vector.h"

/* ---- shares ---- */

void se_cpu_shares(struct se_worker *w, const se_real *s, uint64_t count, se_real *g)
{
    double most, sum = se_softmax_sum(s, count, &most);

    (void)w;
    for (uint64_t k = 0; k < count; k++)
        g[k] = (se_real)(exp((double)s[k] - most) / sum);
}

void se_cpu_shares_back(struct se_worker *w, const se_real *g, uint64_t count, se_real *d)
{
    se_real mean = 0;

    (void)w;
    for (uint64_t k = 0; k < count; k++)
        mean += g[k] * d[k];
    for (uint64_t k = 0; k < count; k++)
        d[k] = g[k] * (d[k] - mean);
}

struct pair {
    const se_real *x, *y;
    uint64_t cols;
};

static void dot_part(void *arg, uint64_t from, uint64_t to, se_real *sum)
{
    const struct pair *p = arg;
    double all = 0;

    for (uint64_t v = from; v < to; v++)
        all += (double)se_dot(p->x + v * p->cols, p->y + v * p->cols, p->cols);
    *sum = (se_real)all;
}

void se_cpu_dot(struct se_worker *w, const se_real *x, const se_real *y, uint64_t rows,
                uint64_t cols, se_real *sum)
{
    struct pair p = { x, y, cols };

    se_sum_parts(w, rows, 1, 2 * cols, dot_part, &p, sum);
}

/* ---- scales ---- */

void se_cpu_scale(struct se_worker *w, const struct se_scaling *s)
{
    (void)w;
    for (uint64_t i = 0; i < s->count; i++)
        s->y[i] = s->scale * s->x[i] + (i % s->every == 0 ? s->shift : 0);
}

static void scale_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_row_scaling *s = arg;

    for (uint64_t v = from; v < to; v++) {
        const se_real scale = s->keep ? (se_real)s->keep[v] : s->scale;

        for (uint64_t c = v * s->cols; c < (v + 1) * s->cols; c++)
            s->y[c] = scale * s->x[c];
    }
}

void se_cpu_scale_rows(struct se_worker *w, const struct se_row_scaling *s)
{
    struct se_row_scaling all = *s;

    se_ranges(w->threads, s->rows, s->cols, scale_range, &all);
}

/* ---- sparse to dense ---- */

static void unpack_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_unpacking *u = arg;

    memset(u->y + from * u->cols, 0, (to - from) * u->cols * sizeof *u->y);
    for (uint64_t v = from; v < to; v++)
        for (uint64_t e = u->off[v]; e < u->off[v + 1]; e++)
            u->y[v * u->cols + u->col[e]] = u->value[e];
}

void se_cpu_unpack(struct se_worker *w, const struct se_unpacking *u)
{
    struct se_unpacking all = *u;

    se_ranges(w->threads, u->rows, u->cols, unpack_range, &all);
}
