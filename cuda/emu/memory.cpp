/* memory.cpp - device memory: closed to the host, poisoned when fresh, guarded at both ends
 *
 * One range of addresses is reserved.  It begins with the shared memory of the running block;
 * allocations follow, each up against a page that nobody may touch, and addresses are used anew
 * only when the range is used up, so that what was freed is found. */
#include "emu.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, ALIGN = 256, CANARY = 64, CANARY_BYTE = 0xc5, SHARED_GAP = 64 };
enum { ROOM = 64 << 20 };           /* addresses for guards and small allocations */
enum { PIECE = 4 << 20 };           /* larger allocations share pages until they are written */

struct allocation {
    char *pages;                    /* first page */
    size_t span;                    /* bytes of its pages, the guard behind them not counted */
    size_t size;
    const char *file;
    int line;
};

char *emu_arena;
size_t emu_arena_size;
typedef std::map<uintptr_t, allocation> allocations;
/* Never destroyed: the search for leaks comes last */
static allocations &live = *new allocations, &freed = *new allocations, &pinned = *new allocations;
static std::map<uintptr_t, size_t> &holes = *new std::map<uintptr_t, size_t>;   /* free ranges */
static char *top;
static size_t used;
static int opened;

void emu_memory_start()
{
    if (emu_arena)
        return;
    emu_arena_size = ROOM + emu_env()->memory * 32;
    void *p = mmap(NULL, emu_arena_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                   -1, 0);
    if (p == MAP_FAILED)
        emu_fatal("no address space for device memory");
    emu_arena = (char *)p;
    if (mprotect(emu_arena, EMU_SHARED_ROOM, PROT_READ | PROT_WRITE) < 0)
        emu_fatal("no memory for shared memory");
    top = emu_arena + EMU_SHARED_ROOM + PAGE;
    emu_fault_handler();
}

static size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

/* Addresses for span bytes and a guard page: fresh ones, or a hole when there are none left */
static char *take(size_t span)
{
    size_t need = span + PAGE;

    if (need <= (size_t)(emu_arena + emu_arena_size - top)) {
        char *p = top;
        top += need;
        return p;
    }
    for (auto &hole : holes)
        if (hole.second >= need) {
            char *p = (char *)hole.first;
            size_t rest = hole.second - need;
            holes.erase(hole.first);
            if (rest)
                holes[(uintptr_t)p + need] = rest;
            freed.clear();
            return p;
        }
    return NULL;
}

static void give_back(char *p, size_t span)
{
    auto at = holes.emplace((uintptr_t)p, span + PAGE).first;
    auto next = std::next(at);

    if (next != holes.end() && at->first + at->second == next->first) {
        at->second += next->second;
        holes.erase(next);
    }
    if (at != holes.begin()) {
        auto before = std::prev(at);
        if (before->first + before->second == at->first) {
            before->second += at->second;
            holes.erase(at);
        }
    }
}

/* The bytes before and behind an allocation that its pages leave over */
static void edges(const allocation *a, char **left, size_t *n_left, char **right, size_t *n_right)
{
    char *p = a->pages + a->span - round_up(a->size, ALIGN);

    *left = a->pages;
    *n_left = (size_t)(p - a->pages);
    *right = p + a->size;
    *n_right = (size_t)(a->pages + a->span - *right);
}

static void protect(const allocation *a, int how)
{
    if (mprotect(a->pages, a->span, how) < 0)
        emu_fatal("cannot protect device memory");
}

/* Fresh memory: written, or, if there is much of it, mapped from a file of poison */
static void poison(const allocation *a)
{
    static int file = -1;

    if (a->span <= PIECE) {
        memset(a->pages, EMU_POISON, a->span);
        return;
    }
    if (file < 0) {
        static char bytes[PIECE];
        memset(bytes, EMU_POISON, sizeof bytes);
        file = memfd_create("poison", MFD_CLOEXEC);
        if (file < 0 || write(file, bytes, sizeof bytes) != (ssize_t)sizeof bytes)
            emu_fatal("no memory to poison device memory with");
    }
    for (size_t i = 0; i < a->span; i += PIECE)
        if (mmap(a->pages + i, min(a->span - i, (size_t)PIECE), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, 0) == MAP_FAILED)
            emu_fatal("cannot map device memory");
}

cudaError_t emu_allocate(void **p, size_t bytes, const char *file, int line)
{
    char *left, *right;
    size_t n_left, n_right;

    *p = NULL;
    if (bytes == 0)
        return cudaSuccess;
    if (bytes > emu_env()->memory || used > emu_env()->memory - bytes)
        return cudaErrorMemoryAllocation;
    emu_memory_start();
    allocation a = { NULL, round_up(bytes, PAGE), bytes, file, line };
    a.pages = take(a.span);
    if (!a.pages)
        return cudaErrorMemoryAllocation;
    protect(&a, PROT_READ | PROT_WRITE);
    poison(&a);
    edges(&a, &left, &n_left, &right, &n_right);
    memset(left, CANARY_BYTE, n_left);
    memset(right, CANARY_BYTE, n_right);
    char *start = left + n_left;
    ASAN_POISON_MEMORY_REGION(left, n_left);
    ASAN_POISON_MEMORY_REGION(right, n_right);
    emu_check_valid(start, bytes, true, false);
    if (!opened)
        protect(&a, PROT_NONE);
    live[(uintptr_t)start] = a;
    freed.erase((uintptr_t)start);
    used += bytes;
    *p = start;
    return cudaSuccess;
}

static void drop(allocations::iterator i)
{
    allocation a = i->second;

    if (mmap(a.pages, a.span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
             -1, 0) == MAP_FAILED)
        emu_fatal("cannot give device memory back");
    ASAN_UNPOISON_MEMORY_REGION(a.pages, a.span);
    emu_check_valid((const void *)i->first, a.size, false, false);
    used -= a.size;
    freed[i->first] = a;
    live.erase(i);
    give_back(a.pages, a.span);
}

void emu_release(void *p, const char *file, int line)
{
    if (!p)
        return;
    auto i = live.find((uintptr_t)p);
    if (i == live.end()) {
        char what[256];
        if (freed.count((uintptr_t)p))
            emu_fatal("%s:%d: cudaFree: double free of %zu bytes", file, line,
                      freed[(uintptr_t)p].size);
        emu_describe(p, what, sizeof what);
        emu_fatal("%s:%d: cudaFree of a pointer that cudaMalloc never gave: %s", file, line, what);
    }
    drop(i);
}

cudaError_t emu_allocate_host(void **p, size_t bytes, const char *file, int line)
{
    *p = bytes ? aligned_alloc(PAGE, round_up(bytes, PAGE)) : NULL;
    if (bytes && !*p)
        return cudaErrorMemoryAllocation;
    if (bytes) {
        memset(*p, EMU_POISON, bytes);
        pinned[(uintptr_t)*p] = { (char *)*p, bytes, bytes, file, line };
    }
    return cudaSuccess;
}

void emu_release_host(void *p, const char *file, int line)
{
    if (!p)
        return;
    if (!pinned.erase((uintptr_t)p))
        emu_fatal("%s:%d: cudaFreeHost of a pointer that cudaMallocHost never gave, or gave back "
                  "before", file, line);
    free(p);
}

bool emu_is_device(const void *p)
{
    return emu_arena && (const char *)p >= emu_arena &&
           (const char *)p < emu_arena + emu_arena_size;
}

static void open_all(int how)
{
    for (auto &i : live)
        protect(&i.second, how);
}

void emu_memory_open()
{
    if (opened++ == 0)
        open_all(PROT_READ | PROT_WRITE);
}

void emu_memory_close()
{
    if (--opened == 0)
        open_all(PROT_NONE);
}

/* Without a sanitizer, writes that miss an allocation by a little are found by what they leave */
void emu_memory_verify()
{
#ifndef EMU_ASAN
    static const std::string clean(ALIGN, (char)CANARY_BYTE);
    char *left, *right;
    size_t n_left, n_right;

    for (auto &i : live) {
        edges(&i.second, &left, &n_left, &right, &n_right);
        size_t near = n_left < CANARY ? n_left : (size_t)CANARY;
        if (memcmp(right, clean.data(), n_right) != 0 ||
            memcmp(left + n_left - near, clean.data(), near) != 0) {
            char kernel[512];
            emu_where(kernel, sizeof kernel);
            kernel[strcspn(kernel, ",")] = '\0';
            emu_running = NULL;
            emu_fatal("%s wrote out of bounds %s the allocation of %zu bytes made at %s:%d",
                      kernel, memcmp(right, clean.data(), n_right) ? "behind" : "before",
                      i.second.size, i.second.file, i.second.line);
        }
    }
#endif
}

size_t emu_memory_used() { return used; }

int emu_memory_leaks()
{
    int n = 0;

    for (auto &i : live) {
        fprintf(stderr, "emu: leak: %zu bytes of device memory allocated at %s:%d\n",
                i.second.size, i.second.file, i.second.line);
        n++;
    }
    while (!live.empty())
        drop(live.begin());
    for (auto &i : pinned) {
        fprintf(stderr, "emu: leak: %zu bytes of pinned memory allocated at %s:%d\n",
                i.second.size, i.second.file, i.second.line);
        free((void *)i.first);
        n++;
    }
    pinned.clear();
    return n;
}

/* Shared memory: the dynamic part first, then arrays as they are met, gaps between them */
static size_t shared_used, shared_static, shared_dynamic;

static char *shared_take(size_t bytes, size_t align)
{
    char *p = emu_arena + round_up(shared_used + SHARED_GAP, align < 16 ? 16 : align);
    char *end = p + round_up(bytes, 16) + SHARED_GAP;

    ASAN_UNPOISON_MEMORY_REGION(emu_arena + shared_used, (size_t)(end - emu_arena) - shared_used);
    memset(emu_arena + shared_used, CANARY_BYTE, (size_t)(p - emu_arena) - shared_used);
    memset(p, EMU_POISON, bytes);
    memset(p + bytes, CANARY_BYTE, (size_t)(end - p) - bytes);
    ASAN_POISON_MEMORY_REGION(emu_arena + shared_used, (size_t)(p - emu_arena) - shared_used);
    ASAN_POISON_MEMORY_REGION(p + bytes, (size_t)(end - p) - bytes);
    emu_check_valid(p, bytes, true, false);
    shared_used = (size_t)(end - emu_arena);
    return p;
}

static struct { char *p; size_t bytes; const char *name; } arrays[64];
static int n_arrays;

void emu_shared_start(size_t dynamic)
{
    emu_memory_start();
    for (int i = 0; i < n_arrays; i++)
        emu_check_valid(arrays[i].p, arrays[i].bytes, false, false);
    shared_used = shared_static = 0;
    shared_dynamic = dynamic;
    n_arrays = 0;
    if (dynamic) {
        arrays[0] = { shared_take(dynamic, 128), dynamic, "dynamic" };
        n_arrays = 1;
    }
}

void *emu_shared_new(emu_slot *slot, size_t bytes, size_t align, const char *name)
{
    if (!emu_running)
        emu_fatal("shared array %s outside of a kernel", name);
    if (n_arrays == 64 || (shared_static += bytes) > EMU_SHARED_STATIC)
        emu_fatal("shared array %s: static shared memory exceeds %d bytes", name,
                  EMU_SHARED_STATIC);
    slot->p = shared_take(bytes, align);
    slot->block = emu_block;
    arrays[n_arrays++] = { (char *)slot->p, bytes, name };
    return slot->p;
}

void *emu_shared_dynamic(size_t align)
{
    if (!shared_dynamic)
        emu_fatal("dynamic shared memory is used, but none was asked for at the launch");
    if (align > 128)
        emu_fatal("dynamic shared memory is aligned to 128 bytes, not %zu", align);
    return arrays[0].p;
}

void emu_shared_verify()
{
#ifndef EMU_ASAN
    static const std::string clean(SHARED_GAP, (char)CANARY_BYTE);

    for (int i = 0; i < n_arrays; i++) {
        const char *p = arrays[i].p, *end = p + arrays[i].bytes;
        if (memcmp(p - SHARED_GAP, clean.data(), SHARED_GAP) != 0 ||
            memcmp(end, clean.data(), SHARED_GAP) != 0)
            emu_fatal("the block wrote out of bounds next to shared array %s of %zu bytes",
                      arrays[i].name, arrays[i].bytes);
    }
#endif
}

/* The allocation that p lies in, or is nearest to */
static allocations::iterator nearest(allocations &map, uintptr_t p)
{
    auto i = map.upper_bound(p);

    if (i == map.end() && i != map.begin())
        return std::prev(i);
    if (i != map.begin()) {
        auto before = std::prev(i);
        uintptr_t in = p - before->first, size = before->second.size;
        if (in < size || in - size < i->first - p)
            return before;
    }
    return i;
}

/* The shared array that p lies in, or behind which it lies */
static void describe_shared(const char *p, char *text, size_t size)
{
    int i = n_arrays;

    while (i > 1 && p < arrays[i - 1].p)
        i--;
    if (i == 0)
        snprintf(text, size, "address in shared memory");
    else
        snprintf(text, size, "byte %td of shared array %s of %zu bytes", p - arrays[i - 1].p,
                 arrays[i - 1].name, arrays[i - 1].bytes);
}

void emu_describe(const void *pointer, char *text, size_t size)
{
    uintptr_t p = (uintptr_t)pointer;
    auto i = nearest(live, p), f = nearest(freed, p);

    if (emu_is_device(pointer) && (const char *)pointer < emu_arena + EMU_SHARED_ROOM)
        describe_shared((const char *)pointer, text, size);
    else if (f != freed.end() && p - f->first < f->second.size)
        snprintf(text, size, "byte %zu of %zu freed bytes (allocated at %s:%d)",
                 (size_t)(p - f->first), f->second.size, f->second.file, f->second.line);
    else if (!emu_is_device(pointer) || i == live.end())
        snprintf(text, size, "address %p", pointer);
    else if (p < i->first)
        snprintf(text, size, "%zu bytes before an allocation of %zu bytes (made at %s:%d)",
                 (size_t)(i->first - p), i->second.size, i->second.file, i->second.line);
    else
        snprintf(text, size, "byte %zu of an allocation of %zu bytes (made at %s:%d)",
                 (size_t)(p - i->first), i->second.size, i->second.file, i->second.line);
}

void emu_range(const char *what, const void *pointer, size_t bytes, const char *file, int line)
{
    uintptr_t p = (uintptr_t)pointer;
    auto i = live.upper_bound(p);
    char text[256];

    if (bytes == 0)
        return;
    if (i != live.begin()) {
        auto at = std::prev(i);
        if (p - at->first <= at->second.size && bytes <= at->second.size - (p - at->first))
            return;
    }
    emu_describe(pointer, text, sizeof text);
    if (!emu_is_device(pointer))
        emu_fatal("%s:%d: %s: %p is not device memory", file, line, what, pointer);
    emu_fatal("%s:%d: %s: out of bounds: %zu bytes from %s", file, line, what, bytes, text);
}
