/* walk.h - going through a payload from its start to its end, with one code for two ways
 *
 * Each section has a function that takes its arrays and checks every number.  A tool that uses
 * the section has the payload in memory; se-check only wants to know, and goes through a
 * deflated one a piece at a time, in memory that the length of the section does not decide. */
#ifndef SE_WALK_H
#define SE_WALK_H

#include <string.h>

#include "common/stream/section.h"

/* Inflates a payload from any place on */
struct se_inflater;

/* One array, from its first item to its last */
struct se_reader {
    const unsigned char *at, *end;      /* what is ready */
    uint64_t left;              /* bytes behind that */
    uint64_t from, len;         /* where the array lies in the payload */
    const unsigned char *memory;        /* the array, or NULL: it is inflated */
    struct se_inflater *inflater;
    struct se_walk *walk;
};

enum { SE_WALK_READERS = 6 };

struct se_walk {
    struct se_section *section;
    const unsigned char *memory;        /* the payload, or NULL: it is inflated */
    uint64_t at, left;
    struct se_inflater *inflater[SE_WALK_READERS + 1];  /* the last one is for heads */
    int readers;
    _Alignas(8) unsigned char head[128];
    bool failed;                /* no memory for inflating, or it is damaged */
};

/* Checks a payload and fills the view `x` of its section, whose pointers are good only if the
 * walk is in memory; x is NULL if nobody wants it. */
typedef int se_walk_section(struct se_walk *w, void *x, struct se_err *err);

/* In memory, for se_X_get() */
int se_walk_whole(struct se_stream *s, uint32_t tag, se_walk_section *walk, void *x,
                  struct se_err *err);
/* For se_stream_check(): a deflated payload that is not in memory is not brought there. */
int se_walk_check(struct se_stream *s, uint32_t tag, se_walk_section *walk, struct se_err *err);

/* The next `words` of 8 bytes (at most 16), or NULL: the payload is too short.  Good until the
 * next head. */
const uint64_t *se_walk_head(struct se_walk *w, int words);
/* The next array: `count` items of `size` bytes.  Returns where it lies, not NULL but of no use
 * if it is inflated; NULL if the payload is too short. */
const void *se_walk_array(struct se_walk *w, struct se_reader *r, uint64_t count, size_t size);
/* The same for one of many arrays, each read before the next thing is taken */
const void *se_walk_now(struct se_walk *w, struct se_reader *r, uint64_t count, size_t size);

/* An array that is no part of a stream */
struct se_reader se_reader_of(const void *array, uint64_t count, size_t size);
/* To the first item again, or to item i of `size` bytes */
void se_reader_restart(struct se_reader *r);
void se_reader_go(struct se_reader *r, uint64_t i, size_t size);
/* Get more; false at the end of the array, or if it cannot be inflated: then the walk fails,
 * whatever was found. */
bool se_reader_more(struct se_reader *r);

/* The next item.  Behind the end: zeros. */
#define SE_READER_NEXT(type, name)                                                            \
    static inline type se_next_##name(struct se_reader *r)                                    \
    {                                                                                         \
        type item = 0;                                                                        \
                                                                                              \
        if (__builtin_expect(r->at == r->end, 0) && !se_reader_more(r))                       \
            return item;                                                                      \
        memcpy(&item, r->at, sizeof item);                                                    \
        r->at += sizeof item;                                                                 \
        return item;                                                                          \
    }

SE_READER_NEXT(uint8_t, u8)
SE_READER_NEXT(uint32_t, u32)
SE_READER_NEXT(int32_t, i32)
SE_READER_NEXT(uint64_t, u64)
SE_READER_NEXT(float, f32)
SE_READER_NEXT(double, f64)

/* All that is ready, at least one item: how many, of `size` bytes; 0 at the end. */
static inline uint64_t se_next_block(struct se_reader *r, const void **items, size_t size)
{
    uint64_t count;

    if (r->at == r->end && !se_reader_more(r))
        return 0;
    *items = r->at;
    count = (uint64_t)(r->end - r->at) / size;
    r->at = r->end;
    return count;
}

#endif
