/* fuzz-learn.c - se-learn on any stream that passes its checks */
#define main tool_main
int tool_main(int argc, char **argv);
#include "tools/se-learn.c"
#undef main

#define OPTIONS o
static const char *const lines[] = {
    "--epochs 2 --hidden 4",
    "--epochs 2 --hidden 4 --method neuralsparse --top 2",
    "--epochs 2 --hidden 4 --method idgl --perspectives 2",
    "--epochs 2 --hidden 4 --method prognn --rank 3",
    "--epochs 2 --hidden 4 --method lds",
    "--epochs 2 --hidden 4 --method idgl --on embedding",
    NULL
};
#include "tests/fuzz/tool.h"
