/* textarray.h - a table of numbers without a heading, as an array of a named set */
#ifndef SE_TEXTARRAY_H
#define SE_TEXTARRAY_H

#include "formats/named.h"

/* Read lines of numbers with commas between them (gzip'd or not) as the array `name`: of whole
 * numbers, where nothing and nan are -1, or of floats.  One column: of one dimension. */
int se_text_array(const char *path, bool whole, struct se_named_set *set, const char *name,
                  struct se_err *err);

#endif
