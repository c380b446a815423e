/* metis.c - METIS graph files: line i lists the neighbours of vertex i, from 1
 *
 * The header is "n m [fmt [ncon]]"; fmt's digits say whether lines have vertex sizes, vertex
 * weights (ncon of them) and edge weights.  Sizes and vertex weights are skipped.
 *
 * METIS knows integer weights from 1 up only.  Weights that are none are not rounded or
 * scaled behind anyone's back: the export refuses them.  Self-loops are left out of it. */
#include <float.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/graph/adjacency.h"
#include "common/graph/builder.h"
#include "formats/internal.h"
#include "formats/vertices.h"

struct reader {
    struct se_import *in;
    struct se_text text;
    uint64_t n, m;              /* as the header has them */
    uint64_t skip;              /* numbers before the neighbours of a line */
    bool weighted;
    uint64_t vertex;            /* lines of vertices read */
    uint64_t *line;             /* where they are */
    size_t line_cap;
    uint32_t *row;              /* neighbours of the line at hand */
    size_t row_cap;
    uint64_t arcs, loops;
    struct se_builder up, down; /* what the lower ends say, and what the higher */
};

/* The next line that is no comment; blank ones count. */
static int next_line(struct reader *r, const char **p, struct se_err *err)
{
    size_t len;
    char *line;
    int got;

    while ((got = se_text_line(&r->text, &line, &len, err)) > 0 && *line == '%')
        ;
    *p = line;
    return got;
}

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \t");
}

/* The number at *p, blanks behind it skipped. */
static bool take_u64(const char **p, uint64_t *value)
{
    if (!se_parse_u64(p, value) || (**p && **p != ' ' && **p != '\t'))
        return false;
    *p = skip_blanks(*p);
    return true;
}

static int read_header(struct reader *r, struct se_err *err)
{
    uint64_t fmt = 0, ncon = 1;
    const char *p;
    int got;

    do {
        got = next_line(r, &p, err);
        if (got < 0)
            return -1;
        if (got == 0)
            return se_fail(err, SE_EINPUT, "%s: holds no graph", r->text.path);
        p = skip_blanks(p);
    } while (*p == '\0');
    if (!take_u64(&p, &r->n) || !take_u64(&p, &r->m) || (*p && !take_u64(&p, &fmt)) ||
        (*p && !take_u64(&p, &ncon)) || *p)
        return se_text_fail(&r->text, err, "should be: vertices edges [fmt [ncon]]");
    if (fmt > 111 || fmt % 10 > 1 || fmt / 10 % 10 > 1 || ncon > 1000)
        return se_text_fail(&r->text, err, "fmt is three digits, each 0 or 1, and ncon is "
                            "small");
    if (r->n >= SE_MAX_VERTICES)
        return se_text_fail(&r->text, err, "%" PRIu64 " vertices are too many", r->n);
    r->skip = fmt / 100 + (fmt / 10 % 10 ? ncon : 0);
    r->weighted = r->up.weighted = r->down.weighted = fmt % 10;
    return 0;
}

static int add_arc(struct reader *r, uint64_t u, uint64_t v, double w, struct se_err *err)
{
    r->arcs++;
    if (u == v) {
        r->loops++;
        return se_builder_add(&r->up, (uint32_t)u, (uint32_t)u, (float)w, err);
    }
    return se_builder_add(u < v ? &r->up : &r->down, (uint32_t)u, (uint32_t)v, (float)w, err);
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static int check_repeats(struct reader *r, size_t count, struct se_err *err)
{
    size_t i = 1;

    while (i < count && r->row[i - 1] < r->row[i])
        i++;
    if (i >= count)
        return 0;
    qsort(r->row, count, sizeof *r->row, compare);
    for (i = 1; i < count; i++)
        if (r->row[i - 1] == r->row[i])
            return se_text_fail(&r->text, err, "vertex %" PRIu64 " lists %" PRIu32 " twice",
                                r->vertex + 1, r->row[i] + 1);
    return 0;
}

static int read_vertex(struct reader *r, const char *p, struct se_err *err)
{
    size_t count = 0;
    uint64_t v;
    double w = 1;

    p = skip_blanks(p);
    for (uint64_t i = 0; i < r->skip; i++)
        if (!take_u64(&p, &v))
            return se_text_fail(&r->text, err, "should start with %" PRIu64 " integers: the "
                                "size and weights of the vertex", r->skip);
    for (; *p; count++) {
        if (!take_u64(&p, &v) || v < 1 || v > r->n)
            return se_text_fail(&r->text, err, "neighbour %zu is not a vertex from 1 to %"
                                PRIu64, count + 1, r->n);
        if (r->weighted) {
            if (!se_parse_number(&p, &w) || (*p && *p != ' ' && *p != '\t') || w < 0 ||
                w > (double)FLT_MAX)
                return se_text_fail(&r->text, err, "neighbour %" PRIu64 " has no weight of 0 "
                                    "or more", v);
            p = skip_blanks(p);
        }
        if (se_grow(&r->row, &r->row_cap, count + 1, sizeof *r->row, err) < 0 ||
            add_arc(r, r->vertex, v - 1, w, err) < 0)
            return -1;
        r->row[count] = (uint32_t)(v - 1);
    }
    return check_repeats(r, count, err);
}

static bool is_twice(uint64_t arcs, uint64_t edges)
{
    return arcs % 2 == 0 && arcs / 2 == edges;
}

static int read_lists(struct reader *r, struct se_err *err)
{
    const char *p;
    int got;

    while ((got = next_line(r, &p, err)) > 0) {
        if (r->vertex == r->n) {
            if (*skip_blanks(p) == '\0')
                continue;
            return se_text_fail(&r->text, err, "is behind the last of the %" PRIu64
                                " vertices", r->n);
        }
        if (se_grow(&r->line, &r->line_cap, r->vertex + 1, sizeof *r->line, err) < 0 ||
            read_vertex(r, p, err) < 0)
            return -1;
        r->line[r->vertex++] = r->text.line;
    }
    if (got < 0)
        return -1;
    if (r->vertex < r->n)
        return se_fail(err, SE_EINPUT, "%s: ends after %" PRIu64 " of %" PRIu64 " vertices",
                       r->text.path, r->vertex, r->n);
    if (!is_twice(r->arcs, r->m) && !is_twice(r->arcs - r->loops, r->m))
        return se_fail(err, SE_EINPUT, "%s: the header says %" PRIu64 " edges, but the lists "
                       "have %" PRIu64 " neighbours, not twice that", r->text.path, r->m,
                       r->arcs);
    return 0;
}

static int one_sided(const struct reader *r, uint64_t u, uint64_t v, struct se_err *err)
{
    return se_fail(err, SE_EINPUT, "%s: line %" PRIu64 ": vertex %" PRIu64 " lists %" PRIu64
                   ", but vertex %" PRIu64 " (line %" PRIu64 ") does not list %" PRIu64,
                   r->text.path, r->line[u], u + 1, v + 1, v + 1, r->line[v], u + 1);
}

/* Every edge must be in the lists of both its ends, with the same weight. */
static int check_symmetric(const struct reader *r, const struct se_graph *up,
                           const struct se_graph *down, struct se_err *err)
{
    for (uint64_t u = 0; u < r->n; u++) {
        uint64_t i = up->off[u], j = down->off[u];

        for (; i < up->off[u + 1] || j < down->off[u + 1]; i++, j++) {
            const uint32_t a = i < up->off[u + 1] ? up->to[i] : SE_NONE;
            const uint32_t b = j < down->off[u + 1] ? down->to[j] : SE_NONE;

            if (a < b)
                return one_sided(r, u, a, err);
            if (b < a)
                return one_sided(r, b, u, err);
            if ((up->weight ? up->weight[i] : 1) != (down->weight ? down->weight[j] : 1))
                return se_fail(err, SE_EINPUT, "%s: lines %" PRIu64 " and %" PRIu64 " give the "
                               "edge of vertices %" PRIu64 " and %" PRIu64 " two weights",
                               r->text.path, r->line[u], r->line[a], u + 1,
                               (uint64_t)a + 1);
        }
    }
    return 0;
}

static int put(struct reader *r, struct se_stream *s, struct se_err *err)
{
    struct se_stream other = SE_STREAM_INIT;
    struct se_graph up, down;
    struct se_built built;
    int rc = -1;

    if (r->in->n && r->in->n < r->n)
        return se_fail(err, SE_EINPUT, "%s: has %" PRIu64 " vertices, but %" PRIu64
                       " are wanted", r->text.path, r->n, r->in->n);
    r->up.n = r->down.n = r->in->n > r->n ? r->in->n : r->n;
    if (se_builder_put(&r->down, &other, SE_GRAPH, SE_MERGE_SUM, false, &built, err) == 0 &&
        se_builder_put(&r->up, s, SE_GRAPH, SE_MERGE_MATRIX, r->in->keep_loops, &built,
                       err) == 0 &&
        se_graph_get(&up, s, SE_GRAPH, err) == 0 &&
        se_graph_get(&down, &other, SE_GRAPH, err) == 0)
        rc = check_symmetric(r, &up, &down, err);
    r->in->matrix = true;
    r->in->loops = r->loops;
    r->in->repeated = 0;
    se_stream_release(&other);
    return rc;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct reader r = { .in = in };
    struct se_built built = { 0 };
    int rc = se_text_open(&r.text, in->path, err);

    se_import_start(in, &r.up, true);
    if (rc == 0)
        rc = read_header(&r, err);
    if (rc == 0)
        rc = read_lists(&r, err);
    if (rc == 0)
        rc = put(&r, s, err) < 0 ||
             se_import_arcs(in, &built, SE_MERGE_MATRIX, NULL, s, err) < 0 ? -1 : 0;
    se_text_close(&r.text);
    se_builder_release(&r.up);
    se_builder_release(&r.down);
    free(r.line);
    free(r.row);
    return rc;
}

static int detect(const char *path, const char *head, size_t len)
{
    const char *p = head;

    if (!head || memchr(head, '\0', len))
        return 0;
    while (*p == '%') {
        p += strcspn(p, "\n");
        p += *p == '\n';
    }
    p = skip_blanks(p);
    if (*p < '0' || *p > '9')
        return 0;
    return se_path_is(path, ".metis") || se_path_is(path, ".graph") ? 80 : 0;
}

static int check_weights(const struct se_graph *g, struct se_err *err)
{
    for (uint64_t u = 0; g->weight && u < g->n; u++)
        for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++) {
            const double w = (double)g->weight[i];

            if (!(w >= 1 && w <= INT32_MAX) || w != (double)(int32_t)w)
                return se_fail(err, SE_EINPUT, "edge %" PRIu64 " - %" PRIu32 " has weight %g, "
                               "and METIS wants integers from 1 to 2147483647; scale and "
                               "round the weights of -t edges, or use -t mtx", u, g->to[i], w);
        }
    return 0;
}

static int export(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                  struct se_err *err)
{
    struct se_adjacency a = SE_ADJACENCY_INIT;
    struct se_graph g;

    if (se_graph_get(&g, s, ex->section, err) < 0 || check_weights(&g, err) < 0 ||
        se_adjacency_make(&a, &g, err) < 0)
        return -1;
    se_outf(out, "%" PRIu64 " %" PRIu64 "%s\n", g.n, g.m, g.weight ? " 001" : "");
    for (uint64_t u = 0; u < a.n; u++) {
        for (uint64_t i = a.off[u]; i < a.off[u + 1]; i++) {
            if (i > a.off[u])
                se_out_char(out, ' ');
            se_out_u64(out, (uint64_t)a.to[i] + 1);
            if (a.weight) {
                se_out_char(out, ' ');
                se_out_u64(out, (uint64_t)a.weight[i]);
            }
        }
        se_out_char(out, '\n');
    }
    se_adjacency_release(&a);
    return 0;
}

const struct se_format se_format_metis = {
    .name = "metis",
    .what = "METIS graph file: a line of neighbours for each vertex",
    .extensions = { "graph" },
    .import = import,
    .detect = detect,
    .export = export
};
