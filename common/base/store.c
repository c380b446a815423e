/* store.c - a folder of results, each under a key */
#include "common/base/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/outfile.h"
#include "common/base/text.h"

enum { NAME = 256, ABOUT_MOST = 1 << 20, OLD = 3600 };
static const char first_line[] = "se-cache 1\n";

void se_entry_release(struct se_entry *e)
{
    free(e->about);
    *e = (struct se_entry)SE_ENTRY_INIT;
}

/* mkdir -p */
static int make_folders(const char *path, struct se_err *err)
{
    char part[PATH_MAX];
    const size_t len = strlen(path);

    if (len >= sizeof part)
        return se_fail(err, SE_EIO, "%.60s...: name is too long", path);
    memcpy(part, path, len + 1);
    for (char *c = part + 1; *c; c++)
        if (*c == '/') {
            *c = '\0';
            if (mkdir(part, 0777) < 0 && errno != EEXIST)
                return se_fail_errno(err, SE_EIO, "%s: cannot create this folder", part);
            *c = '/';
        }
    if (mkdir(part, 0700) < 0 && errno != EEXIST)
        return se_fail_errno(err, SE_EIO, "%s: cannot create this folder", path);
    return 0;
}

int se_store_open(struct se_store *s, const char *path, struct se_err *err)
{
    struct stat st = { 0 };

    if (make_folders(path, err) < 0)
        return -1;
    s->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->folder < 0 || fstat(s->folder, &st) < 0) {
        se_fail_errno(err, SE_EIO, "%s: cannot open this folder", path);
        se_store_close(s);
        return -1;
    }
    if (st.st_uid != geteuid() || st.st_mode & 022) {
        se_fail(err, SE_EIO, st.st_uid != geteuid()
                ? "%s: this folder belongs to another user; use one of your own"
                : "%s: others may write to this folder; run chmod go-w on it, or use another "
                "one", path);
        se_store_close(s);
        return -1;
    }
    if (gethostname(s->host, sizeof s->host - 1) < 0)
        strcpy(s->host, "host");
    for (char *c = s->host; *c; c++)
        if (*c == '/')
            *c = '_';
    return 0;
}

void se_store_close(struct se_store *s)
{
    if (s->folder >= 0)
        close(s->folder);
    s->folder = -1;
}

static void data_name(const struct se_entry *e, char name[NAME])
{
    snprintf(name, NAME, "%s-%s", e->key, e->result);
}

static void about_name(const char *key, char name[NAME])
{
    snprintf(name, NAME, "%s.txt", key);
}

/* No link, no device, ours alone.  errno ENOENT: there is no such file. */
static int open_own(const struct se_store *s, const char *name, struct stat *st,
                    struct se_err *err)
{
    const int fd = openat(s->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        return se_fail_errno(err, SE_EIO, "%s: cannot open", name);
    if (fstat(fd, st) == 0 && S_ISREG(st->st_mode) && st->st_uid == geteuid() &&
        (st->st_mode & 022) == 0)
        return fd;
    close(fd);
    errno = EPERM;
    return se_fail(err, SE_EIO, "%s: is not a file that belongs to you alone", name);
}

static bool is_digest(const char *s)
{
    return strspn(s, "0123456789abcdef") == SE_DIGEST_TEXT - 1 && s[SE_DIGEST_TEXT - 1] == '\0';
}

/* "se-cache 1", digest of the result, size, milliseconds, then what is about it */
static bool parse_about(struct se_entry *e, char *text)
{
    char *line[3], *at = text;

    if (strncmp(text, first_line, sizeof first_line - 1) != 0)
        return false;
    at += sizeof first_line - 1;
    for (int i = 0; i < 3; i++) {
        line[i] = at;
        at = strchr(at, '\n');
        if (!at)
            return false;
        *at++ = '\0';
    }
    if (!is_digest(line[0]) || !se_whole_u64(line[1], &e->size) ||
        !se_whole_u64(line[2], &e->ms) || e->ms > 1000000000000)
        return false;
    memcpy(e->result, line[0], SE_DIGEST_TEXT);
    memmove(text, at, strlen(at) + 1);
    e->about = text;
    return true;
}

int se_store_about(struct se_store *s, const char *key, struct se_entry *e, struct se_err *err)
{
    char name[NAME], *text;
    struct stat st = { 0 };
    ssize_t got;
    int fd;

    about_name(key, name);
    fd = open_own(s, name, &st, err);
    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0)
        return -1;
    memcpy(e->key, key, SE_DIGEST_TEXT);
    e->used = st.st_mtime;
    text = st.st_size < ABOUT_MOST ? se_alloc((uint64_t)st.st_size + 1, 1, err) : NULL;
    got = text ? read(fd, text, (size_t)st.st_size) : -1;
    close(fd);
    if (got >= 0)
        text[got] = '\0';
    if (got < 0 || strlen(text) != (size_t)got || !parse_about(e, text)) {
        free(text);
        return se_fail(err, SE_EINPUT, "%s: is damaged", name);
    }
    return 1;
}

int se_store_bytes(struct se_store *s, const struct se_entry *e, struct se_err *err)
{
    char name[NAME], about[NAME];
    struct stat st = { 0 };
    int fd;

    data_name(e, name);
    fd = open_own(s, name, &st, err);
    if (fd < 0)
        return -1;
    if ((uint64_t)st.st_size != e->size) {
        close(fd);
        return se_fail(err, SE_EINPUT, "%s: has %jd bytes, not %" PRIu64, name,
                       (intmax_t)st.st_size, e->size);
    }
    about_name(e->key, about);
    utimensat(s->folder, about, NULL, AT_SYMLINK_NOFOLLOW);
    return fd;
}

int se_copy_fd(int from, int to, struct se_err *err)
{
    char *buffer = se_alloc(1 << 18, 1, err);
    ssize_t got = -1;
    int rc = buffer ? 0 : -1;

    while (rc == 0 && (got = read(from, buffer, 1 << 18)) != 0) {
        if (got > 0)
            rc = se_write_all(to, buffer, (size_t)got, err);
        else if (errno != EINTR)
            rc = se_fail_errno(err, SE_EIO, "read error");
    }
    free(buffer);
    return rc;
}

/* A name nobody else takes, on this host or another */
static void temporary_name(const struct se_store *s, char name[NAME])
{
    static unsigned number;

    snprintf(name, NAME, ".part-%.64s-%jd-%u", s->host, (intmax_t)getpid(), number++);
}

/* Rename a finished temporary file; it is on the disk before, unless SE_NOSYNC: what a crash leaves
 * of a result is noticed by its digest. */
static int publish(const struct se_store *s, int fd, const char *part, const char *name,
                   struct se_err *err)
{
    if ((fd >= 0 && se_output_syncs() && fsync(fd) < 0) ||
        renameat(s->folder, part, s->folder, name) < 0) {
        se_fail_errno(err, SE_EIO, "%s: cannot write", name);
        unlinkat(s->folder, part, 0);
        return -1;
    }
    return 0;
}

static int put_bytes(const struct se_store *s, const struct se_entry *e, int fd,
                     const char *path, struct se_err *err)
{
    char part[NAME], name[NAME];
    struct stat st = { 0 };
    int to, rc;

    data_name(e, name);
    temporary_name(s, part);
    if (path && fstat(fd, &st) == 0 && (st.st_mode & 022) == 0 &&
        linkat(AT_FDCWD, path, s->folder, part, 0) == 0)
        return publish(s, fd, part, name, err);
    to = openat(s->folder, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (to < 0)
        return se_fail_errno(err, SE_EIO, "%s: cannot write", name);
    rc = lseek(fd, 0, SEEK_SET) < 0 ? se_fail_errno(err, SE_EIO, "%s: cannot read", name)
                                    : se_copy_fd(fd, to, err);
    if (rc == 0)
        rc = publish(s, to, part, name, err);
    else
        unlinkat(s->folder, part, 0);
    close(to);
    return rc;
}

static int put_about(const struct se_store *s, const struct se_entry *e, struct se_err *err)
{
    char part[NAME], name[NAME];
    struct se_out out;
    int rc, to;

    about_name(e->key, name);
    temporary_name(s, part);
    to = openat(s->folder, part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (to < 0)
        return se_fail_errno(err, SE_EIO, "%s: cannot write", name);
    rc = se_out_init(&out, to, err);
    if (rc == 0) {
        se_outf(&out, "%s%s\n%" PRIu64 "\n%" PRIu64 "\n%s", first_line, e->result, e->size,
                e->ms, e->about);
        rc = se_out_flush(&out, err);
        se_out_release(&out);
    }
    if (rc == 0)
        rc = publish(s, -1, part, name, err);
    else
        unlinkat(s->folder, part, 0);
    close(to);
    return rc;
}

bool se_store_link(const struct se_store *s, int from, const char *path)
{
    char part[PATH_MAX], name[64];
    struct stat st;

    if ((lstat(path, &st) == 0 && !S_ISREG(st.st_mode)) ||
        snprintf(part, sizeof part, "%s.part-%.64s-%jd", path, s->host, (intmax_t)getpid()) >=
            (int)sizeof part)
        return false;
    snprintf(name, sizeof name, "/proc/self/fd/%d", from);
    if (linkat(AT_FDCWD, name, AT_FDCWD, part, AT_SYMLINK_FOLLOW) < 0)
        return false;
    if (rename(part, path) == 0) {
        unlink(part);                           /* is still there if both were one file */
        return true;
    }
    unlink(part);
    return false;
}

int se_store_put(struct se_store *s, const struct se_entry *e, int fd, const char *path,
                 struct se_err *err)
{
    return put_bytes(s, e, fd, path, err) < 0 ? -1 : put_about(s, e, err);
}

void se_store_remove(struct se_store *s, const struct se_entry *e)
{
    char name[NAME];

    about_name(e->key, name);
    unlinkat(s->folder, name, 0);
    if (e->result[0]) {
        data_name(e, name);
        unlinkat(s->folder, name, 0);
    }
}

/* What a killed program left, or another result of the same key */
static void sweep(struct se_store *s, const char *name, int64_t now)
{
    struct se_entry e = SE_ENTRY_INIT;
    struct se_err ignored = SE_ERR_INIT;
    char key[SE_DIGEST_TEXT] = "", data[NAME] = "";
    struct stat st = { 0 };
    const bool part = strncmp(name, ".part-", 6) == 0;

    if (!part && (strlen(name) != 2 * SE_DIGEST_TEXT - 1 || name[SE_DIGEST_TEXT - 1] != '-'))
        return;                                         /* not ours */
    if (fstatat(s->folder, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || now - st.st_mtime < OLD)
        return;
    if (!part) {
        memcpy(key, name, SE_DIGEST_TEXT - 1);
        if (is_digest(key) && se_store_about(s, key, &e, &ignored) == 1)
            data_name(&e, data);
        se_entry_release(&e);
    }
    if (part || (is_digest(key) && strcmp(data, name) != 0))
        unlinkat(s->folder, name, 0);
}

int se_store_walk(struct se_store *s, int (*each)(void *arg, struct se_entry *e), void *arg,
                  struct se_err *err)
{
    const int fd = dup(s->folder);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    const int64_t now = time(NULL);
    int rc = 0;

    if (!folder) {
        if (fd >= 0)
            close(fd);
        return se_fail_errno(err, SE_EIO, "cannot read the folder");
    }
    rewinddir(folder);
    for (struct dirent *d; rc == 0 && (d = readdir(folder));) {
        struct se_err ignored = SE_ERR_INIT;
        struct se_entry e = SE_ENTRY_INIT;
        char key[SE_DIGEST_TEXT] = "";

        if (strlen(d->d_name) != SE_DIGEST_TEXT + 3 ||
            strcmp(d->d_name + SE_DIGEST_TEXT - 1, ".txt") != 0) {
            sweep(s, d->d_name, now);
            continue;
        }
        memcpy(key, d->d_name, SE_DIGEST_TEXT - 1);
        if (is_digest(key) && se_store_about(s, key, &e, &ignored) == 1)
            rc = each(arg, &e);
        se_entry_release(&e);
    }
    closedir(folder);
    return rc;
}

struct all {
    struct se_entry *item;
    size_t count, cap;
    struct se_err *err;
};

static int gather(void *arg, struct se_entry *e)
{
    struct all *a = arg;

    if (se_grow(&a->item, &a->cap, a->count + 1, sizeof *a->item, a->err) < 0)
        return -1;
    a->item[a->count] = *e;
    a->item[a->count++].about = NULL;
    return 0;
}

static int by_use(const void *a, const void *b)
{
    const struct se_entry *x = a, *y = b;

    return x->used != y->used ? (x->used < y->used) - (x->used > y->used)
                              : strcmp(x->key, y->key);
}

int se_store_prune(struct se_store *s, uint64_t limit, struct se_err *err)
{
    struct all a = { .err = err };
    uint64_t sum = 0;
    int rc = se_store_walk(s, gather, &a, err);

    if (rc == 0 && a.count > 0)
        qsort(a.item, a.count, sizeof *a.item, by_use);
    for (size_t i = 0; rc == 0 && i < a.count; i++) {
        sum = sum > UINT64_MAX - a.item[i].size ? UINT64_MAX : sum + a.item[i].size;
        if (sum > limit || limit == 0)
            se_store_remove(s, &a.item[i]);
    }
    free(a.item);
    return rc;
}
