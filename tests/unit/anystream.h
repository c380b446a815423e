/* anystream.h - streams of random content, and whether a stream still holds it */
#ifndef SE_ANYSTREAM_H
#define SE_ANYSTREAM_H

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/rng.h"
#include "common/stream/section.h"
#include "tests/unit/unit.h"

enum { ANY_BLOCKS = 128, ANY_STATS = 6, ANY_LINES = 4, ANY_ARRAYS = 4 };

/* Content outside of any stream.  Which sections there are: has[], by se_section_kind(). */
struct any {
    struct se_graph graph, fused, arcs;
    struct se_features features;
    struct se_labels labels;
    struct se_splits splits;
    struct se_embedding embedding;
    struct se_knn knn;
    struct se_tree tree;
    struct se_predictions predictions;
    struct se_probabilities probabilities;
    struct se_model model;
    struct se_array array[ANY_ARRAYS];
    struct se_names names;
    double stat[ANY_STATS];
    int stats, lines;
    bool has[32];
    void *block[ANY_BLOCKS];
    int blocks;
};

static inline void *any_room(struct any *a, uint64_t count, size_t size)
{
    void *p = calloc(count + 1, size);

    if (!p || a->blocks == ANY_BLOCKS)
        abort();
    return a->block[a->blocks++] = p;
}

static inline void any_release(struct any *a)
{
    while (a->blocks > 0)
        free(a->block[--a->blocks]);
}

static inline bool any_coin(struct se_rng *r, double p)
{
    return se_rng_unit(r) < p;
}

static inline float *any_floats(struct any *a, struct se_rng *r, uint64_t count)
{
    float *x = any_room(a, count, sizeof *x);

    for (uint64_t i = 0; i < count; i++)
        x[i] = (float)se_rng_normal(r);
    return x;
}

static inline float *any_weights(struct any *a, struct se_rng *r, uint64_t count)
{
    float *x = any_room(a, count, sizeof *x);

    for (uint64_t i = 0; i < count; i++)
        x[i] = any_coin(r, 0.1) ? 0 : (float)se_rng_unit(r) * 10;
    return x;
}

static inline struct se_probabilities any_probabilities(struct any *a, struct se_rng *r,
                                                        uint64_t n)
{
    const uint64_t classes = 1 + se_rng_below(r, 5);
    float *p = any_room(a, n * classes, sizeof *p);

    for (uint64_t v = 0; v < n; v++)
        p[v * classes + se_rng_below(r, classes)] += 0.5f,
        p[v * classes + se_rng_below(r, classes)] += 0.5f;
    return (struct se_probabilities){ n, classes, p };
}

static inline struct se_graph any_graph(struct any *a, struct se_rng *r, uint64_t n)
{
    const double p = se_rng_unit(r) * se_rng_unit(r);
    uint64_t *off = any_room(a, n + 1, sizeof *off);
    uint32_t *to = any_room(a, n * n / 2, sizeof *to), *loop = any_room(a, n, sizeof *loop);
    struct se_graph g = { .n = n, .off = off, .to = to, .loop = loop };

    for (uint64_t u = 0; u < n; u++) {
        for (uint64_t v = u + 1; v < n; v++)
            if (any_coin(r, p))
                to[g.m++] = (uint32_t)v;
        off[u + 1] = g.m;
        if (any_coin(r, p))
            loop[g.loops++] = (uint32_t)u;
    }
    if (any_coin(r, 0.5)) {
        g.weight = any_weights(a, r, g.m);
        g.loop_weight = any_weights(a, r, g.loops);
    }
    return g;
}

static inline struct se_graph any_arcs(struct any *a, struct se_rng *r, uint64_t n)
{
    const double p = se_rng_unit(r) * se_rng_unit(r);
    uint64_t *off = any_room(a, n + 1, sizeof *off);
    uint32_t *to = any_room(a, n * n, sizeof *to);
    struct se_graph g = { .n = n, .off = off, .to = to };

    for (uint64_t u = 0; u < n; u++) {
        for (uint64_t v = 0; v < n; v++)
            if (any_coin(r, p))
                to[g.m++] = (uint32_t)v;
        off[u + 1] = g.m;
    }
    if (any_coin(r, 0.5))
        g.weight = any_weights(a, r, g.m);
    return g;
}

/* Dense or sparse, ones or values, whatever is the smaller */
static inline struct se_features any_features(struct any *a, struct se_rng *r, uint64_t n)
{
    const uint64_t d = se_rng_below(r, 20), cells = n * d;
    const double p = se_rng_unit(r) * se_rng_unit(r);
    const bool ones = any_coin(r, 0.5);
    float *dense = any_room(a, cells, sizeof *dense), *value;
    uint64_t *off = any_room(a, n + 1, sizeof *off), nnz = 0;
    uint32_t *col = any_room(a, cells, sizeof *col);

    value = any_room(a, cells, sizeof *value);
    for (uint64_t i = 0; i < cells; i++) {
        if (any_coin(r, p)) {
            dense[i] = value[nnz] = ones ? 1 : (float)(1 + se_rng_below(r, 9)) / 4;
            col[nnz++] = (uint32_t)(i % d);
        }
        off[i / d + 1] = nnz;
    }
    if (d > 0 && any_coin(r, 0.5))
        return (struct se_features){ n, d, cells, dense, NULL, NULL, NULL };
    return (struct se_features){ n, d, nnz, NULL, off, col,
                                 ones && any_coin(r, 0.5) ? NULL : value };
}

static inline struct se_labels any_labels(struct any *a, struct se_rng *r, uint64_t n)
{
    const uint64_t classes = se_rng_below(r, 8);
    int32_t *label = any_room(a, n, sizeof *label);
    char *names = any_room(a, 16 * classes, 1);
    struct se_labels l = { n, classes, label, NULL, 0 };

    for (uint64_t v = 0; v < n; v++)
        label[v] = (int32_t)se_rng_below(r, classes + 1) - 1;
    if (classes > 0 && any_coin(r, 0.5)) {
        for (uint64_t c = 0; c < classes; c++)
            l.names_len += (uint64_t)snprintf(names + l.names_len, 16, "%.*s%d",
                                              (int)se_rng_below(r, 9), "the class", (int)c) + 1;
        l.names = names;
    }
    return l;
}

static inline struct se_knn any_knn(struct any *a, struct se_rng *r, uint64_t n)
{
    const uint64_t k = n < 2 ? 0 : se_rng_below(r, n < 8 ? n : 8);
    uint64_t first = 0, last = n;
    uint32_t *id;
    float *similarity;

    if (any_coin(r, 0.3)) {
        first = se_rng_below(r, n + 1);
        last = first + se_rng_below(r, n - first + 1);
    }
    id = any_room(a, (last - first) * k, sizeof *id);
    similarity = any_room(a, (last - first) * k, sizeof *similarity);
    for (uint64_t v = first, i = 0; v < last; v++)
        for (uint64_t j = 0; j < k; j++, i++) {
            id[i] = (uint32_t)((v + 1 + j) % n);
            similarity[i] = j == 0 ? 1 : similarity[i - 1] - (float)se_rng_below(r, 3) / 8;
        }
    return (struct se_knn){ n, k, first, last, any_coin(r, 0.5), SE_EMBEDDING, id,
                            similarity };
}

/* Vertices in random order, hung below a random node of the path to the last leaf. */
static inline struct se_tree any_tree(struct any *a, struct se_rng *r, uint64_t n)
{
    uint32_t *parent = any_room(a, 4 * n + 1, 4), *vertex = any_room(a, 4 * n + 1, 4);
    uint32_t *order = any_room(a, n, 4), at = 0;
    uint64_t nodes = 1;

    parent[0] = vertex[0] = SE_NONE;
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t j = se_rng_below(r, i + 1);

        order[i] = order[j];
        order[j] = (uint32_t)i;
    }
    for (uint64_t i = 0; i < n; i++) {
        while (at != 0 && any_coin(r, 0.4))
            at = parent[at];
        for (int deeper = 0; deeper < 3 && any_coin(r, 0.4); deeper++) {
            parent[nodes] = at;
            vertex[nodes] = SE_NONE;
            at = (uint32_t)nodes++;
        }
        parent[nodes] = at;
        vertex[nodes++] = order[i];
    }
    return (struct se_tree){ n, nodes, parent, vertex };
}

static inline void any_rest(struct any *a, struct se_rng *r, uint64_t n)
{
    const uint64_t d = 1 + se_rng_below(r, 5), count = n ? 1 + se_rng_below(r, 4) : 0;
    uint8_t *part = any_room(a, n * count, 1);
    int32_t *predicted = any_room(a, n, 4);
    float *confidence = any_room(a, n, 4);
    uint64_t *off = any_room(a, n + 1, 8);
    char *text = any_room(a, 10 * n, 1);

    for (uint64_t i = 0; i < n * count; i++)
        part[i] = (uint8_t)se_rng_below(r, 4);
    a->splits = (struct se_splits){ n, count, part };
    a->embedding = (struct se_embedding){ n, d, any_floats(a, r, n * d) };
    for (uint64_t v = 0; v < n; v++) {
        const uint64_t len = se_rng_below(r, 10);

        predicted[v] = (int32_t)se_rng_below(r, 5) - 1;
        confidence[v] = (float)se_rng_below(r, 9) / 8;
        for (uint64_t i = 0; i < len; i++)
            text[off[v] + i] = (char)(1 + se_rng_below(r, 255));
        off[v + 1] = off[v] + len;
    }
    a->predictions = (struct se_predictions){ n, predicted, confidence };
    a->names = (struct se_names){ n, off, text };
    a->probabilities = any_probabilities(a, r, n);
    a->model = (struct se_model){ "model=gcn\nlr=0.01\n", se_rng_below(r, 19), a->array,
                                  se_rng_below(r, ANY_ARRAYS + 1) };
    for (uint64_t i = 0; i < a->model.arrays; i++) {
        static const char *const names[ANY_ARRAYS] = { "w", "bias of the first layer", "", "x" };
        const uint64_t rows = se_rng_below(r, 5), cols = se_rng_below(r, 5);

        a->array[i] = (struct se_array){ names[i], rows, cols, any_floats(a, r, rows * cols) };
    }
    a->stats = (int)se_rng_below(r, ANY_STATS + 1);
    for (int i = 0; i < a->stats; i++)
        a->stat[i] = se_rng_normal(r) * 1e10;
    a->lines = (int)se_rng_below(r, ANY_LINES + 1);
}

/* `share` of the sections, each of n vertices. */
static inline void any_make(struct any *a, uint64_t seed, uint64_t n, double share)
{
    struct se_rng r;

    se_rng_init(&r, seed, SE_RNG_TEST, n);
    memset(a, 0, sizeof *a);
    a->graph = any_graph(a, &r, n);
    a->fused = any_graph(a, &r, n);
    a->features = any_features(a, &r, n);
    a->labels = any_labels(a, &r, n);
    a->knn = any_knn(a, &r, n);
    a->tree = any_tree(a, &r, n);
    any_rest(a, &r, n);
    a->arcs = any_arcs(a, &r, n);
    for (int i = 0; se_section_kind(i); i++)
        a->has[i] = any_coin(&r, share);
}

static inline bool any_has(const struct any *a, uint32_t tag)
{
    for (int i = 0; se_section_kind(i); i++)
        if (se_section_kind(i)->tag == tag)
            return a->has[i];
    return false;
}

/* The pairs of all vertices, of which nobody has neighbours */
static inline int any_put_block(const struct any *a, struct se_stream *s, struct se_err *err)
{
    const struct se_knn_block b = { .n = a->knn.n, .k = a->knn.k, .to = a->knn.n,
                                    .last = a->knn.n };
    struct se_knn_room room = SE_KNN_ROOM_INIT;

    if (se_knn_block_room_make(&room, &b, err) < 0)
        return -1;
    for (uint64_t i = 0; i < b.n * b.k; i++) {
        room.id[i] = SE_NONE;
        room.similarity[i] = 0;
    }
    return se_knn_block_room_give(&room, a->knn.metric, a->knn.on, s, err);
}

static inline int any_put_one(const struct any *a, uint32_t tag, struct se_stream *s,
                              struct se_err *err)
{
    static const uint32_t from[SE_ORIGINS] = { SE_GRAPH, SE_KNN };
    char text[64];
    int rc = 0;

    switch (tag) {
    case SE_GRAPH: return se_graph_put(&a->graph, s, SE_GRAPH, NULL, err);
    case SE_ARCS: return se_arcs_put(&a->arcs, s, err);
    case SE_FUSED: return se_graph_put(&a->fused, s, SE_FUSED, from, err);
    case SE_FEATURES: return se_features_put(&a->features, s, err);
    case SE_LABELS: return se_labels_put(&a->labels, s, err);
    case SE_SPLITS: return se_splits_put(&a->splits, s, err);
    case SE_EMBEDDING: return se_embedding_put(&a->embedding, s, err);
    case SE_KNN: return se_knn_put(&a->knn, s, err);
    case SE_KNN_BLOCK: return any_put_block(a, s, err);
    case SE_TREE: return se_tree_put(&a->tree, s, SE_FUSED, err);
    case SE_PREDICTIONS: return se_predictions_put(&a->predictions, s, err);
    case SE_PROBABILITIES: return se_probabilities_put(&a->probabilities, s, err);
    case SE_MODEL: return se_model_put(&a->model, s, err);
    case SE_NAMES: return se_names_put(&a->names, s, err);
    case SE_STATS:
        for (int i = 0; i < a->stats && rc == 0; i++) {
            snprintf(text, sizeof text, "stage%d.value", i);
            rc = se_stats_set(s, text, a->stat[i], err);
        }
        return rc;
    case SE_HISTORY:
        for (int i = 0; i < a->lines && rc == 0; i++) {
            snprintf(text, sizeof text, "se-test\t0.%d\t-\t0.5\t-k %d", i, i);
            rc = se_history_add(s, text, err);
        }
        return rc;
    }
    return -1;
}

/* Sections in an order in which each finds its origins: knn before fused. */
static inline int any_put(const struct any *a, struct se_stream *s, struct se_err *err)
{
    static const uint32_t order[] = {
        SE_HISTORY, SE_NAMES, SE_GRAPH, SE_ARCS, SE_FEATURES, SE_LABELS, SE_SPLITS,
        SE_EMBEDDING, SE_KNN, SE_FUSED, SE_TREE, SE_PREDICTIONS, SE_PROBABILITIES, SE_MODEL, SE_STATS
    };

    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
        if (any_has(a, order[i]) && any_put_one(a, order[i], s, err) < 0)
            return -1;
    return 0;
}

static inline bool any_bytes(const void *a, const void *b, uint64_t len)
{
    return len == 0 || memcmp(a, b, len) == 0;
}

static inline bool any_same_graph(const struct se_graph *a, const struct se_graph *b)
{
    return a->n == b->n && a->m == b->m && a->loops == b->loops && !a->weight == !b->weight &&
           !b->weight == !b->loop_weight && any_bytes(a->off, b->off, (a->n + 1) * 8) &&
           any_bytes(a->to, b->to, a->m * 4) && any_bytes(a->loop, b->loop, a->loops * 4) &&
           (!a->weight || (any_bytes(a->weight, b->weight, a->m * 4) &&
                           any_bytes(a->loop_weight, b->loop_weight, a->loops * 4)));
}

/* Entry (v, j), however it is stored */
static inline float any_entry(const struct se_features *f, uint64_t v, uint64_t j)
{
    if (f->dense)
        return f->dense[v * f->d + j];
    for (uint64_t i = f->off[v]; i < f->off[v + 1]; i++)
        if (f->col[i] == j)
            return f->value ? f->value[i] : 1;
    return 0;
}

static inline bool any_same_features(const struct se_features *a, const struct se_features *b)
{
    if (a->n != b->n || a->d != b->d)
        return false;
    for (uint64_t i = 0; i < a->n * a->d; i++)
        if (any_entry(a, i / a->d, i % a->d) != any_entry(b, i / a->d, i % a->d))
            return false;
    return true;
}

static inline bool any_same_model(const struct any *a, struct se_stream *s)
{
    struct se_err err;
    struct se_model m;
    bool same;

    if (se_model_get(&m, s, &err) < 0)
        return false;
    same = m.arrays == a->model.arrays && m.text_len == a->model.text_len &&
           any_bytes(m.text, a->model.text, m.text_len);
    for (uint64_t i = 0; same && i < m.arrays; i++) {
        const struct se_array *x = &m.array[i], *y = &a->array[i];

        same = strcmp(x->name, y->name) == 0 && x->rows == y->rows && x->cols == y->cols &&
               any_bytes(x->data, y->data, x->rows * x->cols * 4);
    }
    se_model_release(&m);
    return same;
}

static inline bool any_same_meta(const struct any *a, struct se_stream *s)
{
    char want[1024] = "", line[64];
    struct se_history h = { NULL, 0 };
    struct se_stats x = { 0 };
    struct se_err err;

    if (any_has(a, SE_STATS) && a->stats > 0) {
        if (se_stats_get(&x, s, &err) < 0 || x.count != (uint64_t)a->stats)
            return false;
        for (int i = 0; i < a->stats; i++) {
            double value = 0;

            snprintf(line, sizeof line, "stage%d.value", i);
            if (se_stats_value(s, line, &value, &err) != 1 || value != a->stat[i])
                return false;
        }
    }
    if (!any_has(a, SE_HISTORY) || a->lines == 0)
        return !se_stream_has(s, SE_HISTORY);
    for (int i = 0; i < a->lines; i++) {
        snprintf(line, sizeof line, "se-test\t0.%d\t-\t0.5\t-k %d\n", i, i);
        strcat(want, line);
    }
    return se_history_get(&h, s, &err) == 0 && h.len == strlen(want) &&
           memcmp(h.text, want, h.len) == 0;
}

/* Does the stream hold `a`?  Says which section does not. */
static inline bool any_same(const struct any *a, struct se_stream *s)
{
    struct se_err err = SE_ERR_INIT;
    struct se_graph g;
    struct se_features f;
    struct se_labels l;
    struct se_splits sp;
    struct se_embedding e;
    struct se_knn k;
    struct se_tree t;
    struct se_predictions p;
    struct se_probabilities q;
    struct se_names x;
    bool same = true;

#define ANY_SAME(tag, condition)                                                           \
    if (same && any_has(a, tag) && !(condition)) {                                         \
        printf("# %s differs: %s\n", se_section_name(tag), err.text);                      \
        same = false;                                                                      \
    }
    ANY_SAME(SE_GRAPH, se_graph_get(&g, s, SE_GRAPH, &err) == 0 && any_same_graph(&a->graph, &g))
    ANY_SAME(SE_ARCS, se_arcs_get(&g, s, &err) == 0 && g.n == a->arcs.n && g.m == a->arcs.m &&
             any_bytes(g.off, a->arcs.off, (g.n + 1) * 8) &&
             any_bytes(g.to, a->arcs.to, g.m * 4) && !g.weight == !a->arcs.weight &&
             (!g.weight || any_bytes(g.weight, a->arcs.weight, g.m * 4)))
    ANY_SAME(SE_FUSED, se_graph_get(&g, s, SE_FUSED, &err) == 0 && any_same_graph(&a->fused, &g))
    ANY_SAME(SE_FEATURES, se_features_get(&f, s, &err) == 0 &&
             any_same_features(&a->features, &f))
    ANY_SAME(SE_LABELS, se_labels_get(&l, s, &err) == 0 && l.n == a->labels.n &&
             l.classes == a->labels.classes && any_bytes(l.label, a->labels.label, l.n * 4) &&
             !l.names == !a->labels.names && l.names_len == a->labels.names_len &&
             any_bytes(l.names, a->labels.names, l.names_len))
    ANY_SAME(SE_SPLITS, se_splits_get(&sp, s, &err) == 0 && sp.n == a->splits.n &&
             sp.count == a->splits.count && any_bytes(sp.part, a->splits.part, sp.n * sp.count))
    ANY_SAME(SE_EMBEDDING, se_embedding_get(&e, s, &err) == 0 && e.n == a->embedding.n &&
             e.d == a->embedding.d && any_bytes(e.row, a->embedding.row, e.n * e.d * 4))
    ANY_SAME(SE_KNN, se_knn_get(&k, s, &err) == 0 && k.n == a->knn.n && k.k == a->knn.k &&
             k.first == a->knn.first && k.last == a->knn.last && k.metric == a->knn.metric &&
             k.on == a->knn.on && any_bytes(k.id, a->knn.id, (k.last - k.first) * k.k * 4) &&
             any_bytes(k.similarity, a->knn.similarity, (k.last - k.first) * k.k * 4))
    ANY_SAME(SE_TREE, se_tree_get(&t, s, &err) == 0 && t.n == a->tree.n &&
             t.nodes == a->tree.nodes && any_bytes(t.parent, a->tree.parent, t.nodes * 4) &&
             any_bytes(t.vertex, a->tree.vertex, t.nodes * 4))
    ANY_SAME(SE_PREDICTIONS, se_predictions_get(&p, s, &err) == 0 && p.n == a->predictions.n &&
             any_bytes(p.label, a->predictions.label, p.n * 4) &&
             any_bytes(p.confidence, a->predictions.confidence, p.n * 4))
    ANY_SAME(SE_PROBABILITIES, se_probabilities_get(&q, s, &err) == 0 &&
             q.n == a->probabilities.n && q.classes == a->probabilities.classes &&
             any_bytes(q.p, a->probabilities.p, q.n * q.classes * 4))
    ANY_SAME(SE_NAMES, se_names_get(&x, s, &err) == 0 && x.n == a->names.n &&
             any_bytes(x.off, a->names.off, (x.n + 1) * 8) &&
             any_bytes(x.text, a->names.text, x.off[x.n]))
    ANY_SAME(SE_MODEL, any_same_model(a, s))
    ANY_SAME(SE_STATS, any_same_meta(a, s))
#undef ANY_SAME
    return same;
}

/* The stream as bytes; free() them. */
static inline unsigned char *any_written(struct se_stream *s, int level, size_t *len)
{
    const int fd = memfd_create("stream", 0);
    struct se_err err = SE_ERR_INIT;
    unsigned char *bytes;
    off_t end;

    if (fd < 0 || se_stream_write(s, fd, level, &err) < 0) {
        printf("# %s\n", err.text);
        abort();
    }
    end = lseek(fd, 0, SEEK_END);
    bytes = malloc((size_t)end + 1);
    if (!bytes || pread(fd, bytes, (size_t)end, 0) != end)
        abort();
    close(fd);
    *len = (size_t)end;
    return bytes;
}

#endif
