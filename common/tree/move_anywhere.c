/* move_anywhere.c - items of one level moved to any place in the tree
 *
 * Put item x under t: going down from the root, each node on the way holds V_x more, and the
 * weight acc_t between x and t moves from the parent's volume to that of t:
 *     U(t) = U(parent) - acc_t l_parent + (cut_t + acc_t) l_t - cut_t log V_t,
 * l_t = log2(V_t + V_x), U(root) = acc_root log vol, all without x.  Only nodes that x has
 * weight to can be the best; under a node of a higher level x gets modules of its own.
 *
 * In a large net the items of a chunk are priced side by side from the same state; those that
 * would gain by a move are then visited one after the other. */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/tree/workings.h"

enum {
    CHUNKED_FROM = 200000,      /* arcs; smaller nets are worked on item by item */
    CHUNK = 8192, CHUNK_ARCS = 400000, TASKS = 32, BLOCK = 32, BATCH = 64
};

struct node {                   /* a module of some level */
    double volume, cut, log;    /* log2 volume */
    uint32_t count, up;         /* modules or items below; module above */
};

struct layer {                  /* one level above the items */
    struct node *node;
    uint32_t *empty, empties;
};

struct price {                  /* of putting the item under a node */
    double log_with, u;         /* l and U */
};

struct look {                   /* what one thread knows of the item it looks at */
    struct se_tally *acc;       /* per layer: weight of the item to its modules */
    struct price **price;       /* per layer and slot of acc */
    size_t *room;               /* per layer */
    uint32_t *path;             /* its module on each layer */
    double *leaves;             /* weight that leaves each node of the path with it */
    uint32_t vanish;            /* so many nodes of the path hold nothing but the item */
    double inner, inner_cost;   /* weight inside the item, and its cost in a module alone */
    bool failed;
};

struct shift {
    const struct se_quotient *x;
    struct layer *layer;        /* layer[0] is the level above the items, the last the root */
    uint32_t layers;
    uint32_t *module, *order;
    uint8_t *due;
    struct look *look;          /* one per thread */
    uint32_t *chunk;            /* items that are looked at together, */
    bool *wants;                /* and who of them would move */
    uint64_t chunked;
    double least, gain;
    int threads;
};

static void set_log(struct node *a)
{
    if (a->count == 0)
        a->volume = a->cut = 0;
    if (a->cut < 0)
        a->cut = 0;
    a->log = a->volume > 0 ? log2(a->volume) : 0;
}

static int begin_layer(struct look *k, uint32_t i, uint64_t keys, struct se_err *err)
{
    if (se_tally_room(&k->acc[i], keys, err) < 0 ||
        se_grow(&k->price[i], &k->room[i], k->acc[i].slots, sizeof *k->price[i], err) < 0) {
        k->failed = true;
        return -1;
    }
    se_tally_begin(&k->acc[i], keys);
    return 0;
}

/* Weights of the item to the lowest modules.  Ids are fetched some at a time, and a module is
 * called for when it is first met: memory is the cost here. */
static void tally_modules(const struct shift *s, struct se_tally *t, uint32_t item)
{
    const struct se_quotient *x = s->x;
    uint32_t id[BATCH];

    for (uint64_t a = x->off[item], end = x->off[item + 1]; a < end; a += BATCH) {
        const uint64_t count = end - a < BATCH ? end - a : BATCH;
        for (uint64_t i = 0; i < count; i++)
            id[i] = s->module[x->to[a + i]];
        for (uint64_t i = 0; i < count; i++)
            if (se_tally_add(t, id[i], se_quotient_weight(x, a + i)))
                __builtin_prefetch(&s->layer[0].node[id[i]]);
    }
}

/* Weights of the item to the modules of each layer, its own path first. */
static int tally_up(const struct shift *s, struct look *k, uint32_t item)
{
    const struct se_quotient *x = s->x;
    struct se_err none;
    uint64_t keys = x->off[item + 1] - x->off[item] + 1;

    k->inner = x->inner ? x->inner[item] : 0;
    k->inner_cost = se_wlog(k->inner, x->volume[item]);
    k->vanish = 0;
    for (uint32_t i = 0; i < s->layers; i++) {
        const struct layer *y = &s->layer[i];
        k->path[i] = i == 0 ? s->module[item] : s->layer[i - 1].node[k->path[i - 1]].up;
        if (begin_layer(k, i, keys, &none) < 0)
            return -1;
        se_tally_add(&k->acc[i], k->path[i], 0);
        if (i == 0) {
            tally_modules(s, &k->acc[0], item);
        } else {
            const struct layer *z = &s->layer[i - 1];
            for (uint32_t e = 0; e < k->acc[i - 1].count; e++) {
                const struct se_tally_slot *below = se_tally_at(&k->acc[i - 1], e);
                se_tally_add(&k->acc[i], z->node[below->key].up, below->sum);
            }
        }
        keys = k->acc[i].count;
        if (k->vanish == i && y->node[k->path[i]].count == 1)
            k->vanish++;
        k->leaves[i] = se_tally_at(&k->acc[i], 0)->sum -
                       (i > 0 ? se_tally_at(&k->acc[i - 1], 0)->sum : -k->inner);
    }
    return 0;
}

struct place {                  /* where an item would go */
    uint32_t layer, node;
    double cost, stay;          /* what it costs there, and where the item is */
};

/* U of entry e of a layer, INFINITY if the node goes with the item. */
static void price_entry(const struct shift *s, struct look *k, double v, uint32_t i,
                        uint32_t e)
{
    const struct se_tally_slot *slot = se_tally_at(&k->acc[i], e);
    struct price *p = &k->price[i][k->acc[i].used[e]];
    struct node a = s->layer[i].node[slot->key];
    const struct price *up;

    if (i + 1 == s->layers) {
        *p = (struct price){ a.log, slot->sum * a.log };
        return;
    }
    if (e == 0 && i < k->vanish) {
        p->u = INFINITY;
        return;
    }
    if (e == 0) {
        a.volume -= v;
        a.cut -= k->leaves[i];
        a.log = a.volume > 0 ? log2(a.volume) : 0;
    }
    up = &k->price[i + 1][se_tally_place(&k->acc[i + 1], a.up)];
    p->log_with = log2(a.volume + v);
    p->u = up->u - slot->sum * up->log_with +
           (a.cut + slot->sum + (i > 0 ? 0 : k->inner)) * p->log_with - a.cut * a.log;
}

/* No more than U of entry e of the lowest layer, without a logarithm:
 * log(1 + y) >= 2y / (2 + y). */
static double least_price(const struct shift *s, const struct look *k, double v, uint32_t e)
{
    const struct se_tally_slot *slot = se_tally_at(&k->acc[0], e);
    const struct node *a = &s->layer[0].node[slot->key];
    const struct price *up = &k->price[1][se_tally_place(&k->acc[1], a->up)];
    const double rise = 2 * M_LOG2E * v / (2 * a->volume + v);

    return up->u - slot->sum * up->log_with + (slot->sum + k->inner) * (a->log + rise) +
           a->cut * rise;
}

/* U of every node met; the best of them, and what staying costs. */
static struct place look_at(const struct shift *s, struct look *k, uint32_t item)
{
    struct place best = { 0, 0, INFINITY, 0 };
    const double v = s->x->volume[item];

    if (tally_up(s, k, item) < 0)
        return best;
    for (uint32_t i = s->layers; i-- > 0;) {
        double alone = i > 0 ? k->inner_cost : 0;
        for (uint32_t e = 0; e < k->acc[i].count; e++) {
            double u;
            if (i == 0 && e > 0 && least_price(s, k, v, e) >= best.cost)
                continue;
            price_entry(s, k, v, i, e);
            u = k->price[i][k->acc[i].used[e]].u + alone;
            if (u == INFINITY)
                continue;
            if (e == 0)
                best.stay = u;                  /* the lowest that does not go with it */
            if (u < best.cost) {
                best.cost = u;
                best.layer = i;
                best.node = se_tally_at(&k->acc[i], e)->key;
            }
        }
    }
    return best;
}

static bool gains(const struct shift *s, const struct place *p)
{
    return p->cost < p->stay - s->least;
}

static void take_out(struct shift *s, const struct look *k, uint32_t item)
{
    bool empty = true;

    for (uint32_t i = 0; i + 1 < s->layers; i++) {
        struct node *a = &s->layer[i].node[k->path[i]];
        a->volume -= s->x->volume[item];
        a->cut -= k->leaves[i];
        a->count -= empty;              /* the part below it is gone */
        empty = a->count == 0;
        set_log(a);
        if (empty)
            s->layer[i].empty[s->layer[i].empties++] = k->path[i];
    }
    s->layer[s->layers - 1].node[0].count -= empty;
    s->layer[s->layers - 1].node[0].cut -= k->leaves[s->layers - 1];
}

/* Under module `to` of a layer; modules of its own on the layers below. */
static void put_in(struct shift *s, struct look *k, uint32_t item, uint32_t layer, uint32_t to)
{
    double v = s->x->volume[item], below = layer > 0 ? 0 : -k->inner;

    for (uint32_t i = layer; i-- > 0;) {
        struct layer *y = &s->layer[i];
        uint32_t id = y->empty[--y->empties];
        y->node[id] = (struct node){ v, i ? 0 : k->inner, 0, 1, i + 1 == layer ? to : 0 };
        set_log(&y->node[id]);
        k->path[i] = id;
    }
    for (uint32_t i = 0; i + 1 < layer; i++)
        s->layer[i].node[k->path[i]].up = k->path[i + 1];
    for (uint32_t i = layer, id = to; i < s->layers; i++) {
        struct node *a = &s->layer[i].node[id];
        double acc = se_tally_get(&k->acc[i], id);
        k->path[i] = id;
        a->count += i == layer;
        a->cut += acc - below;
        below = acc;
        if (i + 1 < s->layers)
            a->volume += v;
        set_log(a);
        id = a->up;
    }
    s->module[item] = k->path[0];
}

static bool visit(struct shift *s, uint32_t item)
{
    struct look *k = &s->look[0];
    struct place p = look_at(s, k, item);

    if (!gains(s, &p))
        return false;
    take_out(s, k, item);
    put_in(s, k, item, p.layer, p.node);
    s->gain += p.stay - p.cost;
    for (uint64_t a = s->x->off[item]; a < s->x->off[item + 1]; a++)
        if (s->module[s->x->to[a]] != s->module[item])
            s->due[s->x->to[a]] = 1;
    return true;
}

/* ---- sweeps ---- */

static void look_slice(void *arg, uint64_t task, int thread)
{
    struct shift *s = arg;

    for (uint64_t i = s->chunked * task / TASKS; i < s->chunked * (task + 1) / TASKS; i++) {
        struct place p = look_at(s, &s->look[thread], s->chunk[i]);
        s->wants[i] = gains(s, &p);
    }
}

static uint64_t do_chunk(struct shift *s)
{
    uint64_t moved = 0;

    se_parallel(s->threads, TASKS, look_slice, s);
    for (uint64_t i = 0; i < s->chunked; i++)
        moved += s->wants[i] && visit(s, s->chunk[i]);
    s->chunked = 0;
    return moved;
}

static uint64_t sweep(struct shift *s, bool large)
{
    const struct se_quotient *x = s->x;
    uint64_t moved = 0, arcs = 0;

    for (uint64_t i = 0; i < x->n; i++) {
        const uint32_t item = s->order[i];
        if (!s->due[item])
            continue;
        s->due[item] = 0;
        if (!large) {
            moved += visit(s, item);
            continue;
        }
        s->chunk[s->chunked++] = item;
        arcs += x->off[item + 1] - x->off[item];
        if (s->chunked == CHUNK || arcs > CHUNK_ARCS) {
            moved += do_chunk(s);
            arcs = 0;
        }
    }
    return moved + do_chunk(s);
}

static void sweeps(struct shift *s, double enough)
{
    const bool large = s->x->arcs >= CHUNKED_FROM;

    for (int i = 0; i < 50; i++) {
        const double before = s->gain;

        if (sweep(s, large) == 0 || (large && s->gain - before < enough * s->gain))
            return;
    }
}

/* ---- begin and end ---- */

static void fill_layers(struct shift *s, const struct se_levels *l, uint32_t level,
                        double *inside)
{
    for (uint32_t i = 0; i < s->layers; i++) {
        const struct se_quotient *x = &l->net[level + i];
        const uint32_t *up = l->up[level + i];
        struct layer *y = &s->layer[i];
        uint64_t used = l->count[level + i + 1];
        se_quotient_inside(x, up, inside, s->threads);
        for (uint64_t a = 0; a < x->n; a++) {
            struct node *m = &y->node[up[a]];
            m->count++;
            m->volume += x->volume[a];
            m->cut += inside[a];
            if (i > 0)
                s->layer[i - 1].node[a].up = up[a];
        }
        for (uint64_t j = 0; j < used; j++)
            set_log(&y->node[j]);
        for (uint64_t j = s->x->n; i + 1 < s->layers && j-- > used;)
            y->empty[y->empties++] = (uint32_t)j;
    }
}

static int look_alloc(struct look *k, uint32_t layers, struct se_err *err)
{
    k->acc = se_zalloc(layers, sizeof *k->acc, err);
    /* pointers are meant: NOLINTNEXTLINE(bugprone-sizeof-expression) */
    k->price = se_zalloc(layers, sizeof *k->price, err);
    k->room = se_zalloc(layers, sizeof *k->room, err);
    k->path = se_alloc(layers, sizeof *k->path, err);
    k->leaves = se_alloc(layers, sizeof *k->leaves, err);
    return k->acc && k->price && k->room && k->path && k->leaves ? 0 : -1;
}

static int shift_alloc(struct shift *s, struct se_err *err)
{
    uint64_t n = s->x->n;

    s->layer = se_zalloc(s->layers, sizeof *s->layer, err);
    s->module = se_alloc(n, sizeof *s->module, err);
    s->order = se_alloc(n, sizeof *s->order, err);
    s->due = se_alloc(n, sizeof *s->due, err);
    s->chunk = se_alloc(n > CHUNK ? n : CHUNK, sizeof *s->chunk, err);
    s->wants = se_alloc(CHUNK, sizeof *s->wants, err);
    s->look = se_zalloc((uint64_t)s->threads, sizeof *s->look, err);
    if (!s->layer || !s->module || !s->order || !s->due || !s->chunk || !s->wants || !s->look)
        return -1;
    for (int t = 0; t < s->threads; t++)
        if (look_alloc(&s->look[t], s->layers, err) < 0)
            return -1;
    for (uint32_t i = 0; i < s->layers; i++) {
        struct layer *y = &s->layer[i];
        uint64_t room = i + 1 < s->layers ? n : 1;
        y->node = se_zalloc(room, sizeof *y->node, err);
        y->empty = se_alloc(room, sizeof *y->empty, err);
        if (!y->node || !y->empty)
            return -1;
    }
    return 0;
}

static void look_release(struct look *k, uint32_t layers)
{
    for (uint32_t i = 0; k->acc && i < layers; i++)
        se_tally_release(&k->acc[i]);
    for (uint32_t i = 0; k->price && i < layers; i++)
        free(k->price[i]);
    free(k->acc);
    free(k->price);
    free(k->room);
    free(k->path);
    free(k->leaves);
}

static void shift_release(struct shift *s)
{
    for (uint32_t i = 0; s->layer && i < s->layers; i++) {
        free(s->layer[i].node);
        free(s->layer[i].empty);
    }
    for (int t = 0; s->look && t < s->threads; t++)
        look_release(&s->look[t], s->layers);
    free(s->layer);
    free(s->look);
    free(s->module);
    free(s->order);
    free(s->due);
    free(s->chunk);
    free(s->wants);
}

static int prepare(struct shift *s, const struct se_levels *l, uint32_t level,
                   const struct se_search_options *how, struct se_err *err)
{
    const uint64_t n = s->x->n, block = s->x->arcs < CHUNKED_FROM ? 1 : BLOCK;
    double *inside = se_alloc(n, sizeof *inside, err);

    if (!inside)
        return -1;
    s->least = 1e-12 * s->x->vol;
    memcpy(s->module, l->up[level], n * sizeof *s->module);
    if (how->due)
        memcpy(s->due, how->due, n);
    else
        memset(s->due, 1, n);
    se_visit_order(s->order, s->chunk, n, block, how->seed, UINT64_C(1) << 32 | n);
    fill_layers(s, l, level, inside);
    free(inside);
    return 0;
}

/* Write the maps back, modules numbered anew. */
static int store(struct shift *s, struct se_levels *l, uint32_t level, struct se_err *err)
{
    uint32_t *seen = se_alloc(s->x->n, sizeof *seen, err), *new_up;

    if (!seen)
        return -1;
    memcpy(l->up[level], s->module, s->x->n * sizeof *s->module);
    for (uint32_t i = 0; i + 1 < s->layers; i++) {
        uint64_t count = se_partition_compact(l->up[level + i], l->count[level + i], s->x->n,
                                         seen);
        new_up = se_alloc(count, sizeof *new_up, err);
        if (!new_up) {
            free(seen);
            return -1;
        }
        for (uint64_t j = 0; j < s->x->n; j++)
            if (seen[j] != SE_NONE)
                new_up[seen[j]] = s->layer[i].node[j].up;
        free(l->up[level + i + 1]);
        l->up[level + i + 1] = new_up;
        l->count[level + i + 1] = count;
    }
    free(seen);
    return 0;
}

int se_levels_shift(struct se_levels *l, uint32_t level, const struct se_search_options *how,
                    double *gain, struct se_err *err)
{
    struct shift s = { .x = &l->net[level], .layers = l->k - level,
                       .threads = how->threads };
    int rc = shift_alloc(&s, err);

    *gain = 0;
    if (rc == 0)
        rc = prepare(&s, l, level, how, err);
    if (rc == 0) {
        sweeps(&s, how->enough);
        for (int t = 0; t < s.threads; t++)
            if (s.look[t].failed)
                rc = se_fail(err, SE_EMEM, "out of memory");
    }
    if (rc == 0) {
        *gain = s.gain;
        if (s.gain > 0)
            rc = store(&s, l, level, err);
    }
    shift_release(&s);
    if (rc == 0 && *gain > 0)
        rc = se_levels_nets(l, level, how->threads, err);
    return rc;
}
