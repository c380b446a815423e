/* section_matrix.c - the sections features, embedding and knn
 *
 * features:  u64 n, d, nnz, kind (0 dense, 1 ones, 2 values);
 *            dense: f32 [n * d]; else u64 off[n + 1], u32 col[nnz], kind 2: f32 value[nnz]
 * embedding: u64 n, d; f32 [n * d]
 * knn:       u64 n, k, first, last; u32 metric, on; u32 id[rows * k]; f32 sim[rows * k] */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/stream/payload.h"

enum { DENSE, ONES, VALUES };

/* Names the vertex (row) of the first number that is not finite. */
static int check_finite(const float *x, uint64_t count, uint64_t d, uint32_t tag,
                        struct se_err *err)
{
    const uint64_t bad = se_first_not_finite(x, count);

    return bad == count ? 0 : se_payload_fail(err, tag, "vertex %" PRIu64 " has a value that "
                                              "is not a finite number", bad / d);
}

static int check_columns(const struct se_features *f, struct se_err *err)
{
    for (uint64_t v = 0; v < f->n; v++)
        for (uint64_t i = f->off[v]; i < f->off[v + 1]; i++) {
            if (f->col[i] >= f->d || (i > f->off[v] && f->col[i] <= f->col[i - 1]))
                return se_payload_fail(err, SE_FEATURES, "column %" PRIu32 " of vertex %"
                                       PRIu64 " is out of order or out of range", f->col[i], v);
            if (f->value && !__builtin_isfinite(f->value[i]))
                return se_payload_fail(err, SE_FEATURES, "vertex %" PRIu64 " has a value that "
                                       "is not a finite number", v);
        }
    return 0;
}

int se_features_get(struct se_features *f, struct se_stream *s, struct se_err *err)
{
    struct se_features x = { 0 };
    struct se_cursor c;
    const uint64_t *h;

    if (se_payload_open(s, SE_FEATURES, &c, err) < 0)
        return -1;
    h = se_take(&c, 4, 8);
    if (!h)
        return se_payload_short(err, SE_FEATURES);
    if (se_payload_vertices(h[0], SE_FEATURES, err) < 0)
        return -1;
    if (h[1] > UINT32_MAX || h[3] > VALUES)
        return se_payload_fail(err, SE_FEATURES, "its header is damaged");
    x.n = h[0];
    x.d = h[1];
    x.nnz = h[2];
    if (h[3] == DENSE) {
        x.dense = x.n * x.d == x.nnz && x.d > 0 ? se_take(&c, x.nnz, 4) : NULL;
        if (!x.dense || c.left)
            return se_payload_short(err, SE_FEATURES);
        if (check_finite(x.dense, x.nnz, x.d, SE_FEATURES, err) < 0)
            return -1;
        *f = x;
        return 0;
    }
    x.off = se_take(&c, x.n + 1, 8);
    x.col = se_take(&c, x.nnz, 4);
    x.value = h[3] == VALUES ? se_take(&c, x.nnz, 4) : NULL;
    if (!x.off || !x.col || c.left || (h[3] == VALUES && !x.value))
        return se_payload_short(err, SE_FEATURES);
    if (se_payload_offsets(x.off, x.n, x.nnz, SE_FEATURES, err) < 0 ||
        check_columns(&x, err) < 0)
        return -1;
    *f = x;
    return 0;
}

static int put_dense(const struct se_features *f, struct se_stream *s, struct se_err *err)
{
    const uint64_t h[4] = { f->n, f->d, f->n * f->d, DENSE };
    const struct se_part part[] = { { h, sizeof h }, { f->dense, f->n * f->d * 4 } };

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
    const struct se_part part[] = {
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

int se_embedding_get(struct se_embedding *e, struct se_stream *s, struct se_err *err)
{
    struct se_cursor c;
    const uint64_t *h;
    const float *row;

    if (se_payload_open(s, SE_EMBEDDING, &c, err) < 0)
        return -1;
    h = se_take(&c, 2, 8);
    if (!h)
        return se_payload_short(err, SE_EMBEDDING);
    if (se_payload_vertices(h[0], SE_EMBEDDING, err) < 0)
        return -1;
    row = h[1] > 0 && h[1] <= UINT32_MAX ? se_take(&c, h[0] * h[1], 4) : NULL;
    if (!row || c.left)
        return se_payload_short(err, SE_EMBEDDING);
    if (check_finite(row, h[0] * h[1], h[1], SE_EMBEDDING, err) < 0)
        return -1;
    *e = (struct se_embedding){ h[0], h[1], row };
    return 0;
}

int se_embedding_put(const struct se_embedding *e, struct se_stream *s, struct se_err *err)
{
    const uint64_t h[2] = { e->n, e->d };
    const struct se_part part[] = { { h, sizeof h }, { e->row, e->n * e->d * 4 } };

    return se_stream_put(s, SE_EMBEDDING, part, 2, NULL, err);
}

static int check_neighbours(const struct se_knn *x, struct se_err *err)
{
    for (uint64_t v = x->first, i = 0; v < x->last; v++)
        for (uint64_t j = 0; j < x->k; j++, i++) {
            if (x->id[i] >= x->n || x->id[i] == v)
                return se_payload_fail(err, SE_KNN, "vertex %" PRIu64 " has neighbour %" PRIu32
                                       ", which is itself or no vertex", v, x->id[i]);
            if (!__builtin_isfinite(x->similarity[i]) ||
                (j > 0 && x->similarity[i] > x->similarity[i - 1]))
                return se_payload_fail(err, SE_KNN, "similarities of vertex %" PRIu64 " are not "
                                       "finite and descending", v);
        }
    return 0;
}

int se_knn_get(struct se_knn *k, struct se_stream *s, struct se_err *err)
{
    struct se_knn x = { 0 };
    struct se_cursor c;
    const uint64_t *h;
    const uint32_t *kind;

    if (se_payload_open(s, SE_KNN, &c, err) < 0)
        return -1;
    h = se_take(&c, 4, 8);
    kind = se_take(&c, 2, 4);
    if (!h || !kind)
        return se_payload_short(err, SE_KNN);
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
    x.id = se_take(&c, (x.last - x.first) * x.k, 4);
    x.similarity = se_take(&c, (x.last - x.first) * x.k, 4);
    if (!x.id || !x.similarity || c.left)
        return se_payload_short(err, SE_KNN);
    if (check_neighbours(&x, err) < 0)
        return -1;
    *k = x;
    return 0;
}

int se_knn_put(const struct se_knn *k, struct se_stream *s, struct se_err *err)
{
    const uint64_t h[4] = { k->n, k->k, k->first, k->last };
    const uint32_t kind[2] = { k->metric, k->on }, from[SE_ORIGINS] = { k->on, 0 };
    const uint64_t count = (k->last - k->first) * k->k;
    const struct se_part part[] = {
        { h, sizeof h }, { kind, sizeof kind }, { k->id, count * 4 },
        { k->similarity, count * 4 }
    };

    return se_stream_put(s, SE_KNN, part, 4, from, err);
}

int se_knn_room_make(struct se_knn_room *r, uint64_t n, uint64_t k, uint64_t first,
                     uint64_t last, struct se_err *err)
{
    const uint64_t h[4] = { n, k, first, last };
    uint64_t count, *word;

    if (__builtin_mul_overflow(last - first, k, &count) || count > UINT64_MAX / 16)
        return se_fail(err, SE_EMEM, "no memory for the neighbours; ask for fewer with -k");
    const uint64_t part = (count + 1) / 2, all = 5 + 2 * part;

    word = se_alloc(all, sizeof *word, err);
    if (!word)
        return -1;
    memcpy(word, h, sizeof h);
    if (count > 0)                              /* padding */
        word[4 + part] = word[4 + 2 * part] = 0;
    *r = (struct se_knn_room){ all * sizeof *word, word, (uint32_t *)(word + 5),
                               (void *)(word + 5 + part) };
    return 0;
}

int se_knn_room_give(struct se_knn_room *r, uint32_t metric, uint32_t on,
                     struct se_stream *s, struct se_err *err)
{
    const uint32_t kind[2] = { metric, on }, from[SE_ORIGINS] = { on, 0 };
    void *payload = r->payload;
    const uint64_t len = r->len;

    memcpy((uint64_t *)payload + 4, kind, sizeof kind);
    *r = (struct se_knn_room)SE_KNN_ROOM_INIT;
    return se_stream_give(s, SE_KNN, payload, len, from, err);
}

void se_knn_room_release(struct se_knn_room *r)
{
    free(r->payload);
    *r = (struct se_knn_room)SE_KNN_ROOM_INIT;
}
