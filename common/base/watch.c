/* watch.c - detects changes of mapped input files */
#include "common/base/watch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 128 };            /* descriptors are kept open */

static struct watched {
    bool on;
    int fd;
    off_t size;
    struct timespec time;
} watched[MOST];

static bool changed;            /* one that is not watched any more had */

static bool differs(const struct watched *w)
{
    struct stat st;

    return fstat(w->fd, &st) == 0 &&
           (st.st_size != w->size || st.st_mtim.tv_sec != w->time.tv_sec ||
            st.st_mtim.tv_nsec != w->time.tv_nsec);
}

int se_watch_add(int fd)
{
    struct stat st;
    int copy;

    for (int i = 0; i < MOST; i++) {
        if (watched[i].on)
            continue;
        copy = fstat(fd, &st) == 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
        if (copy < 0)
            return 0;
        watched[i] = (struct watched){ true, copy, st.st_size, st.st_mtim };
        return i + 1;
    }
    return 0;
}

void se_watch_drop(int ticket)
{
    struct watched *w;

    if (ticket == 0)
        return;
    w = &watched[ticket - 1];
    changed = changed || differs(w);
    w->on = false;
    close(w->fd);
}

bool se_watch_changed(void)
{
    bool any = changed;

    for (int i = 0; i < MOST; i++)
        any = any || (watched[i].on && differs(&watched[i]));
    return any;
}

int se_watch_check(struct se_err *err)
{
    return se_watch_changed() ? se_fail(err, SE_EIO, "the input file changed while it was being "
                                        "read; nothing was written; run again") : 0;
}
