/* nodes.c - the measures of every tree node, one line each below a header line
 *
 * node, parent (-1: root), level (root 0), size (vertices below), V (sum of their degrees),
 * g (weight of the edges that leave), H (entropy of the node), deduction (sum of H from below
 * the root down to the node) and vertex (-1: inner node). */
#include <stdlib.h>

#include "common/graph/entropy.h"
#include "formats/internal.h"

/* The graph to measure on: the one asked for, else the one that the tree was made for. */
static int graph_of_tree(uint32_t asked, struct se_stream *s, struct se_graph *g,
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

/* V and g are whole numbers in a graph without weights: no need to search for digits. */
static void number(struct se_out *out, double v)
{
    if (v >= 0 && v < 1e15 && v == (double)(uint64_t)v)
        se_out_u64(out, (uint64_t)v);
    else
        se_out_double(out, v);
    se_out_char(out, '\t');
}

static void write_nodes(const struct se_tree *t, const struct se_measure *m,
                        double *deduction, const struct se_names *names, struct se_out *out)
{
    se_out_str(out, "node\tparent\tlevel\tsize\tV\tg\tH\tdeduction\tvertex\n");
    for (uint64_t i = 0; i < t->nodes; i++) {
        deduction[i] = m->entropy[i] + (i ? deduction[t->parent[i]] : 0);
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
    struct se_measure m = SE_MEASURE_INIT;
    struct se_names names;
    struct se_graph g;
    struct se_tree t;
    double *deduction = NULL;
    int rc = -1;

    if (se_tree_get(&t, s, err) == 0 && graph_of_tree(ex->section, s, &g, err) == 0 &&
        se_export_names(ex->names, s, &names, err) == 0 &&
        se_measure_make(&m, &t, &g, err) == 0)
        deduction = se_alloc(t.nodes, sizeof *deduction, err);
    if (deduction) {
        write_nodes(&t, &m, deduction, &names, out);
        rc = 0;
    }
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
