/* papers.c - networks of papers in two files: vertices with features and class, and pairs of ids */
#include "formats/papers.h"

#include <inttypes.h>
#include <string.h>

int se_papers_vertex(struct se_papers *x, const struct se_text *t, const char *id, uint32_t *v,
                     struct se_err *err)
{
    if (se_table_add(&x->ids, id, strlen(id), v, err) < 0)
        return -1;
    if (*v + 1 != x->ids.n || *v != x->rows.n)
        return se_text_fail(t, err, "vertex %.40s was there before", id);
    return 0;
}

int se_papers_edge(struct se_papers *x, uint32_t u, uint32_t v, struct se_err *err)
{
    if (u == SE_NONE || v == SE_NONE) {
        x->missing++;
        return 0;
    }
    return se_builder_add(&x->edges, u, v, 1, err);
}

static int read_lines(struct se_papers *x, const char *path, se_papers_line *read,
                      struct se_err *err)
{
    struct se_text t;
    char *line;
    size_t len;
    int rc;

    if (se_text_open(&t, path, err) < 0)
        return -1;
    while ((rc = se_text_line(&t, &line, &len, err)) > 0)
        if (read(x, &t, line, err) < 0) {
            rc = -1;
            break;
        }
    if (rc == 0 && x->ids.n == 0)
        rc = se_fail(err, SE_EINPUT, "%s: has no vertices", path);
    se_text_close(&t);
    return rc;
}

static int put(struct se_import *in, struct se_papers *x, struct se_stream *s, struct se_err *err)
{
    return se_import_graph(in, &x->edges, SE_MERGE_SUM, s, err) < 0 ||
           (x->rows.d > 0 && se_rows_put(&x->rows, x->ids.n, NULL, s, err) < 0) ||
           se_classes_put(&x->classes, s, err) < 0 || se_table_put(&x->ids, s, err) < 0 ? -1 : 0;
}

int se_papers_import(struct se_import *in, const char *nodes, se_papers_line *vertex,
                     const char *cites, se_papers_line *edge, struct se_stream *s,
                     struct se_err *err)
{
    struct se_papers x = { SE_TABLE_INIT, SE_TABLE_INIT, SE_ROWS_INIT, SE_CLASSES_INIT,
                           SE_BUILDER_INIT, 0, 0 };
    int rc = read_lines(&x, nodes, vertex, err);

    se_import_start(in, &x.edges, false);
    x.edges.n = x.ids.n;
    if (rc == 0 && (se_import_vertices(in, x.ids.n, err) < 0 ||
                    read_lines(&x, cites, edge, err) < 0))
        rc = -1;
    if (rc == 0 && x.edges.count == 0 && x.missing > 0)
        rc = se_fail(err, SE_EINPUT, "%s: none of its ids is one of %s", cites, nodes);
    if (rc == 0)
        rc = put(in, &x, s, err);
    if (rc == 0 && x.missing > 0)
        rc = se_say(in->notes, err, "%s: %" PRIu64 " edges left out: an end is not in %s", cites,
                    x.missing, nodes);
    se_builder_release(&x.edges);
    se_table_release(&x.ids);
    se_table_release(&x.words);
    se_rows_release(&x.rows);
    se_classes_release(&x.classes);
    return rc;
}
