/* outfile.h - output files, written atomically; one at a time */
#ifndef SE_OUTPUT_H
#define SE_OUTPUT_H

#include <stdbool.h>

#include "common/base/text.h"

/* Signals: SIGINT, SIGTERM and SIGHUP remove the unfinished file and end the program as they
 * do by default; SIGBUS, and SIGSEGV if a mapped file has changed, do so with a message and
 * status 1; SIGPIPE is ignored, so that write() tells. */
void se_output_signals(const char *tool);

/* Open `path` for writing: beside it, to be renamed, if it is or will be a regular file.
 * NULL or "-" is standard output.  Returns a descriptor, or -1 with `err`. */
int se_output_open(const char *path, struct se_err *err);
/* Whether that would fail, as far as can be seen before: -1 with `err`.  Not for "-". */
int se_output_check(const char *path, struct se_err *err);
/* Are files to be synced?  Not if SE_NOSYNC is set, and not 0. */
bool se_output_syncs(void);
/* Sync (unless SE_NOSYNC is set and not 0), close, rename, sync the folder.  0, or -1 with `err`
 * and nothing left behind.  Fails if a mapped input has changed. */
int se_output_commit(struct se_err *err);
/* Close and remove. */
void se_output_abort(void);

/* The same for text: begin, write to `out`, end.  The end commits the file if rc is 0, else removes
 * it; it returns rc or -1. */
int se_output_begin(const char *path, struct se_out *out, struct se_err *err);
int se_output_end(const char *path, struct se_out *out, int rc, struct se_err *err);

#endif
