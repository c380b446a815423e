/* arrays.c - a folder of NumPy arrays: edge_index.npy, x.npy, y.npy; adj_full.npz, feats.npy,
 * class_map.json and role.json of GraphSAINT; NAME_graph.npz and NAME_data.npz of Reddit;
 * NAME_adj.npy, NAME_feat.npy and NAME_label.npy of deep clustering */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/folder.h"
#include "formats/internal.h"
#include "formats/jsonread.h"
#include "formats/npz.h"
#include "formats/vertices.h"

/* The files that are arrays, and what they are called among the known names */
static const struct {
    const char *file, *name;
} known[] = {
    /* of deep clustering: NAME_adj.npy, NAME_feat.npy, NAME_label.npy */
    { "_adj.npy", "adj" }, { "_feat.npy", "features" }, { "_label.npy", "labels" },
    { "_labels.npy", "labels" },
    { "edge_index.npy", "edge_index" }, { "edges.npy", "edges" }, { "edge_weight.npy", "edge_weight" },
    { "adj.npy", "adj" }, { "x.npy", "x" }, { "features.npy", "features" }, { "feats.npy", "features" },
    { "y.npy", "y" }, { "labels.npy", "labels" }, { "train_mask.npy", "train_mask" },
    { "val_mask.npy", "val_mask" }, { "test_mask.npy", "test_mask" },
    { "train_idx.npy", "train_idx" }, { "val_idx.npy", "val_idx" }, { "test_idx.npy", "test_idx" }
};
/* Archives: of one matrix, or of named arrays */
enum { ARCHIVES = 4 };
static const char *const archives[ARCHIVES] = {
    "adj_full.npz", "adj.npz", "_graph.npz", "_data.npz"
};

static int read_array(const char *path, const char *name, struct se_named_set *set,
                      struct se_err *err)
{
    struct se_named *item = se_named_add(set, name, strlen(name), err);
    struct se_bytes bytes = SE_BYTES_INIT;

    if (!item || se_slurp(&bytes, path, 0, err) < 0)
        return -1;
    if (se_npy_parse(&item->dense, bytes.data, bytes.len, err) < 0) {
        se_bytes_release(&bytes);
        return se_err_in(err, path);
    }
    item->dense.blob = (struct se_blob){ (unsigned char *)bytes.data, bytes.len, bytes.data };
    return 0;
}

/* `bytes` outlive the set, which may point into them. */
static int read_archive(const char *path, struct se_bytes *bytes, struct se_named_set *set,
                        struct se_err *err)
{
    struct se_zip zip = SE_ZIP_INIT;
    int rc = se_slurp(bytes, path, 0, err);

    if (rc == 0)
        rc = se_zip_open(&zip, bytes->data, bytes->len, err) < 0 ||
             se_npz_collect(&zip, NULL, set, err) < 0 ? se_err_in(err, path) : 0;
    se_zip_release(&zip);
    return rc;
}

/* {"0": 3, "1": 5, ...}: an array of classes; one with lists has several classes for a vertex. */
static int read_map(struct se_json *j, struct se_classes *c, struct se_err *err)
{
    enum se_json_token token = se_json_next(j, err);

    if (token != SE_JSON_OBJECT)
        return token == SE_JSON_ERROR ? -1 : se_fail(err, SE_EINPUT, "an object was expected");
    while ((token = se_json_next(j, err)) == SE_JSON_KEY) {
        const char *p = j->text;
        char word[64] = "";
        uint64_t v;

        if (!se_parse_u64(&p, &v) || p != j->text + j->len || v >= SE_NONE - 1)
            return se_fail(err, SE_EINPUT, "'%.*s' is not a vertex", j->len > 20 ? 20 : (int)j->len,
                           j->text);
        token = se_json_next(j, err);
        if (token == SE_JSON_ARRAY)
            return se_fail(err, SE_EINPUT, "a vertex has a list of classes; only one class for each "
                           "is read");
        if ((token != SE_JSON_NUMBER && token != SE_JSON_STRING) || j->len >= sizeof word)
            return token == SE_JSON_ERROR ? -1 : se_fail(err, SE_EINPUT, "a class was expected");
        memcpy(word, j->text, j->len);
        if (v > c->n + 1000000)
            return se_fail(err, SE_EINPUT, "vertex %" PRIu64 " comes out of order", v);
        if (se_classes_set(c, v, word, err) < 0)
            return -1;
    }
    return token == SE_JSON_ERROR ? -1 : 0;
}

/* The words of the classes as texts, for the labels */
static int read_class_map(const char *path, struct se_named_set *set, struct se_err *err)
{
    struct se_named *item = se_named_add(set, "labels", 6, err);
    struct se_classes c = SE_CLASSES_INIT;
    struct se_bytes text = SE_BYTES_INIT;
    struct se_json j;
    int rc = item ? se_slurp(&text, path, 0, err) : -1;

    if (rc == 0) {
        se_json_init(&j, text.data, text.len);
        rc = read_map(&j, &c, err) < 0 ? se_err_in(err, path) : 0;
    }
    for (uint64_t v = 0; v < c.n && rc == 0; v++) {
        const uint64_t at = c.label[v] < 0 ? 0 : c.names.off[c.label[v]];
        const uint64_t len = c.label[v] < 0 ? 0 : c.names.off[c.label[v] + 1] - at;

        rc = (len && se_bytes_add(&item->text, c.names.text.data + at, len, err) < 0) ||
             se_bytes_add(&item->text, "", 1, err) < 0 ? -1 : 0;
    }
    if (item) {
        item->kind = SE_NAMED_TEXTS;
        item->texts = c.n;
    }
    se_classes_release(&c);
    se_bytes_release(&text);
    return rc;
}

static int read_ids(struct se_json *j, struct se_named *item, struct se_err *err)
{
    struct se_bytes ids = SE_BYTES_INIT;
    enum se_json_token token = se_json_next(j, err);
    int rc = token == SE_JSON_ARRAY ? 0 : se_fail(err, SE_EINPUT, "a list of vertices was expected");

    while (rc == 0 && (token = se_json_next(j, err)) == SE_JSON_NUMBER) {
        const char *p = j->text;
        uint64_t v = 0;

        rc = !se_parse_u64(&p, &v) || p != j->text + j->len
                 ? se_fail(err, SE_EINPUT, "a vertex was expected") : se_bytes_add(&ids, &v, 8, err);
    }
    if (rc == 0 && token != SE_JSON_ARRAY_END)
        rc = token == SE_JSON_ERROR ? -1 : se_fail(err, SE_EINPUT, "a vertex was expected");
    const uint64_t shape[1] = { ids.len / 8 };

    if (rc == 0)
        rc = se_npy_set(&item->dense, "i8", 2, '<', 1, shape, ids.data, ids.len, err);
    if (rc < 0) {
        se_bytes_release(&ids);
        return -1;
    }
    item->dense.blob = (struct se_blob){ (unsigned char *)ids.data, ids.len, ids.data };
    return 0;
}

/* {"tr": [..], "va": [..], "te": [..]} */
static int read_role(const char *path, struct se_named_set *set, struct se_err *err)
{
    static const char *const keys[3] = { "tr", "va", "te" };
    static const char *const names[3] = { "train_idx", "val_idx", "test_idx" };
    struct se_bytes text = SE_BYTES_INIT;
    enum se_json_token token = SE_JSON_ERROR;
    struct se_json j;
    int rc = se_slurp(&text, path, 0, err);

    if (rc == 0) {
        se_json_init(&j, text.data, text.len);
        token = se_json_next(&j, err);
        rc = token == SE_JSON_OBJECT ? 0 : se_fail(err, SE_EINPUT, "an object was expected");
    }
    while (rc == 0 && (token = se_json_next(&j, err)) == SE_JSON_KEY) {
        struct se_named *item = NULL;

        for (int i = 0; i < 3 && !item; i++)
            if (j.len == 2 && memcmp(j.text, keys[i], 2) == 0)
                item = se_named_add(set, names[i], strlen(names[i]), err);
        rc = item ? read_ids(&j, item, err) : se_fail(err, SE_EINPUT, "tr, va or te was expected");
    }
    se_bytes_release(&text);
    return rc < 0 || token == SE_JSON_ERROR ? se_err_in(err, path) : 0;
}

/* The path of a file of this name; of "_NAME" the first that ends so. */
static char *find_known(const char *folder, const char *file, struct se_err *err)
{
    char *stem = NULL, *path;
    const int found = *file == '_' ? se_folder_find(folder, "", file, &stem, err) : 0;

    if (found < 0)
        return NULL;
    path = found > 0 ? se_find_file(stem, "", file, err) : se_find_file(folder, "/", file, err);
    free(stem);
    return path;
}

/* Read what is known in the folder. */
static int read_folder(const char *folder, struct se_bytes bytes[ARCHIVES],
                       struct se_named_set *set, struct se_err *err)
{
    int rc = 0;

    for (size_t i = 0; i < sizeof known / sizeof *known && rc == 0; i++) {
        char *path = find_known(folder, known[i].file, err);

        rc = !path ? -1 : se_file_exists(path) ? read_array(path, known[i].name, set, err) : 0;
        free(path);
    }
    for (int i = 0; i < ARCHIVES && rc == 0; i++) {
        char *stem = NULL, *path;
        const int found = se_folder_find(folder, "", archives[i], &stem, err);

        path = found > 0 ? se_find_file(stem, "", archives[i], err) : NULL;
        rc = found < 0 || (found > 0 && !path) ? -1 : path ? read_archive(path, &bytes[i], set, err)
             : 0;
        free(path);
        free(stem);
    }
    for (int i = 0; i < 2 && rc == 0; i++) {
        char *path = se_find_file(folder, "/", i ? "role.json" : "class_map.json", err);

        rc = !path ? -1 : !se_file_exists(path) ? 0 : i ? read_role(path, set, err)
                                                        : read_class_map(path, set, err);
        free(path);
    }
    return rc;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct se_named_set set = SE_NAMED_SET_INIT;
    struct se_bytes bytes[ARCHIVES] = { SE_BYTES_INIT };
    uint64_t n = 0;
    int rc = read_folder(in->path, bytes, &set, err);

    if (rc == 0)
        rc = se_named_put(&set, in, s, &n, err) < 0 ? se_err_in(err, in->path)
                                                    : se_import_vertices(in, n, err);
    se_named_release(&set);
    for (int i = 0; i < ARCHIVES; i++)
        se_bytes_release(&bytes[i]);
    return rc;
}

static int detect(const char *path, const char *head, size_t len)
{
    static const char *const sure[] = { "edge_index.npy", "adj_full.npz", "_graph.npz",
                                        "_adj.npy" };
    int found = 0;

    (void)len;
    for (int i = 0; i < 4 && !head && found == 0; i++) {
        struct se_err err;
        char *stem = NULL;

        found = se_folder_find(path, "", sure[i], &stem, &err);
        free(stem);
    }
    return found > 0 ? 60 : 0;
}

const struct se_format se_format_arrays = {
    .name = "arrays",
    .what = "folder with edge_index.npy, x.npy, y.npy; with NAME_adj.npy, NAME_feat.npy, "
            "NAME_label.npy; of GraphSAINT; or NAME_graph.npz and NAME_data.npz",
    .import = import,
    .detect = detect
};
