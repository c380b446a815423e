/* formats.h - public formats: one file each, behind one table */
#ifndef SE_FORMATS_H
#define SE_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/stream/section.h"
#include "common/base/text.h"

enum se_ids { SE_IDS_AUTO, SE_IDS_INTEGER, SE_IDS_STRING };

/* What an importer is asked, and what it tells. */
struct se_import {
    const char *path;           /* a file, a folder for formats of several files, or "-" */
    bool keep_loops;
    enum se_ids ids;            /* edges: numbers as they are, or names in order of first use */
    uint64_t n;                 /* vertices wanted, 0: as many as the data say */
    uint64_t loops, repeated;   /* told: self-loops and repeated pairs that were met */
};

/* What an exporter is asked. */
struct se_export {
    uint32_t section;           /* SE_GRAPH or SE_FUSED: whose edges */
    uint64_t split;             /* which split `predictions` and `nodes` show */
    bool names;                 /* vertices by name where the stream has names */
};

struct se_format {
    const char *name;           /* -f NAME, -t NAME */
    const char *what;           /* for --help: "edge list: u v [weight] a line" */
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

/* All formats, NULL-ended, in the order in which help lists them. */
extern const struct se_format *const se_formats[];
const struct se_format *se_format_find(const char *name);
/* The likeliest importer of a path, or NULL with `err` set. */
const struct se_format *se_format_detect(const char *path, struct se_err *err);

/* Side files (--features, --labels, --embedding, --splits): npy, npz or TSV. */
int se_side_features(const char *path, struct se_stream *s, struct se_err *err);
int se_side_labels(const char *path, struct se_stream *s, struct se_err *err);
int se_side_embedding(const char *path, struct se_stream *s, struct se_err *err);
/* A table with a heading, a vertex in the first column: features, and labels from the column
 * called `class` (NULL: none).  Vertices that only the table has join the graph. */
int se_side_attributes(const char *path, const char *class, struct se_stream *s,
                       struct se_err *err);
int se_side_splits(char *const *path, int count, struct se_stream *s, struct se_err *err);

#endif
