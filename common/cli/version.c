/* version.c - version and build details; the only object that every commit rebuilds */
#include "common/cli/tool.h"

#include "version.inc"

const char se_version[] = SE_VERSION;
const char se_revision[] = SE_REVISION;
const char se_blas_version[] = SE_BLAS;
