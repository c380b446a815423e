/* version.c - what was built; the only object that a new commit makes anew */
#include "common/cli/tool.h"

#include "version.inc"

const char se_version[] = SE_VERSION;
const char se_revision[] = SE_REVISION;
const char se_blas_version[] = SE_BLAS;
