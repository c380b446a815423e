/* device.h - a GPU by way of the CUDA plugin: found, loaded and opened when it is asked for
 *
 * The plugin is looked for where SE_CUDA_PLUGIN says and nowhere else, or next to the running
 * program, in the folder above it (a build tree) and in lib/se-gsl beside its bin.  No program
 * is linked to CUDA. */
#ifndef SE_DEVICE_H
#define SE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/base/err.h"
#include "common/device/plugin.h"

/* What --device asks for */
enum se_device { SE_DEVICE_AUTO, SE_DEVICE_CPU, SE_DEVICE_CUDA };

struct se_gpu {
    void *library;
    const struct se_cuda *cuda;
    struct se_worker *device;   /* NULL: none; compute on the CPU */
};
#define SE_GPU_INIT { NULL, NULL, NULL }

/* Open the device, or fail with the reason (SE_EDEVICE).  Close it in any case. */
int se_gpu_open(struct se_gpu *g, struct se_err *err);
void se_gpu_close(struct se_gpu *g);
/* -1 with `err` (SE_EDEVICE) if something failed since it was opened. */
int se_gpu_check(const struct se_gpu *g, struct se_err *err);

/* As --device wants it: open the device, or leave it NULL for the CPU.  With `auto` a device
 * that cannot be had is no failure, and work below SE_CUDA_LEAST multiply-adds stays on the CPU
 * without a look.  `note` tells what was chosen and why. */
enum { SE_GPU_NOTE = 400 };
int se_gpu_choose(struct se_gpu *g, enum se_device want, double work, char note[SE_GPU_NOTE],
                  struct se_err *err);
/* Whether a failure leaves the CPU to fall back on: `auto`, and it is the device's.  `note`
 * tells, the device is closed. */
bool se_gpu_fall_back(struct se_gpu *g, enum se_device want, const struct se_err *err,
                      char note[SE_GPU_NOTE]);

/* What --version says of the plugin: one line. */
void se_gpu_tell(char *text, size_t room);

#endif
