/* fuzz-prune.c - se-prune on any stream that passes its checks */
#define main tool_main
int tool_main(int argc, char **argv);
#include "tools/se-prune.c"
#undef main

#define OPTIONS o
static const char *const lines[] = {
    "--jaccard --threshold .1",
    "--cosine --threshold .2",
    "--across 1",
    "--svd 3",
    NULL
};
#include "tests/fuzz/tool.h"
