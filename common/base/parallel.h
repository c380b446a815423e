/* parallel.h - work on several threads */
#ifndef SE_PARALLEL_H
#define SE_PARALLEL_H

#include <stdint.h>

/* Run work(arg, task, thread) for task = 0 .. tasks-1 on up to `threads` threads, the caller
 * among them; each task once; returns when all are done.  A thread begins with a share of
 * consecutive tasks, in calls with as many tasks the same one, so that it may find in its cache
 * what it left there; who is done helps the others.  What a task computes must not depend on the
 * thread it runs on (0 <= thread < threads, for scratch memory).  Threads are started at the first
 * call that needs them and kept.  Call it from one thread only, never from inside `work`. */
typedef void se_work(void *arg, uint64_t task, int thread);
void se_parallel(int threads, uint64_t tasks, se_work *work, void *arg);

/* Run work(arg, from, to) on ranges of rows, together all of them; the ranges do not depend on the
 * threads.  `cost`: about how many operations a row takes. */
typedef void se_range(void *arg, uint64_t from, uint64_t to);
void se_ranges(int threads, uint64_t rows, uint64_t cost, se_range *work, void *arg);
enum { SE_ALONE_COST = 1 << 18 };       /* operations that are worth waking a thread */

/* Numbers too small to be stored in full count as 0 from now on, on this thread and on those that
 * help it; most CPUs take a hundred times longer for them.  Returns the mode as it was, for
 * se_set_float_mode(). */
unsigned se_flush_to_zero(void);
void se_set_float_mode(unsigned mode);

/* The CPUs this process may use: SLURM_CPUS_PER_TASK, OMP_NUM_THREADS, the affinity mask. */
int se_cpus(void);

#endif
