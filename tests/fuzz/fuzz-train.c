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
    "--epochs 1 --model h2gcn --hidden 4",
    "--epochs 1 --model gcnii --hidden 4 --layers 3",
    "--epochs 1 --model grand --hidden 4",
    "--epochs 2 --model sage --hidden 4 --batch tree",
    "--epochs 1 --model linkx --hidden 4 --degrees --feature-norm standard",
    "--epochs 1 --model mlp --hidden 4 --neighbours --norm batch --jump concat",
    "--epochs 1 --model mix --hidden 4 --beside tests/fuzz/streams/karate.seg /dev/stdin",
    "--epochs 1 --model mix --hidden 4 --beside /dev/stdin tests/fuzz/streams/words.seg",
    NULL
};
#include "tests/fuzz/tool.h"
