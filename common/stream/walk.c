/* walk.c - going through a payload, in memory or inflating it a piece at a time */
#include "common/stream/walk.h"

#include <stdlib.h>
#include <zlib.h>

#include "common/base/mem.h"
#include "common/stream/payload.h"

enum { PIECE = SE_BLOCK(1 << 16), HEAD = SE_WALK_READERS };

struct se_inflater {
    z_stream z;
    uint64_t input;             /* bytes that zlib was not given yet */
    uint64_t at;                /* the place in the payload that comes next */
    unsigned char piece[PIECE] __attribute__((aligned(8)));
};

/* A walk has one for each array that it reads side by side with others. */
static struct se_inflater *inflater(struct se_walk *w, int i)
{
    struct se_err err;
    struct se_inflater *f = w->inflater[i];

    if (f)
        return f;
    f = se_zalloc(1, sizeof *f, &err);
    if (!f || inflateInit(&f->z) != Z_OK) {
        free(f);
        w->failed = true;
        return NULL;
    }
    f->z.next_in = (Bytef *)(uintptr_t)w->section->stored;
    f->input = w->section->stored_len;
    return w->inflater[i] = f;
}

/* Inflate exactly `len` bytes. */
static bool inflate_some(struct se_inflater *f, void *to, size_t len)
{
    f->z.next_out = to;
    f->z.avail_out = (uInt)len;
    while (f->z.avail_out > 0) {
        if (f->z.avail_in == 0) {
            f->z.avail_in = f->input > 1 << 30 ? 1 << 30 : (uInt)f->input;
            f->input -= f->z.avail_in;
        }
        const int rc = inflate(&f->z, Z_NO_FLUSH);

        if (rc != Z_OK && f->z.avail_out > 0)
            return false;
    }
    f->at += len;
    return true;
}

/* Move to a place in the payload, from the start if it was passed. */
static bool go_to(struct se_walk *w, struct se_inflater *f, uint64_t place)
{
    if (f->at > place) {
        if (inflateReset(&f->z) != Z_OK)
            return false;
        f->z.next_in = (Bytef *)(uintptr_t)w->section->stored;
        f->z.avail_in = 0;
        f->input = w->section->stored_len;
        f->at = 0;
    }
    while (f->at < place)
        if (!inflate_some(f, f->piece, place - f->at < PIECE ? (size_t)(place - f->at) : PIECE))
            return false;
    return true;
}

bool se_reader_more(struct se_reader *r)
{
    const size_t len = r->left < PIECE ? (size_t)r->left : PIECE;
    struct se_inflater *f = r->inflater;

    if (r->memory || len == 0 || r->walk->failed)
        return false;
    if (!go_to(r->walk, f, r->from + r->len - r->left) || !inflate_some(f, f->piece, len)) {
        r->walk->failed = true;
        return false;
    }
    r->at = f->piece;
    r->end = f->piece + len;
    r->left -= len;
    return true;
}

void se_reader_go(struct se_reader *r, uint64_t i, size_t size)
{
    r->at = r->end = r->memory;
    r->left = r->len - i * size;
    if (r->memory) {
        r->at += i * size;
        r->end += r->len;
        r->left = 0;
    }
}

void se_reader_restart(struct se_reader *r)
{
    se_reader_go(r, 0, 1);
}

struct se_reader se_reader_of(const void *array, uint64_t count, size_t size)
{
    struct se_reader r = { .memory = array, .len = count * size };

    se_reader_restart(&r);
    return r;
}

/* The place of `count` items, and on to the next whole word. */
static bool take(struct se_walk *w, uint64_t count, size_t size, uint64_t *from, uint64_t *len)
{
    uint64_t padded;

    if (__builtin_mul_overflow(count, size, len) || *len > w->left)
        return false;
    padded = (*len + 7) & ~(uint64_t)7;
    if (padded > w->left)
        return false;
    *from = w->at;
    w->at += padded;
    w->left -= padded;
    return true;
}

const uint64_t *se_walk_head(struct se_walk *w, int words)
{
    uint64_t from, len;
    struct se_inflater *f;

    if (!take(w, (uint64_t)words, 8, &from, &len))
        return NULL;
    if (w->memory)
        return (const uint64_t *)(const void *)(w->memory + from);
    f = inflater(w, HEAD);
    memset(w->head, 0, sizeof w->head);
    if (!f || !go_to(w, f, from) || !inflate_some(f, w->head, len))
        w->failed = true;
    return (const uint64_t *)(const void *)w->head;
}

static const void *start(struct se_walk *w, struct se_reader *r, uint64_t count, size_t size,
                         int which)
{
    *r = (struct se_reader){ .walk = w };
    if (!take(w, count, size, &r->from, &r->len))
        return NULL;
    r->memory = w->memory ? w->memory + r->from : NULL;
    if (!w->memory)
        r->inflater = inflater(w, which);
    se_reader_restart(r);
    return w->memory ? (const void *)r->memory : w->head;
}

const void *se_walk_array(struct se_walk *w, struct se_reader *r, uint64_t count, size_t size)
{
    return start(w, r, count, size, w->readers++);
}

const void *se_walk_now(struct se_walk *w, struct se_reader *r, uint64_t count, size_t size)
{
    return start(w, r, count, size, HEAD);
}

static int end(struct se_walk *w, int rc, struct se_err *err)
{
    for (int i = 0; i <= HEAD; i++)
        if (w->inflater[i]) {
            inflateEnd(&w->inflater[i]->z);
            free(w->inflater[i]);
        }
    return w->failed ? se_fail(err, SE_EMEM, "%s: out of memory", se_section_name(w->section->tag))
                     : rc;
}

int se_walk_whole(struct se_stream *s, uint32_t tag, se_walk_section *walk, void *x,
                  struct se_err *err)
{
    struct se_walk w = { .section = se_payload_open(s, tag, err) };

    if (!w.section)
        return -1;
    w.memory = w.section->plain;
    w.left = w.section->plain_len;
    return walk(&w, x, err);
}

int se_walk_check(struct se_stream *s, uint32_t tag, se_walk_section *walk, struct se_err *err)
{
    struct se_section *x = se_stream_find(s, tag);
    struct se_walk w = { .section = x };
    struct se_digest d;

    if (!x || x->plain || x->codec != SE_DEFLATED)
        return se_walk_whole(s, tag, walk, NULL, err);
    if (se_section_digest(x, &d, err) < 0)      /* inflates as it promises */
        return -1;
    w.left = x->plain_len;
    return end(&w, walk(&w, NULL, err), err);
}
