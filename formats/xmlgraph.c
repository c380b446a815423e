/* xmlgraph.c - GraphML and GEXF, read
 *
 * GraphML declares attributes in <key> and gives them in <data>; GEXF declares them in
 * <attribute> and gives them in <attvalue>.  Nested graphs and hyperedges are refused. */
#include "formats/xmlgraph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/network.h"
#include "formats/xmlread.h"

struct reader {
    struct se_xml xml;
    struct se_network *x;
    struct se_table key;        /* ids of declared attributes of vertices */
    struct se_bytes name;       /* their names, each ended by NUL */
    uint64_t *name_at;
    size_t name_cap;
    struct fallback {           /* <default> of a key; its text, in `name` */
        uint32_t key;
        uint64_t at;
    } *fallback;
    uint64_t fallbacks;
    size_t fallback_cap;
    uint32_t declared;          /* the key of vertices that we are in, or SE_NONE */
    char weight[64];            /* id of the key that is the weight; GraphML */
    uint32_t node;              /* the vertex that we are in */
    bool in_edge, edges_declared, gexf;
    bool undirected;            /* edges that do not say otherwise */
    uint32_t from, to;
    double edge_weight;
    uint64_t nodes;             /* depth of nodes and graphs */
    char data[64];              /* key of the <data> that we are in */
};

static int declare(struct reader *r, const char *id, const char *name, struct se_err *err)
{
    uint32_t k;

    if (se_table_add(&r->key, id, strlen(id), &k, err) < 0)
        return -1;
    r->declared = k;
    if (k + 1 < r->key.n)                       /* declared before */
        return 0;
    if (se_grow(&r->name_at, &r->name_cap, r->key.n, sizeof *r->name_at, err) < 0)
        return -1;
    r->name_at[k] = r->name.len;
    return se_bytes_add(&r->name, name, strlen(name) + 1, err);
}

static int open_key(struct reader *r, struct se_err *err)
{
    const char *of = se_xml_attribute(&r->xml, "for"), *id = se_xml_attribute(&r->xml, "id");
    const char *name = se_xml_attribute(&r->xml, "attr.name");

    name = name ? name : se_xml_attribute(&r->xml, "name");
    if (!id)
        return se_xml_fail(&r->xml, err, "a key has no id");
    name = name ? name : id;
    if (of && strcmp(of, "edge") == 0) {
        if (strcmp(name, "weight") == 0 && strlen(id) < sizeof r->weight)
            memcpy(r->weight, id, strlen(id) + 1);
        return 0;
    }
    return of && strcmp(of, "node") != 0 && strcmp(of, "all") != 0 ? 0
                                                                   : declare(r, id, name, err);
}

static int need_vertex(struct reader *r, const char *attribute, uint32_t *v, struct se_err *err)
{
    const char *id = se_xml_attribute(&r->xml, attribute);

    return id ? se_network_vertex(r->x, id, strlen(id), v, err)
              : se_xml_fail(&r->xml, err, "a node or edge has no id, source or target");
}

static int open_node(struct reader *r, struct se_err *err)
{
    const char *label = se_xml_attribute(&r->xml, "label");

    if (r->node != SE_NONE)
        return se_xml_fail(&r->xml, err, "a graph inside a node is not read");
    if (need_vertex(r, "id", &r->node, err) < 0)
        return -1;
    return label ? se_network_label(r->x, r->node, label, strlen(label), err) : 0;
}

static int parse_weight(struct reader *r, const char *text, size_t len, struct se_err *err)
{
    const char *end = text + len;

    while (text < end && strchr(" \t\r\n", *text))
        text++;
    if (!se_parse_number(&text, &r->edge_weight))
        return se_xml_fail(&r->xml, err, "the weight of an edge is not a number");
    return 0;
}

static int open_edge(struct reader *r, struct se_err *err)
{
    const char *weight = se_xml_attribute(&r->xml, "weight");

    const char *type = se_xml_attribute(&r->xml, r->gexf ? "type" : "directed");

    r->in_edge = true;
    r->edge_weight = 1;
    r->x->undirected = !type ? r->undirected
                     : strcmp(type, r->gexf ? "directed" : "true") != 0;
    r->x->directed |= !r->x->undirected;
    return need_vertex(r, "source", &r->from, err) < 0 ||
           need_vertex(r, "target", &r->to, err) < 0 ||
           (weight && parse_weight(r, weight, strlen(weight), err) < 0) ? -1 : 0;
}

/* The value of the key `id` of the vertex we are in. */
static int set_value(struct reader *r, const char *id, const char *text, size_t len,
                     struct se_err *err)
{
    const uint32_t k = se_table_find(&r->key, id, strlen(id));
    const char *name = k == SE_NONE ? id : r->name.data + r->name_at[k];

    if (r->node == SE_NONE)
        return 0;
    while (len > 0 && strchr(" \t\r\n", text[0])) {
        text++;
        len--;
    }
    while (len > 0 && strchr(" \t\r\n", text[len - 1]))
        len--;
    if (!r->gexf && strcmp(name, "name") == 0)
        return se_network_label(r->x, r->node, text, len, err);
    return se_network_value(r->x, r->node, name, strlen(name), text, len, err);
}

static int open_tag(struct reader *r, struct se_err *err)
{
    const char *name = r->xml.name, *a, *b;

    if (strcmp(name, "key") == 0 || strcmp(name, "attribute") == 0)
        r->declared = SE_NONE;
    if (strcmp(name, "node") == 0)
        return open_node(r, err);
    if (strcmp(name, "edge") == 0)
        return open_edge(r, err);
    if (strcmp(name, "key") == 0)
        return open_key(r, err);
    if (strcmp(name, "hyperedge") == 0)
        return se_xml_fail(&r->xml, err, "hyperedges are not read");
    if (strcmp(name, "data") == 0) {
        a = se_xml_attribute(&r->xml, "key");
        r->data[0] = '\0';
        if (a && strlen(a) < sizeof r->data)
            memcpy(r->data, a, strlen(a) + 1);
    } else if (strcmp(name, "graph") == 0) {
        a = se_xml_attribute(&r->xml, r->gexf ? "defaultedgetype" : "edgedefault");
        r->x->directed = a && strcmp(a, "directed") == 0;
        r->undirected = !r->x->directed;
    } else if (strcmp(name, "attributes") == 0) {
        a = se_xml_attribute(&r->xml, "class");
        r->edges_declared = a && strcmp(a, "edge") == 0;
    } else if (strcmp(name, "attribute") == 0 && !r->edges_declared) {
        a = se_xml_attribute(&r->xml, "id");
        b = se_xml_attribute(&r->xml, "title");
        return a && b ? declare(r, a, b, err) : 0;
    } else if (strcmp(name, "attvalue") == 0) {
        a = se_xml_attribute(&r->xml, "for");
        b = se_xml_attribute(&r->xml, "value");
        return a && b ? set_value(r, a, b, strlen(b), err) : 0;
    }
    return 0;
}

static int close_tag(struct reader *r, struct se_err *err)
{
    const char *name = r->xml.name;
    const struct se_bytes *text = &r->xml.text;

    if (strcmp(name, "node") == 0) {
        r->node = SE_NONE;
    } else if (strcmp(name, "edge") == 0 && r->in_edge) {
        r->in_edge = false;
        return se_network_edge(r->x, r->from, r->to, r->edge_weight, err);
    } else if (strcmp(name, "data") == 0 && r->data[0]) {
        if (memchr(text->data ? text->data : "", '\0', text->len))
            return se_xml_fail(&r->xml, err, "holds a NUL");
        if (se_bytes_add(&r->xml.text, "", 1, err) < 0)
            return -1;
        if (r->in_edge)
            return r->weight[0] && strcmp(r->data, r->weight) == 0
                       ? parse_weight(r, text->data, text->len - 1, err) : 0;
        return set_value(r, r->data, text->data, text->len - 1, err);
    } else if (strcmp(name, "default") == 0 && r->declared != SE_NONE) {
        if (se_grow(&r->fallback, &r->fallback_cap, r->fallbacks + 1, sizeof *r->fallback,
                    err) < 0)
            return -1;
        r->fallback[r->fallbacks++] = (struct fallback){ r->declared, r->name.len };
        return se_bytes_add(&r->name, text->data, text->len, err) < 0 ||
               se_bytes_add(&r->name, "", 1, err) < 0 ? -1 : 0;
    }
    return 0;
}

/* Vertices that do not say their value of a key have its default. */
static int put_fallback(struct reader *r, const struct fallback *f, struct se_err *err)
{
    struct se_network *x = r->x;
    const char *name = r->name.data + r->name_at[f->key], *text = r->name.data + f->at;
    const uint32_t attribute = se_table_find(&x->attribute, name, strlen(name));
    unsigned char *seen = se_zalloc(x->id.n, 1, err);
    int rc = seen ? 0 : -1;

    for (uint64_t i = 0; i < x->values && rc == 0; i++)
        if (x->value[i].attribute == attribute)
            seen[x->value[i].vertex] = 1;
    for (uint32_t v = 0; v < x->id.n && rc == 0; v++)
        if (!seen[v])
            rc = se_network_value(x, v, name, strlen(name), text, strlen(text), err);
    free(seen);
    return rc;
}

static int read_tags(struct reader *r, struct se_err *err)
{
    enum se_xml_token token;
    bool seen = false;
    int rc = 0;

    while (rc == 0 && (token = se_xml_next(&r->xml, err)) != SE_XML_END) {
        if (token == SE_XML_ERROR)
            return -1;
        if (!seen && token == SE_XML_OPEN) {
            seen = true;
            if (strcmp(r->xml.name, r->gexf ? "gexf" : "graphml") != 0)
                return se_xml_fail(&r->xml, err, "the first tag is another");
        }
        r->nodes = token == SE_XML_OPEN ? r->nodes + 1 : r->nodes - 1;
        rc = token == SE_XML_OPEN ? open_tag(r, err) : close_tag(r, err);
    }
    if (rc == 0 && (r->nodes != 0 || !seen))
        return se_xml_fail(&r->xml, err, "the file is cut short");
    for (uint64_t i = 0; i < r->fallbacks && rc == 0; i++)
        rc = put_fallback(r, &r->fallback[i], err);
    return rc;
}

int se_xmlgraph_import(bool gexf, struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct se_network x = SE_NETWORK_INIT;
    struct reader r = { .x = &x, .key = SE_TABLE_INIT, .node = SE_NONE, .gexf = gexf,
                        .declared = SE_NONE };
    struct se_bytes text = SE_BYTES_INIT;
    int rc;

    if (se_slurp(&text, in->path, 0, err) < 0)
        return -1;
    se_xml_init(&r.xml, text.data, text.len);
    rc = read_tags(&r, err) < 0 || se_network_put(&x, in, s, err) < 0
             ? se_err_in(err, in->path) : 0;
    se_xml_release(&r.xml);
    se_table_release(&r.key);
    se_bytes_release(&r.name);
    free(r.name_at);
    free(r.fallback);
    se_network_release(&x);
    se_bytes_release(&text);
    return rc;
}

int se_xmlgraph_detect(const char *head, size_t len, const char *tag)
{
    return head && memchr(head, '<', len) && memmem(head, len, tag, strlen(tag)) ? 94 : 0;
}
