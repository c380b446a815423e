/* setree_shift.c - items of one level moved to any place in the tree
 *
 * Put item x under t: going down from the root, each node on the way holds V_x more, and the
 * weight acc_t between x and t moves from the parent's volume to that of t:
 *     U(t) = U(parent) - acc_t l_parent + (cut_t + acc_t) l_t - cut_t log V_t,
 * l_t = log2(V_t + V_x), U(root) = acc_root log vol, all without x.  Only nodes that x has
 * weight to can be the best; under a node of a higher level x gets modules of its own. */
#include <stdlib.h>
#include <string.h>

#include "common/mem.h"
#include "common/rng.h"
#include "common/setree_net.h"

struct node {                   /* a module of some level */
    double volume, cut, term;   /* term = cut log2 volume */
    uint32_t count, up;         /* modules or items below; module above */
};

struct layer {                  /* one level above the items */
    struct node *node;
    uint32_t *empty, empties;
    struct se_tally acc;        /* weight of the item to modules of this level */
    double *log_with, *u;       /* l and U of each entry of acc */
};

struct shift {
    const struct se_web *x;
    struct layer *layer;        /* layer[0] is the level above the items, the last the root */
    uint32_t layers;
    uint32_t *module, *order;
    uint8_t *due;
    uint32_t *path;             /* of the item: its module on each layer */
    double *leaves;             /* weight that leaves each node of the path with it */
    uint32_t vanish;            /* so many nodes of the path hold nothing but the item */
    double inner, inner_cost;   /* weight inside the item, and its cost in a module alone */
    double least, gain;
};

static void set_term(struct node *a)
{
    if (a->count == 0)
        a->volume = a->cut = 0;
    if (a->cut < 0)
        a->cut = 0;
    a->term = se_wlog(a->cut, a->volume);
}

/* Weights of the item to the modules of each layer, its own path first. */
static void tally_up(struct shift *s, uint32_t item)
{
    const struct se_web *x = s->x;
    struct se_err none;
    uint64_t keys = x->off[item + 1] - x->off[item] + 1;

    s->inner = x->inner ? x->inner[item] : 0;
    s->inner_cost = se_wlog(s->inner, x->volume[item]);
    s->vanish = 0;
    for (uint32_t i = 0; i < s->layers; i++) {
        struct layer *y = &s->layer[i];
        s->path[i] = i == 0 ? s->module[item] : s->layer[i - 1].node[s->path[i - 1]].up;
        se_tally_room(&y->acc, keys, &none);    /* has room for the largest */
        se_tally_add(&y->acc, s->path[i], 0);
        if (i == 0) {
            for (uint64_t a = x->off[item]; a < x->off[item + 1]; a++)
                se_tally_add(&y->acc, s->module[x->to[a]], se_web_weight(x, a));
        } else {
            const struct layer *z = &s->layer[i - 1];
            for (uint32_t e = 0; e < z->acc.count; e++)
                se_tally_add(&y->acc, z->node[z->acc.key[e]].up, z->acc.sum[e]);
        }
        keys = y->acc.count;
        if (s->vanish == i && y->node[s->path[i]].count == 1)
            s->vanish++;
        s->leaves[i] = y->acc.sum[0] - (i > 0 ? s->layer[i - 1].acc.sum[0] : -s->inner);
    }
}

/* Position in the tally of the layer above of the parent of entry e. */
static uint32_t parent_entry(const struct layer *above, uint32_t up)
{
    uint32_t h = se_tally_hash(&above->acc, up);

    while (above->acc.key[above->acc.slot[h] - 1] != up)
        h = (h + 1) & above->acc.mask;
    return above->acc.slot[h] - 1;
}

/* U of every node met; the best of them, and what staying costs. */
static void price(struct shift *s, uint32_t item, uint32_t *best_layer, uint32_t *best,
                  double *cost, double *stay)
{
    double v = s->x->volume[item];

    for (uint32_t i = s->layers; i-- > 0;) {
        struct layer *y = &s->layer[i];
        double alone = i > 0 ? s->inner_cost : 0;
        for (uint32_t e = 0; e < y->acc.count; e++) {
            struct node a = y->node[y->acc.key[e]];
            double acc = y->acc.sum[e];
            if (i + 1 == s->layers) {
                y->log_with[e] = log2(a.volume);
                y->u[e] = acc * y->log_with[e];
            } else {
                const struct layer *z = &s->layer[i + 1];
                uint32_t p = parent_entry(z, a.up);
                if (e == 0 && i < s->vanish) {
                    y->u[e] = INFINITY;
                    continue;
                }
                if (e == 0) {
                    a.volume -= v;
                    a.cut -= s->leaves[i];
                    a.term = se_wlog(a.cut, a.volume);
                }
                y->log_with[e] = log2(a.volume + v);
                y->u[e] = z->u[p] - acc * z->log_with[p] +
                          (a.cut + acc + (i > 0 ? 0 : s->inner)) * y->log_with[e] - a.term;
            }
            if (e == 0)
                *stay = y->u[e] + alone;        /* the lowest that does not go with it */
            if (y->u[e] + alone < *cost) {
                *cost = y->u[e] + alone;
                *best_layer = i;
                *best = y->acc.key[e];
            }
        }
    }
}

static void take_out(struct shift *s, uint32_t item)
{
    bool empty = true;

    for (uint32_t i = 0; i + 1 < s->layers; i++) {
        struct node *a = &s->layer[i].node[s->path[i]];
        a->volume -= s->x->volume[item];
        a->cut -= s->leaves[i];
        a->count -= empty;              /* the part below it is gone */
        empty = a->count == 0;
        set_term(a);
        if (empty)
            s->layer[i].empty[s->layer[i].empties++] = s->path[i];
    }
    s->layer[s->layers - 1].node[0].count -= empty;
    s->layer[s->layers - 1].node[0].cut -= s->leaves[s->layers - 1];
}

/* Under module `to` of a layer; modules of its own on the layers below. */
static void put_in(struct shift *s, uint32_t item, uint32_t layer, uint32_t to)
{
    double v = s->x->volume[item], below = layer > 0 ? 0 : -s->inner;

    for (uint32_t i = layer; i-- > 0;) {
        struct layer *y = &s->layer[i];
        uint32_t id = y->empty[--y->empties];
        y->node[id] = (struct node){ v, i ? 0 : s->inner, i ? 0 : s->inner_cost, 1,
                                     i + 1 == layer ? to : 0 };
        s->path[i] = id;
    }
    for (uint32_t i = 0; i + 1 < layer; i++)
        s->layer[i].node[s->path[i]].up = s->path[i + 1];
    for (uint32_t i = layer, id = to; i < s->layers; i++) {
        struct layer *y = &s->layer[i];
        struct node *a = &y->node[id];
        double acc = se_tally_get(&y->acc, id);
        s->path[i] = id;
        a->count += i == layer;
        a->cut += acc - below;
        below = acc;
        if (i + 1 < s->layers)
            a->volume += v;
        set_term(a);
        id = a->up;
    }
    s->module[item] = s->path[0];
}

static bool visit(struct shift *s, uint32_t item)
{
    uint32_t layer = 0, to = 0;
    double cost = INFINITY, stay = 0;
    bool moves;

    tally_up(s, item);
    price(s, item, &layer, &to, &cost, &stay);
    moves = cost < stay - s->least;
    if (moves) {
        take_out(s, item);
        put_in(s, item, layer, to);
        s->gain += stay - cost;
        for (uint64_t a = s->x->off[item]; a < s->x->off[item + 1]; a++)
            if (s->module[s->x->to[a]] != s->module[item])
                s->due[s->x->to[a]] = 1;
    }
    for (uint32_t i = 0; i < s->layers; i++)
        se_tally_clear(&s->layer[i].acc);
    return moves;
}

/* ---- begin and end ---- */

static void fill_layers(struct shift *s, const struct se_levels *l, uint32_t level)
{
    for (uint32_t i = 0; i < s->layers; i++) {
        const struct se_web *x = &l->net[level + i];
        const uint32_t *up = l->up[level + i];
        struct layer *y = &s->layer[i];
        uint64_t used = l->count[level + i + 1];
        for (uint64_t a = 0; a < x->n; a++) {
            struct node *m = &y->node[up[a]];
            double twice = 0;
            for (uint64_t e = x->off[a]; e < x->off[a + 1]; e++)
                if (up[x->to[e]] == up[a])
                    twice += se_web_weight(x, e);
            m->count++;
            m->volume += x->volume[a];
            m->cut += twice / 2 + (x->inner ? x->inner[a] : 0);
            if (i > 0)
                s->layer[i - 1].node[a].up = up[a];
        }
        for (uint64_t j = 0; j < used; j++)
            set_term(&y->node[j]);
        for (uint64_t j = s->x->n; i + 1 < s->layers && j-- > used;)
            y->empty[y->empties++] = (uint32_t)j;
    }
}

static int shift_alloc(struct shift *s, struct se_err *err)
{
    uint64_t n = s->x->n, most = 0;

    for (uint64_t i = 0; i < n; i++)
        if (s->x->off[i + 1] - s->x->off[i] >= most)
            most = s->x->off[i + 1] - s->x->off[i] + 1;
    s->layer = se_zalloc(s->layers, sizeof *s->layer, err);
    s->module = se_alloc(n, sizeof *s->module, err);
    s->order = se_alloc(n, sizeof *s->order, err);
    s->due = se_alloc(n, sizeof *s->due, err);
    s->path = se_alloc(s->layers, sizeof *s->path, err);
    s->leaves = se_alloc(s->layers, sizeof *s->leaves, err);
    if (!s->layer || !s->module || !s->order || !s->due || !s->path || !s->leaves)
        return -1;
    for (uint32_t i = 0; i < s->layers; i++) {
        struct layer *y = &s->layer[i];
        uint64_t room = i + 1 < s->layers ? n : 1;
        y->node = se_zalloc(room, sizeof *y->node, err);
        y->empty = se_alloc(room, sizeof *y->empty, err);
        y->log_with = se_alloc(most, sizeof *y->log_with, err);
        y->u = se_alloc(most, sizeof *y->u, err);
        if (!y->node || !y->empty || !y->log_with || !y->u ||
            se_tally_room(&y->acc, most, err) < 0)
            return -1;
    }
    return 0;
}

static void shift_release(struct shift *s)
{
    for (uint32_t i = 0; s->layer && i < s->layers; i++) {
        struct layer *y = &s->layer[i];
        free(y->node);
        free(y->empty);
        free(y->log_with);
        free(y->u);
        se_tally_release(&y->acc);
    }
    free(s->layer);
    free(s->module);
    free(s->order);
    free(s->due);
    free(s->path);
    free(s->leaves);
}

/* Write the maps back, modules numbered anew. */
static int store(struct shift *s, struct se_levels *l, uint32_t level, struct se_err *err)
{
    uint32_t *seen = se_alloc(s->x->n, sizeof *seen, err), *new_up;

    if (!seen)
        return -1;
    memcpy(l->up[level], s->module, s->x->n * sizeof *s->module);
    for (uint32_t i = 0; i + 1 < s->layers; i++) {
        uint64_t count = se_part_compact(l->up[level + i], l->count[level + i], s->x->n,
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

static void shuffle(struct shift *s, uint64_t seed)
{
    struct se_rng r;

    se_rng_init(&r, seed, SE_RNG_TREE, UINT64_C(1) << 32 | s->x->n);
    for (uint32_t i = 0; i < s->x->n; i++) {
        uint64_t j = se_rng_below(&r, (uint64_t)i + 1);
        s->order[i] = s->order[j];
        s->order[j] = i;
        s->due[i] = 1;
    }
}

int se_levels_shift(struct se_levels *l, uint32_t level, const struct se_search *how,
                    double *gain, struct se_err *err)
{
    struct shift s = { .x = &l->net[level], .layers = l->k - level };
    int rc = shift_alloc(&s, err);

    *gain = 0;
    if (rc == 0) {
        uint64_t moved = 1;
        s.least = 1e-12 * s.x->vol;
        memcpy(s.module, l->up[level], s.x->n * sizeof *s.module);
        fill_layers(&s, l, level);
        shuffle(&s, how->seed);
        for (int sweep = 0; sweep < 50 && moved; sweep++) {
            moved = 0;
            for (uint64_t i = 0; i < s.x->n; i++)
                if (s.due[s.order[i]]) {
                    s.due[s.order[i]] = 0;
                    moved += visit(&s, s.order[i]);
                }
        }
        *gain = s.gain;
        if (s.gain > 0)
            rc = store(&s, l, level, err);
    }
    shift_release(&s);
    if (rc == 0 && *gain > 0)
        rc = se_levels_nets(l, level, how->threads, err);
    return rc;
}
