/* watch.h - detects changes of mapped input files
 *
 * What is mapped is checked once and used later.  Who writes into the file meanwhile changes
 * numbers behind the checks, so nothing may be written that was computed from such a file. */
#ifndef SE_WATCH_H
#define SE_WATCH_H

#include <stdbool.h>

#include "common/base/err.h"

/* Remember length and time of the file of this descriptor, which may be closed then.  A ticket
 * above 0, or 0 if no more can be watched: read the file then, do not map it. */
int se_watch_add(int fd);
/* It is not mapped any more; whether it had changed by now is kept. */
void se_watch_drop(int ticket);
/* Has any of them changed?  Fit for signal handlers. */
bool se_watch_changed(void);
/* The same as an error: 0, or -1 with `err`. */
int se_watch_check(struct se_err *err);

#endif
