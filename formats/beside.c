/* beside.c - folders of an edge list and what stands beside it, as public datasets come
 *
 * A row of `sets` is one way of naming them.  A folder with a single file of data, next to a
 * README and the like, is that file. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/folder.h"
#include "formats/internal.h"

static const struct set {
    const char *edges;                  /* what the name of each file ends in */
    const char *labels[3], *features[3];
    const char *table;                  /* for --attributes */
    bool several;                       /* a line of labels may hold several */
} sets[] = {
    { "edgelist.txt", { "labels.txt" }, { "attrs.npz", "attrs.npy" }, .several = true },
    { "_txs_edgelist.csv", { "_txs_classes.csv" }, .table = "_txs_features.csv" },
    { "_A.txt", { "_node_labels.txt" }, { "_node_attributes.txt" } },
    { ".edges", { ".node_labels" } },
    { ".ungraph.txt", { ".all.cmty.txt", ".top5000.cmty.txt" } },
    { "network.dat", { "community.dat" } },
    { "edges.csv", { "labels.csv" }, { "features.csv" }, .table = "nodes.csv" },
    { ".txt", { "-department-labels.txt", "-labels.txt", "_labels.txt" } }
};

/* The files of a folder, each NULL if it is not there */
struct files {
    const struct set *set;
    char *edges, *labels, *features, *table;
};

static void release(struct files *x)
{
    free(x->edges);
    free(x->labels);
    free(x->features);
    free(x->table);
}

/* The first of stem + tail that exists: 0, or -1 with `err` set. */
static int find(char **path, const char *stem, const char *const *tail, int count,
                struct se_err *err)
{
    for (int i = 0; i < count && tail[i] && !*path; i++) {
        *path = se_find_file(stem, "", tail[i], err);
        if (!*path)
            return -1;
        if (!se_file_exists(*path)) {
            free(*path);
            *path = NULL;
        }
    }
    return 0;
}

/* Labels say the stem where the edges have no tail of their own. */
static int find_stem(const char *folder, const struct set *set, char **stem, struct se_err *err)
{
    int count = 0;

    if (strcmp(set->edges, ".txt") != 0)
        return se_folder_find(folder, "", set->edges, stem, err);
    for (int i = 0; i < 3 && count == 0; i++)
        count = se_folder_find(folder, "", set->labels[i], stem, err);
    return count;
}

/* 1 if the folder is of this kind, 0, or -1 with `err` set */
static int look(const char *folder, const struct set *set, struct files *x, struct se_err *err)
{
    char *stem;
    const int count = find_stem(folder, set, &stem, err);
    int rc = count;

    if (count > 0)
        rc = find(&x->edges, stem, &set->edges, 1, err) < 0 ||
             find(&x->labels, stem, set->labels, 3, err) < 0 ||
             find(&x->features, stem, set->features, 3, err) < 0 ||
             find(&x->table, stem, &set->table, 1, err) < 0 ? -1
                 : x->edges && (x->labels || x->features || x->table);
    if (rc > 0 && count > 1)
        rc = se_fail(err, SE_EINPUT, "%s: holds %d files *%s; give one of them, and those beside it "
                     "by --labels, --features and --attributes", folder, count, set->edges);
    free(stem);
    x->set = set;
    if (rc <= 0) {
        release(x);
        *x = (struct files){ NULL, NULL, NULL, NULL, NULL };
    }
    return rc;
}

/* Text about the data, and the data of KONECT's that are not edges */
static bool is_about(const char *name)
{
    static const char *const heads[] = { ".", "readme", "license", "licence", "meta.", "ent.", NULL };
    static const char *const tails[] = { ".html", ".htm", ".md", ".pdf", ".tmp", NULL };
    const size_t len = strlen(name);

    for (int i = 0; heads[i]; i++)
        if (strncasecmp(name, heads[i], strlen(heads[i])) == 0)
            return true;
    for (int i = 0; tails[i]; i++)
        if (len > strlen(tails[i]) && strcasecmp(name + len - strlen(tails[i]), tails[i]) == 0)
            return true;
    return false;
}

/* The single file of data: 1, 0 if there are none or more, or -1 with `err` set. */
static int look_single(const char *folder, struct files *x, struct se_err *err)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    int count = 0;

    while (dir && count >= 0 && (entry = readdir(dir)) != NULL) {
        if (is_about(entry->d_name))
            continue;
        free(x->edges);
        x->edges = se_join(folder, "/", entry->d_name, err);
        count = x->edges ? count + 1 : -1;
    }
    if (dir)
        closedir(dir);
    if (count == 1 && se_file_exists(x->edges))
        return 1;
    free(x->edges);
    x->edges = NULL;
    return count < 0 ? -1 : 0;
}

static int find_files(const char *folder, struct files *x, struct se_err *err)
{
    int rc = 0;

    for (size_t i = 0; i < sizeof sets / sizeof *sets && rc == 0; i++)
        rc = look(folder, &sets[i], x, err);
    return rc == 0 ? look_single(folder, x, err) : rc;
}

/* A vertex and more than one class */
static bool is_several(char *line, size_t len)
{
    struct se_field field[4];

    (void)len;
    return se_fields(line, se_find_separator(line), field) > 2;
}

static int drop_several(const struct se_import *in, struct files *x, struct se_err *err)
{
    bool several = false;

    if (!x->labels || !x->set->several)
        return 0;
    if (se_text_any(x->labels, is_several, &several, err) < 0)
        return -1;
    if (!several)
        return 0;
    if (se_say(in->notes, err, "%s: no labels taken: a vertex has more than one class",
               x->labels) < 0)
        return -1;
    free(x->labels);
    x->labels = NULL;
    return 0;
}

static const char *base_of(const char *path)
{
    return strrchr(path, '/') + 1;
}

static int tell(const struct se_import *in, const struct files *x, struct se_err *err)
{
    return se_say(in->notes, err, "%s: edges = %s%s%s%s%s%s%s", in->path, base_of(x->edges),
                  x->features ? ", features = " : "", x->features ? base_of(x->features) : "",
                  x->table ? ", attributes = " : "", x->table ? base_of(x->table) : "",
                  x->labels ? ", labels = " : "", x->labels ? base_of(x->labels) : "");
}

static int import_edges(struct se_import *in, const struct files *x, struct se_stream *s,
                        struct se_err *err)
{
    const struct se_format *f = se_format_detect(x->edges, err);
    const char *folder = in->path;
    uint64_t *ids = NULL;
    int rc = f ? 0 : -1;

    in->path = x->edges;
    in->in_order |= x->features || (x->labels && !x->table);
    if (rc == 0 && x->labels && !x->features)
        rc = se_side_label_ids(x->labels, &ids, &in->listed_count, &in->by_id, err);
    in->listed = ids;
    if (rc == 0)
        rc = f->import(in, s, err);
    free(ids);
    in->listed = NULL;
    in->path = folder;
    return rc;
}

static int import_beside(struct se_import *in, const struct files *x, struct se_stream *s,
                         struct se_err *err)
{
    const struct se_attributes ask = {
        .path = x->table, .notes = in->notes, .header = in->header, .decimal = in->decimal,
        .class = in->class, .bins = in->bins
    };

    if (x->table && se_side_attributes(&ask, s, err) < 0)
        return -1;
    in->class_used |= x->table && in->class;
    in->bins_used |= x->table && in->class && in->bins;
    return (x->features && se_side_features(x->features, s, err) < 0) ||
           (x->labels && se_side_labels(x->labels, s, in->notes, err) < 0) ? -1 : 0;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct files x = { NULL, NULL, NULL, NULL, NULL };
    int rc = find_files(in->path, &x, err);

    if (rc == 0)
        rc = se_fail(err, SE_EINPUT, "%s: is no folder of an edge list and what stands beside it",
                     in->path);
    if (rc > 0)
        rc = drop_several(in, &x, err) < 0 || tell(in, &x, err) < 0 ||
             import_edges(in, &x, s, err) < 0 || import_beside(in, &x, s, err) < 0 ? -1 : 0;
    release(&x);
    return rc;
}

static int detect(const char *path, const char *head, size_t len)
{
    struct files x = { NULL, NULL, NULL, NULL, NULL };
    struct se_err ignored = SE_ERR_INIT;
    int rc;

    (void)len;
    if (head)
        return 0;
    rc = find_files(path, &x, &ignored);
    release(&x);
    return rc == 0 ? 0 : rc < 0 || x.set ? 45 : 10;
}

const struct se_format se_format_beside = {
    .name = "beside",
    .what = "folder of an edge list, and labels, features or a table beside it",
    .import = import,
    .detect = detect
};
