/* setree_move.c - a partition improved by moving one item at a time
 *
 * Items are visited in sweeps; only those whose neighbourhood changed are looked at.  Large
 * nets are worked on in chunks: the items of a chunk choose their moves side by side from
 * the same state, then the moves are made one after the other, each checked again.  What
 * happens depends on the chunks but not on the number of threads. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "common/parallel.h"
#include "common/rng.h"
#include "common/setree_net.h"

enum { CHUNK = 4096, SLICE = 256, BLOCK = 32, CHUNKED_FROM = 50000 };

struct module {                 /* 32 bytes: half a cache line */
    double volume, inside, term;        /* term = inside log2 volume */
    uint32_t count, group;
};

struct choice {                 /* what an item of a chunk wants */
    uint32_t item, target;      /* SE_NONE: a module of its own */
    double from, to;            /* weight to the module it leaves and the one it joins */
    bool moves, conflict;
};

struct mover {
    const struct se_web *x;
    const struct se_bound *bound;
    uint32_t *module;
    struct module *m;
    uint32_t *empty, empties;   /* ids of modules without items */
    uint32_t *order;            /* items as they are visited */
    _Atomic uint8_t *due;       /* 1: look at this item again */
    uint32_t *turn;             /* place in the chunk plus one of those that want to move */
    struct se_tally *tally;     /* one per thread */
    struct choice *choice;
    uint64_t choices;
    double least, gain;         /* gains below `least` are rounding */
    int threads;
};

static inline uint32_t group_of(const struct mover *s, uint32_t item)
{
    return s->bound->group ? s->bound->group[item] : 0;
}

static inline double inner_of(const struct mover *s, uint32_t item)
{
    return s->x->inner ? s->x->inner[item] : 0;
}

/* What the cost falls by when the item leaves its module for no other. */
static double gain_leave(const struct mover *s, uint32_t item, double w, double limit)
{
    const struct module *a = &s->m[s->module[item]];
    double inside = a->inside - w - inner_of(s, item);

    if (a->count == 1)
        return a->term - a->inside * limit;
    return inside * (limit - log2(a->volume - s->x->volume[item])) -
           (a->inside * limit - a->term);
}

/* ... and when it then joins `b`. */
static inline double gain_join(const struct mover *s, const struct module *b, uint32_t item,
                               double w, double limit)
{
    double inside = b->inside + w + inner_of(s, item);

    return inside * (limit - log2(b->volume + s->x->volume[item])) -
           (b->inside * limit - b->term);
}

static double gain_alone(const struct mover *s, uint32_t item, double limit)
{
    double inner = inner_of(s, item);

    return inner > 0 ? inner * (limit - log2(s->x->volume[item])) : 0;
}

/* The best module for the item as things stand. */
static void choose(const struct mover *s, uint32_t item, struct se_tally *t,
                   struct choice *c)
{
    const struct se_web *x = s->x;
    uint32_t group = group_of(s, item), old = s->module[item];
    double limit = s->bound->limit[group], best;
    struct se_err none;

    *c = (struct choice){ .item = item, .target = old };
    se_tally_room(t, x->off[item + 1] - x->off[item], &none);   /* has room for the largest */
    for (uint64_t a = x->off[item]; a < x->off[item + 1]; a++)
        se_tally_add(t, s->module[x->to[a]], se_web_weight(x, a));
    c->from = se_tally_get(t, old);
    best = -gain_leave(s, item, c->from, limit) + s->least;
    if (s->m[old].count > 1 && gain_alone(s, item, limit) > best) {
        best = gain_alone(s, item, limit);
        c->target = SE_NONE;
    }
    for (uint32_t i = 0; i < t->count; i++) {
        const struct module *b = &s->m[t->key[i]];
        double gain;
        if (t->key[i] == old || b->group != group)
            continue;
        gain = gain_join(s, b, item, t->sum[i], limit);
        if (gain > best) {
            best = gain;
            c->target = t->key[i];
            c->to = t->sum[i];
        }
    }
    se_tally_clear(t);
    c->moves = c->target != old;
}

static void set_term(struct module *a)
{
    if (a->count == 0 || a->inside < 0)
        a->inside = 0;
    if (a->count == 0)
        a->volume = 0;
    a->term = se_wlog(a->inside, a->volume);
}

/* Make the move if it gains now. */
static bool apply(struct mover *s, const struct choice *c)
{
    uint32_t old = s->module[c->item], target = c->target;
    double limit = s->bound->limit[group_of(s, c->item)], gain;
    double volume = s->x->volume[c->item], inner = inner_of(s, c->item);

    gain = gain_leave(s, c->item, c->from, limit);
    gain += target == SE_NONE ? gain_alone(s, c->item, limit)
                              : gain_join(s, &s->m[target], c->item, c->to, limit);
    if (!(gain > s->least))
        return false;
    if (target == SE_NONE) {
        target = s->empty[--s->empties];
        s->m[target].group = s->m[old].group;
    }
    s->m[old].count--;
    s->m[old].volume -= volume;
    s->m[old].inside -= c->from + inner;
    set_term(&s->m[old]);
    if (s->m[old].count == 0)
        s->empty[s->empties++] = old;
    s->m[target].count++;
    s->m[target].volume += volume;
    s->m[target].inside += c->to + inner;
    set_term(&s->m[target]);
    s->module[c->item] = target;
    s->gain += gain;
    return true;
}

static void wake_neighbours(struct mover *s, uint32_t item)
{
    const struct se_web *x = s->x;

    for (uint64_t a = x->off[item]; a < x->off[item + 1]; a++)
        if (s->module[x->to[a]] != s->module[item])
            atomic_store_explicit(&s->due[x->to[a]], 1, memory_order_relaxed);
}

/* ---- one chunk ---- */

static uint64_t slice_end(const struct mover *s, uint64_t task)
{
    return (task + 1) * SLICE < s->choices ? (task + 1) * SLICE : s->choices;
}

static void choose_slice(void *arg, uint64_t task, int thread)
{
    struct mover *s = arg;

    for (uint64_t i = task * SLICE; i < slice_end(s, task); i++) {
        struct choice *c = &s->choice[i];
        choose(s, c->item, &s->tally[thread], c);
        if (c->moves)
            s->turn[c->item] = (uint32_t)i + 1;
    }
}

/* A move whose neighbour moves before it must be thought over again. */
static void conflict_slice(void *arg, uint64_t task, int thread)
{
    struct mover *s = arg;
    const struct se_web *x = s->x;

    (void)thread;
    for (uint64_t i = task * SLICE; i < slice_end(s, task); i++) {
        struct choice *c = &s->choice[i];
        if (!c->moves)
            continue;
        for (uint64_t a = x->off[c->item]; a < x->off[c->item + 1] && !c->conflict; a++)
            c->conflict = s->turn[x->to[a]] && s->turn[x->to[a]] <= i;
    }
}

static void wake_slice(void *arg, uint64_t task, int thread)
{
    struct mover *s = arg;

    (void)thread;
    for (uint64_t i = task * SLICE; i < slice_end(s, task); i++)
        if (s->choice[i].moves)
            wake_neighbours(s, s->choice[i].item);
}

static uint64_t do_chunk(struct mover *s)
{
    uint64_t tasks = (s->choices + SLICE - 1) / SLICE, moved = 0;

    se_parallel(s->threads, tasks, choose_slice, s);
    se_parallel(s->threads, tasks, conflict_slice, s);
    for (uint64_t i = 0; i < s->choices; i++) {
        struct choice *c = &s->choice[i];
        if (!c->moves)
            continue;
        s->turn[c->item] = 0;
        if (c->conflict)
            choose(s, c->item, &s->tally[0], c);
        if (c->moves && !(c->moves = apply(s, c)))
            atomic_store_explicit(&s->due[c->item], 1, memory_order_relaxed);
        moved += c->moves;
    }
    se_parallel(s->threads, tasks, wake_slice, s);
    s->choices = 0;
    return moved;
}

/* ---- sweeps ---- */

static bool take_due(struct mover *s, uint32_t item)
{
    if (!atomic_load_explicit(&s->due[item], memory_order_relaxed))
        return false;
    atomic_store_explicit(&s->due[item], 0, memory_order_relaxed);
    return true;
}

static uint64_t sweep_chunked(struct mover *s)
{
    uint64_t moved = 0;

    for (uint64_t i = 0; i < s->x->n; i++) {
        if (take_due(s, s->order[i]))
            s->choice[s->choices++].item = s->order[i];
        if (s->choices == CHUNK)
            moved += do_chunk(s);
    }
    return moved + do_chunk(s);
}

static uint64_t sweep_singly(struct mover *s)
{
    uint64_t moved = 0;
    struct choice c;

    for (uint64_t i = 0; i < s->x->n; i++) {
        if (!take_due(s, s->order[i]))
            continue;
        choose(s, s->order[i], &s->tally[0], &c);
        if (c.moves && apply(s, &c)) {
            wake_neighbours(s, c.item);
            moved++;
        }
    }
    return moved;
}

/* Blocks of neighbours in random order: small nets in single items, large ones so that
 * memory is still read in runs. */
static void make_order(struct mover *s, uint64_t seed)
{
    uint64_t n = s->x->n, block = n < CHUNKED_FROM ? 1 : BLOCK;
    uint64_t blocks = (n + block - 1) / block, at = 0;
    uint32_t *b = s->turn;      /* not in use yet */
    struct se_rng r;

    se_rng_init(&r, seed, SE_RNG_TREE, n);
    for (uint64_t i = 0; i < blocks; i++)
        b[i] = (uint32_t)i;
    for (uint64_t i = blocks; i > 1; i--) {
        uint64_t j = se_rng_below(&r, i);
        uint32_t t = b[i - 1];
        b[i - 1] = b[j];
        b[j] = t;
    }
    for (uint64_t i = 0; i < blocks; i++)
        for (uint64_t v = b[i] * block; v < (b[i] + 1) * block && v < n; v++)
            s->order[at++] = (uint32_t)v;
    memset(s->turn, 0, n * sizeof *s->turn);
}

static void fill_modules(struct mover *s)
{
    const struct se_web *x = s->x;

    for (uint32_t i = 0; i < x->n; i++) {
        struct module *m = &s->m[s->module[i]];
        double twice = 0;
        for (uint64_t a = x->off[i]; a < x->off[i + 1]; a++)
            if (s->module[x->to[a]] == s->module[i])
                twice += se_web_weight(x, a);
        m->volume += x->volume[i];
        m->inside += inner_of(s, i) + twice / 2;
        m->count++;
        m->group = group_of(s, i);
        atomic_init(&s->due[i], 1);
    }
    for (uint32_t j = (uint32_t)x->n; j-- > 0;) {
        set_term(&s->m[j]);
        if (s->m[j].count == 0)
            s->empty[s->empties++] = j;
    }
}

static int mover_alloc(struct mover *s, struct se_err *err)
{
    uint64_t n = s->x->n, most = 0;

    s->m = se_zalloc(n, sizeof *s->m, err);
    s->empty = se_alloc(n, sizeof *s->empty, err);
    s->order = se_alloc(n, sizeof *s->order, err);
    s->due = se_alloc(n, sizeof *s->due, err);
    s->turn = se_alloc(n, sizeof *s->turn, err);
    s->choice = se_alloc(CHUNK, sizeof *s->choice, err);
    s->tally = se_zalloc((uint64_t)s->threads, sizeof *s->tally, err);
    if (!s->m || !s->empty || !s->order || !s->due || !s->turn || !s->choice || !s->tally)
        return -1;
    for (uint64_t i = 0; i < n; i++)
        if (s->x->off[i + 1] - s->x->off[i] > most)
            most = s->x->off[i + 1] - s->x->off[i];
    for (int t = 0; t < s->threads; t++)
        if (se_tally_room(&s->tally[t], most, err) < 0)
            return -1;
    return 0;
}

static void mover_release(struct mover *s)
{
    for (int t = 0; s->tally && t < s->threads; t++)
        se_tally_release(&s->tally[t]);
    free(s->tally);
    free(s->m);
    free(s->empty);
    free(s->order);
    free(s->due);
    free(s->turn);
    free(s->choice);
}

int se_part_move(const struct se_web *x, const struct se_bound *bound, uint32_t *module,
                 const struct se_search *how, double *gain, struct se_err *err)
{
    struct mover s = { .x = x, .bound = bound, .module = module, .threads = how->threads };
    int rc = mover_alloc(&s, err);

    *gain = 0;
    if (rc == 0) {
        s.least = 1e-12 * x->vol;
        make_order(&s, how->seed);
        fill_modules(&s);
        for (int sweep = 0; sweep < 100; sweep++)
            if ((x->n < CHUNKED_FROM ? sweep_singly(&s) : sweep_chunked(&s)) == 0)
                break;
        *gain = s.gain;
    }
    mover_release(&s);
    return rc;
}
