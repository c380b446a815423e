/* fuzz-noise.c - se-noise on any stream that passes its checks */
#define main tool_main
int tool_main(int argc, char **argv);
#include "tools/se-noise.c"
#undef main

#define OPTIONS o
static const char *const lines[] = {
    "--rate .3",
    "--remove --rate .4",
    "--rewire --rate .5",
    NULL
};
#include "tests/fuzz/tool.h"
