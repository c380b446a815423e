/* cpu_attention.c - the steps of attention in the table of the CPU */
#include "common/train/peers.h"
#include "common/train/vector.h"

SE_WIDE static void score_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_attention *a = arg;

    for (uint64_t v = from; v < to; v++)
        for (uint64_t h = 0; h < a->heads; h++) {
            const uint64_t i = v * a->heads + h;
            const se_real *z = a->z + i * a->width;

            a->el[i] = se_dot(z, a->left + h * a->width, a->width);
            a->er[i] = se_dot(z, a->right + h * a->width, a->width);
        }
}

/* Shares of the arcs into v, of `heads` heads from the first, SE_LANES of them at most */
SE_INLINE void softmax(const struct se_attention *a, uint64_t v, uint64_t first, uint64_t heads)
{
    const uint64_t all = a->heads, begin = a->off[v], end = a->off[v + 1];
    se_real *share = a->share + first;
    se_vec right, most = (se_vec){ 0 } - INFINITY, sum = { 0 };

    se_load(a->er + v * all + first, heads, &right);
    for (uint64_t e = begin; e < end; e++) {
        se_vec s, less;

        se_load(a->el + a->to[e] * all + first, heads, &s);
        s += right;
        less = s * a->slope;
        se_select(&s, &s, &less, &s);
        se_larger(&s, &most);
        se_store(&s, heads, share + e * all);
    }
    for (uint64_t e = begin; e < end; e++) {
        se_vec s;

        se_load(share + e * all, heads, &s);
        s -= most;
        se_exp(&s);
        sum += s;
        se_store(&s, heads, share + e * all);
    }
    sum = 1 / sum;
    for (uint64_t e = begin; e < end; e++) {
        se_vec s;

        se_load(share + e * all, heads, &s);
        s *= sum;
        se_store(&s, heads, share + e * all);
    }
}

/* The same for a single head: vectors of arcs instead of heads */
SE_INLINE void softmax_one(const struct se_attention *a, uint64_t v)
{
    const uint64_t begin = a->off[v], end = a->off[v + 1];
    se_real *share = a->share, most = -INFINITY, sum = 0;

    for (uint64_t e = begin; e < end; e++) {
        const se_real s = a->el[a->to[e]] + a->er[v];

        share[e] = s > 0 ? s : a->slope * s;
        most = share[e] > most ? share[e] : most;
    }
    for (uint64_t e = begin; e < end; e += SE_LANES) {
        se_vec s;

        se_load(share + e, end - e, &s);
        s -= most;
        se_exp(&s);
        se_store(&s, end - e, share + e);
    }
    for (uint64_t e = begin; e < end; e++)
        sum += share[e];
    for (uint64_t e = begin; e < end; e++)
        share[e] /= sum;
}

SE_WIDE static void softmax_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_attention *a = arg;

    for (uint64_t v = from; v < to; v++) {
        uint64_t h = 0;

        if (a->heads == 1) {
            softmax_one(a, v);
            continue;
        }
        for (; h + SE_LANES <= a->heads; h += SE_LANES)
            softmax(a, v, h, SE_LANES);
        if (h < a->heads)
            softmax(a, v, h, a->heads - h);
    }
}

/* The mean of the heads, each with its bias */
struct averaging {
    const struct se_attention *a;
    const se_real *x, *bias;
    se_real *out;
};

static void mean_range(void *arg, uint64_t from, uint64_t to)
{
    const struct averaging *m = arg;
    const uint64_t width = m->a->width, cols = m->a->heads * width;
    const se_real part = 1 / (se_real)m->a->heads;

    for (uint64_t v = from; v < to; v++)
        for (uint64_t k = 0; k < width; k++) {
            se_real sum = 0;

            for (uint64_t i = k; i < cols; i += width)
                sum += m->x[v * cols + i] + m->bias[i];
            m->out[v * width + k] = sum * part;
        }
}

static uint64_t arc_cost(const struct se_attention *a, uint64_t each)
{
    return (a->off[a->n] / (a->n + 1) + 1) * a->heads * each;
}

void se_cpu_attend(struct se_worker *w, const struct se_attention *given)
{
    struct se_attention a = *given;

    se_ranges(w->threads, a.n, 2 * a.heads * a.width, score_range, &a);
    if (w->peers)
        w->peers->rows(w->peers, w->links, a.el, a.heads * sizeof *a.el, a.el + a.n * a.heads);
    se_ranges(w->threads, a.n, arc_cost(&a, 20), softmax_range, &a);
}

void se_cpu_heads_mean(struct se_worker *w, const struct se_attention *a, const se_real *x,
                       const se_real *bias, se_real *out)
{
    struct averaging m = { a, x, bias, out };

    se_ranges(w->threads, a->n, 2 * a->heads * a->width, mean_range, &m);
}

/* ---- backward ---- */

/* Gradients of the scores of the arcs into v, and their sum */
SE_INLINE void scores_back(const struct se_attention *a, uint64_t v, uint64_t h, uint64_t heads,
                           uint64_t width)
{
    const se_real *dout = a->dout + (a->mean ? v : v * heads + h) * width;
    se_real *restrict ds = a->dscore, mean = 0, sum = 0;

    for (uint64_t e = a->off[v]; e < a->off[v + 1]; e++) {
        const uint64_t i = e * heads + h;
        const se_real *z = a->z + (a->to[e] * heads + h) * width;
        const se_real d = se_dot(dout, z, width) * a->scale;

        ds[i] = a->keep ? d * (se_real)a->keep[i] : d;
        mean += a->share[i] * ds[i];
    }
    for (uint64_t e = a->off[v]; e < a->off[v + 1]; e++) {
        const uint64_t i = e * heads + h;
        const se_real raw = a->el[a->to[e] * heads + h] + a->er[v * heads + h];

        ds[i] = a->share[i] * (ds[i] - mean) * (raw > 0 ? 1 : a->slope);
        sum += ds[i];
    }
    a->der[v * heads + h] = sum;
}

SE_WIDE static void scores_back_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_attention *a = arg;

    for (uint64_t v = from; v < to; v++)
        for (uint64_t h = 0; h < a->heads; h++)
            if (a->width == 8)
                scores_back(a, v, h, a->heads, 8);
            else
                scores_back(a, v, h, a->heads, a->width);
}

/* Gradients of the left scores, by the arcs out of u, which are the arcs back from its own;
 * with them the rest of the gradient of Z. */
SE_WIDE static void z_back_range(void *arg, uint64_t from, uint64_t to)
{
    const struct se_attention *a = arg;
    const uint64_t heads = a->heads, width = a->width;

    for (uint64_t u = from; u < to; u++)
        for (uint64_t h = 0; h < heads; h++) {
            se_real *restrict dz = a->dz + (u * heads + h) * width;
            const se_real *left = a->left + h * width, *right = a->right + h * width;
            const se_real der = a->der[u * heads + h];
            se_real sum = 0;

            for (uint64_t e = a->off[u]; e < a->off[u + 1]; e++)
                sum += a->dscore[a->back[e] * heads + h];
            a->del[u * heads + h] = sum;
            for (uint64_t k = 0; k < width; k++)
                dz[k] += sum * left[k] + der * right[k];
        }
}

/* Rows of others go behind ours, which are only read. */
static se_real *fetched_z(const struct se_attention *a)
{
    return (se_real *)(uintptr_t)a->z;
}

void se_cpu_attend_back(struct se_worker *w, const struct se_attention *given)
{
    struct se_attention a = *given;
    const uint64_t cols = a.heads * a.width;

    if (w->peers)
        w->peers->rows(w->peers, w->links, a.z, cols * sizeof *a.z, fetched_z(&a) + a.n * cols);
    se_ranges(w->threads, a.n, arc_cost(&a, a.width + 10), scores_back_range, &a);
    if (w->peers)
        w->peers->arcs(w->peers, w->links, a.dscore, a.heads * sizeof *a.dscore,
                       a.dscore + a.off[a.n] * a.heads);
}

void se_cpu_attend_back_z(struct se_worker *w, const struct se_attention *given)
{
    struct se_attention a = *given;

    se_ranges(w->threads, a.n, arc_cost(&a, 2) + 2 * a.heads * a.width, z_back_range, &a);
}
