#!/bin/bash
# edges.sh - stages on a graph of very many edges: CPU time, elapsed time and peak memory
#
# EDGES (10^6, for a quick look; 10^8 takes about a quarter of an hour and 8 GB of disk), a tenth as
# many vertices: text out and in, the tree, samples from it; and the choice of k of as many
# neighbours.  EDGES_DIR keeps streams and rows; stages that have a row are not run again.
set -euo pipefail
# shellcheck disable=SC1091
source "${0%/*}/stages.bash"
m=${EDGES:-1000000} n=$(( ${EDGES:-1000000} / 10 ))
enter "${EDGES_DIR-}"

stage gen gen.seg se-gen -n "$n" --degree 20 --no-features --splits 0 --homophily .7 --communities 20,10 \
    --exponent 2.5 --seed 1
stage export edges.tsv se-export -t edges gen.seg
stage import import.seg se-import -f edges edges.tsv
rm -f edges.tsv
stage tree-2 tree.seg se-tree -K 2 --effort fast import.seg
stage tree-3 tree3.seg se-tree -K 3 --effort fast import.seg
stage sample sample.seg se-sample --theta 3 tree.seg
rm -f import.seg sample.seg tree.seg tree3.seg gen.seg
stage rows rows.seg se-gen -n $(( m / 30 )) --features normal --dims 5 --splits 0 --seed 1
stage sim sim.seg se-sim -k 30 rows.seg
stage kselect kselect.seg se-kselect sim.seg
rm -f rows.seg sim.seg kselect.seg

awk -F '\t' -v m="$m" 'BEGIN { form = "%-8s %10s %10s %9s %9s\n"
        printf form, "stage", "elapsed s", "CPU s", "peak MB", "file MB" }
    { printf form, $1, $2, sprintf("%.1f", $3 + $4), sprintf("%.0f", $5 / 1024), sprintf("%.0f", $6 / 1e6) }
    $1 == "export" { text = $6 }
    $1 == "import" { printf "import: %.0f MB of text a CPU second\n", text / 1e6 / ($3 + $4) }' rows
