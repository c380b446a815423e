/* dimacs.c - graphs of the DIMACS challenges: p edge, e u v; p sp, a u v length
 *
 * Vertices are counted from 1.  Lengths of roads are no weights: a long one joins less. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/internal.h"
#include "formats/vertices.h"

struct dimacs {
    struct se_text t;
    struct se_builder b;
    uint64_t n, edges;          /* edges: that the heading promises */
    bool lengths;               /* edges have one */
};

static int read_heading(struct dimacs *d, const char *line, struct se_err *err)
{
    char kind[16] = "";

    if (d->n)
        return se_text_fail(&d->t, err, "a second line p");
    if (sscanf(line, "p %15s %" SCNu64 " %" SCNu64, kind, &d->n, &d->edges) != 3 || d->n == 0 ||
        d->n >= SE_NONE)
        return se_text_fail(&d->t, err, "p edge VERTICES EDGES was expected");
    if (strcmp(kind, "edge") != 0 && strcmp(kind, "col") != 0 && strcmp(kind, "sp") != 0)
        return se_text_fail(&d->t, err, "problems of kind %s are not read, only edge, col and sp",
                            kind);
    return 0;
}

static int read_edge(struct dimacs *d, const char *line, struct se_err *err)
{
    const char *p = line + 1;
    uint64_t end[2];

    if (d->n == 0)
        return se_text_fail(&d->t, err, "a line p has to come first");
    for (int i = 0; i < 2; i++) {
        p += strspn(p, " \t");
        if (!se_parse_u64(&p, &end[i]) || (*p && !se_is_blank(*p)) || end[i] < 1 || end[i] > d->n)
            return se_text_fail(&d->t, err, "two vertices from 1 to %" PRIu64 " were expected",
                                d->n);
    }
    d->lengths |= p[strspn(p, " \t")] != '\0';
    return se_builder_add(&d->b, (uint32_t)(end[0] - 1), (uint32_t)(end[1] - 1), 1, err);
}

static int read_lines(struct dimacs *d, struct se_err *err)
{
    char *line;
    size_t len;
    int rc;

    while ((rc = se_text_line(&d->t, &line, &len, err)) > 0) {
        if (*line == 'p')
            rc = read_heading(d, line, err);
        else if (*line == 'e' || *line == 'a')
            rc = read_edge(d, line, err);
        else if (*line && *line != 'c' && *line != 'n')
            rc = se_text_fail(&d->t, err, "a line starts with c, p, e or a");
        if (rc < 0)
            return -1;
    }
    if (rc == 0 && d->n == 0)
        return se_text_fail(&d->t, err, "there is no line p");
    return rc;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct dimacs d = { .b = SE_BUILDER_INIT };
    int rc;

    if (se_text_open(&d.t, in->path, err) < 0)
        return -1;
    se_import_start(in, &d.b, false);
    rc = read_lines(&d, err);
    if (rc == 0 && (se_check_sparse(d.n, d.b.count, in->n, err) < 0 ||
                    (d.b.n = d.n, se_import_graph(in, &d.b, SE_MERGE_SUM, s, err)) < 0))
        rc = se_err_in(err, in->path);
    if (rc == 0 && d.lengths)
        rc = se_say(in->notes, err, "%s: lengths of edges are not used as weights", in->path);
    se_builder_release(&d.b);
    se_text_close(&d.t);
    return rc < 0 ? -1 : se_import_vertices(in, d.n, err);
}

static int detect(const char *path, const char *head, size_t len)
{
    const char *p = head, *end = head ? head + len : NULL;

    (void)path;
    while (p && p < end && *p == 'c' && (p[1] == ' ' || p[1] == '\n' || p[1] == '\r')) {
        p = memchr(p, '\n', (size_t)(end - p));
        p = p ? p + 1 : NULL;
    }
    return p && (strncmp(p, "p edge ", 7) == 0 || strncmp(p, "p sp ", 5) == 0 ||
                 strncmp(p, "p col ", 6) == 0) ? 90 : 0;
}

const struct se_format se_format_dimacs = {
    .name = "dimacs",
    .what = "DIMACS: p edge, e u v; p sp, a u v length",
    .extensions = { "gr", "col" },
    .import = import,
    .detect = detect
};
