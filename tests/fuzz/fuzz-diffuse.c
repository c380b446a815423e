/* fuzz-diffuse.c - se-diffuse on any stream that passes its checks */
#define main tool_main
int tool_main(int argc, char **argv);
#include "tools/se-diffuse.c"
#undef main

#define OPTIONS o
static const char *const lines[] = {
    "--ppr .2 --top 4",
    "--heat 3 --eps .01",
    "--ppr .1 --degree 4",
    NULL
};
#include "tests/fuzz/tool.h"
