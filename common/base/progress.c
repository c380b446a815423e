/* progress.c - a bar on standard error */
#include "common/base/progress.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

double se_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void draw(struct se_progress *p, uint64_t done, double now)
{
    static const char full[] = "##############################";
    const double part = p->total ? (double)done / (double)p->total : 1;
    const int width = (int)sizeof full - 1, filled = (int)(part * width);
    const double left = part > 0 ? (now - p->start) * (1 - part) / part : 0;

    fprintf(stderr, "\r%s [%-*.*s] %3.0f%%  %d:%02d left ", p->title, width, filled, full,
            100 * part, (int)left / 60, (int)left % 60);
    fflush(stderr);
    p->shown = now;
}

void se_progress_at(struct se_progress *p, uint64_t done)
{
    static atomic_flag busy = ATOMIC_FLAG_INIT;

    if (!p || !p->on || atomic_flag_test_and_set(&busy))
        return;
    const double now = se_now();
    if (p->most < done)
        p->most = done < p->total ? done : p->total;
    if (now - p->shown >= 0.1)
        draw(p, p->most, now);
    atomic_flag_clear(&busy);
}

void se_progress_end(struct se_progress *p)
{
    if (p && p->on && p->shown > p->start)
        fprintf(stderr, "\r%79s\r", "");
    if (p)
        p->on = false;
}
