/* scratch.h - disk in place of memory: files without a name, which go with the process
 *
 * What would not fit the memory limit (common/base/mem.h) is written to disk and mapped; the system
 * keeps as much of it in memory as it likes.  A process takes at most four fifths of what was free
 * on that disk. */
#ifndef SE_SCRATCH_H
#define SE_SCRATCH_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"

/* Where they are if TMPDIR is not set: in the folder of this output file; NULL or "-": /var/tmp. */
void se_scratch_beside(const char *path);

/* Room for `count` items: memory, or disk where memory is short and they are not few.  All of it
 * can be written: a full disk is an error here.  *mapped: its bytes on disk, 0: it is memory.  NULL
 * with `err`. */
void *se_room(uint64_t count, size_t size, uint64_t *mapped, struct se_err *err);
void se_room_free(void *room, uint64_t mapped);

/* A file that grows, and is then read as a whole */
struct se_scratch {
    int file;                   /* descriptor + 1, 0: none yet */
    uint64_t len;
    unsigned char *map;
};
/* Append, at a multiple of 8; *at: where. */
int se_scratch_add(struct se_scratch *x, const void *data, uint64_t len, uint64_t *at,
                   struct se_err *err);
/* All of it, to be read until the release; no more can be added. */
unsigned char *se_scratch_map(struct se_scratch *x, struct se_err *err);
void se_scratch_release(struct se_scratch *x);

#endif
