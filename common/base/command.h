/* command.h - run another program, as a shell would */
#ifndef SE_COMMAND_H
#define SE_COMMAND_H

#include "common/base/err.h"

/* The words as they can be pasted into a shell, for the caller to free; NULL with `err`. */
char *se_command_text(char *const *word, int words, struct se_err *err);

/* Run word[0] with the words up to NULL, reading `in` from its start and writing to `out`.  It gets
 * a process group of its own; SIGINT, SIGTERM and SIGHUP are passed on to all of it.  Returns its
 * exit status, 128 + signal if it was killed, 126 or 127 with `err` if it cannot be started, or -1
 * with `err`. */
int se_command_run(char *const *word, int in, int out, struct se_err *err);

/* Start another one beside that, which neither reads nor writes, and do not wait for it.  settle: wait;
 * its exit status, 0 if there is none, -1 if it is unknown.  At most one at a time. */
int se_command_beside(char *const *word, struct se_err *err);
int se_command_settle(void);

#endif
