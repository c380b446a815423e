/* se-import.c - read public formats into a stream */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/cli/tool.h"
#include "formats/formats.h"

#define FORMATS "edges|mtx|metis|npz|planetoid|geomgcn|musae|npy|clu|mcl|tree|parents"

static struct {
    int format, ids;
    const char *features, *labels, *embedding, *attributes, *class, *onto;
    struct se_list splits;
    uint64_t vertices;
    bool keep_loops;
} o;

static const struct se_option options[] = {
    { 'f', "from", "auto|" FORMATS, SE_OPT_CHOICE, &o.format,
      .help = "the format of INPUT; auto: by its name and first bytes" },
    { 0, "attributes", "FILE", SE_OPT_FILE, &o.attributes,
      .help = "a table (CSV or TSV) with a heading and a vertex in the first column: its "
              "numbers and words become features" },
    { 0, "class", "COLUMN", SE_OPT_STRING, &o.class,
      .help = "with --attributes: the column that holds the class, which becomes labels" },
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
    "INPUT, only files of features, labels and so on.\n"
    "\n"
    "  edges      u v [weight] a line, separated by tabs, commas, semicolons or\n"
    "             blanks; # and % start comments; a header line is skipped\n"
    "  mtx        Matrix Market: a square coordinate matrix\n"
    "  metis      adjacency lists of METIS\n"
    "  npz        gnn-benchmark: adjacency, features and labels in one archive\n"
    "  planetoid  a folder with ind.NAME.{x,y,tx,ty,allx,ally,graph,test.index}\n"
    "  geomgcn    a folder with out1_graph_edges.txt, out1_node_feature_label.txt\n"
    "  musae      a folder with NAME_{edges.csv,features.json,target.csv}\n"
    "  npy        a matrix of features, a row for each vertex\n"
    "  clu        node module [flow] a line (Infomap), or one module a line (METIS)\n"
    "  mcl        a line of labels for each cluster\n"
    "  tree       path flow \"name\" node_id a line (Infomap)\n"
    "  parents    node, parent and vertex a line\n"
    "\n"
    "Edges are undirected.  Repeated pairs of an edge list become one edge whose\n"
    "weight is their sum; of a matrix, the larger of the two directions counts.\n"
    "Formats of modules and trees give a tree; their vertices are counted from 0.\n";

static const char examples[] =
    "  se-import karate.tsv -o karate.seg\n"
    "  se-import -f planetoid data/cora --splits data/cora/splits/*.npz -o cora.seg\n"
    "  gpmetis karate.metis 4 && se-import --onto karate.seg karate.metis.part.4 -o 4.seg\n";

/* The format whose word was chosen with -f, or the one that the file seems to be in. */
static const struct se_format *format_of(const char *path, int word, struct se_err *err)
{
    const char *words = "auto|" FORMATS;
    char name[32];

    if (word == 0)
        return se_format_detect(path, err);
    while (word-- > 0)
        words = strchr(words, '|') + 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(words, "|"), words);

    const struct se_format *f = se_format_find(name);

    if (!f || !f->import)
        se_fail(err, SE_EUSAGE, "%s cannot be read", name);
    return f && f->import ? f : NULL;
}

static int import_one(struct se_run *run, const char *path, int word, struct se_stream *s,
                      struct se_err *err)
{
    struct se_import in = {
        .path = path, .keep_loops = o.keep_loops, .ids = (enum se_ids)o.ids, .n = o.vertices
    };
    const struct se_format *f = format_of(path, word, err);

    if (!f)
        return -1;
    if (in.n == 0 && se_stream_vertices(s, &in.n, err) < 0)
        return -1;
    if (f->import(&in, s, err) < 0)
        return -1;
    se_note(run, "%s: read as %s", path, f->name);
    if (in.loops || in.repeated)
        se_note(run, "%s: %" PRIu64 " self-loops %s, %" PRIu64 " repeated pairs joined", path,
                in.loops, o.keep_loops ? "kept" : "dropped", in.repeated);
    return 0;
}

static int import_sides(struct se_stream *s, struct se_err *err)
{
    if (o.class && !o.attributes)
        return se_fail(err, SE_EUSAGE, "--class names a column of --attributes FILE");
    if (o.attributes && se_side_attributes(o.attributes, o.class, s, err) < 0)
        return -1;
    if (o.features && se_side_features(o.features, s, err) < 0)
        return -1;
    if (o.labels && se_side_labels(o.labels, s, err) < 0)
        return -1;
    if (o.embedding && se_side_embedding(o.embedding, s, err) < 0)
        return -1;
    if (o.splits.count > 0 && se_side_splits(o.splits.item, o.splits.count, s, err) < 0)
        return -1;
    return 0;
}

static int import_all(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    const int count = run->operands || o.onto ? run->operands : 1;

    for (int i = 0; i < count; i++)
        if (import_one(run, se_run_operand(run, i), i == 0 ? o.format : 0, s, err) < 0)
            return -1;
    return import_sides(s, err);
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
        rc = se_run_write(run, &s, err);
    se_stream_release(&s);
    return rc;
}

static const struct se_tool tool = {
    .name = "se-import", .brief = "read public formats into a stream",
    .operands = "[INPUT [FILE...]]", .max_operands = -1,
    .has = SE_TOOL_STREAM | SE_TOOL_KEEP, .options = options, .about = about,
    .examples = examples, .run = run
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
