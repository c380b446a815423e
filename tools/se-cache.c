/* se-cache.c - run a command only if its result is not stored yet */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/command.h"
#include "common/base/outfile.h"
#include "common/base/record.h"
#include "common/base/store.h"
#include "common/cli/tool.h"
#include "tools/cache_key.h"
#include "tools/cache_list.h"
#include "tools/cache_steps.h"

static struct {
    const char *dir, *limit, *input_digest, *with, *record, *append, *steps;
    struct se_list also, derived;
    bool why, digest, status, stream, no_run;
} o;

static const struct se_option options[] = {
    { 0, "dir", "DIR", SE_OPT_STRING, &o.dir,
      .help = "folder of the stored results, or none (default: $SE_CACHE, else se-cache in "
              "$XDG_CACHE_HOME or ~/.cache)" },
    { 0, "limit", "SIZE", SE_OPT_STRING, &o.limit,
      .help = "after storing a result, remove the least recently used ones beyond this total "
              "size, such as 500M; 0: no limit (default: 4G)" },
    { 0, "why", NULL, SE_OPT_FLAG, &o.why,
      .help = "print on standard error why the command is run or not" },
    { 0, "also", "FILE...", SE_OPT_LIST, &o.also,
      .help = "further files and programs that the result depends on" },
    { 0, "with", "WORDS", SE_OPT_STRING, &o.with,
      .help = "add these words to the command without making them part of the key, such as "
              "'-q -@ 2'" },
    { 0, "append", "FILE", SE_OPT_FILE, &o.append,
      .help = "add FILE to the command; the content of FILE is part of the key and its name is not" },
    { 0, "stream", NULL, SE_OPT_FLAG, &o.stream,
      .help = "fail if the result is not a valid stream" },
    { 0, "digest", NULL, SE_OPT_FLAG, &o.digest,
      .help = "with -o, print the digest of the result, as se-check does" },
    { 0, "status", NULL, SE_OPT_FLAG, &o.status,
      .help = "with -o, print the digest, the milliseconds, and one of run, cache, kept, unstored" },
    { 0, "record", "FILE", SE_OPT_FILE, &o.record,
      .help = "with -o, record in FILE what the output was made from, and keep the output if "
              "that has not changed" },
    { 0, "no-run", NULL, SE_OPT_FLAG, &o.no_run,
      .help = "with --record, only check whether what the output was made from has changed, "
              "even if the output was removed; exit status 1 if so" },
    { 0, "input-digest", "DIGEST", SE_OPT_STRING, &o.input_digest,
      .help = "digest of the input, if known, as printed by se-check; saves reading the input" },
    { 0, "derived", "FILE...", SE_OPT_LIST, &o.derived,
      .help = "remove these files, which were made from the output, before it changes" },
    { 0, "steps", "FILE", SE_OPT_FILE, &o.steps,
      .help = "run the commands of FILE one after another; FILE of --record is then in the folder "
              "of each output" },
    SE_OPTIONS_END
};

static uint64_t limit = (uint64_t)4 << 30;
static int command_words;       /* behind --, or -1 */
static int exit_status;         /* of the command, if it failed */

enum how { RUN, CACHE, KEPT, UNSTORED };
static const char *const how_names[] = { "run", "cache", "kept", "unstored" };

struct work {
    struct se_run *run;
    struct cache_key of;        /* command and input */
    char **full;                /* the command with the words of --with */
    struct se_store store;
    struct se_entry entry;      /* key, and the result when it is there */
};

/* ---- the key ------------------------------------------------------------------------- */

static int digest_result(int fd, char text[SE_DIGEST_TEXT], struct se_err *err)
{
    struct se_digest d;
    int rc = o.stream ? se_digest_stream(fd, &d, err) : se_digest_any(fd, &d, err);

    if (rc == 0)
        se_digest_text(&d, text);
    return rc;
}

/* ---- input --------------------------------------------------------------------------- */

static int temporary(struct se_err *err)
{
    const char *folder = getenv("TMPDIR");
    char path[PATH_MAX];
    int fd;

    snprintf(path, sizeof path, "%s/se-cache-XXXXXX", folder && *folder ? folder : "/tmp");
    fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return se_fail_errno(err, SE_EIO, "%s: cannot write", path);
    unlink(path);
    return fd;
}

/* A file that can be read twice: a pipe is copied. */
static int open_input(struct work *w, const char *path, struct se_err *err)
{
    const bool in = strcmp(path, "-") == 0;
    const int fd = in ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;

    if (fd < 0)
        return se_fail_errno(err, SE_EIO, "%s: cannot open", path);
    w->of.input = fd;
    if (isatty(fd))
        return se_fail(err, SE_EIO, "%s is a terminal; name a file or pipe a stream in",
                       w->of.input_name);
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && lseek(fd, 0, SEEK_CUR) == 0)
        return 0;
    w->of.input = temporary(err);
    return w->of.input < 0 ? -1 : se_copy_fd(fd, w->of.input, err);
}

/* ---- results ------------------------------------------------------------------------- */

/* Open the place of the result: beside -o, or without a name. */
static int open_result(struct work *w, struct se_err *err)
{
    return w->run->output ? se_output_open(w->run->output, err) : temporary(err);
}

/* From there to -o or standard output; `fd` stays open. */
static int deliver(struct work *w, int fd, struct se_err *err)
{
    if (w->run->output)
        return se_output_commit(err);
    if (lseek(fd, 0, SEEK_SET) < 0)
        return se_fail_errno(err, SE_EIO, "read error");
    return se_copy_fd(fd, STDOUT_FILENO, err);
}

static void give_up(struct work *w)
{
    if (w->run->output)
        se_output_abort();
}

/* Take the result from the store: 1, or 0 if it is not there or not to be trusted. */
static int take_stored(struct work *w, struct se_err *err)
{
    struct se_entry *e = &w->entry;
    struct se_err fault = SE_ERR_INIT;
    char text[SE_DIGEST_TEXT] = "";
    int from = -1, to, rc = se_store_about(&w->store, e->key, e, &fault);

    if (rc == 0)
        return 0;
    if (rc > 0)
        from = se_store_bytes(&w->store, e, &fault);
    if (rc < 0 || from < 0 || digest_result(from, text, &fault) < 0 ||
        strcmp(text, e->result) != 0) {
        se_warn(w->run, "the stored result is damaged (%s); computing it again",
                fault.text[0] ? fault.text : "its digest differs");
        se_store_remove(&w->store, e);
        if (from >= 0)
            close(from);
        return 0;
    }
    rc = 1;
    if (!w->run->output || !se_store_link(&w->store, from, w->run->output)) {
        to = w->run->output ? se_output_open(w->run->output, err) : STDOUT_FILENO;
        if (to < 0 || lseek(from, 0, SEEK_SET) < 0 || se_copy_fd(from, to, err) < 0 ||
            (w->run->output && se_output_commit(err) < 0)) {
            give_up(w);
            rc = -1;
        }
    }
    close(from);
    return rc;
}

static int store_result(struct work *w, int fd, struct se_err *err)
{
    int rc;

    free(w->entry.about);               /* of a stored result that was damaged */
    w->entry.about = w->of.key.about.data;
    rc = se_store_put(&w->store, &w->entry, fd, w->run->output, err);
    w->entry.about = NULL;
    return rc < 0 || limit == 0 ? rc : se_store_prune(&w->store, limit, err);
}

/* Run it with its output to `out`.  exit_status is set, and -1 returned, if it fails. */
static int perform(struct work *w, int out, struct se_err *err)
{
    int status;

    if (w->run->verbose) {
        char *text = se_command_text(w->full, w->of.words + (o.append != NULL), err);

        if (text)
            se_note(w->run, "run: %s", text);
        free(text);
    }
    status = se_command_run(w->full, w->of.input, out, err);
    exit_status = status > 0 ? status : 0;
    return status == 0 ? 0 : -1;
}

/* Run the command, keep what it gives. */
static int compute(struct work *w, enum how *how, struct se_err *err)
{
    const double start = se_now();
    int out = open_result(w, err), fd = -1, rc;
    struct se_err fault = SE_ERR_INIT;
    struct stat st = { 0 };

    if (out < 0)
        return -1;
    fd = fcntl(out, F_DUPFD_CLOEXEC, 3);
    rc = fd < 0 ? se_fail_errno(err, SE_EIO, "cannot open the result") : perform(w, fd, err);
    w->entry.ms = (uint64_t)((se_now() - start) * 1000);
    if (rc == 0) {
        rc = digest_result(fd, w->entry.result, err);
        if (rc < 0) {
            fault = *err;
            se_fail(err, SE_EINPUT, "the result is no valid stream: %s", fault.text);
        }
    }
    if (rc == 0 && fstat(fd, &st) == 0)
        w->entry.size = (uint64_t)st.st_size;
    rc = rc < 0 ? (give_up(w), -1) : deliver(w, fd, err);
    if (rc == 0 && w->store.folder >= 0 && store_result(w, fd, &fault) < 0) {
        se_warn(w->run, "%s; going on without storing the result", fault.text);
        *how = UNSTORED;
    }
    if (!w->run->output)
        close(out);
    if (fd >= 0)
        close(fd);
    return rc;
}

/* ---- all of it ----------------------------------------------------------------------- */

/* Is -o what the record says? */
static bool is_kept(struct work *w)
{
    const int fd = open(w->run->output, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct se_err fault = SE_ERR_INIT;
    char text[SE_DIGEST_TEXT] = "";
    bool same;

    if (fd < 0)
        return false;
    same = digest_result(fd, text, &fault) == 0 && strcmp(text, w->entry.result) == 0;
    close(fd);
    if (!same)
        se_warn(w->run, "%s: %s; making it again", w->run->output,
                fault.text[0] ? fault.text : "was changed since it was made");
    return same;
}

static int find_or_make(struct work *w, enum how *how, struct se_err *err)
{
    struct se_bytes rest = SE_BYTES_INIT;
    int rc = 0;

    if (o.record && se_record_read(o.record, w->run->output, &w->entry, &rest, err) &&
        ((o.no_run && access(w->run->output, F_OK) < 0) || is_kept(w))) {
        *how = KEPT;
        se_bytes_release(&rest);
        return 0;
    }
    if (o.no_run) {
        exit_status = 1;
        se_bytes_release(&rest);
        return -1;
    }
    for (int i = 0; i < o.derived.count; i++)
        unlink(o.derived.item[i]);
    *how = CACHE;
    if (w->store.folder >= 0)
        rc = take_stored(w, err);
    if (rc == 0) {
        if (o.why)
            cache_explain(&w->store, w->of.key.about.data);
        *how = RUN;
        rc = compute(w, how, err);
    } else if (rc > 0) {
        rc = 0;
    }
    if (rc == 0 && o.record)
        rc = se_record_write(o.record, w->run->output, &w->entry, &rest, err);
    se_bytes_release(&rest);
    return rc;
}

static int report(const struct work *w, enum how how, struct se_err *err)
{
    if (o.why && how != RUN && how != UNSTORED)
        fprintf(stderr, "se-cache: not run: %s\n",
                how == KEPT ? "the output was made from the same" : "the result is stored");
    if (how == CACHE || how == KEPT)
        se_note(w->run, how == KEPT ? "%s is there" : "%s is from the cache",
                w->run->output ? w->run->output : "the result");
    if (o.status)
        printf("%s\t%" PRIu64 "\t%s\n", w->entry.result, w->entry.ms, how_names[how]);
    if (o.digest)
        printf("%s  %s\n", w->entry.result, w->run->output);
    return fflush(stdout) == 0 ? 0 : se_fail_errno(err, SE_EIO, "write error");
}

/* The words of the command, and the same with the file of --append and the words of --with */
static int take_words(struct work *w, char **word, int words, struct se_err *err)
{
    char *with = o.with ? se_strdup(o.with, err) : NULL, *save = NULL;
    int n = words;

    w->of.word = word;
    w->of.words = words;
    w->of.append = o.append;
    w->of.also = o.also;
    w->of.input_digest = o.input_digest;
    w->full = se_zalloc((uint64_t)words + (o.with ? strlen(o.with) : 0) + 3,
                        sizeof *w->full, err);
    if (!w->full || (o.with && !with)) {
        free(with);
        return -1;
    }
    memcpy(w->full, word, (size_t)words * sizeof *word);
    if (o.append)
        w->full[n++] = (char *)(uintptr_t)o.append;
    for (char *c = with ? strtok_r(with, " ", &save) : NULL; c; c = strtok_r(NULL, " ", &save))
        w->full[n++] = c;
    w->full[n + 1] = with;                      /* behind the NULL that ends them: to be freed */
    return 0;
}

static void release_command(struct work *w)
{
    int n = 0;

    while (w->full && w->full[n])
        n++;
    if (w->full)
        free(w->full[n + 1]);
    free(w->full);
    se_entry_release(&w->entry);
    se_bytes_release(&w->of.key.about);
    if (w->of.input > STDERR_FILENO)
        close(w->of.input);
    w->full = NULL;
    w->entry = (struct se_entry)SE_ENTRY_INIT;
    w->of.input = -1;
}

static int default_dir(char path[PATH_MAX], struct se_err *err)
{
    const char *cache = getenv("SE_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

    if (cache && *cache)
        snprintf(path, PATH_MAX, "%s", cache);
    else if (xdg && *xdg)
        snprintf(path, PATH_MAX, "%s/se-cache", xdg);
    else if (home && *home)
        snprintf(path, PATH_MAX, "%s/.cache/se-cache", home);
    else
        return se_fail(err, SE_EUSAGE, "neither SE_CACHE, XDG_CACHE_HOME nor HOME is set; name "
                       "the folder with --dir");
    o.dir = path;
    return 0;
}

/* One command, whose input is a file or "-".  digest: of the result */
static int one_command(struct work *w, const char *input, char **word, int words,
                       char digest[SE_DIGEST_TEXT], struct se_err *err)
{
    enum how how = RUN;
    int rc;

    w->of.input_name = se_path_name(input);
    rc = take_words(w, word, words, err);
    if (rc == 0 && !(o.no_run && o.input_digest))
        rc = open_input(w, input, err);
    if (rc == 0)
        rc = cache_key_make(&w->of, w->entry.key, err);
    if (rc == 0)
        rc = find_or_make(w, &how, err);
    if (rc == 0)
        rc = report(w, how, err);
    memcpy(digest, w->entry.result, SE_DIGEST_TEXT);
    if (how == UNSTORED)
        se_store_close(&w->store);
    release_command(w);
    return rc;
}

static int open_store(struct se_store *s, struct se_err *err)
{
    return strcmp(o.dir, "none") == 0 ? 0 : se_store_open(s, o.dir, err);
}

static int run_command(struct se_run *run, struct se_err *err)
{
    struct work w = { .run = run, .store = SE_STORE_INIT, .entry = SE_ENTRY_INIT,
                      .of = { .input = -1, .key = { .about = SE_BYTES_INIT } } };
    const int files = run->operands - command_words;
    char digest[SE_DIGEST_TEXT];
    int rc;

    if (command_words == 0 || files > 1)
        return se_fail(err, SE_EUSAGE, command_words == 0 ? "no command after --"
                       : "at most one input file may come before --");
    if ((o.digest || o.status || o.record) && !run->output)
        return se_fail(err, SE_EUSAGE, "--digest, --status and --record need -o FILE");
    if (o.no_run && !o.record)
        return se_fail(err, SE_EUSAGE, "--no-run needs --record");
    rc = open_store(&w.store, err);
    if (rc == 0)
        rc = one_command(&w, files ? run->operand[0] : "-", run->operand + files, command_words,
                         digest, err);
    se_store_close(&w.store);
    return exit_status && !err->text[0] ? 0 : rc;       /* the command said what was wrong */
}

/* ---- --steps ------------------------------------------------------------------------- */

/* The digest of a file that an earlier step made, NULL if none did */
static const char *digest_made(const struct cache_steps *x, char (*made)[SE_DIGEST_TEXT],
                               uint64_t before, const char *file)
{
    for (uint64_t i = before; i-- > 0;)
        if (strcmp(x->step[i].output, file) == 0)
            return made[i];
    return NULL;
}

enum { BESIDE_FAILED = 125 };

/* Wait for the command beside the others; it said what was wrong. */
static int settle(struct se_err *err)
{
    const int status = se_command_settle();

    if (status == 0)
        return 0;
    exit_status = BESIDE_FAILED;
    return status < 0 ? se_fail(err, SE_EIO, "cannot wait") : -1;
}

static int run_beside(struct work *w, const struct cache_step *s, struct se_err *err)
{
    int rc = settle(err);

    o.with = o.append = NULL;
    if (rc == 0 && !o.no_run)
        rc = take_words(w, s->word, s->words, err) < 0 ? -1 : se_command_beside(w->full, err);
    release_command(w);
    return rc;
}

static int run_step(struct work *w, const struct cache_step *s, const char *record,
                    char digest[SE_DIGEST_TEXT], struct se_err *err)
{
    const char *slash = strrchr(s->output, '/');
    char path[PATH_MAX];

    o.with = *s->with ? s->with : NULL;
    o.append = *s->append ? s->append : NULL;
    o.also = (struct se_list){ s->also, s->alsos };
    if (record) {
        snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - s->output) + 1 : 0, s->output,
                 record);
        o.record = path;
    }
    w->run->output = s->output;
    return one_command(w, s->input, s->word, s->words, digest, err);
}

static int run_all(struct work *w, const struct cache_steps *x, struct se_err *err)
{
    char (*made)[SE_DIGEST_TEXT] = se_zalloc(x->count, sizeof *made, err);
    const char *record = o.record, *first = o.input_digest;
    const pid_t parent = getppid();
    int rc = made ? 0 : -1;

    for (uint64_t i = 0; rc == 0 && i < x->count; i++) {
        const struct cache_step *s = &x->step[i];

        o.input_digest = digest_made(x, made, i, s->input);
        if (!o.input_digest && strcmp(s->input, x->step[0].input) == 0)
            o.input_digest = first;
        rc = getppid() != parent ? se_fail(err, SE_EIO, "stopped: what started it has ended")
           : *s->output ? run_step(w, s, record, made[i], err) : run_beside(w, s, err);
    }
    free(made);
    return settle(err) < 0 ? -1 : rc;
}

/* The results of all steps count towards --limit when the last is there. */
static int run_steps(struct se_run *run, struct se_err *err)
{
    struct se_run own = *run;
    struct work w = { .run = &own, .store = SE_STORE_INIT, .entry = SE_ENTRY_INIT,
                      .of = { .input = -1, .key = { .about = SE_BYTES_INIT } } };
    struct cache_steps x = CACHE_STEPS_INIT;
    const uint64_t most = limit;
    int rc;

    if (run->operands > 0 || run->output || (o.no_run && !o.record))
        return se_fail(err, SE_EUSAGE, o.no_run ? "--no-run needs --record"
                       : "--steps FILE names the commands, inputs and outputs");
    limit = 0;
    rc = cache_steps_read(&x, o.steps, err) < 0 || open_store(&w.store, err) < 0
       ? -1 : run_all(&w, &x, err);
    if (rc == 0 && w.store.folder >= 0 && most > 0)
        rc = se_store_prune(&w.store, most, err);
    se_store_close(&w.store);
    cache_steps_release(&x);
    return exit_status && !err->text[0] ? 0 : rc;
}

static int manage(struct se_run *run, struct se_err *err)
{
    struct se_store s = SE_STORE_INIT;
    const char *what = run->operands == 1 ? run->operand[0] : "";
    const bool list = strcmp(what, "list") == 0, prune = strcmp(what, "prune") == 0,
               clear = strcmp(what, "clear") == 0;
    int rc;

    if (!list && !prune && !clear && strcmp(what, "init") != 0)
        return se_fail(err, SE_EUSAGE, "expected a command after --, or one of list, prune, "
                       "clear and init");
    if ((list || prune || clear) && access(o.dir, F_OK) < 0)
        return 0;                               /* nothing to tell, nothing to remove */
    rc = se_store_open(&s, o.dir, err);
    if (rc == 0 && list) {
        rc = cache_list(&s, err);
    } else if (rc == 0 && (prune || clear)) {
        rc = se_store_prune(&s, clear ? 0 : limit, err);
    }
    se_store_close(&s);
    return rc;
}

static int run(struct se_run *r, struct se_err *err)
{
    static char path[PATH_MAX];         /* o.dir points to it */

    if (o.limit && !se_whole_size(o.limit, &limit))
        return se_fail(err, SE_EUSAGE, "--limit: '%s' is not a size such as 500M", o.limit);
    if (!o.dir && default_dir(path, err) < 0)
        return -1;
    return o.steps ? run_steps(r, err) : command_words >= 0 ? run_command(r, err) : manage(r, err);
}

static const struct se_tool tool = {
    .name = "se-cache", .brief = "run a command only if its result is not stored yet",
    .operands = "[FILE] -- COMMAND... | list | prune | clear | init", .min_operands = 0,
    .max_operands = -1, .options = options, .run = run,
    .about =
        "Reads a stream, or any other data, from FILE or standard input. If the result\n"
        "of COMMAND for this input is stored, the stored result is written. Otherwise\n"
        "COMMAND is run with the input on its standard input, and its standard output is\n"
        "written and stored.\n"
        "\n"
        "The key of a result is made from the content of the input (of a stream: without\n"
        "its history), the words of COMMAND, and the content of every program and file\n"
        "named in them, also inside the argument of sh -c. Environment variables are not\n"
        "part of it: use env NAME=VALUE in COMMAND. Stored results are verified when\n"
        "they are read.\n",
    .examples =
        "  se-sim < g.seg | se-kselect | se-cache -- se-tree -K 3 | se-sample > new.seg\n"
        "  se-cache --why g.seg -o tree.seg -- python3 mytree.py\n"
        "  se-cache list\n"
        "  se-cache prune --limit 1G\n",
};

int main(int argc, char **argv)
{
    int rc;

    command_words = -1;
    for (int i = 1; i < argc && command_words < 0; i++)
        if (strcmp(argv[i], "--") == 0)
            command_words = argc - i - 1;
    rc = se_tool_main(&tool, argc, argv);
    return exit_status ? exit_status : rc;
}
