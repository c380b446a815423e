/* fuzz-vote.c - se-vote on any stream that passes its checks */
#define main tool_main
int tool_main(int argc, char **argv);
#include "tools/se-vote.c"
#undef main

#define OPTIONS o
static const char *const lines[] = {
    "",
    "- /dev/stdin --split 0",
    "tests/fuzz/streams/sage.seg /dev/stdin",
    NULL
};
#include "tests/fuzz/tool.h"
