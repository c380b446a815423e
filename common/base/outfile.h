/* outfile.h - an output file that is there whole or not at all; one at a time */
#ifndef SE_OUTPUT_H
#define SE_OUTPUT_H

#include "common/base/err.h"

/* Signals: SIGINT, SIGTERM and SIGHUP remove the unfinished file and end the program as they
 * do by default; SIGBUS (a mapped file shrank) does so with a message; SIGPIPE is ignored,
 * so that write() tells. */
void se_output_signals(const char *tool);

/* Open `path` for writing: beside it, to be renamed, if it is or will be a regular file.
 * NULL or "-" is standard output.  Returns a descriptor, or -1 with `err`. */
int se_output_open(const char *path, struct se_err *err);
/* Whether that would fail, as far as can be seen before: -1 with `err`.  Not for "-". */
int se_output_check(const char *path, struct se_err *err);
/* Close and rename.  0, or -1 with `err` and nothing left behind. */
int se_output_commit(struct se_err *err);
/* Close and remove. */
void se_output_abort(void);

#endif
