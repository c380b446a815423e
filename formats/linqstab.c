/* linqstab.c - NAME.NODE.paper.tab and NAME.DIRECTED.cites.tab of LINQS: Pubmed-Diabetes
 *
 * NODE: two lines of heading, of which the second declares "cat=1,2,3:label" and
 * "numeric:WORD:0.0", then id, label=CLASS, WORD=VALUE, ... a line, separated by tabs.
 * DIRECTED: two lines of heading, then number, paper:ID, |, paper:ID a line. */
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/folder.h"
#include "formats/internal.h"
#include "formats/rows.h"
#include "formats/vertices.h"

enum { HEADING = 2 };

struct tab {
    struct se_table ids, words;
    struct se_rows rows;
    struct se_classes classes;
    uint64_t missing;
};

/* "numeric:WORD:0.0" of the second line: the columns in their order */
static int declare(struct tab *x, char *line, struct se_err *err)
{
    char *rest = NULL;
    uint32_t id;

    for (char *cell = strtok_r(line, "\t", &rest); cell; cell = strtok_r(NULL, "\t", &rest)) {
        char *end;

        if (strncmp(cell, "numeric:", 8) != 0)
            continue;
        cell += 8;
        end = strrchr(cell, ':');
        if (se_table_add(&x->words, cell, end ? (size_t)(end - cell) : strlen(cell), &id, err) < 0)
            return -1;
    }
    return 0;
}

static int read_cell(struct tab *x, const struct se_text *t, uint32_t v, char *cell,
                     struct se_err *err)
{
    char *value = strchr(cell, '=');
    uint32_t column;
    double number;

    if (!value)
        return se_text_fail(t, err, "'%.30s' is not NAME=VALUE", cell);
    *value++ = '\0';
    if (strcmp(cell, "label") == 0)
        return se_classes_set(&x->classes, v, value, err);
    column = se_table_find(&x->words, cell, strlen(cell));
    if (column == SE_NONE)
        return strcmp(cell, "summary") == 0 ? 0 : se_text_fail(t, err, "the heading does not "
                                                               "declare '%.30s'", cell);
    if (!se_whole_number(value, &number) || !isfinite((float)number))
        return se_text_fail(t, err, "'%.20s' is not a number", value);
    return number != 0 ? se_rows_add(&x->rows, column, (float)number, err) : 0;
}

static int read_vertex(struct tab *x, const struct se_text *t, char *line, struct se_err *err)
{
    char *rest = NULL, *cell = strtok_r(line, "\t", &rest);
    uint32_t v = 0;

    if (!cell)
        return 0;
    if (se_table_add(&x->ids, cell, strlen(cell), &v, err) < 0)
        return -1;
    if (v + 1 != x->ids.n || v != x->rows.n)
        return se_text_fail(t, err, "vertex %.40s was there before", cell);
    if (se_classes_set(&x->classes, v, "", err) < 0)
        return -1;
    while ((cell = strtok_r(NULL, "\t", &rest)) != NULL)
        if (read_cell(x, t, v, cell, err) < 0)
            return -1;
    x->rows.d = x->words.n;
    return se_rows_end(&x->rows, SE_REPEAT_ADD, err);
}

/* "7<TAB>paper:12<TAB>|<TAB>paper:34" */
static int read_edge(struct tab *x, const struct se_text *t, char *line, struct se_builder *b,
                     struct se_err *err)
{
    uint32_t end[2] = { SE_NONE, SE_NONE };
    char *rest = NULL;
    int count = 0;

    for (char *cell = strtok_r(line, "\t", &rest); cell; cell = strtok_r(NULL, "\t", &rest)) {
        const char *id = strchr(cell, ':');

        if (id && count < 2)
            end[count++] = se_table_find(&x->ids, id + 1, strlen(id + 1));
    }
    if (count == 0)
        return 0;
    if (count != 2)
        return se_text_fail(t, err, "two ends such as paper:12 were expected");
    if (end[0] == SE_NONE || end[1] == SE_NONE) {
        x->missing++;
        return 0;
    }
    return se_builder_add(b, end[0], end[1], 1, err);
}

/* All lines of a file: of vertices, or with `b` of edges */
static int read_file(struct tab *x, const char *path, struct se_builder *b, struct se_err *err)
{
    struct se_text t;
    char *line;
    size_t len;
    int rc;

    if (se_text_open(&t, path, err) < 0)
        return -1;
    while ((rc = se_text_line(&t, &line, &len, err)) > 0) {
        const int done = t.line < HEADING ? 0
                         : t.line == HEADING ? (b ? 0 : declare(x, line, err))
                         : b ? read_edge(x, &t, line, b, err) : read_vertex(x, &t, line, err);

        if (done < 0) {
            rc = -1;
            break;
        }
    }
    if (rc == 0 && x->ids.n == 0)
        rc = se_fail(err, SE_EINPUT, "%s: has no vertices", path);
    se_text_close(&t);
    return rc;
}

static int import_files(struct se_import *in, const char *nodes, const char *cites,
                        struct se_stream *s, struct se_err *err)
{
    struct tab x = { SE_TABLE_INIT, SE_TABLE_INIT, SE_ROWS_INIT, SE_CLASSES_INIT, 0 };
    struct se_builder b = SE_BUILDER_INIT;
    int rc = read_file(&x, nodes, NULL, err);

    b.n = x.ids.n;
    if (rc == 0 && (se_import_vertices(in, x.ids.n, err) < 0 ||
                    read_file(&x, cites, &b, err) < 0))
        rc = -1;
    if (rc == 0 && b.count == 0 && x.missing > 0)
        rc = se_fail(err, SE_EINPUT, "%s: none of its ids is one of %s", cites, nodes);
    if (rc == 0 && (se_import_graph(in, &b, SE_MERGE_SUM, s, err) < 0 ||
                    (x.words.n > 0 && se_rows_put(&x.rows, x.ids.n, NULL, s, err) < 0) ||
                    se_classes_put(&x.classes, s, err) < 0 || se_table_put(&x.ids, s, err) < 0))
        rc = -1;
    if (rc == 0 && x.missing > 0)
        rc = se_say(in->notes, err, "%s: %" PRIu64 " edges left out: an end is not in %s", cites,
                    x.missing, nodes);
    se_builder_release(&b);
    se_table_release(&x.ids);
    se_table_release(&x.words);
    se_rows_release(&x.rows);
    se_classes_release(&x.classes);
    return rc;
}

/* The files of a folder or of its folder data; NULL: they are not there. */
static char *find(const char *path, const char *kind, struct se_err *err)
{
    static const char *const places[] = { "", "/data" };

    for (int i = 0; i < 2; i++) {
        char *folder = se_join(path, places[i], "", err), *stem = NULL, *file = NULL;
        int found = folder ? se_folder_find(folder, "", ".tab", &stem, err) : -1;

        free(stem);
        if (found > 0 && folder) {
            DIR *dir = opendir(folder);
            const struct dirent *entry;

            while (dir && (entry = readdir(dir)) != NULL)
                if (strstr(entry->d_name, kind) && !file)
                    file = se_join(folder, "/", entry->d_name, err);
            if (dir)
                closedir(dir);
        }
        free(folder);
        if (file || found < 0)
            return file;
    }
    return NULL;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    char *nodes = find(in->path, ".NODE.", err), *cites = find(in->path, ".DIRECTED.", err);
    int rc;

    if (nodes && cites)
        rc = import_files(in, nodes, cites, s, err);
    else
        rc = se_fail(err, SE_EINPUT, "%s: is not a folder with NAME.NODE.paper.tab and "
                     "NAME.DIRECTED.cites.tab", in->path);
    free(nodes);
    free(cites);
    return rc;
}

static int detect(const char *path, const char *head, size_t len)
{
    struct se_err err;
    char *nodes = head ? NULL : find(path, ".NODE.", &err);
    const bool there = nodes != NULL;

    (void)len;
    free(nodes);
    return there ? 90 : 0;
}

const struct se_format se_format_linqstab = {
    .name = "linqstab",
    .what = "folder with NAME.NODE.paper.tab and NAME.DIRECTED.cites.tab, as Pubmed-Diabetes",
    .import = import,
    .detect = detect
};
