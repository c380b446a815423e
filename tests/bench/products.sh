#!/bin/bash
# products.sh - one iteration of SE-GSL on a graph of ogbn-products' shape: each stage's CPU time,
# elapsed time and peak memory
#
# 2.4 million vertices, 62 million edges, 47 classes with communities of two levels, degrees by a
# power law, 100 dense columns; divided by PRODUCTS_BY (100, for a quick look; 1: the whole, which
# takes hours and 20 GB of disk).  EPOCHS: of training in batches along the tree.  PRODUCTS_DIR
# keeps streams and rows, and stages that have a row are not run again.
set -euo pipefail
by=${PRODUCTS_BY:-100} epochs=${EPOCHS:-10}
if [[ -n ${PRODUCTS_DIR-} ]]; then
    mkdir -p "$PRODUCTS_DIR"
    cd "$PRODUCTS_DIR"
else
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    cd "$work"
fi
touch rows

# stage NAME INPUT|- TOOL...: NAME.seg from INPUT.seg
stage() {
    local name=$1 input=$2
    shift 2
    ! grep -q "^$name	" rows || return 0
    [[ $input == - ]] || set -- "$@" "$input.seg"
    /usr/bin/time -f '%e %U %S %M' -o time "$@" -q -o "$name.seg"
    printf '%s\t%s\t%s\n' "$name" "$(tail -n 1 time | tr ' ' '\t')" "$(stat -c %s "$name.seg")" >> rows
}

stage gen - se-gen -n $(( 2400000 / by )) --degree 51.7 --classes 47 --communities 10,6 --exponent 2.5 \
    --homophily .8 --noise .1 --features normal --signal .1 --dims 100 --splits 1 --seed 1
stage first gen se-tree -K 3 --effort fast
stage order first se-cat --order tree
stage train order se-train --batch tree --feature-norm none --epochs "$epochs"
stage sim train se-sim -k 30 --approx .98
stage kselect sim se-kselect
stage tree kselect se-tree -K 2 --effort fast
stage sample tree se-sample

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
