/* blas.c - OpenBLAS, loaded when a product first needs it */
#include "common/blas.h"

#include <dlfcn.h>
#include <stdlib.h>

struct se_blas se_blas;

/* POSIX has functions and data in one kind of pointer here, C has not. */
static void find(void *library, const char *name, void *function)
{
    *(void **)function = dlsym(library, name);
}

int se_blas_load(struct se_err *err)
{
    void *library;
    void (*set_threads)(int);

    if (se_blas.sgemm)
        return 0;
    /* It would start its threads while it is loaded, and they spin. */
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return se_fail(err, SE_EIO, "OpenBLAS cannot be loaded: %s; install it (Debian: libopenblas0)",
                       dlerror());
    find(library, "openblas_set_num_threads", &set_threads);
    if (set_threads)
        set_threads(1);
    find(library, "cblas_dgemm", &se_blas.dgemm);
    find(library, "cblas_sgemm", &se_blas.sgemm);
    if (se_blas.sgemm && se_blas.dgemm)
        return 0;
    se_blas.sgemm = NULL;
    dlclose(library);
    return se_fail(err, SE_EIO, "libopenblas.so.0 has no cblas_sgemm; install OpenBLAS with CBLAS");
}
