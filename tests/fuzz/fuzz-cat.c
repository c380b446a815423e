/* fuzz-cat.c - se-cat on any stream that passes its checks */
#define main tool_main
int tool_main(int argc, char **argv);
#include "tools/se-cat.c"
#undef main

#define OPTIONS o
static const char *const lines[] = {
    "--only graph,features,tree",
    "--drop graph",
    "- /dev/stdin --replace",
    "--order tree",
    "--order clu -z 6",
    "--order names",
    "--order /dev/stdin tests/fuzz/streams/karate.seg",
    "tests/fuzz/streams/knn.seg /dev/stdin",
    "tests/fuzz/streams/part-0.seg /dev/stdin",
    "tests/fuzz/streams/dense.seg tests/fuzz/streams/part-6.seg /dev/stdin",
    NULL
};
#include "tests/fuzz/tool.h"
