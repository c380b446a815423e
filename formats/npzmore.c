/* npzmore.c - what a stream holds beyond a graph with features, in an archive of numpy arrays
 *
 * fused_data, fused_indices, fused_indptr, fused_shape   the fused graph
 * arcs_data, ...   the same of the arcs: an entry in row u, column v is an arc from u to v
 * knn_id, knn_similarity, knn_about (metric, section, vertices, first, last)
 * model_text, and model_NAME for each array of the model
 * stats_names, stats_values
 * section_TAG   the bytes of any other section
 * seg_sections   a row for each section in the order of the stream: tag, and twice the tag and
 *                digest of what it was made from, so that an import is the same stream again */
#include "formats/npz.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROW = 4 + SE_ORIGINS * (4 + SE_DIGEST_SIZE) };

static int write_knn(struct se_zip_out *w, struct se_stream *s, struct se_err *err)
{
    const uint64_t five = 5;
    struct se_knn k;

    if (se_knn_get(&k, s, err) < 0)
        return -1;
    const uint64_t rows = k.last - k.first, shape[2] = { rows, k.k };
    const uint64_t about[5] = { k.metric, k.on, k.n, k.first, k.last };
    return se_npz_add(w, "knn_id", "<u4", 2, shape, k.id, rows * k.k * 4, err) < 0 ||
           se_npz_add(w, "knn_similarity", "<f4", 2, shape, k.similarity, rows * k.k * 4,
                      err) < 0 ||
           se_npz_add(w, "knn_about", "<i8", 1, &five, about, sizeof about, err) < 0 ? -1 : 0;
}

static int write_model(struct se_zip_out *w, struct se_stream *s, struct se_err *err)
{
    struct se_model m;
    int rc;

    if (se_model_get(&m, s, err) < 0)
        return -1;
    rc = se_npz_add(w, "model_text", "|u1", 1, &m.text_len, m.text, m.text_len, err);
    for (uint64_t i = 0; i < m.arrays && rc == 0; i++) {
        const uint64_t shape[2] = { m.array[i].rows, m.array[i].cols };
        char name[80];

        snprintf(name, sizeof name, "model_%s", m.array[i].name);
        rc = se_npz_add(w, name, "<f4", 2, shape, m.array[i].data, shape[0] * shape[1] * 4, err);
    }
    se_model_release(&m);
    return rc;
}

static int write_stats(struct se_zip_out *w, struct se_stream *s, struct se_err *err)
{
    struct se_stats x;

    return se_stats_get(&x, s, err) < 0 ||
           se_npz_add_strings(w, "stats_names", x.names, x.count, err) < 0 ||
           se_npz_add(w, "stats_values", "<f8", 1, &x.count, x.value, x.count * 8, err) < 0
               ? -1 : 0;
}

static int write_raw(struct se_zip_out *w, struct se_section *x, struct se_err *err)
{
    const unsigned char *data = se_section_plain(x, err);
    char name[24];

    snprintf(name, sizeof name, "section_%.4s", (const char *)&x->tag);
    for (char *p = name; *p; p++)               /* unknown tags may hold anything */
        if (*p == '/' || *p < ' ' || *p > '~')
            return se_fail(err, SE_EINPUT, "a section has a tag that cannot be a file name");
    return data ? se_npz_add(w, name, "|u1", 1, &x->plain_len, data, x->plain_len, err) : -1;
}

/* Which of them are arrays of npzwrite.c already? */
static bool is_plain(uint32_t tag)
{
    static const uint32_t plain[] = {
        SE_GRAPH, SE_FEATURES, SE_LABELS, SE_SPLITS, SE_EMBEDDING, SE_TREE, SE_PREDICTIONS,
        SE_NAMES, SE_HISTORY
    };

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (plain[i] == tag)
            return true;
    return false;
}

static int write_order(struct se_zip_out *w, const struct se_stream *s, struct se_err *err)
{
    unsigned char *row = se_zalloc(s->count, ROW, err);
    uint64_t shape[2] = { 0, ROW };
    int rc;

    if (!row)
        return -1;
    for (size_t i = 0; i < s->count; i++) {
        const struct se_section *x = &s->section[i];
        unsigned char *p = row + shape[0] * ROW;

        if (x->tag == SE_HISTORY)
            continue;
        memcpy(p, &x->tag, 4);
        for (int k = 0; k < SE_ORIGINS; k++) {
            unsigned char *at = p + 4 + k * (4 + SE_DIGEST_SIZE);

            memcpy(at, &x->origin[k].tag, 4);
            memcpy(at + 4, x->origin[k].digest.byte, SE_DIGEST_SIZE);
        }
        shape[0]++;
    }
    rc = se_npz_add(w, "seg_sections", "|u1", 2, shape, row, shape[0] * ROW, err);
    free(row);
    return rc;
}

int se_npz_write_more(struct se_zip_out *w, struct se_stream *s, struct se_err *err)
{
    int rc = 0;

    for (size_t i = 0; i < s->count && rc == 0; i++) {
        struct se_section *x = &s->section[i];

        if (x->tag == SE_FUSED)
            rc = se_npz_write_graph(w, "fused_", SE_FUSED, s, err);
        else if (x->tag == SE_ARCS)
            rc = se_npz_write_arcs(w, "arcs_", s, err);
        else if (x->tag == SE_KNN)
            rc = write_knn(w, s, err);
        else if (x->tag == SE_MODEL)
            rc = write_model(w, s, err);
        else if (x->tag == SE_STATS)
            rc = write_stats(w, s, err);
        else if (!is_plain(x->tag))
            rc = write_raw(w, x, err);
    }
    return rc < 0 ? -1 : write_order(w, s, err);
}

/* The fused graph (prefix "fused_") or the arcs ("arcs_") */
static int read_matrix(const struct se_zip *z, const char *prefix, struct se_stream *s,
                       struct se_err *err)
{
    struct se_builder b = SE_BUILDER_INIT;
    struct se_built built;
    struct se_csr m;
    int rc = se_csr_read(&m, z, prefix, err);

    if (rc <= 0)
        return rc;
    b.n = m.rows;
    b.ordered = *prefix == 'a';
    if (m.rows != m.columns)
        rc = se_fail(err, SE_EINPUT, "%sshape: the matrix is not square", prefix);
    else
        rc = se_npz_add_entries(&m, prefix, z, &b, err) < 0 ||
             (b.ordered ? se_builder_put_arcs(&b, s, NULL, m.rows, true, err)
                        : se_builder_put(&b, s, SE_FUSED, SE_MERGE_MATRIX, true, &built,
                                         err)) < 0 ? -1 : 0;
    se_builder_release(&b);
    se_csr_release(&m);
    return rc;
}

static int put_knn(const struct se_npy *id, const struct se_npy *similarity,
                   const struct se_npy *about, struct se_stream *s, struct se_err *err)
{
    struct se_knn k = { .k = id->shape[1] };
    uint32_t *to = NULL;
    float *near = NULL;
    int64_t x[5];
    int rc = -1;

    for (uint64_t i = 0; i < 5; i++)
        if (about->count != 5 || !se_npy_whole(about, i, &x[i]) || x[i] < 0 ||
            x[i] > (int64_t)UINT32_MAX)
            return se_fail(err, SE_EINPUT, "knn_about does not hold five numbers");
    if (similarity->shape[0] != id->shape[0] || similarity->shape[1] != id->shape[1] ||
        x[4] < x[3] || (uint64_t)(x[4] - x[3]) != id->shape[0])
        return se_fail(err, SE_EINPUT, "knn_id, knn_similarity and knn_about do not fit together");
    k.metric = (uint32_t)x[0];
    k.on = (uint32_t)x[1];
    k.n = (uint64_t)x[2];
    k.first = (uint64_t)x[3];
    k.last = (uint64_t)x[4];
    if ((to = se_npz_ids(id, "knn_id", err)) && (near = se_npy_floats(similarity, err))) {
        k.id = to;
        k.similarity = near;
        rc = se_knn_put(&k, s, err);
    }
    free(to);
    free(near);
    return rc;
}

static int read_knn(const struct se_zip *z, struct se_stream *s, struct se_err *err)
{
    struct se_npy a[3] = { SE_NPY_INIT, SE_NPY_INIT, SE_NPY_INIT };
    int rc = 0;

    if (!se_zip_find(z, "knn_id.npy"))
        return 0;
    if (se_npz_need(z, "knn_id", 2, &a[0], err) < 0 ||
        se_npz_need(z, "knn_similarity", 2, &a[1], err) < 0 ||
        se_npz_need(z, "knn_about", 1, &a[2], err) < 0 ||
        put_knn(&a[0], &a[1], &a[2], s, err) < 0)
        rc = -1;
    for (int i = 0; i < 3; i++)
        se_npy_release(&a[i]);
    return rc;
}

/* The member's name between "model_" and ".npy", if it is an array of the model. */
static bool model_array(const struct se_zip_member *m, char name[64])
{
    const size_t len = m->name_len;

    if (len < 11 || len - 10 > 63 || memcmp(m->name, "model_", 6) != 0 ||
        memcmp(m->name + len - 4, ".npy", 4) != 0)
        return false;
    memcpy(name, m->name + 6, len - 10);
    name[len - 10] = '\0';
    return strcmp(name, "text") != 0 && strlen(name) == len - 10;
}

static int read_model_array(const struct se_zip *z, const char *name, struct se_array *x,
                            float **data, struct se_err *err)
{
    char full[80];
    struct se_npy a;

    snprintf(full, sizeof full, "model_%s", name);
    if (se_npz_need(z, full, 2, &a, err) < 0)
        return -1;
    x->rows = a.shape[0];
    x->cols = a.shape[1];
    x->data = *data = se_npy_floats(&a, err);
    se_npy_release(&a);
    return x->data ? 0 : -1;
}

static int put_model(const struct se_zip *z, const struct se_npy *text, struct se_stream *s,
                     struct se_err *err)
{
    struct se_model m = { .text = (const char *)text->data, .text_len = text->count };
    char (*name)[64] = se_alloc(z->count, sizeof *name, err);
    float **data = name ? se_zalloc(z->count, sizeof *data, err) : NULL;
    int rc = 0;

    m.array = data ? se_zalloc(z->count, sizeof *m.array, err) : NULL;
    if (!m.array)
        rc = -1;
    for (size_t i = 0; i < z->count && rc == 0; i++)
        if (model_array(&z->member[i], name[m.arrays])) {
            m.array[m.arrays].name = name[m.arrays];
            rc = read_model_array(z, name[m.arrays], &m.array[m.arrays],
                                  &data[m.arrays], err);
            m.arrays++;
        }
    if (rc == 0)
        rc = se_model_put(&m, s, err);
    for (uint64_t i = 0; i < m.arrays; i++)
        free(data[i]);
    free(data);
    free(m.array);
    free(name);
    return rc;
}

static int read_model(const struct se_zip *z, struct se_stream *s, struct se_err *err)
{
    struct se_npy text;
    int rc = se_npz_get(z, "model_text", &text, err);

    if (rc <= 0)
        return rc;
    rc = text.dims != 1 || text.kind != 'u' || text.size != 1
             ? se_fail(err, SE_EINPUT, "model_text is not an array of bytes")
             : put_model(z, &text, s, err);
    se_npy_release(&text);
    return rc;
}

static int read_stats(const struct se_zip *z, struct se_stream *s, struct se_err *err)
{
    struct se_npy names, values;
    struct se_bytes text = SE_BYTES_INIT;
    int rc = 0;

    if (!se_zip_find(z, "stats_names.npy"))
        return 0;
    if (se_npz_need(z, "stats_names", 1, &names, err) < 0)
        return -1;
    if (se_npz_need(z, "stats_values", 1, &values, err) < 0) {
        se_npy_release(&names);
        return -1;
    }
    if (names.count != values.count)
        rc = se_fail(err, SE_EINPUT, "stats_names and stats_values differ in length");
    for (uint64_t i = 0; i < names.count && rc == 0; i++) {
        text.len = 0;
        rc = se_npy_text(&names, i, &text, err) < 0 || se_bytes_add(&text, "", 1, err) < 0 ||
             se_stats_set(s, text.data, se_npy_number(&values, i), err) < 0 ? -1 : 0;
    }
    se_bytes_release(&text);
    se_npy_release(&names);
    se_npy_release(&values);
    return rc;
}

/* Sections that have no arrays of their own; each is checked as a section is. */
static int read_raw(const struct se_zip *z, struct se_stream *s, struct se_err *err)
{
    for (size_t i = 0; i < z->count; i++) {
        const struct se_zip_member *m = &z->member[i];
        char name[16] = "section_";
        uint32_t tag;
        struct se_npy a;
        int rc;

        if (m->name_len != 16 || memcmp(m->name, name, 8) != 0 ||
            memcmp(m->name + 12, ".npy", 4) != 0)
            continue;
        memcpy(&tag, m->name + 8, 4);
        memcpy(name + 8, m->name + 8, 4);
        name[12] = '\0';
        if (is_plain(tag) || se_npz_need(z, name, 1, &a, err) < 0)
            return is_plain(tag) ? se_fail(err, SE_EINPUT, "%s is not a section that is kept as "
                                           "bytes", name) : -1;
        const struct se_piece part = { a.data, a.count };
        rc = a.size != 1 || a.count % 8 != 0
                 ? se_fail(err, SE_EINPUT, "%s does not hold whole words", name)
                 : se_stream_put(s, tag, &part, 1, NULL, err);
        se_npy_release(&a);
        if (rc < 0)
            return -1;
    }
    return 0;
}

/* Move the section of `tag` to place `to`; false: it is not there. */
static bool move(struct se_stream *s, uint32_t tag, size_t to)
{
    struct se_section *x = se_stream_find(s, tag);
    struct se_section moved;

    if (!x || x < s->section + to)
        return false;
    moved = *x;
    memmove(s->section + to + 1, s->section + to,
            (size_t)(x - (s->section + to)) * sizeof *x);
    s->section[to] = moved;
    return true;
}

static int read_order(const struct se_zip *z, struct se_stream *s, struct se_err *err)
{
    struct se_npy a;
    size_t place = 0;
    const int rc = se_npz_get(z, "seg_sections", &a, err);

    if (rc <= 0)
        return rc;
    for (uint64_t i = 0; a.dims == 2 && a.shape[1] == ROW && a.size == 1 && !a.fortran &&
                         i < a.shape[0]; i++) {
        const unsigned char *p = a.data + i * ROW;
        uint32_t tag;

        memcpy(&tag, p, 4);
        if (!move(s, tag, place))
            continue;
        for (int k = 0; k < SE_ORIGINS; k++) {
            struct se_origin *o = &s->section[place].origin[k];
            const unsigned char *at = p + 4 + k * (4 + SE_DIGEST_SIZE);

            memcpy(&o->tag, at, 4);
            memcpy(o->digest.byte, at + 4, SE_DIGEST_SIZE);
        }
        place++;
    }
    se_npy_release(&a);
    return 0;
}

int se_npz_read_more(const struct se_zip *z, struct se_stream *s, struct se_err *err)
{
    if (read_matrix(z, "fused_", s, err) < 0 || read_matrix(z, "arcs_", s, err) < 0 ||
        read_knn(z, s, err) < 0 || read_model(z, s, err) < 0 ||
        read_stats(z, s, err) < 0 || read_raw(z, s, err) < 0 || read_order(z, s, err) < 0)
        return -1;
    return se_stream_check(s, err);
}
