/* cpu.c - the table of the CPU: what a device of the plugin does, done here */
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/train/peers.h"
#include "common/train/train_kernels.h"
#include "common/train/vector.h"

/* ---- memory ---- */

static const char *never_failed(struct se_worker *w)
{
    (void)w;
    return NULL;
}

/* Zeros that start where a cache line does, so that rows of 16 numbers lie in whole lines */
static void *aligned(struct se_worker *w, uint64_t bytes)
{
    enum { LINE = 64 };
    void *p = NULL;

    (void)w;
    if (bytes <= PTRDIFF_MAX - LINE) {
        bytes = (bytes / LINE + 1) * LINE;
        p = aligned_alloc(LINE, bytes);
    }
    if (p) {
        se_large_pages(p, bytes);
        memset(p, 0, bytes);
    }
    return p;
}

static void give_back(struct se_worker *w, void *p)
{
    (void)w;
    free(p);
}

static void copy(struct se_worker *w, void *to, const void *from, uint64_t bytes)
{
    (void)w;
    memcpy(to, from, bytes);
}

static void clear(struct se_worker *w, void *p, uint64_t bytes)
{
    (void)w;
    memset(p, 0, bytes);
}

/* ---- masks ---- */

static void make_mask(struct se_worker *w, const struct se_masking *m)
{
    struct se_masking all = *m;

    se_ranges(w->threads, (m->count + SE_MASKED - 1) / SE_MASKED, 16 * SE_MASKED,
              se_kernels_for(SE_MASKED)->mask, &all);
}

struct masked {
    const se_real *from;
    const uint8_t *keep;
    se_real *to, scale;
};

SE_WIDE static void apply_range(void *arg, uint64_t from, uint64_t to)
{
    const struct masked *m = arg;
    const se_real *x = m->from, scale = m->scale;
    const uint8_t *keep = m->keep;
    se_real *restrict y = m->to;

    for (uint64_t i = from; i < to; i++)
        y[i] = x[i] * ((se_real)keep[i] * scale);
}

static void apply_mask(struct se_worker *w, const se_real *x, const uint8_t *keep,
                       se_real scale, uint64_t count, se_real *y)
{
    struct masked m = { x, keep, y, scale };

    se_ranges(w->threads, count, 2, apply_range, &m);
}

/* ---- activation ---- */

SE_INLINE void activate(const enum se_activation act, se_vec *v)
{
    se_vec below = act == SE_IDENTITY ? *v : (se_vec){ 0 };

    if (act == SE_ELU) {
        below = *v;
        se_exp(&below);
        below -= 1;
    }
    se_select(v, v, &below, v);
}

SE_INLINE void slope(const enum se_activation act, const se_vec *v, se_vec *d)
{
    const se_vec one = (se_vec){ 0 } + 1;
    se_vec below = act == SE_IDENTITY ? one : (se_vec){ 0 };

    if (act == SE_ELU) {
        below = *v;
        se_exp(&below);
    }
    se_select(v, &one, &below, d);
}

enum { PIECE = 256 };

/* A vector of numbers from i on, or `count` of them; scale: of each, or NULL */
SE_INLINE void activate_some(const struct se_activating *a, uint64_t i, uint64_t count,
                             const se_real *scale, const enum se_activation act)
{
    se_vec v, d;

    se_load(a->in + i, count, &v);
    if (a->dout) {
        se_load(a->dout + i, count, &d);
        slope(act, &v, &v);
        v *= d;
    } else {
        activate(act, &v);
    }
    if (scale) {
        se_load(scale, count, &d);
        v *= d;
    }
    se_store(&v, count, a->out + i);
}

/* One loop for each kind, with nothing left to ask inside.  The scales of a piece, 0 where it is
 * dropped, are made by a loop of their own, which becomes one of vectors. */
SE_INLINE void activate_all(const struct se_activating *arg, uint64_t from, uint64_t to,
                            const enum se_activation act)
{
    const struct se_activating a = *arg;
    se_real scale[PIECE], *each = a.keep ? scale : NULL;

    for (uint64_t start = from; start < to; start += PIECE) {
        const uint64_t count = to - start < PIECE ? to - start : PIECE;
        uint64_t i = 0;

        for (uint64_t k = 0; each && k < count; k++)
            scale[k] = (se_real)a.keep[start + k] * a.scale;
        for (; i + SE_LANES <= count; i += SE_LANES)
            activate_some(&a, start + i, SE_LANES, each ? each + i : NULL, act);
        if (i < count)
            activate_some(&a, start + i, count - i, each ? each + i : NULL, act);
    }
}

SE_WIDE static void activate_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_activating *a = arg;

    if (a->act == SE_RELU)
        activate_all(a, from, to, SE_RELU);
    else if (a->act == SE_ELU)
        activate_all(a, from, to, SE_ELU);
    else
        activate_all(a, from, to, SE_IDENTITY);
}

static void run_activation(struct se_worker *w, const struct se_activating *a)
{
    struct se_activating all = *a;

    se_ranges(w->threads, a->count, a->act == SE_ELU ? 6 : 2, activate_range, &all);
}

/* ---- sums, steps ---- */

struct addition {
    const se_real *from;
    se_real *to, scale;
};

SE_WIDE static void add_range(void *arg, uint64_t from, uint64_t to)
{
    const struct addition *a = arg;
    const se_real *restrict x = a->from, scale = a->scale;
    se_real *restrict y = a->to;

    for (uint64_t i = from; i < to; i++)
        y[i] += scale * x[i];
}

static void add(struct se_worker *w, const se_real *x, se_real scale, uint64_t count, se_real *y)
{
    struct addition a = { x, y, scale };

    se_ranges(w->threads, count, 2, add_range, &a);
}

static void add_share(struct se_worker *w, const se_real *x, const se_real *scale, uint64_t count,
                      se_real *y)
{
    add(w, x, *scale, count, y);
}

SE_WIDE static void adam_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_adam a = *(const struct se_adam *)arg;

    for (uint64_t i = from; i < to; i += SE_LANES) {
        const uint64_t count = to - i < SE_LANES ? to - i : SE_LANES;
        se_vec grad;

        se_load(a.grad + i, count, &grad);
        se_adam(&a, i, count, &grad);
    }
}

static void adam(struct se_worker *w, const struct se_adam *a)
{
    struct se_adam all = *a;

    se_ranges(w->threads, a->count, 4, adam_range, &all);
}

/* ---- loss, accuracy ---- */

/* The softmax of a row times `part`; returns the logarithm of its sum, times e^most. */
static double soften(const se_real *row, uint64_t classes, double part, se_real *d)
{
    enum { KEPT = 64 };
    double most = (double)row[0], sum = 0, e[KEPT];

    for (uint64_t c = 1; c < classes; c++)
        most = fmax(most, (double)row[c]);
    for (uint64_t c = 0; c < classes; c++) {
        const double x = exp((double)row[c] - most);

        sum += x;
        if (c < KEPT)
            e[c] = x;
    }
    for (uint64_t c = 0; c < classes; c++)
        d[c] = (se_real)((c < KEPT ? e[c] : exp((double)row[c] - most)) / sum * part);
    /* cppcheck-suppress invalidFunctionArg ; the largest adds 1 */
    return most + log(sum);
}

/* Parts of the vertices are added in order, as are those of other processes. */
static double loss_among(struct se_peers *peers, const se_real *logits, const struct se_targets *t,
                         se_real *dlogits)
{
    const uint64_t classes = t->classes, rows = se_part_rows(peers ? peers->n : t->n);
    double sum[SE_MOST_PARTS], loss = 0, part;
    uint64_t count = t->count;

    memset(sum, 0, (t->n + rows - 1) / rows * sizeof *sum);
    if (peers)
        peers->count(peers, &count, 1);
    part = 1 / (double)count;
    memset(dlogits, 0, t->n * classes * sizeof *dlogits);
    for (uint64_t i = 0; i < t->count; i++) {
        const uint32_t v = t->id[i];
        const se_real *row = logits + v * classes;
        se_real *d = dlogits + v * classes;

        sum[v / rows] += soften(row, classes, part, d) - (double)row[t->label[v]];
        d[t->label[v]] -= (se_real)part;
    }
    if (peers)
        peers->take(peers, &loss, sizeof loss);
    for (uint64_t i = 0; i * rows < t->n; i++)
        loss += sum[i];
    if (peers) {
        peers->pass(peers, &loss, sizeof loss);
        peers->share(peers, &loss, sizeof loss);
    }
    return loss / (double)count;
}

double se_net_loss(const se_real *logits, uint64_t n, uint64_t classes, const uint32_t *id,
                   uint64_t count, const int32_t *label, se_real *dlogits)
{
    const struct se_targets t = { n, classes, count, id, label, NULL };

    return loss_among(NULL, logits, &t, dlogits);
}

static double loss_of(struct se_worker *w, const se_real *logits, const struct se_targets *t,
                      se_real *dlogits)
{
    return loss_among(w->peers, logits, t, dlogits);
}

uint64_t se_largest(const se_real *row, uint64_t classes)
{
    uint64_t best = 0;

    for (uint64_t c = 1; c < classes; c++)
        if (row[c] > row[best])
            best = c;
    return best;
}

double se_softmax_sum(const se_real *row, uint64_t classes, double *most)
{
    double sum = 0;

    *most = (double)row[se_largest(row, classes)];
    for (uint64_t c = 0; c < classes; c++)
        sum += exp((double)row[c] - *most);
    return sum;
}

static void accuracy(struct se_worker *w, const se_real *logits, const struct se_targets *t,
                     uint64_t right[4], uint64_t all[4])
{
    memset(right, 0, 4 * sizeof *right);
    memset(all, 0, 4 * sizeof *all);
    for (uint64_t v = 0; v < t->n; v++) {
        if (t->label[v] < 0 || t->part[v] == 0)
            continue;
        all[t->part[v]]++;
        right[t->part[v]] +=
            se_largest(logits + v * t->classes, t->classes) == (uint64_t)t->label[v];
    }
    if (w && w->peers) {
        w->peers->count(w->peers, right, 4);
        w->peers->count(w->peers, all, 4);
    }
}

const struct se_ops se_cpu_ops = {
    .host = true,
    .failed = never_failed,
    .alloc = aligned,
    .free = give_back,
    .put = copy,
    .get = copy,
    .copy = copy,
    .clear = clear,
    .product = se_cpu_product,
    .gather = se_cpu_gather,
    .transposed = se_cpu_transposed,
    .columns = se_cpu_columns,
    .mask = make_mask,
    .mask_apply = apply_mask,
    .activate = run_activation,
    .add = add,
    .add_share = add_share,
    .dot = se_cpu_dot,
    .shares = se_cpu_shares,
    .shares_back = se_cpu_shares_back,
    .scale = se_cpu_scale,
    .scale_rows = se_cpu_scale_rows,
    .unpack = se_cpu_unpack,
    .mix = se_cpu_mix,
    .mix_back = se_cpu_mix_back,
    .norm = se_cpu_norm,
    .norm_back = se_cpu_norm_back,
    .gate = se_cpu_gate,
    .gate_back = se_cpu_gate_back,
    .thin = se_cpu_thin,
    .attend = se_cpu_attend,
    .heads_mean = se_cpu_heads_mean,
    .attend_back = se_cpu_attend_back,
    .attend_back_z = se_cpu_attend_back_z,
    .loss = loss_of,
    .accuracy = accuracy,
    .adam = adam
};
