/* pajek.c - Pajek networks: *Vertices, *Edges, *Arcs and lists of them, counted from 1 */
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "formats/escape.h"
#include "formats/facts.h"
#include "formats/network.h"

enum part { NOTHING, VERTICES, PAIRS, LISTS, MATRIX, PARTITION };

struct pajek {
    struct se_text t;
    struct se_network *x;
    enum part part;
    uint64_t n, row;            /* row: of a matrix or partition */
    char partition[64];         /* the name of the one that is read; "": none yet */
    bool done;
};

/* The number at *p, a vertex. */
static int take_vertex(struct pajek *k, const char **p, uint32_t *v, struct se_err *err)
{
    uint64_t id;
    char word[24];

    while (se_is_blank(**p))
        ++*p;
    if (!se_parse_u64(p, &id) || (**p && !se_is_blank(**p)))
        return se_text_fail(&k->t, err, "a vertex was expected, a number from 1 on");
    if (id == 0 || id > k->n)
        return se_text_fail(&k->t, err, "vertex %" PRIu64 ", but *Vertices says %" PRIu64, id,
                            k->n);
    snprintf(word, sizeof word, "%" PRIu64, id);
    return se_network_vertex(k->x, word, strlen(word), v, err);
}

/* The next word or quoted text of a line: false at its end. */
static bool take_word(const char **p, const char **text, size_t *len)
{
    *p += strspn(*p, " \t");
    if (**p == '"') {
        *text = ++*p;
        *len = strcspn(*p, "\"");
        *p += *len + ((*p)[*len] == '"');
        return true;
    }
    *text = *p;
    *len = strcspn(*p, " \t");
    *p += *len;
    return *len > 0;
}

/* Behind the label: coordinates, a shape, then names and values. */
static int read_values(struct pajek *k, uint32_t v, const char *p, struct se_err *err)
{
    const char *key, *text;
    size_t key_len, len;
    bool shape = true;

    while (take_word(&p, &key, &key_len)) {
        if (shape) {                            /* numbers, and the first word behind them */
            shape = key_len > 0 && strchr("+-.0123456789", *key);
            continue;
        }
        if (!take_word(&p, &text, &len))
            return 0;
        if (se_network_value(k->x, v, key, key_len, text, len, err) < 0)
            return -1;
    }
    return 0;
}

static int read_vertex(struct pajek *k, const char *p, struct se_err *err)
{
    const char *label;
    uint32_t v;
    size_t len;

    if (take_vertex(k, &p, &v, err) < 0)
        return -1;
    if (!take_word(&p, &label, &len))
        return 0;
    return se_network_label(k->x, v, label, len, err) < 0 ? -1 : read_values(k, v, p, err);
}

static int read_pair(struct pajek *k, const char *p, struct se_err *err)
{
    uint32_t u, v;
    double w = 1;

    if (take_vertex(k, &p, &u, err) < 0 || take_vertex(k, &p, &v, err) < 0)
        return -1;
    while (se_is_blank(*p))
        p++;
    if (*p && strchr("+-.0123456789", *p) && !se_parse_number(&p, &w))
        return se_text_fail(&k->t, err, "a weight is not a number");
    if (!(w >= 0) || w > (double)FLT_MAX)
        return se_text_fail(&k->t, err, "weight %g is negative or too large; weights are 0 or "
                            "more", w);
    return se_network_edge(k->x, u, v, w, err);
}

static int read_list(struct pajek *k, const char *p, struct se_err *err)
{
    uint32_t u, v;

    if (take_vertex(k, &p, &u, err) < 0)
        return -1;
    while (p[strspn(p, " \t")])
        if (take_vertex(k, &p, &v, err) < 0 || se_network_edge(k->x, u, v, 1, err) < 0)
            return -1;
    return 0;
}

static int read_row(struct pajek *k, const char *p, struct se_err *err)
{
    char word[24];
    uint32_t u, v;

    if (++k->row > k->n)
        return se_text_fail(&k->t, err, "more rows than vertices");
    snprintf(word, sizeof word, "%" PRIu64, k->row);
    if (se_network_vertex(k->x, word, strlen(word), &u, err) < 0)
        return -1;
    for (uint64_t j = 1; p[strspn(p, " \t")]; j++) {
        double w;

        p += strspn(p, " \t");
        if (!se_parse_number(&p, &w) || j > k->n)
            return se_text_fail(&k->t, err, "a row of %" PRIu64 " numbers was expected", k->n);
        snprintf(word, sizeof word, "%" PRIu64, j);
        if (w != 0 && (se_network_vertex(k->x, word, strlen(word), &v, err) < 0 ||
                       se_network_edge(k->x, u, v, w, err) < 0))
            return -1;
    }
    k->x->matrix = true;
    return 0;
}

/* The class of the next vertex */
static int read_class(struct pajek *k, const char *p, struct se_err *err)
{
    char word[24];
    uint32_t v;

    if (++k->row > k->n)
        return se_text_fail(&k->t, err, "more lines in the partition than vertices");
    snprintf(word, sizeof word, "%" PRIu64, k->row);
    return se_network_vertex(k->x, word, strlen(word), &v, err) < 0 ||
           se_network_value(k->x, v, k->partition, strlen(k->partition), p, strcspn(p, " \t"),
                            err) < 0 ? -1 : 0;
}

/* The first partition is called so; others by their names, for --class */
static int begin_partition(struct pajek *k, const char *name, struct se_err *err)
{
    if (k->n == 0)
        return se_text_fail(&k->t, err, "*Vertices has to come first");
    name += strspn(name, " \t");
    snprintf(k->partition, sizeof k->partition, "%s", *k->partition && *name ? name : "partition");
    k->part = PARTITION;
    k->row = 0;
    k->done = false;
    return 0;
}

/* A file of many edges has many vertices; one that only says so costs nothing. */
static int read_count(struct pajek *k, const char *p, struct se_err *err)
{
    while (se_is_blank(*p))
        p++;
    if (!se_parse_u64(&p, &k->n) || k->n == 0 || k->n >= SE_MAX_VERTICES)
        return se_text_fail(&k->t, err, "*Vertices has no number behind it");
    k->part = VERTICES;
    return 0;
}

static int read_star(struct pajek *k, const char *line, struct se_err *err)
{
    if (strncasecmp(line, "*partition", 10) == 0)
        return begin_partition(k, line + 10, err);
    if (strncasecmp(line, "*vector", 7) == 0 || strncasecmp(line, "*permutation", 12) == 0)
        k->done = true;                         /* of a project; the first network counts */
    if (k->done || (k->part == PARTITION && strncasecmp(line, "*vertices", 9) == 0))
        return 0;
    if (strncasecmp(line, "*vertices", 9) == 0)
        return k->n ? se_text_fail(&k->t, err, "a second network; keep each in its own file")
                    : read_count(k, line + 9, err);
    k->part = strncasecmp(line, "*edgeslist", 10) == 0 || strncasecmp(line, "*arcslist", 9) == 0
              ? LISTS : strncasecmp(line, "*edges", 6) == 0 || strncasecmp(line, "*arcs", 5) == 0
              ? PAIRS : strncasecmp(line, "*matrix", 7) == 0 ? MATRIX : NOTHING;
    k->x->directed |= strncasecmp(line, "*arcs", 5) == 0;
    k->x->undirected = strncasecmp(line, "*edges", 6) == 0;
    if (k->part != NOTHING && k->n == 0)
        return se_text_fail(&k->t, err, "*Vertices has to come first");
    return 0;
}

static int read_lines(struct pajek *k, struct se_err *err)
{
    char *line;
    size_t len;
    int rc;

    while ((rc = se_text_line(&k->t, &line, &len, err)) > 0) {
        const char *p = line + strspn(line, " \t");

        if (!*p || *p == '%' || (k->done && *p != '*'))
            continue;
        if (*p == '*')
            rc = read_star(k, p, err);
        else if (k->part == VERTICES)
            rc = read_vertex(k, p, err);
        else if (k->part == PAIRS)
            rc = read_pair(k, p, err);
        else if (k->part == LISTS)
            rc = read_list(k, p, err);
        else if (k->part == MATRIX)
            rc = read_row(k, p, err);
        else if (k->part == PARTITION)
            rc = read_class(k, p, err);
        if (rc < 0)
            return -1;
    }
    return rc;
}

/* Vertices that no line names exist too; 1 .. n become 0 .. n-1. */
static int renumber(struct se_network *x, uint64_t n, struct se_err *err)
{
    struct se_table id = SE_TABLE_INIT;
    uint32_t v;

    for (uint64_t i = 1; i <= n; i++) {
        char word[24];

        snprintf(word, sizeof word, "%" PRIu64, i);
        if (se_network_vertex(x, word, strlen(word), &v, err) < 0)
            return -1;
    }
    for (uint64_t i = 0; i < x->id.n; i++) {
        char word[24] = "";
        uint64_t at = x->id.off[i], number = 1;

        memcpy(word, x->id.text.data + at, x->id.off[i + 1] - at);
        se_whole_u64(word, &number);
        snprintf(word, sizeof word, "%" PRIu64, number - 1);
        if (se_table_add(&id, word, strlen(word), &v, err) < 0) {
            se_table_release(&id);
            return -1;
        }
    }
    se_table_release(&x->id);
    x->id = id;
    return 0;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct se_network x = SE_NETWORK_INIT;
    struct pajek k = { .x = &x };
    int rc;

    if (se_text_open(&k.t, in->path, err) < 0)
        return -1;
    rc = read_lines(&k, err);
    if (rc == 0 && (k.n == 0 ? se_fail(err, SE_EINPUT, "has no *Vertices")
                             : se_check_sparse(k.n, x.edges + x.label_count, in->n, err)) < 0)
        rc = se_err_in(err, in->path);
    if (rc == 0 && (renumber(&x, k.n, err) < 0 || se_network_put(&x, in, s, err) < 0))
        rc = se_err_in(err, in->path);
    se_text_close(&k.t);
    se_network_release(&x);
    return rc;
}

static int detect(const char *path, const char *head, size_t len)
{
    const char *p = head;

    (void)path;
    while (p && p < head + len && *p == '%') {          /* comments */
        p = memchr(p, '\n', (size_t)(head + len - p));
        p = p ? p + 1 : NULL;
    }
    return p && (strncasecmp(p, "*vertices", 9) == 0 || strncasecmp(p, "*network", 8) == 0)
               ? 94 : 0;
}

static void edge(struct se_out *out, uint64_t id, uint64_t u, uint64_t v, const float *weight)
{
    (void)id;
    se_outf(out, "%u %u", (unsigned)u + 1, (unsigned)v + 1);
    if (weight)
        se_outf(out, " %.9g", (double)*weight);
    se_out_char(out, '\n');
}

static void text(struct se_out *out, const char *s, size_t len)
{
    static const struct se_escape escapes[] = {
        { '"', "'" }, { '\n', " " }, { '\r', " " }, { '\t', " " }, { 0, NULL }
    };

    se_out_char(out, '"');
    se_out_escaped(out, s, len, escapes);
    se_out_char(out, '"');
}

static void class(struct se_out *out, const struct se_facts *f, const char *key, int32_t c)
{
    const char *name = se_facts_class(f, c);

    se_outf(out, " %s ", key);
    if (name)
        text(out, name, strlen(name));
    else
        se_outf(out, "%d", c);
}

/* Values of vertices stand behind a place and a shape, as networkx writes them. */
static void write_graph(struct se_out *out, const struct se_facts *f, const struct se_graph *g,
                        const uint32_t *module)
{
    const char *name;
    size_t len;

    se_outf(out, "*Vertices %u\n", (unsigned)g->n);
    for (uint64_t v = 0; v < g->n; v++) {
        se_outf(out, "%u ", (unsigned)v + 1);
        if (se_facts_name(f, v, &name, &len))
            text(out, name, len);
        else
            se_outf(out, "\"%u\"", (unsigned)v);
        if (f->label || f->predicted || module)
            se_out_str(out, " 0.0 0.0 ellipse");
        if (f->label && f->label[v] >= 0)
            class(out, f, "class", f->label[v]);
        if (f->predicted && f->predicted[v] >= 0)
            class(out, f, "predicted", f->predicted[v]);
        if (module)
            se_outf(out, " module %u", module[v]);
        se_out_char(out, '\n');
    }
    se_out_str(out, f->directed ? "*Arcs\n" : "*Edges\n");
    se_write_edges(out, g, edge);
}

static int export_pajek(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                        struct se_err *err)
{
    return se_export_network(ex, s, out, write_graph, err);
}

const struct se_format se_format_pajek = {
    .name = "pajek",
    .what = "Pajek: *Vertices, *Edges, *Arcs",
    .directed = true,
    .extensions = { "net", "paj" },
    .import = import,
    .detect = detect,
    .export = export_pajek
};
