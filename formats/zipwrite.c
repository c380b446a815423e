/* zipwrite.c - writing zip archives */
#include "formats/zip.h"

#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

#include "common/base/crc.h"

/* Level 1 is 3 to 6 times as fast as the usual 6; our arrays come out a tenth larger. */
enum { STORED = 0, DEFLATED = 8, LEVEL = 1, DATE = 1 << 5 | 1 /* 1980-01-01 */ };

static void put16(struct se_bytes *b, unsigned v)
{
    b->data[b->len++] = (char)(v & 255);
    b->data[b->len++] = (char)(v >> 8 & 255);
}

static void put32(struct se_bytes *b, uint32_t v)
{
    put16(b, v & 65535);
    put16(b, v >> 16);
}

static void put64(struct se_bytes *b, uint64_t v)
{
    put32(b, (uint32_t)v);
    put32(b, (uint32_t)(v >> 32));
}

static void emit(struct se_zip_out *w, const void *data, uint64_t len)
{
    se_out_bytes(w->out, data, len);
    w->at += len;
}

void se_zip_begin(struct se_zip_out *w, struct se_out *out)
{
    *w = (struct se_zip_out){ out, 0, 0, SE_BYTES_INIT, UINT32_MAX };
}

void se_zip_out_release(struct se_zip_out *w)
{
    se_bytes_release(&w->directory);
}

/* Deflate until zlib wants more input, or to the end. */
static int deflate_some(z_stream *s, int flush, struct se_bytes *out, struct se_err *err)
{
    do {
        if (se_grow(&out->data, &out->cap, (uint64_t)out->len + 65536, 1, err) < 0)
            return -1;
        s->next_out = (unsigned char *)out->data + out->len;
        s->avail_out = 65536;
        deflate(s, flush);                      /* cannot fail: the stream is sound */
        out->len += 65536 - s->avail_out;
    } while (s->avail_out == 0);
    return 0;
}

static int deflate_parts(z_stream *s, const struct se_piece *part, int parts,
                         struct se_bytes *out, struct se_err *err)
{
    for (int i = 0; i < parts; i++) {
        const unsigned char *p = part[i].data;
        uint64_t left = part[i].len;

        while (left > 0) {
            const uInt now = left < 1u << 30 ? (uInt)left : 1u << 30;

            s->next_in = p;
            s->avail_in = now;
            if (deflate_some(s, Z_NO_FLUSH, out, err) < 0)
                return -1;
            p += now;
            left -= now;
        }
    }
    return deflate_some(s, Z_FINISH, out, err);
}

static int pack(const struct se_piece *part, int parts, struct se_bytes *out,
                struct se_err *err)
{
    z_stream s = { 0 };
    int rc;

    if (deflateInit2(&s, LEVEL, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return se_fail(err, SE_EMEM, "out of memory");
    rc = deflate_parts(&s, part, parts, out, err);
    deflateEnd(&s);
    return rc;
}

/* The fields that a local header and a directory entry share, from the version needed. */
static void put_common(struct se_bytes *b, const struct se_zip_member *m, bool wide)
{
    put16(b, wide ? 45 : 20);
    put16(b, 0);
    put16(b, m->method);
    put16(b, 0);
    put16(b, DATE);
    put32(b, m->crc);
    put32(b, wide ? UINT32_MAX : (uint32_t)m->packed);
    put32(b, wide ? UINT32_MAX : (uint32_t)m->size);
    put16(b, (unsigned)m->name_len);
}

static int put_local(struct se_zip_out *w, const struct se_zip_member *m, bool wide,
                     struct se_err *err)
{
    struct se_bytes b = SE_BYTES_INIT;

    if (se_grow(&b.data, &b.cap, 64 + m->name_len, 1, err) < 0)
        return -1;
    put32(&b, 0x04034b50);
    put_common(&b, m, wide);
    put16(&b, wide ? 20 : 0);
    memcpy(b.data + b.len, m->name, m->name_len);
    b.len += m->name_len;
    if (wide) {
        put16(&b, 1);
        put16(&b, 16);
        put64(&b, m->size);
        put64(&b, m->packed);
    }
    emit(w, b.data, b.len);
    se_bytes_release(&b);
    return 0;
}

static int put_entry(struct se_zip_out *w, const struct se_zip_member *m, bool wide,
                     struct se_err *err)
{
    struct se_bytes *b = &w->directory;

    if (se_grow(&b->data, &b->cap, (uint64_t)b->len + 80 + m->name_len, 1, err) < 0)
        return -1;
    put32(b, 0x02014b50);
    put16(b, wide ? 45 : 20);
    put_common(b, m, wide);
    put16(b, wide ? 28 : 0);
    put16(b, 0);
    put16(b, 0);
    put16(b, 0);
    put32(b, 0);
    put32(b, wide ? UINT32_MAX : (uint32_t)m->start);
    memcpy(b->data + b->len, m->name, m->name_len);
    b->len += m->name_len;
    if (wide) {
        put16(b, 1);
        put16(b, 24);
        put64(b, m->size);
        put64(b, m->packed);
        put64(b, m->start);
    }
    w->members++;
    return 0;
}

int se_zip_add(struct se_zip_out *w, const char *name, const struct se_piece *part, int parts,
               struct se_err *err)
{
    struct se_zip_member m = { .name = name, .name_len = strlen(name), .start = w->at,
                               .method = DEFLATED };
    struct se_bytes packed = SE_BYTES_INIT;
    bool wide;
    int rc = -1;

    for (int i = 0; i < parts; i++) {
        m.size += part[i].len;
        m.crc = se_crc32(m.crc, part[i].data, part[i].len);
    }
    if (pack(part, parts, &packed, err) == 0) {
        if (packed.len >= m.size)
            m.method = STORED;
        m.packed = m.method == STORED ? m.size : packed.len;
        wide = m.size >= w->small || m.packed >= w->small || m.start >= w->small;
        rc = put_local(w, &m, wide, err) < 0 || put_entry(w, &m, wide, err) < 0 ? -1 : 0;
    }
    if (rc == 0 && m.method == DEFLATED)
        emit(w, packed.data, packed.len);
    else if (rc == 0)
        for (int i = 0; i < parts; i++)
            emit(w, part[i].data, part[i].len);
    se_bytes_release(&packed);
    return rc;
}

/* The end records; the zip64 ones say the same in more bits. */
static int put_end(struct se_zip_out *w, struct se_err *err)
{
    const uint64_t start = w->at, size = w->directory.len;
    const bool wide = start >= w->small || size >= w->small || w->members >= UINT16_MAX;
    struct se_bytes b = SE_BYTES_INIT;

    if (se_grow(&b.data, &b.cap, 128, 1, err) < 0)
        return -1;
    if (wide) {
        put32(&b, 0x06064b50);
        put64(&b, 44);
        put16(&b, 45);
        put16(&b, 45);
        put64(&b, 0);
        put64(&b, w->members);
        put64(&b, w->members);
        put64(&b, size);
        put64(&b, start);
        put32(&b, 0x07064b50);
        put32(&b, 0);
        put64(&b, start + size);
        put32(&b, 1);
    }
    put32(&b, 0x06054b50);
    put32(&b, 0);
    put16(&b, wide ? UINT16_MAX : (unsigned)w->members);
    put16(&b, wide ? UINT16_MAX : (unsigned)w->members);
    put32(&b, wide ? UINT32_MAX : (uint32_t)size);
    put32(&b, wide ? UINT32_MAX : (uint32_t)start);
    put16(&b, 0);
    emit(w, w->directory.data, size);
    emit(w, b.data, b.len);
    se_bytes_release(&b);
    return 0;
}

int se_zip_end(struct se_zip_out *w, struct se_err *err)
{
    const int rc = put_end(w, err);

    se_zip_out_release(w);
    return rc;
}
