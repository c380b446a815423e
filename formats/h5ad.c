/* h5ad.c - AnnData of scanpy: obsp/connectivities, obsm/X_pca or X, a column of obs, names
 *
 * Cells are vertices.  Read by libhdf5, if it is there. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/hdf5.h"
#include "formats/internal.h"
#include "formats/named.h"
#include "formats/vertices.h"

/* A sparse matrix is a group of three arrays with its shape as an attribute. */
static int read_sparse(const struct se_hdf5 *h, const char *group, struct se_named *item,
                       struct se_err *err)
{
    static const char *const part[3] = { "data", "indices", "indptr" };
    struct se_npy a[3] = { SE_NPY_INIT, SE_NPY_INIT, SE_NPY_INIT };
    char name[128], layout[64];
    uint64_t shape[2];
    int rc = se_hdf5_sizes(h, group, "shape", shape) ? 0
             : se_fail(err, SE_EINPUT, "%s: is not a sparse matrix of AnnData 0.7 or later", group);

    se_hdf5_word(h, group, "encoding-type", layout);
    for (int i = 0; i < 3 && rc == 0; i++) {
        snprintf(name, sizeof name, "%s/%s", group, part[i]);
        rc = se_hdf5_array(h, name, &a[i], err);
    }
    if (rc == 0) {
        const bool by_column = strncmp(layout, "csc", 3) == 0;
        struct se_csr m = SE_CSR_INIT;

        m.data = a[0];
        m.indices = a[1];
        m.indptr = a[2];
        m.rows = shape[by_column];
        m.columns = shape[!by_column];
        rc = se_csr_check(&m, err) < 0 ||
             se_sparse_from_csr(&item->sparse, &m, by_column, err) < 0 ? se_err_in(err, group) : 0;
        item->kind = SE_NAMED_SPARSE;
    }
    for (int i = 0; i < 3; i++)
        se_npy_release(&a[i]);
    return rc;
}

/* A matrix, dense or sparse, if it is there: 1, 0 or -1 */
static int read_matrix(const struct se_hdf5 *h, const char *path, const char *name,
                       struct se_named_set *set, struct se_err *err)
{
    struct se_named *item;

    if (!se_hdf5_has(h, path))
        return 0;
    item = se_named_add(set, name, strlen(name), err);
    if (!item)
        return -1;
    return (se_hdf5_is_group(h, path) ? read_sparse(h, path, item, err)
                                      : se_hdf5_array(h, path, &item->dense, err)) < 0 ? -1 : 1;
}

static int read_texts(const struct se_hdf5 *h, const char *path, const char *name,
                      struct se_named_set *set, struct se_err *err)
{
    struct se_named *item = se_named_add(set, name, strlen(name), err);

    if (!item)
        return -1;
    item->kind = SE_NAMED_TEXTS;
    return se_hdf5_texts(h, path, &item->text, &item->texts, err);
}

/* A column of obs: categories with codes, texts, or numbers */
static int read_column(const struct se_hdf5 *h, const char *column, struct se_named_set *set,
                       struct se_err *err)
{
    struct se_err ignored = SE_ERR_INIT;
    struct se_named *item;
    char path[160];

    snprintf(path, sizeof path, "obs/%s", column);
    if (!se_hdf5_is_group(h, path)) {
        item = se_named_add(set, "labels", 6, err);
        if (!item)
            return -1;
        if (se_hdf5_array(h, path, &item->dense, &ignored) == 0)
            return 0;
        item->kind = SE_NAMED_TEXTS;
        return se_hdf5_texts(h, path, &item->text, &item->texts, err);
    }
    snprintf(path, sizeof path, "obs/%s/categories", column);
    if (read_texts(h, path, "class_names", set, err) < 0)
        return -1;
    item = se_named_add(set, "labels", 6, err);
    snprintf(path, sizeof path, "obs/%s/codes", column);
    return item ? se_hdf5_array(h, path, &item->dense, err) : -1;
}

static int read_classes(const struct se_hdf5 *h, struct se_import *in, struct se_named_set *set,
                        struct se_err *err)
{
    static const char *const usual[] = {
        "cell_type", "celltype", "cell_types", "cell_ontology_class", "class", "label", "labels",
        NULL
    };
    char path[160];
    const char *column = in->class;

    for (int i = 0; !column && usual[i]; i++) {
        snprintf(path, sizeof path, "obs/%s", usual[i]);
        if (se_hdf5_has(h, path))
            column = usual[i];
    }
    if (!column)
        return se_say(in->notes, err, "%s: no labels taken; name a column of obs with --class",
                      in->path);
    if (strlen(column) > 100 || strchr(column, '/'))
        return se_fail(err, SE_EINPUT, "obs has no column %.40s for --class", column);
    snprintf(path, sizeof path, "obs/%s", column);
    if (!se_hdf5_has(h, path))
        return se_fail(err, SE_EINPUT, "obs has no column %s for --class", column);
    in->class_used |= in->class != NULL;
    if (read_column(h, column, set, err) < 0)
        return -1;
    return se_say(in->notes, err, "%s: labels are the column %s of obs", in->path, column);
}

static int read_file(const struct se_hdf5 *h, struct se_import *in, struct se_named_set *set,
                     struct se_err *err)
{
    char index[64], path[160];
    const char *graph = in->graph ? in->graph : "connectivities";
    int rc;

    snprintf(path, sizeof path, "obsp/%s", graph);
    rc = read_matrix(h, path, graph, set, err);
    if (rc < 0)
        return -1;
    rc = read_matrix(h, "obsm/X_pca", "x", set, err);
    if (rc > 0 && se_say(in->notes, err, "%s: features are obsm/X_pca", in->path) < 0)
        return -1;
    if (rc == 0)
        rc = read_matrix(h, "X", "x", set, err);
    if (rc < 0 || read_classes(h, in, set, err) < 0)
        return -1;
    se_hdf5_word(h, "obs", "_index", index);
    snprintf(path, sizeof path, "obs/%s", *index ? index : "_index");
    return se_hdf5_has(h, path) ? read_texts(h, path, "node_names", set, err) : 0;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct se_named_set set = SE_NAMED_SET_INIT;
    struct se_hdf5 h;
    struct se_import quiet = *in;
    uint64_t n = 0;
    int rc = se_hdf5_open(&h, in->path, err);

    if (rc == 0) {
        rc = read_file(&h, in, &set, err);
        quiet.class = NULL;                     /* it is called labels by now */
        if (rc == 0)
            rc = se_named_put(&set, &quiet, s, &n, err);
        if (rc < 0)
            se_err_in(err, in->path);
    }
    if (rc == 0)
        rc = se_import_vertices(in, n, err);
    se_hdf5_close(&h);
    se_named_release(&set);
    in->loops = quiet.loops;
    in->repeated = quiet.repeated;
    return rc;
}

static int detect(const char *path, const char *head, size_t len)
{
    return head && len > 8 && memcmp(head, "\211HDF\r\n\032\n", 8) == 0
               ? se_path_is(path, ".h5ad") ? 95 : 30 : 0;
}

const struct se_format se_format_h5ad = {
    .name = "h5ad",
    .what = "AnnData of scanpy: obsp/connectivities, obsm/X_pca or X, and obs (needs libhdf5)",
    .import = import,
    .detect = detect
};
