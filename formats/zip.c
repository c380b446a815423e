/* zip.c - reading zip archives */
#include "formats/zip.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

#include "common/base/crc.h"

enum {
    END_SIZE = 22, END64_SIZE = 56, LOCATOR_SIZE = 20, ENTRY_SIZE = 46, LOCAL_SIZE = 30,
    COMMENT_MAX = 65535, STORED = 0, DEFLATED = 8, ENCRYPTED = 1
};

static unsigned u16(const unsigned char *p)
{
    return (unsigned)(p[0] | p[1] << 8);
}

static uint32_t u32(const unsigned char *p)
{
    return u16(p) | (uint32_t)u16(p + 2) << 16;
}

static uint64_t u64(const unsigned char *p)
{
    return u32(p) | (uint64_t)u32(p + 4) << 32;
}

void se_blob_release(struct se_blob *b)
{
    free(b->memory);
    *b = (struct se_blob)SE_BLOB_INIT;
}

void se_zip_release(struct se_zip *z)
{
    free(z->member);
    *z = (struct se_zip)SE_ZIP_INIT;
}

/* Where the directory is, as the records at the end of the archive tell. */
struct directory {
    uint64_t start, size, count;
};

/* The end record is the last thing in the file but for a comment of known length. */
static int find_end(const struct se_zip *z, uint64_t *place, struct se_err *err)
{
    if (z->len < END_SIZE)
        return se_fail(err, SE_EINPUT, "too short for a zip archive");
    for (uint64_t back = 0; back <= COMMENT_MAX && back + END_SIZE <= z->len; back++) {
        *place = z->len - END_SIZE - back;
        if (u32(z->data + *place) == 0x06054b50 && u16(z->data + *place + 20) == back)
            return 0;
    }
    return se_fail(err, SE_EINPUT, "zip archive without its end record; the file is cut "
                   "short or damaged");
}

static int find_directory(const struct se_zip *z, struct directory *d, struct se_err *err)
{
    const unsigned char *end;
    uint64_t place = 0;

    if (find_end(z, &place, err) < 0)
        return -1;
    end = z->data + place;
    if (u16(end + 4) != 0 || u16(end + 6) != 0)
        return se_fail(err, SE_EINPUT, "zip archive of several files, which is not read");
    *d = (struct directory){ u32(end + 16), u32(end + 12), u16(end + 10) };
    if ((d->start == UINT32_MAX || d->size == UINT32_MAX || d->count == UINT16_MAX) &&
        place >= LOCATOR_SIZE && u32(end - LOCATOR_SIZE) == 0x07064b50) {
        const uint64_t end64 = u64(end - LOCATOR_SIZE + 8);

        place -= LOCATOR_SIZE;
        if (place < END64_SIZE || end64 > place - END64_SIZE ||
            u32(z->data + end64) != 0x06064b50)
            return se_fail(err, SE_EINPUT, "zip64 end record is not where it should be");
        end = z->data + end64;
        *d = (struct directory){ u64(end + 48), u64(end + 40), u64(end + 32) };
        place = end64;
    }
    if (d->start > place || d->size > place - d->start || d->count > d->size / ENTRY_SIZE)
        return se_fail(err, SE_EINPUT, "zip directory does not fit into the archive");
    return 0;
}

/* The fields that did not fit 32 bits, in this order, in the extra field with tag 1. */
static int read_zip64(struct se_zip_member *m, const unsigned char *extra, size_t len,
                      struct se_err *err)
{
    uint64_t *const field[] = { &m->size, &m->packed, &m->start };

    while (len >= 4 && u16(extra + 2) <= len - 4) {
        const size_t size = u16(extra + 2);
        size_t at = 4;

        for (int i = 0; i < 3 && u16(extra) == 1; i++) {
            if (*field[i] != UINT32_MAX)
                continue;
            if (at + 8 > 4 + size)
                return se_fail(err, SE_EINPUT, "zip64 field is too short");
            *field[i] = u64(extra + at);
            at += 8;
        }
        extra += 4 + size;
        len -= 4 + size;
    }
    return 0;                           /* a size of just 2^32 - 1 is one, too */
}

/* One entry of the directory; *at moves behind it. */
static int read_entry(const struct se_zip *z, struct se_zip_member *m, uint64_t *at,
                      uint64_t end, struct se_err *err)
{
    const unsigned char *p = z->data + *at;
    unsigned name, extra, comment;

    if (end - *at < ENTRY_SIZE || u32(p) != 0x02014b50)
        return se_fail(err, SE_EINPUT, "zip directory is damaged at byte %" PRIu64, *at);
    name = u16(p + 28);
    extra = u16(p + 30);
    comment = u16(p + 32);
    if (end - *at - ENTRY_SIZE < (uint64_t)name + extra + comment)
        return se_fail(err, SE_EINPUT, "zip directory is damaged at byte %" PRIu64, *at);
    m->flags = u16(p + 8);
    m->method = u16(p + 10);
    m->crc = u32(p + 16);
    m->packed = u32(p + 20);
    m->size = u32(p + 24);
    m->start = u32(p + 42);
    m->name = (const char *)p + ENTRY_SIZE;
    m->name_len = name;
    *at += ENTRY_SIZE + (uint64_t)name + extra + comment;
    return read_zip64(m, p + ENTRY_SIZE + name, extra, err);
}

/* The local header says where the data start, for its extra field may differ in length. */
static int read_local(const struct se_zip *z, struct se_zip_member *m, uint64_t limit,
                      struct se_err *err)
{
    const int shown = m->name_len < 80 ? (int)m->name_len : 80;
    const unsigned char *p = z->data;

    if (m->start <= limit)
        p += m->start;
    if (m->start > limit || limit - m->start < LOCAL_SIZE + m->name_len ||
        u32(p) != 0x04034b50 || u16(p + 26) != m->name_len ||
        memcmp(p + LOCAL_SIZE, m->name, m->name_len) != 0)
        return se_fail(err, SE_EINPUT, "zip member %.*s is not where the directory says",
                       shown, m->name);
    m->data = m->start + LOCAL_SIZE + m->name_len + u16(p + 28);
    if (m->data > limit || m->packed > limit - m->data)
        return se_fail(err, SE_EINPUT, "zip member %.*s does not fit into the archive", shown,
                       m->name);
    return 0;
}

static int by_place(const void *a, const void *b)
{
    const struct se_zip_member *x = a, *y = b;

    return (x->start > y->start) - (x->start < y->start);
}

static int check_overlap(const struct se_zip *z, struct se_err *err)
{
    for (size_t i = 1; i < z->count; i++) {
        const struct se_zip_member *m = &z->member[i - 1];

        if (m->packed > z->member[i].start - m->data || m->data > z->member[i].start)
            return se_fail(err, SE_EINPUT, "zip members overlap at byte %" PRIu64,
                           z->member[i].start);
    }
    return 0;
}

static int open_members(struct se_zip *z, struct se_err *err)
{
    struct directory d = { 0, 0, 0 };
    uint64_t at;

    if (find_directory(z, &d, err) < 0)
        return -1;
    z->member = se_zalloc(d.count, sizeof *z->member, err);
    if (!z->member)
        return -1;
    at = d.start;
    for (; z->count < d.count; z->count++)
        if (read_entry(z, &z->member[z->count], &at, d.start + d.size, err) < 0 ||
            read_local(z, &z->member[z->count], d.start, err) < 0)
            return -1;
    qsort(z->member, z->count, sizeof *z->member, by_place);
    return check_overlap(z, err);
}

int se_zip_open(struct se_zip *z, const void *data, uint64_t len, struct se_err *err)
{
    *z = (struct se_zip){ data, len, NULL, 0 };
    if (open_members(z, err) == 0)
        return 0;
    se_zip_release(z);
    return -1;
}

const struct se_zip_member *se_zip_find(const struct se_zip *z, const char *name)
{
    const size_t len = strlen(name);

    for (size_t i = 0; i < z->count; i++)
        if (z->member[i].name_len == len && memcmp(z->member[i].name, name, len) == 0)
            return &z->member[i];
    return NULL;
}

/* Inflate all of `in` into `out`, which may grow to one byte more than the member says it
 * holds, so that a longer one is noticed. */
static int inflate_all(z_stream *s, const struct se_zip_member *m, const unsigned char *in,
                       struct se_bytes *out, struct se_err *err)
{
    uint64_t left = m->packed;
    int rc = Z_OK;

    s->next_in = in;
    while (rc == Z_OK && out->len <= m->size) {
        uint64_t room = out->len + out->len / 2 + 4096;

        if (room > m->size + 1)
            room = m->size + 1;
        if (se_grow(&out->data, &out->cap, room, 1, err) < 0)
            return -1;
        s->avail_in = left < 1u << 30 ? (uInt)left : 1u << 30;
        s->avail_out = out->cap - out->len < 1u << 30 ? (uInt)(out->cap - out->len) : 1u << 30;
        s->next_out = (unsigned char *)out->data + out->len;
        left -= s->avail_in;
        rc = inflate(s, Z_NO_FLUSH);
        left += s->avail_in;
        out->len = (size_t)(s->next_out - (unsigned char *)out->data);
    }
    if (rc == Z_MEM_ERROR)
        return se_fail(err, SE_EMEM, "out of memory");
    if (rc != Z_STREAM_END || left > 0 || out->len != m->size)
        return se_fail(err, SE_EINPUT, "deflated data are damaged");
    return 0;
}

static int unpack(const struct se_zip_member *m, const unsigned char *in, struct se_blob *b,
                  struct se_err *err)
{
    struct se_bytes out = SE_BYTES_INIT;
    z_stream s = { 0 };
    int rc;

    if (m->size > PTRDIFF_MAX)
        return se_fail(err, SE_EINPUT, "size is beyond all memory");
    if (inflateInit2(&s, -MAX_WBITS) != Z_OK)
        return se_fail(err, SE_EMEM, "out of memory");
    rc = inflate_all(&s, m, in, &out, err);
    inflateEnd(&s);
    if (rc < 0) {
        se_bytes_release(&out);
        return -1;
    }
    *b = (struct se_blob){ (unsigned char *)out.data, out.len, out.data };
    return 0;
}

static int read_member(const struct se_zip *z, const struct se_zip_member *m,
                       struct se_blob *b, struct se_err *err)
{
    const unsigned char *in = z->data + m->data;

    *b = (struct se_blob)SE_BLOB_INIT;
    if (m->flags & ENCRYPTED)
        return se_fail(err, SE_EINPUT, "is encrypted");
    if (m->method == STORED && m->packed == m->size)
        *b = (struct se_blob){ in, m->size, NULL };
    else if (m->method == STORED)
        return se_fail(err, SE_EINPUT, "is stored, but its two sizes differ");
    else if (m->method != DEFLATED)
        return se_fail(err, SE_EINPUT, "is packed by method %u; only stored and deflated "
                       "members are read", m->method);
    else if (unpack(m, in, b, err) < 0)
        return -1;
    if (se_crc32(0, b->data, b->len) != m->crc) {
        se_blob_release(b);
        return se_fail(err, SE_EINPUT, "checksum does not match; the file is damaged");
    }
    return 0;
}

int se_zip_read(const struct se_zip *z, const struct se_zip_member *m, struct se_blob *b,
                struct se_err *err)
{
    char name[81];

    if (read_member(z, m, b, err) == 0)
        return 0;
    snprintf(name, sizeof name, "%.*s", m->name_len < 80 ? (int)m->name_len : 80, m->name);
    return se_err_in(err, name);
}
