/* side.c - features and embeddings from a file beside the graph */
#include "formats/side.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/rows.h"

struct matrix {
    uint64_t n, d, count;       /* count: numbers so far */
    float *dense;
    size_t cap;
};

/* The numbers of a line, with blanks, a tab, a comma or a semicolon between them. */
static int read_row(const struct se_text *t, const char *p, struct matrix *m,
                    struct se_err *err)
{
    const uint64_t start = m->count;

    for (;;) {
        double value;

        p += strspn(p, " \t");
        if (!se_parse_number(&p, &value) || !isfinite((float)value))
            return se_text_fail(t, err, "field %" PRIu64 " is not a number",
                                m->count - start + 1);
        if (se_grow(&m->dense, &m->cap, m->count + 1, sizeof *m->dense, err) < 0)
            return -1;
        m->dense[m->count++] = (float)value;
        const size_t blanks = strspn(p, " \t");
        p += blanks;
        if (*p == '\0')
            break;
        if (*p == ',' || *p == ';')
            p++;
        else if (blanks == 0)
            return se_text_fail(t, err, "'%.10s' behind a number", p);
    }
    if (m->n == 0)
        m->d = m->count;
    m->n++;
    return m->count - start == m->d ? 0 : se_text_fail(t, err, "%" PRIu64 " numbers instead of %"
                                                       PRIu64, m->count - start, m->d);
}

static bool starts_number(const char *p)
{
    double value;

    p += strspn(p, " \t");
    return se_parse_number(&p, &value);
}

static int read_text(struct se_side *x, struct matrix *m, struct se_err *err)
{
    struct se_text *t = &x->text;
    bool blank = false;
    char *line;
    size_t len;
    int rc;

    while ((rc = se_text_line(t, &line, &len, err)) > 0) {
        if (*line == '#' || (t->line == 1 && !starts_number(line)))
            continue;                           /* a comment, or names of columns */
        if (blank)
            return se_text_fail(t, err, "numbers after a line without any");
        blank = len == 0;
        if (!blank && read_row(t, line, m, err) < 0)
            return -1;
    }
    return rc;
}

static int read_array(struct se_side *x, const char *const *names, struct matrix *m,
                      struct se_err *err)
{
    struct se_npy a;
    int rc = 0;

    if (se_side_array(x, names, &a, err) < 0)
        return -1;
    if (a.dims != 2 || a.shape[0] >= SE_MAX_VERTICES || a.shape[1] == 0 ||
        a.shape[1] >= SE_NONE)
        rc = se_fail(err, SE_EINPUT, "%s: is not an array with a row for each vertex", x->path);
    else if (!(m->dense = se_npy_floats(&a, err)))
        rc = se_err_in(err, x->path);
    m->n = a.shape[0];
    m->d = a.shape[1];
    m->count = a.count;
    se_npy_release(&a);
    return rc;
}

static int read_dense(struct se_side *x, const char *const *names, struct matrix *m,
                      struct se_err *err)
{
    if ((x->kind == SE_SIDE_TEXT ? read_text(x, m, err) : read_array(x, names, m, err)) < 0)
        return -1;
    if (m->n == 0)
        return se_fail(err, SE_EINPUT, "%s: holds no numbers", x->path);
    return se_side_rows(x, m->n, err);
}

/* scipy says which kind of sparse matrix it saved. */
static int check_format(const struct se_side *x, struct se_err *err)
{
    struct se_bytes kind = SE_BYTES_INIT;
    struct se_npy a;
    int rc = se_npz_get(&x->zip, "format", &a, err);

    if (rc <= 0)
        return rc;
    rc = a.count == 1 ? se_npy_text(&a, 0, &kind, err) : 0;
    if (rc == 0 && (kind.len != 3 || memcmp(kind.data, "csr", 3) != 0))
        rc = se_fail(err, SE_EINPUT, "sparse matrix is not in the format csr; save it as .tocsr()");
    se_npy_release(&a);
    se_bytes_release(&kind);
    return rc;
}

/* A sparse matrix: 1 when it was put, 0 if the archive has none. */
static int read_sparse(struct se_side *x, struct se_stream *s, struct se_err *err)
{
    struct se_rows r = SE_ROWS_INIT;
    struct se_csr m;
    int rc = se_csr_read(&m, &x->zip, "attr_", err);

    if (rc == 0 && se_zip_find(&x->zip, "indptr.npy"))
        rc = check_format(x, err) < 0 ? -1 : se_csr_read(&m, &x->zip, "", err);
    if (rc < 0)
        return se_err_in(err, x->path);
    if (rc == 0)
        return 0;
    if (se_csr_add(&m, &r, err) < 0)
        rc = se_err_in(err, x->path);
    else if (se_side_rows(x, m.rows, err) < 0 || se_rows_put(&r, m.rows, NULL, s, err) < 0)
        rc = -1;
    se_rows_release(&r);
    se_csr_release(&m);
    return rc;
}

static int put_features(struct se_side *x, struct se_stream *s, struct se_err *err)
{
    static const char *const names[] = { "features", "x", "node_features", "embedding", NULL };
    struct matrix m = { 0 };
    int rc = x->kind == SE_SIDE_NPZ ? read_sparse(x, s, err) : 0;

    if (rc != 0)
        return rc < 0 ? -1 : 0;
    rc = read_dense(x, names, &m, err);
    if (rc == 0) {
        const struct se_features f = { .n = m.n, .d = m.d, .nnz = m.count, .dense = m.dense };

        rc = se_features_put(&f, s, err);
    }
    free(m.dense);
    return rc;
}

int se_side_features(const char *path, struct se_stream *s, struct se_err *err)
{
    struct se_side x;
    int rc = se_side_open(&x, path, s, err);

    if (rc == 0)
        rc = put_features(&x, s, err);
    se_side_release(&x);
    return rc;
}

int se_side_embedding(const char *path, struct se_stream *s, struct se_err *err)
{
    static const char *const names[] = { "embedding", "x", "features", NULL };
    struct matrix m = { 0 };
    struct se_side x;
    int rc = se_side_open(&x, path, s, err);

    if (rc == 0)
        rc = read_dense(&x, names, &m, err);
    if (rc == 0) {
        const struct se_embedding e = { m.n, m.d, m.dense };

        rc = se_embedding_put(&e, s, err);
    }
    free(m.dense);
    se_side_release(&x);
    return rc;
}
