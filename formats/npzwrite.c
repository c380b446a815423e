/* npzwrite.c - a stream as an archive of numpy arrays; npz.c says which */
#include "formats/npz.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/graph/adjacency.h"

/* 32-bit numbers where the largest allows it, else 64. */
static int add_offsets(struct se_zip_out *w, const char *name, const uint64_t *x,
                       uint64_t count, struct se_err *err)
{
    int32_t *small;
    int rc;

    if (x[count - 1] > INT32_MAX)
        return se_npz_add(w, name, "<i8", 1, &count, x, count * 8, err);
    small = se_alloc(count, sizeof *small, err);
    if (!small)
        return -1;
    for (uint64_t i = 0; i < count; i++)
        small[i] = (int32_t)x[i];
    rc = se_npz_add(w, name, "<i4", 1, &count, small, count * 4, err);
    free(small);
    return rc;
}

/* Ids below `limit`, or SE_NONE, which becomes -1. */
static int add_ids(struct se_zip_out *w, const char *name, const uint32_t *x, uint64_t count,
                   uint64_t limit, struct se_err *err)
{
    int64_t *wide;
    int rc;

    if (limit <= INT32_MAX)             /* SE_NONE has the bits of -1 */
        return se_npz_add(w, name, "<i4", 1, &count, x, count * 4, err);
    wide = se_alloc(count, sizeof *wide, err);
    if (!wide)
        return -1;
    for (uint64_t i = 0; i < count; i++)
        wide[i] = x[i] == SE_NONE ? -1 : (int64_t)x[i];
    rc = se_npz_add(w, name, "<i8", 1, &count, wide, count * 8, err);
    free(wide);
    return rc;
}

/* The four arrays of a matrix in compressed rows. */
struct matrix {
    uint64_t rows, columns, count;
    uint64_t *off;
    uint32_t *column;
    float *value;
};

static int matrix_alloc(struct matrix *m, uint64_t rows, uint64_t columns, uint64_t count,
                        struct se_err *err)
{
    *m = (struct matrix){ rows, columns, 0, NULL, NULL, NULL };
    m->off = se_zalloc(rows + 1, sizeof *m->off, err);
    m->column = m->off ? se_alloc(count, sizeof *m->column, err) : NULL;
    m->value = m->column ? se_alloc(count, sizeof *m->value, err) : NULL;
    return m->value ? 0 : -1;
}

static void matrix_release(struct matrix *m)
{
    free(m->off);
    free(m->column);
    free(m->value);
}

static void matrix_add(struct matrix *m, uint32_t column, float value)
{
    m->column[m->count] = column;
    m->value[m->count++] = value;
}

static int write_matrix(struct se_zip_out *w, const char *prefix, const struct matrix *m,
                        struct se_err *err)
{
    const uint64_t two = 2, shape[2] = { m->rows, m->columns };
    char data[32], indices[32], indptr[32], size[32];

    snprintf(data, sizeof data, "%sdata", prefix);
    snprintf(indices, sizeof indices, "%sindices", prefix);
    snprintf(indptr, sizeof indptr, "%sindptr", prefix);
    snprintf(size, sizeof size, "%sshape", prefix);
    return se_npz_add(w, data, "<f4", 1, &m->count, m->value, m->count * 4, err) < 0 ||
           add_ids(w, indices, m->column, m->count, m->columns, err) < 0 ||
           add_offsets(w, indptr, m->off, m->rows + 1, err) < 0 ||
           se_npz_add(w, size, "<i8", 1, &two, shape, sizeof shape, err) < 0 ? -1 : 0;
}

/* Both directions of each edge, and the loops in their places among them. */
static void fill_graph(struct matrix *m, const struct se_adjacency *a, const struct se_graph *g)
{
    uint64_t next = 0;

    for (uint64_t u = 0; u < a->n; u++) {
        uint64_t i = a->off[u];

        for (; i < a->off[u + 1] && a->to[i] < u; i++)
            matrix_add(m, a->to[i], a->weight ? a->weight[i] : 1);
        if (next < g->loops && g->loop[next] == u) {
            matrix_add(m, (uint32_t)u, g->loop_weight ? g->loop_weight[next] : 1);
            next++;
        }
        for (; i < a->off[u + 1]; i++)
            matrix_add(m, a->to[i], a->weight ? a->weight[i] : 1);
        m->off[u + 1] = m->count;
    }
}

/* An archive does not tell weights of 1 from no weights, unless this does. */
static int write_weighted(struct se_zip_out *w, const char *prefix, const struct se_graph *g,
                          struct se_err *err)
{
    const uint64_t one = 1;
    uint64_t i = 0, k = 0;
    char name[32];

    while (g->weight && i < g->m && g->weight[i] == 1)
        i++;
    while (g->weight && k < g->loops && g->loop_weight[k] == 1)
        k++;
    snprintf(name, sizeof name, "%sweighted", prefix);
    return g->weight && i == g->m && k == g->loops
               ? se_npz_add(w, name, "|u1", 1, &one, "\1", 1, err) : 0;
}

int se_npz_write_graph(struct se_zip_out *w, const char *prefix, uint32_t tag,
                       struct se_stream *s, struct se_err *err)
{
    struct se_adjacency a = SE_ADJACENCY_INIT;
    struct se_graph g;
    struct matrix m;
    int rc;

    if (se_graph_get(&g, s, tag, err) < 0 || se_adjacency_make(&a, &g, err) < 0)
        return -1;
    rc = matrix_alloc(&m, g.n, g.n, 2 * g.m + g.loops, err);
    if (rc == 0)
        fill_graph(&m, &a, &g);
    se_adjacency_release(&a);
    if (rc == 0)
        rc = write_matrix(w, prefix, &m, err);
    matrix_release(&m);
    if (rc == 0 && *prefix)
        rc = write_weighted(w, prefix, &g, err);
    return rc;
}

/* Arcs are the rows of a matrix as they are. */
int se_npz_write_arcs(struct se_zip_out *w, const char *prefix, struct se_stream *s,
                      struct se_err *err)
{
    struct se_graph g;
    struct matrix m;
    int rc = se_arcs_get(&g, s, err);

    if (rc < 0 || matrix_alloc(&m, g.n, g.n, g.m, err) < 0)
        return -1;
    for (uint64_t u = 0; u < g.n; u++) {
        for (uint64_t i = g.off[u]; i < g.off[u + 1]; i++)
            matrix_add(&m, g.to[i], g.weight ? g.weight[i] : 1);
        m.off[u + 1] = m.count;
    }
    rc = write_matrix(w, prefix, &m, err);
    matrix_release(&m);
    return rc == 0 && *prefix ? write_weighted(w, prefix, &g, err) : rc;
}

static uint64_t count_entries(const struct se_features *f)
{
    uint64_t count = 0;

    for (uint64_t i = 0; f->dense && i < f->nnz; i++)
        count += f->dense[i] != 0;
    return f->dense ? count : f->nnz;
}

static int write_features(struct se_zip_out *w, struct se_stream *s, struct se_err *err)
{
    struct se_features f;
    struct matrix m;
    int rc;

    if (se_features_get(&f, s, err) < 0)
        return -1;
    rc = matrix_alloc(&m, f.n, f.d, count_entries(&f), err);
    for (uint64_t v = 0; v < f.n && rc == 0; v++) {
        for (uint64_t j = 0; f.dense && j < f.d; j++)
            if (f.dense[v * f.d + j] != 0)
                matrix_add(&m, (uint32_t)j, f.dense[v * f.d + j]);
        for (uint64_t i = f.dense ? 0 : f.off[v]; !f.dense && i < f.off[v + 1]; i++)
            matrix_add(&m, f.col[i], f.value ? f.value[i] : 1);
        m.off[v + 1] = m.count;
    }
    if (rc == 0)
        rc = write_matrix(w, "attr_", &m, err);
    matrix_release(&m);
    return rc;
}

/* The character at *p, which moves behind it; -1 if it is not UTF-8. */
static int64_t take_utf8(const unsigned char **p, const unsigned char *end)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char first = *(*p)++;
    const int len = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3
                    : first < 0xf8 ? 4 : 0;
    uint32_t c = len > 1 ? first & (0xffu >> (len + 1)) : first;

    if (len == 0 || end - *p < len - 1)
        return -1;
    for (int i = 1; i < len; i++) {
        if (**p >> 6 != 2)
            return -1;
        c = c << 6 | (*(*p)++ & 0x3f);
    }
    return c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ? -1 : (int64_t)c;
}

/* Characters of a text, or -1. */
static int64_t utf8_length(const char *text, uint64_t len)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + len;
    int64_t count = 0;

    for (; p < end; count++)
        if (take_utf8(&p, end) < 0)
            return -1;
    return count;
}

/* Texts of one width: UTF-32, or bytes if one of them is not UTF-8.  Text i is at
 * text + off[i], and `gap` bytes lie between texts. */
static int add_texts(struct se_zip_out *w, const char *name, const char *text,
                     const uint64_t *off, uint64_t gap, uint64_t count, struct se_err *err)
{
    uint64_t width = 1, bytes = 1, total;
    bool utf8 = true;
    uint32_t *wide;
    char type[24], *all;
    int rc;

    for (uint64_t i = 0; i < count; i++) {
        const uint64_t len = off[i + 1] - off[i] - gap;
        const int64_t chars = utf8_length(text + off[i], len);

        utf8 &= chars >= 0;
        bytes = len > bytes ? len : bytes;
        width = chars > (int64_t)width ? (uint64_t)chars : width;
    }
    if (utf8)
        bytes = 4 * width;
    if (__builtin_mul_overflow(bytes, count, &total) || total > UINT64_C(1) << 32)
        return se_fail(err, SE_EINPUT, "%s: numpy gives all texts the length of the longest, "
                       "which makes %" PRIu64 " times %" PRIu64 " bytes; drop the names first",
                       name, count, bytes);
    all = se_zalloc(total, 1, err);
    if (!all)
        return -1;
    for (uint64_t i = 0; i < count; i++) {
        const unsigned char *p = (const unsigned char *)text + off[i];
        const unsigned char *end = p + (off[i + 1] - off[i] - gap);

        if (!utf8)
            memcpy(all + i * bytes, p, (size_t)(end - p));
        for (wide = (uint32_t *)(void *)(all + i * bytes); utf8 && p < end;)
            *wide++ = (uint32_t)take_utf8(&p, end);
    }
    snprintf(type, sizeof type, utf8 ? "<U%" PRIu64 : "|S%" PRIu64, utf8 ? width : bytes);
    rc = se_npz_add(w, name, type, 1, &count, all, total, err);
    free(all);
    return rc;
}

int se_npz_add_strings(struct se_zip_out *w, const char *name, const char *strings,
                       uint64_t count, struct se_err *err)
{
    uint64_t *off = se_alloc(count + 1, sizeof *off, err);
    int rc;

    if (!off)
        return -1;
    off[0] = 0;
    for (uint64_t c = 0; c < count; c++)
        off[c + 1] = off[c] + strlen(strings + off[c]) + 1;
    rc = add_texts(w, name, strings, off, 1, count, err);
    free(off);
    return rc;
}

static int write_labels(struct se_zip_out *w, struct se_stream *s, struct se_err *err)
{
    const uint64_t one = 1;
    int64_t most = -1;
    struct se_labels l;

    if (se_labels_get(&l, s, err) < 0 ||
        se_npz_add(w, "labels", "<i4", 1, &l.n, l.label, l.n * 4, err) < 0)
        return -1;
    if (l.names)
        return se_npz_add_strings(w, "class_names", l.names, l.classes, err);
    for (uint64_t v = 0; v < l.n; v++)
        most = l.label[v] > most ? l.label[v] : most;
    return (uint64_t)(most + 1) == l.classes
               ? 0 : se_npz_add(w, "num_classes", "<i8", 1, &one, &l.classes, 8, err);
}

static int write_splits(struct se_zip_out *w, struct se_stream *s, struct se_err *err)
{
    struct se_splits x;

    if (se_splits_get(&x, s, err) < 0)
        return -1;
    const uint64_t shape[2] = { x.count, x.n };
    return se_npz_add(w, "splits", "|u1", 2, shape, x.part, x.count * x.n, err);
}

static int write_embedding(struct se_zip_out *w, struct se_stream *s, struct se_err *err)
{
    struct se_embedding e;

    if (se_embedding_get(&e, s, err) < 0)
        return -1;
    const uint64_t shape[2] = { e.n, e.d };
    return se_npz_add(w, "embedding", "<f4", 2, shape, e.row, e.n * e.d * 4, err);
}

static int write_tree(struct se_zip_out *w, struct se_stream *s, struct se_err *err)
{
    struct se_tree t;

    return se_tree_get(&t, s, err) < 0 ||
           add_ids(w, "tree_parent", t.parent, t.nodes, t.nodes, err) < 0 ||
           add_ids(w, "tree_vertex", t.vertex, t.nodes, t.nodes, err) < 0 ? -1 : 0;
}

static int write_predictions(struct se_zip_out *w, struct se_stream *s, struct se_err *err)
{
    struct se_predictions p;

    return se_predictions_get(&p, s, err) < 0 ||
           se_npz_add(w, "predictions", "<i4", 1, &p.n, p.label, p.n * 4, err) < 0 ||
           se_npz_add(w, "confidence", "<f4", 1, &p.n, p.confidence, p.n * 4, err) < 0 ? -1 : 0;
}

static int write_names(struct se_zip_out *w, struct se_stream *s, struct se_err *err)
{
    struct se_names x;

    return se_names_get(&x, s, err) < 0 ? -1 : add_texts(w, "node_names", x.text, x.off, 0, x.n,
                                                         err);
}

int se_npz_export(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                  struct se_err *err)
{
    static const struct {
        uint32_t tag;
        int (*write)(struct se_zip_out *w, struct se_stream *s, struct se_err *err);
    } rest[] = {
        { SE_FEATURES, write_features }, { SE_LABELS, write_labels },
        { SE_SPLITS, write_splits }, { SE_EMBEDDING, write_embedding },
        { SE_TREE, write_tree }, { SE_PREDICTIONS, write_predictions },
        { SE_NAMES, write_names }
    };
    const uint32_t graph = ex->section == SE_FUSED ? SE_FUSED : SE_GRAPH;
    struct se_zip_out w;
    int rc = 0;

    se_zip_begin(&w, out);
    if (graph == SE_FUSED || se_stream_has(s, SE_GRAPH))
        rc = se_npz_write_graph(&w, "adj_", graph, s, err);
    for (size_t i = 0; i < sizeof rest / sizeof *rest && rc == 0; i++)
        if (se_stream_has(s, rest[i].tag))
            rc = rest[i].write(&w, s, err);
    if (rc == 0 && graph == SE_GRAPH)
        rc = se_npz_write_more(&w, s, err);
    if (rc == 0)
        rc = se_zip_end(&w, err);
    se_zip_out_release(&w);
    return rc;
}

/* One matrix as scipy.sparse.save_npz writes it. */
static int export_scipy(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                        struct se_err *err)
{
    struct se_zip_out w;
    int rc;

    se_zip_begin(&w, out);
    rc = ex->section == SE_ARCS ? se_npz_write_arcs(&w, "", s, err)
                                : se_npz_write_graph(&w, "", ex->section, s, err);
    if (rc == 0)
        rc = se_npz_add(&w, "format", "|S3", 0, NULL, "csr", 3, err);
    if (rc == 0)
        rc = se_zip_end(&w, err);
    se_zip_out_release(&w);
    return rc;
}

const struct se_format se_format_scipy = {
    .name = "scipy",
    .what = "adjacency matrix for scipy.sparse.load_npz",
    .directed = true,
    .extensions = { "npz" },
    .export = export_scipy,
    .binary = true
};
