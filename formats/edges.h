/* edges.h - an edge list on its way in: edgelines.c reads its lines, edges.c makes the graph */
#ifndef SE_EDGES_H
#define SE_EDGES_H

#include "common/graph/builder.h"
#include "formats/internal.h"
#include "formats/vertices.h"

struct se_edge_record {         /* pairs met so far, should they turn out to be names */
    uint64_t *pair, count;      /* u << 32 | v */
    float *weight;
    size_t cap[2];
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
/* Is the first whole line of data two integers, with or without something behind them? */
bool se_edge_lines_fit(const char *head);

#endif
