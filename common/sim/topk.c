/* topk.c - lists of candidates */
#include "common/sim/topk.h"

#include <math.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/sim/sim_kernels.h"

/* --- sorting keys --- */

static void insertion_sort(uint64_t *key, uint64_t n)
{
    for (uint64_t i = 1; i < n; i++) {
        const uint64_t x = key[i];
        uint64_t j = i;

        for (; j > 0 && key[j - 1] > x; j--)
            key[j] = key[j - 1];
        key[j] = x;
    }
}

void se_sim_sort(uint64_t *key, uint64_t n, uint64_t *scratch)
{
    const struct se_sim_kernels *kernels = se_sim_kernels();
    uint64_t *from = scratch, *to = key, *swap;
    uint8_t rank[SE_RANKED];

    for (uint64_t i = 0; i < n; i += SE_RANKED) {
        const uint32_t run = n - i < SE_RANKED ? (uint32_t)(n - i) : SE_RANKED;

        kernels->rank(key + i, run, rank);
        for (uint32_t j = 0; j < run; j++)
            scratch[i + rank[j]] = key[i + j];
    }
    for (uint64_t width = SE_RANKED; width < n; width *= 2) {
        for (uint64_t i = 0; i < n; i += 2 * width) {
            const uint64_t mid = n - i < width ? n : i + width;
            const uint64_t end = n - i < 2 * width ? n : i + 2 * width;
            uint64_t a = i, b = mid;

            uint64_t o = i;

            while (a < mid && b < end) {        /* without a branch that depends on keys */
                const uint64_t x = from[a], y = from[b];
                const bool left = x <= y;

                to[o++] = left ? x : y;
                a += left;
                b += !left;
            }
            memcpy(to + o, from + a, (mid - a) * sizeof *to);
            memcpy(to + o + (mid - a), from + b, (end - b) * sizeof *to);
        }
        swap = from;
        from = to;
        to = swap;
    }
    if (from != key)
        memcpy(key, from, n * sizeof *key);
}

static inline uint64_t middle(uint64_t a, uint64_t b, uint64_t c)
{
    return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

/* Quickselect; the pivots are drawn, so that no order of keys is bad by design. */
void se_sim_select(uint64_t *key, uint64_t n, uint64_t k)
{
    uint64_t low = 0, high = n, draw = n, p[3]; /* the k-th lies in [low, high) */

    while (high - low > 16) {
        for (int i = 0; i < 3; i++) {
            draw = draw * 6364136223846793005u + 1442695040888963407u;
            p[i] = key[low + ((draw >> 32) * (high - low) >> 32)];
        }
        const uint64_t pivot = middle(p[0], p[1], p[2]);
        uint64_t i = low, j = high - 1;

        for (;; i++, j--) {                     /* Hoare: low..j end up <= pivot <= rest */
            while (key[i] < pivot)
                i++;
            while (key[j] > pivot)
                j--;
            if (i >= j)
                break;
            const uint64_t x = key[i];

            key[i] = key[j];
            key[j] = x;
        }
        if (j + 1 < k)
            low = j + 1;
        else if (j + 1 == k || k == high)
            return;
        else
            high = j + 1 < high ? j + 1 : high - 1;
    }
    insertion_sort(key + low, high - low);
}

/* --- memory --- */

int se_topk_init(struct se_topk *t, uint64_t lists, uint64_t k, uint64_t extra,
                 struct se_err *err)
{
    uint64_t places;

    t->lists = lists;
    t->k = k;
    t->full = k + k / 2 + 32;
    t->cap = t->full + extra;
    if (__builtin_mul_overflow(lists, t->cap, &places))
        return se_fail(err, SE_EMEM, "no memory for %llu neighbours of each vertex",
                       (unsigned long long)k);
    t->id = se_alloc(places, sizeof *t->id, err);
    t->score = t->id ? se_alloc(places, sizeof *t->score, err) : NULL;
    t->count = t->score ? se_alloc(lists, sizeof *t->count, err) : NULL;
    t->exact = t->count ? se_alloc(lists, sizeof *t->exact, err) : NULL;
    t->floor = t->exact ? se_alloc(lists, sizeof *t->floor, err) : NULL;
    t->below = t->floor ? se_alloc(lists, sizeof *t->below, err) : NULL;
    if (!t->below)
        return -1;
    for (uint64_t i = 0; i < lists; i++)
        se_topk_reset(t, i);
    return 0;
}

void se_topk_reset(struct se_topk *t, uint64_t list)
{
    t->count[list] = t->exact[list] = 0;
    t->floor[list] = -INFINITY;
    t->below[list] = SE_NONE;
}

void se_topk_release(struct se_topk *t)
{
    free(t->id);
    free(t->score);
    free(t->count);
    free(t->exact);
    free(t->floor);
    free(t->below);
    *t = (struct se_topk)SE_TOPK_INIT;
}

struct se_sim_query *se_sim_queries(const struct se_sim_rows *r, int threads,
                                    struct se_err *err)
{
    struct se_sim_query *q = se_zalloc((uint64_t)threads, sizeof *q, err);

    for (int i = 0; q && i < threads; i++)
        if (se_sim_query_init(&q[i], r, err) < 0) {
            se_sim_queries_free(q, threads);
            return NULL;
        }
    return q;
}

void se_sim_queries_free(struct se_sim_query *q, int threads)
{
    for (int i = 0; q && i < threads; i++)
        se_sim_query_release(&q[i]);
    free(q);
}

struct se_topk_room *se_topk_rooms(const struct se_topk *t, const struct se_sim_rows *r,
                                   int threads, struct se_err *err)
{
    struct se_topk_room *room = se_zalloc((uint64_t)threads, sizeof *room, err);

    for (int i = 0; room && i < threads; i++) {
        room[i].key = se_alloc(2 * t->cap, sizeof *room[i].key, err);
        room[i].spare = room[i].key ? room[i].key + t->cap : NULL;
        if (!room[i].key || se_sim_query_init(&room[i].query, r, err) < 0) {
            se_topk_rooms_free(room, threads);
            return NULL;
        }
    }
    return room;
}

void se_topk_rooms_free(struct se_topk_room *room, int threads)
{
    for (int i = 0; room && i < threads; i++) {
        free(room[i].key);
        se_sim_query_release(&room[i].query);
    }
    free(room);
}

/* --- lists --- */

static float floor_below(const struct se_topk *t, float score)
{
    const float size = fabsf(score);

    return score - t->flat - t->root * sqrtf(size) - t->rel * size;
}

/* S of a vertex with each of n others. */
static void similarities(struct se_topk_room *room, uint32_t row, const uint32_t *id,
                         uint32_t n, float *s)
{
    if (n > 0 && room->table)
        se_sim_kernels()->similar(room->table, room->stride, row, id, n, s);
    else
        se_sim_query_many(&room->query, row, id, n, s);
}

/* Keys of all candidates, by S, which takes the place of their scores. */
static void keys_of(struct se_topk *t, uint64_t list, uint32_t row, struct se_topk_room *room)
{
    const uint32_t *id = t->id + list * t->cap, exact = t->exact[list];
    float *score = t->score + list * t->cap;

    similarities(room, row, id + exact, t->count[list] - exact, score + exact);
    for (uint32_t i = 0; i < t->count[list]; i++)
        room->key[i] = se_sim_key(score[i], id[i]);
}

/* Compute S of all candidates and keep the k best. */
static void settle(struct se_topk *t, uint64_t list, uint32_t row, struct se_topk_room *room)
{
    uint32_t *id = t->id + list * t->cap;
    float *score = t->score + list * t->cap, last;
    uint64_t worst = 0;

    keys_of(t, list, row, room);
    se_sim_select(room->key, t->count[list], t->k);
    for (uint64_t i = 0; i < t->k; i++) {
        id[i] = se_sim_key_id(room->key[i]);
        score[i] = se_sim_key_similarity(room->key[i]);
        worst = room->key[i] > worst ? room->key[i] : worst;
    }
    last = se_sim_key_similarity(worst);
    t->count[list] = t->exact[list] = (uint32_t)t->k;
    t->floor[list] = floor_below(t, t->distance ? 2 * last - 2 : last);
    if (last == 1)
        t->below[list] = se_sim_key_id(worst);
}

/* A score that at least k reach, and not more than `enough` if that can be: the k-th best, or less.
 * Halving the range and counting has no branch to mispredict, and needs no order. */
static float about_kth(const float *score, uint32_t count, uint64_t k, uint64_t enough, float low)
{
    const struct se_sim_kernels *kernels = se_sim_kernels();
    float high, least;

    kernels->range(score, count, &least, &high);
    low = low > least ? low : least;            /* all of them reach it */
    for (int i = 0; i < 24; i++) {
        const float middle = low + (high - low) / 2;
        const uint32_t reach = kernels->count(score, count, middle);

        if (reach < k) {
            high = middle;
            continue;
        }
        low = middle;
        if (reach <= enough)
            break;
    }
    return low;
}

void se_topk_expect(struct se_topk *t, uint64_t list, const float *score, uint32_t count,
                    uint64_t others)
{
    const uint64_t k = t->k + others;

    if (t->count[list] == 0 && t->floor[list] == -INFINITY && count > 2 * k)
        t->floor[list] = floor_below(t, about_kth(score, count, k, k + k / 2, -INFINITY));
}

void se_topk_tighten(struct se_topk *t, uint64_t list, uint32_t row,
                     struct se_topk_room *room)
{
    uint32_t *id = t->id + list * t->cap, kept;
    float *score = t->score + list * t->cap, floor;
    const uint32_t count = t->count[list];

    if (count < t->k)
        return;
    if (t->exact[list]) {
        settle(t, list, row, room);
        return;
    }
    floor = floor_below(t, about_kth(score, count, t->k, t->k + t->k / 16,
                                     t->floor[list]));
    t->floor[list] = floor;
    kept = se_sim_kernels()->keep(id, score, count, floor);
    t->count[list] = kept;
    if (kept > t->k + t->k / 4 + 16)
        settle(t, list, row, room);
}

bool se_topk_finish(struct se_topk *t, uint64_t list, uint32_t row,
                    struct se_topk_room *room, float offered, uint32_t *id,
                    float *similarity)
{
    if (t->count[list] < t->k && offered > -INFINITY)
        return false;
    se_topk_tighten(t, list, row, room);
    if (t->floor[list] < offered)
        return false;
    keys_of(t, list, row, room);
    if (t->count[list] > 0)
        se_sim_sort(room->key, t->count[list], room->spare);
    for (uint64_t i = 0; i < t->k; i++) {
        const bool there = i < t->count[list];

        id[i] = there ? se_sim_key_id(room->key[i]) : SE_NONE;
        similarity[i] = there ? se_sim_key_similarity(room->key[i]) : 0;
    }
    return true;
}
