/* ogb.c - folders of OGB: raw/edge.csv.gz, node-feat, node-label, split/NAME, mapping
 *
 * Node property prediction, as the datasets are distributed.  The folder of the dataset or its
 * folder raw can be given.  Files may be gzip'd or not. */
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/folder.h"
#include "formats/internal.h"
#include "formats/textarray.h"
#include "formats/vertices.h"

/* The folder that holds edge.csv: the one given or its folder raw, or NULL. */
static char *find_raw(const char *path, struct se_err *err)
{
    static const char *const places[] = { "/raw", "" };

    for (int i = 0; i < 2; i++) {
        char *raw = se_join(path, places[i], "", err);
        char *edges = raw ? se_find_file(raw, "/", "edge.csv", err) : NULL;
        const bool there = edges && se_file_exists(edges);

        free(edges);
        if (there || !raw)
            return raw;
        free(raw);
    }
    return NULL;
}

/* Read a table if it is there. */
static int read_table(const char *folder, const char *file, bool whole, struct se_named_set *set,
                      const char *name, struct se_err *err)
{
    char *path = se_find_file(folder, "/", file, err);
    int rc = path ? 0 : -1;

    if (path && se_file_exists(path))
        rc = se_text_array(path, whole, set, name, err);
    free(path);
    return rc;
}

/* Is there a train.csv in the folder `place`?  -1 with `err`. */
static int has_train(const char *place, struct se_err *err)
{
    char *train = place ? se_find_file(place, "/", "train.csv", err) : NULL;
    const int there = !train ? -1 : se_file_exists(train);

    free(train);
    return there;
}

/* The first folder of the alphabet in `split` that holds train.csv, or NULL; -1 with `err`. */
static int find_split(const char *raw, char **best, struct se_err *err)
{
    char *split = se_join(raw, "/../", "split", err);
    DIR *dir = split ? opendir(split) : NULL;
    const struct dirent *entry;
    int rc = split ? 0 : -1;

    *best = NULL;
    while (rc == 0 && dir && (entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        char *place = se_join(split, "/", entry->d_name, err);
        const int there = has_train(place, err);

        rc = there < 0 ? -1 : 0;
        if (there > 0 && (!*best || strcmp(place, *best) < 0)) {
            char *old = *best;

            *best = place;
            place = old;
        }
        free(place);
    }
    if (dir)
        closedir(dir);
    free(split);
    return rc;
}

static int read_split(const char *raw, struct se_named_set *set, struct se_err *err)
{
    char *place;
    int rc = find_split(raw, &place, err);

    if (rc == 0 && place)
        rc = read_table(place, "train.csv", true, set, "train_idx", err) < 0 ||
             read_table(place, "valid.csv", true, set, "val_idx", err) < 0 ||
             read_table(place, "test.csv", true, set, "test_idx", err) < 0 ? -1 : 0;
    free(place);
    return rc;
}

/* Lines "0,arxiv cs na" below a heading: the names of the classes 0, 1, ... */
static int read_names(struct se_text *t, struct se_named *item, struct se_err *err)
{
    char *line;
    size_t len;
    int rc;

    while ((rc = se_text_line(t, &line, &len, err)) > 0) {
        const char *p = line;
        uint64_t number;

        if (t->line == 1 || len == 0)
            continue;
        if (!se_parse_u64(&p, &number) || *p != ',' || number != item->texts) {
            item->kind = SE_NAMED_OTHER;        /* in another order: told as not used */
            return 0;
        }
        item->texts++;
        if (se_bytes_add(&item->text, p + 1, strlen(p), err) < 0)
            return -1;
    }
    return rc;
}

static int read_class_names(const char *raw, struct se_named_set *set, struct se_err *err)
{
    char *folder = se_join(raw, "/../", "mapping", err), *stem = NULL, *path = NULL;
    const int found = folder ? se_folder_find(folder, "labelidx2", ".csv", &stem, err) : -1;
    struct se_text t = SE_TEXT_INIT;
    struct se_named *item;
    int rc = found < 0 ? -1 : 0;

    if (found == 1) {
        path = se_find_file(stem, "", ".csv", err);
        item = path ? se_named_add(set, "class_names", 11, err) : NULL;
        rc = item ? se_text_open(&t, path, err) : -1;
        if (rc == 0) {
            item->kind = SE_NAMED_TEXTS;
            rc = read_names(&t, item, err);
            se_text_close(&t);
        }
    }
    free(path);
    free(stem);
    free(folder);
    return rc;
}

/* How many vertices there are, where neither features nor labels tell. */
static int read_count(const char *raw, struct se_import *in, struct se_err *err)
{
    struct se_named_set set = SE_NAMED_SET_INIT;
    int64_t n = 0;
    int rc = read_table(raw, "num-node-list.csv", true, &set, "n", err);

    if (rc == 0 && set.count == 1 && in->n == 0) {
        if (set.item[0].dense.count != 1 || !se_npy_whole(&set.item[0].dense, 0, &n) || n < 1)
            rc = se_fail(err, SE_EINPUT, "%s: num-node-list.csv holds not one graph; only node "
                         "property prediction on one graph is read", raw);
        else
            in->n = (uint64_t)n;
    }
    se_named_release(&set);
    return rc;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct se_named_set set = SE_NAMED_SET_INIT;
    char *raw = find_raw(in->path, err);
    uint64_t n = 0;
    int rc;

    if (!raw)
        return se_fail(err, SE_EINPUT, "%s: has no file raw/edge.csv or raw/edge.csv.gz", in->path);
    rc = read_table(raw, "edge.csv", true, &set, "edges", err) < 0 ||
         read_table(raw, "edge-weight.csv", false, &set, "edge_weight", err) < 0 ||
         read_table(raw, "node-feat.csv", false, &set, "x", err) < 0 ||
         read_table(raw, "node-label.csv", true, &set, "y", err) < 0 ||
         read_class_names(raw, &set, err) < 0 || read_split(raw, &set, err) < 0 ||
         read_count(raw, in, err) < 0 ? -1 : 0;
    if (rc == 0)
        rc = se_named_put(&set, in, s, &n, err) < 0 ? se_err_in(err, in->path)
                                                    : se_import_vertices(in, n, err);
    se_named_release(&set);
    free(raw);
    return rc;
}

static int detect(const char *path, const char *head, size_t len)
{
    struct se_err err;
    char *raw = head ? NULL : find_raw(path, &err);
    const bool there = raw != NULL;

    (void)len;
    free(raw);
    return there ? 92 : 0;
}

const struct se_format se_format_ogb = {
    .name = "ogb",
    .what = "folder of OGB: raw/edge.csv.gz, node-feat, node-label, split/",
    .import = import,
    .detect = detect
};
