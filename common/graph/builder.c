/* builder.c - builds a graph section from edges in any order
 *
 * Edges gather in blocks.  A full block is sorted and packed: the steps from key to key take
 * about 3 bytes an edge.  In the end the blocks are merged into rows.  So the heap costs less
 * than the graph it becomes, and a star, or one pair a million times, is no worse than any
 * other input.  Equal pairs are met in the order in which they were added.  Where memory is short,
 * packed blocks and the rows are on disk. */
#include "common/graph/builder.h"
#include "common/graph/builder_block.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "steps are read as little-endian");

#define END UINT64_MAX                  /* no key: ids are below SE_NONE */

void se_builder_release(struct se_builder *b)
{
    while (b->first) {
        struct se_edge_block *next = b->first->next;

        se_edge_block_free(b->first);
        b->first = next;
    }
    se_scratch_release(&b->disk);
    *b = (struct se_builder)SE_BUILDER_INIT;
}

/* Pack the last block.  Where memory is short for another one, all go to disk, and from then on
 * each that is packed. */
static int end_block(struct se_builder *b, struct se_err *err)
{
    const bool started = b->disk.len > 0;

    if (se_edge_block_pack(b->last, b, err) < 0)
        return -1;
    if (!started && !se_memory_short(SE_EDGES_IN_BLOCK * sizeof(uint64_t)))
        return 0;
    for (struct se_edge_block *x = started ? b->last : b->first; x; x = x->next)
        if (se_edge_block_spill(x, &b->disk, err) < 0)
            return -1;
    return 0;
}

/* End the last block and start a new one with its work. */
static int new_block(struct se_builder *b, struct se_err *err)
{
    struct se_edge_block *x = se_zalloc(1, sizeof *x, err);

    if (!x)
        return -1;
    if (b->last ? end_block(b, err) < 0
                : !(x->work = se_alloc(1, sizeof *x->work, err))) {
        free(x);
        return -1;
    }
    if (b->last) {
        x->work = b->last->work;
        b->last->work = NULL;
        b->last->next = x;
    } else {
        b->first = x;
    }
    b->last = x;
    return 0;
}

static int start_weights(struct se_edge_block *x, struct se_err *err)
{
    x->weight = se_alloc(SE_EDGES_IN_BLOCK, sizeof *x->weight, err);
    if (!x->weight)
        return -1;
    for (uint32_t i = 0; i < x->count; i++)
        x->weight[i] = 1;
    return 0;
}

static int add_arcs(struct se_builder *b, uint32_t u, uint32_t v, float weight,
                    struct se_err *err)
{
    b->arcs->weighted = b->weighted;
    return se_builder_add(b->arcs, u, v, weight, err) < 0 ||
           (b->both && u != v && se_builder_add(b->arcs, v, u, weight, err) < 0) ? -1 : 0;
}

int se_builder_add(struct se_builder *b, uint32_t u, uint32_t v, float weight,
                   struct se_err *err)
{
    struct se_edge_block *x = b->last;
    const uint32_t high = u > v ? u : v;

    if (high == SE_NONE)
        return se_fail(err, SE_EINPUT, "vertex %" PRIu32 " is too large", high);
    if (b->weighted && !(weight >= 0 && weight <= FLT_MAX))
        return se_fail(err, SE_EINPUT, "weight %g of edge %" PRIu32 " - %" PRIu32
                       " is negative or not finite", (double)weight, u, v);
    if (!x || x->count == SE_EDGES_IN_BLOCK) {
        if (new_block(b, err) < 0)
            return -1;
        x = b->last;
    }
    if (b->weighted && weight != 1 && !x->weight && start_weights(x, err) < 0)
        return -1;
    x->work->key[0][x->count] = (uint64_t)u << 32 | v;
    if (x->weight)
        x->weight[x->count] = weight + 0.0f;            /* no -0 */
    x->count++;
    b->count++;
    if (high >= b->n)
        b->n = (uint64_t)high + 1;
    return b->arcs ? add_arcs(b, u, v, weight, err) : 0;
}

struct cursor {                 /* walks over a packed block */
    uint64_t key;               /* low << 32 | high of the entry at hand, or END */
    uint64_t packed, escape;
    const unsigned char *at;
    const struct se_edge_block *block;
    uint32_t taken;             /* the entry at hand is number taken - 1 */
};

static void advance(struct cursor *c)
{
    const struct se_edge_block *x = c->block;
    uint64_t step;

    if (c->taken == x->count) {
        c->key = END;
        return;
    }
    memcpy(&step, c->at, 8);
    step &= c->escape;
    c->at += x->width;
    if (step == c->escape) {
        memcpy(&step, c->at, SE_EDGE_ESCAPED);
        c->at += SE_EDGE_ESCAPED;
    }
    c->packed += step;
    c->key = c->packed >> x->bits << 32 | (c->packed & ((UINT64_C(1) << x->bits) - 1));
    c->taken++;
}

/* A tournament: node i > 0 holds who lost there and with which key; cursor c starts at node
 * (count + c) / 2.  Of equal keys that of the earlier block wins. */
struct merge {
    struct cursor *cursor;
    struct loser {
        uint64_t key;
        uint32_t who;
    } *lost;
    uint32_t count, best;
};

/* Let cursor c, which has moved on, play its way up.  Who wins is anybody's guess, so there
 * is no branch on it. */
static void play(struct merge *m, uint32_t c)
{
    uint64_t key = m->cursor[c].key;

    for (uint32_t i = (m->count + c) / 2; i > 0; i /= 2) {
        struct loser *x = &m->lost[i];
        const uint64_t swap = -(uint64_t)((x->key < key) | ((x->key == key) & (x->who < c)));
        const uint64_t keys = (x->key ^ key) & swap, who = (x->who ^ c) & swap;

        x->key ^= keys;
        key ^= keys;
        x->who ^= (uint32_t)who;
        c ^= (uint32_t)who;
    }
    m->best = c;
}

/* The first round.  Every node starts with a loser that wins against all but cursor 0, so
 * whoever comes to it first stays there; cursor 0 comes last and finds only real ones. */
static void first_round(struct merge *m)
{
    for (uint32_t i = 0; i < m->count; i++)
        m->lost[i] = (struct loser){ 0, 0 };
    for (uint32_t c = m->count; c-- > 0;)
        play(m, c);
}

static int start_merge(struct merge *m, const struct se_builder *b, struct se_err *err)
{
    uint32_t count = 0;

    for (const struct se_edge_block *x = b->first; x; x = x->next)
        count++;
    m->cursor = se_zalloc(count, sizeof *m->cursor, err);
    m->lost = m->cursor ? se_alloc(count, sizeof *m->lost, err) : NULL;
    if (!m->lost)
        return -1;
    for (const struct se_edge_block *x = b->first; x; x = x->next) {
        struct cursor *c = &m->cursor[m->count++];

        c->block = x;
        c->at = x->step;
        c->escape = UINT64_MAX >> (64 - 8 * x->width);
        advance(c);
    }
    first_round(m);
    return 0;
}

struct rows {                   /* the graph as it grows */
    uint64_t n, m, loops, row, bound;   /* next row to start; entries that may yet come */
    uint64_t *off;
    uint32_t *to, *loop;
    float *weight, *loop_weight;        /* NULL while all weights are 1 */
    uint64_t off_mapped, to_mapped, weight_mapped;      /* se_room() */
    size_t loop_cap[2];
    bool ordered;               /* a self-loop is one of to[] */
};

static void free_rows(struct rows *r)
{
    se_room_free(r->off, r->off_mapped);
    se_room_free(r->to, r->to_mapped);
    se_room_free(r->weight, r->weight_mapped);
    free(r->loop);
    free(r->loop_weight);
}

/* From now on there are weights: those so far were 1. */
static int weigh_rows(struct rows *r, struct se_err *err)
{
    r->weight = se_room(r->bound, sizeof *r->weight, &r->weight_mapped, err);
    if (!r->weight ||
        se_grow(&r->loop_weight, &r->loop_cap[1], r->loops + 1, sizeof(float), err) < 0)
        return -1;
    for (uint64_t i = 0; i < r->m; i++)
        r->weight[i] = 1;
    for (uint64_t i = 0; i < r->loops; i++)
        r->loop_weight[i] = 1;
    return 0;
}

static int add_loop(struct rows *r, uint32_t v, float weight, struct se_err *err)
{
    if (se_grow(&r->loop, &r->loop_cap[0], r->loops + 1, sizeof *r->loop, err) < 0)
        return -1;
    if (r->weight) {
        if (se_grow(&r->loop_weight, &r->loop_cap[1], r->loops + 1, sizeof(float), err) < 0)
            return -1;
        r->loop_weight[r->loops] = weight;
    }
    r->loop[r->loops++] = v;
    return 0;
}

/* All entries of a pair are in: sum[0] as given low end first, sum[1] high end first. */
static int add_pair(struct rows *r, uint64_t key, const double sum[2], enum se_merge merge,
                    bool keep_loops, struct se_err *err)
{
    const uint32_t low = (uint32_t)(key >> 32), high = (uint32_t)key;
    const double both = sum[0] + sum[1];
    const double weight = low == high || merge == SE_MERGE_SUM ? both
                        : merge == SE_MERGE_MATRIX ? fmax(sum[0], sum[1])
                        : both / 2;

    if (low == high && !keep_loops)
        return 0;
    if (weight > (double)FLT_MAX)
        return se_fail(err, SE_EINPUT, "the weights of edge %" PRIu32 " - %" PRIu32
                       " add up to %g, more than a float holds", low, high, weight);
    if ((float)weight != 1 && !r->weight && weigh_rows(r, err) < 0)
        return -1;
    if (low == high && !r->ordered)
        return add_loop(r, low, (float)weight, err);
    while (r->row <= low)
        r->off[r->row++] = r->m;
    if (r->weight)
        r->weight[r->m] = (float)weight;
    r->to[r->m++] = high;
    return 0;
}

/* All entries of the next pair: their sum by direction, -1 where a direction has none, and how many
 * there are.  Without weights a direction counts 1. */
static uint64_t take_pair(struct merge *m, bool weighted, double sum[2])
{
    const uint64_t key = m->cursor[m->best].key;
    uint64_t entries = 0;

    do {
        const struct cursor *c = &m->cursor[m->best];
        const struct se_edge_block *x = c->block;
        const uint32_t i = c->taken - 1;
        double *to = &sum[x->turned[i / 8] >> i % 8 & 1];

        *to = !weighted ? 1 : (*to < 0 ? 0 : *to) + (x->weight ? (double)x->weight[i] : 1);
        entries++;
        advance(&m->cursor[m->best]);
        play(m, m->best);
    } while (m->cursor[m->best].key == key);
    return entries;
}

static int merge_weighted(struct merge *m, struct rows *r, bool weighted, enum se_merge merge,
                          bool keep_loops, struct se_built *built, struct se_err *err)
{
    uint64_t key;

    while ((key = m->cursor[m->best].key) != END) {
        double sum[2] = { -1, -1 };             /* no entry yet */
        const uint64_t entries = take_pair(m, weighted, sum);
        const bool one_way = sum[0] < 0 || sum[1] < 0;

        sum[0] = sum[0] < 0 ? 0 : sum[0];
        sum[1] = sum[1] < 0 ? 0 : sum[1];
        if (key >> 32 == (key & UINT32_MAX)) {
            built->loops += entries;
        } else {
            built->repeated += entries - 1;
            built->one_way += one_way;
        }
        if (add_pair(r, key, sum, merge, keep_loops, err) < 0)
            return -1;
    }
    return 0;
}

static int merge_plain(struct merge *m, struct rows *r, bool keep_loops,
                       struct se_built *built, struct se_err *err)
{
    uint64_t last = END, key;

    while ((key = m->cursor[m->best].key) != END) {
        const uint32_t low = (uint32_t)(key >> 32), high = (uint32_t)key;

        advance(&m->cursor[m->best]);
        play(m, m->best);
        if (low == high)
            built->loops++;
        if (key == last) {
            built->repeated += low != high;
            continue;
        }
        last = key;
        if (low == high && !r->ordered) {
            if (keep_loops && add_loop(r, low, 1, err) < 0)
                return -1;
            continue;
        }
        if (low == high && !keep_loops)
            continue;
        while (r->row <= low)
            r->off[r->row++] = r->m;
        r->to[r->m++] = high;
    }
    return 0;
}

static int make_rows(struct se_builder *b, struct rows *r, enum se_merge merge,
                     bool keep_loops, struct se_built *built, struct se_err *err)
{
    struct merge m = { 0 };
    int rc = 0;

    if (b->last && end_block(b, err) < 0)
        return -1;
    if (b->disk.len > 0 && !se_scratch_map(&b->disk, err))
        return -1;
    for (const struct se_edge_block *x = b->first; x; x = x->next) {
        r->bound += x->count;
        built->loops += x->loops;
        built->repeated += x->repeated;
    }
    for (struct se_edge_block *x = b->first; x && b->disk.len > 0; x = x->next)
        se_edge_block_reach(x, b->disk.map);
    r->n = b->n;
    r->ordered = b->ordered;
    r->off = se_room(r->n + 1, sizeof *r->off, &r->off_mapped, err);
    r->to = r->off ? se_room(r->bound, sizeof *r->to, &r->to_mapped, err) : NULL;
    if (!r->to)
        return -1;
    if (b->first) {
        rc = start_merge(&m, b, err);
        if (rc == 0)
            rc = b->weighted || b->directions
                     ? merge_weighted(&m, r, b->weighted, merge, keep_loops, built, err)
                     : merge_plain(&m, r, keep_loops, built, err);
    }
    while (r->row <= r->n)
        r->off[r->row++] = r->m;
    free(m.cursor);
    free(m.lost);
    return rc;
}

/* Give back what was set aside for entries that joined others.  It cannot fail: an array
 * that does not move stays as it is. */
static void shrink(void *array, uint64_t count)
{
    void **p = array, *less = count ? realloc(*p, count * 4) : NULL;

    if (less)
        *p = less;
}

int se_builder_put(struct se_builder *b, struct se_stream *s, uint32_t tag,
                   enum se_merge merge, bool keep_loops, struct se_built *built,
                   struct se_err *err)
{
    struct rows r = { 0 };
    struct se_built told = { 0 };
    int rc;

    if (b->n > SE_MAX_VERTICES)
        rc = se_fail(err, SE_EINPUT, "%" PRIu64 " vertices are more than %" PRIu64, b->n,
                     SE_MAX_VERTICES);
    else
        rc = make_rows(b, &r, merge, keep_loops, &told, err);
    se_builder_release(b);
    if (rc == 0) {
        if (!r.to_mapped)
            shrink(&r.to, r.m);
        if (r.weight && !r.weight_mapped)
            shrink(&r.weight, r.m);
        const struct se_graph g = { r.n, r.m, r.loops, r.off, r.to, r.weight, r.loop,
                                    r.loop_weight };
        rc = se_graph_put(&g, s, tag, NULL, err);
    }
    if (rc == 0 && built)
        *built = told;
    free_rows(&r);
    return rc;
}

/* Bring arcs to other numbers, in place: fewer arcs, and not more rows. */
static void renumber_arcs(struct rows *r, const uint32_t *to, uint64_t n)
{
    uint64_t m = 0, row = 0;

    for (uint64_t u = 0, i = 0; u < r->n; u++) {
        const uint64_t end = r->off[u + 1];

        for (; i < end; i++)
            if (to[u] != SE_NONE && to[r->to[i]] != SE_NONE) {
                if (r->weight)
                    r->weight[m] = r->weight[i];
                r->to[m++] = to[r->to[i]];
            }
        if (to[u] != SE_NONE)
            r->off[++row] = m;
    }
    r->n = n;
    r->m = m;
}

int se_builder_put_arcs(struct se_builder *b, struct se_stream *s, const uint32_t *to, uint64_t n,
                        bool keep_loops, struct se_err *err)
{
    struct rows r = { 0 };
    struct se_built told = { 0 };
    int rc;

    if (!to && b->n < n)
        b->n = n;
    rc = make_rows(b, &r, SE_MERGE_SUM, keep_loops, &told, err);
    se_builder_release(b);
    if (rc == 0) {
        if (to)
            renumber_arcs(&r, to, n);
        const struct se_graph g = { .n = r.n, .m = r.m, .off = r.off, .to = r.to,
                                    .weight = r.weight };
        rc = se_arcs_put(&g, s, err);
    }
    free_rows(&r);
    return rc;
}
