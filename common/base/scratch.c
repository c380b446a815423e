/* scratch.c - disk in place of memory */
#include "common/base/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text.h"

enum { LITTLE = SE_BLOCK(1 << 20) };    /* stays in memory */

static char beside[PATH_MAX] = "/var/tmp";

void se_scratch_beside(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    if (path && strcmp(path, "-") != 0)
        snprintf(beside, sizeof beside, "%.*s", slash ? (int)(slash - path) + 1 : 1,
                 slash ? path : ".");
}

static int fail(const char *folder, struct se_err *err)
{
    return se_fail_errno(err, SE_EIO, "%s: no room on disk in place of memory (TMPDIR names "
                         "another folder)", folder);
}

/* A new file without a name.  Where the file system has none, the name is gone before a signal can
 * end the process. */
static int open_file(const char *folder, struct se_err *err)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
    char name[PATH_MAX + 32];
    sigset_t all, old;

    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
        snprintf(name, sizeof name, "%s/se-scratch-XXXXXX", folder);
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, &old);
        fd = mkostemp(name, O_CLOEXEC);
        if (fd >= 0)
            unlink(name);
        sigprocmask(SIG_SETMASK, &old, NULL);
    }
    return fd >= 0 ? fd : fail(folder, err);
}

static const char *folder(void)
{
    const char *set = getenv("TMPDIR");

    return set && *set ? set : beside;
}

/* At most so much of the disk: a small file may stand for much. */
static int take(uint64_t bytes, struct se_err *err)
{
    static uint64_t left = UINT64_MAX;
    struct statvfs disk;

    if (left == UINT64_MAX && statvfs(folder(), &disk) == 0)
        left = (uint64_t)disk.f_bavail * disk.f_frsize / 5 * 4;
    errno = ENOSPC;
    if (bytes > left)
        return fail(folder(), err);
    left -= bytes;
    return 0;
}

/* Reserve it now: a mapped page for which there is no room ends the process. */
static void *map_new(uint64_t len, struct se_err *err)
{
    const int fd = take(len, err) < 0 ? -1 : open_file(folder(), err);
    void *map = MAP_FAILED;

    if (fd < 0)
        return NULL;
    if ((errno = posix_fallocate(fd, 0, (off_t)len)) == 0)
        map = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        fail(folder(), err);
    close(fd);
    return map == MAP_FAILED ? NULL : map;
}

void *se_room(uint64_t count, size_t size, uint64_t *mapped, struct se_err *err)
{
    uint64_t len;

    *mapped = 0;
    if (__builtin_mul_overflow(count, size, &len) || len < LITTLE || len > INT64_MAX ||
        !se_memory_short(len))
        return se_alloc(count, size, err);
    *mapped = len;
    return map_new(len, err);
}

void se_room_free(void *room, uint64_t mapped)
{
    if (room && mapped)
        munmap(room, mapped);
    else
        free(room);
}

int se_scratch_add(struct se_scratch *x, const void *data, uint64_t len, uint64_t *at,
                   struct se_err *err)
{
    static const char zeros[8];
    const uint64_t pad = -len & 7;
    struct se_err full;

    if (take(len + pad, err) < 0)
        return -1;
    if (!x->file) {
        const int fd = open_file(folder(), err);

        if (fd < 0)
            return -1;
        x->file = fd + 1;
    }
    if (se_write_all(x->file - 1, data, len, &full) < 0 ||
        se_write_all(x->file - 1, zeros, pad, &full) < 0)
        return fail(folder(), err);
    *at = x->len;
    x->len += len + pad;
    return 0;
}

unsigned char *se_scratch_map(struct se_scratch *x, struct se_err *err)
{
    void *map;

    if (x->map)
        return x->map;
    map = mmap(NULL, x->len, PROT_READ, MAP_SHARED, x->file - 1, 0);
    if (map == MAP_FAILED)
        fail(folder(), err);
    else
        x->map = map;
    return x->map;
}

void se_scratch_release(struct se_scratch *x)
{
    if (x->map)
        munmap(x->map, x->len);
    if (x->file)
        close(x->file - 1);
    *x = (struct se_scratch){ 0 };
}
