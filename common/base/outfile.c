/* outfile.c - output files, written atomically */
#include "common/base/outfile.h"

#include "common/base/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    char target[PATH_MAX], temporary[PATH_MAX];
    volatile sig_atomic_t pending;      /* temporary exists */
    int fd;
} out = { .fd = -1 };

static const char *tool_name = "";

static void on_end(int sig)
{
    if (out.pending)
        unlink(out.temporary);
    signal(sig, SIG_DFL);
    raise(sig);
}

/* A mapped file that shrank (SIGBUS), or numbers that changed behind their checks (SIGSEGV).
 * Anything else is a fault of ours and ends as faults do. */
static void on_fault(int sig)
{
    static const char text[] = ": the input file changed while it was being read\n";

    if (sig != SIGBUS && !se_watch_changed()) {         /* NOLINT: it calls stat alone */
        on_end(sig);
        return;
    }
    if (out.pending)
        unlink(out.temporary);
    if (write(STDERR_FILENO, tool_name, strlen(tool_name)) < 0 ||
        write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(1);
    _exit(1);
}

void se_output_signals(const char *tool)
{
    static const int ends[] = { SIGINT, SIGTERM, SIGHUP };

    tool_name = tool;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (signal(ends[i], on_end) == SIG_IGN)         /* nohup stays nohup */
            signal(ends[i], SIG_IGN);
    signal(SIGBUS, on_fault);
#ifndef __SANITIZE_ADDRESS__                            /* it wants to tell of it */
    signal(SIGSEGV, on_fault);
#endif
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);                           /* ulimit -f: write() tells too */
}

static mode_t mode_for(const struct stat *old)
{
    const mode_t mask = umask(0);

    umask(mask);
    return old ? old->st_mode & 0777 : 0666 & ~mask;
}

/* No signal may come between making the file and knowing of it. */
static void make_temporary(void)
{
    sigset_t all, old;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &old);
    out.fd = mkostemp(out.temporary, O_CLOEXEC);
    out.pending = out.fd >= 0;
    sigprocmask(SIG_SETMASK, &old, NULL);
}

int se_output_open(const char *path, struct se_err *err)
{
    struct stat st;
    bool old;

    if (!path || strcmp(path, "-") == 0)
        return out.fd = STDOUT_FILENO;
    old = stat(path, &st) == 0;
    if (old && S_ISDIR(st.st_mode))
        return se_fail(err, SE_EIO, "%s: is a folder", path);
    if (old && !S_ISREG(st.st_mode)) {                  /* a device or a pipe */
        out.fd = open(path, O_WRONLY | O_CLOEXEC);
        return out.fd >= 0 ? out.fd : se_fail_errno(err, SE_EIO, "%s: cannot write", path);
    }
    if (!old || !realpath(path, out.target))            /* through links, to the file */
        snprintf(out.target, sizeof out.target, "%s", path);
    if (strlen(out.target) + 12 > sizeof out.temporary)
        return se_fail(err, SE_EIO, "%s: name is too long", path);
    snprintf(out.temporary, sizeof out.temporary, "%.*s.part-XXXXXX", PATH_MAX - 14,
             out.target);
    make_temporary();
    if (out.fd < 0)
        return se_fail_errno(err, SE_EIO, "%s: cannot write", path);
    (void)fchmod(out.fd, mode_for(old ? &st : NULL));
    return out.fd;
}

int se_output_check(const char *path, struct se_err *err)
{
    char folder[PATH_MAX];
    struct stat st;
    const bool old = stat(path, &st) == 0;
    char *slash;

    if (old && S_ISDIR(st.st_mode))
        return se_fail(err, SE_EIO, "%s: is a folder", path);
    if ((old && !S_ISREG(st.st_mode)) || strlen(path) >= sizeof folder)
        return 0;                                       /* se_output_open will tell */
    if (!old || !realpath(path, folder))
        snprintf(folder, sizeof folder, "%s", path);
    slash = strrchr(folder, '/');
    if (!slash)
        snprintf(folder, sizeof folder, ".");
    else
        slash[slash == folder] = '\0';
    return access(folder, W_OK | X_OK) == 0
               ? 0 : se_fail_errno(err, SE_EIO, "%s: cannot write", path);
}

/* Some file systems cannot sync, and say so by EINVAL or ENOTSUP: that is no failure. */
static bool synced(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

/* SE_NOSYNC: for files that can be made again, such as those between two stages */
bool se_output_syncs(void)
{
    const char *no = getenv("SE_NOSYNC");

    return !no || !*no || strcmp(no, "0") == 0;
}

/* A renamed file is there after a crash when its folder is on the disk too. */
static bool sync_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int fd;
    bool ok;

    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    fd = open(*folder ? folder : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)                                         /* a folder one may not list */
        return true;
    ok = synced(fd);
    close(fd);
    return ok;
}

int se_output_commit(struct se_err *err)
{
    const bool sync = out.pending && se_output_syncs();
    const int fd = out.fd;
    bool ok = fd < 0 || !sync || synced(fd);

    if (!ok)
        se_fail_errno(err, SE_EIO, "%s: write error", out.target);
    out.fd = -1;
    if (fd >= 0 && close(fd) < 0 && ok) {
        ok = false;
        se_fail_errno(err, SE_EIO, "write error");
    }
    ok = ok && se_watch_check(err) == 0;
    if (ok && out.pending && rename(out.temporary, out.target) < 0) {
        ok = false;
        se_fail_errno(err, SE_EIO, "%s: cannot write", out.target);
    }
    if (!ok) {
        se_output_abort();
        return -1;
    }
    out.pending = 0;
    if (sync && !sync_folder(out.target))
        return se_fail_errno(err, SE_EIO, "%s: written, but may be lost if the system crashes",
                             out.target);
    return 0;
}

void se_output_abort(void)
{
    if (out.fd >= 0)
        close(out.fd);
    out.fd = -1;
    if (out.pending)
        unlink(out.temporary);
    out.pending = 0;
}

int se_output_begin(const char *path, struct se_out *text, struct se_err *err)
{
    const int fd = se_output_open(path, err);

    if (fd < 0)
        return -1;
    if (se_out_init(text, fd, err) < 0) {
        se_output_abort();
        return -1;
    }
    return 0;
}

int se_output_end(const char *path, struct se_out *text, int rc, struct se_err *err)
{
    if (rc == 0) {
        rc = se_out_flush(text, err);
        if (rc < 0 && path)
            se_err_in(err, path);
    }
    se_out_release(text);
    if (rc < 0) {
        se_output_abort();
        return -1;
    }
    return se_output_commit(err);
}
