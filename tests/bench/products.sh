#!/bin/bash
# products.sh - one iteration of SE-GSL on a graph of ogbn-products' shape: each stage's CPU time,
# elapsed time and peak memory
#
# 2.4 million vertices, 62 million edges, 47 classes with communities of two levels, degrees by a
# power law, 100 dense columns; divided by PRODUCTS_BY (100, for a quick look; 1: the whole, which
# takes hours and 20 GB of disk).  EPOCHS: of training in batches along the tree.  PRODUCTS_DIR
# keeps streams and rows, and stages that have a row are not run again.
set -euo pipefail
# shellcheck disable=SC1091
source "${0%/*}/stages.bash"
by=${PRODUCTS_BY:-100} epochs=${EPOCHS:-10}
enter "${PRODUCTS_DIR-}"

# from INPUT NAME TOOL...: NAME.seg from INPUT.seg
from() {
    stage "$2" "$2.seg" "${@:3}" "$1.seg"
}

stage gen gen.seg se-gen -n $(( 2400000 / by )) --degree 51.7 --classes 47 --communities 10,6 --exponent 2.5 \
    --homophily .8 --noise .1 --features normal --signal .1 --dims 100 --splits 1 --seed 1
from gen first se-tree -K 3 --effort fast
from first order se-cat --order tree
from order train se-train --batch tree --feature-norm none --epochs "$epochs"
from train sim se-sim -k 30 --approx .98
from sim kselect se-kselect
from kselect tree se-tree -K 2 --effort fast
from tree sample se-sample

awk -F '\t' 'BEGIN { form = "%-8s %10s %10s %7s %9s %9s\n"
        printf form, "stage", "elapsed s", "CPU s", "share", "peak MB", "file MB" }
    { name[NR] = $1; real[NR] = $2; cpu[NR] = $3 + $4; peak[NR] = $5; file[NR] = $6
      if ($1 != "gen") all += cpu[NR] }
    END { for (i = 1; i <= NR; i++)
              printf form, name[i], real[i], sprintf("%.1f", cpu[i]),
                  name[i] == "gen" ? "-" : sprintf("%.0f %%", 100 * cpu[i] / all),
                  sprintf("%.0f", peak[i] / 1024), sprintf("%.0f", file[i] / 1e6) }' rows
for number in tree.h1 train.acc.val train.acc.test sim.recall; do
    for stream in train sim tree; do
        se-export -t stats "$stream.seg" | awk -v s="$number" '$1 == s { print; exit }'
    done | sort -u | head -n 2
done
