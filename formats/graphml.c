/* graphml.c - the graph in XML, for networkx, igraph, Gephi, yEd
 *
 * Nodes have their vertex number as id and, where the stream has it, name, label, class (the
 * label in words), predicted, confidence, part and module; edges have a weight if the graph has. */
#include <string.h>

#include "formats/escape.h"
#include "formats/facts.h"
#include "formats/internal.h"
#include "formats/xmlgraph.h"

static const struct se_escape xml[] = {
    { '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" }, { '"', "&quot;" }, { '\t', "&#9;" },
    { '\n', "&#10;" }, { '\r', "&#13;" }, { 0, NULL }
};

static void key(struct se_out *out, const char *of, const char *name, const char *type)
{
    se_outf(out, "  <key id=\"%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n", name, of,
            name, type);
}

static void keys(struct se_out *out, const struct se_facts *f, const struct se_graph *g,
                 const uint32_t *module)
{
    if (f->names.n)
        key(out, "node", "name", "string");
    if (f->label)
        key(out, "node", "label", "int");
    if (f->class_name)
        key(out, "node", "class", "string");
    if (f->predicted) {
        key(out, "node", "predicted", "int");
        key(out, "node", "confidence", "double");
    }
    if (f->part)
        key(out, "node", "part", "string");
    if (module)
        key(out, "node", "module", "int");
    if (g->weight)
        key(out, "edge", "weight", "double");
}

static void text(struct se_out *out, const char *name, const char *s, size_t len)
{
    se_outf(out, "<data key=\"%s\">", name);
    se_out_escaped(out, s, len, xml);
    se_out_str(out, "</data>");
}

static void node(struct se_out *out, const struct se_facts *f, const uint32_t *module, uint64_t v)
{
    const char *name;
    size_t len;

    se_outf(out, "    <node id=\"%u\">", (unsigned)v);
    if (se_facts_name(f, v, &name, &len))
        text(out, "name", name, len);
    if (f->label && f->label[v] >= 0) {
        const char *class = se_facts_class(f, f->label[v]);

        se_outf(out, "<data key=\"label\">%d</data>", f->label[v]);
        if (class)
            text(out, "class", class, strlen(class));
    }
    if (f->predicted && f->predicted[v] >= 0)
        se_outf(out, "<data key=\"predicted\">%d</data><data key=\"confidence\">%.9g</data>",
                f->predicted[v], (double)f->confidence[v]);
    if (f->part)
        se_outf(out, "<data key=\"part\">%s</data>", se_facts_part(f, v));
    if (module)
        se_outf(out, "<data key=\"module\">%u</data>", module[v]);
    se_out_str(out, "</node>\n");
}

static void edge(struct se_out *out, uint64_t id, uint64_t u, uint64_t v, const float *weight)
{
    (void)id;
    se_outf(out, "    <edge source=\"%u\" target=\"%u\"", (unsigned)u, (unsigned)v);
    if (weight)
        se_outf(out, "><data key=\"weight\">%.9g</data></edge>\n", (double)*weight);
    else
        se_out_str(out, "/>\n");
}

static void write_all(struct se_out *out, const struct se_facts *f, const struct se_graph *g,
                      const uint32_t *module)
{
    se_out_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
    keys(out, f, g, module);
    se_outf(out, "  <graph edgedefault=\"%s\">\n", f->directed ? "directed" : "undirected");
    for (uint64_t v = 0; v < g->n; v++)
        node(out, f, module, v);
    se_write_edges(out, g, edge);
    se_out_str(out, "  </graph>\n</graphml>\n");
}

static int export_graphml(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                          struct se_err *err)
{
    return se_export_network(ex, s, out, write_all, err);
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    return se_xmlgraph_import(false, in, s, err);
}

static int detect(const char *path, const char *head, size_t len)
{
    (void)path;
    return se_xmlgraph_detect(head, len, "<graphml");
}

const struct se_format se_format_graphml = {
    .name = "graphml",
    .what = "XML with names, labels, predictions and splits",
    .directed = true,
    .import = import,
    .detect = detect,
    .export = export_graphml
};
