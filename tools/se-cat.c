/* se-cat.c - join streams, choose sections, pack them anew */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/stream/join.h"
#include "common/base/mem.h"
#include "common/cli/tool.h"

static struct {
    const char *only, *drop;
    bool replace;
} o;

static const struct se_option options[] = {
    { 0, "only", "NAME[,NAME...]", SE_OPT_STRING, &o.only,
      .help = "take these sections and no others" },
    { 0, "drop", "NAME[,NAME...]", SE_OPT_STRING, &o.drop,
      .help = "leave these sections out" },
    { 0, "replace", NULL, SE_OPT_FLAG, &o.replace,
      .help = "of a section that differs between inputs take the last" },
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
    for (int i = 0; o.only && se_section_known(i); i++) {
        const uint32_t tag = se_section_known(i);

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
    if (rc == 0) {
        warn_absent(run, &s[0]);
        rc = se_run_write(run, &s[0], err);
    }
    for (int i = 0; i < count; i++)
        se_stream_release(&s[i]);
    free(s);
    return rc;
}

static const struct se_tool tool = {
    .name = "se-cat", .brief = "join streams, choose sections, pack them anew",
    .operands = "[FILE ...]", .max_operands = -1, .has = SE_TOOL_KEEP | SE_TOOL_STREAM,
    .options = options,
    .about =
        "Reads streams and writes one with the sections of all. A section that several\n"
        "have must be the same in all, or --replace takes the last. History lines and\n"
        "numbers in stats are united; of a number that differs the last counts. Shards\n"
        "of se-sim --rows are joined into one knn section; together they must have every\n"
        "row once. All sections must be of equally many vertices, and what was derived\n"
        "from another graph than the one that is there is refused unless --keep is\n"
        "given.\n"
        "\n"
        "Sections: graph fused features labels splits embedding knn tree predictions\n"
        "model names stats history. They pass unchanged, as they are packed, unless -z\n"
        "says otherwise.\n",
    .examples =
        "  se-cat graph.seg tree.seg > both.seg          a cached tree to its graph\n"
        "  se-cat --drop features,embedding < a.seg > small.seg\n"
        "  se-cat -z 9 < a.seg > packed.seg\n"
        "  se-cat shard-*.seg | se-kselect > fused.seg\n"
        "  se-cat --replace --only graph,labels a.seg new-labels.seg > b.seg\n",
    .run = run_cat
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
