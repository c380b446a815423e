/* resultkey.h - what the result of a command depends on, as one digest */
#ifndef SE_RESULTKEY_H
#define SE_RESULTKEY_H

#include "common/base/digest.h"
#include "common/base/mem.h"

struct se_key {
    struct se_hash hash;        /* se_hash_init() it */
    struct se_bytes about;      /* a line for each thing: input, command, file */
};

/* The digest that se-check prints.  A stream that is not sound is an error. */
int se_digest_stream(int fd, struct se_digest *d, struct se_err *err);
/* The same for a stream, the digest of its bytes for any other file */
int se_digest_any(int fd, struct se_digest *d, struct se_err *err);

void se_key_text(struct se_key *k, const char *s);
/* Add the line KIND, DIGEST (may be NULL), TEXT to `about`; control characters become '?'. */
int se_key_tell(struct se_key *k, const char *kind, const char *digest, const char *text,
                struct se_err *err);
/* The content of a regular file, or of a program on PATH: 1, 0 if it is neither, -1 with `err` */
int se_key_file(struct se_key *k, const char *name, struct se_err *err);
/* All files and programs in a word, also inside a pipeline for a shell, --option=FILE and
 * NAME=VALUE.  What comes behind > is written, not read. */
int se_key_word(struct se_key *k, const char *word, struct se_err *err);

#endif
