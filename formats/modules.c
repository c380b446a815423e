/* modules.c - the modules of a tree at one level, and a table of them
 *
 * module, node, size, inside (weight of the edges between its vertices), label, labelled,
 * predicted, voted: the commonest class of its vertices and how many have it, the commonest
 * predicted class and how many were given it; -1 and 0 where there is none. */
#include "formats/modules.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/sort.h"
#include "common/graph/treelevel.h"
#include "formats/facts.h"

void se_out_sum(struct se_out *out, double v)
{
    if (v >= 0 && v < 1e15 && v == (double)(uint64_t)v)
        se_out_u64(out, (uint64_t)v);
    else
        se_out_double(out, v);
}

/* Does a module begin at this node?  A leaf above the level is one of its own. */
static bool begins(const struct se_tree *t, const uint32_t *depth, uint32_t level, uint64_t i)
{
    return depth[i] == level || (t->vertex[i] != SE_NONE && depth[i] < level);
}

static int choose_level(const struct se_export *ex, const struct se_tree *t,
                        const uint32_t *depth, uint32_t height, uint32_t *level,
                        struct se_err *err)
{
    uint64_t *nodes, *leaves, above = 0;

    *level = ex->depth ? ex->depth : 1;
    if (se_check_depth(ex, height, err) < 0)
        return -1;
    if (ex->depth || !ex->most)
        return 0;
    nodes = se_zalloc((uint64_t)height + 1, 2 * sizeof *nodes, err);
    if (!nodes)
        return -1;
    leaves = nodes + height + 1;
    for (uint64_t i = 0; i < t->nodes; i++) {
        nodes[depth[i]]++;
        leaves[depth[i]] += t->vertex[i] != SE_NONE;
    }
    for (uint32_t l = 1; l < height; l++) {     /* the last level is the vertices */
        if (nodes[l] + above <= ex->most)
            *level = l;
        above += leaves[l];
    }
    free(nodes);
    return 0;
}

/* Keep the `most` largest modules: renumber. */
static int keep_largest(struct se_cut *c, uint64_t most, const struct se_export *ex, uint64_t n,
                        struct se_err *err)
{
    uint64_t *key = se_alloc(c->count, 2 * sizeof *key, err), kept = 0, vertices = 0;
    uint32_t *to = key ? se_alloc(c->count, sizeof *to, err) : NULL;
    int rc = to ? 0 : -1;

    for (uint64_t k = 0; rc == 0 && k < c->count; k++) {
        key[k] = (uint64_t)(UINT32_MAX - c->size[k]) << 32 | k;
        to[k] = SE_NONE;
    }
    if (rc == 0) {
        se_sort_u64(key, key + c->count, c->count);
        for (uint64_t i = 0; i < most; i++)
            to[key[i] & UINT32_MAX] = 0;
        for (uint64_t k = 0; k < c->count; k++)
            if (to[k] == 0) {
                vertices += c->size[k];
                c->node[kept] = c->node[k];
                c->size[kept] = c->size[k];
                to[k] = (uint32_t)kept++;
            }
        for (uint64_t v = 0; v < n; v++)
            c->module[v] = to[c->module[v]];
        rc = se_say(ex->notes, err, "level %" PRIu32 " has %" PRIu64 " modules; the %" PRIu64
                    " largest are written, with %" PRIu64 " of %" PRIu64 " vertices", c->level,
                    c->count, kept, vertices, n);
        c->count = kept;
    }
    free(key);
    free(to);
    return rc;
}

static int number_modules(struct se_cut *c, const struct se_tree *t, const uint32_t *depth,
                          struct se_err *err)
{
    for (uint64_t i = 0; i < t->nodes; i++)
        c->count += begins(t, depth, c->level, i);
    if (!(c->module = se_alloc(t->n, sizeof *c->module, err)) ||
        !(c->node = se_alloc(c->count, sizeof *c->node, err)) ||
        !(c->size = se_zalloc(c->count, sizeof *c->size, err)))
        return -1;
    for (uint64_t i = 0, next = 0; i < t->nodes; i++) {         /* depth first */
        if (begins(t, depth, c->level, i))
            c->node[next++] = (uint32_t)i;
        if (t->vertex[i] != SE_NONE) {
            c->module[t->vertex[i]] = (uint32_t)(next - 1);
            c->size[next - 1]++;
        }
    }
    return 0;
}

int se_cut_make(struct se_cut *c, const struct se_export *ex, const struct se_tree *t,
                struct se_err *err)
{
    uint32_t height, *depth = se_tree_depth(t, &height, err);
    int rc = -1;

    *c = (struct se_cut)SE_CUT_INIT;
    if (depth && choose_level(ex, t, depth, height, &c->level, err) == 0 &&
        number_modules(c, t, depth, err) == 0)
        rc = ex->most && c->count > ex->most ? keep_largest(c, ex->most, ex, t->n, err) : 0;
    free(depth);
    if (rc < 0)
        se_cut_release(c);
    return rc;
}

void se_cut_release(struct se_cut *c)
{
    free(c->module);
    free(c->node);
    free(c->size);
    *c = (struct se_cut)SE_CUT_INIT;
}

/* The commonest class in some vertices, of equally common ones the first.  Classes are sorted rather
 * than counted in an array: those of predictions may be any numbers. */
static int32_t commonest(const int32_t *label, const uint32_t *v, uint32_t count, uint64_t *room,
                         uint32_t *most)
{
    int32_t best = -1;
    uint32_t known = 0;

    *most = 0;
    for (uint32_t i = 0; label && i < count; i++)
        if (label[v[i]] >= 0)
            room[known++] = (uint64_t)label[v[i]];
    se_sort_u64(room, room + known, known);
    for (uint32_t i = 0, times = 0; i < known; i++) {
        times = i > 0 && room[i] == room[i - 1] ? times + 1 : 1;
        if (times > *most) {
            *most = times;
            best = (int32_t)room[i];
        }
    }
    return best;
}

static void add_inside(const struct se_graph *g, const uint32_t *module, double *inside)
{
    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++)
            if (module[u] != SE_NONE && module[u] == module[g->to[i]])
                inside[module[u]] += g->weight ? (double)g->weight[i] : 1;
}

static void write_class(struct se_out *out, const struct se_export *ex, const struct se_facts *f,
                        const int32_t *label, const uint32_t *v, uint32_t count, uint64_t *room)
{
    uint32_t most;
    const int32_t class = commonest(label, v, count, room, &most);

    se_out_class(out, f, ex->names, class);
    se_outf(out, "\t%" PRIu32, most);
}

/* order: the vertices by module */
static void write_modules(struct se_out *out, const struct se_export *ex,
                          const struct se_cut *c, const struct se_facts *f,
                          const double *inside, const uint32_t *order, uint64_t *room)
{
    const uint32_t *v = order;

    se_out_str(out, "module\tnode\tsize\tinside\tlabel\tlabelled\tpredicted\tvoted\n");
    for (uint64_t k = 0; k < c->count; v += c->size[k++]) {
        se_outf(out, "%" PRIu64 "\t%" PRIu32 "\t%" PRIu32 "\t", k, c->node[k], c->size[k]);
        se_out_sum(out, inside[k]);
        write_class(out, ex, f, f->label, v, c->size[k], room);
        write_class(out, ex, f, f->predicted, v, c->size[k], room);
        se_out_char(out, '\n');
    }
}

/* The vertices of module 0, of module 1, ...; those left out are not there. */
static int by_module(const struct se_cut *c, uint64_t n, uint32_t *order, struct se_err *err)
{
    uint64_t *at = se_alloc(c->count, sizeof *at, err);

    if (!at)
        return -1;
    for (uint64_t k = 0, sum = 0; k < c->count; sum += c->size[k++])
        at[k] = sum;
    for (uint64_t v = 0; v < n; v++)
        if (c->module[v] != SE_NONE)
            order[at[c->module[v]]++] = (uint32_t)v;
    free(at);
    return 0;
}

static int export_modules(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                          struct se_err *err)
{
    struct se_facts f = SE_FACTS_INIT;
    struct se_cut c = SE_CUT_INIT;
    uint32_t *order = NULL;
    uint64_t *room = NULL;
    double *inside = NULL;
    struct se_graph g = { .n = 0 };
    struct se_tree t;
    int rc = -1;

    if (se_tree_get(&t, s, err) == 0 &&
        (!se_stream_has(s, ex->section) || se_graph_get(&g, s, ex->section, err) == 0) &&
        se_facts_get(&f, ex, s, err) == 0 && se_facts_columns(&f, ex->names, err) == 0 &&
        se_cut_make(&c, ex, &t, err) == 0 &&
        (inside = se_zalloc(c.count, sizeof *inside, err)) &&
        (order = se_alloc(t.n, sizeof *order, err)) &&
        (room = se_alloc(2 * t.n, sizeof *room, err)) &&
        by_module(&c, t.n, order, err) == 0) {
        add_inside(&g, c.module, inside);
        write_modules(out, ex, &c, &f, inside, order, room);
        rc = 0;
    }
    free(room);
    free(order);
    free(inside);
    se_cut_release(&c);
    se_facts_release(&f);
    return rc;
}

const struct se_format se_format_modules = {
    .name = "modules",
    .what = "modules at one level of the tree: module, node, size, weight inside, commonest "
            "label and prediction, below a header line",
    .kind = SE_FORMAT_TREE,
    .extensions = { "tsv", "txt" },
    .export = export_modules
};
