/* record.h - what the files of a folder were made from: a line each in a file beside them */
#ifndef SE_RECORD_H
#define SE_RECORD_H

#include <stdbool.h>

#include "common/base/store.h"

/* A line is NAME, key, digest and milliseconds; NAME is that of `output` without folder and .seg.
 * True: the record in `path` tells of this output and the key e->key; then digest and milliseconds
 * are put into `e`.  The lines of other outputs are added to `rest`; damaged ones are left out. */
bool se_record_read(const char *path, const char *output, struct se_entry *e,
                    struct se_bytes *rest, struct se_err *err);
int se_record_write(const char *path, const char *output, const struct se_entry *e,
                    const struct se_bytes *rest, struct se_err *err);

#endif
