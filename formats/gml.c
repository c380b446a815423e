/* gml.c - GML, in which Newman's networks are published: node [ id 1 label "a" value 0 ]
 *
 * The graph is the first list called graph; lists inside nodes and edges are passed over. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/utf16.h"
#include "formats/escape.h"
#include "formats/facts.h"
#include "formats/network.h"

enum { WORD = 4096 };
enum token { END, OPEN, CLOSE, NAME, STRING, NUMBER, FAULT };

struct gml {
    const char *at, *end;
    uint64_t line;
    enum token token;
    const char *text;
    size_t len;
};

static enum token next(struct gml *g)
{
    while (g->at < g->end) {
        if (*g->at == '\n')
            g->line++;
        if (*g->at == '#')
            while (g->at + 1 < g->end && g->at[1] != '\n')
                g->at++;
        else if (!strchr(" \t\r\n", *g->at) || !*g->at)
            break;
        g->at++;
    }
    if (g->at == g->end)
        return g->token = END;
    g->text = g->at;
    if (*g->at == '[' || *g->at == ']')
        return g->token = *g->at++ == '[' ? OPEN : CLOSE;
    if (*g->at == '"') {
        for (g->text = ++g->at; g->at < g->end && *g->at != '"'; g->at++)
            g->line += *g->at == '\n';
        g->len = (size_t)(g->at - g->text);
        return g->token = g->at++ < g->end ? STRING : FAULT;
    }
    while (g->at < g->end && *g->at && !strchr(" \t\r\n[]\"#", *g->at))
        g->at++;
    g->len = (size_t)(g->at - g->text);
    if (g->len == 0)
        return g->token = FAULT;
    return g->token = strchr("+-.0123456789", *g->text) ? NUMBER : NAME;
}

static bool is(const struct gml *g, const char *word)
{
    return strlen(word) == g->len && strncasecmp(word, g->text, g->len) == 0;
}

static int fault(const struct gml *g, struct se_err *err, const char *what)
{
    return se_fail(err, SE_EINPUT, "line %llu: %s", (unsigned long long)g->line, what);
}

/* Pass over a list whose bracket was read. */
static int skip(struct gml *g, struct se_err *err)
{
    for (uint64_t depth = 1; depth > 0;)
        switch (next(g)) {
        case OPEN:
            depth++;
            break;
        case CLOSE:
            depth--;
            break;
        case END: case FAULT:
            return fault(g, err, "a list is not closed");
        default:
            break;
        }
    return 0;
}

/* One key with its value.  1: a word or number, which g->text then is; 2: a list, still to be
 * read; 0: the end of the list that they are in; -1. */
static int key_value(struct gml *g, char key[64], struct se_err *err)
{
    if (next(g) == CLOSE)
        return 0;
    if (g->token != NAME)
        return fault(g, err, g->token == END ? "the file is cut short" : "a key was expected");
    if (g->len > 63)
        return fault(g, err, "a key is too long");
    memcpy(key, g->text, g->len);
    key[g->len] = '\0';
    switch (next(g)) {
    case STRING: case NUMBER: case NAME:
        return 1;
    case OPEN:
        return 2;
    default:
        return fault(g, err, "a key has no value");
    }
}

/* The character of "&#233;" or "&#xe9;" as UTF-8: how many bytes of the text it is, or 0. */
static size_t numbered(const char *text, size_t len, char out[4], size_t *bytes)
{
    char digits[12] = "", *end;
    const char *semicolon = memchr(text, ';', len < 11 ? len : 11);
    const bool hex = len > 3 && (text[2] == 'x' || text[2] == 'X');
    unsigned long c;

    if (!semicolon || len < 4 || text[1] != '#')
        return 0;
    memcpy(digits, text + 2 + hex, (size_t)(semicolon - text) - 2 - hex);
    c = strtoul(digits, &end, hex ? 16 : 10);
    if (*end || !digits[0] || c < 32 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    *bytes = se_utf8_put((uint32_t)c, out);
    return (size_t)(semicolon - text) + 1;
}

/* The five entities that GML knows, and characters by number. */
static size_t plain(const char *text, size_t len, char *out)
{
    static const struct { const char *name; char c; } entity[] = {
        { "&amp;", '&' }, { "&lt;", '<' }, { "&gt;", '>' }, { "&quot;", '"' }, { "&apos;", '\'' }
    };
    size_t to = 0;

    for (size_t i = 0; i < len && to + 4 < WORD;) {
        size_t k = 0, more = 0;
        const size_t taken = text[i] == '&' ? numbered(text + i, len - i, out + to, &more) : 0;

        if (taken > 0) {
            i += taken;
            to += more;
            continue;
        }

        while (k < 5 && (strlen(entity[k].name) > len - i ||
                         memcmp(entity[k].name, text + i, strlen(entity[k].name)) != 0))
            k++;
        out[to++] = k < 5 ? entity[k].c : text[i];
        i += k < 5 ? strlen(entity[k].name) : 1;
    }
    return to;
}

struct pair {
    const char *at;
    size_t len;
    char key[64];
};

static int add_values(struct se_network *x, uint32_t v, const struct pair *p, int count,
                      struct se_err *err)
{
    char word[WORD];
    const char *label = "name";         /* igraph calls the label so */

    for (int i = 0; i < count; i++)
        if (strcasecmp(p[i].key, "label") == 0)
            label = "label";
    for (int i = 0; i < count; i++) {
        const size_t len = plain(p[i].at, p[i].len, word);

        if ((strcasecmp(p[i].key, label) == 0 ? se_network_label(x, v, word, len, err)
                                                : se_network_value(x, v, p[i].key,
                                                                   strlen(p[i].key), word, len,
                                                                   err)) < 0)
            return -1;
    }
    return 0;
}

static int read_node(struct gml *g, struct se_network *x, struct se_err *err)
{
    enum { MOST = 64 };
    struct pair p[MOST], id = { NULL, 0, "" };
    int count = 0, rc;
    uint32_t v;
    char key[64];

    while ((rc = key_value(g, key, err)) > 0) {
        if (rc == 2) {
            if (skip(g, err) < 0)
                return -1;
        } else if (strcasecmp(key, "id") == 0) {
            id.at = g->text;
            id.len = g->len;
        } else if (count < MOST) {
            p[count] = (struct pair){ .at = g->text, .len = g->len };
            memcpy(p[count++].key, key, sizeof key);
        }
    }
    if (rc < 0)
        return -1;
    if (!id.at)
        return fault(g, err, "a node has no id");
    return se_network_vertex(x, id.at, id.len, &v, err) < 0 ? -1
                                                            : add_values(x, v, p, count, err);
}

static int read_edge(struct gml *g, struct se_network *x, struct se_err *err)
{
    uint32_t end[2] = { SE_NONE, SE_NONE };
    double weight = 1;
    char key[64];
    int rc;

    while ((rc = key_value(g, key, err)) > 0) {
        const char *p = g->text;

        if (rc == 2) {
            if (skip(g, err) < 0)
                return -1;
        } else if (strcasecmp(key, "source") == 0 || strcasecmp(key, "target") == 0) {
            if (se_network_vertex(x, g->text, g->len, &end[key[0] == 't' || key[0] == 'T'],
                                  err) < 0)
                return -1;
        } else if (strcasecmp(key, "weight") == 0 ||
                   (strcasecmp(key, "value") == 0 && g->token == NUMBER)) {
            if (!se_parse_number(&p, &weight) || p != g->text + g->len)
                return fault(g, err, "the weight of an edge is not a number");
        }
    }
    if (rc < 0)
        return -1;
    if (end[0] == SE_NONE || end[1] == SE_NONE)
        return fault(g, err, "an edge has no source or no target");
    if (se_network_edge(x, end[0], end[1], weight, err) < 0) {
        snprintf(key, sizeof key, "line %llu", (unsigned long long)g->line);
        return se_err_in(err, key);
    }
    return 0;
}

static int read_graph(struct gml *g, struct se_network *x, struct se_err *err)
{
    char key[64];
    int rc;

    while ((rc = key_value(g, key, err)) > 0) {
        if (rc == 2)
            rc = strcasecmp(key, "node") == 0 ? read_node(g, x, err)
                 : strcasecmp(key, "edge") == 0 ? read_edge(g, x, err) : skip(g, err);
        else if (strcasecmp(key, "directed") == 0)
            x->undirected = !(x->directed = is(g, "1"));
        if (rc < 0)
            return -1;
    }
    return rc;
}

static int read_file(struct gml *g, struct se_network *x, struct se_err *err)
{
    char key[64];

    for (;;) {
        const char *before = g->at;
        int rc;

        if (next(g) == END)
            return fault(g, err, "there is no graph");
        g->at = before;
        rc = key_value(g, key, err);
        if (rc <= 0)
            return rc < 0 ? -1 : fault(g, err, "a list is closed that was not opened");
        if (rc == 2 && strcasecmp(key, "graph") == 0)
            return read_graph(g, x, err);
        if (rc == 2 && skip(g, err) < 0)
            return -1;
    }
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct se_network x = SE_NETWORK_INIT;
    struct se_bytes text = SE_BYTES_INIT;
    struct gml g = { .line = 1 };
    int rc;

    if (se_slurp(&text, in->path, 0, err) < 0)
        return -1;
    x.undirected = true;                        /* unless it says otherwise */
    g.at = text.data;
    g.end = text.data + text.len;
    rc = read_file(&g, &x, err) < 0 || se_network_put(&x, in, s, err) < 0
             ? se_err_in(err, in->path) : 0;
    se_network_release(&x);
    se_bytes_release(&text);
    return rc;
}

static int detect(const char *path, const char *head, size_t len)
{
    if (!head || len == 0 || strchr("<{", *head) || !memchr(head, '[', len))
        return 0;
    if (se_path_is(path, ".gml"))
        return 93;
    return memmem(head, len, "graph", 5) && memmem(head, len, "node", 4) &&
           memmem(head, len, "id ", 3) ? 55 : 0;
}

static const struct se_escape escapes[] = {
    { '&', "&amp;" }, { '"', "&quot;" }, { '\n', " " }, { '\r', " " }, { '\t', " " }, { 0, NULL }
};

static void string(struct se_out *out, const char *key, const char *text, size_t len)
{
    se_outf(out, " %s \"", key);
    se_out_escaped(out, text, len, escapes);
    se_out_char(out, '"');
}

static void class(struct se_out *out, const struct se_facts *f, const char *key, int32_t c)
{
    const char *name = se_facts_class(f, c);

    if (name)
        string(out, key, name, strlen(name));
    else if (c >= 0)
        se_outf(out, " %s %d", key, c);
}

static void edge(struct se_out *out, uint64_t id, uint64_t u, uint64_t v, const float *weight)
{
    (void)id;
    se_outf(out, "  edge [ source %u target %u", (unsigned)u, (unsigned)v);
    if (weight)
        se_outf(out, " weight %.9g", (double)*weight);
    se_out_str(out, " ]\n");
}

static void write_all(struct se_out *out, const struct se_facts *f, const struct se_graph *g,
                      const uint32_t *module)
{
    const char *name;
    size_t len;

    se_outf(out, "graph [\n  directed %d\n", f->directed);
    for (uint64_t v = 0; v < g->n; v++) {
        se_outf(out, "  node [ id %u", (unsigned)v);
        if (se_facts_name(f, v, &name, &len))
            string(out, "label", name, len);
        else
            se_outf(out, " label \"%u\"", (unsigned)v);
        if (f->label)
            class(out, f, "class", f->label[v]);
        if (f->predicted && f->predicted[v] >= 0) {
            class(out, f, "predicted", f->predicted[v]);
            se_outf(out, " confidence %.9g", (double)f->confidence[v]);
        }
        if (module)
            se_outf(out, " module %u", module[v]);
        se_out_str(out, " ]\n");
    }
    se_write_edges(out, g, edge);
    se_out_str(out, "]\n");
}

static int export_gml(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                      struct se_err *err)
{
    return se_export_network(ex, s, out, write_all, err);
}

const struct se_format se_format_gml = {
    .name = "gml",
    .what = "GML: graph [ node [ id 0 label \"a\" ] edge [ source 0 target 1 ] ]",
    .directed = true,
    .import = import,
    .detect = detect,
    .export = export_gml
};
