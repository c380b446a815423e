/* fuzz-split.c - se-split on any stream that passes its checks */
#define main tool_main
int tool_main(int argc, char **argv);
#include "tools/se-split.c"
#undef main

#define OPTIONS o
static const char *const lines[] = {
    "--count 3",
    "--count 2 --stratified",
    "--per-class 2 --val-count 3 --test-count 4 --append",
    "--inner 2",
    NULL
};
#include "tests/fuzz/tool.h"
