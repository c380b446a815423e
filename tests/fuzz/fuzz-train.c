/* fuzz-train.c - se-train on any stream that passes its checks */
#define main tool_main
int tool_main(int argc, char **argv);
#include "tools/se-train.c"
#undef main

#define OPTIONS o
static const char *const lines[] = {
    "--apply",
    "--epochs 2 --model sage --hidden 4",
    "--epochs 2 --model gcn --hidden 4 --input both --weights use",
    "--epochs 1 --model gat --hidden 4 --heads 2 --probabilities",
    "--epochs 1 --model appnp --communities 2",
    NULL
};
#include "tests/fuzz/tool.h"
