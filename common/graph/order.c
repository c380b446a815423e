/* order.c - renumbers the vertices in every section */
#include "common/graph/order.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/sort.h"
#include "common/base/text.h"
#include "common/graph/builder.h"
#include "common/graph/position.h"

/* ---- orders ---- */

/* Leaves by the child of the root that they are below, then by id. */
static int sort_modules(const struct se_tree *t, uint32_t *order, struct se_err *err)
{
    uint64_t *key = se_alloc(t->n, sizeof *key, err), at = 0, module = 0;
    uint64_t *scratch = key ? se_alloc(t->n, sizeof *scratch, err) : NULL;

    if (scratch) {
        for (uint64_t a = 1; a < t->nodes; a++) {
            module += t->parent[a] == 0;
            if (t->vertex[a] != SE_NONE)
                key[at++] = module << 32 | t->vertex[a];
        }
        se_sort_u64(key, scratch, at);
        for (uint64_t i = 0; i < at; i++)
            order[i] = (uint32_t)key[i];
    }
    free(key);
    free(scratch);
    return scratch ? 0 : -1;
}

uint32_t *se_order_by_tree(struct se_stream *s, bool modules, struct se_err *err)
{
    struct se_tree t;
    uint32_t *order;
    uint64_t at = 0;

    if (se_tree_get(&t, s, err) < 0 || !(order = se_alloc(t.n, sizeof *order, err)))
        return NULL;
    for (uint64_t a = 0; a < t.nodes; a++)
        if (t.vertex[a] != SE_NONE)
            order[at++] = t.vertex[a];
    if (modules && t.nodes > 1 && sort_modules(&t, order, err) < 0) {
        free(order);
        return NULL;
    }
    return order;
}

/* What qsort_r is told about names */
enum kind { TEXT, NUMBERS, POSITIONS };

struct naming {
    const struct se_names *names;
    enum kind kind;
};

static size_t name_length(const struct se_names *x, uint32_t v)
{
    return x->off[v + (uint64_t)1] - x->off[v];
}

/* Is the name a number as we write them: digits, no leading zero? */
static bool is_number(const struct se_names *x, uint32_t v)
{
    const char *name = x->text + x->off[v];
    const size_t len = name_length(x, v);

    if (len == 0 || len > 19 || (len > 1 && name[0] == '0'))
        return false;
    for (size_t i = 0; i < len; i++)
        if (name[i] < '0' || name[i] > '9')
            return false;
    return true;
}

static int compare_text(const struct se_names *x, uint32_t u, const char *name, size_t len)
{
    const size_t have = name_length(x, u);
    const int c = memcmp(x->text + x->off[u], name, have < len ? have : len);

    return c ? c : (have > len) - (have < len);
}

static enum kind kind_of_names(const struct se_names *x)
{
    bool numbers = true;

    for (uint64_t v = 0; numbers && v < x->n; v++)
        numbers = is_number(x, (uint32_t)v);
    return numbers ? NUMBERS : se_position_all(x) ? POSITIONS : TEXT;
}

static int compare_positions(const struct se_names *x, uint32_t u, uint32_t v)
{
    struct se_position a = { 0 }, b = { 0 };

    se_position_parse(x->text + x->off[u], name_length(x, u), &a);
    se_position_parse(x->text + x->off[v], name_length(x, v), &b);
    return se_position_compare(&a, &b);
}

static int compare_names(const struct naming *n, uint32_t u, uint32_t v)
{
    const struct se_names *x = n->names;
    const size_t have = name_length(x, u), other = name_length(x, v);

    if (n->kind == NUMBERS && have != other)
        return have < other ? -1 : 1;
    return n->kind == POSITIONS ? compare_positions(x, u, v)
                                : compare_text(x, u, x->text + x->off[v], other);
}

static int by_name(const void *a, const void *b, void *arg)
{
    const uint32_t u = *(const uint32_t *)a, v = *(const uint32_t *)b;
    const int c = compare_names(arg, u, v);

    return c ? c : (u > v) - (u < v);
}

static uint32_t *sort_names(const struct se_names *x, enum kind kind, struct se_err *err)
{
    struct naming n = { x, kind };
    uint32_t *order = se_alloc(x->n, sizeof *order, err);

    for (uint64_t v = 0; order && v < x->n; v++)
        order[v] = (uint32_t)v;
    if (order)
        qsort_r(order, x->n, sizeof *order, by_name, &n);
    return order;
}

uint32_t *se_order_by_name(struct se_stream *s, struct se_err *err)
{
    struct se_names x;

    return se_names_get(&x, s, err) < 0 ? NULL : sort_names(&x, kind_of_names(&x), err);
}

bool se_order_is_kept(const struct se_names *x)
{
    const struct naming n = { x, kind_of_names(x) };

    for (uint64_t v = 1; n.kind != TEXT && v < x->n; v++)
        if (compare_names(&n, (uint32_t)(v - 1), (uint32_t)v) > 0)
            return false;
    return true;
}

/* The vertex of a line of the file, SE_NONE: there is none. */
static uint32_t find_vertex(const struct se_names *x, const uint32_t *sorted, const char *line,
                            size_t len, uint64_t n)
{
    uint64_t low = 0, high = n, id;

    if (!sorted)
        return se_whole_u64(line, &id) && id < n ? (uint32_t)id : SE_NONE;
    while (low < high) {
        const uint64_t mid = low + (high - low) / 2;
        const int c = compare_text(x, sorted[mid], line, len);

        if (c == 0)
            return sorted[mid];
        if (c < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return SE_NONE;
}

static int read_order(struct se_text *t, const struct se_names *x, const uint32_t *sorted,
                      uint64_t n, uint32_t *order, uint8_t *seen, struct se_err *err)
{
    uint64_t at = 0;
    char *line;
    size_t len;
    int rc;

    while ((rc = se_text_line(t, &line, &len, err)) == 1) {
        const uint32_t v = find_vertex(x, sorted, line, len, n);

        if (v == SE_NONE)
            return se_text_fail(t, err, "'%.40s' is no vertex", line);
        if (seen[v])
            return se_text_fail(t, err, "'%.40s' was listed before", line);
        seen[v] = 1;
        order[at++] = v;
    }
    if (rc == 0 && at < n)
        return se_text_fail(t, err, "the file ends after %" PRIu64 " of %" PRIu64 " vertices; "
                            "list each once", at, n);
    return rc;
}

uint32_t *se_order_by_file(struct se_stream *s, const char *path, struct se_err *err)
{
    struct se_text t = SE_TEXT_INIT;
    struct se_names x = { .n = 0 };
    uint32_t *order = NULL, *sorted = NULL;
    uint8_t *seen = NULL;
    uint64_t n;
    int rc = -1;

    if (se_stream_vertices(s, &n, err) == 0 &&
        (!se_stream_has(s, SE_NAMES) ||
         (se_names_get(&x, s, err) == 0 && (sorted = sort_names(&x, TEXT, err)))) &&
        (order = se_alloc(n, sizeof *order, err)) && (seen = se_zalloc(n, 1, err)) &&
        se_text_open(&t, path, err) == 0) {
        rc = read_order(&t, &x, sorted, n, order, seen, err);
        se_text_close(&t);
    }
    free(sorted);
    free(seen);
    if (rc < 0) {
        free(order);
        return NULL;
    }
    return order;
}

/* ---- sections ---- */

struct ordering {
    struct se_stream *s;
    const uint32_t *order;      /* old id of each new one */
    uint32_t *new;              /* new id of each old one */
    uint64_t n;
};

/* n rows of `size` bytes in the new order; free() it. */
static void *permute(const struct ordering *o, const void *rows, size_t size, struct se_err *err)
{
    unsigned char *to = se_alloc(o->n, size, err);

    for (uint64_t v = 0; to && v < o->n; v++)
        memcpy(to + v * size, (const unsigned char *)rows + o->order[v] * size, size);
    return to;
}

static int order_graph(const struct ordering *o, uint32_t tag, struct se_err *err)
{
    struct se_graph g;
    struct se_builder b = SE_BUILDER_INIT;
    struct se_built built;
    int rc = se_graph_get(&g, o->s, tag, err);

    b.n = o->n;
    b.weighted = rc == 0 && g.weight;
    for (uint64_t u = 0; rc == 0 && u < g.n; u++)
        for (uint64_t e = g.off[u]; rc == 0 && e < g.off[u + 1]; e++)
            rc = se_builder_add(&b, o->new[u], o->new[g.to[e]], g.weight ? g.weight[e] : 1, err);
    for (uint64_t i = 0; rc == 0 && i < g.loops; i++)
        rc = se_builder_add(&b, o->new[g.loop[i]], o->new[g.loop[i]],
                            g.loop_weight ? g.loop_weight[i] : 1, err);
    if (rc == 0)
        rc = se_builder_put(&b, o->s, tag, SE_MERGE_SUM, true, &built, err);
    se_builder_release(&b);
    return rc;
}

static int order_arcs(const struct ordering *o, struct se_err *err)
{
    struct se_graph g;
    struct se_builder b = SE_BUILDER_INIT;
    int rc = se_arcs_get(&g, o->s, err);

    b.n = o->n;
    b.ordered = true;
    b.weighted = rc == 0 && g.weight;
    for (uint64_t u = 0; rc == 0 && u < g.n; u++)
        for (uint64_t e = g.off[u]; rc == 0 && e < g.off[u + 1]; e++)
            rc = se_builder_add(&b, o->new[u], o->new[g.to[e]], g.weight ? g.weight[e] : 1, err);
    if (rc == 0)
        rc = se_builder_put_arcs(&b, o->s, NULL, o->n, true, err);
    se_builder_release(&b);
    return rc;
}

static int order_sparse(const struct ordering *o, const struct se_features *f, struct se_err *err)
{
    struct se_features x = *f;
    uint64_t *off = se_alloc(f->n + 1, sizeof *off, err), at = 0;
    uint32_t *col = off ? se_alloc(f->nnz, sizeof *col, err) : NULL;
    float *value = col && f->value ? se_alloc(f->nnz, sizeof *value, err) : NULL;
    int rc = col && (value || !f->value) ? 0 : -1;

    for (uint64_t v = 0; rc == 0 && v < f->n; v++) {
        const uint64_t from = f->off[o->order[v]], len = f->off[o->order[v] + (uint64_t)1] - from;

        off[v] = at;
        memcpy(col + at, f->col + from, len * sizeof *col);
        if (value)
            memcpy(value + at, f->value + from, len * sizeof *value);
        at += len;
    }
    if (rc == 0) {
        off[f->n] = at;
        x.off = off;
        x.col = col;
        x.value = value;
        rc = se_features_put(&x, o->s, err);
    }
    free(off);
    free(col);
    free(value);
    return rc;
}

static int order_features(const struct ordering *o, struct se_err *err)
{
    struct se_features f;
    float *dense;
    int rc;

    if (se_features_get(&f, o->s, err) < 0)
        return -1;
    if (!f.dense)
        return order_sparse(o, &f, err);
    if (!(dense = permute(o, f.dense, f.d * sizeof *dense, err)))
        return -1;
    f.dense = dense;
    rc = se_features_put(&f, o->s, err);
    free(dense);
    return rc;
}

static int order_labels(const struct ordering *o, struct se_err *err)
{
    struct se_labels l;
    int32_t *label;
    int rc;

    if (se_labels_get(&l, o->s, err) < 0 || !(label = permute(o, l.label, sizeof *label, err)))
        return -1;
    l.label = label;
    rc = se_labels_put(&l, o->s, err);
    free(label);
    return rc;
}

static int order_splits(const struct ordering *o, struct se_err *err)
{
    struct se_splits x;
    uint8_t *part;
    int rc;

    if (se_splits_get(&x, o->s, err) < 0 || !(part = se_alloc(x.count * x.n, 1, err)))
        return -1;
    for (uint64_t i = 0; i < x.count; i++)
        for (uint64_t v = 0; v < x.n; v++)
            part[i * x.n + v] = x.part[i * x.n + o->order[v]];
    x.part = part;
    rc = se_splits_put(&x, o->s, err);
    free(part);
    return rc;
}

static int order_embedding(const struct ordering *o, struct se_err *err)
{
    struct se_embedding x;
    float *row;
    int rc;

    if (se_embedding_get(&x, o->s, err) < 0 ||
        !(row = permute(o, x.row, x.d * sizeof *row, err)))
        return -1;
    x.row = row;
    rc = se_embedding_put(&x, o->s, err);
    free(row);
    return rc;
}

static int order_probabilities(const struct ordering *o, struct se_err *err)
{
    struct se_probabilities x;
    float *p;
    int rc;

    if (se_probabilities_get(&x, o->s, err) < 0 ||
        !(p = permute(o, x.p, x.classes * sizeof *p, err)))
        return -1;
    x.p = p;
    rc = se_probabilities_put(&x, o->s, err);
    free(p);
    return rc;
}

static int order_predictions(const struct ordering *o, struct se_err *err)
{
    struct se_predictions x;
    int32_t *label = NULL;
    float *confidence = NULL;
    int rc = -1;

    if (se_predictions_get(&x, o->s, err) == 0 &&
        (label = permute(o, x.label, sizeof *label, err)) &&
        (confidence = permute(o, x.confidence, sizeof *confidence, err))) {
        x.label = label;
        x.confidence = confidence;
        rc = se_predictions_put(&x, o->s, err);
    }
    free(label);
    free(confidence);
    return rc;
}

/* Equal similarities: the lower id first, as se-sim has them. */
static void sort_ties(uint32_t *id, const float *similarity, uint64_t k)
{
    for (uint64_t i = 1; i < k; i++)
        for (uint64_t j = i; j > 0 && similarity[j] == similarity[j - 1] && id[j] < id[j - 1]; j--) {
            const uint32_t swap = id[j];

            id[j] = id[j - 1];
            id[j - 1] = swap;
        }
}

static int order_knn(const struct ordering *o, struct se_err *err)
{
    struct se_knn x;
    uint32_t *id = NULL;
    float *similarity = NULL;
    int rc = -1;

    if (se_knn_get(&x, o->s, err) < 0)
        return -1;
    if (x.first != 0 || x.last != x.n)
        return se_fail(err, SE_EINPUT, "knn: only a part of the rows is here; join the parts "
                       "before --order");
    if ((id = permute(o, x.id, x.k * sizeof *id, err)) &&
        (similarity = permute(o, x.similarity, x.k * sizeof *similarity, err))) {
        for (uint64_t i = 0; i < x.n * x.k; i++)
            if (id[i] != SE_NONE)
                id[i] = o->new[id[i]];
        for (uint64_t v = 0; v < x.n; v++)
            sort_ties(id + v * x.k, similarity + v * x.k, x.k);
        x.id = id;
        x.similarity = similarity;
        rc = se_knn_put(&x, o->s, err);
    }
    free(id);
    free(similarity);
    return rc;
}

static int order_tree(const struct ordering *o, struct se_err *err)
{
    struct se_tree t;
    uint32_t *vertex;
    int rc;

    if (se_tree_get(&t, o->s, err) < 0 || !(vertex = se_alloc(t.nodes, sizeof *vertex, err)))
        return -1;
    for (uint64_t a = 0; a < t.nodes; a++)
        vertex[a] = t.vertex[a] == SE_NONE ? SE_NONE : o->new[t.vertex[a]];
    t.vertex = vertex;
    rc = se_tree_put(&t, o->s, 0, err);
    free(vertex);
    return rc;
}

/* The old ids where there are no names; no names where they are the ids. */
static int order_names(const struct ordering *o, struct se_err *err)
{
    struct se_names old = { .n = 0 }, x = { .n = o->n };
    struct se_bytes text = SE_BYTES_INIT;
    uint64_t *off = se_alloc(o->n + 1, sizeof *off, err);
    const bool named = se_stream_has(o->s, SE_NAMES);
    bool ids = true;
    int rc = off && (!named || se_names_get(&old, o->s, err) == 0) ? 0 : -1;

    for (uint64_t v = 0; rc == 0 && v < o->n; v++) {
        const uint32_t u = o->order[v];
        char id[24], was[24];
        const size_t len = (size_t)snprintf(id, sizeof id, "%" PRIu64, v);
        const size_t other = (size_t)snprintf(was, sizeof was, "%" PRIu32, u);

        off[v] = text.len;
        rc = named ? se_bytes_add(&text, old.text + old.off[u], name_length(&old, u), err)
                   : se_bytes_add(&text, was, other, err);
        ids &= rc == 0 && text.len - off[v] == len && memcmp(text.data + off[v], id, len) == 0;
    }
    if (rc == 0) {
        off[o->n] = text.len;
        x.off = off;
        x.text = text.data ? text.data : "";
        if (ids)
            se_stream_drop(o->s, SE_NAMES);
        else
            rc = se_names_put(&x, o->s, err);
    }
    free(off);
    se_bytes_release(&text);
    return rc;
}

static int order_section(const struct ordering *o, uint32_t tag, struct se_err *err)
{
    switch (tag) {
    case SE_GRAPH: case SE_FUSED: return order_graph(o, tag, err);
    case SE_ARCS: return order_arcs(o, err);
    case SE_FEATURES: return order_features(o, err);
    case SE_LABELS: return order_labels(o, err);
    case SE_SPLITS: return order_splits(o, err);
    case SE_EMBEDDING: return order_embedding(o, err);
    case SE_KNN: return order_knn(o, err);
    case SE_KNN_BLOCK:
        return se_fail(err, SE_EINPUT, "block: this is a part of the neighbours; join the parts "
                       "before --order");
    case SE_TREE: return order_tree(o, err);
    case SE_PREDICTIONS: return order_predictions(o, err);
    case SE_PROBABILITIES: return order_probabilities(o, err);
    case SE_MODEL: case SE_STATS: case SE_HISTORY: return 0;
    default: return se_fail(err, SE_EINPUT, "%s: unknown section; it cannot be renumbered, drop "
                            "it with --drop", se_section_name(tag));
    }
}

/* The origins again, with the digests of what is there now. */
static int restore_origins(struct se_stream *s, uint32_t tag,
                           const struct se_origin origin[SE_ORIGINS], struct se_err *err)
{
    struct se_section *x = se_stream_find(s, tag);

    for (int i = 0; i < SE_ORIGINS; i++) {
        struct se_section *from = origin[i].tag ? se_stream_find(s, origin[i].tag) : NULL;

        x->origin[i] = origin[i];
        if (from && se_section_digest(from, &x->origin[i].digest, err) < 0)
            return -1;
    }
    return 0;
}

/* A section comes after those it was derived from, so that their digests are known. */
static const uint32_t sequence[] = { SE_GRAPH, SE_ARCS, SE_FEATURES, SE_LABELS, SE_SPLITS, SE_EMBEDDING,
                                     SE_KNN, SE_FUSED, SE_TREE, SE_PREDICTIONS,
                                     SE_PROBABILITIES };

static int order_all(const struct ordering *o, struct se_err *err)
{
    for (size_t i = 0; i < o->s->count; i++)            /* refuse before anything is changed */
        if (o->s->section[i].tag != SE_NAMES && (o->s->section[i].tag == SE_KNN_BLOCK ||
                                                    !se_section_kind_of(o->s->section[i].tag)))
            return order_section(o, o->s->section[i].tag, err);
    for (size_t i = 0; i < sizeof sequence / sizeof *sequence; i++) {
        const struct se_section *x = se_stream_find(o->s, sequence[i]);
        struct se_origin origin[SE_ORIGINS];

        if (!x)
            continue;
        memcpy(origin, x->origin, sizeof origin);
        if (order_section(o, sequence[i], err) < 0 ||
            restore_origins(o->s, sequence[i], origin, err) < 0)
            return -1;
    }
    return order_names(o, err);
}

int se_order_apply(struct se_stream *s, const uint32_t *order, uint64_t n, struct se_err *err)
{
    struct ordering o = { s, order, se_alloc(n, sizeof *o.new, err), n };
    const bool keep = s->keep;
    int rc = o.new ? 0 : -1;

    for (size_t i = 0; rc == 0 && i < s->count; i++)    /* else old faults would be covered up */
        rc = se_stream_check_origin(s, s->section[i].tag, err);
    if (rc == 0) {
        for (uint64_t v = 0; v < n; v++)
            o.new[order[v]] = (uint32_t)v;
        s->keep = true;
        rc = order_all(&o, err);
        s->keep = keep;
    }
    free(o.new);
    return rc;
}
