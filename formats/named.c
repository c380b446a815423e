/* named.c - the arrays of a file by their names: which of them is the graph, which the features */
#include "formats/named.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/namedput.h"
#include "formats/vertices.h"

/* In the order of preference; case does not matter. */
static const char *const graph_names[] = {
    "adj_matrix", "adj", "adjacency", "adjacency_matrix", "network", "net", "graph", "matrix",
    "homo", "A", "W", "connectivities", "PAP", "MAM", "APA", "PLP", "PTP", "PSP", NULL
};
static const char *const edge_names[] = { "edge_index", "edges", "edge_list", "links", NULL };
static const char *const weight_names[] = { "edge_weight", "edge_weights", "weights", NULL };
static const char *const feature_names[] = {
    "node_features", "features", "feature", "attr_matrix", "node_attr", "attributes", "attrs",
    "attr", "feat", "feats", "node_feat", "node_feats", "fea", "x", NULL
};
static const char *const label_names[] = {
    "node_labels", "node_label", "labels", "label", "y", "gnd", "gt", "targets", "target",
    "class", "classes", "group", NULL
};
static const char *const class_names[] = { "class_names", "label_names", NULL };
static const char *const vertex_names[] = { "node_names", "names", NULL };
static const char *const type_names[] = { "node_types", NULL };     /* 1 train, 2 val, 3 test */
static const char *const mask_names[3][7] = {
    { "train_masks", "train_mask", "train_idx", "idx_train", "train_index", NULL },
    { "val_masks", "val_mask", "valid_masks", "valid_mask", "val_idx", "idx_val", NULL },
    { "test_masks", "test_mask", "test_idx", "idx_test", "test_index", NULL }
};
static const char *const *const all_names[] = {
    [SE_IS_GRAPH] = graph_names, [SE_IS_EDGES] = edge_names, [SE_IS_WEIGHTS] = weight_names,
    [SE_IS_FEATURES] = feature_names, [SE_IS_LABELS] = label_names,
    [SE_IS_CLASS_NAMES] = class_names, [SE_IS_NAMES] = vertex_names,
    [SE_IS_TYPES] = type_names,
    [SE_IS_TRAIN] = mask_names[0], mask_names[1], mask_names[2]
};

struct se_named *se_named_add(struct se_named_set *x, const char *name, size_t len,
                              struct se_err *err)
{
    struct se_named *item;

    if (se_grow(&x->item, &x->cap, (uint64_t)x->count + 1, sizeof *x->item, err) < 0)
        return NULL;
    item = &x->item[x->count++];
    *item = (struct se_named){ .kind = SE_NAMED_DENSE };
    if (len >= sizeof item->name)
        len = sizeof item->name - 1;
    memcpy(item->name, name, len);
    return item;
}

void se_named_release(struct se_named_set *x)
{
    for (size_t i = 0; i < x->count; i++) {
        se_npy_release(&x->item[i].dense);
        se_sparse_array_release(&x->item[i].sparse);
        se_bytes_release(&x->item[i].text);
    }
    free(x->item);
    *x = (struct se_named_set)SE_NAMED_SET_INIT;
}

bool se_named_known(const char *name, size_t len)
{
    for (size_t i = 0; i < sizeof all_names / sizeof *all_names; i++)
        for (const char *const *p = all_names[i]; *p; p++)
            if (strlen(*p) == len && strncasecmp(*p, name, len) == 0)
                return true;
    return false;
}

struct se_named *se_named_find(const struct se_named_set *x, int role)
{
    for (const char *const *name = all_names[role]; *name; name++)
        for (size_t i = 0; i < x->count; i++)
            if (!x->item[i].used && x->item[i].kind != SE_NAMED_OTHER &&
                strcasecmp(x->item[i].name, *name) == 0)
                return &x->item[i];
    return NULL;
}

int se_put_say(struct se_put *p, const struct se_named *item, const char *what,
               struct se_err *err)
{
    char text[160];
    const int len = snprintf(text, sizeof text, "%s%s = %s", p->said.len ? ", " : "", what,
                             item->name);

    return se_bytes_add(&p->said, text, (size_t)len, err);
}

int se_put_agree(struct se_put *p, const struct se_named *item, uint64_t rows,
                 struct se_err *err)
{
    if (rows >= SE_MAX_VERTICES)
        return se_fail(err, SE_EINPUT, "%s: too many vertices", item->name);
    if (!p->from) {
        p->from = item->name;
        p->n = rows;
    }
    return rows == p->n ? 0 : se_fail(err, SE_EINPUT, "%s is for %" PRIu64 " vertices, %s for %"
                                      PRIu64, item->name, rows, p->from, p->n);
}

uint64_t se_named_rows(const struct se_named *item)
{
    return item->kind == SE_NAMED_TEXTS ? item->texts : item->kind == SE_NAMED_SPARSE
           ? item->sparse.rows : item->dense.dims > 0 ? item->dense.shape[0] : 0;
}

uint64_t se_named_columns(const struct se_named *item)
{
    return item->kind == SE_NAMED_TEXTS ? 1 : item->kind == SE_NAMED_SPARSE
           ? item->sparse.columns : item->dense.dims == 2 ? item->dense.shape[1] : 1;
}

int se_named_sparse(struct se_named *item, struct se_err *err)
{
    if (item->kind == SE_NAMED_SPARSE)
        return 0;
    if (item->kind == SE_NAMED_TEXTS)
        return se_fail(err, SE_EINPUT, "%s: texts where numbers were expected", item->name);
    if (se_sparse_from_dense(&item->sparse, &item->dense, err) < 0)
        return se_err_in(err, item->name);
    item->kind = SE_NAMED_SPARSE;
    return 0;
}

static int add_edge(struct se_builder *b, const char *name, uint64_t u, uint64_t v, double w,
                    struct se_err *err)
{
    const float weight = (float)w;

    if (weight == 0)
        return 0;                       /* to a matrix that is no edge */
    if (!(weight > 0) || !isfinite(weight))
        return se_fail(err, SE_EINPUT, "%s: weight of %" PRIu64 " - %" PRIu64 " is negative or "
                       "not a finite number", name, u, v);
    return se_builder_add(b, (uint32_t)u, (uint32_t)v, weight, err);
}

static int put_matrix(struct se_put *p, struct se_named *item, struct se_err *err)
{
    struct se_builder b = SE_BUILDER_INIT;
    const struct se_sparse *m = &item->sparse;
    int rc;

    if (se_named_sparse(item, err) < 0)
        return -1;
    if (m->rows != m->columns)
        return se_fail(err, SE_EINPUT, "%s: the graph is a matrix of %" PRIu64 " by %" PRIu64
                       ", which is not square", item->name, m->rows, m->columns);
    rc = se_put_agree(p, item, m->rows, err);
    b.n = m->rows;
    se_import_start(p->in, &b, false);
    for (uint64_t i = 0; i < m->count && !b.weighted; i++)
        b.weighted = m->value[i] != 1 && m->value[i] != 0;
    for (uint64_t i = 0; i < m->count && rc == 0; i++)
        rc = add_edge(&b, item->name, m->row[i], m->column[i], m->value[i], err);
    if (rc == 0)
        rc = se_import_graph(p->in, &b, SE_MERGE_MATRIX, p->s, err);
    se_builder_release(&b);
    item->used = true;
    return rc < 0 ? -1 : se_put_say(p, item, "graph", err);
}

/* Is it an array of two whole ids for each edge, and are they the rows or the columns? */
static int edge_shape(const struct se_named *item, bool *by_row, uint64_t *count,
                      struct se_err *err)
{
    const struct se_npy *a = &item->dense;

    if (item->kind != SE_NAMED_DENSE || a->dims != 2 || (a->shape[0] != 2 && a->shape[1] != 2))
        return se_fail(err, SE_EINPUT, "%s: edges are an array of 2 by m or m by 2 ids",
                       item->name);
    *by_row = a->shape[1] == 2 && a->shape[0] != 2;
    *count = *by_row ? a->shape[0] : a->shape[1];
    return 0;
}

static int add_edges(struct se_put *p, const struct se_named *item, const struct se_npy *weight,
                     struct se_builder *b, struct se_err *err)
{
    const struct se_npy *a = &item->dense;
    uint64_t count = 0;
    bool by_row = false;

    if (edge_shape(item, &by_row, &count, err) < 0)
        return -1;
    if (weight && weight->count != count)
        return se_fail(err, SE_EINPUT, "%s has %" PRIu64 " edges, but there are %" PRIu64
                       " weights", item->name, count, weight->count);
    for (uint64_t i = 0; i < count; i++) {
        int64_t u, v;

        if (!se_npy_whole(a, se_npy_place(a, by_row ? i : 0, by_row ? 0 : i), &u) ||
            !se_npy_whole(a, se_npy_place(a, by_row ? i : 1, by_row ? 1 : i), &v) || u < 0 ||
            v < 0 || u >= (int64_t)SE_NONE || v >= (int64_t)SE_NONE ||
            (p->from && ((uint64_t)u >= p->n || (uint64_t)v >= p->n)))
            return se_fail(err, SE_EINPUT, "%s: edge %" PRIu64 " joins what is not a vertex%s%s",
                           item->name, i, p->from ? " of " : "", p->from ? p->from : "");
        if (add_edge(b, item->name, (uint64_t)u, (uint64_t)v,
                     weight ? se_npy_number(weight, i) : 1, err) < 0)
            return -1;
    }
    return 0;
}

/* Features and labels say how many vertices there are, where isolated ones are the last. */
static int put_edges(struct se_put *p, struct se_named *item, struct se_err *err)
{
    struct se_builder b = SE_BUILDER_INIT;
    struct se_named *w = se_named_find(p->x, SE_IS_WEIGHTS);
    int rc;

    item->used = true;
    if (w && w->kind != SE_NAMED_DENSE)
        w = NULL;
    b.weighted = w != NULL;
    se_import_start(p->in, &b, false);
    rc = add_edges(p, item, w ? &w->dense : NULL, &b, err);
    if (rc == 0 && p->from)
        b.n = p->n;
    else if (rc == 0)
        rc = se_check_sparse(b.n, b.count, p->in->n, err) < 0 ||
             se_put_agree(p, item, b.n, err) < 0 ? -1 : 0;
    if (rc == 0)
        rc = se_import_graph(p->in, &b, SE_MERGE_MATRIX, p->s, err);
    se_builder_release(&b);
    if (w)
        w->used = true;
    return rc < 0 || se_put_say(p, item, "edges", err) < 0 ||
           (w && se_put_say(p, w, "weights", err) < 0) ? -1 : 0;
}

static int put_dense(const struct se_named *item, uint64_t n, uint64_t d, struct se_stream *s,
                     struct se_err *err)
{
    struct se_features f = { .n = n, .d = d, .nnz = n * d };
    float *x = se_npy_floats(&item->dense, err);
    int rc;

    if (!x)
        return se_err_in(err, item->name);
    f.dense = x;
    rc = se_features_put(&f, s, err);
    free(x);
    return rc;
}

static int put_features(struct se_put *p, struct se_named *item, struct se_err *err)
{
    const uint64_t n = se_named_rows(item), d = se_named_columns(item);

    item->used = true;
    if (item->kind == SE_NAMED_TEXTS || d == 0 || d >= SE_NONE || item->dense.dims > 2)
        return se_fail(err, SE_EINPUT, "%s is not a matrix with a row of numbers for each vertex",
                       item->name);
    if (se_put_agree(p, item, n, err) < 0)
        return -1;
    if (item->kind == SE_NAMED_SPARSE
            ? se_sparse_put_features(&item->sparse, p->s, err) < 0
            : put_dense(item, n, d, p->s, err) < 0)
        return -1;
    return se_put_say(p, item, "features", err);
}

/* The names and shapes of all arrays, or of those that were not used. */
static int list(const struct se_named_set *x, bool unused, struct se_bytes *text,
                struct se_err *err)
{
    for (size_t i = 0; i < x->count && text->len < 300; i++) {
        const struct se_named *item = &x->item[i];
        char word[128];
        int len;

        if (unused && item->used)
            continue;
        len = item->kind == SE_NAMED_OTHER
                  ? snprintf(word, sizeof word, "%s%s", text->len ? ", " : "", item->name)
                  : snprintf(word, sizeof word, "%s%s (%" PRIu64 " x %" PRIu64 ")",
                             text->len ? ", " : "", item->name, se_named_rows(item),
                             se_named_columns(item));
        if (se_bytes_add(text, word, (size_t)len, err) < 0)
            return -1;
    }
    return se_bytes_add(text, "", 1, err);
}

static int unknown(const struct se_put *p, struct se_err *err)
{
    struct se_bytes text = SE_BYTES_INIT;

    if (list(p->x, false, &text, err) == 0)
        se_fail(err, SE_EINPUT, "none of its arrays has a name that is known: %.300s; save the "
                "graph as adj or edge_index, features as x, classes as y",
                p->x->count ? text.data : "there are none");
    se_bytes_release(&text);
    return -1;
}

static int told(struct se_put *p, struct se_err *err)
{
    struct se_bytes text = SE_BYTES_INIT;
    int rc = se_say(p->in->notes, err, "%s: %.*s", p->in->path, (int)p->said.len, p->said.data);
    size_t unused = 0;

    for (size_t i = 0; i < p->x->count; i++)
        unused += !p->x->item[i].used;
    if (rc == 0 && unused > 0)
        rc = list(p->x, true, &text, err) < 0 ||
             se_say(p->in->notes, err, "%s: arrays not used: %s", p->in->path, text.data) < 0
                 ? -1 : 0;
    se_bytes_release(&text);
    return rc;
}

static bool is_square(const struct se_named *item)
{
    return item->kind < SE_NAMED_TEXTS && se_named_rows(item) == se_named_columns(item);
}

/* Matrices that could be the graph, if none was taken for it */
static int tell_candidates(struct se_put *p, struct se_err *err)
{
    struct se_bytes names = SE_BYTES_INIT;
    int rc = 0;

    for (size_t i = 0; i < p->x->count && rc == 0 && names.len < 200; i++) {
        const struct se_named *item = &p->x->item[i];

        if (!item->used && is_square(item) && p->n > 1 && se_named_rows(item) == p->n)
            rc = (names.len && se_bytes_add(&names, ", ", 2, err) < 0) ||
                 se_bytes_add(&names, item->name, strlen(item->name), err) < 0 ? -1 : 0;
    }
    if (rc == 0 && names.len)
        rc = se_say(p->in->notes, err, "%s: there is no graph yet; it may be one of %.*s: say "
                    "--graph NAME", p->in->path, (int)names.len, names.data);
    se_bytes_release(&names);
    return rc;
}

/* --graph NAME, else the first known name, else NULL: 0, or -1 with `err` set. */
static int find_graph(struct se_put *p, struct se_named **item, struct se_err *err)
{
    *item = p->in->graph ? NULL : se_named_find(p->x, SE_IS_GRAPH);
    if (!p->in->graph)
        return 0;
    for (size_t i = 0; i < p->x->count && !*item; i++)
        if (strcmp(p->x->item[i].name, p->in->graph) == 0 && is_square(&p->x->item[i]))
            *item = &p->x->item[i];
    p->in->graph_used = *item != NULL;
    return *item ? 0 : se_fail(err, SE_EINPUT, "has no square matrix %s for --graph", p->in->graph);
}

/* A file of one matrix needs no name for it: a square one is the graph. */
static struct se_named *only_matrix(const struct se_put *p)
{
    struct se_named *item = p->x->count == 1 ? &p->x->item[0] : NULL;

    return item && is_square(item) ? item : NULL;
}

static int put_all(struct se_put *p, struct se_err *err)
{
    struct se_named *graph, *edges, *features, *labels, *names;

    if (find_graph(p, &graph, err) < 0 || se_find_labels(p, &labels, err) < 0)
        return -1;
    if (labels)
        labels->used = true;                    /* is nothing else */
    if (!graph)
        graph = only_matrix(p);
    edges = graph ? NULL : se_named_find(p->x, SE_IS_EDGES);
    features = se_named_find(p->x, SE_IS_FEATURES);
    if (!graph && !edges && !features && !labels)
        return unknown(p, err);
    if ((graph && put_matrix(p, graph, err) < 0) ||
        (features && put_features(p, features, err) < 0) ||
        (labels && se_put_labels(p, labels, err) < 0) ||
        (edges && put_edges(p, edges, err) < 0) ||
        se_put_splits(p, err) < 0)
        return -1;
    names = se_named_find(p->x, SE_IS_NAMES);
    return (names && se_put_names(p, names, err) < 0) || told(p, err) < 0 ||
           (!graph && !edges && tell_candidates(p, err) < 0) ? -1 : 0;
}

int se_named_put(struct se_named_set *x, struct se_import *in, struct se_stream *s, uint64_t *n,
                 struct se_err *err)
{
    struct se_put p = { .x = x, .in = in, .s = s, .said = SE_BYTES_INIT };
    const int rc = put_all(&p, err);

    *n = p.n;
    se_bytes_release(&p.said);
    return rc;
}
