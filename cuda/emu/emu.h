/* emu.h - what the parts of the emulator share */
#ifndef EMU_H
#define EMU_H

#include <functional>
#include <memory>
#include <mutex>

#include "cuda_runtime.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EMU_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define EMU_ASAN 1
#endif
#ifdef EMU_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

#pragma GCC visibility push(hidden)

enum { EMU_EXIT = 99 };             /* exit status of a program caught in a fault */
enum { EMU_SHARED_STATIC = 48 << 10, EMU_SHARED_OPTIN = 99 << 10 };
enum { EMU_MAX_THREADS = 1024, EMU_MAX_WARPS = EMU_MAX_THREADS / 32 };
enum { EMU_POISON = 0xff };         /* fresh memory: NaN, or -1 */

/* report.cpp */
[[noreturn]] void emu_fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));
void emu_fault_handler();                       /* catch accesses that memory protection stops */
const char *emu_place(const void *pc);          /* file:line of code, for messages */

/* env.cpp: settings and the order they ask for */
enum emu_order { EMU_FORWARD, EMU_REVERSE, EMU_RANDOM };
struct emu_settings {
    emu_order order;
    uint64_t seed;
    size_t memory;
    long fail;
    const char *count;
    int devices;
    int driver;                 /* its version of CUDA; 0: none */
};
const struct emu_settings *emu_env();
uint64_t emu_random();

/* run.cpp: the running kernel */
struct emu_kernel {
    const char *name, *file;
    int line;
    dim3 grid, block;
    size_t shared;
    const void *entry;
    std::shared_ptr<emu_call> call;
};
extern const emu_kernel *emu_running;           /* NULL outside of kernels */
void emu_run(const emu_kernel *k);
extern int emu_thread_now;                      /* linear, in its block */
extern const char *emu_stack_top;               /* of the running thread */
void emu_where(char *text, size_t size);        /* "kernel k (f.cu:3), block (..), thread (..)" */

/* memory.cpp */
enum { EMU_SHARED_ROOM = 256 << 10 };           /* the arena begins with shared memory */
extern char *emu_arena;
extern size_t emu_arena_size;
void emu_memory_start();
cudaError_t emu_allocate(void **p, size_t bytes, const char *file, int line);
void emu_release(void *p, const char *file, int line);
cudaError_t emu_allocate_host(void **p, size_t bytes, const char *file, int line);
void emu_release_host(void *p, const char *file, int line);
bool emu_is_device(const void *p);
void emu_memory_open();                         /* readable until closed as often as opened */
void emu_memory_close();
void emu_memory_verify();                       /* bytes around allocations, after a kernel */
size_t emu_memory_used();
int emu_memory_leaks();                         /* says what is left, and frees it */
/* Is [p, p + bytes) inside one allocation?  Else the end. */
void emu_range(const char *what, const void *p, size_t bytes, const char *file, int line);
void emu_describe(const void *p, char *text, size_t size);
void emu_shared_start(size_t dynamic);
void emu_shared_verify();

/* stream.cpp */
typedef std::function<void()> emu_work;
void emu_push(cudaStream_t stream, emu_work work, const char *file, int line);
void emu_wait(cudaStream_t stream, const char *file, int line);
void emu_wait_all();
int emu_stream_leaks();

int emu_blas_leaks();                           /* cublas.cpp */

/* api.cpp: every call of the API begins with one of these */
struct emu_lock {
    std::lock_guard<std::recursive_mutex> guard;
    emu_lock();
};
cudaError_t emu_error(cudaError_t e);           /* remember and return it */
cudaError_t emu_enter(cudaError_t fitting);     /* counts the call; its error if it must fail */

/* check.cpp, in the checked build alone: races and uninitialised memory */
#ifdef SE_EMU_CHECK
void emu_check_valid(const void *p, size_t bytes, bool valid, bool init);
void emu_check_init(const void *p, size_t bytes);
void emu_check_move(void *to, const void *from, size_t bytes);
void emu_check_reads(const char *what, const void *p, size_t bytes, const char *file, int line);
void emu_check_kernel();
void emu_check_block(unsigned block, int threads);
void emu_check_barrier();
void emu_check_syncwarp(int warp, unsigned mask);
void emu_check_atomic(void *p, size_t bytes, const void *pc);
#else
static inline void emu_check_valid(const void *, size_t, bool, bool) {}
static inline void emu_check_init(const void *, size_t) {}
static inline void emu_check_move(void *, const void *, size_t) {}
static inline void emu_check_reads(const char *, const void *, size_t, const char *, int) {}
static inline void emu_check_kernel() {}
static inline void emu_check_block(unsigned, int) {}
static inline void emu_check_barrier() {}
static inline void emu_check_syncwarp(int, unsigned) {}
static inline void emu_check_atomic(void *, size_t, const void *) {}
#endif

#pragma GCC visibility pop

#endif
