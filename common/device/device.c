/* device.c - finding, loading and opening the CUDA plugin */
#include "common/device/device.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/text.h"

#ifndef SE_LIBDIR
#define SE_LIBDIR "/usr/local/lib/se-gsl"
#endif

static const char plugin_name[] = "libse-cuda.so";

/* About what a GPU must be offered before its start pays: some seconds of a CPU */
static const double default_least = 1e11;

/* ---- finding ---- */

static bool there(const char *folder, const char *below, char path[PATH_MAX])
{
    char name[PATH_MAX];
    const int len = snprintf(name, sizeof name, "%s%s/%s", folder, below, plugin_name);

    return len < PATH_MAX && realpath(name, path) && access(path, R_OK) == 0;
}

/* Is this the bin folder of a build?  The library lies above it, and nowhere else. */
static bool is_build(const char *folder)
{
    char name[PATH_MAX];
    const int len = snprintf(name, sizeof name, "%s/../libse.a", folder);

    return len < PATH_MAX && access(name, R_OK) == 0;
}

/* The path of the plugin; `named`: the user said where, so it need not be there. */
static bool find(char path[PATH_MAX], bool *named)
{
    const char *given = getenv("SE_CUDA_PLUGIN");
    char folder[PATH_MAX];
    ssize_t len;

    *named = given && *given;
    if (*named) {
        snprintf(path, PATH_MAX, "%s", given);
        return true;
    }
    len = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (len > 0) {
        folder[len] = '\0';
        *strrchr(folder, '/') = '\0';
        if (there(folder, "", path) || (is_build(folder) && there(folder, "/..", path)) ||
            there(folder, "/../lib/se-gsl", path))
            return true;
    }
    return there(SE_LIBDIR, "", path);
}

/* ---- loading ---- */

/* cuBLAS takes long to load, so ask for the driver before.  A plugin that the user named is
 * asked itself. */
static int check_driver(struct se_err *err)
{
    void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);

    if (!driver)
        return se_fail(err, SE_EDEVICE, "there is no NVIDIA driver (libcuda.so.1)");
    dlclose(driver);
    return 0;
}

/* The one line that dlopen has to say, without what comes before it */
static int load_failed(const char *path, struct se_err *err)
{
    const char *why = dlerror();

    if (access(path, R_OK) < 0)
        return se_fail_errno(err, SE_EDEVICE, "the CUDA plugin %s cannot be read", path);
    return se_fail(err, SE_EDEVICE, "the CUDA plugin cannot be loaded: %s", why ? why : path);
}

static int load(struct se_gpu *g, const char *path, struct se_err *err)
{
    g->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!g->library)
        return load_failed(path, err);
    g->cuda = dlsym(g->library, "se_cuda_plugin");
    if (!g->cuda)
        return se_fail(err, SE_EDEVICE, "%s is not a CUDA plugin of se-gsl", path);
    if (g->cuda->version != SE_CUDA_INTERFACE || g->cuda->size != sizeof *g->cuda)
        return se_fail(err, SE_EDEVICE, "the CUDA plugin %s has interface %u (%u bytes), this "
                       "program needs %u (%zu bytes); build them from the same source", path,
                       g->cuda->version, g->cuda->size, (unsigned)SE_CUDA_INTERFACE,
                       sizeof *g->cuda);
    return 0;
}

int se_gpu_open(struct se_gpu *g, struct se_err *err)
{
    const char *tf32 = getenv("SE_CUDA_TF32");
    const struct se_cuda_settings settings = { tf32 && strcmp(tf32, "1") == 0 };
    char path[PATH_MAX], why[256] = "";
    bool named;

    if (!find(path, &named))
        return se_fail(err, SE_EDEVICE, "there is no CUDA plugin (%s); build it with 'make cuda' "
                       "or set SE_CUDA_PLUGIN to its path", plugin_name);
    if ((!named && check_driver(err) < 0) || load(g, path, err) < 0)
        return -1;
    g->device = g->cuda->open(&settings, why, sizeof why);
    return g->device ? 0 : se_fail(err, SE_EDEVICE, "%s", why);
}

/* The library stays: CUDA does not like to be unloaded, and the process ends soon. */
void se_gpu_close(struct se_gpu *g)
{
    if (g->device)
        g->cuda->close(g->device);
    g->device = NULL;
}

int se_gpu_check(const struct se_gpu *g, struct se_err *err)
{
    const char *why = g->device ? g->cuda->ops.failed(g->device) : NULL;

    return why ? se_fail(err, SE_EDEVICE, "device: %s; use --device cpu", why) : 0;
}

/* ---- choosing ---- */

static double least_work(void)
{
    const char *text = getenv("SE_CUDA_LEAST");
    double least;

    return text && se_whole_number(text, &least) ? least : default_least;
}

int se_gpu_choose(struct se_gpu *g, enum se_device want, double work, char note[SE_GPU_NOTE],
                  struct se_err *err)
{
    struct se_err why = SE_ERR_INIT;

    snprintf(note, SE_GPU_NOTE, "on the CPU");
    if (want == SE_DEVICE_CPU)
        return 0;
    if (want == SE_DEVICE_AUTO && work < least_work()) {
        snprintf(note, SE_GPU_NOTE, "on the CPU: too little work for a device");
        return 0;
    }
    if (se_gpu_open(g, &why) == 0) {
        snprintf(note, SE_GPU_NOTE, "on %s (%s)", g->cuda->name(g->device), g->cuda->build);
        return 0;
    }
    if (want == SE_DEVICE_CUDA)
        return se_fail(err, SE_EDEVICE, "--device cuda: %s; use --device cpu",
                       why.text);
    snprintf(note, SE_GPU_NOTE, "on the CPU: %.*s", SE_GPU_NOTE - 20, why.text);
    return 0;
}

bool se_gpu_fall_back(struct se_gpu *g, enum se_device want, const struct se_err *err,
                      char note[SE_GPU_NOTE])
{
    if (!g->device || want != SE_DEVICE_AUTO || err->code != SE_EDEVICE)
        return false;
    snprintf(note, SE_GPU_NOTE, "on the CPU after all: %.*s", SE_GPU_NOTE - 30, err->text);
    se_gpu_close(g);
    return true;
}

void se_gpu_tell(char *text, size_t room)
{
    struct se_gpu g = SE_GPU_INIT;
    struct se_err why = SE_ERR_INIT;
    char path[PATH_MAX];
    bool named;

    if (!find(path, &named))
        snprintf(text, room, "CUDA plugin: none found");
    else if (!named && check_driver(&why) < 0)
        snprintf(text, room, "CUDA plugin: %s, not loaded: %s", path, why.text);
    else if (load(&g, path, &why) < 0 || !g.cuda)
        snprintf(text, room, "CUDA plugin: %s", why.text);
    else
        snprintf(text, room, "CUDA plugin: %s (%s)", path, g.cuda->build);
}
