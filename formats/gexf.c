/* gexf.c - GEXF, which Gephi reads and writes */
#include <string.h>

#include "formats/escape.h"
#include "formats/facts.h"
#include "formats/internal.h"
#include "formats/xmlgraph.h"

static const struct se_escape xml[] = {
    { '&', "&amp;" }, { '<', "&lt;" }, { '>', "&gt;" }, { '"', "&quot;" }, { '\t', "&#9;" },
    { '\n', "&#10;" }, { '\r', "&#13;" }, { 0, NULL }
};

static void attribute(struct se_out *out, const char *id, const char *type)
{
    se_outf(out, "      <attribute id=\"%s\" title=\"%s\" type=\"%s\"/>\n", id, id, type);
}

static void value(struct se_out *out, const char *id, const char *text, size_t len)
{
    se_outf(out, "<attvalue for=\"%s\" value=\"", id);
    se_out_escaped(out, text, len, xml);
    se_out_str(out, "\"/>");
}

static void class_value(struct se_out *out, const struct se_facts *f, const char *id, int32_t c)
{
    const char *name = se_facts_class(f, c);

    if (name)
        value(out, id, name, strlen(name));
    else
        se_outf(out, "<attvalue for=\"%s\" value=\"%d\"/>", id, c);
}

static void node(struct se_out *out, const struct se_facts *f, const uint32_t *module, uint64_t v)
{
    const char *name;
    size_t len;

    se_outf(out, "      <node id=\"%u\" label=\"", (unsigned)v);
    if (se_facts_name(f, v, &name, &len))
        se_out_escaped(out, name, len, xml);
    else
        se_outf(out, "%u", (unsigned)v);
    se_out_str(out, "\"><attvalues>");
    if (f->label && f->label[v] >= 0)
        class_value(out, f, "class", f->label[v]);
    if (f->predicted && f->predicted[v] >= 0) {
        class_value(out, f, "predicted", f->predicted[v]);
        se_outf(out, "<attvalue for=\"confidence\" value=\"%.9g\"/>", (double)f->confidence[v]);
    }
    if (module)
        se_outf(out, "<attvalue for=\"module\" value=\"%u\"/>", module[v]);
    se_out_str(out, "</attvalues></node>\n");
}

static void edge(struct se_out *out, uint64_t id, uint64_t u, uint64_t v, const float *weight)
{
    se_outf(out, "      <edge id=\"%llu\" source=\"%u\" target=\"%u\"", (unsigned long long)id,
            (unsigned)u, (unsigned)v);
    if (weight)
        se_outf(out, " weight=\"%.9g\"", (double)*weight);
    se_out_str(out, "/>\n");
}

static void write_all(struct se_out *out, const struct se_facts *f, const struct se_graph *g,
                      const uint32_t *module)
{
    se_outf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<gexf xmlns=\"http://www.gexf.net/1.2draft\" version=\"1.2\">\n"
            "  <graph defaultedgetype=\"%s\">\n    <attributes class=\"node\">\n",
            f->directed ? "directed" : "undirected");
    if (f->label)
        attribute(out, "class", "string");
    if (f->predicted) {
        attribute(out, "predicted", "string");
        attribute(out, "confidence", "double");
    }
    if (module)
        attribute(out, "module", "integer");
    se_out_str(out, "    </attributes>\n    <nodes>\n");
    for (uint64_t v = 0; v < g->n; v++)
        node(out, f, module, v);
    se_out_str(out, "    </nodes>\n    <edges>\n");
    se_write_edges(out, g, edge);
    se_out_str(out, "    </edges>\n  </graph>\n</gexf>\n");
}

static int export_gexf(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                       struct se_err *err)
{
    return se_export_network(ex, s, out, write_all, err);
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    return se_xmlgraph_import(true, in, s, err);
}

static int detect(const char *path, const char *head, size_t len)
{
    (void)path;
    return se_xmlgraph_detect(head, len, "<gexf");
}

const struct se_format se_format_gexf = {
    .name = "gexf",
    .what = "GEXF of Gephi, with classes, predictions and modules",
    .directed = true,
    .import = import,
    .detect = detect,
    .export = export_gexf
};
