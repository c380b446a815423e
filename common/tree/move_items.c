/* move_items.c - a partition improved by moving one item at a time
 *
 * Items are visited in sweeps; only those whose neighbourhood changed are looked at.  Large
 * nets are worked on in chunks: the items of a chunk choose their moves side by side from
 * the same state, then the moves are made one after the other, each checked again.  What
 * happens depends on the chunks but not on the number of threads. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/tree/workings.h"

enum {
    CHUNKED_FROM = 200000,      /* arcs; smaller nets are worked on item by item */
    CHUNK = 4096, CHUNK_ARCS = 200000,  /* a chunk has no more items or, but for the last, arcs */
    TASKS = 32,                 /* of a chunk */
    BLOCK = 32,                 /* neighbours that are visited together */
    BATCH = 64
};

struct module {                 /* 32 bytes: half a cache line */
    double volume, inside, log; /* log2 volume */
    uint64_t count;
};

struct choice {                 /* what an item of a chunk wants */
    uint32_t item, target;      /* SE_NONE: a module of its own */
    double from, to;            /* weight to the module it leaves and the one it joins */
    bool moves, conflict;
    bool again;                 /* left over from the chunk before */
};

struct mover {
    const struct se_quotient *x;
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

static inline double limit_of(const struct mover *s, uint32_t item)
{
    return s->bound->limit[s->bound->group ? s->bound->group[item] : 0];
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
        return -a->inside * (limit - a->log);
    return inside * (limit - log2(a->volume - s->x->volume[item])) -
           a->inside * (limit - a->log);
}

/* ... and when it then joins `b`; w: the weight to it and within the item. */
static inline double gain_join(const struct module *b, double volume, double w, double limit)
{
    return (b->inside + w) * (limit - log2(b->volume + volume)) -
           b->inside * (limit - b->log);
}

/* No less than gain_join, without a logarithm: log(1 + y) >= 2y / (2 + y). */
static inline double gain_bound(const struct module *b, double volume, double w, double limit)
{
    double rise = 2 * M_LOG2E * volume / (2 * b->volume + volume);

    return w * (limit - b->log - rise) - b->inside * rise;
}

static double gain_alone(const struct mover *s, uint32_t item, double limit)
{
    double inner = inner_of(s, item);

    return inner > 0 ? inner * (limit - log2(s->x->volume[item])) : 0;
}

/* Weights of the item to the modules of its group.  The ids are fetched some at a time, and
 * what is known of a module is called for when it is first met: memory is the cost here. */
static void tally_modules(const struct mover *s, uint32_t item, struct se_tally *t)
{
    const struct se_quotient *x = s->x;
    const uint32_t *group = s->bound->group;
    uint32_t id[BATCH];

    se_tally_begin(t, x->off[item + 1] - x->off[item]);
    for (uint64_t a = x->off[item], end = x->off[item + 1]; a < end; a += BATCH) {
        const uint64_t count = end - a < BATCH ? end - a : BATCH;
        if (group)
            for (uint64_t i = 0; i < count; i++)
                id[i] = group[x->to[a + i]] == group[item] ? s->module[x->to[a + i]]
                                                           : SE_NONE;
        else
            for (uint64_t i = 0; i < count; i++)
                id[i] = s->module[x->to[a + i]];
        for (uint64_t i = 0; i < count; i++)
            if (id[i] != SE_NONE && se_tally_add(t, id[i], se_quotient_weight(x, a + i)))
                __builtin_prefetch(&s->m[id[i]]);
    }
}

/* The best module for the item as things stand. */
static void choose(const struct mover *s, struct se_tally *t, struct choice *c)
{
    const uint32_t item = c->item, old = s->module[item];
    const double limit = limit_of(s, item), inner = inner_of(s, item);
    const double volume = s->x->volume[item];
    double best;

    tally_modules(s, item, t);
    c->target = old;
    c->to = 0;
    c->from = se_tally_get(t, old);
    best = -gain_leave(s, item, c->from, limit) + s->least;
    if (s->m[old].count > 1 && gain_alone(s, item, limit) > best) {
        best = gain_alone(s, item, limit);
        c->target = SE_NONE;
    }
    for (uint32_t i = 0; i < t->count; i++) {
        const struct se_tally_slot *e = se_tally_at(t, i);
        const struct module *b = &s->m[e->key];
        double gain;
        if (e->key == old || gain_bound(b, volume, e->sum + inner, limit) <= best)
            continue;
        gain = gain_join(b, volume, e->sum + inner, limit);
        if (gain > best) {
            best = gain;
            c->target = e->key;
            c->to = e->sum;
        }
    }
    c->moves = c->target != old;
    c->conflict = false;
}

static void set_log(struct module *a)
{
    if (a->count == 0 || a->inside < 0)
        a->inside = 0;
    if (a->count == 0)
        a->volume = 0;
    a->log = a->volume > 0 ? log2(a->volume) : 0;
}

/* Make the move if it gains now. */
static bool apply(struct mover *s, const struct choice *c)
{
    uint32_t old = s->module[c->item], target = c->target;
    double limit = limit_of(s, c->item), gain;
    double volume = s->x->volume[c->item], inner = inner_of(s, c->item);

    gain = gain_leave(s, c->item, c->from, limit);
    gain += target == SE_NONE ? gain_alone(s, c->item, limit)
                              : gain_join(&s->m[target], volume, c->to + inner, limit);
    if (!(gain > s->least))
        return false;
    if (target == SE_NONE)
        target = s->empty[--s->empties];
    s->m[old].count--;
    s->m[old].volume -= volume;
    s->m[old].inside -= c->from + inner;
    set_log(&s->m[old]);
    if (s->m[old].count == 0)
        s->empty[s->empties++] = old;
    s->m[target].count++;
    s->m[target].volume += volume;
    s->m[target].inside += c->to + inner;
    set_log(&s->m[target]);
    s->module[c->item] = target;
    s->gain += gain;
    return true;
}

static void wake_neighbours(struct mover *s, uint32_t item)
{
    const struct se_quotient *x = s->x;

    for (uint64_t a = x->off[item]; a < x->off[item + 1]; a++)
        if (s->module[x->to[a]] != s->module[item])
            atomic_store_explicit(&s->due[x->to[a]], 1, memory_order_relaxed);
}

/* ---- one chunk ---- */

struct slice {
    uint64_t first, last;
};

static struct slice slice_of(const struct mover *s, uint64_t task)
{
    return (struct slice){ s->choices * task / TASKS, s->choices * (task + 1) / TASKS };
}

static void choose_slice(void *arg, uint64_t task, int thread)
{
    struct mover *s = arg;
    struct slice p = slice_of(s, task);

    for (uint64_t i = p.first; i < p.last; i++) {
        struct choice *c = &s->choice[i];
        choose(s, &s->tally[thread], c);
        if (c->moves)
            s->turn[c->item] = (uint32_t)i + 1;
    }
}

/* A move whose neighbour moves before it must be thought over again. */
static void conflict_slice(void *arg, uint64_t task, int thread)
{
    struct mover *s = arg;
    const struct se_quotient *x = s->x;
    struct slice p = slice_of(s, task);

    (void)thread;
    for (uint64_t i = p.first; i < p.last; i++) {
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
    struct slice p = slice_of(s, task);

    (void)thread;
    for (uint64_t i = p.first; i < p.last; i++)
        if (s->choice[i].moves)
            wake_neighbours(s, s->choice[i].item);
}

static void call_for(const struct mover *s, uint64_t i)
{
    if (i < s->choices && s->choice[i].moves) {
        __builtin_prefetch(&s->m[s->module[s->choice[i].item]], 1);
        if (s->choice[i].target != SE_NONE)
            __builtin_prefetch(&s->m[s->choice[i].target], 1);
    }
}

/* Returns how many moved.  Those in conflict begin the next chunk; if they were left over
 * already, they choose anew on the spot. */
static uint64_t do_chunk(struct mover *s)
{
    uint64_t moved = 0, left = 0;

    se_parallel(s->threads, TASKS, choose_slice, s);
    se_parallel(s->threads, TASKS, conflict_slice, s);
    for (uint64_t i = 0; i < s->choices; i++) {
        struct choice *c = &s->choice[i];
        call_for(s, i + 8);
        if (!c->moves)
            continue;
        s->turn[c->item] = 0;
        if (c->conflict && !c->again) {
            c->moves = false;
            continue;
        }
        if (c->conflict)
            choose(s, &s->tally[0], c);
        if (c->moves && !(c->moves = apply(s, c)))
            atomic_store_explicit(&s->due[c->item], 1, memory_order_relaxed);
        moved += c->moves;
    }
    se_parallel(s->threads, TASKS, wake_slice, s);
    for (uint64_t i = 0; i < s->choices; i++)
        if (s->choice[i].conflict && !s->choice[i].again)
            s->choice[left++] = (struct choice){ .item = s->choice[i].item, .again = true };
    s->choices = left;
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

/* Small nets have small chunks, or too many neighbours would meet in one. */
static uint64_t sweep_chunked(struct mover *s)
{
    const struct se_quotient *x = s->x;
    const uint64_t most = x->n / 16 < 64 ? 64 : x->n / 16 < CHUNK ? x->n / 16 : CHUNK;
    uint64_t moved = 0, arcs = 0;

    for (uint64_t i = 0; i < x->n; i++) {
        const uint32_t item = s->order[i];
        if (!take_due(s, item))
            continue;
        s->choice[s->choices++] = (struct choice){ .item = item };
        arcs += x->off[item + 1] - x->off[item];
        if (s->choices == most || arcs > CHUNK_ARCS) {
            moved += do_chunk(s);
            arcs = 0;
        }
        if (s->choices == most)                 /* all in conflict */
            moved += do_chunk(s);
    }
    while (s->choices > 0)
        moved += do_chunk(s);
    return moved;
}

static uint64_t sweep_singly(struct mover *s)
{
    uint64_t moved = 0;
    struct choice c;

    for (uint64_t i = 0; i < s->x->n; i++) {
        if (!take_due(s, s->order[i]))
            continue;
        c.item = s->order[i];
        choose(s, &s->tally[0], &c);
        if (c.moves && apply(s, &c)) {
            wake_neighbours(s, c.item);
            moved++;
        }
    }
    return moved;
}

/* Where each item is alone nothing lies inside a module but what lies inside the item. */
static int fill_inside(struct mover *s, bool alone, struct se_err *err)
{
    const struct se_quotient *x = s->x;
    double *inside = alone ? NULL : se_alloc(x->n, sizeof *inside, err);

    if (!alone && !inside)
        return -1;
    if (!alone)
        se_quotient_inside(x, s->module, inside, s->threads);
    for (uint32_t i = 0; i < x->n; i++)
        s->m[s->module[i]].inside += alone ? inner_of(s, i) : inside[i];
    free(inside);
    return 0;
}

static int fill_modules(struct mover *s, struct se_err *err)
{
    const struct se_quotient *x = s->x;
    bool alone = true;

    for (uint32_t i = 0; i < x->n; i++) {
        struct module *m = &s->m[s->module[i]];
        m->volume += x->volume[i];
        alone &= m->count++ == 0;
        atomic_init(&s->due[i], 1);
    }
    if (fill_inside(s, alone, err) < 0)
        return -1;
    for (uint32_t j = (uint32_t)x->n; j-- > 0;) {
        set_log(&s->m[j]);
        if (s->m[j].count == 0)
            s->empty[s->empties++] = j;
    }
    return 0;
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

static void sweep(struct mover *s, double enough)
{
    const bool large = s->x->arcs >= CHUNKED_FROM;

    for (int i = 0; i < 100; i++) {
        const double before = s->gain;
        const uint64_t moved = large ? sweep_chunked(s) : sweep_singly(s);

        if (moved == 0 || (large && s->gain - before < enough * s->gain))
            return;
    }
}

int se_partition_move(const struct se_quotient *x, const struct se_bound *bound, uint32_t *module,
                 const struct se_search_options *how, double *gain, struct se_err *err)
{
    struct mover s = { .x = x, .bound = bound, .module = module, .threads = how->threads };
    int rc = mover_alloc(&s, err);

    *gain = 0;
    if (rc == 0) {
        s.least = 1e-12 * x->vol;
        se_visit_order(s.order, s.turn, x->n, x->arcs < CHUNKED_FROM ? 1 : BLOCK, how->seed, x->n);
        memset(s.turn, 0, x->n * sizeof *s.turn);
        rc = fill_modules(&s, err);
    }
    if (rc == 0) {
        sweep(&s, how->enough);
        *gain = s.gain;
    }
    mover_release(&s);
    return rc;
}
