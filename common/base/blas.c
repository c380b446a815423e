/* blas.c - OpenBLAS, loaded when a product first needs it */
#include "common/base/blas.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/mman.h>

struct se_blas se_blas;

/* POSIX has functions and data in one kind of pointer here, C has not. */
static void find(void *library, const char *name, void *function)
{
    *(void **)function = dlsym(library, name);
}

enum { BUFFERS = 256 };
static const size_t buffer_size = 136 << 20;    /* what OpenBLAS maps, and a little more */
static void *(*take)(int);
static void (*give)(void *);

/* Each product that runs at the same time as others takes a buffer, which OpenBLAS keeps when
 * it is done.  Where memory is short it tries for ever, so let it have them now, each after a
 * look at whether there is room. */
static int take_buffers(int count, struct se_err *err)
{
    static int had;
    void *buffer[BUFFERS];
    int taken = 0, rc = 0;

    if (!take || !give || count <= had)
        return 0;
    while (taken < count && taken < BUFFERS && rc == 0) {
        void *room = taken < had ? NULL : mmap(NULL, buffer_size, PROT_READ | PROT_WRITE,
                                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (room == MAP_FAILED) {
            rc = se_fail(err, SE_EMEM, "no memory for the %d buffers of %zu MB that OpenBLAS "
                         "needs for %d threads; allow more memory, or use fewer threads with "
                         "-@", count,
                         buffer_size >> 20, count);
            break;
        }
        if (room)
            munmap(room, buffer_size);
        buffer[taken++] = take(0);
    }
    for (int i = 0; i < taken; i++)
        give(buffer[i]);
    had = taken > had ? taken : had;
    return rc;
}

static int load(struct se_err *err)
{
    void *library;
    void (*set_threads)(int);

    /* It would start its threads while it is loaded, and they spin. */
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return se_fail(err, SE_EIO, "OpenBLAS cannot be loaded: %s; install it (Debian: "
                       "libopenblas0)", dlerror());
    find(library, "openblas_set_num_threads", &set_threads);
    if (set_threads)
        set_threads(1);
    find(library, "blas_memory_alloc", &take);
    find(library, "blas_memory_free", &give);
    find(library, "cblas_dgemm", &se_blas.dgemm);
    find(library, "cblas_sgemm", &se_blas.sgemm);
    if (se_blas.sgemm && se_blas.dgemm)
        return 0;
    se_blas.sgemm = NULL;
    dlclose(library);
    return se_fail(err, SE_EIO, "libopenblas.so.0 has no cblas_sgemm; install OpenBLAS with CBLAS");
}

int se_blas_load(int threads, struct se_err *err)
{
    return (!se_blas.sgemm && load(err) < 0) || take_buffers(threads, err) < 0 ? -1 : 0;
}
