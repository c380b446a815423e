/* jsonread.h - JSON, one token after the other */
#ifndef SE_JSONREAD_H
#define SE_JSONREAD_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"

enum se_json_token {
    SE_JSON_ERROR = -1, SE_JSON_END,            /* END: the whole text was read */
    SE_JSON_OBJECT, SE_JSON_OBJECT_END, SE_JSON_ARRAY, SE_JSON_ARRAY_END,
    SE_JSON_KEY, SE_JSON_STRING, SE_JSON_NUMBER, SE_JSON_TRUE, SE_JSON_FALSE, SE_JSON_NULL
};

struct se_json {
    const char *start, *at, *end;
    const char *text;           /* of a key or string, escapes as they are, or a number */
    size_t len;
    unsigned depth;             /* open objects and arrays */
    uint64_t objects;           /* bit i: level i is an object */
    int expect;
};

/* `len` bytes with a NUL behind them, which outlive the reader. */
void se_json_init(struct se_json *j, const char *text, size_t len);
/* The next token; commas and colons are checked and left out.  SE_JSON_ERROR sets `err`, with
 * the byte at fault. */
enum se_json_token se_json_next(struct se_json *j, struct se_err *err);

#endif
