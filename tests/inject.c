/* inject.c - a library to preload: the N-th call of one kind fails
 *
 * SE_FAIL=KIND:N, KIND one of malloc calloc realloc read pread write ftruncate mmap rename linkat
 * pthread_create fsync.
 * Without N, or with 0, nothing fails; SE_FAIL_COUNT names a file that gets the number of calls
 * at the end.  Only calls of the program itself and of zlib count: other libraries (Fortran's, below
 * OpenBLAS) end the program by themselves when they start without memory. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char kind[32];
static unsigned long at, count;
static int on;
static struct {
    const char *from, *to;
} ours[8];                      /* where the code of the program and of zlib lies */
static int parts;

static int note(struct dl_phdr_info *x, size_t size, void *first)
{
    const int wanted = *(int *)first || strstr(x->dlpi_name, "/libz.");

    (void)size;
    *(int *)first = 0;
    for (int i = 0; wanted && i < x->dlpi_phnum; i++)
        if (x->dlpi_phdr[i].p_type == PT_LOAD && (x->dlpi_phdr[i].p_flags & PF_X) && parts < 8) {
            ours[parts].from = (const char *)x->dlpi_addr + x->dlpi_phdr[i].p_vaddr;
            ours[parts].to = ours[parts].from + x->dlpi_phdr[i].p_memsz;
            parts++;
        }
    return 0;
}

static void *real(const char *name, void **keep)
{
    if (!*keep)
        *keep = dlsym(RTLD_NEXT, name);
    return *keep;
}

/* Is this call the one that fails? */
static int fails(const char *which, int why, const void *caller)
{
    int own = 0;

    if (!on || strcmp(kind, which) != 0)
        return 0;
    for (int i = 0; i < parts; i++)
        own |= (const char *)caller >= ours[i].from && (const char *)caller < ours[i].to;
    if (!own || __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED) != at)
        return 0;
    errno = why;
    return 1;
}

__attribute__((constructor)) static void start(void)
{
    const char *ask = getenv("SE_FAIL");
    const char *colon = ask ? strchr(ask, ':') : NULL;

    if (ask) {
        snprintf(kind, sizeof kind, "%.*s", colon ? (int)(colon - ask) : 31, ask);
        at = colon ? strtoul(colon + 1, NULL, 10) : 0;
    }
    dl_iterate_phdr(note, &(int){ 1 });
    on = ask != NULL;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("SE_FAIL_COUNT");
    char text[32];
    int fd, len;

    on = 0;
    if (!path || (fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600)) < 0)
        return;
    len = snprintf(text, sizeof text, "%lu\n", count);
    if (write(fd, text, (size_t)len) < 0)
        _exit(99);
    close(fd);
}

/* malloc and its kin by glibc's own names: dlsym would ask for memory itself */
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

void *malloc(size_t size)
{
    return fails("malloc", ENOMEM, __builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails("calloc", ENOMEM, __builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    return fails("realloc", ENOMEM, __builtin_return_address(0)) ? NULL : __libc_realloc(p, size);
}

#define CALL(type, name, args, pass, why, failed)                                          \
    type name args                                                                         \
    {                                                                                      \
        static void *keep;                                                                 \
        type (*next) args = (type (*) args)real(#name, &keep);                             \
        return fails(#name, why, __builtin_return_address(0)) ? failed : next pass; \
    }

CALL(ssize_t, read, (int fd, void *to, size_t len), (fd, to, len), EIO, -1)
CALL(ssize_t, write, (int fd, const void *from, size_t len), (fd, from, len), ENOSPC, -1)
CALL(void *, mmap, (void *p, size_t len, int prot, int flags, int fd, off_t off),
     (p, len, prot, flags, fd, off), ENOMEM, MAP_FAILED)
CALL(int, rename, (const char *from, const char *to), (from, to), EACCES, -1)
CALL(int, fsync, (int fd), (fd), EIO, -1)
CALL(ssize_t, pread, (int fd, void *to, size_t len, off_t at), (fd, to, len, at), EIO, -1)
CALL(int, ftruncate, (int fd, off_t len), (fd, len), EIO, -1)
CALL(int, linkat, (int a, const char *from, int b, const char *to, int flags),
     (a, from, b, to, flags), EPERM, -1)
CALL(int, pthread_create, (pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *arg),
     (t, a, f, arg), EAGAIN, EAGAIN)
