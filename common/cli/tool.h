/* tool.h - what every program shares: options, help, errors, input, output, signals
 *
 * A tool is a table of options, a text and a function:
 *
 *     static struct { uint64_t k; int metric; } o = { 50, SE_PCC };
 *     static const struct se_option options[] = {
 *         { 'k', "neighbours", "KMAX", SE_OPT_COUNT, &o.k, .min = 1, .max = 1e6,
 *           .help = "neighbours of each vertex" },
 *         { 0, "metric", NULL, SE_OPT_CHOICE, &o.metric, .words = se_metric_names,
 *           .help = "..." },
 *         SE_OPTIONS_END
 *     };
 *     static const struct se_tool tool = { .name = "se-sim", ..., .run = run };
 *     int main(int argc, char **argv) { return se_tool_main(&tool, argc, argv); }
 *
 * Help, completions and the option lists of the man pages are printed from that table, with
 * the defaults as they stand in `o`. */
#ifndef SE_TOOL_H
#define SE_TOOL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/base/progress.h"
#include "common/base/text.h"
#include "common/device/device.h"
#include "common/stream/section.h"

enum se_opt_type {
    SE_OPT_FLAG,                /* bool */
    SE_OPT_COUNT,               /* uint64_t, min .. max */
    SE_OPT_NUMBER,              /* double, min .. max */
    SE_OPT_STRING,              /* const char * */
    SE_OPT_FILE,                /* const char *, completed as a file name */
    SE_OPT_CHOICE,              /* int: index of the word given; `words` has them, or `arg`
                                 * as "one|two" */
    SE_OPT_LIST                 /* struct se_list: this argument and all that follow up to
                                 * the next option */
};

struct se_list {
    char **item;                /* allocated once, kept to the end */
    int count;
};

struct se_option {
    char letter;                /* 0: none */
    const char *name, *arg;
    enum se_opt_type type;
    void *value;
    double min, max;            /* both 0: any */
    const char *help;           /* one sentence, lower case, no full stop */
    bool *given;                /* set when the option occurs; may be NULL */
    const char *const *words;   /* choices from a table, NULL-ended; shown unless `arg` is set */
    const char *old;            /* a former name, accepted but not shown; may be NULL */
    const char *old_value;      /* the former name takes no argument and means this; or NULL */
};
#define SE_OPTIONS_END { .name = NULL }

enum {                          /* which shared options a tool has besides the common ones */
    SE_TOOL_SEED = 1,           /* --seed */
    SE_TOOL_DEVICE = 2,         /* --device */
    SE_TOOL_KEEP = 4,           /* --keep-stale: it replaces a section that others derive from */
    SE_TOOL_STREAM = 8,         /* it writes a stream: -z, --no-history */
    SE_TOOL_PASSES = 16         /* with sections of the one it read: --drop-sections */
};

struct se_run;
struct se_tool {
    const char *name, *brief;   /* "se-sim", "find the most similar vertices" */
    const char *operands;       /* "[FILE]" */
    int min_operands, max_operands;             /* max -1: any number */
    unsigned has;               /* SE_TOOL_* */
    const struct se_option *options;
    const char *about;          /* paragraphs for --help, lines up to 78 characters */
    void (*list)(FILE *out);    /* prints what comes from a table, behind `about`; may be NULL */
    const char *notes;          /* paragraphs behind that; may be NULL */
    const char *examples;       /* shell lines, two spaces before each */
    int (*run)(struct se_run *run, struct se_err *err);         /* 0, or -1 with err */
};

struct se_run {
    const struct se_tool *tool;
    int threads, level, device; /* level: -1 unless -z was given */
    uint64_t seed;
    bool verbose, quiet, history, keep;
    const char *output;         /* NULL: standard output */
    const char *input;          /* what was read last, as messages call it; NULL: nothing */
    char **operand;
    int operands;
    char *arguments;            /* the command line, for history */
    double start;
};

/* Parse, run, report, and return the exit status: 0, 1, or 2 for wrong usage. */
int se_tool_main(const struct se_tool *tool, int argc, char **argv);

/* Operand i, or "-" when it was not given. */
const char *se_run_operand(const struct se_run *run, int i);
/* Read a stream from a file or "-".  Errors name the file. */
int se_run_read(struct se_run *run, const char *path, struct se_stream *s,
                struct se_err *err);
/* The frame of most tools: read the stream of the first operand, change it, write it.  Faults
 * that `change` finds in the content (SE_EINPUT) name the file. */
int se_run_filter(struct se_run *run,
                  int (*change)(struct se_run *run, struct se_stream *s, struct se_err *err),
                  struct se_err *err);
/* Before long work: fail now if the output is a terminal or its folder does not exist.
 * se_run_filter calls it. */
int se_run_check_output(const struct se_run *run, struct se_err *err);
/* Write the stream to -o or standard output, with a line of history.  A file is written
 * atomically: to a temporary name, then renamed. */
int se_run_write(struct se_run *run, struct se_stream *s, struct se_err *err);
/* The same for tools that write something else: begin, write to out, end.  `binary`: refuse
 * a terminal.  se_run_end closes and renames when rc is 0, else removes; it returns rc or -1. */
int se_run_begin(struct se_run *run, bool binary, struct se_out *out, struct se_err *err);
int se_run_end(struct se_run *run, struct se_out *out, int rc, struct se_err *err);

/* Messages on standard error: a note if -v is given, a warning unless -q is. */
void se_note(const struct se_run *run, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void se_warn(const struct se_run *run, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A bar on standard error (--progress); common/base/progress.h advances it. */
void se_progress_begin(struct se_run *run, struct se_progress *p, const char *title,
                       uint64_t total);

/* For `list` of a tool: a row of name and description; a filled paragraph. */
void se_help_row(FILE *out, const char *name, const char *text);
void se_help_text(FILE *out, const char *text);

/* Version and build (common/cli/version.c): "0.1.0", "731c733" or "731c733+" or "unknown",
 * "OpenBLAS 0.3.21" */
extern const char se_version[], se_revision[], se_blas_version[];

#endif
