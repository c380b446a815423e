/* cache_key.h - what the result of a command of se-cache depends on */
#ifndef SE_CACHE_KEY_H
#define SE_CACHE_KEY_H

#include "common/cli/tool.h"
#include "common/stream/resultkey.h"

struct cache_key {
    char **word;                /* the command */
    int words;
    int input;                  /* a descriptor */
    const char *input_name;
    const char *input_digest, *append;          /* as the options; NULL: not given */
    struct se_list also;
    struct se_key key;          /* in the making; its text tells of all of that */
};

/* 0, or -1 with `err`.  The text is the caller's to release. */
int cache_key_make(struct cache_key *w, char key[SE_DIGEST_TEXT], struct se_err *err);

#endif
