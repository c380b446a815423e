/* store.h - a folder of results, each under a key, for several programs at a time
 *
 * An entry is two files: KEY-RESULT holds the bytes, KEY.txt tells about them, and is renamed
 * into place last.  RESULT is a digest that the caller checks after reading.  Only files that
 * belong to the user and that nobody else may write are used, and no symbolic link is followed. */
#ifndef SE_STORE_H
#define SE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/digest.h"
#include "common/base/mem.h"

struct se_store {
    int folder;                 /* a descriptor, or -1 */
    char host[65];              /* part of temporary names */
};
#define SE_STORE_INIT { -1, "" }

struct se_entry {
    char key[SE_DIGEST_TEXT], result[SE_DIGEST_TEXT];
    uint64_t size, ms;          /* bytes; what it took */
    int64_t used;               /* seconds since 1970, set on reading */
    char *about;                /* lines: input, command, files */
};
#define SE_ENTRY_INIT { "", "", 0, 0, 0, NULL }
void se_entry_release(struct se_entry *e);

/* Open the folder, made if need be.  It is refused if another user owns it or others may write. */
int se_store_open(struct se_store *s, const char *path, struct se_err *err);
void se_store_close(struct se_store *s);

/* What is told about a key: 1 with `e` filled, 0 if there is nothing, -1 with `err` if that is
 * damaged or not to be trusted. */
int se_store_about(struct se_store *s, const char *key, struct se_entry *e, struct se_err *err);
/* A descriptor of its bytes, or -1 with `err`.  It counts as used now. */
int se_store_bytes(struct se_store *s, const struct se_entry *e, struct se_err *err);
/* Make the file of such a descriptor appear as `path` too, so that no bytes are copied.  False if
 * that cannot be. */
bool se_store_link(const struct se_store *s, int from, const char *path);
/* Keep the bytes of `fd`, which is the file `path` (NULL: without a name): a second link of it
 * where that is safe, else a copy. */
int se_store_put(struct se_store *s, const struct se_entry *e, int fd, const char *path,
                 struct se_err *err);
void se_store_remove(struct se_store *s, const struct se_entry *e);

/* Call each(arg, e) for every sound entry; -1 of it ends the walk.  Files that belong to no entry
 * and are older than an hour are removed. */
int se_store_walk(struct se_store *s, int (*each)(void *arg, struct se_entry *e), void *arg,
                  struct se_err *err);
/* Remove the entries used longest ago until `limit` bytes are left; 0 removes all. */
int se_store_prune(struct se_store *s, uint64_t limit, struct se_err *err);

/* Copy all bytes of one file to the other, from where they stand. */
int se_copy_fd(int from, int to, struct se_err *err);

#endif
