/* graphml.c - the graph in XML, for networkx, igraph, Gephi, yEd
 *
 * Nodes have their vertex number as id and, where the stream has it, name, label, class (the
 * label in words), predicted, confidence and part; edges have a weight if the graph has. */
#include <string.h>

#include "formats/escape.h"
#include "formats/facts.h"
#include "formats/internal.h"

static const struct se_escape xml[] = {
    { '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" }, { '"', "&quot;" }, { '\t', "&#9;" },
    { '\n', "&#10;" }, { '\r', "&#13;" }, { 0, NULL }
};

static void key(struct se_out *out, const char *of, const char *name, const char *type)
{
    se_outf(out, "  <key id=\"%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n", name, of,
            name, type);
}

static void keys(struct se_out *out, const struct se_facts *f, const struct se_graph *g)
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
    if (g->weight)
        key(out, "edge", "weight", "double");
}

static void text(struct se_out *out, const char *name, const char *s, size_t len)
{
    se_outf(out, "<data key=\"%s\">", name);
    se_out_escaped(out, s, len, xml);
    se_out_str(out, "</data>");
}

static void node(struct se_out *out, const struct se_facts *f, uint64_t v)
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
    se_out_str(out, "</node>\n");
}

static void edge(struct se_out *out, uint64_t u, uint64_t v, const float *weight)
{
    se_outf(out, "    <edge source=\"%u\" target=\"%u\"", (unsigned)u, (unsigned)v);
    if (weight)
        se_outf(out, "><data key=\"weight\">%.9g</data></edge>\n", (double)*weight);
    else
        se_out_str(out, "/>\n");
}

static int export_graphml(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                          struct se_err *err)
{
    struct se_facts f = SE_FACTS_INIT;
    struct se_graph g;
    int rc = -1;

    if (se_graph_get(&g, s, ex->section, err) == 0 && se_facts_get(&f, ex, s, err) == 0) {
        se_out_str(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                   "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n");
        keys(out, &f, &g);
        se_out_str(out, "  <graph edgedefault=\"undirected\">\n");
        for (uint64_t v = 0; v < g.n; v++)
            node(out, &f, v);
        for (uint64_t u = 0; u < g.n; u++)
            for (uint64_t i = g.off[u]; i < g.off[u + 1]; i++)
                edge(out, u, g.to[i], g.weight ? &g.weight[i] : NULL);
        for (uint64_t i = 0; i < g.loops; i++)
            edge(out, g.loop[i], g.loop[i], g.loop_weight ? &g.loop_weight[i] : NULL);
        se_out_str(out, "  </graph>\n</graphml>\n");
        rc = 0;
    }
    se_facts_release(&f);
    return rc;
}

const struct se_format se_format_graphml = {
    .name = "graphml", .what = "graph in XML with names, labels, predictions, parts",
    .export = export_graphml
};
