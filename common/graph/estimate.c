/* estimate.c - which pairs are edges, given several observations */
#include "common/graph/estimate.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/base/mem.h"

enum { MOST_STEPS = 10000, MOST_CLASSES = 4096 };

void se_estimate_release(struct se_estimate *x)
{
    free(x->omega);
    free(x->pairs);
    free(x->q);
    *x = (struct se_estimate)SE_ESTIMATE_INIT;
}

/* How many pairs there are of each kind.  Those that nothing has seen are what the sizes of the
 * classes leave over. */
static int count_pairs(struct se_estimate *x, const uint64_t *pair, uint64_t count,
                       const uint32_t *label, uint64_t n, struct se_err *err)
{
    double *size = se_zalloc(x->classes, sizeof *size, err);

    if (!size)
        return -1;
    for (uint64_t v = 0; v < n; v++)
        size[label[v]]++;
    for (uint64_t r = 0; r < x->classes; r++)
        for (uint64_t s = r; s < x->classes; s++)
            x->pairs[se_estimate_at(x, r, s, 0)] =
                r == s ? size[r] * (size[r] - 1) / 2 : size[r] * size[s];
    for (uint64_t i = 0, j; i < count; i = j) {
        const uint32_t r = label[pair[i] >> 32], s = label[(uint32_t)pair[i]];

        for (j = i + 1; j < count && pair[j] == pair[i]; j++)
            ;
        x->pairs[se_estimate_at(x, r, s, j - i)]++;
        x->pairs[se_estimate_at(x, r, s, 0)]--;
    }
    free(size);
    return 0;
}

static double total(const struct se_estimate *x, uint64_t r, uint64_t s)
{
    double sum = 0;

    for (uint64_t e = 0; e <= x->observations; e++)
        sum += x->pairs[se_estimate_at(x, r, s, e)];
    return sum;
}

/* Every pair that something has seen is an edge at first. */
static void start(struct se_estimate *x)
{
    x->alpha = 0.75;
    x->beta = 0.25;
    for (uint64_t r = 0; r < x->classes; r++)
        for (uint64_t s = r; s < x->classes; s++) {
            const double all = total(x, r, s);

            x->omega[r * x->classes + s] = x->omega[s * x->classes + r] =
                all > 0 ? (all - x->pairs[se_estimate_at(x, r, s, 0)]) / all : 0;
        }
}

/* p^e (1 - p)^(n - e) for e = 0 .. n */
static void chances(double p, uint64_t n, double chance[SE_MOST_OBSERVATIONS + 1])
{
    for (uint64_t e = 0; e <= n; e++) {
        chance[e] = 1;
        for (uint64_t i = 0; i < n; i++)
            chance[e] *= i < e ? p : 1 - p;
    }
}

static void expect(struct se_estimate *x)
{
    double edge[SE_MOST_OBSERVATIONS + 1], none[SE_MOST_OBSERVATIONS + 1];

    chances(x->alpha, x->observations, edge);
    chances(x->beta, x->observations, none);
    for (uint64_t r = 0; r < x->classes; r++)
        for (uint64_t s = r; s < x->classes; s++)
            for (uint64_t e = 0; e <= x->observations; e++) {
                const double o = x->omega[r * x->classes + s];
                const double yes = o * edge[e], no = (1 - o) * none[e];

                x->q[se_estimate_at(x, r, s, e)] = yes + no > 0 ? yes / (yes + no) : 0;
            }
}

static void maximise(struct se_estimate *x)
{
    double yes = 0, no = 0, seen = 0, wrong = 0;

    for (uint64_t r = 0; r < x->classes; r++)
        for (uint64_t s = r; s < x->classes; s++) {
            double edges = 0, all = 0;

            for (uint64_t e = 0; e <= x->observations; e++) {
                const uint64_t at = se_estimate_at(x, r, s, e);

                all += x->pairs[at];
                edges += x->pairs[at] * x->q[at];
                seen += x->pairs[at] * x->q[at] * (double)e;
                wrong += x->pairs[at] * (1 - x->q[at]) * (double)e;
            }
            x->omega[r * x->classes + s] = x->omega[s * x->classes + r] =
                all > 0 ? edges / all : 0;
            yes += edges;
            no += all - edges;
        }
    if (yes > 0)
        x->alpha = seen / ((double)x->observations * yes);
    if (no > 0)
        x->beta = wrong / ((double)x->observations * no);
}

int se_estimate_make(struct se_estimate *x, const uint64_t *pair, uint64_t count,
                     uint64_t observations, const uint32_t *label, uint64_t n, uint64_t classes,
                     double tolerance, struct se_err *err)
{
    uint64_t cells;
    double moved = INFINITY;

    if (classes > MOST_CLASSES)
        return se_fail(err, SE_EINPUT, "%" PRIu64 " classes are too many; at most %d", classes,
                       MOST_CLASSES);
    if (observations > SE_MOST_OBSERVATIONS)
        return se_fail(err, SE_EINPUT, "%" PRIu64 " observations are too many; at most %d",
                       observations, SE_MOST_OBSERVATIONS);
    x->classes = classes;
    x->observations = observations;
    cells = classes * classes * (observations + 1);
    x->omega = se_zalloc(classes * classes, sizeof *x->omega, err);
    x->pairs = x->omega ? se_zalloc(cells, sizeof *x->pairs, err) : NULL;
    x->q = x->pairs ? se_zalloc(cells, sizeof *x->q, err) : NULL;
    if (!x->q || count_pairs(x, pair, count, label, n, err) < 0)
        return -1;
    start(x);
    for (x->steps = 0; x->steps < MOST_STEPS && moved >= tolerance; x->steps++) {
        const double a = x->alpha, b = x->beta;

        expect(x);
        maximise(x);
        moved = fmax(fabs(x->alpha - a), fabs(x->beta - b));
    }
    expect(x);
    return 0;
}
