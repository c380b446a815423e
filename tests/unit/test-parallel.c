/* test-parallel.c - every task once, whatever the number of threads */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/parallel.h"
#include "tests/unit/unit.h"

enum { MOST = 1000 };

struct job {
    int threads;
    _Atomic int times[MOST], inside[256];
    _Atomic int faults;
};

static void work(void *arg, uint64_t task, int thread)
{
    struct job *j = arg;

    if (thread < 0 || thread >= j->threads || atomic_fetch_add(&j->inside[thread], 1) != 0)
        j->faults++;                            /* a thread does one task at a time */
    j->times[task]++;
    for (volatile int i = 0; i < (int)(task % 7) * 50; i++)
        ;
    atomic_fetch_sub(&j->inside[thread], 1);
}

static void test_once(void)
{
    static struct job j;

    for (int threads = 0; threads <= 9; threads++)
        for (uint64_t tasks = 0; tasks < MOST; tasks = tasks * 3 + 1) {
            memset(&j, 0, sizeof j);
            j.threads = threads < 1 ? 1 : threads;
            se_parallel(threads, tasks, work, &j);
            for (uint64_t i = 0; i < MOST; i++)
                CHECK(j.times[i] == (i < tasks));
            CHECK(j.faults == 0);
        }
    unit_ok("parallel: each task once, on threads below their number");
}

/* Many short rounds with changing numbers of threads: none is lost or run in another */
static void test_rounds(void)
{
    static struct job j;
    uint64_t wrong = 0;

    for (int round = 0; round < 500; round++) {
        const uint64_t tasks = (uint64_t)round % 9;

        memset(&j, 0, sizeof j);
        j.threads = 1 + round % 5;
        se_parallel(j.threads, tasks, work, &j);
        for (uint64_t i = 0; i < 9; i++)
            wrong += j.times[i] != (i < tasks);
        wrong += (uint64_t)j.faults;
    }
    CHECK(wrong == 0);
    unit_ok("parallel: 500 rounds of few tasks");
}

struct tiny {
    float small;
    _Atomic int zeros;
};

static void make_smaller(void *arg, uint64_t task, int thread)
{
    struct tiny *t = arg;
    volatile float product = t->small;

    (void)task;
    (void)thread;
    product *= 0.25f;
    for (volatile int i = 0; i < 2000; i++)     /* so that helpers come in time */
        ;
    t->zeros += product == 0;
}

/* Helpers take numbers close to 0 as the caller does. */
static void test_float_mode(void)
{
    struct tiny t = { 2e-38f, 0 };
    unsigned mode;

    se_parallel(4, 400, make_smaller, &t);
    CHECK(t.zeros == 0);
    mode = se_flush_to_zero();
    se_parallel(4, 400, make_smaller, &t);
#ifdef __SSE2__
    CHECK(t.zeros == 400);
#endif
    se_set_float_mode(mode);
    t.zeros = 0;
    se_parallel(4, 400, make_smaller, &t);
    CHECK(t.zeros == 0);
    unit_ok("parallel: numbers close to 0 on all threads");
}

static void test_cpus(void)
{
    unsetenv("SLURM_CPUS_PER_TASK");
    unsetenv("OMP_NUM_THREADS");
    const int here = se_cpus();
    CHECK(here >= 1);
    setenv("OMP_NUM_THREADS", "3", 1);
    CHECK(se_cpus() == 3);
    setenv("SLURM_CPUS_PER_TASK", "5", 1);
    CHECK(se_cpus() == 5);
    setenv("SLURM_CPUS_PER_TASK", "none", 1);
    CHECK(se_cpus() == 3);
    setenv("OMP_NUM_THREADS", "4,2", 1);        /* nested levels */
    CHECK(se_cpus() == 4);
    setenv("OMP_NUM_THREADS", "-4", 1);
    CHECK(se_cpus() == here);
    setenv("OMP_NUM_THREADS", "99999999999999999999", 1);
    CHECK(se_cpus() == here);
    unit_ok("parallel: the number of CPUs");
}

int main(void)
{
    test_once();
    test_rounds();
    test_float_mode();
    test_cpus();
    return unit_done();
}
