/* nodes.c - the measures of every tree node, one line each below a header line
 *
 * node, parent (-1: root), level (root 0), size (vertices below), V (sum of their degrees),
 * g (weight of the edges that leave), H (entropy of the node), deduction (sum of H from below
 * the root down to the node) and vertex (-1: inner node).  With a depth or a number of modules, only
 * the nodes down to that level. */
#include <stdlib.h>

#include "common/graph/entropy.h"
#include "formats/modules.h"

int se_export_tree_graph(uint32_t asked, struct se_stream *s, struct se_graph *g,
                         struct se_err *err)
{
    const struct se_section *tree = se_stream_find(s, SE_TREE);
    const uint32_t origin = tree ? tree->origin[0].tag : 0;

    if (asked)
        return se_graph_get(g, s, asked, err);
    if (se_stream_check_origin(s, SE_TREE, err) < 0)
        return -1;
    return se_graph_get(g, s, origin && se_stream_has(s, origin) ? origin
                                                                 : se_graph_current(s), err);
}

/* V and g are whole numbers in a graph without weights. */
static void number(struct se_out *out, double v)
{
    se_out_sum(out, v);
    se_out_char(out, '\t');
}

/* cut: only the nodes above its level and its modules; NULL: all */
static void write_nodes(const struct se_tree *t, const struct se_measure *m,
                        const struct se_cut *cut, double *deduction,
                        const struct se_names *names, struct se_out *out)
{
    uint64_t module = 0;

    se_out_str(out, "node\tparent\tlevel\tsize\tV\tg\tH\tdeduction\tvertex\n");
    for (uint64_t i = 0; i < t->nodes; i++) {
        deduction[i] = m->entropy[i] + (i ? deduction[t->parent[i]] : 0);
        if (cut && module < cut->count && cut->node[module] == i)
            module++;
        else if (cut && (m->depth[i] >= cut->level || t->vertex[i] != SE_NONE))
            continue;
        se_out_u64(out, i);
        se_out_char(out, '\t');
        se_out_i64(out, i ? (int64_t)t->parent[i] : -1);
        se_outf(out, "\t%u\t%u\t", m->depth[i], m->leaves[i]);
        number(out, m->volume[i]);
        number(out, m->cut[i]);
        number(out, m->entropy[i]);
        number(out, deduction[i]);
        if (t->vertex[i] == SE_NONE)
            se_out_str(out, "-1");
        else
            se_out_vertex(out, names, t->vertex[i]);
        se_out_char(out, '\n');
    }
}

static int export_nodes(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                        struct se_err *err)
{
    const bool some = ex->depth || ex->most;
    struct se_measure m = SE_MEASURE_INIT;
    struct se_cut cut = SE_CUT_INIT;
    struct se_names names;
    struct se_graph g;
    struct se_tree t;
    double *deduction = NULL;
    int rc = -1;

    if (se_tree_get(&t, s, err) == 0 && se_export_tree_graph(ex->section, s, &g, err) == 0 &&
        se_export_columns(ex->names, s, &names, err) == 0 &&
        se_measure_make(&m, &t, &g, err) == 0 &&
        (!some || se_cut_make(&cut, ex, &t, err) == 0))
        deduction = se_alloc(t.nodes, sizeof *deduction, err);
    if (deduction) {
        write_nodes(&t, &m, some ? &cut : NULL, deduction, &names, out);
        rc = 0;
    }
    se_cut_release(&cut);
    se_measure_release(&m);
    free(deduction);
    return rc;
}

const struct se_format se_format_nodes = {
    .name = "nodes",
    .what = "tree: node, parent, level, size, V, g, H, deduction entropy and vertex "
            "of each node, below a header line",
    .kind = SE_FORMAT_TREE,
    .extensions = { "tsv", "txt" },
    .tree_graph = true,
    .export = export_nodes
};
