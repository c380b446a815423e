/* linqs.c - NAME.content and NAME.cites of LINQS: cora, citeseer, WebKB
 *
 * content: id, features, class a line, separated by tabs or blanks; cites: two ids a line.
 * Citations of papers that content does not have are left out, and counted. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/folder.h"
#include "formats/internal.h"
#include "formats/rows.h"
#include "formats/vertices.h"

struct linqs {
    struct se_table ids;
    struct se_rows rows;
    struct se_classes classes;
    uint64_t fields, missing;
};

/* The next word of a line, ended by NUL; NULL: there is no more. */
static char *word(char **p, size_t *len)
{
    char *start = *p + strspn(*p, " \t");

    *len = strcspn(start, " \t");
    *p = start + *len;
    if (**p)
        *(*p)++ = '\0';
    return *len ? start : NULL;
}

static int read_vertex(struct linqs *x, const struct se_text *t, char *line, struct se_err *err)
{
    size_t len;
    char *id = word(&line, &len), *now, *next;
    uint64_t column = 0;
    uint32_t v = 0;

    if (!id)
        return 0;
    if (se_table_add(&x->ids, id, len, &v, err) < 0)
        return -1;
    if (v + 1 != x->ids.n || v != x->rows.n)
        return se_text_fail(t, err, "vertex %.40s was there before", id);
    for (now = word(&line, &len); now && (next = word(&line, &len)); now = next, column++) {
        double value;

        if (!se_whole_number(now, &value) || !isfinite((float)value) || column >= SE_NONE)
            return se_text_fail(t, err, "feature %" PRIu64 " is '%.20s', not a number", column,
                                now);
        if (value != 0 && se_rows_add(&x->rows, (uint32_t)column, (float)value, err) < 0)
            return -1;
    }
    if (!now)
        return se_text_fail(t, err, "id, features and class were expected");
    if (x->rows.n == 0)
        x->fields = column;
    if (column != x->fields)
        return se_text_fail(t, err, "%" PRIu64 " features instead of %" PRIu64, column, x->fields);
    x->rows.d = x->fields;
    return se_classes_set(&x->classes, v, now, err) < 0 ||
           se_rows_end(&x->rows, SE_REPEAT_ADD, err) < 0 ? -1 : 0;
}

static int read_content(struct linqs *x, const char *path, struct se_err *err)
{
    struct se_text t;
    char *line;
    size_t len;
    int rc;

    if (se_text_open(&t, path, err) < 0)
        return -1;
    while ((rc = se_text_line(&t, &line, &len, err)) > 0)
        if (read_vertex(x, &t, line, err) < 0) {
            rc = -1;
            break;
        }
    if (rc == 0 && x->ids.n == 0)
        rc = se_fail(err, SE_EINPUT, "%s: has no vertices", path);
    se_text_close(&t);
    return rc;
}

static int read_cites(struct linqs *x, const char *path, struct se_builder *b,
                      struct se_err *err)
{
    struct se_text t;
    char *line;
    size_t len;
    int rc;

    if (se_text_open(&t, path, err) < 0)
        return -1;
    while ((rc = se_text_line(&t, &line, &len, err)) > 0) {
        size_t a_len, b_len;
        char *a = word(&line, &a_len), *c = a ? word(&line, &b_len) : NULL;

        if (!a)
            continue;
        if (!c) {
            rc = se_text_fail(&t, err, "two ids were expected");
            break;
        }
        const uint32_t u = se_table_find(&x->ids, a, a_len), v = se_table_find(&x->ids, c, b_len);

        if (u == SE_NONE || v == SE_NONE)
            x->missing++;
        else if (se_builder_add(b, u, v, 1, err) < 0) {
            rc = -1;
            break;
        }
    }
    se_text_close(&t);
    return rc;
}

static int import_files(struct se_import *in, const char *content, const char *cites,
                        struct se_stream *s, struct se_err *err)
{
    struct linqs x = { SE_TABLE_INIT, SE_ROWS_INIT, SE_CLASSES_INIT, 0, 0 };
    struct se_builder b = SE_BUILDER_INIT;
    int rc = read_content(&x, content, err);

    b.n = x.ids.n;
    if (rc == 0 && (se_import_vertices(in, x.ids.n, err) < 0 ||
                    read_cites(&x, cites, &b, err) < 0))
        rc = -1;
    if (rc == 0 && b.count == 0 && x.missing > 0)
        rc = se_fail(err, SE_EINPUT, "%s: none of its ids is one of %s", cites, content);
    if (rc == 0 && (se_import_graph(in, &b, SE_MERGE_SUM, s, err) < 0 ||
                    se_rows_put(&x.rows, x.ids.n, NULL, s, err) < 0 ||
                    se_classes_put(&x.classes, s, err) < 0 || se_table_put(&x.ids, s, err) < 0))
        rc = -1;
    if (rc == 0 && x.missing > 0)
        rc = se_say(in->notes, err, "%s: %" PRIu64 " edges left out: an end is not in %s", cites,
                    x.missing, content);
    se_builder_release(&b);
    se_table_release(&x.ids);
    se_rows_release(&x.rows);
    se_classes_release(&x.classes);
    return rc;
}

/* The path without .content or .cites, of a file or of the only ones of a folder. */
static int find_stem(const char *path, char **stem, struct se_err *err)
{
    static const char *const tail[] = { ".content", ".cites" };
    int found;

    for (int i = 0; i < 2; i++)
        if (se_path_is(path, tail[i])) {
            const bool packed = strcasecmp(path + strlen(path) - 3, ".gz") == 0;

            *stem = se_strndup(path, strlen(path) - strlen(tail[i]) - (packed ? 3 : 0), err);
            return *stem ? 1 : -1;
        }
    found = se_folder_find(path, "", ".content", stem, err);
    return found;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    char *stem = NULL, *content = NULL, *cites = NULL;
    int rc = find_stem(in->path, &stem, err);

    if (rc == 0)
        rc = se_fail(err, SE_EINPUT, "%s: is neither NAME.content nor a folder with one",
                     in->path);
    else if (rc > 1)
        rc = se_fail(err, SE_EINPUT, "%s: holds %d networks; give the path of one .content file",
                     in->path, rc);
    if (rc > 0)
        rc = (content = se_find_file(stem, "", ".content", err)) &&
             (cites = se_find_file(stem, "", ".cites", err))
                 ? import_files(in, content, cites, s, err) : -1;
    free(stem);
    free(content);
    free(cites);
    return rc;
}

static int detect(const char *path, const char *head, size_t len)
{
    struct se_err err;
    char *stem = NULL;
    int found;

    (void)len;
    if (head)
        return se_path_is(path, ".content") || se_path_is(path, ".cites") ? 91 : 0;
    found = se_folder_find(path, "", ".content", &stem, &err);
    free(stem);
    return found > 0 ? 91 : 0;
}

const struct se_format se_format_linqs = {
    .name = "linqs",
    .what = "NAME.content and NAME.cites: id, features, class; and pairs of ids",
    .import = import,
    .detect = detect
};
