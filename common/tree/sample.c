/* sample.c - a new graph drawn from an encoding tree */
#include "common/tree/sample.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/base/rng.h"
#include "common/base/sort.h"

enum { BLOCK = 4096 };          /* draws a task */
#define MOST_DRAWS ((uint64_t)1 << 34)

void se_sampled_release(struct se_sampled *x)
{
    free(x->key);
    free(x->count);
    *x = (struct se_sampled)SE_SAMPLED_INIT;
}

static uint64_t draws_at(const struct se_law *law, const struct se_measure *x,
                         const struct se_sample_options *plan, uint32_t a)
{
    const uint32_t children = se_law_children(law, a), level = x->depth[a];
    const int i = level < (uint32_t)plan->thetas ? (int)level : plan->thetas - 1;

    return children < 2 || level < plan->level ? 0 : (uint64_t)llround(plan->theta[i] * children);
}

int se_sample_draws(const struct se_law *law, const struct se_measure *x,
                    const struct se_sample_options *plan, uint64_t *draws, struct se_err *err)
{
    *draws = 0;
    for (uint64_t a = 0; a < law->nodes; a++) {
        *draws += draws_at(law, x, plan, (uint32_t)a);
        if (*draws > MOST_DRAWS)
            return se_fail(err, SE_EINPUT, "theta asks for more than 2^34 draws; lower it");
    }
    return 0;
}

/* One round of drawing.  Nodes with draws, and how many were before them, so that any block
 * of draws can start anywhere. */
struct round {
    const struct se_law *law;
    const struct se_tree *tree;
    const struct se_sample_options *plan;
    uint32_t *node;
    uint64_t *start, nodes;     /* start: nodes + 1 */
    uint64_t draws, offset;     /* offset: of the random numbers of this round */
    uint64_t *key;              /* per draw; UINT64_MAX where both ends are one vertex */
    _Atomic uint64_t done;
};

/* Down from `a` to a vertex. */
static uint32_t descend(const struct round *o, uint32_t a, struct se_rng *r)
{
    while (o->tree->vertex[a] == SE_NONE)
        a = se_law_draw(o->law, a, r);
    return o->tree->vertex[a];
}

static uint64_t draw_pair(const struct round *o, uint32_t a, struct se_rng *r)
{
    const uint32_t c = se_law_draw(o->law, a, r);
    const uint32_t d = o->plan->replace ? se_law_draw(o->law, a, r)
                                        : se_law_draw_other(o->law, a, c, r);
    const uint32_t u = descend(o, c, r), v = descend(o, d, r);

    if (u == v)
        return UINT64_MAX;
    return u < v ? (uint64_t)u << 32 | v : (uint64_t)v << 32 | u;
}

static uint64_t find_node(const struct round *o, uint64_t draw)
{
    uint64_t low = 0, high = o->nodes - 1;

    while (low < high) {
        const uint64_t mid = low + (high - low + 1) / 2;

        if (o->start[mid] <= draw)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

static void draw_block(void *arg, uint64_t task, int thread)
{
    struct round *o = arg;
    const uint64_t from = task * BLOCK;
    const uint64_t to = o->draws - from < BLOCK ? o->draws : from + BLOCK;
    uint64_t i = find_node(o, from);

    (void)thread;
    for (uint64_t draw = from; draw < to;) {
        struct se_rng r[SE_RNG_BATCH];

        se_rng_init_batch(r, o->plan->seed, SE_RNG_SAMPLE, o->offset + draw);
        for (int j = 0; j < SE_RNG_BATCH && draw < to; j++, draw++) {
            while (draw >= o->start[i + 1])
                i++;
            o->key[draw] = draw_pair(o, o->node[i], &r[j]);
        }
    }
    se_progress_at(o->plan->progress,
                   o->offset + atomic_fetch_add(&o->done, to - from) + (to - from));
}

/* ---- from draws to edges ---- */

enum { PIECES = 128 };          /* of the sorted draws, each from a new edge on */

struct counting {
    const uint64_t *key;
    uint64_t start[PIECES + 1], at[PIECES + 1];   /* draws; edges before each piece */
    struct se_sampled *x;
};

static void count_piece(void *arg, uint64_t task, int thread)
{
    struct counting *c = arg;
    uint64_t edges = 0;

    (void)thread;
    for (uint64_t i = c->start[task]; i < c->start[task + 1]; i++)
        edges += i == c->start[task] || c->key[i] != c->key[i - 1];
    c->at[task + 1] = edges;
}

static void store_piece(void *arg, uint64_t task, int thread)
{
    struct counting *c = arg;
    uint64_t at = c->at[task];

    (void)thread;
    for (uint64_t i = c->start[task], j; i < c->start[task + 1]; i = j) {
        for (j = i + 1; j < c->start[task + 1] && c->key[j] == c->key[i]; j++)
            ;
        if (c->x->count)
            c->x->count[at] = (uint32_t)(j - i);
        c->x->key[at++] = c->key[i];
    }
}

/* Edges from sorted draws, into x->key, which has room for them. */
static int count_edges(struct se_sampled *x, const uint64_t *key, uint64_t draws,
                       const struct se_sample_options *plan, struct se_err *err)
{
    struct counting c = { .key = key, .x = x };

    while (draws > 0 && key[draws - 1] == UINT64_MAX)
        draws--;
    for (uint64_t p = 1; p <= PIECES; p++) {
        uint64_t i = draws * p / PIECES;

        while (i > 0 && i < draws && key[i] == key[i - 1])
            i++;
        c.start[p] = i < c.start[p - 1] ? c.start[p - 1] : i;
    }
    se_parallel(plan->threads, PIECES, count_piece, &c);
    for (int p = 0; p < PIECES; p++)
        c.at[p + 1] += c.at[p];
    x->edges = c.at[PIECES];
    if (plan->counted && !(x->count = se_alloc(x->edges, sizeof *x->count, err)))
        return -1;
    se_parallel(plan->threads, PIECES, store_piece, &c);
    return 0;
}

static int draw_round(struct round *o, uint64_t number, struct se_sampled *x,
                      struct se_err *err)
{
    const int threads = o->plan->threads;
    int rc = -1;

    x->draws = o->draws;
    x->key = se_alloc(o->draws, sizeof *x->key, err);   /* scratch memory until then */
    o->key = x->key ? se_alloc(o->draws, sizeof *o->key, err) : NULL;
    if (o->key) {
        const double start = se_now();

        o->offset = number * o->draws;
        atomic_store(&o->done, 0);
        if (o->draws > 0)
            se_parallel(threads, (o->draws + BLOCK - 1) / BLOCK, draw_block, o);
        x->seconds = se_now() - start;
        rc = se_sort_u64_threads(o->key, x->key, o->draws, threads, err);
    }
    if (rc == 0)
        rc = count_edges(x, o->key, o->draws, o->plan, err);
    free(o->key);
    return rc;
}

/* Keep in x what y has too; the counts add up. */
static void intersect(struct se_sampled *x, const struct se_sampled *y)
{
    uint64_t kept = 0, j = 0;

    for (uint64_t i = 0; i < x->edges; i++) {
        while (j < y->edges && y->key[j] < x->key[i])
            j++;
        if (j == y->edges || y->key[j] != x->key[i])
            continue;
        if (x->count)
            x->count[kept] = x->count[i] + y->count[j];
        x->key[kept++] = x->key[i];
    }
    x->edges = kept;
    x->draws += y->draws;
    x->seconds += y->seconds;
}

static int list_nodes(struct round *o, const struct se_measure *x, struct se_err *err)
{
    o->node = se_alloc(o->law->nodes, sizeof *o->node, err);
    o->start = se_alloc(o->law->nodes + 1, sizeof *o->start, err);
    if (!o->node || !o->start)
        return -1;
    o->draws = o->nodes = 0;
    for (uint64_t a = 0; a < o->law->nodes; a++) {
        const uint64_t here = draws_at(o->law, x, o->plan, (uint32_t)a);

        if (here == 0)
            continue;
        o->node[o->nodes] = (uint32_t)a;
        o->start[o->nodes++] = o->draws;
        o->draws += here;
    }
    o->start[o->nodes] = o->draws;
    return 0;
}

int se_sample(struct se_sampled *out, const struct se_law *law, const struct se_tree *t,
              const struct se_measure *x, const struct se_sample_options *plan,
              struct se_err *err)
{
    struct round o = { .law = law, .tree = t, .plan = plan };
    int rc = list_nodes(&o, x, err);

    for (uint64_t i = 0; rc == 0 && i < plan->agree; i++) {
        struct se_sampled more = SE_SAMPLED_INIT;

        rc = draw_round(&o, i, i == 0 ? out : &more, err);
        if (rc == 0 && i > 0)
            intersect(out, &more);
        se_sampled_release(&more);
    }
    free(o.node);
    free(o.start);
    return rc;
}

static void append(struct se_sampled *x, uint64_t key, uint32_t count)
{
    if (x->count)
        x->count[x->edges] = count;
    x->key[x->edges++] = key;
}

/* Append the edges of x from *i on that come before `key`. */
static void append_before(struct se_sampled *to, const struct se_sampled *x, uint64_t *i,
                          uint64_t key)
{
    for (; *i < x->edges && x->key[*i] < key; ++*i)
        append(to, x->key[*i], x->count ? x->count[*i] : 0);
}

int se_sampled_unite(struct se_sampled *x, const struct se_graph *g, struct se_err *err)
{
    struct se_sampled all = { .draws = x->draws, .seconds = x->seconds };
    uint64_t i = 0;

    all.key = se_alloc(x->edges + g->m, sizeof *all.key, err);
    if (all.key && x->count)
        all.count = se_alloc(x->edges + g->m, sizeof *all.count, err);
    if (!all.key || (x->count && !all.count)) {
        se_sampled_release(&all);
        return -1;
    }
    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++) {
            const uint64_t old = u << 32 | g->to[e];

            append_before(&all, x, &i, old);
            if (i == x->edges || x->key[i] != old)      /* else it comes with the next */
                append(&all, old, 0);
        }
    append_before(&all, x, &i, UINT64_MAX);
    se_sampled_release(x);
    *x = all;
    return 0;
}

/* Bits of a float such that unsigned order is the order of the numbers. */
static uint32_t ordered(float f)
{
    uint32_t b;

    memcpy(&b, &f, sizeof b);
    return b >> 31 ? ~b : b | 0x80000000;
}

int se_sampled_thin(struct se_sampled *x, float *similarity, uint64_t keep,
                    struct se_err *err)
{
    const uint64_t gone = keep < x->edges ? x->edges - keep : 0;
    uint64_t *rank, *scratch, kept = 0;

    if (gone == 0)
        return 0;
    if (x->edges > UINT32_MAX)
        return se_fail(err, SE_EINPUT, "%" PRIu64 " edges are too many to order", x->edges);
    rank = se_alloc(x->edges, sizeof *rank, err);
    scratch = rank ? se_alloc(x->edges, sizeof *scratch, err) : NULL;
    if (!scratch) {
        free(rank);
        return -1;
    }
    for (uint64_t i = 0; i < x->edges; i++)             /* later pairs go first */
        rank[i] = (uint64_t)ordered(similarity[i]) << 32 | (UINT32_MAX - i);
    se_sort_u64(rank, scratch, x->edges);
    for (uint64_t i = 0; i < gone; i++)
        x->key[UINT32_MAX - (uint32_t)rank[i]] = UINT64_MAX;
    for (uint64_t i = 0; i < x->edges; i++)
        if (x->key[i] != UINT64_MAX) {
            x->key[kept] = x->key[i];
            if (x->count)
                x->count[kept] = x->count[i];
            similarity[kept++] = similarity[i];
        }
    x->edges = kept;
    free(rank);
    free(scratch);
    return 0;
}

struct filling {
    const struct se_sampled *x;
    const struct se_graph_room *room;
};

/* A piece of the edges, and the offsets of the vertices that begin in it. */
static void fill_piece(void *arg, uint64_t task, int thread)
{
    const struct filling *f = arg;
    const uint64_t *key = f->x->key, last = f->x->edges * (task + 1) / PIECES;
    uint64_t i = f->x->edges * task / PIECES;

    (void)thread;
    for (uint64_t u = i > 0 ? (key[i - 1] >> 32) + 1 : 0; i < last; i++) {
        for (; u <= key[i] >> 32; u++)
            f->room->off[u] = i;
        f->room->to[i] = (uint32_t)key[i];
    }
}

int se_sampled_put(const struct se_sampled *x, uint64_t n, const float *weight,
                   const struct se_graph *old, int threads, struct se_stream *s,
                   struct se_err *err)
{
    const uint64_t loops = old ? old->loops : 0;
    struct se_graph_room room = SE_GRAPH_ROOM_INIT;
    struct filling f = { x, &room };

    if (se_graph_room_make(&room, n, x->edges, loops, weight, err) < 0)
        return -1;
    se_parallel(threads, PIECES, fill_piece, &f);
    for (uint64_t u = x->edges > 0 ? (x->key[x->edges - 1] >> 32) + 1 : 0; u <= n; u++)
        room.off[u] = x->edges;
    if (weight)
        memcpy(room.weight, weight, x->edges * sizeof *weight);
    for (uint64_t i = 0; i < loops; i++) {
        room.loop[i] = old->loop[i];
        if (weight)
            room.loop_weight[i] = old->loop_weight ? old->loop_weight[i] : 1;
    }
    return se_graph_room_give(&room, s, SE_GRAPH, NULL, err);
}
