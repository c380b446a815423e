/* stream.c - a stream in memory: its sections, their payloads, origins and digests */
#include "common/stream/section.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>

#include "common/base/crc.h"
#include "common/base/mem.h"
#include "common/base/scratch.h"
#include "common/base/watch.h"

struct se_section *se_stream_find(const struct se_stream *s, uint32_t tag)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->section[i].tag == tag)
            return &s->section[i];
    return NULL;
}

void se_section_release(struct se_section *x)
{
    se_room_free(x->memory[0], x->mapped);      /* NOLINT: the analyzer loses the copy in se_stream_put */
    free(x->memory[1]);         /* NOLINT */
    x->memory[0] = x->memory[1] = NULL;
    x->mapped = 0;
}

void se_stream_release(struct se_stream *s)
{
    for (size_t i = 0; i < s->count; i++)
        se_section_release(&s->section[i]);
    free(s->section);
    se_stats_discard(s);
    if (s->map)
        munmap(s->map, s->map_len);
    se_watch_drop(s->watch);
    *s = (struct se_stream)SE_STREAM_INIT;
}

static void drop_at(struct se_stream *s, size_t i)
{
    if (s->section[i].tag == SE_STATS)
        se_stats_discard(s);
    se_section_release(&s->section[i]);
    s->count--;
    memmove(s->section + i, s->section + i + 1, (s->count - i) * sizeof *s->section);
}

void se_stream_move_last(struct se_stream *s, size_t place)
{
    const struct se_section last = s->section[s->count - 1];

    memmove(s->section + place + 1, s->section + place, (s->count - 1 - place) * sizeof last);
    s->section[place] = last;
}

void se_stream_drop(struct se_stream *s, uint32_t tag)
{
    const struct se_section *x = se_stream_find(s, tag);

    if (x)
        drop_at(s, (size_t)(x - s->section));
}

/* Inflate in steps, growing with what really arrives: a promised length is only a bound. */
static int inflate_into(struct se_section *x, struct se_bytes *out, struct se_err *err)
{
    z_stream z = { .next_in = (Bytef *)(uintptr_t)x->stored };
    uint64_t left = x->stored_len;
    int rc = inflateInit(&z) == Z_OK ? Z_OK : Z_MEM_ERROR;

    while (rc == Z_OK) {
        uint64_t want = out->len + out->len / 2 + (1 << 16);

        if (want > x->plain_len + 1)            /* one more byte shows a payload too long */
            want = x->plain_len + 1;
        if (out->len == want || se_grow(&out->data, &out->cap, want, 1, err) < 0) {
            inflateEnd(&z);
            return out->len == want ? se_fail(err, SE_EINPUT, "inflates to more than the %"
                                              PRIu64 " bytes it promises", x->plain_len) : -1;
        }
        const uint64_t room = want - out->len;
        z.next_out = (Bytef *)out->data + out->len;
        z.avail_out = room > 1 << 30 ? 1 << 30 : (uInt)room;
        if (z.avail_in == 0) {
            z.avail_in = left > 1 << 30 ? 1 << 30 : (uInt)left;
            left -= z.avail_in;
        }
        const uInt before = z.avail_out;
        rc = inflate(&z, Z_NO_FLUSH);
        out->len += before - z.avail_out;
        if (rc == Z_BUF_ERROR && z.avail_in == 0 && left > 0)
            rc = Z_OK;
    }
    inflateEnd(&z);
    if (rc == Z_MEM_ERROR)
        return se_fail(err, SE_EMEM, "out of memory");
    if (rc != Z_STREAM_END || z.avail_in > 0 || left > 0 || out->len != x->plain_len)
        return se_fail(err, SE_EINPUT, "deflated data are damaged");
    return 0;
}

const unsigned char *se_section_plain(struct se_section *x, struct se_err *err)
{
    struct se_bytes out = SE_BYTES_INIT;

    if (x->plain)
        return x->plain;
    if (inflate_into(x, &out, err) < 0) {
        se_bytes_release(&out);
        se_err_in(err, se_section_name(x->tag));
        return NULL;
    }
    x->memory[1] = out.data;                    /* never NULL: inflate_into makes room first */
    x->plain = (const unsigned char *)out.data;
    return x->plain;
}

/* The digest of a deflated payload, a piece at a time, so in memory that its length does not
 * decide; what inflate_into() refuses is refused here too. */
static int digest_inflated(struct se_section *x, struct se_err *err)
{
    enum { PIECE = SE_BLOCK(1 << 16) };
    z_stream z = { .next_in = (Bytef *)(uintptr_t)x->stored };
    uint64_t left = x->stored_len, got = 0;
    struct se_hash hash;
    unsigned char piece[PIECE];
    int rc = inflateInit(&z) == Z_OK ? Z_OK : Z_MEM_ERROR;

    se_hash_init(&hash);
    while (rc == Z_OK && got <= x->plain_len) {
        z.next_out = piece;
        z.avail_out = sizeof piece;
        if (z.avail_in == 0) {
            z.avail_in = left > 1 << 30 ? 1 << 30 : (uInt)left;
            left -= z.avail_in;
        }
        rc = inflate(&z, Z_NO_FLUSH);
        se_hash_add(&hash, piece, sizeof piece - z.avail_out);
        got += sizeof piece - z.avail_out;
        if (rc == Z_BUF_ERROR && z.avail_in == 0 && left > 0)
            rc = Z_OK;
    }
    inflateEnd(&z);
    if (rc == Z_MEM_ERROR)
        return se_fail(err, SE_EMEM, "out of memory");
    if (got > x->plain_len)
        return se_fail(err, SE_EINPUT, "inflates to more than the %" PRIu64 " bytes it promises",
                       x->plain_len);
    if (rc != Z_STREAM_END || z.avail_in > 0 || left > 0 || got != x->plain_len)
        return se_fail(err, SE_EINPUT, "deflated data are damaged");
    x->digest = se_hash_end(&hash);
    return 0;
}

int se_section_digest(struct se_section *x, struct se_digest *d, struct se_err *err)
{
    if (!x->has_digest) {
        if (x->plain)
            x->digest = se_digest_of(x->plain, x->plain_len);
        else if (digest_inflated(x, err) < 0)
            return se_err_in(err, se_section_name(x->tag));
        x->has_digest = true;
    }
    *d = x->digest;
    return 0;
}

int se_section_first(struct se_section *x, uint64_t *word, struct se_err *err)
{
    z_stream z = { .next_in = (Bytef *)(uintptr_t)x->stored,
                   .avail_in = x->stored_len > 1 << 20 ? 1 << 20 : (uInt)x->stored_len,
                   .next_out = (Bytef *)word, .avail_out = sizeof *word };
    int rc;

    if (x->plain_len < sizeof *word)
        return 0;
    if (x->plain) {
        memcpy(word, x->plain, sizeof *word);
        return 1;
    }
    rc = inflateInit(&z);
    if (rc == Z_OK) {
        rc = inflate(&z, Z_SYNC_FLUSH);
        inflateEnd(&z);
    }
    if (rc == Z_MEM_ERROR)
        return se_fail(err, SE_EMEM, "out of memory");
    if (z.avail_out > 0)
        return se_fail(err, SE_EINPUT, "%s: deflated data are damaged", se_section_name(x->tag));
    return 1;
}

/* 1 if the origin o is in the stream with another content, 0 if not, -1 on error. */
static int origin_differs(struct se_stream *s, const struct se_origin *o, struct se_err *err)
{
    struct se_section *from = o->tag ? se_stream_find(s, o->tag) : NULL;
    struct se_digest d;

    if (!from)
        return 0;
    if (se_section_digest(from, &d, err) < 0)
        return -1;
    return !se_digest_equal(&d, &o->digest);
}

int se_stream_check_origin(struct se_stream *s, uint32_t tag, struct se_err *err)
{
    const struct se_section *x = se_stream_find(s, tag);

    for (int i = 0; x && i < SE_ORIGINS; i++) {
        const int differs = origin_differs(s, &x->origin[i], err);
        char names[2][16];

        if (differs < 0)
            return -1;
        if (!differs)
            continue;
        strncpy(names[0], se_section_name(tag), sizeof names[0] - 1);
        strncpy(names[1], se_section_name(x->origin[i].tag), sizeof names[1] - 1);
        names[0][15] = names[1][15] = '\0';
        return se_fail(err, SE_EINPUT, "%s: was made from another %s section than the one in "
                       "this stream; make it again, or drop it with se-cat --drop %s",
                       names[0], names[1], names[0]);
    }
    return 0;
}

/* Has `new` another content than `old`, whose digest is known? */
static bool has_changed(const struct se_section *old, const struct se_section *new)
{
    return new->plain_len != old->plain_len ||
           memcmp(new->plain, old->plain, new->plain_len) != 0;
}

/* 1 if section i was derived from `replaced` as it is no more, 0 if not, -1 on error.  `old` is
 * what was there (NULL: it was dropped): where that is the origin, and its digest is known,
 * the digest of the new one need not be taken. */
static int is_stale(struct se_stream *s, size_t i, uint32_t replaced,
                    const struct se_section *old, struct se_err *err)
{
    for (int k = 0; k < SE_ORIGINS; k++) {
        const struct se_origin *o = &s->section[i].origin[k];
        const struct se_section *new = se_stream_find(s, replaced);

        if (o->tag != replaced || s->section[i].tag == replaced)
            continue;
        if (!new)
            return 1;
        if (old && old->has_digest && se_digest_equal(&old->digest, &o->digest))
            return has_changed(old, new);
        return origin_differs(s, o, err);
    }
    return 0;
}

/* Drop what names a replaced section as its origin, and what was derived from that; it
 * ends because each step down drops a section. */
static int drop_stale(struct se_stream *s, uint32_t replaced, const struct se_section *old,
                      struct se_err *err)
{
    for (size_t i = 0; i < s->count;) {
        const int stale = is_stale(s, i, replaced, old, err);
        const uint32_t tag = s->section[i].tag;

        if (stale < 0)
            return -1;
        if (!stale) {
            i++;
            continue;
        }
        drop_at(s, i);
        if (drop_stale(s, tag, NULL, err) < 0)
            return -1;
        i = 0;                                  /* the array has moved: start over */
    }
    return 0;
}

static int set_origins(struct se_stream *s, struct se_section *x,
                       const uint32_t from[SE_ORIGINS], struct se_err *err)
{
    for (int i = 0; from && i < SE_ORIGINS; i++) {
        struct se_section *o = from[i] ? se_stream_find(s, from[i]) : NULL;

        if (!o)
            continue;
        if (se_section_digest(o, &x->origin[i].digest, err) < 0)
            return -1;
        x->origin[i].tag = from[i];
    }
    return 0;
}

static int append(struct se_stream *s, const struct se_section *x, struct se_err *err)
{
    if (se_grow(&s->section, &s->cap, s->count + 1, sizeof *x, err) < 0)
        return -1;
    s->section[s->count++] = *x;
    return 0;
}

int se_stream_give_room(struct se_stream *s, uint32_t tag, void *data, uint64_t mapped,
                        uint64_t len, const uint32_t from[SE_ORIGINS], struct se_err *err)
{
    struct se_section new = { .tag = tag, .codec = SE_PLAIN, .mapped = mapped }, *place, old;
    int rc = 0;

    new.memory[0] = data;
    new.stored = new.plain = data;
    new.stored_len = new.plain_len = len;
    if (set_origins(s, &new, from, err) < 0) {
        se_room_free(data, mapped);
        return -1;
    }
    new.crc = se_crc32(0, data, len);
    place = se_stream_find(s, tag);
    if (!place && append(s, &new, err) < 0) {
        se_room_free(data, mapped);
        return -1;
    }
    if (!place)                                 /* some may have been derived from another */
        return s->keep ? 0 : drop_stale(s, tag, NULL, err);
    if (tag == SE_STATS)
        se_stats_discard(s);
    old = *place;
    *place = new;
    if (!s->keep)
        rc = drop_stale(s, tag, &old, err);
    se_section_release(&old);
    return rc;
}

int se_stream_give(struct se_stream *s, uint32_t tag, void *data, uint64_t len,
                   const uint32_t from[SE_ORIGINS], struct se_err *err)
{
    return se_stream_give_room(s, tag, data, 0, len, from, err);
}

int se_stream_put(struct se_stream *s, uint32_t tag, const struct se_piece *part, int parts,
                  const uint32_t from[SE_ORIGINS], struct se_err *err)
{
    unsigned char *data, *at;
    uint64_t len = 0, mapped;

    for (int i = 0; i < parts; i++)
        if (__builtin_add_overflow(len, (part[i].len + 7) & ~(uint64_t)7, &len))
            return se_fail(err, SE_EMEM, "%s: too large", se_section_name(tag));
    data = at = se_room(len, 1, &mapped, err);
    if (!data)
        return -1;
    for (int i = 0; i < parts; i++) {
        const uint64_t pad = -part[i].len & 7;

        if (part[i].len > 0)
            memcpy(at, part[i].data, part[i].len);
        memset(at + part[i].len, 0, pad);
        at += part[i].len + pad;
    }
    return se_stream_give_room(s, tag, data, mapped, len, from, err);
}

int se_stream_lend(struct se_stream *s, const struct se_section *x, struct se_err *err)
{
    struct se_section new = *x;

    new.memory[0] = new.memory[1] = NULL;
    new.mapped = 0;
    new.plain = x->codec == SE_PLAIN ? new.stored : NULL;
    return append(s, &new, err);
}

int se_stream_copy(struct se_stream *s, const struct se_section *x, struct se_err *err)
{
    struct se_section new = *x;
    void *memory = se_alloc(x->stored_len, 1, err);

    if (!memory)
        return -1;
    if (x->stored_len > 0)
        memcpy(memory, x->stored, x->stored_len);
    new.stored = memory;
    if (se_stream_lend(s, &new, err) < 0) {
        free(memory);
        return -1;
    }
    s->section[s->count - 1].memory[0] = memory;
    return 0;
}

int se_stream_digest(struct se_stream *s, struct se_digest *d, struct se_err *err)
{
    struct se_hash hash;

    if (se_stats_flush(s, err) < 0)
        return -1;
    se_hash_init(&hash);
    for (size_t i = 0; i < s->count; i++) {
        struct se_section *x = &s->section[i];
        struct se_digest one;

        if (x->tag == SE_HISTORY)
            continue;
        if (se_section_digest(x, &one, err) < 0)
            return -1;
        se_hash_add(&hash, &x->tag, sizeof x->tag);
        se_hash_add(&hash, one.byte, sizeof one.byte);
        for (int k = 0; k < SE_ORIGINS; k++) {
            se_hash_add(&hash, &x->origin[k].tag, sizeof x->origin[k].tag);
            se_hash_add(&hash, x->origin[k].digest.byte, SE_DIGEST_SIZE);
        }
    }
    *d = se_hash_end(&hash);
    return 0;
}
