/* se-export.c - write a stream as text or in a public format */
#include <stdio.h>
#include <string.h>

#include "common/cli/tool.h"
#include "formats/formats.h"

#define FORMATS "edges|mtx|metis|npz|dot|graphml|json|knn|parents|tree|clu|mcl|newick|" \
                "nodes|embedding|predictions|classes|stats"

enum { AUTO, GRAPH, FUSED, TREE };

static struct {
    int format, section;
    uint64_t split;
    bool names;
} o;

static const struct se_option options[] = {
    { 't', "to", FORMATS, SE_OPT_CHOICE, &o.format, .help = "the format" },
    { 0, "section", "auto|graph|fused|tree", SE_OPT_CHOICE, &o.section,
      .help = "what to write, or whose edges; auto: graph if there is one, then fused, then "
              "tree; for nodes the graph that the tree was made for" },
    { 0, "split", "N", SE_OPT_COUNT, &o.split,
      .help = "the split whose parts predictions, graphml and json show, from 0" },
    { 0, "names", NULL, SE_OPT_FLAG, &o.names,
      .help = "vertices by name instead of number where the stream has names" },
    SE_OPTIONS_END
};

static const char about[] =
    "Write one stream in a format that other programs read.\n"
    "\n"
    "  edges        u, v and weight of each edge, u < v, ascending\n"
    "  mtx          Matrix Market, symmetric\n"
    "  metis        adjacency lists of METIS\n"
    "  npz          compressed rows for NumPy and SciPy, with features and labels\n"
    "  dot          Graphviz, filled by class; --section tree draws the tree\n"
    "  graphml      XML with names, labels, predictions and parts\n"
    "  json         one object: edges, labels, parts, predictions, tree, stats;\n"
    "               --section tree: the tree alone\n"
    "  knn          vertex, neighbour and similarity, best first\n"
    "  parents      node, parent and vertex of each tree node\n"
    "  tree, clu    the tree, or its modules, as Infomap writes them\n"
    "  mcl          the modules, a line of vertices for each\n"
    "  newick       the tree as ((0,1),2);\n"
    "  nodes        node, parent, level, size, V, g, H, deduction entropy and\n"
    "               vertex of each tree node, below a line with these names\n"
    "  embedding    a line of numbers per vertex\n"
    "  predictions  vertex, label, predicted class, confidence and part\n"
    "  classes      number, name and how many vertices of each class\n"
    "  stats        name and value of what the stages measured\n"
    "\n"
    "Columns are separated by tabs.\n";

static const char examples[] =
    "  se-export -t mtx cora.seg -o cora.mtx\n"
    "  se-gen --karate | se-export -t dot | neato -Tsvg > karate.svg\n";

/* The format whose word was chosen: a test sees to it that all words are formats. */
static const struct se_format *chosen_format(struct se_err *err)
{
    const char *word = FORMATS;
    char name[32];

    for (int i = 0; i < o.format; i++)
        word = strchr(word, '|') + 1;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "|"), word);

    const struct se_format *f = se_format_find(name);

    if (!f || !f->export)
        se_fail(err, SE_EUSAGE, "%s cannot be written", name);
    return f && f->export ? f : NULL;
}

static bool is_one_of(const struct se_format *f, const char *const *names)
{
    while (*names && strcmp(*names, f->name) != 0)
        names++;
    return *names != NULL;
}

static const char *const either[] = { "dot", "json", NULL };
static const char *const trees[] = {
    "parents", "tree", "clu", "mcl", "newick", "nodes", NULL
};

/* 0 tells `nodes` to take the graph that the tree was made for. */
static uint32_t section_of(const struct se_format *f, const struct se_stream *s)
{
    if (o.section == GRAPH)
        return SE_GRAPH;
    if (o.section == FUSED)
        return SE_FUSED;
    if (strcmp(f->name, "nodes") == 0)
        return 0;
    if (is_one_of(f, either) &&
        (o.section == TREE || (!se_stream_has(s, SE_GRAPH) && !se_stream_has(s, SE_FUSED) &&
                               se_stream_has(s, SE_TREE))))
        return SE_TREE;
    return se_stream_has(s, SE_GRAPH) || !se_stream_has(s, SE_FUSED) ? SE_GRAPH : SE_FUSED;
}

static int write_out(struct se_run *run, const struct se_format *f, struct se_stream *s,
                     struct se_err *err)
{
    const struct se_export ex = {
        .section = section_of(f, s), .split = o.split, .names = o.names
    };
    const char *path = se_run_operand(run, 0);
    struct se_out out;
    int rc;

    if (se_run_begin(run, f->binary, &out, err) < 0)
        return -1;
    rc = f->export(&ex, s, &out, err);
    if (rc < 0 && err->code == SE_EINPUT)
        se_err_in(err, se_path_name(path));
    return se_run_end(run, &out, rc, err);
}

static int run(struct se_run *run, struct se_err *err)
{
    const struct se_format *f = chosen_format(err);
    struct se_stream s = SE_STREAM_INIT;
    int rc;

    if (!f)
        return -1;
    if (o.section == TREE && !is_one_of(f, either) && !is_one_of(f, trees))
        return se_fail(err, SE_EUSAGE, "--section tree: %s does not hold a tree; use -t dot, "
                       "json, newick or parents", f->name);
    rc = se_run_read(run, se_run_operand(run, 0), &s, err);
    if (rc == 0)
        rc = write_out(run, f, &s, err);
    se_stream_release(&s);
    return rc;
}

static const struct se_tool tool = {
    .name = "se-export", .brief = "write a stream as text or in a public format",
    .operands = "[FILE]", .max_operands = 1, .options = options, .about = about,
    .examples = examples, .run = run
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
