/* edges.h - an edge list on its way in: edgefields.c reads the fields of a line, edgelines.c all
 * lines, edges.c makes the graph */
#ifndef SE_EDGES_H
#define SE_EDGES_H

#include "common/graph/builder.h"
#include "formats/internal.h"
#include "formats/vertices.h"

struct se_edge_record {         /* pairs met so far, should they turn out to be names */
    uint64_t *pair, count;      /* u << 32 | v */
    float *weight;              /* NULL: none */
    size_t cap[2];
    uint64_t on_disk;           /* the first of them, once memory was short; the others are above */
    struct se_scratch disk[2];
};

enum { SE_EDGE_BATCH = SE_TABLE_MANY / 2 };     /* lines of names, looked up together */

struct se_edge_batch {
    struct se_bytes text;       /* the names, as lines do not last */
    size_t at[2 * SE_EDGE_BATCH], len[2 * SE_EDGE_BATCH];
    float weight[SE_EDGE_BATCH];
    uint64_t line[SE_EDGE_BATCH];
    int count;
};

struct se_edge_lines {
    struct se_import *in;
    struct se_stream *s;
    struct se_text text;
    struct se_builder builder;
    struct se_table table;
    struct se_edge_record record;
    struct se_edge_batch batch;
    char separator;             /* 0: not known yet; ' ' stands for runs of blanks */
    int columns;                /* 2 or 3 once a line of data was met */
    uint64_t lines;             /* of data, a header among them */
    char *header;               /* the first line, if it may be one */
    bool names;                 /* ids are names */
    bool fixed;                 /* no new names: the stream has them all */
    bool keep;                  /* keep a record, for the file cannot be read again */
    bool wide;                  /* lines have four columns, all numbers; the last is not used */
    bool konect, bipartite;     /* it has a heading of KONECT; its columns count apart */
    bool commas;                /* a weight has a decimal comma */
    bool times;                 /* all weights so far look like times */
    double first_time;
    bool doubtful;              /* the first line is two words: perhaps a header */
    uint32_t *to;               /* vertices after renumbering, SE_NONE: gone; NULL: as they are */
};

/* Read the whole file, a second time if its ids turn out to be names: edges are in the builder,
 * names in the table. */
int se_edge_lines_read(struct se_edge_lines *r, struct se_err *err);
void se_edge_lines_release(struct se_edge_lines *r);

/* An integer id.  `strict`: leading zeros will do, ids are integers whatever they are.
 * Too large a number comes out as SE_NONE or more. */
bool se_edge_id(const struct se_field *f, bool strict, uint64_t *id);
bool se_edge_number(const struct se_field *f, double *w);
/* Note whether all weights look like seconds since 1970, from 1985 on. */
void se_edge_time(struct se_edge_lines *r, double w);
/* How much of a field a message shows */
int se_edge_shown(const struct se_field *f);
/* The weight of a line; all lines have one or none. */
int se_edge_weight(struct se_edge_lines *r, const struct se_field *f, int columns, double *w,
                   struct se_err *err);
/* Are the fields of the first line the names of columns?  They are no integers. */
bool se_edge_header(const struct se_field *field, int columns);
/* The fields of a line, which it changes: 2 or 3, or -1 */
int se_edge_split(struct se_edge_lines *r, char *line, struct se_field field[4],
                  struct se_err *err);
/* Most lines of most files: integers with single separators, the columns as expected. */
bool se_edge_quick(const struct se_edge_lines *r, const char *line, uint64_t *u, uint64_t *v,
                   double *w);
/* networkx ends a line in {'weight': 4} or {}: leave the number behind, or nothing. */
void se_edge_dictionary(char *line, size_t *len);
/* Is the first whole line of data two integers, with or without something behind them? */
bool se_edge_lines_fit(const char *head);

#endif
