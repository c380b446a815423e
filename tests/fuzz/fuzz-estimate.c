/* fuzz-estimate.c - se-estimate on any stream that passes its checks */
#define main tool_main
int tool_main(int argc, char **argv);
#include "tools/se-estimate.c"
#undef main

#define OPTIONS o
static const char *const lines[] = {
    "-k 3",
    "- /dev/stdin -k 5 --threshold .3",
    NULL
};
#include "tests/fuzz/tool.h"
