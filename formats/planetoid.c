/* planetoid.c - the pickled citation networks of Planetoid, ind.NAME.*
 *
 * allx and ally describe vertices 0 .. m-1.  Row k of tx and ty describes the vertex in line
 * k of test.index, which is not sorted and may leave out vertices: those have no features
 * and no label.  The files x and y repeat the first rows of allx and ally. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/folder.h"
#include "formats/internal.h"
#include "formats/pickle.h"
#include "formats/vertices.h"

/* A pickle and the bytes it points into. */
struct file {
    char *path;
    struct se_bytes bytes;
    struct se_pickle pickle;
};

struct planetoid {
    struct file allx, ally, tx, ty, graph;
    struct se_csr train, test;
    struct se_npy train_labels, test_labels;
    char *index_path;
    uint32_t *test_id;          /* lines of test.index */
    uint64_t tests, n;
    size_t test_cap;
};

static int load(struct file *f, const char *stem, const char *tail, struct se_err *err)
{
    f->path = se_find_file(stem, "", tail, err);
    if (!f->path || se_slurp(&f->bytes, f->path, 0, err) < 0)
        return -1;
    return se_pickle_load(&f->pickle, f->bytes.data, f->bytes.len, err) < 0
               ? se_err_in(err, f->path) : 0;
}

static int load_matrix(struct file *f, const char *stem, const char *tail, struct se_csr *m,
                       struct se_err *err)
{
    if (load(f, stem, tail, err) < 0)
        return -1;
    return se_pickle_csr(&f->pickle, f->pickle.root, m, err) < 0 ? se_err_in(err, f->path) : 0;
}

static int load_labels(struct file *f, const char *stem, const char *tail, struct se_npy *a,
                       uint64_t rows, struct se_err *err)
{
    if (load(f, stem, tail, err) < 0)
        return -1;
    if (se_pickle_array(&f->pickle, f->pickle.root, a, err) < 0)
        return se_err_in(err, f->path);
    if (a->dims != 2 || a->shape[0] != rows || a->shape[1] > INT32_MAX)
        return se_fail(err, SE_EINPUT, "%s: does not hold a row of classes for each of the %"
                       PRIu64 " rows of features", f->path, rows);
    return 0;
}

static int load_index(struct planetoid *x, const char *stem, struct se_err *err)
{
    struct se_text t;
    char *line;
    uint64_t v;
    size_t len;
    int rc;

    x->index_path = se_find_file(stem, "", ".test.index", err);
    if (!x->index_path || se_text_open(&t, x->index_path, err) < 0)
        return -1;
    while ((rc = se_text_line(&t, &line, &len, err)) > 0) {
        if (!se_whole_u64(line, &v) || v >= SE_NONE - 1)
            rc = se_text_fail(&t, err, "'%.20s' is not a vertex", line);
        else if (v < x->train.rows)
            rc = se_text_fail(&t, err, "vertex %" PRIu64 " has a row in allx already", v);
        else
            rc = se_grow(&x->test_id, &x->test_cap, x->tests + 1, sizeof *x->test_id, err);
        if (rc < 0)
            break;
        x->test_id[x->tests++] = (uint32_t)v;
        if (v >= x->n)
            x->n = v + 1;
    }
    se_text_close(&t);
    return rc;
}

/* All files, each checked, and the number of vertices. */
static int load_all(struct planetoid *x, const char *stem, struct se_err *err)
{
    const struct se_pickle_value *graph;

    if (load_matrix(&x->allx, stem, ".allx", &x->train, err) < 0 ||
        load_matrix(&x->tx, stem, ".tx", &x->test, err) < 0 ||
        load_labels(&x->ally, stem, ".ally", &x->train_labels, x->train.rows, err) < 0 ||
        load_labels(&x->ty, stem, ".ty", &x->test_labels, x->test.rows, err) < 0 ||
        load(&x->graph, stem, ".graph", err) < 0)
        return -1;
    if (x->train.columns != x->test.columns ||
        x->train_labels.shape[1] != x->test_labels.shape[1])
        return se_fail(err, SE_EINPUT, "%s: allx, ally and tx, ty have different numbers of "
                       "columns", stem);
    graph = se_pickle_at(&x->graph.pickle, x->graph.pickle.root);
    if (graph->type != SE_PICKLE_DICT)
        return se_fail(err, SE_EINPUT, "%s: is not a dictionary", x->graph.path);
    x->n = x->train.rows;
    if (load_index(x, stem, err) < 0)
        return -1;
    if (x->tests != x->test.rows)
        return se_fail(err, SE_EINPUT, "%s: has %" PRIu64 " lines, but tx has %" PRIu64 " rows",
                       x->index_path, x->tests, x->test.rows);
    if (x->n > x->train.rows + x->tests + graph->count / 2)     /* a hole nobody fills */
        return se_fail(err, SE_EINPUT, "%s: vertex %" PRIu64 " is far beyond those of allx and "
                       "graph", x->index_path, x->n - 1);
    return 0;
}

/* The neighbours of one vertex. */
static int add_list(struct planetoid *x, uint32_t key, uint32_t list, struct se_builder *b,
                    struct se_err *err)
{
    const struct se_pickle *p = &x->graph.pickle;
    const struct se_pickle_value *u = se_pickle_at(p, key), *l = se_pickle_at(p, list);

    if (u->type != SE_PICKLE_INT || l->type != SE_PICKLE_LIST)
        return se_fail(err, SE_EINPUT, "does not map vertices to lists");
    if (u->number < 0 || (uint64_t)u->number >= x->n)
        return se_fail(err, SE_EINPUT, "vertex %" PRId64 " is not one of the %" PRIu64,
                       u->number, x->n);
    for (uint32_t i = 0; i < l->count; i++) {
        const struct se_pickle_value *v = se_pickle_at(p, l->item[i]);

        if (v->type != SE_PICKLE_INT || v->number < 0 || (uint64_t)v->number >= x->n)
            return se_fail(err, SE_EINPUT, "vertex %" PRId64 " has a neighbour that is "
                           "not one of the %" PRIu64 " vertices", u->number, x->n);
        if (se_builder_add(b, (uint32_t)u->number, (uint32_t)v->number, 1, err) < 0)
            return -1;
    }
    return 0;
}

/* A list may be shared by many keys, which makes a small file a large graph: no more edges
 * than bytes. */
static int put_graph(struct planetoid *x, struct se_import *in, struct se_stream *s,
                     struct se_err *err)
{
    const struct se_pickle_value *graph = se_pickle_at(&x->graph.pickle,
                                                       x->graph.pickle.root);
    struct se_builder b = SE_BUILDER_INIT;
    int rc = 0;

    b.n = x->n;
    se_import_start(in, &b, false);
    for (uint32_t i = 0; i + 1 < graph->count && rc == 0; i += 2) {
        rc = add_list(x, graph->item[i], graph->item[i + 1], &b, err);
        if (rc == 0 && b.count > x->graph.bytes.len)
            rc = se_fail(err, SE_EINPUT, "lists are used more than once");
    }
    if (rc < 0)
        se_err_in(err, x->graph.path);
    else
        rc = se_import_graph(in, &b, SE_MERGE_SUM, s, err);
    se_builder_release(&b);
    return rc;
}

/* The class of a row is the place of its 1; a row of zeros has none. */
static int class_of(const struct se_npy *a, uint64_t row, const struct file *f, int32_t *label,
                    struct se_err *err)
{
    *label = -1;
    for (uint64_t j = 0; j < a->shape[1]; j++) {
        int64_t one;

        if (!se_npy_whole(a, se_npy_place(a, row, j), &one) || one < 0 || one > 1 ||
            (one && *label >= 0))
            return se_fail(err, SE_EINPUT, "%s: row %" PRIu64 " does not have a single 1 among "
                           "zeros", f->path, row);
        if (one)
            *label = (int32_t)j;
    }
    return 0;
}

static int put_vertices(struct planetoid *x, uint32_t *which, int32_t *label,
                        struct se_stream *s, struct se_err *err)
{
    struct se_rows r = SE_ROWS_INIT;
    int rc;

    for (uint64_t v = 0; v < x->n; v++) {
        which[v] = v < x->train.rows ? (uint32_t)v : SE_NONE;
        label[v] = -1;
        if (v < x->train.rows && class_of(&x->train_labels, v, &x->ally, &label[v], err) < 0)
            return -1;
    }
    for (uint64_t k = 0; k < x->tests; k++) {
        const uint32_t v = x->test_id[k];

        if (which[v] != SE_NONE)
            return se_fail(err, SE_EINPUT, "%s: line %" PRIu64 ": vertex %" PRIu32 " was there "
                           "before", x->index_path, k + 1, v);
        which[v] = (uint32_t)(x->train.rows + k);
        if (class_of(&x->test_labels, k, &x->ty, &label[v], err) < 0)
            return -1;
    }
    rc = se_csr_add(&x->train, &r, err) < 0 || se_csr_add(&x->test, &r, err) < 0 ||
         se_rows_put(&r, x->n, which, s, err) < 0 ||
         se_import_labels(label, x->n, x->train_labels.shape[1], NULL, 0, s, err) < 0 ? -1 : 0;
    se_rows_release(&r);
    return rc;
}

static int put_all(struct planetoid *x, struct se_import *in, struct se_stream *s,
                   struct se_err *err)
{
    uint32_t *which = se_alloc(x->n, sizeof *which, err);
    int32_t *label = which ? se_alloc(x->n, sizeof *label, err) : NULL;
    const int rc = label && put_graph(x, in, s, err) == 0 ? put_vertices(x, which, label, s, err)
                                                          : -1;

    free(which);
    free(label);
    return rc;
}

static void release(struct planetoid *x)
{
    struct file *const file[] = { &x->allx, &x->ally, &x->tx, &x->ty, &x->graph };

    for (int i = 0; i < 5; i++) {
        se_pickle_release(&file[i]->pickle);
        se_bytes_release(&file[i]->bytes);
        free(file[i]->path);
    }
    free(x->index_path);
    free(x->test_id);
}

/* What comes before ".graph": the path is that, or the graph itself, or a folder. */
static int find_stem(const char *path, char **stem, struct se_err *err)
{
    const size_t len = strlen(path);
    char *graph = se_find_file(path, "", ".graph", err);
    int found = -1;

    *stem = NULL;
    if (graph && se_file_exists(graph))
        *stem = se_strdup(path, err);
    else if (graph && len > 6 && strcmp(path + len - 6, ".graph") == 0)
        *stem = se_strndup(path, len - 6, err);
    else if (graph)
        found = se_folder_find(path, "ind.", ".graph", stem, err);
    free(graph);
    if (*stem && found <= 1)
        return 0;
    free(*stem);
    *stem = NULL;
    if (found == 0)
        return se_fail(err, SE_EINPUT, "%s: no file ind.*.graph here", path);
    if (found > 1)
        return se_fail(err, SE_EINPUT, "%s: holds %d networks; name one, such as %s/ind.cora",
                       path, found, path);
    return -1;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct planetoid x = { .n = 0 };
    char *stem;
    int rc;

    if (find_stem(in->path, &stem, err) < 0)
        return -1;
    rc = load_all(&x, stem, err) < 0 || se_import_vertices(in, x.n, err) < 0 ||
         put_all(&x, in, s, err) < 0 ? -1 : 0;
    release(&x);
    free(stem);
    return rc;
}

static int detect(const char *path, const char *head, size_t len)
{
    struct se_err err;
    char *stem = NULL;
    int found;

    if (head)
        return len > 2 && memcmp(head, "\x80\2", 2) == 0 && se_path_is(path, ".graph") ? 90 : 0;
    found = find_stem(path, &stem, &err);
    free(stem);
    return found == 0 ? 90 : 0;
}

const struct se_format se_format_planetoid = {
    .name = "planetoid",
    .what = "folder with ind.NAME.{x,y,tx,ty,allx,ally,graph,test.index}",
    .import = import,
    .detect = detect
};
