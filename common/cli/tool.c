/* tool.c - what every program shares: the frame around its run() */
#include "common/cli/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "common/base/command.h"
#include "common/base/outfile.h"
#include "common/base/scratch.h"
#include "common/base/parallel.h"
#include "common/cli/options.h"
#include "common/device/device.h"

enum { AUTO, ALWAYS, NEVER };

/* The values of the shared options */
static struct {
    bool help, version, no_history, digest, verbose, quiet, keep, level_given;
    const char *output, *omit, *completion, *memory;
    uint64_t threads, level, seed;
    int progress, device;
} shared;

/* An option and the SE_TOOL_* that must be there for it; 0: always */
static const struct {
    unsigned needs;
    struct se_option option;
} shared_options[] = {
    { SE_TOOL_SEED, { .name = "seed", .arg = "N", .type = SE_OPT_COUNT, .value = &shared.seed,
      .help = "random seed; the same seed gives the same bytes" } },
    { SE_TOOL_DEVICE, { .name = "device", .arg = "auto|cpu|cuda", .type = SE_OPT_CHOICE,
      .value = &shared.device,
      .help = "where to compute; auto: on a GPU if one is available and the input is large "
              "enough to benefit" } },
    { SE_TOOL_KEEP, { .name = "keep-stale", .type = SE_OPT_FLAG, .value = &shared.keep,
      .help = "keep sections derived from a section that is replaced; default: drop them",
      .old = "keep" } },
    { 0, { 'o', "output", "FILE", SE_OPT_FILE, &shared.output,
      .help = "write to FILE instead of standard output; FILE is created atomically" } },
    { 0, { '@', "threads", "N", SE_OPT_COUNT, &shared.threads, 1, 256,
      .help = "number of threads; default: SLURM_CPUS_PER_TASK, OMP_NUM_THREADS or all "
              "available CPUs" } },
    { 0, { .name = "memory", .arg = "SIZE", .type = SE_OPT_STRING, .value = &shared.memory,
      .help = "memory limit, such as 500M or 4G, or none; default: SE_MEMORY, or 80 % of the "
              "free memory" } },
    { SE_TOOL_STREAM, { 'z', "compress", "LEVEL", SE_OPT_COUNT, &shared.level, 0, 9,
      .help = "zlib compression of all sections, from 1 (fast) to 9 (small); 0: none; "
              "default: leave sections as they are",
      .given = &shared.level_given, .old = "level" } },
    { SE_TOOL_PASSES, { .name = "drop-sections", .arg = "NAME[,NAME...]",
      .type = SE_OPT_STRING, .value = &shared.omit,
      .help = "leave these sections out of the output", .old = "omit" } },
    { SE_TOOL_STREAM, { .name = "no-history", .type = SE_OPT_FLAG, .value = &shared.no_history,
      .help = "write no history section" } },
    { SE_TOOL_STREAM, { .name = "digest", .type = SE_OPT_FLAG, .value = &shared.digest,
      .help = "with -o, print the digest of the output, as se-check does" } },
    { 0, { .name = "progress", .arg = "auto|always|never", .type = SE_OPT_CHOICE,
      .value = &shared.progress,
      .help = "show a progress bar on standard error; auto: only on a terminal" } },
    { 0, { 'v', "verbose", NULL, SE_OPT_FLAG, &shared.verbose,
      .help = "report progress details on standard error" } },
    { 0, { 'q', "quiet", NULL, SE_OPT_FLAG, &shared.quiet,
      .help = "print no warnings and no progress bar" } },
    { 0, { 'h', "help", NULL, SE_OPT_FLAG, &shared.help, .help = "print this help" } },
    { 0, { 'V', "version", NULL, SE_OPT_FLAG, &shared.version,
      .help = "print the version and build details" } }
};

/* Not in help: what the build asks each tool for */
static const struct se_option completion_option = {
    0, "completion", "bash|zsh|mdoc", SE_OPT_STRING, &shared.completion, 0, 0, "", .given = NULL
};

/* A table that has outgrown the room is a fault of ours, which every call of the tool shows. */
static void append(struct se_options *o, const struct se_option *x)
{
    if (o->count == SE_MOST_OPTIONS)
        abort();
    o->item[o->count++] = x;
}

static void collect(const struct se_tool *tool, struct se_options *o)
{
    o->count = 0;
    for (const struct se_option *x = tool->options; x && (x->name || x->letter); x++)
        append(o, x);
    o->own = o->count;
    for (size_t i = 0; i < sizeof shared_options / sizeof shared_options[0]; i++)
        if ((shared_options[i].needs & ~tool->has) == 0)
            append(o, &shared_options[i].option);
}

static void print_version(const struct se_tool *tool)
{
    char plugin[1024];

    printf("%s %s\nrevision %s, zlib %s, BLAS %s, %d threads\n", tool->name, se_version,
           se_revision, zlibVersion(), se_blas_version, se_cpus());
    if (tool->has & SE_TOOL_DEVICE) {
        se_gpu_tell(plugin, sizeof plugin);
        printf("%s\n", plugin);
    }
}

/* Help and the like first: they work beside any other option. */
static int print_and_leave(const struct se_tool *tool, const struct se_options *o)
{
    signal(SIGPIPE, SIG_DFL);                   /* there is no file to remove */
    if (shared.help)
        se_options_help(o, tool, stdout);
    else if (shared.completion)
        se_options_print(o, tool, shared.completion, stdout);
    else
        print_version(tool);
    if (fflush(stdout) == 0 && fclose(stdout) == 0)
        return 0;
    fprintf(stderr, "%s: write error: %s\n", tool->name, strerror(errno));
    return 1;
}

static int fail(const struct se_tool *tool, const struct se_err *err)
{
    if (err->code == SE_EPIPE) {                /* end as if SIGPIPE had done it */
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
        return 1;
    }
    if (err->code == SE_EUSAGE) {
        fprintf(stderr, "%s: %s; see %s --help\n", tool->name, err->text, tool->name);
        return 2;
    }
    fprintf(stderr, "%s: %s\n", tool->name, err->text);
    return 1;
}

/* The command line as one could paste it into a shell; control characters become '?'. */
static char *join_arguments(int argc, char **argv, struct se_err *err)
{
    char *text = se_command_text(argv + 1, argc > 0 ? argc - 1 : 0, err);

    for (char *c = text; c && *c; c++)
        if ((unsigned char)*c < 0x20)
            *c = '?';
    return text;
}

static int check_operands(const struct se_run *run, struct se_err *err)
{
    const struct se_tool *tool = run->tool;

    if (run->operands < tool->min_operands)
        return se_fail(err, SE_EUSAGE, "%s is missing", tool->operands);
    if (tool->max_operands >= 0 && run->operands > tool->max_operands)
        return se_fail(err, SE_EUSAGE, "unexpected argument '%s'",
                       run->operand[tool->max_operands]);
    if (shared.digest && (!run->output || strcmp(run->output, "-") == 0))
        return se_fail(err, SE_EUSAGE, "--digest prints to standard output, so the stream "
                       "needs -o FILE");
    return 0;
}

/* A closed standard descriptor must not become that of a file: warnings would land in it.  What
 * is opened in its place cannot be read (0) or written (1), so using it is still an error. */
static void fill_descriptors(void)
{
    static const int mode[] = { O_WRONLY, O_RDONLY, O_WRONLY };

    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", mode[fd]) != fd)
            _exit(1);
}

int se_tool_main(const struct se_tool *tool, int argc, char **argv)
{
    struct se_err err = SE_ERR_INIT;
    struct se_run run = { .tool = tool, .start = se_now() };
    struct se_options o, all;
    int first, rc;

    fill_descriptors();
    collect(tool, &o);
    all = o;
    append(&all, &completion_option);
    se_output_signals(tool->name);
    run.arguments = join_arguments(argc, argv, &err);
    rc = se_options_parse(&all, argc, argv, &first, &err);
    if (shared.help || shared.version || shared.completion) {
        free(run.arguments);
        return print_and_leave(tool, &o);
    }
    if (!run.arguments)
        rc = -1;
    if (rc == 0) {
        run.operand = argv + first;
        run.operands = argc - first;
        run.threads = shared.threads ? (int)shared.threads : se_cpus();
        run.level = shared.level_given ? (int)shared.level : -1;
        run.device = shared.device;
        run.seed = shared.seed;
        run.verbose = shared.verbose;
        run.quiet = shared.quiet;
        run.history = !shared.no_history;
        run.keep = shared.keep;
        run.output = shared.output;
        rc = check_operands(&run, &err);
    }
    if (rc == 0)
        rc = se_memory_limit(shared.memory ? shared.memory : getenv("SE_MEMORY"), &err);
    if (rc == 0)
        rc = se_section_check_list("drop-sections", shared.omit, &err);
    se_scratch_beside(run.output);
    if (rc == 0)
        rc = tool->run(&run, &err);
    free(run.arguments);
    return rc == 0 ? 0 : fail(tool, &err);
}

const char *se_run_operand(const struct se_run *run, int i)
{
    return i < run->operands ? run->operand[i] : "-";
}

static int terminal(struct se_err *err)
{
    return se_fail(err, SE_EIO, "standard output is a terminal, and the output is binary; "
                   "use -o FILE, > FILE or a pipe");
}

int se_run_check_output(const struct se_run *run, struct se_err *err)
{
    if (run->output && strcmp(run->output, "-") != 0)
        return se_output_check(run->output, err);
    return isatty(STDOUT_FILENO) ? terminal(err) : 0;
}

int se_run_filter(struct se_run *run,
                  int (*change)(struct se_run *run, struct se_stream *s, struct se_err *err),
                  struct se_err *err)
{
    const char *path = se_run_operand(run, 0);
    struct se_stream s = SE_STREAM_INIT;
    int rc = se_run_check_output(run, err);

    if (rc == 0)
        rc = se_run_read(run, path, &s, err);
    if (rc == 0) {
        rc = change(run, &s, err);
        if (rc < 0 && err->code == SE_EINPUT)
            se_err_in(err, se_path_name(path));
    }
    if (rc == 0)
        rc = se_run_write(run, &s, err);
    se_stream_release(&s);
    return rc;
}

int se_run_read(struct se_run *run, const char *path, struct se_stream *s,
                struct se_err *err)
{
    const bool in = strcmp(path, "-") == 0;
    const char *name = se_path_name(path);
    const int fd = in ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    int rc;

    if (fd < 0)
        return se_fail_errno(err, SE_EIO, "%s: cannot open", name);
    if (isatty(fd)) {
        if (!in)
            close(fd);
        return se_fail(err, SE_EIO, "%s is a terminal; name a file or pipe a stream in", name);
    }
    rc = se_stream_read(s, fd, err);
    if (!in)
        close(fd);
    s->keep = run->keep;
    run->input = name;
    return rc < 0 ? se_err_in(err, name) : 0;
}

static int open_output(const struct se_run *run, bool binary, struct se_err *err)
{
    const int fd = se_output_open(run->output, err);

    if (fd >= 0 && binary && isatty(fd)) {
        se_output_abort();
        return terminal(err);
    }
    return fd;
}

static int add_history(const struct se_run *run, struct se_stream *s, struct se_err *err)
{
    const size_t room = strlen(run->arguments) + 128;
    char *line, seed[24] = "-";
    int rc;

    if (!run->history) {
        se_stream_drop(s, SE_HISTORY);
        return 0;
    }
    line = se_alloc(room, 1, err);
    if (!line)
        return -1;
    if (run->tool->has & SE_TOOL_SEED)
        snprintf(seed, sizeof seed, "%" PRIu64, run->seed);
    snprintf(line, room, "%s\t%s\t%s\t%.3f\t%s", run->tool->name, se_version, seed,
             se_now() - run->start, run->arguments);
    rc = se_history_add(s, line, err);
    free(line);
    return rc;
}

/* The digest that se-check would give, without reading the file again */
static int print_digest(const struct se_run *run, struct se_stream *s, struct se_err *err)
{
    struct se_digest d;
    char text[SE_DIGEST_TEXT];

    if (se_stream_digest(s, &d, err) < 0)
        return -1;
    printf("%s  %s\n", se_digest_text(&d, text), run->output);
    if (fflush(stdout) == 0)
        return 0;
    return se_fail_errno(err, errno == EPIPE ? SE_EPIPE : SE_EIO, "write error");
}

int se_run_write(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    const int fd = open_output(run, true, err);

    if (fd < 0)
        return -1;
    if (add_history(run, s, err) < 0) {         /* what came in is wrong, not what goes out */
        se_output_abort();
        return run->input ? se_err_in(err, run->input) : -1;
    }
    for (int i = 0; shared.omit && se_section_kind(i); i++)
        if (se_section_listed(shared.omit, se_section_kind(i)->tag))
            se_stream_drop(s, se_section_kind(i)->tag);
    if (se_stream_write(s, fd, run->level, err) < 0) {
        se_output_abort();
        return run->output ? se_err_in(err, run->output) : -1;
    }
    if (se_output_commit(err) < 0)
        return -1;
    return shared.digest ? print_digest(run, s, err) : 0;
}

int se_run_begin(struct se_run *run, bool binary, struct se_out *out, struct se_err *err)
{
    const int fd = open_output(run, binary, err);

    if (fd < 0)
        return -1;
    if (se_out_init(out, fd, err) < 0) {
        se_output_abort();
        return -1;
    }
    return 0;
}

int se_run_end(struct se_run *run, struct se_out *out, int rc, struct se_err *err)
{
    return se_output_end(run->output, out, rc, err);
}

static void talk(const struct se_run *run, const char *fmt, va_list ap)
{
    fprintf(stderr, "%s: ", run->tool->name);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
}

void se_note(const struct se_run *run, const char *fmt, ...)
{
    va_list ap;

    if (!run->verbose)
        return;
    va_start(ap, fmt);
    talk(run, fmt, ap);
    va_end(ap);
}

void se_warn(const struct se_run *run, const char *fmt, ...)
{
    va_list ap;

    if (run->quiet)
        return;
    va_start(ap, fmt);
    talk(run, fmt, ap);
    va_end(ap);
}

void se_progress_begin(struct se_run *run, struct se_progress *p, const char *title,
                       uint64_t total)
{
    *p = (struct se_progress){ .title = title, .total = total, .start = se_now() };
    p->shown = p->start;
    p->on = !run->quiet && (shared.progress == ALWAYS ||
                            (shared.progress == AUTO && isatty(STDERR_FILENO)));
}
