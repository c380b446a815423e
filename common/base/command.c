/* command.c - run another program, as a shell would */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/command.h"
#include "common/base/mem.h"

enum { WAITED_FOR, BESIDE, CHILDREN };

static volatile sig_atomic_t child[CHILDREN];
static struct sigaction before[NSIG];

char *se_command_text(char *const *word, int words, struct se_err *err)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "@%+=:,./-_";
    struct se_bytes b = SE_BYTES_INIT;
    int rc = 0;

    for (int i = 0; i < words && rc == 0; i++) {
        const bool bare = *word[i] && !word[i][strspn(word[i], plain)];

        rc = i > 0 ? se_bytes_add(&b, " ", 1, err) : 0;
        if (rc == 0 && !bare)
            rc = se_bytes_add(&b, "'", 1, err);
        for (const char *c = word[i]; *c && rc == 0; c++)
            rc = *c == '\'' ? se_bytes_add(&b, "'\\''", 4, err) : se_bytes_add(&b, c, 1, err);
        if (rc == 0 && !bare)
            rc = se_bytes_add(&b, "'", 1, err);
    }
    if (rc == 0)
        rc = se_bytes_add(&b, "", 1, err);
    if (rc < 0)
        se_bytes_release(&b);
    return b.data;
}

static void pass_on(int sig)
{
    for (int i = 0; i < CHILDREN; i++)
        if (child[i] > 0) {
            kill(-child[i], sig);
            kill(child[i], sig);
        }
    if (before[sig].sa_handler != SIG_DFL && before[sig].sa_handler != SIG_IGN)
        before[sig].sa_handler(sig);            /* removes the unfinished file, and ends */
    signal(sig, SIG_DFL);
    raise(sig);
}

static void catch_signals(void)
{
    static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
    struct sigaction action = { .sa_handler = pass_on };
    static bool caught;

    if (caught)
        return;
    caught = true;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        sigaction(ends[i], NULL, &before[ends[i]]);
        if (before[ends[i]].sa_handler != SIG_IGN)
            sigaction(ends[i], &action, NULL);
    }
}

/* In the child.  If there is no program to become, errno goes into the pipe `fault`. */
static void become(char *const *word, int in, int out, int fault, pid_t parent)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(1);
    if (dup2(in, STDIN_FILENO) >= 0 && lseek(STDIN_FILENO, 0, SEEK_SET) >= 0 &&
        dup2(out, STDOUT_FILENO) >= 0) {
        signal(SIGPIPE, SIG_DFL);
        signal(SIGXFSZ, SIG_DFL);
        execvp(word[0], word);
    }
    if (write(fault, &(int){ errno }, sizeof(int)) < 0)
        _exit(125);
    _exit(126);
}

/* Wait for a child; its status as a shell gives it */
static int reap(int which)
{
    int status;

    while (waitpid(child[which], &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    child[which] = 0;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* *why: errno if there was no program to become */
static int start(char *const *word, int in, int out, int which, int *why, struct se_err *err)
{
    const pid_t parent = getpid();
    sigset_t all, old;
    int fault[2];
    pid_t pid;

    if (pipe2(fault, O_CLOEXEC) < 0)
        return se_fail_errno(err, SE_EIO, "%s: cannot start", word[0]);
    catch_signals();
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &old);
    pid = fork();
    if (pid == 0) {
        sigprocmask(SIG_SETMASK, &old, NULL);
        become(word, in, out, fault[1], parent);
    }
    if (pid > 0) {
        setpgid(pid, pid);
        child[which] = pid;
    }
    sigprocmask(SIG_SETMASK, &old, NULL);
    close(fault[1]);
    if (pid < 0) {
        close(fault[0]);
        return se_fail_errno(err, SE_EIO, "%s: cannot start", word[0]);
    }
    while (read(fault[0], why, sizeof *why) < 0 && errno == EINTR)
        ;
    close(fault[0]);
    return 0;
}

int se_command_run(char *const *word, int in, int out, struct se_err *err)
{
    int why = 0, status;

    if (start(word, in, out, WAITED_FOR, &why, err) < 0)
        return -1;
    status = reap(WAITED_FOR);
    if (status < 0)
        return se_fail_errno(err, SE_EIO, "%s: cannot wait", word[0]);
    if (why) {
        se_fail(err, SE_EIO, "%s: %s", word[0], strerror(why));
        return why == ENOENT ? 127 : 126;
    }
    return status;
}

int se_command_beside(char *const *word, struct se_err *err)
{
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    int why = 0, rc = nothing < 0 ? se_fail_errno(err, SE_EIO, "/dev/null: cannot open")
                                  : start(word, nothing, nothing, BESIDE, &why, err);

    if (nothing >= 0)
        close(nothing);
    if (rc == 0 && why) {
        se_command_settle();
        rc = se_fail(err, SE_EIO, "%s: %s", word[0], strerror(why));
    }
    return rc;
}

int se_command_settle(void)
{
    return child[BESIDE] > 0 ? reap(BESIDE) : 0;
}
