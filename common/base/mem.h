/* mem.h - checked allocation: an overflowing size and a failing allocator are errors */
#ifndef SE_MEM_H
#define SE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"

/* How many are read or gathered at a time.  Few in fuzzers, whose small inputs would never cross
 * the end of a block. */
#ifdef SE_SMALL_BLOCKS
#define SE_BLOCK(many) 256
#else
#define SE_BLOCK(many) (many)
#endif

/* A limit on the memory of this process: what is asked for beyond it is an error that names the
 * limit.  It holds for se_alloc() and its kin, so for all that is inflated, decoded or sized by a
 * number of a file; mapped files do not count.  `text`: bytes, or a number with K, M, G or T
 * (powers of 1024), "none", or NULL for four fifths of what is free when it is first asked for.
 * Without this call there is no limit.  Returns 0, or -1 with `err` (SE_EUSAGE). */
int se_memory_limit(const char *text, struct se_err *err);
/* Would `bytes` more be within it?  0, or -1 with `err`. */
int se_memory_check(uint64_t bytes, struct se_err *err);
/* Would so many more leave less than a quarter of it?  Where there is a way without, it is time. */
bool se_memory_short(uint64_t bytes);
/* From now on the system, too, refuses more than the limit, to libraries that allocate by themselves. */
void se_memory_enforce(void);

/* Room for `count` items of `size` bytes, or NULL with `err` set.  Never NULL for 0 items.
 * se_zalloc clears it.  Give it back with free(). */
void *se_alloc(uint64_t count, size_t size, struct se_err *err);
void *se_zalloc(uint64_t count, size_t size, struct se_err *err);
/* Large arrays in large pages, as these two have them: what is read here and there misses fewer of
 * them, and new memory comes with fewer interruptions.  For other memory, before it is written. */
void se_large_pages(void *p, size_t bytes);

/* Make the array *p of *cap items hold at least `need`, growing by half.  Returns 0, or -1
 * with `err` set and the array as it was. */
int se_grow(void *p, size_t *cap, uint64_t need, size_t size, struct se_err *err);

/* Copies with se_alloc: a string, or the first `len` bytes of one. */
char *se_strdup(const char *s, struct se_err *err);
char *se_strndup(const char *s, size_t len, struct se_err *err);

/* A string of bytes that grows; data is NULL while it is empty. */
struct se_bytes {
    char *data;
    size_t len, cap;
};
#define SE_BYTES_INIT { NULL, 0, 0 }
int se_bytes_add(struct se_bytes *b, const void *data, size_t len, struct se_err *err);
void se_bytes_release(struct se_bytes *b);

#endif
