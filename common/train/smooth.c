/* smooth.c - Correct and Smooth: predictions that agree along the edges */
#include "common/train/smooth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/graph/adjacency.h"

struct spread {
    struct se_adjacency a;
    double *root;               /* D^-1/2; 0 for a vertex without edges */
    const int32_t *label;
    const uint8_t *part;
    uint64_t classes;
    double keep;
    int threads;
    float *start, *now, *next;  /* n x classes */
};

static bool taught(const struct spread *s, uint64_t v)
{
    return s->part[v] == SE_SPLIT_TRAIN && s->label[v] >= 0;
}

static void spread_rows(void *arg, uint64_t from, uint64_t to)
{
    const struct spread *s = arg;

    for (uint64_t v = from; v < to; v++)
        for (uint64_t c = 0; c < s->classes; c++) {
            double sum = 0;

            for (uint64_t e = s->a.off[v]; e < s->a.off[v + 1]; e++)
                sum += (s->a.weight ? (double)s->a.weight[e] : 1) * s->root[s->a.to[e]] *
                       (double)s->now[s->a.to[e] * s->classes + c];
            s->next[v * s->classes + c] =
                (float)(s->keep * (double)s->start[v * s->classes + c] +
                        (1 - s->keep) * s->root[v] * sum);
        }
}

/* From start to now */
static void run_spread(struct spread *s)
{
    const uint64_t n = s->a.n, cost = s->classes * (4 + s->a.arcs / (n ? n : 1));

    memcpy(s->now, s->start, n * s->classes * sizeof *s->now);
    for (int i = 0; i < SE_SMOOTH_STEPS; i++) {
        float *last = s->now;

        se_ranges(s->threads, n, cost, spread_rows, s);
        s->now = s->next;
        s->next = last;
    }
}

/* The truth about a training vertex without what p says of it, or without 0 */
static void fill_error(const struct spread *s, uint64_t v, const float *p, float *row)
{
    for (uint64_t c = 0; c < s->classes; c++)
        row[c] = (s->label[v] == (int32_t)c ? 1.0F : 0.0F) - (p ? p[c] : 0);
}

static double row_size(const float *row, uint64_t classes)
{
    double size = 0;

    for (uint64_t c = 0; c < classes; c++)
        size += fabs((double)row[c]);
    return size;
}

static void correct(struct spread *s, float *p)
{
    double mean = 0, many = 0;

    memset(s->start, 0, s->a.n * s->classes * sizeof *s->start);
    for (uint64_t v = 0; v < s->a.n; v++)
        if (taught(s, v))
            fill_error(s, v, p + v * s->classes, s->start + v * s->classes);
    run_spread(s);
    for (uint64_t v = 0; v < s->a.n; v++)
        if (taught(s, v)) {
            mean += row_size(s->now + v * s->classes, s->classes);
            many++;
        }
    mean /= many > 0 ? many : 1;
    for (uint64_t v = 0; v < s->a.n; v++) {
        const float *row = s->now + v * s->classes;
        const double size = row_size(row, s->classes), scale = size * 1.5 > mean ? mean / size : 1.5;

        for (uint64_t c = 0; c < s->classes; c++)
            p[v * s->classes + c] += (float)(scale * (double)row[c]);
    }
}

static void smooth(struct spread *s, const float *p)
{
    memcpy(s->start, p, s->a.n * s->classes * sizeof *s->start);
    for (uint64_t v = 0; v < s->a.n; v++)
        if (taught(s, v))
            fill_error(s, v, NULL, s->start + v * s->classes);
    run_spread(s);
}

/* Rows of now, without what is negative and with the sum 1 */
static void make_shares(const struct spread *s, const float *before, float *p)
{
    for (uint64_t v = 0; v < s->a.n; v++) {
        const float *row = s->now + v * s->classes;
        double sum = 0;

        for (uint64_t c = 0; c < s->classes; c++)
            sum += row[c] > 0 ? (double)row[c] : 0;
        for (uint64_t c = 0; c < s->classes; c++)
            p[v * s->classes + c] = sum < 1e-12 ? before[v * s->classes + c]
                                  : row[c] > 0 ? (float)((double)row[c] / sum) : 0;
    }
}

static int make_spread(struct spread *s, const struct se_graph *g, struct se_err *err)
{
    const uint64_t cells = g->n * s->classes;

    if (se_adjacency_make(&s->a, g, err) < 0 ||
        !(s->root = se_alloc(g->n, sizeof *s->root, err)) ||
        !(s->start = se_alloc(cells, sizeof *s->start, err)) ||
        !(s->now = se_alloc(cells, sizeof *s->now, err)) ||
        !(s->next = se_alloc(cells, sizeof *s->next, err)))
        return -1;
    for (uint64_t v = 0; v < g->n; v++) {
        double degree = 0;

        for (uint64_t e = s->a.off[v]; e < s->a.off[v + 1]; e++)
            degree += s->a.weight ? (double)s->a.weight[e] : 1;
        s->root[v] = degree > 0 ? 1 / sqrt(degree) : 0;
    }
    return 0;
}

int se_correct_and_smooth(const struct se_graph *g, const int32_t *label, const uint8_t *part,
                          uint64_t classes, double keep, int threads, float *p,
                          struct se_err *err)
{
    struct spread s = { .a = SE_ADJACENCY_INIT, .label = label, .part = part,
                        .classes = classes, .keep = keep, .threads = threads };
    float *before = se_alloc(g->n * classes, sizeof *before, err);
    int rc = before ? make_spread(&s, g, err) : -1;

    if (rc == 0) {
        memcpy(before, p, g->n * classes * sizeof *p);
        correct(&s, p);
        smooth(&s, p);
        make_shares(&s, before, p);
    }
    se_adjacency_release(&s.a);
    free(s.root);
    free(s.start);
    free(s.now);
    free(s.next);
    free(before);
    return rc;
}
