/* kselect.c - fusing a graph with nearest neighbours
 *
 * All neighbours of all vertices become pairs, sorted by counting (first by the upper, then
 * by the lower vertex), so that the two directions of a pair meet and old edges merge in.
 * Each pair gets the rank at which it enters: 0 for old edges, else the better one of its
 * two places.  A bit tells which place that is; with it one walk over knn for each k adds
 * what enters, and only the sum of S + shift and the number of pairs is kept per vertex: M
 * comes in when H1 is taken. */
#include "common/kselect.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/mem.h"
#include "common/parallel.h"
#include "common/sim.h"

enum { VERTICES_PER_TASK = 4096 };

struct place {                  /* one neighbour of one vertex, under the lower of the two */
    uint32_t other;             /* the upper one */
    uint32_t rank;              /* from 1, doubled; + 1 if the upper one has it in its list */
};

struct fusion {
    struct se_graph g;
    struct se_knn knn;
    const struct se_kselect_ask *ask;
    uint64_t *off;              /* n + 1 */
    struct place *place;
    float *old;                 /* S of each old edge; NAN where knn does not have it */
    uint64_t missing;           /* how many it has not */
    uint8_t *enters;            /* a bit for each entry of knn: its pair enters here */
    uint64_t negative;          /* least rank of a negative S + shift; UINT64_MAX: none */
    uint32_t bad[2];            /* the pair that has it */
    double *sum;                /* per vertex: S + shift of its pairs so far */
    uint64_t *count;            /* and how many they are */
    double total;               /* of all pairs so far */
    uint64_t pairs;
};

/* --- pairs --- */

/* Sort the entries of knn by counting: into buckets by the upper vertex, and from there, in
 * order, into buckets by the lower one. */
static int sort_places(struct fusion *f, struct se_err *err)
{
    const uint64_t n = f->knn.n, k = f->knn.k, total = n * k;
    uint64_t *upper = se_zalloc(n + 2, sizeof *upper, err);
    struct place *first = upper ? se_alloc(total, sizeof *first, err) : NULL;

    f->off = first ? se_zalloc(n + 2, sizeof *f->off, err) : NULL;
    f->place = f->off ? se_alloc(total, sizeof *f->place, err) : NULL;
    if (!f->place) {
        free(upper);
        free(first);
        return -1;
    }
    for (uint64_t i = 0; i < total; i++) {
        const uint64_t u = i / k, v = f->knn.id[i];

        upper[(u > v ? u : v) + 2]++;
        f->off[(u > v ? v : u) + 2]++;
    }
    for (uint64_t v = 0; v < n; v++) {
        upper[v + 2] += upper[v + 1];
        f->off[v + 2] += f->off[v + 1];
    }
    for (uint64_t i = 0; i < total; i++) {
        const uint64_t u = i / k, v = f->knn.id[i], rank = 2 * (i % k + 1);

        if (u > v)
            first[upper[u + 1]++] = (struct place){ (uint32_t)v, (uint32_t)rank + 1 };
        else
            first[upper[v + 1]++] = (struct place){ (uint32_t)u, (uint32_t)rank };
    }
    for (uint64_t v = 0, i = 0; v < n; v++)     /* upper[v + 1] is where bucket v ends */
        for (; i < upper[v + 1]; i++)
            f->place[f->off[first[i].other + 1]++] = (struct place){ (uint32_t)v,
                                                                     first[i].rank };
    free(upper);
    free(first);
    return 0;
}

struct pair {                   /* u < v, walking over all pairs of one u */
    uint64_t place, edge;       /* what comes next of knn and of the old edges */
    uint32_t v;
    uint64_t rank;              /* 0: an old edge */
    uint64_t entry;             /* its best place in knn; UINT64_MAX: it has none */
    uint64_t old;               /* which old edge it is */
};

static struct pair pair_start(const struct fusion *f, uint64_t u)
{
    return (struct pair){ .place = f->off[u], .edge = f->g.off[u] };
}

static bool pair_next(const struct fusion *f, uint64_t u, struct pair *p)
{
    const bool near = p->place < f->off[u + 1], edge = p->edge < f->g.off[u + 1];
    uint32_t best = UINT32_MAX;

    if (!near && !edge)
        return false;
    p->v = near ? f->place[p->place].other : SE_NONE;
    p->v = edge && f->g.to[p->edge] < p->v ? f->g.to[p->edge] : p->v;
    for (; p->place < f->off[u + 1] && f->place[p->place].other == p->v; p->place++)
        best = f->place[p->place].rank < best ? f->place[p->place].rank : best;
    p->rank = best / 2;
    p->entry = best == UINT32_MAX ? UINT64_MAX
                                  : (best % 2 ? p->v : u) * f->knn.k + best / 2 - 1;
    if (edge && f->g.to[p->edge] == p->v) {
        p->rank = 0;
        p->old = p->edge++;
    }
    return true;
}

/* --- similarities of old edges --- */

static int weigh_edges(struct fusion *f, struct se_stream *s, struct se_err *err)
{
    struct se_sim_rows rows = SE_SIM_ROWS_INIT;
    struct se_sim_query q = SE_SIM_QUERY_INIT;
    int rc = -1;

    if (!se_stream_has(s, f->knn.on))
        return se_fail(err, SE_EINPUT, "%" PRIu64 " edges are not in knn, and the %s to weigh "
                       "them by is not in the stream; add it with se-cat", f->missing,
                       se_section_name(f->knn.on));
    if (se_sim_rows_make(&rows, s, f->knn.on, (enum se_metric)f->knn.metric, f->ask->threads,
                         err) == 0 &&
        se_sim_query_init(&q, &rows, err) == 0) {
        for (uint64_t u = 0; u < f->g.n; u++)
            for (uint64_t e = f->g.off[u]; e < f->g.off[u + 1]; e++)
                if (isnan(f->old[e])) {
                    if (q.i != u)
                        se_sim_query_set(&q, u);
                    f->old[e] = se_sim_query_with(&q, f->g.to[e]);
                }
        rc = 0;
    }
    se_sim_query_release(&q);
    se_sim_rows_release(&rows);
    return rc;
}

/* Find the entries of knn where pairs enter, and S of the old edges. */
static int rank_pairs(struct fusion *f, struct se_stream *s, struct se_err *err)
{
    f->old = se_alloc(f->g.m, sizeof *f->old, err);
    f->enters = f->old ? se_zalloc(f->knn.n * f->knn.k / 8 + 1, 1, err) : NULL;
    if (!f->enters)
        return -1;
    for (uint64_t u = 0; u < f->g.n; u++)
        for (struct pair p = pair_start(f, u); pair_next(f, u, &p);) {
            if (p.rank > 0)
                f->enters[p.entry / 8] |= (uint8_t)(1 << p.entry % 8);
            else if (p.entry != UINT64_MAX)
                f->old[p.old] = f->knn.similarity[p.entry];
            else
                f->old[p.old] = NAN;
            f->missing += p.rank == 0 && p.entry == UINT64_MAX;
        }
    return f->missing > 0 ? weigh_edges(f, s, err) : 0;
}

/* --- the curve --- */

/* S + shift as it counts; notes the first negative one. */
static double lifted(struct fusion *f, float s, uint64_t rank, uint64_t u, uint64_t v)
{
    const double x = s + f->ask->shift;

    if (x >= 0)
        return x;
    if (rank < f->negative) {
        f->negative = rank;
        f->bad[0] = (uint32_t)u;
        f->bad[1] = (uint32_t)v;
    }
    return 0;
}

static void enter(struct fusion *f, float s, uint64_t rank, uint64_t u, uint64_t v)
{
    const double x = lifted(f, s, rank, u, v);

    f->sum[u] += x;
    f->sum[v] += x;
    f->count[u]++;
    f->count[v]++;
    f->total += x;
    f->pairs++;
}

static double mean_part(const struct fusion *f)
{
    return f->pairs ? f->total / (double)f->pairs / (2 * (double)f->g.n) : 0;
}

struct entropy {
    const struct fusion *f;
    double mean, vol, *part;
};

static void entropy_task(void *arg, uint64_t task, int thread)
{
    struct entropy *e = arg;
    const uint64_t last = (task + 1) * VERTICES_PER_TASK;
    double h = 0;

    (void)thread;
    for (uint64_t v = task * VERTICES_PER_TASK; v < last && v < e->f->g.n; v++) {
        const double share = (e->f->sum[v] + (double)e->f->count[v] * e->mean) / e->vol;

        if (share > 0)
            h -= share * log2(share);
    }
    e->part[task] = h;
}

/* H1 of what has entered so far; `part` has room for one number a task. */
static double entropy(const struct fusion *f, double *part)
{
    const uint64_t tasks = (f->g.n + VERTICES_PER_TASK - 1) / VERTICES_PER_TASK;
    struct entropy e = { f, mean_part(f), 0, part };
    double h = 0;

    e.vol = 2 * (f->total + (double)f->pairs * e.mean);
    if (!(e.vol > 0))
        return 0;
    se_parallel(f->ask->threads, tasks, entropy_task, &e);
    for (uint64_t i = 0; i < tasks; i++)
        h += part[i];
    return h;
}

static int draw_curve(struct se_kselect *x, struct fusion *f, struct se_err *err)
{
    const uint64_t n = f->g.n, k = f->knn.k;
    double *part = se_alloc(n / VERTICES_PER_TASK + 1, sizeof *part, err);

    f->sum = part ? se_zalloc(n, sizeof *f->sum, err) : NULL;
    f->count = f->sum ? se_zalloc(n, sizeof *f->count, err) : NULL;
    x->h1 = f->count ? se_alloc(k + 1, sizeof *x->h1, err) : NULL;
    if (!x->h1) {
        free(part);
        return -1;
    }
    for (uint64_t u = 0; u < n; u++)
        for (uint64_t e = f->g.off[u]; e < f->g.off[u + 1]; e++)
            enter(f, f->old[e], 0, u, f->g.to[e]);
    x->h1[0] = entropy(f, part);
    for (uint64_t rank = 1; rank <= k; rank++) {
        for (uint64_t u = 0, i = rank - 1; u < n; u++, i += k)
            if (f->enters[i / 8] >> i % 8 & 1)
                enter(f, f->knn.similarity[i], rank, u, f->knn.id[i]);
        x->h1[rank] = entropy(f, part);
    }
    x->most = k;
    free(part);
    return 0;
}

/* --- the choice --- */

/* k = 1; then 5, 3 or 1 more while H1 gains more than 0.1, 0.01 or 0.001; below 50. */
static uint64_t walk(const double *h1, uint64_t most)
{
    double before = 0;
    uint64_t k = 1;

    while (k < 50 && k <= most) {
        const double gain = h1[k] - before;

        if (!(gain > 0.001))
            break;
        before = h1[k];
        k += gain > 0.1 ? 5 : gain > 0.01 ? 3 : 1;
    }
    k = k < 50 ? k : 50;
    return k < most ? k : most;
}

uint64_t se_kselect_choose(const double *h1, uint64_t most, enum se_k_rule rule, double eps)
{
    uint64_t k = 1;

    if (rule == SE_K_SCHEDULE)
        return walk(h1, most);
    if (rule == SE_K_PLATEAU) {
        while (k < most && !(h1[k + 1] - h1[k] < eps))
            k++;
        return k;
    }
    for (uint64_t i = 2; i <= most; i++)
        k = h1[i] > h1[k] ? i : k;
    return k;
}

/* Negative weights are refused, unless they come after the k that was asked for. */
static int choose(struct se_kselect *x, const struct fusion *f, struct se_err *err)
{
    const struct se_kselect_ask *ask = f->ask;
    const uint64_t k = f->knn.k;

    if (ask->k > k && k + 1 < f->knn.n)
        return se_fail(err, SE_EINPUT, "knn has %" PRIu64 " neighbours of each vertex, fewer "
                       "than -k %" PRIu64 "; run se-sim -k %" PRIu64, k, ask->k, ask->k);
    x->k = ask->k < k ? ask->k : k;
    if (f->negative != UINT64_MAX && !ask->clip) {
        if (ask->k == 0 || f->negative <= x->k)
            return se_fail(err, SE_EINPUT, "the weight of %" PRIu32 " - %" PRIu32 " would be "
                           "negative with --shift %g; raise it, or clip such weights with "
                           "--allow-negative clip", f->bad[0], f->bad[1], ask->shift);
        x->most = f->negative - 1;
    }
    if (ask->k == 0 && k > 0)
        x->k = se_kselect_choose(x->h1, k, ask->rule, ask->eps);
    return 0;
}

/* --- the fused graph --- */

static int fuse(struct se_kselect *x, struct fusion *f, struct se_err *err)
{
    uint64_t at = 0;

    f->total = 0;
    f->pairs = 0;
    for (uint64_t u = 0; u < f->g.n; u++)
        for (struct pair p = pair_start(f, u); pair_next(f, u, &p);)
            if (p.rank <= x->k) {
                const float s = p.rank ? f->knn.similarity[p.entry] : f->old[p.old];

                f->total += lifted(f, s, p.rank, u, p.v);
                f->pairs++;
            }
    x->mean = mean_part(f);
    x->n = f->g.n;
    x->m = f->pairs;
    x->off = se_alloc(x->n + 1, sizeof *x->off, err);
    x->to = x->off ? se_alloc(x->m, sizeof *x->to, err) : NULL;
    x->weight = x->to ? se_alloc(x->m, sizeof *x->weight, err) : NULL;
    if (!x->weight)
        return -1;
    for (uint64_t u = 0; u < x->n; u++) {
        x->off[u] = at;
        for (struct pair p = pair_start(f, u); pair_next(f, u, &p);)
            if (p.rank <= x->k) {
                const float s = p.rank ? f->knn.similarity[p.entry] : f->old[p.old];

                x->to[at] = p.v;
                x->weight[at++] = (float)(lifted(f, s, p.rank, u, p.v) + x->mean);
            }
    }
    x->off[x->n] = at;
    return 0;
}

static int open_sections(struct fusion *f, struct se_stream *s, struct se_err *err)
{
    if (se_graph_get(&f->g, s, SE_GRAPH, err) < 0 || se_knn_get(&f->knn, s, err) < 0)
        return -1;
    if (f->knn.n != f->g.n)
        return se_fail(err, SE_EINPUT, "knn has %" PRIu64 " vertices, but graph has %" PRIu64
                       "; they belong to different graphs", f->knn.n, f->g.n);
    if (f->knn.first != 0 || f->knn.last != f->knn.n)
        return se_fail(err, SE_EINPUT, "knn has only the vertices %" PRIu64 " to %" PRIu64
                       "; join the parts with se-cat", f->knn.first, f->knn.last - 1);
    if (f->knn.k > INT32_MAX / 2)
        return se_fail(err, SE_EINPUT, "knn has too many neighbours of each vertex");
    return se_stream_check_origin(s, SE_KNN, err);
}

int se_kselect_make(struct se_kselect *x, struct se_stream *s,
                    const struct se_kselect_ask *ask, struct se_err *err)
{
    struct fusion f = { .ask = ask, .negative = UINT64_MAX };
    int rc = -1;

    if (open_sections(&f, s, err) == 0 && sort_places(&f, err) == 0 &&
        rank_pairs(&f, s, err) == 0 && draw_curve(x, &f, err) == 0 &&
        choose(x, &f, err) == 0)
        rc = fuse(x, &f, err);
    free(f.off);
    free(f.place);
    free(f.old);
    free(f.enters);
    free(f.sum);
    free(f.count);
    return rc;
}

void se_kselect_release(struct se_kselect *x)
{
    free(x->h1);
    free(x->off);
    free(x->to);
    free(x->weight);
    *x = (struct se_kselect)SE_KSELECT_INIT;
}
