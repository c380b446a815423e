/* fuzz-hop.c - se-hop on any stream that passes its checks */
#define main tool_main
int tool_main(int argc, char **argv);
#include "tools/se-hop.c"
#undef main

#define OPTIONS hops
static const char *const lines[] = {
    "1",
    "2",
    "3",
    NULL
};
#include "tests/fuzz/tool.h"
