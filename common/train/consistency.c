/* consistency.c - a loss that makes several random passes agree */
#include "common/train/consistency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/train/peers.h"

void se_consistency_release(struct se_consistency *x)
{
    free(x->z);
    free(x->target);
    free(x->copy);
    *x = (struct se_consistency){ .n = 0 };
}

static void soften_rows(const se_real *logits, uint64_t n, uint64_t classes, se_real *z)
{
    for (uint64_t v = 0; v < n; v++) {
        const se_real *row = logits + v * classes;
        double most, sum = se_softmax_sum(row, classes, &most);

        for (uint64_t c = 0; c < classes; c++)
            z[v * classes + c] = (se_real)(exp((double)row[c] - most) / sum);
    }
}

/* The mean over the samples, sharpened.  Relative to the largest, no power of it underflows. */
static void sharpen(struct se_consistency *x)
{
    const uint64_t size = x->n * x->classes;

    for (uint64_t v = 0; v < x->n; v++) {
        se_real *t = x->target + v * x->classes;
        double most = 0, sum = 0;

        for (uint64_t c = 0; c < x->classes; c++) {
            double mean = 0;

            for (uint64_t s = 0; s < x->samples; s++)
                mean += (double)x->z[s * size + v * x->classes + c];
            t[c] = (se_real)(mean / (double)x->samples);
            most = fmax(most, (double)t[c]);
        }
        for (uint64_t c = 0; c < x->classes; c++)
            sum += x->temperature == 1 ? (double)t[c] : pow((double)t[c] / most,
                                                            1 / x->temperature);
        for (uint64_t c = 0; c < x->classes && x->temperature != 1; c++)
            t[c] = (se_real)(pow((double)t[c] / most, 1 / x->temperature) / sum);
    }
}

static void see_sample(struct se_extra *extra, const struct se_net *net, uint64_t sample,
                       const se_real *logits)
{
    struct se_consistency *x = (struct se_consistency *)extra;

    if (!net->ops->host) {
        se_net_get(net, x->copy, logits, x->n * x->classes * sizeof *logits);
        logits = x->copy;
    }
    soften_rows(logits, x->n, x->classes, x->z + sample * x->n * x->classes);
    if (sample + 1 == x->samples)
        sharpen(x);
}

/* The loss adds up from one process to the next. */
static double add_on_host(const struct se_consistency *x, struct se_peers *p, uint64_t sample,
                          se_real *dlogits)
{
    const double part = x->weight / (double)(p ? p->n : x->n);
    double loss = 0;

    if (p)
        p->take(p, &loss, sizeof loss);
    for (uint64_t v = 0; v < x->n; v++) {
        const se_real *z = x->z + (sample * x->n + v) * x->classes;
        const se_real *t = x->target + v * x->classes;
        double mean = 0;

        for (uint64_t c = 0; c < x->classes; c++) {
            const double off = (double)z[c] - (double)t[c];

            loss += off * off;
            mean += (double)z[c] * off;
        }
        for (uint64_t c = 0; c < x->classes; c++)
            dlogits[v * x->classes + c] += (se_real)(2 * part * (double)z[c] *
                                                     ((double)z[c] - (double)t[c] - mean));
    }
    if (p) {
        p->pass(p, &loss, sizeof loss);
        p->share(p, &loss, sizeof loss);
    }
    return part * loss;
}

/* A device's gradient comes and goes: it is small, and the CPU has what it is made of. */
static double add_consistency(struct se_extra *extra, struct se_net *net, uint64_t sample,
                              const se_real *logits, se_real *dlogits)
{
    const struct se_consistency *x = (const struct se_consistency *)extra;
    const uint64_t bytes = x->n * x->classes * sizeof *dlogits;
    double loss;

    (void)logits;
    if (net->ops->host)
        return add_on_host(x, net->peers, sample, dlogits);
    se_net_get(net, x->copy, dlogits, bytes);
    loss = add_on_host(x, NULL, sample, x->copy);
    se_net_put(net, dlogits, x->copy, bytes);
    return loss;
}

int se_consistency_make(struct se_consistency *x, uint64_t n, uint64_t classes, uint64_t samples,
                        double weight, double temperature, struct se_err *err)
{
    *x = (struct se_consistency){ .extra = { see_sample, add_consistency }, .n = n,
                                  .classes = classes, .samples = samples, .weight = weight,
                                  .temperature = temperature };
    return (x->z = se_alloc(samples * n * classes, sizeof *x->z, err)) &&
           (x->target = se_alloc(n * classes, sizeof *x->target, err)) &&
           (x->copy = se_zalloc(n * classes, sizeof *x->copy, err)) ? 0 : -1;
}
