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
#include "formats/papers.h"

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

static int read_vertex(struct se_papers *x, const struct se_text *t, char *line,
                       struct se_err *err)
{
    size_t len;
    char *id = word(&line, &len), *now, *next;
    uint64_t column = 0;
    uint32_t v = 0;

    if (!id)
        return 0;
    if (se_papers_vertex(x, t, id, &v, err) < 0)
        return -1;
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

static int read_edge(struct se_papers *x, const struct se_text *t, char *line, struct se_err *err)
{
    size_t a_len, b_len;
    char *a = word(&line, &a_len), *b = a ? word(&line, &b_len) : NULL;

    if (!a)
        return 0;
    if (!b)
        return se_text_fail(t, err, "two ids were expected");
    return se_papers_edge(x, se_table_find(&x->ids, a, a_len), se_table_find(&x->ids, b, b_len),
                          err);
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
                 ? se_papers_import(in, content, read_vertex, cites, read_edge, s, err) : -1;
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
