/* netjson.c - JSON of networks: node-link as networkx and D3 write it, and WikiCS
 *
 * node-link: {"nodes": [{"id": ..}, ..], "links" or "edges": [{"source": .., "target": ..}]}
 * networkx's adjacency: {"nodes": .., "adjacency": [[{"id": .., "weight": ..}, ..], ..]}
 * Cytoscape: {"elements": {"nodes": [{"data": {..}}, ..], "edges": [{"data": {..}}, ..]}}
 * WikiCS: {"features": [[..], ..], "labels": [..], "links": [[..], ..], "train_masks": ..} */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/jsonread.h"
#include "formats/named.h"
#include "formats/network.h"
#include "formats/vertices.h"

static int fault(const struct se_json *j, struct se_err *err, const char *what)
{
    return se_fail(err, SE_EINPUT, "byte %zu: %s", (size_t)(j->at - j->start), what);
}

static bool is(const struct se_json *j, const char *word)
{
    return strlen(word) == j->len && memcmp(word, j->text, j->len) == 0;
}

/* Pass over the rest of a value whose first token was read. */
static int skip(struct se_json *j, enum se_json_token token, struct se_err *err)
{
    const unsigned depth = j->depth;

    if (token == SE_JSON_ERROR)
        return -1;
    if (token != SE_JSON_OBJECT && token != SE_JSON_ARRAY)
        return 0;
    while (j->depth >= depth)
        if (se_json_next(j, err) == SE_JSON_ERROR)
            return -1;
    return 0;
}

/* A string with its escapes replaced; others than \u are one character. */
static int text_of(const struct se_json *j, struct se_bytes *out, struct se_err *err)
{
    out->len = 0;
    for (size_t i = 0; i < j->len; i++) {
        char c = j->text[i];

        if (c == '\\' && i + 1 < j->len) {
            c = j->text[++i];
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
            if (c == 'u' && i + 4 < j->len) {           /* of one unit; pairs become U+FFFD */
                char hex[5] = { j->text[i + 1], j->text[i + 2], j->text[i + 3], j->text[i + 4] };
                const unsigned long u = strtoul(hex, NULL, 16);
                const unsigned v = u >= 0xd800 && u < 0xe000 ? 0xfffd : u == 0 ? '?'
                                                                              : (unsigned)u;
                const unsigned char b[3] = {
                    (unsigned char)(v < 0x80 ? v : v < 0x800 ? 0xc0 | v >> 6 : 0xe0 | v >> 12),
                    (unsigned char)(0x80 | (v < 0x800 ? v & 63 : v >> 6 & 63)),
                    (unsigned char)(0x80 | (v & 63))
                };

                if (se_bytes_add(out, b, v < 0x80 ? 1 : v < 0x800 ? 2 : 3, err) < 0)
                    return -1;
                i += 4;
                continue;
            }
        }
        if (c == '\0')
            c = '?';
        if (se_bytes_add(out, &c, 1, err) < 0)
            return -1;
    }
    return 0;
}

/* A string or number as the id of a vertex. */
static int take_vertex(struct se_json *j, struct se_network *x, struct se_bytes *room,
                       uint32_t *v, struct se_err *err)
{
    const enum se_json_token token = se_json_next(j, err);

    if (token == SE_JSON_ERROR)
        return -1;
    if (token != SE_JSON_STRING && token != SE_JSON_NUMBER)
        return fault(j, err, "the id of a vertex was expected, a string or number");
    return text_of(j, room, err) < 0 ||
           se_network_vertex(x, room->data ? room->data : "", room->len, v, err) < 0 ? -1 : 0;
}

struct pending {                /* attributes that come before the id of their node */
    char key[64];
    const char *text;
    size_t len;
};

/* The next key of an object, or of the object "data" or "attributes" inside it, which Cytoscape
 * and Graphology have.  *inside:
 * how deep that is, 0 at first. */
static enum se_json_token next_key(struct se_json *j, int *inside, struct se_err *err)
{
    for (;;) {
        enum se_json_token token = se_json_next(j, err);

        if (token == SE_JSON_OBJECT_END && *inside > 0) {
            --*inside;
            continue;
        }
        if (token != SE_JSON_KEY || (!is(j, "data") && !is(j, "attributes")) || j->at[strspn(j->at, ": \t\r\n")] != '{')
            return token;
        token = se_json_next(j, err);
        if (token == SE_JSON_ERROR)
            return token;
        ++*inside;
    }
}

static int read_node(struct se_json *j, struct se_network *x, struct se_bytes *room,
                     struct se_err *err)
{
    enum { MOST = 64 };
    int inside = 0;
    struct pending p[MOST];
    enum se_json_token token;
    uint32_t v = SE_NONE;
    int count = 0;

    while ((token = next_key(j, &inside, err)) == SE_JSON_KEY) {
        struct pending now = { .len = j->len };

        memcpy(now.key, j->text, j->len < 63 ? j->len : 63);
        if (strcmp(now.key, "id") == 0 || (strcmp(now.key, "key") == 0 && v == SE_NONE)) {
            if (take_vertex(j, x, room, &v, err) < 0)
                return -1;
            continue;
        }
        token = se_json_next(j, err);
        if (skip(j, token, err) < 0)
            return -1;
        now.text = j->text;
        now.len = j->len;
        if ((token == SE_JSON_STRING || token == SE_JSON_NUMBER) && count < MOST)
            p[count++] = now;
    }
    if (token == SE_JSON_ERROR)
        return -1;
    if (v == SE_NONE) {                         /* links of D3 count the nodes */
        char number[24];

        if (se_network_vertex(x, number, (size_t)snprintf(number, sizeof number, "%" PRIu64,
                                                          x->id.n), &v, err) < 0)
            return -1;
    }
    for (int i = 0; i < count; i++) {
        const struct se_json value = { .text = p[i].text, .len = p[i].len };

        if (text_of(&value, room, err) < 0)
            return -1;
        const char *text = room->data ? room->data : "";
        if ((strcmp(p[i].key, "label") == 0 || strcmp(p[i].key, "name") == 0
                 ? se_network_label(x, v, text, room->len, err)
                 : se_network_value(x, v, p[i].key, strlen(p[i].key), text, room->len, err)) < 0)
            return -1;
    }
    return 0;
}

static int read_link(struct se_json *j, struct se_network *x, struct se_bytes *room,
                     struct se_err *err)
{
    uint32_t end[2] = { SE_NONE, SE_NONE };
    enum se_json_token token;
    double weight = 1;
    bool weighted = false;
    int inside = 0;

    while ((token = next_key(j, &inside, err)) == SE_JSON_KEY) {
        const bool source = is(j, "source") || is(j, "from");
        const bool target = is(j, "target") || is(j, "to");
        const bool w = is(j, "weight") || (is(j, "value") && !weighted);

        weighted |= is(j, "weight");

        if (source || target) {
            if (take_vertex(j, x, room, &end[target], err) < 0)
                return -1;
            continue;
        }
        token = se_json_next(j, err);
        if (w && token == SE_JSON_NUMBER) {
            const char *p = j->text;

            if (!se_parse_number(&p, &weight))
                return fault(j, err, "a weight is not a number");
        }
        if (skip(j, token, err) < 0)
            return -1;
    }
    if (token == SE_JSON_ERROR)
        return -1;
    if (end[0] == SE_NONE || end[1] == SE_NONE)
        return fault(j, err, "a link has no source or no target");
    return se_network_edge(x, end[0], end[1], weight, err);
}

/* The objects of a list. */
static int read_list(struct se_json *j, struct se_network *x, struct se_bytes *room,
                     int (*read)(struct se_json *, struct se_network *, struct se_bytes *,
                                 struct se_err *), struct se_err *err)
{
    enum se_json_token token = se_json_next(j, err);

    if (token != SE_JSON_ARRAY)
        return token == SE_JSON_ERROR ? -1 : fault(j, err, "a list was expected");
    while ((token = se_json_next(j, err)) == SE_JSON_OBJECT)
        if (read(j, x, room, err) < 0)
            return -1;
    return token == SE_JSON_ERROR ? -1 : token == SE_JSON_ARRAY_END
           ? 0 : fault(j, err, "an object was expected in the list");
}

/* A neighbour of vertex u */
static int read_neighbour(struct se_json *j, struct se_network *x, uint32_t u,
                          struct se_bytes *room, struct se_err *err)
{
    enum se_json_token token;
    uint32_t v = SE_NONE;
    double weight = 1;

    while ((token = se_json_next(j, err)) == SE_JSON_KEY) {
        const bool w = is(j, "weight");
        const char *p;

        if (is(j, "id")) {
            if (take_vertex(j, x, room, &v, err) < 0)
                return -1;
            continue;
        }
        token = se_json_next(j, err);
        p = j->text;
        if (w && token == SE_JSON_NUMBER && !se_parse_number(&p, &weight))
            return fault(j, err, "a weight is not a number");
        if (skip(j, token, err) < 0)
            return -1;
    }
    if (token == SE_JSON_ERROR || v == SE_NONE)
        return token == SE_JSON_ERROR ? -1 : fault(j, err, "a neighbour has no id");
    return se_network_edge(x, u, v, weight, err);
}

/* A list of neighbours for each vertex, in the order of the nodes */
static int read_adjacency(struct se_json *j, struct se_network *x, struct se_bytes *room,
                          struct se_err *err)
{
    const uint64_t n = x->id.n;
    enum se_json_token token = se_json_next(j, err);
    uint64_t u = 0;

    if (token != SE_JSON_ARRAY)
        return token == SE_JSON_ERROR ? -1 : fault(j, err, "a list was expected");
    for (; (token = se_json_next(j, err)) == SE_JSON_ARRAY; u++) {
        while ((token = se_json_next(j, err)) == SE_JSON_OBJECT)
            if (u >= n || read_neighbour(j, x, (uint32_t)u, room, err) < 0)
                return u >= n ? fault(j, err, "more lists than nodes before them") : -1;
        if (token != SE_JSON_ARRAY_END)
            return token == SE_JSON_ERROR ? -1 : fault(j, err, "a neighbour was expected");
    }
    x->matrix = true;
    return token == SE_JSON_ARRAY_END ? 0 : token == SE_JSON_ERROR
           ? -1 : fault(j, err, "a list of neighbours was expected");
}

static int read_node_link(struct se_json *j, struct se_network *x, struct se_err *err)
{
    struct se_bytes room = SE_BYTES_INIT;
    enum se_json_token token = se_json_next(j, err);
    int rc = 0, inside = 0;

    if (token != SE_JSON_OBJECT)
        return token == SE_JSON_ERROR ? -1 : fault(j, err, "an object was expected");
    while (rc == 0 && ((token = se_json_next(j, err)) == SE_JSON_KEY ||
                       (token == SE_JSON_OBJECT_END && inside-- > 0))) {
        if (token == SE_JSON_OBJECT_END)
            continue;
        if (is(j, "elements")) {
            token = se_json_next(j, err);
            inside += token == SE_JSON_OBJECT;
            rc = token == SE_JSON_OBJECT ? 0 : skip(j, token, err);
            continue;
        }
        if (is(j, "adjacency")) {
            rc = read_adjacency(j, x, &room, err);
            continue;
        }
        if (is(j, "nodes")) {
            rc = read_list(j, x, &room, read_node, err);
        } else if (is(j, "links") || is(j, "edges")) {
            rc = read_list(j, x, &room, read_link, err);
        } else {
            const bool directed = is(j, "directed");

            token = se_json_next(j, err);
            if (directed)
                x->undirected = !(x->directed = token == SE_JSON_TRUE);
            rc = skip(j, token, err);
        }
    }
    se_bytes_release(&room);
    return rc < 0 || token == SE_JSON_ERROR || se_json_next(j, err) == SE_JSON_ERROR ? -1 : 0;
}

/* Numbers of a list, or of lists in a list (rows), growing as they come. */
struct numbers {
    double *x;
    uint64_t count, rows, columns;
    size_t cap;
    bool ragged;
    uint64_t *off;
    size_t off_cap;
};

static int add_number(struct numbers *a, const struct se_json *j, enum se_json_token token,
                      struct se_err *err)
{
    const char *p = j->text;
    double v = token == SE_JSON_TRUE;

    if (token == SE_JSON_NULL)
        v = (double)NAN;
    else if (token == SE_JSON_NUMBER && !se_parse_number(&p, &v))
        return fault(j, err, "a number is too large");
    else if (token != SE_JSON_NUMBER && token != SE_JSON_TRUE && token != SE_JSON_FALSE)
        return fault(j, err, "a number was expected");
    if (se_grow(&a->x, &a->cap, a->count + 1, sizeof *a->x, err) < 0)
        return -1;
    a->x[a->count++] = v;
    return 0;
}

static int end_row(struct numbers *a, uint64_t start, struct se_err *err)
{
    if (se_grow(&a->off, &a->off_cap, a->rows + 2, sizeof *a->off, err) < 0)
        return -1;
    a->off[0] = 0;
    if (a->rows == 0)
        a->columns = a->count - start;
    a->ragged |= a->count - start != a->columns;
    a->off[++a->rows] = a->count;
    return 0;
}

static int read_numbers(struct se_json *j, struct numbers *a, struct se_err *err)
{
    enum se_json_token token = se_json_next(j, err);

    if (token != SE_JSON_ARRAY)
        return token == SE_JSON_ERROR ? -1 : fault(j, err, "a list was expected");
    while ((token = se_json_next(j, err)) != SE_JSON_ARRAY_END) {
        const uint64_t start = a->count;

        if (token == SE_JSON_ERROR)
            return -1;
        if (token != SE_JSON_ARRAY) {
            if (add_number(a, j, token, err) < 0)
                return -1;
            continue;
        }
        while ((token = se_json_next(j, err)) != SE_JSON_ARRAY_END)
            if (token == SE_JSON_ERROR || add_number(a, j, token, err) < 0)
                return -1;
        if (end_row(a, start, err) < 0)
            return -1;
    }
    return 0;
}

/* A list becomes an array; lists of different lengths are neighbours of each vertex, and become
 * the entries of a matrix of n rows. */
static int take_numbers(struct numbers *a, struct se_named *item, bool links, struct se_err *err)
{
    const uint64_t shape[2] = { a->rows ? a->rows : a->count, a->columns };
    const bool lists = links && a->rows > 0 && (a->ragged || a->columns != 2);

    if (a->ragged && !lists)
        return se_fail(err, SE_EINPUT, "%s: rows differ in length", item->name);
    if (lists) {
        item->kind = SE_NAMED_SPARSE;
        if (se_sparse_array_make(&item->sparse, a->rows, a->rows, a->count, err) < 0)
            return -1;
        for (uint64_t v = 0; v < a->rows; v++)
            for (uint64_t i = a->off[v]; i < a->off[v + 1]; i++) {
                if (!(a->x[i] >= 0) || a->x[i] >= (double)a->rows || a->x[i] != floor(a->x[i]))
                    return se_fail(err, SE_EINPUT, "%s: vertex %" PRIu64 " is joined to what is "
                                   "not a vertex", item->name, v);
                item->sparse.row[i] = (uint32_t)v;
                item->sparse.column[i] = (uint32_t)a->x[i];
                item->sparse.value[i] = 1;
            }
        memcpy(item->name, "adj", 4);
        return 0;
    }
    if (se_npy_set(&item->dense, "f8", 2, '<', a->rows ? 2 : 1, shape, a->x, a->count * 8,
                   err) < 0)
        return -1;
    item->dense.blob = (struct se_blob){ (unsigned char *)a->x, a->count * 8, a->x };
    a->x = NULL;
    return 0;
}

static int read_wikics(struct se_json *j, struct se_named_set *set, struct se_err *err)
{
    enum se_json_token token = se_json_next(j, err);

    if (token != SE_JSON_OBJECT)
        return token == SE_JSON_ERROR ? -1 : fault(j, err, "an object was expected");
    while ((token = se_json_next(j, err)) == SE_JSON_KEY) {
        const bool links = is(j, "links") || is(j, "edges");
        struct numbers a = { .x = NULL };
        struct se_named *item;
        int rc;

        if (!se_named_known(j->text, j->len)) {
            if (skip(j, se_json_next(j, err), err) < 0)
                return -1;
            continue;
        }
        item = se_named_add(set, j->text, j->len, err);
        rc = item ? read_numbers(j, &a, err) : -1;
        if (rc == 0)
            rc = take_numbers(&a, item, links, err);
        free(a.x);
        free(a.off);
        if (rc < 0)
            return -1;
    }
    return token == SE_JSON_ERROR || se_json_next(j, err) == SE_JSON_ERROR ? -1 : 0;
}

static int import_lists(struct se_import *in, struct se_json *j, struct se_stream *s,
                        struct se_err *err)
{
    struct se_named_set set = SE_NAMED_SET_INIT;
    uint64_t n = 0;
    int rc = read_wikics(j, &set, err) < 0 || se_named_put(&set, in, s, &n, err) < 0
                 ? se_err_in(err, in->path) : se_import_vertices(in, n, err);

    se_named_release(&set);
    return rc;
}

static bool has_nodes(const char *text, size_t len)
{
    const char *p = memmem(text, len, "\"nodes\"", 7);

    while (p && p < text + len && *p != '[')
        p++;
    for (p = p && p < text + len ? p + 1 : NULL; p && p < text + len; p++)
        if (!strchr(" \t\r\n", *p))
            return *p == '{';
    return false;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct se_network x = SE_NETWORK_INIT;
    struct se_bytes text = SE_BYTES_INIT;
    struct se_json j;
    int rc;

    if (se_slurp(&text, in->path, 0, err) < 0)
        return -1;
    se_json_init(&j, text.data, text.len);
    if (has_nodes(text.data, text.len) && !memmem(text.data, text.len, "\"train_masks\"", 13))
        rc = read_node_link(&j, &x, err) < 0 || se_network_put(&x, in, s, err) < 0
                 ? se_err_in(err, in->path) : 0;
    else
        rc = import_lists(in, &j, s, err);
    se_network_release(&x);
    se_bytes_release(&text);
    return rc;
}

static int detect(const char *path, const char *head, size_t len)
{
    while (head && len > 0 && strchr(" \t\r\n", *head)) {
        head++;
        len--;
    }
    if (!head || len == 0 || *head != '{')
        return 0;
    return se_path_is(path, ".json") ? 89 : memmem(head, len, "\"nodes\"", 7) ? 88 : 0;
}

const struct se_format se_format_netjson = {
    .name = "netjson",
    .what = "JSON: node-link and adjacency of networkx, D3, Cytoscape, or WikiCS",
    .import = import,
    .detect = detect
};
