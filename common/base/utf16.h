/* utf16.h - text of programs that write two bytes for each character */
#ifndef SE_UTF16_H
#define SE_UTF16_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"

/* Does a text begin with the byte order mark of UTF-16? */
bool se_utf16_is(const char *text, size_t len);
/* A character as UTF-8: how many bytes it is. */
size_t se_utf8_put(uint32_t c, char out[4]);
/* Is a text UTF-8? */
bool se_utf8_is(const char *text, size_t len);
/* From UTF-16 with its mark to UTF-8 without one.  Half a pair becomes U+FFFD. */
int se_utf16_to_utf8(struct se_bytes *text, struct se_err *err);

#endif
