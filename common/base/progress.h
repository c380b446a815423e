/* progress.h - progress of long work, and the clock
 *
 * A tool begins a bar (se_progress_begin in the frame of the tools); library code calls
 * se_progress_at with what it is given, NULL too; safe from any thread. */
#ifndef SE_PROGRESS_H
#define SE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct se_progress {
    const char *title;
    uint64_t total, most;       /* most: what was shown, a bar never goes back */
    double start, shown;
    bool on;
};
void se_progress_at(struct se_progress *p, uint64_t done);
void se_progress_end(struct se_progress *p);

/* Seconds since some fixed time */
double se_now(void);

#endif
