/* network.h - a graph on its way in from a format that names its vertices as it likes
 *
 * Vertices have ids, perhaps labels, perhaps a class among other attributes.  Ids that are just
 * 0 .. n-1 become vertex numbers; others become names, or the labels do if no two are equal. */
#ifndef SE_NETWORK_H
#define SE_NETWORK_H

#include "formats/internal.h"

struct se_network {
    struct se_table id;         /* ids in the order of first use */
    struct se_table attribute;  /* names of the attributes that vertices have */
    struct se_network_edge {
        uint32_t u, v;
        float weight;
        bool both;              /* it has no direction */
    } *edge;
    uint64_t edges;
    size_t edge_cap;
    struct se_network_value {   /* of an attribute; text of `text` from `at`, ended by NUL */
        uint32_t vertex, attribute;
        uint64_t at;
    } *value;
    uint64_t values;
    size_t value_cap;
    struct se_bytes text, label;        /* label: text of `labels` vertices */
    struct se_network_label {
        uint32_t vertex;
        uint64_t at;
    } *labels;
    uint64_t label_count;
    size_t label_cap;
    bool directed;              /* the file says that direction matters */
    bool undirected;            /* the file, or what it says of the next edges: it does not */
    bool matrix;                /* edges are there once for each direction */
};
#define SE_NETWORK_INIT { .id = SE_TABLE_INIT, .attribute = SE_TABLE_INIT }

/* The number of the vertex with this id, which may be new. */
int se_network_vertex(struct se_network *x, const char *id, size_t len, uint32_t *v,
                      struct se_err *err);
int se_network_edge(struct se_network *x, uint32_t u, uint32_t v, double weight,
                    struct se_err *err);
int se_network_label(struct se_network *x, uint32_t v, const char *text, size_t len,
                     struct se_err *err);
int se_network_value(struct se_network *x, uint32_t v, const char *name, size_t name_len,
                     const char *text, size_t len, struct se_err *err);
/* Make graph, names and labels of it; in->class, or an attribute that is usually the class,
 * gives the labels.  Errors do not name the file. */
int se_network_put(struct se_network *x, struct se_import *in, struct se_stream *s,
                   struct se_err *err);
void se_network_release(struct se_network *x);

#endif
