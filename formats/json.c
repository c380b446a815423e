/* json.c - a stream as one JSON object, for scripts and for D3
 *
 *   vertices      how many
 *   weighted      whether weights are other than 1
 *   edges         [[u, v, weight], ...], u < v, ascending; self-loops last, u = v
 *   names         of the vertices
 *   labels        class of each vertex, -1: unknown
 *   class_names   of the classes
 *   split, parts  number of the split; "train", "val", "test" or "none" per vertex
 *   predicted, confidence   per vertex; -1: none
 *   tree          {"id": node, "children": [...]}, leaves {"id": node, "vertex": v}
 *   stats         {"name": value, ...}
 *
 * Members come in this order; those without a section are left out.  With the section tree
 * the object is the tree alone, as d3.hierarchy wants it. */
#include <string.h>

#include "formats/facts.h"
#include "formats/internal.h"

/* A comma before every item but the first. */
static void comma(struct se_out *out, uint64_t i)
{
    if (i > 0)
        se_out_char(out, ',');
}

static void link_of(struct se_out *out, uint64_t u, uint64_t v, const float *weight)
{
    se_out_char(out, '[');
    se_out_u64(out, u);
    se_out_char(out, ',');
    se_out_u64(out, v);
    se_out_char(out, ',');
    se_out_float(out, weight ? *weight : 1);
    se_out_char(out, ']');
}

static void edges(struct se_out *out, const struct se_graph *g)
{
    se_outf(out, ",\n\"weighted\":%s,\n\"edges\":[", g->weight ? "true" : "false");
    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++) {
            comma(out, i);
            link_of(out, u, g->to[i], g->weight ? &g->weight[i] : NULL);
        }
    for (uint64_t i = 0; i < g->loops; i++) {
        comma(out, g->m + i);
        link_of(out, g->loop[i], g->loop[i], g->loop_weight ? &g->loop_weight[i] : NULL);
    }
    se_out_char(out, ']');
}

static void classes(struct se_out *out, const char *member, const int32_t *label, uint64_t n)
{
    se_outf(out, ",\n\"%s\":[", member);
    for (uint64_t v = 0; v < n; v++) {
        comma(out, v);
        se_out_i64(out, label[v]);
    }
    se_out_char(out, ']');
}

static void names(struct se_out *out, const struct se_facts *f)
{
    const char *name;
    size_t len;

    se_out_str(out, ",\n\"names\":[");
    for (uint64_t v = 0; se_facts_name(f, v, &name, &len); v++) {
        comma(out, v);
        se_out_json(out, name, len);
    }
    se_out_char(out, ']');
}

static void class_names(struct se_out *out, const struct se_facts *f)
{
    se_out_str(out, ",\n\"class_names\":[");
    for (uint64_t c = 0; c < f->classes; c++) {
        comma(out, c);
        se_out_json(out, f->class_name[c], strlen(f->class_name[c]));
    }
    se_out_char(out, ']');
}

static void parts(struct se_out *out, const struct se_facts *f, uint64_t split)
{
    se_out_str(out, ",\n\"split\":");
    se_out_u64(out, split);
    se_out_str(out, ",\n\"parts\":[");
    for (uint64_t v = 0; v < f->n; v++) {
        comma(out, v);
        se_outf(out, "\"%s\"", se_facts_part(f, v));
    }
    se_out_char(out, ']');
}

static void confidence(struct se_out *out, const struct se_facts *f)
{
    se_out_str(out, ",\n\"confidence\":[");
    for (uint64_t v = 0; v < f->n; v++) {
        comma(out, v);
        se_out_float(out, f->confidence[v]);
    }
    se_out_char(out, ']');
}

static void leaf(struct se_out *out, const struct se_facts *f, bool named, uint32_t v)
{
    const char *name;
    size_t len;

    se_outf(out, ",\"vertex\":%u", v);
    if (named && se_facts_name(f, v, &name, &len)) {
        se_out_str(out, ",\"name\":");
        se_out_json(out, name, len);
    }
    se_out_char(out, '}');
}

/* Nodes come in depth-first order: before each, close what does not hold it. */
static void tree(struct se_out *out, const struct se_tree *t, const struct se_facts *f,
                 bool named)
{
    uint32_t open = SE_NONE;                    /* the innermost open node */

    for (uint64_t i = 0; i < t->nodes; i++) {
        for (; open != t->parent[i]; open = t->parent[open])
            se_out_str(out, "]}");
        if (i > 0 && t->parent[i] != i - 1)
            se_out_char(out, ',');
        se_outf(out, "{\"id\":%u", (unsigned)i);
        if (t->vertex[i] != SE_NONE) {
            leaf(out, f, named, t->vertex[i]);
        } else {
            se_out_str(out, ",\"children\":[");
            open = (uint32_t)i;
        }
    }
    for (; open != SE_NONE; open = t->parent[open])
        se_out_str(out, "]}");
}

static void stats(struct se_out *out, const struct se_stats *x)
{
    const char *name = x->names;

    se_out_str(out, ",\n\"stats\":{");
    for (uint64_t i = 0; i < x->count; i++, name += strlen(name) + 1) {
        comma(out, i);
        se_out_json(out, name, strlen(name));
        se_out_char(out, ':');
        se_out_double(out, x->value[i]);
    }
    se_out_char(out, '}');
}

/* All that is written, read and checked before the first byte goes out. */
struct content {
    struct se_facts f;
    struct se_graph g;
    struct se_tree t;           /* no nodes: none */
    struct se_stats x;          /* no names: none */
};

static int content_get(struct content *c, const struct se_export *ex, struct se_stream *s,
                       struct se_err *err)
{
    const bool alone = ex->section == SE_TREE;

    if (se_facts_get(&c->f, ex, s, err) < 0)
        return -1;
    if (!alone && se_graph_get(&c->g, s, ex->section, err) < 0)
        return -1;
    if ((alone || se_stream_has(s, SE_TREE)) && se_tree_get(&c->t, s, err) < 0)
        return -1;
    return se_stream_has(s, SE_STATS) ? se_stats_get(&c->x, s, err) : 0;
}

static void whole(struct se_out *out, const struct content *c, const struct se_export *ex)
{
    const struct se_facts *f = &c->f;

    se_out_str(out, "{\"vertices\":");
    se_out_u64(out, f->n);
    edges(out, &c->g);
    if (f->names.n)
        names(out, f);
    if (f->label)
        classes(out, "labels", f->label, f->n);
    if (f->class_name)
        class_names(out, f);
    if (f->part)
        parts(out, f, ex->split);
    if (f->predicted) {
        classes(out, "predicted", f->predicted, f->n);
        confidence(out, f);
    }
    if (c->t.nodes) {
        se_out_str(out, ",\n\"tree\":");
        tree(out, &c->t, f, ex->names);
    }
    if (c->x.names)
        stats(out, &c->x);
    se_out_char(out, '}');
}

static int export_json(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                       struct se_err *err)
{
    struct content c = { .f = SE_FACTS_INIT };
    const int rc = content_get(&c, ex, s, err);

    if (rc == 0) {
        if (ex->section == SE_TREE)
            tree(out, &c.t, &c.f, ex->names);
        else
            whole(out, &c, ex);
        se_out_char(out, '\n');
    }
    se_facts_release(&c.f);
    return rc;
}

const struct se_format se_format_json = {
    .name = "json",
    .what = "one object: edges, labels, splits, predictions, tree, stats; --section "
            "tree: the tree alone",
    .tree_instead = true,
    .export = export_json
};
