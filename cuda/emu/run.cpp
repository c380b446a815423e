/* run.cpp - runs a kernel: blocks one after the other, the threads of a block as fibers
 *
 * A thread runs until it waits.  Threads that never wait share one stack and cost no switch;
 * one that waits keeps its stack, and the next thread gets another.  The last thread to arrive
 * at a barrier or collective does the work for all and goes on. */
#include "fiber.h"

#include <cstdio>
#include <cstring>

uint3 threadIdx, blockIdx;
dim3 blockDim, gridDim;
uint64_t emu_block;
const emu_kernel *emu_running;
int emu_thread_now;
const char *emu_stack_top;

struct site { const char *file; int line; };

struct thread {
    emu_fiber *fiber;               /* NULL before it starts */
    site at;                        /* where it waits */
    emu_op op;
    int arg, width;
    unsigned mask;
    uint64_t value;
    uint3 index;
};

struct warp { unsigned ready, waiting, left; };     /* lanes; waiting: at a collective */

static thread threads[EMU_MAX_THREADS];
static warp warps[EMU_MAX_WARPS];
static unsigned warps_ready;        /* warps with a ready lane */
static int n_threads, n_warps, n_alive;
static int n_barrier;               /* threads waiting at the barrier */
static site barrier;
static int barrier_first;           /* who came first, for messages */
static emu_fiber host;              /* the stack of the caller */
static emu_fiber *idle;
static emu_order order;


void emu_where(char *text, size_t size)
{
    snprintf(text, size, "kernel %s (launched at %s:%d), block (%u,%u,%u), thread (%u,%u,%u)",
             emu_running->name, emu_running->file, emu_running->line, blockIdx.x, blockIdx.y,
             blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
}

static const char *thread_name(int t)
{
    static char text[2][48];
    static int turn;
    const uint3 *i = &threads[t].index;

    turn = !turn;
    snprintf(text[turn], sizeof text[turn], "thread (%u,%u,%u)", i->x, i->y, i->z);
    return text[turn];
}

static int choose(unsigned mask)
{
    switch (order) {
    case EMU_FORWARD: return __builtin_ctz(mask);
    case EMU_REVERSE: return 31 - __builtin_clz(mask);
    default: break;
    }
    int r = (int)(emu_random() & 31);
    unsigned turned = r ? mask >> r | mask << (32 - r) : mask;
    return (__builtin_ctz(turned) + r) & 31;
}

static void make_ready(int w, unsigned lanes)
{
    warps[w].ready |= lanes;
    if (warps[w].ready)
        warps_ready |= 1u << w;
}

/* The next thread that can run, -1 for none */
static int pick()
{
    int w = emu_thread_now >> 5;

    if (!warps_ready)
        return -1;
    if (order == EMU_RANDOM || !warps[w].ready)
        w = choose(warps_ready);
    int lane = choose(warps[w].ready);
    warps[w].ready &= ~(1u << lane);
    if (!warps[w].ready)
        warps_ready &= ~(1u << w);
    return w * 32 + lane;
}

static void set_current(int t)
{
    emu_thread_now = t;
    threadIdx = threads[t].index;
    if (threads[t].fiber)
        emu_stack_top = threads[t].fiber->top;
}

/* Nobody can go on: say who waits where.  The checks on arrival leave few ways to get here. */
[[noreturn]] static void stuck()
{
    for (int t = 0; t < n_threads; t++)
        if (warps[t >> 5].waiting >> (t & 31) & 1)
            emu_fatal("nobody can go on: %s waits at %s:%d for lanes 0x%08x", thread_name(t),
                      threads[t].at.file, threads[t].at.line, threads[t].mask);
    emu_fatal("nobody can go on: %d of %d threads wait at barrier %s:%d", n_barrier, n_threads,
              barrier.file, barrier.line);
}

static void leave_thread(int t)
{
    warp *w = &warps[t >> 5];
    unsigned lane = 1u << (t & 31);

    if (n_barrier)
        emu_fatal("leaves the kernel while %s waits at barrier %s:%d",
                  thread_name(barrier_first), barrier.file, barrier.line);
    for (unsigned m = w->waiting; m; m &= m - 1) {
        thread *o = &threads[(t & ~31) + __builtin_ctz(m)];
        if (o->mask & lane)
            emu_fatal("leaves the kernel while %s waits for it at %s:%d (mask 0x%08x)",
                      thread_name((int)(o - threads)), o->at.file, o->at.line, o->mask);
    }
    w->left |= lane;
    n_alive--;
}

/* Runs threads on this stack until the block is done; a fiber comes back for the next block */
static void work(emu_fiber *self)
{
    for (;;) {
        int t = self->task;

        threads[t].fiber = self;
        emu_stack_top = self->top;
        emu_running->call->run();
        leave_thread(t);
        if (n_alive == 0 && self == &host)
            return;
        int next = n_alive ? pick() : -1;
        if (n_alive && next < 0)
            stuck();
        if (next >= 0)
            set_current(next);
        if (next >= 0 && !threads[next].fiber) {
            self->task = next;
            continue;
        }
        if (self != &host) {
            self->next = idle;
            idle = self;
        }
        emu_fiber_switch(self, next >= 0 ? threads[next].fiber : &host);
        if (self == &host)              /* parked until the block is done */
            return;
    }
}

/* The current thread waits: let others run until it is ready again */
static void wait()
{
    int t = emu_thread_now, next = pick();

    if (next < 0)
        stuck();
    emu_fiber *to = threads[next].fiber;
    if (!to) {
        if (idle) {
            to = idle;
            idle = idle->next;
        } else {
            to = emu_fiber_new(work);
        }
        to->task = next;
    }
    set_current(next);
    emu_fiber_switch(threads[t].fiber, to);
}

static bool same(site a, site b)
{
    return a.line == b.line && (a.file == b.file || strcmp(a.file, b.file) == 0);
}

static void in_kernel(const char *what, const char *file, int line)
{
    if (!emu_running)
        emu_fatal("%s:%d: %s outside of a kernel", file, line, what);
}

void __syncthreads(const char *file, int line)
{
    int t = emu_thread_now, w = t >> 5;

    in_kernel("__syncthreads", file, line);
    for (unsigned m = warps[w].waiting; m; m &= m - 1) {
        thread *o = &threads[w * 32 + __builtin_ctz(m)];
        if (o->mask >> (t & 31) & 1)
            emu_fatal("is at barrier %s:%d while %s waits for it at %s:%d (mask 0x%08x)", file,
                      line, thread_name((int)(o - threads)), o->at.file, o->at.line, o->mask);
    }
    if (n_alive < n_threads)
        for (int o = 0; o < n_threads; o++)
            if (warps[o >> 5].left >> (o & 31) & 1)
                emu_fatal("waits at barrier %s:%d, but %s has left the kernel", file, line,
                          thread_name(o));
    if (n_barrier == 0) {
        barrier = { file, line };
        barrier_first = t;
    } else if (!same(barrier, { file, line })) {
        emu_fatal("waits at barrier %s:%d while %s waits at barrier %s:%d", file, line,
                  thread_name(barrier_first), barrier.file, barrier.line);
    }
    threads[t].at = { file, line };
    if (++n_barrier < n_threads) {
        wait();
        return;
    }
    n_barrier = 0;
    emu_check_barrier();
    for (int o = 0; o < n_warps; o++) {
        int lanes = n_threads - o * 32;
        make_ready(o, (lanes >= 32 ? ~0u : (1u << lanes) - 1) & ~(o == w ? 1u << (t & 31) : 0));
    }
}

/* The lane a shuffle reads from; its own where the source lies outside of its segment */
static int source(const thread *t, int lane)
{
    int first = lane & ~(t->width - 1), last = first + t->width - 1, from = lane;

    switch (t->op) {
    case EMU_SHFL: return first + (t->arg & (t->width - 1));
    case EMU_UP:   from = lane - t->arg; return from < first ? lane : from;
    case EMU_DOWN: from = lane + t->arg; return from > last ? lane : from;
    case EMU_XOR:  from = lane ^ t->arg; return from > last ? lane : from;
    default:       return lane;
    }
}

/* All lanes of the mask are here: give everyone its result */
static void complete(thread *base, unsigned mask)
{
    uint64_t in[32], all = 0;
    const thread *one = &base[__builtin_ctz(mask)];

    for (unsigned m = mask; m; m &= m - 1) {
        int lane = __builtin_ctz(m);
        const thread *t = &base[lane];
        if (t->mask != mask || t->op != one->op || !same(t->at, one->at))
            emu_fatal("lane %d is at %s:%d with mask 0x%08x, lane %d at %s:%d with mask 0x%08x",
                      __builtin_ctz(mask), one->at.file, one->at.line, one->mask, lane,
                      t->at.file, t->at.line, t->mask);
        in[lane] = t->value;
        all |= (t->value & 1) << lane;
    }
    if (one->op == EMU_SYNCWARP)
        return;
    for (unsigned m = mask; m; m &= m - 1) {
        int lane = __builtin_ctz(m);
        thread *t = &base[lane];
        if (t->op < EMU_SHFL) {
            t->value = all;
            continue;
        }
        int from = source(t, lane);
        if (from < 0 || from > 31 || !(mask >> from & 1))
            emu_fatal("shuffle %s:%d: lane %d reads lane %d, which is not in mask 0x%08x",
                      t->at.file, t->at.line, lane, from, mask);
        t->value = in[from];
    }
}

/* Lanes of the mask that will never come: exited, absent or waiting elsewhere */
static void check_lanes(int w, unsigned mask, const char *file, int line)
{
    int lanes = n_threads - w * 32;
    unsigned absent = lanes >= 32 ? 0 : ~((1u << lanes) - 1);

    if (mask & absent)
        emu_fatal("collective %s:%d: mask 0x%08x names lane %d, but the warp has %d lanes", file,
                  line, mask, __builtin_ctz(mask & absent), lanes);
    if (mask & warps[w].left)
        emu_fatal("collective %s:%d: mask 0x%08x names lane %d, which has left the kernel", file,
                  line, mask, __builtin_ctz(mask & warps[w].left));
    if (n_barrier)
        for (unsigned m = mask & ~warps[w].waiting & ~warps[w].ready; m; m &= m - 1) {
            int t = w * 32 + __builtin_ctz(m);
            if (t != emu_thread_now && threads[t].fiber)
                emu_fatal("collective %s:%d: mask 0x%08x names lane %d, which waits at barrier "
                          "%s:%d", file, line, mask, t & 31, barrier.file, barrier.line);
        }
}

uint64_t emu_collective(emu_op op, unsigned mask, uint64_t value, int arg, int width,
                        const char *file, int line)
{
    in_kernel("a collective", file, line);

    int t = emu_thread_now, w = t >> 5, lane = t & 31;
    thread *me = &threads[t], *base = &threads[w * 32];

    if (!(mask >> lane & 1))
        emu_fatal("collective %s:%d: lane %d is not in its own mask 0x%08x", file, line, lane,
                  mask);
    if (width < 1 || width > 32 || (width & (width - 1)))
        emu_fatal("shuffle %s:%d: width %d is not a power of two up to 32", file, line, width);
    check_lanes(w, mask, file, line);
    me->at = { file, line };
    me->op = op;
    me->arg = arg;
    me->width = width;
    me->mask = mask;
    me->value = value;
    unsigned here = warps[w].waiting & mask;
    if (here) {
        thread *o = &base[__builtin_ctz(here)];
        if (o->mask != mask || o->op != op || !same(o->at, me->at))
            emu_fatal("collective %s:%d (mask 0x%08x), but %s waits at %s:%d (mask 0x%08x)", file,
                      line, mask, thread_name((int)(o - threads)), o->at.file, o->at.line,
                      o->mask);
    }
    if ((here | 1u << lane) != mask) {
        warps[w].waiting |= 1u << lane;
        wait();
        return me->value;
    }
    complete(base, mask);
    if (op == EMU_SYNCWARP)
        emu_check_syncwarp(w, mask);
    warps[w].waiting &= ~mask;
    make_ready(w, mask & ~(1u << lane));
    return me->value;
}

void __trap(const char *file, int line)
{
    emu_fatal("__trap() at %s:%d", file, line);
}

static void run_block(const emu_kernel *k, uint64_t number)
{
    uint64_t row = number / k->grid.x;

    blockIdx = { (unsigned)(number % k->grid.x), (unsigned)(row % k->grid.y),
                 (unsigned)(row / k->grid.y) };
    emu_block++;
    emu_shared_start(k->shared);
    emu_check_block((unsigned)number, n_threads);
    n_alive = n_threads;
    n_barrier = 0;
    for (int t = 0; t < n_threads; t++)
        threads[t].fiber = NULL;
    for (int w = 0; w < n_warps; w++) {
        int lanes = n_threads - w * 32;
        warps[w] = { 0, 0, 0 };
        make_ready(w, lanes >= 32 ? ~0u : (1u << lanes) - 1);
    }
    emu_thread_now = order == EMU_REVERSE ? n_threads - 1 : 0;
    host.task = pick();
    set_current(host.task);
    work(&host);
    emu_shared_verify();
}

/* Block i of the order: forward, backward, or a walk with a stride prime to their number */
void emu_run(const emu_kernel *k)
{
    uint64_t n = (uint64_t)k->grid.x * k->grid.y * k->grid.z, stride = 1, at = 0;

    order = emu_env()->order;
    emu_running = k;
    gridDim = k->grid;
    blockDim = k->block;
    n_threads = (int)(k->block.x * k->block.y * k->block.z);
    n_warps = (n_threads + 31) / 32;
    for (int t = 0; t < n_threads; t++) {
        unsigned u = (unsigned)t, x = k->block.x, y = k->block.y;
        threads[t].index = { u % x, u / x % y, u / x / y };
    }
    host = emu_fiber();
    host.top = (char *)__builtin_frame_address(0);
    if (order == EMU_REVERSE) {
        at = n - 1;
        stride = n - 1;
    } else if (order == EMU_RANDOM) {
        uint64_t a, b;
        at = emu_random() % n;
        do {
            stride = a = 1 + emu_random() % n;
            for (b = n; b; ) {
                uint64_t r = a % b;
                a = b;
                b = r;
            }
        } while (a != 1);
    }
    emu_check_kernel();
    for (uint64_t i = 0; i < n; i++) {
        run_block(k, at);
        at = (at + stride) % n;
    }
    emu_memory_verify();
    emu_running = NULL;
}
