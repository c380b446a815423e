/* resultkey.c - what the result of a command depends on, as one digest */
#include "common/stream/resultkey.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/stream/section.h"

static int digest_bytes(int fd, struct se_digest *d, struct se_err *err)
{
    struct se_hash hash;
    char *buffer = se_alloc(1 << 18, 1, err);
    off_t at = 0;
    ssize_t got = -1;

    if (!buffer)
        return -1;
    se_hash_init(&hash);
    while ((got = pread(fd, buffer, 1 << 18, at)) > 0 || (got < 0 && errno == EINTR)) {
        if (got > 0)
            se_hash_add(&hash, buffer, (size_t)got);
        at += got > 0 ? got : 0;
    }
    free(buffer);
    *d = se_hash_end(&hash);
    return got < 0 ? se_fail_errno(err, SE_EIO, "read error") : 0;
}

int se_digest_stream(int fd, struct se_digest *d, struct se_err *err)
{
    struct se_stream s = SE_STREAM_INIT;
    int rc = lseek(fd, 0, SEEK_SET) < 0 ? se_fail_errno(err, SE_EIO, "read error")
                                        : se_stream_read(&s, fd, err);

    if (rc == 0)
        rc = se_stream_check(&s, err);
    if (rc == 0)
        rc = se_stream_digest(&s, d, err);
    se_stream_release(&s);
    return rc;
}

int se_digest_any(int fd, struct se_digest *d, struct se_err *err)
{
    struct se_err fault = SE_ERR_INIT;
    char head[3];

    if (pread(fd, head, sizeof head, 0) == sizeof head && memcmp(head, "SEG", 3) == 0 &&
        se_digest_stream(fd, d, &fault) == 0)
        return 0;
    return digest_bytes(fd, d, err);
}

int se_key_tell(struct se_key *k, const char *kind, const char *digest, const char *text,
                struct se_err *err)
{
    struct se_bytes *b = &k->about;
    const size_t from = b->len + strlen(kind) + 1;
    const int rc = se_bytes_add(b, kind, strlen(kind), err) < 0 ||
                           se_bytes_add(b, "\t", 1, err) < 0 ||
                           (digest && (se_bytes_add(b, digest, strlen(digest), err) < 0 ||
                                       se_bytes_add(b, "\t", 1, err) < 0)) ||
                           se_bytes_add(b, text, strlen(text), err) < 0 ||
                           se_bytes_add(b, "\n", 1, err) < 0 ? -1 : 0;

    for (size_t i = from; rc == 0 && i + 1 < b->len; i++)
        if ((unsigned char)b->data[i] < 0x20 && b->data[i] != '\t')
            b->data[i] = '?';
    return rc;
}

void se_key_text(struct se_key *k, const char *s)
{
    se_hash_add(&k->hash, s, strlen(s) + 1);
}

/* Digests of programs, which a list of steps names again and again.  A file that was changed less
 * than two seconds ago may change again without another time. */
static bool digest_known(const struct stat *st, int fd, struct se_digest *d, struct se_err *err)
{
    enum { MOST = 32, SETTLED = 2 };
    static struct { struct stat st; struct se_digest d; } known[MOST];
    static unsigned count;
    struct timespec now;

    for (unsigned i = 0; i < MOST; i++) {
        const struct stat *x = &known[i].st;

        if (x->st_ino == st->st_ino && x->st_dev == st->st_dev && x->st_size == st->st_size &&
            x->st_size > 0 && memcmp(&x->st_mtim, &st->st_mtim, sizeof x->st_mtim) == 0 &&
            memcmp(&x->st_ctim, &st->st_ctim, sizeof x->st_ctim) == 0) {
            *d = known[i].d;
            return true;
        }
    }
    if (digest_bytes(fd, d, err) < 0)
        return false;
    clock_gettime(CLOCK_REALTIME, &now);
    if (st->st_ctim.tv_sec + SETTLED <= now.tv_sec) {
        known[count % MOST].st = *st;
        known[count++ % MOST].d = *d;
    }
    return true;
}

/* The content of a regular file is part of the key; anything else is not.  1: it was. */
static int hash_file(struct se_key *k, const char *path, struct se_err *err)
{
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    char text[SE_DIGEST_TEXT];
    struct se_digest d;
    struct stat st;
    int rc = 0;

    if (fd < 0)
        return 0;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        rc = -1;
        if (digest_known(&st, fd, &d, err)) {
            se_hash_add(&k->hash, d.byte, sizeof d.byte);
            rc = se_key_tell(k, "file", se_digest_text(&d, text), path, err) < 0 ? -1 : 1;
        } else {
            se_err_in(err, path);
        }
    }
    close(fd);
    return rc;
}

/* A program on PATH.  1: found. */
static int hash_program(struct se_key *k, const char *name, struct se_err *err)
{
    const char *at = getenv("PATH");

    if (strchr(name, '/') || !*name)
        return 0;
    while (at) {
        const char *end = strchrnul(at, ':');
        char path[PATH_MAX];

        if (snprintf(path, sizeof path, "%.*s%s%s", (int)(end - at), at, end > at ? "/" : "./",
                     name) < (int)sizeof path &&
            access(path, X_OK) == 0) {
            const int rc = hash_file(k, path, err);

            if (rc != 0)
                return rc;
        }
        at = *end ? end + 1 : NULL;
    }
    return 0;
}

int se_key_file(struct se_key *k, const char *name, struct se_err *err)
{
    const int rc = hash_file(k, name, err);

    return rc != 0 ? rc : hash_program(k, name, err);
}

/* Each piece of shell text that is a file or a program, but for those that are written */
static int key_pieces(struct se_key *k, const char *text, struct se_err *err)
{
    static const char ends[] = " \t\n;|&<>()'\"`$={}";
    bool written = false;
    int rc = 0;

    for (const char *at = text; *at && rc >= 0;) {
        const size_t len = strcspn(at, ends);

        if (len > 0) {
            char *piece = se_strndup(at, len, err);

            rc = !piece ? -1 : written ? 0 : se_key_file(k, piece, err);
            free(piece);
            written = false;
        }
        at += len;
        if (*at && !strchr(" \t'\"", *at))
            written = *at == '>';
        at += *at != '\0';
    }
    return rc < 0 ? -1 : 0;
}

/* The texts in quotes, which may be names with blanks */
static int key_quoted(struct se_key *k, const char *text, struct se_err *err)
{
    int rc = 0;

    for (const char *at = text; rc >= 0 && (at = strpbrk(at, "'\"")); at++) {
        const char *end = strchr(at + 1, *at);
        char *piece = end && end > at + 1 ? se_strndup(at + 1, (size_t)(end - at - 1), err) : NULL;

        if (piece && strpbrk(piece, " \t"))
            rc = se_key_file(k, piece, err);
        free(piece);
    }
    return rc < 0 ? -1 : 0;
}

/* The length of the name in $NAME or ${NAME} at `at`, which begins at *name; 0: there is none. */
static size_t name_after_dollar(const char *at, const char **name)
{
    size_t len = 0;

    *name = at + 1 + (at[1] == '{');
    while ((*name)[len] == '_' || ((*name)[len] >= 'A' && (*name)[len] <= 'Z') ||
           ((*name)[len] >= 'a' && (*name)[len] <= 'z') ||
           (len > 0 && (*name)[len] >= '0' && (*name)[len] <= '9'))
        len++;
    return at[1] == '{' && (*name)[len] != '}' ? 0 : len;
}

/* The text with the values of variables of the environment, and ~/ as the shell takes it */
static int expand(struct se_bytes *to, const char *text, struct se_err *err)
{
    int rc = 0;

    for (const char *at = text; rc == 0 && *at;) {
        const char *name = at, *value = NULL;
        const size_t len = *at == '$' ? name_after_dollar(at, &name) : 0;
        char *key = len > 0 ? se_strndup(name, len, err) : NULL;

        if (key)
            value = getenv(key);
        else if (strncmp(at, "~/", 2) == 0 && (at == text || strchr(" \t\n;|&<(='\"", at[-1])))
            value = getenv("HOME");
        free(key);
        rc = value ? se_bytes_add(to, value, strlen(value), err) : se_bytes_add(to, at, 1, err);
        at = !value || *at == '~' ? at + 1 : name + len + (at[1] == '{');
    }
    return rc < 0 ? -1 : se_bytes_add(to, "", 1, err);
}

int se_key_word(struct se_key *k, const char *word, struct se_err *err)
{
    struct se_bytes more = SE_BYTES_INIT;
    int rc = se_key_file(k, word, err);

    if (rc < 0 || !word[strcspn(word, " \t\n;|&<>()'\"`$={}")])
        return rc < 0 ? -1 : 0;
    rc = key_pieces(k, word, err) < 0 || key_quoted(k, word, err) < 0 ? -1 : 0;
    if (rc == 0 && strpbrk(word, "$~")) {
        rc = expand(&more, word, err);
        if (rc == 0)
            rc = key_pieces(k, more.data, err) < 0 || key_quoted(k, more.data, err) < 0 ? -1 : 0;
        se_bytes_release(&more);
    }
    return rc;
}
