/* vertices.h - files with a line per vertex and files with a line per edge, as geomgcn and
 * musae have them, and what all importers of labelled graphs do in the end */
#ifndef SE_VERTICES_H
#define SE_VERTICES_H

#include "common/graph/builder.h"
#include "formats/formats.h"

/* Vertices in the order of a file, to be checked when all are there. */
struct se_vertices {
    uint64_t n;
    struct se_vertex_line {
        uint32_t id;
        int32_t label;
        uint64_t line;
    } *row;
    size_t cap;
    uint32_t *which;            /* made by se_vertices_check: row of each vertex */
};
#define SE_VERTICES_INIT { 0, NULL, 0, NULL }

int se_vertices_add(struct se_vertices *x, uint32_t id, int32_t label, uint64_t line,
                    struct se_err *err);
/* Ids must be 0 .. n-1, each once; else an error names the line of `path`. */
int se_vertices_check(struct se_vertices *x, const char *path, struct se_err *err);
/* Put the labels of checked vertices into `s`. */
int se_vertices_labels(const struct se_vertices *x, struct se_stream *s, struct se_err *err);
void se_vertices_release(struct se_vertices *x);

/* Add the edges of a file: a header, then two ids a line with `separator` between them. */
int se_read_edge_lines(const char *path, char separator, uint64_t n, struct se_builder *b,
                       struct se_err *err);

/* Is n, which the data say, what the caller wanted? */
int se_import_vertices(const struct se_import *in, uint64_t n, struct se_err *err);
/* Prepare a builder for what `in` asks of directions; before the first edge.  `undirected`: the
 * edges of the file have none. */
void se_import_start(struct se_import *in, struct se_builder *b, bool undirected);
/* The rule for the two directions of a pair: the one asked for, else `usual`. */
enum se_merge se_import_rule(const struct se_import *in, const struct se_builder *b,
                             enum se_merge usual);
/* When the graph is there: put the arcs that were asked for, and say what became of directions.
 * `to`, n: see se_builder_put_arcs(). */
int se_import_arcs(struct se_import *in, const struct se_built *built, enum se_merge merge,
                   const uint32_t *to, struct se_stream *s, struct se_err *err);
/* Build the graph and its arcs, tell of loops and repetitions.  Empties the builder in any case. */
int se_import_graph(struct se_import *in, struct se_builder *b, enum se_merge merge,
                    struct se_stream *s, struct se_err *err);
/* Put n labels; classes as many as the largest asks for, but at least `classes`. */
int se_import_labels(const int32_t *label, uint64_t n, uint64_t classes, const char *names,
                     uint64_t names_len, struct se_stream *s, struct se_err *err);

#endif
