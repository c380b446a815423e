/* check.cpp - the checked build: every load and store of a kernel is looked at
 *
 * Kernels are compiled with -fsanitize=thread but linked with the functions below instead of
 * the sanitizer's.  For each word of device and shared memory they remember who wrote it last
 * and two who read it, and which bytes were ever written.  Two accesses of which one writes must
 * be the same thread's, or ordered by __syncthreads, __syncwarp or the end of a kernel, or both
 * atomic; between blocks of a kernel nothing orders. */
#include "fiber.h"

#include <cstdio>
#include <cstring>
#include <link.h>
#include <sys/mman.h>
#include <vector>

enum kind : uint8_t { NOTHING, PLAIN, ATOMIC };

struct past {
    int32_t pc;                     /* relative to anchor() */
    uint32_t block, epoch, clock;
    uint16_t thread;
    uint8_t bytes;                  /* of the word, a bit each */
    kind how;
};

struct cell { past write, read[2]; uint32_t unused; };

enum { WORD = 4, VALID = 1, INIT = 16 };        /* state: VALID << byte, INIT << byte */

static uint8_t *states;
static cell *cells;
static uint32_t epoch = 1, kernel_epoch, block_epoch, block_number;
static uint32_t clocks[EMU_MAX_WARPS][32][32];  /* [warp][lane]: what it knows of each lane */

static void anchor() {}

static void start()
{
    size_t words = emu_arena_size / WORD;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *s = mmap(NULL, words, PROT_READ | PROT_WRITE, flags, -1, 0);
    void *c = mmap(NULL, words * sizeof(cell), PROT_READ | PROT_WRITE, flags, -1, 0);

    if (s == MAP_FAILED || c == MAP_FAILED)
        emu_fatal("no address space to check memory");
    states = (uint8_t *)s;
    cells = (cell *)c;
}

static size_t offset(const void *p) { return (size_t)((const char *)p - emu_arena); }

/* Bytes of word w that [from, to) covers */
static unsigned covered(size_t w, size_t from, size_t to)
{
    size_t first = from > w * WORD ? from - w * WORD : 0;
    size_t last = to < (w + 1) * WORD ? to - w * WORD : (size_t)WORD;

    return (1u << last) - (1u << first);
}

void emu_check_valid(const void *p, size_t bytes, bool valid, bool init)
{
    size_t from = offset(p), to = from + bytes;

    if (!states)
        start();
    unsigned bits = (valid ? VALID : 0) | (init ? INIT : 0);
    size_t whole = (from + WORD - 1) / WORD, end = to / WORD;
    for (size_t w = from / WORD; w * WORD < to; w++) {
        if (w == whole && w < end) {
            memset(states + w, (int)(bits * 15), end - w);
            w = end - 1;
            continue;
        }
        unsigned b = covered(w, from, to);
        states[w] = (uint8_t)((states[w] & ~(b * (VALID | INIT))) | b * bits);
    }
}

void emu_check_init(const void *p, size_t bytes)
{
    if (bytes)
        emu_check_valid(p, bytes, true, true);
}

/* A copy carries what is initialised along */
void emu_check_move(void *to, const void *from, size_t bytes)
{
    if (!emu_is_device(to))
        return;
    emu_check_init(to, bytes);
    if (!emu_is_device(from))
        return;
    size_t a = offset(to), b = offset(from);
    for (size_t i = 0; i < bytes; i++)
        if (!(states[(b + i) / WORD] & INIT << (b + i) % WORD))
            states[(a + i) / WORD] &= (uint8_t)~(INIT << (a + i) % WORD);
}

void emu_check_reads(const char *what, const void *p, size_t bytes, const char *file, int line)
{
    size_t from = offset(p), to = from + bytes;

    for (size_t w = from / WORD; w * WORD < to; w++) {
        unsigned b = covered(w, from, to) * INIT;
        if ((states[w] & b) != b) {
            char text[256];
            emu_describe(emu_arena + w * WORD, text, sizeof text);
            emu_fatal("%s:%d: %s: uninitialised: %s", file, line, what, text);
        }
    }
}

void emu_check_kernel() { kernel_epoch = ++epoch; }
void emu_check_barrier() { epoch++; }

void emu_check_block(unsigned block, int threads)
{
    block_number = block;
    block_epoch = ++epoch;
    memset(clocks, 0, sizeof clocks[0] * (size_t)((threads + 31) / 32));
    for (int t = 0; t < threads; t++)
        clocks[t / 32][t % 32][t % 32] = 1;
}

/* All lanes of the mask learn what any of them knows */
void emu_check_syncwarp(int warp, unsigned mask)
{
    uint32_t all[32] = { 0 };

    for (unsigned m = mask; m; m &= m - 1)
        for (int i = 0; i < 32; i++)
            all[i] = max(all[i], clocks[warp][__builtin_ctz(m)][i]);
    for (unsigned m = mask; m; m &= m - 1) {
        int lane = __builtin_ctz(m);
        memcpy(clocks[warp][lane], all, sizeof all);
        clocks[warp][lane][lane]++;
    }
}

static void describe_thread(const past *p, char *text, size_t size)
{
    dim3 g = emu_running->grid, b = emu_running->block;
    unsigned t = p->thread, k = p->block;

    if (k == block_number)
        snprintf(text, size, "thread (%u,%u,%u)", t % b.x, t / b.x % b.y, t / b.x / b.y);
    else
        snprintf(text, size, "thread (%u,%u,%u) of block (%u,%u,%u)", t % b.x, t / b.x % b.y,
                 t / b.x / b.y, k % g.x, k / g.x % g.y, k / g.x / g.y);
}

[[noreturn]] __attribute__((noinline, cold)) static void race(const char *now, const void *pc,
                                                              const char *then, const past *p,
                                                              size_t word)
{
    char what[256], who[96], here[512];

    emu_describe(emu_arena + word * WORD, what, sizeof what);
    describe_thread(p, who, sizeof who);
    snprintf(here, sizeof here, "%s", emu_place(pc));
    emu_fatal("race: %s at %s what %s %s at %s, nothing ordering them: %s", now, here, who, then,
              emu_place((const char *)anchor + p->pc), what);
}

/* May the earlier access and the one of this thread happen in either order? */
static bool unordered(const past *p, int thread, bool shared)
{
    if (!p->how || p->epoch < (shared ? block_epoch : kernel_epoch))
        return false;
    if (p->block != block_number)
        return true;
    if (p->thread == thread || p->epoch < epoch)
        return false;
    return p->thread / 32 != thread / 32 ||
           p->clock > clocks[thread / 32][thread % 32][p->thread % 32];
}

/* The rare ways out, apart, so that the common one stays short */
[[noreturn]] __attribute__((noinline, cold)) static void bad_state(size_t w, unsigned bytes,
                                                                   const void *pc)
{
    unsigned outside = bytes & ~(states[w] / VALID);
    char text[256];

    emu_describe(emu_arena + w * WORD + (outside ? __builtin_ctz(outside) : 0), text, sizeof text);
    emu_fatal("%s: %s: %s", emu_place(pc),
              outside ? "out of bounds" : "reads uninitialised memory", text);
}

static inline void look(size_t w, unsigned bytes, bool write, kind how, const void *pc)
{
    const int t = emu_thread_now;
    const bool shared = w * WORD < EMU_SHARED_ROOM;
    const unsigned need = bytes * (write && how == PLAIN ? VALID : VALID | INIT);
    cell *c = &cells[w];

    if ((states[w] & need) != need)
        bad_state(w, bytes, pc);
    if ((c->write.bytes & bytes) && !(how == ATOMIC && c->write.how == ATOMIC) &&
        unordered(&c->write, t, shared))
        race(how == ATOMIC ? "changes" : write ? "writes" : "reads", pc,
             c->write.how == ATOMIC ? "changed" : "wrote", &c->write, w);
    const past me = { (int32_t)((const char *)pc - (const char *)anchor), block_number, epoch,
                      clocks[t / 32][t % 32][t % 32], (uint16_t)t, (uint8_t)bytes, how };
    if (!write) {
        if (c->read[0].thread != t || c->read[0].block != block_number)
            c->read[1] = c->read[0];
        c->read[0] = me;
        return;
    }
    for (const past &r : c->read)
        if ((r.bytes & bytes) && unordered(&r, t, shared))
            race(how == ATOMIC ? "changes" : "writes", pc, "read", &r, w);
    states[w] |= (uint8_t)(bytes * INIT);
    c->write = me;
}

/* Memory of the program itself: its tables, but not its heap and not its stack */
static bool loaded(const char *p)
{
    struct range { const char *first, *last; };
    static std::vector<range> ranges;
    auto add = [](struct dl_phdr_info *info, size_t, void *) {
        for (int i = 0; i < info->dlpi_phnum; i++)
            if (info->dlpi_phdr[i].p_type == PT_LOAD) {
                const char *first = (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
                ranges.push_back({ first, first + info->dlpi_phdr[i].p_memsz });
            }
        return 0;
    };

    for (int tries = 0; tries < 2; tries++) {
        for (size_t i = 0; i < ranges.size(); i++)
            if (p >= ranges[i].first && p < ranges[i].last) {
                std::swap(ranges[0], ranges[i]);
                return true;
            }
        ranges.clear();
        dl_iterate_phdr(add, NULL);
    }
    return false;
}

/* A kernel may use its own stack, its arguments and constants, nothing else of the host */
__attribute__((noinline)) static void look_host(const char *p, const void *pc)
{
    const emu_call *call = emu_running->call.get();
    const char *arguments = (const char *)call;

    if ((p >= arguments && p < arguments + call->bytes) || loaded(p))
        return;
    emu_fatal("%s: a kernel touches host memory %p", emu_place(pc), (const void *)p);
}

__attribute__((noinline)) static void touch_memory(const char *p, size_t bytes, bool write,
                                                   kind how, const void *pc)
{
    size_t from = offset(p), to = from + bytes;

    if (from >= emu_arena_size)
        look_host(p, pc);
    else if (from % WORD == 0 && bytes == WORD)
        look(from / WORD, 15, write, how, pc);
    else
        for (size_t w = from / WORD; w * WORD < to; w++)
            look(w, covered(w, from, to), write, how, pc);
}

/* The stack of a thread is its own */
static inline void touch(const void *pointer, size_t bytes, bool write, kind how, const void *pc)
{
    const char *p = (const char *)pointer;

    if (emu_running && (p < (const char *)&p || p >= emu_stack_top))
        touch_memory(p, bytes, write, how, pc);
}

void emu_check_atomic(void *p, size_t bytes, const void *pc)
{
    touch(p, bytes, true, ATOMIC, pc);
}

/* What the compiler calls */
#define HERE __builtin_return_address(0)
#define KEEP(T) extern "C" __attribute__((visibility("hidden"))) T
#define HOOK KEEP(void)

#define ACCESS(n) \
    HOOK __tsan_read##n(void *p); \
    HOOK __tsan_read##n(void *p) { touch(p, n, false, PLAIN, HERE); } \
    HOOK __tsan_write##n(void *p); \
    HOOK __tsan_write##n(void *p) { touch(p, n, true, PLAIN, HERE); } \
    HOOK __tsan_unaligned_read##n(void *p); \
    HOOK __tsan_unaligned_read##n(void *p) { touch(p, n, false, PLAIN, HERE); } \
    HOOK __tsan_unaligned_write##n(void *p); \
    HOOK __tsan_unaligned_write##n(void *p) { touch(p, n, true, PLAIN, HERE); } \
    HOOK __tsan_read_write##n(void *p); \
    HOOK __tsan_read_write##n(void *p) \
    { \
        touch(p, n, false, PLAIN, HERE); \
        touch(p, n, true, PLAIN, HERE); \
    } \
    HOOK __tsan_unaligned_read_write##n(void *p); \
    HOOK __tsan_unaligned_read_write##n(void *p) \
    { \
        touch(p, n, false, PLAIN, HERE); \
        touch(p, n, true, PLAIN, HERE); \
    }

ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

HOOK __tsan_read_range(void *p, size_t n);
HOOK __tsan_read_range(void *p, size_t n) { touch(p, n, false, PLAIN, HERE); }
HOOK __tsan_write_range(void *p, size_t n);
HOOK __tsan_write_range(void *p, size_t n) { touch(p, n, true, PLAIN, HERE); }
HOOK __tsan_init();
HOOK __tsan_init() {}
HOOK __tsan_func_entry(void *);
HOOK __tsan_func_entry(void *) {}
HOOK __tsan_func_exit();
HOOK __tsan_func_exit() {}
HOOK __tsan_vptr_update(void *, void *);
HOOK __tsan_vptr_update(void *, void *) {}
HOOK __tsan_vptr_read(void *);
HOOK __tsan_vptr_read(void *) {}

KEEP(void *) __tsan_memcpy(void *to, const void *from, size_t n);
KEEP(void *) __tsan_memcpy(void *to, const void *from, size_t n)
{
    touch(from, n, false, PLAIN, HERE);
    touch(to, n, true, PLAIN, HERE);
    return memcpy(to, from, n);
}

KEEP(void *) __tsan_memmove(void *to, const void *from, size_t n);
KEEP(void *) __tsan_memmove(void *to, const void *from, size_t n)
{
    touch(from, n, false, PLAIN, HERE);
    touch(to, n, true, PLAIN, HERE);
    return memmove(to, from, n);
}

KEEP(void *) __tsan_memset(void *to, int value, size_t n);
KEEP(void *) __tsan_memset(void *to, int value, size_t n)
{
    touch(to, n, true, PLAIN, HERE);
    return memset(to, value, n);
}

/* Atomics of the host's own code (counts of shared pointers, guards) */
#define FETCH(n, T, what) \
    KEEP(T) __tsan_atomic##n##_fetch_##what(volatile T *p, T v, int); \
    KEEP(T) __tsan_atomic##n##_fetch_##what(volatile T *p, T v, int) \
    { \
        return __atomic_fetch_##what(p, v, __ATOMIC_SEQ_CST); \
    }
#define HOST_ATOMIC(n, T) \
    KEEP(T) __tsan_atomic##n##_load(const volatile T *p, int); \
    KEEP(T) __tsan_atomic##n##_load(const volatile T *p, int) \
    { \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST); \
    } \
    HOOK __tsan_atomic##n##_store(volatile T *p, T v, int); \
    HOOK __tsan_atomic##n##_store(volatile T *p, T v, int) \
    { \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST); \
    } \
    KEEP(T) __tsan_atomic##n##_exchange(volatile T *p, T v, int); \
    KEEP(T) __tsan_atomic##n##_exchange(volatile T *p, T v, int) \
    { \
        return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST); \
    } \
    KEEP(int) __tsan_atomic##n##_compare_exchange_strong(volatile T *p, T *old, T v, int, int); \
    KEEP(int) __tsan_atomic##n##_compare_exchange_strong(volatile T *p, T *old, T v, int, int) \
    { \
        return __atomic_compare_exchange_n(p, old, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    } \
    FETCH(n, T, add) FETCH(n, T, sub) FETCH(n, T, and) FETCH(n, T, or) FETCH(n, T, xor)

HOST_ATOMIC(8, uint8_t)
HOST_ATOMIC(16, uint16_t)
HOST_ATOMIC(32, uint32_t)
HOST_ATOMIC(64, uint64_t)
