/* device.h - for tests of the CUDA plugin: open it, numbers in its memory, comparisons */
#ifndef SE_UNIT_DEVICE_H
#define SE_UNIT_DEVICE_H

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/rng.h"
#include "common/device/device.h"
#include "tests/unit/unit.h"

static struct se_gpu gpu;

/* The plugin that SE_CUDA_PLUGIN names, or the one of this build for the emulator */
static int open_device(void)
{
    struct se_err err = SE_ERR_INIT;
    char path[PATH_MAX + 32];
    ssize_t len = readlink("/proc/self/exe", path, PATH_MAX - 1);

    if (len > 0 && !getenv("SE_CUDA_PLUGIN")) {
        path[len] = '\0';
        strcpy(strrchr(path, '/'), "/../emu/libse-cuda.so");
        setenv("SE_CUDA_PLUGIN", path, 1);
    }
    if (se_gpu_open(&gpu, &err) == 0)
        return 0;
    printf("# %s\n", err.text);
    return -1;
}

/* ---- random numbers on the host, and copies of them on the device ---- */

static struct se_rng rng;

static uint64_t below(uint64_t n)
{
    return se_rng_below(&rng, n);
}

static inline float *random_floats(uint64_t count)
{
    float *x = malloc((count + 1) * sizeof *x);

    for (uint64_t i = 0; i < count; i++)
        x[i] = (float)se_rng_normal(&rng);
    return x;
}

static inline void *up(const void *from, uint64_t bytes)
{
    void *p = gpu.cuda->ops.alloc(gpu.device, bytes);

    gpu.cuda->ops.put(gpu.device, p, from, bytes);
    return p;
}

static inline float *up_floats(const float *from, uint64_t count)
{
    return up(from, count * sizeof *from);
}

static inline void drop(void *p)
{
    gpu.cuda->ops.free(gpu.device, p);
}

static inline void *down(const void *from, uint64_t bytes)
{
    void *p = malloc(bytes + 1);

    gpu.cuda->ops.get(gpu.device, p, from, bytes);
    return p;
}

/* The largest difference between what the device holds and what is wanted, beside the largest
 * number wanted; infinite if one is no number */
static inline double farthest(const float *device, const double *want, uint64_t count)
{
    float *have = down(device, count * sizeof *have);
    double far = 0, most = 1e-3;

    for (uint64_t i = 0; i < count; i++) {
        const double d = fabs((double)have[i] - want[i]);

        far = d <= far ? far : isnan(d) ? INFINITY : d;
        most = fmax(most, fabs(want[i]));
    }
    free(have);
    return far / most;
}

#define CHECK_DEVICE(device, want, count) CHECK(farthest(device, want, count) < 2e-6)

/* ---- a random graph: rows of entries, some of them long, and the way back ---- */

struct graph {
    uint64_t n, arcs, *off;
    uint32_t *to, *back;
};

/* Symmetric, a loop everywhere, the first vertex joined to `hub` others */
static inline struct graph random_graph(uint64_t n, uint64_t degree, uint64_t hub)
{
    struct graph g = { .n = n, .off = calloc(n + 1, sizeof *g.off) };
    uint8_t *joined = calloc(n * n, 1);
    uint64_t *place = calloc(n * n, sizeof *place);

    for (uint64_t v = 0; v < n; v++) {
        joined[v * n + v] = 1;
        for (uint64_t i = 0; i < degree; i++) {
            const uint64_t u = below(n);

            joined[v * n + u] = joined[u * n + v] = 1;
        }
    }
    for (uint64_t v = 0; v < hub && v < n; v++)
        joined[v] = joined[v * n] = 1;
    for (uint64_t i = 0; i < n * n; i++)
        g.arcs += joined[i];
    g.to = malloc(g.arcs * sizeof *g.to);
    g.back = malloc(g.arcs * sizeof *g.back);
    for (uint64_t v = 0, at = 0; v < n; v++) {
        g.off[v] = at;
        for (uint64_t u = 0; u < n; u++)
            if (joined[v * n + u]) {
                place[v * n + u] = at;
                g.to[at++] = (uint32_t)u;
            }
        g.off[v + 1] = at;
    }
    for (uint64_t v = 0; v < n; v++)
        for (uint64_t e = g.off[v]; e < g.off[v + 1]; e++)
            g.back[e] = (uint32_t)place[g.to[e] * n + v];
    free(joined);
    free(place);
    return g;
}

static inline void graph_free(struct graph *g)
{
    free(g->off);
    free(g->to);
    free(g->back);
}

#endif
