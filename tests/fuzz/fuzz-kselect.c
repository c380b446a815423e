/* fuzz-kselect.c - se-kselect on any stream that passes its checks */
#define main tool_main
int tool_main(int argc, char **argv);
#include "tools/se-kselect.c"
#undef main

#define OPTIONS o
static const char *const lines[] = {
    "--rule plateau",
    "--rule max",
    "--rule schedule --weights ignore",
    "-k 2 --shift -0.25 --negative-weights clip",
    NULL
};
#include "tests/fuzz/tool.h"
