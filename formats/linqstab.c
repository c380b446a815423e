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
#include "formats/papers.h"

enum { HEADING = 2 };

/* "numeric:WORD:0.0" of the second line: the columns in their order */
static int declare(struct se_papers *x, char *line, struct se_err *err)
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

static int read_cell(struct se_papers *x, const struct se_text *t, uint32_t v, char *cell,
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

static int read_vertex(struct se_papers *x, const struct se_text *t, char *line,
                       struct se_err *err)
{
    char *rest = NULL, *cell;
    uint32_t v = 0;

    if (t->line <= HEADING)
        return t->line == HEADING ? declare(x, line, err) : 0;
    cell = strtok_r(line, "\t", &rest);
    if (!cell)
        return 0;
    if (se_papers_vertex(x, t, cell, &v, err) < 0 || se_classes_set(&x->classes, v, "", err) < 0)
        return -1;
    while ((cell = strtok_r(NULL, "\t", &rest)) != NULL)
        if (read_cell(x, t, v, cell, err) < 0)
            return -1;
    x->rows.d = x->words.n;
    return se_rows_end(&x->rows, SE_REPEAT_ADD, err);
}

/* "7<TAB>paper:12<TAB>|<TAB>paper:34" */
static int read_edge(struct se_papers *x, const struct se_text *t, char *line, struct se_err *err)
{
    uint32_t end[2] = { SE_NONE, SE_NONE };
    char *rest = NULL;
    int count = 0;

    if (t->line <= HEADING)
        return 0;
    for (char *cell = strtok_r(line, "\t", &rest); cell; cell = strtok_r(NULL, "\t", &rest)) {
        const char *id = strchr(cell, ':');

        if (id && count < 2)
            end[count++] = se_table_find(&x->ids, id + 1, strlen(id + 1));
    }
    if (count == 0)
        return 0;
    if (count != 2)
        return se_text_fail(t, err, "two ends such as paper:12 were expected");
    return se_papers_edge(x, end[0], end[1], err);
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
            if (file && !(file = se_plain_file(file, err)))
                found = -1;
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
        rc = se_papers_import(in, nodes, read_vertex, cites, read_edge, s, err);
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
