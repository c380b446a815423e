/* layout.c - places of the vertices in the plane: vertex, x and y a line, from 0 to 1000 */
#include <stdlib.h>

#include "common/graph/layout.h"
#include "formats/internal.h"

static int export_layout(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                         struct se_err *err)
{
    struct se_names names;
    struct se_graph g;
    struct se_tree t;
    const bool tree = se_stream_has(s, SE_TREE);
    double *x = NULL, *y = NULL;
    int rc = -1;

    if (se_graph_get(&g, s, ex->section ? ex->section : SE_GRAPH, err) < 0 ||
        (tree && se_tree_get(&t, s, err) < 0) || se_export_columns(ex->names, s, &names, err) < 0)
        return -1;
    if ((x = se_alloc(g.n, sizeof *x, err)) && (y = se_alloc(g.n, sizeof *y, err)))
        rc = se_layout(&g, tree ? &t : NULL, 1, x, y, err);
    for (uint64_t v = 0; rc == 0 && v < g.n; v++) {
        se_out_vertex(out, &names, v);
        se_outf(out, "\t%.3f\t%.3f\n", x[v], y[v]);
    }
    free(x);
    free(y);
    return rc;
}

const struct se_format se_format_layout = {
    .name = "layout",
    .what = "places in the plane: vertex, x and y from 0 to 1000; springs along the edges, "
            "level by level of the tree if there is one",
    .kind = SE_FORMAT_GRAPH,
    .extensions = { "tsv", "txt" },
    .export = export_layout
};
