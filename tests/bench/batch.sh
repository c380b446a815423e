#!/bin/bash
# batch.sh - training in batches beside the whole graph: time, peak memory, accuracy by epochs
#
# A generated graph of SE_BATCH_N vertices (10^6), ten times as many edges, 100 dense columns.  The
# peak counts the mapped file, which is told beside it.  EPOCHS: how many.
set -euo pipefail
n=${SE_BATCH_N:-1000000}
epochs=${EPOCHS:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
se-gen -q -n "$n" --classes 10 --communities 10,10 --degree 20 --homophily .7 --features normal \
    --signal .1 --dims 100 --splits 1 --seed 1 -o plain.seg
command time -f '%e %M' -o cost.txt se-tree -q -K 3 --effort fast plain.seg -o graph.seg
printf 'file %s MB; tree %s s, %s KB\n' "$(($(stat -c %s graph.seg) / 1000000))" \
    "$(cut -d ' ' -f 1 cost.txt)" "$(cut -d ' ' -f 2 cost.txt)"
printf '%-14s %9s %9s %9s %9s %9s\n' batches seconds 'of CPU' 'peak MB' val test
for batch in whole tree random; do
    options=()
    [[ $batch == whole ]] || options=(--batch "$batch")
    command time -f '%e %U %S %M' -o cost.txt se-train -q --epochs "$epochs" "${options[@]}" graph.seg \
        -o out.seg
    read -r real user system peak < cost.txt
    se-export -t stats out.seg > stats.tsv
    awk -v b="$batch" -v s="$real" -v u="$user" -v k="$system" -v p="$peak" '
        { value[$1] = $2 }
        END { printf "%-14s %9.1f %9.1f %9.0f %9.4f %9.4f\n", b, s, u + k, p / 1024,
                  value["train.acc.val"], value["train.acc.test"] }' stats.tsv
done
