/* membership.c - the modules of each vertex at the levels of a tree, and the tree as a linkage
 *
 * Level 1 holds the children of the root.  A vertex whose leaf lies at or above a level is a
 * module of its own there.  Modules are counted from 0 in the order of the tree. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/graph/treelevel.h"
#include "formats/facts.h"
#include "formats/internal.h"

int se_check_depth(const struct se_export *ex, uint32_t height, struct se_err *err)
{
    if (ex->depth > height)
        return se_fail(err, SE_EINPUT, "--depth %u: the tree has levels 1 to %" PRIu32,
                       ex->depth, height);
    return 0;
}

/* Is there such a level?  *height: how many there are. */
static int check_tree(const struct se_export *ex, const struct se_tree *t, uint32_t *height,
                      struct se_err *err)
{
    uint32_t *depth = se_tree_depth(t, height, err);

    if (!depth)
        return -1;
    free(depth);
    return se_check_depth(ex, *height, err);
}

int se_export_levels(const struct se_export *ex, const struct se_tree *t, uint32_t *first,
                     uint32_t *last, struct se_err *err)
{
    uint32_t height;

    if (check_tree(ex, t, &height, err) < 0)
        return -1;
    *first = ex->depth ? ex->depth : 1;
    *last = ex->depth ? ex->depth : height > 1 ? height - 1 : 1;
    return 0;
}

int se_export_modules(const struct se_export *ex, struct se_stream *s, uint32_t **module,
                      struct se_err *err)
{
    struct se_tree t;
    uint32_t *at, height;
    uint64_t count;

    *module = NULL;
    if (!se_stream_has(s, SE_TREE))
        return 0;
    if (se_tree_get(&t, s, err) < 0 || check_tree(ex, &t, &height, err) < 0 ||
        !(at = se_alloc(t.n, sizeof *at, err)))
        return -1;
    if (se_tree_partition(&t, ex->depth ? ex->depth : 1, at, &count, err) < 0) {
        free(at);
        return -1;
    }
    *module = at;
    return 0;
}

static void write_rows(struct se_out *out, const struct se_names *names, uint64_t n,
                       const uint32_t *module, uint32_t levels)
{
    for (uint64_t v = 0; v < n; v++) {
        se_out_u64(out, v);
        se_out_char(out, '\t');
        se_out_vertex(out, names, v);
        for (uint32_t l = 0; l < levels; l++) {
            se_out_char(out, '\t');
            se_out_u64(out, module[(uint64_t)l * n + v]);
        }
        se_out_char(out, '\n');
    }
}

static int export_membership(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                             struct se_err *err)
{
    struct se_names names;
    struct se_tree t;
    uint32_t first, last, *module = NULL;
    uint64_t count;
    int rc = -1;

    if (se_tree_get(&t, s, err) < 0 || se_export_columns(true, s, &names, err) < 0 ||
        se_export_levels(ex, &t, &first, &last, err) < 0)
        return -1;
    module = se_alloc((uint64_t)(last - first + 1) * t.n, sizeof *module, err);
    rc = module ? 0 : -1;
    for (uint32_t l = first; rc == 0 && l <= last; l++)
        rc = se_tree_partition(&t, l, module + (uint64_t)(l - first) * t.n, &count, err);
    if (rc == 0) {
        se_out_str(out, "vertex\tname");
        for (uint32_t l = first; l <= last; l++)
            se_outf(out, "\tlevel%" PRIu32, l);
        se_out_char(out, '\n');
        write_rows(out, &names, t.n, module, last - first + 1);
    }
    free(module);
    return rc;
}

const struct se_format se_format_membership = {
    .name = "membership",
    .what = "a heading, then vertex, name and module at each level of the tree",
    .kind = SE_FORMAT_TREE,
    .extensions = { "tsv", "txt" },
    .export = export_membership
};

/* Nodes by the height of their merge, the deepest first; equal ones by id. */
static void by_depth(const uint32_t *depth, uint64_t nodes, uint32_t height, uint64_t *start,
                     uint32_t *order)
{
    for (uint64_t i = 0; i < nodes; i++)
        start[height - depth[i] + 1]++;
    for (uint32_t d = 0; d <= height; d++)
        start[d + 1] += start[d];
    for (uint64_t i = 0; i < nodes; i++)
        order[start[height - depth[i]]++] = (uint32_t)i;
}

/* Merge the clusters of a node's children one after the other, all at the node's height. */
static void write_merges(struct se_out *out, const struct se_tree *t, const uint32_t *depth,
                         uint32_t height, const uint32_t *order, uint32_t *cluster,
                         uint32_t *size)
{
    uint64_t next = t->n;

    for (uint64_t i = 0; i < t->nodes; i++) {           /* 0: none yet, else id + 1 */
        cluster[i] = t->vertex[i] == SE_NONE ? 0 : t->vertex[i] + 1;
        size[i] = t->vertex[i] != SE_NONE;
    }
    for (uint64_t k = 0; k + 1 < t->nodes; k++) {       /* the root is the last and has no parent */
        const uint32_t x = order[k], p = t->parent[x];
        uint32_t a, b;

        if (!cluster[p]) {
            cluster[p] = cluster[x];
            size[p] = size[x];
            continue;
        }
        a = (cluster[p] < cluster[x] ? cluster[p] : cluster[x]) - 1;
        b = (cluster[p] < cluster[x] ? cluster[x] : cluster[p]) - 1;
        size[p] += size[x];
        se_outf(out, "%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\n", a, b,
                height - depth[p], size[p]);
        cluster[p] = (uint32_t)++next;
    }
}

static int export_linkage(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                          struct se_err *err)
{
    uint32_t height, *depth, *order = NULL, *cluster = NULL, *size = NULL;
    uint64_t *start = NULL;
    struct se_tree t;
    int rc = -1;

    (void)ex;
    if (se_tree_get(&t, s, err) < 0 || !(depth = se_tree_depth(&t, &height, err)))
        return -1;
    if (2 * t.n >= SE_NONE)
        se_fail(err, SE_EINPUT, "too many vertices for a linkage");
    else if ((start = se_zalloc((uint64_t)height + 3, sizeof *start, err)) &&
             (order = se_alloc(t.nodes, sizeof *order, err)) &&
             (cluster = se_alloc(t.nodes, sizeof *cluster, err)) &&
             (size = se_alloc(t.nodes, sizeof *size, err))) {
        by_depth(depth, t.nodes, height, start, order);
        write_merges(out, &t, depth, height, order, cluster, size);
        rc = 0;
    }
    free(depth);
    free(start);
    free(order);
    free(cluster);
    free(size);
    return rc;
}

const struct se_format se_format_linkage = {
    .name = "linkage",
    .what = "the tree as SciPy's linkage: cluster, cluster, height, vertices a row",
    .kind = SE_FORMAT_TREE,
    .extensions = { "tsv", "txt" },
    .export = export_linkage
};
