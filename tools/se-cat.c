/* se-cat.c - join streams, select sections, change their compression */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/cli/tool.h"
#include "common/graph/order.h"
#include "common/stream/join.h"

static struct {
    const char *only, *drop, *order;
    bool replace;
} o;

static const struct se_option options[] = {
    { 0, "only", "NAME[,NAME...]", SE_OPT_STRING, &o.only,
      .help = "keep only these sections" },
    { 0, "drop", "NAME[,NAME...]", SE_OPT_STRING, &o.drop,
      .help = "drop these sections" },
    { 0, "replace", NULL, SE_OPT_FLAG, &o.replace,
      .help = "if a section differs between inputs, take the last one" },
    { 0, "order", "tree|clu|names|FILE", SE_OPT_STRING, &o.order,
      .help = "renumber the vertices: in the order of the tree, by its top modules, by name, or "
              "as listed in FILE" },
    SE_OPTIONS_END
};

static void choose_sections(struct se_stream *s)
{
    for (size_t i = s->count; i-- > 0;) {
        const uint32_t tag = s->section[i].tag;

        if ((o.only && !se_section_listed(o.only, tag)) || se_section_listed(o.drop, tag))
            se_stream_drop(s, tag);
    }
}

/* One that was asked for and is nowhere is worth a word. */
static void warn_absent(struct se_run *run, const struct se_stream *s)
{
    for (int i = 0; o.only && se_section_kind(i); i++) {
        const uint32_t tag = se_section_kind(i)->tag;

        if (se_section_listed(o.only, tag) && !se_section_listed(o.drop, tag) &&
            !se_stream_has(s, tag))
            se_warn(run, "no input has a %s section", se_section_name(tag));
    }
}

static int check_fit(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    uint64_t n;

    if (se_stream_vertices(s, &n, err) < 0)
        return -1;
    for (size_t i = 0; !run->keep && i < s->count; i++)
        if (se_stream_check_origin(s, s->section[i].tag, err) < 0)
            return -1;
    return 0;
}

static int read_all(struct se_run *run, struct se_stream *s, int count, struct se_err *err)
{
    bool in = false;

    for (int i = 0; i < count; i++) {
        const char *path = se_run_operand(run, i);

        if (strcmp(path, "-") == 0 && in)
            return se_fail(err, SE_EUSAGE, "standard input can be read only once");
        in |= strcmp(path, "-") == 0;
        if (se_run_read(run, path, &s[i], err) < 0)
            return -1;
        choose_sections(&s[i]);
    }
    return 0;
}

static int join(struct se_run *run, struct se_stream *s, int count, struct se_err *err)
{
    int at;

    if (se_stream_join(&s[0], s + 1, count - 1, o.replace, &at, err) < 0) {
        if (at >= 0) {
            const char *path = se_run_operand(run, at + 1);

            se_err_in(err, se_path_name(path));
        }
        return -1;
    }
    return check_fit(run, &s[0], err);
}

/* --order: a file of the name of a word is ./tree */
static int renumber(struct se_stream *s, struct se_err *err)
{
    uint32_t *order = NULL;
    uint64_t n;
    int rc = se_stream_vertices(s, &n, err);

    if (rc < 0)
        return -1;
    if (strcmp(o.order, "tree") == 0 || strcmp(o.order, "clu") == 0)
        order = se_order_by_tree(s, strcmp(o.order, "clu") == 0, err);
    else if (strcmp(o.order, "names") != 0)
        order = se_order_by_file(s, o.order, err);
    else if (!se_stream_has(s, SE_NAMES))
        return 0;                               /* the ids are the names */
    else
        order = se_order_by_name(s, err);
    rc = order ? se_order_apply(s, order, n, err) : -1;
    free(order);
    return rc;
}

static int run_cat(struct se_run *run, struct se_err *err)
{
    const int count = run->operands > 0 ? run->operands : 1;
    struct se_stream *s;
    int rc;

    if (se_section_check_list("only", o.only, err) < 0 ||
        se_section_check_list("drop", o.drop, err) < 0 || se_run_check_output(run, err) < 0)
        return -1;
    s = se_zalloc((uint64_t)count, sizeof *s, err);
    if (!s)
        return -1;
    rc = read_all(run, s, count, err);
    if (rc == 0 && count > 1)
        rc = join(run, s, count, err);
    if (rc == 0 && o.order) {
        rc = renumber(&s[0], err);
        if (rc < 0 && err->code == SE_EINPUT && count == 1)
            se_err_in(err, se_path_name(se_run_operand(run, 0)));
    }
    if (rc == 0) {
        warn_absent(run, &s[0]);
        rc = se_run_write(run, &s[0], err);
    }
    for (int i = 0; i < count; i++)
        se_stream_release(&s[i]);
    free(s);
    return rc;
}

static void list_sections(FILE *out)
{
    char all[512] = "Sections:";

    for (int i = 0; se_section_kind(i); i++) {
        strncat(all, " ", sizeof all - strlen(all) - 1);
        strncat(all, se_section_kind(i)->name, sizeof all - strlen(all) - 1);
    }
    se_help_text(out, all);
}

static const struct se_tool tool = {
    .name = "se-cat", .brief = "join streams, select sections, change their compression",
    .operands = "[FILE ...]", .max_operands = -1, .has = SE_TOOL_KEEP | SE_TOOL_STREAM,
    .options = options,
    .about =
        "Reads streams and writes one with the sections of all. A section that occurs in\n"
        "several inputs must be the same in all of them, unless --replace takes the\n"
        "last. History lines and stats are merged; if a number differs, the last value\n"
        "is kept. Parts made by se-sim --rows are joined into one knn section; together\n"
        "they must have every row exactly once, or with --columns every pair of\n"
        "vertices. All sections must have the same number of vertices. A section derived\n"
        "from a graph that differs from the one in the output is refused unless\n"
        "--keep-stale is given.\n"
        "\n"
        "--order renumbers the vertices in all sections, so that communities become\n"
        "ranges of ids (better memory locality). tree uses the order of the leaves, clu\n"
        "sorts by the children of the root. If the vertices have no names, their old ids\n"
        "become names; --order names sorts by name and so restores the old order. Names\n"
        "that are all numbers, or all positions such as chr1:10000-20000, are sorted as\n"
        "such: 9 before 10, chr2 before chr10.\n"
        "\n"
        "Sections are passed through unchanged and keep their compression unless -z is\n"
        "given.\n",
    .list = list_sections,
    .examples =
        "  se-cat graph.seg tree.seg > both.seg          add a stored tree to its graph\n"
        "  se-cat --drop features,embedding < a.seg > small.seg\n"
        "  se-cat -z 9 < a.seg > packed.seg\n"
        "  se-cat g.seg part-*.seg | se-kselect > fused.seg\n"
        "  se-tree g.seg | se-cat --order tree > sorted.seg\n"
        "  se-cat --replace --only graph,labels a.seg new-labels.seg > b.seg\n",
    .run = run_cat
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
