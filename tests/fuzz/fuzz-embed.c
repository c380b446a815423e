/* fuzz-embed.c - se-embed on any stream that passes its checks */
#define main tool_main
int tool_main(int argc, char **argv);
#include "tools/se-embed.c"
#undef main

#define OPTIONS o
static const char *const lines[] = {
    "--method isomap --landmarks 5",
    "--method isomap --landmarks 5 --latent",
    "--method poincare --epochs 2 --latent",
    "--method struc2vec --walks 2 --length 5 --hops 2",
    NULL
};
#include "tests/fuzz/tool.h"
