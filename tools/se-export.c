/* se-export.c - write a stream as text or in a public format */
#include <string.h>

#include "common/cli/tool.h"
#include "formats/formats.h"

enum { AUTO, GRAPH, FUSED, TREE };

static struct {
    int format, section;
    uint64_t split, depth;
    bool names, format_given;
} o;

static const char *words[64] = { NULL };        /* of -t, from the table of formats */

static const struct se_option options[] = {
    { 't', "to", "FORMAT", SE_OPT_CHOICE, &o.format, .words = words,
      .help = "the format; default: the one that the extension of -o FILE names, else edges",
      .given = &o.format_given },
    { 0, "section", "auto|graph|fused|tree", SE_OPT_CHOICE, &o.section,
      .help = "what to write, or whose edges; auto: graph if there is one, then fused, then "
              "tree; for nodes the graph that the tree was made for" },
    { 0, "split", "N", SE_OPT_COUNT, &o.split,
      .help = "the split whose parts predictions, graphml and json show, from 0" },
    { 0, "depth", "N", SE_OPT_COUNT, &o.depth, .min = 1, .max = 1000000,
      .help = "the level of the tree whose modules membership, graphml, gexf, gml, pajek and "
              "dot show (default: all levels for membership, else the first)" },
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

static int no_tree(const struct se_format *f, struct se_err *err)
{
    const struct se_format *x;
    char all[256] = "";

    for (int i = 0; (x = se_format_at(false, i)); i++)
        if (writes_tree(x)) {
            strncat(all, " ", sizeof all - strlen(all) - 1);
            strncat(all, x->name, sizeof all - strlen(all) - 1);
        }
    return se_fail(err, SE_EUSAGE, "--section tree: %s does not hold the tree; these formats "
                   "do:%s", f->name, all);
}

static int write_out(struct se_run *run, const struct se_format *f, struct se_stream *s,
                     struct se_err *err)
{
    const struct se_export ex = {
        .section = section_of(f, s), .split = o.split, .names = o.names,
        .depth = (unsigned)o.depth
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
    const struct se_format *f = chosen_format(run, err);
    struct se_stream s = SE_STREAM_INIT;
    int rc;

    if (!f)
        return -1;
    if (o.section == TREE && !writes_tree(f))
        return no_tree(f, err);
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
