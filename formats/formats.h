/* formats.h - public formats: one file each, behind one table */
#ifndef SE_FORMATS_H
#define SE_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/text.h"
#include "common/graph/builder.h"
#include "common/stream/section.h"

enum se_ids { SE_IDS_AUTO, SE_IDS_INTEGER, SE_IDS_STRING };

enum se_header { SE_HEADER_AUTO, SE_HEADER_YES, SE_HEADER_NO };
/* How the two directions of a pair become one edge; auto: as the format has it */
enum se_symmetric { SE_SYMMETRIC_AUTO, SE_SYMMETRIC_SUM, SE_SYMMETRIC_MAX, SE_SYMMETRIC_MEAN };
enum se_decimal { SE_DECIMAL_AUTO, SE_DECIMAL_POINT, SE_DECIMAL_COMMA };

/* What an importer is asked, and what it tells. */
struct se_import {
    const char *path;           /* a file, a folder for formats of several files, or "-" */
    bool keep_loops;
    enum se_ids ids;            /* edges: numbers as they are, or names in order of first use */
    uint64_t n;                 /* vertices wanted, 0: as many as the data say */
    bool in_order;              /* edges: other files count vertices from 0, by position */
    bool by_id;                 /* edges: but they name them by id */
    const uint64_t *listed;     /* edges: by_id: the ids that they name */
    uint64_t listed_count;
    enum se_header header;      /* edges: is the first line a heading? */
    enum se_decimal decimal;    /* edges: of weights */
    const char *source, *target, *weight;       /* edges: columns of a table, NULL: not given */
    bool directed;              /* keep directions, in the section of arcs */
    enum se_symmetric symmetric;
    struct se_builder arcs;     /* those met so far; release it in any case */
    uint64_t loops, repeated;   /* told: self-loops and repeated pairs that were met */
    bool matrix;                /* told: of the two directions the larger weight counted */
    struct se_bytes *notes;     /* told: lines that the user should see; NULL: nobody asks */
    const char *class;          /* what holds the classes, where a format has several; NULL */
    bool class_used;            /* told: `class` was found */
    const char *graph;          /* what holds the graph, where a file has several; NULL */
    bool graph_used;            /* told: it was found */
    uint64_t bins;              /* classes to cut `class` into where it is a quantity; 0: none */
    bool bins_used;             /* told: it was */
};

/* What an exporter is asked. */
struct se_export {
    uint32_t section;           /* SE_GRAPH, SE_FUSED, SE_ARCS: whose edges; SE_TREE; 0: see format */
    uint64_t split;             /* which split `predictions` and `nodes` show */
    bool names;                 /* vertices by name where the stream has names */
    unsigned depth;             /* the level of the tree whose modules are shown; 0: see format */
    uint64_t most;              /* at most so many modules; 0: any number */
    struct se_bytes *notes;     /* told: lines that the user should see; NULL: nobody asks */
    uint64_t bin;               /* bed: length of a vertex; 0: not given */
    const char *sequence;       /* bed: what the vertices are on; NULL: "vertices" */
    const char *positions;      /* bed: file of a position for each vertex; NULL: none */
};

enum se_format_kind { SE_FORMAT_GRAPH, SE_FORMAT_TREE, SE_FORMAT_TABLE };

/* All that the tools know of a format: `const struct se_format se_format_NAME` in a file of
 * formats/ is a new format.  The Makefile finds it. */
struct se_format {
    const char *name;           /* -f NAME, -t NAME; an extension of file names too */
    const char *what;           /* for --help: "edge list: u v [weight] a line" */
    const char *what_import;    /* the same for se-import where it differs; may be NULL */
    enum se_format_kind kind;
    const char *extensions[8];  /* further ones, without the dot */
    bool all_sections;          /* writes the graph and the tree, whatever --section says */
    bool tree_instead;          /* a graph format that --section tree makes write the tree */
    bool directed;              /* can write the arcs, with --section arcs */
    bool tree_graph;            /* measures the tree on the graph that it was made for */
    /* Add sections to `s`.  NULL: cannot be imported. */
    int (*import)(struct se_import *in, struct se_stream *s, struct se_err *err);
    /* How sure we are, 0-100, that this is the format: path as given, first bytes of the
     * file (0 for a folder).  NULL: never by itself. */
    int (*detect)(const char *path, const char *head, size_t len);
    /* Write what the stream holds.  NULL: cannot be exported. */
    int (*export)(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                  struct se_err *err);
    bool binary;                /* the export is not text */
};

/* All formats, NULL-ended, by the name of their files. */
extern const struct se_format *const se_formats[];
/* The i-th of those that can be imported (or exported), in the order of help; NULL: no more. */
const struct se_format *se_format_at(bool import, int i);
const struct se_format *se_format_find(const char *name);
/* Does the name of this file end as those of the format do? */
bool se_format_fits(const struct se_format *f, const char *path);
/* The exporter that the extension of a path names.  NULL: none does.  Of several (.tsv) it is
 * `usual` if that is one of them, else the one of that name (.npz). */
const struct se_format *se_format_for(const char *path, const struct se_format *usual);
/* The likeliest importer of a path, or NULL with `err` set. */
const struct se_format *se_format_detect(const char *path, struct se_err *err);

/* Add a line to the notes; control characters become '?'.  Nothing without notes. */
int se_say(struct se_bytes *notes, struct se_err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Side files (--features, --labels, --embedding, --splits): npy, npz or TSV. */
int se_side_features(const char *path, struct se_stream *s, struct se_err *err);
int se_side_labels(const char *path, struct se_stream *s, struct se_bytes *notes,
                   struct se_err *err);
/* Is it a text with a vertex and a class in each line, or the vertices of a community, that names
 * vertices by whole numbers?  Those below SE_NONE are then in *ids, which is for free(). */
int se_side_label_ids(const char *path, uint64_t **ids, uint64_t *count, bool *by_id,
                      struct se_err *err);
int se_side_embedding(const char *path, struct se_stream *s, struct se_err *err);
/* A table with a heading and a row for each vertex: features, and labels from one column. */
enum se_unmatched { SE_UNMATCHED_KEEP, SE_UNMATCHED_DROP, SE_UNMATCHED_ERROR };
enum se_scale { SE_SCALE_STANDARD, SE_SCALE_RANGE, SE_SCALE_NONE };
enum { SE_MOST_BINS = 100 };
struct se_list_view {
    char *const *item;
    int count;
};
struct se_attributes {
    const char *path;
    const char *id;             /* the column of the vertices; NULL: the first */
    const char *class;          /* the column of the classes; NULL: none */
    enum se_unmatched unmatched;        /* rows whose vertex is not in the stream */
    bool unmatched_given;       /* false: refuse a table that matches nothing */
    enum se_header header;
    enum se_decimal decimal;
    enum se_scale scale;
    struct se_list_view columns, ignore;        /* columns to use (none: all) and not to use */
    uint64_t bins;              /* classes to cut a class column of numbers into; 0: none */
    struct se_bytes *notes;     /* told: lines that the user should see */
};
int se_side_attributes(const struct se_attributes *ask, struct se_stream *s,
                       struct se_err *err);
int se_side_splits(char *const *path, int count, struct se_stream *s, struct se_err *err);

#endif
