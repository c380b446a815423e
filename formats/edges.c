/* edges.c - edge lists: the graph of their lines, its vertices, and the way out */
#include "formats/edges.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- vertices that are none --- */

/* The graph of the stream again without some of its vertices and their edges, and without loops
 * unless they are wanted.  r->to[v]: the new number of v, SE_NONE: it goes. */
static int renumber(const struct se_edge_lines *r, uint64_t n, bool loops, struct se_err *err)
{
    struct se_graph_room room = SE_GRAPH_ROOM_INIT;
    const uint32_t *to = r->to;
    uint64_t m = 0, at = 0, count = 0;
    struct se_graph g;

    if (se_graph_get(&g, r->s, SE_GRAPH, err) < 0)
        return -1;
    for (uint64_t u = 0; u < g.n; u++)
        for (uint64_t i = g.off[u]; i < g.off[u + 1]; i++)
            m += to[u] != SE_NONE && to[g.to[i]] != SE_NONE;
    for (uint64_t i = 0; i < g.loops && loops; i++)
        count += to[g.loop[i]] != SE_NONE;
    if (se_graph_room_make(&room, n, m, count, g.weight != NULL, err) < 0)
        return -1;
    room.off[0] = 0;
    for (uint64_t u = 0; u < g.n; u++) {
        if (to[u] == SE_NONE)
            continue;
        for (uint64_t i = g.off[u]; i < g.off[u + 1]; i++) {
            if (to[g.to[i]] == SE_NONE)
                continue;
            room.to[at] = to[g.to[i]];
            if (g.weight)
                room.weight[at] = g.weight[i];
            at++;
        }
        room.off[to[u] + UINT64_C(1)] = at;
    }
    for (uint64_t i = 0, j = 0; i < g.loops && j < count; i++) {
        if (to[g.loop[i]] == SE_NONE)
            continue;
        room.loop[j] = to[g.loop[i]];
        if (g.weight)
            room.loop_weight[j] = g.loop_weight[i];
        j++;
    }
    return se_graph_room_give(&room, r->s, SE_GRAPH, NULL, err);
}

/* Mark the vertices that have an edge or a loop; how many there are. */
static uint64_t mark_used(const struct se_graph *g, uint32_t *used)
{
    uint64_t count = 0;

    for (uint64_t u = 0; u < g->n; u++)
        used[u] = SE_NONE;
    for (uint64_t i = 0; i < g->loops; i++)
        used[g->loop[i]] = 0;
    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++)
            used[u] = used[g->to[i]] = 0;
    for (uint64_t u = 0; u < g->n; u++)
        count += used[u] == 0;
    return count;
}

/* Ids that do not count the vertices from 0 become names. */
static int name_ids(struct se_edge_lines *r, const struct se_graph *g, uint64_t n,
                    struct se_err *err)
{
    char digits[16];
    uint64_t least = 0, most = 0;
    uint32_t id;

    for (uint64_t v = g->n; v-- > 0;)
        if (r->to[v] != SE_NONE) {
            least = v;
            most = most ? most : v;
        }
    for (uint64_t v = 0; v < g->n; v++)
        if (r->to[v] != SE_NONE &&
            se_table_add(&r->table, digits, (size_t)snprintf(digits, sizeof digits, "%" PRIu64,
                                                             v), &id, err) < 0)
            return -1;
    return se_say(r->in->notes, err, "%s: ids are %" PRIu64 " to %" PRIu64 " for %" PRIu64
                  " vertices; they are kept as names, and vertices are numbered from 0 in "
                  "their order (--ids integer takes ids for vertex numbers)",
                  se_path_name(r->in->path), least, most, n);
}

/* Integers as vertices: see the rules above. */
static int fit_integers(struct se_edge_lines *r, struct se_err *err)
{
    const bool free_ids = r->in->ids == SE_IDS_AUTO && r->in->n == 0;
    struct se_graph g;
    uint64_t used, n;
    int rc = 0;

    if (se_graph_get(&g, r->s, SE_GRAPH, err) < 0 || !(r->to = se_alloc(g.n, sizeof *r->to, err)))
        return -1;
    used = mark_used(&g, r->to);
    for (uint64_t i = 0; i < r->in->listed_count; i++)
        if (r->in->listed[i] < g.n && r->to[r->in->listed[i]] == SE_NONE) {
            r->to[r->in->listed[i]] = 0;
            used++;
        }
    const bool from_one = g.n > 1 && r->to[0] == SE_NONE;
    const bool in_order = r->in->in_order && !r->in->by_id;
    const bool names = free_ids && used > 0 && (in_order ? from_one : used < g.n);

    for (uint64_t v = n = 0; v < g.n; v++)      /* by position: all but vertex 0 stay */
        r->to[v] = names && (in_order ? v == 0 : r->to[v] == SE_NONE) ? SE_NONE
                                                                             : (uint32_t)n++;
    if (names)
        rc = name_ids(r, &g, n, err);
    if (rc == 0 && (names || (g.loops > 0 && !r->in->keep_loops)))
        rc = renumber(r, n, r->in->keep_loops, err);
    return rc < 0 || !names ? rc : se_table_put(&r->table, r->s, err);
}

/* The first line was two words.  If neither occurs again, and there are more lines, it is a
 * header: its vertices 0 and 1 are joined to nothing else. */
static bool is_header_edge(const struct se_graph *g)
{
    if (g->m < 4 || g->off[1] != 1 || g->to[0] != 1 || g->off[2] != 1)
        return false;
    for (uint64_t i = 0; i < g->loops; i++)
        if (g->loop[i] < 2)
            return false;
    return true;
}

/* Without the edge and the names of the header */
static int drop_header(struct se_edge_lines *r, struct se_err *err)
{
    struct se_table names = SE_TABLE_INIT;
    const uint64_t n = r->table.n;
    uint32_t id;
    int rc = 0;

    if (se_say(r->in->notes, err, "%s: the first line, '%.*s' and '%.*s', is read as a header, "
               "because neither occurs again (--header no reads it as an edge)",
               se_path_name(r->in->path), (int)r->table.off[1] < 60 ? (int)r->table.off[1] : 60,
               r->table.text.data, (int)(r->table.off[2] - r->table.off[1]) < 60
               ? (int)(r->table.off[2] - r->table.off[1]) : 60,
               r->table.text.data + r->table.off[1]) < 0 ||
        !(r->to = se_alloc(n, sizeof *r->to, err)))
        return -1;
    for (uint64_t v = 0; v < n; v++)
        r->to[v] = v < 2 ? SE_NONE : (uint32_t)v - 2;
    if (renumber(r, n - 2, true, err) < 0)
        return -1;
    for (uint64_t v = 2; v < r->table.n && rc == 0; v++)
        rc = se_table_add(&names, r->table.text.data + r->table.off[v],
                          r->table.off[v + 1] - r->table.off[v], &id, err);
    se_table_release(&r->table);
    r->table = names;
    return rc;
}

static int put(struct se_edge_lines *r, struct se_err *err)
{
    const char *path = r->text.path;
    const uint64_t wanted = r->in->n, count = r->builder.count;
    const uint64_t n = r->names ? r->table.n : r->builder.n;
    const enum se_merge rule = se_import_rule(r->in, &r->builder, SE_MERGE_SUM);
    struct se_built built;
    struct se_graph g;

    if (count == 0 && (!wanted || r->names))
        return se_fail(err, SE_EINPUT, "%s: holds no edge; give --vertices N for a graph "
                       "without edges", path);
    if (wanted && (r->names ? n != wanted : n > wanted))
        return se_fail(err, SE_EINPUT, "%s: has %" PRIu64 " vertices, but %" PRIu64
                       " are wanted", path, n, wanted);
    r->builder.n = wanted > n ? wanted : n;
    for (uint64_t i = 0; i < r->in->listed_count && !r->names && !wanted; i++)
        if (r->in->listed[i] >= r->builder.n)
            r->builder.n = r->in->listed[i] + 1;
    if (!r->names && se_check_sparse(r->builder.n, count + r->in->listed_count, wanted, err) < 0)
        return se_err_in(err, path);
    se_table_seal(&r->table);
    if (se_builder_put(&r->builder, r->s, SE_GRAPH, rule, r->in->keep_loops || !r->names, &built,
                       err) < 0)
        return se_err_in(err, path);
    r->in->loops = built.loops;
    r->in->repeated = built.repeated;
    if (!r->names)
        return fit_integers(r, err) < 0 ||
               se_import_arcs(r->in, &built, rule, r->to, r->s, err) < 0 ? -1 : 0;
    if (r->doubtful && (se_graph_get(&g, r->s, SE_GRAPH, err) < 0 ||
                        (is_header_edge(&g) && drop_header(r, err) < 0)))
        return -1;
    return (!r->fixed && se_table_put(&r->table, r->s, err) < 0) ||
           se_import_arcs(r->in, &built, rule, r->to, r->s, err) < 0 ? -1 : 0;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct se_edge_lines r = { .in = in, .s = s };
    struct stat st;
    int rc = in->source || in->target ? 0 : se_edge_columns(in, err);

    if (rc == 0 && !in->source != !in->target)
        rc = se_fail(err, SE_EUSAGE, "--source and --target belong together");
    if (rc == 0 && in->weight && !in->source)
        rc = se_fail(err, SE_EUSAGE, "--weight needs --source and --target");
    r.fixed = in->ids != SE_IDS_INTEGER && se_stream_has(s, SE_NAMES);
    r.names = r.fixed || in->ids == SE_IDS_STRING;
    r.keep = in->ids == SE_IDS_AUTO && !r.names &&
             (strcmp(in->path, "-") == 0 || stat(in->path, &st) < 0 || !S_ISREG(st.st_mode));
    if (rc == 0 && r.fixed)
        rc = se_table_load(&r.table, s, err);
    if (rc == 0)
        rc = se_edge_lines_read(&r, err);
    if (rc == 0)
        rc = put(&r, err);
    se_edge_lines_release(&r);
    return rc;
}

static int detect(const char *path, const char *head, size_t len)
{
    static const char *const sure[] = { ".edges", ".edgelist", ".el", ".abc", ".ncol" };
    static const char *const maybe[] = { ".tsv", ".csv", ".txt" };

    if (!head || memchr(head, '\0', len) || strncmp(head, "%%MatrixMarket", 14) == 0)
        return 0;
    for (size_t i = 0; i < sizeof sure / sizeof sure[0]; i++)
        if (se_path_is(path, sure[i]))
            return 80;
    for (size_t i = 0; i < sizeof maybe / sizeof maybe[0]; i++)
        if (se_path_is(path, maybe[i]))
            return 40;
    return se_edge_lines_fit(head) ? 20 : 0;
}

/* A name that would not come back from a tab-separated line. */
static int check_names(const struct se_names *names, struct se_err *err)
{
    for (uint64_t v = 0; v < names->n; v++) {
        const char *name = names->text + names->off[v];
        const size_t len = names->off[v + 1] - names->off[v];

        if (len == 0 || *name == '#' || *name == '%' || *name == ' ' || name[len - 1] == ' ' ||
            memchr(name, '\t', len) || memchr(name, '\n', len) || memchr(name, '\r', len))
            return se_fail(err, SE_EINPUT, "the name '%.*s' of vertex %" PRIu64 " cannot be "
                           "written to an edge list; export ids instead",
                           len > 60 ? 60 : (int)len, name, v);
    }
    return 0;
}

static int export(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                  struct se_err *err)
{
    struct se_names names;
    struct se_graph g;

    if (se_export_edges(ex, s, &g, err) < 0 ||
        se_export_names(ex->names, s, &names, err) < 0 || check_names(&names, err) < 0)
        return -1;
    for (uint64_t u = 0; u < g.n; u++)
        for (uint64_t i = g.off[u]; i < g.off[u + 1]; i++) {
            se_out_vertex(out, &names, u);
            se_out_char(out, '\t');
            se_out_vertex(out, &names, g.to[i]);
            se_out_char(out, '\t');
            if (g.weight)
                se_out_float(out, g.weight[i]);
            else
                se_out_char(out, '1');
            se_out_char(out, '\n');
        }
    return 0;
}

const struct se_format se_format_edges = {
    .name = "edges",
    .what = "edge list: u, v and weight of each edge, u < v, ascending; of arcs all",
    .what_import = "edge list: u v [weight] a line, separated by tabs, commas, "
                   "semicolons or blanks; # and % start comments; a header line is "
                   "skipped; other tables with --source, --target and --weight",
    .extensions = { "tsv", "txt", "edgelist", "el", "abc", "ncol" },
    .directed = true,
    .import = import,
    .detect = detect,
    .export = export
};
