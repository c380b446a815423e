/* network.c - a graph on its way in from a format that names its vertices as it likes */
#include "formats/network.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/vertices.h"

void se_network_release(struct se_network *x)
{
    se_table_release(&x->id);
    se_table_release(&x->attribute);
    free(x->edge);
    free(x->value);
    free(x->labels);
    se_bytes_release(&x->text);
    se_bytes_release(&x->label);
}

int se_network_vertex(struct se_network *x, const char *id, size_t len, uint32_t *v,
                      struct se_err *err)
{
    return se_table_add(&x->id, id, len, v, err);
}

int se_network_edge(struct se_network *x, uint32_t u, uint32_t v, double weight,
                    struct se_err *err)
{
    const float w = (float)weight;

    if (!(w >= 0) || !isfinite(w))
        return se_fail(err, SE_EINPUT, "an edge has weight %g; weights are 0 or more", weight);
    if (se_grow(&x->edge, &x->edge_cap, x->edges + 1, sizeof *x->edge, err) < 0)
        return -1;
    x->edge[x->edges++] = (struct se_network_edge){ u, v, w, x->undirected };
    return 0;
}

/* Append text with a NUL behind it; one inside ends it. */
static int add_text(struct se_bytes *b, const char *text, size_t len, struct se_err *err)
{
    return se_bytes_add(b, text, strnlen(text, len), err) < 0 || se_bytes_add(b, "", 1, err) < 0
               ? -1 : 0;
}

int se_network_label(struct se_network *x, uint32_t v, const char *text, size_t len,
                     struct se_err *err)
{
    if (se_grow(&x->labels, &x->label_cap, x->label_count + 1, sizeof *x->labels, err) < 0)
        return -1;
    x->labels[x->label_count++] = (struct se_network_label){ v, x->label.len };
    return add_text(&x->label, text, len, err);
}

int se_network_value(struct se_network *x, uint32_t v, const char *name, size_t name_len,
                     const char *text, size_t len, struct se_err *err)
{
    uint32_t attribute;

    if (se_table_add(&x->attribute, name, name_len, &attribute, err) < 0 ||
        se_grow(&x->value, &x->value_cap, x->values + 1, sizeof *x->value, err) < 0)
        return -1;
    x->value[x->values++] = (struct se_network_value){ v, attribute, x->text.len };
    return add_text(&x->text, text, len, err);
}

/* If the ids are the numbers 0 .. n-1 in any order, *to becomes the vertex of each; else it
 * stays NULL and vertices are numbered as they came. */
static int number(const struct se_network *x, uint32_t **to, struct se_err *err)
{
    const uint64_t n = x->id.n;
    unsigned char *seen = se_zalloc(n, 1, err);
    uint64_t v = 0;

    *to = seen ? se_alloc(n, sizeof **to, err) : NULL;
    for (; *to && v < n; v++) {
        const uint64_t at = x->id.off[v], len = x->id.off[v + 1] - at;
        char word[16] = "";
        uint64_t id;

        if (len == 0 || len >= sizeof word)
            break;
        memcpy(word, x->id.text.data + at, len);
        if ((word[0] == '0' && len > 1) || !se_whole_u64(word, &id) || id >= n || seen[id]++)
            break;
        (*to)[v] = (uint32_t)id;
    }
    free(seen);
    if (*to && v < n) {
        free(*to);
        *to = NULL;
        return 0;
    }
    return *to ? 0 : -1;
}

static int put_edges(const struct se_network *x, const uint32_t *to, struct se_import *in,
                     struct se_stream *s, struct se_err *err)
{
    struct se_builder b = SE_BUILDER_INIT;
    int rc = 0;

    b.n = x->id.n;
    se_import_start(in, &b, !x->matrix && x->undirected && !x->directed);
    for (uint64_t i = 0; i < x->edges && !b.weighted; i++)
        b.weighted = x->edge[i].weight != 1;
    for (uint64_t i = 0; i < x->edges && rc == 0; i++) {
        const struct se_network_edge *e = &x->edge[i];

        b.both = e->both && !x->matrix;
        rc = se_builder_add(&b, to ? to[e->u] : e->u, to ? to[e->v] : e->v, e->weight, err);
    }
    if (rc == 0)
        rc = se_import_graph(in, &b, x->matrix ? SE_MERGE_MATRIX : SE_MERGE_SUM, s, err);
    se_builder_release(&b);
    return rc;
}

/* Labels as names: 1, or 0 if a vertex has none or two are equal, or -1. */
static int put_labels(const struct se_network *x, const uint32_t *to, struct se_stream *s,
                      struct se_err *err)
{
    const uint64_t n = x->id.n;
    struct se_table t = SE_TABLE_INIT;
    const char **text = se_zalloc(n, sizeof *text, err);
    int rc = text ? 1 : -1;

    for (uint64_t i = 0; i < x->label_count && rc > 0; i++) {
        const uint32_t v = x->labels[i].vertex;

        text[to ? to[v] : v] = x->label.data + x->labels[i].at;
    }
    for (uint64_t v = 0; v < n && rc > 0; v++) {
        uint32_t id;

        if (!text[v] || !*text[v])
            rc = 0;
        else if (se_table_add(&t, text[v], strlen(text[v]), &id, err) < 0)
            rc = -1;
        else if (id != v)
            rc = 0;
    }
    if (rc > 0 && se_table_put(&t, s, err) < 0)
        rc = -1;
    se_table_release(&t);
    free(text);
    return rc;
}

/* Labels that are the ids again are no names. */
static bool labels_differ(const struct se_network *x)
{
    for (uint64_t i = 0; i < x->label_count; i++) {
        const uint32_t v = x->labels[i].vertex;
        const uint64_t at = x->id.off[v], len = x->id.off[v + 1] - at;
        const char *text = x->label.data + x->labels[i].at;

        if (strlen(text) != len || memcmp(text, x->id.text.data + at, len) != 0)
            return true;
    }
    return false;
}

static int put_names(const struct se_network *x, const uint32_t *to, struct se_stream *s,
                     struct se_err *err)
{
    int rc = labels_differ(x) ? put_labels(x, to, s, err) : 0;

    if (rc == 0 && !to)
        rc = se_table_put(&x->id, s, err);
    return rc < 0 ? -1 : 0;
}

static uint32_t class_attribute(const struct se_network *x, const struct se_import *in)
{
    static const char *const usual[] = {
        "class", "classes", "club", "group", "community", "conference", "value", "block", "gt",
        "ground_truth", "y", "category", "subject", "partition", "modularity_class",
        "modularity class", NULL
    };

    if (in->class)
        return se_table_find(&x->attribute, in->class, strlen(in->class));
    for (int i = 0; usual[i]; i++)
        for (uint64_t a = 0; a < x->attribute.n; a++) {
            const uint64_t at = x->attribute.off[a], len = x->attribute.off[a + 1] - at;

            if (strlen(usual[i]) == len &&
                strncasecmp(usual[i], x->attribute.text.data + at, len) == 0)
                return (uint32_t)a;
        }
    return SE_NONE;
}

static bool is_fraction(const char *text)
{
    double v;

    return se_whole_number(text, &v) && v != floor(v);
}

static int put_classes(const struct se_network *x, const uint32_t *to, uint32_t attribute,
                       struct se_import *in, struct se_stream *s, struct se_err *err)
{
    const char *name = x->attribute.text.data + x->attribute.off[attribute];
    const int len = (int)(x->attribute.off[attribute + 1] - x->attribute.off[attribute]);
    struct se_classes c = SE_CLASSES_INIT;
    int rc = 0;

    for (uint64_t i = 0; i < x->values && rc == 0; i++) {
        const struct se_network_value *v = &x->value[i];

        if (v->attribute != attribute)
            continue;
        if (is_fraction(x->text.data + v->at)) {
            rc = se_say(in->notes, err, "%s: no labels taken from %.*s: it holds numbers with a "
                        "fraction", in->path, len, name);
            goto done;
        }
        rc = se_classes_set(&c, to ? to[v->vertex] : v->vertex, x->text.data + v->at, err);
    }
    if (rc == 0 && c.n < x->id.n)
        rc = se_classes_set(&c, x->id.n - 1, "", err);
    if (rc == 0)
        rc = se_classes_put(&c, s, err);
    if (rc == 0)
        rc = se_say(in->notes, err, "%s: labels = %.*s", in->path, len, name);
    in->class_used |= in->class != NULL;
done:
    se_classes_release(&c);
    return rc;
}

/* Attributes that were passed over, so that nobody believes they are features. */
static int tell_rest(const struct se_network *x, uint32_t class, const struct se_import *in,
                     struct se_err *err)
{
    struct se_bytes list = SE_BYTES_INIT;
    int rc = 0;

    for (uint64_t a = 0; a < x->attribute.n && rc == 0 && list.len < 300; a++)
        if (a != class && ((list.len && se_bytes_add(&list, ", ", 2, err) < 0) ||
                           se_bytes_add(&list, x->attribute.text.data + x->attribute.off[a],
                                        x->attribute.off[a + 1] - x->attribute.off[a], err) < 0))
            rc = -1;
    if (rc == 0 && list.len)
        rc = se_say(in->notes, err, "%s: attributes of vertices not used: %.*s", in->path,
                    (int)list.len, list.data);
    if (rc == 0 && x->directed && !in->directed)
        rc = se_say(in->notes, err, "%s: edges have directions, which are dropped: %" PRIu64
                    " arcs repeat an edge or are its other direction (--directed keeps "
                    "directions)", in->path, in->repeated);
    se_bytes_release(&list);
    return rc;
}

int se_network_put(struct se_network *x, struct se_import *in, struct se_stream *s,
                   struct se_err *err)
{
    const uint32_t class = class_attribute(x, in);
    uint32_t *to = NULL;
    int rc;

    if (x->id.n == 0)
        return se_fail(err, SE_EINPUT, "has no vertices");
    if (in->class && class == SE_NONE)
        return se_fail(err, SE_EINPUT, "no vertex has an attribute %s for --class", in->class);
    if (number(x, &to, err) < 0)
        return -1;
    rc = put_edges(x, to, in, s, err) < 0 || put_names(x, to, s, err) < 0 ||
         (class != SE_NONE && put_classes(x, to, class, in, s, err) < 0) ||
         tell_rest(x, class, in, err) < 0 ? -1 : 0;
    free(to);
    if (rc == 0 && in->n && in->n != x->id.n)
        rc = se_fail(err, SE_EINPUT, "has %" PRIu64 " vertices, but %" PRIu64 " were asked for",
                     x->id.n, in->n);
    return rc;
}
