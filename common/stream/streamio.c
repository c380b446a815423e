/* streamio.c - reading and writing streams */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "common/base/crc.h"
#include "common/base/mem.h"
#include "common/base/text.h"
#include "common/base/watch.h"
#include "common/stream/section.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "streams are used as they lie");

enum {
    HEADER = 16, SECTION = 80, ALIGN = 16,
    MOST_SECTIONS = 1000,       /* there are 13 kinds; a million would only cost time */
    STEP = 1 << 22              /* how far memory runs ahead of what a pipe has given */
};

static const unsigned char magic[4] = { 'S', 'E', 'G', 1 };

static const unsigned char nothing[1];          /* the payload of an empty section */

static uint32_t get32(const unsigned char *p)
{
    uint32_t v;

    memcpy(&v, p, sizeof v);
    return v;
}

static uint64_t get64(const unsigned char *p)
{
    uint64_t v;

    memcpy(&v, p, sizeof v);    /* NOLINT: p is a payload that take_payload has set */
    return v;
}

/* Where bytes come from: memory, or a descriptor when data is NULL. */
struct source {
    int fd;
    const unsigned char *data;
    uint64_t left;              /* in memory */
    uint64_t taken;
};

/* Read exactly `len` bytes.  Returns what was there: less at the end of the input. */
static ssize_t read_some(struct source *in, void *to, size_t len, struct se_err *err)
{
    size_t got = 0;

    while (got < len) {
        const ssize_t n = read(in->fd, (char *)to + got, len - got);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EISDIR ? se_fail(err, SE_EIO, "is a folder, not a file")
                                   : se_fail_errno(err, SE_EIO, "read error");
        if (n == 0)
            break;
        got += (size_t)n;
    }
    in->taken += got;
    return (ssize_t)got;
}

/* `len` bytes into `to` (small, known size). */
static ssize_t take_small(struct source *in, void *to, size_t len, struct se_err *err)
{
    if (!in->data)
        return read_some(in, to, len, err);
    if (len > in->left)
        len = (size_t)in->left;
    memcpy(to, in->data, len);
    in->data += len;
    in->left -= len;
    in->taken += len;
    return (ssize_t)len;
}

static int cut_short(struct se_err *err, const char *where)
{
    return se_fail(err, SE_EINPUT, "stream ends inside %s; it was cut short", where);
}

static int read_header(struct source *in, struct se_err *err)
{
    unsigned char h[HEADER];
    const ssize_t got = take_small(in, h, sizeof h, err);

    if (got < 0)
        return -1;
    if (got == 0)
        return se_fail(err, SE_EINPUT, "empty input where a stream was expected; did the "
                       "program that should have written it fail?");
    if (got >= 2 && h[0] == 0x1f && h[1] == 0x8b)
        return se_fail(err, SE_EINPUT, "compressed with gzip; unpack it with gunzip first");
    if (memcmp(h, magic, (size_t)got < 3 ? (size_t)got : 3) != 0)
        return se_fail(err, SE_EINPUT, "not a .seg stream (bring other formats in with "
                       "se-import)");
    if (got < HEADER)
        return cut_short(err, "its header");
    if (h[3] != magic[3])
        return se_fail(err, SE_EINPUT, "stream version %d; this program reads version %d",
                       h[3], magic[3]);
    if (get32(h + 12) != se_crc32(0, h, 12))
        return se_fail(err, SE_EINPUT, "header: checksum differs; the stream is damaged");
    if (h[6] || h[7] || get32(h + 8))
        return se_fail(err, SE_EINPUT, "header: unknown flags; a newer se-gsl wrote this");
    return 0;
}

/* Make room for exactly `want` bytes; the system moves pages, not bytes. */
static int extend(struct se_section *x, uint64_t have, uint64_t want, struct se_err *err)
{
    void *bigger;

    if (se_memory_check(want - have, err) < 0)
        return -1;
    bigger = realloc(x->memory[0], want);
    if (!bigger)
        return se_fail(err, SE_EMEM, "out of memory after %" PRIu64 " bytes", have);
    x->memory[0] = bigger;
    return 0;
}

/* Addresses for a large payload: pages come as bytes do, large ones where there are any,
 * which saves half the time.  An address space too small for the promise is no fault yet. */
static void reserve(struct se_section *x, uint64_t len)
{
    struct se_err limit;
    void *map = MAP_FAILED;

    if (se_memory_check(len, &limit) == 0)
        map = mmap(NULL, len, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return;
#ifdef MADV_HUGEPAGE
    (void)madvise(map, len, MADV_HUGEPAGE);
#endif
    x->memory[0] = map;
    x->mapped = len;
}

/* From a pipe, in pieces: a promised length costs no memory until the bytes are there. */
static int read_payload(struct source *in, struct se_section *x, uint64_t padded,
                        struct se_err *err)
{
    uint64_t have = 0;

    if (padded >= 4 * STEP)
        reserve(x, padded);
    while (have < padded) {
        const uint64_t want = padded - have < STEP ? padded : have + STEP;
        ssize_t got;

        if (!x->mapped && extend(x, have, want, err) < 0)
            return -1;
        got = read_some(in, (char *)x->memory[0] + have, want - have, err);
        if (got < 0)
            return -1;
        have += (uint64_t)got;
        if (have < want)
            return cut_short(err, "a section");
    }
    x->stored = x->memory[0] ? x->memory[0] : nothing;
    return 0;
}

/* The payload of a regular file stays where it is mapped. */
static int take_payload(struct source *in, struct se_section *x, struct se_err *err)
{
    const uint64_t padded = (x->stored_len + ALIGN - 1) & ~(uint64_t)(ALIGN - 1);

    if (!in->data)
        return read_payload(in, x, padded, err);
    if (padded > in->left)
        return cut_short(err, "a section");
    x->stored = in->data;
    in->data += padded;
    in->left -= padded;
    in->taken += padded;
    return 0;
}

static int check_payload(const struct se_section *x, struct se_err *err)
{
    const uint64_t pad = -x->stored_len & (ALIGN - 1);

    if (se_crc32(0, x->stored, x->stored_len) != x->crc)
        return se_fail(err, SE_EINPUT, "checksum differs; the stream is damaged");
    for (uint64_t i = 0; i < pad; i++)
        if (x->stored[x->stored_len + i])       /* NOLINT: take_payload has set it */
            return se_fail(err, SE_EINPUT, "padding is not zero; the stream is damaged");
    return 0;
}

/* Section header into x.  Returns 0, or -1 with `err`. */
static int read_section(struct source *in, struct se_section *x, struct se_err *err)
{
    unsigned char h[SECTION];
    const ssize_t got = take_small(in, h, sizeof h, err);

    if (got < 0)
        return -1;
    if (got == 0)
        return se_fail(err, SE_EINPUT, "stream has no end section; it was cut short");
    if (got < SECTION)
        return cut_short(err, "a section header");
    if (get32(h + 76) != se_crc32(0, h, 76))
        return se_fail(err, SE_EINPUT, "section header: checksum differs; the stream is "
                       "damaged");
    *x = (struct se_section){ .tag = get32(h), .codec = get32(h + 4),
                              .stored_len = get64(h + 8), .plain_len = get64(h + 16),
                              .crc = get32(h + 72) };
    for (int i = 0; i < SE_ORIGINS; i++) {
        x->origin[i].tag = get32(h + 24 + 24 * i);
        memcpy(x->origin[i].digest.byte, h + 32 + 24 * i, SE_DIGEST_SIZE);
    }
    if (x->stored_len > INT64_MAX - SECTION || x->plain_len > INT64_MAX)
        return se_fail(err, SE_EINPUT, "promises %" PRIu64 " bytes", x->stored_len);
    if (x->codec > SE_DEFLATED)
        return se_fail(err, SE_EINPUT, "unknown encoding %u; a newer se-gsl wrote this",
                       x->codec);
    if (get32(h + 28) || get32(h + 52))
        return se_fail(err, SE_EINPUT, "spare bytes are not zero; a newer se-gsl wrote this");
    if (x->codec == SE_PLAIN && x->plain_len != x->stored_len)
        return se_fail(err, SE_EINPUT, "plain, but its two lengths differ");
    return 0;
}

static bool is_known(uint32_t tag)
{
    return tag == SE_END || se_section_kind_of(tag);
}

static int check_tag(const struct se_stream *s, uint32_t tag, struct se_err *err)
{
    const char first = (char)tag;

    if (is_known(tag)) {
        if (se_stream_has(s, tag))
            return se_fail(err, SE_EINPUT, "is there twice");
    } else if (!(first >= 'a' && first <= 'z')) {
        return se_fail(err, SE_EINPUT, "unknown mandatory section; a newer se-gsl wrote this");
    }
    return 0;
}

static int check_end(const struct se_stream *s, struct se_section *end, uint64_t before,
                     struct se_err *err)
{
    if (end->codec != SE_PLAIN || end->plain_len != 16)
        return se_fail(err, SE_EINPUT, "end section is damaged");
    if (get64(end->stored) != s->count || get64(end->stored + 8) != before)
        return se_fail(err, SE_EINPUT, "end section counts %" PRIu64 " sections and %" PRIu64
                       " bytes, but %zu and %" PRIu64 " came; something is missing",
                       get64(end->stored), get64(end->stored + 8), s->count, before);
    return 0;
}

/* One section into the stream.  Returns 1, 0 after the end section, -1 with `err`. */
static int read_one(struct se_stream *s, struct source *in, struct se_err *err)
{
    const uint64_t before = in->taken;
    struct se_section x = { 0 };
    int rc;

    if (s->count > MOST_SECTIONS)
        return se_fail(err, SE_EINPUT, "more than %d sections", MOST_SECTIONS);
    if (read_section(in, &x, err) < 0)          /* the tag is known if the header is whole */
        return x.tag ? se_err_in(err, se_section_name(x.tag)) : -1;
    rc = check_tag(s, x.tag, err) < 0 || take_payload(in, &x, err) < 0 ||
         check_payload(&x, err) < 0 ? -1 : 0;
    if (rc == 0 && x.tag == SE_END) {
        rc = check_end(s, &x, before, err);
        se_section_release(&x);
        return rc;
    }
    if (rc < 0) {
        se_err_in(err, x.tag == SE_END ? "end" : se_section_name(x.tag));
    } else {
        if (x.codec == SE_PLAIN)
            x.plain = x.stored;
        rc = se_grow(&s->section, &s->cap, s->count + 1, sizeof x, err);
    }
    if (rc < 0) {
        se_section_release(&x);
        return -1;
    }
    s->section[s->count++] = x;
    return 1;
}

static int read_all(struct se_stream *s, struct source *in, struct se_err *err)
{
    char more;
    int rc = read_header(in, err);

    if (rc == 0)
        while ((rc = read_one(s, in, err)) > 0)
            ;
    if (rc == 0) {
        const ssize_t got = take_small(in, &more, 1, err);

        if (got != 0)
            return got < 0 ? -1 : se_fail(err, SE_EINPUT, "bytes follow the end section");
    }
    return rc;
}

int se_stream_read_memory(struct se_stream *s, const void *data, size_t len,
                          struct se_err *err)
{
    struct source in = { -1, len > 0 ? data : "", len, 0 };

    return read_all(s, &in, err);
}

int se_stream_read(struct se_stream *s, int fd, struct se_err *err)
{
    struct source in = { fd, NULL, 0, 0 };
    struct stat st;

    if (fstat(fd, &st) < 0)
        return se_fail_errno(err, SE_EIO, "cannot read");
    if (S_ISREG(st.st_mode) && st.st_size > 0 && lseek(fd, 0, SEEK_CUR) == 0) {
        void *map = MAP_FAILED;

        s->watch = se_watch_add(fd);            /* before anything is read of it */
        if (s->watch && fstat(fd, &st) == 0)
            map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (map != MAP_FAILED) {
            s->map = map;
            s->map_len = (size_t)st.st_size;
            return se_stream_read_memory(s, map, s->map_len, err);
        }
    }
#ifdef F_SETPIPE_SZ
    if (S_ISFIFO(st.st_mode))
        (void)fcntl(fd, F_SETPIPE_SZ, 1 << 20);         /* fewer switches; may be refused */
#endif
    return read_all(s, &in, err);
}

struct sink {
    int fd;
    uint64_t written;
};

static int put(struct sink *out, const void *data, size_t len, struct se_err *err)
{
    out->written += len;
    return se_write_all(out->fd, data, len, err);
}

static int write_section(struct sink *out, const struct se_section *x, struct se_err *err)
{
    static const unsigned char zeros[ALIGN];
    unsigned char h[SECTION] = { 0 };
    uint32_t crc;

    memcpy(h, &x->tag, 4);
    memcpy(h + 4, &x->codec, 4);
    memcpy(h + 8, &x->stored_len, 8);
    memcpy(h + 16, &x->plain_len, 8);
    for (int i = 0; i < SE_ORIGINS; i++) {
        memcpy(h + 24 + 24 * i, &x->origin[i].tag, 4);
        memcpy(h + 32 + 24 * i, x->origin[i].digest.byte, SE_DIGEST_SIZE);
    }
    memcpy(h + 72, &x->crc, 4);
    crc = se_crc32(0, h, 76);
    memcpy(h + 76, &crc, 4);
    if (put(out, h, sizeof h, err) < 0 || put(out, x->stored, x->stored_len, err) < 0)
        return -1;
    return put(out, zeros, -x->stored_len & (ALIGN - 1), err);
}

/* A deflated twin of a plain payload; free x->memory[0]. */
static int deflate_section(struct se_section *x, int level, struct se_err *err)
{
    uLongf len = compressBound(x->plain_len);
    unsigned char *data = se_alloc(len, 1, err);

    if (!data)
        return -1;
    if (compress2(data, &len, x->plain, x->plain_len, level) != Z_OK) {
        free(data);
        return se_fail(err, SE_EMEM, "out of memory");
    }
    x->memory[0] = data;
    x->stored = data;
    x->stored_len = len;
    x->codec = SE_DEFLATED;
    x->crc = se_crc32(0, data, len);
    return 0;
}

/* Write one section as `level` wants it. */
static int write_at_level(struct sink *out, struct se_section *x, int level,
                          struct se_err *err)
{
    struct se_section as = *x;
    int rc;

    if (level < 0 || (level == 0 && x->codec == SE_PLAIN))
        return write_section(out, x, err);
    as.plain = se_section_plain(x, err);
    if (!as.plain)
        return -1;
    if (level == 0) {
        as.codec = SE_PLAIN;
        as.stored = as.plain;
        as.stored_len = as.plain_len;
        as.crc = se_crc32(0, as.stored, as.stored_len);
        return write_section(out, &as, err);
    }
    if (deflate_section(&as, level, err) < 0)
        return -1;
    rc = write_section(out, &as, err);
    free(as.memory[0]);
    return rc;
}

int se_stream_write(struct se_stream *s, int fd, int level, struct se_err *err)
{
    struct sink out = { fd, 0 };
    unsigned char h[HEADER] = { 0 };
    uint64_t counts[2];
    uint32_t crc;

#ifdef F_SETPIPE_SZ
    (void)fcntl(fd, F_SETPIPE_SZ, 1 << 20);             /* no pipe: fails, and no matter */
#endif
    memcpy(h, magic, sizeof magic);
    crc = se_crc32(0, h, 12);
    memcpy(h + 12, &crc, 4);
    if (se_stats_flush(s, err) < 0 || put(&out, h, sizeof h, err) < 0)
        return -1;
    for (size_t i = 0; i < s->count; i++)
        if (write_at_level(&out, &s->section[i], level, err) < 0)
            return -1;
    if (se_watch_check(err) < 0)                /* without its end no reader takes it */
        return -1;
    counts[0] = s->count;
    counts[1] = out.written;
    struct se_section end = { .tag = SE_END, .stored = (const unsigned char *)counts,
                              .stored_len = sizeof counts, .plain_len = sizeof counts };
    end.crc = se_crc32(0, counts, sizeof counts);
    return write_section(&out, &end, err);
}
