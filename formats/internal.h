/* internal.h - what the files of formats/ share with one another */
#ifndef SE_FORMATS_INTERNAL_H
#define SE_FORMATS_INTERNAL_H

#include "common/base/text.h"
#include "common/stream/section.h"
#include "formats/formats.h"

/* Does the path end in `ext` (".mtx"), or in it and ".gz"?  Case does not matter. */
bool se_path_is(const char *path, const char *ext);
/* Of a file that is known and not read: what it is, and what to do with it.  Or NULL. */
const char *se_format_hint(const char *path, const char *head, size_t len);

/* An error unless n vertices are in proportion to the entries of a file or were asked for:
 * a single large number in a small file must not cost gigabytes. */
int se_check_sparse(uint64_t n, uint64_t entries, uint64_t wanted, struct se_err *err);

static inline bool se_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

struct se_field {
    char *at;
    size_t len;
};
/* A tab if the line has one; else the more frequent of comma and semicolon, outside quotes;
 * else a blank. */
char se_find_separator(const char *line);
/* Cut a line into fields; 4 stands for 4 or more.  ' ' separates by runs of blanks.  Blanks
 * around a field do not belong to it.  Between commas or semicolons a field may be quoted,
 * and the line changes.  Returns how many fields there are, or -1 for a quote that does not
 * end or has something behind it.  A field may be empty. */
int se_fields(char *line, char separator, struct se_field field[4]);
/* The same for the field at *p, which moves on: 1, or 0 if it was the last, or -1. */
int se_next_field(char **p, char separator, struct se_field *f);
/* The same, but a field may be quoted whatever the separator is. */
int se_next_cell(char **p, char separator, struct se_field *f);

/* A number as people write it, with currency signs and thousands separators.  SE_DECIMAL_AUTO
 * stands for a decimal point.  False: it is none. */
bool se_amount(const char *cell, enum se_decimal decimal, double *value);

/* A weight: the same, but of SE_DECIMAL_AUTO a single comma is a decimal comma where commas do not
 * separate fields (*comma: it was). */
bool se_weight(const char *cell, enum se_decimal decimal, char separator, double *value,
               bool *comma);
/* The edges of a table of any columns (in->source, in->target, in->weight) as lines
 * "u","v",weight, each where its record begins in the file. */
int se_edge_table(struct se_import *in, struct se_bytes *lines, struct se_err *err);
/* Does the first line of a file name two columns of edges among more than three?  Then they
 * are set, and a note says so. */
int se_edge_columns(struct se_import *in, struct se_err *err);

/* Names in order of first use, found by hashing. */
struct se_table {
    uint64_t n;                 /* names */
    uint64_t *off;              /* n + 1; name i: text[off[i]] .. text[off[i + 1] - 1] */
    struct se_bytes text;
    size_t off_cap;
    struct se_slot *slot;       /* a power of two of them */
    uint64_t slots;
};
#define SE_TABLE_INIT { 0, NULL, SE_BYTES_INIT, 0, NULL, 0 }
/* The number of a name, or SE_NONE if it is not there. */
uint32_t se_table_find(const struct se_table *t, const char *name, size_t len);
/* The same, but a new name is added. */
int se_table_add(struct se_table *t, const char *name, size_t len, uint32_t *id,
                 struct se_err *err);
/* The same for `count` names, at most SE_TABLE_MANY: their cache misses overlap. */
enum { SE_TABLE_MANY = 64 };
int se_table_add_many(struct se_table *t, const char *const *name, const size_t *len,
                      uint32_t *id, int count, struct se_err *err);
/* Fill an empty table with the names section of `s`; a name that occurs twice is an error. */
int se_table_load(struct se_table *t, struct se_stream *s, struct se_err *err);
int se_table_put(const struct se_table *t, struct se_stream *s, struct se_err *err);
/* Give back what only finding and adding need. */
void se_table_seal(struct se_table *t);
/* How far the farthest name lies from its slot: what the worst look-up costs.  For tests. */
uint64_t se_table_reach(const struct se_table *t);
void se_table_release(struct se_table *t);

/* Classes of vertices as they are met: each a name with a number.  Empty, "-1", "?" and "nan"
 * are unknown. */
struct se_classes {
    struct se_table names;
    int32_t *label;
    uint64_t n;
    size_t cap;
};
#define SE_CLASSES_INIT { SE_TABLE_INIT, NULL, 0, 0 }
int se_classes_set(struct se_classes *c, uint64_t v, const char *name, struct se_err *err);
/* An error if the classes are rather measurements, or different words in most rows. */
int se_classes_check(const struct se_classes *c, struct se_err *err);
/* As labels into `s`: numbers are classes in their order, words in the order of first use. */
int se_classes_put(struct se_classes *c, struct se_stream *s, struct se_err *err);
void se_classes_release(struct se_classes *c);

/* The names an exporter is to print: the view is empty (n 0) when `wanted` is false or the
 * stream has none.  se_out_vertex then prints the id. */
int se_export_names(bool wanted, struct se_stream *s, struct se_names *names,
                    struct se_err *err);
/* The same for tables, where no name may be more than one column. */
int se_export_columns(bool wanted, struct se_stream *s, struct se_names *names,
                      struct se_err *err);
/* The edges to write, or the arcs where ex->section is SE_ARCS. */
int se_export_edges(const struct se_export *ex, struct se_stream *s, struct se_graph *g,
                    struct se_err *err);
void se_out_vertex(struct se_out *out, const struct se_names *names, uint64_t v);

/* The vertex that a label means: its name in the table, or an id if the table is empty. */
int se_vertex_label(const char *label, size_t len, const struct se_table *names, uint32_t *v,
                    struct se_err *err);

/* A tree on its way in: nodes in any order.  parent[i] is an index or SE_NONE, vertex[i] a
 * vertex or SE_NONE. */
struct se_nodes {
    uint64_t count;
    uint32_t *parent, *vertex;
    size_t cap[2];
};
#define SE_NODES_INIT { 0, NULL, NULL, { 0, 0 } }
int se_nodes_add(struct se_nodes *x, uint32_t parent, uint32_t vertex, struct se_err *err);
/* Renumber in depth-first order, children in the order of their index, and put the tree into
 * `s`.  There must be one node without parent.  Nodes that do not hang from it are on a cycle:
 * *fault is set to one (else to SE_NONE) and the error is for the caller to word. */
int se_nodes_put(struct se_nodes *x, uint64_t n, struct se_stream *s, uint64_t *fault,
                 struct se_err *err);
void se_nodes_release(struct se_nodes *x);

/* Check that the leaves are vertices 0 .. n-1, each once; errors name the first at fault.
 * `wanted`: what n must be, 0 for any. */
int se_check_leaves(const uint32_t *vertex, uint64_t count, uint64_t wanted, uint64_t *n,
                    struct se_err *err);

/* The share of each of n vertices in the sum of degrees of the graph that is exported; all 0
 * when the stream has none.  NULL with `err` set, else give it back with free(). */
double *se_leaf_flow(const struct se_export *ex, struct se_stream *s, uint64_t n,
                     struct se_err *err);

/* An error if a tree of this height has no level ex->depth. */
int se_check_depth(const struct se_export *ex, uint32_t height, struct se_err *err);
/* The graph to measure a tree on: the one asked for, else (0) the one that it was made for. */
int se_export_tree_graph(uint32_t asked, struct se_stream *s, struct se_graph *g,
                         struct se_err *err);

/* The levels of the tree to write: ex->depth alone, or all that have modules. */
int se_export_levels(const struct se_export *ex, const struct se_tree *t, uint32_t *first,
                     uint32_t *last, struct se_err *err);

/* The module of each vertex at level ex->depth of the tree (0: the first); NULL without a tree.
 * free(). */
int se_export_modules(const struct se_export *ex, struct se_stream *s, uint32_t **module,
                      struct se_err *err);

#endif
