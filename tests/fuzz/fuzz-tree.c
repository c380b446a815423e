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
    "-K 2 --order",
    "-K 4 --order --pad",
    "-K auto --effort fast",
    "--modules auto --effort fast --stability",
    "--score - --levels",
    "- --update /dev/stdin",
    "/dev/stdin --update tests/fuzz/streams/karate.seg",
    "--update /dev/stdin tests/fuzz/streams/karate.seg",
    NULL
};
#include "tests/fuzz/tool.h"
