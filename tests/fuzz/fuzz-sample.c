/* fuzz-sample.c - se-sample on any stream that passes its checks */
#define main tool_main
int tool_main(int argc, char **argv);
#include "tools/se-sample.c"
#undef main

#define OPTIONS o
static const char *const lines[] = {
    "--theta 3",
    "--theta 1,2 --replace --sigma linear",
    "--retain --agree 2",
    "--pairs best --within 1",
    "--add 5 --compare-by both --drop .3",
    NULL
};
#include "tests/fuzz/tool.h"
