/* papers.h - networks of papers in two files: vertices with features and class, and pairs of ids */
#ifndef SE_PAPERS_H
#define SE_PAPERS_H

#include "formats/internal.h"
#include "formats/rows.h"
#include "formats/vertices.h"

struct se_papers {
    struct se_table ids, words; /* words: the feature columns, where the file names them */
    struct se_rows rows;
    struct se_classes classes;
    struct se_builder edges;
    uint64_t fields;            /* features of the first vertex */
    uint64_t missing;           /* edges left out: an end is no vertex */
};

/* One line of a file, which it may change: 0, or -1 with `err` */
typedef int se_papers_line(struct se_papers *x, const struct se_text *t, char *line,
                           struct se_err *err);

/* For lines of vertices: a new vertex of this name, without a row yet */
int se_papers_vertex(struct se_papers *x, const struct se_text *t, const char *id, uint32_t *v,
                     struct se_err *err);
/* For lines of edges: add one, or count it as left out where an end is SE_NONE */
int se_papers_edge(struct se_papers *x, uint32_t u, uint32_t v, struct se_err *err);

/* Both files through their functions, then everything into the stream.  Edges whose ends are no
 * vertices are left out, and counted in a note. */
int se_papers_import(struct se_import *in, const char *nodes, se_papers_line *vertex,
                     const char *cites, se_papers_line *edge, struct se_stream *s,
                     struct se_err *err);

#endif
