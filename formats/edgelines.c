/* edgelines.c - the lines of an edge list
 *
 * Fields are separated by tabs, commas, semicolons or blanks: whichever of them, in this
 * order, the first line of data holds.  Between commas or semicolons a field may be quoted.
 * Lines that are blank or start with # or % are skipped.  All lines have a weight or none.
 *
 * Ids are integers if all of them are 0, 1, 2, ... without leading zeros.  If each of 0 .. n-1
 * occurs they are the vertices; else (ids from 1, or with gaps) they become names, and vertices
 * are numbered in their order.  Where other files count vertices by position (in->in_order),
 * gaps are vertices without edges, and ids without a 0 are counted from 1.  Other ids are
 * names, numbered in order of first use.  --ids says it instead: integers as they are, or
 * names.  Onto a stream with names they are its names unless --ids integer is given.
 *
 * The first line is a header, and skipped, if its ids are no integers, it has no number for
 * a weight, and either all other ids are integers, or it has a third field, or it reads
 * source target, from to, or src dst, or neither of its words occurs in any other line.
 *
 * A table of other columns becomes such lines in memory (edgetable.c).  edgefields.c reads the
 * fields of a line. */
#include "formats/edges.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    AGAIN = 1,                  /* of read_lines: start again, with names */
    RECORD = SE_BLOCK(1 << 16)  /* pairs that stay in memory */
};

/* Before more room is made: what there is goes to disk if memory is short for that. */
static int record_spill(struct se_edge_record *x, struct se_err *err)
{
    const uint64_t count = x->count - x->on_disk;
    uint64_t at;

    if (count + 1 < x->cap[0] || count < RECORD || count % 2 ||
        !se_memory_short(3 * count * sizeof *x->pair))
        return 0;
    if (se_scratch_add(&x->disk[0], x->pair, count * sizeof *x->pair, &at, err) < 0 ||
        (x->weight && se_scratch_add(&x->disk[1], x->weight, count * sizeof *x->weight, &at, err) < 0))
        return -1;
    x->on_disk = x->count;
    return 0;
}

static int record_add(struct se_edge_record *x, uint64_t pair, float w, bool weighted,
                      struct se_err *err)
{
    uint64_t i;

    if (record_spill(x, err) < 0)
        return -1;
    i = x->count - x->on_disk;
    if (se_grow(&x->pair, &x->cap[0], i + 1, sizeof *x->pair, err) < 0 ||
        (weighted && se_grow(&x->weight, &x->cap[1], i + 1, sizeof *x->weight, err) < 0))
        return -1;
    x->pair[i] = pair;
    if (weighted)
        x->weight[i] = w;
    x->count++;
    return 0;
}

/* From now on it is only read. */
static int record_end(struct se_edge_record *x, struct se_err *err)
{
    return x->on_disk > 0 && (!se_scratch_map(&x->disk[0], err) ||
                              (x->weight && !se_scratch_map(&x->disk[1], err))) ? -1 : 0;
}

static uint64_t record_pair(const struct se_edge_record *x, uint64_t i)
{
    return i < x->on_disk ? ((const uint64_t *)(const void *)x->disk[0].map)[i]
                          : x->pair[i - x->on_disk];
}

static float record_weight(const struct se_edge_record *x, uint64_t i)
{
    return !x->weight ? 1 : i < x->on_disk ? ((const float *)(const void *)x->disk[1].map)[i]
                                           : x->weight[i - x->on_disk];
}

static void record_release(struct se_edge_record *x)
{
    free(x->pair);
    free(x->weight);
    for (int i = 0; i < 2; i++)
        se_scratch_release(&x->disk[i]);
    *x = (struct se_edge_record){ .count = 0 };
}

static int add_integers(struct se_edge_lines *r, uint64_t u, uint64_t v, double w,
                        struct se_err *err)
{
    const uint64_t high = u > v ? u : v;

    if (high >= SE_NONE)
        return se_text_fail(&r->text, err, "id %" PRIu64 "%s is too large; use --ids string "
                            "to number ids in order of first use", high,
                            high > SE_NONE ? "..." : "");
    if (r->keep)
        return record_add(&r->record, u << 32 | v, (float)w, r->columns == 3, err);
    return se_builder_add(&r->builder, (uint32_t)u, (uint32_t)v, (float)w, err);
}

/* The names must be those of the stream. */
static int find_names(struct se_edge_lines *r, const char *const *name, uint32_t *id,
                      struct se_err *err)
{
    const struct se_edge_batch *b = &r->batch;

    for (int i = 0; i < 2 * b->count; i++) {
        id[i] = se_table_find(&r->table, name[i], b->len[i]);
        if (id[i] == SE_NONE) {
            r->text.line = b->line[i / 2];
            return se_text_fail(&r->text, err, "'%.*s' is not the name of a vertex of the "
                                "stream; use --ids integer if ids are meant",
                                b->len[i] > 60 ? 60 : (int)b->len[i], name[i]);
        }
    }
    return 0;
}

/* Number the names of the batch and add its edges. */
static int end_batch(struct se_edge_lines *r, struct se_err *err)
{
    struct se_edge_batch *b = &r->batch;
    const char *name[2 * SE_EDGE_BATCH];
    uint32_t id[2 * SE_EDGE_BATCH] = { 0 };

    for (int i = 0; i < 2 * b->count; i++)
        name[i] = b->text.data + b->at[i];
    if (r->fixed ? find_names(r, name, id, err) < 0
                 : se_table_add_many(&r->table, name, b->len, id, 2 * b->count, err) < 0)
        return -1;
    for (int i = 0; i < b->count; i++)
        if (se_builder_add(&r->builder, id[2 * i], id[2 * i + 1], b->weight[i], err) < 0)
            return -1;
    b->text.len = 0;
    b->count = 0;
    return 0;
}

static int add_names(struct se_edge_lines *r, const struct se_field field[2], double w,
                     struct se_err *err)
{
    struct se_edge_batch *b = &r->batch;

    for (int e = 0; e < 2; e++) {
        b->at[2 * b->count + e] = b->text.len;
        b->len[2 * b->count + e] = field[e].len + r->bipartite;
        if ((r->bipartite && se_bytes_add(&b->text, e ? "r" : "l", 1, err) < 0) ||
            se_bytes_add(&b->text, field[e].at, field[e].len, err) < 0)
            return -1;
    }
    b->weight[b->count] = (float)w;
    b->line[b->count++] = r->text.line;
    return b->count == SE_EDGE_BATCH ? end_batch(r, err) : 0;
}

/* A line where ids are names. */
static int take_names(struct se_edge_lines *r, char *line, struct se_err *err)
{
    struct se_field field[4];
    const int columns = se_edge_split(r, line, field, err);
    uint64_t id;
    double w;

    if (columns < 0)
        return -1;
    if (r->lines++ == 0 && r->in->header == SE_HEADER_AUTO &&
        !(columns == 3 && se_edge_number(&field[2], &w)) &&
        !(se_edge_id(&field[0], false, &id) && se_edge_id(&field[1], false, &id))) {
        if (se_edge_header(field, columns))
            return 0;
        r->doubtful = !r->fixed;
    }
    if (se_edge_weight(r, &field[2], columns, &w, err) < 0)
        return -1;
    return add_names(r, field, w, err);
}

/* From now on ids are names; so were those before, which the record has in order. */
static int turn_to_names(struct se_edge_lines *r, struct se_err *err)
{
    char digits[2][16];
    int rc = record_end(&r->record, err);

    r->names = true;
    r->keep = false;
    r->lines = 0;
    if (rc < 0)
        return rc;
    if (r->header)
        rc = take_names(r, r->header, err);
    for (uint64_t i = 0; rc == 0 && i < r->record.count; i++) {
        const uint64_t pair = record_pair(&r->record, i);
        const uint32_t id[2] = { (uint32_t)(pair >> 32), (uint32_t)pair };
        struct se_field field[2];

        for (int e = 0; e < 2; e++) {
            field[e].at = digits[e];
            field[e].len = (size_t)snprintf(digits[e], sizeof digits[e], "%" PRIu32, id[e]);
        }
        rc = add_names(r, field, (double)record_weight(&r->record, i), err);
    }
    r->lines += r->record.count;
    record_release(&r->record);
    return rc;
}

/* Ids that no vertex number can be: they are names, unless they are told to be numbers. */
static bool too_large(const struct se_edge_lines *r, uint64_t u, uint64_t v)
{
    return (u >= SE_NONE || v >= SE_NONE) && r->in->ids == SE_IDS_AUTO && r->in->n == 0 &&
           (!r->in->in_order || r->in->by_id);
}

/* A line where ids are integers so far, but not as plain as se_edge_quick() wants it. */
static int take_integers(struct se_edge_lines *r, char *line, struct se_err *err)
{
    const bool strict = r->in->ids == SE_IDS_INTEGER;
    char *copy = se_strdup(line, err);          /* quotes change the line */
    struct se_field field[4];
    const int columns = copy ? se_edge_split(r, line, field, err) : -1;
    bool integers, large;
    uint64_t u, v;
    double w;
    int rc = columns < 0 ? -1 : 0;

    if (rc == 0) {
        integers = se_edge_id(&field[0], strict, &u) && se_edge_id(&field[1], strict, &v);
        large = integers && too_large(r, u, v);
        if (integers && !large) {
            r->lines++;
            rc = se_edge_weight(r, &field[2], columns, &w, err);
            if (rc == 0)
                rc = add_integers(r, u, v, w, err);
        } else if (!large && r->lines == 0 && r->in->header == SE_HEADER_AUTO &&
                   !(columns == 3 && se_edge_number(&field[2], &w))) {
            r->lines++;
            r->header = copy;
            copy = NULL;
        } else if (strict) {
            const struct se_field *bad = &field[se_edge_id(&field[0], strict, &u)];

            rc = se_text_fail(&r->text, err, "id '%.*s' is no integer; use --ids string",
                              se_edge_shown(bad), bad->at);
        } else if (r->keep) {
            rc = turn_to_names(r, err);
            if (rc == 0)
                rc = take_names(r, copy, err);
        } else {
            rc = AGAIN;
        }
    }
    free(copy);
    return rc;
}

/* The heading of KONECT: "% asym unweighted". */
static int take_konect(struct se_edge_lines *r, const char *line, struct se_err *err)
{
    char shape[8] = "", weights[16] = "";

    if (sscanf(line, "%% %7s %15s", shape, weights) < 1 ||
        (strcmp(shape, "sym") != 0 && strcmp(shape, "asym") != 0 && strcmp(shape, "bip") != 0))
        return 0;
    r->konect = true;
    r->bipartite = strcmp(shape, "bip") == 0;
    if (r->bipartite && (r->in->ids == SE_IDS_INTEGER || r->fixed))
        return se_text_fail(&r->text, err, "the graph is bipartite: its two columns count different "
                            "vertices, which cannot be numbers");
    if (r->bipartite) {
        r->names = true;
        r->keep = false;
    }
    return se_say(r->in->notes, err, "%s: \"%.40s\"%s", se_path_name(r->in->path), line,
                  r->bipartite ? ": the columns count different vertices, named l1, l2, ... and r1, "
                  "r2, ..." : *shape == 'a' && !r->in->directed
                  ? ": edges have directions, which are dropped (--directed keeps directions)" : "");
}

/* A line that may be anything. */
static int take_line(struct se_edge_lines *r, char *line, size_t len, struct se_err *err)
{
    if (r->text.line == 1) {
        if (strncmp(line, "\xef\xbb\xbf", 3) == 0) {    /* a byte order mark */
            line += 3;
            len -= 3;
        }
        if (strncmp(line, "%%MatrixMarket", 14) == 0)
            return se_text_fail(&r->text, err, "this is a MatrixMarket file; use -f mtx");
    }
    while (len > 0 && se_is_blank(line[len - 1]))
        line[--len] = '\0';
    while (se_is_blank(*line)) {
        line++;
        len--;
    }
    if (*line == '%' && r->lines == 0 && !r->konect)
        return take_konect(r, line, err);
    if (*line == '\0' || *line == '#' || *line == '%')
        return 0;
    se_edge_dictionary(line, &len);
    if (!r->separator) {
        r->separator = se_find_separator(line);
        if (r->in->header == SE_HEADER_YES)
            return 0;
    }
    return r->names ? take_names(r, line, err) : take_integers(r, line, err);
}

/* Are ids far larger than their number?  Then they are not meant to count vertices. */
static bool too_sparse(const struct se_edge_lines *r)
{
    uint64_t n = r->builder.n;
    struct se_err ignored = SE_ERR_INIT;

    if (r->names || r->in->ids != SE_IDS_AUTO || r->in->n > 0 ||
        (r->in->in_order && !r->in->by_id))
        return false;
    for (uint64_t i = 0; i < r->record.count; i++) {
        const uint64_t pair = record_pair(&r->record, i), u = pair >> 32, v = pair & UINT32_MAX;

        n = u >= n ? u + 1 : n;
        n = v >= n ? v + 1 : n;
    }
    return se_check_sparse(n, r->builder.count + r->record.count, 0, &ignored) < 0;
}

/* What became of the columns behind the ends */
static int tell_columns(struct se_edge_lines *r, struct se_err *err)
{
    const char *path = se_path_name(r->in->path);

    if (r->commas && se_say(r->in->notes, err, "%s: weights have decimal commas (--decimal)", path) < 0)
        return -1;
    if (r->wide)
        return se_say(r->in->notes, err, "%s: four columns: the third is the weight, the fourth is "
                      "not used (--source, --target and --weight name other columns)", path);
    if (!r->times || r->in->source)
        return 0;
    r->builder.weighted = r->in->arcs.weighted = false;
    return se_say(r->in->notes, err, "%s: the third column looks like times in seconds (%.0f), and "
                  "is not used (--source 1 --target 2 --weight 3 makes it the weight)", path,
                  r->first_time);
}

static int read_lines(struct se_edge_lines *r, struct se_err *err)
{
    uint64_t u, v;
    double w;
    size_t len;
    char *line;
    int rc;

    se_builder_release(&r->in->arcs);           /* of another try */
    se_import_start(r->in, &r->builder, false);
    while ((rc = se_text_line(&r->text, &line, &len, err)) > 0) {
        if (r->columns && !r->names && se_edge_quick(r, line, &u, &v, &w) &&
            !too_large(r, u, v)) {
            se_edge_time(r, w);
            rc = add_integers(r, u, v, w, err);
        } else {
            rc = take_line(r, line, len, err);
        }
        if (rc != 0)
            return rc;
    }
    if (rc == 0 && r->header && r->lines == 1 && !r->names && r->columns == 0 &&
        r->in->ids == SE_IDS_AUTO) {            /* all there is: it was no header */
        if (!r->keep)
            return AGAIN;
        rc = turn_to_names(r, err);
    }
    if (rc == 0)
        rc = record_end(&r->record, err);
    if (rc == 0 && too_sparse(r)) {             /* large numbers that are names */
        if (!r->keep)
            return AGAIN;
        rc = turn_to_names(r, err);
    }
    if (rc == 0)
        rc = end_batch(r, err);
    for (uint64_t i = 0; rc == 0 && i < r->record.count; i++) {
        const uint64_t pair = record_pair(&r->record, i);

        rc = se_builder_add(&r->builder, (uint32_t)(pair >> 32), (uint32_t)pair,
                            record_weight(&r->record, i), err);
    }
    record_release(&r->record);
    return rc < 0 ? rc : tell_columns(r, err);
}

void se_edge_lines_release(struct se_edge_lines *r)
{
    se_text_close(&r->text);
    se_builder_release(&r->builder);
    se_table_release(&r->table);
    record_release(&r->record);
    se_bytes_release(&r->batch.text);
    free(r->header);
    free(r->to);
}

/* A table of any columns, as lines in memory: all of it is in the buffer. */
static int open_table(struct se_edge_lines *r, struct se_err *err)
{
    r->text = (struct se_text)SE_TEXT_INIT;
    r->text.path = r->in->path;
    r->text.end = true;
    r->separator = ',';
    r->keep = !r->names && r->in->ids == SE_IDS_AUTO;
    return se_edge_table(r->in, &r->text.buffer, err);
}

int se_edge_lines_read(struct se_edge_lines *r, struct se_err *err)
{
    const struct se_edge_lines blank = { .in = r->in, .s = r->s, .names = true };
    int rc;

    if (r->in->source ? open_table(r, err) < 0 : se_text_open(&r->text, r->in->path, err) < 0)
        return -1;
    rc = read_lines(r, err);
    if (rc != AGAIN)
        return rc;
    se_edge_lines_release(r);
    *r = blank;
    return se_text_open(&r->text, r->in->path, err) < 0 ? -1 : read_lines(r, err);
}
