/* tool.h - a whole tool as a fuzz target: its main() reads a stream with right checksums
 *
 * A target includes the source of the tool with `main` renamed to tool_main, defines
 *     #define OPTIONS o                   the values of its options, put back before each run
 *     static const char *const lines[] = { "--add", "--rewire --rate .5", NULL };
 * one command line for each choice, and includes this file.  The stream is on standard input and
 * can be opened again as /dev/stdin.  If the tool works, what it writes is sound, and passes
 * the cross-checks of se-check --deep if the input did.  TEXT: it writes no stream.  MOST_VERTICES:
 * larger inputs are slow and not stranger. */
#include <fcntl.h>
#include <getopt.h>

#include "common/inspect/crosscheck.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/mutate.h"

#ifndef TEXT
#define TEXT 0
#endif

#ifndef MOST_VERTICES
#define MOST_VERTICES 64
#endif

enum { MOST_BYTES = 1 << 16, WORDS = 24 };

static int input = -1, output = -1, report = -1;
static char *kept_lines[sizeof lines / sizeof lines[0]], *words[sizeof lines / sizeof lines[0]][WORDS];
static int count_of[sizeof lines / sizeof lines[0]], choices;
#ifdef OPTIONS
static char kept[sizeof OPTIONS];
#endif

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    static char name[] = "fuzz", quiet[] = "-q", threads[] = "-@1", plain[] = "-";

    (void)argc;
    (void)argv;
    setenv("SE_MEMORY", "512M", 1);
    report = dup(2);                            /* -close_fd_mask leaves this one */
    input = memfd_create("input", MFD_CLOEXEC);
    output = memfd_create("output", MFD_CLOEXEC);
    for (; lines[choices]; choices++) {
        char *line = strdup(lines[choices]), **w = words[choices], *rest = NULL;
        int n = 0;

        kept_lines[choices] = line;
        w[n++] = name;
        w[n++] = quiet;
        w[n++] = threads;
        for (char *p = strtok_r(line, " ", &rest); p && n < WORDS - 2;
             p = strtok_r(NULL, " ", &rest))
            w[n++] = p;
        if (!strchr(lines[choices], '/'))
            w[n++] = plain;
        count_of[choices] = n;
    }
#ifdef OPTIONS
    memcpy(kept, &OPTIONS, sizeof kept);
#endif
    return 0;
}

/* Is it sound, small, and does it pass the cross-checks? */
static bool fits(const uint8_t *data, size_t len, bool *small, bool *deep)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    uint64_t n = 0, total = 0;
    bool ok = se_stream_read_memory(&s, data, len, &err) == 0 &&
              se_stream_vertices(&s, &n, &err) == 0;

    for (size_t i = 0; i < s.count; i++)
        total += s.section[i].plain_len;
    *small = n <= MOST_VERTICES && total <= MOST_BYTES;
    ok = ok && *small && se_stream_check(&s, &err) == 0;
    *deep = ok && se_stream_deep(&s, 1, &err) == 0;
    se_stream_release(&s);
    return ok;
}

/* The sanitizer keeps what was freed for a while, so a limit that is reached is no finding. */
static void finding(const char *what, const struct se_err *err)
{
    if (err->code == SE_EMEM)
        return;
    dup2(report, 2);
    fuzz_fail(what, err);
}

static void check_output(bool deep)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;

    lseek(output, 0, SEEK_SET);
    if (se_stream_read(&s, output, &err) < 0 || se_stream_check(&s, &err) < 0)
        finding("the output is not sound", &err);
    else if (deep && se_stream_deep(&s, 1, &err) < 0)
        finding("the output does not pass the cross-checks", &err);
    se_stream_release(&s);
}

static void give(int fd, const uint8_t *data, size_t len, int as)
{
    if (ftruncate(fd, 0) < 0 || lseek(fd, 0, SEEK_SET) < 0 ||
        (len > 0 && write(fd, data, len) != (ssize_t)len) || lseek(fd, 0, SEEK_SET) < 0 ||
        dup2(fd, as) < 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    uint8_t *copy = malloc(len + 1);
    char *argv[WORDS + 1] = { NULL };
    uint32_t choice = 0;
    bool small = false, deep = false;

    memcpy(copy, data, len);
    if (len > 16)                               /* bytes of the header that repair mends */
        memcpy(&choice, copy + 12, 4);
    if (choice < UINT32_C(0xe0000000))          /* some are left stale */
        fuzz_origins(copy, len);
    fuzz_repair(copy, len);
    const int c = (int)(choice % (uint32_t)choices);
    const bool sound = fits(copy, len, &small, &deep);

    if (sound || (small && choice % 5 == 0)) {
#ifdef OPTIONS
        memcpy(&OPTIONS, kept, sizeof kept);
#endif
        memcpy(argv, words[c], sizeof words[c]);
        give(input, copy, len, 0);
        give(output, NULL, 0, 1);
        optind = 0;                             /* getopt starts again */
        if (tool_main(count_of[c], argv) == 0 && sound && !TEXT)
            check_output(deep && !strchr(lines[c], '/'));       /* two streams may not agree */
    }
    free(copy);
    return 0;
}
