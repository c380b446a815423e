/* fuzz-weigh.c - se-weigh on any stream that passes its checks */
#define main tool_main
int tool_main(int argc, char **argv);
#include "tools/se-weigh.c"
#undef main

#define OPTIONS o
static const char *const lines[] = {
    "--trees 2",
    "--trees 1 --score f --gamma 2",
    "--trees 1 --candidates 3",
    NULL
};
#include "tests/fuzz/tool.h"
