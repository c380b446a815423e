/* zip.h - zip archives, which is what an .npz file is
 *
 * Reading believes the central directory only as far as the bytes bear it out: every member
 * lies inside the file, none overlaps another, and what it holds has its size and CRC-32.
 * Zip64 is read, and written where a size or place needs it. */
#ifndef SE_ZIP_H
#define SE_ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/text.h"
#include "common/stream/stream.h"

struct se_zip_member {
    const char *name;           /* points into the archive, not ended by NUL */
    size_t name_len;
    uint64_t start, data;       /* places of its local header and of its bytes */
    uint64_t packed, size;      /* length as stored, and when unpacked */
    uint32_t crc, flags, method;
};

struct se_zip {
    const unsigned char *data;  /* the archive, not owned */
    uint64_t len;
    struct se_zip_member *member;       /* by place in the file */
    size_t count;
};
#define SE_ZIP_INIT { NULL, 0, NULL, 0 }

/* Bytes that are part of the archive, or unpacked into `memory`. */
struct se_blob {
    const unsigned char *data;
    uint64_t len;
    void *memory;
};
#define SE_BLOB_INIT { NULL, 0, NULL }
void se_blob_release(struct se_blob *b);

/* Read the directory of an archive in memory, which must outlive `z`. */
int se_zip_open(struct se_zip *z, const void *data, uint64_t len, struct se_err *err);
void se_zip_release(struct se_zip *z);
/* The member of this name, or NULL. */
const struct se_zip_member *se_zip_find(const struct se_zip *z, const char *name);
/* What a member holds.  Memory grows with what really comes out of it. */
int se_zip_read(const struct se_zip *z, const struct se_zip_member *m, struct se_blob *b,
                struct se_err *err);

/* Writes an archive front to back, without seeking. */
struct se_zip_out {
    struct se_out *out;
    uint64_t at, members;
    struct se_bytes directory;
    uint64_t small;             /* sizes and places from here on take zip64 */
};
void se_zip_begin(struct se_zip_out *w, struct se_out *out);
/* Add a member made of the parts one after the other, deflated if that makes it smaller. */
int se_zip_add(struct se_zip_out *w, const char *name, const struct se_piece *part, int parts,
               struct se_err *err);
/* Write the directory.  In any case forget everything. */
int se_zip_end(struct se_zip_out *w, struct se_err *err);
void se_zip_out_release(struct se_zip_out *w);

#endif
