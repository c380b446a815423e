/* dl.c - the DL files of UCINET: a matrix, a list of edges or lists of neighbours
 *
 * A heading of words such as n=4, format=edgelist1 and labels: comes first, in any order and over
 * any lines, then data: and the data.  Vertices are numbers from 1, or labels. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/network.h"

enum layout { FULL, EDGES, LISTS, OTHER };

struct dl {
    const char *path;
    struct se_network *x;
    const char *at;             /* where in the text */
    uint64_t line;
    uint64_t n, columns;        /* columns: 0 unless rows and columns differ */
    enum layout layout;
    bool embedded;              /* the data have labels */
    bool no_diagonal;
    uint64_t labels;            /* that were read */
};

#define BLANKS " \t\r,"

static int fail(const struct dl *d, struct se_err *err, const char *what)
{
    return se_fail(err, SE_EINPUT, "%s: line %" PRIu64 ": %s", d->path, d->line, what);
}

static void skip(struct dl *d, bool lines)
{
    for (; *d->at && (strchr(BLANKS, *d->at) || (lines && *d->at == '\n')); d->at++)
        d->line += *d->at == '\n';
}

/* The next word, of this line or of any: its length, or 0.  Quotes hold blanks. */
static size_t word_of(struct dl *d, bool lines, const char *ends, const char **word)
{
    size_t len;

    skip(d, lines);
    if (*d->at == '"') {
        *word = d->at + 1;
        len = strcspn(*word, "\"\n");
        d->at = *word + len + ((*word)[len] == '"');
        return len;
    }
    *word = d->at;
    len = strcspn(d->at, ends);
    d->at += len;
    return len;
}

static bool is(const char *word, size_t len, const char *what)
{
    return len == strlen(what) && strncasecmp(word, what, len) == 0;
}

/* The vertex of a number from 1, or of a label. */
static int vertex_of(struct dl *d, const char *word, size_t len, uint32_t *v, struct se_err *err)
{
    const char *p = word;
    char number[24];
    uint64_t id;

    if (d->embedded) {
        if (se_network_vertex(d->x, word, len, v, err) < 0)
            return -1;
        return d->n && d->x->id.n > d->n ? fail(d, err, "there are more labels than vertices") : 0;
    }
    if (!se_parse_u64(&p, &id) || p != word + len || id < 1 || id > d->n)
        return fail(d, err, "a vertex from 1 to n was expected; where the data have labels, the "
                    "heading says labels embedded");
    len = (size_t)snprintf(number, sizeof number, "%" PRIu64, id - 1);
    return se_network_vertex(d->x, number, len, v, err);
}

static int take_label(struct dl *d, const char *word, size_t len, struct se_err *err)
{
    char number[24];
    uint32_t v;

    const int digits = snprintf(number, sizeof number, "%" PRIu64, d->labels);

    if (++d->labels > d->n)
        return fail(d, err, "there are more labels than vertices");
    return se_network_vertex(d->x, number, (size_t)digits, &v, err) < 0 ||
           se_network_label(d->x, v, word, len, err) < 0 ? -1 : 0;
}

/* The value of "key = value" or "key=value". */
static size_t value_of(struct dl *d, const char **value)
{
    skip(d, true);
    d->at += *d->at == '=';
    return word_of(d, true, BLANKS "\n=", value);
}

static int take_number(struct dl *d, const char *key, size_t len, struct se_err *err)
{
    const char *value;
    const size_t digits = value_of(d, &value);
    const char *p = value;
    uint64_t n;

    if (digits == 0 || !se_parse_u64(&p, &n) || p != value + digits || n == 0 || n >= SE_NONE)
        return fail(d, err, "a number was expected behind n=");
    if (is(key, len, "nm"))
        return n == 1 ? 0 : fail(d, err, "holds several matrices; write each to a file of its own");
    if (is(key, len, "nc"))
        d->columns = n;
    else
        d->n = n;
    return 0;
}

static int take_layout(struct dl *d, struct se_err *err)
{
    static const struct {
        const char *name;
        enum layout layout;
    } known[] = {
        { "fullmatrix", FULL }, { "fm", FULL }, { "edgelist1", EDGES }, { "edgelist", EDGES },
        { "el1", EDGES }, { "nodelist1", LISTS }, { "nodelist", LISTS }, { "nl1", LISTS }
    };
    const char *value;
    const size_t len = value_of(d, &value);

    d->layout = OTHER;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is(value, len, known[i].name))
            d->layout = known[i].layout;
    return d->layout != OTHER ? 0 : fail(d, err, "only the formats fullmatrix, edgelist1 and "
                                         "nodelist1 are read; export it as one of these");
}

/* Labels, up to a word of the heading that ends in a colon. */
static int take_labels(struct dl *d, struct se_err *err)
{
    for (;;) {
        const char *word, *before;
        size_t len;

        skip(d, true);
        before = d->at;
        len = word_of(d, true, BLANKS "\n", &word);
        if (len == 0)
            return fail(d, err, "data: was expected behind the labels");
        if (*before != '"' && (is(word, len, "data:") || is(word, len, "labels"))) {
            d->at = before;
            return 0;
        }
        if (take_label(d, word, len, err) < 0)
            return -1;
    }
}

/* One word of the heading: 1 to go on, 0 at the data, or -1. */
static int take_word(struct dl *d, struct se_err *err)
{
    const char *word;
    const size_t len = word_of(d, true, BLANKS "\n=:", &word);
    const bool colon = *d->at == ':';

    d->at += colon;
    if (len == 0)
        return fail(d, err, "data: was expected");
    if (is(word, len, "data") && colon)
        return 0;
    if (is(word, len, "n") || is(word, len, "nr") || is(word, len, "nc") || is(word, len, "nm"))
        return take_number(d, word, len, err) < 0 ? -1 : 1;
    if (is(word, len, "format"))
        return take_layout(d, err) < 0 ? -1 : 1;
    if (is(word, len, "embedded"))
        d->embedded = true;
    d->no_diagonal |= is(word, len, "absent");
    if (is(word, len, "labels") && colon)
        return take_labels(d, err) < 0 ? -1 : 1;
    return 1;
}

static int add_edge(struct dl *d, uint32_t u, uint32_t v, double w, struct se_err *err)
{
    if (!(w >= 0))
        return fail(d, err, "a weight is negative; weights are 0 or more");
    return se_network_edge(d->x, u, v, w, err);
}

/* A row of the matrix; with labels embedded the first line has those of the columns. */
static int read_matrix(struct dl *d, struct se_err *err)
{
    const char *word;
    size_t len;
    uint32_t u, v;
    char number[24];

    for (uint64_t j = 0; d->embedded && j < d->n; j++)
        if ((len = word_of(d, true, BLANKS "\n", &word)) == 0 ||
            vertex_of(d, word, len, &v, err) < 0 || v != j)
            return len && err->code ? -1 : fail(d, err, "another label of each column was expected");
    for (uint64_t i = 0; i < d->n; i++) {
        if (d->embedded && ((len = word_of(d, true, BLANKS "\n", &word)) == 0 ||
                            vertex_of(d, word, len, &u, err) < 0))
            return len ? -1 : fail(d, err, "a label of each row was expected");
        if (!d->embedded &&
            (len = (size_t)snprintf(number, sizeof number, "%" PRIu64, i),
             se_network_vertex(d->x, number, len, &u, err) < 0))
            return -1;
        for (uint64_t j = 0; j < d->n; j++) {
            double w;

            if (d->no_diagonal && i == j)
                continue;
            len = word_of(d, true, BLANKS "\n", &word);
            if (len == 0 || !se_parse_number(&word, &w) || word != d->at)
                return fail(d, err, "a number for each pair of vertices was expected");
            len = (size_t)snprintf(number, sizeof number, "%" PRIu64, j);
            v = (uint32_t)j;
            if (w != 0 && ((!d->embedded && se_network_vertex(d->x, number, len, &v, err) < 0) ||
                           add_edge(d, u, v, w, err) < 0))
                return -1;
        }
    }
    d->x->matrix = true;
    return 0;
}

/* A line "u v [weight]" or "u v w ..." */
static int read_line(struct dl *d, struct se_err *err)
{
    const char *word;
    size_t len = word_of(d, false, BLANKS "\n", &word);
    uint32_t u, v;
    double w = 1;

    if (len == 0)
        return 0;
    if (vertex_of(d, word, len, &u, err) < 0)
        return -1;
    while ((len = word_of(d, false, BLANKS "\n", &word)) > 0) {
        if (vertex_of(d, word, len, &v, err) < 0)
            return -1;
        if (d->layout == EDGES && (len = word_of(d, false, BLANKS "\n", &word)) > 0 &&
            (!se_parse_number(&word, &w) || word != d->at))
            return fail(d, err, "a weight is not a number");
        if (add_edge(d, u, v, w, err) < 0)
            return -1;
    }
    return 0;
}

static int read_data(struct dl *d, struct se_err *err)
{
    if (d->columns && d->columns != d->n)
        return fail(d, err, "has rows and columns of different things; only square data are read");
    if (d->layout == FULL)
        return d->n == 0 ? fail(d, err, "n= was expected") : read_matrix(d, err);
    while (*d->at) {
        if (read_line(d, err) < 0)
            return -1;
        d->line += *d->at == '\n';
        d->at += *d->at == '\n';
    }
    return 0;
}

/* Vertices that no edge names exist, too. */
static int fill(struct dl *d, struct se_err *err)
{
    char number[24];
    uint32_t v;

    if (se_check_sparse(d->n, d->x->edges + d->labels, 0, err) < 0)
        return se_err_in(err, d->path);
    for (uint64_t i = 0; i < d->n && !d->embedded; i++)
        if (se_network_vertex(d->x, number, (size_t)snprintf(number, sizeof number, "%" PRIu64, i),
                              &v, err) < 0)
            return -1;
    return 0;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct se_network x = SE_NETWORK_INIT;
    struct se_bytes text = SE_BYTES_INIT;
    struct dl d = { .path = in->path, .x = &x, .line = 1 };
    int rc;

    if (se_slurp(&text, in->path, 0, err) < 0 || se_bytes_add(&text, "", 1, err) < 0)
        return se_bytes_release(&text), -1;
    d.at = text.data + strspn(text.data, " \t\r\n");
    rc = strncasecmp(d.at, "dl", 2) == 0 ? 1 : fail(&d, err, "DL was expected");
    d.at += rc > 0 ? 2 : 0;
    while (rc > 0)
        rc = take_word(&d, err);
    if (rc == 0)
        rc = read_data(&d, err);
    if (rc == 0)
        rc = fill(&d, err);
    if (rc == 0 && se_network_put(&x, in, s, err) < 0)
        rc = se_err_in(err, in->path);
    se_bytes_release(&text);
    se_network_release(&x);
    return rc;
}

static int detect(const char *path, const char *head, size_t len)
{
    const char *p = head ? head + strspn(head, " \t\r\n") : "";

    if (strncasecmp(p, "dl", 2) != 0 || !p[2] || !strchr(" \t,\r\n", p[2]))
        return 0;
    return memmem(head, len, "=", 1) && (strcasestr(p, "data:") || strcasestr(p, "format") ||
                                         se_path_is(path, ".dl")) ? 88 : 0;
}

const struct se_format se_format_dl = {
    .name = "dl",
    .what = "DL of UCINET: fullmatrix, edgelist1, nodelist1",
    .import = import,
    .detect = detect
};
