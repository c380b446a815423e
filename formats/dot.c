/* dot.c - the graph, or the encoding tree, for Graphviz
 *
 * Vertices are filled by class, and the name of the class is the tooltip; Graphviz passes over
 * the attributes predicted and module.  Numbers of vertices (of a tree: of its nodes) are the
 * ids; --names changes only what is shown. */
#include <stdlib.h>
#include <string.h>

#include "formats/escape.h"
#include "formats/facts.h"
#include "formats/internal.h"

/* Light enough for black text; more classes than colours begin again. */
static const char *const colour[] = {
    "#f4a261", "#8ecae6", "#a3d977", "#e5989b", "#cdb4db", "#ffd166",
    "#7fc8a9", "#d4a373", "#b8c0ff", "#ff9fb2", "#c9d66b", "#c4c4c4"
};
enum { COLOURS = sizeof colour / sizeof colour[0] };

/* Graphviz reads escapes and entities in what it shows. */
static void attribute(struct se_out *out, const char *name, const char *s, size_t len)
{
    static const struct se_escape dot[] = {
        { '"', "\\\"" }, { '\\', "\\\\" }, { '&', "&amp;" }, { '\n', "\\n" }, { '\t', " " },
        { 0, NULL }
    };

    se_outf(out, " %s=\"", name);
    se_out_escaped(out, s, len, dot);
    se_out_char(out, '"');
}

/* A class by its name, or by its number */
static void class(struct se_out *out, const struct se_facts *f, const char *name, int32_t c)
{
    const char *text = se_facts_class(f, c);

    if (text)
        attribute(out, name, text, strlen(text));
    else if (c >= 0)
        se_outf(out, " %s=\"%d\"", name, c);
}

/* The attributes of vertex v; `show`: write its label though it has no name. */
static void vertex(struct se_out *out, const struct se_facts *f, const uint32_t *module,
                   bool names, bool show, uint32_t v)
{
    const int32_t label = f->label ? f->label[v] : -1;
    const char *text;
    size_t len;

    se_out_str(out, " [");
    if (names && se_facts_name(f, v, &text, &len))
        attribute(out, "label", text, len);
    else if (show)
        se_outf(out, " label=\"%u\"", v);
    if (label >= 0)
        se_outf(out, " fillcolor=\"%s\"", colour[label % COLOURS]);
    text = se_facts_class(f, label);
    if (text)
        attribute(out, "tooltip", text, strlen(text));
    if (f->predicted)
        class(out, f, "predicted", f->predicted[v]);
    if (module)
        se_outf(out, " module=%u", module[v]);
    se_out_str(out, " ];\n");
}

static void edge(struct se_out *out, bool arc, uint64_t u, uint64_t v, const float *weight)
{
    se_outf(out, "  %u %s %u", (unsigned)u, arc ? "->" : "--", (unsigned)v);
    if (weight)
        se_outf(out, " [ weight=%.9g ]", (double)*weight);
    se_out_str(out, ";\n");
}

static int graph(const struct se_export *ex, const struct se_facts *f, struct se_stream *s,
                 struct se_out *out, struct se_err *err)
{
    struct se_graph g;
    uint32_t *module;

    if (se_export_modules(ex, s, &module, err) < 0)
        return -1;
    if (se_export_edges(ex, s, &g, err) < 0) {
        free(module);
        return -1;
    }
    se_out_str(out, f->directed ? "digraph" : "graph");
    se_out_str(out, " {\n  graph [ outputorder=edgesfirst ];\n"
               "  node [ shape=circle style=filled fillcolor=white ];\n");
    for (uint64_t v = 0; v < g.n; v++) {
        se_outf(out, "  %u", (unsigned)v);
        vertex(out, f, module, ex->names, false, (uint32_t)v);
    }
    for (uint64_t u = 0; u < g.n; u++)
        for (uint64_t i = g.off[u]; i < g.off[u + 1]; i++)
            edge(out, f->directed, u, g.to[i], g.weight ? &g.weight[i] : NULL);
    for (uint64_t i = 0; i < g.loops; i++)
        edge(out, false, g.loop[i], g.loop[i], g.loop_weight ? &g.loop_weight[i] : NULL);
    se_out_str(out, "}\n");
    free(module);
    return 0;
}

static int tree(const struct se_export *ex, const struct se_facts *f, struct se_stream *s,
                struct se_out *out, struct se_err *err)
{
    struct se_tree t;

    if (se_tree_get(&t, s, err) < 0)
        return -1;
    se_out_str(out, "digraph {\n  graph [ ordering=out ];\n"
               "  node [ shape=circle style=filled fillcolor=white ];\n"
               "  edge [ arrowhead=none ];\n");
    for (uint64_t i = 0; i < t.nodes; i++) {
        se_outf(out, "  %u", (unsigned)i);
        if (t.vertex[i] == SE_NONE)
            se_out_str(out, " [ shape=point ];\n");
        else
            vertex(out, f, NULL, ex->names, true, t.vertex[i]);
        if (i > 0)
            se_outf(out, "  %u -> %u;\n", t.parent[i], (unsigned)i);
    }
    se_out_str(out, "}\n");
    return 0;
}

static int export_dot(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                      struct se_err *err)
{
    const struct se_export first = { .section = ex->section };      /* parts are not shown */
    struct se_facts f = SE_FACTS_INIT;
    int rc = se_facts_get(&f, &first, s, err);

    if (rc == 0)
        rc = (ex->section == SE_TREE ? tree : graph)(ex, &f, s, out, err);
    se_facts_release(&f);
    return rc;
}

const struct se_format se_format_dot = {
    .name = "dot",
    .what = "Graphviz, filled by class; --section tree: the tree",
    .extensions = { "gv" },
    .directed = true,
    .tree_instead = true,
    .export = export_dot
};
