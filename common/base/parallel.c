/* parallel.c - a pool of threads */
#include "common/base/parallel.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

enum { MOST = 256 };
enum { LOOK_NS = 200000 };      /* how long to look for what comes next before a thread sleeps */

static struct {
    pthread_mutex_t lock;
    pthread_cond_t start, done;
    int started;                /* helpers that exist; they are never joined */
    int wanted;                 /* helpers that may take part in this round */
    _Atomic int running;        /* that are at it */
    _Atomic unsigned round;     /* 0: closed */
    unsigned rounds;
    _Atomic bool spare;         /* there is a CPU for each thread: it may look before it sleeps */
    se_work *work;
    void *arg;
    uint64_t tasks;
    unsigned float_mode;        /* of the caller */
    struct {                    /* on a line of the cache each: how many tasks of it were taken */
        _Alignas(64) _Atomic uint64_t taken;
    } share[MOST];
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .start = PTHREAD_COND_INITIALIZER,
           .done = PTHREAD_COND_INITIALIZER };

/* Each thread begins with its share of the tasks, whose data may still be in its cache since the
 * last round, and then helps the others with theirs. */
static void work_off(se_work *work, void *arg, uint64_t tasks, int thread)
{
    const uint64_t shares = (uint64_t)pool.wanted + 1;

    for (uint64_t i = 0; i < shares; i++) {
        const uint64_t s = ((uint64_t)thread + i) % shares;
        const uint64_t first = tasks * s / shares, count = tasks * (s + 1) / shares - first;

        for (uint64_t k; (k = atomic_fetch_add(&pool.share[s].taken, 1)) < count;)
            work(arg, first + k, thread);
    }
}

/* How a thread rounds, and what it makes of numbers close to 0 */
static unsigned get_float_mode(void)
{
#ifdef __SSE2__
    return _mm_getcsr();
#else
    return 0;
#endif
}

void se_set_float_mode(unsigned mode)
{
#ifdef __SSE2__
    _mm_setcsr(mode);
#else
    (void)mode;
#endif
}

unsigned se_flush_to_zero(void)
{
    const unsigned mode = get_float_mode();

    se_set_float_mode(mode | 0x8040);      /* what comes out, and what goes in */
    return mode;
}

static void pause_a_little(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

static int64_t nanoseconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static bool is_next(unsigned seen)
{
    const unsigned round = atomic_load_explicit(&pool.round, memory_order_relaxed);

    return round != 0 && round != seen;
}

static bool are_done(unsigned seen)
{
    (void)seen;
    return pool.running == 0;
}

/* Rounds often follow each other within microseconds, and to wake up takes longer, on a virtual
 * machine 50 us. */
static void look(bool (*found)(unsigned), unsigned seen)
{
    const int64_t end = nanoseconds() + LOOK_NS;

    while (pool.spare && nanoseconds() < end)
        for (int i = 0; i < 8; i++) {
            if (found(seen))
                return;
            pause_a_little();
        }
}

static void *helper(void *number)
{
    const int me = (int)(intptr_t)number;
    unsigned seen = 0;

    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (pool.round == 0 || pool.round == seen || me > pool.wanted)
            pthread_cond_wait(&pool.start, &pool.lock);
        seen = pool.round;
        pool.running++;
        pthread_mutex_unlock(&pool.lock);
        se_set_float_mode(pool.float_mode);
        work_off(pool.work, pool.arg, pool.tasks, me);
        pthread_mutex_lock(&pool.lock);
        if (--pool.running == 0)
            pthread_cond_signal(&pool.done);
        pthread_mutex_unlock(&pool.lock);
        look(is_next, seen);
        pthread_mutex_lock(&pool.lock);
    }
    return NULL;
}

static int allowed_cpus(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

/* Start helpers up to `count`; fewer if the system refuses. */
static int start_helpers(int count)
{
    if (pool.started < count)
        pool.spare = allowed_cpus() > count;
    while (pool.started < count) {
        pthread_t thread;

        if (pthread_create(&thread, NULL, helper, (void *)(intptr_t)(pool.started + 1)) != 0)
            break;
        pthread_detach(thread);
        pool.started++;
    }
    return pool.started < count ? pool.started : count;
}

void se_parallel(int threads, uint64_t tasks, se_work *work, void *arg)
{
    if (threads > MOST)
        threads = MOST;
    if (threads > 1 && (uint64_t)threads > tasks)
        threads = (int)tasks;
    if (threads <= 1) {
        for (uint64_t task = 0; task < tasks; task++)
            work(arg, task, 0);
        return;
    }
    pthread_mutex_lock(&pool.lock);
    pool.work = work;
    pool.arg = arg;
    pool.tasks = tasks;
    pool.float_mode = get_float_mode();
    pool.wanted = start_helpers(threads - 1);
    for (int i = 0; i <= pool.wanted; i++)
        atomic_store_explicit(&pool.share[i].taken, 0, memory_order_relaxed);
    pool.rounds += pool.rounds == UINT_MAX ? 2 : 1;
    pool.round = pool.rounds;
    pthread_cond_broadcast(&pool.start);
    pthread_mutex_unlock(&pool.lock);
    work_off(work, arg, tasks, 0);
    pthread_mutex_lock(&pool.lock);
    pool.round = 0;             /* who has not woken up yet is not waited for */
    if (pool.running > 0) {
        pthread_mutex_unlock(&pool.lock);
        look(are_done, 0);
        pthread_mutex_lock(&pool.lock);
    }
    while (pool.running > 0)
        pthread_cond_wait(&pool.done, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

/* A positive whole number in an environment variable, else 0. */
static int from_environment(const char *name)
{
    const char *s = getenv(name);
    char *end;
    const long v = s ? strtol(s, &end, 10) : 0;

    return s && end != s && (*end == '\0' || *end == ',') && v > 0 && v <= MOST ? (int)v : 0;
}

int se_cpus(void)
{
    const int slurm = from_environment("SLURM_CPUS_PER_TASK");
    const int omp = from_environment("OMP_NUM_THREADS");
    const int allowed = allowed_cpus();

    if (slurm || omp)
        return slurm ? slurm : omp;
    return allowed < 1 ? 1 : allowed < MOST ? allowed : MOST;
}

/* ---- ranges of rows ---- */

enum { TASK_COST = 1 << 17 };           /* operations that are worth a task */

struct ranges {
    se_range *work;
    void *arg;
    uint64_t rows, step;
};

static void run_range(void *arg, uint64_t task, int thread)
{
    const struct ranges *r = arg;
    const uint64_t from = task * r->step;

    (void)thread;
    r->work(r->arg, from, r->rows - from < r->step ? r->rows : from + r->step);
}

void se_ranges(int threads, uint64_t rows, uint64_t cost, se_range *work, void *arg)
{
    struct ranges r = { work, arg, rows, TASK_COST / (cost + 1) + 1 };

    if (rows < SE_ALONE_COST / (cost + 1) + 1)
        r.step = rows;
    if (rows > 0)
        se_parallel(threads, (rows + r.step - 1) / r.step, run_range, &r);
}
