/* fuzz-cluster.c - se-cluster on any stream that passes its checks */
#define main tool_main
int tool_main(int argc, char **argv);
#include "tools/se-cluster.c"
#undef main

#define OPTIONS o
#define MOST_VERTICES 20
static const char *const lines[] = {
    "-k 3 --effort fast",
    "-k 4 --edges use --effort fast",
    "--edges ignore --effort fast",
    NULL
};
#include "tests/fuzz/tool.h"
