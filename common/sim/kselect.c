/* kselect.c - fusing a graph with nearest neighbours
 *
 * A pair is dealt with at its lower vertex u.  The pairs of u come from three lists by their
 * upper vertex: its own neighbours, sorted on the way; the vertices that have u among theirs,
 * sorted by counting; and its old edges.  A pair enters with the old edges, or else at the
 * better one of its two places in knn.  A flag tells which place that is; with it one walk over
 * knn for each k adds what enters, and only the sum of S + shift and the number of pairs is
 * kept per vertex: M comes in when H1 is taken. */
#include "common/sim/kselect.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/base/sort.h"
#include "common/sim/sim.h"

enum { VERTICES_PER_TASK = 4096, RANGES = 4, RANKS = 8, AHEAD = 16 };

struct place {                  /* a vertex that has a lower one among its neighbours */
    uint32_t other;
    uint32_t rank;              /* from 1; 0 when the pair enters elsewhere */
    float s;
};

struct row {                    /* room for the neighbours of one vertex, twice */
    uint64_t *key, *scratch;
};

struct enters {                 /* what enters at one rank for one vertex */
    uint32_t v;                 /* SE_NONE: nothing */
    float s;
};

struct degree {
    double sum;                 /* S + shift of the pairs of a vertex so far */
    uint64_t count;             /* and how many they are */
};

struct fusion {
    struct se_graph g;
    struct se_knn knn;
    const struct se_kselect_options *ask;
    uint64_t tasks;             /* of VERTICES_PER_TASK vertices */
    uint64_t *off;              /* n + 1 */
    struct place *place;        /* by the lower vertex, ascending */
    struct row *row;            /* per thread */
    float *old;                 /* S of each old edge; NAN where knn does not have it */
    double usual;               /* mean weight of the old edges; 0: weights do not count */
    uint64_t *missing;          /* how many it has not, per task */
    uint8_t *flag;              /* for each entry of knn: its pair enters here */
    struct enters *enters;      /* RANKS times n */
    uint64_t rank;              /* before the first of them */
    uint64_t negative;          /* least rank of a negative S + shift; UINT64_MAX: none */
    uint32_t bad[2];            /* the pair that has it */
    struct degree *degree;
    double total;               /* of all pairs so far */
    uint64_t pairs;
    uint64_t *pairs_at;         /* k + 1: up to each rank */
    struct se_graph_room *room;
    uint64_t k;                 /* chosen */
    double mean;
};

static uint64_t last_of(const struct fusion *f, uint64_t task)
{
    const uint64_t last = (task + 1) * VERTICES_PER_TASK;

    return last < f->g.n ? last : f->g.n;
}

/* --- pairs --- */

/* The neighbours in a range of vertices that have a higher vertex as their owner: counted into
 * off, two places further, or, once there are places, put where off, one place further, says. */
static void deal_range(void *arg, uint64_t task, int thread)
{
    const struct fusion *f = arg;
    const uint64_t n = f->knn.n, k = f->knn.k;
    const uint64_t from = n * task / RANGES, width = n * (task + 1) / RANGES - from;

    (void)thread;
    for (uint64_t u = from, i = u * k; u < n; u++)
        for (uint64_t rank = 1; rank <= k; rank++, i++) {
            const uint64_t v = f->knn.id[i];

            if (v - from >= width || v >= u)
                continue;
            if (f->place)
                f->place[f->off[v + 1]++] = (struct place){ (uint32_t)u, (uint32_t)rank,
                                                            f->knn.similarity[i] };
            else
                f->off[v + 2]++;
        }
}

static int sort_places(struct fusion *f, struct se_err *err)
{
    const uint64_t n = f->knn.n;
    const int threads = f->ask->threads;

    f->tasks = (n + VERTICES_PER_TASK - 1) / VERTICES_PER_TASK;
    f->off = se_zalloc(n + 2, sizeof *f->off, err);
    f->row = f->off ? se_zalloc((uint64_t)threads, sizeof *f->row, err) : NULL;
    if (!f->row)
        return -1;
    for (int i = 0; i < threads; i++) {
        f->row[i].key = se_alloc(2 * f->knn.k, sizeof *f->row[i].key, err);
        if (!f->row[i].key)
            return -1;
        f->row[i].scratch = f->row[i].key + f->knn.k;
    }
    se_parallel(threads, RANGES, deal_range, f);
    for (uint64_t v = 0; v < n; v++)
        f->off[v + 2] += f->off[v + 1];
    f->place = se_alloc(f->off[n + 1], sizeof *f->place, err);
    if (!f->place)
        return -1;
    se_parallel(threads, RANGES, deal_range, f);
    return 0;
}

/* The neighbours v > u of a vertex with a rank of at most `most` as v << 32 | rank, ascending;
 * all of them, or those where pairs enter.  How many. */
static uint64_t own_neighbours(const struct fusion *f, uint64_t u, uint64_t most, bool all,
                               const struct row *row)
{
    const uint64_t first = u * f->knn.k;
    uint64_t count = 0;

    for (uint64_t i = 0; i < most; i++) {
        const uint64_t v = f->knn.id[first + i];

        row->key[count] = v << 32 | (i + 1);
        count += v > u && v != SE_NONE && (all || f->flag[first + i]);
    }
    se_sort_u64(row->key, row->scratch, count);
    return count;
}

/* Flag the places in knn where the pairs of u enter, and forget the others.  S of its old edges
 * that are among them; how many are not. */
static uint64_t rank_vertex(const struct fusion *f, uint64_t u, const struct row *row)
{
    const uint64_t *key = row->key, *end = key + own_neighbours(f, u, f->knn.k, true, row);
    struct place *place = f->place + f->off[u], *last = f->place + f->off[u + 1];
    uint64_t edge = f->g.off[u], missing = 0;

    while (key < end || place < last || edge < f->g.off[u + 1]) {
        const uint32_t own = key < end ? (uint32_t)(*key >> 32) : SE_NONE;
        const uint32_t near = place < last ? place->other : SE_NONE;
        const uint32_t old = edge < f->g.off[u + 1] ? f->g.to[edge] : SE_NONE;
        uint32_t v = own < near ? own : near;

        v = old < v ? old : v;
        const uint32_t rank = own == v ? (uint32_t)*key : UINT32_MAX;
        const bool there = near == v && place->rank < rank;     /* the better of the two */
        const uint64_t entry = there ? (uint64_t)v * f->knn.k + place->rank - 1
                                     : u * f->knn.k + rank - 1;
        struct place *const first = place;

        for (; key < end && *key >> 32 == v; key++)     /* a bad list may have it twice */
            ;
        for (; place < last && place->other == v; place++)
            place->rank = place == first && there && old != v ? place->rank : 0;
        if (old != v) {
            f->flag[entry] = 1;
            continue;
        }
        f->old[edge++] = own == v || near == v ? f->knn.similarity[entry] : NAN;
        missing += own != v && near != v;
    }
    return missing;
}

/* --- similarities of old edges --- */

struct weighing {
    struct fusion *f;
    struct se_sim_query *query; /* per thread */
};

static void weigh_task(void *arg, uint64_t task, int thread)
{
    const struct weighing *w = arg;
    const struct fusion *f = w->f;
    struct se_sim_query *q = &w->query[thread];

    for (uint64_t u = task * VERTICES_PER_TASK; u < last_of(f, task); u++)
        for (uint64_t e = f->g.off[u], end; e < f->g.off[u + 1]; e = end) {
            for (end = e; end < f->g.off[u + 1] && isnan(f->old[end]); end++)
                ;
            se_sim_query_many(q, u, f->g.to + e, end - e, f->old + e);
            end += end == e;
        }
}

static int weigh_edges(struct fusion *f, uint64_t missing, struct se_stream *s,
                       struct se_err *err)
{
    const int threads = f->ask->threads;
    struct se_sim_rows rows = SE_SIM_ROWS_INIT;
    struct weighing w = { f, NULL };
    int rc = -1;

    if (!se_stream_has(s, f->knn.on))
        return se_fail(err, SE_EINPUT, "%" PRIu64 " edges are not in knn, and the %s to weigh "
                       "them by is not in the stream; add it with se-cat", missing,
                       se_section_name(f->knn.on));
    if (se_sim_rows_make(&rows, s, f->knn.on, (enum se_metric)f->knn.metric, threads,
                         err) == 0 &&
        (w.query = se_sim_queries(&rows, threads, err))) {
        se_parallel(threads, f->tasks, weigh_task, &w);
        rc = 0;
    }
    se_sim_queries_free(w.query, threads);
    se_sim_rows_release(&rows);
    return rc;
}

static void rank_task(void *arg, uint64_t task, int thread)
{
    const struct fusion *f = arg;

    for (uint64_t u = task * VERTICES_PER_TASK; u < last_of(f, task); u++)
        f->missing[task] += rank_vertex(f, u, &f->row[thread]);
}

static int rank_pairs(struct fusion *f, struct se_stream *s, struct se_err *err)
{
    uint64_t missing = 0;

    f->old = se_alloc(f->g.m, sizeof *f->old, err);
    f->missing = f->old ? se_zalloc(f->tasks, sizeof *f->missing, err) : NULL;
    f->flag = f->missing ? se_zalloc(f->knn.n * f->knn.k, 1, err) : NULL;
    if (!f->flag)
        return -1;
    se_parallel(f->ask->threads, f->tasks, rank_task, f);
    for (uint64_t i = 0; i < f->tasks; i++)
        missing += f->missing[i];
    return missing > 0 ? weigh_edges(f, missing, s, err) : 0;
}

/* --- the curve --- */

/* S + shift as it counts */
static double lifted(const struct fusion *f, float s)
{
    const double x = s + f->ask->shift;

    return x >= 0 ? x : 0;
}

/* The mean weight of the old edges.  Where it is 0 all are the same, and do not matter. */
static double usual_weight(const struct fusion *f)
{
    double sum = 0;

    for (uint64_t e = 0; e < f->g.m; e++)
        sum += (double)f->g.weight[e];
    return f->g.m ? sum / (double)f->g.m : 0;
}

/* How much an old edge counts, beside one of the usual weight */
static double factor(const struct fusion *f, uint64_t edge)
{
    return f->usual > 0 ? (double)f->g.weight[edge] / f->usual : 1;
}

/* The pair u v comes in with the similarity s, which counts `times`. */
static void enter(struct fusion *f, float s, double times, uint64_t rank, uint64_t u, uint64_t v)
{
    const double x = lifted(f, s) * times;

    if (s + f->ask->shift < 0 && rank < f->negative) {
        f->negative = rank;
        f->bad[0] = (uint32_t)u;
        f->bad[1] = (uint32_t)v;
    }
    f->degree[u].sum += x;
    f->degree[u].count++;
    f->degree[v].sum += x;
    f->degree[v].count++;
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
    double h = 0;

    (void)thread;
    for (uint64_t v = task * VERTICES_PER_TASK; v < last_of(e->f, task); v++) {
        const struct degree *d = &e->f->degree[v];
        const double share = (d->sum + (double)d->count * e->mean) / e->vol;

        if (share > 0)
            h -= share * log2(share);
    }
    e->part[task] = h;
}

/* H1 of what has entered so far; `part` has room for one number a task. */
static double entropy(const struct fusion *f, double *part)
{
    struct entropy e = { f, mean_part(f), 0, part };
    double h = 0;

    e.vol = 2 * (f->total + (double)f->pairs * e.mean);
    if (!(e.vol > 0))
        return 0;
    se_parallel(f->ask->threads, f->tasks, entropy_task, &e);
    for (uint64_t i = 0; i < f->tasks; i++)
        h += part[i];
    return h;
}

/* What enters at the next ranks, rank by rank: knn lies vertex by vertex, and to walk over it
 * for each rank would fetch all of it from memory each time. */
static void turn_task(void *arg, uint64_t task, int thread)
{
    const struct fusion *f = arg;
    const uint64_t k = f->knn.k, ranks = k - f->rank < RANKS ? k - f->rank : RANKS;

    (void)thread;
    for (uint64_t u = task * VERTICES_PER_TASK; u < last_of(f, task); u++)
        for (uint64_t r = 0, i = u * k + f->rank; r < ranks; r++, i++)
            f->enters[r * f->g.n + u] = (struct enters){
                f->flag[i] ? f->knn.id[i] : SE_NONE, f->knn.similarity[i] };
}

static int curve_alloc(struct se_kselect *x, struct fusion *f, struct se_err *err)
{
    const uint64_t n = f->g.n, k = f->knn.k;

    f->degree = se_zalloc(n, sizeof *f->degree, err);
    f->enters = f->degree ? se_alloc((k < RANKS ? k : RANKS) * n, sizeof *f->enters, err) : NULL;
    f->pairs_at = f->enters ? se_alloc(k + 1, sizeof *f->pairs_at, err) : NULL;
    x->h1 = f->pairs_at ? se_alloc(k + 1, sizeof *x->h1, err) : NULL;
    return x->h1 ? 0 : -1;
}

static int draw_curve(struct se_kselect *x, struct fusion *f, struct se_err *err)
{
    const uint64_t n = f->g.n, k = f->knn.k;
    double *part = se_alloc(f->tasks, sizeof *part, err);

    if (!part || curve_alloc(x, f, err) < 0) {
        free(part);
        return -1;
    }
    for (uint64_t u = 0; u < n; u++)
        for (uint64_t e = f->g.off[u]; e < f->g.off[u + 1]; e++)
            enter(f, f->old[e], factor(f, e), 0, u, f->g.to[e]);
    f->pairs_at[0] = f->pairs;
    x->h1[0] = entropy(f, part);
    for (uint64_t rank = 1; rank <= k; rank++) {
        const struct enters *now = f->enters + (rank - 1) % RANKS * n;

        if (now == f->enters) {
            f->rank = rank - 1;
            se_parallel(f->ask->threads, f->tasks, turn_task, f);
        }
        for (uint64_t u = 0; u < n; u++) {
            if (u + AHEAD < n && now[u + AHEAD].v != SE_NONE)
                __builtin_prefetch(&f->degree[now[u + AHEAD].v]);
            if (now[u].v != SE_NONE)
                enter(f, now[u].s, 1, rank, u, now[u].v);
        }
        f->pairs_at[rank] = f->pairs;
        x->h1[rank] = entropy(f, part);
    }
    x->most = k;
    free(part);
    return 0;
}

/* --- the choice --- */

/* Negative weights are refused, unless they come after the k that was asked for. */
static int choose(struct se_kselect *x, const struct fusion *f, struct se_err *err)
{
    const struct se_kselect_options *ask = f->ask;
    const uint64_t k = f->knn.k;

    if (ask->k > k && k + 1 < f->knn.n)
        return se_fail(err, SE_EINPUT, "knn has %" PRIu64 " neighbours of each vertex, fewer "
                       "than -k %" PRIu64 "; run se-sim -k %" PRIu64, k, ask->k, ask->k);
    x->k = ask->k < k ? ask->k : k;
    if (f->negative != UINT64_MAX && !ask->clip) {
        if (ask->k == 0 || f->negative <= x->k)
            return se_fail(err, SE_EINPUT, "the weight of %" PRIu32 " - %" PRIu32 " would be "
                           "negative with --shift %g; raise it, or clip such weights with "
                           "--negative-weights clip", f->bad[0], f->bad[1], ask->shift);
        x->most = f->negative - 1;
    }
    if (ask->k == 0 && k > 0)
        x->k = se_kselect_choose(x->h1, k, ask->rule, ask->eps);
    return 0;
}

/* --- the fused graph --- */

/* How many pairs each vertex has, into the place after it. */
static void count_task(void *arg, uint64_t task, int thread)
{
    const struct fusion *f = arg;

    (void)thread;
    for (uint64_t u = task * VERTICES_PER_TASK; u < last_of(f, task); u++) {
        uint64_t count = f->g.off[u + 1] - f->g.off[u];

        for (uint64_t i = u * f->knn.k; i < u * f->knn.k + f->k; i++)
            count += f->flag[i] && f->knn.id[i] > u;
        for (uint64_t i = f->off[u]; i < f->off[u + 1]; i++)
            count += f->place[i].rank - 1 < f->k;       /* 0 is far above */
        f->room->off[u + 1] = count;
    }
}

/* The S that lifts to what an old edge counts */
static float old_similarity(const struct fusion *f, uint64_t edge)
{
    return f->usual > 0
               ? (float)(lifted(f, f->old[edge]) * factor(f, edge) - f->ask->shift)
               : f->old[edge];
}

/* The pairs of u, in order, with S for their weight: no two of the three lists share one. */
static void fill_vertex(const struct fusion *f, uint64_t u, const struct row *row)
{
    const uint64_t *key = row->key, *end = key + own_neighbours(f, u, f->k, false, row);
    const struct place *place = f->place + f->off[u], *last = f->place + f->off[u + 1];
    uint64_t edge = f->g.off[u];

    for (uint64_t at = f->room->off[u]; at < f->room->off[u + 1]; at++) {
        while (place < last && place->rank - 1 >= f->k)
            place++;
        const uint32_t own = key < end ? (uint32_t)(*key >> 32) : SE_NONE;
        const uint32_t near = place < last ? place->other : SE_NONE;
        const uint32_t old = edge < f->g.off[u + 1] ? f->g.to[edge] : SE_NONE;

        if (old < own && old < near) {
            f->room->to[at] = old;
            f->room->weight[at] = old_similarity(f, edge++);
        } else if (own < near) {
            f->room->to[at] = own;
            f->room->weight[at] = f->knn.similarity[u * f->knn.k + (uint32_t)*key++ - 1];
        } else {
            f->room->to[at] = near;
            f->room->weight[at] = place++->s;
        }
    }
}

static void fill_task(void *arg, uint64_t task, int thread)
{
    const struct fusion *f = arg;

    for (uint64_t u = task * VERTICES_PER_TASK; u < last_of(f, task); u++)
        fill_vertex(f, u, &f->row[thread]);
}

static void lift_task(void *arg, uint64_t task, int thread)
{
    const struct fusion *f = arg;
    float *weight = f->room->weight;

    (void)thread;
    for (uint64_t e = f->room->off[task * VERTICES_PER_TASK];
         e < f->room->off[last_of(f, task)]; e++)
        weight[e] = (float)(lifted(f, weight[e]) + f->mean);
}

static int fuse(struct se_kselect *x, struct fusion *f, struct se_err *err)
{
    const int threads = f->ask->threads;

    f->k = x->k;
    f->room = &x->fused;
    x->m = f->pairs_at[x->k];
    if (se_graph_room_make(f->room, f->g.n, x->m, 0, true, err) < 0)
        return -1;
    f->room->off[0] = 0;
    se_parallel(threads, f->tasks, count_task, f);
    for (uint64_t u = 0; u < f->g.n; u++)
        f->room->off[u + 1] += f->room->off[u];
    se_parallel(threads, f->tasks, fill_task, f);
    f->total = 0;
    f->pairs = f->room->m;
    for (uint64_t e = 0; e < f->room->m; e++)
        f->total += lifted(f, f->room->weight[e]);
    f->mean = x->mean = mean_part(f);
    se_parallel(threads, f->tasks, lift_task, f);
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

/* Vertices without a neighbour: their rows tell nothing. */
static uint64_t count_alone(const struct se_knn *knn)
{
    uint64_t count = 0;

    for (uint64_t v = 0; v < knn->n && knn->k > 0; v++)
        count += knn->id[v * knn->k] == SE_NONE;
    return count;
}

int se_kselect_make(struct se_kselect *x, struct se_stream *s,
                    const struct se_kselect_options *ask, struct se_err *err)
{
    struct fusion f = { .ask = ask, .negative = UINT64_MAX };
    int rc = -1;

    if (open_sections(&f, s, err) < 0)
        return -1;
    if (f.g.weight && ask->weights)
        f.usual = usual_weight(&f);
    if (sort_places(&f, err) == 0 &&
        rank_pairs(&f, s, err) == 0 &&
        draw_curve(x, &f, err) == 0 && choose(x, &f, err) == 0)
        rc = fuse(x, &f, err);
    if (rc == 0) {
        x->alone = count_alone(&f.knn);
        x->weights = f.g.weight != NULL;
        x->usual = f.usual;
    }
    for (int i = 0; f.row && i < ask->threads; i++)
        free(f.row[i].key);
    free(f.row);
    free(f.off);
    free(f.place);
    free(f.old);
    free(f.missing);
    free(f.flag);
    free(f.enters);
    free(f.degree);
    free(f.pairs_at);
    return rc;
}

void se_kselect_release(struct se_kselect *x)
{
    free(x->h1);
    se_graph_room_release(&x->fused);
    *x = (struct se_kselect)SE_KSELECT_INIT;
}
