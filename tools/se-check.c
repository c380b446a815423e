/* se-check.c - see whether streams are whole and sound */
#include "common/inspect/crosscheck.h"
#include "common/cli/tool.h"

static struct {
    bool strict, deep;
} o;

static const struct se_option options[] = {
    { 0, "strict", NULL, SE_OPT_FLAG, &o.strict,
      .help = "a section that was derived from something else than what is there is a fault, "
              "not only worth a warning" },
    { 0, "deep", NULL, SE_OPT_FLAG, &o.deep,
      .help = "see also whether the sections agree with each other; with --strict" },
    SE_OPTIONS_END
};

/* Sections kept by --keep may belong to a graph that is gone. */
static int check_origins(struct se_run *run, const char *path, struct se_stream *s,
                         struct se_err *err)
{
    struct se_err stale = SE_ERR_INIT;

    for (size_t i = 0; i < s->count; i++) {
        if (se_stream_check_origin(s, s->section[i].tag, &stale) == 0)
            continue;
        if (o.strict || o.deep || stale.code != SE_EINPUT) {
            *err = stale;
            return -1;
        }
        se_warn(run, "%s: %s", se_path_name(path), stale.text);
    }
    return 0;
}

static int check(struct se_run *run, const char *path, struct se_out *out, struct se_err *err)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_digest d;
    char text[SE_DIGEST_TEXT];
    int rc = se_run_read(run, path, &s, err);

    if (rc == 0) {
        rc = se_stream_check(&s, err) < 0 || check_origins(run, path, &s, err) < 0 ||
                     (o.deep && se_stream_deep(&s, run->threads, err) < 0) ||
                     se_stream_digest(&s, &d, err) < 0 ? -1 : 0;
        if (rc < 0)
            se_err_in(err, se_path_name(path));
    }
    if (rc == 0 && !run->quiet)
        se_outf(out, "%s  %s\n", se_digest_text(&d, text), path);
    se_stream_release(&s);
    return rc;
}

/* All files are looked at; each fault is a line, the last one by way of `err`. */
static int run_check(struct se_run *run, struct se_err *err)
{
    struct se_err fault = SE_ERR_INIT;
    struct se_out out;
    const int files = run->operands > 0 ? run->operands : 1;

    if (se_run_begin(run, false, &out, err) < 0)
        return -1;
    for (int i = 0; i < files; i++) {
        struct se_err one = SE_ERR_INIT;

        if (check(run, se_run_operand(run, i), &out, &one) == 0)
            continue;
        if (fault.code != SE_OK)
            se_warn(run, "%s", fault.text);
        fault = one;
    }
    if (fault.code == SE_OK || !run->output)            /* a file is there only if all is well */
        if (se_run_end(run, &out, 0, err) < 0)
            return -1;
    if (fault.code == SE_OK)
        return 0;
    *err = fault;
    return run->output ? se_run_end(run, &out, -1, err) : -1;
}

static const struct se_tool tool = {
    .name = "se-check", .brief = "see whether streams are whole and sound",
    .operands = "[FILE ...]", .max_operands = -1, .options = options,
    .about =
        "Reads each stream to its end, checks every checksum, decodes every section, and\n"
        "prints a digest of its content and its name, as b2sum does. The digest leaves\n"
        "out the history and the way sections are packed, so equal results have equal\n"
        "digests. With -q nothing is printed: the exit status says it. A fault is a line\n"
        "on standard error that names file, section and place; the exit status is 1\n"
        "then.\n"
        "\n"
        "--deep computes again what can be computed: similarities and the nearest\n"
        "neighbours of some vertices from the rows compared, the fused graph from the\n"
        "graph and its neighbours, entropies from the edges. It takes about as long as\n"
        "the stages did without their search.\n",
    .examples =
        "  se-check run/*.seg                   a digest for each\n"
        "  se-check -q big.seg && echo sound\n"
        "  se-check --deep from-elsewhere.seg   does it hold together?\n"
        "  se-tree < a.seg | se-check           the digest of what a pipe gives\n",
    .run = run_check
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
