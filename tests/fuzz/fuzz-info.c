/* fuzz-info.c - se-info on any stream that passes its checks */
#define main tool_main
int tool_main(int argc, char **argv);
#include "tools/se-info.c"
#undef main

#define OPTIONS o
#define TEXT 1
static const char *const lines[] = {
    "-v",
    "--json",
    "--describe 1",
    "--compare labels",
    "--dims",
    "--explain 0,1",
    "--compare predictions --depth 2",
    "--get vertices,homophily?,tree_h?,stats?,split_sizes.0.val? --split 1",
    NULL
};
#include "tests/fuzz/tool.h"
