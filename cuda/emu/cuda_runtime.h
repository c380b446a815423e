/* cuda_runtime.h - the CUDA runtime as a test-only emulator on the CPU
 *
 * The same source that nvcc compiles is compiled by g++ or clang++ with -DSE_CUDA_EMULATOR and
 * -Icuda/emu.  Environment:
 *   SE_EMU_SCHEDULE  forward, reverse or random[:SEED]: order of threads, warps, blocks, streams
 *   SE_EMU_MEMORY    bytes of device memory (default 512 MiB; 64 MiB in the checked build)
 *   SE_EMU_FAIL      the N-th call of the API fails
 *   SE_EMU_COUNT     file to which the number of calls is written at exit
 *   SE_EMU_DEVICES   number of devices (default 1)
 *   SE_EMU_DRIVER    version of CUDA that the driver is for, as 11040 for 11.4 (default: enough);
 *                    0: behave as without a driver
 * What a GPU would leave undefined ends the program with a message and exit status 99. */
#ifndef EMU_CUDA_RUNTIME_H
#define EMU_CUDA_RUNTIME_H

#ifdef __CUDACC__
#error "cuda/emu is for g++ and clang++; nvcc takes CUDA's own cuda_runtime.h"
#endif

#include "emu_types.h"
#include "emu_host.h"
#include "emu_device.h"

#endif
