/* bed.c - the modules of a tree as stretches of chromosomes
 *
 * A line for each run of consecutive vertices of a module: chromosome, start, end, LEVEL:MODULE and
 * 1000 times the share of the module's degrees that stays inside.  Modules are numbered as in
 * membership.  A vertex without a module at a level has no line there. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/graph/entropy.h"
#include "common/graph/position.h"
#include "common/graph/treelevel.h"
#include "formats/internal.h"

struct span {
    uint32_t sequence;
    uint64_t start, end;
};

struct spans {
    struct se_table sequence;
    struct span *of;            /* a vertex */
    uint64_t n;
};

static int set_span(struct spans *x, uint64_t v, const struct se_position *p, struct se_err *err)
{
    x->of[v].start = p->start;
    x->of[v].end = p->end;
    return se_table_add(&x->sequence, p->sequence, p->len, &x->of[v].sequence, err);
}

static void spans_release(struct spans *x)
{
    se_table_release(&x->sequence);
    free(x->of);
}

/* ---- positions ---- */

static int read_span(struct se_text *t, char *line, struct se_position *p, struct se_err *err)
{
    struct se_field f[4];
    const int fields = se_fields(line, se_find_separator(line), f);

    if (fields >= 3) {
        f[1].at[f[1].len] = f[2].at[f[2].len] = '\0';
        *p = (struct se_position){ .sequence = f[0].at, .len = f[0].len };
        if (p->len > 0 && se_whole_u64(f[1].at, &p->start) && se_whole_u64(f[2].at, &p->end) &&
            p->start < p->end)
            return 0;
    }
    return se_text_fail(t, err, "expected a chromosome, a start and a larger end");
}

static int read_spans(struct spans *x, struct se_text *t, struct se_err *err)
{
    struct se_position p = { .start = 0 };
    uint64_t v = 0;
    char *line;
    size_t len;
    int rc;

    while ((rc = se_text_line(t, &line, &len, err)) == 1) {
        if (v == x->n)
            return se_text_fail(t, err, "there are only %" PRIu64 " vertices; the file must have a "
                                "line for each, in their order, and no heading", x->n);
        if (read_span(t, line, &p, err) < 0 || set_span(x, v++, &p, err) < 0)
            return -1;
    }
    if (rc == 0 && v < x->n)
        return se_text_fail(t, err, "the file ends after %" PRIu64 " of %" PRIu64 " vertices", v,
                            x->n);
    return rc;
}

static int spans_of_file(struct spans *x, const char *path, struct se_err *err)
{
    struct se_text t = SE_TEXT_INIT;
    int rc;

    if (se_text_open(&t, path, err) < 0)
        return -1;
    rc = read_spans(x, &t, err);
    se_text_close(&t);
    return rc;
}

/* The name as a number */
static bool whole_name(const struct se_names *names, uint64_t v, uint64_t *value)
{
    const size_t len = names->off[v + 1] - names->off[v];
    char text[20];

    if (len >= sizeof text - 1)                 /* leave room for the bin to be added */
        return false;
    memcpy(text, names->text + names->off[v], len);
    text[len] = '\0';
    return se_whole_u64(text, value);
}

static int spans_of_bins(struct spans *x, const struct se_export *ex, const struct se_names *names,
                         struct se_err *err)
{
    const char *sequence = ex->sequence ? ex->sequence : "vertices";
    const uint64_t bin = ex->bin ? ex->bin : 1;
    struct se_position p = { sequence, strlen(sequence), 0, 0 };
    bool numbers = ex->bin && names->n > 0;

    for (size_t i = 0; i < p.len; i++)
        if ((unsigned char)sequence[i] <= ' ')
            return se_fail(err, SE_EUSAGE, "--sequence: '%.40s' holds a blank", sequence);
    for (uint64_t v = 0; numbers && v < x->n; v++)
        numbers = whole_name(names, v, &p.start);
    for (uint64_t v = 0; v < x->n; v++) {
        if (!numbers || !whole_name(names, v, &p.start))
            p.start = v * bin;
        p.end = p.start + bin;
        if (set_span(x, v, &p, err) < 0)
            return -1;
    }
    return 0;
}

static int spans_of_names(struct spans *x, const struct se_names *names, struct se_err *err)
{
    for (uint64_t v = 0; v < x->n; v++) {
        struct se_position p = { .start = 0 };

        if (!se_position_parse(names->text + names->off[v], names->off[v + 1] - names->off[v], &p))
            return se_fail(err, SE_EINPUT, "vertex %" PRIu64 " has no position", v);
        if (set_span(x, v, &p, err) < 0)
            return -1;
    }
    return 0;
}

static int spans_make(struct spans *x, const struct se_export *ex, struct se_stream *s, uint64_t n,
                      struct se_err *err)
{
    struct se_names names;

    x->n = n;
    if (se_export_names(true, s, &names, err) < 0 || !(x->of = se_zalloc(n, sizeof *x->of, err)))
        return -1;
    if (ex->positions)
        return spans_of_file(x, ex->positions, err);
    if (!ex->bin && !ex->sequence && se_position_all(&names))
        return spans_of_names(x, &names, err);
    return spans_of_bins(x, ex, &names, err);
}

/* ---- lines ---- */

/* The node of each module of a level, in their order; SE_NONE for a leaf.  All leaves at or above
 * the level and all inner nodes on it are modules. */
static void nodes_of_level(const struct se_tree *t, const uint32_t *depth, uint32_t level,
                           uint32_t *node)
{
    uint64_t module = 0;

    for (uint64_t a = 0; a < t->nodes; a++)
        if (depth[a] == level || (depth[a] < level && t->vertex[a] != SE_NONE))
            node[module++] = t->vertex[a] == SE_NONE ? (uint32_t)a : SE_NONE;
}

static unsigned score(const struct se_measure *m, uint32_t node)
{
    const double volume = m->nodes ? m->volume[node] : 0;
    const double inside = volume > 0 ? 1 - m->cut[node] / volume : 0;

    return inside > 0 ? (unsigned)lround(1000 * inside) : 0;
}

static void write_level(struct se_out *out, const struct spans *x, const uint32_t *module,
                        const uint32_t *node, uint32_t level, const struct se_measure *m)
{
    for (uint64_t v = 0, next; v < x->n; v = next) {
        const struct span *first = &x->of[v];
        uint64_t end = first->end;

        for (next = v + 1; next < x->n && module[next] == module[v] &&
                           x->of[next].sequence == first->sequence &&
                           x->of[next].start >= x->of[next - 1].start; next++)
            end = x->of[next].end > end ? x->of[next].end : end;
        if (node[module[v]] == SE_NONE)
            continue;
        const struct se_table *names = &x->sequence;
        const uint64_t at = names->off[first->sequence];    /* NOLINT: each vertex has a sequence */

        se_out_bytes(out, names->text.data + at, names->off[first->sequence + 1] - at);
        se_outf(out, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu32 ":%" PRIu32 "\t%u\n", first->start, end,
                level, module[v], score(m, node[module[v]]));
    }
}

static int write_levels(const struct se_export *ex, const struct se_tree *t, const struct spans *x,
                        const struct se_measure *m, struct se_out *out, struct se_err *err)
{
    uint32_t *module = se_alloc(t->n, sizeof *module, err);
    uint32_t *node = se_alloc(t->n, sizeof *node, err);
    uint32_t first = 0, last = 0, height, *depth = se_tree_depth(t, &height, err);
    uint64_t count;
    int rc = module && node && depth ? se_export_levels(ex, t, &first, &last, err) : -1;

    for (uint32_t level = first; rc == 0 && level <= last; level++) {
        rc = se_tree_partition(t, level, module, &count, err);
        if (rc == 0) {
            nodes_of_level(t, depth, level, node);
            write_level(out, x, module, node, level, m);
        }
    }
    free(module);
    free(node);
    free(depth);
    return rc;
}

static int export_bed(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                      struct se_err *err)
{
    struct spans x = { SE_TABLE_INIT, NULL, 0 };
    struct se_measure m = SE_MEASURE_INIT;
    struct se_graph g;
    struct se_tree t;
    int rc = -1;

    if (se_tree_get(&t, s, err) < 0)
        return -1;
    if ((!se_stream_has(s, se_graph_current(s)) ||
         (se_export_tree_graph(ex->section, s, &g, err) == 0 &&
          se_measure_make(&m, &t, &g, err) == 0)) &&
        spans_make(&x, ex, s, t.n, err) == 0)
        rc = write_levels(ex, &t, &x, &m, out, err);
    se_measure_release(&m);
    spans_release(&x);
    return rc;
}

const struct se_format se_format_bed = {
    .name = "bed",
    .what = "modules of the tree as stretches: chromosome, start, end, level:module, and 1000 "
            "times the share of its degrees that stays inside",
    .kind = SE_FORMAT_TREE,
    .tree_graph = true,
    .export = export_bed
};
