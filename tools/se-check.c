/* se-check.c - verify streams and print their digests */
#include "common/cli/tool.h"
#include "common/inspect/crosscheck.h"

static struct {
    bool strict, deep;
} o;

static const struct se_option options[] = {
    { 0, "strict", NULL, SE_OPT_FLAG, &o.strict,
      .help = "treat a section derived from data that differ from those in the stream as an "
              "error, not a warning" },
    { 0, "deep", NULL, SE_OPT_FLAG, &o.deep,
      .help = "also check that the sections agree with each other; implies --strict" },
    SE_OPTIONS_END
};

/* Sections kept by --keep-stale may belong to a graph that is gone. */
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
    .name = "se-check", .brief = "verify streams and print their digests",
    .operands = "[FILE ...]", .max_operands = -1, .options = options,
    .about =
        "Reads each stream to its end, verifies every checksum, decodes every section,\n"
        "and prints a digest of its content and its name, as b2sum does. The digest\n"
        "ignores the history and the compression of sections, so equal results have\n"
        "equal digests. With -q nothing is printed; use the exit status. An error is one\n"
        "line on standard error with file, section and place; the exit status is then 1.\n"
        "\n"
        "--deep recomputes what can be recomputed: similarities and the nearest\n"
        "neighbours of some vertices, the fused graph from graph and knn, entropies from\n"
        "the edges. It takes about as long as the stages did without their searches.\n",
    .examples =
        "  se-check run/*.seg                   print a digest for each\n"
        "  se-check -q big.seg && echo valid\n"
        "  se-check --deep from-elsewhere.seg   check a file of unknown origin\n"
        "  se-tree < a.seg | se-check           digest of the result of a pipe\n",
    .run = run_check
};

int main(int argc, char **argv)
{
    return se_tool_main(&tool, argc, argv);
}
