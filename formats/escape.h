/* escape.h - text of a stream between other people's quotes */
#ifndef SE_ESCAPE_H
#define SE_ESCAPE_H

#include "common/base/text.h"

struct se_escape {
    char c;
    const char *as;             /* what to write for it */
};

/* Write text, each character of the table (ended by 0) as it says.  Bytes that are not UTF-8
 * and other control characters become U+FFFD, so the output is always valid. */
void se_out_escaped(struct se_out *out, const char *s, size_t len,
                    const struct se_escape *table);

#endif
