/* stream.h - the .seg stream: a header, sections, an end section
 *
 * man/se-stream.5 specifies every byte; a change here changes it too.  Little-endian.
 *
 *   header, 16 bytes:   0  4  magic "SEG\1", the fourth byte is the version
 *                       4  2  minor version, ignored by readers
 *                       6  2  flags, 0
 *                       8  4  0
 *                      12  4  CRC-32 of bytes 0-11
 *   section, 80 bytes:  0  4  tag; an upper-case first letter makes it mandatory
 *                       4  4  codec: 0 plain, 1 deflated (zlib)
 *                       8  8  length of the payload as stored
 *                      16  8  length of the payload when plain
 *                      24 24  first origin: tag, 4 bytes 0, digest of its plain payload
 *                      48 24  second origin
 *                      72  4  CRC-32 of the payload as stored
 *                      76  4  CRC-32 of bytes 0-75
 *   then the payload, then zeros up to a multiple of 16 bytes.
 *   The end section "ENDS" holds the number of sections and of bytes before it. */
#ifndef SE_STREAM_H
#define SE_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/digest.h"
#include "common/base/err.h"
#include "common/base/mem.h"

#define SE_TAG(a, b, c, d) \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

#define SE_GRAPH SE_TAG('G', 'R', 'P', 'H')
#define SE_FUSED SE_TAG('F', 'U', 'S', 'E')
#define SE_FEATURES SE_TAG('F', 'E', 'A', 'T')
#define SE_LABELS SE_TAG('L', 'A', 'B', 'L')
#define SE_SPLITS SE_TAG('S', 'P', 'L', 'T')
#define SE_EMBEDDING SE_TAG('E', 'M', 'B', 'D')
#define SE_KNN SE_TAG('K', 'N', 'N', 'S')
#define SE_KNN_BLOCK SE_TAG('B', 'L', 'C', 'K')
#define SE_TREE SE_TAG('T', 'R', 'E', 'E')
#define SE_PREDICTIONS SE_TAG('P', 'R', 'E', 'D')
#define SE_MODEL SE_TAG('M', 'O', 'D', 'L')
#define SE_ARCS SE_TAG('a', 'r', 'c', 's')
#define SE_PROBABILITIES SE_TAG('p', 'r', 'o', 'b')
#define SE_NAMES SE_TAG('n', 'a', 'm', 'e')
#define SE_COLUMNS SE_TAG('c', 'o', 'l', 's')
#define SE_STATS SE_TAG('s', 't', 'a', 't')
#define SE_HISTORY SE_TAG('h', 'i', 's', 't')
#define SE_END SE_TAG('E', 'N', 'D', 'S')

enum { SE_PLAIN = 0, SE_DEFLATED = 1, SE_ORIGINS = 2 };

struct se_origin {
    uint32_t tag;               /* 0: none */
    struct se_digest digest;
};

struct se_section {
    uint32_t tag, codec, crc;   /* crc is of `stored` */
    const unsigned char *stored;        /* the payload as the stream has it */
    uint64_t stored_len;
    const unsigned char *plain;         /* NULL until se_section_plain() inflated it */
    uint64_t plain_len;
    void *memory[2];            /* what must be given back for stored and plain */
    uint64_t mapped;            /* memory[0] is a mapping of that length, not allocated */
    struct se_origin origin[SE_ORIGINS];
    struct se_digest digest;
    bool has_digest;
};

struct se_stats_table;          /* stats.c */
struct se_stream {
    struct se_section *section;
    size_t count, cap;
    void *map;                  /* the mapped file that sections point into, or NULL */
    size_t map_len;
    bool keep;                  /* keep sections whose origin was replaced (--keep-stale) */
    int watch;                  /* ticket of the mapped file, 0: none (common/base/watch.h) */
    struct se_stats_table *stats;       /* numbers not yet in the section stats, or NULL */
};
#define SE_STREAM_INIT { NULL, 0, 0, NULL, 0, false, 0, NULL }

/* Read a whole stream, through its end section, to the end of `fd`.  A regular file is
 * mapped.  `s` is empty on entry; release it in any case.  0, or -1 with `err` set. */
int se_stream_read(struct se_stream *s, int fd, struct se_err *err);
/* The same from memory that outlives `s` and starts at a multiple of 8. */
int se_stream_read_memory(struct se_stream *s, const void *data, size_t len,
                          struct se_err *err);
void se_stream_release(struct se_stream *s);

/* Write all sections and the end section.  level -1: each section as it is; 0: all plain;
 * 1-9: all deflated. */
int se_stream_write(struct se_stream *s, int fd, int level, struct se_err *err);

/* The section with this tag, or NULL. */
struct se_section *se_stream_find(const struct se_stream *s, uint32_t tag);
static inline bool se_stream_has(const struct se_stream *s, uint32_t tag)
{
    return se_stream_find(s, tag) != NULL;
}

/* Give back what a section owns; the section is empty then. */
void se_section_release(struct se_section *x);

/* The plain payload (inflated if need be), or NULL with `err` set. */
const unsigned char *se_section_plain(struct se_section *x, struct se_err *err);
/* The digest of the plain payload, which is not kept if it has to be inflated for that. */
int se_section_digest(struct se_section *x, struct se_digest *d, struct se_err *err);
/* The first word of the plain payload without inflating more: 1, 0 if it is shorter, -1. */
int se_section_first(struct se_section *x, uint64_t *word, struct se_err *err);

/* A piece of a payload on its way into a stream. */
struct se_piece {
    const void *data;
    uint64_t len;
};

/* Put a section in: in the place of the one with its tag, else at the end.  Its payload is
 * a copy of the parts, each followed by zeros up to a multiple of 8.  `from`: tags of up to
 * two sections of `s` it was derived from, 0 for none.  Views of the section that it
 * replaces are dead.  Sections derived from what was replaced are dropped, unless s->keep. */
int se_stream_put(struct se_stream *s, uint32_t tag, const struct se_piece *part, int parts,
                  const uint32_t from[SE_ORIGINS], struct se_err *err);
/* The same with a payload that is there already, a multiple of 8 bytes from se_room() or, with
 * `mapped` 0, from se_alloc(): the stream has it from here on, and frees it if it fails. */
int se_stream_give_room(struct se_stream *s, uint32_t tag, void *data, uint64_t mapped,
                        uint64_t len, const uint32_t from[SE_ORIGINS], struct se_err *err);
int se_stream_give(struct se_stream *s, uint32_t tag, void *data, uint64_t len,
                   const uint32_t from[SE_ORIGINS], struct se_err *err);
/* Append a copy of a section of another stream, payload and origins unchanged. */
int se_stream_copy(struct se_stream *s, const struct se_section *x, struct se_err *err);
/* The same without copying the payload, which stays in the other stream: that must live longer. */
int se_stream_lend(struct se_stream *s, const struct se_section *x, struct se_err *err);
/* Move the last section to another place. */
void se_stream_move_last(struct se_stream *s, size_t place);
void se_stream_drop(struct se_stream *s, uint32_t tag);

/* Is the section what it says it was derived from?  0, or -1 with `err` set when an origin
 * is in the stream and differs. */
int se_stream_check_origin(struct se_stream *s, uint32_t tag, struct se_err *err);

/* Digest of all content but history. */
int se_stream_digest(struct se_stream *s, struct se_digest *d, struct se_err *err);

/* Names of sections as options and messages have them: "graph", "fused", ... */
const char *se_section_name(uint32_t tag);      /* an unknown tag: its letters, static */
uint32_t se_section_tag(const char *name);      /* 0: no section has this name */
/* Lists of names, as in "tree,model"; NULL: an empty one.  check: all are names of sections, or
 * -1 with `err`, which names the option. */
bool se_section_listed(const char *list, uint32_t tag);
int se_section_check_list(const char *option, const char *list, struct se_err *err);

#endif
