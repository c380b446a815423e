/* position.h - vertices that are pieces of a sequence, named such as chr1:10000-20000 */
#ifndef SE_POSITION_H
#define SE_POSITION_H

#include "common/stream/section.h"

struct se_position {
    const char *sequence;       /* within the name, not ended by NUL */
    size_t len;
    uint64_t start, end;        /* start < end */
};

/* Is the name SEQUENCE:START-END?  The sequence has no blanks. */
bool se_position_parse(const char *name, size_t len, struct se_position *p);
/* Are all names positions, and is there one? */
bool se_position_all(const struct se_names *x);
/* Below, equal or above 0.  Digits in the names of sequences are numbers: chr2 before chr10. */
int se_position_compare(const struct se_position *a, const struct se_position *b);

#endif
