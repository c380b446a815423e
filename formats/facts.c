/* facts.c - what a stream tells of its vertices besides the edges */
#include "formats/facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/internal.h"

static int get_labels(struct se_facts *f, struct se_stream *s, struct se_err *err)
{
    struct se_labels l;
    const char *name;

    if (!se_stream_has(s, SE_LABELS))
        return 0;
    if (se_labels_get(&l, s, err) < 0)
        return -1;
    f->label = l.label;
    f->classes = l.classes;
    if (!l.names)
        return 0;
    f->class_name = se_alloc(l.classes, sizeof *f->class_name, err);
    if (!f->class_name)
        return -1;
    name = l.names;
    for (uint64_t c = 0; c < l.classes; c++, name += strlen(name) + 1)
        f->class_name[c] = name;
    return 0;
}

static int get_predictions(struct se_facts *f, struct se_stream *s, struct se_err *err)
{
    struct se_predictions p;

    if (!se_stream_has(s, SE_PREDICTIONS))
        return 0;
    if (se_predictions_get(&p, s, err) < 0)
        return -1;
    f->predicted = p.label;
    f->confidence = p.confidence;
    return 0;
}

static int get_part(struct se_facts *f, uint64_t split, struct se_stream *s,
                    struct se_err *err)
{
    struct se_splits x = { 0 };

    if (se_stream_has(s, SE_SPLITS) && se_splits_get(&x, s, err) < 0)
        return -1;
    if (x.count == 0 && split == 0)
        return 0;
    if (split >= x.count)
        return se_fail(err, SE_EINPUT, "there is no split %" PRIu64 "; the stream has %" PRIu64
                       ", counted from 0", split, x.count);
    f->part = x.part + split * x.n;
    return 0;
}

int se_facts_get(struct se_facts *f, const struct se_export *ex, struct se_stream *s,
                 struct se_err *err)
{
    *f = (struct se_facts)SE_FACTS_INIT;
    f->directed = ex->section == SE_ARCS;
    if (se_stream_vertices(s, &f->n, err) < 0 || get_labels(f, s, err) < 0 ||
        get_predictions(f, s, err) < 0 || get_part(f, ex->split, s, err) < 0)
        return -1;
    return se_stream_has(s, SE_NAMES) ? se_names_get(&f->names, s, err) : 0;
}

void se_facts_release(struct se_facts *f)
{
    free(f->class_name);
    *f = (struct se_facts)SE_FACTS_INIT;
}

const char *se_facts_class(const struct se_facts *f, int32_t label)
{
    return f->class_name && label >= 0 && (uint64_t)label < f->classes ? f->class_name[label]
                                                                       : NULL;
}

bool se_facts_name(const struct se_facts *f, uint64_t v, const char **name, size_t *len)
{
    if (v >= f->names.n)
        return false;
    *name = f->names.text + f->names.off[v];
    *len = f->names.off[v + 1] - f->names.off[v];
    return true;
}

void se_out_class(struct se_out *out, const struct se_facts *f, bool names, int32_t c)
{
    const char *name = names ? se_facts_class(f, c) : NULL;

    se_out_char(out, '\t');
    if (name)
        se_out_str(out, name);
    else if (names && f->class_name)
        se_out_char(out, '?');
    else
        se_out_i64(out, c);
}

int se_facts_columns(const struct se_facts *f, bool names, struct se_err *err)
{
    for (uint64_t c = 0; names && f->class_name && c < f->classes; c++)
        if (f->class_name[c][strcspn(f->class_name[c], "\t\n\r")])
            return se_fail(err, SE_EINPUT, "labels: the name of class %" PRIu64 " has a tab or a line end "
                           "in it and cannot be a column; export ids instead", c);
    return 0;
}

const char *se_facts_part(const struct se_facts *f, uint64_t v)
{
    return se_split_part_names[f->part ? f->part[v] : SE_SPLIT_NONE];
}

int se_export_edges(const struct se_export *ex, struct se_stream *s, struct se_graph *g,
                    struct se_err *err)
{
    return ex->section == SE_ARCS ? se_arcs_get(g, s, err)
                                  : se_graph_get(g, s, ex->section, err);
}

int se_export_network(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                      se_write_network *write, struct se_err *err)
{
    struct se_facts f = SE_FACTS_INIT;
    uint32_t *module = NULL;
    struct se_graph g;
    int rc = -1;

    if (se_export_edges(ex, s, &g, err) == 0 && se_facts_get(&f, ex, s, err) == 0 &&
        se_export_modules(ex, s, &module, err) == 0) {
        write(out, &f, &g, module);
        rc = 0;
    }
    free(module);
    se_facts_release(&f);
    return rc;
}

void se_write_edges(struct se_out *out, const struct se_graph *g, se_write_edge *edge)
{
    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++)
            edge(out, i, u, g->to[i], g->weight ? &g->weight[i] : NULL);
    for (uint64_t i = 0; i < g->loops; i++)
        edge(out, g->m + i, g->loop[i], g->loop[i], g->loop_weight ? &g->loop_weight[i] : NULL);
}
