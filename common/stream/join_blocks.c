/* join_blocks.c - blocks of pairs into the k most similar of each vertex
 *
 * Together the blocks must hold each pair of vertices once: no two of them share a pair, and they
 * have as many as there are.  Between two neighbouring borders of their ranges all vertices have
 * lists in the same blocks, and the best of these are the answer. */
#include "common/stream/join_blocks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

struct piece {
    struct se_knn_block block;
    struct se_section *section;
};

struct pieces {
    struct piece *piece;
    int count;
    uint64_t *border;           /* ascending; all ranges start and end at some */
    uint64_t borders;
    const uint32_t **id;        /* of one vertex: its lists, and how far they are taken */
    const float **similarity;
    uint64_t *next;
};

/* --- finding them --- */

static int find(struct pieces *p, struct se_stream *s, struct se_err *err)
{
    struct se_section *x = se_stream_find(s, SE_KNN_BLOCK);
    struct se_digest new, old;

    if (!x)
        return 0;
    if (se_section_digest(x, &new, err) < 0)
        return -1;
    for (int i = 0; i < p->count; i++) {                /* given twice */
        if (se_section_digest(p->piece[i].section, &old, err) < 0)
            return -1;
        if (se_digest_equal(&new, &old))
            return 0;
    }
    p->piece[p->count].section = x;
    return se_knn_block_get(&p->piece[p->count++].block, s, err);
}

static bool are_alike(const struct piece *a, const struct piece *b)
{
    return a->block.n == b->block.n && a->block.k == b->block.k &&
           a->block.metric == b->block.metric && a->block.on == b->block.on &&
           memcmp(a->section->origin, b->section->origin, sizeof a->section->origin) == 0;
}

/* --- each pair once --- */

static bool is_square(const struct se_knn_block *b)
{
    return b->first == b->from;
}

static uint64_t pairs_in(const struct se_knn_block *b)
{
    const uint64_t rows = b->last - b->first;

    return is_square(b) ? rows * (rows ? rows - 1 : 0) / 2 : rows * (b->to - b->from);
}

static uint64_t shared(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    const uint64_t from = a > c ? a : c, to = b < d ? b : d;

    return from < to ? to - from : 0;
}

static bool share_pair(const struct se_knn_block *a, const struct se_knn_block *b)
{
    const uint64_t rows = shared(a->first, a->last, b->first, b->last);
    const uint64_t columns = shared(a->from, a->to, b->from, b->to);

    return is_square(a) && is_square(b) ? rows > 1 : rows && columns;
}

static int check(const struct pieces *p, struct se_err *err)
{
    const uint64_t n = p->piece[0].block.n, all = n * (n ? n - 1 : 0) / 2;
    uint64_t have = 0;

    for (int i = 0; i < p->count; i++) {
        const struct se_knn_block *a = &p->piece[i].block;

        if (!are_alike(&p->piece[0], &p->piece[i]))
            return se_fail(err, SE_EINPUT, "block: two sections differ in more than their rows and "
                           "columns (vertices, k, metric or origin) and cannot be joined");
        for (int j = 0; j < i; j++)
            if (share_pair(a, &p->piece[j].block))
                return se_fail(err, SE_EINPUT, "block: rows %" PRIu64 ":%" PRIu64 " and columns %"
                               PRIu64 ":%" PRIu64 " are in another section in part", a->first,
                               a->last, a->from, a->to);
        have += pairs_in(a);
    }
    if (have < all)
        return se_fail(err, SE_EINPUT, "block: %" PRIu64 " of %" PRIu64 " pairs of vertices are "
                       "missing; give all parts", all - have, all);
    return 0;
}

/* --- the best of all lists --- */

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static int find_borders(struct pieces *p, struct se_err *err)
{
    p->border = se_alloc(4 * (uint64_t)p->count + 2, sizeof *p->border, err);
    if (!p->border)
        return -1;
    for (int i = 0; i < p->count; i++) {
        const struct se_knn_block *b = &p->piece[i].block;
        const uint64_t at[4] = { b->first, b->last, b->from, b->to };

        memcpy(p->border + 4 * (uint64_t)i, at, sizeof at);
    }
    p->borders = 4 * (uint64_t)p->count;
    p->border[p->borders++] = 0;
    p->border[p->borders++] = p->piece[0].block.n;
    qsort(p->border, p->borders, sizeof *p->border, ascending);
    return 0;
}

/* The lists of vertex v; its k in block b is number `list`. */
static uint64_t lists_of(const struct pieces *p, uint64_t v)
{
    uint64_t lists = 0;

    for (int i = 0; i < p->count; i++) {
        const struct se_knn_block *b = &p->piece[i].block;
        uint64_t list;

        if (v >= b->first && v < b->last)
            list = v - b->first;
        else if (v >= b->from && v < b->to)
            list = b->last - b->first + v - b->from;
        else
            continue;
        p->id[lists] = b->id + list * b->k;
        p->similarity[lists++] = b->similarity + list * b->k;
    }
    return lists;
}

/* k of the best first, ties by lower id; SE_NONE and 0 where there are no more */
static void merge(const struct pieces *p, uint64_t lists, uint64_t k, uint32_t *id,
                  float *similarity)
{
    memset(p->next, 0, lists * sizeof *p->next);
    for (uint64_t j = 0; j < k; j++) {
        uint64_t best = lists;

        id[j] = SE_NONE;
        similarity[j] = 0;
        for (uint64_t l = 0; l < lists; l++) {
            const uint32_t candidate = p->next[l] < k ? p->id[l][p->next[l]] : SE_NONE;

            if (candidate != SE_NONE &&
                (best == lists || p->similarity[l][p->next[l]] > similarity[j] ||
                 (p->similarity[l][p->next[l]] == similarity[j] && candidate < id[j]))) {
                best = l;
                id[j] = candidate;
                similarity[j] = p->similarity[l][p->next[l]];
            }
        }
        if (best < lists)
            p->next[best]++;
    }
}

static void merge_all(const struct pieces *p, const struct se_knn_room *room)
{
    const uint64_t k = p->piece[0].block.k;

    for (uint64_t i = 0; i + 1 < p->borders; i++) {
        const uint64_t from = p->border[i], to = p->border[i + 1];
        const uint64_t lists = from < to ? lists_of(p, from) : 0;

        for (uint64_t v = from; v < to; v++) {
            merge(p, lists, k, room->id + v * k, room->similarity + v * k);
            for (uint64_t l = 0; l < lists; l++) {
                p->id[l] += k;
                p->similarity[l] += k;
            }
        }
    }
}

static int put(struct pieces *p, struct se_stream *base, struct se_err *err)
{
    const struct se_knn_block *b = &p->piece[0].block;
    struct se_knn_room room = SE_KNN_ROOM_INIT;
    struct se_origin origin[SE_ORIGINS];
    const uint32_t metric = b->metric, on = b->on;
    int rc = -1;

    memcpy(origin, p->piece[0].section->origin, sizeof origin);
    p->id = se_alloc((uint64_t)p->count, sizeof *p->id, err);
    p->similarity = p->id ? se_alloc((uint64_t)p->count, sizeof *p->similarity, err) : NULL;
    p->next = p->similarity ? se_alloc((uint64_t)p->count, sizeof *p->next, err) : NULL;
    if (p->next && find_borders(p, err) == 0 &&
        se_knn_room_make(&room, b->n, b->k, 0, b->n, err) == 0) {
        merge_all(p, &room);
        se_stream_drop(base, SE_KNN_BLOCK);
        rc = se_knn_room_give(&room, metric, on, base, err);
    }
    if (rc == 0)
        memcpy(se_stream_find(base, SE_KNN)->origin, origin, sizeof origin);
    se_knn_room_release(&room);
    return rc;
}

int se_stream_join_blocks(struct se_stream *base, struct se_stream *other, int others,
                          struct se_err *err)
{
    struct pieces p = { .piece = se_alloc((uint64_t)others + 1, sizeof *p.piece, err) };
    bool knn = se_stream_has(base, SE_KNN);
    int rc = p.piece ? find(&p, base, err) : -1;

    for (int i = 0; rc == 0 && i < others; i++) {
        rc = find(&p, &other[i], err);
        knn |= se_stream_has(&other[i], SE_KNN);
    }
    if (rc == 0 && p.count > 0 && knn)
        rc = se_fail(err, SE_EINPUT, "block: there is a knn section beside it; drop one of them "
                     "with --drop");
    if (rc == 0 && p.count > 0)
        rc = check(&p, err);
    if (rc == 0 && p.count > 0)
        rc = put(&p, base, err);
    free(p.piece);
    free(p.border);
    free(p.id);
    free(p.similarity);
    free(p.next);
    return rc;
}
