/* facts.h - what a stream tells of its vertices besides the edges, for exporters */
#ifndef SE_FACTS_H
#define SE_FACTS_H

#include "formats/formats.h"

struct se_facts {
    uint64_t n;                 /* vertices of the stream */
    struct se_names names;      /* n 0: there are none */
    const int32_t *label;       /* NULL: no labels; -1: unknown */
    const int32_t *predicted;   /* NULL: no predictions; -1: none */
    const float *confidence;
    const uint8_t *part;        /* of split ex->split; NULL: no splits */
    uint64_t classes;
    const char **class_name;    /* NULL: classes have no names */
    bool directed;              /* the edges to write are arcs */
};
#define SE_FACTS_INIT { .n = 0 }

/* Gather what is there.  An error if sections differ in the number of vertices, or if there
 * are splits but not the one asked for.  The views live as long as the stream.  Release in
 * any case. */
int se_facts_get(struct se_facts *f, const struct se_export *ex, struct se_stream *s,
                 struct se_err *err);
void se_facts_release(struct se_facts *f);

/* The name of a class, or NULL if it has none. */
const char *se_facts_class(const struct se_facts *f, int32_t label);
/* The name of a vertex; false if it has none. */
bool se_facts_name(const struct se_facts *f, uint64_t v, const char **name, size_t *len);
/* A tab and the class: its number, or with `names` its name, ? where it has none. */
void se_out_class(struct se_out *out, const struct se_facts *f, bool names, int32_t c);
/* With `names`: is that one column for each class?  0, or -1 with `err`. */
int se_facts_columns(const struct se_facts *f, bool names, struct se_err *err);
/* "train", ..., "none" */
const char *se_facts_part(const struct se_facts *f, uint64_t v);

/* Formats of vertices with values and edges: get graph, facts and modules (NULL: none), call
 * `write`, give all back. */
typedef void se_write_network(struct se_out *out, const struct se_facts *f,
                              const struct se_graph *g, const uint32_t *module);
int se_export_network(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                      se_write_network *write, struct se_err *err);
/* Every edge and then every loop, numbered from 0; weight NULL: the graph has none. */
typedef void se_write_edge(struct se_out *out, uint64_t id, uint64_t u, uint64_t v,
                           const float *weight);
void se_write_edges(struct se_out *out, const struct se_graph *g, se_write_edge *edge);

#endif
