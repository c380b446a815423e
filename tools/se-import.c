/* se-import.c - read public formats into a stream */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/utf16.h"
#include "common/cli/tool.h"
#include "formats/formats.h"

static struct {
    int format, ids;
    int unmatched, header, decimal, scale;
    bool unmatched_given;
    const char *features, *labels, *embedding, *attributes, *id, *class, *graph, *onto;
    const char *source, *target, *weight;
    struct se_list splits, columns, ignore;
    uint64_t bins;
    uint64_t vertices;
    bool keep_loops, class_used, graph_used, bins_used, directed;
    int symmetric;
} o;

static const char *words[64] = { "auto" };      /* of -f, from the table of formats */

static const struct se_option options[] = {
    { 'f', "from", "FORMAT", SE_OPT_CHOICE, &o.format, .words = words,
      .help = "the format of INPUT; auto: by its name and first bytes" },
    { 0, "source", "COLUMN", SE_OPT_STRING, &o.source,
      .help = "of an edge table: the column of one end, by name or number from 1" },
    { 0, "target", "COLUMN", SE_OPT_STRING, &o.target,
      .help = "of an edge table: the column of the other end" },
    { 0, "weight", "COLUMN", SE_OPT_STRING, &o.weight,
      .help = "of an edge table: the column of the weights (default: no weights)" },
    { 0, "decimal", "auto|point|comma", SE_OPT_CHOICE, &o.decimal,
      .help = "the decimal sign in tables and weights; auto: by column of a table, else a "
              "point" },
    { 0, "attributes", "FILE", SE_OPT_FILE, &o.attributes,
      .help = "a table (CSV or TSV) with a heading and a vertex in the first column: its "
              "numbers and words become features" },
    { 0, "class", "COLUMN", SE_OPT_STRING, &o.class,
      .help = "the column of --attributes that holds the class, which becomes labels; without "
              "--attributes the array, attribute or column of INPUT" },
    { 0, "graph", "NAME", SE_OPT_STRING, &o.graph,
      .help = "of a file of several matrices: the one that is the graph" },
    { 0, "bins", "N", SE_OPT_COUNT, &o.bins, .min = 2, .max = SE_MOST_BINS,
      .help = "with --class: cut a column of numbers into N classes of about the same size" },
    { 0, "columns", "COLUMN...", SE_OPT_LIST, &o.columns,
      .help = "with --attributes: make features of these columns only" },
    { 0, "ignore", "COLUMN...", SE_OPT_LIST, &o.ignore,
      .help = "with --attributes: make no features of these columns" },
    { 0, "scale", "standard|range|none", SE_OPT_CHOICE, &o.scale,
      .help = "with --attributes: numbers get mean 0 and variance 1, and the features of any "
              "other column a total variance of 1; or numbers go from 0 to 1 and words count "
              "1; or numbers stay as they are" },
    { 0, "id", "COLUMN", SE_OPT_STRING, &o.id,
      .help = "with --attributes: the column that holds the vertices, by name or number "
              "(default: the first)" },
    { 0, "unmatched", "keep|drop|error", SE_OPT_CHOICE, &o.unmatched,
      .help = "with --attributes: rows whose vertex has no edge become vertices without edges, "
              "are dropped, or are an error; a table that matches nothing is an error unless "
              "keep is given", .given = &o.unmatched_given },
    { 0, "header", "auto|yes|no", SE_OPT_CHOICE, &o.header,
      .help = "whether the first line of a table or an edge list is a heading" },
    { 0, "features", "FILE", SE_OPT_FILE, &o.features,
      .help = "features of the vertices: npy, npz or TSV" },
    { 0, "labels", "FILE", SE_OPT_FILE, &o.labels,
      .help = "classes of the vertices: npy, npz or TSV" },
    { 0, "embedding", "FILE", SE_OPT_FILE, &o.embedding,
      .help = "a representation of the vertices: npy, npz or TSV" },
    { 0, "splits", "FILE...", SE_OPT_LIST, &o.splits,
      .help = "splits, one a file, in the order given: npz or TSV" },
    { 0, "keep-loops", NULL, SE_OPT_FLAG, &o.keep_loops,
      .help = "keep self-loops instead of dropping them" },
    { 0, "directed", NULL, SE_OPT_FLAG, &o.directed,
      .help = "keep the directions of edges, in a section of arcs beside the undirected graph" },
    { 0, "symmetric", "auto|sum|max|mean", SE_OPT_CHOICE, &o.symmetric,
      .help = "the weight of an edge from those of its two directions, a missing one being "
              "0; auto: the sum in an edge list, the larger one in a matrix" },
    { 0, "ids", "auto|integer|string", SE_OPT_CHOICE, &o.ids,
      .help = "ids of an edge list: vertex numbers, or names to be numbered in order of "
              "first use; auto: numbers if all are" },
    { 0, "vertices", "N", SE_OPT_COUNT, &o.vertices, .min = 1, .max = 4294967294.0,
      .help = "the number of vertices, when some at the end have no edge" },
    { 0, "onto", "STREAM", SE_OPT_FILE, &o.onto,
      .help = "start from this stream and add or replace sections" },
    SE_OPTIONS_END
};

static const char about[] =
    "Read INPUT, and then each FILE in whatever format it is found to be in, into\n"
    "one stream.  INPUT is a file, a folder for formats of several files, or - or\n"
    "nothing for standard input; text may be gzip'd.  With --onto there may be no\n"
    "INPUT, only files of features, labels and so on.  With --attributes alone the\n"
    "graph has a vertex for each row and no edges; se-sim finds neighbours.\n";

static void list_formats(FILE *out)
{
    const struct se_format *f;

    for (int i = 0; (f = se_format_at(true, i)); i++)
        se_help_row(out, f->name, f->what_import ? f->what_import : f->what);
}

static const char more[] =
    "Edges are undirected.  Repeated pairs of an edge list become one edge whose\n"
    "weight is their sum; of a matrix, the larger of the two directions counts.\n"
    "Formats of modules and trees give a tree; their vertices are counted from 0.\n";

static const char examples[] =
    "  se-import karate.tsv -o karate.seg\n"
    "  se-import -f planetoid data/cora --splits data/cora/splits/*.npz -o cora.seg\n"
    "  gpmetis karate.metis 4 && se-import --onto karate.seg karate.metis.part.4 -o 4.seg\n";

/* The format that was chosen with -f, or the one that the file seems to be in.  A folder may have
 * its files in a folder raw: then *inside is that folder; free() it. */
static const struct se_format *format_of(const char *path, int word, char **inside,
                                         struct se_err *err)
{
    const struct se_format *f = word == 0 ? se_format_detect(path, err)
                                          : se_format_find(words[word]);
    struct se_err ignored = SE_ERR_INIT;
    struct stat st;

    if (f || asprintf(inside, "%s/raw", path) < 0) {
        *inside = NULL;
        return f;
    }
    if (stat(*inside, &st) == 0 && S_ISDIR(st.st_mode) &&
        (f = se_format_detect(*inside, &ignored)) != NULL)
        *err = (struct se_err)SE_ERR_INIT;
    return f;
}

/* What was taken for what: lines that are printed when all went well. */
static struct se_bytes told = SE_BYTES_INIT;

/* What the importers have to say, a line each; -q is quiet. */
static void tell_notes(struct se_run *run, struct se_bytes *notes)
{
    for (size_t at = 0; at < notes->len;) {
        const char *line = notes->data + at;
        const size_t len = (size_t)((const char *)memchr(line, '\n', notes->len - at) - line);

        se_warn(run, "%.*s", (int)len, line);
        at += len + 1;
    }
    notes->len = 0;
}

/* Entries of a list that joined others.  A list without weights that has each edge in both
 * directions says nothing by that. */
static int tell_repeated(const struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct se_graph g;

    if (in->repeated == 0 || in->matrix || in->directed || in->symmetric != SE_SYMMETRIC_AUTO ||
        !se_stream_has(s, SE_GRAPH))
        return 0;
    if (se_graph_get(&g, s, SE_GRAPH, err) < 0)
        return -1;
    if (!g.weight && in->repeated == g.m)
        return 0;
    return se_say(&told, err, "%s: %" PRIu64 " entries repeat a pair or are its other direction; "
                  "each pair is one edge%s", se_path_name(in->path), in->repeated,
                  g.weight ? ", and weights add up" : "");
}

/* All 0 if there is no graph */
static int graph_digest(struct se_stream *s, struct se_digest *d, struct se_err *err)
{
    struct se_section *x = se_stream_find(s, SE_GRAPH);

    *d = (struct se_digest){ { 0 } };
    return x ? se_section_digest(x, d, err) : 0;
}

/* The graph of an earlier file must not be lost because a file of classes looks like edges. */
static int check_graph(const struct se_run *run, const char *path, const struct se_format *f,
                       const struct se_digest *before, struct se_stream *s, struct se_err *err)
{
    const struct se_digest none = { { 0 } };
    struct se_digest now;

    if (graph_digest(s, &now, err) < 0)
        return -1;
    if (memcmp(before, &none, sizeof none) == 0 || memcmp(before, &now, sizeof now) == 0)
        return 0;
    return se_fail(err, SE_EINPUT, "%s: was read as %s, which would replace the graph of %s; give "
                   "classes as --labels, features as --features and tables as --attributes", path,
                   f->name, se_run_operand(run, 0));
}

static int import_file(struct se_run *run, int i, const char *path, const struct se_format *f,
                       struct se_stream *s, struct se_err *err)
{
    struct se_import in = {
        .path = path, .keep_loops = o.keep_loops, .ids = (enum se_ids)o.ids, .n = o.vertices,
        .class = o.attributes ? NULL : o.class,
        .in_order = o.features || (o.labels && !o.attributes) || o.embedding ||
                    o.splits.count > 0 || run->operands > 1,
        .bins = o.bins, .graph = o.graph,
        .header = (enum se_header)o.header, .decimal = (enum se_decimal)o.decimal,
        .directed = o.directed, .symmetric = (enum se_symmetric)o.symmetric,
        .source = o.source, .target = o.target, .weight = o.weight, .notes = &told
    };
    struct se_digest before;
    uint64_t *ids = NULL;
    int rc;

    if (o.labels && !o.features && !o.embedding && o.splits.count == 0 && run->operands == 1 &&
        se_side_label_ids(o.labels, &ids, &in.listed_count, &in.by_id, err) < 0) {
        free(ids);
        return -1;
    }
    in.listed = ids;
    rc = (in.n == 0 && se_stream_vertices(s, &in.n, err) < 0) ||
         (i > 0 && graph_digest(s, &before, err) < 0) ||
         ((i > 0 || o.format == 0) &&
          se_say(&told, err, "%s: read as %s", path, f->name) < 0) ? -1 : f->import(&in, s, err);
    se_builder_release(&in.arcs);
    free(ids);
    if (rc < 0 || (i > 0 && check_graph(run, path, f, &before, s, err) < 0))
        return -1;
    o.class_used |= in.class_used;
    o.graph_used |= in.graph_used;
    o.bins_used |= in.bins_used;
    if (tell_repeated(&in, s, err) < 0)
        return -1;
    if (in.loops || in.repeated)
        se_note(run, "%s: %" PRIu64 " self-loops %s, %" PRIu64 " repeated pairs joined", path,
                in.loops, o.keep_loops ? "kept" : "dropped", in.repeated);
    return 0;
}

static int import_one(struct se_run *run, int i, struct se_stream *s, struct se_err *err)
{
    const char *path = se_run_operand(run, i);
    char *inside = NULL;
    const struct se_format *f = format_of(path, i == 0 ? o.format : 0, &inside, err);
    const int rc = f ? import_file(run, i, inside ? inside : path, f, s, err) : -1;

    free(inside);
    return rc;
}

static int import_attributes(struct se_stream *s, struct se_err *err)
{
    const struct se_attributes ask = {
        .path = o.attributes, .id = o.id, .class = o.class, .notes = &told,
        .unmatched = (enum se_unmatched)o.unmatched, .unmatched_given = o.unmatched_given,
        .header = (enum se_header)o.header, .decimal = (enum se_decimal)o.decimal,
        .scale = (enum se_scale)o.scale, .bins = o.bins,
        .columns = { o.columns.item, o.columns.count },
        .ignore = { o.ignore.item, o.ignore.count }
    };

    return se_side_attributes(&ask, s, err);
}

static int import_sides(struct se_stream *s, struct se_err *err)
{
    const char *stray = o.class && !o.class_used ? "class" : o.id ? "id"
                      : o.unmatched_given ? "unmatched" : o.columns.count ? "columns"
                      : o.ignore.count ? "ignore" : NULL;

    if (stray && !o.attributes)
        return se_fail(err, SE_EUSAGE, "--%s is about the table of --attributes FILE%s", stray,
                       o.class ? ", or of INPUT where that has a choice of classes" : "");
    if (o.graph && !o.graph_used)
        return se_fail(err, SE_EUSAGE, "--graph is about npz, mat and h5ad files that hold several "
                       "matrices");
    if (o.bins && !o.class && !o.bins_used)
        return se_fail(err, SE_EUSAGE, "--bins cuts the column of --class COLUMN");
    if (o.attributes && import_attributes(s, err) < 0)
        return -1;
    if (o.features && se_side_features(o.features, s, err) < 0)
        return -1;
    if (o.labels && se_side_labels(o.labels, s, &told, err) < 0)
        return -1;
    if (o.embedding && se_side_embedding(o.embedding, s, err) < 0)
        return -1;
    if (o.splits.count > 0 && se_side_splits(o.splits.item, o.splits.count, s, err) < 0)
        return -1;
    return 0;
}

static int import_all(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    const bool table_only = o.attributes && o.format == 0;
    const int count = run->operands || o.onto || table_only ? run->operands : 1;

    for (int i = 0; i < count; i++)
        if (import_one(run, i, s, err) < 0)
            return -1;
    return import_sides(s, err);
}

static int check_names(struct se_stream *s, struct se_err *err)
{
    struct se_names x;

    if (!se_stream_has(s, SE_NAMES))
        return 0;
    if (se_names_get(&x, s, err) < 0)
        return -1;
    return se_utf8_is(x.text, x.off[x.n]) ? 0
           : se_say(&told, err, "names of vertices are not UTF-8 and stay as they are; iconv "
                    "converts a file");
}

static int tell(struct se_run *run, struct se_stream *s, uint64_t n, struct se_err *err)
{
    struct se_graph g;

    if (!run->verbose)
        return 0;
    se_note(run, "%" PRIu64 " vertices", n);
    if (!se_stream_has(s, SE_GRAPH))
        return 0;
    if (se_graph_get(&g, s, SE_GRAPH, err) < 0)
        return -1;
    se_note(run, "%" PRIu64 " edges%s, %" PRIu64 " self-loops", g.m,
            g.weight ? " with weights" : "", g.loops);
    return 0;
}

static int run(struct se_run *run, struct se_err *err)
{
    struct se_stream s = SE_STREAM_INIT;
    uint64_t n;
    int rc = se_run_check_output(run, err);

    if (rc == 0 && o.onto)
        rc = se_run_read(run, o.onto, &s, err);
    s.keep = run->keep;
    if (rc == 0)
        rc = import_all(run, &s, err);
    if (rc == 0)
        rc = se_stream_vertices(&s, &n, err);
    if (rc == 0)
        rc = tell(run, &s, n, err);
    if (rc == 0)
        rc = check_names(&s, err);
    if (rc == 0)
        tell_notes(run, &told);
    se_bytes_release(&told);
    if (rc == 0)
        rc = se_run_write(run, &s, err);
    se_stream_release(&s);
    return rc;
}

static const struct se_tool tool = {
    .name = "se-import", .brief = "read public formats into a stream",
    .operands = "[INPUT [FILE...]]", .max_operands = -1,
    .has = SE_TOOL_STREAM | SE_TOOL_KEEP, .options = options, .about = about,
    .list = list_formats, .notes = more, .examples = examples, .run = run
};

int main(int argc, char **argv)
{
    const struct se_format *f;

    for (int i = 0; i < 62 && (f = se_format_at(true, i)); i++)
        words[i + 1] = f->name;
    return se_tool_main(&tool, argc, argv);
}
