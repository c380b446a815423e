/* se-export.c - write a stream as text or in a public format */
#include <string.h>

#include "common/cli/tool.h"
#include "formats/formats.h"

enum { AUTO, GRAPH, FUSED, TREE, ARCS };

static struct {
    int format, section;
    uint64_t split, depth, most, bin;
    const char *sequence, *positions;
    bool names, format_given;
} o;

static const char *words[64] = { NULL };        /* of -t, from the table of formats */

static const struct se_option options[] = {
    { 't', "to", "FORMAT", SE_OPT_CHOICE, &o.format, .words = words,
      .help = "the format; default: the one that the extension of -o FILE names, else edges",
      .given = &o.format_given },
    { 0, "section", "auto|graph|fused|tree|arcs", SE_OPT_CHOICE, &o.section,
      .help = "what to write, or whose edges; arcs: those of se-import --directed; auto: graph if there is one, then fused, then "
              "tree; for nodes the graph that the tree was made for" },
    { 0, "split", "N", SE_OPT_COUNT, &o.split,
      .help = "the split whose parts predictions, labels, graphml and json show, from 0" },
    { 0, "depth", "N", SE_OPT_COUNT, &o.depth, .min = 1, .max = 1000000,
      .help = "the level of the tree whose modules membership, modules, quotient, bed, graphml, "
              "gexf, gml, pajek and dot show, or to which nodes goes (default: all levels for "
              "membership, bed and nodes, else the first)" },
    { 0, "max-modules", "N", SE_OPT_COUNT, &o.most, .min = 1, .max = UINT32_MAX,
      .help = "modules, quotient, nodes: the deepest level with at most N modules; if the first "
              "has more, or the one of --depth, its N largest" },
    { 0, "bin", "SIZE", SE_OPT_COUNT, &o.bin, .min = 1, .max = 1000000000,
      .help = "bed: length of a vertex, whose start is its name if all names are numbers, else "
              "its number times SIZE (default 1)" },
    { 0, "sequence", "NAME", SE_OPT_STRING, &o.sequence,
      .help = "bed: with --bin, the chromosome of all vertices (default vertices)" },
    { 0, "positions", "FILE", SE_OPT_FILE, &o.positions,
      .help = "bed: read chromosome, start and end of each vertex from FILE, a line each" },
    { 0, "names", NULL, SE_OPT_FLAG, &o.names,
      .help = "vertices by name instead of number where the stream has names, and "
              "predictions by the name of the class" },
    SE_OPTIONS_END
};

static const char about[] =
    "Writes what a stream holds in a format that other programs read.  Columns of\n"
    "text are separated by tabs.\n";

static void list_formats(FILE *out)
{
    const struct se_format *f;

    for (int i = 0; (f = se_format_at(false, i)); i++)
        se_help_row(out, f->name, f->what);
}

static const char examples[] =
    "  se-export cora.seg -o cora.graphml\n"
    "  se-gen --karate | se-export -t dot | neato -Tsvg > karate.svg\n";

/* What was chosen with -t, or what the name of the output says */
static const struct se_format *chosen_format(const struct se_run *run, struct se_err *err)
{
    const struct se_format *f = se_format_find(words[o.format]), *named;
    const char *path = run->output;
    const char *base = path ? strrchr(path, '/') : NULL;
    const char *dot = path ? strrchr(base ? base : path, '.') : NULL;

    if (!dot || !dot[1])
        return f;
    named = se_format_for(path, f);
    if (o.format_given) {
        if (named && named != f)
            se_warn(run, "%s: the name is one of %s, but -t %s was given; writing %s", path,
                    named->name, f->name, f->name);
        return f;
    }
    if (!named)
        se_fail(err, SE_EUSAGE, "%s: no format has the extension '%s'; choose one with -t",
                path, dot);
    return named;
}

/* 0: the graph that the tree was made for */
static uint32_t section_of(const struct se_format *f, const struct se_stream *s)
{
    if (o.section == GRAPH)
        return SE_GRAPH;
    if (o.section == FUSED)
        return SE_FUSED;
    if (o.section == ARCS)
        return SE_ARCS;
    if (f->tree_graph)
        return 0;
    if (f->all_sections)
        return SE_GRAPH;
    if (f->tree_instead &&
        (o.section == TREE || (!se_stream_has(s, SE_GRAPH) && !se_stream_has(s, SE_FUSED) &&
                               se_stream_has(s, SE_TREE))))
        return SE_TREE;
    return se_stream_has(s, SE_GRAPH) || !se_stream_has(s, SE_FUSED) ? SE_GRAPH : SE_FUSED;
}

static bool writes_tree(const struct se_format *f)
{
    return f->kind == SE_FORMAT_TREE || f->tree_instead || f->all_sections;
}

static bool writes_arcs(const struct se_format *f)
{
    return f->directed || f->all_sections;
}

/* --section tree or arcs, and a format that has no place for them */
static int check_section(const struct se_format *f, struct se_err *err)
{
    bool (*const fits)(const struct se_format *) = o.section == TREE ? writes_tree : writes_arcs;
    const char *what = o.section == TREE ? "tree" : "arcs";
    const struct se_format *x;
    char all[256] = "";

    if ((o.section != TREE && o.section != ARCS) || fits(f))
        return 0;
    for (int i = 0; (x = se_format_at(false, i)); i++)
        if (fits(x)) {
            strncat(all, " ", sizeof all - strlen(all) - 1);
            strncat(all, x->name, sizeof all - strlen(all) - 1);
        }
    return se_fail(err, SE_EUSAGE, "--section %s: %s does not hold the %s; these formats do:%s",
                   what, f->name, what, all);
}

static int write_out(struct se_run *run, const struct se_format *f, struct se_stream *s,
                     struct se_err *err)
{
    struct se_bytes notes = SE_BYTES_INIT;
    const struct se_export ex = {
        .section = section_of(f, s), .split = o.split, .names = o.names,
        .depth = (unsigned)o.depth, .most = o.most, .notes = &notes, .bin = o.bin,
        .sequence = o.sequence, .positions = o.positions
    };
    const char *path = se_run_operand(run, 0);
    struct se_out out;
    int rc;

    if (se_run_begin(run, f->binary, &out, err) < 0)
        return -1;
    if (o.section == AUTO && ex.section == SE_GRAPH && f->directed && se_stream_has(s, SE_ARCS))
        se_warn(run, "%s: the undirected graph is written; --section arcs writes its arcs",
                se_path_name(path));
    rc = f->export(&ex, s, &out, err);
    if (rc == 0 && notes.len)
        se_warn(run, "%s: %.*s", se_path_name(path), (int)notes.len - 1, notes.data);
    se_bytes_release(&notes);
    if (rc < 0 && err->code == SE_EINPUT)
        se_err_in(err, se_path_name(path));
    return se_run_end(run, &out, rc, err);
}

static int run(struct se_run *run, struct se_err *err)
{
    const struct se_format *f = chosen_format(run, err);
    struct se_stream s = SE_STREAM_INIT;
    int rc;

    if (!f)
        return -1;
    if (check_section(f, err) < 0)
        return -1;
    if ((o.bin || o.sequence || o.positions) && strcmp(f->name, "bed") != 0)
        return se_fail(err, SE_EUSAGE, "--bin, --sequence and --positions are for -t bed");
    if (o.positions && (o.bin || o.sequence))
        return se_fail(err, SE_EUSAGE, "--positions cannot be used with --bin or --sequence");
    rc = se_run_read(run, se_run_operand(run, 0), &s, err);
    if (rc == 0)
        rc = write_out(run, f, &s, err);
    se_stream_release(&s);
    return rc;
}

static const struct se_tool tool = {
    .name = "se-export", .brief = "write a stream as text or in a public format",
    .operands = "[FILE]", .max_operands = 1, .options = options, .about = about,
    .list = list_formats, .examples = examples, .run = run
};

int main(int argc, char **argv)
{
    const struct se_format *f;

    for (int i = 0; i < 63 && (f = se_format_at(false, i)); i++) {
        words[i] = f->name;
        if (strcmp(f->name, "edges") == 0)
            o.format = i;
    }
    return se_tool_main(&tool, argc, argv);
}
