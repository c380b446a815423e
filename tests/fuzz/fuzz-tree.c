/* fuzz-tree.c - se-tree on any stream that passes its checks */
#define main tool_main
int tool_main(int argc, char **argv);
#include "tools/se-tree.c"
#undef main

#define OPTIONS o
static const char *const lines[] = {
    "-K 2",
    "-K 3 -m merge --squeeze greedy",
    "-K 4 -m paper --pad",
    "-K 2 --start",
    NULL
};
#include "tests/fuzz/tool.h"
