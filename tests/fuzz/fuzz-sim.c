/* fuzz-sim.c - se-sim on any stream that passes its checks */
#define main tool_main
int tool_main(int argc, char **argv);
#include "tools/se-sim.c"
#undef main

#define OPTIONS o
static const char *const lines[] = {
    "-k 3",
    "-k 5 --metric cosine --compare-by features",
    "-k 4 --method sparse --compare-by features",
    "-k 4 --method space",
    "-k 2 --rows 1:5",
    NULL
};
#include "tests/fuzz/tool.h"
