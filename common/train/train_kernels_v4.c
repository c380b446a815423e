/* train_kernels_v4.c - train_kernels.c for CPUs with AVX-512 */
#include "common/train/train_kernels.h"

#ifdef SE_HAS_V4
#pragma GCC target("arch=x86-64-v4")
#define SE_VECTOR 64
#define SE_WIDE
#define SE_KERNELS se_kernels_v4
#include "common/train/train_kernels.c"
#endif
