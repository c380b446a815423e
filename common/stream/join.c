/* join.c - several streams into one */
#include "common/stream/join.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/set.h"
#include "common/stream/join_blocks.h"

enum { MOST_STATS = 10000 };    /* more is damage; uniting takes the square of it */

/* Of the line that starts at `at`, its end included */
static size_t line_length(const struct se_history *h, uint64_t at)
{
    return (size_t)((const char *)memchr(h->text + at, '\n', h->len - at) - (h->text + at)) + 1;
}

/* A line as a number: the first bytes of its digest */
static uint64_t line_key(const char *line, size_t len)
{
    const struct se_digest d = se_digest_of(line, len);
    uint64_t key;

    memcpy(&key, d.byte, sizeof key);
    return key >> 1;            /* the set cannot hold the largest number */
}

static uint64_t count_lines(const struct se_history *h)
{
    uint64_t lines = 0;

    for (uint64_t at = 0; at < h->len; at += line_length(h, at))
        lines++;
    return lines;
}

/* Add the lines of `x` that are not there yet. */
static int join_history(struct se_stream *base, struct se_stream *x, struct se_err *err)
{
    struct se_history old, h;
    struct se_set known = SE_SET_INIT;
    struct se_bytes new = SE_BYTES_INIT;
    int rc;

    if (se_history_get(&old, base, err) < 0 || se_history_get(&h, x, err) < 0 ||
        se_set_make(&known, count_lines(&old) + count_lines(&h), err) < 0)
        return -1;
    for (uint64_t at = 0; at < old.len; at += line_length(&old, at))
        se_set_add(&known, line_key(old.text + at, line_length(&old, at)));
    rc = 0;
    for (uint64_t at = 0; rc == 0 && at < h.len; at += line_length(&h, at))
        if (se_set_add(&known, line_key(h.text + at, line_length(&h, at))))
            rc = se_bytes_add(&new, h.text + at, line_length(&h, at), err);
    if (rc == 0 && new.len > 0) {
        new.data[new.len - 1] = '\0';           /* se_history_add ends the line again */
        rc = se_history_add(base, new.data, err);
    }
    se_set_release(&known);
    se_bytes_release(&new);
    return rc;
}

static int join_stats(struct se_stream *base, struct se_stream *x, struct se_err *err)
{
    struct se_stats s, old;

    if (se_stats_get(&old, base, err) < 0 || se_stats_get(&s, x, err) < 0)
        return -1;
    if (s.count > MOST_STATS || old.count > MOST_STATS)
        return se_fail(err, SE_EINPUT, "stats: more than %d numbers cannot be merged; use --drop "
                       "stats", MOST_STATS);
    const char *name = s.names;
    for (uint64_t i = 0; i < s.count; i++, name += strlen(name) + 1)
        if (se_stats_set(base, name, s.value[i], err) < 0)
            return -1;
    return 0;
}

/* Put a copy of `x` where `base` has the section with its tag. */
static int replace_section(struct se_stream *base, const struct se_section *x,
                           struct se_err *err)
{
    const size_t place = (size_t)(se_stream_find(base, x->tag) - base->section);

    se_stream_drop(base, x->tag);
    if (se_stream_copy(base, x, err) < 0)
        return -1;
    se_stream_move_last(base, place);
    return 0;
}

static int same_content(struct se_section *a, struct se_section *b, struct se_err *err)
{
    struct se_digest x, y;

    if (se_section_digest(a, &x, err) < 0 || se_section_digest(b, &y, err) < 0)
        return -1;
    return se_digest_equal(&x, &y);
}

/* Of a section that we do not know a stream may have several: all different ones stay. */
static int join_unknown(struct se_stream *base, struct se_section *x, struct se_err *err)
{
    for (size_t i = 0; i < base->count; i++)
        if (base->section[i].tag == x->tag) {
            const int same = same_content(&base->section[i], x, err);

            if (same != 0)
                return same < 0 ? -1 : 0;
        }
    return se_stream_copy(base, x, err);
}

static int join_section(struct se_stream *base, struct se_stream *s, struct se_section *x,
                        bool replace, struct se_err *err)
{
    struct se_section *old = se_stream_find(base, x->tag);
    int same;

    if (!se_section_kind_of(x->tag))
        return join_unknown(base, x, err);
    if (!old)
        return se_stream_copy(base, x, err);
    if (x->tag == SE_HISTORY)
        return join_history(base, s, err);
    if (x->tag == SE_STATS)
        return join_stats(base, s, err);
    same = same_content(old, x, err);
    if (same < 0)
        return -1;
    if (same) {
        if (old->origin[0].tag == 0 && old->origin[1].tag == 0)  /* the other may know */
            memcpy(old->origin, x->origin, sizeof old->origin);
        return 0;
    }
    if (replace)
        return replace_section(base, x, err);
    return se_fail(err, SE_EINPUT, "%s: differs from the one before it; choose with "
                   "--replace, --drop or --only", se_section_name(x->tag));
}

/* ---- rows of neighbours ---- */

struct shard {
    struct se_knn knn;
    struct se_section *section;
    int from;                   /* which stream: -1 is the base */
};

static int by_first_row(const void *a, const void *b)
{
    const struct shard *x = a, *y = b;

    return (x->knn.first > y->knn.first) - (x->knn.first < y->knn.first);
}

/* All different knn sections.  Returns how many, or -1. */
static int find_shards(struct se_stream *base, struct se_stream *other, int others,
                       struct shard *shard, struct se_err *err)
{
    int count = 0;

    for (int i = -1; i < others; i++) {
        struct se_stream *s = i < 0 ? base : &other[i];
        struct se_section *x = se_stream_find(s, SE_KNN);
        int same = 0;

        for (int k = 0; x && k < count && same == 0; k++)
            same = same_content(shard[k].section, x, err);
        if (same < 0)
            return -1;
        if (!x || same)
            continue;
        if (se_knn_get(&shard[count].knn, s, err) < 0)
            return -1;
        shard[count].section = x;
        shard[count++].from = i;
    }
    return count;
}

static bool are_alike(const struct shard *a, const struct shard *b)
{
    return a->knn.n == b->knn.n && a->knn.k == b->knn.k && a->knn.on == b->knn.on &&
           a->knn.metric == b->knn.metric &&
           memcmp(a->section->origin, b->section->origin, sizeof a->section->origin) == 0;
}

static int missing_rows(uint64_t first, uint64_t end, struct se_err *err)
{
    return se_fail(err, SE_EINPUT, "knn: rows %" PRIu64 " to %" PRIu64 " are missing; give all "
                   "shards", first, end - 1);
}

/* Sorted by rows: are they parts of one whole? */
static int check_shards(const struct shard *x, int count, struct se_err *err)
{
    uint64_t next = 0;

    for (int i = 1; i < count; i++)
        if (!are_alike(&x[0], &x[i]))
            return se_fail(err, SE_EINPUT, "knn: two sections differ in more than their rows "
                           "(vertices, k, metric or origin) and cannot be joined; choose with "
                           "--replace, --drop or --only");
    for (int i = 0; i < count; i++) {
        const struct se_knn *k = &x[i].knn;

        if (k->first == k->last)
            continue;
        if (k->first > next)
            return missing_rows(next, k->first, err);
        if (k->first < next)
            return se_fail(err, SE_EINPUT, "knn: rows %" PRIu64 " to %" PRIu64 " are in two "
                           "sections that differ", k->first,
                           (k->last < next ? k->last : next) - 1);
        next = k->last;
    }
    return next < x[0].knn.n ? missing_rows(next, x[0].knn.n, err) : 0;
}

/* The rows of all shards as the knn section of base, with the origin they all have. */
static int put_shards(struct se_stream *base, const struct shard *x, int count,
                      struct se_err *err)
{
    struct se_knn all = x[0].knn;
    struct se_origin origin[SE_ORIGINS];
    const uint64_t cells = all.n * all.k;       /* <= what the shards hold together */
    uint32_t *id = se_alloc(cells, sizeof *id, err);
    float *similarity = id ? se_alloc(cells, sizeof *similarity, err) : NULL;
    int rc = -1;

    memcpy(origin, x[0].section->origin, sizeof origin);
    if (similarity) {
        for (int i = 0; i < count; i++) {
            const uint64_t start = x[i].knn.first * all.k;
            const uint64_t cell = (x[i].knn.last - x[i].knn.first) * all.k;

            memcpy(id + start, x[i].knn.id, cell * sizeof *id);
            memcpy(similarity + start, x[i].knn.similarity, cell * sizeof *similarity);
        }
        all.first = 0;
        all.last = all.n;
        all.id = id;
        all.similarity = similarity;
        rc = se_knn_put(&all, base, err);
    }
    if (rc == 0)
        memcpy(se_stream_find(base, SE_KNN)->origin, origin, sizeof origin);
    free(id);
    free(similarity);
    return rc;
}

static int join_knn(struct se_stream *base, struct se_stream *other, int others, bool replace,
                    struct se_err *err)
{
    struct shard *shard = se_alloc((uint64_t)others + 1, sizeof *shard, err);
    int count, last, rc = -1;

    if (!shard)
        return -1;
    count = find_shards(base, other, others, shard, err);
    last = count > 0 ? shard[count - 1].from : -1;
    if (count > 1) {
        qsort(shard, (size_t)count, sizeof *shard, by_first_row);
        rc = check_shards(shard, count, err);
        if (rc == 0)
            rc = put_shards(base, shard, count, err);
    }
    free(shard);
    if (count < 0 || (count > 1 && (rc == 0 || !replace || err->code != SE_EINPUT)))
        return rc;
    *err = (struct se_err)SE_ERR_INIT;
    if (last < 0)               /* none, or base's own is the only one */
        return 0;
    const struct se_section *x = se_stream_find(&other[last], SE_KNN);
    return se_stream_has(base, SE_KNN) ? replace_section(base, x, err)
                                       : se_stream_copy(base, x, err);
}

int se_stream_join(struct se_stream *base, struct se_stream *other, int others, bool replace,
                   int *at, struct se_err *err)
{
    const bool keep = base->keep;
    int rc;

    base->keep = true;
    *at = -1;
    rc = se_stream_join_blocks(base, other, others, err);
    if (rc == 0)
        rc = join_knn(base, other, others, replace, err);
    for (int i = 0; rc == 0 && i < others; i++)
        for (size_t k = 0; rc == 0 && k < other[i].count; k++)
            if (other[i].section[k].tag != SE_KNN && other[i].section[k].tag != SE_KNN_BLOCK) {
                rc = join_section(base, &other[i], &other[i].section[k], replace, err);
                *at = rc < 0 ? i : -1;
            }
    base->keep = keep;
    return rc;
}

int se_stream_put_back(struct se_stream *s, const struct se_stream *other, uint32_t tag,
                       struct se_err *err)
{
    const struct se_section *x = se_stream_find(other, tag);
    size_t place = 0;

    if (!x)
        return 0;
    for (const struct se_section *y = other->section; y < x; y++) {
        const struct se_section *mine = se_stream_find(s, y->tag);

        if (mine && (size_t)(mine - s->section) >= place)
            place = (size_t)(mine - s->section) + 1;
    }
    if (se_stream_lend(s, x, err) < 0)
        return -1;
    se_stream_move_last(s, place);
    return 0;
}
