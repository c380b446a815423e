/* dist_move.c - a partition improved by many items that move at the same time
 *
 * In each sweep the items are dealt out at random to a few sub-rounds.  Those of a sub-round
 * choose from the same state, whichever process they are on, then all processes are told.  In
 * one round for all, neighbours would change places for ever (distributed synchronous local
 * moving: Hamann et al., Euro-Par 2018). */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/rng.h"
#include "common/tree/dist_workings.h"

enum { SUB_ROUNDS = 4, SWEEPS = 50 };
#define ENOUGH 0.0005           /* a sweep that gains a smaller share of what all gained is the last */

struct moved {                  /* an item on its way out of a module, or into one */
    uint32_t module;
    int32_t count;
    double volume, inside;
};

struct mover {
    const struct se_share *x;
    const struct se_dist_bound *bound;
    uint32_t *module, *was;     /* n + halo; was: before the last move */
    uint16_t *turn;             /* n + halo: the sub-round of the last move, */
    uint16_t *seen;             /* n: and of the last look */
    uint8_t *part;              /* n: the sub-round of this sweep */
    struct se_home *home;
    uint32_t *list;             /* items that look now */
    uint64_t listed, movers;
    struct se_tally tally;
    struct se_tally known;      /* key: module of others; sum: its place in far */
    struct se_home *far;
    uint32_t *want;             /* modules of others that are needed now */
    size_t want_room, far_room;
    uint64_t wanted, known_room;
    double limit;               /* of the whole net */
    uint64_t seed;
    unsigned now;               /* sub-rounds so far */
};

/* ---- what is known of modules ---- */

static bool is_here(const struct mover *s, uint32_t module)
{
    return module - s->x->first < s->x->n;
}

static const struct se_home *home_of(const struct mover *s, uint32_t module)
{
    return is_here(s, module) ? &s->home[module - s->x->first]
                              : &s->far[(uint64_t)se_tally_get(&s->known, module)];
}

/* Twice as much room for modules of others; those wanted so far go in again. */
static int more_room(struct mover *s, struct se_err *err)
{
    se_tally_release(&s->known);
    s->known_room = 2 * s->known_room + 1024;
    if (se_tally_room(&s->known, s->known_room, err) < 0)
        return -1;
    se_tally_begin(&s->known, s->known_room);
    for (uint64_t i = 0; i < s->wanted; i++)
        se_tally_add(&s->known, s->want[i], 0);
    return 0;
}

static int want(struct mover *s, uint32_t module, struct se_err *err)
{
    if (is_here(s, module))
        return 0;
    if (s->wanted == s->known_room && more_room(s, err) < 0)
        return -1;
    if (!se_tally_add(&s->known, module, 0))
        return 0;
    if (se_grow(&s->want, &s->want_room, s->wanted + 1, sizeof *s->want, err) < 0)
        return -1;
    s->want[s->wanted++] = module;
    return 0;
}

/* Get what others know of the modules that the listed items and their neighbours are in. */
static int ask(struct mover *s, struct se_err *err)
{
    const struct se_share *x = s->x;
    const uint64_t ranks = (uint64_t)x->team->ranks;
    uint64_t *of = se_alloc(2 * (ranks + 1), sizeof *of, err), *in_of = of ? of + ranks + 1 : NULL;
    uint32_t *place = se_alloc(s->wanted, sizeof *place, err);
    uint32_t *out = se_alloc(s->wanted, sizeof *out, err);
    struct se_home *answer = NULL;
    void *in = NULL;
    int rc = of && place && out ? 0 : -1;

    if (rc == 0) {
        se_team_sort(x->border, (int)ranks, s->want, s->wanted, of, place);
        for (uint64_t i = 0; i < s->wanted; i++) {
            out[i] = s->want[place[i]];
            s->known.slot[se_tally_place(&s->known, out[i])].sum = (double)i;
        }
        rc = se_team_send(x->team, out, of, &in, in_of, sizeof *out, err);
    }
    if (rc == 0 && !(answer = se_alloc(in_of[ranks], sizeof *answer, err)))
        rc = -1;
    if (rc == 0)
        rc = se_grow(&s->far, &s->far_room, s->wanted + 1, sizeof *s->far, err);
    if (rc == 0) {
        for (uint64_t i = 0; i < in_of[ranks]; i++)
            answer[i] = s->home[((const uint32_t *)in)[i] - x->first];
        x->team->swap(x->team, answer, in_of, s->far, of, sizeof *answer);
    }
    free(of);
    free(place);
    free(out);
    free(in);
    free(answer);
    return rc;
}

/* ---- choosing ---- */

static bool same_group(const struct mover *s, uint32_t a, uint32_t b)
{
    return !s->bound || s->bound->group[a] == s->bound->group[b];
}

/* Has a neighbour moved since this item last looked? */
static bool is_due(const struct mover *s, uint32_t item)
{
    const struct se_share *x = s->x;

    if (s->seen[item] == 0)
        return true;
    for (uint64_t a = x->off[item]; a < x->off[item + 1]; a++)
        if (s->turn[x->to[a]] >= s->seen[item] && s->module[x->to[a]] != s->module[item] &&
            same_group(s, item, x->to[a]))
            return true;
    return false;
}

static int list_items(struct mover *s, uint8_t part, struct se_err *err)
{
    const struct se_share *x = s->x;

    s->listed = 0;
    for (uint32_t i = 0; i < x->n; i++)
        if (s->part[i] == part && is_due(s, i))
            s->list[s->listed++] = i;
    s->wanted = 0;
    if (s->known_room > 0)
        se_tally_begin(&s->known, s->known_room);
    for (uint64_t i = 0; i < s->listed; i++) {
        const uint32_t item = s->list[i];

        if (want(s, s->module[item], err) < 0)
            return -1;
        for (uint64_t a = x->off[item]; a < x->off[item + 1]; a++)
            if (same_group(s, item, x->to[a]) && want(s, s->module[x->to[a]], err) < 0)
                return -1;
    }
    return ask(s, err);
}

static double gain_leave(const struct se_home *a, double volume, double w, double limit)
{
    if (a->count == 1)
        return -a->inside * (limit - a->log);
    return (a->inside - w) * (limit - se_dist_log(a->volume - volume)) - a->inside * (limit - a->log);
}

static double gain_join(const struct se_home *b, double volume, double w, double limit)
{
    return (b->inside + w) * (limit - se_dist_log(b->volume + volume)) -
           b->inside * (limit - b->log);
}

/* No less than gain_join, without a logarithm, as in move_items.c */
static double gain_bound(const struct se_home *b, double volume, double w, double limit)
{
    const double rise = 2 * M_LOG2E * volume / (2 * b->volume + volume);

    return w * (limit - b->log - rise) - b->inside * rise;
}

/* Of two modules of one item each only one goes to the other.  Not always the lower one, or all
 * would gather where low numbers are. */
static bool gives_way(uint32_t a, uint32_t b)
{
    return a * UINT32_C(0x9E3779B1) < b * UINT32_C(0x9E3779B1);
}

/* The module that is best for an item as things stand */
static uint32_t choose(struct mover *s, uint32_t item)
{
    const struct se_share *x = s->x;
    const uint32_t old = s->module[item], own = se_share_id(x, item);
    const double volume = x->volume[item], inner = x->inner ? x->inner[item] : 0;
    const double limit = s->bound ? s->bound->limit[item] : s->limit;
    const struct se_home *from = home_of(s, old);
    uint32_t target = old;
    double best, alone;

    se_tally_begin(&s->tally, x->off[item + 1] - x->off[item]);
    for (uint64_t a = x->off[item]; a < x->off[item + 1]; a++)
        if (same_group(s, item, x->to[a]))
            se_tally_add(&s->tally, s->module[x->to[a]], se_share_weight(x, a));
    best = 1e-12 * x->vol - gain_leave(from, volume, se_tally_get(&s->tally, old) + inner, limit);
    alone = inner > 0 ? inner * (limit - se_dist_log(volume)) : 0;
    if (from->count > 1 && home_of(s, own)->count == 0 && alone > best) {
        best = alone;
        target = own;
    }
    for (uint32_t i = 0; i < s->tally.count; i++) {
        const struct se_tally_slot *e = se_tally_at(&s->tally, i);
        const struct se_home *b = home_of(s, e->key);
        double gain;

        if (e->key == old || (from->count == 1 && b->count == 1 && !gives_way(old, e->key)) ||
            gain_bound(b, volume, e->sum + inner, limit) <= best)
            continue;
        gain = gain_join(b, volume, e->sum + inner, limit);
        if (gain > best) {
            best = gain;
            target = e->key;
        }
    }
    return target;
}

/* ---- moving ---- */

static void set_module(struct mover *s, uint32_t item, uint32_t module)
{
    s->was[item] = s->module[item];
    s->module[item] = module;
    s->turn[item] = (uint16_t)s->now;
}

/* Tell those who have our items in their halo. */
struct news {
    uint32_t place, module;
};

static int spread(struct mover *s, struct se_err *err)
{
    const struct se_share *x = s->x;
    const int ranks = x->team->ranks;
    uint64_t *of = se_alloc(2 * ((uint64_t)ranks + 1), sizeof *of, err), *in_of, count = 0;
    struct news *out = NULL;
    size_t room = 0;
    void *in = NULL;
    int rc = of ? 0 : -1;

    in_of = of ? of + ranks + 1 : NULL;
    for (int r = 0; rc == 0 && r < ranks; r++) {
        of[r] = count;
        for (uint64_t i = x->row_of[r]; rc == 0 && i < x->row_of[r + 1]; i++)
            if (s->turn[x->row[i]] == s->now &&
                (rc = se_grow(&out, &room, count + 1, sizeof *out, err)) == 0)
                out[count++] = (struct news){ (uint32_t)(i - x->row_of[r]), s->module[x->row[i]] };
    }
    if (rc == 0) {
        of[ranks] = count;
        rc = se_team_send(x->team, out, of, &in, in_of, sizeof *out, err);
    }
    for (int r = 0; rc == 0 && r < ranks; r++)
        for (uint64_t i = in_of[r]; i < in_of[r + 1]; i++) {
            const struct news *n = (const struct news *)in + i;

            set_module(s, (uint32_t)(x->n + x->halo_of[r] + n->place), n->module);
        }
    free(of);
    free(out);
    free(in);
    return rc;
}

/* How the weight inside the module that an item left and of the one that it joined changes.  Of two
 * neighbours that both moved each counts one half. */
static void weigh_move(const struct mover *s, uint32_t item, struct moved *left,
                       struct moved *joined)
{
    const struct se_share *x = s->x;
    const double inner = x->inner ? x->inner[item] : 0;

    *left = (struct moved){ s->was[item], -1, -x->volume[item], -inner };
    *joined = (struct moved){ s->module[item], 1, x->volume[item], inner };
    for (uint64_t a = x->off[item]; a < x->off[item + 1]; a++) {
        const uint32_t b = x->to[a];
        const bool both = s->turn[b] == s->now;
        const double w = se_share_weight(x, a) * (both ? .5 : 1);

        if (left->module == (both ? s->was[b] : s->module[b]))
            left->inside -= w;
        if (joined->module == s->module[b])
            joined->inside += w;
    }
}

static void apply(struct mover *s, const struct moved *m)
{
    struct se_home *h = &s->home[m->module - s->x->first];

    h->volume += m->volume;
    h->inside += m->inside;
    h->count += m->count;
    h->log = se_dist_log(h->volume);
}

/* All that moved here, to where their modules are */
static int report(struct mover *s, struct se_err *err)
{
    const struct se_share *x = s->x;
    const uint64_t ranks = (uint64_t)x->team->ranks, count = 2 * s->movers;
    uint64_t *of = se_alloc(2 * (ranks + 1), sizeof *of, err);
    uint32_t *place = se_alloc(count, sizeof *place, err), *id = se_alloc(count, sizeof *id, err);
    struct moved *all = se_alloc(count, sizeof *all, err), *out = se_alloc(count, sizeof *out, err);
    void *in = NULL;
    int rc = of && place && id && all && out ? 0 : -1;

    if (rc == 0) {
        for (uint64_t i = 0; i < s->movers; i++) {
            weigh_move(s, s->list[i], &all[2 * i], &all[2 * i + 1]);
            id[2 * i] = all[2 * i].module;
            id[2 * i + 1] = all[2 * i + 1].module;
        }
        se_team_sort(x->border, (int)ranks, id, count, of, place);
        for (uint64_t i = 0; i < count; i++)
            out[i] = all[place[i]];
        rc = se_team_send(x->team, out, of, &in, of + ranks + 1, sizeof *out, err);
    }
    for (uint64_t i = 0; rc == 0 && i < of[2 * ranks + 1]; i++)
        apply(s, (const struct moved *)in + i);
    free(of);
    free(place);
    free(id);
    free(all);
    free(out);
    free(in);
    return rc;
}

static int sub_round(struct mover *s, uint8_t part, struct se_err *err)
{
    uint32_t *target;

    s->now++;
    if (list_items(s, part, err) < 0)
        return -1;
    target = se_alloc(s->listed, sizeof *target, err);
    if (!target)
        return -1;
    for (uint64_t i = 0; i < s->listed; i++) {
        target[i] = choose(s, s->list[i]);
        s->seen[s->list[i]] = (uint16_t)s->now;
    }
    s->movers = 0;
    for (uint64_t i = 0; i < s->listed; i++)
        if (target[i] != s->module[s->list[i]]) {
            set_module(s, s->list[i], target[i]);
            s->list[s->movers++] = s->list[i];
        }
    free(target);
    return spread(s, err) < 0 || report(s, err) < 0 ? -1 : 0;
}

/* How many moved, of all processes */
static int sweep(struct mover *s, uint64_t index, double *moved, struct se_err *err)
{
    *moved = 0;
    for (uint32_t i = 0; i < s->x->n; i++) {
        struct se_rng r;

        se_rng_init(&r, s->seed, SE_RNG_TREE, index << 32 | se_share_id(s->x, i));
        s->part[i] = (uint8_t)(se_rng_u32(&r) % SUB_ROUNDS);
    }
    for (uint8_t part = 0; part < SUB_ROUNDS; part++) {
        if (sub_round(s, part, err) < 0)
            return -1;
        *moved += (double)s->movers;
    }
    s->x->team->sum(s->x->team, moved, 1);
    return 0;
}

/* Sweep until little is gained; what made things worse is taken back. */
static int move_all(struct mover *s, uint32_t *kept, struct se_err *err)
{
    const struct se_share *x = s->x;
    const uint64_t bytes = (x->n + x->halo) * sizeof *kept;
    const double start = se_homes_value(x, s->bound, s->home);
    double best = start;

    memcpy(kept, s->module, bytes);
    for (uint64_t i = 0; i < SWEEPS; i++) {
        double moved, value;

        if (sweep(s, i, &moved, err) < 0)
            return -1;
        if (moved == 0)
            return 0;
        value = se_homes_value(x, s->bound, s->home);
        if (value > best)
            memcpy(kept, s->module, bytes);
        if (value - best <= ENOUGH * (value - start))
            break;
        best = value;
    }
    memcpy(s->module, kept, bytes);
    return 0;
}

static int mover_alloc(struct mover *s, uint64_t seed, struct se_err *err)
{
    const struct se_share *x = s->x;
    uint64_t most = 1;

    for (uint64_t i = 0; i < x->n; i++)
        if (x->off[i + 1] - x->off[i] > most)
            most = x->off[i + 1] - x->off[i];
    s->was = se_zalloc(x->n + x->halo, sizeof *s->was, err);
    s->turn = se_zalloc(x->n + x->halo, sizeof *s->turn, err);
    s->seen = se_zalloc(x->n, sizeof *s->seen, err);
    s->part = se_zalloc(x->n, sizeof *s->part, err);
    s->list = se_alloc(x->n, sizeof *s->list, err);
    s->limit = se_dist_log(x->vol);
    s->seed = seed;
    return !s->was || !s->turn || !s->seen || !s->part || !s->list ||
           se_tally_room(&s->tally, most, err) < 0 ? -1 : 0;
}

int se_dist_move(const struct se_share *x, const struct se_dist_bound *b, uint32_t *module,
                 uint64_t seed, struct se_err *err)
{
    struct mover s = { .x = x, .bound = b, .module = module };
    uint32_t *kept = se_alloc(x->n + x->halo, sizeof *kept, err);
    int rc = -1;

    if (kept && mover_alloc(&s, seed, err) == 0 && se_homes_make(&s.home, x, module, err) == 0)
        rc = move_all(&s, kept, err);
    free(kept);
    free(s.home);
    free(s.was);
    free(s.turn);
    free(s.seen);
    free(s.part);
    free(s.list);
    free(s.far);
    free(s.want);
    se_tally_release(&s.tally);
    se_tally_release(&s.known);
    return rc;
}
