/* section_matrix.c - the sections features, embedding, knn and block
 *
 * features:  u64 n, d, nnz, kind (0 dense, 1 ones, 2 values);
 *            dense: f32 [n * d]; else u64 off[n + 1], u32 col[nnz], kind 2: f32 value[nnz]
 * embedding: u64 n, d; f32 [n * d]
 * knn:       u64 n, k, first, last; u32 metric, on; u32 id[rows * k]; f32 sim[rows * k]
 * block:     u64 n, k, first, last, from, to; the rest as knn, rows and then columns */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/stream/payload.h"

enum { DENSE, ONES, VALUES };

/* Names the vertex (row) of the first number that is not finite. */
static int check_finite(struct se_reader *r, uint64_t d, uint32_t tag, struct se_err *err)
{
    const uint64_t bad = se_reader_not_finite(r);

    return bad == UINT64_MAX ? 0 : se_payload_fail(err, tag, "vertex %" PRIu64 " has a value "
                                                   "that is not a finite number", bad / d);
}

static int check_columns(const struct se_features *f, struct se_reader *off,
                         struct se_reader *col, struct se_reader *value, struct se_err *err)
{
    uint64_t first = se_next_u64(off);

    for (uint64_t v = 0; v < f->n; v++) {
        const uint64_t behind = se_next_u64(off);
        uint32_t last = 0;

        for (uint64_t i = first; i < behind; i++) {
            const uint32_t c = se_next_u32(col);

            if (c >= f->d || (i > first && c <= last))
                return se_payload_fail(err, SE_FEATURES, "column %" PRIu32 " of vertex %"
                                       PRIu64 " is out of order or out of range", c, v);
            if (value && !__builtin_isfinite(se_next_f32(value)))
                return se_payload_fail(err, SE_FEATURES, "vertex %" PRIu64 " has a value that "
                                       "is not a finite number", v);
            last = c;
        }
        first = behind;
    }
    return 0;
}

static int walk_dense(struct se_walk *w, struct se_features *x, struct se_err *err)
{
    struct se_reader r;

    x->dense = x->n * x->d == x->nnz && x->d > 0 ? se_walk_array(w, &r, x->nnz, 4) : NULL;
    if (!x->dense || w->left)
        return se_payload_short(err, SE_FEATURES);
    return check_finite(&r, x->d, SE_FEATURES, err);
}

static int walk_sparse(struct se_walk *w, struct se_features *x, bool values,
                       struct se_err *err)
{
    struct se_reader off, col, value;

    x->off = se_walk_array(w, &off, x->n + 1, 8);
    x->col = se_walk_array(w, &col, x->nnz, 4);
    x->value = values ? se_walk_array(w, &value, x->nnz, 4) : NULL;
    if (!x->off || !x->col || w->left || (values && !x->value))
        return se_payload_short(err, SE_FEATURES);
    return se_payload_offsets(&off, x->nnz, SE_FEATURES, err) < 0 ||
           check_columns(x, &off, &col, values ? &value : NULL, err) < 0 ? -1 : 0;
}

int se_walk_features(struct se_walk *w, void *to, struct se_err *err)
{
    struct se_features x = { 0 };
    const uint64_t *h = se_walk_head(w, 4);

    if (!h)
        return se_payload_short(err, SE_FEATURES);
    if (se_payload_vertices(h[0], SE_FEATURES, err) < 0)
        return -1;
    if (h[1] > UINT32_MAX || h[3] > VALUES)
        return se_payload_fail(err, SE_FEATURES, "its header is damaged");
    x.n = h[0];
    x.d = h[1];
    x.nnz = h[2];
    if ((h[3] == DENSE ? walk_dense(w, &x, err) : walk_sparse(w, &x, h[3] == VALUES, err)) < 0)
        return -1;
    if (to)
        *(struct se_features *)to = x;
    return 0;
}

int se_features_get(struct se_features *f, struct se_stream *s, struct se_err *err)
{
    return se_walk_whole(s, SE_FEATURES, se_walk_features, f, err);
}

static int put_dense(const struct se_features *f, struct se_stream *s, struct se_err *err)
{
    const uint64_t h[4] = { f->n, f->d, f->n * f->d, DENSE };
    const struct se_piece part[] = { { h, sizeof h }, { f->dense, f->n * f->d * 4 } };

    return se_stream_put(s, SE_FEATURES, part, 2, NULL, err);
}

static bool all_ones(const struct se_features *f)
{
    for (uint64_t i = 0; f->value && i < f->nnz; i++)
        if (f->value[i] != 1)
            return false;
    return true;
}

static int put_sparse(const struct se_features *f, struct se_stream *s, struct se_err *err)
{
    const bool ones = all_ones(f);
    const uint64_t h[4] = { f->n, f->d, f->nnz, ones ? ONES : VALUES };
    const struct se_piece part[] = {
        { h, sizeof h },
        { f->off, (f->n + 1) * 8 },
        { f->col, f->nnz * 4 },
        { f->value, f->nnz * 4 }
    };

    return se_stream_put(s, SE_FEATURES, part, ones ? 3 : 4, NULL, err);
}

static int dense_to_sparse(const struct se_features *f, uint64_t nnz, struct se_stream *s,
                           struct se_err *err)
{
    uint64_t *off = se_alloc(f->n + 1, sizeof *off, err);
    uint32_t *col = off ? se_alloc(nnz, sizeof *col, err) : NULL;
    float *value = col ? se_alloc(nnz, sizeof *value, err) : NULL;
    uint64_t at = 0;
    int rc = -1;

    if (value) {
        off[0] = 0;
        for (uint64_t v = 0; v < f->n; v++) {
            for (uint64_t j = 0; j < f->d; j++)
                if (f->dense[v * f->d + j] != 0) {
                    col[at] = (uint32_t)j;
                    value[at++] = f->dense[v * f->d + j];
                }
            off[v + 1] = at;
        }
        const struct se_features sparse = { f->n, f->d, nnz, NULL, off, col, value };
        rc = put_sparse(&sparse, s, err);
    }
    free(off);
    free(col);
    free(value);
    return rc;
}

static int sparse_to_dense(const struct se_features *f, struct se_stream *s,
                           struct se_err *err)
{
    float *dense = se_zalloc(f->n * f->d, sizeof *dense, err);
    struct se_features x = { f->n, f->d, f->n * f->d, dense, NULL, NULL, NULL };
    int rc;

    if (!dense)
        return -1;
    for (uint64_t v = 0; v < f->n; v++)
        for (uint64_t i = f->off[v]; i < f->off[v + 1]; i++)
            dense[v * f->d + f->col[i]] = f->value ? f->value[i] : 1;
    rc = put_dense(&x, s, err);
    free(dense);
    return rc;
}

int se_features_put(const struct se_features *f, struct se_stream *s, struct se_err *err)
{
    uint64_t nnz = f->nnz, sparse, cells;
    bool ones = true;

    if (__builtin_mul_overflow(f->n, f->d, &cells) || cells > UINT64_MAX / 8)
        return f->dense ? se_fail(err, SE_EMEM, "features: too many") : put_sparse(f, s, err);
    if (f->dense) {
        nnz = 0;
        for (uint64_t i = 0; i < cells; i++) {
            nnz += f->dense[i] != 0;
            ones &= f->dense[i] == 0 || f->dense[i] == 1;
        }
    } else {
        ones = all_ones(f);
    }
    sparse = (f->n + 1) * 8 + nnz * (ones ? 4 : 8);
    if (sparse < cells * 4 || f->d == 0)
        return f->dense ? dense_to_sparse(f, nnz, s, err) : put_sparse(f, s, err);
    return f->dense ? put_dense(f, s, err) : sparse_to_dense(f, s, err);
}

int se_walk_embedding(struct se_walk *w, void *to, struct se_err *err)
{
    struct se_embedding x = { 0 };
    struct se_reader r;
    const uint64_t *h = se_walk_head(w, 2);

    if (!h)
        return se_payload_short(err, SE_EMBEDDING);
    if (se_payload_vertices(h[0], SE_EMBEDDING, err) < 0)
        return -1;
    x.n = h[0];
    x.d = h[1];
    x.row = x.d > 0 && x.d <= UINT32_MAX ? se_walk_array(w, &r, x.n * x.d, 4) : NULL;
    if (!x.row || w->left)
        return se_payload_short(err, SE_EMBEDDING);
    if (check_finite(&r, x.d, SE_EMBEDDING, err) < 0)
        return -1;
    if (to)
        *(struct se_embedding *)to = x;
    return 0;
}

int se_embedding_get(struct se_embedding *e, struct se_stream *s, struct se_err *err)
{
    return se_walk_whole(s, SE_EMBEDDING, se_walk_embedding, e, err);
}

int se_embedding_put(const struct se_embedding *e, struct se_stream *s, struct se_err *err)
{
    const uint64_t h[2] = { e->n, e->d };
    const struct se_piece part[] = { { h, sizeof h }, { e->row, e->n * e->d * 4 } };

    return se_stream_put(s, SE_EMBEDDING, part, 2, NULL, err);
}

/* Two counts come before the rows. */
enum { ROWS_HEAD = 2 };

float *se_matrix_room(uint64_t n, uint64_t d, struct se_err *err)
{
    uint64_t cells, *h = NULL;

    if (__builtin_mul_overflow(n, d, &cells) || cells > UINT64_MAX / 8)
        se_fail(err, SE_EMEM, "%" PRIu64 " rows of %" PRIu64 " numbers are too many", n, d);
    else
        h = se_alloc(ROWS_HEAD + (cells + 1) / 2, sizeof *h, err);
    return h ? (float *)(h + ROWS_HEAD) : NULL;
}

void se_matrix_free(float *row)
{
    if (row)
        free((uint64_t *)(void *)row - ROWS_HEAD);
}

static int give_rows(float *row, uint64_t n, uint64_t d, uint32_t tag, const uint32_t *from,
                     struct se_stream *s, struct se_err *err)
{
    uint64_t *h = (uint64_t *)(void *)row - ROWS_HEAD;

    h[0] = n;
    h[1] = d;
    if (n * d % 2)
        row[n * d] = 0;
    return se_stream_give(s, tag, h, (ROWS_HEAD + (n * d + 1) / 2) * 8, from, err);
}

int se_embedding_give(float *row, uint64_t n, uint64_t d, struct se_stream *s, struct se_err *err)
{
    return give_rows(row, n, d, SE_EMBEDDING, NULL, s, err);
}

int se_probabilities_give(float *p, uint64_t n, uint64_t classes, struct se_stream *s,
                          struct se_err *err)
{
    const uint32_t from[SE_ORIGINS] = { SE_GRAPH, 0 };

    return give_rows(p, n, classes, SE_PROBABILITIES, from, s, err);
}

/* Correlations and cosines lie within -1 and 1; sums of rounded products may pass that a little. */
#define SIMILARITY_SLACK 1e-3f

/* Lists of neighbours of [first, last), who must be in [from, to) */
struct lists {
    uint32_t tag;
    uint64_t k, first, last, from, to;
};

static int check_neighbours(const struct lists *x, struct se_reader *ids,
                            struct se_reader *similarities, struct se_err *err)
{
    for (uint64_t v = x->first; v < x->last; v++) {
        uint32_t before = 0;
        float above = 0;

        for (uint64_t j = 0; j < x->k; j++) {
            const uint32_t id = se_next_u32(ids);
            const float similarity = se_next_f32(similarities);

            if (id == SE_NONE && similarity != 0)
                return se_payload_fail(err, x->tag, "vertex %" PRIu64 " has a similarity "
                                       "without a neighbour", v);
            if (id != SE_NONE && j > 0 && before == SE_NONE)
                return se_payload_fail(err, x->tag, "vertex %" PRIu64 " has a neighbour behind "
                                       "its last", v);
            if (id != SE_NONE && (id < x->from || id >= x->to || id == v))
                return se_payload_fail(err, x->tag, "vertex %" PRIu64 " has neighbour %" PRIu32
                                       ", which is itself or no %s", v, id,
                                       x->tag == SE_KNN ? "vertex" : "vertex of the block");
            if (id != SE_NONE &&
                (!__builtin_isfinite(similarity) || (j > 0 && similarity > above)))
                return se_payload_fail(err, x->tag, "similarities of vertex %" PRIu64
                                       " are not finite and descending", v);
            if (!(__builtin_fabsf(similarity) <= 1 + SIMILARITY_SLACK))
                return se_payload_fail(err, x->tag, "vertex %" PRIu64 " has similarity %g; none "
                                       "is above 1 or below -1", v, (double)similarity);
            before = id;
            above = similarity;
        }
    }
    return 0;
}

const char *const se_metric_names[] = { "pcc", "cosine", NULL };

int se_walk_knn(struct se_walk *w, void *to, struct se_err *err)
{
    struct se_knn x = { 0 };
    struct se_reader id, similarity;
    const uint64_t *h = se_walk_head(w, 5);
    uint32_t kind[2];

    if (!h)
        return se_payload_short(err, SE_KNN);
    memcpy(kind, h + 4, sizeof kind);
    if (se_payload_vertices(h[0], SE_KNN, err) < 0)
        return -1;
    if (h[2] > h[3] || h[3] > h[0] || (h[1] >= h[0] && h[1] > 0) || kind[0] > SE_COSINE ||
        (kind[1] != SE_EMBEDDING && kind[1] != SE_FEATURES))
        return se_payload_fail(err, SE_KNN, "its header is damaged");
    x.n = h[0];
    x.k = h[1];
    x.first = h[2];
    x.last = h[3];
    x.metric = kind[0];
    x.on = kind[1];
    x.id = se_walk_array(w, &id, (x.last - x.first) * x.k, 4);
    x.similarity = se_walk_array(w, &similarity, (x.last - x.first) * x.k, 4);
    if (!x.id || !x.similarity || w->left)
        return se_payload_short(err, SE_KNN);
    /* without neighbours nothing in the stream stands behind the number of rows */
    if (x.k > 0 && check_neighbours(&(struct lists){ SE_KNN, x.k, x.first, x.last, 0, x.n }, &id,
                                    &similarity, err) < 0)
        return -1;
    if (to)
        *(struct se_knn *)to = x;
    return 0;
}

int se_knn_get(struct se_knn *k, struct se_stream *s, struct se_err *err)
{
    return se_walk_whole(s, SE_KNN, se_walk_knn, k, err);
}

int se_knn_put(const struct se_knn *k, struct se_stream *s, struct se_err *err)
{
    const uint64_t h[4] = { k->n, k->k, k->first, k->last };
    const uint32_t kind[2] = { k->metric, k->on }, from[SE_ORIGINS] = { k->on, 0 };
    const uint64_t count = (k->last - k->first) * k->k;
    const struct se_piece part[] = {
        { h, sizeof h }, { kind, sizeof kind }, { k->id, count * 4 },
        { k->similarity, count * 4 }
    };

    return se_stream_put(s, SE_KNN, part, 4, from, err);
}

/* Room for `count` neighbours behind a head of `words`, the last of which is set when it is given */
static int make_room(struct se_knn_room *r, const uint64_t *head, int words, uint64_t count,
                     struct se_err *err)
{
    uint64_t *word;

    if (count > UINT64_MAX / 16)
        return se_fail(err, SE_EMEM, "no memory for the neighbours; ask for fewer with -k");
    const uint64_t part = (count + 1) / 2, start = (uint64_t)words, all = start + 2 * part;

    word = se_alloc(all, sizeof *word, err);
    if (!word)
        return -1;
    memcpy(word, head, (start - 1) * sizeof *word);
    if (count > 0)                              /* padding */
        word[start + part - 1] = word[all - 1] = 0;
    *r = (struct se_knn_room){ all * sizeof *word, word, (uint32_t *)(word + start),
                               (void *)(word + start + part) };
    return 0;
}

static int give_room(struct se_knn_room *r, uint32_t tag, int words, uint32_t metric, uint32_t on,
                     struct se_stream *s, struct se_err *err)
{
    const uint32_t kind[2] = { metric, on }, from[SE_ORIGINS] = { on, 0 };
    void *payload = r->payload;
    const uint64_t len = r->len;

    memcpy((uint64_t *)payload + words - 1, kind, sizeof kind);
    *r = (struct se_knn_room)SE_KNN_ROOM_INIT;
    return se_stream_give(s, tag, payload, len, from, err);
}

int se_knn_room_make(struct se_knn_room *r, uint64_t n, uint64_t k, uint64_t first,
                     uint64_t last, struct se_err *err)
{
    const uint64_t h[4] = { n, k, first, last };
    uint64_t count;

    return make_room(r, h, 5, __builtin_mul_overflow(last - first, k, &count) ? UINT64_MAX : count,
                     err);
}

int se_knn_room_give(struct se_knn_room *r, uint32_t metric, uint32_t on,
                     struct se_stream *s, struct se_err *err)
{
    return give_room(r, SE_KNN, 5, metric, on, s, err);
}

void se_knn_room_release(struct se_knn_room *r)
{
    free(r->payload);
    *r = (struct se_knn_room)SE_KNN_ROOM_INIT;
}

/* --- block --- */

uint64_t se_knn_block_lists(const struct se_knn_block *b)
{
    return b->last - b->first + (b->from == b->first ? 0 : b->to - b->from);
}

/* The columns are the rows, or behind them, and then neither are none */
static bool block_is_sound(const struct se_knn_block *b)
{
    return b->to <= b->n &&
           ((b->first <= b->last && b->first == b->from && b->last == b->to) ||
            (b->first < b->last && b->last <= b->from && b->from < b->to));
}

int se_walk_block(struct se_walk *w, void *to, struct se_err *err)
{
    struct se_reader id, similarity;
    const uint64_t *h = se_walk_head(w, 7);
    uint32_t kind[2];

    if (!h)
        return se_payload_short(err, SE_KNN_BLOCK);
    memcpy(kind, h + 6, sizeof kind);
    struct se_knn_block x = { .n = h[0], .k = h[1], .first = h[2], .last = h[3], .from = h[4],
                          .to = h[5], .metric = kind[0], .on = kind[1] };

    if (se_payload_vertices(x.n, SE_KNN_BLOCK, err) < 0)
        return -1;
    if (!block_is_sound(&x) || (x.k >= x.n && x.k > 0) || kind[0] > SE_COSINE ||
        (kind[1] != SE_EMBEDDING && kind[1] != SE_FEATURES))
        return se_payload_fail(err, SE_KNN_BLOCK, "its header is damaged");
    x.id = se_walk_array(w, &id, se_knn_block_lists(&x) * x.k, 4);
    x.similarity = se_walk_array(w, &similarity, se_knn_block_lists(&x) * x.k, 4);
    if (!x.id || !x.similarity || w->left)
        return se_payload_short(err, SE_KNN_BLOCK);
    if (x.k > 0 && (check_neighbours(&(struct lists){ SE_KNN_BLOCK, x.k, x.first, x.last, x.from,
                                                      x.to }, &id, &similarity, err) < 0 ||
                    (x.first != x.from &&
                     check_neighbours(&(struct lists){ SE_KNN_BLOCK, x.k, x.from, x.to, x.first,
                                                       x.last }, &id, &similarity, err) < 0)))
        return -1;
    if (to)
        *(struct se_knn_block *)to = x;
    return 0;
}

int se_knn_block_get(struct se_knn_block *b, struct se_stream *s, struct se_err *err)
{
    return se_walk_whole(s, SE_KNN_BLOCK, se_walk_block, b, err);
}

int se_knn_block_room_make(struct se_knn_room *r, const struct se_knn_block *b, struct se_err *err)
{
    const uint64_t h[6] = { b->n, b->k, b->first, b->last, b->from, b->to };
    uint64_t count;

    if (__builtin_mul_overflow(se_knn_block_lists(b), b->k, &count))
        count = UINT64_MAX;
    return make_room(r, h, 7, count, err);
}

int se_knn_block_room_give(struct se_knn_room *r, uint32_t metric, uint32_t on, struct se_stream *s,
                       struct se_err *err)
{
    return give_room(r, SE_KNN_BLOCK, 7, metric, on, s, err);
}
